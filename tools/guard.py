"""Compare the results of two wheels of this pip, for random projects and machines.

The exit status is 1 if anything differs. The comparison covers the files and labels that
pip would install, or the exit status and the last error.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.lib.environments import scrubbed_environ
from tests.lib.hosts import write_host
from tests.lib.index import IndexServer
from tests.lib.random_releases import RandomProject, random_project

__all__ = ["main"]


class InstallOutcome(NamedTuple):
    """The packages that a command would install, or its error."""

    files: Mapping[str, str]
    error: str


class Difference(NamedTuple):
    """A machine for which two wheels give different results."""

    host: str
    old: InstallOutcome
    new: InstallOutcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the wheels, and return the exit status."""
    parser = argparse.ArgumentParser(prog="nox -s guard --", description=__doc__)
    parser.add_argument("old", type=Path, help="a wheel of an earlier commit")
    parser.add_argument("new", type=Path, help="the wheel to compare with it")
    parser.add_argument("--projects", type=int, default=100, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    options = parser.parse_args(arguments)
    compared = different = 0
    with TemporaryDirectory(prefix="guard-") as name:
        wheels = [_unpacked(options.old, Path(name, "old"))]
        wheels.append(_unpacked(options.new, Path(name, "new")))
        for seed in range(options.first, options.first + options.projects):
            project = random_project(seed)
            differences = _compare(project, wheels, Path(name, str(seed)))
            compared += len(project.hosts)
            different += len(differences)
            if differences:
                print(project)
            for each in differences:
                print(f"  host {each.host}\n    old {each.old}\n    new {each.new}")
            sys.stdout.flush()
    print(f"{compared} decisions on {options.projects} projects, {different} differ")
    return int(different > 0)


def _unpacked(wheel: Path, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def _compare(
    project: RandomProject, wheels: Sequence[Path], folder: Path
) -> list[Difference]:
    folder.mkdir()
    with IndexServer() as index, ThreadPoolExecutor(os.cpu_count()) as pool:
        project.serve(index)
        hosts = {
            name: write_host(folder / f"{name}.json", host)
            for name, host in project.hosts.items()
        }
        futures = {
            name: [
                pool.submit(_outcome, wheel, index.index_url, host, project.roots)
                for wheel in wheels
            ]
            for name, host in hosts.items()
        }
        found = [
            Difference(name, old.result(), new.result())
            for name, (old, new) in futures.items()
        ]
    return [each for each in found if each.old != each.new]


def _outcome(
    wheel: Path, index: str, host: Path, roots: Sequence[str]
) -> InstallOutcome:
    """Return the result of one wheel for one machine."""
    with TemporaryDirectory(prefix="guard-") as name:
        report = Path(name, "report.json")
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--dry-run", "-q"),
                *("--ignore-installed", "--report", str(report), "-i", index),
                *("--variant-host", str(host), *roots),
            ],
            env={**scrubbed_environ(Path(name)), "PYTHONPATH": str(wheel)},
            cwd=name,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            errors = [each for each in done.stderr.splitlines() if each[:6] == "ERROR:"]
            return InstallOutcome(
                {}, f"{done.returncode} {errors[-1] if errors else ''}"
            )
        planned = json.loads(report.read_text(encoding="utf-8"))["install"]
    return InstallOutcome(
        {
            each["metadata"]["name"]: each["download_info"]["url"].rpartition("/")[2]
            for each in planned
        },
        "",
    )


if __name__ == "__main__":
    sys.exit(main())
