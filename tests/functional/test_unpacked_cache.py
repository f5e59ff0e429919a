"""A second environment gets what lies unpacked in the cache, and is the same as ever."""

from __future__ import annotations

import errno
import hashlib
import json
import marshal
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any

import pytest

from tests.functional.test_atomic_upgrade import CHANGES
from tests.functional.test_staged_installs import PLAIN, changed, entry, fill, tree
from tests.lib.environments import Environment, Result, Workshop
from tests.lib.faults import Gate
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda
from tests.lib.modes import in_process
from tests.lib.processes import Running, disturb, start_pip, wait_for
from tests.lib.wheels import DistFile, make_sdist, make_wheel

pytestmark = [
    pytest.mark.linux,
    pytest.mark.skipif(sys.platform == "win32", reason="not on Windows"),
]

FEATURE = ["--use-feature", "unpacked-cache"]
LINKS = [*FEATURE, "--unpacked-cache-links"]
CACHE = "unpacked-v1"
#: What the index has that can be kept; "scripts" and "odd" are not as plain as wheels are.
PLAIN_ONES = {"top", "broken", "many", "plat", "tidy"}


@pytest.fixture
def packages(index: IndexServer) -> IndexServer:
    """Return an index with wheels of all kinds."""
    fill(index)
    tidy = {
        "tidy/__init__.py": "def main(): return __file__\n",
        "tidy/data.txt": "data\n",
        "tidy-1.0.dist-info/entry_points.txt": "[console_scripts]\ntidy = tidy:main\n",
        "tidy-1.0.data/scripts/own-tidy": "#!python\nprint('own')\n",
        "tidy-1.0.data/data/share/tidy.txt": "data\n",
        "tidy-1.0.data/purelib/beside_tidy.py": "beside = True\n",
    }
    index.add(make_wheel("tidy", "1.0", files=tidy))
    needed = ["scripts", "broken", "many", "odd", "plat", "tidy"]
    index.add(make_wheel("top", "2.0", requires=needed))
    return index


class Install:
    """Installs into one new folder after the other.

    :ivar result: of the last time
    :ivar taken: the packages that came from the cache
    :ivar asked: the packages whose wheels the index was asked for
    """

    result: Result
    taken: frozenset[str]
    asked: frozenset[str]

    def __init__(self, venv: Environment, index: IndexServer, root: Path) -> None:
        self._venv, self._index, self._root = venv, index, root
        self._count = 0

    def __call__(
        self,
        *arguments: str,
        code: int = 0,
        env: Mapping[str, str | None] | None = None,
    ) -> Path:
        """Install packages, and return the folder."""
        self._count += 1
        return self.repeat(*arguments, code=code, env=env)

    def repeat(
        self,
        *arguments: str,
        code: int = 0,
        env: Mapping[str, str | None] | None = None,
    ) -> Path:
        """Install packages into the same folder as before."""
        folder = self._root / f"into{self._count}"
        self._index.clear_log()
        given = ["-i", self._index.index_url, "--prefix", str(folder), *arguments]
        self.result = self._venv.pip("install", *given, code=code, env=env)
        self.taken, self.asked = taken(self.result), asked(self._index)
        return folder


@pytest.fixture
def install(venv: Environment, packages: IndexServer, tmp_path: Path) -> Install:
    """Return what installs packages into new folders."""
    return Install(venv, packages, tmp_path)


@pytest.fixture
def patcher(
    monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> pytest.MonkeyPatch:
    """Return what stands between pip and the system."""
    if not in_process(pytestconfig):
        pytest.skip("it is patched in the test's own process")
    return monkeypatch


def taken(result: Result) -> frozenset[str]:
    """Return the names of the packages that were taken from the cache."""
    found = re.findall(r"Using unpacked (\w+)-\S+\.whl", result.stdout)
    assert len(found) == len(set(found))
    return frozenset(found)


def asked(index: IndexServer) -> frozenset[str]:
    """Return the names of the packages whose wheels the index was asked for."""
    names = (path.rpartition("/")[2] for _, path in index.log())
    wheels = (name for name in names if name.endswith(".whl"))
    return frozenset(name.partition("-")[0] for name in wheels)


def folder_of(venv: Environment) -> Path:
    """Return the folder of what lies unpacked."""
    (found,) = venv.home.rglob(CACHE)
    return found


def entries(venv: Environment) -> dict[str, Path]:
    """Return the entries of the cache by package."""
    folders = [each for each in folder_of(venv).iterdir() if each.is_dir()]
    return {next(e.glob("*.whl")).name.partition("-")[0]: e for e in folders}


def _place_apart(files: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out of compiled code where its module was."""

    def apart(part: Any) -> Any:
        match part:
            case [
                str(),
                bytes() as code,
                tuple() as names,
                int() as line,
                list() as inner,
            ]:
                return [code, names, line, [apart(each) for each in inner]]
        return part

    return {path: [apart(part) for part in parts] for path, parts in files.items()}


def started(
    venv: Environment, packages: IndexServer, *options: str
) -> tuple[Sequence[str], Running, Gate]:
    """Start a pip that has taken "many" from the cache and waits for another package.

    :return: its arguments, itself, and what lets it go on
    """
    gate = Gate()
    # It is kept by nobody.
    packages.add(make_wheel("slow", "1.0", files={"slow/a\\b.py": ""}))
    packages.fault("slow-1.0-py3-none-any.whl", gate=gate)
    command = ["install", "many", "slow", "-i", packages.index_url, *FEATURE, *options]
    running = start_pip(venv, *command, env={})
    gate.wait_until_reached()
    return command, running, gate


def module(folder: Path, name: str) -> Path:
    """Return an installed file."""
    (found,) = folder.rglob(name)
    return found


# The same


WAYS: Mapping[str, Sequence[str]] = {
    "prefix": ["--prefix", "FOLDER"],
    "no bytecode": ["--prefix", "FOLDER", "--no-compile"],
    "root": ["--root", "FOLDER", "--prefix", "/usr"],
    "target": ["--target", "FOLDER"],
    "in turn": ["--prefix", "FOLDER", "--parallel-downloads=1"],
}


@pytest.mark.parametrize("options", [FEATURE, LINKS], ids=["copies", "links"])
@pytest.mark.parametrize("way", WAYS)
def test_same_tree(
    venv: Environment,
    packages: IndexServer,
    tmp_path: Path,
    way: str,
    options: Sequence[str],
) -> None:
    command = ["install", "-v", "top", "-i", packages.index_url]
    trees = []
    for number, more in enumerate([[], options, options]):
        folder = tmp_path / f"into{number}"
        where = [part.replace("FOLDER", str(folder)) for part in WAYS[way]]
        packages.clear_log()
        result = venv.pip(*command, *where, *more)
        trees.append(_place_apart(tree(folder)))
        is_again = number == 2
        assert taken(result) == (PLAIN_ONES if is_again else set())
        assert not is_again or asked(packages) <= {"scripts", "odd"}
    assert trees[0] == trees[1] == trees[2]
    assert any(name.endswith(".pyc") for name in trees[2]) == (way != "no bytecode")


@pytest.mark.on_wheel
@pytest.mark.process
def test_it_works_and_goes_away(
    venv: Environment, packages: IndexServer, workshop: Workshop, tmp_path: Path
) -> None:
    other = workshop.fork(tmp_path / "other")
    command = ["install", "top", "-i", packages.index_url, *LINKS]
    venv.pip(*command)
    before = tree(other.site_packages)
    env = {"PIP_CACHE_DIR": str(folder_of(venv).parent)}
    assert taken(other.pip(*command, env=env)) == PLAIN_ONES
    assert other.eval("many.m7.f7(), tidy.main()", "many.m7, tidy").startswith("7 ")
    assert (
        other.run(other.scripts / "tidy", code=1)
        .stderr.strip()
        .endswith("tidy/__init__.py")
    )
    assert other.run(other.python, other.scripts / "own-tidy").stdout == "own\n"
    assert "No broken" in other.pip("check").stdout
    other.pip("uninstall", "-y", *PLAIN_ONES, "scripts", "odd")
    assert tree(other.site_packages) == before
    assert not (other.scripts / "tidy").exists()
    # The first environment has all of it.
    assert venv.eval("many.m7.f7()", "many.m7") == "7"


def test_a_variant(venv: Environment, index: IndexServer, tmp_path: Path) -> None:
    index.add_release("kernels", "1.0", {"cu128": cuda("12.8"), "null": {}})
    command = ["install", "-v", "kernels", "-i", index.index_url, *FEATURE]
    for number in range(2):
        folder = tmp_path / f"into{number}"
        result = venv.pip(*command, "--prefix", str(folder), env=forced("12.8"))
        assert taken(result) == ({"kernels"} if number else set())
        assert "Using the variant cu128 of kernels 1.0" in result.stdout
        assert "kernels-1.0 (cu128)" in result.stdout
        assert module(folder, "variant.json").is_file()
        assert "cu128" in module(folder, "kernels/__init__.py").read_text("utf-8")


def test_an_upgrade_and_back(venv: Environment, packages: IndexServer) -> None:
    index = ["-i", packages.index_url, *LINKS]
    many = {f"many/m{n}.py": f"def f{n}(): return {n + 1}\n" for n in range(40)}
    packages.add(make_wheel("many", "2.0", files=many))
    venv.pip("install", "many==1.0", *index)
    old = _place_apart(tree(venv.site_packages))
    venv.pip("install", "many==2.0", *index)
    new = _place_apart(tree(venv.site_packages))
    for version, expected in ("1.0", old), ("2.0", new), ("1.0", old):
        result = venv.pip("install", "-v", f"many=={version}", *index)
        assert taken(result) == {"many"}
        assert _place_apart(tree(venv.site_packages)) == expected


def test_what_cannot_be_installed_leaves_what_upstream_leaves(
    install: Install, packages: IndexServer, tmp_path: Path
) -> None:
    """Also of another package, and of the same one, that is installed once more."""
    files = {"tidy/data.txt": "of another\n", "tidy/more.txt": "more\n"}
    packages.add(make_wheel("another", "1.0", files=files))
    place = module(install("tidy", *FEATURE), "own-tidy").relative_to(
        tmp_path / "into1"
    )
    trees = []
    for options in [], FEATURE:
        folder = install("another", *options)
        (folder / place).mkdir(parents=True)
        install.repeat("tidy", *options, code=1)
        assert install.taken == ({"tidy"} if options else set())
        # Upstream comes neither to bytecode nor to what it makes of RECORD.
        left = _place_apart(tree(folder)).items()
        trees.append({k: v for k, v in left if not k.endswith("RECORD")})
    assert trees[0] == trees[1]
    assert not any(path.endswith(".pyc") and "tidy" in path for path in trees[1])
    assert any(path.endswith("tidy/more.txt") for path in trees[1])


def test_a_variant_that_cannot_be_installed_is_not_half_there(
    install: Install, index: IndexServer, tmp_path: Path
) -> None:
    script = {"kernels-1.0.data/scripts/tool": "#!python\n"}
    index.add_release(
        "kernels", "1.0", {"cu128": cuda("12.8"), "null": {}}, files=script
    )
    env = forced("12.8")
    place = module(install("kernels", *FEATURE, env=env), "tool")
    in_the_way = tmp_path / "into2" / place.relative_to(tmp_path / "into1") / "kept"
    in_the_way.mkdir(parents=True)
    install("kernels", *FEATURE, env=env, code=1)
    assert install.taken == {"kernels"}
    assert not [p for p in (tmp_path / "into2").rglob("*") if p.is_file()]


@pytest.mark.process
@pytest.mark.parametrize("step", range(1, 10, 2))
def test_killed_while_the_same_wheel_replaces_itself(
    venv: Environment, index: IndexServer, step: int
) -> None:
    """By links the old and the new files would be the same, which would then be removed."""
    index.add(make_wheel("one", "1.0", files={"solo.py": "version = 1\n"}))
    given = ["-i", index.index_url, *LINKS]
    venv.pip("install", "one", *given)
    venv.pip("install", "one", *given, "--force-reinstall")
    before = set(_names_of({"one", "solo"}, venv))
    killer = disturb(venv, "/old-0", CHANGES, step, str(int(signal.SIGKILL)))
    command = ["install", "one", *given, "--force-reinstall"]
    assert venv.pip(*command, code=None, env=killer).returncode == -signal.SIGKILL
    venv.pip(*command)
    # The next upgrade removes what the killed one left.
    venv.pip(*command)
    assert set(_names_of({"one", "solo"}, venv)) == before
    assert venv.eval("solo.version", "solo") == "1"


def _names_of(names: set[str], venv: Environment) -> Iterator[str]:
    """Yield the files of which the path has one of some names."""
    found = (
        path.relative_to(venv.site_packages) for path in venv.site_packages.rglob("*")
    )
    return (
        str(path) for path in found if names.intersection(re.split(r"\W", str(path)))
    )


# By which hash


def test_no_hash_no_cache(install: Install, packages: IndexServer) -> None:
    packages.pages.hashes = False
    for _ in range(2):
        install("many", *FEATURE, "-v")
        assert not install.taken
        # Who asks is told.
        assert "-any.whl is not kept unpacked: no sha256" in install.result.stdout


@pytest.mark.parametrize("kind", ["md5", "sha512"])
def test_another_kind_of_hash(
    install: Install, packages: IndexServer, kind: str
) -> None:
    wheel = make_wheel("direct", "1.0")
    packages.add(wheel)
    digest = hashlib.new(kind, wheel.content).hexdigest()
    url = f"{packages.url}/files/{wheel.filename}#{kind}={digest}"
    for _ in range(2):
        install(f"direct @ {url}", *FEATURE)
        assert not install.taken


def test_a_url_with_its_hash(
    install: Install, packages: IndexServer, tmp_path: Path
) -> None:
    wheel = make_wheel("direct", "1.0")
    packages.add(wheel)
    url = f"{packages.url}/files/{wheel.filename}"
    with_hash = f"direct @ {url}#sha256={wheel.sha256}"
    folders = [install(with_hash, *FEATURE) for _ in range(2)]
    assert install.taken == {"direct"}
    first, second = (module(each, "direct_url.json").read_bytes() for each in folders)
    assert first == second
    assert wheel.sha256.encode() in second
    folder = install(f"direct @ {url}", *FEATURE)
    assert not install.taken
    assert wheel.sha256.encode() in module(folder, "direct_url.json").read_bytes()
    # What upstream writes down of such a link is computed from a file.
    listed = tmp_path / "requirements.txt"
    line = f"direct @ {url} --hash=sha256:{wheel.sha256}\n"
    listed.write_text(line, encoding="utf-8")
    folder = install("-r", str(listed), *FEATURE)
    assert install.taken == {"direct"}
    assert wheel.sha256.encode() in module(folder, "direct_url.json").read_bytes()


def test_required_hashes(
    install: Install, packages: IndexServer, tmp_path: Path
) -> None:
    wheel = make_wheel("direct", "1.0")
    packages.add(wheel)
    listed = tmp_path / "requirements.txt"
    listed.write_text(f"direct==1.0 --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    for number in range(2):
        install("-r", str(listed), *FEATURE)
        assert install.taken == ({"direct"} if number else set())
    assert not install.asked
    # Another hash that the file must have.
    other = hashlib.sha512(wheel.content).hexdigest()
    listed.write_text(f"direct==1.0 --hash=sha512:{other}\n", encoding="utf-8")
    install("-r", str(listed), *FEATURE)
    assert not install.taken
    listed.write_text(f"direct==1.0 --hash=sha256:{'0' * 64}\n", encoding="utf-8")
    install("-r", str(listed), *FEATURE, code=1)
    assert "Expected sha256 0000" in install.result.stderr


def test_one_of_several_hashes(
    install: Install, packages: IndexServer, tmp_path: Path
) -> None:
    """Which of them it has is known if the index tells."""
    wheels = [make_wheel("direct", version) for version in ("1.0", "2.0")]
    for wheel in wheels:
        packages.add(wheel)
        install(f"direct=={wheel.version}", *FEATURE)
    listed = tmp_path / "requirements.txt"
    hashes = " ".join(f"--hash=sha256:{wheel.sha256}" for wheel in wheels)
    listed.write_text(f"direct==1.0 {hashes}\n", encoding="utf-8")
    for told in (True, False):
        packages.pages.hashes = told
        folder = install("-r", str(listed), *FEATURE)
        assert install.taken == ({"direct"} if told else set())
        assert "1.0" in module(folder, "direct/__init__.py").read_text("utf-8")


def test_a_lock_file(venv: Environment, packages: IndexServer, tmp_path: Path) -> None:
    lock = tmp_path / "pylock.toml"
    venv.pip("lock", "many", "-i", packages.index_url, "-o", str(lock))
    for number in range(2):
        given = ["--prefix", str(tmp_path / f"into{number}"), *FEATURE]
        result = venv.pip("install", "-v", "-r", str(lock), *given)
        assert taken(result) == ({"many"} if number else set())


def test_a_wrong_hash_on_the_page_is_told(
    install: Install, packages: IndexServer
) -> None:
    install("many", *FEATURE)
    packages.projects["many"].clear()
    packages.add(make_wheel("many", "1.0"), sha256="0" * 64)
    install("many", *FEATURE, code=1)
    assert "Expected sha256 0000" in install.result.stderr


# What is not kept


def _without_digests(archive: Any) -> None:
    archive.writestr(entry("plain/more.py"), "more = True\n")


UNSUITABLE: Mapping[str, Callable[[], DistFile]] = {
    "not in its RECORD": lambda: changed(PLAIN, _without_digests),
    "bytecode": lambda: make_wheel(
        *("plain", "1.0"),
        files={
            "plain/x.py": "x = 1\n",
            "plain/__pycache__/note.txt": "x",
        },
    ),
    "one name twice": lambda: make_wheel(
        "plain", "1.0", files={"plain/a.py": "a = 1\n", "plain/A.py": "a = 2\n"}
    ),
    "bytecode of its data": lambda: make_wheel(
        *("plain", "1.0"),
        files={"plain-1.0.data/purelib/plain/__pycache__/note.txt": "x"},
    ),
    "backslash": lambda: make_wheel("plain", "1.0", files={"plain/a\\b.py": "a = 1\n"}),
}


@pytest.mark.parametrize("name", UNSUITABLE)
def test_what_is_not_as_plain_as_wheels_are(
    install: Install, packages: IndexServer, venv: Environment, name: str
) -> None:
    packages.add(UNSUITABLE[name]())
    trees = [_place_apart(tree(install("plain", "-v", *FEATURE))) for _ in range(2)]
    assert trees[0] == trees[1]
    assert "plain-1.0-py3-none-any.whl is not kept unpacked: " in install.result.stdout
    assert not install.taken
    assert not list(folder_of(venv).glob("*/contents"))


@pytest.mark.parametrize(
    "environ",
    [
        pytest.param({"SOURCE_DATE_EPOCH": "1600000000"}, id="by hashes"),
        pytest.param({"PYTHONNODEBUGRANGES": "1"}, id="without columns"),
        pytest.param(
            *({"PYTHONPYCACHEPREFIX": "/nowhere"},),
            id="elsewhere",
            marks=pytest.mark.process,
        ),
    ],
)
def test_bytecode_of_another_kind(install: Install, environ: Mapping[str, str]) -> None:
    install("many", *FEATURE)
    install("many", *FEATURE, env=environ)
    assert not install.taken


def test_what_was_installed_over(install: Install, packages: IndexServer) -> None:
    """A file that a later package of the same run replaces is not kept for the first."""
    packages.add(make_wheel("first", "1.0", files={"shared.py": "of = 'first'\n"}))
    files = {"shared.py": "of = 'other'\n"}
    packages.add(make_wheel("other", "1.0", files=files, requires=["first"]))
    install("other", *FEATURE)
    folder = install("first", *FEATURE)
    assert not install.taken
    assert module(folder, "shared.py").read_text("utf-8") == "of = 'first'\n"


def test_bytecode_that_another_package_brings(
    install: Install, packages: IndexServer, venv: Environment
) -> None:
    source = "def f7(): return 7\n"
    code = marshal.dumps(compile("evil = True\n", "m7.py", "exec"))
    name = f"many/__pycache__/m7.{sys.implementation.cache_tag}.pyc"
    for _ in range(20):
        parts = (0, int(time.time()), len(source))
        header = MAGIC_NUMBER + b"".join(each.to_bytes(4, "little") for each in parts)
        packages.projects.pop("evil", None)
        files = {name: header + code}
        packages.add(make_wheel("evil", "1.0", files=files, requires=["many"]))
        folder = install("evil", *FEATURE)
        installed = module(folder, "m7.py").stat()
        if (int(installed.st_mtime), installed.st_size) == parts[1:]:
            break
        venv.pip("cache", "purge")
    else:
        pytest.fail("no second was long enough")
    assert b"evil" in module(folder, Path(name).name).read_bytes()
    folder = install("many", *FEATURE)
    assert b"evil" not in module(folder, Path(name).name).read_bytes()


def test_rights_that_another_package_brings(
    install: Install, packages: IndexServer
) -> None:
    wheel = changed(
        make_wheel("evil", "1.0", requires=["tidy"]),
        lambda archive: archive.writestr(entry("tidy/data.txt", 0o755), "data\n"),
    )
    packages.add(wheel)
    install("evil", *FEATURE)
    folder = install("tidy", *FEATURE)
    assert module(folder, "data.txt").stat().st_mode & 0o111 == 0


def test_what_could_be_compiled_and_was_not(
    install: Install, venv: Environment, tmp_path: Path
) -> None:
    """What kept it from being compiled may be gone the next time."""
    folder = module(install("many"), "m7.py").parent.relative_to(tmp_path / "into1")
    in_the_way = tmp_path / "into2" / folder / "__pycache__"
    in_the_way.parent.mkdir(parents=True)
    in_the_way.touch()
    install("many", *FEATURE)
    assert not list(venv.home.rglob("unpacked-v1/*/contents"))


@pytest.mark.process
def test_what_is_needed_to_build(venv: Environment, packages: IndexServer) -> None:
    """In the same process, with the same finder, while upstream resolves."""
    wheel = make_wheel("direct", "1.0")
    packages.add(wheel)
    url = f"{packages.url}/files/{wheel.filename}#sha256={wheel.sha256}"
    packages.add(make_wheel("unlike", "1.0", requires=["many"]))
    for name in "ab":
        requires = [f"direct @ {url}", "unlike"]
        packages.add(make_sdist(f"built-{name}", "1.0", build_requires=requires))
    venv.pip("install", f"direct @ {url}", "-i", packages.index_url, *FEATURE)
    command = ["install", "built-a", "built-b", "many", "-i", packages.index_url]
    for options in [], FEATURE, FEATURE:
        given = ["--use-feature", "inprocess-build-deps", "--force-reinstall"]
        venv.pip(*command, *given, *options)
        assert {"built-a", "built-b", "many"} <= set(venv.installed())
    assert "many" in entries(venv)


@pytest.mark.parametrize("options", [["--dry-run"], ["--no-cache-dir"], ["--no-fast"]])
def test_where_nothing_is_kept(
    install: Install, venv: Environment, options: Sequence[str]
) -> None:
    for _ in range(2):
        install("many", *FEATURE, *options)
        assert not install.taken
    assert not list(venv.home.rglob("unpacked-v1/*/contents"))


# Damage


def _edited(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"return 7", b"return 8"))


def _longer(path: Path) -> None:
    path.write_text("x = 1\n", encoding="utf-8")


def _link(path: Path) -> None:
    other = path.with_name("elsewhere.py")
    path.rename(other)
    path.symlink_to(other)


#: What may happen to a file of an entry.
OF_A_FILE: Mapping[str, Callable[[Path], None]] = {
    "edited": _edited,
    "of another size": _longer,
    "gone": Path.unlink,
    "a link": _link,
    "for everybody to change": lambda path: path.chmod(0o666),
}
#: What may happen to an entry.
OF_AN_ENTRY: Mapping[str, Callable[[Path], None]] = {
    "no list": lambda entry: (entry / "contents").unlink(),
    "a broken list": lambda entry: _longer(entry / "contents"),
    "of another wheel": lambda entry: _in_list(
        entry, '"name": "', '"name": "0', sealed=True
    ),
    "an edited list": lambda entry: _in_list(entry, "many/m7.py", "many/m8.py"),
    "a huge list": lambda entry: os.truncate(entry / "contents", 1 << 38),
    "a pipe": lambda entry: _pipe(entry / "contents"),
    "a file in its place": lambda entry: _in_place(entry),
    "other bytes in the wheel": lambda entry: _rotten(next(entry.glob("*.whl"))),
    "a hostile list": lambda entry: _hostile(entry),
    "another form": lambda entry: _written(entry, "[]"),
    "no names in it": lambda entry: _written(entry, '{"name": 1}'),
    "rows of another form": lambda entry: _in_list(
        entry, '", false, ', '", 0, ', sealed=True
    ),
    "a time that no clock has": lambda entry: _edit_row(entry, 2, 10**30),
    "a size that no file has": lambda entry: _edit_row(entry, 1, -5),
    "another size": lambda entry: _edit_row(entry, 1, 10**9),
    "a name that cannot be": lambda entry: _edit_row(entry, 0, "many/\ud800.py"),
    "no list at all": lambda entry: _written(entry, "[" * 200_000),
    "a broken wheel": lambda entry: _longer(next(entry.glob("*.whl"))),
}
#: The options with which a file is kept among small ones, and alone; where it is then.
FORMS: Mapping[str, tuple[Sequence[str], str]] = {
    "in a pack": (FEATURE, "pack"),
    "alone": (LINKS, "files/many/m7.py"),
}


def _in_list(entry: Path, before: str, after: str, *, sealed: bool = False) -> None:
    path = entry / "contents"
    seal, _, text = path.read_text(encoding="utf-8").partition("\n")
    assert before in text
    text = text.replace(before, after)
    if sealed:
        seal = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(f"{seal}\n{text}", encoding="utf-8")


def _written(entry: Path, text: str) -> None:
    seal = hashlib.sha256(text.encode()).hexdigest()
    (entry / "contents").write_text(f"{seal}\n{text}", encoding="utf-8")


def _edit_row(entry: Path, number: int, value: object) -> None:
    """Let a list tell something else of a module."""
    content = json.loads((entry / "contents").read_bytes().partition(b"\n")[2])
    (row,) = (each for each in content["files"] if each[0] == "many/m7.py")
    row[number] = value
    _written(entry, json.dumps(content))


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _in_place(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.touch()


def _rotten(path: Path) -> None:
    status, content = path.stat(), path.read_bytes()
    path.write_bytes(content[:40] + bytes([content[40] ^ 1]) + content[41:])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _hostile(entry: Path) -> None:
    """Let a list lead to a file that is as it tells, outside of the others."""
    if (alone := entry / "files/many/m7.py").exists():
        shutil.copy2(alone, entry / "m7.py")
    _in_list(entry, "many/m7.py", "../m7.py", sealed=True)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [*OF_A_FILE, *OF_AN_ENTRY])
def test_what_is_damaged_is_replaced_whole(
    install: Install, venv: Environment, tmp_path: Path, name: str, form: str
) -> None:
    options, path = FORMS[form]
    expected = _place_apart(tree(install("many", *options)))
    (kept,) = entries(venv).values()
    if damage := OF_A_FILE.get(name):
        damage(kept / path)
    else:
        OF_AN_ENTRY[name](kept)
    for is_taken in (False, True):
        assert _place_apart(tree(install("many", *options))) == expected
        assert install.taken == ({"many"} if is_taken else set())
        found = tmp_path.glob("into*/**/m7.py")
        assert {path.parent.name for path in found} == {"many"}


@pytest.mark.parametrize("form", FORMS)
def test_either_form_does_for_both(
    install: Install, venv: Environment, packages: IndexServer, form: str
) -> None:
    """Whoever asks for links later gets none of a pack, and of others they are links."""
    files = {f"many/m{size}.bin": bytes(size) for size in (0, 65536, 65537, 200_000)}
    options, _ = FORMS[form]
    packages.projects["many"].clear()
    packages.add(make_wheel("many", "1.0", files={**files, "many/m.py": "m = 1\n"}))
    expected = _place_apart(tree(install("many", *options)))
    alone = {path.name for path in (entries(venv)["many"] / "files").rglob("*.bin")}
    large = {"m65537.bin", "m200000.bin"}
    assert alone == (large if form == "in a pack" else {Path(e).name for e in files})
    for again in FEATURE, LINKS:
        folder = install("many", *again)
        assert install.taken == {"many"}
        assert _place_apart(tree(folder)) == expected
        linked = {p.name for p in folder.rglob("*.bin") if p.stat().st_nlink > 1}
        assert linked == (alone if again == LINKS else set())


@pytest.mark.process
@pytest.mark.parametrize("path", ["pack", "*.whl", "files/many/large.bin"])
def test_damaged_while_others_are_fetched(
    install: Install, venv: Environment, packages: IndexServer, path: str
) -> None:
    """It was whole when it was taken, and is looked at again before it is used."""
    packages.projects["many"].clear()
    files = {"many/large.bin": os.urandom(100_000), "many/small.py": b"x = 1\n"}
    packages.add(make_wheel("many", "1.0", files=files))
    install("many", *FEATURE)
    (kept,) = entries(venv)["many"].glob(path)
    command, running, gate = started(venv, packages)
    os.truncate(kept, 10)
    gate.open()
    result = running.finish()
    assert result.returncode == 1
    assert "Traceback" not in result.output
    assert "was changed while pip was running" in result.stderr
    assert not list(venv.site_packages.glob("many*"))
    assert "Successfully installed many-1.0" in venv.pip(*command).stdout


@pytest.mark.parametrize("coding", ["gbk", "nope"])
def test_a_module_in_a_rare_coding(
    install: Install, packages: IndexServer, coding: str
) -> None:
    """Upstream allows no import while it installs, and codings are modules."""
    module = f"# -*- coding: {coding} -*-\nx = 1\n"
    packages.add(make_wheel("rare", "1.0", files={"rare/m.py": module}))
    expected = _place_apart(tree(install("rare")))
    for _ in range(2):
        assert _place_apart(tree(install("rare", "plat", *FEATURE))).items() >= (
            expected.items()
        )
    assert "plat" in install.taken


def test_an_edit_with_links_is_noticed(install: Install) -> None:
    first = install("many", *LINKS)
    expected = _place_apart(tree(first))
    second = install("many", *LINKS)
    assert install.taken == {"many"}
    edited = module(second, "m7.py")
    assert edited.samefile(module(first, "m7.py"))
    _edited(edited)
    assert _place_apart(tree(install("many", *LINKS))) == expected
    assert not install.taken


@pytest.mark.parametrize("form", FORMS)
def test_what_was_only_touched_is_read_and_used(
    install: Install, venv: Environment, form: str
) -> None:
    """As a cache that was copied without its times; bytecode tells that of its source."""
    options, _ = FORMS[form]
    expected = _place_apart(tree(install("many", *options)))
    (kept,) = entries(venv).values()
    for path in kept.rglob("*"):
        os.utime(path, (1, 1))
    assert _place_apart(tree(install("many", *options))) == expected
    assert install.taken == {"many"}


@pytest.mark.process
def test_another_users_cache(install: Install, venv: Environment) -> None:
    if os.geteuid() != 0:
        pytest.skip(
            "only root gives files away: other users are tested where root is at work"
        )
    install("many", *FEATURE)
    (kept,) = entries(venv).values()
    whole = [kept, *kept.rglob("*")]
    for given in (
        [kept],
        [kept / "contents"],
        [kept / "pack"],
        [folder_of(venv)],
    ):
        for path in given:
            os.chown(path, 4242, -1)
        install("many", *FEATURE)
        assert not install.taken
        for path in (*whole, *given):
            if path.exists():
                os.chown(path, 0, -1)
    assert "is not used" in install.result.output


# Links


def test_what_is_linked(install: Install) -> None:
    install("top", *LINKS)
    folder = install("top", *LINKS)
    linked = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.stat().st_nlink > 1
    }
    assert {path.rpartition("/")[2] for path in linked} >= {"m7.py", "data.txt"}
    assert any(path.endswith(".pyc") for path in linked)
    never = (".dist-info/", "bin/", "share/", "beside_tidy")
    assert not [path for path in linked if any(each in path for each in never)]


def test_nothing_is_linked_unasked(install: Install, venv: Environment) -> None:
    install("top", *FEATURE)
    folder = install("top", *FEATURE)
    assert install.taken
    for path in (*folder.rglob("*"), *folder_of(venv).rglob("*")):
        assert path.is_dir() or path.stat().st_nlink == 1


def test_links_only_where_rights_are_the_same(install: Install) -> None:
    install("tidy", *LINKS)
    was = os.umask(0o077)
    try:
        folder = install("tidy", *LINKS)
    finally:
        os.umask(was)
    assert install.taken == {"tidy"}
    data = module(folder, "data.txt").stat()
    assert stat.S_IMODE(data.st_mode) == 0o600
    assert data.st_nlink == 1


@pytest.mark.process
def test_a_folder_that_gives_its_group(
    venv: Environment, packages: IndexServer
) -> None:
    if os.geteuid() != 0:
        pytest.skip(
            "only root gives files away: other users are tested where root is at work"
        )
    command = ["install", "-v", "many", "-i", packages.index_url, *LINKS]
    venv.pip(*command)
    venv.pip("uninstall", "-y", "many")
    os.chown(venv.site_packages, -1, 4242)
    venv.site_packages.chmod(0o2755)
    assert taken(venv.pip(*command)) == {"many"}
    assert module(venv.site_packages, "m7.py").stat().st_gid == 4242


def test_links_say_nothing_without_the_feature(
    install: Install, venv: Environment
) -> None:
    install("many", "--unpacked-cache-links")
    assert not list(venv.home.rglob(CACHE))


@pytest.fixture
def other_disk(tmp_path: Path) -> Iterator[Path]:
    """Return an empty folder on another disk."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no other disk")
    folder = memory / f"pip-test-{os.getpid()}-{tmp_path.name}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.mark.process
def test_the_cache_on_another_disk(install: Install, other_disk: Path) -> None:
    env = {"PIP_CACHE_DIR": str(other_disk)}
    first = tree(install("top", *LINKS, env=env))
    second = tree(install("top", *LINKS, env=env))
    assert install.taken == PLAIN_ONES
    assert _place_apart(first) == _place_apart(second)


@pytest.mark.process
@pytest.mark.parametrize("kind", ["btrfs", "xfs"])
def test_a_disk_where_files_share_data(
    venv: Environment, packages: IndexServer, tmp_path: Path, kind: str
) -> None:
    image, place = tmp_path / "image", tmp_path / "place"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(400_000_000)
    make, mount = (
        shutil.which(f"mkfs.{kind}"),
        ["mount", "-o", "loop", str(image), str(place)],
    )
    if (
        make is None
        or subprocess.run([make, image], check=False, capture_output=True).returncode
        or subprocess.run(mount, check=False, capture_output=True).returncode
    ):
        pytest.skip(f"no disk with {kind}")
    try:
        files = {"many/large.bin": os.urandom(30_000_000)}
        packages.projects["many"].clear()
        packages.add(make_wheel("many", "1.0", files=files))
        command = ["install", "-v", "many", "-i", packages.index_url, *FEATURE]
        env = {"PIP_CACHE_DIR": str(place / "cache")}
        used = []
        for number in range(3):
            venv.pip(*command, "--prefix", str(place / f"into{number}"), env=env)
            os.sync()
            used.append(shutil.disk_usage(place).used)
        assert used[2] - used[1] < 20_000_000
        assert module(place / "into2", "large.bin").stat().st_nlink == 1
    finally:
        subprocess.run(["umount", place], check=True)


# Limits, and several at once


def test_the_oldest_goes_first(
    install: Install, venv: Environment, packages: IndexServer
) -> None:
    for name in "abc":
        files = {f"{name}/data.bin": os.urandom(1_000_000)}
        packages.add(make_wheel(name, "1.0", files=files))
    limit = ["--unpacked-cache-limit", "0.0025"]
    for name in "abac":
        install(name, *FEATURE, *limit)
        for number, each in enumerate(entries(venv).values()):
            # The clock of the disk is not as fine as this.
            status = each.stat()
            os.utime(each, ns=(status.st_atime_ns, status.st_mtime_ns - number - 1))
    assert set(entries(venv)) == {"a", "c"}
    # Nothing larger than all of it.
    install("b", *FEATURE, "--unpacked-cache-limit", "0.0005")
    assert "b" not in entries(venv)


def test_a_lower_limit_holds_at_once(
    install: Install, venv: Environment, packages: IndexServer
) -> None:
    for name in "ab":
        files = {f"{name}/data.bin": os.urandom(1_000_000)}
        packages.add(make_wheel(name, "1.0", files=files))
        install(name, *FEATURE)
    limit = ["--unpacked-cache-limit", "0.0015"]
    install("b", *FEATURE, *limit)
    assert install.taken == {"b"}
    assert set(entries(venv)) == {"b"}
    # Also what nobody can read counts, and goes.
    _written(entries(venv)["b"], "[]")
    install("a", *FEATURE, *limit)
    assert set(entries(venv)) == {"a"}
    install("many", *FEATURE, "--unpacked-cache-limit", "0")
    assert not entries(venv)


@pytest.mark.parametrize(
    "held", ["-5", "much", "", "a link", "a link to nothing", "a pipe"]
)
def test_what_tells_of_the_limit_is_believed_only_if_it_is_right(
    install: Install, venv: Environment, tmp_path: Path, held: str
) -> None:
    install("many", *FEATURE)
    path, other = folder_of(venv) / "held", tmp_path / "other"
    path.unlink()
    if held.startswith("a link"):
        path.symlink_to(other)
        if held == "a link":
            other.write_text("1", encoding="ascii")
    elif held == "a pipe":
        os.mkfifo(path)
    else:
        path.write_text(held, encoding="ascii")
    install("many", *FEATURE, "--unpacked-cache-limit", "0.000001")
    assert install.taken == {"many"}
    assert not entries(venv)
    assert not other.exists() or other.read_text(encoding="ascii") == "1"


def test_a_limit_is_told_anew_when_something_is_kept(
    install: Install,
    venv: Environment,
    patcher: pytest.MonkeyPatch,
) -> None:
    """Also if that is cut off."""
    install("tidy", *FEATURE, "--unpacked-cache-limit", "0.000001")
    with patcher.context() as patch:
        place = "pip._internal.fast.unpacked.folder.Folder._reduce"
        patch.setattr(place, lambda *_: None)
        install("many", *FEATURE)
    assert "many" in entries(venv)
    install("many", *FEATURE, "--unpacked-cache-limit", "0.000001")
    assert not entries(venv)


@pytest.mark.process
def test_a_limit_holds_when_the_last_one_has_ended(
    install: Install, venv: Environment, packages: IndexServer
) -> None:
    limit = ["--unpacked-cache-limit", "0.0015"]
    install("many", *FEATURE, *limit)
    _, running, gate = started(venv, packages, *limit)
    for name in "ab":
        files = {f"{name}/data.bin": os.urandom(1_000_000)}
        packages.add(make_wheel(name, "1.0", files=files))
        install(name, *FEATURE, *limit)
    assert {"a", "b"} <= set(entries(venv))
    gate.open()
    assert running.finish().returncode == 0
    assert len({"a", "b"} & set(entries(venv))) == 1


@pytest.mark.parametrize("value", ["-1", "much", "nan"])
def test_a_limit_that_is_none(install: Install, value: str) -> None:
    install("many", *FEATURE, f"--unpacked-cache-limit={value}", code=2)
    assert "invalid number of gigabytes" in install.result.stderr


@pytest.mark.process
def test_two_at_once(venv: Environment, packages: IndexServer, tmp_path: Path) -> None:
    command = ["install", "-v", "top", "-i", packages.index_url, *LINKS, "--prefix"]
    for turn in range(2):
        places = [str(tmp_path / f"into{turn}{number}") for number in range(3)]
        running = [start_pip(venv, *command, place, env={}) for place in places]
        results = [each.finish() for each in running]
        assert [each.returncode for each in results] == [0, 0, 0], results
        trees = [_place_apart(tree(Path(place))) for place in places]
        assert trees[0] == trees[1] == trees[2]
        if turn:
            assert [taken(each) for each in results] == [PLAIN_ONES] * 3
    assert set(entries(venv)) == PLAIN_ONES


@pytest.mark.process
def test_killed_while_it_keeps(
    venv: Environment, packages: IndexServer, tmp_path: Path
) -> None:
    files = {f"many/d{n}.bin": os.urandom(100_000) for n in range(300)}
    packages.projects["many"].clear()
    packages.add(make_wheel("many", "1.0", files=files))
    command = ["install", "-v", "many", "-i", packages.index_url, *FEATURE]
    running = start_pip(venv, *command, env={})
    wait_for(
        lambda: bool(list(venv.home.rglob(".partial-*/files/many"))), "it keeps it"
    )
    running.send(signal.SIGKILL)
    running.finish()
    assert "No broken" in venv.pip("check").stdout
    assert len(list((venv.site_packages / "many").glob("*.bin"))) == 300
    prefix = ["--prefix", str(tmp_path / "into")]
    assert not taken(venv.pip(*command, "--ignore-installed", *prefix))
    assert set(entries(venv)) == {"many"}
    assert not list(folder_of(venv).glob(".partial-*"))


# pip cache


def test_what_pip_cache_says_and_does(install: Install, venv: Environment) -> None:
    assert "npacked" not in venv.pip("cache", "list").stdout
    install("top", *FEATURE)
    listed = venv.pip("cache", "list").lines
    assert len([line for line in listed if line.startswith(" - ")]) == 5
    assert any("many-1.0" in line for line in listed)
    paths = venv.pip("cache", "list", "--format", "abspath").lines
    assert set(paths) == set(map(str, entries(venv).values()))
    # Patterns are for built wheels alone, as with stock pip.
    assert "npacked" not in venv.pip("cache", "list", "many").stdout
    for pattern in "many", "many-1.0":
        result = venv.pip("cache", "remove", pattern)
        assert f'No matching packages for pattern "{pattern}"' in result.output
    assert "many" in entries(venv)
    assert "Unpacked wheels removed: 5" in venv.pip("cache", "purge").stdout
    assert not entries(venv)


@pytest.mark.process
def test_nothing_is_removed_that_is_in_use(
    install: Install, venv: Environment, packages: IndexServer
) -> None:
    install("many", *FEATURE)
    _, running, gate = started(venv, packages)
    for action in ["purge"], ["remove", "*"]:
        result = venv.pip("cache", *action, code=1)
        assert "Another pip is using the unpacked wheels" in result.stderr
    # All else is removed.
    assert not list(folder_of(venv).parent.glob("http-v2/**/*.body"))
    gate.open()
    assert running.finish().returncode == 0
    venv.pip("cache", "purge")


@pytest.mark.process
def test_a_cache_that_cannot_be_used(install: Install, venv: Environment) -> None:
    install("many", *FEATURE)
    folder_of(venv).chmod(0o777)
    install("many", *FEATURE)
    assert not install.taken
    assert "is not this user's alone" in install.result.stderr
    for action, code in {"list": 0, "purge": 1}.items():
        result = venv.pip("cache", action, code=code)
        assert "pip cannot use the unpacked wheels" in result.stderr
        assert "(chmod 700), or delete it" in result.stderr


@pytest.mark.parametrize("damage", ["another form", "a broken list", "no list"])
def test_pip_cache_gets_rid_of_what_nobody_can_read(
    install: Install, venv: Environment, damage: str
) -> None:
    for action in ["purge"], ["remove", "*"]:
        install("many", "tidy", *FEATURE)
        OF_AN_ENTRY[damage](entries(venv)["many"])
        result = venv.pip("cache", "list")
        assert "pip cannot read 1 unpacked wheels" in result.stderr
        assert "tidy" in result.stdout
        venv.pip("cache", *action)
        assert "many" not in entries(venv)
        assert "cannot read" not in venv.pip("cache", "list").output


def test_a_file_in_its_place(install: Install, venv: Environment) -> None:
    install("many", *FEATURE)
    place = folder_of(venv)
    shutil.rmtree(place)
    place.touch()
    install("many", *FEATURE)
    assert "is not used: " in install.result.stderr
    result = venv.pip("cache", "purge", code=1)
    assert "pip cannot use the unpacked wheels" in result.stderr
    assert "or delete it." in result.stderr


def test_what_cannot_be_removed_is_not_said_to_be(
    install: Install,
    venv: Environment,
    patcher: pytest.MonkeyPatch,
) -> None:
    install("many", *FEATURE)

    def refuse(path: str, _: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    with patcher.context() as patch:
        patch.setattr("pip._internal.fast.unpacked.folder.os.rename", refuse)
        result = venv.pip("cache", "purge", code=1)
        assert "Unpacked wheels removed: 0" in result.stdout
        assert "pip cannot remove 1 unpacked wheels. The first is " in result.stderr
        assert "(chmod u+rwx)" in result.stderr
    assert "Unpacked wheels removed: 1" in venv.pip("cache", "purge").stdout


def test_a_link_to_a_folder_elsewhere(
    install: Install, venv: Environment, tmp_path: Path
) -> None:
    install("many", *FEATURE)
    folder, elsewhere = folder_of(venv), tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    install("many", *FEATURE)
    assert install.taken == {"many"}
    elsewhere.chmod(0o777)
    install("many", *FEATURE)
    assert not install.taken


def test_a_hash_with_the_name_of_another_wheel(
    install: Install, packages: IndexServer
) -> None:
    """It is told as it would be without the cache."""
    one, other = make_wheel("direct", "1.0"), make_wheel("direct", "2.0")
    for wheel in one, other:
        packages.add(wheel)
    install("direct==1.0", *FEATURE)
    wrong = f"direct @ {packages.url}/files/{other.filename}#sha256={one.sha256}"
    install(wrong, *FEATURE, code=1)
    assert not install.taken
    assert "DO NOT MATCH THE HASHES" in install.result.stderr


def test_too_little_space_for_copies(
    install: Install, patcher: pytest.MonkeyPatch
) -> None:
    """What upstream leaves out then, bytecode say, an entry has."""
    install("many", *FEATURE)
    with patcher.context() as patch:
        usage = shutil.disk_usage
        patch.setattr(
            "pip._internal.fast.unpacked.using.shutil.disk_usage",
            lambda path: usage(path)._replace(free=1000),
        )
        install("many", *FEATURE, "-v")
        assert not install.taken
        assert "too little space for unpacked many" in install.result.stdout
        install("many", *FEATURE, "--unpacked-cache-links")
        assert install.taken == {"many"}


def test_everybody_may_write(install: Install, venv: Environment) -> None:
    was = os.umask(0)
    try:
        install("many", *FEATURE)
    finally:
        os.umask(was)
    assert stat.S_IMODE(folder_of(venv).stat().st_mode) == 0o700
    for is_taken in (False, True):
        install("many", *FEATURE)
        assert install.taken == ({"many"} if is_taken else set())
