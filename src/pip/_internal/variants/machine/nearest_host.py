"""What a user may have meant by an unknown name of a machine.

Loaded only when such a name was typed. Pure: no I/O.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pip._internal.variants.machine.platforms import ALIASES

__all__ = ["nearest_name"]

#: The CUDA version of a driver that knows all of the GPUs.
_DRIVER = "12.8"
#: By the names under which they are sold, compute capabilities without the dot.
_GPUS: Mapping[str, str] = MappingProxyType(
    {
        "v100": "70",
        **dict.fromkeys(("t4", "rtx2080"), "75"),
        **dict.fromkeys(("a100", "a30"), "80"),
        **dict.fromkeys(("a2", "a10", "a10g", "a16", "a40", "rtx3090"), "86"),
        **dict.fromkeys(("l4", "l40", "l40s", "rtx4090"), "89"),
        **dict.fromkeys(("h100", "h200", "h800", "gh200"), "90"),
        **dict.fromkeys(("b100", "b200", "gb200"), "100"),
        "rtx5090": "120",
    }
)
#: What most that are called by no more than that are.
_JETSON = "cuda-12.6-sm_87-tegra"
#: Whole machines, by a word in their names.
_MACHINES: Mapping[str, str] = MappingProxyType(
    {
        "orin": _JETSON,
        "thor": "cuda-13.0-sm_110-tegra",
        **dict.fromkeys(("gb10", "spark"), "cuda-13.0-sm_121-aarch64"),
        "nano": "cuda-10.2-sm_53-tegra",
        "xavier": "cuda-11.4-sm_72-tegra",
        "tpu": "tpu",
    }
)
#: Likewise, architectures of AMD's.
_AMD: Mapping[str, str] = MappingProxyType(
    {
        "mi100": "gfx908",
        **dict.fromkeys(("mi200", "mi210", "mi250", "mi250x"), "gfx90a"),
        **dict.fromkeys(("mi300", "mi300a", "mi300x", "mi325x"), "gfx942"),
        **dict.fromkeys(("mi350x", "mi355x"), "gfx950"),
        **dict.fromkeys(("rx7900", "rx7900xt", "rx7900xtx", "7900xtx"), "gfx1100"),
        **dict.fromkeys(("rx9070", "rx9070xt", "9070xt"), "gfx1201"),
        "strixhalo": "gfx1151",
    }
)
_MAKER = re.compile(r"^(nvidia|geforce|tesla|quadro|amd|radeon|instinct)")
#: What grammar has for the words of people, none of which begins within a word.
_SYSTEMS = (
    (r"macosx?|mac-os|mac|darwin|osx|apple", "macos"),
    (r"windows|win(?:32|64)?", "windows"),
    (r"alpine|musl(?:linux)?", "musl-1.2"),
    (r"(?:many)?linux|ubuntu|debian|fedora|rhel", "linux"),
)
#: GPUs that are sold with a processor for Arm alone.
_ON_ARM = ("gh200", "gb200")


def _form(text: str, end: str = "a-z") -> re.Pattern[str]:
    """Compile a form that is no part of a word.

    :param end: the letters that may not follow.
    """
    return re.compile(rf"(?<![a-z])(?:{text})(?![{end}])")


# In words with dashes between.
#: Types of machines that no name has.
_STRANGE = _form(
    r"riscv(?:64)?|i[3-6]86|x86(?!-?(?:64|46))|armv[5-7]l?|arm(?!-?64)|ppc64(?:le)?"
    r"|s390x|loongarch64|freebsd|openbsd|netbsd|ios|android"
)
_MAC_OS = _form(r"mac-?os-?x?-?(1[1-9]|2[0-9])(?:-([0-9]{1,2}))?", "0-9")
_GLIBC = _form(r"(?:glibc|glib|libc|gilbc|manylinux)-?2-?([0-9]{1,2})", "0-9")
#: How tags called the oldest ones.
_OLD_GLIBC = _form(r"(manylinux)-?(20(?:10|14)|1)", "0-9")
_MINOR = {alias: minor for minor, alias in ALIASES.items()}
_MUSL = _form(r"musl(?:linux)?-?1-?([0-9])", "0-9")
_CUDA = _form(r"cu(?:da)?-?([0-9]{2})-?([0-9]{0,2})", "0-9")
_SM = _form(
    r"(?:sm|compute|cc)-?(?:(1[0-2])-([0-9])|([0-9]{2,3})|([0-9])-([0-9]))", "0-9"
)
# Also with a letter too few or too many.
_GFX = _form(r"(?:gfx|gx|gf|gxf|gfxx)-?([0-9]+[0-9a-f]*)", "a-z0-9")
_ROCM = _form(r"rocm(?:-?([0-9]{1,3})(?:-([0-9]{1,2}))?(?![0-9]))?")
#: A greater major version of ROCm is two numbers.
_NEWEST = 19
_XPU = _form(r"(?:xpu|intel-gpu)(?:-?([0-9]+)-([0-9]+)-([0-9]+))?")
_X86_64 = _form(r"(?:x86-?(?:64|46)|x64|amd64)(?:-?v([1-4]))?", "0-9a-z")
_ARM = _form(r"(aarch-?64|arm-?64(?:-?v8|e)?|armv8)|tegra|jetson", "0-9a-z")
_APPLE = _form(r"apple-silicon|m[1-5]", "a-z0-9")
_ALPINE = _form(r"alpine-?3-?[0-9]{1,2}", "0-9")
_PYTHON = re.compile(
    r"(?<![a-z0-9])(?:(p[a-z]{1,6}|cp|cpython)-?3-?([0-9]{1,2})|3-?([0-9]{2})|3-([0-9]))"
    r"(?:-?t(?![0-9a-z]))?(?![0-9a-z])"
)
_PYTHON_2 = _form(r"(?:py|python|cp)-?2(?:-?[0-9])?", "0-9a-z")
#: As it was typed, since other numbers may follow.
_PATCH = re.compile(r"3\.([0-9]{1,2})\.([0-9]{1,2})(?![0-9.])")
_FREE_THREADED = re.compile(
    r"(?<![a-z])(?:free-?thread(?:ed|ing)?|nogil)(?![a-z])|[0-9]-?t(?![0-9a-z])"
)
_PYPY = _form(r"pypy-?3-?([0-9]{1,2})", "0-9a-z")
_DEVICES = (_CUDA, _SM, _GFX, _ROCM, _XPU)
#: Kinds of devices, types of machines and systems, of each of which a name has one.
_KINDS = (
    (_CUDA, _ROCM, _XPU, _form("tpu"), _form("cpu")),
    (_X86_64, _ARM),
    (_form("windows"), _form("macos"), _form("linux")),
    (_GLIBC, _MUSL),
)
#: Words that are often mistyped.
_WORDS = ("linux", "windows", "macos", "cuda", "rocm", "xpu")
_EXAMPLES = ("cuda-12.8-sm_90", "cpu-x86_64-v3", "cpu-aarch64")


def nearest_name(name: str) -> str | None:
    """Return the name of a machine that *name* may stand for.

    Punctuation does not matter, and a GPU may be named by its model.
    """
    words = [_spelled(word) for word in re.findall(r"[a-z0-9]+", name.lower())]
    dashed = "-".join(words)
    if _is_no_name(dashed):
        return None
    python = _python(name.lower(), dashed)
    whole = next((_MACHINES[word] for word in words if word in _MACHINES), None)
    if whole is not None:
        return _joined(whole, python)
    system, devices = _system(dashed), _devices(dashed, _of_model(words))
    machine = _type_of_machine(dashed, words, system)
    if machine == "tegra" and devices is None:
        return _joined(_JETSON, python)
    meant = _joined(devices, system, machine, python)
    if machine is not None and meant == machine:
        return f"cpu-{machine}"
    return meant or next(iter(difflib.get_close_matches(name, _EXAMPLES, 1)), None)


def _joined(*parts: str | None) -> str:
    return "-".join(filter(None, parts))


def _is_no_name(dashed: str) -> bool:
    """Tell whether a part cannot be meant; the rest would be another machine."""
    # Of several of a kind, nobody can tell which one.
    several = any(
        sum(bool(each.search(dashed)) for each in kind) > 1 for kind in _KINDS
    )
    return several or bool(_STRANGE.search(dashed) or _PYTHON_2.search(dashed))


def _of_model(words: Sequence[str]) -> str | None:
    """Return the architecture of the GPU of which a model is among words."""
    for length in range(min(4, len(words)), 0, -1):
        for begin in range(len(words) - length + 1):
            model = _MAKER.sub("", "".join(words[begin : begin + length]))
            if model in _GPUS:
                return f"sm_{_GPUS[model]}"
            if model in _AMD:
                return _AMD[model]
    return None


def _spelled(word: str) -> str:
    """Return a word of the grammar that another one may be."""
    words, cutoff = (_WORDS, 0.8) if word.isalpha() else (("aarch64",), 0.85)
    return next(iter(difflib.get_close_matches(word, words, 1, cutoff)), word)


def _devices(dashed: str, model: str | None) -> str | None:
    """Return the part of a name that tells devices.

    :param model: the architecture of a GPU that is named by its model.
    """
    cuda, sm, gfx = _CUDA.search(dashed), _SM.search(dashed), _GFX.search(dashed)
    rocm, xpu = _ROCM.search(dashed), _XPU.search(dashed)
    nvidia = amd = None
    if sm is not None:
        nvidia = f"sm_{''.join(filter(None, sm.groups()))}"
    elif gfx is not None:
        amd = f"gfx{gfx[1]}"
    elif model is not None and model.startswith("sm_"):
        nvidia = model
    else:
        amd = model
    if cuda is not None or nvidia is not None:
        driver = f"{cuda[1]}.{cuda[2] or '0'}" if cuda is not None else _DRIVER
        return _joined("cuda", driver, nvidia)
    if rocm is not None or amd is not None:
        version = None if rocm is None or not rocm[1] else _version(rocm[1], rocm[2])
        return _joined("rocm", version, amd)
    if xpu is not None:
        return _joined("xpu", ".".join(filter(None, xpu.groups())))
    return None


def _version(major: str, minor: str | None) -> str:
    """Return the version of ROCm that two numbers tell, or one without a dot."""
    if minor is None and int(major) > _NEWEST:
        return f"{major[0]}.{major[1]}"
    return f"{major}.{minor or '0'}"


def _system(dashed: str) -> str | None:
    """Return the part of a name that tells the system."""
    mac_os, glibc, musl = (f.search(dashed) for f in (_MAC_OS, _GLIBC, _MUSL))
    if mac_os is not None:
        return f"macos-{mac_os[1]}" + (f".{mac_os[2]}" if mac_os[2] else "")
    if glibc is not None:
        return f"glibc-2.{glibc[1]}"
    if (old := _OLD_GLIBC.search(dashed)) is not None:
        return f"glibc-2.{_MINOR[f'{old[1]}{old[2]}']}"
    if musl is not None:
        return f"musl-1.{musl[1]}"
    for form, system in _SYSTEMS:
        if _form(form).search(dashed):
            return system
    return None


def _python(typed: str, dashed: str) -> str | None:
    """Return the part of a name that tells the Python."""
    pypy = _PYPY.search(dashed)
    if pypy is not None:
        return f"pypy3{pypy[1]}"
    # Versions of other things have been told from it by what is before them.
    for form in (_MAC_OS, _GLIBC, _OLD_GLIBC, _MUSL, _ALPINE, *_DEVICES):
        dashed = form.sub("", dashed)
    found = sorted(_PYTHON.finditer(dashed), key=lambda match: match[1] is None)
    if not found:
        return None
    minor = found[0][2] or found[0][3] or found[0][4]
    patch = _PATCH.search(typed)
    threads = "t" if _FREE_THREADED.search(dashed) else ""
    if patch is not None and patch[1] == minor:
        return f"py3.{minor}.{patch[2]}{threads}"
    return f"py3{minor}{threads}"


def _type_of_machine(
    dashed: str, words: Sequence[str], system: str | None
) -> str | None:
    """Return the part of a name that tells the type of a machine.

    :param system: of the machine.
    """
    x86_64, arm = _X86_64.search(dashed), _ARM.search(dashed)
    if x86_64 is not None:
        return f"x86_64-v{x86_64[1]}" if x86_64[1] else "x86_64"
    if arm is not None:
        return "aarch64" if arm[1] else "tegra"
    is_apple = _APPLE.search(dashed) and (system or "").startswith("macos")
    if is_apple or not {*_ON_ARM}.isdisjoint(words):
        return "aarch64"
    return None
