"""Parse manifests of any schema version into one validated model.

A manifest is the ``{name}-{version}-variants.json`` of an index, or the
``variant.json`` inside a wheel (PEP 825, "Index-level metadata"). Four schema versions
are in use: 0.0.2 and 0.0.3 on the public preview index, 0.1 of PEP 825, 0.2 of PEP 850.
Some files state the wrong version, so the shape of each provider decides.

Installers and publishers use the same reader. It reports each broken rule of
:mod:`.rules`: installers stop at the first rule that makes them refuse a manifest,
``wheel-variants check`` continues with the readable parts. Pure: no I/O.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NoReturn

from wheel_variants.labels import NULL_LABEL, is_valid_label
from wheel_variants.manifest import (
    ABI_DEPENDENCY,
    InvalidManifest,
    Manifest,
    Provider,
    ProviderKind,
    Variant,
)
from wheel_variants.manifest_values import FEATURE, NAMESPACE, Features, Report, Values
from wheel_variants.provider_parser import read_providers
from wheel_variants.rules import RULES, Effect
from wheel_variants.safe_repr import safe_repr

__all__ = [
    "MAX_MANIFEST_SIZE",
    "load_json",
    "parse_document",
    "parse_manifest",
    "schema_version",
]

#: Bytes. The largest real manifests have five thousand bytes; a manifest of 5,000 labels
#: with ten properties each has 1.6 MiB.
MAX_MANIFEST_SIZE = 2 * 1024 * 1024

_SCHEMA_VERSION = re.compile(r"v([0-9]{1,9})\.([0-9]{1,9})(?:\.([0-9]{1,9}))?")
#: The newest supported minor version of major version 0; 0.x promises no compatibility.
_NEWEST_MINOR = 2
#: Real manifests rank three namespaces. Each namespace adds work for all variants.
_MAX_NAMESPACES = 64
#: Labels are the slowest part to read, even with one short property each: this many take
#: half a second on a slow machine, and 2 MiB of them take two. Real releases have about
#: twenty.
_MAX_VARIANTS = 20_000
#: The maximum nesting of objects and lists; the known schemas need six levels.
_MAX_DEPTH = 32
#: Sorts before all versions: a document without ``$schema`` may use any of them.
_UNKNOWN: tuple[int, ...] = (0, 0, 0)
#: This schema dropped the orders of features and values in ``default-priorities``.
_WITHOUT_OVERRIDES = (0, 1, 1)
#: Schemas before this one are drafts, with providers of another shape.
_AFTER_DRAFTS = (0, 1, 0)


def parse_manifest(data: bytes) -> Manifest:
    """Parse and validate a manifest of any supported schema version.

    Unknown keys are ignored.

    :raises InvalidManifest: if the manifest breaks a rule that makes installers refuse it.
    """
    return parse_document(load_json(data))


def _refuse(rule: str, problem: str, _: str | None = None) -> None:
    if RULES[rule].effect is Effect.REFUSED:
        raise InvalidManifest(problem, rule)


def parse_document(document: object, report: Report = _refuse) -> Manifest:
    """Validate a manifest that was already parsed from JSON or from a TOML lock file.

    :param report: a function that receives each broken rule. If it does not raise, the
        readable parts are returned.
    :raises InvalidManifest: by default, if the manifest breaks a rule that makes installers
        refuse it.
    """
    return _ManifestReader(report).read(document)


def load_json(data: bytes) -> Any:
    """Parse JSON strictly: UTF-8, no repeated key. Numbers have no meaning and become 0.

    :raises InvalidManifest: if *data* is not JSON, or too large.
    """
    if len(data) > MAX_MANIFEST_SIZE:
        raise InvalidManifest(f"larger than {MAX_MANIFEST_SIZE >> 20} MiB")
    try:
        document = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_without_duplicates,
            parse_constant=_no_constant,
            # Numbers have no meaning here, and converting digits can be slow.
            parse_int=lambda _: 0.0,
            parse_float=lambda _: 0.0,
        )
        # An escape can be half a surrogate pair, which no lock file can contain.
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeError:
        raise InvalidManifest("not UTF-8 text", _JSON) from None
    except json.JSONDecodeError as error:
        raise InvalidManifest(f"not valid JSON ({error})", _JSON) from None
    except RecursionError:
        raise InvalidManifest(_TOO_DEEP) from None
    return document


_JSON = "manifest-json"
_TOO_DEEP = "nested too deeply"


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = max(counts, key=counts.__getitem__)
        raise InvalidManifest(f"repeated key {safe_repr(repeated)}", _JSON)
    return result


def _no_constant(text: str) -> NoReturn:
    raise InvalidManifest(f"not valid JSON: {text}", _JSON)


def _is_deep(root: dict[str, Any]) -> bool:
    level: list[Any] = [root]
    for _ in range(_MAX_DEPTH):
        level = [
            item
            for each in level
            for item in (each.values() if type(each) is dict else each)
            if type(item) is dict or type(item) is list
        ]
        if not level:
            return False
    return True


class _ManifestReader:
    """A reader of one document; the result lacks all unreadable parts."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._values = Values(report)
        self._version = _UNKNOWN

    def read(self, document: object) -> Manifest:
        """Read a whole document."""
        root = self._values.table(document, "the document")
        is_deep = _is_deep(root)
        if is_deep:
            # A program that serializes the document must not fail.
            self._report("manifest-limits", _TOO_DEEP)
        if is_deep or not isinstance(document, dict):
            return Manifest((), {}, {})
        schema = self._schema(root)
        self._version = schema_version(schema or "")
        priorities = self._values.required(root, "default-priorities")
        namespaces = None if priorities is None else self._namespaces(priorities)
        feature_order: dict[str, tuple[str, ...]] = {}
        value_order: dict[str, Features] = {}
        if priorities is not None and self._version < _WITHOUT_OVERRIDES:
            path = "default-priorities.feature"
            for namespace, what, order in self._values.by_namespace(priorities, path):
                feature_order[namespace] = self._values.texts(order, what, FEATURE)
            path = "default-priorities.property"
            value_order = self._values.features_by_namespace(priorities, path)
        variants = self._variants(root)
        used = _used(variants)
        if namespaces is not None:
            namespaces = self._covering(namespaces, used)
        providers = read_providers(
            self._values,
            root,
            feature_order,
            value_order,
            may_be_draft=self._version < _AFTER_DRAFTS,
        )
        if ABI_DEPENDENCY in used and ABI_DEPENDENCY not in providers:
            # If the document names no provider, the built-in one applies.
            providers[ABI_DEPENDENCY] = Provider(
                ABI_DEPENDENCY, ProviderKind.BUILTIN, builtin=ABI_DEPENDENCY
            )
        return Manifest(
            namespaces or (),
            providers,
            variants,
            feature_order,
            value_order,
            schema,
            document=root,
        )

    def _schema(self, root: dict[str, Any]) -> str | None:
        schema = root.get("$schema", "")
        if not self._values.is_a(str, schema, "'$schema'"):
            return None
        version = schema_version(schema)
        if version[0] != 0 or version[1] > _NEWEST_MINOR:
            self._report(
                "manifest-schema",
                f"unsupported schema {safe_repr(schema)}",
                f"Use schema version 0.{_NEWEST_MINOR} or older",
            )
        return schema if "$schema" in root else None

    def _namespaces(self, priorities: dict[str, Any]) -> tuple[str, ...] | None:
        """Return the namespaces in order, or None if they are missing."""
        what = "'default-priorities.namespace'"
        listed = priorities.get("namespace", [])
        if listed == []:
            state = "empty" if "namespace" in priorities else "missing"
            remedy = "List the namespaces, most important first"
            self._report("namespaces", f"{what} is {state}", remedy)
            return None
        found = self._values.texts(listed, what, NAMESPACE, repeated="namespaces")
        if len(found) > _MAX_NAMESPACES:
            problem = f"{what} lists more than {_MAX_NAMESPACES} namespaces"
            self._report("manifest-limits", problem)
        return found or None

    def _variants(self, root: dict[str, Any]) -> dict[str, Variant]:
        listed = self._values.required(root, "variants")
        if listed is None:
            return {}
        if not listed:
            self._report("manifest-types", "'variants' is empty")
        if len(listed) > _MAX_VARIANTS:
            problem = f"'variants' lists more than {_MAX_VARIANTS} variants"
            self._report("manifest-limits", problem)
            return {}
        return {
            label: self._variant(label, properties)
            for label, properties in listed.items()
        }

    def _variant(self, label: str, properties: object) -> Variant:
        if not is_valid_label(label):
            self._report(
                "label",
                f"invalid label {safe_repr(label)}",
                "Use only lowercase letters, digits, '_' and '.'",
            )
        what = f"variant {safe_repr(label)}"
        features = {}
        for namespace, listed in self._values.table(properties, what).items():
            if not self._values.is_valid(namespace, what, NAMESPACE):
                continue
            where = f"{namespace!r} of {what}"
            found = self._values.features(listed, where, least=1)
            if found:
                features[namespace] = found
            elif listed == {}:
                self._report("empty-lists", f"{where} has no features")
        if label == NULL_LABEL and features:
            self._report(
                "null-variant",
                "the null variant has properties",
                "Give the variant another label",
            )
        return Variant(label, features)

    def _covering(
        self, namespaces: tuple[str, ...], used: Mapping[str, str]
    ) -> tuple[str, ...]:
        """Return the order of all namespaces in use."""
        ranked = set(namespaces)
        for namespace, label in used.items():
            if namespace in ranked:
                continue
            if namespace == ABI_DEPENDENCY and self._version < _AFTER_DRAFTS:
                # Drafts reserved the namespace and did not rank it.
                namespaces += (namespace,)
                continue
            self._report(
                "namespaces",
                f"variant {safe_repr(label)} uses namespace {safe_repr(namespace)}, but "
                "'default-priorities.namespace' does not list that namespace",
                "Add the namespace to that list, at the same position in every wheel",
            )
        return namespaces


def schema_version(schema: str) -> tuple[int, ...]:
    """Return the version that ``$schema`` states, or an unknown version."""
    found = _SCHEMA_VERSION.findall(schema)
    return tuple(int(number or 0) for number in found[-1]) if found else _UNKNOWN


def _used(variants: Mapping[str, Variant]) -> dict[str, str]:
    """Return the namespaces in use, each with the label of one variant that uses it."""
    used: dict[str, str] = {}
    for variant in variants.values():
        for namespace in variant.features:
            used.setdefault(namespace, variant.label)
    return used
