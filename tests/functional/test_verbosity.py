"""Every verbosity ends in the same exit status and the same files."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.functional.test_staged_installs import tree
from tests.lib.environments import Environment
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel

#: More bytes than stock pip downloads without showing its progress.
LARGE = 600_000
VERBOSITIES = ["-q", None, "-v", "-vv", "-vvv", "--debug"]


@pytest.fixture
def packages(index: IndexServer) -> IndexServer:
    """Return an index with two releases of packages that pip downloads in parallel."""
    for version in ("1.0", "2.0"):
        for name in ("bulk", "other"):
            content = random.Random(name + version).randbytes(LARGE)
            files: dict[str, str | bytes] = {f"{name}/data.bin": content}
            files[f"{name}/m.py"] = f"x = '{version}'\n"
            index.add(make_wheel(name, version, files=files))
    return index


@pytest.mark.parametrize("verbosity", VERBOSITIES)
def test_commands(
    venv: Environment, packages: IndexServer, verbosity: str | None
) -> None:
    url = ["-i", packages.index_url]
    downloads, lock = venv.work / "downloads", venv.work / "pylock.toml"
    commands: list[list[str | Path]] = [
        ["download", "bulk", "other", "-d", downloads, *url],
        ["lock", "bulk", "other", "-o", lock, *url],
        ["install", "bulk==1.0", "other==1.0", *url],
        ["install", "-U", "bulk", "other", *url],
        ["check"],
        ["uninstall", "-y", "bulk", "other"],
    ]
    seen: list[list[tuple[int, dict[str, Any], dict[str, Any]]]] = []
    for option in ([], ["--no-fast"]):
        venv.clear_cache()
        seen.append([])
        for command in commands:
            has_option = command[0] not in ("check", "uninstall")
            more = [*filter(None, [verbosity]), *(option if has_option else [])]
            result = venv.pip(*command, *more, code=None)
            installed = tree(venv.venv)
            # It stays when a command has locked the environment.
            installed.pop(".lock", None)
            seen[-1].append((result.returncode, installed, tree(venv.work)))
        shutil.rmtree(downloads)
        lock.unlink()
    for command, fast, slow in zip(commands, *seen, strict=True):
        assert fast[0] == slow[0] == 0, command
        assert [*fast[1]] == [*slow[1]], command
        assert fast[2] == slow[2], command
