"""The command-line interface of ``wheel-variants``."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from wheel_variants.publish.errors import PublishError, UsageError

__all__ = ["COMMANDS", "main", "make_parser", "script"]

#: Each command is a module of the same name in ``commands``.
COMMANDS = ("build", "index", "check", "adopt", "plugin")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    :param arguments: the arguments without the program name; ``sys.argv`` by default.
    :raises SystemExit: for ``--help``, ``--version`` and invalid arguments.
    """
    try:
        from wheel_variants.publish import output

        parser = make_parser()
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("wheel_variants"):
            raise
        print(
            f"error: wheel-variants needs the library '{error.name}', but this library is "
            "not installed. Install wheel_variants-*.whl of the release with the extra "
            "'cli': pip install './wheel_variants-0.1.0-py3-none-any.whl[cli]'",
            file=sys.stderr,
        )
        return 1
    options = parser.parse_args(arguments)
    if options.no_color:
        os.environ["NO_COLOR"] = "1"
    with output.logs_to_stderr(options.verbose - options.quiet):
        try:
            status: int = options.run(options)
        except PublishError as error:
            output.show_error(error)
            return 2 if isinstance(error, UsageError) else 1
        except KeyboardInterrupt:
            output.show_error(PublishError("Interrupted"))
            return 130
    return status


def script() -> int:
    """Run the command in ``sys.argv`` as a console script."""
    # The caller may have closed the streams.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        # Some terminals cannot show every name.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    # Temporary files are removed then.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        status = main()
        sys.stdout.flush()
    except OSError as error:
        if error.filename is not None:
            raise
        # The reader has closed the pipe, or the disk is full. Python would try to write
        # the rest when it exits.
        if not isinstance(error, BrokenPipeError):
            print(f"error: Cannot write the output: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        # The interrupt arrived before the command started.
        return 130
    return status


def make_parser() -> argparse.ArgumentParser:
    """Create the argument parser of all commands."""
    from wheel_variants.publish.output import tool_version

    parser = argparse.ArgumentParser(
        prog="wheel-variants",
        description="Publish wheel variants (PEP 825 and PEP 850).",
        allow_abbrev=False,
    )
    version, text = f"wheel-variants {tool_version()}", "Show the version and exit."
    parser.add_argument("--version", action="version", version=version, help=text)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"wheel_variants.publish.commands.{name}")
        own = commands.add_parser(
            name, help=module.HELP, description=module.HELP, allow_abbrev=False
        )
        own.set_defaults(run=module.run)
        module.add_arguments(own)
        add = own.add_argument_group("general options").add_argument
        text = "Show more output, such as ignored files with the reason."
        add("-v", "--verbose", action="count", default=0, help=text)
        text = "Show only warnings and errors; repeat to show only errors."
        add("-q", "--quiet", action="count", default=0, help=text)
        add("--no-color", action="store_true", help="Disable colored output.")
    return parser
