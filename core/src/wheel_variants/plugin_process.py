"""End the process of a provider plugin."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

__all__ = ["end_process"]

#: The seconds to wait for a killed process, which a driver may block.
_KILLED = 1


def end_process(process: subprocess.Popen[bytes]) -> None:
    """Kill a plugin's process, and on POSIX all processes of its group.

    :param process: the leader of a process group, except on Windows.
    """
    if sys.platform == "win32":  # pragma: no cover (Windows)
        process.kill()
    else:
        # Processes that the plugin started may outlive the plugin.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_KILLED)
