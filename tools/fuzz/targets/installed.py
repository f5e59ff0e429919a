"""What is recorded of installed builds, by this pip or whoever wrote there since."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pip._vendor.wheel_variants.labels import is_valid_label

from pip._internal.metadata import get_directory_distribution
from pip._internal.variants.output.reasons import shortened
from pip._internal.variants.selection.installed import SELECTION_FILE, installed_build
from tests.lib.manifests import PREVIEW_TORCH, variant_json
from tools.fuzz.choices import Choices
from tools.fuzz.shapes import make_document
from tools.fuzz.target import MEMORY, Target, printable, structured

__all__ = ["TARGETS"]


def _record(data: bytes) -> None:
    _installed_from({SELECTION_FILE: data})
    _installed_from({"variant.json": data})
    _installed_from({SELECTION_FILE: data, "variant.json": json.dumps(_OWN).encode()})


def _installed_from(files: dict[str, bytes]) -> None:
    for name in (SELECTION_FILE, "variant.json"):
        path = Path(_INFO, name)
        path.unlink(missing_ok=True)
        if name in files:
            path.write_bytes(files[name])
    build = installed_build(get_directory_distribution(str(_INFO)))
    if build is None:
        return
    assert build.label is None or is_valid_label(build.label)
    assert all(map(is_valid_label, build.labels))
    for each in (*build.supported, *build.declared):
        printable(str(each))
    printable(shortened(build.labels))


_FOLDER = tempfile.TemporaryDirectory(dir=MEMORY, prefix="fuzz-installed-")
_INFO = Path(_FOLDER.name, "torch-2.8.0.dist-info")
_INFO.mkdir()
_INFO.joinpath("METADATA").write_text(
    "Metadata-Version: 2.1\nName: torch\nVersion: 2.8.0\n", encoding="utf-8"
)
_OWN = variant_json(PREVIEW_TORCH, "cu128")
_RECORD = {
    "label": "cu128",
    "supported": ["nvidia :: sm_arch :: 90_real"],
    "labels": ["cu128", "cu126"],
    "by-hand": False,
    "manifest": PREVIEW_TORCH,
}


def _seeds() -> Iterator[bytes]:
    yield json.dumps(_RECORD).encode()
    yield json.dumps(_OWN).encode()


def _check(choices: Choices) -> None:
    def texts() -> list[str]:
        return choices.several(choices.text, 0, 3)

    record = {
        "label": choices.mostly(
            lambda: choices.one_of(("cu128", None, choices.text()))
        ),
        "supported": choices.mostly(
            lambda: choices.one_of((_RECORD["supported"], texts()))
        ),
        "labels": choices.mostly(lambda: choices.one_of((_RECORD["labels"], texts()))),
        "manifest": choices.one_of((PREVIEW_TORCH, make_document(choices))),
        **choices.some_of({"by-hand": choices.json}),
    }
    _record(json.dumps(record).encode("ascii"))


TARGETS = (
    structured("installed", _check),
    Target(
        "installed-bytes",
        _record,
        _seeds,
        tokens=[
            *(b'"label"', b'"labels"', b'"supported"', b'"by-hand"', b'"manifest"'),
            *(b'"\\u001b[31m"', b'"\\ud800"', b"null", b" :: "),
        ],
    ),
)
