"""Lock files with variants: their manifests, markers and dependency groups."""

from __future__ import annotations

import functools
import json
import optparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
from pip._internal.variants.selection.settings import Settings
from pip._internal.variants.slots import RUN
from tests.lib.manifests import PREVIEW_TORCH
from tools.fuzz.choices import Choices
from tools.fuzz.shapes import make_document, make_machine
from tools.fuzz.target import MEMORY, Target, printable, structured

__all__ = ["TARGETS"]

_SESSION = PipSession()
_FOLDER = tempfile.TemporaryDirectory(dir=MEMORY, prefix="fuzz-locks-")
_HOST = Path(_FOLDER.name, "host.json")
_PATH = str(Path(_FOLDER.name, "pylock.toml"))

_NAMES = ("torch", "vision", "torch")
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
        # Upstream reads those, and a file with variants is read no differently.
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
        # Of other packages the resolver decides.
        if ABI_DEPENDENCY
        not in (namespace, _provider(document, namespace).get("builtin"))
        for feature, values in features.items()
    )


def _provider(document: Any, namespace: str) -> Any:
    return document.get("providers", {}).get(namespace, {})


def _offered(document: Any, namespace: str, machine: Any) -> Any:
    """Return what may be supported: what the lock file or the machine lists."""
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
    # There is no such file to read.
    return {"name": name, "path": name, "hashes": {"sha256": "0" * 64}}


def _package(choices: Choices) -> dict[str, Any]:
    name = choices.one_of(_NAMES)

    def wheel() -> dict[str, Any]:
        return _wheel(f"{name}-1.0-py3-none-any{choices.one_of(_LABELS)}.whl")

    return {
        "name": name,
        "version": "1.0",
        "wheels": choices.several(wheel, 1, 4),
        **choices.some_of(
            {
                "marker": lambda: choices.one_of(_MARKERS),
                "variants-json": lambda: choices.mostly(lambda: make_document(choices)),
            }
        ),
    }


def _check(choices: Choices) -> None:
    machine = make_machine(choices)
    lock = {
        "lock-version": "1.0",
        "created-by": "fuzz",
        "default-groups": choices.several(lambda: choices.one_of(_GROUPS), 0, 2),
        "packages": choices.several(functools.partial(_package, choices), 1, 3),
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
    structured("lock", _check),
    Target(
        "lock-bytes",
        lambda data: _run(data.decode("utf-8", "replace"), {}),
        _seeds,
        tokens=(
            *(b"[packages.variants-json", b"variants.", b"default-priorities"),
            *(b"dependency_groups", b"[[packages]]", b"wheels", b"\\u001b", b"= [["),
        ),
    ),
)
