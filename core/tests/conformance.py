"""Answer the cases of ``core/conformance``, which its README explains, with this model."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "conformance"
TOPICS = (
    *("filenames", "properties", "manifests", "providers"),
    *("ordering", "merging", "markers", "abi-dependency"),
)
INVALID: Mapping[str, Any] = {"invalid": True}

_ABI = "abi_dependency"
_LINUX = {"os_name": "posix", "platform_system": "Linux", "python_version": "3.12"}


class Case(NamedTuple):
    """A case; ``conformance.schema.json`` describes the fields."""

    topic: str
    id: str
    source: str
    why: str
    input: dict[str, Any]
    expected: dict[str, Any]
    open: bool = False


def read_cases(topic: str) -> list[Case]:
    """Read the cases of a topic."""
    content = json.loads((FOLDER / f"{topic}.json").read_text(encoding="utf-8"))
    return [Case(topic, **case) for case in content["cases"]]


def nested(texts: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Group valid properties by namespace and feature."""
    result: dict[str, dict[str, list[str]]] = {}
    for text in texts:
        namespace, feature, value = text.split(" :: ")
        result.setdefault(namespace, {}).setdefault(feature, []).append(value)
    return result


class Package:
    """The modules of a package, as attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, module: str) -> Any:
        return import_module(f"{self._name}.{module}")


class Model:
    """A model that answers cases with ``wheel_variants``, or with a vendored copy.

    :param core: import name of the copy.
    :param packaging: import name of the ``packaging`` that the copy uses.
    """

    def __init__(
        self, core: str = "wheel_variants", packaging: str = "packaging"
    ) -> None:
        self.core = Package(core)
        self.packaging = Package(packaging)

    def answer(self, case: Case) -> Mapping[str, Any]:
        """Return the result of *case* in the form of ``expected``."""
        answers = {
            "filenames": self._filenames,
            "properties": self._properties,
            "manifests": self._manifests,
            "providers": self._providers,
            "ordering": self._ordering,
            "merging": self._merging,
            "markers": self._markers,
            "abi-dependency": self._abi_dependency,
        }
        return answers[case.topic](case.input)

    def _filenames(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        labels, utils = self.core.labels, self.packaging.utils
        try:
            if "manifest" in given:
                name, version = labels.parse_manifest_filename(given["manifest"])
                return {"project": name, "version": str(version)}
            name, version, build, _ = self.parse_wheel_filename(given["wheel"])
        except (labels.InvalidManifestFilename, utils.InvalidWheelFilename):
            return INVALID
        return {
            "project": name,
            "version": str(version),
            "build": "".join(map(str, build)) or None,
            "label": labels.split_label(given["wheel"])[1],
        }

    def parse_wheel_filename(self, filename: str) -> Any:
        """Parse the file name of a wheel as ``packaging`` does, apart from the label."""
        plain, _ = self.core.labels.split_label(filename)
        return self.packaging.utils.parse_wheel_filename(plain)

    def _properties(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        properties = self.core.properties
        try:
            return dict(properties.Property.parse(given["property"])._asdict())
        except properties.InvalidProperty:
            return INVALID

    def _manifests(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        if "manifest" in given:
            data = json.dumps(given["manifest"]).encode()
        elif "text" in given:
            data = given["text"].encode()
        else:
            data = base64.b64decode(given["base64"])
        try:
            manifest = self.core.manifest_parser.parse_manifest(data)
        except self.core.manifest.InvalidManifest:
            return {"action": "refuse"}
        namespaces = list(
            filter(self._is_unusable, map(manifest.provider, manifest.namespaces))
        )
        if namespaces:
            names = [provider.namespace for provider in namespaces]
            return {"action": "unsupported", "namespaces": names}
        supported = {ns: self._known(manifest, ns) for ns in manifest.namespaces}
        rejected = self._rank(manifest, supported, manifest.variants).rejected
        if rejected:
            return {"action": "drop", "labels": sorted(rejected)}
        return {"action": "go-on"}

    def _is_unusable(self, provider: Any) -> bool:
        """Return whether no installer can find out what *provider* supports."""
        requirements, namespace = self.core.provider_requirements, provider.namespace
        try:
            for text in provider.requires:
                parsed = requirements.parse_requirement(text, namespace)
                requirements.requirement_applies(parsed, namespace, _LINUX)
            if provider.enable_if is not None:
                requirements.applies(provider.enable_if, namespace, _LINUX)
        except requirements.UnusableProvider:
            return True
        return provider.problem is not None

    def _known(self, manifest: Any, namespace: str) -> Iterable[Any]:
        """Return the features that some machine can support."""
        provider = manifest.provider(namespace)
        if provider.kind.value == "static":
            return list(provider.static)
        if provider.kind.value == "builtin":
            found, _ = self.core.abi_dependency.supported(manifest, namespace, None)
            return list(found)
        stated: dict[str, list[str]] = {}
        for variant in manifest.variants.values():
            for feature, values in variant.features.get(namespace, {}).items():
                stated.setdefault(feature, []).extend(values)
        return [self._feature(name, values) for name, values in stated.items()]

    def _feature(self, name: str, values: Iterable[str]) -> Any:
        return self.core.properties.SupportedFeature(name, tuple(values))

    def _rank(
        self,
        manifest: Any,
        supported: Mapping[str, Iterable[Any]],
        labels: Iterable[str],
    ) -> Any:
        supported = {name: tuple(each) for name, each in supported.items()}
        return self.core.ordering.rank(manifest, supported, labels)

    def _parsed(self, document: object) -> Any:
        return self.core.manifest_parser.parse_manifest(json.dumps(document).encode())

    def _providers(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        provider = self._parsed(given["manifest"]).provider(given["namespace"])
        stated = {
            "optional": provider.optional,
            "requires": list(provider.requires),
            "plugin-api": provider.plugin_api,
            "enable-if": provider.enable_if,
            "builtin": provider.builtin,
        }
        result = {key: value for key, value in stated.items() if value}
        result["kind"] = provider.kind.value
        if result["kind"] == "static":
            # Packages of a static provider have no effect.
            result.pop("requires", None)
            result["features"] = [
                {"name": name, "values": list(values)}
                for name, values in provider.static
            ]
        return result

    def _ordering(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        supported = {
            namespace: [self._feature(**each) for each in features]
            for namespace, features in given["supported"].items()
        }
        manifest = self._parsed(given["manifest"])
        ranking = self._rank(manifest, supported, given["labels"])
        return {
            "order": list(ranking.compatible),
            "incompatible": sorted([*ranking.rejected, *ranking.unknown]),
        }

    def _merging(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        manifests = map(self._parsed, given["manifests"])
        merging = self.core.merging
        try:
            merged = merging.merge({str(at): each for at, each in enumerate(manifests)})
        except merging.Disagreement as error:
            return {"refused": error.subject.value}
        return {
            "namespaces": list(merged.namespaces),
            "variants": {
                label: sorted(map(str, variant.properties()))
                for label, variant in merged.variants.items()
            },
        }

    def _markers(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        markers = self.packaging.markers
        try:
            return {"holds": self.evaluate(given, self._variant_environment(given))}
        except (markers.InvalidMarker, markers.UndefinedComparison):
            return INVALID

    def evaluate(self, given: Mapping[str, Any], variant: Any) -> bool:
        """Evaluate a marker for a variant, and for the rest of its environment."""
        rest = self.core.markers.resolve_marker(given["marker"], variant)
        environment = given.get("environment", {})
        return not rest or self.packaging.markers.Marker(rest).evaluate(environment)

    def _variant_environment(self, given: Mapping[str, Any]) -> Any:
        label, declared = given["label"], nested(given["properties"])
        if label is None:
            return self.core.markers.NO_VARIANT
        variant = self.core.manifest.Variant(label, declared)
        manifest = self.core.manifest.Manifest(tuple(declared), {}, {label: variant})
        supported = {
            namespace: tuple(self._feature(*each) for each in features.items())
            for namespace, features in nested(given["supported"]).items()
        }
        both = self.core.ordering.supported_of(manifest, variant, supported)
        return self.core.markers.variant_environment(label, both)

    def _abi_dependency(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        manifest = self._parsed(
            {
                "default-priorities": {"namespace": [_ABI]},
                "providers": {_ABI: {"builtin": _ABI}},
                "variants": {"x": {_ABI: given["properties"]}},
            }
        )
        found, _ = self.core.abi_dependency.supported(
            manifest,
            _ABI,
            _Versions(given["versions"], self.packaging.version.Version),
            given.get("project"),
        )
        ranking = self._rank(manifest, {_ABI: found}, ["x"])
        return {"compatible": "x" in ranking.compatible}


class _Versions:
    """The versions of other distributions, none of which can change."""

    def __init__(self, versions: Mapping[str, str], parse: Any) -> None:
        self._versions = {name: parse(text) for name, text in versions.items()}

    def installed(self, project: str) -> Any:
        return self._versions.get(project)

    def fixed_reason(self, _: str) -> str:
        return "no other version is possible"
