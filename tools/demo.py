"""Demonstrate the fork: build it, serve an index, install torch on four machines.

The demo needs Python 3.10 or newer, and a package registry for the build. It removes all
its files.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.lib.hosts import make_host, write_host  # noqa: E402
from tests.lib.index import IndexServer  # noqa: E402
from tests.lib.manifests import PREVIEW_TORCH  # noqa: E402

#: Simulated machines: the description, and the name and content of the host file.
MACHINES = (
    (
        "CUDA 12.8, compute capability 9.0",
        "cuda-12.8.json",
        make_host(cuda="12.8", capability="9.0"),
    ),
    (
        "CUDA 12.9, compute capability 7.5",
        "cuda-12.9-old-gpu.json",
        make_host(cuda="12.9", capability="7.5"),
    ),
    ("no GPU", "no-gpu.json", make_host()),
)


class DemoError(Exception):
    """The demo failed; the message contains the reason and a remedy.

    :param details: the output of a failed command.
    """

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


@dataclass(frozen=True, slots=True)
class DemoSelection:
    """The variant that pip selected on a machine, and the deciding properties."""

    host: str
    build: str
    reason: str


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A virtual environment with the fork, isolated from the user's settings."""

    folder: Path
    index_url: str

    @property
    def scripts(self) -> Path:
        """The folder of the environment's scripts."""
        return self.folder / "venv" / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> str:
        """The environment's interpreter."""
        return str(self.scripts / ("python.exe" if os.name == "nt" else "python"))

    def pip(self, *arguments: str) -> str:
        """Run a pip command, print it, and return its output."""
        return self._show(f"pip {' '.join(arguments)}", "-m", "pip", *arguments)

    def evaluate(self, code: str) -> str:
        """Evaluate a Python expression, and print and return the result."""
        return self._show(f'python -c "{code}"', "-c", code)

    def _show(self, shown: str, *arguments: str) -> str:
        print(f"\n    $ {shown}")
        done = subprocess.run(
            [self.python, *arguments],
            env=self._environ(),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        for line in done.stdout.splitlines():
            print(f"    {line}".rstrip())
        if done.returncode != 0:
            raise DemoError(f"{shown!r} ended with exit status {done.returncode}")
        return done.stdout

    def _environ(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PIP_")}
        return {
            **kept,
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_INDEX_URL": self.index_url,
            "PIP_NO_COLOR": "1",
        }


def main() -> int:
    """Run the demo, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--keep", action="store_true", help="keep the folder with the environment"
    )
    parser.add_argument(
        "--serve",
        action="store_true",
        help="go on serving the index afterward and print commands to try",
    )
    parser.add_argument(
        "--wheel", type=Path, help="use this wheel of the fork, build none"
    )
    options = parser.parse_args()
    try:
        run(keep=options.keep, serve=options.serve, wheel=options.wheel)
    except DemoError as error:
        print(f"{error.details}\nerror: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    return 0


def run(*, keep: bool, serve: bool, wheel: Path | None) -> None:
    """Build, serve, install, and print the table."""
    if wheel is not None and not wheel.is_file():
        raise DemoError(f"there is no wheel to install: {str(wheel)!r}")
    with ExitStack() as stack:
        if keep:
            folder = Path(tempfile.mkdtemp(prefix="pip-variants-demo-"))
        else:
            temporary = tempfile.TemporaryDirectory(
                prefix="pip-variants-demo-", ignore_cleanup_errors=True
            )
            folder = Path(stack.enter_context(temporary))
        index = stack.enter_context(IndexServer())
        index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
        sandbox = Sandbox(folder, index.index_url)
        prepare(sandbox, wheel)
        print_index(index)
        choices = install_everywhere(sandbox)
        print_table(choices)
        if keep:
            print(f"\nThe environment is kept in {folder}")
        if serve:
            print_commands(sandbox)
            with suppress(KeyboardInterrupt):
                # Wake up regularly to notice Ctrl-C on every platform.
                while True:
                    time.sleep(0.5)


def prepare(sandbox: Sandbox, wheel: Path | None) -> None:
    """Install the fork into a new virtual environment."""
    print("1. A fresh virtual environment, and the fork in it\n")
    with _step("making a virtual environment"):
        try:
            venv.create(sandbox.folder / "venv", with_pip=True)
        except subprocess.CalledProcessError as error:
            raise DemoError(
                "this Python cannot make a virtual environment with pip: install its "
                "ensurepip (on Debian and Ubuntu: apt install python3-venv)"
            ) from error
    if wheel is None:
        with _step("building the fork from this checkout (downloads upstream pip)"):
            wheels = sandbox.folder / "wheels"
            _quietly(
                [sandbox.python, "-m", "pip", "wheel", "--no-deps", "-w", str(wheels)]
                + [str(ROOT)],
                "the fork could not be built. The build downloads upstream pip and a "
                "few libraries: check that 'pip download pip' works here, and set "
                "PIP_INDEX_URL if packages come from a mirror",
            )
            (wheel,) = wheels.glob("*.whl")
    with _step(f"installing {wheel.name}"):
        _quietly(
            [
                sandbox.python,
                "-m",
                "pip",
                "install",
                "--no-index",
                str(wheel.absolute()),
            ],
            "the fork could not be installed",
        )
    sandbox.pip("--version")


def print_index(index: IndexServer) -> None:
    """Print the contents of the index."""
    print(f"\n2. An index on {index.index_url} with one release of torch\n")
    for entry in index.projects["torch"]:
        print(f"    {entry.file.filename}")
    print("\n   What each build needs, as torch-2.8.0-variants.json says:\n")
    for label, properties in PREVIEW_TORCH["variants"].items():
        needs = [
            f"{feature} {' '.join(values)}"
            for features in properties.values()
            for feature, values in features.items()
        ]
        print(f"    {label:10}{'; '.join(needs) or 'nothing'}")


def install_everywhere(sandbox: Sandbox) -> list[DemoSelection]:
    """Install on this machine, and resolve for the other machines."""
    print("\n3. What this machine gets")
    output = sandbox.pip("install", "--dry-run", "torch")
    choices = [read_selection("this machine", output)]
    sandbox.pip("install", "torch")
    sandbox.evaluate("import torch; print(torch.__version__, torch.variant_label)")
    sandbox.pip("uninstall", "--yes", "torch")
    for name, filename, host in MACHINES:
        print(f"\n   What a machine with {name} gets")
        write_host(sandbox.folder / filename, host)
        output = sandbox.pip(
            "install", "--dry-run", "--variant-host", filename, "torch"
        )
        choices.append(read_selection(name, output))
    return choices


def read_selection(host: str, output: str) -> DemoSelection:
    """Parse pip's output line for the selected variant."""
    line = re.search(r"^Using torch \S+, variant (\S+) \((.*)\)$", output, re.M)
    if line is None:
        return DemoSelection(host, "plain", "no variant fits")
    return DemoSelection(host, line[1], line[2])


def print_table(choices: Sequence[DemoSelection]) -> None:
    """Print the host, the selected variant and the reason."""
    rows = [("host", "chosen build", "why")]
    rows += [(c.host, c.build, c.reason) for c in choices]
    first, second = (max(len(row[i]) for row in rows) for i in (0, 1))
    rows.insert(1, ("-" * first, "-" * second, "-" * max(len(r[2]) for r in rows)))
    print("\n4. One command, the right build on each machine\n")
    for host, build, reason in rows:
        print(f"    {host:{first}} | {build:{second}} | {reason}")


def print_commands(sandbox: Sandbox) -> None:
    """Print commands to try while the index is served."""
    force = "NV_VARIANT_PROVIDER_FORCE_"
    print(
        f"""
The index is served until you press Ctrl-C. In another terminal:

  cd {sandbox.folder}
  . venv/bin/activate
  export PIP_CONFIG_FILE={os.devnull} PIP_FIND_LINKS= PIP_EXTRA_INDEX_URL=
  export PIP_INDEX_URL={sandbox.index_url}

  pip install --dry-run torch
  pip install --dry-run --variant-host {MACHINES[0][1]} torch
  {force}CUDA_DRIVER_VERSION=12.9 {force}SM_ARCH=9.0 pip install --dry-run torch
  pip install --dry-run --variant-host {MACHINES[0][1]} --variant cu126 torch
  pip install --dry-run --variant cu128 torch
  pip install --dry-run --no-variants torch
""",
        flush=True,
    )


@contextmanager
def _step(text: str) -> Iterator[None]:
    """Print the step, and its duration at the end."""
    start = time.monotonic()
    print(f"    {text} ...", end=" ", flush=True)
    try:
        yield
    except DemoError:
        print("failed", flush=True)
        raise
    print(f"{time.monotonic() - start:.0f} s", flush=True)


def _quietly(command: Sequence[str], problem: str) -> None:
    """Run a command; show its output only if it fails."""
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd=Path(command[0]).parent,
    )
    if done.returncode != 0:
        raise DemoError(problem, done.stdout)


if __name__ == "__main__":
    sys.exit(main())
