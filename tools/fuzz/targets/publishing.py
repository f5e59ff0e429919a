"""What publishers' commands read: tables of projects, states of folders, manifests."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.lib.manifests import PREVIEW_TORCH, variant_json
from tests.lib.wheels import make_wheel
from tools.fuzz.shapes import make_document
from tools.fuzz.target import MEMORY, Target, printable, said, structured
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

_FOLDER = tempfile.TemporaryDirectory(dir=MEMORY, prefix="fuzz-publishing-")
_WHEEL = make_wheel(
    "foo", "1.0", label="cu128", variant_json=variant_json(PREVIEW_TORCH, "cu128")
).write_to(Path(_FOLDER.name))


def _table(data: bytes) -> None:
    path = Path(_FOLDER.name, "pyproject.toml")
    path.write_bytes(data)
    try:
        table = read_project_table(str(path))
    except InvalidProjectTable as error:
        # The command line escapes its parts when it shows them.
        said(output.printable(error.message))
        said(output.printable(error.hints[0]))
        return
    for properties in table.properties.values():
        for each in properties:
            printable(str(each))


def _state(data: bytes) -> None:
    Path(_FOLDER.name, STATE_FILE).write_bytes(data)
    state = IndexState.load(_FOLDER.name)
    scanned = scan_folder(_FOLDER.name, state.files, hashes=True)
    # Whatever is remembered of it, the wheel is still there.
    assert list(scanned.files) == [_WHEEL.name]
    state.files = scanned.files
    state.save(_FOLDER.name)
    assert IndexState.load(_FOLDER.name) == state


def _checked(data: bytes) -> None:
    checked = check_manifest(data, "foo-1.0-variants.json")
    for finding in checked.findings:
        said(finding.problem)
        said(finding.remedy or "")
    refused = [each for each in checked.findings if each.rule.effect is Effect.REFUSED]
    manifest, said_to_installers = None, []
    try:
        manifest = parse_manifest(data)
    except InvalidManifest as error:
        said_to_installers = [(error.rule, capital(str(error)))]
    assert checked.manifest == manifest
    # What no installer accepts is not to be published, and for the same reason.
    said_to_publishers = [(f.rule.id, str(InvalidManifest(f.problem))) for f in refused]
    assert said_to_publishers[:1] == said_to_installers
    assert all(finding.is_error for finding in refused)


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
    known = Path(_FOLDER.name, STATE_FILE).read_bytes()
    yield known
    yield known.replace(b'"document": {', b'"document": {"x": 1, ')


TARGETS = (
    Target(
        "project-table",
        _table,
        _table_seeds,
        tokens=(b"[variant.", b"properties", b" :: ", b"\\u001b", b'"', b"= [["),
    ),
    Target(
        "index-state",
        _state,
        _state_seeds,
        tokens=(b'"document"', b'"files"', b'"written"', b'"format"', b"null", b"{}"),
        runs=20_000,
    ),
    structured(
        "checked", lambda choices: _checked(json.dumps(make_document(choices)).encode())
    ),
    Target("checked-bytes", _checked, seeds, tokens=(b'"variants"', b"null", b"[[")),
)
