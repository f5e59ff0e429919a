"""Make all files of a release: ``nox -s release``.

The files are wheels and source distributions of the fork, the carrier and wheel-variants,
pip-variants.pyz, get-pip-variants.py, a bill of materials, a static index, and SHA256SUMS.
The same working tree gives the same files for every user, time and machine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from fork.engine.assembler import overlay_files
from fork.pins import LIBRARIES, PIP
from fork.project import PROJECT, ROOT
from fork.version import FORK, VERSION
from tools.release.contents import Origins, contents
from tools.release.errors import ReleaseError
from tools.release.files import SUMS, build, sums, write_index
from tools.release.installer import installer
from tools.release.news import check_tag, notes
from tools.release.sbom import sbom
from tools.release.zipapp import zipapp

_CARRIER, _CORE = ROOT / "carrier", ROOT / "core"
_BUILD = ROOT / "build"
_OUTPUT = _BUILD / "release"


def main(arguments: list[str] | None = None) -> int:
    """Make and list the files, and return the exit status."""
    parser = argparse.ArgumentParser(prog="nox -s release --", description=__doc__)
    parser.add_argument(
        "--tag", help="the tag to release: it must match the version and the news"
    )
    options = parser.parse_args(arguments)
    try:
        if options.tag:
            check_tag(options.tag, FORK, ROOT)
        _make(_OUTPUT)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    news = (ROOT / "NEWS.md").read_text(encoding="utf-8")
    text = notes(news, FORK) or f"No notes on {FORK} are written yet.\n"
    (_BUILD / "release-notes.md").write_text(text, encoding="utf-8")
    _write_workflow_outputs()
    print(sums(_OUTPUT), end="")
    print(f"{FORK} lies in {_OUTPUT}, with an index of it in simple/")
    return 0


def _make(output: Path) -> None:
    """Write all files, and replace the folder when all files are complete."""
    partial = output.with_name(f"{output.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    fork = build(ROOT, partial)
    carrier = build(_CARRIER, partial, FORK_WHEEL=str(fork))
    build(_CORE, partial)
    pyz = partial / "pip-variants.pyz"
    pyz.write_bytes(zipapp(fork))
    pyz.chmod(0o755)
    (partial / "get-pip-variants.py").write_bytes(installer(carrier))
    overlay = frozenset([*overlay_files(PROJECT.overlay), *PROJECT.core_files()])
    libraries = tuple(library.pin for library in LIBRARIES)
    parts = contents(fork, Origins(VERSION, PIP, libraries, overlay))
    edited = {seam.file for seam in PROJECT.seams}
    (partial / "pip-variants.cdx.json").write_bytes(sbom(parts, fork, edited))
    write_index(partial)
    (partial / SUMS).write_text(sums(partial), encoding="utf-8", newline="\n")
    shutil.rmtree(output, ignore_errors=True)
    partial.rename(output)


def _write_workflow_outputs() -> None:
    """Add outputs to the file in ``GITHUB_OUTPUT``, if set."""
    path = os.environ.get("GITHUB_OUTPUT")
    if path:
        text = (_CARRIER / "pyproject.toml").read_text(encoding="utf-8")
        # Whether the registry's project with the carrier's name belongs to this project.
        registered = tomllib.loads(text)["tool"]["pip-variants"]["registered"]
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"version={FORK}\nregistered={str(registered).lower()}\n")


if __name__ == "__main__":
    sys.exit(main())
