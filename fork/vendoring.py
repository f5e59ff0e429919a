"""Which files of the pinned libraries go under ``pip/_vendor``, and their licences."""

from __future__ import annotations

from fork.distributions import Release
from fork.errors import ForkError
from fork.pins import ARCHSPEC, NVIDIA_ML_PY

__all__ = ["vendored_files", "vendored_licenses"]

_LICENSES = "src/pip/_vendor/"

_FILES = {
    NVIDIA_ML_PY.name: ("pynvml.py",),
    ARCHSPEC.name: (
        "archspec/__init__.py",
        "archspec/cpu/__init__.py",
        "archspec/cpu/alias.py",
        "archspec/cpu/detect.py",
        "archspec/cpu/microarchitecture.py",
        "archspec/cpu/schema.py",
        "archspec/json/cpu/cpuid.json",
        "archspec/json/cpu/microarchitectures.json",
        "archspec/vendor/cpuid/cpuid.py",
    ),
}
# Folders without __init__.py cannot be imported from a zip file before CPython 3.14.
_PACKAGES = {
    ARCHSPEC.name: (
        "archspec/vendor/__init__.py",
        "archspec/vendor/cpuid/__init__.py",
    ),
}
_BUNDLED_LICENSES = {
    ARCHSPEC.name: (
        "archspec/json/COPYRIGHT",
        "archspec/json/LICENSE-APACHE",
        "archspec/json/LICENSE-MIT",
        "archspec/json/NOTICE",
        "archspec/vendor/cpuid/LICENSE",
    ),
}


def vendored_files(release: Release) -> dict[str, bytes]:
    """Return the run-time files of a library by archive path."""
    name = release.pin.name
    files = {path: _take(release, path) for path in _FILES[name]}
    files |= dict.fromkeys(_PACKAGES.get(name, ()), b"")
    return {f"pip/_vendor/{path}": data for path, data in files.items()}


def vendored_licenses(release: Release) -> dict[str, bytes]:
    """Return the licences of a library by path below ``licenses/``."""
    name = release.pin.name
    if name == NVIDIA_ML_PY.name:
        notice = _header(_take(release, "pynvml.py"))
        return {f"{_LICENSES}pynvml/LICENSE": notice}
    licenses = {f"{name}/{path}": data for path, data in release.licenses.items()}
    for path in _BUNDLED_LICENSES.get(name, ()):
        licenses[path] = _take(release, path)
    return {_LICENSES + path: data for path, data in licenses.items()}


def _take(release: Release, path: str) -> bytes:
    try:
        return release.files[path]
    except KeyError:
        raise ForkError(
            f"{release.pin.name}: a file that the fork uses is gone; correct the list in "
            f"fork/vendoring.py. File: {path!r}"
        ) from None


def _header(source: bytes) -> bytes:
    """Return the licence that stands in a module's first comment block."""
    lines: list[str] = []
    for line in source.decode().splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.strip("#").removeprefix(" ").rstrip())
    text = "\n".join(lines).strip() + "\n"
    if "Copyright" not in text or "Redistribution" not in text:
        raise ForkError(
            "nvidia-ml-py: the licence is no longer in the first comment of the module; "
            "correct fork/vendoring.py. File: 'pynvml.py'"
        )
    return text.encode()
