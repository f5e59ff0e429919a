"""How the tests of commands run: in processes of their own, or in the test's.

By default each test gets the built wheel in a virtual environment. That takes most of
a second a command, so of a test's cases only the first is run, unless ``--every-case``
asks for all or one is named on the command line. With ``--in-process`` every case runs
the assembled fork in the test's own process, and what must have a process is left out.
"""

from __future__ import annotations

from collections.abc import Hashable

import pytest

__all__ = ["in_process", "pytest_addoption", "pytest_collection_modifyitems"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--in-process`` and ``--every-case``."""
    group = parser.getgroup("commands")
    group.addoption(
        "--in-process",
        action="store_true",
        help="run commands of pip in the test's own process",
    )
    group.addoption(
        "--every-case",
        action="store_true",
        help="run all cases of each test with the built wheel",
    )


def in_process(config: pytest.Config) -> bool:
    """Tell whether commands run in the test's own process."""
    return bool(config.getoption("--in-process"))


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave out what the mode does not run."""
    kept = _left(items, config)
    if len(kept) != len(items):
        chosen = set(kept)
        config.hook.pytest_deselected(items=[i for i in items if i not in chosen])
        items[:] = kept


def _left(items: list[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    if in_process(config):
        return [item for item in items if not _needs_process(item)]
    if config.getoption("--every-case") or any("[" in part for part in config.args):
        return items
    seen: set[Hashable] = set()
    kept = []
    for item in items:
        test = (item.parent, getattr(item, "originalname", item.name), _python(item))
        if test not in seen or _needs_process(item) or not _is_command(item):
            kept.append(item)
        seen.add(test)
    return kept


def _python(item: pytest.Item) -> object:
    """Tell which interpreter a test is run on, if it is run on several."""
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get("interpreter")


def _needs_process(item: pytest.Item) -> bool:
    return item.get_closest_marker("process") is not None


def _is_command(item: pytest.Item) -> bool:
    return "functional" in item.path.parts
