"""``venv``: create virtual environments like ``python -m venv``, with the fork as pip."""

from __future__ import annotations

import shlex
import subprocess
import sys
import venv as standard
from collections.abc import Iterator, Sequence
from pathlib import Path

from pip_variants.bootstrap import carry_out, plan
from pip_variants.bundled import carried
from pip_variants.errors import CarrierError
from pip_variants.targets import find_target

__all__ = ["folders", "venv"]


def venv(arguments: Sequence[str], prog: str) -> int:
    """Create virtual environments with the fork, and return the exit status.

    :param arguments: the arguments of ``python -m venv``.
    :param prog: the command that started the program, for messages.
    :raises CarrierError: if the fork could not be installed into a new environment.
    """
    command = [sys.executable, "-I", "-m", "venv"]
    if {"-h", "--help"} & set(arguments):
        print(f"{prog} venv accepts the options of python -m venv:\n", flush=True)
        return subprocess.run([*command, "--help"], check=False).returncode
    if any(_means(each, "--without-pip") for each in arguments):
        return subprocess.run([*command, *arguments], check=False).returncode
    left = [each for each in arguments if not _means(each, "--upgrade-deps")]
    with carried().ready() as fork:
        made = subprocess.run([*command, "--without-pip", *left], check=False)
        if made.returncode:
            return made.returncode
        for name in folders(left):
            target = find_target(name)
            try:
                change = plan(target, fork, break_system_packages=False)
                if change is not None:
                    carry_out(change, fork)
            except CarrierError as error:
                raise CarrierError(
                    f"The environment was created without pip. {error.what}",
                    f"{error.way_out} Then run: {prog} bootstrap {shlex.quote(name)}",
                ) from None
            upgraded = _upgrade(target.python) if len(left) < len(arguments) else 0
            if upgraded:
                return upgraded
    return 0


def _upgrade(python: Path) -> int:
    """Upgrade the initial packages of an environment (``--upgrade-deps``)."""
    # Isolated, so that no module in the working directory runs instead of pip.
    command = [str(python), "-I", "-m", "pip", "install", "--upgrade"]
    return subprocess.run([*command, *standard.CORE_VENV_DEPS], check=False).returncode


def folders(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the folders in the arguments of ``python -m venv``."""
    left = iter(arguments)
    for each in left:
        if each == "--":
            yield from left
        elif not each.startswith("-"):
            yield each
        elif _means(each, "--prompt"):
            next(left, None)


def _means(argument: str, option: str) -> bool:
    """Return whether an argument is *option* of ``python -m venv``, or an abbreviation."""
    if argument == option:
        return True
    # --upgrade and --without are prefixes of other options.
    known = {"--upgrade-deps": "--upgrade-", "--without-pip": "--without-p"}
    return argument.startswith(known.get(option, "--p")) and option.startswith(argument)
