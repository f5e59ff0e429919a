"""CPU flags that are features of the namespaces x86_64 and aarch64."""

from __future__ import annotations

__all__ = ["AARCH64_FLAGS", "X86_64_FLAGS"]

#: The flags by the CPU that introduced them, newest CPU first.
AARCH64_FLAGS = (
    *("sve2", "flagm2", "frint", "sb"),  # Neoverse N2 and V2
    *("bti", "ecv"),  # Apple M2
    *("paca", "pacg", "ssbs"),  # Apple M1
    *("asimdfhm", "bf16", "dcpodp", "dgh", "dit", "flagm", "i8mm"),  # Neoverse V1
    *("ilrcpc", "jscvt", "rng", "sha3", "sha512", "svebf16", "svei8mm", "uscat"),
    *("asimddp", "lrcpc"),  # Neoverse N1
    *("asimdhp", "dcpop", "fcma", "fphp", "sve"),  # A64FX
    *("asimdrdm", "atomics"),  # ThunderX2
    *("aes", "asimd", "cpuid", "crc32", "evtstrm", "fp", "pmull"),  # Cortex-A72
    *("sha1", "sha2"),
)
#: The flags by the CPU that introduced them, newest CPU first.
X86_64_FLAGS = (
    *("avx_vnni", "cppc", "ibrs_enhanced", "tsc_adjust"),  # Zen 5
    *("flush_l1d",),  # Zen 4
    *("movdir64b", "movdiri"),  # Sapphire Rapids
    *("avx512_bf16", "avx512_bitalg", "avx512_vbmi2", "avx512_vnni"),  # Ice Lake
    *("avx512_vp2intersect", "avx512_vpopcntdq", "avx512ifma", "avx512vbmi"),
    *("rdpid", "sha_ni", "vaes", "vpclmulqdq"),
    *("clwb", "clzero"),  # Skylake with AVX-512
    *("avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"),  # level v4
    *("clflushopt", "gfni", "rdseed", "xsavec", "xsaveopt"),  # Skylake
    *("adx",),  # Broadwell
    *("avx2", "avx", "bmi2", "bmi1", "abm", "f16c", "fma", "movbe"),  # level v3
    *("xsave",),
    *("rdrand",),  # Sandy Bridge
    *("aes",),  # Westmere
    *("pclmulqdq",),  # Nehalem
    *("sse4a", "fsgsbase"),  # Steamroller
    *("sse4_2", "sse4_1", "ssse3", "sse3", "cx16", "lahf_lm", "popcnt"),  # level v2
    *("sse2", "sse", "mmx"),  # level v1
)
