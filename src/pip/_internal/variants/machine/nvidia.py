"""Namespace ``nvidia``: which CUDA builds the driver and the GPU can run.

Properties, for a driver with CUDA M.m and a GPU of compute capability a.b, most
preferred first; equal to those of nvidia-variant-provider 0.0.2 (commit ffea5d3):

``cuda_version_lower_bound``
    M.m to M.0, M, (M-1).20 to (M-1).0, M-1, and so on down to 11.0 and 11.
``cuda_version_upper_bound``
    Exclusive: 15.20 to 15.0, 15, and so on down to M+1, then M.20 to M.(m+1).
``sm_arch``
    ab_real to a0_real, then a0_virtual.

Limits: a driver outside CUDA 11.0 to 15.20 supports nothing; a GPU below compute
capability 5.0 has no ``sm_arch``. Of several GPUs the one of the highest compute
capability counts, whatever ``CUDA_VISIBLE_DEVICES`` says.

An override variable stands in for the driver or for the GPU. An invalid one leaves its
feature out; what the other does not say is still asked of the machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from pip._internal.variants.core.answer import NOT_THIS_MACHINE, Answer
from pip._internal.variants.core.properties import SupportedFeature
from pip._internal.variants.machine.driver import DriverUnavailable
from pip._internal.variants.machine.nvml import Driver, query

__all__ = ["CUDA_VARIABLE", "PACKAGES", "SM_VARIABLE", "detect"]

PACKAGES = frozenset({"nvidia-variant-provider", "variant-provider"})

CUDA_VARIABLE = "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION"
SM_VARIABLE = "NV_VARIANT_PROVIDER_FORCE_SM_ARCH"

# The CUDA versions that properties speak of: 11.0 to 15.20.
_FIRST_MAJOR, _LAST_MAJOR, _LAST_MINOR = 11, 15, 20

# A forced version may lie outside of those; up to here it makes about a thousand
# values at most.
_MAX_FORCED_MAJOR = 50

_OLDEST_CAPABILITY = (5, 0)

# Not compiled: only override variables need them.
_CUDA_FORM = r"([0-9]{1,2})(?:\.([0-9]{1,2})(?:\.[0-9]+)*)?"
_SM_FORM = r"([0-9]{1,2})\.([0-9])"

_Version = tuple[int, int]


class _Notes:
    """What there is to say beside the features."""

    def __init__(self) -> None:
        self.origins: list[str] = []
        self.reasons: list[str] = []
        self.warnings: list[str] = []


def detect(environ: Mapping[str, str], *, hardware: bool) -> Answer:
    """Tell which CUDA builds this machine, or the one that *environ* forces, can run."""
    notes = _Notes()
    forced_cuda = environ.get(CUDA_VARIABLE, "").strip()
    forced_sm = environ.get(SM_VARIABLE, "").strip()

    driver = None
    if not (forced_cuda and forced_sm):
        driver = _ask_driver(notes, environ, hardware=hardware)

    if forced_cuda:
        expected = f"a CUDA version up to {_MAX_FORCED_MAJOR}.99, such as '12.8'"
        cuda = _forced(CUDA_VARIABLE, forced_cuda, _parse_cuda, expected, notes)
    else:
        cuda = _detected_cuda(driver, notes)

    if forced_sm:
        expected = "a compute capability, such as '9.0'"
        sm = _forced(SM_VARIABLE, forced_sm, _parse_sm, expected, notes)
    elif forced_cuda or cuda is not None:
        sm = _detected_capability(driver, notes)
    else:
        sm = None
    if sm is not None and sm < _OLDEST_CAPABILITY:
        notes.reasons.append(
            f"GPUs below compute capability {_dotted(_OLDEST_CAPABILITY)} have no "
            f"sm_arch, and this one has {_dotted(sm)}"
        )
        sm = None

    values = {
        "cuda_version_lower_bound": () if cuda is None else tuple(_lower_bounds(cuda)),
        "cuda_version_upper_bound": () if cuda is None else tuple(_upper_bounds(cuda)),
        "sm_arch": () if sm is None else tuple(_architectures(sm)),
    }
    return Answer(
        features=tuple(SupportedFeature(name, v) for name, v in values.items() if v),
        origin=", ".join(notes.origins),
        reason="; ".join(notes.reasons) or None,
        warnings=tuple(notes.warnings),
        driver=None if driver is None or forced_cuda else driver.version,
    )


def _ask_driver(
    notes: _Notes, environ: Mapping[str, str], *, hardware: bool
) -> Driver | None:
    if not hardware:
        notes.reasons.append(NOT_THIS_MACHINE)
        return None
    try:
        driver = query(environ.get("CUDA_VISIBLE_DEVICES"))
    except DriverUnavailable as error:
        notes.reasons.append(str(error))
        if error.fault:
            notes.warnings.append(
                f"{error}, so GPU builds are left out; {CUDA_VARIABLE} and "
                f"{SM_VARIABLE} can tell what this machine has"
            )
        return None
    notes.origins.append("NVIDIA driver")
    return driver


def _detected_cuda(driver: Driver | None, notes: _Notes) -> _Version | None:
    if driver is None:
        return None
    version = driver.cuda_version
    if version is None:
        notes.reasons.append("the NVIDIA driver does not tell its CUDA version")
        return None
    first, last = (_FIRST_MAJOR, 0), (_LAST_MAJOR, _LAST_MINOR)
    if not first <= version <= last:
        notes.reasons.append(
            f"the NVIDIA driver reports CUDA {_dotted(version)}, which is not within "
            f"{_dotted(first)} to {_dotted(last)}"
        )
        return None
    return version


def _detected_capability(driver: Driver | None, notes: _Notes) -> _Version | None:
    if driver is None:
        return None
    # A value of sm_arch runs both numbers together, so that a second digit of the
    # minor one would make it another architecture.
    plausible = [
        (major, minor)
        for major, minor in driver.compute_capabilities
        if 1 <= major <= 99 and 0 <= minor <= 9
    ]
    if not plausible:
        notes.reasons.append("the NVIDIA driver shows no GPU that can be read")
    return max(plausible, default=None)


def _forced(
    variable: str,
    value: str,
    parse: Callable[[str], _Version | None],
    expected: str,
    notes: _Notes,
) -> _Version | None:
    version = parse(value)
    if version is None:
        notes.reasons.append(f"{variable} is invalid")
        notes.warnings.append(
            f"{variable} is ignored and nothing detected in its place: expected "
            f"{expected}, got {value!r}"
        )
    else:
        notes.origins.append(variable)
    return version


def _parse_cuda(text: str) -> _Version | None:
    match = re.fullmatch(_CUDA_FORM, text)
    if match is None or int(match[1]) > _MAX_FORCED_MAJOR:
        return None
    return int(match[1]), int(match[2] or 0)


def _parse_sm(text: str) -> _Version | None:
    match = re.fullmatch(_SM_FORM, text)
    if match is None:
        return None
    return int(match[1]), int(match[2])


def _lower_bounds(cuda: _Version) -> Iterator[str]:
    for major in range(cuda[0], _FIRST_MAJOR - 1, -1):
        yield from _minors(major, cuda[1] if major == cuda[0] else _LAST_MINOR)
        yield str(major)


def _upper_bounds(cuda: _Version) -> Iterator[str]:
    for major in range(_LAST_MAJOR, cuda[0], -1):
        yield from _minors(major, _LAST_MINOR)
        yield str(major)
    if cuda[0] <= _LAST_MAJOR:
        yield from _minors(cuda[0], _LAST_MINOR, above=cuda[1])


def _minors(major: int, last: int, *, above: int = -1) -> Iterator[str]:
    """Yield the versions of a major one, newest first, that are above a minor one."""
    for minor in range(last, above, -1):
        yield f"{major}.{minor}"


def _architectures(sm: _Version) -> Iterator[str]:
    major, minor = sm
    for older in range(minor, -1, -1):
        yield f"{major}{older}_real"
    yield f"{major}0_virtual"


def _dotted(version: _Version) -> str:
    return f"{version[0]}.{version[1]}"
