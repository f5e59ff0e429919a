"""Generate random projects with dependencies on variants and machines.

Some packages have variants, and some variants declare several values of one feature: two
machines may select the same variant, although one machine supports fewer of the variant's
properties. The requirements of such variants have markers about these properties; in a few
projects, the markers ask which of several values the machine supports. Each project has
eight machines.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.lib.index import IndexServer
from tests.lib.locks import add_variants
from tests.lib.manifests import PluginSpec, make_manifest
from tests.lib.wheels import make_wheel

#: The content of a host file.
Host = Mapping[str, Any]

#: The values of a feature, by namespace and feature.
_KNOWN: Mapping[str, Mapping[str, Sequence[str]]] = {
    "nvidia": {"sm_arch": ("70_real", "80_real", "90_real")},
    "x86_64": {"level": ("v2", "v3", "v4"), "avx512": ("bf16", "fp16")},
    "acme": {"codec": ("av1", "h264", "h265"), "bus": ("pcie", "usb")},
}
_PROVIDERS = {"acme": PluginSpec(["acme-provider"], "acme_provider.plugin:Plugin")}
_ARCHITECTURE = "nvidia :: sm_arch :: 90_real"
#: The requirement for machines without that architecture.
FALLBACK = f'fallback; "{_ARCHITECTURE}" not in variant_properties'

#: The maximum number of properties in the markers of one release.
MAX_ASKED = 6

_WITH_VARIANTS = ("engine", "kernels", "vision", "sound-lib")
_PLAIN = ("app", "common", "files", "lists", "maths", "names", "paths", "texts")
_EXTRAS = ("fast", "more")
# One label is a part of another.
_LABELS = ("cu12.8", "cu12_6", "fast", "fastest", "old")
_OLD, _NEW = "1.0", "2.0"
_HOSTS = 8
#: The share of projects in which the label alone decides the requirements of a variant.
_CERTAIN = 0.85


@dataclass(frozen=True)
class RandomPackage:
    """A package with the same dependencies in all versions.

    :ivar needs: the requirements by label; None for a plain wheel.
    :ivar manifest: the manifest; None for a package without variants.
    """

    name: str
    versions: tuple[str, ...]
    needs: Mapping[str | None, tuple[str, ...]]
    manifest: Mapping[str, Any] | None = None
    extras: tuple[str, ...] = ()

    def serve(self, index: IndexServer) -> None:
        """Add the package to an index."""
        metadata = [f"Provides-Extra: {extra}" for extra in self.extras]
        for version in self.versions:
            if self.manifest is None:
                requires = self.needs[None]
                wheel = make_wheel(
                    self.name, version, requires=requires, metadata=metadata
                )
                index.add(wheel)
            else:
                add_variants(
                    *(index, self.name, version, self.manifest, self.needs),
                    metadata=metadata,
                )

    def __str__(self) -> str:
        """Describe the variants, their properties and their requirements."""
        lines = [f"{self.name} {', '.join(self.versions)}"]
        variants = {} if self.manifest is None else self.manifest["variants"]
        for label, requires in self.needs.items():
            declared = "" if label is None else f" {variants[label]}"
            lines.append(f"  {label or 'plain'}{declared}")
            lines += [f"    needs {each}" for each in requires]
        return "\n".join(lines)


@dataclass(frozen=True)
class RandomProject:
    """A project to install, with its packages and machines.

    :ivar roots: the requirements of the user.
    :ivar hosts: the machines by name.
    """

    seed: int
    roots: tuple[str, ...]
    packages: tuple[RandomPackage, ...]
    hosts: Mapping[str, Host]

    def serve(self, index: IndexServer) -> None:
        """Add all packages to an index."""
        for package in self.packages:
            package.serve(index)

    def __str__(self) -> str:
        asked = f"seed {self.seed}: {' '.join(self.roots)}"
        return "\n".join([asked, *map(str, self.packages)])


def random_project(seed: int) -> RandomProject:
    """Generate a project; the same seed gives the same project."""
    chance = random.Random(seed)
    with_variants = chance.sample(_WITH_VARIANTS, chance.randint(2, 4))
    # The last package is the fallback for the architecture.
    plain = [*chance.sample(_PLAIN, chance.randint(3, 7)), "fallback"]
    is_certain = chance.random() < _CERTAIN
    drawn: list[_Drawn] = [
        _Variants(chance, name, is_certain) for name in with_variants
    ]
    drawn += [_Plain(chance, name) for name in plain]
    # A package may need later packages; mostly, variants need plain packages.
    places = {each.name: chance.random() + 0.5 * each.is_plain for each in drawn}
    places["fallback"] = 2
    drawn.sort(key=lambda each: places[each.name])
    for position, child in enumerate(drawn[1:], start=1):
        parents = drawn[:position]
        weights = [1 if parent.is_plain else 3 for parent in parents]
        for parent in dict.fromkeys(
            chance.choices(parents, weights, k=chance.choice((1, 2)))
        ):
            parent.need(child)
    for parent, child in _further_pairs(chance, drawn):
        parent.need(child)
    _need_versions(chance, drawn)
    roots = [drawn[0], *chance.sample(drawn[1:], chance.choice((0, 1, 1, 2)))]
    return RandomProject(
        seed,
        tuple(each.asked() for each in roots),
        tuple(each.package() for each in drawn),
        dict(_hosts(chance)),
    )


def _further_pairs(
    chance: random.Random, drawn: Sequence[_Drawn]
) -> Iterator[tuple[_Drawn, _Drawn]]:
    """Return additional dependencies between packages."""
    for each in drawn:
        if isinstance(each, _Variants) and each.is_for_architecture:
            each.shared.append(FALLBACK)
    if chance.random() < 0.15:
        earlier, later = sorted(chance.sample(range(len(drawn)), 2))
        yield drawn[later], drawn[earlier]


def _need_versions(chance: random.Random, drawn: Sequence[_Drawn]) -> None:
    """Add version requirements to a few packages, some with markers."""
    several = [each for each in drawn if len(each.versions) > 1]
    variants = [
        each for each in drawn if isinstance(each, _Variants) and each.asked_properties
    ]
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2)) if several and variants else 0):
        child, parent = chance.choice(several), chance.choice(variants)
        # Not in a circle: the child would need a version of a package that needs the child.
        if drawn.index(parent) < drawn.index(child):
            asked = chance.choice(parent.asked_properties)
            marker = f'"{asked}" {{}} variant_properties'
            parent.shared.append(f"{child.name}<2; {marker.format('in')}")
            parent.shared.append(f"{child.name}>=2; {marker.format('not in')}")
    if several and chance.random() < 0.1:
        child, other = chance.choice(several), chance.choice(drawn)
        if drawn.index(other) < drawn.index(child):
            other.shared.append(f"{child.name}{chance.choice(('<2', '>=2', '==1.0'))}")


class _Drawn:
    """A package under construction.

    :ivar shared: the requirements of all variants.
    """

    is_plain = True

    def __init__(self, chance: random.Random, name: str) -> None:
        self.name = name
        self.versions: tuple[str, ...] = (_OLD,)
        self.extras: tuple[str, ...] = ()
        self.shared: list[str] = []
        self._chance = chance

    def asked(self) -> str:
        """Return a requirement for the package, sometimes with extras."""
        if self.extras and self._chance.random() < 0.4:
            extras = self._chance.sample(
                self.extras, self._chance.randint(1, len(self.extras))
            )
            return f"{self.name}[{','.join(extras)}]"
        return self.name

    def need(self, child: _Drawn) -> None:
        """Add a dependency."""
        marker = self.marker()
        self.shared.append(child.asked() + (f"; {marker}" if marker else ""))

    def marker(self) -> str | None:
        """Return a random marker, or None."""
        return None

    def package(self) -> RandomPackage:
        """Return the finished package."""
        return RandomPackage(self.name, self.versions, {None: tuple(self.shared)})


class _Plain(_Drawn):
    """A package without variants, sometimes of two versions."""

    def __init__(self, chance: random.Random, name: str) -> None:
        super().__init__(chance, name)
        if chance.random() < 0.4:
            self.versions = (_OLD, _NEW)


class _Variants(_Drawn):
    """A package with variants, in one version.

    :ivar asked_properties: the properties in its markers.
    """

    is_plain = False

    def __init__(self, chance: random.Random, name: str, is_certain: bool) -> None:
        super().__init__(chance, name)
        self.extras = _EXTRAS[: chance.choice((0, 1, 2))]
        self._own: dict[str | None, list[str]] = {}
        features = self._features()
        self._variants = self._builds(features)
        if chance.random() < 0.75:
            self._variants["null"] = {}
        self._has_plain = "null" not in self._variants or chance.random() < 0.3
        declared = [
            f"{namespace} :: {feature} :: {value}"
            for namespace, feature in features
            for value in _KNOWN[namespace][feature]
            if not (is_certain and self._is_in_doubt(namespace, feature, value))
        ]
        count = min(len(declared), chance.randint(2, MAX_ASKED))
        self.asked_properties = chance.sample(declared, count)
        self.is_for_architecture = (
            chance.random() < 0.8
            and _ARCHITECTURE in declared
            and any(
                "90_real" in build.get("nvidia", {}).get("sm_arch", ())
                for build in self._variants.values()
            )
        )
        if self.is_for_architecture and _ARCHITECTURE not in self.asked_properties:
            self.asked_properties[0] = _ARCHITECTURE
        self._asked_features = [f"{ns} :: {feature}" for ns, feature in features]
        # No variant need declare the last namespace.
        self._asked_namespaces = [*dict.fromkeys(ns for ns, _ in features), "acme"]

    def _is_in_doubt(self, namespace: str, feature: str, value: str) -> bool:
        """Return whether a compatible machine may lack a property."""
        listed = [
            build.get(namespace, {}).get(feature, ())
            for build in self._variants.values()
        ]
        return any(value in each and len(each) > 1 for each in listed)

    def _features(self) -> list[tuple[str, str]]:
        known = [(ns, feature) for ns, each in _KNOWN.items() for feature in each]
        features = self._chance.sample(known, self._chance.randint(1, 3))
        if self._chance.random() < 0.4 and ("nvidia", "sm_arch") not in features:
            features[0] = ("nvidia", "sm_arch")
        return features

    def _builds(self, features: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Return labels with distinct properties."""
        chance = self._chance
        builds: dict[str, Any] = {}
        for label in chance.sample(_LABELS, chance.randint(1, 4)):
            build: dict[str, dict[str, list[str]]] = {}
            count = min(len(features), chance.choice((1, 1, 2)))
            for namespace, feature in sorted(chance.sample(features, count)):
                known = _KNOWN[namespace][feature]
                # Machines must support different parts of the first variant.
                least = 1 if builds else 2
                values = chance.sample(known, chance.randint(least, len(known)))
                build.setdefault(namespace, {})[feature] = sorted(values)
            if build not in builds.values():
                builds[label] = build
        return builds

    def need(self, child: _Drawn) -> None:
        """Add a dependency to all or some variants."""
        chance = self._chance
        if chance.random() < 0.85:
            super().need(child)
        labels: list[str | None] = [*self._variants, None]
        for label in labels:
            if chance.random() < 0.1:
                self._own.setdefault(label, []).append(child.asked())

    def marker(self) -> str | None:
        """Return a random marker about the variant or the machine."""
        if self._chance.random() < 0.15:
            return None
        marker = self._tree(depth=2)
        if self.extras and self._chance.random() < 0.25:
            extra = f'extra == "{self._chance.choice(self.extras)}"'
            if self._chance.random() < 0.15:
                return f"{extra} or {marker}"
            return f"{extra} and {_bracketed(marker)}"
        return marker

    def _tree(self, depth: int) -> str:
        chance = self._chance
        if not depth or chance.random() < 0.55:
            return self._atom()
        parts = [self._tree(depth - 1) for _ in range(chance.choice((2, 2, 3)))]
        return chance.choice((" and ", " or ")).join(map(_bracketed, parts))

    def _atom(self) -> str:
        chance = self._chance
        kinds = ("properties", "features", "namespaces", "label", "other")
        weights = (12 if self.asked_properties else 0, 2, 2, 4, 1)
        (kind,) = chance.choices(kinds, weights)
        if kind == "label":
            label = chance.choice([*self._variants, "null", "", "fast"])
            return f'variant_label {chance.choice(("==", "!="))} "{label}"'
        if kind == "other":
            return chance.choice(('python_version >= "3"', 'sys_platform == "none"'))
        asked = chance.choice(
            {
                "properties": self.asked_properties,
                "features": self._asked_features,
                "namespaces": self._asked_namespaces,
            }[kind]
        )
        if chance.random() < 0.1:
            # White space does not matter.
            asked = asked.replace(" ", "")
        return f'"{asked}" {chance.choice(("in", "not in"))} variant_{kind}'

    def package(self) -> RandomPackage:
        """Return the finished package."""
        chance = self._chance
        namespaces = list(
            dict.fromkeys(ns for build in self._variants.values() for ns in build)
        )
        chance.shuffle(namespaces)
        manifest = make_manifest(
            self._variants, namespaces=namespaces, providers=_PROVIDERS
        )
        labels: list[str | None] = [*self._variants, *([None] * self._has_plain)]
        needs = {label: (*self.shared, *self._own.get(label, ())) for label in labels}
        made = super().package()
        return replace(made, needs=needs, manifest=manifest, extras=self.extras)


def _bracketed(marker: str) -> str:
    return f"({marker})" if " and " in marker or " or " in marker else marker


def _hosts(chance: random.Random) -> Iterator[tuple[str, Host]]:
    """Return machines with no, some and all properties."""
    yield "none", _host({})
    yield "all", _host(_KNOWN)
    for number in range(2, _HOSTS):
        supported: dict[str, dict[str, Sequence[str]]] = {}
        for namespace, features in _KNOWN.items():
            for feature in chance.sample(list(features), len(features)):
                if chance.random() < 0.8:
                    values = features[feature]
                    count = chance.randint(1, len(values))
                    some = chance.sample(values, count)
                    supported.setdefault(namespace, {})[feature] = some
        yield f"some-{number}", _host(supported)


def _host(supported: Mapping[str, Mapping[str, Sequence[str]]]) -> Host:
    return {
        "host-schema": 1,
        "supported": {
            namespace: [
                {"feature": feature, "values": list(values)}
                for feature, values in features.items()
            ]
            for namespace, features in supported.items()
        },
    }
