"""Merge lock files for several platforms and Pythons.

pip locks each environment separately, as with ``--variant-host``, and merges the documents.
Markers in the file distinguish the environments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from optparse import Values
from typing import TYPE_CHECKING, Any, NamedTuple

from pip._vendor.packaging.markers import Marker
from pip._vendor.packaging.version import Version

from pip._internal.console.output import get_logger
from pip._internal.variants.errors import ContradictoryOptions, VariantError
from pip._internal.variants.output.invocation import again
from pip._internal.variants.providers.host_names import named_platform
from pip._internal.variants.settings import VARIANT_HOST, Settings, for_environment

if TYPE_CHECKING:
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.commands.lock import LockCommand

logger = get_logger(__name__)

_Table = Mapping[str, Any]


class Document(NamedTuple):
    """A lock file for one environment.

    :ivar name: the name of the environment, as typed.
    :ivar environment: the markers that distinguish this environment from other environments.
    :ivar content: the TOML content of the file.
    """

    name: str
    environment: Mapping[str, str]
    content: _Table


class SameEnvironment(VariantError):
    """Markers cannot distinguish two environments with different packages."""

    reference = "variant-lock-environments"

    def __init__(self, options: Values, both: Sequence[Document], project: str) -> None:
        super().__init__(
            f"Cannot lock for both {both[0].name} and {both[1].name} in one file.",
            "A file distinguishes only systems, CPU architectures, interpreters and minor "
            f"versions of Python, but these environments need different files of '{project}'.",
            [
                again(options, "--environment", x.name, "--output", f"pylock.{i}.toml")
                for i, x in enumerate(both, 1)
            ],
        )


class _Locked(Exception):
    """The document of one environment is complete; others follow."""


class Documents:
    """The documents of the environments locked so far.

    :ivar name: the name of the current environment.
    :ivar environment: the markers that distinguish this environment from other environments.
    :ivar is_last: whether this is the last environment.
    :ivar versions: the locked versions of each project.
    """

    def __init__(self, options: Values) -> None:
        self.name, self.is_last, self._options = "", False, options
        self.environment: Mapping[str, str] = {}
        self.versions: dict[str, set[_BaseVersion]] = defaultdict(set)
        self._documents: list[Document] = []

    def add(self, content: _Table) -> _Table:
        """Add the document of the current environment.

        :return: the document to write.
        :raises _Locked: if other environments follow.
        """
        self._documents.append(Document(self.name, self.environment, content))
        for package in content["packages"]:
            if "version" in package:
                self.versions[package["name"]].add(Version(package["version"]))
        if not self.is_last:
            raise _Locked
        documents = _distinct(self._options, self._documents)
        content = merged(documents)
        _report(documents, content)
        return content


_current: Documents | None = None


def current_documents() -> Documents | None:
    """Return the documents of ``pip lock --environment``; None for other commands."""
    return _current


def lock_each(
    lock: Callable[..., int], command: LockCommand, options: Values, args: Sequence[str]
) -> int:
    """Lock for each of the user's environments, and write one file.

    :raises InvalidHostFile: if a named platform does not exist, or a name includes hardware.
    :raises UnknownHost: if a name is invalid.
    :raises ContradictoryOptions: if the user also typed a host.
    :raises SameEnvironment: if one file cannot contain two of the environments.
    """
    names = [*dict.fromkeys(options.environments)]
    for name in names:
        named_platform(name)
    settings = Settings(options)
    if settings.variant_host is not None and settings.is_typed(VARIANT_HOST.name):
        raise ContradictoryOptions(
            f"--environment {names[0]}",
            f"--variant-host {settings.variant_host}",
            "Both options set the platform to lock for.",
        )
    from pip._internal.commands.lock import logger as of_command

    documents, status = Documents(options), 0
    global _current
    _current = documents
    try:
        for name in names:
            documents.name, documents.is_last = name, name == names[-1]
            logger.info("Locking for %s", name)
            with suppress(_Locked):
                status = lock(command, for_environment(name, options), [*args])
            # The command logs the same each time.
            of_command.disabled = True
    finally:
        _current, of_command.disabled = None, False
    return status


# Merging: pure.


def _distinct(options: Values, documents: Sequence[Document]) -> list[Document]:
    """Return the documents without duplicate environments.

    :raises SameEnvironment: if markers cannot distinguish two different documents.
    """
    kept: dict[Marker, Document] = {}
    for document in documents:
        other = kept.setdefault(marker_of(document.environment), document)
        one, two = other.content["packages"], document.content["packages"]
        for package in (*one, *two):
            if package not in one or package not in two:
                raise SameEnvironment(options, (other, document), package["name"])
    return list(kept.values())


def merged(documents: Sequence[Document]) -> dict[str, Any]:
    """Return one lock file for several different environments.

    A package that is the same in all environments has one entry. Other entries have a marker
    with their environments.
    """
    environments = [each.environment for each in documents]
    found: list[tuple[_Table, list[Mapping[str, str]]]] = []
    for document in documents:
        for package in document.content["packages"]:
            same = [some for each, some in found if each == package]
            if same:
                same[0].append(document.environment)
            else:
                found.append((package, [document.environment]))
    groups = {
        group for each in documents for group in each.content.get("default-groups", ())
    }
    first = documents[0].content
    markers = [str(marker_of(each)) for each in environments if each]
    return {
        "lock-version": first["lock-version"],
        **({"environments": markers} if markers else {}),
        **({"default-groups": sorted(groups)} if groups else {}),
        "created-by": first["created-by"],
        "packages": [
            with_marker(package, _only_for(some, environments), package.get("marker"))
            for package, some in sorted(found, key=lambda each: each[0]["name"])
        ],
    }


def _only_for(
    some: Sequence[Mapping[str, str]], environments: Sequence[Mapping[str, str]]
) -> str | None:
    """Return a marker that is true only in *some* of *environments*, or None for all."""
    others = [each for each in environments if each not in some]
    if not others:
        return None
    for name in some[0]:
        values = dict.fromkeys(each[name] for each in some)
        if values.keys().isdisjoint(each[name] for each in others):
            return " or ".join(f"{name} == {value!r}" for value in values)
    return " or ".join(f"({marker_of(each)})" for each in some)


def marker_of(environment: Mapping[str, str]) -> Marker:
    """Return a marker that is true only in the given environment."""
    return Marker(
        " and ".join(f"{name} == {environment[name]!r}" for name in environment)
    )


def _report(documents: Sequence[Document], content: _Table) -> None:
    """Report versions that differ between environments."""
    for project in {each["name"]: None for each in content["packages"]}:
        found: dict[str, list[str]] = defaultdict(list)
        for document in documents:
            packages = document.content["packages"]
            named = (each for each in packages if each["name"] == project)
            versions = [each.get("version", "") for each in named]
            found[", ".join(versions) or "not locked"].append(document.name)
        if len(found) > 1:
            parts = (f"{what} for {', '.join(names)}" for what, names in found.items())
            logger.info("Versions of '%s' differ: %s", project, "; ".join(parts))


def with_marker(package: _Table, marker: str | None, own: str | None = None) -> _Table:
    """Return an entry of a lock file with another marker.

    :param own: a second marker that must also be true.
    """
    if marker is None:
        return package
    both = Marker(" and ".join(f"({each})" for each in (marker, own) if each))
    head = {key: package[key] for key in ("name", "version") if key in package}
    return {**head, **{**package, "marker": str(both)}}
