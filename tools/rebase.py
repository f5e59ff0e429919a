"""Report the effects of another pip release on the fork; change nothing.

The report lists each seam: unchanged, changed (with both bodies) or missing. It then lists
the census of sensitive calls, files that clash with the overlay, all files that differ, and
the libraries that pip vendors. It ends with the next steps. The exit status is 0 if nothing
drifted, 1 if something drifted, 2 if the report cannot be created.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fork.engine.drift import Drift, compare  # noqa: E402
from fork.engine.errors import ForkError  # noqa: E402
from fork.engine.releases import Sources, read_release  # noqa: E402
from fork.pins import HOW_TO_GET, PIP  # noqa: E402
from fork.project import PROJECT  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Print the report, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "release",
        help="a version of pip, a wheel, an unpacked wheel, or a checkout of pip's source",
    )
    parser.add_argument(
        "--from",
        dest="pinned",
        default=PIP.version,
        metavar="RELEASE",
        help="the release to compare with, given alike (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    try:
        with TemporaryDirectory(prefix="rebase-") as folder:
            old = _release(options.pinned, Path(folder, "old"))
            new = _release(options.release, Path(folder, "new"))
        drift = compare(PROJECT, old, new)
    except ForkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join([*drift.lines(), *_libraries(old, new), "", *_next(drift)]))
    return int(drift.drifted)


def _libraries(old: Sources, new: Sources) -> list[str]:
    """List the vendored libraries with different versions."""
    before, after = (_versions(each) for each in (old, new))
    changed = [
        f"    {name} {before.get(name, 'new')} -> {after.get(name, 'gone')}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]
    return [f"libraries: {len(changed) or 'no'} differences", *changed]


def _versions(release: Sources) -> dict[str, str]:
    listed = release.files.get("pip/_vendor/vendor.txt", b"").decode()
    found = (line.split("#")[0].partition("==") for line in listed.splitlines())
    return {name.strip(): version.strip() for name, _, version in found if version}


def _next(drift: Drift) -> Iterator[str]:
    """Print the next steps."""
    version = drift.new.version
    if drift.new.digest == drift.old.digest:
        yield "It is the same release: there is nothing to do."
        return
    if drift.drifted:
        yield "Something that the fork depends on changed. Before all else:"
        yield "  read the differences above, and adapt the seams and their hooks;"
    else:
        yield "Nothing that the fork depends on changed. To move to it:"
    yield f"  write {version!r} as UPSTREAM in fork/version.py, pip==={version} in"
    yield "  pyproject.toml, and a number of the fork's own (FORK in fork/version.py);"
    yield f"  write the digest {drift.new.digest}"
    yield "  into fork/pins.py;"
    yield "  nox -s lint: its type check lists what the fork uses of pip's other files,"
    yield "  and is gone or changed;"
    yield "  nox, nox -s rest, and upstream's own tests: nox -s upstream -- CHECKOUT unit."


def _release(given: str, folder: Path) -> Sources:
    path = Path(given)
    is_checkout = (path / "pyproject.toml").is_file()
    if path.is_dir() and not is_checkout:
        return read_release(PIP, HOW_TO_GET, path, exact=False)
    folder.mkdir()
    if path.suffix == ".whl":
        wheel = path
    else:
        wheel = _fetch_wheel(str(path) if is_checkout else f"pip==={given}", folder)
    try:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / "unpacked")
    except (OSError, zipfile.BadZipFile) as error:
        raise ForkError(f"cannot unpack the wheel ({error}): {given!r}") from error
    return read_release(PIP, HOW_TO_GET, folder / "unpacked", exact=False)


def _fetch_wheel(requirement: str, folder: Path) -> Path:
    """Download a release of pip, or build a checkout."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--wheel-dir", str(folder), requirement]
    if subprocess.run(command, check=False).returncode:
        raise ForkError(
            "cannot get that release; see pip's message above. Give a version that a "
            f"package index has, a wheel, or a checkout of pip: {requirement!r}"
        )
    (wheel,) = folder.glob("*.whl")
    return wheel


if __name__ == "__main__":
    sys.exit(main())
