"""What downloads need is compared with what is free on each disk."""

from __future__ import annotations

import optparse
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pip._internal.models.link import Link
from pip._internal.network.session import PipSession
from pip._internal.parallel import needed_space, sizes, space
from pip._internal.parallel.needed_space import Need, NoSpace, check_needs, check_space

MB = 1_000_000


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, int | None]:
    """Return what is free on disks: each is a folder below the one of the test."""
    disks: dict[str, int | None] = {}

    def disk_of(path: str) -> str:
        return Path(path).relative_to(tmp_path).parts[0]

    def usage(path: str) -> Any:
        left = disks[disk_of(path)]
        if left is None:
            raise OSError
        return SimpleNamespace(total=left and 100 * MB, free=left)

    monkeypatch.setattr(needed_space, "device_of", disk_of)
    monkeypatch.setattr(needed_space, "existing", os.path.abspath)
    monkeypatch.setattr(shutil, "disk_usage", usage)
    monkeypatch.setattr(sizes, "_NOTED", {})
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    return disks


def requirement(size: int | None, name: str, **more: Any) -> Any:
    """Return what is known of a requirement whose file is to be downloaded."""
    link = Link(f"https://localhost/{name}-1.0-py3-none-any.whl")
    if size is not None:
        sizes.note(link, {"size": size})
    return SimpleNamespace(link=link, should_reinstall=False, **more)


def check(
    tmp_path: Path,
    required: list[Any],
    download_dir: str | None = None,
    **changes: Any,
) -> str:
    """Return what is said where there is too little space, without the folder."""
    options = {
        "target_dir": None,
        "use_user_site": False,
        "root_path": None,
        "isolated_mode": False,
        "prefix_path": str(tmp_path / "env"),
        "cache_dir": None,
        **changes,
    }
    session = PipSession(cache=options["cache_dir"])
    preparer: Any = SimpleNamespace(download_dir=download_dir, _session=session)
    try:
        check_space(preparer, optparse.Values(options), required)
    except NoSpace as error:
        return str(error).replace(str(tmp_path), "")
    return ""


def lacks(tmp_path: Path, *args: Any, **changes: Any) -> list[str]:
    """Return the folders in which there is too little space, without the rest."""
    lines = check(tmp_path, *args, **changes).splitlines()[1:-1]
    return [line.split(":")[0].split("/")[1] for line in lines]


#: What is free on the disks, and those on which 4 MB of downloads lack space.
SPACE: list[tuple[Mapping[str, int | None], list[str]]] = [
    ({"tmp": 4 * MB, "env": 4 * MB}, []),
    ({"tmp": 4 * MB - 1, "env": 4 * MB}, ["tmp"]),
    ({"tmp": 4 * MB, "env": 4 * MB - 1}, ["env"]),
    ({"tmp": 3 * MB, "env": 3 * MB}, ["tmp", "env"]),
    # Nobody knows.
    ({"tmp": None, "env": 3 * MB}, ["env"]),
    ({"tmp": 0, "env": 4 * MB}, []),
]


@pytest.mark.parametrize(("disks", "expected"), SPACE)
def test_each_disk_must_have_space(
    tmp_path: Path,
    free: dict[str, int | None],
    disks: Mapping[str, int],
    expected: list[str],
) -> None:
    free.update(disks)
    required = [requirement(1 * MB, "a"), requirement(3 * MB, "b")]
    assert lacks(tmp_path, required) == expected
    # Of what has no size, nothing is known.
    assert lacks(tmp_path, [requirement(None, "c")]) == []


def test_what_is_replaced_makes_space(
    tmp_path: Path, free: dict[str, int | None]
) -> None:
    free.update({"tmp": 9 * MB, "env": 3 * MB})
    required = [requirement(1 * MB, "a"), requirement(3 * MB, "b")]
    assert lacks(tmp_path, required) == ["env"]
    required[0].should_reinstall = True
    assert lacks(tmp_path, required) == []


def test_what_is_here_is_not_downloaded(
    tmp_path: Path, free: dict[str, int | None]
) -> None:
    free.update({"tmp": 1 * MB, "env": 9 * MB})
    local = requirement(3 * MB, "a")
    local.link = Link((tmp_path / "a-1.0-py3-none-any.whl").as_uri())
    sizes.note(local.link, {"size": 3 * MB})
    assert lacks(tmp_path, [local]) == []
    assert lacks(tmp_path, [local, requirement(2 * MB, "b")]) == ["tmp"]


@pytest.mark.parametrize(
    ("where", "expected"), [("env/cache", True), ("tmp/cache", False), ("own", False)]
)
def test_a_cache_counts_on_the_disk_of_packages(
    tmp_path: Path, free: dict[str, int | None], where: str, expected: bool
) -> None:
    free.update({"tmp": 5 * MB, "env": 5 * MB, "own": 1 * MB})
    cache = tmp_path / where
    required = [requirement(4 * MB, "a")]
    said = check(tmp_path, required, cache_dir=str(cache))
    assert ("--no-cache-dir" in said) is expected
    if expected:
        # What it has needs no more.
        adapter: Any = PipSession(cache=str(cache)).get_adapter("https://localhost")
        entry = adapter.cache._get_cache_path(required[0].link.url)
        body = Path(f"{entry}.body")
        body.parent.mkdir(parents=True)
        body.write_bytes(b"")
        assert check(tmp_path, required, cache_dir=str(cache)) == ""


def test_files_that_are_kept(tmp_path: Path, free: dict[str, int | None]) -> None:
    free.update({"tmp": 4 * MB, "kept": 3 * MB, "env": 0})
    required = [requirement(4 * MB, "a")]
    assert lacks(tmp_path, required, str(tmp_path / "kept")) == ["kept"]


@pytest.mark.parametrize(("target", "size"), [("tmp/in", "8.0 MB"), ("in", "8.0 MB")])
def test_what_goes_to_a_target(
    tmp_path: Path, free: dict[str, int | None], target: str, size: str
) -> None:
    """It is installed among temporary files, and then moved."""
    free.update({"tmp": 7 * MB, "in": 4 * MB})
    said = check(
        tmp_path, [requirement(4 * MB, "a")], target_dir=str(tmp_path / target)
    )
    assert f"{size} in all, and 7.0 MB are free" in said
    assert f"  /{target}:" not in said


def test_a_folder_is_shown_as_it_may_be_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(space, "existing", lambda _: str(tmp_path))
    with pytest.raises(NoSpace) as caught:
        check_needs([Need("/a\x1b[31m", 1 << 60, "for all")])
    assert "/a\\x1b[31m: 1152921504606.8 MB are needed for all, and " in str(
        caught.value
    )
