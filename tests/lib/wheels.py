"""Create tiny, reproducible wheels and sdists."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import shutil
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ZIP_TIME = (2020, 1, 1, 0, 0, 0)

# The build backend of every stand-in sdist: it copies the contained wheel.
_BACKEND = """\
import pathlib, shutil


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    (wheel,) = pathlib.Path(__file__).parent.glob("prebuilt/*.whl")
    shutil.copy(wheel, wheel_directory)
    return wheel.name
"""


@dataclass(frozen=True, slots=True)
class DistFile:
    """A file of a release.

    ``metadata`` is the core metadata inside the file, ``None`` for an sdist or a manifest.
    """

    project: str
    version: str
    filename: str
    content: bytes
    metadata: bytes | None = None

    @property
    def sha256(self) -> str:
        """The hexadecimal digest of the content."""
        return hashlib.sha256(self.content).hexdigest()

    def write_to(self, folder: Path) -> Path:
        """Write the file into ``folder`` under its own name and return its path."""
        path = folder / self.filename
        path.write_bytes(self.content)
        return path


def normalize_name(name: str) -> str:
    """Return the normalized project name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def escape_name(name: str) -> str:
    """Return the project name for file names."""
    return normalize_name(name).replace("-", "_")


def make_wheel(
    name: str,
    version: str,
    *,
    tag: str = "py3-none-any",
    build: str | None = None,
    label: str | None = None,
    variant_json: Mapping[str, Any] | bytes | None = None,
    requires: Sequence[str] = (),
    extras: Mapping[str, Sequence[str]] | None = None,
    requires_python: str | None = None,
    metadata: Sequence[str] = (),
    files: Mapping[str, str | bytes] | None = None,
    filename: str | None = None,
) -> DistFile:
    """Create a wheel with one module that contains version and label.

    :param label: the variant label of the file name.
    :param variant_json: the content of ``variant.json`` in the ``.dist-info`` folder.
    :param extras: the requirements by extra.
    :param metadata: additional ``Header: value`` lines of METADATA.
    :param files: additional files by path inside the wheel; they replace the module.
    :param filename: a file name that does not match the other arguments.
    """
    module = escape_name(name)
    dist_info = f"{module}-{version}.dist-info"
    core_metadata = _core_metadata(
        name, version, requires, extras or {}, requires_python, metadata
    )
    root_is_purelib = str(tag.endswith("-any")).lower()
    wheel_lines = [
        "Wheel-Version: 1.0",
        "Generator: stand-in",
        f"Root-Is-Purelib: {root_is_purelib}",
        *(f"Tag: {expanded}" for expanded in _expand_tag(tag)),
        *([f"Build: {build}"] if build is not None else []),
    ]
    members: dict[str, bytes] = {
        f"{module}/__init__.py": (
            f"__version__ = {version!r}\nvariant_label = {label or ''!r}\n"
        ).encode()
    }
    for path, content in (files or {}).items():
        members[path] = content.encode() if isinstance(content, str) else content
    members[f"{dist_info}/METADATA"] = core_metadata
    members[f"{dist_info}/WHEEL"] = "\n".join([*wheel_lines, ""]).encode()
    if variant_json is not None:
        members[f"{dist_info}/variant.json"] = (
            variant_json
            if isinstance(variant_json, bytes)
            else json.dumps(variant_json, indent=2).encode()
        )
    parts = [module, version, build, tag, label]
    return DistFile(
        project=normalize_name(name),
        version=version,
        filename=filename or "-".join(part for part in parts if part) + ".whl",
        content=_zip(members, f"{dist_info}/RECORD"),
        metadata=core_metadata,
    )


def make_sdist(
    name: str,
    version: str,
    *,
    requires: Sequence[str] = (),
    requires_python: str | None = None,
    build_requires: Sequence[str] = (),
    dynamic: Sequence[str] | None = None,
    code: str = "",
) -> DistFile:
    """Create an sdist that builds the wheel of the same arguments offline.

    :param dynamic: the fields that a build may change; None for an old metadata version
        without this field.
    :param build_requires: build requirements from an index, which the build does not use.
    :param code: code that runs first during any build of the sdist.
    """
    stem = f"{escape_name(name)}-{version}"
    wheel = make_wheel(
        name, version, requires=requires, requires_python=requires_python
    )
    assert wheel.metadata is not None
    info = wheel.metadata
    if dynamic is not None:
        head = ["Metadata-Version: 2.2", *(f"Dynamic: {field}" for field in dynamic)]
        info = info.replace(b"Metadata-Version: 2.1", "\n".join(head).encode())
    pyproject = (
        "[build-system]\n"
        f"requires = {json.dumps(list(build_requires))}\n"
        'build-backend = "backend"\n'
        'backend-path = ["."]\n'
    )
    members = {
        "PKG-INFO": info,
        "backend.py": f"{code}\n{_BACKEND}".encode(),
        f"prebuilt/{wheel.filename}": wheel.content,
        "pyproject.toml": pyproject.encode(),
    }
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        for path, content in members.items():
            member = tarfile.TarInfo(f"{stem}/{path}")
            member.size = len(content)
            member.mtime = 1577836800
            archive.addfile(member, io.BytesIO(content))
    return DistFile(
        normalize_name(name), version, f"{stem}.tar.gz", buffer.getvalue(), None
    )


def relabel_wheel(
    source: Path, folder: Path, label: str, variant_json: Mapping[str, Any]
) -> Path:
    """Copy an existing wheel as a variant wheel: label, ``variant.json`` and RECORD.

    The other members are copied unchanged, so that wheels of any size fit.
    """
    target = folder / f"{source.name.removesuffix('.whl')}-{label}.whl"
    shutil.copyfile(source, target)
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive:
        (record,) = (i for i in archive.filelist if _is_record(i.filename))
        rows = archive.read(record)
        # The new directory at the end omits the old RECORD.
        archive.filelist.remove(record)
        del archive.NameToInfo[record.filename]
        path = record.filename.removesuffix("RECORD") + "variant.json"
        content = json.dumps(variant_json, indent=2).encode()
        archive.writestr(_zip_info(path), content)
        row = f"{path},{_record_hash(content)},{len(content)}\n"
        archive.writestr(_zip_info(record.filename), row.encode() + rows)
    return target


def _is_record(member: str) -> bool:
    return re.fullmatch(r"[^/]+\.dist-info/RECORD", member) is not None


def _core_metadata(
    name: str,
    version: str,
    requires: Sequence[str],
    extras: Mapping[str, Sequence[str]],
    requires_python: str | None,
    headers: Sequence[str],
) -> bytes:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {version}",
        "Summary: A stand-in",
        *headers,
    ]
    if requires_python is not None:
        lines.append(f"Requires-Python: {requires_python}")
    lines.extend(f"Requires-Dist: {requirement}" for requirement in requires)
    for extra, requirements in extras.items():
        lines.append(f"Provides-Extra: {extra}")
        for requirement in requirements:
            lines.append(f"Requires-Dist: {_under_extra(requirement, extra)}")
    return "\n".join([*lines, ""]).encode()


def _under_extra(requirement: str, extra: str) -> str:
    requirement, _, marker = requirement.partition(";")
    condition = f'extra == "{extra}"'
    if marker.strip():
        condition = f"({marker.strip()}) and {condition}"
    return f"{requirement.strip()} ; {condition}"


def _expand_tag(tag: str) -> list[str]:
    python, abi, platform = tag.split("-")
    return [
        f"{p}-{a}-{m}"
        for p in python.split(".")
        for a in abi.split(".")
        for m in platform.split(".")
    ]


def _zip(members: Mapping[str, bytes], record_path: str) -> bytes:
    rows = [
        f"{path},{_record_hash(content)},{len(content)}"
        for path, content in members.items()
    ]
    record = "\n".join([*rows, f"{record_path},,", ""]).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {**members, record_path: record}.items():
            archive.writestr(_zip_info(path), content)
    return buffer.getvalue()


def _zip_info(path: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path, _ZIP_TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o100644 << 16
    return info


def _record_hash(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return "sha256=" + digest.decode().rstrip("=")
