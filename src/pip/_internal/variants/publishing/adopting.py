"""Make variants of wheels that only local versions or names tell apart.

``torch-2.8.0+cu128`` and ``torch-2.8.0+cpu`` become two variants of torch 2.8.0, and
``onnxruntime-gpu`` one of onnxruntime, if the user says so. What a wheel needs of a machine
is claimed only if its name, its requirements or the user prove it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.parser import BytesHeaderParser
from typing import Any

from pip._vendor.packaging._variants import NULL_LABEL, is_valid_label
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import NormalizedName, canonicalize_name
from pip._vendor.packaging.version import Version

from pip._internal.variants.core.generations import CURRENT
from pip._internal.variants.core.manifest import ABI_DEPENDENCY, Manifest
from pip._internal.variants.core.properties import Property
from pip._internal.variants.core.writing import make_document, to_json
from pip._internal.variants.machine.known_providers import KNOWN_PROVIDERS
from pip._internal.variants.publishing.building import manifests_of_release
from pip._internal.variants.publishing.errors import CannotWrite, NoSuchTarget
from pip._internal.variants.publishing.files import (
    file_sha256,
    link_or_copy,
    replacing,
)
from pip._internal.variants.publishing.local_versions import (
    Proof,
    proved_by_local,
    proved_by_requirements,
)
from pip._internal.variants.publishing.pyproject_table import ProjectTable
from pip._internal.variants.publishing.renaming import Releases, renamed
from pip._internal.variants.publishing.wheel_copy import copy_wheel
from pip._internal.variants.publishing.wheel_file import (
    SIGNATURES,
    ByteProgress,
    UnreadableWheel,
    WheelFile,
    WheelName,
    open_wheel,
)

__all__ = ["ADOPTED", "Adopted", "Left", "Plan", "Request", "plan_of", "write"]

#: The file of a wheel's metadata that tells what it was made of.
ADOPTED = "adopted.json"
#: Which namespace matters most, unless the user says.
_ORDER = ("nvidia", "amd", "intel", "tpu", ABI_DEPENDENCY, "x86_64", "aarch64")
#: What lies beside a wheel and tells who made it.
_ATTESTATIONS = (".publish.attestation", ".provenance", ".asc", ".sig", ".sigstore")


@dataclass(frozen=True, slots=True)
class Request:
    """What a user wants made of a folder.

    :ivar folder: with the wheels.
    :ivar cpu_as_null: whether a build without a GPU is the one for all machines.
    :ivar twins: by name, the project whose variants the wheels of that name become.
    :ivar table: what labels stand for.
    """

    folder: str
    cpu_as_null: bool = False
    twins: Mapping[NormalizedName, NormalizedName] = field(default_factory=dict)
    table: ProjectTable = field(default_factory=ProjectTable)


@dataclass(frozen=True, slots=True)
class Adopted:
    """A wheel that becomes a variant.

    :ivar source: its path.
    :ivar filename: of the variant.
    :ivar rule: what proves its properties, or gave it none.
    :ivar stem: ``{name}-{version}`` of its folders.
    :ivar dropped: what is not taken along, since it holds no longer.
    """

    source: str
    filename: str
    project: NormalizedName
    version: Version
    label: str
    properties: frozenset[Property]
    rule: str
    stem: str
    dropped: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Left:
    """A file that is left alone, and why."""

    filename: str
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be made of a folder.

    :ivar kept: wheels of the same releases that are taken along as they are.
    :ivar requiring: the wheels that require a project under the name that it loses.
    :ivar alike: labels of one release between which no machine can choose.
    """

    request: Request
    adopted: Sequence[Adopted]
    kept: Sequence[str]
    left: Sequence[Left]
    requiring: Sequence[tuple[str, str]]
    alike: Sequence[str]

    @property
    def releases(self) -> Releases:
        """Return the versions without a local part, by project and version with it."""
        return {
            (project, str(version)): Version(version.public)
            for project, version in (_release(each) for each in self.adopted)
        }

    def namespaces(self, wanted: Adopted, there: Iterable[Manifest]) -> tuple[str, ...]:
        """Return the namespaces of a release, the most important first.

        :param there: what other wheels of that release say, which it has to agree with.
        """
        used = {
            each.namespace
            for adopted in self.adopted
            if (adopted.project, adopted.version) == (wanted.project, wanted.version)
            for each in adopted.properties
        }
        order = dict.fromkeys((*self.request.table.namespaces, *_ORDER, *sorted(used)))
        # There is at least one.
        own = tuple(each for each in order if each in used) or _ORDER[:1]
        longest = max((each.namespaces for each in there), key=len, default=())
        return tuple(dict.fromkeys((*longest, *own)))


def _release(adopted: Adopted) -> tuple[NormalizedName, Version]:
    name = WheelName(os.path.basename(adopted.source))
    return name.name, name.version


def plan_of(request: Request) -> Plan:
    """Find out what can be made of a folder; nothing is written.

    :raises NoSuchTarget: if there is no folder, or nothing in it.
    """
    try:
        names = sorted(os.listdir(request.folder))
    except OSError as error:
        problem = error.strerror or str(error)
        raise NoSuchTarget(request.folder, problem, "Name a folder of wheels") from None
    wheels = [name for name in names if name.endswith(".whl")]
    if not wheels:
        raise NoSuchTarget(
            request.folder, "There is no wheel", "Name a folder of wheels"
        )
    adopted: dict[str, Adopted] = {}
    left = [
        Left(name, "it is no wheel")
        for name in names
        if not name.endswith((".whl", *_ATTESTATIONS))
        if os.path.isfile(os.path.join(request.folder, name))
    ]
    plain: list[WheelName] = []
    requiring: list[tuple[str, str]] = []
    for name in wheels:
        found, twins = _read(name, request, names)
        requiring += ((name, each) for each in twins)
        if isinstance(found, WheelName):
            plain.append(found)
        elif isinstance(found, Left):
            left.append(found)
        elif found.filename in adopted:
            other = os.path.basename(adopted[found.filename].source)
            left.append(Left(name, f"it would be called as {other}: {found.filename}"))
        else:
            adopted[found.filename] = found
    kept = _kept(plain, adopted.values(), left)
    return Plan(
        *(request, list(adopted.values()), kept, left, requiring),
        list(_alike(adopted.values())),
    )


def _read(
    name: str, request: Request, names: Iterable[str]
) -> tuple[Adopted | Left | WheelName, Sequence[str]]:
    """Say what becomes of a file, and which twins it requires."""
    try:
        with open_wheel(os.path.join(request.folder, name)) as wheel:
            return _judged(wheel, request, names), list(_required_twins(wheel, request))
    except UnreadableWheel as error:
        return Left(name, str(error)), ()
    except OSError as error:
        return Left(name, f"it cannot be read: {error.strerror or error}"), ()


def _judged(
    wheel: WheelFile, request: Request, names: Iterable[str]
) -> Adopted | Left | WheelName:
    """Say what becomes of a wheel; its name, if it is as plain as wheels are."""
    name = wheel.name
    if name.label is not None:
        return Left(name.filename, f"it is a variant already: {name.label}")
    into = request.twins.get(name.name)
    if name.version.local is None and into is None:
        return name
    stem = name.filename.split("-")[0]
    if name.version.local is not None:
        label, proof = name.version.local, proved_by_local(name.version.local)
    else:
        assert into is not None
        label = name.name.removeprefix(into).strip("-").replace("-", "_") or "twin"
        proof = proved_by_requirements(_required(wheel))
    proof, label = _settled(proof, label, request)
    if proof is None or not is_valid_label(label):
        return Left(name.filename, _unproved(name, label))
    for namespace in sorted({each.namespace for each in proof.properties}):
        if namespace not in {*KNOWN_PROVIDERS, *request.table.providers}:
            return Left(
                name.filename,
                f"nothing says who provides the namespace {namespace}: describe it in "
                f"pyproject.toml under [variant.providers.{namespace}]",
            )
    if into is not None:
        stem = into.replace("-", "_")
    rest = name.filename.split("-", 2)[2].removesuffix(".whl")
    public = name.version.public
    return Adopted(
        os.path.join(request.folder, name.filename),
        f"{stem}-{public}-{rest}-{label}.whl",
        into or name.name,
        Version(public),
        label,
        proof.properties,
        proof.rule,
        f"{stem}-{public}",
        list(_dropped(wheel, names)),
    )


def _settled(
    proof: Proof | None, label: str, request: Request
) -> tuple[Proof | None, str]:
    """Let the user's word count before what a name proves."""
    if label in request.table.properties:
        rule = f"[variant.properties] of {request.table.path}"
        return Proof(request.table.properties[label], rule), label
    if proof is not None and label == "cpu" and request.cpu_as_null:
        return proof, NULL_LABEL
    return proof, label


def _unproved(name: WheelName, label: str) -> str:
    what = "its local version" if name.version.local else "its name"
    return (
        f"{what} does not tell what a machine must have: say it under "
        f'[variant.properties] in pyproject.toml, as in "{label}" = '
        '["nvidia :: cuda_version_lower_bound :: 12.0"]'
    )


def _dropped(wheel: WheelFile, names: Iterable[str]) -> Iterator[str]:
    for name in SIGNATURES:
        if f"{wheel.dist_info}/{name}" in wheel.members:
            yield f"its signature {name}"
    own = tuple(f"{wheel.name.filename}{end}" for end in _ATTESTATIONS)
    for name in names:
        if name in own:
            yield name


def _headers(wheel: WheelFile, name: str) -> list[str]:
    message = BytesHeaderParser().parsebytes(wheel.metadata())
    return [*map(str, message.get_all(name, ()))]


def _required(wheel: WheelFile) -> Iterator[NormalizedName]:
    for text in _headers(wheel, "Requires-Dist"):
        try:
            yield canonicalize_name(Requirement(text).name)
        except (InvalidRequirement, RecursionError):
            continue


def _required_twins(wheel: WheelFile, request: Request) -> Iterator[str]:
    if not request.twins:
        return
    for name in dict.fromkeys(_required(wheel)):
        if name in request.twins:
            yield name


def _kept(
    plain: Iterable[WheelName], adopted: Iterable[Adopted], left: list[Left]
) -> list[str]:
    """Return the plain wheels of adopted releases; the others are left alone."""
    releases = {(each.project, each.version) for each in adopted}
    kept = []
    for name in plain:
        if (name.name, name.version) in releases:
            kept.append(name.filename)
        else:
            left.append(Left(name.filename, "it is a plain wheel, of another release"))
    return kept


def _alike(adopted: Iterable[Adopted]) -> Iterator[str]:
    """Say between which builds no machine can choose."""
    by_needs: dict[tuple[Any, ...], dict[str, None]] = {}
    for each in adopted:
        key = each.project, each.version, each.properties
        by_needs.setdefault(key, {})[each.label] = None
    for (project, version, _), labels in by_needs.items():
        if len(labels) > 1:
            yield (
                f"{project} {version}: nothing that a machine can be asked for tells "
                f"{' and '.join(labels)} apart, and {min(labels)} is taken"
            )


def write(plan: Plan, folder: str, progress: ByteProgress) -> list[tuple[str, str]]:
    """Write what is planned.

    :param folder: another one than that of the wheels; it is made if it is not there.
    :return: the path of each wheel that was written, and its sha256.
    :raises CannotWrite: if that is not possible.
    """
    written = []
    documents = [_document(plan, adopted, folder) for adopted in plan.adopted]
    for adopted, document in zip(plan.adopted, documents, strict=True):
        path = os.path.join(folder, adopted.filename)
        try:
            os.makedirs(folder, exist_ok=True)
            with open_wheel(adopted.source) as wheel:
                _write(plan, adopted, document, wheel, path, progress)
        except UnreadableWheel as error:
            raise CannotWrite(adopted.filename, OSError(str(error)), "-d") from None
        except OSError as error:
            raise CannotWrite(adopted.filename, error, "-d") from None
        written.append((path, file_sha256(path)))
    for name in plan.kept:
        path = os.path.join(folder, name)
        try:
            link_or_copy(os.path.join(plan.request.folder, name), path)
        except OSError as error:
            raise CannotWrite(name, error, "-d") from None
        written.append((path, file_sha256(path)))
    return written


def _write(
    plan: Plan,
    adopted: Adopted,
    document: Mapping[str, Any],
    wheel: WheelFile,
    path: str,
    progress: ByteProgress,
) -> None:
    variant = to_json(document)
    source = {
        "file": os.path.basename(adopted.source),
        "sha256": file_sha256(adopted.source),
        "rule": adopted.rule,
    }
    files = {
        "METADATA": renamed(
            wheel.metadata(), adopted.project, adopted.version, plan.releases
        ),
        ADOPTED: f"{json.dumps(source, indent=2)}\n".encode("ascii"),
    }
    with progress(wheel.bytes_to_read) as advance:
        wheel.check_integrity(advance)
        with replacing(path, os.path.getsize(adopted.source)) as target:
            copy_wheel(wheel, target, variant, advance, stem=adopted.stem, files=files)


def _document(plan: Plan, adopted: Adopted, folder: str) -> Mapping[str, Any]:
    siblings = manifests_of_release([folder], adopted.project, adopted.version)
    siblings.pop(adopted.filename, None)
    namespaces = plan.namespaces(adopted, siblings.values())
    providers: dict[str, Mapping[str, Any]] = {
        namespace: known.declaration for namespace, known in KNOWN_PROVIDERS.items()
    }
    for sibling in siblings.values():
        providers |= sibling.document.get("providers", {})
    providers |= plan.request.table.providers
    variants = {adopted.label: adopted.properties}
    return make_document(CURRENT, namespaces, providers, variants)
