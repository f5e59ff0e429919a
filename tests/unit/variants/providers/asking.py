"""Ask a built-in provider in its own interpreter, and see what that loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pip

_ASSEMBLED = Path(pip.__file__ or "").parents[1]

# What the interpreter tells of a process that is about to be started.
_PROCESS_EVENTS = [
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "subprocess.Popen",
]

_CHILD = """
import json, os, sys

processes = []
watched = json.loads(sys.argv[1])
sys.addaudithook(lambda event, _: processes.append(event) if event in watched else None)

import importlib

name = "pip._internal.variants.providers." + sys.argv[2]
provider = importlib.import_module(name)
before = set(sys.modules)
exec(sys.argv[4])
answer = provider.detect(dict(os.environ), hardware=json.loads(sys.argv[3]))
print(json.dumps({
    "answer": {
        **answer._asdict(), "features": [each._asdict() for each in answer.features]
    },
    "imported": sorted(set(sys.modules) - before),
    "processes": processes,
}, default=lambda step: step.value))
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a provider answered, and what that took.

    :ivar features: values by feature, both in order.
    :ivar imported: the modules that the question made it import.
    """

    features: dict[str, list[str]]
    origin: str
    reason: str | None
    warnings: list[str]
    imported: list[str]


def ask(
    provider: str,
    environ: Mapping[str, str] | None = None,
    *,
    hardware: bool = True,
    prepare: str = "",
) -> Asked:
    """Ask a provider in a fresh interpreter, which ends well and starts no process.

    :param environ: variables that the interpreter has beside the necessary ones.
    :param hardware: whether the machine may be asked.
    :param prepare: code to run before the question.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        # By the last, coverage is told of in children too.
        if name in ("SYSTEMROOT", "WINDIR") or name.startswith("COVERAGE_")
    }
    arguments = [json.dumps(_PROCESS_EVENTS), provider, json.dumps(hardware), prepare]
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, *arguments],
        env={**kept, "PYTHONPATH": str(_ASSEMBLED), **(environ or {})},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["processes"] == []
    answer = result["answer"]
    return Asked(
        features={feature["name"]: feature["values"] for feature in answer["features"]},
        origin=answer["origin"],
        reason=answer["reason"],
        warnings=answer["warnings"],
        imported=result["imported"],
    )
