"""Namespace ``nvidia``: features of the NVIDIA driver and GPUs.

Properties, for a driver with CUDA M.m and a GPU of compute capability a.b, most
preferred first; equal to those of nvidia-variant-provider 0.0.2 (commit ffea5d3):

``cuda_version_lower_bound``
    M.m to M.0, M, (M-1).20 to (M-1).0, M-1, and so on down to 11.0 and 11.
``cuda_version_upper_bound``
    Exclusive: 15.20 to 15.0, 15, and so on down to M+1, then M.20 to M.(m+1).
``sm_arch``
    ab_real to a0_real, then a0_virtual.

Limits: a driver outside CUDA 11.0 to 15.20 supports nothing; a GPU below compute capability
5.0 has no ``sm_arch``. Of several GPUs that ``CUDA_VISIBLE_DEVICES`` shows, the one with the
highest compute capability determines the supported properties; pip ranks variants with code
for all of these GPUs first.

An override variable replaces the detection of the driver or of the GPU. If a variable is
invalid, pip leaves out only its features.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pip._internal.variants.providers.nvml import MASK, Driver, query
from pip._internal.variants.providers.result import (
    Environ,
    Findings,
    NotDetected,
    ProviderResult,
    forced,
    require_this_machine,
)

CUDA_VARIABLE = "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION"
SM_VARIABLE = "NV_VARIANT_PROVIDER_FORCE_SM_ARCH"

# Properties cover CUDA 11.0 to 15.20.
_FIRST_MAJOR, _LAST_MAJOR, _LAST_MINOR = 11, 15, 20

# A forced version may be outside of that range; up to this one, there are about a thousand
# values at most.
_MAX_FORCED_MAJOR = 50

_OLDEST_CAPABILITY = (5, 0)

# Not compiled: only override variables need these patterns.
_CUDA_FORM = r"([0-9]{1,2})(?:\.([0-9]{1,2})(?:\.[0-9]+)*)?"
_SM_FORM = r"([0-9]{1,2})\.([0-9])"

_Version = tuple[int, int]


def detect(environ: Environ, *, hardware: bool) -> ProviderResult:
    """Return the CUDA features of this machine, or those forced by *environ*."""
    found = Findings(
        f"so pip skips GPU variants; to describe the GPU, set {CUDA_VARIABLE} and "
        f"{SM_VARIABLE}"
    )
    cuda_is_forced = environ.get(CUDA_VARIABLE, "").strip()
    sm_is_forced = environ.get(SM_VARIABLE, "").strip()
    driver = cuda = sms = None
    if not (cuda_is_forced and sm_is_forced):
        driver = found.attempt(lambda: _ask_driver(environ, hardware))
    if driver is not None or cuda_is_forced:
        cuda = found.attempt(lambda: _cuda(environ, driver))
    if sm_is_forced or (driver is not None and (cuda is not None or cuda_is_forced)):
        sms = found.attempt(lambda: _capabilities(environ, driver))
    if cuda is not None:
        found.add("cuda_version_lower_bound", _lower_bounds(cuda))
        found.add("cuda_version_upper_bound", _upper_bounds(cuda))
    if sms:
        _add_gpus(found, sms)
    if driver is not None and not cuda_is_forced:
        found.driver = driver.version
    return found.answer()


def _add_gpus(found: Findings, capabilities: Sequence[_Version]) -> None:
    """Add the features of GPUs, highest compute capability first."""
    if capabilities[0] < _OLDEST_CAPABILITY:
        found.note(
            f"this GPU has compute capability {_dotted(capabilities[0])}; sm_arch starts "
            f"at {_dotted(_OLDEST_CAPABILITY)}"
        )
        return
    found.add("sm_arch", _architectures(capabilities[0]))
    found.add_devices(
        "sm_arch",
        (
            (f"compute capability {_dotted(each)}", _architectures(each))
            for each in capabilities
            if each >= _OLDEST_CAPABILITY
        ),
    )


def _ask_driver(environ: Environ, hardware: bool) -> tuple[Driver, str]:
    require_this_machine(hardware)
    return query(environ.get(MASK)), "NVIDIA driver"


def _cuda(environ: Environ, driver: Driver | None) -> tuple[_Version, str]:
    expected = f"a CUDA version up to {_MAX_FORCED_MAJOR}.99, such as '12.8'"
    given = forced(environ, CUDA_VARIABLE, _parse_cuda, expected)
    if given is not None:
        return given
    assert driver is not None, "one of the two tells"
    version = driver.cuda_version
    if version is None:
        raise NotDetected("the NVIDIA driver does not report its CUDA version")
    first, last = (_FIRST_MAJOR, 0), (_LAST_MAJOR, _LAST_MINOR)
    if not first <= version <= last:
        raise NotDetected(
            f"the NVIDIA driver reports CUDA {_dotted(version)}, but pip supports CUDA "
            f"{_dotted(first)} to {_dotted(last)}"
        )
    return version, ""


def _capabilities(
    environ: Environ, driver: Driver | None
) -> tuple[list[_Version], str]:
    """Return the compute capabilities of the GPUs, highest first, and the override variable.

    :return: the compute capabilities; the variable that forces them, or empty.
    """
    expected = "a compute capability, such as '9.0'"
    given = forced(environ, SM_VARIABLE, _parse_sm, expected)
    if given is not None:
        return [given[0]], given[1]
    assert driver is not None, "one of the two tells"
    # Values of sm_arch have the two numbers without a separator, so that a minor number of
    # two digits would name another architecture.
    plausible = [
        (major, minor)
        for major, minor in driver.compute_capabilities
        if 1 <= major <= 99 and 0 <= minor <= 9
    ]
    if not plausible:
        raise NotDetected("the NVIDIA driver shows no readable GPU")
    return sorted(plausible, reverse=True), ""


def _parse_cuda(text: str) -> _Version | None:
    match = re.fullmatch(_CUDA_FORM, text)
    if match is None or int(match[1]) > _MAX_FORCED_MAJOR:
        return None
    return int(match[1]), int(match[2] or 0)


def _parse_sm(text: str) -> _Version | None:
    match = re.fullmatch(_SM_FORM, text)
    return match and (int(match[1]), int(match[2]))


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
    """Yield the minor versions of *major* that are higher than *above*, newest first."""
    for minor in range(last, above, -1):
        yield f"{major}.{minor}"


def _architectures(sm: _Version) -> Iterator[str]:
    major, minor = sm
    for older in range(minor, -1, -1):
        yield f"{major}{older}_real"
    yield f"{major}0_virtual"


def _dotted(version: _Version) -> str:
    return f"{version[0]}.{version[1]}"
