"""Computation backends: what the local versions of PyTorch's builds name.

Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = [
    "AUTO",
    "CPU",
    "NAMESPACES",
    "Backend",
    "BackendChoice",
    "BackendGroup",
    "BackendKind",
    "InvalidBackend",
    "is_special_build",
    "newest_first",
    "parse_choice",
]

#: What stands for detection in place of a list.
AUTO = "auto"
_GRAMMAR = (
    "cpu, xpu, cuNNN such as cu128 (or cu12.8, cuda128, cuda12.8), or rocmX.Y such as "
    "rocm6.4"
)
_CHOICE_GRAMMAR = (
    f"{_GRAMMAR}; cuda, rocm or gpu for any build of that kind; several of these with "
    f"commas, most preferred first; or {AUTO}, which takes what suits"
)

# Explicit ASCII classes; digits are few, since no version has more.
_CUDA = re.compile(
    r"cu(?:da)?(?:([0-9]{1,2})\.([0-9]{1,2})|([0-9]{2})([0-9]{2})|([0-9]{1,2})([0-9]))"
)
_ROCM = re.compile(r"rocm([0-9]{1,2})\.([0-9]{1,2})(?:\.([0-9]{1,2}))?")
#: A backend with something more, as in ``cpu.cxx11.abi``; local versions are normalised.
_SPECIAL = re.compile(r"(?:cpu|xpu|cu[0-9]{2,4}|rocm[0-9]+(?:\.[0-9]+)+)\.[a-z].*")
#: There was no CUDA 1 that anything is built for: ``cu12`` lacks the minor version.
_OLDEST_CUDA = (7, 0)


class InvalidBackend(ValueError):
    """A text names no computation backend."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"invalid computation backend: {problem}")


class BackendKind(enum.IntEnum):
    """What a build computes on; of several, the first is preferred."""

    CUDA = 0
    ROCM = 1
    XPU = 2
    CPU = 3


#: In which namespace the devices of each kind of backend are.
NAMESPACES: Mapping[BackendKind, str] = MappingProxyType(
    {BackendKind.CUDA: "nvidia", BackendKind.ROCM: "amd", BackendKind.XPU: "intel"}
)


@dataclass(frozen=True, slots=True)
class Backend:
    """What a build is for.

    :ivar version: of CUDA (major, minor) or ROCm (major, minor and perhaps patch).
    """

    kind: BackendKind
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
            return cls(BackendKind.XPU)
        if match := _CUDA.fullmatch(normalized):
            major, minor = (int(number) for number in match.groups() if number)
            if (major, minor) >= _OLDEST_CUDA and (major >= 10 or minor < 10):
                return cls(BackendKind.CUDA, (major, minor))
        if match := _ROCM.fullmatch(normalized):
            numbers = tuple(int(number) for number in match.groups() if number)
            # 6.4.0 is 6.4.
            return cls(
                BackendKind.ROCM, numbers[:2] if numbers[2:] == (0,) else numbers
            )
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
        if self.kind is BackendKind.CUDA:
            return "cu" + "".join(map(str, self.version))
        if self.kind is BackendKind.ROCM:
            return "rocm" + ".".join(map(str, self.version))
        return self.kind.name.lower()

    @property
    def kinds(self) -> frozenset[BackendKind]:
        """What a build for it computes on."""
        return frozenset({self.kind})

    def __contains__(self, backend: Backend) -> bool:
        return backend == self

    def __str__(self) -> str:
        return self.label


CPU = Backend(BackendKind.CPU)


def newest_first(backends: Iterable[Backend]) -> list[Backend]:
    """Order backends as detection prefers them: GPUs first, newest versions first."""

    def place(backend: Backend) -> tuple[BackendKind, list[int]]:
        return backend.kind, [-number for number in (*backend.version, 0, 0)[:3]]

    return sorted(set(backends), key=place)


@dataclass(frozen=True, slots=True)
class BackendGroup:
    """Any build for a GPU, or for those of one kind, which a user names as one."""

    name: str
    kinds: frozenset[BackendKind]

    def __contains__(self, backend: Backend) -> bool:
        return backend.kind in self.kinds

    def __str__(self) -> str:
        return self.name


_GROUPS = {
    name: BackendGroup(name, frozenset(kinds))
    for name, kinds in (
        ("cuda", [BackendKind.CUDA]),
        ("rocm", [BackendKind.ROCM]),
        ("gpu", [BackendKind.CUDA, BackendKind.ROCM, BackendKind.XPU]),
    )
}


@dataclass(frozen=True, slots=True)
class BackendChoice:
    """The builds that a user wants, and no others; if none are named, those that suit.

    :ivar items: most preferred first.
    """

    items: tuple[Backend | BackendGroup, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.items)

    def __contains__(self, backend: Backend) -> bool:
        return any(backend in item for item in self.items)

    def __str__(self) -> str:
        return ",".join(map(str, self.items)) or AUTO

    @property
    def kinds(self) -> frozenset[BackendKind]:
        """What the builds may compute on."""
        return frozenset(kind for item in self.items for kind in item.kinds)

    @property
    def named(self) -> tuple[Backend, ...]:
        """The backends that it names one by one."""
        return tuple(item for item in self.items if isinstance(item, Backend))


def parse_choice(text: str) -> BackendChoice:
    """Parse a list with commas, most preferred first, or ``auto``.

    :raises InvalidBackend: if an item is none, or there is none.
    """
    items = [item.strip().lower() for item in text.split(",")]
    if items == [AUTO]:
        return BackendChoice()
    found = [_GROUPS.get(item) or Backend.find(item) for item in items]
    if not all(found):
        raise InvalidBackend(f"expected {_CHOICE_GRAMMAR}; got {text!r}")
    return BackendChoice(
        tuple(item for item in dict.fromkeys(found) if item is not None)
    )


def is_special_build(local: str) -> bool:
    """Tell whether a local version names a backend and something else besides.

    Such builds (``cpu.cxx11.abi``, ``cu118.with.pypi.cudnn``) are for those who know.
    """
    return _SPECIAL.fullmatch(local) is not None
