"""Computation backends: what the local versions of PyTorch's builds name.

Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "AUTO",
    "CPU",
    "Backend",
    "InvalidBackend",
    "Kind",
    "is_special_build",
    "newest_first",
    "parse_list",
]

#: What stands for detection in place of a list.
AUTO = "auto"
_GRAMMAR = (
    "cpu, xpu, cuNNN such as cu128 (or cu12.8, cuda128, cuda12.8), or rocmX.Y such as "
    "rocm6.4"
)

# Explicit ASCII classes; digits are few, since no version has more.
_CUDA_DIGITS = re.compile(r"cu(?:da)?([0-9]{1,2})([0-9])")
_CUDA_LONG = re.compile(r"cu(?:da)?([0-9]{2})([0-9]{2})")
_CUDA_DOTTED = re.compile(r"cu(?:da)?([0-9]{1,2})\.([0-9]{1,2})")
_ROCM = re.compile(r"rocm([0-9]{1,2})\.([0-9]{1,2})(?:\.([0-9]{1,2}))?")
#: A backend with something more, as in ``cpu.cxx11.abi``; local versions are normalised.
_SPECIAL = re.compile(r"(?:cpu|xpu|cu[0-9]{2,4}|rocm[0-9]+(?:\.[0-9]+)+)\.[a-z].*")
#: There was no CUDA 1 that anything is built for: ``cu12`` lacks the minor version.
_OLDEST_CUDA = (7, 0)


class InvalidBackend(ValueError):
    """A text names no computation backend."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"invalid computation backend: {problem}")


class Kind(enum.IntEnum):
    """What a build computes on; of several, the first is preferred."""

    CUDA = 0
    ROCM = 1
    XPU = 2
    CPU = 3


@dataclass(frozen=True, slots=True)
class Backend:
    """What a build is for.

    :ivar version: of CUDA (major, minor) or ROCm (major, minor and perhaps patch).
    """

    kind: Kind
    version: tuple[int, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Backend:
        """Parse what users write and local versions are: ``cu128``, ``rocm6.4``.

        Letter case and blanks around it do not matter.

        :raises InvalidBackend: if *text* is something else.
        """
        normalized = text.strip().lower()
        if normalized == "cpu":
            return CPU
        if normalized == "xpu":
            return cls(Kind.XPU)
        for form in (_CUDA_DIGITS, _CUDA_LONG, _CUDA_DOTTED):
            if match := form.fullmatch(normalized):
                version = int(match[1]), int(match[2])
                if version >= _OLDEST_CUDA and (version[0] >= 10 or version[1] < 10):
                    return cls(Kind.CUDA, version)
        if match := _ROCM.fullmatch(normalized):
            numbers = tuple(int(number) for number in match.groups() if number)
            # 6.4.0 is 6.4.
            return cls(Kind.ROCM, numbers[:2] if numbers[2:] == (0,) else numbers)
        raise InvalidBackend(f"expected {_GRAMMAR}, got {text.strip()!r}")

    @classmethod
    def find(cls, text: str | None) -> Backend | None:
        """Return the backend that *text* names, None if it names none."""
        try:
            return None if text is None else cls.parse(text)
        except InvalidBackend:
            return None

    @property
    def label(self) -> str:
        """Return the name in its usual form, which serves as the label of a variant."""
        if self.kind is Kind.CUDA:
            return "cu" + "".join(map(str, self.version))
        if self.kind is Kind.ROCM:
            return "rocm" + ".".join(map(str, self.version))
        return self.kind.name.lower()

    def __str__(self) -> str:
        return self.label


CPU = Backend(Kind.CPU)


def newest_first(backends: Iterable[Backend]) -> list[Backend]:
    """Order backends as detection prefers them: GPUs first, newest versions first."""

    def place(backend: Backend) -> tuple[Kind, list[int]]:
        return backend.kind, [-number for number in (*backend.version, 0, 0)[:3]]

    return sorted(set(backends), key=place)


def parse_list(text: str) -> tuple[Backend, ...]:
    """Parse a list with commas, most preferred first; empty for ``auto``.

    :raises InvalidBackend: if an item is none, or there is none.
    """
    items = [item.strip() for item in text.split(",")]
    if [item.lower() for item in items] == [AUTO]:
        return ()
    backends = map(Backend.find, items)
    if not all(backends):
        raise InvalidBackend(
            f"expected {_GRAMMAR}; several of these with commas, most preferred first; "
            f"or {AUTO}, which takes what suits; got {text!r}"
        )
    return tuple(dict.fromkeys(map(Backend.parse, items)))


def is_special_build(local: str) -> bool:
    """Tell whether a local version names a backend and something else besides.

    Such builds (``cpu.cxx11.abi``, ``cu118.with.pypi.cudnn``) are for those who know.
    """
    return _SPECIAL.fullmatch(local) is not None
