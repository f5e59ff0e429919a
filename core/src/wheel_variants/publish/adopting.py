"""Make variants of wheels that only local versions or names distinguish.

``torch-2.8.0+cu128`` and ``torch-2.8.0+cpu`` become two variants of torch 2.8.0, and
``onnxruntime-gpu`` one of onnxruntime, if the user says so. A wheel gets
only properties that its name, its requirements or the user prove.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

from wheel_variants.labels import NULL_LABEL, is_valid_label
from wheel_variants.manifest import ABI_DEPENDENCY, Manifest
from wheel_variants.properties import Property
from wheel_variants.publish import proofs, wheels
from wheel_variants.publish.building import judged, manifests_of_release
from wheel_variants.publish.documents import CURRENT, make_document, to_json
from wheel_variants.publish.errors import CannotWrite, NothingFound, UsageError, said
from wheel_variants.publish.files import file_sha256, link_or_copy
from wheel_variants.publish.known_providers import DECLARATIONS
from wheel_variants.publish.pyproject_table import ProjectTable
from wheel_variants.publish.renaming import Releases, renamed, renamed_requirement

__all__ = [
    "Converted",
    "Left",
    "NotAdopted",
    "Plan",
    "add_alike",
    "document",
    "is_of",
    "proved",
    "read_folder",
    "write",
]

#: The order of namespaces, unless the user gives one.
_ORDER = (
    *("nvidia", "amd", "intel", "tpu", ABI_DEPENDENCY, "x86_64", "aarch64"),
    proofs.TOOLKIT,
)
#: By namespace, the providers that users need not describe.
_KNOWN: Mapping[str, Mapping[str, Any]] = {
    **DECLARATIONS,
    proofs.TOOLKIT: proofs.TOOLKITS,
}
#: Files beside a wheel that prove who made it.
_ATTESTATIONS = (".publish.attestation", ".provenance", ".asc", ".sig", ".sigstore")


class NotAdopted(Exception):
    """A wheel cannot become a variant; the message is the reason."""


class Converted(NamedTuple):
    """A wheel that becomes a variant.

    :ivar original: its name.
    :ivar filename: of the variant.
    :ivar proof: its properties, and what proves them.
    :ivar dropped: what is not copied, since it is not valid for the variant.
    """

    original: wheels.WheelName
    filename: str
    project: NormalizedName
    version: Version
    label: str
    proof: proofs.Proof
    dropped: Sequence[str]


class Left(NamedTuple):
    """A file that is left alone, and why."""

    filename: str
    why: str


@dataclass(slots=True)
class Plan:
    """What adopting a folder writes.

    :ivar folder: with the wheels.
    :ivar cpu_as_null: whether a wheel for CPUs becomes the null variant.
    :ivar twins: by name, the project whose variants the wheels of that name become.
    :ivar table: the properties of labels.
    :ivar kept: wheels of the same releases that are copied as they are.
    :ivar requiring: wheels, and their requirements that nothing satisfies any more.
    :ivar alike: messages about labels between which no machine can choose.
    :ivar snippet: what to add to ``pyproject.toml``, so that machines can.
    :ivar written: the path and the sha256 of each wheel that was written.
    :ivar damaged: wheels that turned out to be damaged.
    """

    folder: str
    cpu_as_null: bool
    twins: Mapping[NormalizedName, NormalizedName]
    table: ProjectTable
    adopted: list[Converted] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    requiring: list[tuple[str, str]] = field(default_factory=list)
    alike: list[str] = field(default_factory=list)
    snippet: list[str] = field(default_factory=list)
    written: list[tuple[str, str]] = field(default_factory=list)
    damaged: list[Left] = field(default_factory=list)

    @property
    def releases(self) -> Releases:
        """The versions without a local part, by project and version with it."""
        return {
            (each.original.name, each.original.version): each.version
            for each in self.adopted
            if each.original.version.local is not None
        }

    def namespaces(self, wanted: Converted, there: Iterable[Manifest]) -> list[str]:
        """Return the namespaces of a release, the most important first.

        :param there: the metadata of other wheels of that release, which must agree.
        """
        used = {
            each.namespace
            for adopted in self.adopted
            if (adopted.project, adopted.version) == (wanted.project, wanted.version)
            for each in adopted.proof.properties
        }
        stated = self.table.namespaces
        order = dict.fromkeys((*stated, *_ORDER, *sorted(used)))
        # There is at least one.
        own = [each for each in order if each in used] or _ORDER[:1]
        longest = max((each.namespaces for each in there), key=len, default=())
        return list(dict.fromkeys((*longest, *stated, *own)))


def read_folder(plan: Plan) -> None:
    """Read the wheels, and add to *plan* what becomes of each.

    :raises NothingFound: if there is no folder, or no wheel in it.
    :raises UsageError: if what the user wants contradicts itself.
    """
    _refuse_contradictions(plan)
    folder, names = plan.folder, _listed(plan.folder)
    plan.left += (
        Left(name, "it is not a wheel")
        for name in names
        if not name.endswith((".whl", *_ATTESTATIONS))
        if os.path.isfile(os.path.join(folder, name))
    )
    plain: list[wheels.WheelName] = []
    requires: dict[str, Sequence[str]] = {}
    for name in (each for each in names if each.endswith(".whl")):
        try:
            with wheels.open_wheel(name, folder, may_be_renamed=True) as wheel:
                _check(wheel)
                requires[name] = _required(wheel)
                found = _judged(wheel, plan, names)
            if found is None:
                plain.append(wheel.name)
                continue
            for other in plan.adopted:
                if other.filename == found.filename:
                    same = f"the same name as {other.original.filename}"
                    raise NotAdopted(f"it would get {same}: {found.filename}")
            plan.adopted.append(found)
        except (wheels.UnreadableWheel, NotAdopted) as error:
            plan.left.append(Left(name, str(error)))
        except OSError as error:
            plan.left.append(Left(name, f"it cannot be read: {said(error)}"))
    releases = {(each.project, each.version) for each in plan.adopted}
    for each in plain:
        if (each.name, each.version) in releases:
            plan.kept.append(each.filename)
        else:
            why = "it is a plain wheel of another release"
            plan.left.append(Left(each.filename, why))
    plan.requiring += _requiring(plan, requires)
    add_alike(plan)


def _listed(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
        problem = "there are no wheels in it"
    except OSError as error:
        names, problem = [], said(error)
    if not any(name.endswith(".whl") for name in names):
        raise NothingFound(folder, problem, "Name a folder of wheels")
    return names


def _refuse_contradictions(plan: Plan) -> None:
    table, problem = plan.table, None
    if table.properties.get(NULL_LABEL):
        problem = f"The null variant has no properties, but {table.path} lists some"
    elif plan.cpu_as_null and "cpu" in table.properties:
        problem = f"--cpu-as-null contradicts [variant.properties] of {table.path}"
    for name, into in plan.twins.items():
        if into in plan.twins:
            problem = f"{into} cannot be a twin and a project: --twin {name}={into}"
    if problem is not None:
        raise UsageError(problem)


def _check(wheel: wheels.WheelFile) -> None:
    """Check that a wheel can be copied, and is of the release that its name says.

    :raises wheels.UnreadableWheel: if not.
    """
    wheel.record()
    metadata, project = wheel.metadata(), wheel.name.name
    if not any(is_of(metadata, project, each) for each in wheel.versions):
        raise wheels.UnreadableWheel("its METADATA is of another release than its name")


def is_of(metadata: bytes, project: NormalizedName, version: Version) -> bool:
    """Return whether core metadata is that of a release, and of no other beside."""
    found = wheels.fields(metadata)
    try:
        is_same = Version(found.get("version", "").strip()) == version
    except ValueError:
        return False
    return is_same and canonicalize_name(found.get("name", "").strip()) == project


def _judged(
    wheel: wheels.WheelFile, plan: Plan, names: Iterable[str]
) -> Converted | None:
    """Return the plan for a wheel; None if it has no local version and no twin.

    :raises NotAdopted: if it cannot become a variant.
    """
    name, into = wheel.name, plan.twins.get(wheel.name.name)
    if name.label is not None:
        raise NotAdopted(f"it is a variant already: {name.label}")
    if name.version.local is None and into is None:
        return None
    label, proof = proved(name, plan, _always_required(wheel))
    written, _, rest = name.filename.removesuffix(".whl").split("-", 2)
    stem = f"{into.replace('-', '_') if into else written}-{name.version.public}"
    project, version = into or name.name, Version(name.version.public)
    _check_renaming(wheel, project, version, stem)
    attestations = [name.filename + end for end in _ATTESTATIONS]
    dropped = [f"its signature {each}" for each in wheel.signatures]
    dropped += (each for each in names if each in attestations)
    filename = f"{stem}-{rest}-{label}.whl"
    return Converted(name, filename, project, version, label, proof, dropped)


def proved(
    name: wheels.WheelName, plan: Plan, requirements: Iterable[Requirement] = ()
) -> tuple[str, proofs.Proof]:
    """Return the label of a wheel, and its properties.

    :param requirements: that it has on every machine.
    :raises NotAdopted: if nothing proves them.
    """
    local = name.version.local
    if local is not None:
        label, proof = local, proofs.proved_by_local(local)
    else:
        label = name.name.removeprefix(plan.twins[name.name]).strip("-")
        label = label.replace("-", "_") or "twin"
        proof = proofs.proved_by_twin(label, requirements)
    # The user counts more than the name.
    if label in plan.table.properties:
        rule = f"[variant.properties] of {plan.table.path}"
        proof = proofs.Proof(plan.table.properties[label], rule)
    elif local is not None and (why := proofs.other_abi(local)) is not None:
        raise NotAdopted(
            f"{why}. If yours is not, list {label} under [variant.properties] in "
            "pyproject.toml"
        )
    elif proof is not None and label == "cpu" and plan.cpu_as_null:
        label = NULL_LABEL
    if proof is None or not is_valid_label(label):
        raise _undefined(label, "name" if local is None else "local version")
    for namespace in sorted({each.namespace for each in proof.properties}):
        if namespace not in {*_KNOWN, *plan.table.providers}:
            raise NotAdopted(
                f"nothing names the provider of the namespace {namespace}: describe it in "
                f"pyproject.toml under [variant.providers.{namespace}]"
            )
    return label, proof


def _undefined(label: str, what: str) -> NotAdopted:
    major = re.search("cu(?:da)?(1[1-5])", label)
    bound = f"{major[1] if major else 12}.0"
    return NotAdopted(
        f"its {what} does not define what a machine needs: list it under "
        "[variant.properties] in pyproject.toml, as in "
        f'"{label}" = ["nvidia :: cuda_version_lower_bound :: {bound}"]'
    )


def _check_renaming(
    wheel: wheels.WheelFile, project: NormalizedName, version: Version, stem: str
) -> None:
    """Check that a wheel can get another name or version.

    :raises NotAdopted: if not.
    """
    if not is_of(renamed(wheel.metadata(), project, version, {}), project, version):
        raise NotAdopted(
            "the name and the version in its METADATA are not on separate lines"
        )
    if wheel.dist_info != f"{stem}.dist-info":
        folders = {member.partition("/")[0] for member in wheel.members}
        taken = folders & {f"{stem}.dist-info", f"{stem}.data"}
        if taken:
            raise NotAdopted(f"it has a folder {min(taken)} already")


def _required(wheel: wheels.WheelFile) -> Sequence[str]:
    return wheels.fields(wheel.metadata()).get("requires_dist", ())


def _requirements(texts: Iterable[str]) -> Iterator[tuple[str, Requirement]]:
    for text in texts:
        try:
            yield text, Requirement(text)
        except (InvalidRequirement, RecursionError):
            continue


def _always_required(wheel: wheels.WheelFile) -> Iterator[Requirement]:
    """Yield what a wheel requires on every machine that it is for."""
    machines = [proofs.markers_of_platform(tag.platform) for tag in wheel.name.tags]
    for _, requirement in _requirements(_required(wheel)):
        marker = requirement.marker
        if marker is None or (
            all(machines)
            and "extra" not in str(marker)
            and all(marker.evaluate(machine) for machine in machines)
        ):
            yield requirement


def _requiring(
    plan: Plan, requires: Mapping[str, Iterable[str]]
) -> Iterator[tuple[str, str]]:
    """Yield the requirements of wheels that nothing satisfies any more."""
    releases = plan.releases
    changed = {each.original.filename for each in plan.adopted}
    for name, texts in requires.items():
        for text, requirement in _requirements(texts):
            is_of_twin = canonicalize_name(requirement.name) in plan.twins
            is_lost = renamed_requirement(text, releases) != text
            if name not in changed and (is_of_twin or is_lost):
                yield name, text


def add_alike(plan: Plan) -> None:
    """Add messages about labels between which no machine can choose."""
    by_needs: dict[tuple[Any, ...], dict[str, Converted]] = {}
    for each in plan.adopted:
        needs = frozenset(
            stated
            for stated in each.proof.properties
            if stated.namespace != proofs.TOOLKIT
        )
        key = each.project, each.version, needs
        by_needs.setdefault(key, {})[each.label] = each
    for (project, version, needs), labels in by_needs.items():
        if len(labels) == 1:
            continue
        # Of the toolkits, the newest one comes first.
        ordered = {
            each.proof.properties - needs: label for label, each in labels.items()
        }
        first = min(labels)
        if len(ordered) == len(labels):
            first = ordered[max(ordered, key=_toolkit)]
        plan.alike.append(
            f"{project} {version}: {' and '.join(labels)} need the same of a machine, "
            f"so installers always choose {first}"
        )
        if any(each.namespace == "nvidia" for each in needs):
            plan.snippet += (
                proofs.needs_line(label, each.proof.properties)
                for label, each in labels.items()
            )


def _toolkit(properties: Iterable[Property]) -> tuple[int, ...]:
    """Return the version of a CUDA toolkit; an empty tuple if none is stated."""
    return next((tuple(map(int, each.value.split("."))) for each in properties), ())


def write(plan: Plan, folder: str) -> None:
    """Write what is planned, and add to *plan* what was written.

    :param folder: not the folder of the wheels; it is made if it does not exist.
    :raises CannotWrite: if something cannot be written.
    """
    documents = [document(plan, adopted, folder) for adopted in plan.adopted]
    for adopted, own in zip(plan.adopted, documents, strict=True):
        name, path = adopted.original.filename, os.path.join(folder, adopted.filename)
        stem = "-".join(adopted.filename.split("-")[:2])
        try:
            os.makedirs(folder, exist_ok=True)
            with wheels.open_wheel(name, plan.folder, may_be_renamed=True) as wheel:
                files = _new_files(plan, adopted, wheel)
                files["variant.json"] = to_json(own)
                digest = wheels.write_copy(wheel, path, files, stem)
            plan.written.append((path, digest))
        except wheels.UnreadableWheel as error:
            plan.damaged.append(Left(name, str(error)))
        except OSError as error:
            raise CannotWrite(adopted.filename, error, "--output-dir") from None
    for name in plan.kept:
        path = os.path.join(folder, name)
        try:
            link_or_copy(plan.folder, name, path)
        except OSError as error:
            raise CannotWrite(name, error, "--output-dir") from None
        plan.written.append((path, file_sha256(path)))


def _new_files(
    plan: Plan, adopted: Converted, wheel: wheels.WheelFile
) -> dict[str, bytes]:
    """Return the files of the metadata that change, except ``variant.json``."""
    name, metadata = adopted.original.filename, wheel.metadata()
    source = {
        "file": name,
        "sha256": file_sha256(name, plan.folder),
        "rule": adopted.proof.rule,
    }
    return {
        "METADATA": renamed(
            *(metadata, adopted.project, adopted.version),
            *(plan.releases, plan.twins),
        ),
        "adopted.json": f"{json.dumps(source, indent=2)}\n".encode("ascii"),
    }


def document(plan: Plan, adopted: Converted, folder: str) -> Mapping[str, Any]:
    """Return the metadata of a variant, as the variants in *folder* want it."""
    siblings = manifests_of_release([folder], adopted.project, adopted.version)
    siblings.pop(adopted.filename, None)
    namespaces = plan.namespaces(adopted, siblings.values())
    providers = dict(_KNOWN)
    for sibling in siblings.values():
        providers |= sibling.document.get("providers", {})
    providers |= plan.table.providers
    properties = adopted.proof.properties
    made = make_document(CURRENT, namespaces, providers, adopted.label, properties)
    judged(made, adopted.filename, adopted.original.filename)
    return made
