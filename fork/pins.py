"""The exact releases that the fork is made from, and the used parts of each release.

``pyproject.toml`` repeats these releases as build requirements, with ``===``: the fork's
own version satisfies ``==26.3``, and the fork must never be assembled from itself.
"""

from __future__ import annotations

from fork.engine.releases import Pin
from fork.engine.vendoring import Library
from fork.version import UPSTREAM

__all__ = ["ARCHSPEC", "HOW_TO_GET", "LIBRARIES", "NVIDIA_ML_PY", "PINS", "PIP"]

PIP = Pin(
    "pip",
    UPSTREAM,
    "0694b82b27bce12a123c716bdd687bd4fb072674bf596320326a29f0e6890741",
    ("pip/",),
    ("licenses/",),
)
NVIDIA_ML_PY = Pin(
    "nvidia-ml-py",
    "13.615.71",
    "d01d9dd83ed3864cdba0272199f657ed766a62c3d567e5bafb81b5e53d356352",
    ("pynvml.py",),
)
ARCHSPEC = Pin(
    "archspec",
    "0.2.7",
    "abd6ca8d5e463a40e1d31a635740830c3069f8f641a1ce982cf75f1a0193ca0b",
    ("archspec/",),
    ("LICENSE-APACHE", "LICENSE-MIT", "NOTICE"),
)
PINS = (PIP, NVIDIA_ML_PY, ARCHSPEC)

LIBRARIES = (
    Library(NVIDIA_ML_PY, ("pynvml.py",), header=("pynvml.py", "pynvml/LICENSE")),
    Library(
        ARCHSPEC,
        (
            "archspec/__init__.py",
            "archspec/cpu/__init__.py",
            "archspec/cpu/alias.py",
            "archspec/cpu/detect.py",
            "archspec/cpu/microarchitecture.py",
            "archspec/cpu/schema.py",
            "archspec/json/cpu/cpuid.json",
            "archspec/json/cpu/microarchitectures.json",
            "archspec/vendor/cpuid/cpuid.py",
        ),
        # Folders without __init__.py cannot be imported from a zip file before
        # CPython 3.14.
        packages=("archspec/vendor/__init__.py", "archspec/vendor/cpuid/__init__.py"),
        licenses=(
            "archspec/json/COPYRIGHT",
            "archspec/json/LICENSE-APACHE",
            "archspec/json/LICENSE-MIT",
            "archspec/json/NOTICE",
            "archspec/vendor/cpuid/LICENSE",
        ),
    ),
)

HOW_TO_GET = (
    "A build in isolation (without --no-build-isolation) gets it by itself; for anything "
    "else type: python -m pip install --target DIR "
    + " ".join(f"'{pin.requirement}'" for pin in PINS)
    + ", then python -m fork assemble --from DIR."
)
