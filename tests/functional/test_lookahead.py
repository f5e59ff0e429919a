"""Asking early for what the resolver will need changes nothing but the time it takes."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
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
from tests.lib.wheels import make_wheel

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


#: Pages, manifests and metadata files that pip may request and not use.
MAX_UNCLAIMED = 64
WHEEL = "app2-1.0-py3-none-any-cu128.whl"
#: How a request fails that was made early, too.
FAILURES: Mapping[str, dict[str, Any]] = {
    "reset": {"reset": True},
    "reset once": {"reset": True, "times": 1},
    "503": {"status": 503},
    "503 once, to be asked later": {
        "status": 503,
        "times": 1,
        "headers": {"Retry-After": "1"},
    },
    "truncated": {"truncate": 20},
    "truncated once": {"truncate": 20, "times": 1},
    "too short": {"longer": 20},
    "refused": {"status": 403},
}
#: What fails.
FAILING: Mapping[str, Callable[..., Callable[[IndexServer], None]]] = {
    "page": partial(_page_fault, "app2"),
    "page of a dependency": partial(_page_fault, "dep3"),
    "manifest": partial(_fault, "app2-1.0-variants.json"),
    "metadata": partial(_metadata_fault, WHEEL),
}

SCENARIOS: Mapping[str, tuple[Sequence[str], Callable[[IndexServer], None]]] = {
    "many": (APPS, _nothing),
    "one": (["app0"], _nothing),
    "plain": (["common", "dep1"], _nothing),
    "with markers": (["app0", "app1; python_version < '3'"], _nothing),
    "with a version": (["app0", "shared==1.0", "common<2"], _nothing),
    "with a label": (["app0", "app1", "--variant", "cu126"], _nothing),
    "a label that it has not": (["app0", "app1", "--variant", "app1=x"], _nothing),
    "a label that an older release has": (
        ["app0", "late", "--variant", "cu126"],
        _nothing,
    ),
    "older releases": (["old"], _nothing),
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
    "a wheel is gone": (
        APPS,
        _fault("app4-1.0-py3-none-any-cu128.whl", status=404),
    ),
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
def test_same_requests_and_output(
    venv: Environment, many: IndexServer, name: str
) -> None:
    arguments, change = SCENARIOS[name]
    seen = []
    for option in ([], ["--parallel-downloads=1"]):
        change(many)
        # What a trusted host sends is cached.
        venv.clear_cache()
        many.clear_log()
        command = ["install", "--dry-run", "-i", many.index_url, *arguments, *option]
        result = venv.pip(*command, env=GPU, code=None)
        requests = Counter(many.log())
        # Errors of connections tell where in memory these are.
        stdout, stderr = (
            re.sub("0x[0-9a-f]+", "", each) for each in (result.stdout, result.stderr)
        )
        seen.append((result.returncode, stdout, stderr, requests))
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
        # again alone.
        assert len(more) <= (what == "a manifest is gone" or how.startswith("too long"))
    assert ahead[3] or name == "plain"


def _without_retries(text: str) -> list[str]:
    told = (
        "WARNING: (Retrying|Asking again|Connection inter|Attempting to resume)|"
        "Resuming download"
    )
    return [line for line in text.splitlines() if not re.search(told, line)]


def test_an_early_failure_is_made_up_for_as_ever(
    venv: Environment, many: IndexServer
) -> None:
    many.fault("app2-1.0-variants.json", truncate=10, times=1)
    metadata = many.file_path("app3-1.0-py3-none-any-cu128.whl") + ".metadata"
    many.faults[metadata] = Fault(truncate=10, times=1)
    venv.pip("install", "-i", many.index_url, *APPS, env=GPU)
    assert venv.eval("app2.variant_label", "app2") == "cu128"
    assert venv.eval("app3.variant_label", "app3") == "cu128"


def test_credentials_and_the_cache_are_the_session_s(
    venv: Environment, tls_index: IndexServer
) -> None:
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


def test_what_is_asked_for_together(venv: Environment, index: IndexServer) -> None:
    index.add_release("first", "1.0", VARIANTS, requires=[*APPS, "old"])
    for app in APPS:
        index.add_release(app, "1.0", VARIANTS)
    for minor in range(6):
        index.add_release("old", f"2.{minor}", {"cu130": cuda("13.0")}, plain=False)
    index.add_release("old", "1.0", VARIANTS)
    index.delay = 0.1
    result = venv.pip("install", "first", "-i", index.index_url, env=GPU)
    assert "app5-1.0 (cu128)" in result.stdout
    assert [line[:45] for line in result.stderr.splitlines()] == [
        "WARNING: old 1.0 was chosen instead of 2.5, o"
    ]
    wheels = [index.file_path(f"{app}-1.0-py3-none-any-cu128.whl") for app in APPS]
    together = {
        "pages": [f"/simple/{app}/" for app in APPS],
        "manifests": [index.file_path(f"{app}-1.0-variants.json") for app in APPS],
        "metadata": [f"{wheel}.metadata" for wheel in wheels],
        "older": [index.file_path(f"old-2.{n}-variants.json") for n in range(5)],
        "wheels": wheels,
    }
    for what, paths in together.items():
        assert index.most_at_once(paths) >= 2, what


def test_wheels_are_asked_for_once(
    venv: Environment, many: IndexServer, tmp_path: Path
) -> None:
    locked = ["app0", "app1", "dep0", "dep1", "shared", "common"]
    entries = {entry.file.filename: entry for entry in chain(*many.projects.values())}
    requirements = tmp_path / "requirements.txt"
    with requirements.open("w") as file:
        for name in locked:
            label = "-cu128" if name in {"app0", "app1", "shared"} else ""
            entry = entries[f"{name}-1.0-py3-none-any{label}.whl"]
            file.write(f"{name}==1.0 --hash=sha256:{entry.file.sha256}\n")
    target, folder = tmp_path / "target", tmp_path / "folder"
    commands = [
        ["install", "--target", str(target), *APPS],
        ["install", "--target", str(target), "-r", str(requirements)],
        ["download", "-d", str(folder), *APPS],
        # Some of it is there already.
        ["download", "-d", str(target), *APPS],
    ]
    folder.mkdir()
    for command in commands:
        seen = []
        for option in ([], ["--parallel-downloads=1"]):
            for used in (target, folder):
                shutil.rmtree(used, ignore_errors=True)
                used.mkdir()
            for name in (
                "app0-1.0-py3-none-any-cu128.whl",
                "common-2.0-py3-none-any.whl",
            ):
                (target / name).write_bytes(entries[name].file.content)
            many.clear_log()
            result = venv.pip(*command, "-i", many.index_url, *option, env=GPU)
            seen.append((result.stdout, result.stderr, Counter(many.log())))
        ahead, in_turn = seen
        assert ahead[:2] == in_turn[:2], command
        assert not in_turn[2] - ahead[2]
        # The metadata of what is there already.
        more = ahead[2] - in_turn[2]
        assert all(path.endswith(".metadata") for _, path in more)
        assert max(more.values(), default=0) <= 1


@pytest.mark.on_wheel
@pytest.mark.process
def test_what_nobody_needs_keeps_nobody_waiting(
    venv: Environment, many: IndexServer
) -> None:
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
