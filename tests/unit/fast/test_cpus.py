"""How many CPUs may be used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from pip._internal.fast.cpus import allowed_cpus

# Elsewhere things are done in upstream's way.
pytestmark = pytest.mark.linux

CGROUP = "proc/self/cgroup"
V1 = "sys/fs/cgroup/cpu,cpuacct/pod"


@pytest.mark.parametrize(
    ("files", "count"),
    [
        ({}, 8),
        ({CGROUP: "0::/\n"}, 8),
        ({CGROUP: "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, 8),
        ({CGROUP: "0::/\n", "sys/fs/cgroup/cpu.max": "250000 100000\n"}, 2),
        ({CGROUP: "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "300000 100000\n"}, 3),
        ({CGROUP: "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "50000 100000\n"}, 1),
        ({CGROUP: "0::/\n", "sys/fs/cgroup/cpu.max": "9900000 100000\n"}, 8),
        (
            {
                CGROUP: "5:memory:/pod\n3:cpu,cpuacct:/pod\n",
                f"{V1}/cpu.cfs_quota_us": "400000\n",
                f"{V1}/cpu.cfs_period_us": "100000\n",
            },
            4,
        ),
        (
            {
                CGROUP: "3:cpu,cpuacct:/pod\n",
                f"{V1}/cpu.cfs_quota_us": "-1\n",
                f"{V1}/cpu.cfs_period_us": "100000\n",
            },
            8,
        ),
        ({CGROUP: "nonsense\n0::\n", "sys/fs/cgroup/cpu.max": "1 0\n"}, 8),
    ],
    ids=str,
)
def test_allowed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: Mapping[str, str],
    count: int,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(8), raising=False)
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    assert allowed_cpus(tmp_path) == count


def test_where_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert allowed_cpus(tmp_path) == 1
