"""Tell what a new manifest means for those who rely on the old one."""

from __future__ import annotations

from collections.abc import Iterator

from pip._internal.variants.core.manifest import InvalidManifest, Manifest
from pip._internal.variants.core.manifest_parser import parse_manifest

__all__ = ["breaking_changes"]


def breaking_changes(before: bytes, after: Manifest) -> Iterator[str]:
    """Give what is not backward compatible (PEP 825, "Index-level metadata").

    :return: one sentence each, without its period.
    """
    try:
        old = parse_manifest(before)
    except InvalidManifest:
        # Nobody could rely on it.
        return
    for label, variant in sorted(old.variants.items()):
        new = after.variants.get(label)
        if new is None:
            yield f"the label {label!r} is gone"
        elif new.properties() != variant.properties():
            yield f"the label {label!r} has other properties than before"
    if after.namespaces[: len(old.namespaces)] != old.namespaces:
        yield "the namespaces are ordered differently"
