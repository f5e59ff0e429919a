"""The exact releases that the fork is assembled from.

``pyproject.toml`` repeats them as build requirements, with ``===``: the fork's own
version satisfies ``==26.3``, and must never be assembled from itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from fork.version import UPSTREAM

__all__ = ["ARCHSPEC", "NVIDIA_ML_PY", "PIP", "PINS", "Pin"]


@dataclass(frozen=True, slots=True)
class Pin:
    """Name one release and the part of it that is verified and used.

    :param name: project name.
    :param version: the only version accepted, compared as a string.
    :param roots: what belongs to the library, as prefixes of RECORD paths.
    :param licenses: licence files, as prefixes of paths below ``.dist-info/``.
    """

    name: str
    version: str
    roots: tuple[str, ...]
    licenses: tuple[str, ...]

    @property
    def requirement(self) -> str:
        """Return the requirement that is satisfied by this release alone."""
        return f"{self.name}==={self.version}"


PIP = Pin("pip", UPSTREAM, ("pip/",), ("licenses/",))
NVIDIA_ML_PY = Pin("nvidia-ml-py", "13.615.71", ("pynvml.py",), ())
ARCHSPEC = Pin(
    "archspec", "0.2.7", ("archspec/",), ("LICENSE-APACHE", "LICENSE-MIT", "NOTICE")
)
PINS = (PIP, NVIDIA_ML_PY, ARCHSPEC)
