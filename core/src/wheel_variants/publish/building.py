"""Build variant wheels from ordinary ones, and ordinary ones from variants."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pip._vendor.packaging.utils import NormalizedName
from pip._vendor.packaging.version import Version
from pip._vendor.wheel_variants.generations import CURRENT, Generation
from pip._vendor.wheel_variants.known_providers import KNOWN_PROVIDERS
from pip._vendor.wheel_variants.labels import NULL_LABEL
from pip._vendor.wheel_variants.manifest import InvalidManifest, Manifest
from pip._vendor.wheel_variants.manifest_parser import parse_manifest
from pip._vendor.wheel_variants.merging import Subject, disagreements
from pip._vendor.wheel_variants.properties import Property
from pip._vendor.wheel_variants.writing import make_document, to_json

from pip._internal.console.output import get_logger
from pip._internal.variants.publishing.errors import CannotBuildVariant, CannotWrite
from pip._internal.variants.publishing.files import file_sha256, replacing
from pip._internal.variants.publishing.manifest_rules import check_manifest
from pip._internal.variants.publishing.pyproject_table import ProjectTable
from pip._internal.variants.publishing.renaming import renamed
from pip._internal.variants.publishing.wheel_copy import copy_wheel
from pip._internal.variants.publishing.wheel_file import (
    SIGNATURES,
    Advance,
    ByteProgress,
    UnreadableWheel,
    WheelFile,
    WheelName,
    open_wheel,
    variant_marked,
)

__all__ = [
    "BuildRequest",
    "BuiltWheel",
    "build_wheel",
    "judged",
    "manifests_of_release",
]

logger = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What a user wants made of one wheel.

    :ivar wheel: its path.
    :ivar label: of the result; None to make an ordinary wheel.
    :ivar from_label: whether *wheel* is a variant.
    :ivar properties: of the label; if empty, the project's table says them, or the wheel
        if it is a variant.
    :ivar namespaces: the most important first; if empty, the table or other wheels say
        them.
    :ivar providers: by namespace, as metadata of schema 0.2.0 describes them.
    :ivar folder: where the result goes.
    :ivar strict: whether a warning stops the build.
    :ivar drop_local: whether the result has the version without its local part.
    """

    wheel: str
    label: str | None
    from_label: bool = False
    properties: frozenset[Property] = frozenset()
    namespaces: tuple[str, ...] = ()
    providers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    table: ProjectTable = field(default_factory=ProjectTable)
    generation: Generation = CURRENT
    folder: str = os.curdir
    strict: bool = False
    drop_local: bool = False


@dataclass(frozen=True, slots=True)
class BuiltWheel:
    """A wheel that was written.

    :ivar document: what its ``variant.json`` says; None for an ordinary wheel.
    :ivar warnings: one sentence each, without its period.
    """

    path: str
    label: str | None
    sha256: str
    document: Mapping[str, Any] | None
    warnings: tuple[str, ...]


def build_wheel(request: BuildRequest, progress: ByteProgress) -> BuiltWheel:
    """Build what *request* wants; the given wheel stays as it is.

    :param progress: shows how far it is.
    :raises CannotBuildVariant: if that is not possible, or against the rules.
    :raises CannotWrite: if there is no place for it.
    """
    filename = os.path.basename(request.wheel)
    try:
        with open_wheel(request.wheel) as wheel:
            return _Builder(request, wheel).build(progress)
    except UnreadableWheel as error:
        hint = "It takes a wheel as build tools write it"
        raise CannotBuildVariant(filename, [str(error)], [hint]) from None
    except OSError as error:
        problem = f"{error.filename or filename}: {error.strerror or error}"
        raise CannotBuildVariant(
            filename, [problem], ["Name a wheel that can be read"]
        ) from None


class _Builder:
    def __init__(self, request: BuildRequest, wheel: WheelFile) -> None:
        self.request = request
        self.wheel = wheel
        self.filename = wheel.name.filename
        self.name = wheel.name.without_local() if request.drop_local else wheel.name
        self.result = self.name.labelled(request.label)
        self.warnings: list[str] = []
        folders = (request.folder, os.path.dirname(request.wheel))
        self.siblings = manifests_of_release(
            folders, wheel.name.name, self.name.version
        )
        # The new wheel need not agree with what it replaces.
        self.own = self.siblings.pop(self.filename, None)
        self.siblings.pop(self.result, None)
        #: What other wheels say of the release, and the given one.
        self.said = [*self.siblings.values(), *([self.own] if self.own else [])]

    def build(self, progress: ByteProgress) -> BuiltWheel:
        """Build the wheel."""
        request = self.request
        self._check_labels()
        path = os.path.join(request.folder, self.result)
        if os.path.exists(path) and os.path.samefile(path, request.wheel):
            raise self._error(
                "the result would take the place of the wheel itself",
                "Write it to another folder with --output-dir",
            )
        document = None if request.label is None else self._document(request.label)
        self._warn_of_what_is_copied()
        if self.warnings and request.strict:
            raise self._error("; ".join(self.warnings), "Leave --strict out")
        text = None if document is None else to_json(document)
        with progress(self.wheel.bytes_to_read) as advance:
            self.wheel.check_integrity(advance)
            self._write(path, text, advance)
        return BuiltWheel(
            path, request.label, file_sha256(path), document, tuple(self.warnings)
        )

    def _write(self, path: str, text: bytes | None, advance: Advance) -> None:
        size = os.path.getsize(self.request.wheel) + len(text or b"")
        try:
            os.makedirs(self.request.folder, exist_ok=True)
            with replacing(path, size) as target:
                copy_wheel(self.wheel, target, text, advance, **self._without_local())
        except OSError as error:
            raise CannotWrite(self.result, error, "--output-dir") from None

    def _without_local(self) -> dict[str, Any]:
        """Return what :func:`copy_wheel` is to change if the version changes."""
        if self.name is self.wheel.name:
            return {}
        project, version = self.name.name, self.name.version
        releases = {(project, self.wheel.name.version): version}
        content = renamed(self.wheel.metadata(), project, version, releases)
        stem = f"{self.filename.partition('-')[0]}-{version}"
        return {"stem": stem, "files": {"METADATA": content}}

    def _check_labels(self) -> None:
        label = self.wheel.name.label
        if self.request.drop_local and self.wheel.name.version.local is None:
            raise self._error("it has no local version", "Leave --drop-local out")
        if label is not None and not self.request.from_label:
            raise self._error(
                f"it is a variant already, with the label {label!r}",
                "Take the ordinary wheel; or add --from-label to give it another label, "
                "or without --label to turn it back into an ordinary wheel",
            )
        if label is None and self.request.from_label:
            raise self._error("it has no label", "Leave --from-label out")

    def _document(self, label: str) -> Mapping[str, Any]:
        properties = self._properties(label)
        namespaces = self._namespaces(properties)
        generation = self.request.generation
        has_providers = "providers" in generation.root
        providers = {n: self._provider(n) for n in namespaces if has_providers}
        document = make_document(generation, namespaces, providers, {label: properties})
        self._check(document)
        return document

    def _properties(self, label: str) -> frozenset[Property]:
        given = self.request.properties
        listed = self.request.table.properties.get(label)
        if label == NULL_LABEL:
            if given or listed:
                raise self._error(
                    "the null variant has no properties", "Give it another label"
                )
            return frozenset()
        if given and listed is not None and given != listed:
            raise self._error(
                f"{self.request.table.path} gives other properties to the label "
                f"{label!r}: {', '.join(sorted(map(str, listed)))}",
                "Leave --property out, or choose another label",
            )
        properties = given or listed or self._own_properties()
        if not properties:
            raise self._error(
                f"nothing says what the label {label!r} stands for",
                "State properties with --property, or list them in pyproject.toml under "
                "[variant.properties]; --null is for a variant without any",
            )
        return properties

    def _own_properties(self) -> frozenset[Property]:
        label = self.wheel.name.label
        variant = self.own.variant(label) if self.own and label is not None else None
        return frozenset() if variant is None else variant.properties()

    def _namespaces(self, properties: frozenset[Property]) -> tuple[str, ...]:
        used = sorted({each.namespace for each in properties})
        stated = self.request.namespaces or self.request.table.namespaces
        missing = [each for each in used if each not in stated]
        if stated and missing:
            path = self.request.table.path
            source = "--namespace" if self.request.namespaces else path
            raise self._error(
                f"its properties are of the namespace {missing[0]!r}, which {source} "
                f"does not list: {', '.join(stated)}",
                "Add it where it belongs in the order, for all variants of the release",
            )
        if stated:
            return stated
        longest = max((each.namespaces for each in self.said), key=len, default=())
        namespaces = tuple(dict.fromkeys([*longest, *used]))
        if not namespaces:
            raise self._error(
                "nothing says which namespaces the variants of the release use",
                "List them with --namespace, or in pyproject.toml under "
                "[variant.default-priorities]; or build the null variant last, into the "
                "folder of the others",
            )
        if len(used) > 1 and not longest:
            self.warnings.append(
                f"The namespaces are ordered by name, {', '.join(namespaces)}: state "
                "which is the most important with --namespace"
            )
        return namespaces

    def _provider(self, namespace: str) -> Mapping[str, Any]:
        for source in (self.request.providers, self.request.table.providers):
            if namespace in source:
                return source[namespace]
        for manifest in self.said:
            if manifest.schema == self.request.generation.schema:
                provider = manifest.document.get("providers", {}).get(namespace)
                if provider is not None:
                    return dict(provider)
        known = KNOWN_PROVIDERS.get(namespace)
        if known is not None:
            return known.declaration
        raise self._error(
            f"nothing says who provides the namespace {namespace!r}",
            f"Name the package with --provider {namespace}=PACKAGE, or describe it in "
            f"pyproject.toml under [variant.providers.{namespace}]; --schema 0.1.1 "
            "leaves providers out",
        )

    def _check(self, document: Mapping[str, Any]) -> None:
        manifest, warnings = judged(document, self.result, self.filename)
        self.warnings += warnings
        manifests = {**self.siblings, self.result: manifest}
        for disagreement in disagreements(manifests):
            if self.result in disagreement.names:
                advice = (
                    ": build them with the same pyproject.toml, since no index can be "
                    "made of both"
                )
                is_minor = disagreement.subject is Subject.SCHEMAS
                self.warnings.append(f"{disagreement}{'' if is_minor else advice}")

    def _warn_of_what_is_copied(self) -> None:
        marked = variant_marked(self.wheel.metadata())
        if marked:
            self.warnings.append(
                "Installers that know no variants cannot install a plain wheel with "
                f"these dependencies: {'; '.join(marked)}"
            )
        for name in SIGNATURES:
            if f"{self.wheel.dist_info}/{name}" in self.wheel.members:
                self.warnings.append(
                    f"Its signature {name} does not hold for the new RECORD and was "
                    "left out: sign the result again"
                )

    def _error(self, problem: str, hint: str) -> CannotBuildVariant:
        return CannotBuildVariant(self.filename, [problem], [hint])


def judged(
    document: Mapping[str, Any], name: str, source: str
) -> tuple[Manifest, list[str]]:
    """Check what is to be written into a variant wheel.

    :param name: of the wheel that is made.
    :param source: of the one that it is made from, for messages.
    :return: what it is read as, and what could be better.
    :raises CannotBuildVariant: if installers could not read it.
    """
    checked = check_manifest(to_json(document), name)
    errors = [finding for finding in checked.findings if finding.is_error]
    if errors or checked.manifest is None:
        remedies = dict.fromkeys(each.remedy for each in errors if each.remedy)
        hints = remedies or ["Change the properties, namespaces or providers"]
        raise CannotBuildVariant(source, [each.problem for each in errors], hints)
    advice = [
        f"{finding.problem}{f': {finding.remedy}' if finding.remedy else ''}"
        for finding in checked.findings
    ]
    return checked.manifest, advice


def manifests_of_release(
    folders: Iterable[str], name: NormalizedName, version: Version
) -> dict[str, Manifest]:
    """Read what the variant wheels of a release in *folders* say, by file name.

    Broken ones are left out: ``pip variants check`` reports them.
    """
    found: dict[str, Manifest] = {}
    for folder in filter(os.path.isdir, dict.fromkeys(map(os.path.abspath, folders))):
        for filename in sorted(os.listdir(folder)):
            if not filename.endswith(".whl"):
                continue
            try:
                parsed = WheelName(filename)
                is_sibling = (parsed.name, parsed.version) == (name, version)
                if not is_sibling or parsed.label is None:
                    continue
                with open_wheel(filename, folder) as wheel:
                    data = wheel.read("variant.json")
                if data is not None:
                    found[filename] = parse_manifest(data)
            except (UnreadableWheel, InvalidManifest, OSError) as error:
                logger.debug("Ignoring %s: %s", filename, error)
    return found
