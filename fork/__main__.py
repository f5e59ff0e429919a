"""Run the command line: ``python -m fork assemble``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fork.engine.assembler import assemble_project
from fork.engine.errors import ForkError
from fork.engine.output import write
from fork.project import PROJECT, ROOT
from fork.version import VERSION


def main(arguments: list[str] | None = None) -> int:
    """Run the command, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m fork", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    text = "write build/assembled/pip for tests, type checkers and editors"
    command = commands.add_parser("assemble", help=text, description=text)
    command.add_argument(
        "--from",
        dest="folder",
        type=Path,
        metavar="DIR",
        help="a `pip install --target` folder with the pinned releases "
        "(default: the running environment)",
    )
    options = parser.parse_args(arguments)
    target = ROOT / "build" / "assembled"
    try:
        write(assemble_project(PROJECT, options.folder), target, link=True)
    except ForkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"pip {VERSION} assembled in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
