"""Run the assembled fork in the test process, like ``python -m pip``.

A command then takes 25 ms instead of most of a second. The same code runs, with real
indexes on loopback. Tests marked ``process`` cover what needs a separate process: start-up,
exit, signals, and the import of pip itself.
"""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import os
import subprocess
import sys
import sysconfig
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from unittest import mock

from tests.lib.environments import Result, Surroundings, changed, scrubbed_environ

# Options of pip that determine where to install.
_ELSEWHERE = frozenset({"--target", "-t", "--prefix", "--root"})


@dataclass(frozen=True, slots=True)
class InProcess(Surroundings):
    """An environment without packages, with a home and working directory.

    The interface is that of :class:`tests.lib.environments.Environment`, without methods
    that need a separate interpreter. Packages are installed below the environment's prefix,
    as with ``--prefix``, and later commands find them.

    :ivar assembled: the folder of the fork's ``pip``.
    """

    assembled: Path

    @classmethod
    def make(cls, root: Path, assembled: Path) -> InProcess:
        """Create the folders of an environment."""
        made = cls(root, assembled)
        for folder in (made.home, made.work, made.site_packages):
            folder.mkdir(parents=True)
        config = made.venv / "pyvenv.cfg"
        config.write_text("include-system-site-packages = false\n", encoding="utf-8")
        # pip refers to itself by name only if this folder exists.
        made.scripts.mkdir(exist_ok=True)
        script = made.scripts / "pip"
        script.touch(mode=0o755)
        return made

    @property
    def scripts(self) -> Path:
        """The folder of the environment's scripts."""
        return self.venv / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> Path:
        """The interpreter."""
        return Path(sys.executable)

    @property
    def site_packages(self) -> Path:
        """The folder of installed packages."""
        where = {"base": str(self.venv), "platbase": str(self.venv)}
        return Path(sysconfig.get_path("purelib", vars=where))

    def installed(self) -> dict[str, str]:
        """Return the versions of the installed packages."""
        found = metadata.distributions(path=[str(self.site_packages)])
        return {each.metadata["Name"]: each.version for each in found}

    def show_pip(self) -> None:
        """Add pip to the installed distributions."""
        from pip import __version__

        info = self.site_packages / f"pip-{__version__}.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: pip\nVersion: {__version__}\n"
        (info / "METADATA").write_text(metadata, encoding="utf-8")
        (info / "INSTALLER").write_text("pip\n", encoding="utf-8")
        # Without RECORD, pip could not replace itself.
        files = "".join(f"{info.name}/{e},,\n" for e in ("METADATA", "INSTALLER"))
        record = f"{files}{info.name}/RECORD,,\n"
        (info / "RECORD").write_text(record, encoding="utf-8")

    def pip(
        self,
        *arguments: str | Path,
        code: int | None = 0,
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        terminal: bool = False,
    ) -> Result:
        """Run a pip command and return its output.

        :param code: the expected exit status; ``None``: any.
        :param env: the variables to add; ``None`` removes a variable.
        :param terminal: whether the output is a simulated terminal; then all output is in
            the result's stdout.
        :raises AssertionError: for another exit status.
        """
        main = _command_line()
        given = [str(argument) for argument in arguments]
        if "setup" not in given:
            assert "--user" not in given, (
                "it would change the home of the user who runs it"
            )
        variables = scrubbed_environ(self.home, self.scripts)
        if not _ELSEWHERE.intersection(part.partition("=")[0] for part in given):
            variables["PIP_PREFIX"] = str(self.venv)
        variables["PIP_CACHE_DIR"] = str(self.home / "cache")
        variables = changed(variables, env)
        stdout = Stream(terminal)
        stderr = stdout if terminal else Stream(False)
        with (
            _surroundings(variables, cwd or self.work, self._path()),
            mock.patch.object(sys, "prefix", str(self.venv)),
            mock.patch.object(sys, "argv", ["pip", *given]),
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
        ):
            try:
                status = main(given)
            except SystemExit as ended:
                status = ended.code if isinstance(ended.code, int) else 1
        errors = "" if terminal else stderr.getvalue()
        result = Result(("pip", *given), status, stdout.getvalue(), errors)
        assert code is None or status == code, str(result)
        assert "Traceback (most recent call last)" not in result.output, str(result)
        return result

    def eval(self, expression: str, imports: str = "sys") -> str:
        """Evaluate an expression in a new interpreter, and return the result as text."""
        code = f"import {imports}\nprint({expression})"
        return subprocess.run(
            [sys.executable, "-S", "-c", code],
            env={"PYTHONPATH": str(self.site_packages)},
            cwd=self.work,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    def _path(self) -> list[str]:
        # pip must not find the packages that run the tests.
        standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
        folders = [
            folder
            for folder in sys.path
            if "site-packages" not in folder and "dist-packages" not in folder
        ]
        kept = [folder for folder in folders if _is_below(folder, standard)]
        return [str(self.site_packages), str(self.assembled), *kept]


@dataclass(frozen=True, slots=True)
class InProcessWorkshop:
    """A creator of environments, like :class:`tests.lib.environments.Workshop`.

    :ivar assembled: the folder of the fork's ``pip``.
    """

    assembled: Path

    def fork(self, folder: Path) -> InProcess:
        """Return a new environment without packages."""
        return InProcess.make(folder, self.assembled)


def _seen_afresh() -> contextlib.AbstractContextManager[object]:
    """Make pkg_resources read the installed distributions again."""
    loaded = sys.modules.get("pip._vendor.pkg_resources")
    if loaded is None:
        return contextlib.nullcontext()
    return mock.patch.object(loaded, "working_set", loaded.WorkingSet())


class _Everything(set[str]):
    """A container that contains everything, to suppress import warnings."""

    def __contains__(self, item: object) -> bool:
        return True


def _command_line() -> Callable[[list[str]], int]:
    """Return a function that runs a command in a clean state."""
    from pip._internal.cli.main import main
    from pip._internal.commands import install
    from pip._internal.index.sources import _FlatDirectorySource
    from pip._internal.metadata import select_backend
    from pip._internal.utils import deprecation

    # A separate process would have ended after the installation.
    install._WARNED_IMPORTS = _Everything()
    select_backend.cache_clear()
    # The cache is by typed path, which means another folder in each test.
    _FlatDirectorySource._paths_to_urls.clear()
    deprecation._original_showwarning = None
    # A folder that changes twice in one tick of its clock appears unchanged.
    metadata.MetadataPathFinder().invalidate_caches()
    _forget_options()
    return main


def _forget_options() -> None:
    """Clear the lists that collect values of options."""
    from pip._internal.cli import cmdoptions

    for option in vars(cmdoptions).values():
        if isinstance(option, functools.partial):
            default = option.keywords.get("default")
            if isinstance(default, list):
                default.clear()


class Stream(io.StringIO):
    """The output stream of a command.

    :param is_terminal: whether the stream appears to be a terminal.
    """

    encoding = "utf-8"

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


def _is_below(folder: str, roots: set[str]) -> bool:
    return folder.endswith(".zip") or any(
        Path(folder).is_relative_to(root) for root in roots
    )


@contextlib.contextmanager
def _surroundings(
    variables: Mapping[str, str], folder: Path, path: list[str]
) -> Iterator[None]:
    """Simulate a separate process for pip; restore the state afterward."""
    before = Path.cwd()
    earlier = set(threading.enumerate()) - {threading.current_thread()}
    handle = logging.Logger.handle

    def handle_own(logger: logging.Logger, record: logging.LogRecord) -> None:
        # In a separate process, earlier threads would have ended.
        if threading.current_thread() not in earlier:
            handle(logger, record)

    logger = logging.getLogger()
    handlers, level = logger.handlers[:], logger.level
    logger.handlers.clear()
    os.chdir(folder)
    try:
        with (
            mock.patch.dict(os.environ, variables, clear=True),
            mock.patch.object(sys, "path", path),
            mock.patch.object(logging.Logger, "handle", handle_own),
            warnings.catch_warnings(),
            _seen_afresh(),
        ):
            # pip logs its own warnings; warnings in tests are errors.
            from pip._internal.utils.deprecation import PipDeprecationWarning

            warnings.simplefilter("default", PipDeprecationWarning)
            yield
    finally:
        os.chdir(before)
        for handler in logger.handlers:
            if handler not in handlers:
                handler.close()
        logger.handlers[:] = handlers
        logger.setLevel(level)
