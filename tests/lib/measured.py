"""Measure the memory of a pip command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.lib.environments import Environment, Result

_MEASURED = """
import resource, subprocess, sys
code = subprocess.call([sys.executable, "-m", *sys.argv[2:]])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
with open(sys.argv[1], "w") as file:
    file.write(str(peak * (1024 if sys.platform == "linux" else 1)))
sys.exit(code)
"""


def run_measured(
    environment: Environment,
    folder: Path,
    *arguments: str | Path,
    env: Mapping[str, str | None] | None = None,
    code: int | None = 0,
    timeout: float = 300,
    program: str = "pip",
) -> tuple[Result, float]:
    """Run a program in a separate process, and return its peak memory in MB.

    :param folder: the folder for the program's result.
    :param env: additional variables.
    :param code: the expected exit status; ``None``: any.
    :param timeout: the time limit in seconds.
    :param program: the module to run.
    """
    peak = folder / "peak"
    command = [environment.python, "-c", _MEASURED, peak, program, *arguments]
    result = environment.run(*command, code=code, env=env, timeout=timeout)
    return result, int(peak.read_text()) / 1e6
