"""Fuzz all parsers of external data: manifests, pages, names, wheels, records.

Each target runs in a separate process, under atheris. An execution must raise only the
documented errors, take at most one second of CPU time and 200 MB, and never select a
variant with unsupported properties. Inputs that fail are saved in build/fuzz/TARGET.

The exit status is 1 if there are findings. docs/reliability.md records the printed table.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.fuzz.targets import TARGETS

_FOLDER = Path("build/fuzz")
_DONE = re.compile(r"^Done (\d+) (?:runs )?in (\d+) second", re.MULTILINE)
_STATUS = re.compile(r"^#\d+.*?cov: (\d+).*?rss: (\d+)Mb", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FuzzOutcome:
    """The outcome of fuzzing one target.

    :ivar branches: the number of reached branches, as atheris counts.
    :ivar finding: the output of a failure, or None.
    """

    executions: int
    seconds: int
    branches: int
    megabytes: int
    finding: str | None


def main(arguments: list[str] | None = None) -> int:
    """Fuzz the targets, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)}")
    parser.add_argument(
        "--seconds", type=int, default=600, help="of each target (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=825, help="(default: %(default)s)")
    options = parser.parse_args(arguments)
    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    # Hypothesis makes its table of Unicode once, which takes more memory than is allowed.
    table = "from hypothesis.internal import charmap; charmap.charmap()"
    subprocess.run([sys.executable, "-c", table], check=True)
    total, found = 0, False
    print("| target | executions | seconds | places reached | MB |", flush=True)
    print("|---|---|---|---|---|", flush=True)
    for name in options.targets or TARGETS:
        outcome = _fuzz(name, options.seconds, options.seed)
        total += outcome.executions
        print(
            f"| `{name}` | {outcome.executions:,} | {outcome.seconds} "
            f"| {outcome.branches} | {outcome.megabytes} |",
            flush=True,
        )
        if outcome.finding is not None:
            found = True
            print(outcome.finding, flush=True)
    print(f"{total:,} executions")
    return int(found)


def _fuzz(name: str, seconds: int, seed: int) -> FuzzOutcome:
    folder = _FOLDER / name
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    command = [
        *(sys.executable, "-m", "tools.fuzz.engine", name),
        *(f"-max_total_time={seconds}", f"-seed={seed}", "-timeout=30"),
        *(f"-artifact_prefix={folder}/", "-max_len=4096", "-rss_limit_mb=1024"),
        "-len_control=0",
    ]
    # The folder is in memory if possible: libFuzzer ends the process without cleaning up.
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with TemporaryDirectory(dir=memory, prefix="fuzz-") as temporary:
        process = subprocess.run(
            [*command, str(corpus)],
            env={**os.environ, "TMPDIR": temporary},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="backslashreplace",
            check=False,
        )
    output = process.stdout
    done, states = _DONE.search(output), _STATUS.findall(output)
    executions, seconds = map(int, done.groups()) if done else (0, 0)
    branches, megabytes = map(int, states[-1]) if states else (0, 0)
    # libFuzzer is done only after its last execution. The alarm with which libFuzzer
    # detects timeouts may still kill the process at the end.
    finding = None if done else f"exit status {process.returncode}\n{_tail(output)}"
    return FuzzOutcome(executions, seconds, branches, megabytes, finding)


def _tail(output: str) -> str:
    start = output.find("=== Uncaught Python exception: ===")
    return output[max(start, len(output) - 5000) if start < 0 else start :]


if __name__ == "__main__":
    sys.exit(main())
