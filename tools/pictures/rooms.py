"""Draw the layers of the source, from ``tests/data/floors.toml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.lib.floors import read_floors
from tools.pictures.svg import box, finished, new, write

__all__ = ["drawing", "layers"]

_PLAN = Path(__file__).resolve().parents[2] / "tests" / "data" / "floors.toml"
_TEXTS: Mapping[str, str] = {
    "commands.variants": "pip variants: its options and actions",
    "console": "how lines reach the terminal",
    "fast": "prefetching, downloads, store of unpacked wheels, safe installations",
    "variants.commands": "host, list, explain, setup: a module for each",
    "variants.errors": "errors: what, why, what to type",
    "variants.hooks": "what pip calls: a module for each pip package",
    "variants.index": "manifests and wheels, on indexes and disks",
    "variants.locks": "lock files",
    "variants.option_values": "values of options, parsed and checked",
    "variants.output": "decisions as words, tables and JSON",
    "variants.providers": "what a machine supports: a module for each provider",
    "variants.pytorch": "PyTorch's index",
    "variants.scoped": "scoped indexes",
    "variants.seams": "the only door: finds hooks and features by name",
    "variants.selection": "the run, releases, and which wheel pip takes",
    "variants.settings": "the options in one table, and those of one command",
    "variants.slots": "state that hangs on pip's objects",
}
_ABOVE = "pip 26.3", "as released, with the patch points of fork/seams.py"
_BELOW = (
    "pip/_vendor/wheel_variants",
    "core/: PEP 825 and PEP 850 as a pure model, copied in by the build",
)
_LEGEND = (
    "A module imports only from its own package and from packages below it.",
    "Dashed: a feature that one line in seams.py registers. No other package imports it.",
)
_STYLE = """
.outside { fill: #f3f3f3; stroke: #999; }
.feature { stroke-dasharray: 5 3; }
"""
# Pixels.
_WIDTH, _HEIGHT, _GAP, _LINE = 600, 44, 10, 17


def layers() -> list[Sequence[tuple[str, str, str]]]:
    """Return the boxes of each row, highest layer first: class, name, text."""
    floors = read_floors(_PLAN)
    rows: dict[int, list[tuple[str, str, str]]] = {}
    for package, level in floors.level.items():
        kind = "feature" if package in floors.known_by else "package"
        shown = package.replace(".", "/"), _TEXTS[package]
        rows.setdefault(level, []).append((kind, *shown))
    inside = [rows[level] for level in sorted(rows, reverse=True)]
    return [[("outside", *_ABOVE)], *inside, [("outside", *_BELOW)]]


def drawing() -> str:
    """Return the picture."""
    rows = layers()
    bottom = _GAP + len(rows) * (_HEIGHT + _GAP)
    svg = new(_WIDTH, bottom + (len(_LEGEND) + 0.5) * _LINE, _STYLE)
    for at, row in enumerate(rows):
        top = _GAP + at * (_HEIGHT + _GAP)
        width = (_WIDTH - _GAP) / len(row) - _GAP
        for place, (kind, name, text) in enumerate(row):
            left = _GAP + place * (width + _GAP)
            box(svg, left, top, width, _HEIGHT, kind)
            write(svg, left + width / 2, top + _LINE, name, "name")
            write(svg, left + width / 2, top + 2 * _LINE, text)
    for at, line in enumerate(_LEGEND, 1):
        write(svg, _WIDTH / 2, bottom + at * _LINE, line)
    return finished(svg)
