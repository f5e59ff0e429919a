"""The fork keeps to its own releases unless the user pins another one."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.lib.environments import Environment, Result, Workshop
from tests.lib.in_process import InProcess
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]


@pytest.fixture(autouse=True)
def installed_pip(venv: Environment | InProcess) -> None:
    """See to it that pip finds itself installed."""
    if isinstance(venv, InProcess):
        venv.show_pip()


@pytest.fixture
def pips(index: IndexServer) -> list[str]:
    """Return the options for an index with upstream's releases, newer ones too."""
    for version in ("26.3", "26.4", "27.0"):
        index.add(make_wheel("pip", version))
    return ["-i", index.index_url]


def chosen(result: Result) -> str | None:
    """Return what a dry run would install, None for nothing."""
    for line in result.lines:
        if line.startswith("Would install "):
            return line.removeprefix("Would install ")
    return None


def test_upstream_does_not_replace_it_unasked(pip: Pip, pips: list[str]) -> None:
    result = pip("install", "--dry-run", "-U", "pip", *pips)
    assert chosen(result) is None
    assert "Requirement already satisfied: pip" in result.stdout
    assert (
        "This pip is a fork and keeps to its own releases; for upstream: pip install "
        f"pip===27.0 --index-url {pips[1]}" in result.lines
    )
    assert chosen(pip("install", "--dry-run", "pip>=26", *pips)) is None


def test_a_pin_does(pip: Pip, pips: list[str]) -> None:
    assert chosen(pip("install", "--dry-run", "pip==26.4", *pips)) == "pip-26.4"
    assert chosen(pip("install", "--dry-run", "pip===26.3", *pips)) == "pip-26.3"


def test_a_newer_release_of_the_fork_does(
    pip: Pip, index: IndexServer, pips: list[str]
) -> None:
    index.add(make_wheel("pip", "26.3+variants.0.2.0"))
    result = pip("install", "--dry-run", "-U", "pip", *pips)
    assert chosen(result) == "pip-26.3+variants.0.2.0"


def test_listings(pip: Pip, index: IndexServer, pips: list[str]) -> None:
    """They know of the fork's releases as newer ones; `index versions` of all."""
    outdated = ["list", "--outdated", "--format", "json", *pips]
    assert json.loads(pip(*outdated).stdout) == []
    assert "27.0, 26.4" in pip("index", "versions", "pip", *pips).stdout
    index.add(make_wheel("pip", "26.3+variants.0.2.0"))
    (row,) = json.loads(pip(*outdated, "--no-cache-dir").stdout)
    assert (row["name"], row["latest_version"]) == ("pip", "26.3+variants.0.2.0")


def test_elsewhere_upstream_is_installed(pip: Pip, pips: list[str]) -> None:
    for where in (["--target", "lib"], ["--ignore-installed"]):
        result = pip("install", "--dry-run", "-U", "pip", *pips, *where)
        assert chosen(result) == "pip-27.0"
    result = pip("download", "pip", *pips)
    assert "Saved ./pip-27.0-py3-none-any.whl" in result.stdout


def test_no_notice_of_upstream_releases(
    venv: Environment, index: IndexServer, pips: list[str]
) -> None:
    index.add(make_wheel("app", "1.0"))
    check: dict[str, str | None] = {"PIP_DISABLE_PIP_VERSION_CHECK": None}
    assert (
        "new release of pip" not in venv.pip("install", "app", *pips, env=check).output
    )
    index.add(make_wheel("pip", "27.0+variants.1.0"))
    venv.clear_cache()
    options = [*pips, "--force-reinstall"]
    result = venv.pip("install", "app", *options, env=check)
    assert "26.3+variants.0.1.0 -> 27.0+variants.1.0" in result.output


@pytest.mark.process
def test_it_installs_itself(venv: Environment, workshop: Workshop) -> None:
    wheel = workshop.fork_wheel()
    result = venv.pip("install", "--force-reinstall", "--no-deps", wheel)
    assert "Successfully installed pip-26.3+variants.0.1.0" in result.stdout
    venv.pip("check")
