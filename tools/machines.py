"""Compare cross-platform results with results on the machine.

For each given Python, pip resolves random trees of packages twice: with that Python, and
with this Python and a host file for that Python. Platforms that are not available here are
resolved by name, and compared with the result of tags and markers. The exit status is 1 if
anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.lib.environments import REPOSITORY, scrubbed_environ
from tests.lib.random_trees import MACHINES, random_tree

__all__ = ["main"]

#: A driver that runs pip repeatedly in one process: a command takes 50 ms instead of a
#: second.
_DRIVER = """\
import contextlib, io, json, sys
from pip._internal.cli.main import main
for line in sys.stdin:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main(json.loads(line))
    sys.__stdout__.write(json.dumps([code, out.getvalue()]) + "\\n")
    sys.__stdout__.flush()
"""


class Pip:
    """The assembled fork in a process of another Python."""

    def __init__(self, python: str, home: Path) -> None:
        self.python = python
        environ = scrubbed_environ(home, home)
        environ["PYTHONPATH"] = str(REPOSITORY / "build/assembled")
        self._process = subprocess.Popen(
            [python, "-c", _DRIVER],
            env={**os.environ, **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def __call__(self, *arguments: str) -> tuple[int, str]:
        """Run pip, and return its exit status and output."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(arguments) + "\n")
        process.stdin.flush()
        code, said = json.loads(process.stdout.readline())
        return code, said

    def taken(self, index: str, report: Path, *options: str) -> set[str] | None:
        """Return the wheels that pip selects, or None if pip fails."""
        code, said = self(
            *("install", "--dry-run", "--ignore-installed", "--only-binary", ":all:"),
            *("--quiet", "--disable-pip-version-check", "--no-cache-dir"),
            *("--report", str(report), "-i", index, "app", *options),
        )
        if code:
            known = ("No matching distribution", "can be installed", "Impossible")
            assert any(each in said for each in known), said
            return None
        items = json.loads(report.read_text(encoding="utf-8"))["install"]
        return {item["download_info"]["url"].rpartition("/")[2] for item in items}


def main() -> int:
    """Compare the results, and print them."""
    parser = argparse.ArgumentParser(prog="nox -s machines --", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many trees")
    parser.add_argument("--seed", type=int, default=0, help="of the first one")
    parser.add_argument("pythons", nargs="*", help="other interpreters of this machine")
    given = parser.parse_args()
    alike: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    different = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        here = Pip(sys.executable, folder)
        there = {python: Pip(python, folder) for python in given.pythons}
        hosts = {}
        for number, (python, pip) in enumerate(there.items()):
            hosts[python] = folder / f"host{number}.json"
            code, said = pip("variants", "host", "--json")
            assert code == 0, said
            hosts[python].write_text(said, encoding="utf-8")
        report = folder / "report.json"
        for seed in range(given.seed, given.seed + given.count):
            tree = random_tree(seed)
            index = tree.serve(folder / f"index{seed}")
            pairs = []
            for python, pip in there.items():
                expected = pip.taken(index, report)
                host = "--variant-host", str(hosts[python])
                pairs.append((python, expected, here.taken(index, report, *host)))
            for machine in MACHINES:
                host = "--variant-host", machine.name
                found = here.taken(index, report, *host)
                pairs.append((machine.name, tree.taken(machine), found))
            for who, expected, found in pairs:
                alike[who] += expected == found
                missing[who] += expected is None
                if expected != found:
                    different += 1
                    print(f"tree {seed}, {who}:\n  there {expected}\n  here {found}")
    print(f"| machine | alike of {given.count} | of these, nothing to install |")
    print("|---|---|---|")
    for who in (*there, *(machine.name for machine in MACHINES)):
        print(f"| {who} | {alike[who]} | {missing[who]} |")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
