"""Installed packages are replaced whole or not at all, also when pip is killed."""

from __future__ import annotations

import itertools
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.functional.test_staged_installs import tree
from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda
from tests.lib.modes import on_wheel
from tests.lib.processes import INTERRUPTED, disturb
from tests.lib.wheels import make_wheel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="done on Linux alone")

GPU = forced("12.8")
NAMES = ("bulk", "kernels", "small")
WAYS: Mapping[str, Sequence[str]] = {
    "variants": [],
    "plain": ["--no-variants"],
}
#: What changes where packages are installed.
CHANGES = "os.rename,os.remove,os.rmdir"
#: The first folder for old files is made when all new packages are prepared.
PREPARED = "/old-0"
#: Before the first removal, between removals and moves, and while the rest is deleted.
STEPS = (1, 3, 9, 16, 23, 38)


def fill(index: IndexServer, version: str) -> None:
    """Add a release of each package, with what a package may have."""
    modules = {
        f"bulk/part{n % 3}/m{n}.py": f"version = {version!r}\n" for n in range(20)
    }
    index.add(make_wheel("bulk", version, files=modules))
    scripts = {
        f"kernels-{version}.dist-info/entry_points.txt": (
            "[console_scripts]\nkernels = kernels:main\n"
        ),
        f"kernels-{version}.data/data/share/kernels.txt": version,
        "kernels_single.py": f"version = {version!r}\n",
        # In a folder that is not its own alone.
        "shared/kernels.py": f"version = {version!r}\n",
    }
    index.add_release("kernels", version, {"gpu": cuda("12.8")}, files=scripts)
    shared = {"shared/small.py": f"version = {version!r}\n"}
    index.add(make_wheel("small", version, files=shared))


@pytest.fixture
def packages(index: IndexServer) -> IndexServer:
    """Return an index with two releases of three packages."""
    fill(index, "1.0")
    fill(index, "2.0")
    index.add(make_wheel("unlike", "1.0"))
    return index


def files(venv: Environment) -> dict[str, Any]:
    """Return what is in an environment, but for what says where a file is from."""
    return {
        name: content
        for name, content in tree(venv.venv).items()
        if "tested_" not in name and "/pip" not in name and name != ".lock"
    }


class Upgrade:
    """An environment with old packages, of which new ones are to be installed."""

    def __init__(self, venv: Environment, index: IndexServer, way: str) -> None:
        self.venv = venv
        self.given = ["-i", index.index_url, *WAYS[way]]
        self.run("install", *(f"{name}==1.0" for name in NAMES))
        self.old = files(venv)

    def run(self, *command: str, **more: Any) -> Result:
        """Run a command of pip."""
        env = {**GPU, **more.pop("env", {})}
        return self.venv.pip(*command, *self.given, env=env, **more)

    def upgrade(self, *options: str, **more: Any) -> Result:
        """Install the new packages."""
        return self.run("install", "-U", *NAMES, *options, **more)

    def versions(self) -> set[str]:
        """Return which versions are installed, with "none" for a missing package."""
        found = self.venv.installed()
        return {found.get(name, "none") for name in NAMES}

    def litter(self) -> list[str]:
        """Return the names that do not belong among packages."""
        found = [path.name for path in self.venv.site_packages.iterdir()]
        return [name for name in found if name.startswith(("~", ".pip"))]


@pytest.mark.parametrize("way", WAYS)
def test_same_files(venv: Environment, packages: IndexServer, way: str) -> None:
    upgrade = Upgrade(venv, packages, way)
    result = upgrade.upgrade("-v")
    new = files(venv)
    assert upgrade.versions() == {"2.0"}
    assert not upgrade.litter()
    assert ".pip-staging" not in result.output
    # What a file was compiled for, and what is written of it, is for its own place.
    for name, content in new.items():
        assert b".pip-staging" not in content[1] or name.endswith(".pyc"), name
    venv.pip("uninstall", "-y", *NAMES)
    upgrade.run("install", *NAMES)
    assert files(venv) == new, "as if nothing had been there before"


@pytest.mark.process
@pytest.mark.parametrize(
    ("way", "step"),
    on_wheel(itertools.product(WAYS, STEPS), {("variants", 9)}),
)
def test_killed_at_any_step(
    venv: Environment, packages: IndexServer, way: str, step: int
) -> None:
    upgrade = Upgrade(venv, packages, way)
    killer = disturb(venv, PREPARED, CHANGES, step, str(int(signal.SIGKILL)))
    killed = upgrade.upgrade(code=None, env=killer)
    assert killed.returncode == -signal.SIGKILL, killed
    # What counts as installed is complete.
    assert upgrade.versions() <= {"1.0", "2.0", "none"}
    assert "is incomplete" not in venv.pip("check").output
    if step == 1:
        assert upgrade.versions() == {"1.0"}
    upgrade.upgrade()
    assert upgrade.versions() == {"2.0"}
    # If all was in place, only the next upgrade removes the folder.
    litter = upgrade.litter()
    assert not litter or step > 30
    new = {name: each for name, each in files(venv).items() if ".pip-" not in name}
    upgrade.upgrade("--force-reinstall")
    assert files(venv) == new
    assert not upgrade.litter()


@pytest.mark.process
@pytest.mark.parametrize("way", on_wheel(WAYS, {"plain"}))
def test_killed_while_staging(
    venv: Environment, packages: IndexServer, way: str
) -> None:
    upgrade = Upgrade(venv, packages, way)
    event = "os.mkdir" if WAYS[way] else "open"
    killer = disturb(venv, ".pip-staging-", event, 4, str(int(signal.SIGKILL)))
    assert upgrade.upgrade(code=None, env=killer).returncode == -signal.SIGKILL
    assert files(venv).items() >= upgrade.old.items()
    assert [each[:13] for each in upgrade.litter()] == [".pip-staging-"]
    packages.add(make_wheel("other", "1.0"))
    upgrade.run("install", "other")
    assert not upgrade.litter()
    upgrade.upgrade()
    assert upgrade.versions() == {"2.0"}
    assert not upgrade.litter()


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_while_packages_are_replaced(
    venv: Environment, packages: IndexServer, number: signal.Signals
) -> None:
    upgrade = Upgrade(venv, packages, "plain")
    stop = disturb(venv, PREPARED, CHANGES, 9, str(int(number)))
    stopped = upgrade.upgrade(code=None, env=stop)
    ends = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: (-signal.SIGTERM,)}
    assert stopped.returncode in ends[number]
    assert upgrade.versions() == {"2.0"}
    assert not upgrade.litter()


@pytest.mark.process
def test_interrupted_while_staging(venv: Environment, packages: IndexServer) -> None:
    upgrade = Upgrade(venv, packages, "variants")
    stop = disturb(venv, ".pip-staging-", "open", 9, str(int(signal.SIGINT)))
    stopped = upgrade.upgrade(code=None, env=stop)
    assert stopped.returncode in INTERRUPTED
    assert "Operation cancelled by user" in stopped.stderr
    assert files(venv) == upgrade.old
    assert not upgrade.litter()


@pytest.mark.linux
def test_plans_of_earlier_releases_are_never_done(
    venv: Environment, packages: IndexServer, tmp_path: Path
) -> None:
    """Others can put a folder among packages, for instance in an archive."""
    upgrade = Upgrade(venv, packages, "plain")
    run = venv.site_packages / ".pip-replacing/1-00000000"
    run.mkdir(parents=True)
    outside = tmp_path / "outside.txt"
    outside.touch()
    plans = [{"name": "evil", "version": "1", "old": [[str(outside)]], "inside": []}]
    text = json.dumps({"schema": 1, "path": str(run), "device": 0, "plans": plans})
    (run / "journal").write_text(text, encoding="utf-8")
    upgrade.upgrade()
    assert outside.exists()
    assert (run / "journal").read_text(encoding="utf-8") == text


@pytest.mark.linux
def test_inherited_permissions(venv: Environment, packages: IndexServer) -> None:
    upgrade = Upgrade(venv, packages, "plain")
    shared = venv.site_packages / "shared"
    shared.chmod(0o2755)
    result = upgrade.upgrade("-vv")
    assert "files inherit permissions from" in result.output
    assert shared.stat().st_mode & 0o7777 == 0o2755
    assert upgrade.versions() == {"2.0"}


def test_check_names_lost_files(venv: Environment, packages: IndexServer) -> None:
    """Each package, one of its files, and the command that repairs it."""
    upgrade = Upgrade(venv, packages, "variants")
    for path in venv.site_packages.rglob("*.pyc"):
        path.unlink()
    assert "incomplete" not in venv.pip("check").output
    (venv.site_packages / "bulk" / "part0" / "m0.py").unlink()
    (venv.site_packages / "kernels_single.py").unlink()
    (venv.site_packages / "shared" / "kernels.py").unlink()
    result = venv.pip("check")
    text = " ".join(result.stderr.split())
    assert "bulk 1.0 is incomplete: pip cannot find 'bulk/part0/m0.py'." in text
    assert "kernels 1.0 is incomplete" in text
    assert "and 1 more file. To repair the package:" in text
    assert "small" not in text
    assert "pip install --force-reinstall --no-deps bulk==1.0" in text
    upgrade.run(
        "install", "--force-reinstall", "--no-deps", "bulk==1.0", "kernels==1.0"
    )
    venv.pip("check")
    # Stock pip reads no RECORD there, so no damage to one fails; scripts may be moved.
    (record,) = venv.site_packages.glob("bulk-*.dist-info/RECORD")
    good = record.read_bytes()
    (venv.venv / "bin" / "kernels").unlink()
    for line in (b"\n", b"caf\xe9.txt,,\n", b"x" * 140_000):
        record.write_bytes(good + line)
        assert "incomplete" not in venv.pip("check").output


@pytest.mark.linux
@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("an unknown scheme", "Unknown scheme key used"),
        ("a file in the way of a folder", ""),
        ("no RECORD", "no RECORD file was found"),
    ],
)
def test_what_cannot_be_installed_leaves_the_old_one(
    venv: Environment, packages: IndexServer, case: str, said: str
) -> None:
    upgrade = Upgrade(venv, packages, "plain")
    part = "small-3.0.data/nowhere/x.py" if "scheme" in case else "taken/module.py"
    packages.add(make_wheel("small", "3.0", files={part: "x = 1\n"}))
    (venv.site_packages / "taken").write_text("a file of the user\n", encoding="utf-8")
    if case == "no RECORD":
        (venv.site_packages / "small-1.0.dist-info" / "RECORD").unlink()
    before = files(venv)
    result = upgrade.upgrade(code=1)
    assert said in result.stderr
    assert "staging folder" not in result.output
    assert files(venv) == before, "of all of them"
    assert not upgrade.litter()


def test_pycache_prefix(
    venv: Environment, packages: IndexServer, tmp_path: Path
) -> None:
    upgrade = Upgrade(venv, packages, "plain")
    upgrade.upgrade(env={"PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")})
    record = venv.site_packages / "small-2.0.dist-info" / "RECORD"
    assert ".pip-staging" not in record.read_text(encoding="utf-8")
    assert not list((tmp_path / "bytecode").rglob(".pip-staging*"))
    assert not upgrade.litter()


@pytest.mark.linux
@pytest.mark.parametrize("option", ["--prefix", "--root"])
def test_relative_places(venv: Environment, index: IndexServer, option: str) -> None:
    """They are those that stock pip means."""
    header = {"small-1.0.data/headers/small.h": "", "shared/small.py": ""}
    index.add(make_wheel("small", "1.0", files=header))
    index.add(make_wheel("other", "1.0", files={"shared/other.py": ""}))
    for name in ("other", "small"):
        venv.pip("install", name, "-i", index.index_url, option, "there")
    assert list((venv.work / "there").rglob("small.h"))
    assert not Path(os.sep, "there").exists()


@pytest.mark.linux
def test_folder_links(venv: Environment, index: IndexServer, tmp_path: Path) -> None:
    """In many environments ``lib64`` is a link to ``lib``; another is in the way."""
    (venv.venv / "other").symlink_to("lib")
    below = venv.site_packages.relative_to(venv.venv / "lib")
    part = f"small-1.0.data/data/other/{below}/shared/b.py"
    (venv.site_packages / "module.py").symlink_to(tmp_path)
    contents = {"shared/a.py": "", part: "", "module.py": "x = 1\n"}
    index.add(make_wheel("small", "1.0", files=contents))
    venv.pip("install", "small", "-i", index.index_url)
    shared = venv.site_packages / "shared"
    assert {path.name for path in shared.glob("*.py")} == {"a.py", "b.py"}
    assert not (venv.site_packages / "module.py").is_symlink()
