"""Convert wheels that differ only in local version or name to variants.

``torch-2.8.0+cu128`` and ``torch-2.8.0+cpu`` become two variants of torch 2.8.0. With
``--twin``, ``onnxruntime-gpu`` becomes a variant of onnxruntime. A wheel gets only
properties that follow from its name, its requirements or the user's table.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

from wheel_variants.labels import NULL_LABEL, is_valid_label
from wheel_variants.manifest import Manifest
from wheel_variants.publish import proofs, wheels
from wheel_variants.publish.building import (
    check_document,
    contradictions,
    manifests_of_release,
)
from wheel_variants.publish.documents import CURRENT, make_document, to_json
from wheel_variants.publish.errors import (
    CannotBuild,
    CannotWrite,
    NothingFound,
    os_reason,
)
from wheel_variants.publish.files import file_sha256, link_or_copy
from wheel_variants.publish.known_providers import DECLARATIONS
from wheel_variants.publish.pyproject_table import ProjectTable
from wheel_variants.publish.renaming import (
    Releases,
    check_renaming,
    renamed,
    renamed_requirement,
)
from wheel_variants.publish.simple_index import IndexedFile
from wheel_variants.publish.wheel_rules import check_record

__all__ = [
    "Converted",
    "NotAdopted",
    "Plan",
    "SkippedFile",
    "add_alike",
    "add_manifests",
    "proved",
    "read_folder",
    "write",
]

#: The providers that users need not describe, by namespace, in the default order.
_KNOWN: Mapping[str, Mapping[str, Any]] = {
    **DECLARATIONS,
    proofs.TOOLKIT: proofs.TOOLKITS,
}


class NotAdopted(Exception):
    """A wheel that cannot become a variant; the message is the reason."""


class Converted(NamedTuple):
    """A wheel that becomes a variant.

    :ivar original: the name of the wheel.
    :ivar variant: the name of the variant.
    :ivar proof: the properties of the variant, and the evidence for them.
    :ivar dropped: signatures and attestations that are not valid for the variant.
    :ivar listed: the entry of the wheel on an index page, if the wheel stays on its server.
    """

    original: wheels.WheelName
    variant: wheels.WheelName
    proof: proofs.Proof
    dropped: Sequence[str] = ()
    listed: IndexedFile | None = None


class SkippedFile(NamedTuple):
    """A skipped file, with the reason."""

    filename: str
    why: str


@dataclass(slots=True)
class Plan:
    """The plan for adopting the wheels of a folder.

    :ivar folder: the folder of the wheels.
    :ivar cpu_as_null: whether a wheel for CPUs becomes the null variant.
    :ivar twins: the target projects of twins, by name of the twin.
    :ivar table: the properties of labels.
    :ivar kept: wheels of the same releases that are copied unchanged.
    :ivar requiring: wheels with requirements that nothing satisfies after the adoption.
    :ivar alike: messages about labels that run on the same machines.
    :ivar snippet: lines for ``pyproject.toml`` that distinguish such labels.
    :ivar written: the path and sha256 of each written wheel.
    :ivar damaged: the damaged wheels.
    :ivar manifests: the metadata of each variant, by file name.
    :ivar warnings: the warnings, one sentence each without its period.
    """

    folder: str
    cpu_as_null: bool
    twins: Mapping[NormalizedName, NormalizedName]
    table: ProjectTable
    adopted: list[Converted] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    left: list[SkippedFile] = field(default_factory=list)
    requiring: list[tuple[str, str]] = field(default_factory=list)
    alike: list[str] = field(default_factory=list)
    snippet: list[str] = field(default_factory=list)
    written: list[tuple[str, str]] = field(default_factory=list)
    damaged: list[SkippedFile] = field(default_factory=list)
    manifests: dict[str, Manifest] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def releases(self) -> Releases:
        """The new version of each release with a local version."""
        return {
            each.original.release: each.variant.version
            for each in self.adopted
            if each.original.version.local is not None
        }

    def add(self, new: Converted) -> None:
        """Add a wheel.

        :raises NotAdopted: if another wheel becomes the same variant.
        """
        for other in self.adopted:
            if other.variant.filename == new.variant.filename:
                raise NotAdopted(f"{other.original} also becomes {new.variant}")
            ours, theirs = new.variant, other.variant
            is_same = (*ours.release, ours.label) == (*theirs.release, theirs.label)
            if is_same and set(new.proof.properties) != set(other.proof.properties):
                raise NotAdopted(
                    f"{other.original} gets the same label but has other properties: "
                    f"list '{ours.label}' under [variant.properties] in pyproject.toml"
                )
        self.adopted.append(new)

    def namespaces(
        self, release: tuple[NormalizedName, Version], there: Iterable[Manifest]
    ) -> list[str]:
        """Return the namespaces of a release, most important first.

        :param there: the metadata of existing wheels of the release.
        """
        used = {
            each.namespace
            for adopted in self.adopted
            if adopted.variant.release == release
            for each in adopted.proof.properties
        }
        stated = self.table.namespaces
        order = dict.fromkeys((*stated, *_KNOWN, *sorted(used)))
        # Metadata must list at least one namespace.
        own = [each for each in order if each in used] or ["nvidia"]
        longest = max((each.namespaces for each in there), key=len, default=())
        return list(dict.fromkeys((*stated, *longest, *own)))


def read_folder(plan: Plan) -> None:
    """Read the wheels of the folder, and add each to *plan*.

    :raises NothingFound: if the folder does not exist, or has no wheels.
    """
    folder, names = plan.folder, _listed(plan.folder)
    plan.left += (
        SkippedFile(name, "not a wheel")
        for name in names
        if not name.endswith((".whl", *wheels.ATTESTATIONS))
        if os.path.isfile(os.path.join(folder, name))
    )
    plain: list[wheels.WheelName] = []
    requires: dict[str, Sequence[str]] = {}
    for name in (each for each in names if each.endswith(".whl")):
        try:
            with wheels.open_wheel(name, folder, may_be_renamed=True) as wheel:
                check_record(wheel)
                requires[name] = _required(wheel)
                found = _convert(wheel, plan, names)
            if found is None:
                plain.append(wheel.name)
            else:
                plan.add(found)
        except NotAdopted as error:
            plan.left.append(SkippedFile(name, str(error)))
        except wheels.UnreadableWheel as error:
            plan.damaged.append(SkippedFile(name, str(error)))
        except OSError as error:
            why = f"cannot read the file: {os_reason(error)}"
            plan.damaged.append(SkippedFile(name, why))
    releases = {each.variant.release for each in plan.adopted}
    for each in plain:
        if each.release in releases:
            plan.kept.append(each.filename)
        else:
            why = "a plain wheel without variants of the same release"
            plan.left.append(SkippedFile(each.filename, why))
    plan.requiring += _requiring(plan, requires)
    plan.warnings += _unused_twins(plan)


def _listed(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
        problem = "the folder contains no wheels"
    except OSError as error:
        names, problem = [], os_reason(error)
    if not any(name.endswith(".whl") for name in names):
        raise NothingFound(folder, problem, "Specify a folder of wheels")
    return names


def _convert(
    wheel: wheels.WheelFile, plan: Plan, names: Iterable[str]
) -> Converted | None:
    """Return the conversion of a wheel, or None for an ordinary wheel.

    An ordinary wheel is not a twin, and has no local version.

    :raises NotAdopted: if the wheel cannot become a variant.
    """
    name, into = wheel.name, plan.twins.get(wheel.name.name)
    if name.label is not None:
        raise NotAdopted(f"already a variant, with the label '{name.label}'")
    if name.version.local is None and into is None:
        return None
    label, proof = proved(name, plan, _always_required(wheel))
    written, _, rest = name.filename.removesuffix(".whl").split("-", 2)
    project = into.replace("-", "_") if into else written
    variant = wheels.WheelName(f"{project}-{name.version.public}-{rest}-{label}.whl")
    check_renaming(wheel, variant)
    attestations = [name.filename + end for end in wheels.ATTESTATIONS]
    dropped = [f"the signature {each}" for each in wheel.signatures]
    dropped += (each for each in names if each in attestations)
    return Converted(name, variant, proof, dropped)


def proved(
    name: wheels.WheelName, plan: Plan, requirements: Iterable[Requirement] = ()
) -> tuple[str, proofs.Proof]:
    """Return the label for a wheel, and the proof of the wheel's properties.

    :param requirements: the requirements of the wheel that apply on every machine.
    :raises NotAdopted: if the properties are unknown.
    """
    local = name.version.local
    if local is not None:
        label, proof = local, proofs.proved_by_local(local)
    else:
        label = name.name.removeprefix(plan.twins[name.name]).strip("-")
        label = label.replace("-", "_") or "twin"
        proof = proofs.proved_by_twin(label, requirements)
    # The user's table takes precedence over the name.
    if label in plan.table.properties:
        rule = f"[variant.properties] of {plan.table.path}"
        proof = proofs.Proof(plan.table.properties[label], rule)
    elif local is not None and (why := proofs.other_abi(local)) is not None:
        raise NotAdopted(
            f"{why}. If yours is not, list '{label}' under [variant.properties] in "
            "pyproject.toml"
        )
    elif proof is not None and label == "cpu" and plan.cpu_as_null:
        label = NULL_LABEL
    if proof is None or not is_valid_label(label):
        raise _undefined(label, "name" if local is None else "local version")
    for namespace in sorted({each.namespace for each in proof.properties}):
        if namespace not in {*_KNOWN, *plan.table.providers}:
            raise NotAdopted(
                f"namespace '{namespace}' has no provider: add [variant.providers."
                f"{namespace}] to pyproject.toml"
            )
    return label, proof


def _undefined(label: str, what: str) -> NotAdopted:
    major = re.search("cu(?:da)?(1[1-5])", label)
    example, bound = (label, major[1]) if major else ("cu128", "12")
    return NotAdopted(
        f"the requirements of {what} '{label}' are unknown: list its properties under "
        "[variant.properties] in pyproject.toml, as in "
        f'"{example}" = ["nvidia :: cuda_version_lower_bound :: {bound}.0"]'
    )


def _required(wheel: wheels.WheelFile) -> Sequence[str]:
    return wheels.fields(wheel.metadata()).get("requires_dist", ())


def _requirements(texts: Iterable[str]) -> Iterator[tuple[str, Requirement]]:
    for text in texts:
        try:
            yield text, Requirement(text)
        except (InvalidRequirement, RecursionError):
            continue


def _always_required(wheel: wheels.WheelFile) -> Iterator[Requirement]:
    """Yield the requirements of a wheel that apply on all of its platforms."""
    machines = [proofs.markers_of_platform(tag.platform) for tag in wheel.name.tags]
    for _, requirement in _requirements(_required(wheel)):
        marker = requirement.marker
        # A marker that cannot be evaluated may not apply.
        with suppress(ValueError, LookupError):
            if marker is None or (
                all(machines)
                and "extra" not in str(marker)
                and all(marker.evaluate(machine) for machine in machines)
            ):
                yield requirement


def _requiring(
    plan: Plan, requires: Mapping[str, Iterable[str]]
) -> Iterator[tuple[str, str]]:
    """Yield the requirements that nothing satisfies after the adoption, by wheel."""
    releases = plan.releases
    changed = {each.original.filename for each in plan.adopted}
    for name, texts in requires.items():
        for text, requirement in _requirements(texts):
            is_of_twin = canonicalize_name(requirement.name) in plan.twins
            is_lost = renamed_requirement(text, releases) != text
            if name not in changed and (is_of_twin or is_lost):
                yield name, text


def _unused_twins(plan: Plan) -> Iterator[str]:
    """Yield warnings about twins without a wheel, such as mistyped names."""
    adopted = {each.original.name for each in plan.adopted}
    for name, into in plan.twins.items():
        if name not in adopted:
            yield f"--twin {name}={into} has no effect: no wheel of '{name}' is adopted"


def add_alike(plan: Plan) -> None:
    """Add messages about labels that run on the same machines."""
    by_needs: dict[tuple[Any, ...], dict[str, Converted]] = {}
    for each in plan.adopted:
        stated = each.proof.properties
        needs = frozenset(one for one in stated if one.namespace != proofs.TOOLKIT)
        alike = by_needs.setdefault((*each.variant.release, needs), {})
        alike[str(each.variant.label)] = each
    for (project, version, needs), labels in by_needs.items():
        if len(labels) == 1:
            continue
        toolkits = {
            label: proofs.newest_cuda(each.proof.properties, proofs.TOOLKIT)
            for label, each in sorted(labels.items())
        }
        first = max(toolkits, key=toolkits.__getitem__)
        plan.alike.append(
            f"{project} {version}: {' and '.join(labels)} run on the same machines, so "
            f"installers always choose {first}"
        )
        if any(each.namespace == "nvidia" for each in needs):
            plan.snippet += (
                proofs.needs_line(label, each.proof.properties)
                for label, each in labels.items()
            )


def write(plan: Plan, folder: str) -> None:
    """Write the planned wheels, and record them in *plan*.

    :param folder: a folder other than the folder of the original wheels; created if
        missing.
    :raises CannotWrite: if a file cannot be written.
    """
    names = [*(each.variant.filename for each in plan.adopted), *plan.kept]
    paths = (os.path.join(folder, name) for name in names)
    try:
        os.makedirs(folder, exist_ok=True)
        before = {path: file_sha256(path) for path in filter(os.path.isfile, paths)}
        for adopted in [*plan.adopted]:
            try:
                plan.written.append(_write_variant(plan, adopted, folder))
            except wheels.UnreadableWheel as error:
                plan.adopted.remove(adopted)
                plan.damaged.append(SkippedFile(str(adopted.original), str(error)))
        for name in plan.kept:
            path = os.path.join(folder, name)
            link_or_copy(plan.folder, name, path)
            plan.written.append((path, file_sha256(path)))
    except OSError as error:
        raise CannotWrite("the wheels", error, "--output-dir") from None
    plan.warnings += (
        f"Replaced {path}, which had other content"
        for path, digest in plan.written
        if before.get(path, digest) != digest
    )


def _write_variant(plan: Plan, adopted: Converted, folder: str) -> tuple[str, str]:
    """Write a variant, and return its path and sha256."""
    name, variant = str(adopted.original), adopted.variant
    path = os.path.join(folder, variant.filename)
    digest = file_sha256(name, plan.folder)
    source = {"file": name, "sha256": digest, "rule": adopted.proof.rule}
    with wheels.open_wheel(name, plan.folder, may_be_renamed=True) as wheel:
        metadata = wheel.metadata()
        files = {
            "METADATA": renamed(metadata, *variant.release, plan.releases, plan.twins),
            "adopted.json": f"{json.dumps(source, indent=2)}\n".encode("ascii"),
            "variant.json": to_json(plan.manifests[variant.filename].document),
        }
        return path, wheels.write_copy(wheel, path, files, variant.stem)


def add_manifests(plan: Plan, folder: str | None) -> None:
    """Add the metadata of each variant, which includes the providers of other wheels.

    :param folder: the output folder, which may have wheels of the same releases.
    :raises CannotBuild: if installers would refuse the metadata.
    """
    for release in dict.fromkeys(each.variant.release for each in plan.adopted):
        ours = [each for each in plan.adopted if each.variant.release == release]
        siblings = manifests_of_release([folder] if folder else [], *release)
        for each in ours:
            # This run replaces these wheels.
            siblings.pop(each.variant.filename, None)
        namespaces = plan.namespaces(release, siblings.values())
        providers = dict(_KNOWN)
        for sibling in siblings.values():
            providers |= sibling.document.get("providers", {})
        providers |= plan.table.providers
        for lacking in (name for name in namespaces if name not in providers):
            problem = f"namespace '{lacking}' has no provider"
            hint = f"Add [variant.providers.{lacking}] to pyproject.toml, or correct the name"
            raise CannotBuild(ours[0].original.filename, [problem], hint)
        for each in ours:
            name, source = each.variant.filename, each.original.filename
            label, properties = str(each.variant.label), each.proof.properties
            made = make_document(CURRENT, namespaces, providers, label, properties)
            plan.manifests[name], warnings = check_document(made, name, source)
            if label in plan.table.properties:
                plan.warnings += warnings
            plan.warnings += contradictions(name, plan.manifests[name], siblings)
