"""Make variants of wheels that only local versions or names distinguish.

``torch-2.8.0+cu128`` and ``torch-2.8.0+cpu`` become two variants of torch 2.8.0, and
``onnxruntime-gpu`` one of onnxruntime, if the user says so. A wheel gets
only properties that its name, its requirements or the user prove.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.parser import BytesHeaderParser
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

from wheel_variants.labels import NULL_LABEL, is_valid_label
from wheel_variants.manifest import ABI_DEPENDENCY, Manifest
from wheel_variants.properties import Property
from wheel_variants.publish.building import judged, manifests_of_release
from wheel_variants.publish.errors import CannotWrite, NothingFound, UsageError, said
from wheel_variants.publish.files import (
    below,
    file_sha256,
    link_or_copy,
    replacing,
)
from wheel_variants.publish.generations import CURRENT
from wheel_variants.publish.known_providers import KNOWN_PROVIDERS
from wheel_variants.publish.local_versions import (
    Proof,
    proved_by_local,
    proved_by_requirements,
)
from wheel_variants.publish.platform_markers import markers_of_platform
from wheel_variants.publish.pyproject_table import ProjectTable
from wheel_variants.publish.renaming import (
    Releases,
    renamed,
    renamed_requirement,
)
from wheel_variants.publish.wheel_copy import copy_wheel
from wheel_variants.publish.wheel_file import (
    SIGNATURES,
    ByteProgress,
    UnreadableWheel,
    WheelFile,
    WheelName,
    open_wheel,
)
from wheel_variants.publish.writing import make_document, to_json

__all__ = ["ADOPTED", "Adopted", "Left", "Plan", "Request", "plan_of", "write"]

#: The file of a variant's metadata that names the original wheel.
ADOPTED = "adopted.json"
#: Of the entries of a wheel: none, deflate, bzip2, LZMA.
_COMPRESSIONS = (0, 8, 12, 14)
#: The order of namespaces, unless the user gives one.
_ORDER = ("nvidia", "amd", "intel", "tpu", ABI_DEPENDENCY, "x86_64", "aarch64")
#: Files beside a wheel that prove who made it.
_ATTESTATIONS = (".publish.attestation", ".provenance", ".asc", ".sig", ".sigstore")


@dataclass(frozen=True, slots=True)
class Request:
    """What to do with a folder of wheels.

    :ivar folder: with the wheels.
    :ivar cpu_as_null: whether a wheel for CPUs becomes the null variant.
    :ivar twins: by name, the project whose variants the wheels of that name become.
    :ivar table: the properties of labels.
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
    :ivar rule: what proves its properties.
    :ivar stem: ``{name}-{version}`` of its folders.
    :ivar dropped: what is not copied, since it is not valid for the variant.
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
    """What adopting a folder writes.

    :ivar kept: wheels of the same releases that are copied as they are.
    :ivar requiring: wheels, and their requirements that nothing satisfies any more.
    :ivar alike: messages about labels between which no machine can choose.
    """

    request: Request
    adopted: Sequence[Adopted]
    kept: Sequence[str]
    left: Sequence[Left]
    requiring: Sequence[tuple[str, str]]
    alike: Sequence[str]

    @property
    def releases(self) -> Releases:
        """The versions without a local part, by project and version with it."""
        return _releases(self.adopted)

    def namespaces(self, wanted: Adopted, there: Iterable[Manifest]) -> tuple[str, ...]:
        """Return the namespaces of a release, the most important first.

        :param there: the metadata of other wheels of that release, which must agree.
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
        return tuple(dict.fromkeys((*longest, *self.request.table.namespaces, *own)))


def _releases(adopted: Iterable[Adopted]) -> Releases:
    names = (WheelName(os.path.basename(each.source)) for each in adopted)
    return {
        (name.name, name.version): Version(name.version.public)
        for name in names
        if name.version.local is not None
    }


def plan_of(request: Request) -> Plan:
    """Return what adopting a folder would write.

    :raises NothingFound: if there is no folder, or no wheel in it.
    :raises UsageError: if the request contradicts itself.
    """
    _refuse_contradictions(request)
    names = _listed(request.folder)
    wheels = [name for name in names if name.endswith(".whl")]
    adopted: dict[str, Adopted] = {}
    left = [
        Left(name, "it is not a wheel")
        for name in names
        if not name.endswith((".whl", *_ATTESTATIONS))
        if os.path.isfile(os.path.join(request.folder, name))
    ]
    plain: list[WheelName] = []
    requires: dict[str, Sequence[str]] = {}
    for name in wheels:
        found, requires[name] = _read(name, request, names)
        if isinstance(found, WheelName):
            plain.append(found)
        elif isinstance(found, Left):
            left.append(found)
        elif found.filename in adopted:
            other = os.path.basename(adopted[found.filename].source)
            left.append(
                Left(name, f"it would get the same name as {other}: {found.filename}")
            )
        else:
            adopted[found.filename] = found
    kept = _kept(plain, adopted.values(), left)
    sources = {os.path.basename(each.source) for each in adopted.values()}
    requiring = [
        (name, each)
        for name, texts in requires.items()
        for each in _lost(texts, request, adopted.values(), is_kept=name not in sources)
    ]
    return Plan(
        *(request, list(adopted.values()), kept, left, requiring),
        list(_alike(adopted.values())),
    )


def _listed(folder: str) -> list[str]:
    hint = "Name a folder of wheels"
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise NothingFound(folder, said(error), hint) from None
    if not any(name.endswith(".whl") for name in names):
        raise NothingFound(folder, "there are no wheels in it", hint)
    return names


def _refuse_contradictions(request: Request) -> None:
    table = request.table
    if table.properties.get(NULL_LABEL):
        raise UsageError(
            f"The null variant has no properties, but {table.path} lists some"
        )
    if request.cpu_as_null and "cpu" in table.properties:
        raise UsageError(
            f"--cpu-as-null contradicts [variant.properties] of {table.path}"
        )
    for name, into in request.twins.items():
        if into in request.twins:
            raise UsageError(
                f"{into} cannot be a twin and a project: --twin {name}={into}"
            )


def _read(
    name: str, request: Request, names: Iterable[str]
) -> tuple[Adopted | Left | WheelName, Sequence[str]]:
    """Return the plan for a file, and what the file requires."""
    try:
        with open_wheel(name, request.folder) as wheel:
            _check(wheel)
            found = _judged(wheel, request, names)
            return found, _headers(wheel, "Requires-Dist")
    except UnreadableWheel as error:
        return Left(name, str(error)), ()
    except OSError as error:
        return Left(name, f"it cannot be read: {said(error)}"), ()


def _judged(
    wheel: WheelFile, request: Request, names: Iterable[str]
) -> Adopted | Left | WheelName:
    """Return the plan for a wheel; its name if it has no local version and no twin."""
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
        proof = proved_by_requirements(_always_required(wheel))
    proof, label = _settled(proof, label, request)
    if proof is None or not is_valid_label(label):
        return Left(name.filename, _unproved(name, label))
    for namespace in sorted({each.namespace for each in proof.properties}):
        if namespace not in {*KNOWN_PROVIDERS, *request.table.providers}:
            return Left(
                name.filename,
                f"nothing names the provider of the namespace {namespace}: describe it in "
                f"pyproject.toml under [variant.providers.{namespace}]",
            )
    if into is not None:
        stem = into.replace("-", "_")
    project, version = into or name.name, Version(name.version.public)
    problem = _cannot_be_renamed(wheel, project, version, f"{stem}-{version}")
    if problem is not None:
        return Left(name.filename, problem)
    rest = name.filename.split("-", 2)[2].removesuffix(".whl")
    public = name.version.public
    return Adopted(
        os.path.join(request.folder, name.filename),
        f"{stem}-{public}-{rest}-{label}.whl",
        project,
        version,
        label,
        proof.properties,
        proof.rule,
        f"{stem}-{public}",
        list(_dropped(wheel, names)),
    )


def _cannot_be_renamed(
    wheel: WheelFile, project: NormalizedName, version: Version, stem: str
) -> str | None:
    """Return why a wheel cannot get another name or version; None if it can."""
    if not _is_of(renamed(wheel.metadata(), project, version, {}), project, version):
        return "the name and the version in its METADATA are not on separate lines"
    old = wheel.dist_info.removesuffix(".dist-info")
    folders = (
        {f"{stem}{kind}" for kind in (".dist-info", ".data")} if stem != old else ()
    )
    taken = {member.partition("/")[0] for member in wheel.members}.intersection(folders)
    return f"it has a folder {min(taken)} already" if taken else None


def _check(wheel: WheelFile) -> None:
    """Check that a wheel can be copied, and is of the release that its name says.

    :raises UnreadableWheel: if not.
    """
    wheel.record()
    for info in wheel.archive.infolist():
        if info.flag_bits & 0x1 or info.compress_type not in _COMPRESSIONS:
            raise UnreadableWheel(f"its entry {info.filename!r} cannot be read")
    if not _is_of(wheel.metadata(), wheel.name.name, wheel.name.version):
        raise UnreadableWheel("its METADATA is of another release than its name")


def _is_of(metadata: bytes, project: NormalizedName, version: Version) -> bool:
    """Return whether core metadata is that of a release."""
    message = BytesHeaderParser().parsebytes(metadata)
    names, versions = (message.get_all(key, []) for key in ("Name", "Version"))
    if len(names) != 1 or len(versions) != 1:
        return False
    try:
        is_same = Version(str(versions[0]).strip()) == version
    except ValueError:
        return False
    return is_same and canonicalize_name(str(names[0]).strip()) == project


def _settled(
    proof: Proof | None, label: str, request: Request
) -> tuple[Proof | None, str]:
    """Prefer the properties that the user listed to those that a name proves."""
    if label in request.table.properties:
        rule = f"[variant.properties] of {request.table.path}"
        return Proof(request.table.properties[label], rule), label
    if proof is not None and label == "cpu" and request.cpu_as_null:
        return proof, NULL_LABEL
    return proof, label


def _unproved(name: WheelName, label: str) -> str:
    what = "its local version" if name.version.local else "its name"
    return (
        f"{what} does not define what a machine needs: list it under "
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


def _requirements(texts: Iterable[str]) -> Iterator[tuple[str, Requirement]]:
    for text in texts:
        try:
            yield text, Requirement(text)
        except (InvalidRequirement, RecursionError):
            continue


def _always_required(wheel: WheelFile) -> Iterator[NormalizedName]:
    """Yield the projects that a wheel requires on every machine that it is for."""
    machines = [markers_of_platform(tag.platform) for tag in wheel.name.tags]
    for _, requirement in _requirements(_headers(wheel, "Requires-Dist")):
        marker = requirement.marker
        holds = marker is None or (
            all(machines)
            and "extra" not in str(marker)
            and all(marker.evaluate(machine) for machine in machines)
        )
        if holds:
            yield canonicalize_name(requirement.name)


def _lost(
    texts: Iterable[str], request: Request, adopted: Iterable[Adopted], *, is_kept: bool
) -> Iterator[str]:
    """Yield the requirements of a wheel that nothing satisfies any more.

    :param is_kept: whether its own requirements stay as they are.
    """
    releases = _releases(adopted)
    for text, requirement in _requirements(texts):
        is_changed = renamed_requirement(text, releases) != text
        if canonicalize_name(requirement.name) in request.twins or (
            is_kept and is_changed
        ):
            yield text


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
            left.append(Left(name.filename, "it is a plain wheel of another release"))
    return kept


def _alike(adopted: Iterable[Adopted]) -> Iterator[str]:
    """Yield a message for the labels between which no machine can choose."""
    by_needs: dict[tuple[Any, ...], dict[str, None]] = {}
    for each in adopted:
        key = each.project, each.version, each.properties
        by_needs.setdefault(key, {})[each.label] = None
    for (project, version, _), labels in by_needs.items():
        if len(labels) > 1:
            yield (
                f"{project} {version}: {' and '.join(labels)} need the same of a machine, "
                f"so installers always choose {min(labels)}"
            )


def write(
    plan: Plan, folder: str, progress: ByteProgress
) -> tuple[list[tuple[str, str]], list[Left]]:
    """Write what is planned.

    :param folder: not the folder of the wheels; it is made if it does not exist.
    :return: the path and the sha256 of each wheel that was written; and the wheels that
        are damaged.
    :raises CannotWrite: if something cannot be written.
    """
    written, damaged = [], []
    documents = [_document(plan, adopted, folder) for adopted in plan.adopted]
    for adopted, document in zip(plan.adopted, documents, strict=True):
        path = os.path.join(folder, adopted.filename)
        name = os.path.basename(adopted.source)
        try:
            os.makedirs(folder, exist_ok=True)
            with open_wheel(name, plan.request.folder) as wheel:
                _write(plan, adopted, document, wheel, path, progress)
        except UnreadableWheel as error:
            damaged.append(Left(name, str(error)))
            continue
        except OSError as error:
            raise CannotWrite(adopted.filename, error, "--output-dir") from None
        written.append((path, file_sha256(path)))
    for name in plan.kept:
        path = os.path.join(folder, name)
        try:
            link_or_copy(plan.request.folder, name, path)
        except OSError as error:
            raise CannotWrite(name, error, "--output-dir") from None
        written.append((path, file_sha256(path)))
    return written, damaged


def _write(
    plan: Plan,
    adopted: Adopted,
    document: Mapping[str, Any],
    wheel: WheelFile,
    path: str,
    progress: ByteProgress,
) -> None:
    variant = to_json(document)
    name = os.path.basename(adopted.source)
    original = below(plan.request.folder, name)
    source = {
        "file": name,
        "sha256": file_sha256(original),
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
        with replacing(path) as target:
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
    document = make_document(CURRENT, namespaces, providers, variants)
    judged(document, adopted.filename, os.path.basename(adopted.source))
    return document
