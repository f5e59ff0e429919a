"""One lock file for several platforms and Pythons.

Each environment is locked separately, as ``--variant-host`` would; then their documents
are merged. Markers in the file keep the environments apart.
"""

from __future__ import annotations

import itertools
import logging
import optparse
import re
from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pip._vendor.packaging.markers import Marker
from pip._vendor.packaging.pylock import Pylock
from pip._vendor.packaging.version import Version
from pip._vendor.wheel_variants.labels import split_label

from pip._internal.console.output import get_logger
from pip._internal.variants.errors import ContradictoryOptions, VariantError
from pip._internal.variants.locks.conditions import Group, LockedVariant, group_names
from pip._internal.variants.providers.host_names import named_platform
from pip._internal.variants.selection.mode import Mode
from pip._internal.variants.selection.settings import (
    VARIANT_HOST,
    Settings,
    for_environment,
)
from pip._internal.variants.slots import LOCK_ENVIRONMENT, LOCKED

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.commands.lock import LockCommand
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.run import Run

__all__ = [
    "Document",
    "Documents",
    "PreferLocked",
    "lock_each",
    "merged",
    "these_first",
]

logger = get_logger(__name__)

_Table = Mapping[str, Any]


class Document(NamedTuple):
    """A lock file for one environment.

    :ivar name: of the environment, as the user typed it.
    :ivar environment: the environment markers that tell it from others.
    :ivar content: the file, as TOML has it.
    """

    name: str
    environment: Mapping[str, str]
    content: _Table


class SameEnvironment(VariantError):
    """Two environments need different packages, and markers cannot tell them apart."""

    reference = "variant-lock-environments"

    def __init__(self, one: Document, other: Document, project: str) -> None:
        super().__init__(
            f"Cannot lock for both {one.name} and {other.name} in one file.",
            f"Environment markers cannot tell them apart, and they need different files of "
            f"{project}.",
            f"Lock each in its own file: pip lock --environment {one.name} -o "
            "pylock.NAME.toml",
        )


class _Locked(Exception):
    """The document of one environment is complete, and others follow."""


class Documents:
    """The documents of the environments that are locked so far.

    :ivar name: the environment that is locked just now.
    :ivar is_last: whether no other one follows.
    :ivar versions: of each project, those that are locked.
    """

    def __init__(self) -> None:
        self.name, self.is_last = "", False
        self.versions: dict[str, set[_BaseVersion]] = defaultdict(set)
        self._documents: list[Document] = []

    def add(self, lock: Pylock, environment: Mapping[str, str]) -> Pylock:
        """Add the document of the environment that is locked just now.

        :return: what to write.
        :raises _Locked: if other environments follow.
        """
        content = lock.to_dict()
        self._documents.append(Document(self.name, environment, content))
        for package in content["packages"]:
            if "version" in package:
                self.versions[package["name"]].add(Version(package["version"]))
        if not self.is_last:
            raise _Locked
        documents = _told_apart(self._documents)
        content = merged(documents)
        _report(documents, content)
        # pip uses nothing else of it.
        return cast("Pylock", SimpleNamespace(to_dict=lambda: content))


class PreferLocked(Mode):
    """``pip lock --environment``: prefer the versions that earlier environments have."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.locked = LOCKED.of(run.settings.options, Documents)

    def infos(
        self,
        infos: Callable[[], Iterator[IndexCandidateInfo]],
        project: NormalizedName,
        specifier: SpecifierSet,  # noqa: ARG002
    ) -> Iterator[IndexCandidateInfo]:
        """Put versions first that are locked for another environment."""
        versions = self.locked.versions.get(project) if self.locked else None
        return these_first(versions, infos) if versions else infos()

    def solve(
        self,
        resolve_once: Callable[[], RequirementSet],
        resolver: Resolver,  # noqa: ARG002
    ) -> RequirementSet:
        """Resolve once; each requirement knows the documents and the environment."""
        found, target = resolve_once(), self.run.target.described
        for requirement in found.requirements.values():
            # Upstream hands nothing else on to what writes the lock file.
            LOCKED.set(requirement, self.locked)
            if target is not None and target.telling:
                LOCK_ENVIRONMENT.set(requirement, target.telling)
        return found


def these_first(
    versions: Collection[_BaseVersion],
    infos: Callable[[], Iterator[IndexCandidateInfo]],
) -> Iterator[IndexCandidateInfo]:
    """Yield some versions before all others, and look at no more than is asked for."""
    passed, seen, left = [], set(), infos()
    for info in left:
        if info[0] in versions:
            seen.add(info[0])
            yield info
        else:
            passed.append(info)
            if len(seen) == len(versions):
                break
    yield from passed
    yield from left


def lock_each(
    lock: Callable[..., int],
    command: LockCommand,
    options: optparse.Values,
    args: Sequence[str],
) -> int:
    """Lock for each environment that the user named, and write one file.

    :raises InvalidEnvironment: if a name has hardware.
    :raises InvalidHostFile: if there is no such platform.
    :raises UnknownHost: if one is no name.
    :raises ContradictoryOptions: if the user also typed a host.
    :raises SameEnvironment: if two environments cannot be in one file.
    """
    names = [*dict.fromkeys(options.environments)]
    for name in names:
        named_platform(name)
    settings = Settings(options)
    if settings.variant_host is not None and settings.is_typed(VARIANT_HOST.name):
        raise ContradictoryOptions(
            f"--environment {names[0]}",
            f"--variant-host {settings.variant_host}",
            "Both name the platform to lock for.",
        )
    documents, status = Documents(), 0
    for name in names:
        documents.name, documents.is_last = name, name == names[-1]
        logger.info("Locking for %s", name)
        own = for_environment(name, options)
        LOCKED.set(own, documents)
        try:
            with _warned_once(is_first=name == names[0]):
                status = lock(command, own, [*args])
        except _Locked:
            continue
    return status


@contextmanager
def _warned_once(*, is_first: bool) -> Iterator[None]:
    """Leave out what upstream says at the start of each run of the command."""
    from pip._internal.commands.lock import logger as of_command

    def is_new(record: logging.LogRecord) -> bool:
        return is_first or "experimental" not in str(record.msg)

    of_command.addFilter(is_new)
    try:
        yield
    finally:
        of_command.removeFilter(is_new)


# Merging: pure.


def _told_apart(documents: Sequence[Document]) -> list[Document]:
    """Return the documents whose environments differ; equal ones become one.

    :raises SameEnvironment: if markers cannot tell apart two that differ in packages.
    """
    kept: list[Document] = []
    for document in documents:
        same = [each for each in kept if each.environment == document.environment]
        if not same:
            kept.append(document)
            continue
        one, other = same[0].content["packages"], document.content["packages"]
        differing = [
            each["name"]
            for each in (*one, *other)
            if each not in one or each not in other
        ]
        if differing:
            raise SameEnvironment(same[0], document, differing[0])
    return kept


def merged(documents: Sequence[Document]) -> dict[str, Any]:
    """Return one lock file for several environments, no two of them equal.

    A package that is the same in all of them comes once. Otherwise each has a marker that
    says for which environments it is.
    """
    environments = [each.environment for each in documents]
    listed = [each.content["packages"] for each in documents]
    names = _group_names(itertools.chain.from_iterable(listed))
    # Each file numbers groups whose names would be equal.
    renamed = [
        {old: names[group] for group, old in _group_names(each).items()}
        for each in listed
    ]
    groups = {
        own.get(group, group)
        for each, own in zip(documents, renamed, strict=True)
        for group in each.content.get("default-groups", ())
    }
    markers = (" and ".join(_equal(each, each)) for each in environments)
    first = documents[0].content
    return {
        "lock-version": first["lock-version"],
        "environments": [str(Marker(marker)) for marker in markers],
        **({"default-groups": sorted(groups)} if groups else {}),
        "created-by": first["created-by"],
        "packages": [
            _entry(package, marker, _only_for(some, environments))
            for package, marker, some in _unique(documents, renamed)
        ],
    }


def _unique(
    documents: Sequence[Document], renamed: Sequence[Mapping[str, str]]
) -> list[tuple[_Table, str | None, list[Mapping[str, str]]]]:
    """Return each package that differs, its marker, and the environments that have it."""
    found: list[tuple[_Table, str | None, list[Mapping[str, str]]]] = []
    for document, names in zip(documents, renamed, strict=True):
        for package in document.content["packages"]:
            rest = {key: value for key, value in package.items() if key != "marker"}
            marker = _renamed(package.get("marker"), names)
            same = [each for each in found if each[:2] == (rest, marker)]
            if same:
                same[0][2].append(document.environment)
            else:
                found.append((rest, marker, [document.environment]))
    return sorted(
        found, key=lambda each: (each[0]["name"], Version(each[0].get("version", "0")))
    )


def _group_names(packages: Iterable[_Table]) -> Mapping[Group, str]:
    """Name the groups of the packages with variants in a file, as its readers do."""
    return group_names(
        LockedVariant(package["name"], split_label(wheel["name"])[1])
        for package in packages
        if "variants-json" in package
        for wheel in package["wheels"]
    )


def _renamed(marker: str | None, names: Mapping[str, str]) -> str | None:
    if marker is None:
        return None
    return re.sub(r'"([^"]*)"', lambda each: f'"{names.get(each[1], each[1])}"', marker)


def _entry(package: _Table, marker: str | None, environment: str | None) -> _Table:
    both = [f"({each})" for each in (environment, marker) if each is not None]
    if not both:
        return package
    marker = str(Marker(" and ".join(both)))
    head = {key: package[key] for key in ("name", "version") if key in package}
    return {**head, "marker": marker, **package}


def _only_for(
    some: Sequence[Mapping[str, str]], environments: Sequence[Mapping[str, str]]
) -> str | None:
    """Return the marker of some of the environments; None for all of them."""
    others = [each for each in environments if each not in some]
    if not others:
        return None
    for name in some[0]:
        values = dict.fromkeys(each[name] for each in some)
        if values.keys().isdisjoint(each[name] for each in others):
            return " or ".join(f"{name} == {value!r}" for value in values)
    differing = [
        name for name in some[0] if len({each[name] for each in environments}) > 1
    ]
    return " or ".join(f"({' and '.join(_equal(each, differing))})" for each in some)


def _equal(environment: Mapping[str, str], names: Iterable[str]) -> Iterator[str]:
    return (f"{name} == {environment[name]!r}" for name in names)


def _report(documents: Sequence[Document], content: _Table) -> None:
    """Report which versions differ, and who can read the file."""
    versions: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for document in documents:
        for package in document.content["packages"]:
            listed = versions[package["name"]].setdefault(document.name, [])
            listed.append(package.get("version", ""))
    for project, each in versions.items():
        found: dict[str, list[str]] = defaultdict(list)
        for document in documents:
            listed = each.get(document.name, [])
            found[", ".join(listed) if listed else "not locked"].append(document.name)
        if len(found) > 1:
            said = (f"{what} for {', '.join(names)}" for what, names in found.items())
            logger.info("Differs: %s %s", project, "; ".join(said))
    if any("variants-json" in package for package in content["packages"]):
        logger.info(
            "The lock file has variants: on every platform, only installers that know "
            "variant labels can read it. For a file that all can read, add --no-variants."
        )
