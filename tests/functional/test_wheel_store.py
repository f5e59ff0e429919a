"""Large wheels that pip keeps unpacked are installed in the next environment as usual."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pip._internal.fast.install_command import LARGE
from tests.functional.test_atomic_install import CHANGES
from tests.functional.test_staged_installs import fill, tree
from tests.lib.environments import Environment, Result, Workshop
from tests.lib.faults import Gate
from tests.lib.index import IndexServer
from tests.lib.processes import Running, disturb, start_pip
from tests.lib.wheels import DistFile, make_wheel

pytestmark = [
    pytest.mark.linux,
    pytest.mark.skipif(sys.platform == "win32", reason="not on Windows"),
]

Variables = Mapping[str, str | None]
COPY = ["--link-mode", "copy"]
LINK = ["--link-mode", "hardlink"]
STORE = "unpacked-wheels"
#: The large wheels of the index; "odd" has two files with the same name.
STORED = {"scripts", "broken", "many", "plat"}


def large(name: str, version: str = "1.0", **more: Any) -> DistFile:
    """Make a wheel that pip unpacks ahead."""
    bulk = {f"{name}/bulk.bin": random.Random(name + version).randbytes(LARGE)}
    return make_wheel(name, version, files={**bulk, **more.pop("files", {})}, **more)


@pytest.fixture
def packages(index: IndexServer) -> IndexServer:
    """Return an index with wheels of all kinds."""
    fill(index)
    return index


class Install:
    """Installs into one new folder after the other.

    :ivar result: of the last time.
    :ivar taken: the packages that came from the store.
    :ivar downloaded: the packages whose wheels pip requested.
    """

    result: Result
    taken: frozenset[str]
    downloaded: frozenset[str]

    def __init__(self, venv: Environment, index: IndexServer, root: Path) -> None:
        self._venv, self._index, self._root = venv, index, root
        self._count = 0

    def __call__(
        self, *arguments: str, code: int = 0, env: Variables | None = None
    ) -> Path:
        """Install packages, and return the folder."""
        self._count += 1
        folder = self._root / f"into{self._count}"
        self._index.clear_log()
        given = ["-i", self._index.index_url, "--prefix", str(folder), *arguments]
        self.result = self._venv.pip("install", *given, code=code, env=env)
        self.taken = taken(self.result)
        names = (path.rpartition("/")[2] for _, path in self._index.log())
        wheels = (name for name in names if name.endswith(".whl"))
        self.downloaded = frozenset(name.partition("-")[0] for name in wheels)
        return folder


@pytest.fixture
def install(venv: Environment, packages: IndexServer, tmp_path: Path) -> Install:
    """Return what installs packages into new folders."""
    return Install(venv, packages, tmp_path)


def taken(result: Result) -> frozenset[str]:
    """Return the names of the packages that came from the store."""
    return frozenset(re.findall(r"Using unpacked (\w+)-\S+\.whl", result.stdout))


def store_of(venv: Environment) -> Path:
    """Return the folder of the store."""
    (found,) = venv.home.rglob(STORE)
    return found


def stored(venv: Environment) -> dict[str, Path]:
    """Return the folders of stored wheels by package."""
    found = store_of(venv).glob("*/contents")
    return {
        next(each.parent.glob("*.whl")).name.partition("-")[0]: each.parent
        for each in found
    }


def file_of(folder: Path, name: str) -> Path:
    """Return the stored file that has a name in its wheel."""
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as placeholder:
        return folder / str(placeholder.namelist().index(name))


def rewrite(path: Path, content: bytes) -> None:
    """Change a file, but not its times."""
    status = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def module(folder: Path, name: str) -> Path:
    """Return an installed file."""
    (found,) = folder.rglob(name)
    return found


def without_places(files: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out of compiled code where its module was."""

    def leave_out(part: Any) -> Any:
        match part:
            case [
                str(),
                bytes() as code,
                tuple() as names,
                int() as line,
                list() as inner,
            ]:
                return [code, names, line, [leave_out(each) for each in inner]]
        return part

    return {path: [leave_out(part) for part in parts] for path, parts in files.items()}


def started(venv: Environment, packages: IndexServer) -> tuple[Running, Gate]:
    """Start a pip that has taken "many" from the store and waits for another package."""
    gate = Gate()
    packages.add(make_wheel("slow", "1.0"))
    packages.fault("slow-1.0-py3-none-any.whl", gate=gate)
    command = ["install", "many", "slow", "-i", packages.index_url, *COPY]
    running = start_pip(venv, *command, env={})
    gate.wait_until_reached()
    return running, gate


# The same files


WAYS: Mapping[str, Sequence[str]] = {
    "prefix": ["--prefix", "FOLDER"],
    "no bytecode": ["--prefix", "FOLDER", "--no-compile"],
    "root": ["--root", "FOLDER", "--prefix", "/usr"],
    "target": ["--target", "FOLDER"],
    "no cache": ["--prefix", "FOLDER", "--no-cache-dir"],
    "one at a time": ["--prefix", "FOLDER", "--parallel-downloads=1"],
}


@pytest.mark.on_wheel
@pytest.mark.parametrize("mode", [None, "copy", "hardlink", "clone"])
@pytest.mark.parametrize("way", WAYS)
def test_same_tree(
    venv: Environment, packages: IndexServer, tmp_path: Path, way: str, mode: str | None
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = ["install", "-vv", "top", "-i", packages.index_url]
    given = [] if mode is None else ["--link-mode", mode]
    trees = []
    for number, options in enumerate([["--no-fast"], given, given]):
        folder = tmp_path / f"into{number}"
        where = [part.replace("FOLDER", str(folder)) for part in WAYS[way]]
        env = {"TMPDIR": str(temporary)}
        result = venv.pip(*command, *where, *options, env=env)
        trees.append(without_places(tree(folder)))
        assert not list(temporary.iterdir())
        is_stored = number == 2 and mode is not None and way != "no cache"
        assert taken(result) == (STORED if is_stored else set())
        is_unpacked = number > 0 and not is_stored and way != "one at a time"
        assert not is_unpacked or "was unpacked early" in result.stdout
    assert trees[0] == trees[1] == trees[2]
    names = [Path(name).name for name in trees[0]]
    assert names.count("twice.py") == 1
    assert any(name.endswith(".pyc") for name in names) == (way != "no bytecode")
    assert not list(venv.home.rglob(".partial-*"))


@pytest.mark.on_wheel
@pytest.mark.process
def test_it_works_and_goes_away(
    venv: Environment, packages: IndexServer, workshop: Workshop, tmp_path: Path
) -> None:
    other = workshop.fork(tmp_path / "other")
    command = ["install", "top", "-i", packages.index_url, *LINK]
    venv.pip(*command)
    before = tree(other.site_packages)
    env = {"PIP_CACHE_DIR": str(store_of(venv).parent)}
    assert taken(other.pip(*command, env=env)) == STORED
    assert other.eval("many.m7.f7()", "many.m7") == "7"
    assert other.run(other.python, other.scripts / "own").stdout == "own\n"
    assert "No broken" in other.pip("check").stdout
    other.pip("uninstall", "-y", *STORED, "top", "odd")
    assert tree(other.site_packages) == before
    # The first environment has all of it.
    assert venv.eval("many.m7.f7()", "many.m7") == "7"


@pytest.mark.process
@pytest.mark.parametrize("step", [1, 4, 8])
def test_killed_while_the_same_wheel_replaces_itself(
    venv: Environment, index: IndexServer, step: int
) -> None:
    """With hard links, old and new files are the same files."""
    index.add(large("one", files={"solo.py": "version = 1\n"}))
    given = ["-i", index.index_url, *LINK]
    command = ["install", "one", *given, "--force-reinstall"]
    venv.pip("install", "one", *given)
    venv.pip(*command)
    before = _names(venv)
    killer = disturb(venv, "/old-0", CHANGES, step, str(int(signal.SIGKILL)))
    assert venv.pip(*command, code=None, env=killer).returncode == -signal.SIGKILL
    for _ in range(2):
        venv.pip(*command)
    assert _names(venv) == before
    assert venv.eval("solo.version", "solo") == "1"


def _names(venv: Environment) -> set[str]:
    return {name for name in tree(venv.site_packages) if re.search("one|solo", name)}


# Which wheels


def test_what_is_stored_is_in_the_http_cache(
    install: Install, venv: Environment, packages: IndexServer, tmp_path: Path
) -> None:
    """Another Python, other options and other commands need the wheel."""
    index = ["-i", packages.index_url]
    index += ["--trusted-host", packages.url.removeprefix("http://")]
    install("many", "plat", *index, *COPY)
    assert install.downloaded == {"many", "plat"}
    for options in [*COPY, "--no-compile"], ["--no-fast"]:
        install("many", "plat", *index, *options)
        assert not install.taken
        assert not install.downloaded
    packages.clear_log()
    venv.pip("download", "many", *index, "-d", str(tmp_path))
    assert not [path for _, path in packages.log() if path.endswith(".whl")]


@pytest.mark.parametrize("kind", ["md5", "sha512", ""])
def test_without_a_sha256(
    install: Install, venv: Environment, packages: IndexServer, kind: str
) -> None:
    wheel = large("direct")
    packages.add(wheel)
    url = f"{packages.url}/files/{wheel.filename}"
    if kind:
        url += f"#{kind}={hashlib.new(kind, wheel.content).hexdigest()}"
    for _ in range(2):
        install(f"direct @ {url}", *COPY)
        assert not install.taken
    assert not stored(venv)


def test_required_hashes(
    install: Install, packages: IndexServer, venv: Environment, tmp_path: Path
) -> None:
    """All stored files are hashed, whatever their times."""
    wheel = large("direct", files={"direct/m.py": "x = 1\n"})
    packages.add(wheel)
    listed = tmp_path / "requirements.txt"
    listed.write_text(f"direct==1.0 --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    for is_again in False, True:
        # Another user may replace a local wheel when pip has checked its hash.
        wheel.write_to(tmp_path)
        install("-r", str(listed), "--no-index", "-f", str(tmp_path), *COPY)
        assert is_again or not [*venv.home.rglob("contents")]
        install("-r", str(listed), *COPY)
        assert install.taken == ({"direct"} if is_again else set())
    url = f"{packages.file_url(wheel.filename)}#sha256={wheel.sha256}"
    for given in ["-r", str(listed)], [url]:
        rewrite(file_of(stored(venv)["direct"], "direct/m.py"), b"x = 2\n")
        folder = install(*given, *COPY)
        assert module(folder, "m.py").read_text("utf-8") == "x = 1\n"
    # Another hash that the file must have.
    other = hashlib.sha512(wheel.content).hexdigest()
    listed.write_text(f"direct==1.0 --hash=sha512:{other}\n", encoding="utf-8")
    install("-r", str(listed), *COPY)
    assert not install.taken
    listed.write_text(f"direct==1.0 --hash=sha256:{'0' * 64}\n", encoding="utf-8")
    install("-r", str(listed), *COPY, code=1)
    assert "Expected sha256 0000" in install.result.stderr


def test_the_same_wheel_under_another_name(
    install: Install, packages: IndexServer
) -> None:
    wheel = large("direct", tag="py2.py3-none-any")
    packages.add(wheel)
    renamed = replace(wheel, filename=wheel.filename.replace("py2.py3", "py3"))
    packages.add(renamed)
    for each, is_taken in (wheel, False), (renamed, False), (wheel, True):
        url = f"{packages.url}/files/{each.filename}#sha256={wheel.sha256}"
        install(f"direct @ {url}", *COPY)
        assert install.taken == ({"direct"} if is_taken else set())


def test_a_lock_file(venv: Environment, packages: IndexServer, tmp_path: Path) -> None:
    lock = tmp_path / "pylock.toml"
    venv.pip("lock", "many", "-i", packages.index_url, "-o", str(lock))
    for number in range(3):
        if number == 2:
            path = file_of(stored(venv)["many"], "many/m7.py")
            rewrite(path, path.read_bytes().replace(b"return 7", b"return 8"))
        given = ["--prefix", str(tmp_path / f"into{number}"), *COPY]
        result = venv.pip("install", "-v", "-r", str(lock), *given)
        assert taken(result) == ({"many"} if number == 1 else set())
    assert "return 7" in module(tmp_path / "into2", "m7.py").read_text("utf-8")


def test_a_wrong_hash_is_not_stored(
    install: Install, packages: IndexServer, venv: Environment
) -> None:
    packages.projects["many"].clear()
    packages.add(large("many"), sha256="0" * 64)
    install("many", "plat", *COPY, code=1)
    assert "Expected sha256 0000" in install.result.stderr
    assert "many" not in stored(venv)


@pytest.mark.parametrize(
    ("options", "env"),
    [
        (["--dry-run"], {}),
        (["--no-fast"], {}),
        ([], {"PIP_NO_CACHE_DIR": "1"}),
        # Bytecode of another kind.
        ([], {"SOURCE_DATE_EPOCH": "1600000000"}),
        ([], {"PYTHONNODEBUGRANGES": "1"}),
        # The default, unless the disk can clone files, which takes no space.
        ([], {"PIP_LINK_MODE": None}),
    ],
)
def test_what_turns_it_off(
    install: Install, venv: Environment, options: Sequence[str], env: Variables
) -> None:
    for _ in range(2):
        install("many", *options, env={"PIP_LINK_MODE": "copy", **env})
        assert not install.taken
    assert not list(venv.home.rglob("contents"))


# Damage


def _edited(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"return 7", b"return 8"))


def _shorten(path: Path) -> None:
    path.write_text("x = 1\n", encoding="utf-8")


def _link(path: Path) -> None:
    other = path.with_name("other.py")
    path.rename(other)
    path.symlink_to(other)


#: What may happen to a stored file.
OF_A_FILE: Mapping[str, Callable[[Path], object]] = {
    "edited": _edited,
    "of another size": _shorten,
    "gone": Path.unlink,
    "a link": _link,
    "for everybody to change": lambda path: path.chmod(0o666),
}
_HUGE = "9" * 400
_ELSEWHERE = f', {{"../lock": [0, 0, "{hashlib.sha256().hexdigest()}"], '
#: What may happen to the folder of a stored wheel.
OF_A_FOLDER: Mapping[str, Callable[[Path], object]] = {
    "a broken list": lambda folder: _shorten(folder / "contents"),
    "no list at all": lambda folder: _write(folder, "[" * 200_000),
    "a pipe for a list": lambda folder: _pipe(folder / "contents"),
    "a file elsewhere": lambda folder: _edit(folder, ", {", _ELSEWHERE),
    "a row too few": lambda folder: _edit(folder, r'"0": \[[^]]*], ', ""),
    "a huge number": lambda folder: _edit(folder, r"(?<=\d, )", _HUGE),
    "another stand-in": lambda folder: _rot(next(folder.glob("*.whl"))),
    "a folder for everybody to change": lambda folder: folder.chmod(0o777),
}


def _edit(folder: Path, before: str, after: str) -> None:
    text = (folder / "contents").read_text(encoding="utf-8")
    text, count = re.subn(before, after, text, count=1)
    assert count == 1
    _write(folder, text)


def _write(folder: Path, text: str) -> None:
    (folder / "contents").write_text(text, encoding="utf-8")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _rot(path: Path) -> None:
    content = path.read_bytes()
    rewrite(path, content[:40] + bytes([content[40] ^ 1]) + content[41:])


@pytest.mark.parametrize("name", [*OF_A_FILE, *OF_A_FOLDER])
def test_a_damaged_wheel_is_replaced(
    install: Install, venv: Environment, tmp_path: Path, name: str
) -> None:
    expected = without_places(tree(install("many", *COPY)))
    (folder,) = stored(venv).values()
    if damage := OF_A_FILE.get(name):
        damage(file_of(folder, "many/m7.py"))
    else:
        OF_A_FOLDER[name](folder)
    for is_taken in (False, True):
        assert without_places(tree(install("many", *COPY))) == expected
        assert install.taken == ({"many"} if is_taken else set())
        found = tmp_path.glob("into*/**/m7.py")
        assert {path.parent.name for path in found} == {"many"}


def test_a_file_that_pip_did_not_store(install: Install, venv: Environment) -> None:
    """Bytecode is used only if the list names it."""
    install("broken", *COPY)
    (folder,) = stored(venv).values()
    planted = file_of(folder, "broken/invalid.py")
    planted.with_name(f"{planted.name}.pyc").write_bytes(b"planted")
    folder = install("broken", *COPY)
    assert install.taken == {"broken"}
    assert not list(folder.rglob("invalid.*.pyc"))


def test_the_stand_in_gives_no_other_contents(
    install: Install, venv: Environment
) -> None:
    """Not even to a program that does not know of the store."""
    install("many", *COPY)
    (folder,) = stored(venv).values()
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        assert b"many" in archive.read("many-1.0.dist-info/METADATA")
        with pytest.raises(zipfile.BadZipFile, match="Bad CRC-32"):
            archive.read("many/m7.py")


def test_an_edit_with_links_is_noticed(install: Install) -> None:
    first = install("many", *LINK)
    expected = without_places(tree(first))
    second = install("many", *LINK)
    assert install.taken == {"many"}
    edited = module(second, "m7.py")
    assert edited.samefile(module(first, "m7.py"))
    _edited(edited)
    assert without_places(tree(install("many", *LINK))) == expected
    assert not install.taken


def test_a_cache_that_was_copied_without_its_times(
    install: Install, venv: Environment
) -> None:
    expected = without_places(tree(install("many", *COPY)))
    (folder,) = stored(venv).values()
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))
    assert without_places(tree(install("many", *COPY))) == expected
    assert install.taken == {"many"}


@pytest.mark.process
def test_another_users_cache(install: Install, venv: Environment) -> None:
    if os.geteuid() != 0:
        pytest.skip(
            "only root gives files away: other users are tested where root is at work"
        )
    install("many", *COPY)
    (folder,) = stored(venv).values()
    for given in (folder / "contents", folder, store_of(venv)):
        os.chown(given, 4242, -1)
        install("many", *COPY)
        assert not install.taken or given.name == "contents"
        if given.exists():
            os.chown(given, 0, -1)
    assert "Another user can change" in install.result.stderr


# Links and clones


def test_what_is_linked(install: Install) -> None:
    install("top", *LINK)
    folder = install("top", *LINK)
    linked = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.stat().st_nlink > 1
    }
    assert {path.rpartition("/")[2] for path in linked} >= {"m7.py", "bulk.bin"}
    assert any(path.endswith(".pyc") for path in linked)
    never = (".dist-info/", "bin/", "share/", "scripts/beside")
    assert not [path for path in linked if any(each in path for each in never)]


def test_nothing_is_linked_unasked(install: Install, venv: Environment) -> None:
    install("top", *COPY)
    folder = install("top", *COPY)
    assert install.taken
    for path in (*folder.rglob("*"), *store_of(venv).rglob("*")):
        assert path.is_dir() or path.stat().st_nlink == 1


def test_links_only_where_permissions_are_the_same(install: Install) -> None:
    install("many", *LINK)
    was = os.umask(0o077)
    try:
        folder = install("many", *LINK)
    finally:
        os.umask(was)
    assert install.taken == {"many"}
    data = module(folder, "m7.py").stat()
    assert stat.S_IMODE(data.st_mode) == 0o600
    assert data.st_nlink == 1


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
    first = tree(install("top", *LINK, env=env))
    second = tree(install("top", *LINK, env=env))
    assert install.taken == STORED
    assert without_places(first) == without_places(second)


@pytest.mark.process
@pytest.mark.parametrize("kind", ["btrfs", "xfs"])
def test_a_disk_that_clones(
    venv: Environment, packages: IndexServer, tmp_path: Path, kind: str
) -> None:
    """There pip stores wheels by default, and they take no space again."""
    image, place = tmp_path / "image", tmp_path / "place"
    place.mkdir()
    image.touch()
    os.truncate(image, 400_000_000)
    make, mount = f"mkfs.{kind}", ["mount", "-o", "loop", str(image), str(place)]
    if shutil.which(make) is None or any(
        subprocess.run(each, check=False, capture_output=True).returncode
        for each in ([make, str(image)], mount)
    ):
        pytest.skip(f"no disk with {kind}")
    try:
        files = {"many/large.bin": os.urandom(30_000_000)}
        packages.projects["many"].clear()
        packages.add(make_wheel("many", "1.0", files=files))
        command = ["install", "-v", "many", "-i", packages.index_url]
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


# Several at once


@pytest.mark.process
def test_two_at_once(venv: Environment, packages: IndexServer, tmp_path: Path) -> None:
    command = ["install", "-v", "top", "-i", packages.index_url, *LINK, "--prefix"]
    for turn in range(2):
        places = [str(tmp_path / f"into{turn}{number}") for number in range(3)]
        running = [start_pip(venv, *command, place, env={}) for place in places]
        results = [each.finish() for each in running]
        assert [each.returncode for each in results] == [0, 0, 0], results
        trees = [without_places(tree(Path(place))) for place in places]
        assert trees[0] == trees[1] == trees[2]
        if turn:
            assert [taken(each) for each in results] == [STORED] * 3
    assert set(stored(venv)) == STORED


# pip cache


def test_pip_cache(install: Install, venv: Environment) -> None:
    install("top", *COPY)
    # Patterns are for built wheels alone, as with stock pip.
    for pattern in "many", "many-1.0":
        result = venv.pip("cache", "remove", pattern)
        assert f'No matching packages for pattern "{pattern}"' in result.output
    (stored(venv)["many"] / "contents").write_text("x", encoding="utf-8")
    assert "Unpacked wheels removed: 4" in venv.pip("cache", "purge").stdout
    assert not stored(venv)


@pytest.mark.process
def test_nothing_is_removed_that_is_in_use(
    install: Install, venv: Environment, packages: IndexServer
) -> None:
    install("many", *COPY)
    running, gate = started(venv, packages)
    for action in ["purge"], ["remove", "*"]:
        result = venv.pip("cache", *action, code=1)
        assert "another pip is using them. Try again" in result.stderr
    # All else is removed.
    assert not list(store_of(venv).parent.glob("http-v2/**/*.body"))
    gate.open()
    assert running.finish().returncode == 0
    venv.pip("cache", "purge")


@pytest.mark.process
def test_a_store_that_others_may_change(install: Install, venv: Environment) -> None:
    install("many", *COPY)
    store_of(venv).chmod(0o777)
    install("many", *COPY)
    assert not install.taken
    assert "Another user can change" in install.result.stderr
    # Nobody asked for it.
    install("many")
    assert "Another user" not in install.result.output
    result = venv.pip("cache", "purge", code=1)
    assert "pip cannot use the unpacked wheels" in result.stderr
    assert "(chmod 700), or delete it" in result.stderr
