"""Command line: ``python -m fork assemble`` and ``python -m fork record``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fork.engine import assembler, output, recorded
from fork.engine.errors import ForkError
from fork.project import PROJECT, ROOT
from fork.version import VERSION


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m fork", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("assemble", "write build/assembled/pip for tests, type checkers and editors"),
        ("record", "accept the pinned releases as they are: rewrite recorded.json"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument(
            "--from",
            dest="folder",
            type=Path,
            metavar="DIR",
            help="a `pip install --target` folder with the pinned releases "
            "(default: the running environment)",
        )
    options = parser.parse_args(arguments)
    try:
        if options.command == "record":
            _record(options.folder)
        else:
            _assemble(options.folder)
    except ForkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _assemble(folder: Path | None) -> None:
    target = ROOT / "build" / "assembled"
    output.write(assembler.assemble_project(PROJECT, folder), target, link=True)
    print(f"pip {VERSION} assembled in {target}")


def _record(folder: Path | None) -> None:
    values = assembler.record(PROJECT, PROJECT.read(folder))
    recorded.save(values, PROJECT.recorded)
    print(
        f"recorded in {PROJECT.recorded.name}; read the difference before you commit it"
    )


if __name__ == "__main__":
    sys.exit(main())
