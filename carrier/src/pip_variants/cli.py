"""The commands: ``bootstrap``, ``venv`` and ``folder``."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from pip_variants import environments
from pip_variants.bootstrap import Change, carry_out, plan, plan_undo
from pip_variants.bundled import carried
from pip_variants.errors import CarrierError
from pip_variants.targets import find_target

__all__ = ["main", "script"]

_MODULE = "python -m pip_variants"


def script() -> int:
    """Run ``pip-variants``, whose own Python is not one to be changed."""
    return main(prog="pip-variants", is_apart=True)


def main(
    arguments: Sequence[str] | None = None,
    prog: str = _MODULE,
    *,
    is_apart: bool = False,
) -> int:
    """Run a command; return its exit status.

    :param arguments: those of the command line, if not the program's own
    :param prog: how the program was started
    :param is_apart: whether it has a Python of its own, which nobody means
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        # What follows is for another program, which has options of its own.
        if given[:1] == ["venv"]:
            return environments.venv(given[1:], prog)
        if given == ["--version"]:
            bundled = carried()
            print(f"pip {bundled.version} (sha256 {bundled.sha256})")
            return 0
        options = _parser(prog).parse_args(given)
        if options.command == "folder":
            bundled = carried()
            bundled.read()
            print(bundled.path.parent)
            return 0
        if is_apart and not options.targets:
            raise CarrierError(
                f"{prog} has a Python of its own, and does not know which one is meant.",
                f"Name it: {prog} bootstrap .venv",
            )
        return _bootstrap(options, prog)
    except CarrierError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: cancelled", file=sys.stderr)
        return 1


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Put pip with native wheel variants in place of pip. Nothing is "
        "downloaded.",
    )
    parser.add_argument(
        "--version",
        action="store_true",
        help="print the version of pip that is carried, and the digest of its wheel",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    bootstrap = commands.add_parser(
        "bootstrap",
        help="put the fork in place of pip, or the old pip back",
        description="Put the fork in place of the pip of a Python. The old pip is packed "
        "into a wheel and kept in share/pip-variants of the environment.",
    )
    bootstrap.add_argument(
        "targets",
        nargs="*",
        metavar="PYTHON|ENV",
        help="interpreter, its name on PATH, or folder of an environment "
        "(default: the Python that runs this)",
    )
    bootstrap.add_argument("--yes", "-y", action="store_true", help="do not ask")
    bootstrap.add_argument(
        "--undo",
        action="store_true",
        help="put the old pip back, or the one that comes with Python",
    )
    bootstrap.add_argument(
        "--break-system-packages",
        action="store_true",
        help="change a Python that is managed by something else, such as the system",
    )
    commands.add_parser(
        "venv",
        add_help=False,
        help="make a virtual environment with the fork; options as for python -m venv",
    )
    commands.add_parser(
        "folder",
        help="print the folder with the fork's wheel, for --find-links",
        description="Print the folder with the fork's wheel, once that is verified.",
    )
    return parser


def _bootstrap(options: argparse.Namespace, prog: str) -> int:
    """Put the fork in place of pip, or the old pip back.

    :raises CarrierError: that cannot be done
    """
    names: list[str | None] = options.targets or [None]
    managed = options.break_system_packages
    with carried().ready() as fork:
        changes = []
        for target in map(find_target, names):
            change: Change | None
            if options.undo:
                change = plan_undo(target, break_system_packages=managed)
            else:
                change = plan(target, fork, break_system_packages=managed)
            if change is None:
                print(f"{target.name}: pip {fork.version} is there already")
            else:
                print(change)
                changes.append(change)
        if changes and not options.yes and not _agreed():
            print("Nothing was changed.")
            return 1
        for change in changes:
            kept = carry_out(change, fork)
            print(_done(change, kept, prog))
    return 0


def _agreed() -> bool:
    """Ask whether to go on.

    :raises CarrierError: nobody is there to answer
    """
    try:
        return input("Go on? [y/N] ").strip().lower() in {"y", "yes"}
    except EOFError:
        print()
        raise CarrierError(
            "Nobody answered, so nothing was changed.", "To go on unasked: --yes"
        ) from None


def _done(change: Change, kept: Path | None, prog: str) -> str:
    name = shlex.quote(change.target.name)
    text = f"{change.target.name}: pip {change.version} is in place"
    if change.is_undo:
        return text
    back = f"{prog} bootstrap --undo {name}"
    if kept is None:
        return f"{text}. The way back: {back}"
    return f"{text}. The old one is kept in {kept}; the way back: {back}"
