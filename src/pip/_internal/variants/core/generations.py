"""The versions of the metadata format that there have been, and what each consists of.

What was replaced is described too: releases of that kind are published, and judged by
what held for them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = [
    "CURRENT",
    "Generation",
    "GENERATIONS",
    "WITHOUT_PROVIDERS",
    "generation_with_key",
    "named_generation",
]

_HOST = "https://variants-schema.wheelnext.dev"
_VERSION = re.compile(r"v([0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Generation:
    """A version of the format.

    :ivar schema: what ``$schema`` says.
    :ivar root: keys of the document beside ``$schema``.
    :ivar required: those of them that may not be left out.
    :ivar priorities: keys of ``default-priorities``.
    :ivar provider: keys of a provider.
    :ivar label_length: how long a label may be.
    :ivar replaced_by: the version to write in place of this one, if it is outdated.
    """

    version: str
    schema: str
    root: frozenset[str]
    required: frozenset[str]
    priorities: frozenset[str]
    provider: frozenset[str]
    label_length: int | None = None
    replaced_by: str | None = None


_ALWAYS = frozenset({"default-priorities", "variants"})
_WITH_PROVIDERS = _ALWAYS | {"providers"}
_ORDERS = frozenset({"namespace", "feature", "property"})
_PLUGIN = frozenset({"requires", "plugin-api", "enable-if", "optional"})
_LONGEST_DRAFT_LABEL = 16

_ALL = (
    Generation(
        "0.0.2",
        f"{_HOST}/v0.0.2.json",
        _WITH_PROVIDERS,
        _WITH_PROVIDERS,
        _ORDERS,
        _PLUGIN | {"plugin-use"},
        _LONGEST_DRAFT_LABEL,
        "0.2.0",
    ),
    Generation(
        "0.0.3",
        f"{_HOST}/v0.0.3.json",
        _WITH_PROVIDERS | {"static-properties"},
        _WITH_PROVIDERS,
        _ORDERS,
        _PLUGIN | {"install-time"},
        _LONGEST_DRAFT_LABEL,
        "0.2.0",
    ),
    Generation(
        "0.1.0",
        f"{_HOST}/peps/825/v0.1.0.json",
        _ALWAYS,
        _ALWAYS,
        _ORDERS,
        frozenset(),
        _LONGEST_DRAFT_LABEL,
        "0.1.1",
    ),
    Generation(
        "0.1.1",
        f"{_HOST}/peps/825/v0.1.1.json",
        _ALWAYS,
        _ALWAYS,
        frozenset({"namespace"}),
        frozenset(),
    ),
    Generation(
        "0.2.0",
        f"{_HOST}/peps/850/v0.2.0.json",
        _WITH_PROVIDERS,
        _WITH_PROVIDERS,
        frozenset({"namespace"}),
        frozenset(
            {"requires", "plugin-api", "optional"}
            | {"static-properties", "feature-order", "builtin"}
        ),
    ),
)

#: By version.
GENERATIONS: Mapping[str, Generation] = {each.version: each for each in _ALL}

#: What is written unless the user wants another one.
CURRENT = GENERATIONS["0.2.0"]
#: The format of PEP 825 alone.
WITHOUT_PROVIDERS = GENERATIONS["0.1.1"]


def named_generation(schema: str) -> Generation | None:
    """Give the generation that a schema's URL names, whatever the host."""
    found = _VERSION.findall(schema)
    return GENERATIONS.get(found[-1]) if found else None


def generation_with_key(key: str) -> Generation | None:
    """Give the newest generation that has *key* in its document or its providers."""
    for generation in reversed(_ALL):
        if key in generation.root | generation.provider:
            return generation
    return None
