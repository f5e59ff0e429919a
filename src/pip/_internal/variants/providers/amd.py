"""Namespace ``amd``: which ROCm builds the GPUs and the installed ROCm can run.

Properties, most preferred first, as amd-variant-provider 0.0.2 (commit 4d985a9) and AMD's
rocm-bootstrap 0.3.0 tell them:

``gfx_arch``
    The architectures of all visible GPUs, each once: those of the GPUs with more compute
    units first, so that what is built into a processor comes after a card; of equals, in
    alphabetical order.
``rocm_version``
    ``major.minor`` of the installed ROCm, and no older one.

GPUs are read from the topology that the kernel driver (KFD) shows, as ROCm's runtime
reads it; the name of an architecture follows from its version by rule, so that new ones
need no new pip. A GPU whose version the kernel does not tell, and one whose device files
this process may not use, do not count, and keep no other one from counting.
``HSA_OVERRIDE_GFX_VERSION`` replaces every architecture. ``ROCR_VISIBLE_DEVICES`` hides
GPUs (all of them if it is empty); ``HIP_VISIBLE_DEVICES`` hides more of the rest, or
``CUDA_VISIBLE_DEVICES`` where that is unset or empty. ROCm is looked for in
``ROCM_PATH`` or ``/opt/rocm``.

Differences: amd-variant-provider runs ``rocminfo``, knows a list of architectures, tells
none where one is not on it, and does not know the variables of HIP. rocm-bootstrap knows a
longer list and fails where one is not on it, keeps the order of the kernel, knows no
variable that hides GPUs, and no ``rocm_version``.
Limits: GPUs are found on Linux only, with a kernel that tells ``gfx_target_version``.

From ROCm 10 on, a wheel of torch contains no GPU code. The packages of an extra contain it,
one extra for each kind of GPU: ``torch[device-gfx1151]``.

An override variable replaces detection of a feature. An invalid one leaves the feature
out; the other feature is still detected. ``ROCM_PATH`` says nothing of another machine.
Of several variables for ``gfx_arch`` the first in this order counts: the one of
amd-variant-provider, ``ROCM_BOOTSTRAP_DISABLE_DETECTION=1`` (which leaves it out), and
``ROCM_BOOTSTRAP_FORCE_GFX_ARCH``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.providers.findings import (
    Findings,
    NotDetected,
    forced,
    require_this_machine,
)
from pip._internal.variants.providers.result import ProviderResult

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.metadata import BaseDistribution

__all__ = [
    "BOOTSTRAP_VARIABLE",
    "FIRST_WITH_EXTRAS",
    "GFX_VARIABLE",
    "PACKAGES",
    "ROCM_VARIABLE",
    "detect",
    "gpus_of",
    "is_device_extra",
    "missing_extras",
]

PACKAGES = frozenset({"amd-variant-provider", "rocm-bootstrap"})

GFX_VARIABLE = "AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH"
BOOTSTRAP_VARIABLE = "ROCM_BOOTSTRAP_FORCE_GFX_ARCH"
_DISABLING = "ROCM_BOOTSTRAP_DISABLE_DETECTION"
ROCM_VARIABLE = "AMD_VARIANT_PROVIDER_FORCE_ROCM_VERSION"
_OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"

#: From this version of ROCm on, the code for each kind of GPU is in an extra.
FIRST_WITH_EXTRAS = (10, 0)
_EXTRA_PREFIX = "device-"

# Not compiled: most machines need none of these.
_NAME_FORM = r"gfx[0-9]+[0-9a-f]*"
_GFX_FORM = rf"({_NAME_FORM})(?:-strict)?"
_OVERRIDE_FORM = r"([0-9]{1,2})\.([0-9]{1,3})\.([0-9]{1,3})"
_ROCM_FORM = r"([0-9]{1,3})\.([0-9]{1,3})\.[0-9]+"
_ROCM_FILE_FORM = r"([0-9]{1,3})\.([0-9]{1,3})(?:[.-].*)?"
_PROPERTY_FORM = r"^(\w+) ([0-9]{1,20})$"


class _Gpu(NamedTuple):
    """A GPU as its driver describes it.

    :ivar architecture: None if the driver does not tell it.
    :ivar uuid: ``GPU-`` and 16 hexadecimal digits in upper case; empty if it has none.
    :ivar size: the number of SIMD units, of which each compute unit has a few.
    """

    architecture: str | None
    uuid: str
    size: int


def detect(
    environ: Mapping[str, str], *, hardware: bool, root: str = "/"
) -> ProviderResult:
    """Return which ROCm builds this machine, or the one that *environ* forces, can run.

    :param root: the folder that holds ``sys``, ``dev`` and ``opt``.
    """
    found = Findings()
    names = found.attempt(lambda: _architectures(environ, hardware, root, found))
    found.add("gfx_arch", dict.fromkeys(names or ()))
    found.add_devices("gfx_arch", ((name, [name]) for name in names or ()))
    version = found.attempt(lambda: _rocm_version(environ, hardware, root))
    found.add("rocm_version", version or ())
    return found.answer()


def _architectures(
    environ: Mapping[str, str],
    hardware: bool,
    root: str,
    findings: Findings,
) -> tuple[tuple[str, ...], str]:
    given = _forced_architectures(environ)
    if given is not None:
        return given
    require_this_machine(hardware)

    gpus = _visible(_read_gpus(root), environ)
    expected = "major.minor.stepping, such as '10.3.0'"
    override = forced(environ, _OVERRIDE, _overriding_architecture, expected)
    if override is not None:
        return (override[0],), "AMD driver"
    ordered = sorted(gpus, key=lambda gpu: (-gpu.size, gpu.architecture or ""))
    names = [gpu.architecture for gpu in ordered]
    if None in names:
        untold = "the AMD driver does not tell the architecture of a GPU"
        remedy = f"{untold}: {GFX_VARIABLE} can tell what to install for"
        if not any(names):
            raise NotDetected(remedy, unusable=remedy)
        findings.note_unusable(remedy)
    return tuple(filter(None, names)), "AMD driver"


def _forced_architectures(
    environ: Mapping[str, str],
) -> tuple[tuple[str, ...], str] | None:
    """Return the architectures that an override variable names, if one does."""
    expected = "a list of architectures, such as 'gfx90a,gfx1100'"
    given = forced(environ, GFX_VARIABLE, _listed_architectures, expected)
    if given is None and environ.get(_DISABLING) == "1":
        raise NotDetected(f"{_DISABLING} turns detection off")
    return given or forced(environ, BOOTSTRAP_VARIABLE, _listed_architectures, expected)


def _listed_architectures(text: str) -> tuple[str, ...] | None:
    names: dict[str, None] = {}
    for item in filter(None, re.split(r"[,;\s]+", text.lower())):
        match = re.fullmatch(_GFX_FORM, item)
        if match is None:
            return None
        # What is built for gfx1250-strict is in the packages of gfx1250.
        names[match[1]] = None
    return tuple(names) or None


def _read_gpus(root: str) -> list[_Gpu]:
    """Read the GPUs that this process may use, in the order of ROCm."""
    nodes = os.path.join(root, "sys/class/kfd/kfd/topology/nodes")
    try:
        numbers = sorted(int(name) for name in os.listdir(nodes) if name.isdecimal())
    except OSError as error:
        raise NotDetected("no driver for AMD GPUs was found") from error
    # A container sees the topology of its host even if it was given no devices.
    paths = (os.path.join(nodes, str(number), "properties") for number in numbers)
    # A CPU is a node, too.
    found = [node for node in map(_read_properties, paths) if node.get("simd_count")]
    _require_driver(root, bool(found))
    gpus = []
    denied = ""
    for node in found:
        render = f"dev/dri/renderD{node.get('drm_render_minor', 0)}"
        device = os.path.join(root, render)
        if not _is_usable(device):
            if os.path.exists(device):
                denied = denied or f"/{render}"
            continue
        unique_id = node.get("unique_id", 0)
        uuid = f"GPU-{unique_id:016X}" if unique_id else ""
        # gfx942 is told as 90402.
        target = node.get("gfx_target_version", 0)
        name = _gfx_name(target // 10000, target // 100 % 100, target % 100)
        gpus.append(_Gpu(name, uuid, node["simd_count"]))
    if not gpus:
        reason = "the AMD driver shows no GPU that can be used"
        raise _denied(reason, denied) if denied else NotDetected(reason)
    return gpus


def _require_driver(root: str, has_gpu: bool) -> None:
    # A container may have been given no devices.
    driver = os.path.join(root, "dev/kfd")
    if not _is_usable(driver):
        reason = (
            "there is a driver for AMD GPUs, but /dev/kfd is not there or not to be "
            "used by this user"
        )
        if has_gpu and os.path.exists(driver):
            raise _denied(reason, "/dev/kfd")
        raise NotDetected(reason)


def _denied(reason: str, device: str) -> NotDetected:
    """Return what to raise for a device file that is there, but not for this user."""
    unusable = (
        f"this user may not use {device}, for which being in the group render is usually "
        f"enough; {GFX_VARIABLE} can tell what to install for"
    )
    return NotDetected(reason, unusable=unusable)


def _is_usable(device: str) -> bool:
    # Opening one would make the driver set up a context for this process.
    return os.access(device, os.R_OK | os.W_OK)


def _read_properties(path: str) -> dict[str, int]:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            text = file.read()
    except OSError:
        # This is how the kernel hides a GPU that a control group denies to this process.
        return {}
    found = re.findall(_PROPERTY_FORM, text, re.MULTILINE)
    return {name: int(value) for name, value in found}


def _visible(gpus: list[_Gpu], environ: Mapping[str, str]) -> list[_Gpu]:
    """Leave out the GPUs that the user hides from ROCm."""
    variables = ["ROCR_VISIBLE_DEVICES"] if "ROCR_VISIBLE_DEVICES" in environ else []
    for variable in ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"):
        if environ.get(variable):
            variables.append(variable)
            break
    for variable in variables:
        gpus = [gpus[index] for index in _named(gpus, environ[variable].split(","))]
        if not gpus:
            raise NotDetected.hidden("AMD GPU", variable, environ[variable])
    return gpus


def _named(gpus: list[_Gpu], items: Iterable[str]) -> list[int]:
    """Find GPUs by index or UUID, up to the first item that names none, or one twice."""
    named: list[int] = []
    for item in items:
        text = item.strip().upper()
        if text.startswith("GPU-") and len(text) > len("GPU-"):
            # The beginning of a UUID is enough if no other UUID has it.
            matches = [i for i, gpu in enumerate(gpus) if gpu.uuid.startswith(text)]
        else:
            matches = [i for i in range(len(gpus)) if text == str(i)]
        if len(matches) != 1 or matches[0] in named:
            break
        named += matches
    return named


def _overriding_architecture(text: str) -> str | None:
    match = re.fullmatch(_OVERRIDE_FORM, text)
    return None if match is None else _gfx_name(*map(int, match.groups()))


def _gfx_name(major: int, minor: int, stepping: int) -> str | None:
    """Return the name of an architecture, in which a digit stands for each but *major*.

    :return: None if no GPU has such a version.
    """
    if not (1 <= major <= 99 and minor <= 0xF and stepping <= 0xF):
        return None
    return f"gfx{major}{minor:x}{stepping:x}"


def _rocm_version(
    environ: Mapping[str, str], hardware: bool, root: str
) -> tuple[tuple[str, ...], str]:
    expected = "a full version of ROCm, such as '6.4.1'"
    given = forced(environ, ROCM_VARIABLE, partial(_version, _ROCM_FORM), expected)
    if given is not None:
        return given
    require_this_machine(hardware)

    stated = environ.get("ROCM_PATH", "")
    folder = stated or os.path.join(root, "opt/rocm")
    path = os.path.join(folder, ".info", "version")
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            content = file.read(100).strip()
    except OSError as error:
        raise _no_rocm(f"{path}: {error.strerror}", stated) from error
    found = _version(_ROCM_FILE_FORM, content)
    if found is None:
        raise _no_rocm(f"{path} has {content!r}", stated)
    return found, f"ROCm in {folder}"


def _version(form: str, text: str) -> tuple[str, ...] | None:
    match = re.fullmatch(form, text)
    return None if match is None else (f"{int(match[1])}.{int(match[2])}",)


def _no_rocm(problem: str, stated: str) -> NotDetected:
    reason = f"no version of ROCm was found ({problem})"
    if not stated:
        return NotDetected(reason)
    return NotDetected(
        reason,
        f"{reason}: ROCM_PATH should name the folder that ROCm is installed in, or "
        f"{ROCM_VARIABLE} the version; got {stated!r}",
    )


def gpus_of(answers: Mapping[str, ProviderResult]) -> tuple[str, ...]:
    """Return the architectures of the AMD GPUs that *answers*, by namespace, report."""
    return answers["amd"].values("gfx_arch") if "amd" in answers else ()


def is_device_extra(extra: str) -> bool:
    """Return whether an extra contains GPU code: ``device-gfx1151``, ``device-all``."""
    return canonicalize_name(extra).startswith(_EXTRA_PREFIX)


def missing_extras(
    dist: BaseDistribution,
    gpus: Iterable[str],
    version_of: Callable[[NormalizedName], str | None],
) -> list[str]:
    """Return the extras of *dist* for *gpus* whose packages are missing.

    :param version_of: returns the version of a project that is, or is about to be, installed.
    """
    provided = {*dist.iter_provided_extras()}
    # A host file may name anything, such as what the extra "device-all" is for.
    named = [_EXTRA_PREFIX + gpu for gpu in gpus if re.fullmatch(_NAME_FORM, gpu)]
    return [e for e in named if e in provided and not _is_met(dist, e, version_of)]


def _is_met(
    dist: BaseDistribution,
    extra: str,
    version_of: Callable[[NormalizedName], str | None],
) -> bool:
    """Return whether the versions satisfy all that *extra* adds to the requirements."""
    without = {str(each) for each in dist.iter_dependencies()}
    for required in dist.iter_dependencies([extra]):
        if str(required) not in without:
            version = version_of(canonicalize_name(required.name))
            if not (version and required.specifier.contains(version, prereleases=True)):
                return False
    return True
