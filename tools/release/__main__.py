"""Make all files of a release: ``nox -s release``.

Wheels and source distributions of the fork, the carrier and wheel-variants, pip-variants.pyz,
get-pip-variants.py, a bill of materials, a static index, and SHA256SUMS. The same working
tree makes the same files, whoever runs it, when, and where.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from fork.engine.assembler import overlay_files
from fork.engine.vendoring import vendored_package
from fork.pins import LIBRARIES, PIP
from fork.project import PROJECT, ROOT
from fork.version import FORK, VERSION
from tools.release.builds import build
from tools.release.contents import Origins, contents
from tools.release.errors import ReleaseError
from tools.release.index import write_index
from tools.release.installer import installer
from tools.release.names import INSTALLER, SBOM, SUMS, ZIPAPP
from tools.release.news import check_tag, notes
from tools.release.outputs import tell_workflow
from tools.release.registration import is_registered
from tools.release.sbom import check, sbom
from tools.release.sums import sums
from tools.release.wheel_metadata import licence_expression
from tools.release.zipapp import zipapp

_CARRIER, _CORE = ROOT / "carrier", ROOT / "core"
_BUILD = ROOT / "build"
_OUTPUT = _BUILD / "release"


def main(arguments: list[str] | None = None) -> int:
    """Make the files and say what they are; return the exit status."""
    parser = argparse.ArgumentParser(prog="nox -s release --", description=__doc__)
    parser.add_argument(
        "--tag", help="the tag that is released: it must suit the version and the news"
    )
    options = parser.parse_args(arguments)
    try:
        if options.tag:
            check_tag(options.tag, FORK, ROOT)
        registered = is_registered(_CARRIER)
        _make(_OUTPUT)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    _write_notes()
    tell_workflow({"version": FORK, "registered": str(registered).lower()})
    for line in sums(_OUTPUT).decode("utf-8").splitlines():
        print(line)
    print(f"{FORK} lies in {_OUTPUT}, with an index of it in simple/")
    return 0


def _make(output: Path) -> None:
    """Write all files; the folder is replaced once they are complete."""
    partial = output.with_name(f"{output.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    fork = build(ROOT, partial)
    carrier = build(_CARRIER, partial, {"PIP_VARIANTS_WHEEL": str(fork.wheel)})
    build(_CORE, partial)
    (partial / ZIPAPP).write_bytes(zipapp(fork.wheel))
    (partial / ZIPAPP).chmod(0o755)
    (partial / INSTALLER).write_bytes(installer(carrier.wheel))
    bill = sbom(
        contents(fork.wheel, _origins()),
        fork.wheel.name,
        licence_expression(fork.wheel),
    )
    check(bill)
    (partial / SBOM).write_bytes(bill)
    write_index(partial)
    (partial / SUMS).write_bytes(sums(partial))
    shutil.rmtree(output, ignore_errors=True)
    partial.rename(output)


def _origins() -> Origins:
    vendored = vendored_package(
        PROJECT.core, PROJECT.vendor.strip("/").replace("/", ".")
    )
    core = (f"{PROJECT.vendor}{path}" for path in vendored)
    return Origins(
        VERSION,
        PIP,
        tuple(library.pin for library in LIBRARIES),
        frozenset((*overlay_files(PROJECT.overlay), *core)),
        frozenset(seam.file for seam in PROJECT.seams),
    )


def _write_notes() -> None:
    news = (ROOT / "NEWS.md").read_text(encoding="utf-8")
    text = notes(news, FORK) or f"No notes on {FORK} are written yet.\n"
    (_BUILD / "release-notes.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
