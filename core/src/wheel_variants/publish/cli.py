"""The command line ``wheel-variants``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from wheel_variants.publish.errors import PublishError, UsageError

__all__ = ["COMMANDS", "main", "make_parser", "script"]

#: Each is a module of that name in ``commands``, which is imported when it is needed.
COMMANDS = ("build", "index", "check", "adopt", "plugin")
_COMMANDS = "wheel_variants.publish.commands"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    :param arguments: without the name of the program; ``sys.argv`` by default.
    :raises SystemExit: for ``--help``, ``--version`` and wrong arguments.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        from wheel_variants.publish import output

        parser = make_parser(given[0] if given else "")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("wheel_variants"):
            raise
        print(
            f"error: wheel-variants needs the library {error.name}: install the file "
            "wheel_variants-*.whl of the release with its extra, as in pip install "
            "'./wheel_variants-0.1.0-py3-none-any.whl[cli]'",
            file=sys.stderr,
        )
        return 1
    options = parser.parse_args(given)
    if options.no_color:
        os.environ["NO_COLOR"] = "1"
    command = import_module(f"{_COMMANDS}.{options.command}")
    with output.logs_to_stderr(options.verbose - options.quiet):
        try:
            status: int = command.run(options)
        except PublishError as error:
            output.show_error(error)
            return 2 if isinstance(error, UsageError) else 1
        except KeyboardInterrupt:
            output.show_error(PublishError("Interrupted"))
            return 130
    return status


def script() -> int:
    """Run the command of ``sys.argv`` in a process of its own."""
    for stream in (sys.stdout, sys.stderr):
        # Not every terminal can show every name.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads on. Python would try to write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        # It came before the command began.
        return 130
    return status


def make_parser(chosen: str) -> argparse.ArgumentParser:
    """Return the parser; if *chosen* is a command, with that command alone."""
    from wheel_variants.publish.output import tool_version

    parser = argparse.ArgumentParser(
        prog="wheel-variants",
        description="Publish wheel variants (PEP 825 and PEP 850).",
        allow_abbrev=False,
    )
    version, text = f"wheel-variants {tool_version()}", "Show the version."
    parser.add_argument("--version", action="version", version=version, help=text)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in (chosen,) if chosen in COMMANDS else COMMANDS:
        module = import_module(f"{_COMMANDS}.{name}")
        own = commands.add_parser(
            name, help=module.HELP, description=module.HELP, allow_abbrev=False
        )
        module.add_arguments(own)
        group = own.add_argument_group("general options")
        for short, long, text in (
            (
                "-v",
                "--verbose",
                "Show more, such as the files that are ignored and why.",
            ),
            ("-q", "--quiet", "Show warnings and errors only; twice: errors only."),
        ):
            group.add_argument(short, long, action="count", default=0, help=text)
        text = "Write without colors."
        group.add_argument("--no-color", action="store_true", help=text)
    return parser
