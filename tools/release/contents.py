"""Determine the library of each file in the fork's wheel."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from fork.engine.releases import Pin
from tools.release.errors import ReleaseError

__all__ = ["LICENSES", "Origins", "Part", "contents"]

_VENDOR = "pip/_vendor/"
#: Upstream's own list of its vendored libraries, in an older form of CycloneDX.
_UPSTREAMS_LIST = f"{_VENDOR}bom.cdx.json"
#: Upstream's files among the license files of the distribution.
_UPSTREAMS_LICENSES = ("AUTHORS.txt", "LICENSE.txt")
#: Libraries whose package has another name.
_PACKAGES = {"setuptools": "pkg_resources"}
#: SPDX expressions by normalized name: the wheel contains only the texts of licenses.
LICENSES = {
    "archspec": "Apache-2.0 OR MIT",
    "cachecontrol": "Apache-2.0",
    "certifi": "MPL-2.0",
    "cpuid": "MIT",
    "distlib": "PSF-2.0",
    "distro": "Apache-2.0",
    "idna": "BSD-3-Clause",
    "msgpack": "Apache-2.0",
    "nvidia-ml-py": "BSD-3-Clause",
    "packaging": "Apache-2.0 OR BSD-2-Clause",
    "pip": "MIT",
    "pip-variants": "MIT",
    "platformdirs": "MIT",
    "pygments": "BSD-2-Clause",
    "pyproject-hooks": "MIT",
    "requests": "Apache-2.0",
    "resolvelib": "ISC",
    "rich": "MIT",
    "setuptools": "MIT",
    "tomli": "MIT",
    "tomli-w": "MIT",
    "truststore": "MIT",
    "urllib3": "MIT",
}


@dataclass(slots=True)
class Part:
    """A part of the wheel with its own license and files.

    :ivar version: the version; None if unknown.
    :ivar files: the digests (SHA-256) by path in the wheel.
    :ivar parts: the parts that this part contains.
    """

    name: str
    version: str | None
    license: str
    purl: str | None = None
    files: dict[str, str] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Origins:
    """The sources of the fork.

    :ivar version: the version of the fork.
    :ivar overlay: the paths of the overlay's files in the wheel.
    """

    version: str
    upstream: Pin
    libraries: tuple[Pin, ...]
    overlay: frozenset[str]


def contents(wheel: Path, origins: Origins) -> Part:
    """Read a wheel, and assign the files to the fork, pip and the libraries.

    :raises ReleaseError: if a library is unknown, or has no files.
    """
    with zipfile.ZipFile(wheel) as archive:
        files = {
            name: hashlib.sha256(archive.read(name)).hexdigest()
            for name in archive.namelist()
        }
        listed = json.loads(archive.read(_UPSTREAMS_LIST))["components"]
    fork = _part("pip-variants", origins.version)
    fork.purl = None
    upstream = _part(origins.upstream.name, origins.upstream.version)
    upstream.parts = [
        _part(each["name"], each["version"]) for each in listed if "purl" in each
    ]
    owners = {
        _PACKAGES.get(part.name, part.name.replace("-", "_")): part
        for part in upstream.parts
    }
    fork.parts = [upstream]
    for pin in origins.libraries:
        library = _part(pin.name, pin.version)
        fork.parts.append(library)
        owners |= dict.fromkeys((root.rstrip("/") for root in pin.roots), library)
    # archspec is the only library that contains another library.
    cpuid = Part("cpuid", None, LICENSES["cpuid"])
    owners["archspec"].parts.append(cpuid)
    for path, digest in files.items():
        owner = fork
        if "/archspec/vendor/cpuid/" in path:
            owner = cpuid
        elif path not in origins.overlay:
            owner = _owner(path, owners, upstream, fork)
        owner.files[path] = digest
    for part in (*upstream.parts, *fork.parts):
        if not part.files:
            raise ReleaseError(
                f"{part.name} has no files in the wheel; add its package name to "
                "_PACKAGES of tools/release/contents.py"
            )
    return fork


def _owner(path: str, owners: Mapping[str, Part], upstream: Part, fork: Part) -> Part:
    """Return the part that owns a file that is not in the overlay."""
    _, of_licenses, below = path.partition(".dist-info/licenses/")
    if below in _UPSTREAMS_LICENSES:
        return upstream
    below = below.removeprefix("src/") if of_licenses else path
    if below.startswith(_VENDOR):
        name, is_folder, _ = below.removeprefix(_VENDOR).partition("/")
        # The folder of a license may be named after a module.
        owner = owners.get(name) or owners.get(f"{name}.py")
        if owner is not None:
            return owner
        if is_folder:
            raise ReleaseError(
                f"file of an unknown part; see tools/release/contents.py. File: {path!r}"
            )
    return upstream if path.startswith("pip/") else fork


def _part(name: str, version: str) -> Part:
    name = name.lower().replace("_", "-").replace(".", "-")
    if name not in LICENSES:
        raise ReleaseError(
            f"{name} is new in the wheel. Read its license and add it to LICENSES in "
            "tools/release/contents.py, and to `license` in pyproject.toml"
        )
    purl = f"pkg:pypi/{name}@{quote(version)}"
    return Part(name, version, LICENSES[name], purl)
