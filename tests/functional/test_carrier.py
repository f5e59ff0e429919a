"""The carrier replaces pip with the fork, and restores the old pip."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fork.version import VERSION
from tests.lib.carriers import Carrier, killing, make_managed, new_environment
from tests.lib.environments import Environment, Workshop
from tests.lib.interpreters import find_interpreters
from tests.lib.wheels import make_wheel

pytestmark = pytest.mark.process

#: Where the wheel of a replaced pip is kept.
KEPT = "share/pip-variants"
Refused = Callable[..., str]
#: A module that makes one kind of system call of the carrier fail.
FAILING = """\
import os, sys
def fail(event, args, which=os.environ.pop("FAIL")):
    if event in ("tempfile.mkdtemp", "subprocess.Popen") and which in str(args):
        raise OSError(12, "Cannot allocate memory")
sys.addaudithook(fail)
"""


def python_of(version: str) -> Path:
    """Return the interpreter of a version, or skip the test."""
    if version not in find_interpreters():
        pytest.skip(f"CPython {version} is not on this machine")
    return find_interpreters()[version]


def files_of(environment: Environment) -> Mapping[str, bytes]:
    """Return what of pip is installed, but for compiled files and who installed it."""
    root = environment.site_packages
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.glob("pip*/**/*"))
        if path.is_file()
        and path.suffix != ".pyc"
        and path.name not in ("RECORD", "REQUESTED", "INSTALLER", "direct_url.json")
    }


def version_of(environment: Environment) -> str:
    """Return the version of pip, as ``python -m pip`` and ``pip`` both tell it."""
    told = environment.pip("--version").stdout
    assert environment.run(environment.scripts / "pip", "--version").stdout == told
    assert f"from {environment.site_packages / 'pip'} " in told, told
    return told.split()[1]


def left_over(environment: Environment) -> list[str]:
    """Name what a replacement should not leave behind."""
    found = [path.name for path in environment.site_packages.iterdir()]
    found += [str(path) for path in environment.venv.glob(f"{KEPT}/unfinished")]
    return [each for each in found if "unfinished" in each or each[0] in "~."]


class TestBootstrap:
    """``bootstrap`` replaces what is there, and nothing is lost."""

    @pytest.mark.parametrize("version", ["3.10", "3.13", "3.15"])
    def test_there_and_back(
        self, carrier: Carrier, version: str, tmp_path: Path
    ) -> None:
        """With the pip that a Python brings along, in a path with a blank."""
        venv = new_environment(tmp_path / "my folder", python_of(version))
        old, before = version_of(venv), files_of(venv)
        done = carrier.run("bootstrap", venv.venv, answer="y\n")
        kept = venv.venv / KEPT / f"pip-{old}-py3-none-any.whl"
        assert done.stdout == (
            f"{venv.venv}: pip {old} -> pip {VERSION}\nContinue? [y/N] "
            f"{venv.venv}: installed pip {VERSION}. The old pip is saved in {kept}. To "
            f"restore the old pip, run: python -m pip_variants bootstrap --undo '{venv.venv}'\n"
        )
        assert version_of(venv) == VERSION
        assert venv.pip("check").stdout == "No broken requirements found.\n"
        assert not left_over(venv)
        # What is kept can be run, and be installed by any pip.
        assert f"pip {old} from" in venv.run(venv.python, kept / "pip", "-V").stdout
        make_wheel("demo", "1.0").write_to(tmp_path)
        venv.pip("install", "--no-index", "--find-links", tmp_path, "demo")

        again = carrier.run("bootstrap", venv.python)
        assert again.stdout == f"{venv.python}: pip {VERSION} is already installed\n"

        back = carrier.run("bootstrap", "--undo", "--yes", venv.venv)
        assert back.lines == [
            f"{venv.venv}: pip {VERSION} -> pip {old}",
            f"{venv.venv}: installed pip {old}",
        ]
        assert version_of(venv) == old
        assert files_of(venv) == before
        assert not (venv.venv / KEPT).exists()
        assert not left_over(venv)
        assert venv.installed()["demo"] == "1.0"

    def test_many_at_once(self, carrier: Carrier, upstream_venv: Environment) -> None:
        """They wait for each other; the second one finds it done."""
        venv = upstream_venv
        with ThreadPoolExecutor(3) as pool:
            command = "bootstrap", "--yes", venv.venv
            done = list(pool.map(lambda _: carrier.run(*command), range(3)))
        assert all("installed" in each.lines[-1] for each in done), done
        assert version_of(venv) == VERSION
        assert not left_over(venv)
        carrier.run("bootstrap", "--undo", "--yes", venv.venv)
        assert version_of(venv) == "26.3"

    def test_nothing_is_changed(
        self, carrier: Carrier, upstream_venv: Environment, tmp_path: Path
    ) -> None:
        """It asks, and all are looked at before the first is changed."""
        venv = upstream_venv
        for answer, said in (
            ("n\n", "Nothing was changed.\n"),
            ("", "error: Nothing was changed, because nobody confirmed the change.\n"),
        ):
            done = carrier.run("bootstrap", venv.venv, answer=answer, code=1)
            assert f"pip 26.3 -> pip {VERSION}\nContinue? [y/N] " in done.stdout
            assert said in done.output
        for wrong in (tmp_path / "nowhere", ""):
            done = carrier.run("bootstrap", "--yes", venv.venv, wrong, code=1)
            said = f"error: '{wrong}' is neither an interpreter nor an environment."
            assert said in done.stderr
        assert version_of(venv) == "26.3"

    def test_where_there_was_no_pip(self, carrier: Carrier, tmp_path: Path) -> None:
        """The way back is the pip that comes with Python then."""
        venv = new_environment(tmp_path / "bare", sys.executable, "--without-pip")
        venv.site_packages.rmdir()
        done = carrier.run("bootstrap", "--yes", python=venv.python)
        assert done.lines[0] == f"{venv.python}: no pip -> pip {VERSION}"
        assert version_of(venv) == VERSION
        assert not (venv.venv / KEPT).exists()
        bundled = venv.eval("ensurepip.version()", imports="ensurepip")
        carrier.run("bootstrap", "--undo", "--yes", venv.venv)
        assert version_of(venv) == bundled
        nothing = carrier.run("bootstrap", "--undo", "--yes", venv.venv, code=1)
        assert f"has pip {bundled}, not pip with variants" in nothing.stderr

    @pytest.mark.parametrize("missing", ["RECORD", "cli/main.py"])
    def test_where_pip_is_broken(
        self, carrier: Carrier, upstream_venv: Environment, missing: str
    ) -> None:
        venv = upstream_venv
        path = next(venv.site_packages.glob(f"**/{missing}"))
        path.unlink()
        shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
        failing = carrier.copy(venv.root / "failing")
        (failing.files / "sitecustomize.py").write_text(FAILING, encoding="utf-8")
        command = "bootstrap", "--yes", venv.venv
        done = failing.run(*command, env={"FAIL": "pip-variants-"}, code=1)
        assert done.stderr == (
            "error: [Errno 12] Cannot allocate memory\nhint: Free disk space or fix the "
            "permissions, then run this command again.\n"
        )
        done = failing.run(*command, env={"FAIL": "'--quiet'"}, code=1)
        assert "pip 26.3 (incomplete: " in done.lines[0]
        said = f"error: The change of '{venv.venv}' is incomplete: [Errno 12] Cannot"
        assert done.stderr.startswith(said)
        assert "unfinished" in venv.pip("--version").stdout
        carrier.run(*command)
        assert version_of(venv) == VERSION
        assert not left_over(venv)
        assert len([*venv.site_packages.glob("pip-*.dist-info")]) == 1


class TestRefused:
    """Nothing is changed, and the user is told what to do."""

    @pytest.fixture
    def refused(self, carrier: Carrier) -> Refused:
        """Return a function that runs ``bootstrap``, which fails, for its errors."""

        def run(*arguments: str | Path) -> str:
            return carrier.run("bootstrap", "--yes", *arguments, code=1).stderr

        return run

    def test_no_python(self, refused: Refused, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        said = refused(tmp_path / "empty")
        assert "has no interpreter" in said
        assert f"hint: Create an environment there: python -m venv {tmp_path}" in said
        (tmp_path / "dead/bin").mkdir(parents=True)
        (tmp_path / "dead/bin/python").symlink_to(tmp_path / "gone")
        assert "Python of this environment was removed" in refused(tmp_path / "dead")
        assert "does not run as a Python interpreter" in refused("true")
        text = tmp_path / "text"
        text.touch()
        assert f"Cannot start '{text}': Permission denied." in refused(text)

    def test_an_old_python(self, refused: Refused, tmp_path: Path) -> None:
        old = tmp_path / "python3.8"
        old.write_text(
            f"#!{sys.executable}\nimport sys\nsys.version_info = (3, 8, 20)\n"
            "exec(sys.argv[-1])\n",
            encoding="utf-8",
        )
        old.chmod(0o755)
        said = f"'{old}' is Python 3.8.20, but the fork needs Python 3.10 or newer."
        assert said in refused(old)

    def test_a_python_that_is_managed(
        self, carrier: Carrier, refused: Refused, tmp_path: Path
    ) -> None:
        python = make_managed(tmp_path / "managed", sys.executable)
        for command in ([], ["--undo"]):
            said = refused(*command, python)
            assert "is externally managed" in said
            assert "Ask the keeper of this machine." in said
        lib = next((tmp_path / "managed").glob("lib/*/site-packages"))
        assert not list(lib.iterdir())
        carrier.run("bootstrap", "--yes", "--break-system-packages", python)
        assert (lib / f"pip-{VERSION}.dist-info").is_dir()

    def test_a_pip_that_would_hide_it(self, carrier: Carrier, tmp_path: Path) -> None:
        python = make_managed(tmp_path, sys.executable)
        next(tmp_path.glob("lib/*/EXTERNALLY-MANAGED")).unlink()
        version = "python{}.{}".format(*sys.version_info)
        hiding = carrier.home / ".local/lib" / version / "site-packages/pip"
        hiding.mkdir(parents=True)
        (hiding / "__init__.py").touch()
        try:
            done = carrier.run("bootstrap", "--yes", python, code=1)
        finally:
            shutil.rmtree(hiding)
        assert f"error: '{hiding}' would take precedence over the new" in done.stderr

    def test_a_wheel_that_is_damaged(
        self, carrier: Carrier, upstream_venv: Environment, tmp_path: Path
    ) -> None:
        damaged = carrier.copy(tmp_path / "damaged")
        (wheel,) = damaged.folder.glob("*.whl")
        content = bytearray(wheel.read_bytes())
        content[len(content) // 2] ^= 1
        wheel.write_bytes(content)
        said = "The wheel of the fork is damaged or was changed"
        new = tmp_path / "new"
        for command in (
            ["bootstrap", "--yes", upstream_venv.venv],
            ["folder"],
            ["venv", new],
        ):
            assert said in damaged.run(*command, code=1).stderr
        seeder = "virtualenv", "--seeder", "pip-variants"
        assert said in damaged.module(*seeder, new, code=1).output
        assert version_of(upstream_venv) == "26.3"
        assert not new.exists()

    def test_what_was_kept_is_damaged(
        self, refused: Refused, venv: Environment
    ) -> None:
        kept = venv.venv / KEPT / "pip-24.0-py3-none-any.whl"
        kept.parent.mkdir(parents=True)
        make_wheel("pip", "24.0").write_to(kept.parent)
        content = kept.read_bytes()
        unknown = bytearray(content)
        unknown[content.index(b"PK\x01\x02") + 10] = 99  # The method of compression.
        for damaged in content[:-30], unknown:
            kept.write_bytes(damaged)
            said = refused("--undo", venv.venv)
            assert "saved wheel of the old pip is damaged" in said
        # Sound, and no pip.
        kept.write_bytes(content)
        assert "pip 24.0 does not run under '" in refused("--undo", venv.venv)
        assert version_of(venv) == VERSION
        assert kept.is_file()


class TestKilled:
    """There is a pip that works, whenever it is killed."""

    @pytest.mark.parametrize("moved", ["pip", f"pip-{VERSION}.dist-info"])
    def test_together_with_what_it_started(
        self, carrier: Carrier, upstream_venv: Environment, moved: str
    ) -> None:
        venv = upstream_venv
        env = killing(venv, moved, group=True)
        carrier.run("bootstrap", "--yes", venv.venv, env=env, code=-signal.SIGKILL)
        for answer, env in ("n\n", {}), ("y\n", killing(venv, "pip", group=False)):
            carrier.run("bootstrap", venv.venv, answer=answer, env=env, code=1)
            # This one is in the wheel, also after a run that was declined or failed.
            told = venv.pip("--version").stdout
            assert told.startswith(f"pip {VERSION} from {venv.venv / KEPT}/unfinished")
        carrier.run("bootstrap", "--yes", venv.venv)
        assert version_of(venv) == VERSION
        assert not left_over(venv)
        carrier.run("bootstrap", "--undo", "--yes", venv.venv)
        assert version_of(venv) == "26.3"

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
    def test_installer_alone(
        self, carrier: Carrier, upstream_venv: Environment, number: signal.Signals
    ) -> None:
        """The old pip is put back; everything gets Ctrl-C, but only pip ends."""
        venv = upstream_venv
        before = files_of(venv)
        env = killing(venv, "pip", group=number == signal.SIGINT, number=number)
        done = carrier.run("bootstrap", "--yes", venv.venv, env=env, code=1)
        error = f"error: Cannot install pip {VERSION} into '{venv.venv}'"
        assert error in done.stderr
        assert "The old pip still runs." in done.stderr
        assert version_of(venv) == "26.3"
        assert not left_over(venv)
        assert files_of(venv) == before


class TestEnvironments:
    """Environments that have the fork from the beginning."""

    @pytest.fixture
    def seeds(self, tmp_path: Path) -> Path:
        """Return a folder with all else that environments of some Pythons have."""
        folder = tmp_path / "seeds"
        folder.mkdir()
        for name in ("setuptools", "wheel"):
            make_wheel(name, "99.0").write_to(folder)
        return folder

    def test_venv(self, carrier: Carrier, tmp_path: Path, seeds: Path) -> None:
        venv = Environment(tmp_path / "my folder")
        for folder in (venv.home, venv.work):
            folder.mkdir(parents=True)
        options = ["--prompt", "hello", "--upgrade-deps"]
        links = f"{carrier.folder} {seeds}"
        env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": links}
        carrier.run("venv", *options, venv.venv, env=env)
        assert version_of(venv) == VERSION
        config = (venv.venv / "pyvenv.cfg").read_text(encoding="utf-8")
        assert "prompt = 'hello'" in config
        assert ("setuptools" in venv.installed()) == (sys.version_info < (3, 12))

    def test_uv(self, carrier: Carrier, tmp_path: Path, seeds: Path) -> None:
        pytest.importorskip("uv", reason="uv is not installed")
        folder = carrier.run("folder").stdout.rstrip("\n")
        assert folder == str(carrier.folder)
        links = ["--no-index", "--find-links", folder, "--find-links", str(seeds)]
        python = ["--python", sys.executable]
        venv = Environment(tmp_path)
        carrier.module("uv", "venv", "-q", "--seed", *links, *python, venv.venv)
        told = subprocess.run(
            [venv.python, "-m", "pip", "--version"], capture_output=True, check=True
        )
        assert told.stdout.decode().startswith(f"pip {VERSION} ")

    @pytest.mark.parametrize("tool", ["uvx", "pipx"])
    def test_from_a_file(
        self, carrier: Carrier, upstream_venv: Environment, tool: str, tmp_path: Path
    ) -> None:
        """No carrier is installed for that."""
        pytest.importorskip(
            tool.replace("uvx", "uv"), reason=f"{tool} is not installed"
        )
        starts = {
            "uvx": ["uv", "tool", "run", "--offline", "--from"],
            "pipx": ["pipx", "run", "--spec"],
        }
        env = {
            "PYTHONPATH": None,
            "PIPX_HOME": str(tmp_path / "pipx"),
            "UV_CACHE_DIR": str(tmp_path / "uv"),
            "PIP_NO_INDEX": "1",
            "UV_PYTHON": sys.executable,
        }
        command = [str(carrier.wheel), "pip-variants", "bootstrap", "--yes"]
        where = upstream_venv.venv
        done = carrier.module(*starts[tool], *command, where, env=env)
        assert f"installed pip {VERSION}" in done.stdout
        assert "restore the old pip, run: pip-variants bootstrap --undo" in done.stdout
        assert version_of(upstream_venv) == VERSION


class TestSeeder:
    """virtualenv, tox and nox, as with virtualenv's own seeder."""

    @pytest.fixture
    def virtualenv(
        self, carrier: Carrier, tmp_path: Path
    ) -> Callable[..., Environment]:
        """Return a function that makes an environment with virtualenv."""

        def make(
            *options: str | Path,
            env: Mapping[str, str] | None = None,
            name: str = "new",
        ) -> Environment:
            new = Environment(tmp_path / name)
            for folder in (new.home, new.work):
                folder.mkdir(parents=True)
            command = ["virtualenv", *options, new.venv]
            app_data = {"VIRTUALENV_OVERRIDE_APP_DATA": str(tmp_path / "app data")}
            carrier.module(*command, env={**app_data, **(env or {})})
            return new

        return make

    def test_chosen_in_each_way(
        self, carrier: Carrier, virtualenv: Callable[..., Environment], tmp_path: Path
    ) -> None:
        # Of the Pythons on this machine, one that may be another one than this.
        other = [*find_interpreters().values(), sys.executable][0]
        config = tmp_path / "virtualenv.ini"
        config.write_text("[virtualenv]\nseeder = pip-variants\n", encoding="utf-8")
        for name, options, env in (
            ("option", ["--seeder", "pip-variants", "--python", other], {}),
            ("variable", [], {"VIRTUALENV_SEEDER": "pip-variants"}),
            ("file", [], {"VIRTUALENV_CONFIG_FILE": str(config)}),
        ):
            assert version_of(virtualenv(*options, env=env, name=name)) == VERSION
        # Not chosen, it changes nothing; there and back is the way from there, too.
        theirs = virtualenv(name="not")
        before = version_of(theirs)
        assert "variants" not in before
        carrier.run("bootstrap", "--yes", theirs.venv)
        assert version_of(theirs) == VERSION
        carrier.run("bootstrap", "--undo", "--yes", theirs.venv)
        assert version_of(theirs) == before

    def test_what_it_leaves_to_virtualenv(
        self,
        carrier: Carrier,
        virtualenv: Callable[..., Environment],
        workshop: Workshop,
        tmp_path: Path,
    ) -> None:
        seeder = "--seeder", "pip-variants"
        none = virtualenv(*seeder, "--no-pip", name="none")
        assert not list(none.site_packages.glob("pip*"))
        for word in ("embed", VERSION):
            given = virtualenv(*seeder, "--pip", word, name=word)
            assert version_of(given) == VERSION
        upstreams = workshop.upstream_wheel()
        search = ["--extra-search-dir", upstreams.parent, "--pip", "26.3"]
        assert version_of(virtualenv(*seeder, *search, name="theirs")) == "26.3"
        linked = virtualenv(*seeder, "--symlink-app-data", name="linked")
        assert version_of(linked) == VERSION
        assert (linked.site_packages / "pip").is_symlink()
        # What all environments share is not written to.
        image = (linked.site_packages / "pip").resolve()
        carrier.run("bootstrap", "--undo", "--yes", linked.venv)
        assert version_of(linked) == linked.eval("ensurepip.version()", "ensurepip")
        assert image.is_relative_to(tmp_path / "app data")
        assert not list(linked.site_packages.glob("pip-*.virtualenv"))
        assert VERSION in (image / "__init__.py").read_text(encoding="utf-8")

    @pytest.mark.parametrize("tool", ["tox", "nox"])
    def test_tools(self, carrier: Carrier, tmp_path: Path, tool: str) -> None:
        pytest.importorskip(tool, reason=f"{tool} is not installed")
        (tmp_path / "tox.ini").write_text(
            "[tox]\nenv_list = one\n[testenv]\nskip_install = true\n"
            "commands = python -m pip --version\n",
            encoding="utf-8",
        )
        (tmp_path / "noxfile.py").write_text(
            "import nox\n\n@nox.session\ndef one(session):\n"
            "    session.run('python', '-I', '-m', 'pip', '--version')\n",
            encoding="utf-8",
        )
        env = {"VIRTUALENV_SEEDER": "pip-variants"}
        done = carrier.module(tool, env=env, cwd=tmp_path)
        assert f"pip {VERSION} from {tmp_path / f'.{tool}/one'}" in done.output


class TestBuilt:
    """The carrier is built from a wheel of the fork, and says so if there is none."""

    def test_from_the_sdist(
        self,
        repository_root: Path,
        carrier: Carrier,
        workshop: Workshop,
        tmp_path: Path,
    ) -> None:
        """It has the wheel inside, and makes the same carrier anywhere."""
        pytest.importorskip("hatchling", reason="hatchling is not installed")
        project = tmp_path / "project"
        source = project / "carrier"
        ignored = shutil.ignore_patterns("__pycache__", "dist")
        shutil.copytree(repository_root / "carrier", source, ignore=ignored)
        (project / "fork").mkdir()
        shutil.copy(repository_root / "fork/version.py", project / "fork")

        def build(kind: str, source: Path, **more: str) -> str:
            env = {k: v for k, v in os.environ.items() if k != "FORK_WHEEL"}
            hatchling = ["hatchling", "build", "-t", kind, "-d", str(tmp_path)]
            done = subprocess.run(
                [sys.executable, "-m", *hatchling],
                cwd=source,
                env={**env, **more},
                capture_output=True,
                text=True,
                check=False,
            )
            assert bool(done.returncode) == ("error: " in done.stderr), done
            assert "Traceback" not in done.stderr
            return done.stderr

        missing = "error: found no wheel of the fork. In the root"
        assert missing in build("wheel", source)
        theirs = str(workshop.upstream_wheel())
        said = build("wheel", source, FORK_WHEEL=theirs)
        assert f"error: '{theirs}' is not a wheel of the fork" in said
        older = tmp_path / "older/pip-26.3+variants.0.0.1-py3-none-any.whl"
        older.parent.mkdir()
        older.touch()
        said = build("wheel", source, FORK_WHEEL=str(older))
        assert "is version 0.0.1 of the fork" in said
        folder = project / "build/fork-wheel"
        folder.mkdir(parents=True)
        shutil.copy(workshop.fork_wheel(), folder)
        build("sdist", source)
        (sdist,) = tmp_path.glob("pip_variants-*.tar.gz")
        shutil.unpack_archive(sdist, tmp_path / "elsewhere", filter="data")
        (tree,) = (tmp_path / "elsewhere").iterdir()
        build("wheel", tree)
        (wheel,) = tmp_path.glob("*.whl")
        assert wheel.name == carrier.wheel.name
        assert wheel.read_bytes() == carrier.wheel.read_bytes()
        (carried,) = (tree / "src/pip_variants/wheels").iterdir()
        assert carried.read_bytes() == workshop.fork_wheel().read_bytes()
        carried.write_bytes(b"")
        said = build("wheel", tree)
        assert "error: the wheel of the fork in this sdist is missing or" in said
