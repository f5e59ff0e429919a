"""Build variant wheels from ordinary ones, and ordinary ones from variants."""

from __future__ import annotations

import logging
import os
from collections import ChainMap
from collections.abc import Iterable, Mapping
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
from wheel_variants.publish.errors import CannotBuild, CannotWrite, said
from wheel_variants.publish.known_providers import DECLARATIONS
from wheel_variants.publish.manifest_rules import check_manifest
from wheel_variants.publish.pyproject_table import ProjectTable
from wheel_variants.publish.renaming import renamed

__all__ = ["Build", "build_wheel", "judged", "manifests_of_release"]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Build:
    """How to build a wheel from another one, and the result.

    :ivar wheel: the path of the other one.
    :ivar label: of the result; None to make an ordinary wheel.
    :ivar from_label: whether *wheel* is a variant.
    :ivar properties: of the label; if empty, those of the project's table, or of the wheel
        if it is a variant.
    :ivar namespaces: the most important first; if empty, those of the table, or of other
        wheels.
    :ivar providers: by namespace, as metadata of schema 0.2.0 describes them.
    :ivar folder: the folder of the result.
    :ivar strict: whether a warning is an error.
    :ivar drop_local: whether the result has the version without its local part.
    :ivar path: of the result.
    :ivar document: the ``variant.json`` of the result; None for an ordinary wheel.
    :ivar warnings: one sentence each, without its period.
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


def build_wheel(request: Build) -> None:
    """Build a wheel, and add the result to *request*; the given wheel stays as it is.

    :raises CannotBuild: if that is not possible, or against the rules.
    :raises CannotWrite: if the result cannot be written.
    """
    filename = os.path.basename(request.wheel)
    try:
        with wheels.open_wheel(request.wheel) as wheel:
            _Builder(request, wheel).build()
            return
    except wheels.UnreadableWheel as error:
        problem, hint = str(error), "Name a wheel as build tools write it"
    except OSError as error:
        problem, hint = said(error), "Name a wheel that can be read"
    raise CannotBuild(filename, [problem], hint)


class _Builder:
    def __init__(self, request: Build, wheel: wheels.WheelFile) -> None:
        self.request = request
        self.wheel = wheel
        self.filename = wheel.name.filename
        self.name = wheel.name.without_local() if request.drop_local else wheel.name
        self.result = self.name.labelled(request.label)
        self.warnings = request.warnings
        folders = (request.folder, os.path.dirname(request.wheel))
        release = self.name.name, self.name.version
        self.siblings = manifests_of_release(folders, *release)
        # The new wheel need not agree with what it replaces.
        self.own = self.siblings.pop(self.filename, None)
        self.siblings.pop(self.result, None)
        #: The metadata of other wheels of the release, and of the given one.
        self.known = [*self.siblings.values(), *([self.own] if self.own else [])]

    def build(self) -> None:
        """Build the wheel."""
        request = self.request
        self._check_labels()
        request.path = path = os.path.join(request.folder, self.result)
        if os.path.exists(path) and os.path.samefile(path, request.wheel):
            raise self._error(
                "the result would replace the wheel itself",
                "Write it to another folder with --output-dir",
            )
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
        """Return the metadata without the local version, and the stem of its folder."""
        project, version = self.name.name, self.name.version
        releases = {(project, self.wheel.name.version): version}
        content = renamed(self.wheel.metadata(), project, version, releases)
        return {"METADATA": content}, f"{self.filename.partition('-')[0]}-{version}"

    def _check_labels(self) -> None:
        label = self.wheel.name.label
        if self.request.drop_local and self.wheel.name.version.local is None:
            raise self._error("it has no local version", "Omit --drop-local")
        if label is not None and not self.request.from_label:
            raise self._error(
                f"it is a variant already, with the label {label!r}",
                "Take the ordinary wheel; or add --from-label to give it another label, "
                "or without --label to turn it back into an ordinary wheel",
            )
        if label is None and self.request.from_label:
            raise self._error("it has no label", "Omit --from-label")

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
                    "the null variant has no properties", "Give it another label"
                )
            return frozenset()
        if given and listed is not None and given != listed:
            raise self._error(
                f"{self.request.table.path} gives other properties to the label "
                f"{label!r}: {', '.join(sorted(map(str, listed)))}",
                "Omit --property, or choose another label",
            )
        properties = given or listed or self._own_properties()
        if not properties:
            raise self._error(
                f"nothing defines the label {label!r}",
                "Give properties with --property, or list them in pyproject.toml under "
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
        longest = max((each.namespaces for each in self.known), key=len, default=())
        namespaces = tuple(dict.fromkeys([*longest, *used]))
        if not namespaces:
            raise self._error(
                "nothing lists the namespaces that the variants of the release use",
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

    def _providers(self, namespaces: Iterable[str]) -> dict[str, Mapping[str, Any]]:
        request = self.request
        if "providers" not in request.schema_version.root:
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
                    f"nothing names the provider of the namespace {namespace!r}",
                    f"Name the package with --provider {namespace}=PACKAGE, or describe "
                    f"it in pyproject.toml under [variant.providers.{namespace}]; "
                    "--schema 0.1.1 omits providers",
                )
        return {namespace: described[namespace] for namespace in namespaces}

    def _check(self, document: Mapping[str, Any]) -> None:
        manifest, warnings = judged(document, self.result, self.filename)
        self.warnings += warnings
        manifests = {**self.siblings, self.result: manifest}
        for disagreement in disagreements(manifests):
            if self.result in disagreement.names:
                warning = str(disagreement)
                if disagreement.subject is not Subject.SCHEMAS:
                    warning += (
                        ": build them with the same pyproject.toml, since no index can "
                        "be made of both"
                    )
                self.warnings.append(warning)

    def _warn_of_what_is_copied(self) -> None:
        marked = wheels.variant_marked(self.wheel.metadata())
        if marked:
            self.warnings.append(
                "Installers without support for variants cannot install a plain wheel with "
                f"these dependencies: {'; '.join(marked)}"
            )
        self.warnings += (
            f"Its signature {name} is not valid for the new RECORD and was omitted: sign "
            "the result again"
            for name in self.wheel.signatures
        )

    def _error(self, problem: str, hint: str) -> CannotBuild:
        return CannotBuild(self.filename, [problem], hint)


def judged(
    document: Mapping[str, Any], name: str, source: str
) -> tuple[Manifest, list[str]]:
    """Check the metadata of a variant wheel before it is written.

    :param name: of the new wheel.
    :param source: the name of the original wheel, for messages.
    :return: the parsed metadata, and warnings.
    :raises CannotBuild: if installers could not read it.
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


def manifests_of_release(
    folders: Iterable[str], name: NormalizedName, version: Version
) -> dict[str, Manifest]:
    """Read the metadata of the variant wheels of a release in *folders*, by file name.

    Broken wheels are left out; the command ``check`` reports them.
    """
    found: dict[str, Manifest] = {}
    for folder in filter(os.path.isdir, dict.fromkeys(map(os.path.abspath, folders))):
        for filename in sorted(os.listdir(folder)):
            if not filename.endswith(".whl"):
                continue
            try:
                parsed = wheels.WheelName(filename)
                is_sibling = (parsed.name, parsed.version) == (name, version)
                if not is_sibling or parsed.label is None:
                    continue
                with wheels.open_wheel(filename, folder) as wheel:
                    data = wheel.read("variant.json")
                if data is not None:
                    found[filename] = parse_manifest(data)
            except (wheels.UnreadableWheel, InvalidManifest, OSError) as error:
                logger.debug("Ignoring %s: %s", filename, error)
    return found
