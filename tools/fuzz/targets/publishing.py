"""Fuzz the input of publishers' commands: tables, states, manifests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.lib.manifests import PREVIEW_TORCH, variant_json
from tests.lib.wheels import make_wheel
from tools.fuzz.shapes import DOCUMENTS
from tools.fuzz.target import FOLDER, FuzzTarget, check_text, printable, structured
from tools.fuzz.targets.manifests import seeds
from wheel_variants.manifest import InvalidManifest
from wheel_variants.manifest_parser import parse_manifest
from wheel_variants.publish import output
from wheel_variants.publish.errors import InvalidProjectTable, capital
from wheel_variants.publish.indexing import STATE_FILE, IndexState
from wheel_variants.publish.manifest_rules import check_manifest
from wheel_variants.publish.pyproject_table import read_project_table
from wheel_variants.publish.releases import scan_folder
from wheel_variants.rules import Effect

__all__ = ["TARGETS"]

_DIST = FOLDER / "dist"
_DIST.mkdir()
_WHEEL = make_wheel(
    "foo", "1.0", label="cu128", variant_json=variant_json(PREVIEW_TORCH, "cu128")
).write_to(_DIST)


def _table(data: bytes) -> None:
    path = FOLDER / "pyproject.toml"
    path.write_bytes(data)
    try:
        table = read_project_table(str(path))
    except InvalidProjectTable as error:
        # The command line escapes the message when it prints it.
        check_text(output.printable(error.message))
        check_text(output.printable(error.hints[0]))
        return
    for properties in table.properties.values():
        for each in properties:
            printable(str(each))


def _state(data: bytes) -> None:
    Path(_DIST, STATE_FILE).write_bytes(data)
    state = IndexState.load(str(_DIST))
    scanned = scan_folder(str(_DIST), state.hashed, hashes=True)
    # The wheel must be found regardless of the saved state.
    assert list(scanned.files) == [_WHEEL.name]
    state.hashed = scanned.hashed
    state.save(str(_DIST))
    assert IndexState.load(str(_DIST)) == state


def _checked(data: bytes) -> None:
    checked = check_manifest(data, "foo-1.0-variants.json")
    for finding in checked.findings:
        check_text(finding.problem)
        check_text(finding.remedy or "")
    refused = [each for each in checked.findings if each.rule.effect is Effect.REFUSED]
    manifest, said_to_installers = None, []
    try:
        manifest = parse_manifest(data)
    except InvalidManifest as error:
        said_to_installers = [(error.rule, capital(str(error)))]
    assert checked.manifest == manifest
    # Publishers must get the same errors as installers.
    said_to_publishers = [(f.rule.id, str(InvalidManifest(f.problem))) for f in refused]
    assert said_to_publishers[:1] == said_to_installers
    assert all(finding.is_error for finding in refused)


def _check_document(document: Any) -> None:
    _checked(json.dumps(document).encode())


def _table_seeds() -> Iterator[bytes]:
    yield b"""
[variant.default-priorities]
namespace = ["nvidia", "x86_64"]
[variant.providers.nvidia]
requires = ["nvidia-variant-provider"]
build-requires = ["x"]
[variant.providers.x86_64]
feature-order = ["level"]
static-properties = { level = ["v3", "v2"] }
[variant.properties]
cu128 = ["nvidia :: sm_arch :: 90_real"]
"""


def _state_seeds() -> Iterator[bytes]:
    _state(b"{}")
    known = Path(_DIST, STATE_FILE).read_bytes()
    yield known


TARGETS = (
    FuzzTarget("project-table", _table, _table_seeds),
    FuzzTarget("index-state", _state, _state_seeds),
    structured("checked", _check_document, DOCUMENTS),
    FuzzTarget("checked-bytes", _checked, seeds),
)
