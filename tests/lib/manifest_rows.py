"""A table of manifests that follow or break each rule.

Each row is a small manifest for one schema version, with the expected reaction of
installers and the expected findings of ``wheel-variants check``.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.lib.manifests import PluginSpec, make_manifest

SCHEMA = "https://variants-schema.wheelnext.dev/"
#: The value of a key to remove.
GONE = object()

_DRAFTS = {
    "0.0.2": "The schema version 0.0.2 is an obsolete draft",
    "0.0.3": "The schema version 0.0.3 is an obsolete draft",
    "0.1.0": "The schema version 0.1.0 is an obsolete draft",
}

# The reactions of installers (``pip._vendor.wheel_variants.rules.Effect``).
REFUSED, UNSUPPORTED, DROPPED, NONE = "REFUSED", "UNSUPPORTED", "DROPPED", "NONE"


def good_document(schema: str = "0.2.0") -> dict[str, Any]:
    """Return a manifest that follows all rules, apart from obsolete schemas."""
    with_providers = not schema.startswith("0.1.")
    document = make_manifest(
        {
            "null": {},
            "cu128": ["nvidia :: cuda_version_lower_bound :: 12.8"],
            **({"mkl": ["blas :: library :: mkl"]} if with_providers else {}),
        },
        schema=schema if schema != "0.1.0" else "0.1.1",
        namespaces=["nvidia", "blas"] if with_providers else ["nvidia"],
        providers={"blas": PluginSpec(static={"library": ["mkl", "openblas"]})},
    )
    if schema == "0.1.0":
        document["$schema"] = f"{SCHEMA}peps/825/v0.1.0.json"
    return document


@dataclass(frozen=True, slots=True)
class Row:
    """A manifest with its expected findings.

    :ivar name: the main finding of ``check``, or a description of the valid manifest.
    :ivar schema: the schema of the good manifest that is changed.
    :ivar changes: the new values by path; ``/`` separates the keys of a path.
    :ivar effect: the reaction of installers.
    :ivar said: the findings of ``check`` by rule, without the findings for drafts and for
        missing providers.
    """

    name: str
    schema: str
    changes: Mapping[str, Any]
    effect: str
    said: Mapping[str, str]

    @property
    def document(self) -> Any:
        """The manifest."""
        document: Any = good_document(self.schema)
        for path, value in self.changes.items():
            if not path:
                return value
            *parents, last = path.split("/")
            place = document
            for key in parents:
                place = place.setdefault(key, {})
            if value is GONE:
                del place[last]
            else:
                place[last] = copy.deepcopy(value)
        return document

    @property
    def findings(self) -> dict[str, str]:
        """All findings of ``check``, by rule."""
        usual = {}
        if self.schema == "0.1.1" and self.effect != REFUSED:
            usual["no-providers"] = (
                "Schema version 0.1.1 has no providers, so uv does not support nvidia"
            )
        if "$schema" not in self.changes and self.schema in _DRAFTS:
            usual["draft-schema"] = _DRAFTS[self.schema]
        return {**usual, **self.said}


_CUDA = {"nvidia": {"cuda_version_lower_bound": ["12.6"]}}


def _abi(feature: str, value: str) -> dict[str, Any]:
    return {
        "default-priorities/namespace": ["abi"],
        "providers": {"abi": {"builtin": "abi_dependency"}},
        "variants": {
            "null": {},
            "good": {"abi": {"numpy": ["2.8"]}},
            "x": {"abi": {feature: [value]}},
        },
    }


def _nested(depth: int) -> list[Any]:
    return [_nested(depth - 1)] if depth else []


_PLUGIN = {"requires": ["nvidia-variant-provider>=0.0.1,<1.0.0"]}
_API = "nvidia_variant_provider.plugin:NvidiaVariantPlugin"
_STATIC = {"static-properties": {"library": ["mkl"]}}
_ABI_PROPERTIES = {"abi_dependency": {"torch": ["2.8"]}}

#: Changes of a good manifest of schema 0.2.0, or of another schema if named.
_Changes = Mapping[str, Any] | tuple[str, Mapping[str, Any]]

#: Changes that break no rule.
_KEPT: Mapping[str, _Changes] = {
    "0.0.2": ("0.0.2", {}),
    "0.0.3": ("0.0.3", {}),
    "0.1.0": ("0.1.0", {}),
    "0.1.1": ("0.1.1", {}),
    "0.2.0": {},
    "another path of 0.2.0": {"$schema": f"{SCHEMA}v0.2.0.json"},
    "a namespace that nothing uses": (
        "0.1.1",
        {"default-priorities/namespace": ["nvidia", "x"]},
    ),
    "abi_dependency that is not ranked": ("0.0.2", {"variants/x": _ABI_PROPERTIES}),
    "abi_dependency by its name": (
        "0.0.2",
        {
            "default-priorities/namespace": ["nvidia", "blas", "abi_dependency"],
            "providers/abi_dependency": {"requires": [], "plugin-use": "none"},
            "variants/x": _ABI_PROPERTIES,
        },
    ),
    "a good ABI dependency": _abi("numpy", "2.8.1"),
    "empty orders": (
        "0.1.0",
        {
            "default-priorities/feature/nvidia": [],
            "default-priorities/property/nvidia": {"sm_arch": []},
            "default-priorities/property/x": {},
        },
    ),
    "empty tables of orders": (
        "0.1.0",
        {"default-priorities/feature": {}, "default-priorities/property": {}},
    ),
    "a long label": {"variants/aaaaaaaaaaaaaaaaa": _CUDA},
    "an order of one feature": {
        "providers/blas": {**_STATIC, "feature-order": ["library"]}
    },
    "an entry point with blanks": {
        "providers/nvidia/plugin-api": _API.replace(":", " : ")
    },
    "a plugin of builds": (
        "0.0.2",
        {
            "providers/blas": {
                "requires": ["a"],
                "plugin-api": "a",
                "plugin-use": "build",
            }
        },
    ),
    "no word on packages": ("0.0.2", {"providers/blas": {"plugin-use": "none"}}),
    "an entry point of nothing": (
        "0.0.3",
        {"providers/blas": {"plugin-api": "a", "install-time": False}},
    ),
    "empty static lists": (
        "0.0.3",
        {
            "static-properties/x": {"f": []},
            "static-properties/y": {},
            "static-properties/blas/kind": [],
        },
    ),
    "an empty static list": ("0.0.2", {"default-priorities/property/blas/kind": []}),
}

#: By broken rule and effect: the finding of ``check`` for each set of changes.
_BROKEN: Mapping[tuple[str, str], Mapping[str, _Changes]] = {
    ("manifest-types", REFUSED): {
        "The document is a list, not an object": {"": []},
        "'default-priorities' is a list, not an object": {"default-priorities": []},
        "'variants' is a list, not an object": {"variants": []},
        "'variants' is empty": {"variants": {}},
        "'providers' is a list, not an object": {"providers": []},
        "The provider for 'blas' is a list, not an object": {"providers/blas": []},
        "'$schema' is a number, not a string": {"$schema": 1},
        "'$schema' is null, not a string": {"$schema": None},
        "'default-priorities.namespace' is a string, not a list": {
            "default-priorities/namespace": "nvidia"
        },
        "An item of 'default-priorities.namespace' is a number, not a string": {
            "default-priorities/namespace": [1]
        },
        "'default-priorities.feature.nvidia' is a string, not a list": (
            "0.0.3",
            {"default-priorities/feature/nvidia": "sm_arch"},
        ),
        "'default-priorities.property.nvidia' is a list, not an object": (
            "0.0.3",
            {"default-priorities/property/nvidia": []},
        ),
        "Variant 'x' is a list, not an object": {"variants/x": []},
        "'nvidia' of variant 'x' is a list, not an object": {
            "variants/x": {"nvidia": ["12.8"]}
        },
        "'sm_arch' in 'nvidia' of variant 'x' is a string, not a list": {
            "variants/x": {"nvidia": {"sm_arch": "90_real"}}
        },
        "An item of 'sm_arch' in 'nvidia' of variant 'x' is a number, not a string": {
            "variants/x": {"nvidia": {"sm_arch": [90]}}
        },
        "'static-properties' of the provider for 'blas' is a list, not an object": {
            "providers/blas": {"static-properties": ["library"]}
        },
        "'library' in 'static-properties' of the provider for 'blas' is a string, not a list": {
            "providers/blas": {"static-properties": {"library": "mkl"}}
        },
        "'feature-order' of the provider for 'blas' is a string, not a list": {
            "providers/blas": {**_STATIC, "feature-order": "library"}
        },
        "'builtin' of the provider for 'blas' is a number, not a string": {
            "providers/blas": {"builtin": 1}
        },
        "'requires' of the provider for 'blas' is a string, not a list": {
            "providers/blas": {"requires": "a"}
        },
        "An item of 'requires' of the provider for 'blas' is a number, not a string": {
            "providers/blas": {"requires": [1]}
        },
        "'plugin-api' of the provider for 'nvidia' is null, not a string": {
            "providers/nvidia/plugin-api": None
        },
        "'optional' of the provider for 'blas' is a string, not a boolean": {
            "providers/blas": {**_STATIC, "optional": "yes"}
        },
        "'plugin-use' of the provider for 'blas' is 'never', not 'none', 'build' or 'all'": (
            "0.0.2",
            {"providers/blas": {"requires": ["a"], "plugin-use": "never"}},
        ),
        "'static-properties' is a list, not an object": (
            "0.0.3",
            {"static-properties": ["blas"]},
        ),
        "'static-properties.x' is a list, not an object": (
            "0.0.3",
            {"static-properties/x": ["f"]},
        ),
        "'install-time' of the provider for 'blas' is a string, not a boolean": (
            "0.0.3",
            {"providers/blas": {"requires": ["a"], "install-time": "no"}},
        ),
        "'enable-if' of the provider for 'blas' is a list, not a string": (
            "0.0.3",
            {
                "providers/blas": {
                    "requires": [],
                    "install-time": False,
                    "enable-if": ["x"],
                }
            },
        ),
    },
    ("manifest-limits", REFUSED): {
        "Nested too deeply": {"x": _nested(40)},
        "'variants' lists more than 20000 variants": {
            "variants": {f"{n:x}": {} for n in range(20_001)}
        },
        "'default-priorities.namespace' lists more than 64 namespaces": (
            "0.1.1",
            {"default-priorities/namespace": ["nvidia", *map(str, range(64))]},
        ),
        "'requires' of the provider for 'blas' has more than 16 items": {
            "providers/blas": {"requires": [f"a{n}" for n in range(17)]}
        },
        "Invalid text 'a\\x1b' in 'requires' of the provider for 'blas': at most 500 printable characters are allowed": {
            "providers/blas": {"requires": ["a\x1b"]}
        },
        "Invalid text 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa... in 'requires' of the provider for 'blas': at most 500 printable characters are allowed": {
            "providers/blas": {"requires": ["a" * 501]}
        },
    },
    ("missing-keys", REFUSED): {
        "Missing key 'default-priorities'": {"default-priorities": GONE},
        "Missing key 'variants'": {"variants": GONE},
    },
    ("providers", NONE): {
        "Missing key 'providers'": {"providers": GONE, "variants/mkl": GONE},
        "Namespace 'amd' has no provider": {
            "default-priorities/namespace": ["nvidia", "blas", "amd"]
        },
        "Namespace 'npu' has a provider, but is not in 'default-priorities.namespace'": {
            "providers/npu": _PLUGIN
        },
    },
    ("manifest-keys", NONE): {
        "Schema version 0.2.0 has no key 'x'": {"x": 1},
        "'default-priorities' has the unknown key 'x'": {"default-priorities/x": 1},
        "The provider for 'blas' has the unknown key 'x'": {
            "providers/blas": {**_STATIC, "x": 1}
        },
        "Schema version 0.1.1 has no key 'providers'": (
            "0.1.1",
            {"providers": {"nvidia": _PLUGIN}},
        ),
        "'default-priorities' has the unknown key 'feature'": {
            "default-priorities/feature": {}
        },
    },
    ("schema-version", NONE): {
        "'$schema' is missing": {"$schema": GONE},
        "'$schema' names an unknown version: 'https://variants-schema.wheelnext.dev/'": {
            "$schema": SCHEMA
        },
        "'$schema' names an unknown version: 'https://variants-schema.wheelnext.dev/v0.2.7.json'": {
            "$schema": f"{SCHEMA}v0.2.7.json"
        },
    },
    ("manifest-schema", REFUSED): {
        "Unsupported schema 'https://variants-schema.wheelnext.dev/v0.3.0.json'": {
            "$schema": f"{SCHEMA}v0.3.0.json"
        },
        "Unsupported schema 'https://variants-schema.wheelnext.dev/v2.0.0.json'": {
            "$schema": f"{SCHEMA}v2.0.0.json"
        },
    },
    ("draft-schema", NONE): {
        "The schema version 0.0.3 is an obsolete draft": {
            "$schema": f"{SCHEMA}v0.0.3.json"
        }
    },
    ("namespaces", REFUSED): {
        "'default-priorities.namespace' is missing": {"default-priorities": {}},
        "'default-priorities.namespace' is empty": {"default-priorities/namespace": []},
        "Repeated item in 'default-priorities.namespace': ['nvidia', 'blas', 'blas']": {
            "default-priorities/namespace": ["nvidia", "blas", "blas"]
        },
        "Variant 'mkl' uses namespace 'blas', but 'default-priorities.namespace' does not list that namespace": {
            "default-priorities/namespace": ["nvidia"],
            "providers/blas": GONE,
        },
        "Variant 'x' uses namespace 'abi_dependency', but 'default-priorities.namespace' does not list that namespace": {
            "variants/x": _ABI_PROPERTIES
        },
    },
    ("property", REFUSED): {
        "Invalid namespace 'X' in 'default-priorities.namespace'": {
            "default-priorities/namespace": ["nvidia", "blas", "X"]
        },
        "Invalid namespace 'X' in 'providers'": {"providers/X": _PLUGIN},
        "Invalid namespace 'X' in 'default-priorities.feature'": (
            "0.0.3",
            {"default-priorities/feature/X": []},
        ),
        "Invalid feature 'X' in 'default-priorities.feature.nvidia'": (
            "0.0.3",
            {"default-priorities/feature/nvidia": ["X"]},
        ),
        "Invalid value 'X' in 'sm_arch' in 'default-priorities.property.nvidia'": (
            "0.1.0",
            {"default-priorities/property/nvidia": {"sm_arch": ["X"]}},
        ),
        "Invalid namespace 'nvi dia' in variant 'x'": {
            "variants/x": {"nvi dia": {"a": ["1"]}}
        },
        "Invalid feature 'sm-arch' in 'nvidia' of variant 'x'": {
            "variants/x": {"nvidia": {"sm-arch": ["90_real"]}}
        },
        "'sm_arch' in 'nvidia' of variant 'x' has no values": {
            "variants/x": {"nvidia": {"sm_arch": []}}
        },
        "Invalid value '90-real' in 'sm_arch' in 'nvidia' of variant 'x'": {
            "variants/x": {"nvidia": {"sm_arch": ["90-real"]}}
        },
        "Invalid value '90_real\\n' in 'sm_arch' in 'nvidia' of variant 'x'": {
            "variants/x": {"nvidia": {"sm_arch": ["90_real\n"]}}
        },
        "Invalid feature 'Library' in 'static-properties' of the provider for 'blas'": {
            "providers/blas": {"static-properties": {"Library": ["mkl"]}}
        },
        "Invalid value 'MKL' in 'library' in 'static-properties' of the provider for 'blas'": {
            "providers/blas": {"static-properties": {"library": ["MKL"]}}
        },
    },
    ("repeated-values", NONE): {
        "Repeated item in 'sm_arch' in 'default-priorities.property.nvidia': ['1', '1']": (
            "0.1.0",
            {"default-priorities/property/nvidia": {"sm_arch": ["1", "1"]}},
        ),
        "Repeated item in 'sm_arch' in 'nvidia' of variant 'x': ['90_real', '90_real']": {
            "variants/x": {"nvidia": {"sm_arch": ["90_real", "90_real"]}}
        },
        "Repeated item in 'library' in 'static-properties' of the provider for 'blas': ['mkl', 'mkl']": {
            "providers/blas": {"static-properties": {"library": ["mkl", "mkl"]}}
        },
        "Repeated item in 'requires' of the provider for 'nvidia': ['nvidia-variant-provider>=0.0.1,<1.0.0', 'nvidia-variant-provider>=0.0.1,<1....": {
            "providers/nvidia": {
                "requires": [*_PLUGIN["requires"] * 2],
                "plugin-api": _API,
            }
        },
    },
    ("label", REFUSED): {
        "Invalid label 'CU128'": {"variants/CU128": _CUDA},
        "Invalid label ''": {
            "variants": {"": _CUDA, "mkl": {"blas": {"library": ["mkl"]}}}
        },
    },
    ("label-path", NONE): {
        "Label '.' cannot be used as a file or folder name": {"variants/.": _CUDA},
        "Label '..' cannot be used as a file or folder name": {"variants/..": _CUDA},
    },
    ("null-variant", REFUSED): {
        "The null variant has properties": {"variants/null": _CUDA}
    },
    ("empty-lists", NONE): {
        "'nvidia' of variant 'null' has no features": {"variants/null": {"nvidia": {}}},
        "'amd' of variant 'x' has no features": {"variants/x": {**_CUDA, "amd": {}}},
        "'static-properties' of the provider for 'blas' contains an empty list": {
            "providers/blas": {
                "static-properties": {"library": ["mkl"], "kind": []},
                "feature-order": ["kind", "library"],
            }
        },
    },
    ("other-null", NONE): {
        "Variant '00000000' has no properties": ("0.0.2", {"variants/00000000": {}})
    },
    ("same-properties", NONE): {
        "Labels 'mkl' and 'twin' have the same properties, so installers always choose 'mkl'": {
            "variants/twin": {"blas": {"library": ["mkl"]}}
        }
    },
    ("gpus-stated", NONE): {
        "Labels 'a' and 'b' run on the same machines, with any GPU": {
            "variants/a": {**_CUDA, "blas": {"library": ["mkl"]}},
            "variants/b": {**_CUDA, "blas": {"library": ["openblas"]}},
        }
    },
    ("unsorted-values", NONE): {
        "The values of 'nvidia :: sm_arch' in variant 'x' are unsorted": {
            "variants/x": {"nvidia": {"sm_arch": ["90_virtual", "90_real"]}}
        }
    },
    ("never-supported", DROPPED): {
        "No machine supports 'nvidia :: sm_arch :: gt_1030': 'nvidia :: sm_arch' never has the value 'gt_1030'": {
            "variants/x": {"nvidia": {"sm_arch": ["gt_1030"]}}
        },
        "No machine supports 'nvidia :: level :: v3': the provider for 'nvidia' has no feature 'level'": {
            "variants/x": {"nvidia": {"level": ["v3"]}}
        },
        "No machine supports 'blas :: library :: blis': the value is not in the provider's static list": {
            "variants/x": {"blas": {"library": ["blis"]}}
        },
        "No machine supports 'abi_dependency :: torch :: 2.8': the value is not in the provider's static list": {
            "default-priorities/namespace": ["nvidia", "blas", "abi_dependency"],
            "providers/abi_dependency": {"static-properties": {"torch": ["2.7"]}},
            "variants/x": _ABI_PROPERTIES,
        },
    },
    ("no-provider-kind", UNSUPPORTED): {
        "The provider for 'blas' has none of 'requires', 'static-properties', 'builtin'": {
            "providers/blas": {}
        },
        "The provider for 'nvidia' has none of 'requires', 'static-properties', 'builtin'": (
            "0.0.2",
            {"providers/nvidia": {"requires": []}},
        ),
        "The provider for 'abi_dependency' has none of 'requires', 'static-properties', 'builtin'": {
            "default-priorities/namespace": ["nvidia", "blas", "abi_dependency"],
            "providers/abi_dependency": {},
            "variants/x": _ABI_PROPERTIES,
        },
    },
    ("provider-kind", REFUSED): {
        "The provider for 'blas' has 'requires' and 'static-properties'": {
            "providers/blas": {"requires": [], **_STATIC}
        },
        "The provider for 'blas' has 'requires' and 'builtin'": {
            "providers/blas": {**_PLUGIN, "builtin": "abi_dependency"}
        },
        "The provider for 'blas' has 'static-properties' and 'builtin'": {
            "providers/blas": {**_STATIC, "builtin": "abi_dependency"}
        },
        "'requires' of the provider for 'blas' is empty": {
            "providers/blas": {"requires": []}
        },
    },
    ("provider-static", REFUSED): {
        "'feature-order' of the provider for 'blas' is missing": {
            "providers/blas": {"static-properties": {"library": ["mkl"], "kind": ["a"]}}
        },
        "'feature-order' of the provider for 'blas' must list each feature once: []": {
            "providers/blas": {**_STATIC, "feature-order": []}
        },
        "'feature-order' of the provider for 'blas' must list each feature once: ['kind']": {
            "providers/blas": {**_STATIC, "feature-order": ["kind"]}
        },
        "'feature-order' of the provider for 'blas' must list each feature once: ['library', 'library']": {
            "providers/blas": {**_STATIC, "feature-order": ["library", "library"]}
        },
        "The provider for 'blas' has 'feature-order' without 'static-properties'": {
            "providers/blas": {**_PLUGIN, "feature-order": ["library"]}
        },
    },
    ("provider-builtin", UNSUPPORTED): {
        "The provider for 'blas' is the built-in 'mind', but no known installer has that provider": {
            "providers/blas": {"builtin": "mind"}
        }
    },
    ("provider-requires", UNSUPPORTED): {
        "The requirement 'a b' of the provider for 'nvidia' is not a dependency specifier": {
            "providers/nvidia": {
                "requires": [*_PLUGIN["requires"], "a b"],
                "plugin-api": _API,
            }
        },
        "The requirement \"nvidia-variant-provider; variant_label == 'x'\" of the provider for 'nvidia' depends on the variant, but no variant is selected yet": {
            "providers/nvidia": {
                "requires": ["nvidia-variant-provider; variant_label == 'x'"],
                "plugin-api": _API,
            }
        },
        "The marker of the requirement 'nvidia-variant-provider; os_name ~= \"x\"' of the provider for 'nvidia' cannot be evaluated": {
            "providers/nvidia": {
                "requires": ["nvidia-variant-provider; os_name ~= 'x'"],
                "plugin-api": _API,
            }
        },
    },
    ("provider-url", NONE): {
        "'a @ https://example.org/a.whl' in the provider for 'npu' is a URL, but users trust plugins by name": {
            "providers/npu": {"requires": ["a @ https://example.org/a.whl"]},
            "default-priorities/namespace": ["nvidia", "blas", "npu"],
        }
    },
    ("provider-installable", NONE): {
        "No version satisfies 'a>2,<1' in the provider for 'npu'": {
            "providers/npu": {"requires": ["a>2,<1"]},
            "default-priorities/namespace": ["nvidia", "blas", "npu"],
        }
    },
    ("provider-api", REFUSED): {
        "'plugin-api' of the provider for 'nvidia' is not an entry point: 'a-b:c'": {
            "providers/nvidia/plugin-api": "a-b:c"
        },
        "The provider for 'blas' has 'plugin-api' without 'requires'": {
            "providers/blas": {**_STATIC, "plugin-api": "a"}
        },
    },
    ("enable-if", UNSUPPORTED): {
        "'enable-if' of the provider for 'blas' is not a valid marker: 'x ='": (
            "0.0.3",
            {
                "providers/blas": {
                    "requires": [],
                    "install-time": False,
                    "enable-if": "x =",
                }
            },
        )
    },
    ("abi-dependency", DROPPED): {
        "Property 'abi :: flash__attn :: 2.8' does not use the normalized name of the distribution": _abi(
            "flash__attn", "2.8"
        ),
        "Property 'abi :: numpy :: 2.8.0.1' needs a version of one to three numbers, each with up to nine digits and no leading zeros": _abi(
            "numpy", "2.8.0.1"
        ),
        "Property 'abi :: numpy :: 20240101123456' needs a version of one to three numbers, each with up to nine digits and no leading zeros": _abi(
            "numpy", "20240101123456"
        ),
    },
}


def _row(name: str, changes: _Changes, effect: str, said: Mapping[str, str]) -> Row:
    schema, values = changes if isinstance(changes, tuple) else ("0.2.0", changes)
    return Row(name, schema, values, effect, said)


ROWS = [
    *(_row(name, changes, NONE, {}) for name, changes in _KEPT.items()),
    *(
        _row(problem, changes, effect, {rule: problem})
        for (rule, effect), rows in _BROKEN.items()
        for problem, changes in rows.items()
    ),
]
