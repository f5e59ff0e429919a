"""What is installed is replaced at once, whenever pip is stopped or killed."""

from __future__ import annotations

import itertools
import json
import re
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
    "parallel downloads": ["--use-feature", "parallel-downloads"],
}
#: What changes where packages are installed.
CHANGES = "os.rename,os.remove,os.rmdir"
#: These begin when all lies ready; the last ones are when the old files are deleted.
STEPS = (1, 2, 7, 9, 12, 16, 20, 23, 30, 38, 48, 52, 70)


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
        if "tested_" not in name and "/pip" not in name
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
        """Tell which versions are installed."""
        found = self.venv.installed()
        return {found.get(name, "none") for name in NAMES}

    def litter(self) -> list[str]:
        """Name what should not be where packages are installed."""
        found = [path.name for path in self.venv.site_packages.iterdir()]
        return [name for name in found if name.startswith(("~", ".pip"))]


@pytest.mark.parametrize("way", WAYS)
def test_what_comes_of_it_is_the_same(
    venv: Environment, packages: IndexServer, way: str
) -> None:
    upgrade = Upgrade(venv, packages, way)
    result = upgrade.upgrade("-v")
    new = files(venv)
    assert upgrade.versions() == {"2.0"}
    assert not upgrade.litter()
    assert ".pip-replacing" not in result.output
    # What a file was compiled for, and what is written of it, is for its own place.
    for name, content in new.items():
        assert b".pip-replacing" not in content[1] or name.endswith(".pyc"), name
    venv.pip("uninstall", "-y", *NAMES)
    upgrade.run("install", *NAMES)
    assert files(venv) == new, "as if nothing had been there before"


@pytest.mark.on_wheel
@pytest.mark.process
def test_what_is_said_is_what_upstream_says(
    venv: Environment, upstream_venv: Environment, packages: IndexServer
) -> None:
    said = []
    for each, options in (
        (upstream_venv, []),
        (venv, ["--use-feature", "parallel-downloads", "--no-variants"]),
    ):
        given = ["-i", packages.index_url]
        each.pip("install", "bulk==1.0", "kernels==1.0", *given)
        command = ["install", "-U", "bulk", "kernels", "--progress-bar", "off"]
        result = each.pip(*command, *given, *options)
        text = result.output.replace(str(each.root), "ROOT")
        said.append(sorted(re.sub(r"[\d.]+ (kB|MB)/s.*", "", text).splitlines()))
    assert said[0] == said[1]


@pytest.mark.process
@pytest.mark.parametrize(
    ("way", "step"),
    on_wheel(itertools.product(WAYS, STEPS), {("variants", 9)}),
)
def test_killed_at_any_step(
    venv: Environment, packages: IndexServer, way: str, step: int
) -> None:
    upgrade = Upgrade(venv, packages, way)
    killer = disturb(venv, "/journal", CHANGES, step, str(int(signal.SIGKILL)))
    killed = upgrade.upgrade(code=None, env=killer)
    assert killed.returncode == -signal.SIGKILL, killed
    # Whatever is installed next.
    mended = upgrade.run("install", "unlike")
    venv.pip("uninstall", "-y", "unlike")
    assert not upgrade.litter()
    if upgrade.versions() == {"1.0"}:
        assert files(venv) == upgrade.old
        assert "earlier installation" not in mended.output
    else:
        assert upgrade.versions() == {"2.0"}
        new = files(venv)
        upgrade.upgrade("--force-reinstall")
        assert files(venv) == new
    assert (step > 1) == (upgrade.versions() == {"2.0"})


@pytest.mark.process
@pytest.mark.parametrize("step", [3, 9, 13])
def test_killed_when_another_package_has_come_into_a_folder(
    venv: Environment, index: IndexServer, step: int
) -> None:
    """A folder of one old package alone may hold files of another new one by then."""
    for version, part in (("1.0", {}), ("2.0", {"space/part.py": "part = 1\n"})):
        index.add(make_wheel("part", version, files=part))
        whole = {"space/whole.py": f"version = {version!r}\n"}
        requires = ["part==2.0"] if part else []
        index.add(make_wheel("whole", version, requires=requires, files=whole))
    given = ["-i", index.index_url, "--use-feature", "parallel-downloads"]
    venv.pip("install", "whole==1.0", "part==1.0", *given)
    killer = disturb(venv, "/journal", CHANGES, step, str(int(signal.SIGKILL)))
    killed = venv.pip("install", "-U", "whole", *given, code=None, env=killer)
    assert killed.returncode == -signal.SIGKILL, killed
    venv.pip("uninstall", "-y", "unlike")
    assert venv.installed() == {"whole": "2.0", "part": "2.0"}
    space = venv.site_packages / "space"
    assert {each.name for each in space.glob("*.py")} == {"part.py", "whole.py"}


@pytest.mark.process
@pytest.mark.parametrize("way", on_wheel(WAYS, {"parallel downloads"}))
def test_killed_before_all_lies_ready(
    venv: Environment, packages: IndexServer, way: str
) -> None:
    upgrade = Upgrade(venv, packages, way)
    event = "os.mkdir" if WAYS[way] else "open"
    killer = disturb(venv, ".pip-replacing", event, 4, str(int(signal.SIGKILL)))
    assert upgrade.upgrade(code=None, env=killer).returncode == -signal.SIGKILL
    assert files(venv).items() >= upgrade.old.items()
    assert upgrade.litter() == [".pip-replacing"]
    # Also what only takes away begins with an environment that is whole.
    venv.pip("uninstall", "-y", "unlike")
    assert files(venv) == upgrade.old
    assert not upgrade.litter()


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_while_packages_are_replaced(
    venv: Environment, packages: IndexServer, number: signal.Signals
) -> None:
    upgrade = Upgrade(venv, packages, "parallel downloads")
    stop = disturb(venv, "/journal", CHANGES, 9, str(int(number)))
    stopped = upgrade.upgrade(code=None, env=stop)
    assert (
        stopped.returncode
        in {
            signal.SIGINT: INTERRUPTED,
            signal.SIGTERM: (-signal.SIGTERM,),
        }[number]
    )
    assert upgrade.versions() == {"2.0"}
    assert not upgrade.litter()


@pytest.mark.on_wheel
@pytest.mark.process
def test_interrupted_while_nothing_is_replaced(
    venv: Environment, packages: IndexServer
) -> None:
    """Without a package to take away nothing is made ready, but it is finished."""
    stop = disturb(venv, "/kernels", "os.mkdir", 1, str(int(signal.SIGINT)))
    command = ["install", *NAMES, "-i", packages.index_url]
    stopped = venv.pip(*command, env={**GPU, **stop}, code=None)
    assert stopped.returncode in INTERRUPTED
    assert "Finishing the installation, so that nothing" in stopped.stderr
    installed = venv.installed()
    assert {installed[name] for name in NAMES} == {"2.0"}


@pytest.mark.process
def test_interrupted_before_all_lies_ready(
    venv: Environment, packages: IndexServer
) -> None:
    upgrade = Upgrade(venv, packages, "variants")
    stop = disturb(venv, ".pip-replacing", "open", 9, str(int(signal.SIGINT)))
    stopped = upgrade.upgrade(code=None, env=stop)
    assert stopped.returncode in INTERRUPTED
    assert "Operation cancelled by user" in stopped.stderr
    assert files(venv) == upgrade.old
    assert not upgrade.litter()


@pytest.mark.process
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_where_there_is_no_space_for_both(
    venv: Environment, packages: IndexServer, way: str, number: int
) -> None:
    upgrade = Upgrade(venv, packages, way)
    # The lock is the first that is opened, then comes what lies ready, or the journal.
    full = disturb(venv, ".pip-replacing", "open", number, "full")
    assert upgrade.upgrade(env=full).returncode == 0
    assert upgrade.versions() == {"2.0"}
    assert not upgrade.litter()


@pytest.mark.linux
def test_what_cannot_be_installed_leaves_the_old_one(
    venv: Environment, packages: IndexServer
) -> None:
    upgrade = Upgrade(venv, packages, "parallel downloads")
    bad = {"small-3.0.data/nowhere/x.py": "x = 1\n"}
    packages.add(make_wheel("small", "3.0", files=bad))
    result = upgrade.upgrade(code=1)
    assert "Unknown scheme key used" in result.stderr
    assert files(venv) == upgrade.old, "of all of them"
    assert not upgrade.litter()


def test_a_wheel_that_brings_a_journal(
    venv: Environment, index: IndexServer, tmp_path: Path
) -> None:
    """It writes nothing outside of the folder that it is installed in."""
    nothing = ["/nowhere", [0, 0]]
    plan = {"name": "evil", "version": "1", "tree": "new-0", "info": [0, 0]}
    plans = [{**plan, "old": [nothing], "inside": []}]
    files_of_it = {
        ".pip-replacing/1/journal": json.dumps({"schema": 1, "plans": plans}),
        f".pip-replacing/1/new-0{tmp_path}/outside.txt": "evil",
    }
    index.add(make_wheel("evil", "1.0", files=files_of_it))
    index.add(make_wheel("small", "1.0"))
    given = ["-i", index.index_url, "--root", str(tmp_path / "root")]
    venv.pip("install", "evil", *given)
    result = venv.pip("install", "small", *given)
    assert "earlier installation" not in result.output
    assert not (tmp_path / "outside.txt").exists()


@pytest.mark.linux
def test_folders_that_give_rights_are_upstreams(
    venv: Environment, packages: IndexServer
) -> None:
    upgrade = Upgrade(venv, packages, "parallel downloads")
    shared = venv.site_packages / "shared"
    shared.chmod(0o2755)
    result = upgrade.upgrade("-vv")
    assert "files get a group or rights from" in result.output
    assert shared.stat().st_mode & 0o7777 == 0o2755
    assert upgrade.versions() == {"2.0"}


def test_a_file_in_the_way_of_a_folder(
    venv: Environment, packages: IndexServer
) -> None:
    """What upstream cannot install is not installed, and the old build stays."""
    upgrade = Upgrade(venv, packages, "parallel downloads")
    files_in_the_way = {"taken/module.py": "x = 1\n"}
    packages.add(make_wheel("small", "3.0", files=files_in_the_way))
    (venv.site_packages / "taken").write_text("a file of the user\n", encoding="utf-8")
    upgrade.upgrade(code=1)
    assert venv.installed()["small"] == "1.0"
    assert (venv.site_packages / "shared" / "small.py").is_file()
    assert not upgrade.litter()
    report = venv.pip("list", "--format", "json").stdout
    assert {"name": "small", "version": "1.0"} in json.loads(report)
    assert not list(Path(venv.site_packages).glob("small-3*"))
