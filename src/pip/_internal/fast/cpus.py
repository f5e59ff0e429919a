"""How many CPUs this process may use."""

from __future__ import annotations

import os

__all__ = ["allowed_cpus"]


def allowed_cpus() -> int:
    """Return how many CPUs this process may use, as far as Python can tell."""
    if hasattr(os, "process_cpu_count"):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
