"""Prefetching changes nothing but the time that pip takes, and some requests."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from itertools import chain
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.faults import Gate
from tests.lib.index import Fault, IndexServer
from tests.lib.wheels import make_sdist, make_wheel

#: Pages, manifests and metadata files that pip may request and not use.
MAX_UNCLAIMED = 64


def _tree(index: IndexServer, seed: int, contradictions: float) -> list[str]:
    """Add projects that require each other, with and without extras and versions.

    :param contradictions: how often a requirement excludes the newest versions
    :return: what to install
    """
    draw = random.Random(seed)
    names = [f"p{number}" for number in range(draw.randint(5, 40))]
    for number, name in enumerate(names):
        later = names[number + 1 :]
        for version in range(1, draw.randint(2, 5)):
            requires = []
            for other in draw.sample(later, min(len(later), draw.randint(0, 4))):
                extra = "[more]" if draw.random() < 0.2 else ""
                marker = draw.choice(["", "", "", "; python_version < '3'"])
                bound = ""
                if draw.random() < contradictions:
                    bound = draw.choice(["<2", "<3", ">=3", "==1.0", "!=2.0"])
                elif draw.random() < 0.5:
                    bound = ">=1"
                requires.append(f"{other}{extra}{bound}{marker}")
            extras = {"more": later[-2:]}
            wheel = make_wheel(name, f"{version}.0", requires=requires, extras=extras)
            index.add(wheel)
    return names[: draw.randint(1, 3)]


def _seen(
    venv: Environment, index: IndexServer, *command: str
) -> tuple[int, str, str, Counter[tuple[str, str]]]:
    venv.clear_cache()
    index.clear_log()
    # As long as requests take no time, few are made early.
    index.delay = 0.01
    result = venv.pip(*command, "-i", index.index_url, code=None)
    # Lines may come in another order.
    stdout = "\n".join(sorted(result.stdout.splitlines()))
    return result.returncode, stdout, result.stderr, Counter(index.log())


@pytest.mark.parametrize("seed", range(12))
def test_the_same_requests(venv: Environment, index: IndexServer, seed: int) -> None:
    roots = _tree(index, seed, contradictions=0)
    command = ["install", "--dry-run", *roots]
    ahead = _seen(venv, index, *command)
    assert ahead == _seen(venv, index, *command, "--parallel-downloads=1")
    assert ahead[0] == 0


@pytest.mark.parametrize("seed", range(24))
def test_few_more_where_requirements_conflict(
    venv: Environment, index: IndexServer, seed: int
) -> None:
    roots = _tree(index, seed, contradictions=0.4)
    command = ["install", "--dry-run", *roots]
    ahead = _seen(venv, index, *command)
    in_turn = _seen(venv, index, *command, "--parallel-downloads=1")
    assert ahead[:3] == in_turn[:3]
    assert not in_turn[3] - ahead[3]
    more = ahead[3] - in_turn[3]
    assert sum(more.values()) <= MAX_UNCLAIMED
    assert max(more.values(), default=0) <= 1
    for method, path in more:
        assert method == "GET"
        assert path.startswith("/simple/") or path.endswith(".metadata")


@pytest.mark.parametrize("age", ["max-age=600", "max-age=0"])
@pytest.mark.parametrize("refreshed", ["none", "two", "all"])
def test_the_same_headers(
    venv: Environment, tls_index: IndexServer, refreshed: str, age: str
) -> None:
    """Those of a page that is in the cache, and of one that is to be fresh, too."""
    index = tls_index
    index.page_cache_control = age
    command = ["install", "--dry-run", *_tree(index, 5, contradictions=0)]
    command += ["-i", index.index_url, "--cert", str(index.certificates)]
    seen = []
    for option in ([], ["--parallel-downloads=1"]):
        venv.clear_cache()
        index.clear_log()
        venv.pip(*command, "--parallel-downloads=1")
        pages = sorted(path for _, path in index.log() if path.startswith("/simple/"))
        names = [path.split("/")[2] for path in pages]
        many = {
            "none": ["other"],
            "two": [names[0], names[-1].upper()],
            "all": [":all:"],
        }
        index.clear_log()
        index.delay = 0.01
        venv.pip(*command, *option, "--refresh-package", ",".join(many[refreshed]))
        requests = [
            (request.method, request.path, frozenset(request.headers.items()))
            for request in index.requests
        ]
        seen.append(Counter(requests))
    assert seen[0] == seen[1]
    # Nothing is asked for again that is fresh.
    fresh = {"none": [], "two": [pages[0], pages[-1]], "all": pages}
    asked = fresh[refreshed] if age == "max-age=600" else pages
    assert sorted(path for _, path, _ in seen[0]) == asked


#: So many projects that none but a candidate in doubt requires.
MANY = [f"c{number}" for number in range(12)]


def _plain(index: IndexServer, *names: str) -> None:
    for name in names:
        index.add(make_wheel(name, "1.0"))


def _page(name: str) -> str:
    return f"/simple/{name}/"


def _metadata(index: IndexServer, name: str, version: str = "1.0") -> str:
    return index.file_path(f"{name}-{version}-py3-none-any.whl") + ".metadata"


def _in_vain(
    venv: Environment, index: IndexServer, *command: str | Path, late: str | None = None
) -> Counter[str]:
    """Return what is asked for that is not with ``--parallel-downloads=1``.

    Nothing else may differ.

    :param late: a path that is not answered before something was asked for in vain
    """
    arguments = [*command, "-i", index.index_url]
    in_turn = _asked(venv, index, *arguments, "--parallel-downloads=1")

    def is_something_in_vain(requests: Counter[str]) -> bool:
        return bool(requests - in_turn[3])

    with held(index, late, is_something_in_vain) if late else nullcontext():
        ahead = _asked(venv, index, *arguments)
    assert ahead[:3] == in_turn[:3]
    assert not in_turn[3] - ahead[3]
    return ahead[3] - in_turn[3]


@contextmanager
def held(
    index: IndexServer, path: str, until: Callable[[Counter[str]], bool]
) -> Iterator[None]:
    """Answer a path when requests came in of which it is true, and a little later.

    After twenty seconds it is answered in any case: what a test awaits did not happen.
    """
    gate = Gate()
    index.faults[path] = Fault(gate=gate)

    def keep() -> None:
        try:
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline:
                if until(Counter(path for _, path in index.log())):
                    # What follows from it has time to be asked for, were it wrong to.
                    time.sleep(0.7)
                    break
                time.sleep(0.01)
        finally:
            gate.open()

    with ThreadPoolExecutor() as pool:
        keeper = pool.submit(keep)
        yield
        keeper.result()


def _asked(
    venv: Environment, index: IndexServer, *command: str | Path
) -> tuple[int, str, str, Counter[str]]:
    venv.clear_cache()
    index.clear_log()
    result = venv.pip(*command, code=None)
    requests = Counter(path for _, path in index.log())
    return result.returncode, result.stdout, result.stderr, requests


@pytest.mark.parametrize("command", ["install", "download", "wheel", "lock"])
def test_several_at_a_time(venv: Environment, index: IndexServer, command: str) -> None:
    names = MANY[:8]
    _plain(index, *names)
    index.add(make_wheel("top", "1.0", requires=names))
    index.delay = 0.1
    venv.pip(command, "top", "-i", index.index_url)
    wheels = [index.file_path(f"{name}-1.0-py3-none-any.whl") for name in names]
    together = [
        [_page(name) for name in names],
        [f"{each}.metadata" for each in wheels],
    ]
    if command != "lock":
        # It writes what pages tell of the wheels.
        together.append(wheels)
    for paths in together:
        assert 3 <= index.most_at_once(paths) <= 6


def test_the_first_request_is_made_alone(venv: Environment, index: IndexServer) -> None:
    _plain(index, *MANY)
    index.faults[_page("c0")] = Fault(delay=0.5)
    index.delay = 0.1
    venv.pip("install", "--dry-run", *MANY, "-i", index.index_url)
    paths = [path for _, path in index.log()]
    assert index.most_at_once(paths) > 1
    assert all(index.most_at_once([_page("c0"), path]) == 1 for path in paths)


@pytest.mark.parametrize("most", ["1", "2", "12"])
def test_so_many_at_a_time(venv: Environment, index: IndexServer, most: str) -> None:
    names = [f"p{number}" for number in range(40)]
    _plain(index, *names)
    index.delay = 0.1
    options = ["--parallel-downloads", most, "-i", index.index_url]
    venv.pip("install", "--dry-run", *names, *options)
    at_once = index.most_at_once([path for _, path in index.log()])
    assert at_once <= int(most)
    assert most != "2" or at_once == 2
    assert most != "12" or at_once > 6


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", ""])
def test_invalid_numbers(venv: Environment, index: IndexServer, value: str) -> None:
    command = ["install", "a", f"--parallel-downloads={value}", "-i", index.index_url]
    result = venv.pip(*command, code=2)
    assert f"invalid number {value!r}, expected one from 1 to" in result.stderr


@pytest.mark.parametrize("command", ["install", "download", "wheel", "lock"])
def test_the_same_of_each_command(
    venv: Environment, index: IndexServer, tmp_path: Path, command: str
) -> None:
    folder = tmp_path / "folder"
    index.delay = 0.01
    names = _tree(index, 5, contradictions=0)
    into: dict[str, list[str | Path]] = {
        "install": ["--target", folder],
        "download": ["-d", folder],
        "wheel": ["-w", folder],
        "lock": ["-o", folder / "pylock.toml"],
    }
    seen = []
    for option in ([], ["--parallel-downloads=1"]):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        index.clear_log()
        arguments: list[str | Path] = [command, *names, *into[command], *option]
        result = venv.pip(*arguments, "-i", index.index_url)
        files = sorted(path.relative_to(folder) for path in folder.rglob("*"))
        stdout = sorted(result.stdout.splitlines())
        seen.append((stdout, result.stderr, Counter(index.log()), files))
    assert seen[0] == seen[1]


OFF: dict[str, tuple[list[str], dict[str, str], str]] = {
    "--parallel-downloads=1": (["--parallel-downloads=1"], {}, ""),
    "--no-fast": (["--no-fast"], {}, ""),
    "PIP_PARALLEL_DOWNLOADS": ([], {"PIP_PARALLEL_DOWNLOADS": "1"}, ""),
    "PIP_NO_FAST": ([], {"PIP_NO_FAST": "1"}, ""),
    "configured": ([], {}, "[install]\nparallel-downloads = 1\n"),
    "configured for all": ([], {}, "[global]\nno-fast = true\n"),
}


@pytest.mark.parametrize("how", OFF)
def test_it_can_be_turned_off(
    venv: Environment, index: IndexServer, tmp_path: Path, how: str
) -> None:
    options, variables, configuration = OFF[how]
    (tmp_path / "pip.conf").write_text(configuration)
    names = MANY[:4]
    _plain(index, *names)
    index.delay = 0.05
    env = {**variables, "PIP_CONFIG_FILE": str(tmp_path / "pip.conf")}
    command = ["install", "--dry-run", *names, *options, "-i", index.index_url]
    venv.pip(*command, env=env)
    in_turn = [[_page(name), _metadata(index, name)] for name in names]
    assert [path for _, path in index.log()] == list(chain(*in_turn))


def test_nothing_is_early_where_hashes_are_required(
    venv: Environment, index: IndexServer, tmp_path: Path
) -> None:
    names = MANY[:4]
    _plain(index, *names)
    index.delay = 0.05
    requirements = tmp_path / "requirements.txt"
    hashes = {name: index.projects[name][0].file.sha256 for name in names}
    lines = [f"{name}==1.0 --hash=sha256:{hashes[name]}\n" for name in names]
    requirements.write_text("".join(lines))
    venv.pip("install", "--dry-run", "-r", requirements, "-i", index.index_url)
    files = [index.file_path(f"{name}-1.0-py3-none-any.whl") for name in names]
    in_turn = [[_page(name), file] for name, file in zip(names, files, strict=True)]
    assert [path for _, path in index.log()] == list(chain(*in_turn))


def test_nothing_is_early_without_an_index(
    venv: Environment, index: IndexServer
) -> None:
    names = MANY[:4]
    _plain(index, *names)
    index.add(make_wheel("top", "1.0", requires=names))
    index.delay = 0.05
    logs = []
    for option in ([], ["--parallel-downloads=1"]):
        venv.clear_cache()
        index.clear_log()
        links = ["--no-index", "--find-links", index.find_links_url]
        venv.pip("install", "--dry-run", "top", *links, *option)
        logs.append(index.log())
    assert logs[0] == logs[1]
    assert not [path for _, path in logs[0] if path.startswith("/simple/")]


@pytest.mark.parametrize("roots", [["a[more]"], ["a", "b"]])
def test_extras_are_followed(
    venv: Environment, index: IndexServer, roots: list[str]
) -> None:
    needed = MANY[:4]
    _plain(index, "z", *needed)
    index.add(make_wheel("a", "1.0", extras={"more": needed, "other": ["no"]}))
    index.add(make_wheel("b", "1.0", requires=["a[more]"]))
    index.delay = 0.1
    result = venv.pip("install", "--dry-run", *roots, "z", "-i", index.index_url)
    assert "c3-1.0" in result.stdout
    assert index.most_at_once([*map(_page, needed)]) > 1
    assert _page("no") not in [path for _, path in index.log()]


def test_markers_are_heeded(venv: Environment, index: IndexServer) -> None:
    _plain(index, "yes", "no", "z")
    requires = ["no; python_version < '3'", "yes; python_version > '3'"]
    index.add(make_wheel("a", "1.0", requires=requires))
    index.delay = 0.1
    venv.pip("install", "--dry-run", "a", "z", "-i", index.index_url)
    assert _page("yes") in [path for _, path in index.log()]
    assert _page("no") not in [path for _, path in index.log()]


def test_metadata_with_another_hash_is_not_believed(
    venv: Environment, index: IndexServer
) -> None:
    _plain(index, "a", "first", "z", "evil")
    other = make_wheel("a", "1.0", requires=["evil"]).metadata
    index.faults[_metadata(index, "a")] = Fault(body=other)

    def is_metadata_here(requests: Counter[str]) -> bool:
        return _metadata(index, "a") in requests

    with held(index, _page("z"), is_metadata_here):
        result = venv.pip("install", "first", "z", "a", "-i", index.index_url, code=1)
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in result.stderr
    paths = [path for _, path in index.log()]
    assert paths.index(_metadata(index, "a")) < paths.index(_metadata(index, "z"))
    assert _page("evil") not in paths


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--upgrade"],
        ["--upgrade", "--upgrade-strategy", "eager"],
        ["--force-reinstall"],
    ],
    ids=" ".join,
)
def test_what_is_installed(
    venv: Environment, index: IndexServer, options: list[str]
) -> None:
    _plain(index, "kept", "z", "needed")
    venv.pip("install", "kept", "--no-deps", "-i", index.index_url)
    index.add(make_wheel("kept", "2.0", requires=["needed"]))
    index.add(make_wheel("top", "1.0", requires=["kept"]))
    index.faults[_page("z")] = Fault(delay=0.5)
    command = ["install", "--dry-run", "top", "z", *options]
    assert not _in_vain(venv, index, *command)


def test_no_file_is_fetched_early_for_its_metadata(
    venv: Environment, index: IndexServer
) -> None:
    index.pages.core_metadata = False
    index.add(make_sdist("s", "1.0"))
    _plain(index, "w")
    index.faults[_page("z")] = Fault(status=404, delay=0.7)
    command = ["install", "--dry-run", "z", "w", "s"]
    assert _in_vain(venv, index, *command) <= Counter([_page("w"), _page("s")])


def test_large_wheels_are_fetched_in_turn(
    venv: Environment, index: IndexServer
) -> None:
    for name in ("a", "b"):
        index.add(make_wheel(name, "1.0", files={f"{name}.bin": os.urandom(600_000)}))
    index.fault("a-1.0-py3-none-any.whl", status=404, delay=0.5)
    command = ["install", "a", "b", "-i", index.index_url, "--parallel-downloads=1"]
    result = venv.pip(*command, code=1)
    assert "404" in result.stderr
    assert index.file_path("b-1.0-py3-none-any.whl") not in [
        path for _, path in index.log()
    ]


def test_nothing_is_fetched_that_is_in_the_folder(
    venv: Environment, index: IndexServer, tmp_path: Path
) -> None:
    _plain(index, *MANY[:4])
    here = MANY[1:3]
    for name in here:
        index.projects[name][0].file.write_to(tmp_path)
    index.faults[_page("c0")] = Fault(delay=0.5)
    venv.pip("download", "-d", tmp_path, *MANY[:4], "-i", index.index_url)
    paths = [path for _, path in index.log()]
    files = {path for path in paths if path.startswith("/files/")}
    wheels = [path for path in files if path.endswith(".whl")]
    assert not [path for path in wheels if path[len("/files/") :][:2] in here]
    assert len(paths) == len(set(paths)) <= 10
