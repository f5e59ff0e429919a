"""What is installed stays where a build of the chosen release runs with it.

Stand-ins for torch, which is installed in some version, and extensions of it.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from tests.functional.test_extensions import ABI, chosen
from tests.lib.environments import Environment
from tests.lib.index import IndexServer
from tests.lib.manifests import make_manifest
from tests.lib.wheels import make_sdist, make_wheel

T28 = {"abi": {"torch": ["2.8"]}}
T29 = {"abi": {"torch": ["2.9"]}}
BOTH = {"t28": T28, "t29": T29, "null": {}}
NEWER = {"t29": T29, "null": {}}
NEWER_OR_PLAIN = {"t29": T29}


@dataclass(frozen=True)
class Extension:
    """A release of an extension.

    :ivar variants: features by label.
    :ivar requires: whatever its builds depend on besides.
    """

    variants: Mapping[str, Mapping[str, Mapping[str, Sequence[str]]]]
    plain: bool = False
    requires: Sequence[str] = ("torch",)

    def add(self, index: IndexServer, name: str, version: str) -> None:
        """Publish it."""
        manifest = make_manifest(self.variants, namespaces=["abi"], providers=ABI)
        index.add_release(
            *(name, version, {}),
            manifest=manifest,
            plain=self.plain,
            requires=self.requires,
        )


@dataclass(frozen=True)
class Case:
    """An installation beside what is installed.

    :ivar releases: of ``ext``, by version.
    :ivar found: what would be installed.
    :ivar said: the one warning, from its second word on; None for none.
    """

    releases: Mapping[str, Extension]
    found: Mapping[str, str]
    said: str | None = None
    arguments: Sequence[str] = ("ext",)
    torch: str = "2.8.1"


CASES: Mapping[str, Case] = {
    "a build for it": Case({"1.0": Extension(BOTH)}, {"ext": "1.0 t28"}),
    "null": Case(
        {"1.0": Extension(NEWER)},
        {"ext": "1.0 null"},
        "2.8.1, so it chose the variant 'null' of ext 1.0. A better combination is the "
        "variant 't29' of ext 1.0 with torch 2.9.1. To install this combination: pip install "
        "--upgrade-variants ext 'torch==2.9.*'",
    ),
    "one of several values": Case(
        {"1.0": Extension({"x": {"abi": {"torch": ["1.13", "2.9"]}}})},
        {"ext": "1.0 x"},
        torch="1.13.1",
    ),
    "no build": Case(
        {"2.0": Extension(NEWER_OR_PLAIN)}, {"ext": "2.0 t29", "torch": "2.9.1"}
    ),
    "torch is upgraded": Case(
        {"1.0": Extension(BOTH)},
        {"ext": "1.0 t29", "torch": "2.9.1"},
        arguments=["-U", "ext", "torch"],
    ),
    "a constraint excludes it": Case(
        {"1.0": Extension(NEWER)},
        {"ext": "1.0 t29", "torch": "2.9.1"},
        arguments=["ext", "-c", "newer.txt"],
    ),
    "an explicit label": Case(
        {"1.0": Extension(NEWER)},
        {"ext": "1.0 t29", "torch": "2.9.1"},
        arguments=["ext", "--variant", "ext=t29"],
    ),
    "what is installed goes anyway": Case(
        {"1.0": Extension(NEWER)},
        {"ext": "1.0 t29", "torch": "2.9.1"},
        arguments=["ext", "--force-reinstall"],
    ),
    "without dependencies, for another version": Case(
        {"1.0": Extension(NEWER)}, {"ext": "1.0 null"}, arguments=["--no-deps", "ext"]
    ),
    "without dependencies, and without torch": Case(
        {"1.0": Extension(NEWER)},
        {"ext": "1.0 null"},
        arguments=["--no-deps", "ext"],
        torch="",
    ),
    "without dependencies, but with torch": Case(
        {"1.0": Extension(NEWER)},
        {"ext": "1.0 t29", "torch": "2.9.1"},
        arguments=["--no-deps", "ext", "torch"],
        torch="",
    ),
}


def prepare(venv: Environment, index: IndexServer, case: Case) -> None:
    """Publish what *case* is about, and install its torch."""
    for version in ("1.13.1", "2.8.1", "2.9.1", "2.10.0"):
        index.add(make_wheel("torch", version))
    for version, release in case.releases.items():
        release.add(index, "ext", version)
    if case.torch:
        venv.pip("install", f"torch=={case.torch}", "-i", index.index_url)
    (venv.work / "newer.txt").write_text("torch>=2.9\n", encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_what_is_kept(venv: Environment, index: IndexServer, name: str) -> None:
    case = CASES[name]
    prepare(venv, index, case)
    command = ["install", "--dry-run", *case.arguments, "-i", index.index_url]
    result = venv.pip(*command)
    assert chosen(result) == case.found
    told = [line for line in result.stderr.splitlines() if "WARNING: pip kept" in line]
    if case.said is None:
        assert told == []
        return
    said = f"{case.said} --index-url {index.index_url}"
    assert [re.sub(r"\S+ -m pip", "pip", line) for line in told] == [
        f"WARNING: pip kept torch {said}"
    ]


def command_of(warning: str) -> list[str]:
    """Return the command that a warning ends with, without the name of pip."""
    found = re.search(r"pip (install .*)", warning)
    assert found is not None
    return shlex.split(found[1])


def test_the_better_pair_can_be_had(venv: Environment, index: IndexServer) -> None:
    prepare(venv, index, CASES["null"])
    options = ["-i", index.index_url]
    (warning,) = venv.pip("install", "ext", *options).stderr.splitlines()
    assert venv.eval("ext.variant_label", "ext") == "null"
    assert venv.installed()["torch"] == "2.8.1"
    # Now it is as wanted, and nothing is said: what would replace torch is no better.
    for upgrade in ([], ["-U"]):
        again = venv.pip("install", *upgrade, "ext", *options)
        assert again.stderr == ""
        assert "is a better match" not in again.stdout
    result = venv.pip(*command_of(warning))
    assert result.stderr == ""
    assert venv.eval("ext.variant_label", "ext") == "t29"
    assert venv.installed()["torch"] == "2.9.1"
    venv.pip("check")


def test_what_is_replaced_is_told(venv: Environment, index: IndexServer) -> None:
    """With the builds that require it; no older release is looked up for that."""
    prepare(venv, index, CASES["null"])
    Extension(NEWER_OR_PLAIN).add(index, "ext2", "2.0")
    Extension(BOTH).add(index, "ext2", "1.0")
    index.clear_log()
    result = venv.pip("install", "ext", "ext2", "-i", index.index_url)
    assert "looking at multiple versions" not in result.output
    assert result.stderr == ""
    required = "the variant 't29' of {} requires torch==2.9.*"
    assert (
        f"Replacing torch 2.8.1 with 2.9.1: {required.format('ext 1.0')} and "
        f"{required.format('ext2 2.0')}"
    ) in result.lines
    assert venv.installed() == {"ext": "1.0", "ext2": "2.0", "torch": "2.9.1"}
    assert not [path for _, path in index.log() if "ext2-1.0" in path]
    venv.pip("check")


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (["t29n1", "t28n2", "null"], {"ext": "1.0 null"}),
        # Where one of them has to go, the best build decides which.
        (["t29n1", "t28n2"], {"ext": "1.0 t29n1", "torch": "2.9.1"}),
    ],
)
def test_nothing_gives_way_for_what_is_kept(
    venv: Environment, index: IndexServer, labels: list[str], found: dict[str, str]
) -> None:
    """A build for the installed torch may be for another numpy than the installed one."""
    variants: dict[str, Mapping[str, Mapping[str, Sequence[str]]]] = {
        "t29n1": {"abi": {"torch": ["2.9"], "numpy": ["1.26"]}},
        "t28n2": {"abi": {"torch": ["2.8"], "numpy": ["2.1"]}},
        "null": {},
    }
    releases = {"1.0": Extension({label: variants[label] for label in labels})}
    prepare(venv, index, Case(releases, found))
    for version in ("1.26.4", "2.1.0"):
        index.add(make_wheel("numpy", version))
    venv.pip("install", "numpy==1.26.4", "-i", index.index_url)
    result = venv.pip("install", "--dry-run", "ext", "-i", index.index_url)
    assert chosen(result) == found


def test_one_value_is_enough_for_check(venv: Environment, index: IndexServer) -> None:
    prepare(venv, index, CASES["one of several values"])
    options = ["-i", index.index_url]
    venv.pip("install", "ext", *options)
    assert venv.installed() == {"ext": "1.0", "torch": "1.13.1"}
    venv.pip("check")
    result = venv.pip("install", "torch==2.8.1", *options)
    assert "ext 1.0 requires torch" in result.stderr
    venv.pip("install", "torch==2.9.1", *options)
    venv.pip("check")


def test_what_is_tried_leaves_no_trace(venv: Environment, index: IndexServer) -> None:
    """Conflicts with what is tried are no errors, and nothing is built for it."""
    case = CASES["no build"]
    prepare(venv, index, case)
    index.add(make_sdist("ext", "2.0"))
    index.clear_log()
    result = venv.pip("install", "--dry-run", "ext", "-i", index.index_url)
    assert chosen(result) == case.found
    assert result.stderr == ""
    assert (
        "Replacing torch 2.8.1 with 2.9.1: the variant 't29' of ext 2.0 requires "
        "torch==2.9.*"
    ) in result.lines
    assert not [path for _, path in index.log() if path.endswith(".tar.gz")]


def test_explain_tells_what_stays(venv: Environment, index: IndexServer) -> None:
    prepare(venv, index, CASES["null"])
    command = ["variants", "explain", "ext", "-i", index.index_url]
    result = venv.pip(*command)
    assert "pip kept torch 2.8.1, so it chose the variant 'null' of" in result.stderr
    assert "ext-1.0-py3-none-any-null.whl would be installed." in result.lines
    document = json.loads(venv.pip(*command, "--json").stdout)
    assert document["chosen"]["label"] == "null"
    venv.pip("install", "torch==2.9.1", "-i", index.index_url)
    result = venv.pip(*command)
    assert "ext-1.0-py3-none-any-t29.whl would be installed." in result.lines


@pytest.mark.parametrize("asked", [["ext", "torch"], ["torch", "app"]])
def test_an_upgrade_takes_the_extension_along(
    venv: Environment, index: IndexServer, asked: list[str]
) -> None:
    """Another build of its version may be for what comes."""
    prepare(venv, index, CASES["a build for it"])
    index.add(make_wheel("app", "1.0", requires=["ext"]))
    options = ["-i", index.index_url]
    venv.pip("install", "ext", *options)
    assert venv.eval("ext.variant_label", "ext") == "t28"
    assert venv.pip("install", "-U", "ext", *options).stderr == ""
    assert venv.installed() == {"ext": "1.0", "torch": "2.8.1"}
    assert venv.pip("install", "-U", *asked, *options).stderr == ""
    assert venv.eval("ext.variant_label", "ext") == "t29"
    assert venv.installed()["torch"] == "2.9.1"
    venv.pip("check")


@pytest.mark.parametrize("case", ["null", "no build"])
def test_no_useless_download(venv: Environment, index: IndexServer, case: str) -> None:
    """What a wheel needs is read from a part of it where no metadata lies beside it."""
    prepare(venv, index, CASES[case])
    index.pages.core_metadata = False
    index.clear_log()
    result = venv.pip("install", "ext", "-i", index.index_url)
    assert "Downloading" in result.stdout
    wheels = {
        request.path.rpartition("/")[2]
        for request in index.requests
        if request.path.endswith(".whl")
        and request.method == "GET"
        and "range" not in request.headers
    }
    null = {"ext-1.0-py3-none-any-null.whl"}
    both = {"ext-2.0-py3-none-any-t29.whl", "torch-2.9.1-py3-none-any.whl"}
    assert wheels == (null if case == "null" else both)
    assert venv.installed()["torch"] == ("2.8.1" if case == "null" else "2.9.1")
    venv.pip("check")


def test_no_better_build(venv: Environment, index: IndexServer) -> None:
    prepare(venv, index, CASES["null"])
    options = ["-i", index.index_url]
    venv.pip("install", "ext", *options)
    # The newest torch is 2.10, for which there is no better one.
    result = venv.pip("install", "-U", "--no-deps", "ext", "torch", *options)
    assert venv.installed() == {"ext": "1.0", "torch": "2.10.0"}
    assert "is a better match" not in result.output
    result = venv.pip("install", "--no-deps", "ext", "torch==2.9.1", *options)
    assert "the variant 't29' is a better match" in result.output
