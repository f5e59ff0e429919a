"""Draw how a build is chosen, as the program's own rules do it with small data.

The release and the machine are those of ``tests/data/four-machines.toml``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import tomli

from pip._vendor.wheel_variants.manifest import Manifest, Variant
from pip._vendor.wheel_variants.ordering import Mismatch, rank

from pip._internal.variants.providers.host_names import named_host
from tools.pictures.svg import arrow, box, finished, new, write

__all__ = ["drawing"]

_DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "four-machines.toml"
#: Which of its machines.
_MACHINE = 1

# Pixels.
_WIDTH, _MARGIN, _TOP, _BOX = 860, 12, 84, 182
_HEIGHT, _GAP = 46, 14
_STYLE = """
.paper { fill: #fff; stroke: none; }
.out { fill: #f3f3f3; stroke: #999; stroke-dasharray: 4 3; }
.taken { fill: #d8efdc; stroke: #2e7d32; }
.small { font-size: 11px; }
"""


def drawing() -> str:
    """Return the picture as it is to be."""
    data: dict[str, Any] = tomli.loads(_DATA.read_text(encoding="utf-8"))
    builds, machine = data["builds"], data["machines"][_MACHINE]
    host = named_host(machine["host"])
    assert host is not None, machine["host"]
    manifest = _manifest(builds)
    ranking = rank(manifest, host.supported, builds)
    assert ranking.compatible[0] == machine["gets"]
    height = _TOP + len(builds) * (_HEIGHT + _GAP) + _MARGIN
    svg = new(_WIDTH, height, _STYLE)
    box(svg, 0, 0, _WIDTH, height, "paper")
    lefts = [_MARGIN + at * (_WIDTH - 2 * _MARGIN - _BOX) / 3 for at in range(4)]
    for left, *lines in zip(
        lefts,
        ("What is listed", "What runs here", "The best first", "What is installed"),
        (
            f"{data['project']} {data['version']}",
            "Every feature needs one value",
            "Namespace, feature, value;",
            f"pip install {data['project']}",
        ),
        ("in any order", machine["has"], "then label; null is last", ""),
        strict=True,
    ):
        title, first, second = lines
        write(svg, left + _BOX / 2, _MARGIN + 14, title, "name")
        write(svg, left + _BOX / 2, _MARGIN + 32, first, "small")
        write(svg, left + _BOX / 2, _MARGIN + 47, second, "small")
    for at, label in enumerate(sorted(builds)):
        _file(svg, lefts[0], at, label, builds[label]["says"])
        lacks = ranking.rejected.get(label, ())
        said = [_said(each) for each in lacks[:1]] or ["runs"]
        _file(svg, lefts[1], at, label, said[0], "out" if lacks else "row")
        _arrow(svg, lefts[0], lefts[1], at, at)
        if not lacks:
            place = ranking.compatible.index(label)
            _file(svg, lefts[2], place, label, f"rank {place + 1}")
            _arrow(svg, lefts[1], lefts[2], at, place)
    best = ranking.compatible[0]
    _file(svg, lefts[3], 0, best, builds[best]["says"], "taken")
    _arrow(svg, lefts[2], lefts[3], 0, 0)
    return finished(svg)


def _manifest(builds: dict[str, Any]) -> Manifest:
    variants = {}
    for label, build in builds.items():
        features = {
            namespace: {
                name: tuple(values) for name, values in build[namespace].items()
            }
            for namespace in build
            if namespace != "says"
        }
        variants[label] = Variant(label, features)
    return Manifest(namespaces=("nvidia", "amd"), providers={}, variants=variants)


def _said(mismatch: Mismatch) -> str:
    offered = mismatch.offered[0] if mismatch.offered else "none"
    wanted = mismatch.wanted[0]
    return f"needs {wanted}, here {offered}" if mismatch.offered else "no such GPU here"


def _file(
    svg: Element, left: float, row: int, label: str, said: str, kind: str = "row"
) -> None:
    top = _TOP + row * (_HEIGHT + _GAP)
    box(svg, left, top, _BOX, _HEIGHT, kind)
    write(svg, left + _BOX / 2, top + 19, f"…-{label}.whl", "name")
    write(svg, left + _BOX / 2, top + 36, said, "small")


def _arrow(svg: Element, left: float, right: float, start: int, end: int) -> None:
    first, last = (_TOP + row * (_HEIGHT + _GAP) + _HEIGHT / 2 for row in (start, end))
    arrow(svg, (left + _BOX, first), (right, last))
