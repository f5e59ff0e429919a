"""Computation backends, as in the local versions of PyTorch's builds.

Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

#: The word for detection instead of a list.
AUTO = "auto"
_GRAMMAR = (
    "cpu, xpu, cuNNN such as cu128 (or cu12.8, cuda128, cuda12.8), or rocmX.Y such as "
    "rocm6.4"
)
_CHOICE_GRAMMAR = (
    f"{_GRAMMAR}; cuda, rocm or gpu for any wheel of that kind; several of these with "
    f"commas, most preferred first; or {AUTO} for the best supported one"
)

# Explicit ASCII classes, and few digits, since no version has more.
_CUDA = re.compile(
    r"cu(?:da)?(?:([0-9]{1,2})\.([0-9]{1,2})|([0-9]{2})([0-9]{2})|([0-9]{1,2})([0-9]))"
)
_ROCM = re.compile(r"rocm([0-9]{1,2})\.([0-9]{1,2})(?:\.([0-9]{1,2}))?")
#: A backend with further parts, as in ``cpu.cxx11.abi``; local versions are normalized.
_SPECIAL = re.compile(r"(?:cpu|xpu|cu[0-9]{2,4}|rocm[0-9]+(?:\.[0-9]+)+)\.[a-z].*")
#: No build is for CUDA 1, so ``cu12`` lacks the minor version.
_OLDEST_CUDA = (7, 0)


class InvalidBackend(ValueError):
    """A text is not the name of a computation backend."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"invalid computation backend: {problem}")


class BackendKind(enum.IntEnum):
    """The kinds of backends, preferred first."""

    CUDA = 0
    ROCM = 1
    XPU = 2
    CPU = 3


#: The namespace and the feature of the GPUs that builds of a kind support.
DEVICES: Mapping[BackendKind, tuple[str, str]] = {
    BackendKind.CUDA: ("nvidia", "sm_arch"),
    BackendKind.ROCM: ("amd", "gfx_arch"),
    BackendKind.XPU: ("intel", "device_ip"),
}


@dataclass(frozen=True, slots=True)
class Backend:
    """The backend of a build.

    :ivar kind: the kind of backend.
    :ivar version: the version of CUDA (major, minor) or ROCm (major, minor and perhaps patch).
    """

    kind: BackendKind
    version: tuple[int, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Backend:
        """Parse the name of a backend, such as ``cu128`` or ``rocm6.4``.

        Ignores case and surrounding blanks.

        :raises InvalidBackend: if *text* is not the name of a backend.
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
            # 6.4.0 equals 6.4.
            return cls(
                BackendKind.ROCM, numbers[:2] if numbers[2:] == (0,) else numbers
            )
        raise InvalidBackend(f"expected {_GRAMMAR}, got {text.strip()!r}")

    @classmethod
    def find(cls, text: str | None) -> Backend | None:
        """Return the backend that *text* names, or None."""
        try:
            return None if text is None else cls.parse(text)
        except InvalidBackend:
            return None

    @property
    def label(self) -> str:
        """The normalized name, which is also the label of the variant."""
        if self.kind is BackendKind.CUDA:
            return "cu" + "".join(map(str, self.version))
        if self.kind is BackendKind.ROCM:
            return "rocm" + ".".join(map(str, self.version))
        return self.kind.name.lower()

    def __str__(self) -> str:
        return self.label


CPU = Backend(BackendKind.CPU)


def newest_first(backends: Iterable[Backend]) -> list[Backend]:
    """Sort backends by preference: GPUs first, newest versions first."""

    def place(backend: Backend) -> tuple[BackendKind, list[int]]:
        return backend.kind, [-number for number in (*backend.version, 0, 0)[:3]]

    return sorted(set(backends), key=place)


class BackendGroup(enum.Enum):
    """Any build for a GPU, or for one kind of GPU."""

    CUDA = frozenset({BackendKind.CUDA})
    ROCM = frozenset({BackendKind.ROCM})
    GPU = frozenset(DEVICES)

    def __contains__(self, backend: Backend) -> bool:
        return backend.kind in self.value

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class BackendChoice:
    """The backends that a user selected; if empty, all suitable backends.

    :ivar items: the backends and groups, most preferred first.
    """

    items: tuple[Backend | BackendGroup, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.items)

    def __contains__(self, backend: Backend) -> bool:
        return any(
            backend in item if isinstance(item, BackendGroup) else backend == item
            for item in self.items
        )

    def __str__(self) -> str:
        return ",".join(map(str, self.items)) or AUTO

    @property
    def kinds(self) -> frozenset[BackendKind]:
        """The allowed kinds of backends."""
        kinds = frozenset(each.kind for each in self.named)
        return kinds.union(*(each.value for each in self.groups))

    @property
    def groups(self) -> tuple[BackendGroup, ...]:
        """The named groups."""
        return tuple(item for item in self.items if isinstance(item, BackendGroup))

    @property
    def named(self) -> tuple[Backend, ...]:
        """The individually named backends."""
        return tuple(item for item in self.items if isinstance(item, Backend))


def parse_choice(text: str) -> BackendChoice:
    """Parse a comma-separated list, most preferred first, or ``auto``.

    :raises InvalidBackend: if an item is invalid, or the list is empty.
    """
    items = [item.strip().lower() for item in text.split(",")]
    if items == [AUTO]:
        return BackendChoice()
    groups = {str(group): group for group in BackendGroup}
    found = [groups.get(item) or Backend.find(item) for item in items]
    if not all(found):
        raise InvalidBackend(f"expected {_CHOICE_GRAMMAR}; got {text!r}")
    return BackendChoice(tuple(filter(None, dict.fromkeys(found))))


def is_special_build(local: str) -> bool:
    """Return whether a local version contains more than a backend.

    Such builds (``cpu.cxx11.abi``, ``cu118.with.pypi.cudnn``) are for experts.
    """
    return _SPECIAL.fullmatch(local) is not None
