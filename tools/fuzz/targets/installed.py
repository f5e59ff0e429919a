"""Fuzz the records of installed wheels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from pip._vendor.wheel_variants.labels import is_valid_label

from pip._internal.metadata import get_directory_distribution
from pip._internal.variants.output.reasons import shortened
from pip._internal.variants.selection.installed import SELECTION_FILE, installed_build
from tests.lib.manifests import PREVIEW_TORCH, variant_json
from tools.fuzz.shapes import ANYTHING, DOCUMENTS, TEXT, mostly
from tools.fuzz.target import FOLDER, FuzzTarget, printable, structured

__all__ = ["TARGETS"]


def _record(data: bytes) -> None:
    _installed_from({SELECTION_FILE: data})
    _installed_from({"variant.json": data})
    _installed_from({SELECTION_FILE: data, "variant.json": json.dumps(_OWN).encode()})


def _installed_from(files: dict[str, bytes]) -> None:
    for name in (SELECTION_FILE, "variant.json"):
        path = _INFO / name
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


_INFO = FOLDER / "torch-2.8.0.dist-info"
_INFO.mkdir()
_INFO.joinpath("METADATA").write_text(
    "Metadata-Version: 2.1\nName: torch\nVersion: 2.8.0\n", encoding="utf-8"
)
_OWN = variant_json(PREVIEW_TORCH, "cu128")
_RECORD: dict[str, Any] = {
    "label": "cu128",
    "supported": ["nvidia :: sm_arch :: 90_real"],
    "labels": ["cu128", "cu126"],
    "by-hand": False,
    "manifest": PREVIEW_TORCH,
}


def _seeds() -> Iterator[bytes]:
    yield json.dumps(_RECORD).encode()
    yield json.dumps(_OWN).encode()


_TEXTS = st.lists(TEXT, max_size=3)
_RECORDS = st.fixed_dictionaries(
    {
        "label": mostly(st.sampled_from(("cu128", None)) | TEXT),
        "supported": mostly(st.just(_RECORD["supported"]) | _TEXTS),
        "labels": mostly(st.just(_RECORD["labels"]) | _TEXTS),
        "manifest": st.just(PREVIEW_TORCH) | DOCUMENTS,
    },
    optional={"by-hand": ANYTHING},
)


def _check(record: Any) -> None:
    _record(json.dumps(record).encode("ascii"))


TARGETS = (
    structured("installed", _check, _RECORDS),
    FuzzTarget("installed-bytes", _record, _seeds),
)
