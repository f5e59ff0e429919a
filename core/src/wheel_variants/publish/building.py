"""Build variant wheels from ordinary wheels, and ordinary wheels from variants."""

from __future__ import annotations

import logging
import os
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from packaging.utils import NormalizedName
from packaging.version import Version

from wheel_variants.labels import NULL_LABEL
from wheel_variants.manifest import InvalidManifest, Manifest
from wheel_variants.manifest_parser import parse_manifest
from wheel_variants.merging import Subject, disagreements
from wheel_variants.properties import Property
from wheel_variants.publish import wheels
from wheel_variants.publish.documents import SchemaVersion, make_document, to_json
from wheel_variants.publish.errors import (
    CannotBuild,
    CannotWrite,
    NothingFound,
    os_reason,
)
from wheel_variants.publish.known_providers import DECLARATIONS
from wheel_variants.publish.manifest_rules import check_manifest
from wheel_variants.publish.pyproject_table import ProjectTable
from wheel_variants.publish.renaming import check_renaming, renamed
from wheel_variants.publish.wheel_rules import check_record

__all__ = [
    "BuildRequest",
    "build_wheel",
    "check_document",
    "contradictions",
    "manifests_of_release",
]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class BuildRequest:
    """A request to build a wheel from another wheel, and the result.

    :ivar wheel: the path of the original wheel.
    :ivar label: the label of the result; None to build an ordinary wheel.
    :ivar from_label: whether *wheel* is a variant.
    :ivar properties: the properties of the label; if empty, the project's table or a
        variant *wheel* provides them.
    :ivar namespaces: the namespaces, most important first; if empty, the table or other
        wheels provide them.
    :ivar providers: the providers by namespace, in the form of schema 0.2.0.
    :ivar folder: the folder of the result.
    :ivar strict: whether warnings are errors.
    :ivar drop_local: whether to remove the local version.
    :ivar path: the path of the result.
    :ivar document: the ``variant.json`` of the result; None for an ordinary wheel.
    :ivar warnings: the warnings, one sentence each without its period.
    """

    wheel: str
    label: str | None
    from_label: bool
    properties: frozenset[Property]
    namespaces: tuple[str, ...]
    providers: Mapping[str, Mapping[str, Any]]
    table: ProjectTable
    schema_version: SchemaVersion
    folder: str
    strict: bool
    drop_local: bool
    path: str = ""
    sha256: str = ""
    document: Mapping[str, Any] | None = None
    warnings: list[str] = field(default_factory=list)


def build_wheel(request: BuildRequest) -> None:
    """Build a wheel, and store the result in *request*; do not change the original wheel.

    :raises CannotBuild: if the wheel cannot be built, or would break a rule.
    :raises CannotWrite: if the result cannot be written.
    """
    filename = os.path.basename(request.wheel)
    try:
        with wheels.open_wheel(request.wheel) as wheel:
            _Builder(request, wheel).build()
            return
    except wheels.UnreadableWheel as error:
        problem, hint = str(error), "Specify a wheel that a build tool wrote"
    except OSError as error:
        problem, hint = os_reason(error), "Specify a readable wheel"
    raise CannotBuild(filename, [problem], hint)


class _Builder:
    def __init__(self, request: BuildRequest, wheel: wheels.WheelFile) -> None:
        self.request = request
        self.wheel = wheel
        self.filename = wheel.name.filename
        self.name = wheel.name.without_local() if request.drop_local else wheel.name
        self.result = self.name.labeled(request.label)
        self.warnings = request.warnings
        folders = (request.folder, os.path.dirname(request.wheel))
        self.siblings = manifests_of_release(folders, *self.name.release)
        # The new wheel replaces these wheels and need not agree with them.
        self.siblings.pop(self.filename, None)
        self.siblings.pop(self.result, None)
        self.own: Manifest | None = None
        if wheel.name.label is not None:
            with suppress(InvalidManifest):
                self.own = _manifest_in(wheel)
        #: The metadata of other wheels of the release, and of the original wheel.
        self.known = [*self.siblings.values(), *([self.own] if self.own else [])]

    def build(self) -> None:
        """Build the wheel."""
        request = self.request
        self._check_labels()
        check_record(self.wheel)
        request.path = path = os.path.join(request.folder, self.result)
        if os.path.exists(path) and os.path.samefile(path, request.wheel):
            raise self._error(
                "the result would overwrite the original wheel",
                "Write it to another folder with --output-dir",
            )
        if request.label is None and os.path.exists(path):
            self.warnings.append(f"The new wheel replaces an existing wheel: {path}")
        if request.label is not None:
            request.document = self._document(request.label)
        self._warn_of_what_is_copied()
        if self.warnings and request.strict:
            raise self._error("; ".join(self.warnings), "Omit --strict")
        files, stem = self._renamed() if request.drop_local else ({}, None)
        if request.document is not None:
            files["variant.json"] = to_json(request.document)
        try:
            request.sha256 = wheels.write_copy(self.wheel, path, files, stem)
        except OSError as error:
            raise CannotWrite(self.result, error, "--output-dir") from None

    def _renamed(self) -> tuple[dict[str, bytes], str]:
        """Return the metadata without the local version, and the stem of the new folder."""
        check_renaming(self.wheel, self.name)
        releases = {self.wheel.name.release: self.name.version}
        content = renamed(self.wheel.metadata(), *self.name.release, releases)
        return {"METADATA": content}, self.name.stem

    def _check_labels(self) -> None:
        label = self.wheel.name.label
        if self.request.drop_local and self.wheel.name.version.local is None:
            raise self._error("the wheel has no local version", "Omit --drop-local")
        if label is not None and not self.request.from_label:
            raise self._error(
                f"the wheel is already a variant, with the label {label!r}",
                "Specify the ordinary wheel, or add --from-label: with --label, to "
                "change the label; without it, to make an ordinary wheel",
            )
        if label is None and self.request.from_label:
            raise self._error("the wheel has no label", "Omit --from-label")

    def _document(self, label: str) -> Mapping[str, Any]:
        properties = self._properties(label)
        namespaces = self._namespaces(properties)
        providers = self._providers(namespaces)
        schema_version = self.request.schema_version
        document = make_document(
            schema_version, namespaces, providers, label, properties
        )
        self._check(document)
        return document

    def _properties(self, label: str) -> frozenset[Property]:
        given = self.request.properties
        listed = self.request.table.properties.get(label)
        if label == NULL_LABEL:
            if given or listed:
                raise self._error(
                    "the null variant cannot have properties", "Use another label"
                )
            return frozenset()
        if given and listed is not None and given != listed:
            raise self._error(
                f"{self.request.table.path} gives label {label!r} different properties: "
                f"{', '.join(sorted(map(str, listed)))}",
                "Omit --property, or choose another label",
            )
        properties = given or listed or self._own_properties()
        if not properties:
            raise self._error(
                f"label {label!r} has no properties",
                "Add --property, or list the properties under [variant.properties] in "
                "pyproject.toml; to build a variant without properties, use --null",
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
                f"its properties use namespace {missing[0]!r}, but {source} lists only "
                f"{', '.join(stated)}",
                "Add the namespace to that list, at the same position for all variants "
                "of the release",
            )
        if stated:
            return stated
        longest = max((each.namespaces for each in self.known), key=len, default=())
        namespaces = tuple(dict.fromkeys([*longest, *used]))
        if not namespaces:
            raise self._error(
                "the namespaces of the release are unknown",
                "List them with --namespace, or under [variant.default-priorities] in "
                "pyproject.toml; or build the null variant last, into the folder of the "
                "other variants",
            )
        if len(namespaces) > max(len(longest), 1):
            self.warnings.append(
                f"Nothing ranks the namespaces, so their order is {', '.join(namespaces)}. "
                "To rank them by importance, add --namespace to each build of the release, "
                "most important first"
            )
        return namespaces

    def _providers(self, namespaces: Iterable[str]) -> dict[str, Mapping[str, Any]]:
        request = self.request
        if not request.schema_version.provider:
            return {}
        others = [
            manifest.document.get("providers", {})
            for manifest in self.known
            if manifest.schema == request.schema_version.schema
        ]
        sources = (request.providers, request.table.providers, *others, DECLARATIONS)
        described = ChainMap(*map(dict, sources))
        for namespace in namespaces:
            if namespace not in described:
                raise self._error(
                    f"namespace {namespace!r} has no provider",
                    f"Add --provider {namespace}=PACKAGE, or [variant.providers."
                    f"{namespace}] in pyproject.toml; --schema 0.1.1 needs no providers",
                )
        return {namespace: described[namespace] for namespace in namespaces}

    def _check(self, document: Mapping[str, Any]) -> None:
        manifest, warnings = check_document(document, self.result, self.filename)
        self.warnings += warnings
        self.warnings += contradictions(self.result, manifest, self.siblings)
        self.warnings += (
            f"No namespace is '{each}', so its --provider has no effect"
            for each in set(self.request.providers).difference(manifest.namespaces)
        )

    def _warn_of_what_is_copied(self) -> None:
        marked = wheels.variant_marked(self.wheel.metadata())
        if marked:
            self.warnings.append(
                "Installers without variant support cannot install a plain wheel with "
                f"these dependencies: {'; '.join(marked)}"
            )
        self.warnings += (
            f"Removed the signature {name}, because the RECORD is new. Sign the result "
            "again"
            for name in self.wheel.signatures
        )

    def _error(self, problem: str, hint: str) -> CannotBuild:
        return CannotBuild(self.filename, [problem], hint)


def contradictions(
    name: str, manifest: Manifest, siblings: Mapping[str, Manifest]
) -> Iterator[str]:
    """Yield warnings about a new wheel that contradicts other wheels of its release."""
    for disagreement in disagreements({**siblings, name: manifest}):
        if name in disagreement.names:
            warning = str(disagreement)
            if disagreement.subject is not Subject.SCHEMAS:
                warning += ". No index can contain both: build them with the same pyproject.toml"
            yield warning


def check_document(
    document: Mapping[str, Any], name: str, source: str
) -> tuple[Manifest, list[str]]:
    """Check the metadata of a variant wheel before writing the wheel.

    :param name: the name of the new wheel.
    :param source: the name of the original wheel, for messages.
    :return: the parsed metadata, and warnings.
    :raises CannotBuild: if installers would refuse the metadata.
    """
    checked = check_manifest(to_json(document), name)
    errors = [finding for finding in checked.findings if finding.is_error]
    if errors or checked.manifest is None:
        remedies = dict.fromkeys(each.remedy for each in errors if each.remedy)
        hints = remedies or ["Change the properties, namespaces or providers"]
        raise CannotBuild(source, [each.problem for each in errors], *hints)
    return checked.manifest, [
        ": ".join(filter(None, (each.problem, each.remedy)))
        for each in checked.findings
    ]


def _manifest_in(wheel: wheels.WheelFile) -> Manifest | None:
    """Return the metadata inside a wheel, or None if there is none."""
    data = wheel.read("variant.json")
    return None if data is None else parse_manifest(data)


def manifests_of_release(
    folders: Iterable[str], name: NormalizedName, version: Version
) -> dict[str, Manifest]:
    """Read the metadata of the variant wheels of a release in *folders*, by file name.

    Broken wheels are skipped; the command ``check`` reports them.

    :raises NothingFound: if a folder cannot be listed.
    """
    found: dict[str, Manifest] = {}
    for folder in filter(os.path.isdir, dict.fromkeys(map(os.path.abspath, folders))):
        try:
            names = sorted(os.listdir(folder))
        except OSError as error:
            hint = "Specify a readable folder"
            raise NothingFound(folder, os_reason(error), hint) from None
        for filename in names:
            if not filename.endswith(".whl"):
                continue
            try:
                parsed = wheels.WheelName(filename)
                if parsed.release != (name, version) or parsed.label is None:
                    continue
                with wheels.open_wheel(filename, folder) as wheel:
                    manifest = _manifest_in(wheel)
                if manifest is not None:
                    found[filename] = manifest
            except (wheels.UnreadableWheel, InvalidManifest, OSError) as error:
                logger.debug("Ignoring %s: %s", filename, error)
    return found
