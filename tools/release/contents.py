"""Tell whose each file of the fork's wheel is."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from fork.engine.releases import Pin
from tools.release.errors import ReleaseError
from tools.release.licences import licence_of

__all__ = ["Contents", "Origins", "Part", "contents"]

_VENDOR = "pip/_vendor/"
#: Upstream's own list of what it vendors, in an older form of CycloneDX.
_UPSTREAMS_LIST = f"{_VENDOR}bom.cdx.json"
#: Libraries whose package is not called like them.
_PACKAGES = {"setuptools": "pkg_resources"}
#: What a library has taken in itself: the name of that, and its folder.
_TAKEN_IN = {"archspec": ("cpuid", "archspec/vendor/cpuid/")}


@dataclass(slots=True)
class Part:
    """Something that has a licence of its own, and its files in the wheel.

    :ivar name: normalised.
    :ivar version: None if it does not tell.
    :ivar purl: its package URL, if it is a package.
    :ivar files: digests (SHA-256) by path in the wheel.
    :ivar parts: what it has taken in.
    """

    name: str
    version: str | None
    licence: str
    purl: str | None
    files: dict[str, str] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Contents:
    """The parts of a wheel of the fork.

    :ivar fork: what the fork brings itself.
    :ivar upstream: pip; what it vendors is in its parts.
    :ivar libraries: what the fork vendors.
    :ivar edited: paths of upstream's files that the fork has edited.
    :ivar digest: of the wheel.
    """

    fork: Part
    upstream: Part
    libraries: tuple[Part, ...]
    edited: frozenset[str]
    digest: str


@dataclass(frozen=True, slots=True)
class Origins:
    """What the fork is made from.

    :ivar version: of the fork.
    :ivar overlay: paths of its own files in the wheel.
    :ivar edited: paths of upstream's files that it edits.
    """

    version: str
    upstream: Pin
    libraries: tuple[Pin, ...]
    overlay: frozenset[str]
    edited: frozenset[str]


def contents(wheel: Path, origins: Origins) -> Contents:
    """Read a wheel and tell whose each of its files is.

    :raises ReleaseError: it lacks files that it must have, or has a library of which
        nothing is known.
    """
    with zipfile.ZipFile(wheel) as archive:
        files = {name: _sha256(archive.read(name)) for name in archive.namelist()}
        listed = _listed(json.loads(_read(archive, _UPSTREAMS_LIST)))
    missing = sorted((origins.overlay | origins.edited) - files.keys())
    if missing:
        raise ReleaseError(
            "the wheel is not made from this working tree; build it anew. It lacks "
            f"{len(missing)} files, such as {missing[0]!r}"
        )
    upstream = _part(origins.upstream.name, origins.upstream.version)
    upstream.parts = [_part(name, version) for name, version in listed]
    libraries = tuple(_part(pin.name, pin.version) for pin in origins.libraries)
    fork = Part("pip-variants", origins.version, licence_of("pip-variants"), None)
    owners = {_home(part.name): part for part in upstream.parts}
    for pin, part in zip(origins.libraries, libraries, strict=True):
        owners |= {root.rstrip("/"): part for root in pin.roots}
    dist_info = next(name for name in files if ".dist-info/" in name).partition("/")[0]
    for path, digest in files.items():
        if path in origins.overlay:
            owner = fork
        else:
            owner = _owner(path, dist_info, owners, upstream, fork)
        owner.files[path] = digest
    for part in (*upstream.parts, *libraries):
        _split(part)
        if not part.files:
            raise ReleaseError(
                f"{part.name} has no files in the wheel; tell in _PACKAGES of "
                "tools/release/contents.py how its package is called"
            )
    return Contents(
        fork, upstream, libraries, origins.edited, _sha256(wheel.read_bytes())
    )


def _owner(
    path: str, dist_info: str, owners: Mapping[str, Part], upstream: Part, fork: Part
) -> Part:
    """Return whose a file is that is none of the overlay's."""
    below = path
    if path.startswith(f"{dist_info}/"):
        below = path.removeprefix(f"{dist_info}/licenses/src/")
        if path in {f"{dist_info}/licenses/{name}" for name in _UPSTREAMS_LICENCES}:
            return upstream
    if below.startswith(_VENDOR):
        name = below.removeprefix(_VENDOR).partition("/")[0]
        # A licence may lie in a folder that is called like the module beside it.
        owner = owners.get(name) or owners.get(f"{name}.py")
        if owner is not None:
            return owner
        if "/" in below.removeprefix(_VENDOR):
            raise ReleaseError(
                f"nobody knows whose this is; see tools/release/contents.py. "
                f"File: {path!r}"
            )
    return upstream if path.startswith("pip/") else fork


#: Of the distribution's own licence files, those that upstream brings.
_UPSTREAMS_LICENCES = ("AUTHORS.txt", "LICENSE.txt")


def _split(part: Part) -> None:
    """Give to what a library has taken in what is its own."""
    name, folder = _TAKEN_IN.get(part.name, ("", ""))
    if not name:
        return
    inner = Part(name, None, licence_of(name), None)
    for path in [path for path in part.files if f"/{folder}" in path]:
        inner.files[path] = part.files.pop(path)
    part.parts.append(inner)


def _listed(document: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    """Yield names and versions of what upstream vendors."""
    components = document["components"]
    assert isinstance(components, list)
    return [(each["name"], each["version"]) for each in components if "purl" in each]


def _part(name: str, version: str) -> Part:
    name = name.lower().replace("_", "-").replace(".", "-")
    purl = f"pkg:pypi/{name}@{quote(version)}"
    return Part(name, version, licence_of(name), purl)


def _home(name: str) -> str:
    """Return the name of a library's folder."""
    return _PACKAGES.get(name, name.replace("-", "_"))


def _read(archive: zipfile.ZipFile, path: str) -> bytes:
    try:
        return archive.read(path)
    except KeyError:
        raise ReleaseError(
            f"upstream no longer lists what it vendors; see tools/release/contents.py. "
            f"File: {path!r}"
        ) from None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
