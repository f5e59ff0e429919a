"""All versions of the metadata format, and the parts of each.

Replaced versions are included: releases in these formats are published, and are judged by
the rules of their time.
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
    "named_generation",
]

_VERSION = re.compile(r"v([0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Generation:
    """A version of the format.

    :ivar pep: the folder of its schema; empty for drafts.
    :ivar root: keys of the document beside ``$schema``.
    :ivar priorities: keys of ``default-priorities``.
    :ivar provider: keys of a provider.
    :ivar label_length: how long a label may be; None for any length.
    :ivar replaced_by: the version to write instead, if this one is outdated.
    """

    version: str
    pep: str
    root: frozenset[str]
    priorities: frozenset[str] = frozenset({"namespace"})
    provider: frozenset[str] = frozenset()
    label_length: int | None = None
    replaced_by: str | None = None

    @property
    def schema(self) -> str:
        """Return what ``$schema`` says."""
        return f"https://variants-schema.wheelnext.dev/{self.pep}v{self.version}.json"


_ALWAYS = frozenset({"default-priorities", "variants"})
_WITH_PROVIDERS = _ALWAYS | {"providers"}
_WITH_LISTS = _WITH_PROVIDERS | {"static-properties"}
_ORDERS = frozenset({"namespace", "feature", "property"})
_PLUGIN = frozenset({"requires", "plugin-api", "optional"})
_DRAFT = _PLUGIN | {"enable-if"}

#: By version.
GENERATIONS: Mapping[str, Generation] = {
    each.version: each
    for each in (
        Generation(
            "0.0.2", "", _WITH_PROVIDERS, _ORDERS, _DRAFT | {"plugin-use"}, 16, "0.2.0"
        ),
        Generation(
            "0.0.3", "", _WITH_LISTS, _ORDERS, _DRAFT | {"install-time"}, 16, "0.2.0"
        ),
        Generation("0.1.0", "peps/825/", _ALWAYS, _ORDERS, frozenset(), 16, "0.1.1"),
        Generation("0.1.1", "peps/825/", _ALWAYS),
        Generation(
            "0.2.0",
            "peps/850/",
            _WITH_PROVIDERS,
            provider=_PLUGIN | {"static-properties", "feature-order", "builtin"},
        ),
    )
}

#: What is written unless the user wants another one.
CURRENT = GENERATIONS["0.2.0"]
#: The format of PEP 825 alone.
WITHOUT_PROVIDERS = GENERATIONS["0.1.1"]


def named_generation(schema: str) -> Generation | None:
    """Return the generation that a schema's URL names, whatever the host."""
    found = _VERSION.findall(schema)
    return GENERATIONS.get(found[-1]) if found else None
