"""Prefetching changes nothing but the time that pip takes, and some requests."""

from __future__ import annotations

import random
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment
from tests.lib.faults import Gate
from tests.lib.hosts import forced
from tests.lib.index import Fault, IndexServer
from tests.lib.manifests import cuda
from tests.lib.proxy import Proxy
from tests.lib.wheels import make_sdist, make_wheel

#: Pages, manifests and metadata files that pip may request and not use.
MAX_UNCLAIMED = 64


GPU = forced("12.8")
VARIANTS = {"cu126": cuda("12.6"), "cu128": cuda("12.8"), "null": {}}


@pytest.fixture
def many(index: IndexServer) -> IndexServer:
    """Return an index of packages with variants and dependencies."""
    for number in range(6):
        index.add_release(
            *(f"app{number}", "1.0", VARIANTS),
            requires=[f"dep{number}", "shared", "common>=1"],
        )
        index.add(make_wheel(f"dep{number}", "1.0", requires=["shared<2"]))
    for version in ("1.0", "2.0"):
        index.add_release("shared", version, VARIANTS)
        index.add(make_wheel("common", version))
    for minor in range(12):
        index.add_release("old", f"2.{minor}", {"cu130": cuda("13.0")}, plain=False)
    index.add_release("old", "1.0", VARIANTS)
    index.add_release("late", "1.0", VARIANTS)
    index.add_release("late", "2.0", {"cu128": cuda("12.8")})
    return index


APPS = [f"app{number}" for number in range(6)]


def _seen(
    venv: Environment, index: IndexServer, *command: str
) -> tuple[int, str, str, Counter[tuple[str, str]]]:
    """Run a command with an empty cache; return how it ended and what it requested."""
    # What a trusted host sends is cached.
    venv.clear_cache()
    index.clear_log()
    result = venv.pip(*command, "-i", index.index_url, env=GPU, code=None)
    # Errors of connections tell where in memory these are.
    stdout, stderr = (
        re.sub("0x[0-9a-f]+", "", each) for each in (result.stdout, result.stderr)
    )
    # Lines may come in another order.
    stdout = "\n".join(sorted(stdout.splitlines()))
    return result.returncode, stdout, stderr, Counter(index.log())


def _in_vain(
    venv: Environment, index: IndexServer, *command: str
) -> Counter[tuple[str, str]]:
    """Return the requests that pip does not make with ``--parallel-downloads=1``.

    Nothing else may differ.
    """
    in_turn = _seen(venv, index, *command, "--parallel-downloads=1")
    ahead = _seen(venv, index, *command)
    assert ahead[:3] == in_turn[:3]
    assert not in_turn[3] - ahead[3]
    return ahead[3] - in_turn[3]


def _fault(filename: str, **fault: Any) -> Callable[[IndexServer], None]:
    return lambda index: index.fault(filename, **fault)


def _page_fault(project: str, **fault: Any) -> Callable[[IndexServer], None]:
    return lambda index: index.faults.update({f"/simple/{project}/": Fault(**fault)})


def _metadata_fault(filename: str, **fault: Any) -> Callable[[IndexServer], None]:
    def plant(index: IndexServer) -> None:
        index.faults[f"{index.file_path(filename)}.metadata"] = Fault(**fault)

    return plant


def _without_metadata(index: IndexServer) -> None:
    index.pages.core_metadata = False


def _without_manifests(index: IndexServer) -> None:
    for entries in index.projects.values():
        entries[:] = [e for e in entries if not e.file.filename.endswith(".json")]


def _with_redirects(index: IndexServer) -> None:
    index.redirect_pages = True


def _nothing(index: IndexServer) -> None:
    pass


WHEEL = "app2-1.0-py3-none-any-cu128.whl"
#: How a request fails that was made early, too.
FAILURES: Mapping[str, dict[str, Any]] = {
    "reset once": {"reset": True, "times": 1},
    "503 once, to be asked later": {
        "status": 503,
        "times": 1,
        "headers": {"Retry-After": "1"},
    },
    "truncated once": {"truncate": 20, "times": 1},
    "too short": {"longer": 20},
    "refused": {"status": 403},
}
#: What fails.
FAILING: Mapping[str, Callable[..., Callable[[IndexServer], None]]] = {
    "page": partial(_page_fault, "app2"),
    "manifest": partial(_fault, "app2-1.0-variants.json"),
    "metadata": partial(_metadata_fault, WHEEL),
}

SCENARIOS: Mapping[str, tuple[Sequence[str], Callable[[IndexServer], None]]] = {
    "many": (APPS, _nothing),
    "plain": (["common", "dep1"], _nothing),
    "with markers": (["app0", "app1; python_version < '3'"], _nothing),
    "a label that an older release has": (
        ["app0", "late", "--variant", "cu126"],
        _nothing,
    ),
    "older releases beside others": (["app0", "old", "app1"], _nothing),
    "nothing suits": (["app0", "old>=2"], _nothing),
    "conflict": (["app0", "shared>=2"], _nothing),
    "no metadata files": (APPS, _without_metadata),
    "no manifests": (APPS, _without_manifests),
    "redirects": (APPS, _with_redirects),
    # What they send is cached.
    "a trusted host": (
        [*APPS, "--trusted-host", "127.0.0.1", "--no-cache-dir"],
        _nothing,
    ),
    "a manifest is gone": (APPS, _fault("app2-1.0-variants.json", status=404)),
    "a manifest is broken": (APPS, _fault("app2-1.0-variants.json", body=b"{")),
    "a wheel is gone": (APPS, _fault("app4-1.0-py3-none-any-cu128.whl", status=404)),
    **{
        f"{what}: {how}": ([*APPS, "--retries", "1"], plant(**fault))
        for how, fault in FAILURES.items()
        for what, plant in FAILING.items()
    },
    "manifest: too long to be held": (
        APPS,
        _fault("app2-1.0-variants.json", size=3 << 20),
    ),
    "metadata: too long to be held": (
        [*APPS, "--progress-bar", "off"],
        _metadata_fault(WHEEL, size=3 << 20),
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_same_outcome(venv: Environment, many: IndexServer, name: str) -> None:
    arguments, change = SCENARIOS[name]
    seen = []
    for option in ([], ["--parallel-downloads=1"]):
        change(many)
        seen.append(_seen(venv, many, "install", "--dry-run", *arguments, *option))
    ahead, in_turn = seen
    assert not in_turn[3] - ahead[3]
    more = ahead[3] - in_turn[3]
    what, _, how = name.partition(": ")
    if in_turn[0] != ahead[0]:
        # A body that broke off is asked for again.
        assert (how, ahead[0]) == ("truncated once", 0)
    else:
        assert _without_retries(ahead[2]) == _without_retries(in_turn[2])
        assert _without_retries(ahead[1]) == _without_retries(in_turn[1])
    # What failed or was refused was requested ahead of time, in turn, and again alone.
    most = 3 if how in FAILURES else 2
    assert max(more.values(), default=0) <= most
    assert sum(more.values()) <= MAX_UNCLAIMED
    if not in_turn[0] and how not in FAILURES and "older" not in name:
        # What is too long was left to the request in turn; what is gone was asked for
        # again alone, and so may be a response that a busy machine delays.
        assert len(more) <= 1 + (
            what == "a manifest is gone" or how.startswith("too long")
        )
    assert ahead[3] or name == "plain"


def _without_retries(text: str) -> list[str]:
    told = (
        "WARNING: (Retrying|Asking again|Connection inter|Attempting to resume)|"
        "Resuming download"
    )
    return [line for line in text.splitlines() if not re.search(told, line)]


def test_credentials_and_cache(venv: Environment, tls_index: IndexServer) -> None:
    tls_index.auth = ("user", "secret")
    tls_index.file_cache_control = "max-age=1000"
    for app in APPS:
        tls_index.add_release(app, "1.0", VARIANTS)
    options = ["-i", tls_index.index_url_with_auth, "--cert"]
    options.append(str(tls_index.certificates))
    command = ["install", "--dry-run", *APPS, *options]
    first = venv.pip(*command, env=GPU)
    assert all(request.headers.get("authorization") for request in tls_index.requests)
    tls_index.clear_log()
    second = venv.pip(*command, env=GPU)
    # All of it was cached, as if it had been asked for in turn.
    assert not [path for _, path in tls_index.log() if path.startswith("/files/")]
    assert "Using cached app3" in second.stdout
    assert "Downloading app3" in first.stdout


def test_credentials_of_one_index_are_not_for_another(
    venv: Environment, tls_index: IndexServer, tmp_path: Path
) -> None:
    """For a proxy, all hosts are one."""
    names = ["first", "second", "third"]
    for name in names:
        tls_index.add(make_wheel(name, "1.0"))
    netrc = tmp_path / "netrc"
    netrc.write_text("machine localhost login user password secret")
    private = tls_index.index_url.replace("127.0.0.1", "localhost")
    options = ["-i", private, "--extra-index-url", tls_index.index_url, "-q"]
    options += ["--cert", str(tls_index.certificates)]
    with Proxy(tls_index.port) as proxy:
        options += ["--proxy", proxy.url]
        venv.pip("install", "--dry-run", *names, *options, env={"NETRC": str(netrc)})
    pages = [each.headers for each in tls_index.requests if "/simple/" in each.path]
    told = [each["host"] for each in pages if each.get("authorization")]
    assert {each.partition(":")[0] for each in told} == {"localhost"}
    assert len(pages) == 2 * len(told)


@pytest.mark.parametrize("secure", [True, False])
def test_what_is_not_for_proxies_or_not_secure(
    venv: Environment, index: IndexServer, secure: bool
) -> None:
    """No prefetch goes where stock pip sends nothing."""
    for name in ("first", "second", "third"):
        index.add(make_wheel(name, "1.0"))
    host = "a.example"
    options = ["-i", index.index_url, "--extra-index-url", f"http://{host}/simple"]
    options += ["--trusted-host", host] if secure else []
    proxy = index.url
    env = {"http_proxy": proxy, "no_proxy": "127.0.0.1"}
    venv.pip("install", "--dry-run", "first", "second", "third", *options, env=env)
    hosts = [each.headers["host"] for each in index.requests if "http" in each.path]
    assert set(hosts) == ({host} if secure else set())


@pytest.mark.on_wheel
@pytest.mark.process
def test_unneeded_requests_do_not_delay(venv: Environment, many: IndexServer) -> None:
    gates = [Gate() for _ in range(2)]
    many.faults["/simple/dep5/"] = Fault(gate=gates[0])
    many.faults["/simple/dep4/"] = Fault(gate=gates[1], truncate=20)
    # It looks at all that the user asks for as soon as one of these has variants.
    wanted = ["app0", "nowhere", "dep5", "dep4"]
    command = ["install", "--timeout", "1000", "-i", many.index_url, *wanted]
    with ThreadPoolExecutor() as pool:
        running = pool.submit(venv.pip, *command, env=GPU, code=1)
        try:
            for gate in gates:
                gate.wait_until_reached()
            result = running.result(timeout=100)
        finally:
            for gate in gates:
                gate.open()
    assert "No matching distribution found for nowhere" in result.stderr
    assert len(result.stderr.splitlines()) == 2


def _tree(index: IndexServer, seed: int, contradictions: float) -> list[str]:
    """Add projects that require each other, with and without extras and versions.

    :param contradictions: how often a requirement excludes the newest versions.
    :return: what to install.
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


@pytest.mark.parametrize("seed", range(36))
def test_few_more_requests(venv: Environment, index: IndexServer, seed: int) -> None:
    """None if no requirements conflict."""
    roots = _tree(index, seed, contradictions=0.4 if seed % 3 else 0)
    # As long as requests take no time, few are made early.
    index.delay = 0.01
    more = _in_vain(venv, index, "install", "--dry-run", *roots)
    assert seed % 3 or not more
    assert sum(more.values()) <= MAX_UNCLAIMED
    assert max(more.values(), default=0) <= 1
    for method, path in more:
        assert method == "GET"
        assert path.startswith("/simple/") or path.endswith(".metadata")


#: So many projects that none but a candidate in doubt requires.
MANY = [f"c{number}" for number in range(12)]


def _plain(index: IndexServer, *names: str) -> None:
    for name in names:
        index.add(make_wheel(name, "1.0"))


def _page(name: str) -> str:
    return f"/simple/{name}/"


def _metadata(index: IndexServer, name: str, version: str = "1.0") -> str:
    return index.file_path(f"{name}-{version}-py3-none-any.whl") + ".metadata"


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


def test_older_releases(venv: Environment, many: IndexServer) -> None:
    """If none of a release suits, pip requests the manifests of more than one older release."""
    many.delay = 0.1
    venv.pip("install", "--dry-run", "old", "-i", many.index_url, env=GPU)
    manifests = [path for _, path in many.log() if "/old-2." in path]
    assert len(manifests) == 12
    assert many.most_at_once(manifests) > 3


def test_headers_are_those_in_turn(venv: Environment, tls_index: IndexServer) -> None:
    """Those of pages that are in the cache, and of one that is to be fresh, too."""
    index = tls_index
    index.page_cache_control = "max-age=600"
    command = ["install", "--dry-run", *_tree(index, 5, contradictions=0)]
    command += ["-i", index.index_url, "--cert", str(index.certificates)]
    seen = []
    for option in ([], ["--parallel-downloads=1"]):
        venv.clear_cache()
        index.clear_log()
        venv.pip(*command, "--parallel-downloads=1")
        pages = sorted(path for _, path in index.log() if path.startswith("/simple/"))
        index.clear_log()
        index.delay = 0.01
        name = pages[0].split("/")[2].upper()
        venv.pip(*command, *option, "--refresh-package", name)
        requests = [
            (request.path, frozenset(request.headers.items()))
            for request in index.requests
        ]
        # Nothing is asked for again that is fresh.
        assert [path for path, _ in requests] == pages[:1]
        seen.append(requests)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("command", ["install", "download", "wheel", "lock"])
def test_the_same_of_each_command(
    venv: Environment, index: IndexServer, tmp_path: Path, command: str
) -> None:
    folder = tmp_path / "folder"
    index.delay = 0.05
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
        at_once = index.most_at_once([path for _, path in index.log()])
        assert at_once == 1 if option else 3 <= at_once <= 6
    assert seen[0] == seen[1]


@pytest.mark.parametrize("how", ["option", "variable", "configuration"])
def test_off(venv: Environment, index: IndexServer, tmp_path: Path, how: str) -> None:
    config = tmp_path / "pip.conf"
    if how == "configuration":
        config.write_text("[install]\nparallel-downloads = 1\n")
    names = MANY[:4]
    _plain(index, *names)
    index.delay = 0.05
    env = {"PIP_NO_FAST": "1"} if how == "variable" else {}
    option = ["--parallel-downloads=1"] if how == "option" else []
    command = ["install", "--dry-run", *names, *option, "-i", index.index_url]
    venv.pip(*command, env={**env, "PIP_CONFIG_FILE": str(config)})
    in_turn = [[_page(name), _metadata(index, name)] for name in names]
    assert [path for _, path in index.log()] == list(chain(*in_turn))


def test_required_hashes(venv: Environment, index: IndexServer, tmp_path: Path) -> None:
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
    # So it is without an index.
    index.clear_log()
    links = ["--no-index", "--find-links", index.find_links_url]
    venv.pip("install", "--dry-run", *names, *links)
    assert not [path for _, path in index.log() if path.startswith("/simple/")]


def test_metadata_with_another_hash(venv: Environment, index: IndexServer) -> None:
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


def test_what_is_followed(venv: Environment, index: IndexServer) -> None:
    """Extras and markers that hold, and no file is fetched early for its metadata."""
    _plain(index, "yes", "no", "z", "w", *MANY[:4])
    markers = ["no; python_version < '3'", "yes; python_version > '3'"]
    index.add(make_wheel("a", "1.0", extras={"more": MANY[:4], "other": ["no"]}))
    index.add(make_wheel("b", "1.0", requires=["a[more]", *markers]))
    index.delay = 0.1
    venv.pip("install", "--dry-run", "b", "z", "-i", index.index_url)
    assert index.most_at_once([*map(_page, MANY[:4])]) > 1
    paths = [path for _, path in index.log()]
    assert _page("yes") in paths
    assert _page("no") not in paths
    index.delay = 0
    index.pages.core_metadata = False
    index.add(make_sdist("s", "1.0"))
    index.faults[_page("z")] = Fault(status=404, delay=0.7)
    command = ["install", "--dry-run", "z", "w", "s"]
    assert _in_vain(venv, index, *command) <= Counter(
        ("GET", _page(name)) for name in "ws"
    )
