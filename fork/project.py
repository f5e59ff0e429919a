"""What ``python -m fork`` and the build put together."""

from __future__ import annotations

from pathlib import Path

from fork.engine.assembler import Project
from fork.pins import HOW_TO_GET, LIBRARIES, PIP
from fork.seams import SEAMS
from fork.sensitive import SENSITIVE

__all__ = ["PROJECT", "ROOT"]

ROOT = Path(__file__).resolve().parent.parent

PROJECT = Project(
    core=ROOT / "core" / "src" / "wheel_variants",
    core_needs=("packaging",),
    overlay=ROOT / "src",
    recorded=Path(__file__).with_name("recorded.json"),
    upstream=PIP,
    how_to_get=HOW_TO_GET,
    libraries=LIBRARIES,
    vendor="pip/_vendor/",
    licenses="src/pip/_vendor/",
    seams=SEAMS,
    sensitive=SENSITIVE,
)
