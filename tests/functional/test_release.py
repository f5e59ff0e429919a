"""What `nox -s release` makes is the same for everybody, and works by itself.

That session runs these tests, and no other does.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from fork.version import FORK, UPSTREAM, VERSION
from tests.lib.environments import REPOSITORY, Environment
from tests.lib.index import IndexServer
from tests.lib.static_server import StaticServer
from tests.lib.wheels import make_wheel

pytestmark = [pytest.mark.release, pytest.mark.process]

#: A user who owns nothing.
NOBODY = 65534
FORK_WHEEL = f"pip-{VERSION}-py3-none-any.whl"
CARRIER_WHEEL = f"pip_variants-{FORK}-py3-none-any.whl"
CORE = tomllib.loads((REPOSITORY / "core/pyproject.toml").read_text())["project"][
    "version"
]
CORE_WHEEL = f"wheel_variants-{CORE}-py3-none-any.whl"


@dataclass(frozen=True)
class Somebody:
    """Who makes a release."""

    umask: int
    user: int | None = None
    zone: str = "UTC"
    seed: str = "1"


def copied(root: Path, folder: Path, *, age: float | None = None) -> Path:
    """Return a copy of the project; caches and all that was built is left out.

    :param age: when all files were last changed, in seconds since 1970.
    """
    project = folder / "project"
    ignored = shutil.ignore_patterns(
        *(".git", ".nox", ".venv", "build", "dist", ".*_cache", "__pycache__")
    )
    shutil.copytree(root, project, ignore=ignored)
    if age is not None:
        for path in project.rglob("*"):
            os.utime(path, (age, age))
    return project


def make(project: Path, who: Somebody) -> Path:
    """Make a release; return its folder."""
    # With the user's settings: build requirements are downloaded.
    variables = {**os.environ, "TZ": who.zone, "PYTHONHASHSEED": who.seed}
    for name in ("FORK_WHEEL", "SOURCE_DATE_EPOCH", "PYTHONPATH"):
        variables.pop(name, None)
    if who.user is not None:
        variables["HOME"] = str(project.parent)
        for path in (project.parent, *project.parent.rglob("*")):
            os.chown(path, who.user, who.user, follow_symlinks=False)
    done = subprocess.run(
        [sys.executable, "-m", "tools.release"],
        cwd=project,
        env=variables,
        umask=who.umask,
        user=who.user,
        group=who.user,
        extra_groups=None if who.user is None else [],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return project / "build" / "release"


def files_of(folder: Path) -> dict[str, str]:
    """Return the digests of all files, by path."""
    return {
        path.relative_to(folder).as_posix(): sha256(path)
        for path in folder.rglob("*")
        if path.is_file()
    }


def sha256(path: Path) -> str:
    """Return the digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory, repository_root: Path) -> Path:
    """Return the folder of a release: ``$PIP_VARIANTS_RELEASE``, or one made now."""
    given = os.environ.get("PIP_VARIANTS_RELEASE")
    if given:
        return Path(given).resolve(strict=True)
    folder = tmp_path_factory.mktemp("release")
    return make(copied(repository_root, folder), Somebody(umask=0o022))


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """Return a folder that every user can get to."""
    with tempfile.TemporaryDirectory(prefix="another place ") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def another_user(python: str) -> int | None:
    """Return a user who can run an interpreter and is not this one, if there is any.

    Only root can become somebody else.
    """
    if os.geteuid() != 0:
        return None
    try:
        subprocess.run(
            [python, "-c", ""], user=NOBODY, group=NOBODY, extra_groups=[], check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return NOBODY


def test_it_is_the_same_for_everybody(
    release: Path, repository_root: Path, public_folder: Path
) -> None:
    project = copied(repository_root, public_folder, age=1_000_000_000)
    who = Somebody(
        umask=0o077, user=another_user(sys.executable), zone="Pacific/Chatham", seed="2"
    )
    assert files_of(make(project, who)) == files_of(release)
    if who.user is None:
        pytest.skip("no other user can run this interpreter")


def test_what_there_is(release: Path) -> None:
    assert set(files_of(release)) == {
        "SHA256SUMS",
        "get-pip-variants.py",
        FORK_WHEEL,
        f"{FORK_WHEEL}.metadata",
        f"pip-{VERSION}.tar.gz",
        "pip-variants.cdx.json",
        "pip-variants.pyz",
        CARRIER_WHEEL,
        f"{CARRIER_WHEEL}.metadata",
        f"pip_variants-{FORK}.tar.gz",
        CORE_WHEEL,
        f"{CORE_WHEEL}.metadata",
        f"wheel_variants-{CORE}.tar.gz",
        *(
            f"simple/{folder}index.{kind}"
            for folder in ("", "pip/", "pip-variants/", "wheel-variants/")
            for kind in ("html", "v1_json")
        ),
    }
    with zipfile.ZipFile(release / CARRIER_WHEEL) as archive:
        carried = archive.read(f"pip_variants/wheels/{FORK_WHEEL}")
    assert carried == (release / FORK_WHEEL).read_bytes()


def test_sums(release: Path) -> None:
    rows = (release / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    listed = {name: digest for digest, name in (row.split("  ") for row in rows)}
    there = files_of(release)
    beside = {path for path in there if "/" not in path} - {"SHA256SUMS"}
    assert listed == {path: there[path] for path in beside}


def test_the_bill_of_materials_has_each_file_of_the_wheel_once(release: Path) -> None:
    text = (release / "pip-variants.cdx.json").read_text(encoding="utf-8")
    bill = json.loads(text)
    found: dict[str, str] = {}
    packages: dict[str, str] = {}

    def walk(components: list[Any]) -> None:
        for each in components:
            if each["type"] == "file":
                assert each["name"] not in found
                found[each["name"]] = each["hashes"][0]["content"]
            else:
                packages[each["name"]] = each.get("version", "")
            walk(each.get("components", []))

    walk(bill["components"])
    with zipfile.ZipFile(release / FORK_WHEEL) as archive:
        there = {
            name: hashlib.sha256(archive.read(name)).hexdigest()
            for name in archive.namelist()
        }
        vendored = archive.read("pip/_vendor/vendor.txt").decode().split()
    assert found == there
    assert bill["specVersion"] == "1.6"
    digest = sha256(release / FORK_WHEEL)
    assert bill["metadata"]["component"]["hashes"][0]["content"] == digest
    # Upstream's own list, in another form of it.
    for line in vendored:
        name, _, version = line.lower().partition("==")
        assert packages[name] == version
    assert packages["pip"] == UPSTREAM
    assert {"nvidia-ml-py", "archspec", "cpuid", "pip-variants"} <= packages.keys()


class TestZipapp:
    """``pip-variants.pyz`` is a pip that nobody has to install."""

    @pytest.mark.smoke
    def test_it_runs_and_installs(
        self, release: Path, upstream_venv: Environment, index: IndexServer
    ) -> None:
        venv, program = upstream_venv, release / "pip-variants.pyz"
        version = venv.run(venv.python, program, "--version").stdout
        assert version.startswith(f"pip {VERSION} from {program / 'pip'} ")
        index.add(make_wheel("demo", "1.0"))
        venv.run(venv.python, program, "install", "-i", index.index_url, "demo")
        assert venv.installed() == {"demo": "1.0"}
        assert venv.pip("--version").stdout.startswith(f"pip {UPSTREAM} from ")
        usage = venv.run(venv.python, program, "install", "--help").stdout
        assert "pip-variants.pyz install [options]" in usage


class TestInstaller:
    """``get-pip-variants.py`` needs nothing but itself."""

    @pytest.mark.smoke
    def test_there_and_back(self, release: Path, upstream_venv: Environment) -> None:
        venv, program = upstream_venv, release / "get-pip-variants.py"
        done = venv.run(venv.python, program, "--yes")
        assert f"pip {UPSTREAM} -> pip {VERSION}" in done.stdout
        assert venv.pip("--version").stdout.startswith(f"pip {VERSION} from ")
        assert venv.pip("check").stdout == "No broken requirements found.\n"
        # As it says itself.
        back = shlex.split(done.stdout.partition("run: ")[2])
        assert back[:2] == ["python", program.name]
        venv.run(venv.python, *back[1:], "--yes", cwd=release)
        assert venv.pip("--version").stdout.startswith(f"pip {UPSTREAM} from ")

    def test_nobody_to_ask(self, release: Path, upstream_venv: Environment) -> None:
        venv = upstream_venv
        done = venv.run(venv.python, release / "get-pip-variants.py", code=1)
        assert "Nothing was changed" in done.stderr
        assert venv.pip("--version").stdout.startswith(f"pip {UPSTREAM} from ")

    def test_a_damaged_one(
        self, release: Path, upstream_venv: Environment, tmp_path: Path
    ) -> None:
        lines = (release / "get-pip-variants.py").read_bytes().splitlines(keepends=True)
        damaged = tmp_path / "get-pip-variants.py"
        damaged.write_bytes(b"".join(lines[:1000] + lines[1001:]))
        venv = upstream_venv
        done = venv.run(venv.python, damaged, "--yes", code=1)
        assert done.stderr.startswith("error: this file is damaged: its pip")
        assert venv.pip("--version").stdout.startswith(f"pip {UPSTREAM} from ")


class TestFolder:
    """Any pip installs from the folder, by any way that pip knows."""

    def test_find_links(self, release: Path, upstream_venv: Environment) -> None:
        venv = upstream_venv
        source = ("--no-index", "--find-links", release)
        venv.pip("install", *source, "pip-variants")
        assert venv.installed() == {"pip-variants": FORK}
        venv.pip("install", "-U", *source, "pip")
        assert venv.pip("--version").stdout.startswith(f"pip {VERSION} from ")

    @pytest.mark.parametrize("with_json", [False, True], ids=["html", "json"])
    def test_index_url(
        self, with_json: bool, release: Path, upstream_venv: Environment
    ) -> None:
        venv = upstream_venv
        with StaticServer(release, with_json=with_json) as server:
            index = ("--index-url", server.index_url)
            venv.pip("install", *index, "pip-variants")
            venv.pip("install", "-U", *index, "pip")
        assert venv.installed() == {"pip-variants": FORK}
        assert venv.pip("--version").stdout.startswith(f"pip {VERSION} from ")
        # Its metadata alone decides whether it fits (PEP 658).
        assert f"/{CARRIER_WHEEL}.metadata" in server.paths

    def test_the_carrier_is_built_from_its_source(
        self, release: Path, tmp_path: Path
    ) -> None:
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps"]
        (sdist,) = release.glob("pip_variants-*.tar.gz")
        subprocess.run([*command, "-w", str(tmp_path), str(sdist)], check=True)
        assert sha256(tmp_path / CARRIER_WHEEL) == sha256(release / CARRIER_WHEEL)
