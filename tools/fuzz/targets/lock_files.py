"""Fuzz lock files with variants: manifests, markers and dependency groups."""

from __future__ import annotations

import json
import optparse
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from pip._vendor import tomli_w
from pip._vendor.packaging.pylock import Pylock, PylockValidationError
from pip._vendor.wheel_variants.labels import split_label
from pip._vendor.wheel_variants.manifest import ABI_DEPENDENCY, InvalidManifest
from pip._vendor.wheel_variants.manifest_parser import parse_document

from pip._internal.exceptions import PipError
from pip._internal.network.session import PipSession
from pip._internal.utils.compat import tomllib
from pip._internal.variants.locks.reading import narrowed
from pip._internal.variants.output.reporter import Reporter
from pip._internal.variants.selection.run import Run
from pip._internal.variants.settings import Settings
from pip._internal.variants.slots import RUN
from tests.lib.manifests import PREVIEW_TORCH
from tools.fuzz.shapes import DOCUMENTS, MACHINES
from tools.fuzz.target import FOLDER, FuzzTarget, printable, structured

__all__ = ["TARGETS"]

_SESSION = PipSession()
_HOST = FOLDER / "lock-host.json"
_PATH = str(FOLDER / "pylock.toml")

_LABELS = ("", "-cu128", "-null", "-a", "-b", "-.")
_MARKERS = (
    "os_name == 'posix'",
    "'pip-variants-torch-cu128' in dependency_groups",
    "'x' in dependency_groups and 'y' in extras",
    "variant_label == 'a'",
    "python_version < '0'",
    "os_name ~= 'x'",
    "'a' in os_name",
)
_GROUPS = ("pip-variants-torch-cu128", "pip-variants-vision", "x", "")


def _run(text: str, machine: dict[str, Any]) -> None:
    try:
        document = tomllib.loads(text)
        lock = Pylock.from_dict(document)
    except (tomllib.TOMLDecodeError, PylockValidationError, RecursionError):
        # Upstream reads those files, and the fork reads files with variants in the same
        # way.
        return
    supported = {
        namespace: [{"feature": name, "values": v} for name, v in features.items()]
        for namespace, features in machine.items()
    }
    _HOST.write_text(json.dumps({"host-schema": 1, "supported": supported}), "ascii")
    options = optparse.Values({"variant_host": str(_HOST)})
    run = Run(_SESSION, Settings(options), Reporter)
    try:
        RUN.set(_SESSION, run)
        narrow = narrowed(lock, _SESSION, _PATH, None, ["y"], ["x"], True)
    except PipError as error:
        for line in str(error).splitlines():
            printable(line)
        return
    for package in narrow.packages:
        labels = [split_label(each.filename)[1] for each in package.wheels or ()]
        if any(labels):
            (label,) = labels
            assert any(
                _is_supported(vars(each).get("variants_json"), label, machine)
                for each in lock.packages
                if each.name == package.name
            ), f"{label} was chosen"


def _is_supported(document: Any, label: str | None, machine: Any) -> bool:
    try:
        parse_document(document)
    except InvalidManifest:
        return False
    return all(
        set(values) & set(_offered(document, namespace, machine).get(feature, ()))
        for namespace, features in document["variants"].get(label, {}).items()
        # The resolver decides about other packages.
        if ABI_DEPENDENCY
        not in (namespace, _provider(document, namespace).get("builtin"))
        for feature, values in features.items()
    )


def _provider(document: Any, namespace: str) -> Any:
    return document.get("providers", {}).get(namespace, {})


def _offered(document: Any, namespace: str, machine: Any) -> Any:
    """Return the properties that may be supported."""
    provider = _provider(document, namespace)
    static = {
        **document.get("default-priorities", {}).get("property", {}).get(namespace, {}),
        **document.get("static-properties", {}).get(namespace, {}),
        **(provider.get("static-properties") or {}),
    }
    listed = machine.get(namespace, {})
    return {
        feature: [*static.get(feature, ()), *listed.get(feature, ())]
        for feature in {*static, *listed}
    }


def _wheel(name: str) -> dict[str, Any]:
    # This file does not exist.
    return {"name": name, "path": name, "hashes": {"sha256": "0" * 64}}


def _package(
    name: str, labels: list[str], marker: str | None, document: Any
) -> dict[str, Any]:
    package = {
        "name": name,
        "version": "1.0",
        "wheels": [_wheel(f"{name}-1.0-py3-none-any{label}.whl") for label in labels],
        "marker": marker,
        "variants-json": document,
    }
    return {key: value for key, value in package.items() if value is not None}


_PACKAGE = st.builds(
    _package,
    st.sampled_from(("torch", "vision")),
    st.lists(st.sampled_from(_LABELS), min_size=1, max_size=4),
    st.none() | st.sampled_from(_MARKERS),
    st.none() | DOCUMENTS,
)


def _check(machine: dict[str, Any], groups: list[str], packages: list[Any]) -> None:
    lock = {
        "lock-version": "1.0",
        "created-by": "fuzz",
        "default-groups": groups,
        "packages": packages,
    }
    try:
        text = tomli_w.dumps(lock)
    except (TypeError, UnicodeError):  # null, or a surrogate: TOML has none
        return
    _run(text, machine)


def _seeds() -> Iterator[bytes]:
    names = [f"torch-1.0-py3-none-any{label}.whl" for label in ("", "-cu128")]
    package = {
        "name": "torch",
        "version": "1.0",
        "marker": _MARKERS[1],
        "wheels": [_wheel(name) for name in names],
        "variants-json": PREVIEW_TORCH,
    }
    lock = {"lock-version": "1.0", "created-by": "x", "packages": [package]}
    yield tomli_w.dumps(lock).encode()


TARGETS = (
    structured(
        "lock",
        _check,
        MACHINES,
        st.lists(st.sampled_from(_GROUPS), max_size=2),
        st.lists(_PACKAGE, min_size=1, max_size=3),
    ),
    FuzzTarget(
        "lock-bytes",
        lambda data: _run(data.decode("utf-8", "replace"), {}),
        _seeds,
    ),
)
