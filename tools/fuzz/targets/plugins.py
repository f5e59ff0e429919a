"""Fuzz the results of provider plugins, as bytes and as objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st

from pip._vendor.wheel_variants.properties import (
    SupportedFeature,
    is_valid_feature_name,
    is_valid_value,
)

from pip._internal.variants.providers import plugin_child, plugin_query
from pip._internal.variants.providers.plugin_query import PluginFailed
from tools.fuzz.shapes import ANYTHING, VALUE, mostly, named
from tools.fuzz.target import FuzzTarget, check_text, structured

__all__ = ["TARGETS"]


def _read(data: bytes) -> None:
    try:
        found = plugin_query._features(data, 0)
    except PluginFailed as error:
        check_text(str(error))
    else:
        _check(found)


def _check(found: tuple[SupportedFeature, ...]) -> None:
    names = [feature.name for feature in found]
    assert len(set(names)) == len(names)
    for feature in found:
        assert is_valid_feature_name(feature.name)
        assert feature.values
        assert all(map(is_valid_value, feature.values))
        assert len(set(feature.values)) == len(feature.values)


_VALUES = st.lists(mostly(VALUE), max_size=5)
_CONFIG = mostly(
    st.builds(
        SimpleNamespace,
        name=named("level", "sm_arch", "f", "g"),
        values=mostly(_VALUES, _VALUES.map(tuple) | ANYTHING),
    )
)


def _check_configs(configs: Any) -> None:
    try:
        features = plugin_child.described(configs)
    except plugin_child.PluginFault as error:
        answer: dict[str, Any] = {"fault": str(error)}
    else:
        answer = {"features": features}
    _read(json.dumps(answer).encode("ascii"))


def _seeds() -> Iterator[bytes]:
    yield b'{"features": [["level", ["v3", "v2"]], ["sm_arch", ["90_real"]]]}'
    yield b'{"fault": "ImportError: no module"}'


TARGETS = (
    structured("plugin-objects", _check_configs, mostly(st.lists(_CONFIG, max_size=6))),
    FuzzTarget("plugin-answer", _read, _seeds),
)
