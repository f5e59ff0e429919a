"""The command-line interface: ``bootstrap``, ``venv`` and ``folder``."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from pip_variants import environments
from pip_variants.bootstrap import Change, carry_out, plan, plan_undo
from pip_variants.bundled import carried
from pip_variants.errors import TRY_AGAIN, CarrierError
from pip_variants.targets import find_target

__all__ = ["main", "script"]

_MODULE = "python -m pip_variants"
_SCRIPT = "pip-variants"


def script() -> int:
    """Run the console script ``pip-variants``, which never changes its own Python."""
    return main(prog=_SCRIPT)


def main(arguments: Sequence[str] | None = None, prog: str = _MODULE) -> int:
    """Run a command, and return its exit status.

    :param arguments: the arguments; ``sys.argv`` by default.
    :param prog: the command that started the program, for messages.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        # The standard library's venv parses the other arguments.
        if given[:1] == ["venv"]:
            return environments.venv(given[1:], prog)
        if given[:1] == ["--version"]:
            bundled = carried()
            print(f"pip {bundled.version} (sha256 {bundled.sha256})")
            return 0
        options = _parser(prog).parse_args(given)
        if options.command == "folder":
            bundled = carried()
            bundled.read()
            print(bundled.file.parent)
            return 0
        if prog == _SCRIPT and not options.targets:
            raise CarrierError(
                f"Specify the Python to change: {prog} runs in a separate environment.",
                f"For example: {prog} bootstrap .venv",
            )
        return _bootstrap(options, prog)
    except CarrierError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: {error}\nhint: {TRY_AGAIN}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: cancelled", file=sys.stderr)
        return 1


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Install pip with native wheel variants (the fork). Nothing is "
        "downloaded.",
    )
    parser.add_argument(
        "--version",
        action="store_true",
        help="Show the version of the fork and the digest of its wheel, and exit.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    bootstrap = commands.add_parser(
        "bootstrap",
        help="Replace pip with the fork, or restore the old pip.",
        description="Replace the pip of a Python with the fork. The old pip is saved as a "
        "wheel in share/pip-variants of the environment.",
    )
    bootstrap.add_argument(
        "targets",
        nargs="*",
        metavar="PYTHON|ENV",
        help="An interpreter, its name on PATH, or the folder of an environment "
        "(default: the Python that runs this command).",
    )
    bootstrap.add_argument(
        "--yes", "-y", action="store_true", help="Do not ask for confirmation."
    )
    bootstrap.add_argument(
        "--undo",
        action="store_true",
        help="Restore the old pip. If none was saved, install the pip that comes with "
        "Python.",
    )
    bootstrap.add_argument(
        "--break-system-packages",
        action="store_true",
        help="Allow changes to a Python that another program manages, such as the "
        "system's package manager (default: refuse).",
    )
    commands.add_parser(
        "venv",
        add_help=False,
        help="Create a virtual environment with the fork. Accepts the options of python "
        "-m venv.",
    )
    commands.add_parser(
        "folder",
        help="Print the folder with the wheel of the fork, for --find-links.",
        description="Verify the wheel of the fork, and print its folder for "
        "--find-links.",
    )
    return parser


def _bootstrap(options: argparse.Namespace, prog: str) -> int:
    """Replace pip with the fork, or restore the old pip.

    :raises CarrierError: if the change is not possible.
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
                print(f"{target.name}: pip {fork.version} is already installed")
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
    """Ask for confirmation.

    :raises CarrierError: if standard input is closed.
    """
    try:
        return input("Continue? [y/N] ").strip().lower() in {"y", "yes"}
    except EOFError:
        print()
        raise CarrierError(
            "Nothing was changed, because nobody confirmed the change.",
            "To continue without confirmation, add --yes.",
        ) from None


def _done(change: Change, kept: Path | None, prog: str) -> str:
    name = shlex.quote(change.target.name)
    text = f"{change.target.name}: installed pip {change.version}"
    if change.is_undo:
        return text
    back = f"{prog} bootstrap --undo {name}"
    if kept is None:
        return f"{text}. To undo the change, run: {back}"
    return (
        f"{text}. The old pip is saved in {kept}. To restore the old pip, run: {back}"
    )
