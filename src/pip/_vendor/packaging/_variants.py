"""Variants in file names and markers, as packaging itself may have them one day.

PEP 825, "File name", "Index-level metadata" and "Environment markers". No other module
knows that grammar. Other programs import pip's packaging, so nothing outside of it is
imported.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from typing import ParamSpec, TypeVar

    from .markers import Marker
    from .utils import NormalizedName
    from .version import Version

    P = ParamSpec("P")
    R = TypeVar("R")

__all__ = [
    "InvalidManifestFilename",
    "MANIFEST_SUFFIX",
    "NULL_LABEL",
    "TARGET_ENVIRONMENT",
    "VARIANT_ENVIRONMENT",
    "MarkerSet",
    "evaluate_marker",
    "is_valid_label",
    "lock_package",
    "parse_manifest_filename",
    "parse_wheel_filename",
    "resolve_marker",
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
    """Tell whether *text* may be the label of a variant."""
    return text != "" and not text.strip(_LABEL_CHARACTERS)


# Called again and again for each file of a release.
@functools.lru_cache(maxsize=8192)
def split_label(filename: str) -> tuple[str, str | None]:
    """Split a wheel's file name into the name without a label, and the label.

    The label is the last of seven parts, or of six when the third is no build
    number. A name of any other form is returned unchanged, with ``None``; whether it
    is valid is for :func:`packaging.utils.parse_wheel_filename` to say.
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


def parse_wheel_filename(fn: Callable[..., R]) -> Callable[..., R]:
    """Let *fn* accept the names of variant wheels; it parses them without the label."""

    # Upstream parses each name three times, and variants of a release differ in the label.
    @functools.wraps(fn)
    @functools.lru_cache(maxsize=8192)
    def parse(filename: str, **options: Any) -> R:
        plain, label = split_label(filename)
        if label is None:
            return fn(filename, **options)
        try:
            return parse(plain, **options)
        except ValueError as error:
            from .utils import InvalidWheelFilename

            if isinstance(error, InvalidWheelFilename):
                raise
            # Python refuses to make a number of thousands of digits.
            raise InvalidWheelFilename(
                f"Invalid wheel filename (a number is too long): {filename!r}"
            ) from None

    return parse


def parse_manifest_filename(filename: str) -> tuple[NormalizedName, Version]:
    """Parse ``{name}-{version}-variants.json`` into project and version.

    Spellings that are not normalised are accepted: mirrors and hand-made folders
    have them.

    :raises InvalidManifestFilename: *filename* has another form; with a hyphen in the
        name it would be ambiguous.
    """
    from .utils import canonicalize_name
    from .version import Version

    if not filename.endswith(MANIFEST_SUFFIX):
        raise InvalidManifestFilename(f"not a variants manifest: {filename!r}")
    name, dash, version = filename[: -len(MANIFEST_SUFFIX)].partition("-")
    if not dash or re.fullmatch(_NAME_FORM, name) is None:
        raise InvalidManifestFilename(f"invalid project name in {filename!r}")
    try:
        return canonicalize_name(name), Version(version)
    except ValueError:  # InvalidVersion, or thousands of digits
        raise InvalidManifestFilename(f"invalid version in {filename!r}") from None


def lock_package(fn: Callable[P, R]) -> Callable[P, R]:
    """Keep the manifest of a package in a lock file, as it was written.

    :return: makes packages that have an attribute ``variants_json`` if they have one.
    """

    @functools.wraps(fn)
    def from_dict(*args: P.args, **kwargs: P.kwargs) -> R:
        package = fn(*args, **kwargs)
        table = cast("Mapping[str, Any]", args[1])
        if "variants-json" in table:
            # The class is frozen.
            object.__setattr__(package, "variants_json", table["variants-json"])
        return package

    return from_dict


class MarkerSet(frozenset[str]):
    """A set of properties, features or namespaces, as a marker sees it.

    White space around ``::`` does not matter; a part of a member is no member.
    """

    def __new__(cls, members: Iterable[str] = ()) -> MarkerSet:
        """Make a set of members without white space around ``::``."""
        return super().__new__(cls, map(_without_space, members))

    def __contains__(self, member: object) -> bool:
        return isinstance(member, str) and super().__contains__(_without_space(member))


def _without_space(text: str) -> str:
    return "::".join(part.strip() for part in text.split("::"))


_Environment = Mapping[str, "str | AbstractSet[str]"]

#: What markers are to know of a machine other than this one: empty by default.
TARGET_ENVIRONMENT: dict[str, str] = {}

#: What markers know about the wheel that they are evaluated for: by default, that it is
#: no variant.
VARIANT_ENVIRONMENT: ContextVar[_Environment] = ContextVar(
    "VARIANT_ENVIRONMENT",
    default=MappingProxyType(
        {
            "variant_label": "",
            "variant_properties": MarkerSet(),
            "variant_features": MarkerSet(),
            "variant_namespaces": MarkerSet(),
        }
    ),
)


def evaluate_marker(fn: Callable[..., bool]) -> Callable[..., bool]:
    """Let markers be evaluated for the variant in question."""

    @functools.wraps(fn)
    def evaluate(
        self: Marker,
        environment: _Environment | None = None,
        context: str = "metadata",
    ) -> bool:
        of_wheel = VARIANT_ENVIRONMENT.get()
        given = {**TARGET_ENVIRONMENT, **of_wheel, **(environment or {})}
        return fn(self, given, context)

    return evaluate


def resolve_marker(marker: Marker, environment: _Environment) -> Marker | None:
    """Return what is left of a marker once the variant is known.

    It has no names about variants, so it can be evaluated where the variant is no longer
    known.

    :return: None if it always holds.
    """
    from .markers import Marker, _format_marker

    rest = _reduce(marker._markers, environment)
    if rest is True:
        return None
    if rest is False:
        # Never holds, and every version of packaging can read it.
        return Marker('python_version < "0"')
    return Marker(_format_marker(rest))


def _reduce(markers: list[Any], environment: _Environment) -> Any:
    """Reduce a list of atoms, lists, "and" and "or" to a shorter one or a boolean."""
    alternatives: list[list[Any]] = [[]]
    for item in markers:
        if item == "or":
            alternatives.append([])
        elif item != "and":
            alternatives[-1].append(_reduce_item(item, environment))
    left: list[Any] = []
    for terms in alternatives:
        if any(term is False for term in terms):
            continue
        terms = [term for term in terms if term is not True]
        if not terms:
            return True
        if left:
            left.append("or")
        for position, term in enumerate(terms):
            left += ["and", term] if position else [term]
    return left or False


def _reduce_item(item: Any, environment: _Environment) -> Any:
    if isinstance(item, list):
        return _reduce(item, environment)
    from .markers import Variable, _evaluate_markers

    lhs, _, rhs = item
    if any(
        isinstance(side, Variable) and side.value in environment for side in (lhs, rhs)
    ):
        return _evaluate_markers([item], dict(environment))
    return item
