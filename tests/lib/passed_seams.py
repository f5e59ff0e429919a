"""Record the seams that functional tests use (``--all-seams``).

Before upstream's files are imported, the hooks that these files call are replaced with
functions that also record their callers. This works only with ``--in-process``. Edits
without a hook change a value and are not recorded.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from fork.engine.kinds import Append, Decorate, Seam
from fork.seams import SEAMS
from tests.lib.modes import in_process

_Watching = Callable[[Callable[..., Any]], Callable[..., Any]]

_WATCHED = tuple(seam for seam in SEAMS if seam.hook)
_HITS = "passed_seams"
# The functions that return a hook to upstream's files, by the hook's name.
_FINDERS = ("around", "if_fast", "if_loaded", "of_mode", "find")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--all-seams``."""
    parser.getgroup("commands").addoption(
        "--all-seams",
        action="store_true",
        help="fail unless the functional tests of this run pass every seam",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start recording."""
    if config.getoption("--all-seams"):
        if not in_process(config):
            raise pytest.UsageError("--all-seams needs --in-process")
        watch = Watch(_WATCHED)
        watch.install(importlib.import_module)
        config.pluginmanager.register(watch)


class Watch:
    """A recorder of the used seams.

    :ivar passed: the names of the used seams.
    :ivar on: whether calls count now; the one call at the end of a module always counts.
    """

    def __init__(self, seams: Iterable[Seam]) -> None:
        self.seams = tuple(seams)
        self.passed: set[str] = set()
        self.on = False

    def install(self, load: Callable[[str], Any]) -> None:
        """Wrap the functions that the seams call.

        :param load: a function that returns a module that upstream's files call
            ``_variants``.
        """
        for door in {seam.door for seam in self.seams}:
            room = load(_module(door.path))
            own = [seam for seam in self.seams if seam.door == door]
            by_hook = {
                hook: self._watching([seam for seam in own if seam.hook == hook])
                for hook in {seam.hook for seam in own}
            }
            for name in by_hook.keys() & vars(room).keys():
                setattr(room, name, by_hook[name](getattr(room, name)))
            for name in _FINDERS:
                if name in vars(room):
                    setattr(room, name, _finding(getattr(room, name), by_hook))

    def _watching(self, own: Sequence[Seam]) -> _Watching:
        decorated = {_place(s): s for s in own if isinstance(s, Decorate)}
        called = {_module(s.file): s for s in own if not isinstance(s, Decorate)}
        return lambda hook: self._watched(hook, decorated, called)

    def _watched(
        self,
        hook: Callable[..., Any],
        decorated: Mapping[tuple[str, str], Seam],
        called: Mapping[str, Seam],
    ) -> Callable[..., Any]:
        @functools.wraps(hook)
        def watched(*args: Any, **kwargs: Any) -> Any:
            result = hook(*args, **kwargs)
            fn = args[0] if args else None
            seam = decorated.get(
                (getattr(fn, "__module__", ""), getattr(fn, "__qualname__", ""))
            )
            if seam is not None:
                return self._noting(result, seam)
            caller = sys._getframe(1).f_globals["__name__"]
            if caller in called:
                self._note(called[caller])
            return result

        return watched

    def _noting(self, fn: Callable[..., Any], seam: Seam) -> Callable[..., Any]:
        @functools.wraps(fn)
        def noting(*args: Any, **kwargs: Any) -> Any:
            self._note(seam)
            return fn(*args, **kwargs)

        return noting

    def _note(self, seam: Seam) -> None:
        if self.on or isinstance(seam, Append):
            self.passed.add(seam.name)

    @property
    def missed(self) -> list[str]:
        """The names of the unused seams."""
        return [seam.name for seam in self.seams if seam.name not in self.passed]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Record during functional tests."""
        self.on = "functional" in item.path.parts
        try:
            return (yield)
        finally:
            self.on = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Merge the records of a worker."""
        self.passed.update(getattr(node, "workeroutput", {}).get(_HITS, ()))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Report the records; fail the run if a seam was not used."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_HITS] = sorted(self.passed)
        elif self.missed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Print the unused seams."""
        passed = len(self.seams) - len(self.missed)
        terminalreporter.section("seams that functional tests pass")
        terminalreporter.line(f"{passed} of {len(self.seams)}")
        for name in self.missed:
            terminalreporter.line(f"not passed: {name}", red=True)


def _finding(
    finder: Callable[..., Any], by_hook: Mapping[str, _Watching]
) -> Callable[..., Any]:
    @functools.wraps(finder)
    def found(hook: str) -> Any:
        return by_hook[hook](finder(hook))

    return found


def _module(file: str) -> str:
    """Return the module name for a file in pip's archive."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _place(seam: Seam) -> tuple[str, str]:
    return _module(seam.file), seam.target
