"""Pictures for the docs, each from data of tests: ``tests/data/NAME.toml``."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import tomli

from pip._vendor.wheel_variants.built_in import BUILT_IN_PLUGINS
from pip._vendor.wheel_variants.manifest import Manifest, Variant
from pip._vendor.wheel_variants.ordering import Mismatch, rank

from pip._internal.variants.providers.host_names import named_host
from tools.pictures.svg import Box, Column, drawn

__all__ = ["choice", "four_machines", "lock", "trust"]

_DATA = Path(__file__).resolve().parents[2] / "tests" / "data"


def four_machines() -> str:
    """Draw the wheels that four machines install from one release."""
    data = _read("four-machines")
    builds, machines = data["builds"], data["machines"]
    name = f"{data['project']} {data['version']}"
    page = [_file(label, build["says"]) for label, build in builds.items()]
    boxes = [Box([each["what"], each["has"]]) for each in machines]
    rows = [list(builds).index(each["gets"]) for each in machines]
    return drawn(
        [
            Column([f"One page: the builds of {name}"], page, on_page=True),
            Column(["On every machine:", f"pip install {data['project']}"], boxes),
        ],
        [((0, row), (1, at)) for at, row in enumerate(rows)],
        width=300,
    )


def choice() -> str:
    """Draw the selection of a variant, computed by pip's code."""
    data = _read("four-machines")
    builds, machine = data["builds"], data["machines"][1]
    host = named_host(machine["host"])
    assert host is not None, machine["host"]
    variants = {}
    for label, build in builds.items():
        described = {key: build[key] for key in build if key != "says"}
        variants[label] = Variant(label, described)
    manifest = Manifest(namespaces=("nvidia", "amd"), providers={}, variants=variants)
    ranking = rank(manifest, host.supported, builds)
    best, order = ranking.compatible[0], sorted(builds)
    assert best == machine["gets"]
    judged = [
        _file(label, _mismatch_text(ranking.rejected[label][0]), "out")
        if label in ranking.rejected
        else _file(label, "runs")
        for label in order
    ]
    ranked = [_file(each, f"rank {n}") for n, each in enumerate(ranking.compatible, 1)]
    arrows = [((0, at), (1, at)) for at in range(len(order))]
    arrows += [
        ((1, order.index(label)), (2, at))
        for at, label in enumerate(ranking.compatible)
    ]
    return drawn(
        [
            Column(
                [
                    "What is listed",
                    f"{data['project']} {data['version']}",
                    "in any order",
                ],
                [_file(label, builds[label]["says"]) for label in order],
            ),
            Column(
                ["What runs here", "Every feature needs one value", machine["has"]],
                judged,
            ),
            Column(
                ["The best first", "Namespace, feature, value;", "label; null is last"],
                ranked,
            ),
            Column(
                ["What is installed", f"pip install {data['project']}"],
                [_file(best, builds[best]["says"], "good")],
            ),
        ],
        [*arrows, ((2, 0), (3, 0))],
        width=210,
        gap=20,
    )


def lock() -> str:
    """Draw the contents of a lock file, from ``tests/data/lock-picture.toml``."""
    data = _read("lock-picture")
    page = []
    for package in data["locked"]:
        labels = ", ".join(package["with"])
        is_for_all = len(package["with"]) == len(data["builds"])
        said = ["with every build" if is_for_all else f"with {labels} only"]
        if package["name"] == data["project"]:
            said = [f"wheels {labels},", "and their manifest"]
        name = f"{package['name']} {package['version']}"
        page.append(Box([name, *said], "box" if is_for_all else "some"))
    boxes = [
        Box([each["has"], each["gets"][0], ", ".join(each["gets"][1:])])
        for each in data["machines"]
    ]
    middle = (len(page) - 1) / 2
    return drawn(
        [
            Column(
                ["pylock.toml: one for all of them", f"pip lock {data['project']}"],
                page,
                on_page=True,
            ),
            Column(["On each machine:", "pip install -r pylock.toml"], boxes),
        ],
        [((0, middle), (1, at)) for at in range(len(boxes))],
        width=300,
    )


def trust() -> str:
    """Draw the code and data of an installation, from ``tests/data/who-runs.toml``."""
    # pip itself detects the hardware for which it has built-in providers.
    names = ", ".join(sorted(BUILT_IN_PLUGINS))
    columns = []
    for column, kind in zip(
        _read("who-runs")["columns"], ("good", "box", "some"), strict=True
    ):
        boxes = [
            Box([name, *textwrap.wrap(said.format(namespaces=names), 36)], kind)
            for name, said in column["rows"]
        ]
        columns.append(Column([column["title"], column["leave"]], boxes, on_page=True))
    return drawn(columns, width=250, gap=12)


def _read(name: str) -> dict[str, Any]:
    return tomli.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))


def _file(label: str, said: str, kind: str = "box") -> Box:
    return Box([f"…-{label}.whl", said], kind)


def _mismatch_text(mismatch: Mismatch) -> str:
    if not mismatch.offered:
        return "no such GPU here"
    return f"needs {mismatch.wanted[0]}, here {mismatch.offered[0]}"
