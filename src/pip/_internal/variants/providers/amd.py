"""Namespace ``amd``: features of AMD GPUs and ROCm.

Properties, most preferred first, as in amd-variant-provider 0.0.2 (commit 4d985a9) and AMD's
rocm-bootstrap 0.3.0:

``gfx_arch``
    The architectures of all visible GPUs without duplicates: those with the most compute
    units first, so that a card precedes a GPU in the processor; then in alphabetical order.
``rocm_version``
    ``major.minor`` of the installed ROCm, without older versions.

pip reads GPUs from the topology of the kernel driver (KFD), like ROCm's runtime. The name of
an architecture follows from its version by rule, so new GPUs need no new pip. pip skips GPUs
whose version the kernel does not report, and GPUs whose device files this process cannot
open. ``HSA_OVERRIDE_GFX_VERSION`` replaces every architecture. ``ROCR_VISIBLE_DEVICES`` hides
GPUs (all of them if empty). ``HIP_VISIBLE_DEVICES`` hides further GPUs, or, if unset or empty,
``CUDA_VISIBLE_DEVICES`` does. pip looks for ROCm in ``ROCM_PATH`` or ``/opt/rocm``.

Differences: amd-variant-provider runs ``rocminfo``, has a list of architectures, reports
nothing if an architecture is not on the list, and ignores the variables of HIP.
rocm-bootstrap has a longer list and fails if an architecture is not on the list, keeps the
order of the kernel, supports no variable that hides GPUs, and has no ``rocm_version``.
Limits: pip finds GPUs only on Linux, with a kernel that reports ``gfx_target_version``.

Since ROCm 10, a wheel of torch contains no GPU code. Packages of an extra contain the code,
with one extra for each kind of GPU: ``torch[device-gfx1151]``.

An override variable replaces detection of a feature. If a variable is invalid, pip leaves out
only its feature. ``ROCM_PATH`` applies only to this machine. For ``gfx_arch``, the first of
these variables counts: the variable of amd-variant-provider;
``ROCM_BOOTSTRAP_DISABLE_DETECTION=1``, which leaves the feature out; and
``ROCM_BOOTSTRAP_FORCE_GFX_ARCH``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.providers.result import (
    Environ,
    Findings,
    NotDetected,
    ProviderResult,
    forced,
    require_this_machine,
    system_file,
)

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.metadata import BaseDistribution

    #: Returns the version of a project that is or will be installed.
    _VersionOf = Callable[[NormalizedName], str | None]

GFX_VARIABLE = "AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH"
BOOTSTRAP_VARIABLE = "ROCM_BOOTSTRAP_FORCE_GFX_ARCH"
_DISABLING = "ROCM_BOOTSTRAP_DISABLE_DETECTION"
ROCM_VARIABLE = "AMD_VARIANT_PROVIDER_FORCE_ROCM_VERSION"
_OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"

#: The prefix of the extras with GPU code, since ROCm 10.
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

    :ivar architecture: the ``gfx`` name; None if unknown.
    :ivar uuid: ``GPU-`` and 16 uppercase hexadecimal digits; empty if unknown.
    :ivar size: the number of SIMD units, a few for each compute unit.
    """

    architecture: str | None
    uuid: str
    size: int


def detect(environ: Environ, *, hardware: bool, root: str = "/") -> ProviderResult:
    """Return the ROCm features of this machine, or those forced by *environ*.

    :param root: the folder with ``sys``, ``dev`` and ``opt``.
    """
    found = Findings()
    names = found.attempt(lambda: _architectures(environ, hardware, root, found))
    found.add("gfx_arch", dict.fromkeys(names or ()))
    found.add_devices("gfx_arch", ((name, [name]) for name in names or ()))
    version = found.attempt(lambda: _rocm_version(environ, hardware, root))
    found.add("rocm_version", version or ())
    return found.answer()


def _architectures(
    environ: Environ, hardware: bool, root: str, findings: Findings
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
    names = tuple(gpu.architecture for gpu in ordered if gpu.architecture is not None)
    if len(names) < len(gpus):
        untold = "the AMD driver does not report the architecture of a GPU"
        findings.unusable = f"{untold}; to name the architecture, set {GFX_VARIABLE}"
        findings.note(findings.unusable)
    return names, "AMD driver"


def _forced_architectures(environ: Environ) -> tuple[tuple[str, ...], str] | None:
    """Return the architectures in an override variable and its name, or None."""
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
        # The packages of gfx1250 contain the code for gfx1250-strict.
        names[match[1]] = None
    return tuple(names) or None


def _read_gpus(root: str) -> list[_Gpu]:
    """Read the GPUs that this process may use, in the order of ROCm."""
    gpus, denied = [], None
    for node in _gpu_nodes(root):
        render = f"/dev/dri/renderD{node.get('drm_render_minor', 0)}"
        unusable = [each for each in ("/dev/kfd", render) if not _is_usable(root, each)]
        if not unusable:
            gpus.append(_gpu(node))
        # A container may lack the devices.
        elif os.path.exists(os.path.join(root, unusable[0][1:])):
            denied = denied or unusable[0]
    if not gpus:
        reason = "the AMD driver shows no GPU to this user"
        advice = (
            f"this user has no permission to open {denied}; add the user to the "
            f"'render' group, or set {GFX_VARIABLE} to name the GPU"
        )
        raise NotDetected(reason, unusable=None if denied is None else advice)
    return gpus


def _gpu_nodes(root: str) -> list[dict[str, int]]:
    """Return the properties of each GPU in the topology of the driver."""
    nodes = os.path.join(root, "sys/class/kfd/kfd/topology/nodes")
    try:
        numbers = sorted(int(name) for name in os.listdir(nodes) if name.isdecimal())
    except OSError as error:
        raise NotDetected("no AMD GPU driver found") from error
    # A container sees the topology of its host even without devices.
    paths = (os.path.join(nodes, str(number), "properties") for number in numbers)
    # CPUs are nodes too.
    return [node for node in map(_read_properties, paths) if node.get("simd_count")]


def _gpu(node: Mapping[str, int]) -> _Gpu:
    unique_id = node.get("unique_id", 0)
    # The kernel reports gfx942 as 90402.
    target = node.get("gfx_target_version", 0)
    return _Gpu(
        architecture=_gfx_name(target // 10000, target // 100 % 100, target % 100),
        uuid=f"GPU-{unique_id:016X}" if unique_id else "",
        size=node["simd_count"],
    )


def _is_usable(root: str, device: str) -> bool:
    # Opening the device would make the driver set up a context for this process.
    return os.access(os.path.join(root, device[1:]), os.R_OK | os.W_OK)


def _read_properties(path: str) -> dict[str, int]:
    # Empty if a control group denies this process the GPU.
    found = re.findall(_PROPERTY_FORM, system_file(path), re.MULTILINE)
    return {name: int(value) for name, value in found}


def _visible(gpus: list[_Gpu], environ: Environ) -> list[_Gpu]:
    """Drop the GPUs that the user hides from ROCm."""
    variables = ["ROCR_VISIBLE_DEVICES"] if "ROCR_VISIBLE_DEVICES" in environ else []
    of_hip = ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
    variables += [variable for variable in of_hip if environ.get(variable)][:1]
    for variable in variables:
        gpus = [gpus[index] for index in _named(gpus, environ[variable].split(","))]
        if not gpus:
            raise NotDetected.hidden("AMD GPU", variable, environ[variable])
    return gpus


def _named(gpus: list[_Gpu], items: Iterable[str]) -> list[int]:
    """Return GPUs by index or UUID, up to the first invalid or repeated item."""
    named: list[int] = []
    for item in items:
        text = item.strip().upper()
        if text.startswith("GPU-") and len(text) > len("GPU-"):
            # The start of a UUID is enough if it is unique.
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
    """Return the ``gfx`` name of an architecture.

    :return: the name; None if no GPU has such a version.
    """
    if not (1 <= major <= 99 and minor <= 0xF and stepping <= 0xF):
        return None
    return f"gfx{major}{minor:x}{stepping:x}"


def _rocm_version(
    environ: Environ, hardware: bool, root: str
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
    reason = f"pip found no ROCm version ({problem})"
    warning = (
        f"{reason}; set ROCM_PATH to the ROCm folder (got {stated!r}), or "
        f"{ROCM_VARIABLE} to the ROCm version"
    )
    return NotDetected(reason, warning=warning if stated else None)


def gpus_of(answers: Mapping[str, ProviderResult]) -> tuple[str, ...]:
    """Return the architectures of the AMD GPUs in *answers*."""
    return answers["amd"].values("gfx_arch") if "amd" in answers else ()


def is_device_extra(extra: str) -> bool:
    """Return whether an extra contains GPU code, such as ``device-gfx1151``."""
    return canonicalize_name(extra).startswith(_EXTRA_PREFIX)


def missing_extras(
    dist: BaseDistribution, gpus: Iterable[str], version_of: _VersionOf
) -> list[str]:
    """Return the missing extras of *dist* for *gpus*."""
    provided = {*dist.iter_provided_extras()}
    # A host file may name anything, even "all" (there is an extra "device-all").
    named = [_EXTRA_PREFIX + gpu for gpu in gpus if re.fullmatch(_NAME_FORM, gpu)]
    return [e for e in named if e in provided and not _is_met(dist, e, version_of)]


def _is_met(dist: BaseDistribution, extra: str, version_of: _VersionOf) -> bool:
    """Return whether the versions satisfy the requirements of *extra*."""
    without = {str(each) for each in dist.iter_dependencies()}
    for required in dist.iter_dependencies([extra]):
        if str(required) not in without:
            version = version_of(canonicalize_name(required.name))
            if not (version and required.specifier.contains(version, prereleases=True)):
                return False
    return True
