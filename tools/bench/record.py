"""Record what resolving a project asks a registry for: ``python -m tools.bench.record``.

pip resolves it with each CPython that is found, from the registry that it is configured
for. Kept are facts that a resolver reads: of each page that was asked for the names of the
files, for which Pythons they are and whether they are yanked; of each release that was
taken its name, version and requirements. See
:mod:`tools.bench.recorded`, which reads it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.lib.interpreters import find_interpreters
from tests.lib.wheels import normalize_name
from tools.bench.recorded import DATA, ROOT, Group, Recording

__all__ = ["groups", "main", "reduced"]

_SCRIPT = Path(__file__).with_name("keep_pages.py")
_STEM = re.compile(r".+?-(?P<version>v?\d[^-]*?)(?=-|\.tar\.|\.zip$|\.tgz$|\.whl$)")
_NO_SETTINGS = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Resolve, write the recording, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--newest", type=int, default=1000, metavar="FILES")
    options = parser.parse_args(arguments)
    pages: dict[str, Any] = {}
    resolved: dict[str, list[str]] = {}
    taken: dict[str, dict[str, list[str]]] = {}
    for version, interpreter in find_interpreters().items():
        print(f"resolving with Python {version}", file=sys.stderr)
        found, report = _resolve(interpreter)
        pages.update(found)
        metadata = [each["metadata"] for each in report["install"]]
        resolved[version] = sorted(normalize_name(each["name"]) for each in metadata)
        for each in metadata:
            of_project = taken.setdefault(normalize_name(each["name"]), {})
            of_project[each["version"]] = reduced(each)
    recording: Recording = {
        "made": f"on {platform.system()} {platform.machine()}",
        "left_out": sum(
            max(0, len(page["files"]) - options.newest) for page in pages.values()
        ),
        "resolved": resolved,
        "metadata": dict(sorted(taken.items())),
        "pages": {
            name: groups(page["files"][-options.newest :])
            for name, page in sorted(pages.items())
        },
    }
    DATA.write_text(_written(recording), encoding="utf-8")
    print(f"{DATA}: {recording['left_out']} files left out", file=sys.stderr)
    return 0


def _resolve(interpreter: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the pages that were asked for by project, and pip's report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command: list[str | Path] = [
            interpreter,
            _SCRIPT,
            folder,
            "install",
            "-q",
            "--dry-run",
        ]
        report = folder / ".report"
        command += ["--ignore-installed", "--only-binary=:all:", "--report", report]
        environ = {
            name: value
            for name, value in os.environ.items()
            # Other places than the registry would come into the pages.
            if name not in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT")
        }
        subprocess.run([*command, ROOT], env={**environ, **_NO_SETTINGS}, check=True)
        pages = {
            path.stem: json.loads(path.read_bytes()) for path in folder.glob("*.json")
        }
        return pages, json.loads(report.read_bytes())


def reduced(metadata: Mapping[str, Any]) -> list[str]:
    """Return the lines of core metadata that a resolver reads.

    :param metadata: as pip's report has it.
    """
    lines = [f"Name: {metadata['name']}", f"Version: {metadata['version']}"]
    if "requires_python" in metadata:
        lines.append(f"Requires-Python: {metadata['requires_python']}")
    lines += [f"Provides-Extra: {each}" for each in metadata.get("provides_extra", ())]
    lines += [f"Requires-Dist: {each}" for each in metadata.get("requires_dist", ())]
    return lines


def groups(files: Iterable[Mapping[str, Any]]) -> list[Group]:
    """Return the files of a page, those that follow each other and are alike as one."""
    return [
        (*alike, [file["filename"].removeprefix(alike[0]) for file in group])
        for alike, group in itertools.groupby(files, _alike)
    ]


def _alike(file: Mapping[str, Any]) -> tuple[str, str, str | None, bool]:
    """Return stem, version, bounds of Python, and whether it is yanked."""
    name = file["filename"]
    found = _STEM.match(name)
    return (
        found[0] if found else name,
        found["version"] if found else "",
        file.get("requires-python") or None,
        bool(file.get("yanked")),
    )


def _written(recording: Recording) -> str:
    """Return JSON with a line for each project."""
    parts = []
    for key, value in recording.items():
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        if isinstance(value, dict):
            lines = (
                f"{json.dumps(name)}:"
                + json.dumps(each, ensure_ascii=False, separators=(",", ":"))
                for name, each in value.items()
            )
            text = "{\n" + ",\n".join(lines) + "\n}"
        parts.append(f"{json.dumps(key)}:{text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
