"""Manifests and machines in a short notation, fixed or random."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from wheel_variants.manifest import Manifest
from wheel_variants.manifest_parser import parse_manifest
from wheel_variants.properties import SupportedFeature, SupportedProperties

#: By namespace, its features with their values, best first.
Machine = Mapping[str, Sequence[tuple[str, Sequence[str]]]]


def manifest(namespaces: Sequence[str], variants: Any, **priorities: Any) -> Manifest:
    content = {
        "default-priorities": {"namespace": namespaces, **priorities},
        "variants": variants,
    }
    return parse_manifest(json.dumps(content).encode())


def machine(described: Machine) -> SupportedProperties:
    return {
        namespace: tuple(SupportedFeature(name, tuple(v)) for name, v in features)
        for namespace, features in described.items()
    }


_NAMES = st.sampled_from("abc")
_VALUES = st.lists(st.sampled_from("123456"), min_size=1, unique=True)
_FEATURES = st.dictionaries(_NAMES, _VALUES, min_size=1)
VARIANTS = st.dictionaries(
    st.text("abc01.", min_size=1, max_size=3),
    st.dictionaries(_NAMES, _FEATURES),
    min_size=1,
    max_size=8,
)
MACHINES = st.dictionaries(
    _NAMES, st.dictionaries(_NAMES, _VALUES).map(lambda f: list(f.items()))
)
#: Machines that can run each of these variants, in ever other orders.
ABLE_MACHINES = st.fixed_dictionaries(
    {
        name: st.permutations(
            [(feature, tuple("123456")) for feature in "abc"]
        ).flatmap(
            lambda features: st.tuples(
                *(
                    st.tuples(st.just(feature), st.permutations(values))
                    for feature, values in features
                )
            )
        )
        for name in "abc"
    }
)
