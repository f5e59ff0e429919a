"""Labels in the file names of variant wheels, and the names of manifests.

PEP 825, "File name" and "Index-level metadata".
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.utils import NormalizedName
    from packaging.version import Version

__all__ = [
    "InvalidManifestFilename",
    "MANIFEST_SUFFIX",
    "NULL_LABEL",
    "is_valid_label",
    "parse_manifest_filename",
    "split_label",
]

#: The label of the variant without properties.
NULL_LABEL = "null"
MANIFEST_SUFFIX = "-variants.json"

_DIGITS = tuple("0123456789")
# No pattern is compiled here: every start of pip imports this module.
_LABEL_CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyz_."
_NAME_FORM = r"[A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?"


class InvalidManifestFilename(ValueError):
    """A file name is not ``{name}-{version}-variants.json``."""


def is_valid_label(text: str) -> bool:
    """Return whether *text* may be the label of a variant."""
    return text != "" and not text.strip(_LABEL_CHARACTERS)


# Code calls this repeatedly for each file of a release.
@functools.lru_cache(maxsize=8192)
def split_label(filename: str) -> tuple[str, str | None]:
    """Split a wheel's file name into the name without a label, and the label.

    The label is the last of seven parts, or of six if the third is not a build number.
    A name of any other form is returned unchanged, with ``None``;
    :func:`packaging.utils.parse_wheel_filename` validates it.
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


def parse_manifest_filename(filename: str) -> tuple[NormalizedName, Version]:
    """Parse ``{name}-{version}-variants.json`` into project and version.

    Names that are not normalized are accepted, because mirrors and manually created
    folders have them.

    :raises InvalidManifestFilename: if *filename* has another form; a hyphen in the name
        would be ambiguous.
    """
    from packaging.utils import canonicalize_name
    from packaging.version import Version

    if not filename.endswith(MANIFEST_SUFFIX):
        raise InvalidManifestFilename(f"not a variants manifest: {filename!r}")
    name, dash, version = filename[: -len(MANIFEST_SUFFIX)].partition("-")
    if not dash or re.fullmatch(_NAME_FORM, name) is None:
        raise InvalidManifestFilename(f"invalid project name in {filename!r}")
    try:
        return canonicalize_name(name), Version(version)
    except ValueError:  # InvalidVersion, or thousands of digits
        raise InvalidManifestFilename(f"invalid version in {filename!r}") from None
