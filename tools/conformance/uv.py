"""Run the cases with uv, which installs from a small index for each case."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

from core.tests.conformance import INVALID, Case
from tests.lib.index import IndexServer
from tests.lib.manifests import SCHEMAS, manifest_file
from tests.lib.wheels import make_wheel
from tools.others import run_uv, target_label

__all__ = ["answer"]

Result = Mapping[str, Any]
_NAME, _VERSION = "foo", "1.0"


class _NotInstalled(Exception):
    """uv did not install anything."""


def answer(case: Case) -> Result | None:
    """Return the result of *case*, or None if *case* does not apply to uv."""
    if case.topic == "filenames" and "wheel" in case.input:
        return _filename(case)
    if case.topic == "manifests" and case.expected["action"] in ("go-on", "refuse"):
        return _manifest(case.input)
    if case.topic == "ordering":
        priorities = case.input["manifest"]["default-priorities"]
        # A static list cannot express the orders that drafts defined.
        return _order(case.input) if list(priorities) == ["namespace"] else None
    return None


def _filename(case: Case) -> Result | None:
    filename, expected = case.input["wheel"], case.expected
    if not filename.endswith(".whl"):
        # uv treats other files as source distributions.
        return None
    if _is_invalid(filename):
        return INVALID
    if expected == INVALID:
        return {"invalid": False}
    name, version, label = (expected[key] for key in ("project", "version", "label"))
    if not _runs_here(filename, label):
        return None
    properties = {} if label == "null" else {"x": {"f": ["1"]}}
    supported = {"x": [{"name": "f", "values": ["1"]}]}
    own = None if label is None else _static("x", supported, {label: properties})
    with IndexServer() as index:
        index.add(make_wheel(name, version, filename=filename, variant_json=own))
        if own is not None:
            index.add(manifest_file(name, version, own))
        try:
            return {**expected, "label": _installed(index, name)}
        except _NotInstalled:
            return {"installed": False}


def _is_invalid(filename: str) -> bool:
    """Return whether uv refuses the file name of a local wheel."""
    with TemporaryDirectory(prefix="conformance-") as folder:
        path = Path(folder, filename)
        path.write_bytes(make_wheel(_NAME, _VERSION).content)
        error = run_uv(Path(folder), ["--dry-run", "--no-index", str(path)]).stderr
    return "The wheel filename" in error or "supported file extension" in error


def _runs_here(filename: str, label: str | None) -> bool:
    plain = filename if label is None else filename[: -len(f"-{label}.whl")] + ".whl"
    tags = parse_wheel_filename(plain)[3]
    return not tags.isdisjoint(sys_tags())


def _manifest(given: Mapping[str, Any]) -> Result | None:
    """Ask uv to choose between variants and a plain wheel."""
    document = given.get("manifest", {})
    if "v0.2." not in str(document.get("$schema", "v0.2.")):
        return None
    data = json.dumps(document).encode()
    if "manifest" not in given:
        data = given["text"].encode() if "text" in given else b64decode(given["base64"])
    variants = {"mkl": {"blas": {"library": ["mkl"]}}, "null": {}}
    supported = {"blas": [{"name": "library", "values": ["mkl"]}]}
    own = _static(["blas"], supported, variants)
    try:
        is_read = _chosen(own, variants, data) is not None
    except _NotInstalled:
        is_read = False
    return {"action": "go-on" if is_read else "refuse"}


def _order(given: Mapping[str, Any]) -> Result:
    """Return the order in which uv selects wheels, removing each selected wheel."""
    stated = given["manifest"]
    namespaces = stated["default-priorities"]["namespace"]
    manifest = _static(namespaces, given["supported"], stated["variants"])
    left, order = sorted(given["labels"]), list[str]()
    try:
        while (label := _chosen(manifest, left)) is not None:
            left.remove(label)
            order.append(label)
    except _NotInstalled:
        return {"refused": True}
    return {"order": order, "incompatible": left}


def _chosen(
    manifest: Mapping[str, Any], labels: Iterable[str], listed: bytes | None = None
) -> str | None:
    """Return the label that uv selects, or None for the plain wheel.

    :param manifest: the manifest of the wheels.
    :param listed: the manifest on the index, if it differs from *manifest*.
    """
    content = manifest if listed is None else listed
    with IndexServer() as index:
        index.add(make_wheel(_NAME, _VERSION))
        index.add(manifest_file(_NAME, _VERSION, content))
        for label in labels:
            own = {**manifest, "variants": {label: manifest["variants"].get(label, {})}}
            index.add(make_wheel(_NAME, _VERSION, label=label, variant_json=own))
        return _installed(index, _NAME)


def _static(
    namespaces: Iterable[str], supported: Mapping[str, Any], variants: Any
) -> dict[str, Any]:
    """Return a manifest with the machine's properties as static lists."""
    providers = {}
    for namespace in namespaces:
        # A static list must not be empty.
        features = supported.get(namespace) or [{"name": "none", "values": ["0"]}]
        providers[namespace] = {
            "static-properties": {each["name"]: each["values"] for each in features},
            "feature-order": [each["name"] for each in features],
        }
    return {
        "$schema": SCHEMAS["0.2.0"],
        "default-priorities": {"namespace": list(providers)},
        "providers": providers,
        "variants": variants,
    }


def _installed(index: IndexServer, name: str) -> str | None:
    """Install a project with uv, and return the label of the wheel.

    :raises _NotInstalled: if uv fails.
    """
    with TemporaryDirectory(prefix="conformance-") as folder:
        if run_uv(Path(folder), ["--index-url", index.index_url, name]).returncode != 0:
            raise _NotInstalled
        return target_label(Path(folder, "target"), "*")
