"""Compare what the tests' commands did in two runs, as pytest --record wrote it down.

Prints each test whose commands differ, and how; then which tests only one of the runs
has. The exit status is 0 if nothing differs, 1 if something does, 2 if there is nothing
to compare.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from itertools import zip_longest
from pathlib import Path
from typing import Any

__all__ = ["main"]

Command = Mapping[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Print the differences; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, help="a folder given to pytest --record")
    parser.add_argument("after", type=Path, help="another one")
    options = parser.parse_args(arguments)
    before, after = _read(options.before), _read(options.after)
    both = sorted(before.keys() & after.keys())
    if not both:
        print("error: no test is recorded in both folders", file=sys.stderr)
        return 2
    different = [test for test in both if before[test] != after[test]]
    for test in different:
        print(f"\n{test}")
        pairs = zip_longest(before[test], after[test])
        for number, (old, new) in enumerate(pairs, start=1):
            if old != new:
                print(f"  command {number}: {' '.join((new or old)['arguments'])}")
                was, now = _lines(options.before, old), _lines(options.after, new)
                for line in [*unified_diff([*was], [*now], n=0, lineterm="")][2:]:
                    print(f"    {line}")
    print(f"\n{len(both)} tests in both records, {len(different)} differ")
    for folder, one, other in (
        (options.before, before, after),
        (options.after, after, before),
    ):
        for test in sorted(one.keys() - other.keys()):
            print(f"only in {folder}: {test}")
    return int(before != after)


def _read(folder: Path) -> dict[str, list[Command]]:
    """Return the commands of each test."""
    records = [
        json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")
    ]
    return {record["test"]: record["commands"] for record in records}


def _lines(folder: Path, command: Command | None) -> Iterator[str]:
    """Yield what a command did in lines, each of which tells what it belongs to."""
    if command is None:
        yield "not run"
        return
    yield f"arguments: {command['arguments']}"
    yield f"status: {command['status']}"
    for name in ("stdout", "stderr"):
        yield from (f"{name}: {line}" for line in command[name].split("\n"))
    yield from (f"request: {request}" for request in command["requests"])
    for name, digest in command["files"].items():
        path = folder / "files" / str(digest)
        text = path.read_text(encoding="utf-8") if path.is_file() else f"({digest})"
        yield from (f"{name}: {line}" for line in text.split("\n"))


if __name__ == "__main__":
    sys.exit(main())
