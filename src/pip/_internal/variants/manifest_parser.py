"""Read manifests: JSON of any schema generation becomes one validated model.

A manifest is the ``{name}-{version}-variants.json`` of an index, or the
``variant.json`` inside a wheel (PEP 825, "Index-level metadata"). Four generations
are in use: 0.0.2 and 0.0.3 of the public preview index, 0.1 of PEP 825, 0.2 of
PEP 850. What a file says of its own generation is not always true, so the shape of
each provider decides. Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

from pip._vendor.packaging._variants import NULL_LABEL, is_valid_label

from pip._internal.variants.manifest import (
    ABI_DEPENDENCY,
    InvalidManifest,
    Manifest,
    Provider,
    ProviderKind,
    Variant,
)
from pip._internal.variants.properties import (
    SupportedFeature,
    is_valid_feature_name,
    is_valid_namespace,
    is_valid_value,
)

__all__ = ["MAX_MANIFEST_SIZE", "load_json", "parse_document", "parse_manifest"]

#: Bytes. The largest real manifests have five thousand, one of 5,000 labels with ten
#: properties each has 1.6 MiB.
MAX_MANIFEST_SIZE = 2 * 1024 * 1024

_SCHEMA_VERSION = re.compile(r"v([0-9]{1,9})\.([0-9]{1,9})(?:\.([0-9]{1,9}))?")
#: The newest minor of major 0 that is understood; 0.x promises no compatibility.
_NEWEST_MINOR = 2
#: Real manifests rank three. What is done for each is done for all variants.
_MAX_NAMESPACES = 64
#: Labels are the slowest to read, though each has but one short property: so many take half
#: a second of a slow machine, and 2 MiB of them two. Real releases have some twenty.
_MAX_VARIANTS = 20_000
#: Packages that a provider requires, and characters of their requirements and markers,
#: which are slow to parse. Real ones have one or two packages and a line.
_MAX_REQUIRES = 16
_MAX_TEXT = 500
#: How many objects and lists may stand within one another; six do in what is known.
_MAX_DEPTH = 32
#: Orders of features and values in ``default-priorities`` ended with this schema.
_WITHOUT_OVERRIDES = (0, 1, 1)


def parse_manifest(data: bytes) -> Manifest:
    """Parse and validate a manifest of any known schema generation.

    :raises InvalidManifest: if anything in it is not as the schemas say; keys that
        they do not know are ignored.
    """
    return parse_document(load_json(data))


def parse_document(document: object) -> Manifest:
    """Validate a manifest that was read from JSON, or from the TOML of a lock file.

    :raises InvalidManifest: as :func:`parse_manifest` does.
    """
    root = _object(document, "the manifest")
    if _is_deep(root):
        # What is kept of it must not be too much for those who write it down.
        raise InvalidManifest("it is nested too deeply")
    schema = root.get("$schema")
    version = _schema_version(schema)
    priorities = _object(root.get("default-priorities"), "'default-priorities'")
    namespaces = _strings(
        priorities.get("namespace"), "'default-priorities.namespace'", _NAMESPACE
    )
    if len(namespaces) > _MAX_NAMESPACES:
        raise InvalidManifest(f"it ranks more than {_MAX_NAMESPACES} namespaces")
    if len(set(namespaces)) != len(namespaces):
        raise InvalidManifest(f"namespaces are repeated in {_shown(namespaces)}")

    with_overrides = version is None or version < _WITHOUT_OVERRIDES
    feature_order: dict[str, tuple[str, ...]] = {}
    value_order: dict[str, dict[str, tuple[str, ...]]] = {}
    if with_overrides:
        feature_order = _feature_order(priorities)
        value_order = {
            _checked(namespace, _NAMESPACE): _features(
                features, f"priorities of {namespace!r}"
            )
            for namespace, features in _optional_object(priorities, "property").items()
        }

    listed = _object(root.get("variants"), "'variants'")
    if len(listed) > _MAX_VARIANTS:
        raise InvalidManifest(f"it lists more than {_MAX_VARIANTS} variants")
    variants = {
        label: _variant(label, properties) for label, properties in listed.items()
    }
    if not variants:
        raise InvalidManifest("it lists no variants")
    used = {
        namespace: None
        for variant in variants.values()
        for namespace in variant.features
    }
    ranked = set(namespaces)
    for namespace in used:
        # Drafts used abi_dependency without ranking it.
        if namespace not in ranked and namespace != ABI_DEPENDENCY:
            raise InvalidManifest(
                "'default-priorities.namespace' lacks the namespace "
                f"{_shown(namespace)}"
            )
    if ABI_DEPENDENCY in used and ABI_DEPENDENCY not in ranked:
        namespaces += (ABI_DEPENDENCY,)

    static = _optional_object(root, "static-properties")
    providers = {
        namespace: _provider(
            _checked(namespace, _NAMESPACE),
            _object(description, f"the provider of {namespace!r}"),
            static.get(namespace),
            feature_order.get(namespace, ()),
            value_order.get(namespace, {}),
        )
        for namespace, description in _optional_object(root, "providers").items()
    }
    if ABI_DEPENDENCY in used and ABI_DEPENDENCY not in providers:
        providers[ABI_DEPENDENCY] = _abi_dependency_provider()
    return Manifest(
        namespaces,
        providers,
        variants,
        feature_order,
        value_order,
        schema if isinstance(schema, str) else None,
        document=root,
    )


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


def load_json(data: bytes) -> Any:
    """Read JSON strictly: UTF-8, each key once. Numbers, which mean nothing, become 0.

    :raises InvalidManifest: if it is none, or too large.
    """
    if len(data) > MAX_MANIFEST_SIZE:
        raise InvalidManifest(f"it is larger than {MAX_MANIFEST_SIZE >> 20} MiB")
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_without_duplicates,
            parse_constant=_no_constant,
            # No number means anything here; turning digits into one can be slow.
            parse_int=_no_number,
            parse_float=_no_number,
        )
    except UnicodeDecodeError:
        raise InvalidManifest("it is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise InvalidManifest(f"it is not JSON ({error})") from None
    except RecursionError:
        raise InvalidManifest("it is nested too deeply") from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = max(counts, key=counts.__getitem__)
        raise InvalidManifest(f"a key is repeated: {_shown(repeated)}")
    return result


def _no_constant(text: str) -> NoReturn:
    raise InvalidManifest(f"it is not JSON: {text}")


def _no_number(_: str) -> float:
    return 0.0


def _schema_version(schema: object) -> tuple[int, int, int] | None:
    """Give the version that ``$schema`` claims, if it can be read.

    :raises InvalidManifest: if that version is not understood.
    """
    if not isinstance(schema, str):
        return None
    found = _SCHEMA_VERSION.findall(schema)
    if not found:
        return None
    major, minor, patch = (int(number or 0) for number in found[-1])
    if major != 0 or minor > _NEWEST_MINOR:
        raise InvalidManifest(f"its schema is not supported: {_shown(schema)}")
    return major, minor, patch


def _object(value: object, what: str) -> dict[str, Any]:
    if value is None:
        raise InvalidManifest(f"{what} is missing")
    if not isinstance(value, dict):
        raise InvalidManifest(f"{what} is not an object: {_shown(value)}")
    return value


def _optional_object(parent: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = parent.get(key)
    return {} if value is None else _object(value, f"{key!r}")


class _Kind(NamedTuple):
    """A kind of text: how to call it, and which ones are valid."""

    name: str
    is_valid: Callable[[str], bool]


_NAMESPACE = _Kind("namespace", is_valid_namespace)
_FEATURE = _Kind("feature", is_valid_feature_name)
_VALUE = _Kind("value", is_valid_value)
_LABEL = _Kind("label", is_valid_label)
# Such text comes up in messages: no lone surrogate, which cannot be written, and
# nothing that a terminal would obey.
_TEXT = _Kind(
    f"text ({_MAX_TEXT} printable characters at most)",
    lambda text: len(text) <= _MAX_TEXT and text.isprintable(),
)


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidManifest(f"{what} is not a string: {_shown(value)}")
    return _checked(value, _TEXT)


def _optional_text(parent: Mapping[str, Any], key: str) -> str | None:
    value = parent.get(key)
    return None if value is None else _text(value, f"{key!r}")


def _boolean(parent: Mapping[str, Any], key: str, *, default: bool, what: str) -> bool:
    value = parent.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise InvalidManifest(f"{key!r} of {what} is not a boolean: {_shown(value)}")
    return value


def _checked(text: str, kind: _Kind) -> str:
    if not kind.is_valid(text):
        raise InvalidManifest(f"invalid {kind.name}: {_shown(text)}")
    return text


def _strings(value: object, what: str, kind: _Kind) -> tuple[str, ...]:
    if value is None:
        raise InvalidManifest(f"{what} is missing")
    if not isinstance(value, list):
        raise InvalidManifest(f"{what} is not a list: {_shown(value)}")
    if not value:
        raise InvalidManifest(f"{what} is empty")
    for item in value:
        if not isinstance(item, str):
            raise InvalidManifest(f"an item of {what} is not a string: {_shown(item)}")
        _checked(item, kind)
    return tuple(value)


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _features(value: object, what: str) -> dict[str, tuple[str, ...]]:
    """Validate ``{feature: [value, …]}``; a value that is repeated counts once."""
    features = {}
    for feature, values in _object(value, what).items():
        _checked(feature, _FEATURE)
        listed = _strings(values, f"{what} :: {feature}", _VALUE)
        features[feature] = listed if len(listed) == 1 else tuple(dict.fromkeys(listed))
    return features


def _feature_order(priorities: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    order = {}
    for namespace, features in _optional_object(priorities, "feature").items():
        if features != []:
            _checked(namespace, _NAMESPACE)
            what = f"'default-priorities.feature.{namespace}'"
            order[namespace] = _strings(features, what, _FEATURE)
    return order


def _variant(label: str, properties: object) -> Variant:
    what = f"variant {_shown(_checked(label, _LABEL))}"
    features = {}
    for namespace, listed in _object(properties, what).items():
        _checked(namespace, _NAMESPACE)
        features[namespace] = _features(listed, f"{what}: {namespace}")
        if not listed:
            raise InvalidManifest(f"{what}: {namespace} has no features")
    if label == NULL_LABEL and features:
        raise InvalidManifest("the null variant has properties")
    return Variant(label, features)


def _abi_dependency_provider() -> Provider:
    return Provider(ABI_DEPENDENCY, ProviderKind.BUILTIN, builtin=ABI_DEPENDENCY)


def _provider(
    namespace: str,
    description: Mapping[str, Any],
    root_static: object,
    feature_order: tuple[str, ...],
    value_order: Mapping[str, tuple[str, ...]],
) -> Provider:
    what = f"the provider of {namespace!r}"
    requires: tuple[str, ...] = ()
    if description.get("requires") not in (None, []):
        requires = _strings(description["requires"], f"'requires' of {what}", _TEXT)
    if len(requires) > _MAX_REQUIRES:
        raise InvalidManifest(f"'requires' of {what} is longer than {_MAX_REQUIRES}")
    plugin_api = _optional_text(description, "plugin-api")
    enable_if = _optional_text(description, "enable-if")
    plugin_use = _optional_text(description, "plugin-use")
    builtin = _optional_text(description, "builtin")
    optional = _boolean(description, "optional", default=False, what=what)
    install_time = _boolean(description, "install-time", default=True, what=what)

    static: dict[str, tuple[str, ...]] = {}
    if "static-properties" in description:  # 0.2
        kind = ProviderKind.STATIC
        static = _features(description["static-properties"], f"{what}: static list")
        static = _in_feature_order(static, description.get("feature-order"), what)
    elif plugin_use in ("none", "build"):  # 0.0.2
        kind = ProviderKind.STATIC
        static = dict(value_order)
    elif not install_time:  # 0.0.3
        kind = ProviderKind.STATIC
        if root_static is not None:
            static = _features(root_static, f"{what}: static list")
    elif builtin is not None:
        kind = ProviderKind.BUILTIN
    elif requires:
        kind = ProviderKind.PLUGIN
    else:
        kind = ProviderKind.UNKNOWN
    if namespace == ABI_DEPENDENCY and not static:
        return _abi_dependency_provider()
    listed = {name: None for name in feature_order if name in static} | static
    return Provider(
        namespace,
        kind,
        requires,
        plugin_api,
        optional,
        enable_if,
        tuple(SupportedFeature(name, static[name]) for name in listed),
        builtin,
    )


def _in_feature_order(
    static: dict[str, tuple[str, ...]], order: object, what: str
) -> dict[str, tuple[str, ...]]:
    """Order the features of a 0.2 static list as its ``feature-order`` says."""
    if order is None:
        if len(static) > 1:
            raise InvalidManifest(f"'feature-order' of {what} is missing")
        return static
    names = _strings(order, f"'feature-order' of {what}", _FEATURE)
    if sorted(names) != sorted(static):
        raise InvalidManifest(
            f"'feature-order' of {what} must name each feature once: {_shown(names)}"
        )
    return {name: static[name] for name in names}
