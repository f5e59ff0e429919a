"""The fork is installed, run and removed like any pip, from wherever it is run."""

from __future__ import annotations

import csv
import hashlib
import platform
import shutil
import subprocess
import sys
import zipapp
import zipfile
from base64 import urlsafe_b64decode
from collections.abc import Callable
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from fork.version import VERSION
from tests.lib.environments import Environment, Workshop
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def wheel(workshop: Workshop) -> Path:
    """Return the built wheel."""
    return workshop.fork_wheel()


@pytest.fixture
def zipapp_of(wheel: Path, tmp_path: Path) -> Path:
    """Return the fork as one executable file."""
    source = tmp_path / "zipapp"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(source)
    shutil.copy(source / "pip" / "__main__.py", source / "__main__.py")
    target = tmp_path / "pip.pyz"
    zipapp.create_archive(source, target)
    return target


@pytest.fixture
def plain_wheel(tmp_path: Path) -> Path:
    """Return a small wheel to install."""
    file = make_wheel("demo", "1.0")
    path = tmp_path / file.filename
    path.write_bytes(file.content)
    return path


def metadata_of(wheel: Path) -> Message:
    """Return the metadata of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"pip-{VERSION}.dist-info/METADATA").decode()
    return Parser().parsestr(text)


class TestInstalled:
    """Installed in an environment, the fork is its pip."""

    @pytest.mark.on_wheel
    @pytest.mark.smoke
    def test_every_command_is_the_fork(self, venv: Environment) -> None:
        python = venv.eval("'%d.%d' % sys.version_info[:2]")
        origin = venv.site_packages / "pip"
        expected = f"pip {VERSION} from {origin} (python {python})\n"
        assert venv.pip("--version").stdout == expected
        assert venv.run(venv.scripts / "pip", "--version").stdout == expected
        assert venv.run(venv.scripts / "pip3", "--version").stdout == expected
        assert venv.pip("check").stdout == "No broken requirements found.\n"

    @pytest.mark.on_wheel
    @pytest.mark.smoke
    def test_it_comes_and_goes_like_any_pip(
        self, upstream_venv: Environment, wheel: Path
    ) -> None:
        venv = upstream_venv
        assert venv.pip("--version").stdout.startswith("pip 26.3 from ")

        venv.pip("install", "--no-index", wheel)
        assert venv.pip("list", "--format=freeze").lines == [f"pip=={VERSION}"]
        folders = venv.site_packages.glob("pip-*.dist-info")
        assert [folder.name for folder in folders] == [f"pip-{VERSION}.dist-info"]

        from_folder = ("--no-index", "--find-links", wheel.parent)
        same = venv.pip("install", "-U", *from_folder, "pip").stdout
        assert "Requirement already satisfied: pip" in same

        venv.pip("install", "--force-reinstall", "--no-index", wheel)
        assert venv.pip("check").stdout == "No broken requirements found.\n"

        done = venv.pip("uninstall", "-y", "pip").stdout
        assert f"Successfully uninstalled pip-{VERSION}" in done
        assert "No module named pip" in venv.pip("--version", code=1).stderr
        assert not list(venv.site_packages.glob("pip*"))
        assert not list(venv.scripts.glob("pip*"))

    def test_it_can_be_replaced_by_upstream(
        self, venv: Environment, workshop: Workshop
    ) -> None:
        venv.pip("install", "--no-index", workshop.upstream_wheel())
        assert venv.pip("--version").stdout.startswith("pip 26.3 from ")

    @pytest.mark.on_wheel
    def test_nothing_more_is_imported_at_start(
        self, venv: Environment, upstream_venv: Environment
    ) -> None:
        code = (
            "import sys\nfrom pip._internal.cli.main import main\nmain(['--version'])\n"
            "print(*sorted(n for n in sys.modules if n.split('.')[0] == 'pip'), sep='\\n')"
        )
        ours = venv.run(venv.python, "-c", code).lines[1:]
        upstreams = upstream_venv.run(upstream_venv.python, "-c", code).lines[1:]
        assert set(upstreams) <= set(ours)
        assert set(ours) - set(upstreams) <= {
            "pip._internal.variants",
            "pip._internal.variants.seams",
            "pip._vendor.packaging._variants",
        }

    def test_help_imports_no_network(self, venv: Environment) -> None:
        code = (
            "import sys\nfrom pip._internal.cli.main import main\n"
            "try:\n    main(['variants', '--help'])\n"
            "finally:\n    print('net:', *(n for n in sys.modules if 'requests' in n))"
        )
        assert venv.run(venv.python, "-c", code).lines[-1] == "net:"

    @pytest.mark.on_wheel
    def test_plain_packages_define_no_dataclasses(
        self, venv: Environment, index: IndexServer
    ) -> None:
        # To define one takes as long as a whole module of those that have none.
        index.add(make_wheel("plain", "1.0"))
        command = ["install", "-i", index.index_url, "plain"]
        code = (
            "import sys\nfrom pip._internal.cli.main import main\n"
            f"main({command!r})\n"
            "room = [m for n, m in sys.modules.items() if 'pip._internal.variants' in n]\n"
            "heavy = {'__dataclass_fields__', '_fields'}\n"
            "print(len(room), *(each for module in room for each in vars(module).values()"
            " if isinstance(each, type) and each.__module__ == module.__name__"
            " and heavy & set(vars(each))))"
        )
        count, *found = venv.run(venv.python, "-c", code).lines[-1].split()
        assert 10 < int(count) < 30
        assert found == []


class TestNotInstalled:
    """The fork runs from a file, and installs from there."""

    @pytest.mark.smoke
    def test_it_runs_from_the_wheel_and_as_a_zipapp(
        self, venv: Environment, wheel: Path, zipapp_of: Path, plain_wheel: Path
    ) -> None:
        for program, origin in ((wheel / "pip", wheel), (zipapp_of, zipapp_of)):
            version = venv.run(venv.python, program, "--version").stdout
            assert version.startswith(f"pip {VERSION} from {origin / 'pip'} ")
            venv.run(venv.python, program, "install", "--no-index", plain_wheel)
            assert venv.installed() == {"demo": "1.0"}
            venv.pip("uninstall", "-y", "demo")

    def test_it_knows_the_cpu(
        self, venv: Environment, wheel: Path, zipapp_of: Path
    ) -> None:
        """What is known of CPUs lies in files beside the code."""
        command = ["variants", "host", "--json"]
        installed = venv.pip(*command).stdout
        if platform.machine() in ("x86_64", "AMD64"):
            assert "level" in installed
        for program in (wheel / "pip", zipapp_of):
            assert venv.run(venv.python, program, *command).stdout == installed

    def test_it_acts_on_another_environment(
        self, venv: Environment, zipapp_of: Path, plain_wheel: Path
    ) -> None:
        program = (sys.executable, "-I", zipapp_of, "--python", venv.venv)
        venv.run(*program, "install", "--no-index", plain_wheel)
        assert venv.installed() == {"demo": "1.0"}


class TestMetadata:
    """The wheel says what it is and under which licences."""

    @pytest.mark.on_wheel
    def test_name_and_entry_points_are_those_of_pip(self, wheel: Path) -> None:
        assert wheel.name == f"pip-{VERSION}-py3-none-any.whl"
        metadata = metadata_of(wheel)
        assert (metadata["Name"], metadata["Version"]) == ("pip", VERSION)
        assert metadata["Requires-Python"] == ">=3.10"
        assert metadata.get_all("Requires-Dist") is None
        with zipfile.ZipFile(wheel) as archive:
            path = f"pip-{VERSION}.dist-info/entry_points.txt"
            assert archive.read(path).decode() == (
                "[console_scripts]\n"
                "pip = pip._internal.cli.main:cli\n"
                "pip3 = pip._internal.cli.main:cli\n"
            )

    @pytest.mark.on_wheel
    def test_every_licence_is_listed_and_there(self, wheel: Path) -> None:
        listed = metadata_of(wheel).get_all("License-File") or []
        prefix = f"pip-{VERSION}.dist-info/licenses/"
        with zipfile.ZipFile(wheel) as archive:
            there = [name for name in archive.namelist() if name.startswith(prefix)]
            ours = archive.read(f"{prefix}LICENSE").decode()
        assert sorted(f"{prefix}{path}" for path in listed) == sorted(there)
        assert "The pip-variants developers" in ours
        assert {
            "LICENSE.txt",
            "src/pip/_vendor/pynvml/LICENSE",
            "src/pip/_vendor/archspec/vendor/cpuid/LICENSE",
            "src/pip/_vendor/requests/LICENSE",
        } < set(listed)

    @pytest.mark.on_wheel
    def test_pip_shows_them(self, venv: Environment) -> None:
        shown = venv.pip("show", "--files", "pip").stdout
        assert f"Version: {VERSION}\n" in shown
        assert "License-Expression: MIT AND " in shown
        licenses = f"pip-{VERSION}.dist-info/licenses"
        assert f"  {licenses}/src/pip/_vendor/pynvml/LICENSE\n" in shown

    @pytest.mark.on_wheel
    def test_record_matches(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            record = archive.read(names[-1]).decode()
            rows = list(csv.reader(record.splitlines()))
            assert names[-1] == f"pip-{VERSION}.dist-info/RECORD"
            assert [row[0] for row in rows] == names
            for name, digest, size in rows[:-1]:
                data = archive.read(name)
                raw = urlsafe_b64decode(digest.removeprefix("sha256=") + "=")
                assert raw == hashlib.sha256(data).digest(), name
                assert int(size) == len(data), name


class TestRefused:
    """What cannot be built ends with a message instead of a traceback."""

    @pytest.fixture
    def project(self, repository_root: Path, tmp_path: Path) -> Path:
        """Return a copy of what a build needs."""
        project = tmp_path / "project"
        ignored = shutil.ignore_patterns("__pycache__")
        for name in ("fork", "src"):
            shutil.copytree(repository_root / name, project / name, ignore=ignored)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(repository_root / name, project / name)
        return project

    @pytest.fixture
    def unreviewed(self, project: Path) -> Path:
        """Return a project whose records are not those of the pinned release."""
        recorded = project / "fork" / "recorded.json"
        text = recorded.read_text(encoding="utf-8")
        recorded.write_text(text.replace('"pip": "', '"pip": "0'), encoding="utf-8")
        return project

    @pytest.fixture
    def run(self, tmp_path: Path) -> Callable[..., str]:
        """Return a function that runs a Python module, which fails, for its output."""

        def run(*arguments: str | Path) -> str:
            # With the settings of the user: build requirements are downloaded.
            done = subprocess.run(
                [sys.executable, "-m", *map(str, arguments)],
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert done.returncode != 0
            assert "Traceback" not in done.stdout
            assert not list(tmp_path.glob("*.whl"))
            return done.stdout

        return run

    def test_by_pip(self, unreviewed: Path, run: Callable[..., str]) -> None:
        output = run("pip", "wheel", "--no-deps", unreviewed)
        assert "error: pip 26.3 is not the release that was reviewed" in output

    def test_by_build(self, unreviewed: Path, run: Callable[..., str]) -> None:
        pytest.importorskip("build", reason="build is not installed")
        output = run("build", "--wheel", "--outdir", ".", unreviewed)
        assert "\nerror: pip 26.3 is not the release that was reviewed" in output

    def test_by_uv(self, unreviewed: Path, run: Callable[..., str]) -> None:
        pytest.importorskip("uv", reason="uv is not installed")
        output = run("uv", "build", "--wheel", "--out-dir", ".", unreviewed)
        assert "\nerror: pip 26.3 is not the release that was reviewed" in output

    def test_editable(
        self, project: Path, run: Callable[..., str], tmp_path: Path
    ) -> None:
        output = run("pip", "install", "--target", tmp_path / "t", "-e", project)
        assert "error: the fork cannot be installed in editable mode" in output
        assert "Type: python -m pip install ." in output
