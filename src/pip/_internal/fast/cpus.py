"""How many CPUs this process may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

__all__ = ["allowed_cpus"]

_ROOT = Path("/")


def allowed_cpus(root: Path = _ROOT) -> int:
    """Return as many as the scheduler and the quotas of cgroups allow, at least one.

    :param root: of the file system that tells of cgroups
    """
    count = os.cpu_count() or 1
    if sys.platform == "linux":
        # Not every interpreter can ask.
        with suppress(AttributeError):
            count = len(os.sched_getaffinity(0))
    return max(1, int(min([count, *_quotas(root)])))


def _quotas(root: Path) -> Iterator[float]:
    """Yield how many CPUs each group allows that this process is in."""
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        if controllers and "cpu" not in controllers.split(","):
            continue
        # The first version of cgroups has a folder for each set of controllers.
        top = root / "sys/fs/cgroup" / controllers
        group = PurePosixPath(path.lstrip("/"))
        for each in (group, *group.parents):
            yield from _quota(top / each)


def _quota(folder: Path) -> Iterator[float]:
    names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
    for files in ((folder / "cpu.max",), tuple(folder / name for name in names)):
        # What is not there, or is no number, limits nothing.
        with suppress(OSError, ValueError, ZeroDivisionError):
            text = " ".join(file.read_text(encoding="utf-8") for file in files)
            quota, period = map(int, text.split())
            if quota > 0:
                yield quota / period
