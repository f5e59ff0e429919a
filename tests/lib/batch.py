"""Run many pip commands in one process, to save start-up time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.lib.environments import Environment, Result
from tests.lib.in_process import InProcess

_SCRIPT = """\
import contextlib, io, json, os, sys
from pip._internal.cli.main import main

results = []
before = dict(os.environ)
for arguments, variables in json.load(open(sys.argv[1], encoding="utf-8")):
    out, err = io.StringIO(), io.StringIO()
    os.environ.clear()
    os.environ.update({**before, **variables})
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as end:
            code = end.code
    results.append((code, out.getvalue(), err.getvalue()))
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(results, file)
"""


def run_batch(
    environment: Environment | InProcess,
    folder: Path,
    commands: Iterable[Iterable[str | Path]],
    env: Mapping[str, str | None] | None = None,
    each_env: Iterable[Mapping[str, str | None]] | None = None,
) -> list[Result]:
    """Run pip with each list of arguments, whatever the exit status.

    :param folder: the folder for the script and its files.
    :param each_env: additional variables for each command.
    """
    arguments = [tuple(map(str, command)) for command in commands]
    variables = [
        {name: value for name, value in each.items() if value is not None}
        for each in each_env or [{} for _ in arguments]
    ]
    if isinstance(environment, InProcess):
        return [
            environment.pip(*command, code=None, env={**(env or {}), **each})
            for command, each in zip(arguments, variables, strict=True)
        ]
    script, given, found = (
        folder / name for name in ("batch.py", "commands.json", "results.json")
    )
    script.write_text(_SCRIPT, encoding="utf-8")
    pairs = list(zip(arguments, variables, strict=True))
    given.write_text(json.dumps(pairs), encoding="utf-8")
    environment.run(environment.python, script, given, found, env=env)
    results = json.loads(found.read_text(encoding="utf-8"))
    return [
        Result(("pip", *command), code, out, err)
        for command, (code, out, err) in zip(arguments, results, strict=True)
    ]
