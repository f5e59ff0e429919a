"""What publishers need to know of the core metadata of a wheel."""

from __future__ import annotations

from email.parser import BytesHeaderParser

from pip._vendor.packaging.requirements import InvalidRequirement, Requirement

__all__ = ["requires_python", "variant_marked"]

_VARIANT_NAMES = (
    "variant_label",
    "variant_properties",
    "variant_features",
    "variant_namespaces",
)


def requires_python(metadata: bytes) -> str | None:
    """Give the versions of Python that a wheel asks for, as written."""
    value = BytesHeaderParser().parsebytes(metadata).get("Requires-Python")
    return None if value is None else str(value)


def variant_marked(metadata: bytes) -> tuple[str, ...]:
    """Give the dependencies whose markers ask for the variant (PEP 825)."""
    if b"variant_" not in metadata:
        return ()
    message = BytesHeaderParser().parsebytes(metadata)
    return tuple(
        text
        for text in map(str, message.get_all("Requires-Dist", ()))
        if _asks_for_variant(text)
    )


def _asks_for_variant(text: str) -> bool:
    try:
        marker = str(Requirement(text).marker or "")
    except (InvalidRequirement, RecursionError):
        marker = text.partition(";")[2]
    return any(name in marker for name in _VARIANT_NAMES)
