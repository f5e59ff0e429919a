"""What CPUs are found to support, from what their systems tell of them."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from tests.unit.variants.providers.asking import Asked, ask

# As /proc/cpuinfo spells them: "pni" is SSE3.
BASE = "fpu mmx sse sse2 syscall lm"
CORE_2 = f"{BASE} pni ssse3 cx16 lahf_lm sse4_1"
NEHALEM = f"{CORE_2} sse4_2 popcnt"
HASWELL = (
    f"{NEHALEM} pclmulqdq aes xsave xsaveopt avx avx2 bmi1 bmi2 f16c fma abm movbe "
    "rdrand fsgsbase"
)
SKYLAKE_X = (
    f"{HASWELL} adx rdseed clflushopt clwb xsavec "
    "avx512f avx512bw avx512cd avx512dq avx512vl"
)

BASELINE = {"x86_64": {"level": ["v1"]}, "aarch64": {"version": ["8a"]}}

CORTEX_A72 = "fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid"
NEOVERSE_N1 = f"{CORTEX_A72} atomics fphp asimdhp asimdrdm lrcpc dcpop asimddp ssbs"
NEOVERSE_V2 = (
    f"{NEOVERSE_N1} jscvt fcma sha3 sha512 sve asimdfhm uscat ilrcpc flagm sb dcpodp "
    "sve2 flagm2 frint svei8mm svebf16 i8mm bf16 bti"
)
OLYMPUS = (
    f"{NEOVERSE_V2} sm3 sm4 dit paca pacg sveaes svepmull svebitperm svesha3 svesm4 "
    "dgh rng ecv afp wfxt fpmr lut faminmax f8cvt f8fma f8dp4 f8dp2 f8e4m3 f8e5m2 ls64"
)

# Stands between the interpreter and Linux: archspec is none the wiser.
ON_LINUX = """
import builtins, platform

platform.machine = lambda: {machine!r}
real_open = builtins.open
builtins.open = lambda file, *rest, **options: real_open(
    {cpuinfo!r} if file == "/proc/cpuinfo" else file, *rest, **options
)
"""
ON_MACOS = """
import platform
from pip._vendor.archspec.cpu import detect

platform.machine = lambda: {machine!r}
platform.system = lambda: "Darwin"
sys.platform = "darwin"
detect._check_output = lambda args, env: {said!r}
"""


def ask_on_linux(provider: str, cpuinfo: Path) -> Asked:
    """Ask on a machine whose kernel tells what stands in a file."""
    code = ON_LINUX.format(machine=provider, cpuinfo=str(cpuinfo))
    return ask(provider, prepare=f"sys.platform = 'linux'\n{code}")


#: Of x86-64 CPUs the flags, the levels, and the features, newest first.
X86_64: list[tuple[str, str, str | None]] = [
    (BASE, "v1", "sse2 sse mmx"),
    (CORE_2, "v1", "sse4_1 ssse3 sse3 cx16 lahf_lm sse2 sse mmx"),
    (f"{NEHALEM} avx aes", "v2 v1", None),
    (HASWELL.replace("movbe", ""), "v2 v1", None),
    (
        HASWELL,
        "v3 v2 v1",
        (
            "xsaveopt avx2 avx bmi2 bmi1 abm f16c fma movbe xsave rdrand aes pclmulqdq "
            "fsgsbase sse4_2 sse4_1 ssse3 sse3 cx16 lahf_lm popcnt sse2 sse mmx"
        ),
    ),
    (f"{HASWELL} avx512f", "v3 v2 v1", None),
    (SKYLAKE_X, "v4 v3 v2 v1", None),
    (
        f"{BASE} avx_vnni tsc_adjust movdiri sha_ni avx512_bf16 clwb gfni amx_tile",
        "v1",
        "avx_vnni tsc_adjust movdiri avx512_bf16 sha_ni clwb gfni sse2 sse mmx",
    ),
]


@pytest.mark.parametrize(("flags", "levels", "features"), X86_64)
def test_x86_64(tmp_path: Path, flags: str, levels: str, features: str | None) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    text = f"processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: {flags}\n\n"
    cpuinfo.write_text(text + text.replace(": 0", ": 1"), encoding="ascii")
    asked = ask_on_linux("x86_64", cpuinfo)
    assert next(iter(asked.features)) == "level"
    assert asked.features.pop("level") == levels.split()
    assert (asked.origin, asked.reason, asked.warnings) == ("CPU", None, [])
    if features is not None:
        assert list(asked.features) == features.split()
        assert all(values == ["on"] for values in asked.features.values())


#: Of ARM CPUs implementer and part, the flags, the versions and the features.
AARCH64: list[tuple[str, str, str, str, str | None]] = [
    ("0x41", "0xd08", "fp asimd evtstrm crc32 cpuid", "8a", None),
    (
        *("0x41", "0xd0c", NEOVERSE_N1, "8.2a 8.1a 8a"),
        (
            "ssbs asimddp lrcpc asimdhp dcpop fphp asimdrdm atomics aes asimd cpuid crc32 "
            "evtstrm fp pmull sha1 sha2"
        ),
    ),
    ("0x41", "0xd4f", NEOVERSE_V2, "9.0a 8.5a 8.4a 8.3a 8.2a 8.1a 8a", None),
    ("0x4e", "0x010", OLYMPUS, "9.0a 8.5a 8.4a 8.3a 8.2a 8.1a 8a", None),
    ("0xff", "0x123", NEOVERSE_V2, "8a", None),
]


@pytest.mark.parametrize(
    ("implementer", "part", "flags", "versions", "features"), AARCH64
)
def test_aarch64(
    tmp_path: Path,
    implementer: str,
    part: str,
    flags: str,
    versions: str,
    features: str | None,
) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(
        f"processor\t: 0\nFeatures\t: {flags}\n"
        f"CPU implementer\t: {implementer}\nCPU part\t: {part}\n\n"
    )
    asked = ask_on_linux("aarch64", cpuinfo)
    assert asked.features.pop("version") == versions.split()
    assert (asked.origin, asked.reason) == ("CPU", None)
    if features is not None:
        assert list(asked.features) == features.split()


@pytest.mark.parametrize("provider", BASELINE)
@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (None, "FileNotFoundError"),
        # Emulation shows the CPU underneath.
        (b"processor : 0\nuarch : sifive,u74-mc\n", "the system lists no CPU flags"),
        (b"\xff\xfe\x00flags: sse2", "UnicodeDecodeError"),
    ],
)
def test_cpu_that_cannot_be_read_is_the_oldest(
    tmp_path: Path, provider: str, content: bytes | None, cause: str
) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    if content is not None:
        cpuinfo.write_bytes(content)
    asked = ask_on_linux(provider, cpuinfo)
    assert asked.features == BASELINE[provider]
    assert (asked.origin, asked.warnings) == ("assumption", [])
    assert cause in (asked.reason or "")


@pytest.mark.parametrize(
    ("provider", "machine"),
    [("x86_64", "aarch64"), ("aarch64", "x86_64"), ("aarch64", "riscv64")],
)
def test_machine_of_another_architecture(provider: str, machine: str) -> None:
    asked = ask(provider, prepare=ON_LINUX.format(machine=machine, cpuinfo="absent"))
    assert asked.features == {}
    assert asked.reason == f"the CPU architecture is {machine}"
    assert asked.imported == []


@pytest.mark.parametrize("provider", ["x86_64", "aarch64"])
def test_another_machine_is_the_target(provider: str) -> None:
    asked = ask(provider, hardware=False)
    assert asked.features == {}
    assert asked.reason is not None
    assert asked.imported == []


def test_this_machine() -> None:
    machine = platform.machine().replace("AMD64", "x86_64").replace("arm64", "aarch64")
    for provider, oldest in BASELINE.items():
        features = ask(provider).features
        if provider != machine.lower():
            assert features == {}
            continue
        assert [features[name][-1:] for name in oldest] == list(oldest.values())
        cpuinfo = Path("/proc/cpuinfo")
        if provider == "x86_64" and cpuinfo.exists():
            assert ("avx2" in features) == (" avx2 " in cpuinfo.read_text())


@pytest.mark.parametrize(
    ("brand", "versions", "flag"),
    [
        ("Apple M1 Pro", "8.4a 8.3a 8.2a 8.1a 8a", "frint"),
        ("Apple M2", "8.5a 8.4a 8.3a 8.2a 8.1a 8a", "bf16"),
        # Newer than archspec: what the newest known one has.
        ("Apple M9 Max", "8.6a 8.5a 8.4a 8.3a 8.2a 8.1a 8a", "bf16"),
        ("Apple processor", "8.4a 8.3a 8.2a 8.1a 8a", "frint"),
    ],
)
def test_apple_cpu(brand: str, versions: str, flag: str) -> None:
    said = f"machdep.cpu.brand_string: {brand}\n"
    asked = ask("aarch64", prepare=ON_MACOS.format(machine="arm64", said=said))
    assert asked.features["version"] == versions.split()
    assert flag in asked.features
    assert asked.reason is None


@pytest.mark.parametrize(
    ("leaf7", "extra", "levels"),
    [
        ("BMI1 AVX2 BMI2 RDSEED", "LAHF LZCNT RDTSCP", "v3 v2 v1"),
        ("BMI1 BMI2", "LAHF", "v2 v1"),
        # The kernel may have switched it off all the same.
        (
            "BMI1 AVX2 BMI2 AVX512F AVX512BW AVX512CD AVX512DQ AVX512VL",
            "LAHF LZCNT",
            "v3 v2 v1",
        ),
    ],
)
def test_intel_cpu_of_a_mac(leaf7: str, extra: str, levels: str) -> None:
    features = (
        "FPU MMX SSE SSE2 SSE3 PCLMULQDQ SSSE3 FMA CX16 SSE4.1 SSE4.2 MOVBE POPCNT AES "
        "XSAVE AVX1.0 RDRAND F16C"
    )
    values = {
        "machdep.cpu.vendor": "GenuineIntel",
        "machdep.cpu.features": features,
        "machdep.cpu.leaf7_features": leaf7,
        "machdep.cpu.extfeatures": extra,
    }
    said = "\n".join(f"{name}: {value}" for name, value in values.items())
    asked = ask("x86_64", prepare=ON_MACOS.format(machine="x86_64", said=said))
    assert asked.features["level"] == levels.split()
    assert "avx" in asked.features
    assert not [name for name in asked.features if name.startswith("avx512")]


@pytest.mark.parametrize(
    ("provider", "machine", "system", "cause"),
    [
        ("x86_64", "x86_64", "darwin", "the system lists no CPU flags"),
        ("aarch64", "arm64", "darwin", "the system lists no CPU flags"),
        ("x86_64", "amd64", "freebsd15", "pip cannot read CPU features on freebsd15"),
    ],
)
def test_system_that_tells_nothing(
    provider: str, machine: str, system: str, cause: str
) -> None:
    code = ON_MACOS.format(machine=machine, said="").replace("darwin", system)
    asked = ask(provider, prepare=code)
    assert asked.features == BASELINE[provider]
    assert cause in (asked.reason or "")
