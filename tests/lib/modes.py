"""Run commands in separate processes or in the test process.

With ``--in-process``, every case runs the assembled fork in the test's process; tests that
need a separate process are left out. Without the option, each test gets the built wheel in
a virtual environment. A command then takes most of a second, so only the first case of a
test runs, and cases marked ``on_wheel``. All cases run with ``--every-case``, or if the
command line names a case. ``--first-cases`` selects the same cases in process.

`nox` runs the cases marked ``on_wheel`` with the built wheel before a change is complete. A
separate session runs all other cases.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for the mode."""
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
    group.addoption(
        "--first-cases",
        action="store_true",
        help="run the first case of each test in process too",
    )


def in_process(config: pytest.Config) -> bool:
    """Return whether commands run in the test process."""
    return bool(config.getoption("--in-process"))


def on_wheel(cases: Iterable[Hashable], chosen: Container[Hashable]) -> list[object]:
    """Return the cases of a test; mark some with ``on_wheel``."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=pytest.mark.on_wheel if case in chosen else (),
        )
        for case in cases
    ]


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Deselect tests that the mode does not run."""
    kept = _left(items, config)
    if len(kept) != len(items):
        chosen = set(kept)
        config.hook.pytest_deselected(items=[i for i in items if i not in chosen])
        items[:] = kept


def _left(items: list[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    if in_process(config):
        items = [item for item in items if not _needs_process(item)]
        every_case = not config.getoption("--first-cases")
    else:
        every_case = config.getoption("--every-case")
    if every_case or any("[" in part for part in config.args):
        return items
    seen: set[Hashable] = set()
    kept = []
    for item in items:
        test = (item.parent, getattr(item, "originalname", item.name), _python(item))
        if test not in seen or _is_kept(item):
            kept.append(item)
        seen.add(test)
    return kept


def _is_kept(item: pytest.Item) -> bool:
    """Return whether a case runs even if it is not the first of its test."""
    return _needs_process(item) or _is_marked(item) or not _is_command(item)


def _python(item: pytest.Item) -> object:
    """Return the interpreter of a test, if parametrized."""
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get("interpreter")


def _needs_process(item: pytest.Item) -> bool:
    return item.get_closest_marker("process") is not None


def _is_marked(item: pytest.Item) -> bool:
    """Return whether only this case has the mark."""
    callspec = getattr(item, "callspec", None)
    return callspec is not None and any(
        mark.name == "on_wheel" for mark in callspec.marks
    )


def _is_command(item: pytest.Item) -> bool:
    return "functional" in item.path.parts
