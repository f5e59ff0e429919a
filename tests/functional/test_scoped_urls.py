"""A project with its own index does not come from a URL that the user did not type for it.

The table has each source of links in each environment that pip fills. Each case first runs
without the scoped index, where the URL is taken: so each source is one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import pytest

from tests.lib.environments import Environment
from tests.lib.index import IndexServer
from tests.lib.wheels import make_sdist, make_wheel

pytestmark = pytest.mark.scoped

#: The file at the URL that nobody typed.
FILE = "torch-2.15.0-py3-none-any.whl"
IN_PROCESS = ["--use-feature", "inprocess-build-deps"]


def _wheel(index: IndexServer, *needed: str) -> None:
    index.add(make_wheel("top", "1.0", requires=needed))


def _backend(index: IndexServer, needed: str) -> None:
    code = f"def get_requires_for_build_wheel(*_, **__):\n    return [{needed!r}]"
    index.add(make_sdist("top", "1.0", code=code))


def _helper(index: IndexServer, needed: str) -> str:
    index.add(make_wheel("helper", "1.0", requires=[needed]))
    return index.file_url("helper-1.0-py3-none-any.whl")


def _extra(index: IndexServer, needed: str) -> None:
    index.add(make_wheel("helper", "1.0", extras={"gpu": [needed]}))
    _wheel(index, "helper[gpu]")


def _two_hops(index: IndexServer, needed: str) -> None:
    _helper(index, needed)
    _wheel(index, "helper")


def _by_url(index: IndexServer, needed: str) -> None:
    _wheel(index, f"helper @ {_helper(index, needed)}")


def _built_by_url(index: IndexServer, needed: str) -> None:
    url = _helper(index, needed)
    index.add(make_sdist("top", "1.0", build_requires=[f"helper @ {url}"]))


#: What makes ``top`` bring a requirement.
SOURCES: Mapping[str, Callable[[IndexServer, str], object]] = {
    "a dependency": _wheel,
    "an extra": _extra,
    "two hops": _two_hops,
    "a dependency by URL": _by_url,
    "a build requirement": lambda index, needed: index.add(
        make_sdist("top", "1.0", build_requires=[needed])
    ),
    "a build requirement by URL": _built_by_url,
    "a backend": _backend,
}


def _install(_: IndexServer) -> str:
    return "top"


def _build(index: IndexServer) -> str:
    index.add(make_sdist("outer", "1.0", build_requires=["top"]))
    return "outer"


def _build_of_build(index: IndexServer) -> str:
    index.add(make_sdist("inner", "1.0", build_requires=["top"]))
    index.add(make_sdist("outer", "1.0", build_requires=["inner"]))
    return "outer"


#: What makes pip install ``top`` in an environment.
ENVIRONMENTS: Mapping[str, Callable[[IndexServer], str]] = {
    "the install": _install,
    "a build": _build,
    "a build of a build": _build_of_build,
}


@pytest.fixture
def usual(make_index: Callable[[], IndexServer]) -> IndexServer:
    """Return the default index, which also serves the file at the URL."""
    index = make_index()
    index.add(make_wheel("torch", "2.15.0"))
    return index


@pytest.fixture
def scope(make_index: Callable[[], IndexServer]) -> list[str]:
    """Return the option that names an index for torch."""
    index = make_index()
    index.add(make_wheel("torch", "2.10.0"))
    return ["--variant-index", f"torch={index.index_url}"]


def took(usual: IndexServer) -> bool:
    """Return whether pip asked for the file since the last call."""
    paths = [path for _, path in usual.log()]
    usual.clear_log()
    return any(FILE in path for path in paths)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("feature", [[], IN_PROCESS], ids=["child", "in process"])
def test_it_is_refused(
    venv: Environment,
    usual: IndexServer,
    scope: Sequence[str],
    source: str,
    environment: str,
    feature: Sequence[str],
) -> None:
    SOURCES[source](usual, f"torch @ {usual.file_url(FILE)}")
    wanted = ENVIRONMENTS[environment](usual)
    command = ["install", "--dry-run", wanted, "-i", usual.index_url, *feature]
    venv.pip(*command)
    assert took(usual)
    venv.clear_cache()
    result = venv.pip(*command, *scope, code=1)
    assert not took(usual)
    assert "dependency-by-url" in result.output
    assert f"pip takes 'torch' only from {scope[1].partition('=')[2].rstrip('/')}" in (
        " ".join(result.output.split())
    )


@pytest.mark.parametrize("feature", [[], IN_PROCESS], ids=["child", "in process"])
def test_a_build_constraint(
    venv: Environment, usual: IndexServer, scope: Sequence[str], feature: Sequence[str]
) -> None:
    """In a build environment nothing counts as typed, however the constraint got there."""
    usual.add(make_sdist("outer", "1.0", build_requires=["torch"]))
    file = venv.work / "constraints.txt"
    file.write_text(f"torch @ {usual.file_url(FILE)}\n")
    command = ["install", "--dry-run", "outer", "-i", usual.index_url, *feature]
    given = {"PIP_BUILD_CONSTRAINT": str(file)}
    venv.pip(*command, env=given)
    assert took(usual)
    venv.clear_cache()
    result = venv.pip(*command, *scope, env=given, code=1)
    assert "dependency-by-url" in result.output
    assert not took(usual)


class TestInTwoRuns:
    """What an earlier run installed has no say either, however it was installed."""

    def test_an_extra_of_what_is_installed(
        self, venv: Environment, usual: IndexServer, scope: Sequence[str]
    ) -> None:
        given = ["-i", usual.index_url, *scope]
        needed = f"torch @ {usual.file_url(FILE)}"
        usual.add(make_wheel("helper", "1.0", extras={"gpu": [needed]}))
        url = usual.file_url("helper-1.0-py3-none-any.whl")
        usual.add(make_wheel("app", "1.0", requires=[f"helper @ {url}"]))
        for wanted in ("app", f"helper @ {url}"):
            venv.pip("install", wanted, *given)
            result = venv.pip("install", "helper[gpu]", *given, code=1)
            assert "helper requires torch from" in result.stderr
            assert not took(usual)


class TestTyped:
    """What the user types is taken from there."""

    @pytest.mark.parametrize("place", ["line", "file", "constraint", "no name", "lock"])
    def test_each_place(
        self, venv: Environment, usual: IndexServer, scope: Sequence[str], place: str
    ) -> None:
        url = usual.file_url(FILE)
        named, file = f"torch @ {url}", venv.work / "requirements.txt"
        file.write_text(f"{named}\n")
        if place == "lock":
            venv.pip("lock", "-i", usual.index_url, named)
        wanted = {
            "line": [named],
            "file": ["-r", file.name],
            "constraint": ["torch", "-c", file.name],
            "no name": [url],
            "lock": ["-r", "pylock.toml"],
        }[place]
        command = ["install", "--dry-run", "-i", usual.index_url, *scope]
        result = venv.pip(*command, *wanted, "--report", "report.json")
        report = json.loads((venv.work / "report.json").read_text("utf-8"))
        (found,) = report["install"]
        assert found["download_info"]["url"] == url
        assert "Would install torch-2.15.0" in result.stdout

    def test_the_same_url_in_a_package(
        self, venv: Environment, usual: IndexServer, scope: Sequence[str]
    ) -> None:
        """The hint says to type it, and that works: the package may then name it."""
        needed = f"torch @ {usual.file_url(FILE)}"
        usual.add(make_wheel("app", "1.0", requires=[needed]))
        command = ["install", "--dry-run", "-i", usual.index_url, *scope, "app"]
        result = venv.pip(*command, code=1)
        assert f"To accept this URL, add the requirement '{needed}'." in result.stderr
        result = venv.pip(*command, needed)
        assert "Would install app-1.0 torch-2.15.0" in result.stdout

    def test_for_another_project(
        self, venv: Environment, usual: IndexServer, scope: Sequence[str]
    ) -> None:
        """A URL that the user types for a package allows none in its metadata."""
        url = _helper(usual, f"torch @ {usual.file_url(FILE)}")
        command = ["install", "--dry-run", "-i", usual.index_url, *scope]
        result = venv.pip(*command, f"helper @ {url}", code=1)
        assert "helper requires torch from" in result.stderr
        assert not took(usual)
