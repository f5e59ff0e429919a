"""Environments for functional tests: the built wheel, real interpreters.

Or, with ``--in-process``, the assembled fork in the test's own process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.lib.carriers import Carrier, built_carrier
from tests.lib.environments import REPOSITORY, Environment, Result, Workshop
from tests.lib.hosts import write_host
from tests.lib.in_process import InProcessWorkshop
from tests.lib.interpreters import SUPPORTED, find_interpreters
from tests.lib.modes import in_process
from tests.lib.publisher import WheelCli


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests marked ``smoke`` on every supported CPython."""
    if (
        "interpreter" in metafunc.fixturenames
        and not in_process(metafunc.config)
        and metafunc.definition.get_closest_marker("smoke") is not None
        and metafunc.config.getoption("--python") is None
    ):
        metafunc.parametrize("interpreter", SUPPORTED, indirect=True, scope="session")


@pytest.fixture(scope="session")
def interpreter(request: pytest.FixtureRequest) -> str:
    """Return the interpreter of the environments."""
    version = getattr(request, "param", None)
    if version is None:
        return request.config.getoption("--python") or sys.executable
    try:
        return str(find_interpreters()[version])
    except KeyError:
        pytest.skip(f"CPython {version} is not on this machine")


@pytest.fixture(scope="session")
def workshop(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    interpreter: str,
) -> Workshop | InProcessWorkshop:
    """Return the maker of environments, shared by all workers."""
    if in_process(request.config):
        return InProcessWorkshop(REPOSITORY / "build" / "assembled")
    folder = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        folder = folder.parent
    shared = folder / "workshop"
    shared.mkdir(exist_ok=True)
    return Workshop(shared, interpreter)


@pytest.fixture
def venv(workshop: Workshop, tmp_path: Path) -> Environment:
    """Return a new environment with the fork."""
    return workshop.fork(tmp_path / "fork")


@pytest.fixture
def upstream_venv(workshop: Workshop, tmp_path: Path) -> Environment:
    """Return a new environment with stock pip."""
    return workshop.upstream(tmp_path / "upstream")


@pytest.fixture
def pip(venv: Environment) -> Callable[..., Result]:
    """Return a function that runs the fork: ``pip("install", "torch")``."""
    return venv.pip


@pytest.fixture(scope="session")
def publisher_environment(
    workshop: Workshop | InProcessWorkshop, tmp_path_factory: pytest.TempPathFactory
) -> Environment | None:
    """Return an environment with wheel-variants, or None in-process."""
    if isinstance(workshop, InProcessWorkshop):
        return None
    return workshop.publisher(tmp_path_factory.mktemp("publisher"))


@pytest.fixture
def publish(publisher_environment: Environment | None, tmp_path: Path) -> WheelCli:
    """Return a function that runs ``wheel-variants``: ``publish("index", "dist")``."""
    root = tmp_path / "publisher"
    return WheelCli(root / "home", root / "work", publisher_environment)


@pytest.fixture
def host(tmp_path: Path) -> Callable[[str | Mapping[str, Any]], Path]:
    """Return a function that writes a host file, custom or from ``HOSTS``."""

    def write(content: str | Mapping[str, Any]) -> Path:
        stem = content if isinstance(content, str) else "machine"
        return write_host(tmp_path / f"{stem}.json", content)

    return write


@pytest.fixture(scope="module")
def carrier(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Carrier:
    """Return the built carrier."""
    return built_carrier(workshop, tmp_path_factory.mktemp("carrier") / "home")
