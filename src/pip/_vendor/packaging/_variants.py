"""What packaging itself may one day hold: the grammar of variant file names.

PEP 825, "File name" and "Index-level metadata". The only owner of that grammar; it
imports nothing outside packaging, because other programs import pip's packaging.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from typing import Concatenate, ParamSpec, TypeVar

    from .utils import NormalizedName
    from .version import Version

    P = ParamSpec("P")
    R = TypeVar("R")

__all__ = [
    "InvalidManifestFilename",
    "MANIFEST_SUFFIX",
    "NULL_LABEL",
    "is_valid_label",
    "parse_manifest_filename",
    "parse_wheel_filename",
    "split_label",
]

#: The label of the variant without properties.
NULL_LABEL = "null"
MANIFEST_SUFFIX = "-variants.json"

_DIGITS = tuple("0123456789")
_LABEL = re.compile(r"[0-9a-z_.]+")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?")


class InvalidManifestFilename(ValueError):
    """A file name is not ``{name}-{version}-variants.json``."""


def is_valid_label(text: str) -> bool:
    """Tell whether *text* may be the label of a variant."""
    return _LABEL.fullmatch(text) is not None


def split_label(filename: str) -> tuple[str, str | None]:
    """Split a wheel's file name into the name without a label, and the label.

    The label is the last of seven parts, or of six when the third is no build
    number. A name of any other form is given back as it is, with ``None``; whether
    it is a valid one is for :func:`packaging.utils.parse_wheel_filename` to say.
    """
    if filename.count("-") not in (5, 6) or not filename.endswith(".whl"):
        return filename, None
    parts = filename[: -len(".whl")].split("-")
    has_build_number = parts[2].startswith(_DIGITS)
    if len(parts) != 6 + has_build_number:
        return filename, None
    label = parts.pop()
    if not is_valid_label(label):
        return filename, None
    return "-".join(parts) + ".whl", label


def parse_wheel_filename(
    fn: Callable[Concatenate[str, P], R],
) -> Callable[Concatenate[str, P], R]:
    """Let *fn* accept the names of variant wheels, which it parses without label."""

    @functools.wraps(fn)
    def parse(filename: str, *args: P.args, **kwargs: P.kwargs) -> R:
        return fn(split_label(filename)[0], *args, **kwargs)

    return cast("Callable[Concatenate[str, P], R]", parse)


def parse_manifest_filename(filename: str) -> tuple[NormalizedName, Version]:
    """Parse ``{name}-{version}-variants.json`` into project and version.

    Spellings that are not normalised are accepted: mirrors and hand-made folders
    have them.

    :raises InvalidManifestFilename: if *filename* has another form; a hyphen in the
        name is one, since it would be ambiguous.
    """
    from .utils import canonicalize_name
    from .version import InvalidVersion, Version

    if not filename.endswith(MANIFEST_SUFFIX):
        raise InvalidManifestFilename(f"not a variants manifest: {filename!r}")
    name, dash, version = filename[: -len(MANIFEST_SUFFIX)].partition("-")
    if not dash or _NAME.fullmatch(name) is None:
        raise InvalidManifestFilename(f"invalid project name in {filename!r}")
    try:
        return canonicalize_name(name), Version(version)
    except InvalidVersion:
        raise InvalidManifestFilename(f"invalid version in {filename!r}") from None
