"""What provider plugins answer: the bytes they leave, and the objects they return."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from pip._vendor.wheel_variants.properties import (
    SupportedFeature,
    is_valid_feature_name,
    is_valid_value,
)

from pip._internal.variants.providers import plugin_child, plugin_query
from pip._internal.variants.providers.plugin_query import PluginFailed
from tools.fuzz.choices import Choices
from tools.fuzz.shapes import VALUES
from tools.fuzz.target import Target, said, structured

__all__ = ["TARGETS"]


def _read(data: bytes) -> None:
    try:
        read = plugin_query._read(io.BytesIO(data), math.inf)
        found = plugin_query._features(plugin_query._document(read, 0))
    except PluginFailed as error:
        said(str(error))
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


def _config(choices: Choices) -> Any:
    names = ("level", "sm_arch", "f", "g")
    values = choices.mostly(
        lambda: choices.several(
            lambda: choices.mostly(lambda: choices.one_of(VALUES)), 0, 5
        )
    )
    if isinstance(values, list) and choices.rarely():
        values = tuple(values)
    name = choices.mostly(lambda: choices.one_of(names))
    return choices.mostly(lambda: SimpleNamespace(name=name, values=values))


def _check_configs(choices: Choices) -> None:
    configs = choices.mostly(lambda: choices.several(lambda: _config(choices), 0, 6))
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
    structured("plugin-objects", _check_configs),
    Target("plugin-answer", _read, _seeds, tokens=[b'"features"', b'"fault"', b"[["]),
)
