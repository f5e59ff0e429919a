"""Manifests and machines that are nearly right."""

from __future__ import annotations

import functools
from typing import Any

from tools.fuzz.choices import Choices

__all__ = ["VALUES", "make_document", "make_machine"]

_NAMESPACES = ("nvidia", "x86_64", "abi_dependency", "a", "b", "0")
_FEATURES = ("cuda_version_lower_bound", "sm_arch", "level", "f", "g")
VALUES = ("1", "2", "12.8", "12.9", "v3", "90_real", "on", ".", "2.8", "9" * 20)
_LABELS = ("cu128", "cu129", "a", "b", "null", "00000000", ".", "_")
_SCHEMAS = (
    *("v0.0.2.json", "v0.0.3.json", "peps/825/v0.1.1.json", "peps/850/v0.2.0.json"),
    *("v9.9.9.json", "v0.2.0.json/v0.0.2.json", "v99999999999.0.0.json"),
    *("v0.2.0.json\x1b[31m", "v0.2.0.json\n", "\u202ev0.2.0.json"),
)
_MARKERS = (
    "platform_system == 'Linux'",
    "python_version < '3'",
    "variant_label == 'a'",
    "'nvidia' in variant_namespaces",
    "(" * 200 + "os_name == 'x'" + ")" * 200,
    "os_name ~= 'x'",
    "'9999999999' in platform_version",
    "os_name == '\x1b[31m'",
)
_REQUIREMENTS = (
    "nvidia-variant-provider>=0.0.1",
    "x",
    "y; os_name == 'nt'",
    "x @ https://x.example/y.whl",
    "x[a,b]",
    "../x",
    "x; " + "(" * 400,
    "x\x1b[31m",
)


def make_document(choices: Choices) -> Any:
    """Return what JSON can say of a release, of any schema generation."""
    return choices.mostly(lambda: _document(choices))


def make_machine(choices: Choices) -> dict[str, dict[str, list[str]]]:
    """Return what a machine supports, by namespace and feature, best first."""
    return choices.table(
        lambda: choices.one_of(_NAMESPACES),
        lambda: choices.table(
            lambda: choices.one_of(_FEATURES),
            lambda: list(
                dict.fromkeys(choices.several(lambda: choices.one_of(VALUES), 1, 4))
            ),
            0,
            4,
        ),
        0,
        5,
    )


def _document(choices: Choices) -> dict[str, Any]:
    mostly = choices.mostly
    return {
        "default-priorities": mostly(lambda: _priorities(choices)),
        "variants": mostly(
            lambda: choices.table(
                lambda: _name(choices, _LABELS),
                lambda: mostly(lambda: _properties(choices, 0)),
                1,
                5,
            )
        ),
        **choices.some_of(
            {
                "$schema": lambda: mostly(
                    lambda: f"https://schemas.example/{choices.one_of(_SCHEMAS)}"
                ),
                "providers": lambda: mostly(
                    lambda: choices.table(
                        lambda: _name(choices, _NAMESPACES),
                        lambda: mostly(lambda: _provider(choices)),
                        0,
                        4,
                    )
                ),
                "static-properties": lambda: mostly(lambda: _properties(choices, 0)),
            }
        ),
    }


def _name(choices: Choices, names: tuple[str, ...]) -> str:
    return choices.text() if choices.rarely() else choices.one_of(names)


def _priorities(choices: Choices) -> dict[str, Any]:
    # Most often all of them, so that what the variants use is ranked.
    start = choices.byte() % len(_NAMESPACES)
    namespaces: list[Any] = [*_NAMESPACES[start:], *_NAMESPACES[:start]]
    if choices.rarely():
        namespaces.append(choices.json())
    return {
        "namespace": choices.mostly(lambda: namespaces),
        **choices.some_of(
            {
                "feature": lambda: choices.mostly(
                    lambda: choices.table(
                        lambda: _name(choices, _NAMESPACES),
                        lambda: choices.mostly(
                            lambda: choices.several(
                                lambda: _name(choices, _FEATURES), 0, 4
                            )
                        ),
                        0,
                        3,
                    )
                ),
                "property": lambda: choices.mostly(lambda: _properties(choices, 0)),
            }
        ),
    }


def _properties(choices: Choices, least: int) -> Any:
    return choices.table(
        lambda: _name(choices, _NAMESPACES),
        lambda: choices.mostly(lambda: _features(choices)),
        least,
        3,
    )


def _features(choices: Choices) -> Any:
    return choices.table(
        lambda: _name(choices, _FEATURES),
        lambda: choices.mostly(
            lambda: choices.several(
                lambda: choices.mostly(lambda: choices.one_of(VALUES)), 1, 4
            )
        ),
        1,
        3,
    )


def _provider(choices: Choices) -> dict[str, Any]:
    made = {
        "requires": lambda: choices.several(
            lambda: choices.one_of(_REQUIREMENTS), 0, 3
        ),
        "plugin-api": lambda: choices.one_of(("x:y", "x", ":", "x:y z", "\x1b[31m")),
        "optional": lambda: choices.one_of((True, False)),
        "enable-if": lambda: choices.one_of(_MARKERS),
        "plugin-use": lambda: choices.one_of(("all", "none", "build", "else")),
        "install-time": lambda: choices.one_of((True, False)),
        "static-properties": lambda: _features(choices),
        "feature-order": lambda: choices.several(
            lambda: _name(choices, _FEATURES), 0, 4
        ),
        "builtin": lambda: choices.one_of(("abi_dependency", "x", "\x1b[31m")),
        "unknown": choices.json,
    }
    return choices.some_of(
        {key: functools.partial(choices.mostly, make) for key, make in made.items()}
    )
