"""What ``pip variants explain`` says and what ``pip install --dry-run`` does agree.

Releases and manifests are those of the public index, the wheels are stand-ins.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.lib import public_index
from tests.lib.batch import run_batch
from tests.lib.environments import Environment, Result, Workshop
from tests.lib.hosts import HOSTS, write_host
from tests.lib.index import IndexServer

pytestmark = [
    pytest.mark.skipif(not public_index.is_present(), reason=public_index.ABSENT),
    pytest.mark.skipif(
        (sys.platform, platform.machine()) != ("linux", "x86_64"),
        reason="the replicas' wheels are for Linux on x86-64",
    ),
]

NAMED = (
    "cuda-12.8-sm_90",
    "cuda-12.6-sm_75-x86_64-v3",
    "cpu-x86_64-v3",
    "cpu-x86_64-v1",
)


@pytest.fixture(scope="module", params=public_index.GENERATIONS)
def generation(request: pytest.FixtureRequest) -> str:
    """Return the folder of the index: manifests were written anew for the second."""
    name: str = request.param
    return name


def releases(generation: str) -> list[tuple[str, str]]:
    """Return project and version of each manifest of the index."""
    return [
        (path.parent.name, path.name.split("-")[1])
        for path in public_index.manifest_paths(generation)
    ]


@pytest.fixture(scope="module")
def replica(generation: str) -> Iterator[IndexServer]:
    """Return an index with every release that has a manifest."""
    with IndexServer() as index:
        for project, version in releases(generation):
            public_index.add_release(index, generation, project, version)
        yield index


@pytest.fixture(scope="module")
def environment(
    workshop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    """Return one environment for all machines: nothing is installed in it."""
    return workshop.fork(tmp_path_factory.mktemp("agreement"))


def explained(result: Result) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def installed(result: Result) -> str | None:
    """Return the name of the file that a dry run would install, None if it fails."""
    if result.returncode:
        return None
    (one,) = json.loads(result.stdout)["install"]
    return unquote(one["download_info"]["url"]).rpartition("/")[2]


def listed_first(first: Sequence[str], rest: Iterable[str]) -> list[str]:
    known = list(rest)
    return list(dict.fromkeys([*(each for each in first if each in known), *known]))


def rebuilt(source: dict[str, Any]) -> list[str]:
    """Work the order of the labels out again, from what the document says alone."""
    places: dict[tuple[str, str], dict[str, tuple[int, int, int]]] = {}
    for namespace_at, namespace in enumerate(source["namespaces"]):
        answer = source["answers"].get(namespace, {"features": []})
        values = {each["feature"]: each["values"] for each in answer["features"]}
        features = listed_first(source["feature_order"].get(namespace, ()), values)
        for feature_at, feature in enumerate(features):
            first = source["value_order"].get(namespace, {}).get(feature, ())
            places[namespace, feature] = {
                value: (namespace_at, feature_at, at)
                for at, value in enumerate(listed_first(first, values[feature]))
            }
    keys = []
    for each in source["labels"]:
        wanted: dict[tuple[str, str], list[str]] = {}
        for stated in each["properties"]:
            namespace, feature, value = stated.split(" :: ")
            wanted.setdefault((namespace, feature), []).append(value)
        best = [
            min((place[v] for v in values if v in place), default=None)
            for key, values in wanted.items()
            for place in (places.get(key, {}),)
        ]
        if each["described"] and None not in best:
            key = [*sorted(filter(None, best)), (float("inf"),)]
            keys.append((key, each["label"] == "null", each["label"]))
    return [label for _, _, label in sorted(keys)]


def check_documents(document: dict[str, Any]) -> None:
    """Check that a document tells enough, and nothing that is not so."""
    sources = [*document["sources"]]
    for passed in document["passed_over"]:
        sources += passed["sources"]
    for source in sources:
        ranked = [each for each in source["labels"] if each["compatible"]]
        ranked.sort(key=lambda each: each["rank"])
        assert rebuilt(source) == [each["label"] for each in ranked]
        assert all(
            each["compatible"] != bool(each["mismatches"]) for each in source["labels"]
        )
        decided = source["decided_by"]
        assert (decided is None) == (len(ranked) < 2)
        if decided is not None:
            first, second = ranked[:2]
            assert (decided["first"], decided["second"]) == (
                *(first["label"], second["label"]),
            )
            for name, each in (("first_property", first), ("second_property", second)):
                assert decided[name] in [None, *each["supported"]]


def test_each_manifest_on_some_hosts(
    generation: str, replica: IndexServer, environment: Environment, tmp_path: Path
) -> None:
    machines = [
        *NAMED,
        *(str(write_host(tmp_path / f"{name}.json", name)) for name in HOSTS),
    ]
    commands: list[list[str]] = []
    for number, (project, version) in enumerate(releases(generation)):
        target = [
            *("--index-url", replica.index_url, f"{project}=={version}"),
            *("--variant-host", machines[number % len(machines)]),
        ]
        commands.append(["variants", "explain", "--json", *target])
        commands.append(
            ["install", "--dry-run", "--no-deps", "-q", "--report", "-", *target]
        )
    results = run_batch(environment, tmp_path, commands)

    labels = set()
    for told, done in zip(results[::2], results[1::2], strict=True):
        assert told.returncode == done.returncode, f"{told}\n{done}"
        document = explained(told)
        check_documents(document)
        chosen = document["chosen"]
        file_name = chosen and chosen["filename"]
        assert file_name == installed(done), f"{told}\n{done}"
        if chosen is None:
            # Both tell why, in the same words.
            assert document["problem"]["message"] in done.stderr
        else:
            labels.add(chosen["label"])
    # Plain builds, null variants and others were chosen.
    assert len(labels) > 5, labels
