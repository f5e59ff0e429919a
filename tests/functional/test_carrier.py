"""The carrier puts the fork in place of pip, and the old pip back."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fork.version import VERSION
from tests.lib.carriers import (
    Carrier,
    killing,
    make_managed,
    new_environment,
)
from tests.lib.environments import Environment, Workshop
from tests.lib.interpreters import find_interpreters
from tests.lib.wheels import make_wheel

pytestmark = pytest.mark.process

#: Where the wheel of a replaced pip is kept.
KEPT = "share/pip-variants"


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
            f"{venv.venv}: pip {old} -> pip {VERSION}\nGo on? [y/N] "
            f"{venv.venv}: pip {VERSION} is in place. The old one is kept in {kept}; the "
            f"way back: python -m pip_variants bootstrap --undo '{venv.venv}'\n"
        )
        assert version_of(venv) == VERSION
        assert venv.pip("check").stdout == "No broken requirements found.\n"
        assert not left_over(venv)
        # What is kept can be run, and be installed by any pip.
        assert f"pip {old} from" in venv.run(venv.python, kept / "pip", "-V").stdout
        make_wheel("demo", "1.0").write_to(tmp_path)
        venv.pip("install", "--no-index", "--find-links", tmp_path, "demo")

        again = carrier.run("bootstrap", venv.python)
        assert again.stdout == f"{venv.python}: pip {VERSION} is there already\n"

        back = carrier.run("bootstrap", "--undo", "--yes", venv.venv)
        assert back.lines == [
            f"{venv.venv}: pip {VERSION} -> pip {old}",
            f"{venv.venv}: pip {old} is in place",
        ]
        assert version_of(venv) == old
        assert files_of(venv) == before
        assert not (venv.venv / KEPT).exists()
        assert not left_over(venv)
        assert venv.installed()["demo"] == "1.0"

    def test_several_at_once(
        self, carrier: Carrier, upstream_venv: Environment
    ) -> None:
        """They wait for each other; whoever comes second finds it done."""
        venv = upstream_venv
        with ThreadPoolExecutor(3) as pool:
            command = "bootstrap", "--yes", venv.venv
            done = list(pool.map(lambda _: carrier.run(*command), range(3)))
        assert all(f"pip {VERSION} is " in each.lines[-1] for each in done), done
        assert version_of(venv) == VERSION
        assert not left_over(venv)
        carrier.run("bootstrap", "--undo", "--yes", venv.venv)
        assert version_of(venv) == "26.3"

    def test_it_asks(self, carrier: Carrier, upstream_venv: Environment) -> None:
        venv = upstream_venv
        for answer, said in (
            ("n\n", "Nothing was changed.\n"),
            ("", "error: Nobody answered, so nothing was changed.\n"),
        ):
            done = carrier.run("bootstrap", venv.venv, answer=answer, code=1)
            assert (
                f"{venv.venv}: pip 26.3 -> pip {VERSION}\nGo on? [y/N] " in done.stdout
            )
            assert said in done.output
        assert version_of(venv) == "26.3"

    def test_where_there_was_no_pip(self, carrier: Carrier, tmp_path: Path) -> None:
        """The way back is the pip that comes with Python then."""
        venv = new_environment(tmp_path / "bare", sys.executable, "--without-pip")
        done = carrier.run("bootstrap", "--yes", python=venv.python)
        assert done.lines[0] == f"{venv.python}: no pip -> pip {VERSION}"
        assert version_of(venv) == VERSION
        assert not (venv.venv / KEPT).exists()
        bundled = venv.eval("ensurepip.version()", imports="ensurepip")
        carrier.run("bootstrap", "--undo", "--yes", venv.venv)
        assert version_of(venv) == bundled
        nothing = carrier.run("bootstrap", "--undo", "--yes", venv.venv, code=1)
        assert (
            f"has pip {bundled}, which is not the one with variants" in nothing.stderr
        )

    @pytest.mark.parametrize("missing", ["RECORD", "pip/_internal/cli/main.py"])
    def test_where_pip_is_broken(
        self, carrier: Carrier, upstream_venv: Environment, missing: str
    ) -> None:
        venv = upstream_venv
        (path,) = [*venv.site_packages.glob(f"pip-*/{missing}")] or [
            venv.site_packages / missing
        ]
        path.unlink()
        shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
        done = carrier.run("bootstrap", "--yes", venv.venv)
        assert "pip 26.3 (not whole: it " in done.lines[0]
        assert version_of(venv) == VERSION
        assert not left_over(venv)
        assert len([*venv.site_packages.glob("pip-*.dist-info")]) == 1

    def test_several_at_once_or_none(
        self, carrier: Carrier, upstream_venv: Environment, tmp_path: Path
    ) -> None:
        """All are looked at before the first is changed."""
        wrong = [upstream_venv.venv, tmp_path / "nowhere"]
        done = carrier.run("bootstrap", "--yes", *wrong, code=1)
        assert f"error: There is no interpreter and no environment {wrong[1]}." in (
            done.stderr
        )
        assert version_of(upstream_venv) == "26.3"

    def test_another_build_of_the_same_version(
        self, carrier: Carrier, venv: Environment
    ) -> None:
        module = venv.site_packages / "pip/_internal/variants/errors/__init__.py"
        record = next(venv.site_packages.glob("pip-*.dist-info")) / "RECORD"
        mine = module.read_bytes() + b"# another build\n"
        module.write_bytes(mine)
        rows = record.read_text(encoding="utf-8").splitlines(keepends=True)
        name = "pip/_internal/variants/errors/__init__.py,"
        kept = [f"{name},\n" if row.startswith(name) else row for row in rows]
        record.write_text("".join(kept), encoding="utf-8")
        done = carrier.run("bootstrap", "--yes", venv.venv)
        assert done.lines[0] == f"{venv.venv}: pip {VERSION} -> pip {VERSION}"
        assert module.read_bytes() != mine
        wheel = venv.venv / KEPT / f"pip-{VERSION}-py3-none-any.whl"
        with zipfile.ZipFile(wheel) as archive:
            assert archive.read("pip/_internal/variants/errors/__init__.py") == mine
        # The way back is not to another build, but to the pip from before the fork.
        carrier.run("bootstrap", "--undo", "--yes", venv.venv)
        assert version_of(venv) == venv.eval("ensurepip.version()", "ensurepip")
        assert not (venv.venv / KEPT).exists()


class TestRefused:
    """Nothing is changed, and the user is told what to do."""

    @pytest.fixture
    def refused(self, carrier: Carrier) -> Callable[..., str]:
        """Return a function that runs ``bootstrap``, which fails, for its errors."""

        def run(*arguments: str | Path) -> str:
            return carrier.run("bootstrap", "--yes", *arguments, code=1).stderr

        return run

    def test_what_is_no_python(
        self, refused: Callable[..., str], tmp_path: Path
    ) -> None:
        (tmp_path / "empty").mkdir()
        said = refused(tmp_path / "empty")
        assert "is a folder without an interpreter" in said
        assert f"hint: Make an environment there: python -m venv {tmp_path}" in said
        (tmp_path / "dead/bin").mkdir(parents=True)
        (tmp_path / "dead/bin/python").symlink_to(tmp_path / "gone")
        assert "the Python that the environment was made with is gone" in refused(
            tmp_path / "dead"
        )
        assert "does not start as a Python" in refused(shutil.which("true") or "true")
        text = tmp_path / "text"
        text.touch()
        assert f"{text} does not start: Permission denied." in refused(text)

    def test_a_python_that_is_too_old(
        self, refused: Callable[..., str], tmp_path: Path
    ) -> None:
        old = tmp_path / "python3.8"
        old.write_text(
            f"#!{sys.executable}\nimport sys\nsys.version_info = (3, 8, 20)\n"
            "exec(sys.argv[-1])\n",
            encoding="utf-8",
        )
        old.chmod(0o755)
        assert f"{old} is Python 3.8.20; this pip needs 3.10 or newer." in refused(old)

    def test_a_program_with_a_python_of_its_own(self, carrier: Carrier) -> None:
        code = "import sys; from pip_variants.cli import script; sys.exit(script())"
        done = subprocess.run(
            [sys.executable, "-c", code, "bootstrap"],
            env=carrier.environ(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert "hint: Name it: pip-variants bootstrap .venv" in done.stderr

    def test_a_python_that_is_managed(
        self, carrier: Carrier, refused: Callable[..., str], tmp_path: Path
    ) -> None:
        python = make_managed(tmp_path / "managed", sys.executable)
        for command in ([], ["--undo"]):
            said = refused(*command, python)
            assert "is managed by something other than pip" in said
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
        assert f"error: {hiding} would hide the pip that is put into" in done.stderr

    def test_where_nothing_can_be_written(
        self, carrier: Carrier, upstream_venv: Environment
    ) -> None:
        venv = upstream_venv.venv
        mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
        unshare = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
        try:
            subprocess.run([*unshare, mount, str(venv), "true"], check=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("nothing can be mounted in a namespace")
        for command in ([], ["--undo"]):
            program = [sys.executable, "-m", "pip_variants", "bootstrap", "--yes"]
            done = subprocess.run(
                [*unshare, mount, str(venv), *program, *command, str(venv)],
                env=carrier.environ(),
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 1
            assert f"error: {upstream_venv.site_packages} cannot be written to" in (
                done.stderr
            )
            assert "hint: Run this as the user who owns it" in done.stderr

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
        self, refused: Callable[..., str], venv: Environment
    ) -> None:
        kept = venv.venv / KEPT / "pip-24.0-py3-none-any.whl"
        kept.parent.mkdir(parents=True)
        make_wheel("pip", "24.0").write_to(kept.parent)
        content = kept.read_bytes()
        kept.write_bytes(content[:-30])
        assert "the pip that was replaced, is damaged" in refused("--undo", venv.venv)
        # Sound, and no pip.
        kept.write_bytes(content)
        assert "pip 24.0 does not start with" in refused("--undo", venv.venv)
        assert version_of(venv) == VERSION
        assert kept.is_file()


class TestKilled:
    """There is a pip that works, whenever it is killed."""

    @pytest.mark.parametrize(
        "moved", ["pip-26.3.dist-info", "pip", f"pip-{VERSION}.dist-info"]
    )
    def test_together_with_what_it_started(
        self, carrier: Carrier, upstream_venv: Environment, moved: str
    ) -> None:
        venv = upstream_venv
        env = killing(venv, moved, group=True)
        done = carrier.run("bootstrap", "--yes", venv.venv, env=env, code=None)
        assert done.returncode == -signal.SIGKILL
        # This one is in the wheel.
        told = venv.pip("--version").stdout
        assert told.startswith(f"pip {VERSION} from ")
        assert "unfinished" in told
        assert venv.pip("list", "--format", "freeze").returncode == 0
        carrier.run("bootstrap", "--yes", venv.venv)
        assert version_of(venv) == VERSION
        assert not left_over(venv)
        carrier.run("bootstrap", "--undo", "--yes", venv.venv)
        assert version_of(venv) == "26.3"

    def test_the_one_that_installs(
        self, carrier: Carrier, upstream_venv: Environment
    ) -> None:
        """The old pip is put back."""
        venv = upstream_venv
        before = files_of(venv)
        env = killing(venv, "pip", group=False)
        done = carrier.run("bootstrap", "--yes", venv.venv, env=env, code=1)
        assert f"error: pip {VERSION} could not be put into {venv.venv}" in done.stderr
        assert "The old pip is there." in done.stderr
        assert version_of(venv) == "26.3"
        assert not left_over(venv)
        assert files_of(venv) == before


class TestEnvironments:
    """Environments that have the fork from the beginning."""

    def test_venv(self, carrier: Carrier, tmp_path: Path) -> None:
        venv = Environment(tmp_path / "my folder")
        for folder in (venv.home, venv.work):
            folder.mkdir(parents=True)
        options = ["--prompt", "hello", "--upgrade-deps"]
        env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(carrier.folder)}
        if sys.version_info < (3, 12):
            make_wheel("setuptools", "99.0").write_to(tmp_path)
            env["PIP_FIND_LINKS"] += f" {tmp_path}"
        carrier.run("venv", *options, venv.venv, env=env)
        assert version_of(venv) == VERSION
        config = (venv.venv / "pyvenv.cfg").read_text(encoding="utf-8")
        assert "prompt = 'hello'" in config
        assert ("setuptools" in venv.installed()) == (sys.version_info < (3, 12))

    def test_venv_tells_what_is_wrong(self, carrier: Carrier, tmp_path: Path) -> None:
        (wheel,) = carrier.folder.glob("*.whl")
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        assert carrier.run("--version").stdout == f"pip {VERSION} (sha256 {digest})\n"
        assert "usage: venv" in carrier.run("venv", code=2).stderr
        assert "--without-pip" in carrier.run("venv", "--help").stdout
        carrier.run("venv", "--without-pip", tmp_path / "bare")
        assert not list((tmp_path / "bare").glob("lib/*/site-packages/pip*"))

    def test_uv(self, carrier: Carrier, tmp_path: Path) -> None:
        pytest.importorskip("uv", reason="uv is not installed")
        folder = carrier.run("folder").stdout.rstrip("\n")
        assert folder == str(carrier.folder)
        seed = ["--seed", "--no-index", "--find-links", folder]
        if sys.version_info < (3, 12):  # These it seeds with more.
            for name in ("setuptools", "wheel"):
                make_wheel(name, "99.0").write_to(tmp_path)
            seed += ["--find-links", str(tmp_path)]
        python = ["--python", sys.executable]
        venv = Environment(tmp_path)
        carrier.module("uv", "venv", "-q", *seed, *python, venv.venv)
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
        assert f"pip {VERSION} is in place" in done.stdout
        assert "the way back: pip-variants bootstrap --undo" in done.stdout
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
        self, virtualenv: Callable[..., Environment], tmp_path: Path
    ) -> None:
        seeder = "--seeder", "pip-variants"
        assert version_of(virtualenv(*seeder)) == VERSION
        variable = {"VIRTUALENV_SEEDER": "pip-variants"}
        assert version_of(virtualenv(env=variable, name="by variable")) == VERSION
        config = tmp_path / "virtualenv.ini"
        config.write_text("[virtualenv]\nseeder = pip-variants\n", encoding="utf-8")
        file = {"VIRTUALENV_CONFIG_FILE": str(config)}
        assert version_of(virtualenv(env=file, name="by file")) == VERSION
        # Not chosen, it changes nothing.
        assert "variants" not in version_of(virtualenv(name="not"))

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
        none = virtualenv(*seeder, "--pip", "none", name="none too")
        assert not list(none.site_packages.glob("pip*"))
        for word in ("embed", VERSION):
            given = virtualenv(*seeder, "--pip", word, name=word)
            assert version_of(given) == VERSION
        upstreams = workshop.upstream_wheel()
        search = ["--extra-search-dir", upstreams.parent, "--pip", "26.3"]
        assert version_of(virtualenv(*seeder, *search, name="theirs")) == "26.3"
        again = virtualenv(*seeder, "--reset-app-data", name="again")
        assert version_of(again) == VERSION
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

    def test_there_and_back_where_virtualenv_has_seeded(
        self, carrier: Carrier, virtualenv: Callable[..., Environment]
    ) -> None:
        """Its records list folders that are not there."""
        ours = virtualenv("--seeder", "pip-variants")
        carrier.run("bootstrap", "--undo", "--yes", ours.venv)
        assert version_of(ours) == ours.eval("ensurepip.version()", "ensurepip")
        theirs = virtualenv(name="theirs")
        before = version_of(theirs)
        carrier.run("bootstrap", "--yes", theirs.venv)
        assert version_of(theirs) == VERSION
        carrier.run("bootstrap", "--undo", "--yes", theirs.venv)
        assert version_of(theirs) == before

    def test_two_builds_of_a_version(
        self, carrier: Carrier, virtualenv: Callable[..., Environment], tmp_path: Path
    ) -> None:
        """What virtualenv has unpacked of one is not taken for the other."""
        seeder = "--seeder", "pip-variants"
        assert version_of(virtualenv(*seeder)) == VERSION
        other = carrier.copy(tmp_path / "other")
        (wheel,) = other.folder.glob("*.whl")
        with zipfile.ZipFile(wheel, "a") as archive:
            archive.writestr("pip/other.txt", "another build")
        generated = other.files / "pip_variants/_wheel.py"
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        text = generated.read_text(encoding="utf-8")
        generated.write_text(
            text.replace(text.split('"')[-2], digest), encoding="utf-8"
        )
        new = virtualenv(*seeder, env={"PYTHONPATH": str(other.files)}, name="second")
        assert (new.site_packages / "pip/other.txt").is_file()

    @pytest.mark.parametrize("version", ["3.10", "3.13", "3.15"])
    def test_other_pythons(
        self, virtualenv: Callable[..., Environment], version: str
    ) -> None:
        options = ["--seeder", "pip-variants", "--python", python_of(version)]
        new = virtualenv(*options)
        assert version_of(new) == VERSION
        assert new.eval("'%d.%d' % sys.version_info[:2]") == version

    def test_a_python_that_is_too_old(self, carrier: Carrier, tmp_path: Path) -> None:
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
        found = [*pyenv.glob("versions/3.9*/bin/python"), shutil.which("python3.9")]
        old = next((path for path in found if path is not None), None)
        if old is None:
            pytest.skip("CPython 3.9 is not on this machine")
        command = "virtualenv", "--seeder", "pip-variants", "--python", old
        done = carrier.module(*command, tmp_path / "new", code=1)
        assert (
            "The seeder pip-variants is for Python 3.10 and newer, and this is 3.9."
            in done.output
        )
        assert "hint: For virtualenv's own pip: --seeder app-data" in done.output
        assert not (tmp_path / "new").exists()

    def test_tox(self, carrier: Carrier, tmp_path: Path) -> None:
        pytest.importorskip("tox", reason="tox is not installed")
        (tmp_path / "tox.ini").write_text(
            "[tox]\nenv_list = one\n[testenv]\nskip_install = true\n"
            "commands = python -m pip --version\n",
            encoding="utf-8",
        )
        env = {"VIRTUALENV_SEEDER": "pip-variants"}
        done = carrier.module("tox", "run", env=env, cwd=tmp_path)
        assert f"pip {VERSION} from {tmp_path / '.tox/one'}" in done.stdout

    def test_nox(self, carrier: Carrier, tmp_path: Path) -> None:
        pytest.importorskip("nox", reason="nox is not installed")
        (tmp_path / "noxfile.py").write_text(
            "import nox\n\n@nox.session\ndef one(session):\n"
            "    session.run('python', '-I', '-m', 'pip', '--version')\n",
            encoding="utf-8",
        )
        env = {"VIRTUALENV_SEEDER": "pip-variants"}
        done = carrier.module("nox", env=env, cwd=tmp_path)
        assert f"pip {VERSION} from {tmp_path / '.nox/one'}" in done.output


class TestBuilt:
    """The carrier is built from a wheel of the fork, and says so if there is none."""

    @pytest.fixture
    def project(self, repository_root: Path, tmp_path: Path) -> Path:
        """Return a copy of what the build needs, without a wheel of the fork."""
        pytest.importorskip("hatchling", reason="hatchling is not installed")
        project = tmp_path / "project"
        ignored = shutil.ignore_patterns("__pycache__", "dist")
        shutil.copytree(
            repository_root / "carrier", project / "carrier", ignore=ignored
        )
        (project / "fork").mkdir()
        shutil.copy(repository_root / "fork/version.py", project / "fork")
        return project

    def test_what_cannot_be_built(
        self, project: Path, workshop: Workshop, tmp_path: Path
    ) -> None:
        def refused(variable: str | None = None) -> str:
            command = ["hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
            done = subprocess.run(
                [sys.executable, "-m", *command],
                cwd=project / "carrier",
                env={
                    **{
                        k: v for k, v in os.environ.items() if k != "PIP_VARIANTS_WHEEL"
                    },
                    **({"PIP_VARIANTS_WHEEL": variable} if variable else {}),
                },
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode != 0
            assert "Traceback" not in done.stderr
            assert not list(tmp_path.glob("*.whl"))
            return done.stderr

        assert "error: there is no wheel of the fork to carry. In the root" in refused()
        assert "which PIP_VARIANTS_WHEEL names" in refused(str(tmp_path / "none.whl"))
        theirs = workshop.upstream_wheel()
        assert f"error: {theirs} is not a wheel of the fork" in refused(str(theirs))
        older = tmp_path / "older/pip-26.3+variants.0.0.1-py3-none-any.whl"
        older.parent.mkdir()
        older.touch()
        assert "is of release 0.0.1 of the fork" in refused(str(older))
        folder = project / "build/fork-wheel"
        folder.mkdir(parents=True)
        for number in range(2):
            (folder / f"pip-26.3+variants.0.{number}-py3-none-any.whl").touch()
        assert "error: there is more than one wheel of pip" in refused()

    def test_from_the_sdist(
        self, project: Path, carrier: Carrier, workshop: Workshop, tmp_path: Path
    ) -> None:
        """It has the wheel inside, and makes the same carrier anywhere."""
        folder = project / "build/fork-wheel"
        folder.mkdir(parents=True)
        shutil.copy(workshop.fork_wheel(), folder)
        env = {k: v for k, v in os.environ.items() if k != "PIP_VARIANTS_WHEEL"}
        hatchling = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)]
        source = project / "carrier"
        subprocess.run([*hatchling, "-t", "sdist"], cwd=source, env=env, check=True)
        (sdist,) = tmp_path.glob("pip_variants-*.tar.gz")
        shutil.unpack_archive(sdist, tmp_path / "elsewhere", filter="data")
        (tree,) = (tmp_path / "elsewhere").iterdir()
        subprocess.run([*hatchling, "-t", "wheel"], cwd=tree, env=env, check=True)
        (wheel,) = tmp_path.glob("*.whl")
        assert wheel.name == carrier.wheel.name
        assert wheel.read_bytes() == carrier.wheel.read_bytes()
        (carried,) = (tree / "src/pip_variants/wheels").iterdir()
        assert carried.read_bytes() == workshop.fork_wheel().read_bytes()
        carried.write_bytes(b"")
        done = subprocess.run(
            [*hatchling, "-t", "wheel"],
            cwd=tree,
            env=env,
            capture_output=True,
            check=False,
        )
        assert done.returncode != 0
        assert b"error: the wheel of the fork in this sdist is not" in done.stderr
