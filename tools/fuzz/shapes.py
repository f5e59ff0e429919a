"""Hypothesis strategies that turn bytes into nearly valid data."""

from __future__ import annotations

from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

__all__ = ["ANYTHING", "DOCUMENTS", "MACHINES", "TEXT", "VALUE", "mostly", "named"]

T = TypeVar("T")

#: Texts that have broken programs: terminals, regular expressions, encodings, file systems,
#: parsers of numbers.
_HOSTILE = (
    *("", " ", "\n", "v3\n", "\x00", "\x1b[31m", "\x9b2J", "\r", "\u202e", "\ud800"),
    *("\u0663", "\N{LATIN SMALL LIGATURE FI}", "..", "../../etc/passwd", "NUL", "null"),
    *("-", "--index-url", "::", "[red]", "%(x)s", "{0}", "9" * 5000, "a" * 300),
)
_SCALARS = (
    *(None, True, False, 0, 1, -1, 2**70, 1.5, 1e308, float("inf"), float("nan")),
    *("", "v3", "nvidia"),
)
#: Any text, often a hostile one.
TEXT = st.sampled_from(_HOSTILE) | st.text(max_size=16)
#: Any JSON value, and other values that Python's JSON parser accepts.
ANYTHING: SearchStrategy[Any] = st.recursive(
    st.sampled_from(_SCALARS) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=6,
)


def mostly(
    usual: SearchStrategy[T], unusual: SearchStrategy[Any] = ANYTHING
) -> SearchStrategy[Any]:
    """Generate the usual data; one time in 32, anything else."""
    return st.integers(0, 31).flatmap(lambda n: unusual if n == 31 else usual)


def named(*names: str) -> SearchStrategy[str]:
    """Generate one of these names; rarely any text."""
    return mostly(st.sampled_from(names), TEXT)


_NAMESPACES = ("nvidia", "x86_64", "abi_dependency", "a", "b", "0")
_FEATURES = ("cuda_version_lower_bound", "sm_arch", "level", "f", "g")
_SCHEMAS = (
    *("v0.0.2.json", "v0.0.3.json", "peps/825/v0.1.1.json", "peps/850/v0.2.0.json"),
    *("v9.9.9.json", "v0.2.0.json/v0.0.2.json", "v99999999999.0.0.json"),
    *("v0.2.0.json\x1b[31m", "v0.2.0.json\n", "\u202ev0.2.0.json"),
)
_MARKERS = (
    *("platform_system == 'Linux'", "python_version < '3'", "variant_label == 'a'"),
    *("'nvidia' in variant_namespaces", "(" * 200 + "os_name == 'x'" + ")" * 200),
    *("os_name ~= 'x'", "'9999999999' in platform_version", "os_name == '\x1b[31m'"),
)
_REQUIREMENTS = (
    *("nvidia-variant-provider>=0.0.1", "x", "y; os_name == 'nt'", "x[a,b]", "../x"),
    *("x @ https://x.example/y.whl", "x; " + "(" * 400, "x\x1b[31m"),
)
#: A value of a property.
VALUE = st.sampled_from(
    ("1", "2", "12.8", "12.9", "v3", "90_real", "on", ".", "2.8", "9" * 20)
)
_NAMESPACE, _FEATURE = named(*_NAMESPACES), named(*_FEATURES)
_OF_NAMESPACE = st.dictionaries(
    _FEATURE,
    mostly(st.lists(mostly(VALUE), min_size=1, max_size=4)),
    min_size=1,
    max_size=3,
)
_PROPERTIES = st.dictionaries(_NAMESPACE, mostly(_OF_NAMESPACE), max_size=3)
_ORDER = st.lists(_FEATURE, max_size=4)
_PRIORITIES = st.fixed_dictionaries(
    # The permutation contains all namespaces, so that the used ones are ranked.
    {"namespace": mostly(st.permutations(_NAMESPACES))},
    optional={
        "feature": mostly(st.dictionaries(_NAMESPACE, mostly(_ORDER), max_size=3)),
        "property": mostly(_PROPERTIES),
    },
)
_PROVIDER = st.fixed_dictionaries(
    {},
    optional={
        "requires": mostly(st.lists(st.sampled_from(_REQUIREMENTS), max_size=3)),
        "plugin-api": mostly(st.sampled_from(("x:y", "x", ":", "x:y z", "\x1b[31m"))),
        "optional": mostly(st.booleans()),
        "enable-if": mostly(st.sampled_from(_MARKERS)),
        "plugin-use": mostly(st.sampled_from(("all", "none", "build", "else"))),
        "install-time": mostly(st.booleans()),
        "static-properties": mostly(_OF_NAMESPACE),
        "feature-order": mostly(_ORDER),
        "builtin": mostly(st.sampled_from(("abi_dependency", "x", "\x1b[31m"))),
        "unknown": ANYTHING,
    },
)
_LABEL = named("cu128", "cu129", "a", "b", "null", "00000000", ".", "_")
#: Manifests of any schema version.
DOCUMENTS = mostly(
    st.fixed_dictionaries(
        {
            "default-priorities": mostly(_PRIORITIES),
            "variants": mostly(
                st.dictionaries(_LABEL, mostly(_PROPERTIES), min_size=1, max_size=5)
            ),
        },
        optional={
            "$schema": mostly(
                st.sampled_from(_SCHEMAS).map(
                    lambda end: f"https://schemas.example/{end}"
                )
            ),
            "providers": mostly(
                st.dictionaries(_NAMESPACE, mostly(_PROVIDER), max_size=4)
            ),
            "static-properties": mostly(_PROPERTIES),
        },
    )
)
#: The supported properties of a machine, by namespace and feature, best first.
MACHINES = st.dictionaries(
    st.sampled_from(_NAMESPACES),
    st.dictionaries(
        st.sampled_from(_FEATURES),
        st.lists(VALUE, min_size=1, max_size=4, unique=True),
        max_size=4,
    ),
    max_size=5,
)
