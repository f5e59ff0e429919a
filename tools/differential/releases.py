"""Generate random releases: a manifest of any schema version, and a machine."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.lib.manifests import SCHEMAS

__all__ = ["ALL_SCHEMAS", "ENVIRONMENT", "Machine", "RandomRelease", "random_release"]

#: The features of each namespace with their values; both best first.
Machine = Mapping[str, Sequence[tuple[str, Sequence[str]]]]

ALL_SCHEMAS: Mapping[str, str] = {
    **SCHEMAS,
    "0.1.0": "https://variants-schema.wheelnext.dev/peps/825/v0.1.0.json",
}
#: The environment markers of every machine.
ENVIRONMENT: Mapping[str, str] = {"platform_system": "Linux", "python_version": "3.12"}

_MARKERS = (
    "platform_system == 'Linux'",
    "platform_system == 'Windows'",
    "platform_system == 'Windows' or python_version >= '3.9'",
)
_NAMESPACES = ("alpha", "beta", "gamma", "0_")
_FEATURES = ("f1", "f2", "f3", "f_1")
_VALUES = ("1", "10", "2", "1.0", "v3", "on", ".")
# Some labels sort before "null" and some after it; some are prefixes of others.
_LABELS = ("a", "a.b", "a_b", "ab", "null0", "nul", "z", "0", "12.8", "_", ".", "cu128")
_KINDS = (*["static"] * 4, *["plugin"] * 4, "absent")


@dataclass(frozen=True, slots=True)
class RandomRelease:
    """A release and a target machine.

    :ivar schema: the schema version of *document*, a key of :data:`ALL_SCHEMAS`.
    :ivar document: the manifest, as parsed from JSON.
    :ivar labels: the labels of the wheels; the manifest may lack some of them.
    :ivar machine: the machine's properties for namespaces without a static list.
    :ivar enabled: the optional namespaces that the user enabled.
    """

    schema: str
    document: dict[str, Any]
    labels: tuple[str, ...]
    machine: Machine
    enabled: frozenset[str]


def random_release(
    chance: random.Random, *, schema: str | None = None, static: bool = False
) -> RandomRelease:
    """Generate a random release.

    :param schema: the schema of the manifest; any schema by default.
    :param static: whether the manifest lists all supported properties.
    """
    if schema is None:
        schema = chance.choice(sorted(ALL_SCHEMAS))
    namespaces = _some(chance, _NAMESPACES, least=1)
    supported = {namespace: _features(chance) for namespace in namespaces}
    document: dict[str, Any] = {
        "$schema": ALL_SCHEMAS[schema],
        "default-priorities": {"namespace": namespaces},
        "variants": _variants(chance, namespaces, supported),
    }
    kinds = {
        namespace: "static" if static else chance.choice(_KINDS)
        for namespace in namespaces
    }
    machine = {
        namespace: list(features.items())
        for namespace, features in supported.items()
        if kinds[namespace] == "plugin"
    }
    if schema in ("0.0.2", "0.0.3", "0.1.0") and chance.random() < 0.7:
        _add_overrides(chance, document, supported)
    if schema not in ("0.1.0", "0.1.1"):
        _add_providers(chance, document, schema, kinds, supported)
    if chance.random() < 0.1:
        del document["$schema"]
        if schema == "0.1.1" and chance.random() < 0.5:
            document["$schema"] = "https://example.org/unversioned"
    labels = _labels(chance, document["variants"])
    enabled = frozenset(_some(chance, namespaces)) if chance.random() < 0.5 else ()
    return RandomRelease(schema, document, labels, machine, frozenset(enabled))


def _labels(chance: random.Random, variants: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the labels of the wheels, sometimes with labels that the manifest lacks."""
    labels = list(variants)
    if chance.random() < 0.1:
        labels.append("unlisted")
    if "null" not in labels and chance.random() < 0.2:
        labels.append("null")
    chance.shuffle(labels)
    return tuple(labels)


def _some(chance: random.Random, choice: Sequence[str], least: int = 0) -> list[str]:
    return chance.sample(list(choice), chance.randint(least, len(choice)))


def _features(chance: random.Random) -> dict[str, list[str]]:
    return {
        feature: _some(chance, _VALUES, least=1)
        for feature in _some(chance, _FEATURES, least=1)
    }


def _variants(
    chance: random.Random,
    namespaces: Sequence[str],
    supported: Mapping[str, Mapping[str, Sequence[str]]],
) -> dict[str, Any]:
    variants: dict[str, Any] = {}
    for label in chance.sample(_LABELS, chance.randint(1, 8)):
        properties = {
            namespace: {
                feature: _values(chance, supported[namespace].get(feature, ()))
                for feature in chance.sample(
                    _FEATURES, chance.choice((1, 1, 1, 2, 2, 3))
                )
                # Features that no machine supports are a poor test of the order.
                if feature in supported[namespace] or chance.random() < 0.05
            }
            for namespace in chance.sample(
                list(namespaces), chance.randint(1, len(namespaces))
            )
        }
        properties = {key: features for key, features in properties.items() if features}
        if properties or chance.random() < 0.1:
            variants[label] = properties
    if not variants or chance.random() < 0.5:
        variants["null"] = {}
    items = list(variants.items())
    chance.shuffle(items)
    return dict(items)


def _values(chance: random.Random, supported: Sequence[str]) -> list[str]:
    values = chance.sample(_VALUES, chance.choice((1, 1, 2, 3)))
    if supported and chance.random() < 0.95:
        values = list(dict.fromkeys([*values, chance.choice(supported)]))
    if chance.random() < 0.001:
        values.append(values[0])
    return values


def _add_overrides(
    chance: random.Random,
    document: dict[str, Any],
    supported: Mapping[str, Mapping[str, Sequence[str]]],
) -> None:
    priorities = document["default-priorities"]
    priorities["feature"] = {
        namespace: _some(chance, _FEATURES, least=1)
        for namespace in _some(chance, list(supported))
    }
    priorities["property"] = {
        namespace: {
            feature: _some(chance, _VALUES, least=1)
            for feature in _some(chance, _FEATURES)
        }
        for namespace in _some(chance, list(supported))
    }


def _add_providers(
    chance: random.Random,
    document: dict[str, Any],
    schema: str,
    kinds: Mapping[str, str],
    supported: Mapping[str, Mapping[str, Sequence[str]]],
) -> None:
    providers = document["providers"] = {}
    priorities = document["default-priorities"]
    for namespace, kind in kinds.items():
        provider: dict[str, Any] = {"requires": [f"provider-of-{namespace}x"]}
        static = supported[namespace]
        if schema == "0.0.2":
            provider["plugin-use"] = chance.choice(("none", "build"))
            if kind == "static":
                priorities.setdefault("property", {})[namespace] = static
                priorities.setdefault("feature", {})[namespace] = list(static)
            else:
                provider["plugin-use"] = "all"
        elif schema == "0.0.3":
            provider["install-time"] = kind != "static"
            if kind == "static":
                lists = document.setdefault("static-properties", {})
                lists[namespace] = static
                # In drafts, only this table orders several static features.
                order = list(static)
                chance.shuffle(order)
                priorities.setdefault("feature", {})[namespace] = order
        elif kind == "static":
            provider = {"static-properties": static}
            if len(static) > 1 or chance.random() < 0.3:
                provider["feature-order"] = chance.sample(list(static), len(static))
        if schema in ("0.0.2", "0.0.3") and chance.random() < 0.2:
            provider["enable-if"] = chance.choice(_MARKERS)
        if chance.random() < 0.05:
            provider["optional"] = chance.random() < 0.8
        providers[namespace] = provider
