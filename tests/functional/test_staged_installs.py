"""What is unpacked and compiled during other downloads is installed just the same."""

from __future__ import annotations

import io
import marshal
import os
import random
import re
import signal
import stat
import sys
import types
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pip._internal.fast.install_command import LARGE
from tests.lib.as_system import SYSTEM
from tests.lib.environments import Environment
from tests.lib.faults import Gate
from tests.lib.index import IndexServer
from tests.lib.processes import start_pip, wait_for
from tests.lib.wheels import DistFile, make_wheel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="done on Linux alone")

SLOWLY = ["--no-fast"]
AHEAD = "was unpacked early"


def changed(wheel: DistFile, change: Callable[[zipfile.ZipFile], None]) -> DistFile:
    """Return a wheel that a function has added something to."""
    buffer = io.BytesIO(wheel.content)
    with zipfile.ZipFile(buffer, "a") as archive:
        change(archive)
    return replace(wheel, content=buffer.getvalue())


def entry(name: str, mode: int = 0o644) -> zipfile.ZipInfo:
    """Describe a file of a wheel."""
    info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
    info.external_attr = (stat.S_IFREG | mode) << 16
    return info


def _oddities(archive: zipfile.ZipFile) -> None:
    archive.writestr(entry("odd/run.sh", 0o755), "#!/bin/sh\n")
    archive.writestr(entry("odd/tool.py", 0o755), "import sys\n", zipfile.ZIP_BZIP2)
    archive.writestr(entry("odd/stored.bin"), bytes(range(256)) * 9, zipfile.ZIP_STORED)
    archive.writestr(entry("odd/empty.py"), "")
    archive.writestr(entry("odd/folder/"), "")
    archive.writestr(entry("odd/x/../plain.txt"), "one folder less")
    archive.writestr(entry("odd/größe.py"), "größe = 1\n".encode())
    with pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(entry("odd/__init__.py"), "second = True\n")


def _of(name: str, files: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    return {path.format(name): content for path, content in files.items()}


def fill(index: IndexServer) -> None:
    """Add wheels with all that a wheel may hold, and a package that needs them."""
    console = (
        "[console_scripts]\ntool = scripts:main\n[gui_scripts]\nseen = scripts:main\n"
    )
    scripts = {
        "scripts/__init__.py": "def main(): return __file__\n",
        "scripts-1.0.dist-info/entry_points.txt": console,
        "scripts-1.0.data/scripts/own": "#!python\nprint('own')\n",
        "scripts-1.0.data/scripts/tool": "left out, since pip makes it\n",
        "scripts-1.0.data/data/share/thing.txt": "data\n",
        "scripts-1.0.data/headers/thing.h": "\n",
        # Where a file of the root is too: the later one is kept.
        "scripts-1.0.data/purelib/scripts/twice.py": "from_data = True\n",
        "scripts-1.0.data/platlib/scripts/beside.py": "import scripts\n",
        "scripts/twice.py": "from_data = False\n",
    }
    broken: dict[str, str | bytes] = {
        "broken/invalid.py": "x = (\n",
        "broken/latin.py": "# -*- coding: latin-1 -*-\nx = '\xe9'\n".encode("latin-1"),
        "broken/nul.py": b"x = 1\0\n",
        "broken/module.pyi": "x: int\n",
    }
    many = {f"many/m{n}.py": f"def f{n}(): return {n}\n" for n in range(60)}
    # Only large wheels are unpacked early.
    bulk: dict[str, str | bytes] = {"{}/bulk.bin": random.Random(1).randbytes(LARGE)}
    plat = "py3-none-linux_x86_64.linux_aarch64"
    index.add(make_wheel("scripts", "1.0", files={**scripts, **_of("scripts", bulk)}))
    index.add(make_wheel("broken", "1.0", files={**broken, **_of("broken", bulk)}))
    index.add(make_wheel("many", "1.0", files={**many, **_of("many", bulk)}))
    index.add(make_wheel("plat", "1.0", tag=plat, files=_of("plat", bulk)))
    index.add(changed(make_wheel("odd", "1.0", files=_of("odd", bulk)), _oddities))
    needed = ["scripts", "broken", "many", "odd", "plat"]
    index.add(make_wheel("top", "1.0", requires=needed))


@pytest.fixture
def packages(index: IndexServer) -> IndexServer:
    """Return an index with wheels of all kinds."""
    fill(index)
    return index


def described(code: types.CodeType) -> list[Any]:
    """Return what a module was compiled to, and for which place."""
    inner = [
        described(each) if isinstance(each, types.CodeType) else each
        for each in code.co_consts
    ]
    place = re.sub(".*/pip-target-[^/]+/", "", code.co_filename)
    return [place, code.co_code, code.co_names, code.co_firstlineno, inner]


def tree(folder: Path) -> dict[str, Any]:
    """Return the files below a folder: rights and content."""

    def content(path: Path) -> Iterator[Any]:
        yield oct(path.lstat().st_mode)
        if path.suffix != ".pyc":
            yield path.read_bytes()
            return
        data = path.read_bytes()
        source = path.parent.parent / f"{path.name.partition('.')[0]}.py"
        status = source.stat()
        assert int.from_bytes(data[8:12], "little") == int(status.st_mtime)
        yield data[:8]
        yield data[12:16]
        yield described(marshal.loads(data[16:]))

    return {
        path.relative_to(folder).as_posix(): list(content(path))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _to_another_folder(archive: zipfile.ZipFile) -> None:
    archive.writestr(entry("../../../escaped.py"), "x = 1\n")


PLAIN = make_wheel("plain", "1.0")
REFUSED: Mapping[str, Callable[[], DistFile]] = {
    "to another folder": lambda: changed(PLAIN, _to_another_folder),
    "no zip": lambda: replace(PLAIN, content=PLAIN.content[:90]),
    "other metadata": lambda: replace(
        PLAIN, content=make_wheel("plain", "1.0", requires=["other"]).content
    ),
    "another package": lambda: replace(
        PLAIN, content=make_wheel("unlike", "1.0").content
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_wheel_is_refused_as_ever(
    venv: Environment, packages: IndexServer, tmp_path: Path, name: str
) -> None:
    packages.add(REFUSED[name]())
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = ["install", "top", "plain", "-i", packages.index_url]
    command += ["--prefix", str(tmp_path / "into")]
    outcomes = []
    for more in (SLOWLY, []):
        result = venv.pip(*command, *more, code=None, env={"TMPDIR": str(temporary)})
        # Paths of temporary folders are made up anew.
        words = [w for w in result.stderr.split() if "pip-unpack" not in w]
        outcomes.append((result.returncode, words))
        assert not list(temporary.iterdir())
        if (tmp_path / "into").exists():
            (tmp_path / "into").rename(tmp_path / f"was{len(outcomes)}")
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] != 0
    assert not list(tmp_path.rglob("escaped.py"))
    # Nothing is installed, even into a new folder (pip stages packages on Linux alone).
    assert SYSTEM or not [path for path in tmp_path.glob("was2/**/*") if path.is_file()]


@pytest.mark.process
def test_nothing_is_installed_before_all_hashes_have_passed(
    venv: Environment, packages: IndexServer, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    gate = Gate()
    packages.add(make_wheel("plain", "1.0"), sha256="0" * 64)
    packages.fault("plain-1.0-py3-none-any.whl", gate=gate)
    before = tree(venv.site_packages)
    command = ["install", "plain", "top", "-i", packages.index_url]
    running = start_pip(venv, *command, env={"TMPDIR": str(temporary)})
    gate.wait_until_reached()
    _wait_for_bytecode(venv)
    assert tree(venv.site_packages) == before
    gate.open()
    result = running.finish()
    assert result.returncode == 1
    assert "Expected sha256 0000" in result.stderr
    assert tree(venv.site_packages) == before
    assert not list(temporary.iterdir())


def _wait_for_bytecode(venv: Environment) -> None:
    compiled = "unpacked-wheels/.partial-*/*/*.pyc"
    wait_for(lambda: len(list(venv.home.rglob(compiled))) > 60, "wheels are unpacked")


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_a_killed_run_leaves_the_next_one_removes(
    venv: Environment, packages: IndexServer, number: signal.Signals
) -> None:
    gate = Gate()
    packages.add(make_wheel("plain", "1.0"))
    packages.fault("plain-1.0-py3-none-any.whl", gate=gate, times=1)
    command = ["install", "plain", "top", "-i", packages.index_url]
    running = start_pip(venv, *command, env={})
    gate.wait_until_reached()
    _wait_for_bytecode(venv)
    running.send(number)
    assert running.finish().returncode == -number
    gate.open()
    venv.pip(*command)
    assert not list(venv.home.rglob(".partial-*"))


@pytest.mark.linux
def test_what_is_there_already_is_replaced_as_ever(
    venv: Environment, packages: IndexServer, tmp_path: Path
) -> None:
    folder = tmp_path / "into"
    command = ["install", "-vv", "top", "-i", packages.index_url]
    command += ["--prefix", str(folder), "--ignore-installed"]
    venv.pip(*command, *SLOWLY)
    before = tree(folder)
    (module,) = folder.rglob("m7.py")
    (stub,) = folder.rglob("module.pyi")
    link = stub.with_name("invalid.py")
    there, nowhere = tmp_path / "there.py", tmp_path / "nowhere.py"
    there.write_text("kept = True\n", encoding="utf-8")
    for path, elsewhere in (stub, there), (link, nowhere):
        path.unlink()
        path.symlink_to(elsewhere)
    module.write_text("changed = True\n", encoding="utf-8")
    # In a folder with this bit, new files belong to its group, and moved ones do not.
    group = 4242 if os.geteuid() == 0 else -1
    os.chown(module.parent, -1, group)
    module.parent.chmod(0o2755)
    new = list(module.parent.glob("m1*.py"))
    for other in new:
        other.unlink()
    venv.pip(*command)
    assert {path.stat().st_gid for path in new} == {module.parent.stat().st_gid}
    assert there.read_text(encoding="utf-8") == "kept = True\n"
    # Upstream writes to where such a link leads.
    assert link.is_symlink()
    assert nowhere.read_text(encoding="utf-8") == "x = (\n"
    nowhere.rename(link)
    assert tree(folder) == before


# While it arrives

#: Bytes of the first, by which a separate process inflates what came before it.
_LARGE = 9_000_000


def large_wheel(text: bytes) -> DistFile:
    """Return a wheel with a module, with this text, and with what takes time to arrive."""
    noise = random.Random(1).randbytes(_LARGE)
    files: dict[str, str | bytes] = {
        "big/__init__.py": "x = 1\n",
        "big/text": text,
        "big/zlib.so": noise,
    }
    wheel = make_wheel("big", "1.0", files=files)
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(wheel.content)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as new,
    ):
        for info in old.infolist():
            new.writestr(entry(info.filename), old.read(info))
    return replace(wheel, content=buffer.getvalue())


@pytest.mark.process
@pytest.mark.on_wheel
@pytest.mark.parametrize("how", ["resumed", "begun again"])
@pytest.mark.parametrize("count", [1, 2])
def test_a_wheel_whose_download_broke_off(
    venv: Environment, packages: IndexServer, how: str, count: int
) -> None:
    """Bytes of another file, which the server sent at first, are not used."""
    good = b"This is what was published."
    right, wrong = large_wheel(good), large_wheel(good.replace(b"This", b"That"))
    packages.add(right)
    first = wrong if how == "begun again" else right
    packages.ranges = how == "resumed"
    packages.fault(right.filename, truncate=_LARGE // 2, times=1, body=first.content)
    names = ["big", "plain"][:count]
    if count == 2:
        packages.add(PLAIN)
    result = venv.pip("install", "-vv", *names, "-i", packages.index_url)
    assert "Attempting to resume incomplete download" in result.stderr
    assert AHEAD in result.stdout
    package = venv.site_packages / "big"
    assert (package / "text").read_bytes() == good
    with zipfile.ZipFile(io.BytesIO(right.content)) as archive:
        assert (package / "zlib.so").read_bytes() == archive.read("big/zlib.so")
    assert list((package / "__pycache__").iterdir())
