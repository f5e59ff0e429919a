"""Run ``wheel-variants`` in the test process or in an environment.

The environment has stock pip, and the built wheel of wheel-variants with its extra.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from tests.lib.environments import Environment, Result, changed, scrubbed_environ
from tests.lib.in_process import Stream


@dataclass(frozen=True, slots=True)
class WheelCli:
    """A runner of ``wheel-variants``.

    :ivar home: the home folder of the user.
    :ivar work: the default working directory of commands.
    :ivar environment: the environment of the installation; None for the test process.
    """

    home: Path
    work: Path
    environment: Environment | None = None

    def __call__(
        self,
        *arguments: str | Path,
        code: int | None = 0,
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        terminal: bool = False,
    ) -> Result:
        """Run a command and return its output.

        :param code: the expected exit status; ``None``: any.
        :param env: the variables to add; ``None`` removes a variable.
        :param terminal: whether stdout and stderr are one terminal; in process only.
        :raises AssertionError: for another exit status.
        """
        for folder in (self.home, self.work):
            folder.mkdir(parents=True, exist_ok=True)
        if self.environment is not None:
            assert not terminal, "only in the test's process"
            program = self.environment.scripts / "wheel-variants"
            command = (program, *arguments)
            return self.environment.run(
                *command, code=code, env=env, cwd=cwd or self.work
            )
        given = [str(each) for each in arguments]
        stdout = Stream(terminal)
        stderr = stdout if terminal else Stream(False)
        variables = changed(scrubbed_environ(self.home), env)
        with (
            mock.patch.dict(os.environ, variables, clear=True),
            _folder(cwd or self.work),
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
        ):
            status = _status(given)
        errors = "" if terminal else stderr.getvalue()
        result = Result(("wheel-variants", *given), status, stdout.getvalue(), errors)
        assert code is None or status == code, str(result)
        assert "Traceback (most recent call last)" not in result.output, str(result)
        return result


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


def _status(arguments: list[str]) -> int:
    from wheel_variants.publish.cli import main

    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
