"""Without variants, the fork does what stock pip does, with the same requests.

Either no variant wheel is in sight, or ``--no-variants`` is given where some are. Then
requests (method, path, headers), output and files are those of upstream's release, but
for the version strings, and for the order of requests unless ``--no-fast`` is given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

from tests.lib.environments import UPSTREAM_PIP, Environment
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH
from tests.lib.modes import on_wheel
from tests.lib.repository import Repository
from tests.lib.wheels import make_sdist, make_wheel

pytestmark = pytest.mark.process


class Step(NamedTuple):
    """A command and the exit status it must end with."""

    arguments: tuple[str, ...]
    code: int = 0


def _fails(*arguments: str) -> Step:
    return Step(arguments, code=1)


def _runs(*arguments: str) -> Step:
    return Step(arguments)


#: Commands that run one after the other in one environment.
SCENARIOS: dict[str, list[Step]] = {
    "install": [
        _runs("install", "app"),
        _runs("list"),
        _runs("freeze"),
        _runs("freeze", "-r", "requirements.txt"),
        _runs("check"),
        _runs("show", "-f", "app"),
        _runs("inspect"),
        _runs("uninstall", "-y", "app", "dep"),
        # All from the cache now.
        _runs("install", "app"),
    ],
    "install verbosely": [_runs("install", "-vv", "app")],
    "upgrade": [
        _runs("install", "app==1.0"),
        _runs("list", "--outdated"),
        _runs("list", "--outdated", "--format", "json"),
        _runs("install", "-U", "app"),
        _runs("install", "--force-reinstall", "--no-deps", "app<2"),
    ],
    "source": [
        _runs("install", "source"),
        _runs("install", "--no-build-isolation", "--force-reinstall", "source"),
    ],
    "choose": [
        _runs("download", "-d", "down", "app"),
        _runs("download", "-d", "other", "--platform", "win_amd64", "--no-deps", "app"),
        _runs("wheel", "-w", "wheels", "app", "source"),
        _runs("lock", "app", "-o", "pylock.toml"),
        _runs("install", "--dry-run", "-r", "pylock.toml"),
        _runs("index", "versions", "app"),
        _runs("install", "--dry-run", "--quiet", "--report", "-", "app", "source"),
        _runs("install", "--dry-run", "--use-feature=fast-deps", "app"),
        _runs("install", "--dry-run", "--prefer-binary", "--pre", "app"),
        _runs("install", "--target", "target", "app"),
    ],
    "requirements": [
        _runs("install", "-r", "requirements.txt"),
        _runs("install", "--require-hashes", "-r", "hashed.txt"),
        _runs("install", "-c", "constraints.txt", "app"),
        _fails("install", "-c", "impossible.txt", "app"),
    ],
    "folders": [
        _runs("install", "--no-index", "--find-links", "links", "app"),
        _runs("install", "--force-reinstall", "links/dep-1.5-py3-none-any.whl"),
        _runs("index", "versions", "--no-index", "--find-links", "links", "app"),
    ],
    "failures": [
        _fails("install", "app==9"),
        _fails("install", "no-such-project"),
        _fails("install", "conflict"),
        _fails("index", "versions", "no-such-project"),
        _fails("install", "old-python"),
        _fails("install", "foreign"),
    ],
}

#: Commands that know ``--no-variants``.
_CHOOSING = {"install", "download", "wheel", "lock", "index", "list"}


#: Method, path and headers.
_Request = tuple[str, str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Observed:
    """What can be seen of a command from outside."""

    returncode: int
    stdout: str
    stderr: str
    requests: list[_Request]
    files: dict[str, bytes]


def _fill(repository: Repository, *, variants: bool) -> None:
    for version in ("1.0", "2.0"):
        repository.add(make_wheel("app", version, requires=["dep>=1", "torch"]))
        repository.add(make_sdist("app", version, requires=["dep>=1", "torch"]))
    repository.add(make_wheel("app", "3.0rc1"), requires_python=">=3.8")
    repository.add(make_wheel("app", "2.1"), yanked="broken")
    repository.add(make_wheel("dep", "1.5", extras={"x": ["app"]}))
    repository.add(make_wheel("builder", "1"))
    repository.add(make_sdist("source", "1.0", build_requires=["builder"]))
    repository.add(make_wheel("conflict", "1", requires=["dep<1", "app"]))
    repository.add(make_wheel("old-python", "1"), requires_python="<3")
    repository.add(make_wheel("foreign", "1", tag="py3-none-win_amd64"))
    if variants:
        repository.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
        # A newer release that plain pip cannot see at all.
        repository.add_release(
            "torch", "2.9.0", {"null": {}, "v3": ["x86_64 :: level :: v3"]}, plain=False
        )
    else:
        repository.add(make_wheel("torch", "2.8.0"))


def _write_inputs(repository: Repository, folder: Path) -> None:
    repository.write_directory(folder / "links")
    (folder / "requirements.txt").write_text("--pre\napp>1\ndep[x]\n")
    (folder / "constraints.txt").write_text("app<2\n")
    (folder / "impossible.txt").write_text("app>9\n")
    hashed = [
        f"{entry.file.project}=={entry.file.version} --hash=sha256:{entry.file.sha256}"
        for project in ("dep", "builder")
        for entry in repository.projects[project]
    ]
    (folder / "hashed.txt").write_text("\n".join([*hashed, ""]))


def _normalize(text: str, environment: Environment) -> str:
    text = text.replace(str(environment.root), "<root>")
    text = re.sub(re.escape(UPSTREAM_PIP) + r"(\+variants\.[\w.]*\w)?", "<pip>", text)
    # The columns of a table are as wide as the version of pip.
    text = re.sub(r"-{3,}", "---", re.sub(r"(?<=\S) {2,}", "  ", text))
    # Names of temporary folders and files, times.
    text = re.sub(r"(pip-[a-z-]+-|tmp)[a-z0-9_]{8}", r"\g<1><temporary>", text)
    text = re.sub(r"\d+(\.\d+)? [kM]?B/s( eta \d+:\d+:\d+)?", "<speed>", text)
    # At -vv, upstream says of each labeled wheel that its name is invalid.
    text = re.sub(
        r".*invalid wheel filename: \S+-(cu\d+|0{8}|null|v3)\.whl.*\n", "", text
    )
    # It names the folder of the environment.
    text = re.sub(r"(direct_url\.json),sha256=[^,]*,\d+", r"\1,<hash>", text)
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.]*", "<time>", text)


def _files(environment: Environment) -> Iterator[tuple[str, bytes]]:
    """Yield what lies in the environment and in the working folder, pip left out."""
    for top in (environment.site_packages, environment.work):
        for path in sorted(top.rglob("*")):
            name = path.relative_to(environment.root).as_posix()
            if re.search(r"/site-packages/pip(-[^/]*)?/", name) or path.is_dir():
                continue
            if path.suffix == ".pyc":
                content = b""
            elif path.suffix == ".whl":
                content = path.read_bytes()
            else:
                content = _normalize(
                    path.read_bytes().decode("utf-8", "surrogateescape"), environment
                ).encode("utf-8", "surrogateescape")
            yield name, content


def _observe(
    environment: Environment,
    index: IndexServer,
    command: Sequence[str],
    code: int,
    **environ: str,
) -> Observed:
    index.clear_log()
    environ["PIP_INDEX_URL"] = index.index_url
    result = environment.pip(*command, code=code, env=environ)
    requests = [
        (
            request.method,
            request.path,
            {k: _normalize(v, environment) for k, v in request.headers.items()},
        )
        for request in index.requests
    ]
    stdout = result.stdout
    # Both walk over the installed packages in the order of the folder's entries.
    if command[:2] == ("list", "--outdated"):
        requests.sort(key=lambda request: request[1])
    if command[0] == "inspect":
        stdout = _sort_inspected(stdout)
    return Observed(
        result.returncode,
        _normalize(stdout, environment),
        _normalize(result.stderr, environment),
        requests,
        dict(_files(environment)),
    )


def _removed(request: _Request, requests: list[_Request]) -> bool:
    """Remove a request from others, and tell whether it was among them."""
    if request not in requests:
        return False
    requests.remove(request)
    return True


def _sort_inspected(stdout: str) -> str:
    """Sort the packages that ``pip inspect`` reports; leave pip itself out."""
    report = json.loads(stdout)
    names = {item["metadata"]["name"]: item for item in report["installed"]}
    assert names.pop("pip")["installer"] == "pip"
    report["installed"] = [names[name] for name in sorted(names)]
    return json.dumps(report, indent=2)


def _cases() -> Iterator[tuple[str, Literal["html", "json"], bool, bool]]:
    for scenario in SCENARIOS:
        yield scenario, "json", False, True
        for fast in (True, False):
            yield scenario, "json", True, fast
        # Pages differ in how their links are read, which needs no more commands.
        if scenario in ("choose", "failures", "upgrade"):
            yield scenario, "html", scenario == "choose", True


@pytest.mark.parametrize(
    ("scenario", "page_format", "variants", "fast"),
    on_wheel(
        _cases(),
        {
            ("install", "json", False, True),
            ("install", "json", True, False),
            ("folders", "json", True, True),
            ("failures", "html", False, True),
        },
    ),
)
def test_same_requests_output_and_files(
    scenario: str,
    page_format: Literal["html", "json"],
    variants: bool,
    fast: bool,
    index: IndexServer,
    venv: Environment,
    upstream_venv: Environment,
) -> None:
    switch = {} if fast else {"PIP_NO_FAST": "1"}
    index.page_format = page_format
    _fill(index, variants=variants)
    for environment in (venv, upstream_venv):
        _write_inputs(index, environment.work)
    for command, code in SCENARIOS[scenario]:
        if fast:
            # At -vv, requests that are made early have lines of their own.
            command = tuple("-v" if each == "-vv" else each for each in command)
        expected = _observe(upstream_venv, index, command, code)
        if variants and command[0] in _CHOOSING:
            command = (*command, "--no-variants")
        actual = _observe(venv, index, command, code, **switch)
        if fast:
            # Requests that are made early change places; some are in vain if it fails.
            wanted = [*expected.requests]
            more = [each for each in actual.requests if not _removed(each, wanted)]
            assert not wanted, command
            assert len(more) <= (5 if code else 0), command
        else:
            assert actual.requests == expected.requests, command
        assert actual.stdout == expected.stdout, command
        assert actual.stderr == expected.stderr, command
        assert actual.files == expected.files, command


@pytest.mark.parametrize("option", [[], ["--no-fast"]])
def test_a_conflict_comes_before_later_dependencies(
    venv: Environment, index: IndexServer, option: list[str]
) -> None:
    index.add(make_wheel("second", "1"))
    second = index.index_url.replace("simple/", "files/second-1-py3-none-any.whl")
    requires = [f"second @ {second}"]
    index.add(make_wheel("first", "1", requires=requires, requires_python="<3"))
    venv.pip("install", "first", "-i", index.index_url, *option, code=1)
    assert not [each for each in index.requests if "second" in each.path]


@pytest.mark.parametrize("yanked", [None, "broken"])
def test_errors_about_plain_projects(
    venv: Environment,
    upstream_venv: Environment,
    index: IndexServer,
    yanked: str | None,
) -> None:
    wheel = make_wheel("plain", "1.0")
    index.add(wheel, upload_time="2025-01-01T00:00:00Z", yanked=yanked)
    command = ["install", "--dry-run", "-i", index.index_url]
    for given in ["plain>1"], ["plain", "--uploaded-prior-to", "2020-01-01"]:
        ours, theirs = (
            each.pip(*command, *given, code=None).stderr
            for each in (venv, upstream_venv)
        )
        assert ours == theirs
