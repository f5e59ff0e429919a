"""Two installers change one virtual environment at the same time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="uv is started as on POSIX"),
]

NAMES = tuple(f"package-{letter}" for letter in "abcde")


@pytest.fixture
def packages(index: IndexServer) -> IndexServer:
    """Return an index with two releases of five packages that depend on each other."""
    for version in ("1.0", "2.0"):
        for number, name in enumerate(NAMES):
            requires = [f"{NAMES[number - 1]}=={version}"] if number else []
            module = name.replace("-", "_")
            files = {
                f"{module}/part_{each}.py": f"version = {version!r}\n"
                for each in range(20)
            }
            index.add(make_wheel(name, version, requires=requires, files=files))
    return index


def check(venv: Environment) -> None:
    """Check that all five packages are of one version, with all their files."""
    (version,) = {venv.installed()[name] for name in NAMES}
    assert "incomplete" not in venv.pip("check").output
    for name in NAMES:
        module = name.replace("-", "_")
        found = list(venv.site_packages.glob(f"{module}/part_*.py"))
        assert len(found) == 20
        texts = {path.read_text(encoding="utf-8") for path in found}
        assert texts == {f"version = {version!r}\n"}
        infos = venv.site_packages.glob(f"{module}-*.dist-info")
        assert [path.name for path in infos] == [f"{module}-{version}.dist-info"]


def commands(venv: Environment, index: IndexServer, other: str) -> list[list[str]]:
    """Return two commands that install one version each."""
    pip = [str(venv.python), "-m", "pip", "install", "-i", index.index_url]
    found = [[*pip, f"{NAMES[-1]}=={version}"] for version in ("1.0", "2.0")]
    if other == "uv":
        uv = shutil.which("uv", path=str(Path(sys.executable).parent))
        assert uv is not None, "the session installs it"
        found[1] = [uv, "pip", "install", "--python", str(venv.python), "--no-config"]
        found[1] += ["--default-index", index.index_url, f"{NAMES[-1]}==2.0"]
    return found


@pytest.mark.parametrize("other", ["pip", "uv"])
def test_races(venv: Environment, packages: IndexServer, other: str) -> None:
    """Both start at about the same time, again and again."""
    both = commands(venv, packages, other)
    env = {**venv.environ(), "UV_CACHE_DIR": str(venv.root / "uv-cache")}
    for number in range(6):
        running: list[subprocess.Popen[str]] = []
        # They take turns to start first, up to 0.2 seconds before the other.
        for command in both if number % 2 else reversed(both):
            if running:
                with suppress(subprocess.TimeoutExpired):
                    running[0].wait(number * 0.04)
            running.append(
                subprocess.Popen(
                    command,
                    env=env,
                    cwd=venv.work,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
        for process in running:
            output, _ = process.communicate(timeout=120)
            assert process.returncode == 0, output
        check(venv)
        if number % 4 == 3:
            venv.pip("uninstall", "-y", *NAMES)
