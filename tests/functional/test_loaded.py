"""Which modules of the fork a command loads: those in a list, and no others.

A pip that meets no variant is as fast as upstream's because it loads next to nothing of
what variants need. One more module, or a class that takes long to make, is seen here.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli

from tests.lib.environments import REPOSITORY, Environment
from tests.lib.floors import modules
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel

pytestmark = [pytest.mark.process, pytest.mark.on_wheel]

LOADED: dict[str, list[str]] = tomli.loads(
    (REPOSITORY / "tests/data/loaded.toml").read_text(encoding="utf-8")
)
#: At the exit of pip, so whatever way it ends.
_TELL = """
import atexit, os, sys
def tell():
    with open(os.environ["LOADED"], "w") as file:
        file.write("\\n".join(sys.modules))
atexit.register(tell)
from pip._internal.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def index_with_plain(index: IndexServer) -> IndexServer:
    """Return an index without variants."""
    extras = {"more": ["needed"]}
    index.add(make_wheel("plain", "1.0", requires=["needed"], extras=extras))
    index.add(make_wheel("needed", "1.0"))
    return index


@pytest.mark.parametrize("command", LOADED)
def test_what_a_command_loads(
    command: str, venv: Environment, index_with_plain: IndexServer, tmp_path: Path
) -> None:
    arguments = command.removeprefix("pip ").split()
    if arguments[0] in ("install", "download", "lock"):
        arguments += ["-i", index_with_plain.index_url]
    elif "plain" in arguments:
        venv.pip("install", "-i", index_with_plain.index_url, "plain")
    told = tmp_path / "loaded"
    run: list[str | Path] = [venv.python, "-c", _TELL, *arguments]
    venv.run(*run, env={"LOADED": str(told)})
    ours = set(modules(REPOSITORY / "src"))
    found = sorted(ours.intersection(told.read_text(encoding="utf-8").split()))
    assert found == sorted(LOADED[command])
