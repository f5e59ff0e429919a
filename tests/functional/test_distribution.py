"""The fork is installed, run and removed like any pip, from wherever it is run."""

from __future__ import annotations

import csv
import hashlib
import shutil
import subprocess
import sys
import zipapp
import zipfile
from base64 import urlsafe_b64decode
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from fork.version import VERSION
from tests.lib.environments import Environment, Workshop
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
        self, upstream_venv: Environment, wheel: Path, workshop: Workshop
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

        venv.pip("install", "--no-index", workshop.upstream_wheel())
        assert venv.pip("--version").stdout.startswith("pip 26.3 from ")
        venv.pip("install", "--no-index", wheel)

        done = venv.pip("uninstall", "-y", "pip").stdout
        assert f"Successfully uninstalled pip-{VERSION}" in done
        assert "No module named pip" in venv.pip("--version", code=1).stderr
        assert not list(venv.site_packages.glob("pip*"))
        assert not list(venv.scripts.glob("pip*"))


class TestNotInstalled:
    """The fork runs from a file, and installs from there."""

    @pytest.mark.smoke
    def test_it_runs_from_the_wheel_and_as_a_zipapp(
        self, venv: Environment, wheel: Path, zipapp_of: Path, plain_wheel: Path
    ) -> None:
        for program, origin in ((wheel / "pip", wheel), (zipapp_of, zipapp_of)):
            # What is known of CPUs lies in files beside the code.
            command = ["variants", "host", "--json"]
            told = venv.run(venv.python, program, *command).stdout
            assert told == venv.pip(*command).stdout
            version = venv.run(venv.python, program, "--version").stdout
            assert version.startswith(f"pip {VERSION} from {origin / 'pip'} ")
            venv.run(venv.python, program, "install", "--no-index", plain_wheel)
            assert venv.installed() == {"demo": "1.0"}
            venv.pip("uninstall", "-y", "demo")

    def test_it_acts_on_another_environment(
        self, venv: Environment, zipapp_of: Path, plain_wheel: Path
    ) -> None:
        program = (sys.executable, "-I", zipapp_of, "--python", venv.venv)
        venv.run(*program, "install", "--no-index", plain_wheel)
        assert venv.installed() == {"demo": "1.0"}


class TestMetadata:
    """The wheel says what it is and under which licenses."""

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
    def test_every_file_and_license_is_listed_and_there(self, wheel: Path) -> None:
        listed = metadata_of(wheel).get_all("License-File") or []
        prefix = f"pip-{VERSION}.dist-info/licenses/"
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            there = [name for name in names if name.startswith(prefix)]
            ours = archive.read(f"{prefix}LICENSE").decode()
            assert names[-1] == f"pip-{VERSION}.dist-info/RECORD"
            rows = list(csv.reader(archive.read(names[-1]).decode().splitlines()))
            assert [row[0] for row in rows] == names
            for name, digest, size in rows[:-1]:
                data = archive.read(name)
                raw = urlsafe_b64decode(digest.removeprefix("sha256=") + "=")
                assert raw == hashlib.sha256(data).digest(), name
                assert int(size) == len(data), name
        assert sorted(f"{prefix}{path}" for path in listed) == sorted(there)
        assert "The pip-variants developers" in ours
        assert {
            "LICENSE.txt",
            "src/pip/_vendor/pynvml/LICENSE",
            "src/pip/_vendor/archspec/vendor/cpuid/LICENSE",
            "src/pip/_vendor/requests/LICENSE",
        } < set(listed)


def test_what_cannot_be_built(repository_root: Path, tmp_path: Path) -> None:
    """It ends with a message instead of a traceback."""
    project = tmp_path / "project"
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("fork", "src"):
        shutil.copytree(repository_root / name, project / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(repository_root / name, project / name)

    def pip(*arguments: str | Path) -> str:
        # With the settings of the user: build requirements are downloaded.
        done = subprocess.run(
            [sys.executable, "-m", "pip", *map(str, arguments)],
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

    output = pip("install", "--target", tmp_path / "t", "-e", project)
    assert "error: the fork cannot be installed in editable mode" in output
    assert "Run: python -m pip install ." in output
    # The digest is not that of the pinned release.
    pins = project / "fork" / "pins.py"
    text = pins.read_text(encoding="utf-8")
    assert text.count('    UPSTREAM,\n    "') == 1
    text = text.replace('    UPSTREAM,\n    "', '    UPSTREAM,\n    "0')
    pins.write_text(text, encoding="utf-8")
    output = pip("wheel", "--no-deps", project)
    assert "error: pip 26.3 is not the release that was reviewed" in output
