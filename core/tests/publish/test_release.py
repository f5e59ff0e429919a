"""The state between two runs, and the information in other files of a release."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.lib.manifests import make_manifest, variant_json
from tests.lib.wheels import make_wheel
from wheel_variants.manifest_parser import parse_document
from wheel_variants.publish.building import manifests_of_release
from wheel_variants.publish.indexing import STATE_FILE, IndexState, breaking_changes
from wheel_variants.publish.pyproject_table import read_project_table
from wheel_variants.publish.releases import Hashed

V3, V4 = ["x86_64 :: level :: v3"], ["x86_64 :: level :: v4"]
MKL = ["blas_lapack :: provider :: mkl"]
BEFORE = make_manifest({"a": V3, "b": MKL, "null": {}})
ORDERED = BEFORE["default-priorities"]["namespace"]

#: By what has changed: a manifest, and what that means.
CHANGES: Mapping[str, tuple[Any, list[str]]] = {
    "nothing": (BEFORE, []),
    "one more": (make_manifest({"a": V3, "b": MKL, "c": V4, "null": {}}), []),
    "one namespace more": (
        {**BEFORE, "default-priorities": {"namespace": [*ORDERED, "npu"]}},
        [],
    ),
    "one less": (make_manifest({"a": V3, "b": MKL}), ["label 'null' was removed"]),
    "other properties": (
        make_manifest({"a": V4, "b": MKL, "null": {}}),
        ["the properties of label 'a' changed"],
    ),
    "another order": (
        {**BEFORE, "default-priorities": {"namespace": ORDERED[::-1]}},
        ["the order of the namespaces changed"],
    ),
}


@pytest.mark.parametrize("case", CHANGES)
def test_changes(case: str) -> None:
    document, expected = CHANGES[case]
    before = json.dumps(BEFORE).encode()
    assert list(breaking_changes(before, parse_document(document))) == expected
    assert list(breaking_changes(b"{", parse_document(document))) == []


@pytest.mark.parametrize(
    "change",
    [{"hashed": {"a.whl": {"size": 7}}}, {"hashed": []}, {"written": 5}],
    ids=str,
)
def test_a_state_of_no_use(tmp_path: Path, change: Mapping[str, Any]) -> None:
    known = IndexState({"a.whl": Hashed(7, 8, 9, "ab")}, {"index.html": "cd"})
    known.save(str(tmp_path))
    assert IndexState.load(str(tmp_path)) == known
    path = tmp_path / STATE_FILE
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, **change}), encoding="utf-8")
    assert IndexState.load(str(tmp_path)) == IndexState()


def test_the_other_wheels_of_a_release(tmp_path: Path) -> None:
    own = {label: variant_json(BEFORE, label) for label in ("a", "b")}
    for wheel in (
        make_wheel("demo", "1.0", label="a", variant_json=own["a"]),
        make_wheel("demo", "1.0"),
        make_wheel("demo", "1.0", label="none"),
        make_wheel("demo", "1.0", label="broken", variant_json=b"{"),
        make_wheel("demo", "2.0", label="b", variant_json=own["b"]),
        make_wheel("other", "1.0", label="b", variant_json=own["b"]),
    ):
        wheel.write_to(tmp_path)
    (tmp_path / "demo-1.0-py3-none-any-zip.whl").write_bytes(b"no archive")
    (tmp_path / "no wheel.whl").write_bytes(b"")
    (tmp_path / "notes.txt").write_bytes(b"")
    folders = [str(tmp_path), str(tmp_path / "missing"), str(tmp_path)]
    found = manifests_of_release(folders, canonicalize_name("Demo"), Version("1"))
    assert list(found) == ["demo-1.0-py3-none-any-a.whl"]
    assert list(found["demo-1.0-py3-none-any-a.whl"].variants) == ["a"]


def test_what_a_table_says_for_building_alone_is_not_for_metadata(
    tmp_path: Path,
) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(
        "[variant.providers.a]\nbuild-requires = ['x']\n"
        "[variant.providers.b]\nbuild-requires = ['x']\nrequires = ['y']\n"
    )
    assert read_project_table(str(path)).providers == {"b": {"requires": ["y"]}}
