"""Registries that people run: install, lock and explain through each of them.

The programs are real and run on loopback; ``nox -s registries`` installs them. The table
of docs/publishing.md says what each one serves.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result, scrubbed_environ
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda
from tests.lib.repository import JSON_TYPE
from tests.lib.static_server import StaticServer
from tests.lib.wheels import make_wheel

pytestmark = [pytest.mark.registries, pytest.mark.process]

Pip = Callable[..., Result]

SCRIPTS = Path(sys.executable).parent
VARIANTS = {"cu130": cuda("13.0"), "cu128": cuda("12.8"), "null": {}}
#: The user of devpi that owns the indexes here.
OWNER = "root"
#: Seconds until a server must answer.
START = 60


class Upstream(IndexServer):
    """An index with a release of variants, which also tells mirrors what it has."""

    def find_resource(self, path: str, *, as_json: bool) -> Any:
        if path == "/simple":
            projects = [{"name": name, "_last-serial": 1} for name in self.projects]
            return self.page(json.dumps({"projects": projects}), JSON_TYPE)
        if path.startswith("/pypi/"):
            release = json.dumps(self._release(path.split("/")[2]))
            page = self.page(release, "application/json")
            headers = {**page.headers, "X-PyPI-Last-Serial": "1"}
            return replace(page, headers=headers)
        path = path.replace("/packages/", "/files/", 1)
        return super().find_resource(path, as_json=as_json)

    def _release(self, name: str) -> dict[str, Any]:
        files = [
            {
                "filename": entry.file.filename,
                "url": f"{self.url}/packages/{entry.file.filename}",
                "size": len(entry.file.content),
                "digests": {"sha256": entry.file.sha256},
                "upload_time_iso_8601": "2026-01-01T00:00:00Z",
            }
            for entry in self.projects[name]
        ]
        info = {"name": name, "version": "1.0"}
        return {"info": info, "last_serial": 1, "releases": {"1.0": files}}


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as index:
        index.add_release("tool", "1.0", VARIANTS, requires=["dep"])
        index.add(make_wheel("dep", "1.0"))
        yield index


def run(*command: str | Path, **env: str) -> None:
    """Run a program of a registry to its end."""
    program, *arguments = command
    done = subprocess.run(
        [SCRIPTS / program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environ(**env),
        check=False,
    )
    assert done.returncode == 0, done.stdout


@contextmanager
def serving(url: str, *command: str | Path, **env: str) -> Iterator[None]:
    """Run a registry until the test ends."""
    program, *arguments = command
    process = subprocess.Popen(
        [SCRIPTS / program, *arguments],
        env=environ(**env),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        limit = time.monotonic() + START
        while not answers(url):
            assert process.poll() is None, f"{program} ended"
            assert time.monotonic() < limit, f"{program} does not answer"
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(30)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def environ(**env: str) -> dict[str, str]:
    return {**scrubbed_environ(Path(env.get("HOME", os.devnull)), SCRIPTS), **env}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def pypiserver(upstream: Upstream, folder: Path) -> Iterator[str]:
    files = folder / "files"
    files.mkdir()
    for file in all_files(upstream):
        file.write_to(files)
    port = free_port()
    url = f"http://127.0.0.1:{port}/simple/"
    options = ["-p", str(port), "-i", "127.0.0.1", str(files)]
    with serving(url, "pypi-server", "run", *options):
        yield url


@contextmanager
def proxpi(upstream: Upstream, folder: Path) -> Iterator[str]:
    port = free_port()
    url = f"http://127.0.0.1:{port}/index/"
    with serving(
        *(url, "flask", "--app", "proxpi.server", "run", "-p", str(port)),
        PROXPI_INDEX_URL=upstream.index_url,
        PROXPI_CACHE_DIR=str(folder),
    ):
        yield url


@contextmanager
def devpi(folder: Path) -> Iterator[tuple[str, Callable[..., None]]]:
    """Run devpi with nothing in it; yield its address, and its client."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    server = folder / "server"
    run("devpi-init", "--serverdir", server)

    def client(*arguments: str | Path) -> None:
        run("devpi", *arguments, DEVPI_CLIENTDIR=str(folder / "client"))

    place = ["--host", "127.0.0.1", "--port", str(port)]
    with serving(f"{url}/+api", "devpi-server", "--serverdir", server, *place):
        client("use", url)
        client("login", OWNER, "--password=")
        yield url, client


@contextmanager
def devpi_uploads(upstream: Upstream, folder: Path) -> Iterator[str]:
    with devpi(folder) as (url, client):
        client("index", "-c", f"{OWNER}/gpu", "bases=")
        client("use", f"{OWNER}/gpu")
        for file in all_files(upstream):
            if file.filename.endswith(".whl"):
                client("upload", file.write_to(folder))
        yield f"{url}/{OWNER}/gpu/+simple/"


@contextmanager
def devpi_mirror(upstream: Upstream, folder: Path) -> Iterator[str]:
    with devpi(folder) as (url, client):
        there = f"mirror_url={upstream.index_url}"
        client("index", "-c", f"{OWNER}/mirror", "type=mirror", there)
        yield f"{url}/{OWNER}/mirror/+simple/"


@contextmanager
def bandersnatch(upstream: Upstream, folder: Path) -> Iterator[str]:
    configuration = folder / "bandersnatch.conf"
    configuration.write_text(
        "[mirror]\n"
        f"directory = {folder}\n"
        f"master = {upstream.url}\n"
        "allow-non-https = true\n"
        "timeout = 10\nglobal-timeout = 60\nworkers = 2\n"
        "hash-index = false\nstop-on-error = true\n"
    )
    run("bandersnatch", "--config", configuration, "mirror", HOME=str(folder))
    with StaticServer(folder / "web", with_json=True) as server:
        yield server.index_url


def all_files(upstream: Upstream) -> Iterator[Any]:
    for entries in upstream.projects.values():
        yield from (entry.file for entry in entries)


REGISTRIES = [
    # Whether it lists manifests; otherwise they are put together from the wheels.
    pytest.param(bandersnatch, True, id="bandersnatch"),
    pytest.param(devpi_mirror, True, id="devpi, mirror"),
    pytest.param(devpi_uploads, False, id="devpi, uploads"),
    pytest.param(proxpi, True, id="proxpi"),
    pytest.param(pypiserver, False, id="pypiserver"),
]


@pytest.mark.parametrize(("registry", "has_manifest"), REGISTRIES)
def test_install_lock_and_explain(
    venv: Environment,
    upstream: Upstream,
    tmp_path: Path,
    registry: Any,
    has_manifest: bool,
) -> None:
    folder = tmp_path / "registry"
    folder.mkdir()
    with ExitStack() as stack:
        url = stack.enter_context(registry(upstream, folder))
        wanted = urllib.request.Request(f"{url}tool/", headers={"Accept": "text/html"})
        with urllib.request.urlopen(wanted) as page:
            assert ("tool-1.0-variants.json" in page.read().decode()) == has_manifest
        there, gpu = ["-i", url], forced("12.8")
        result = venv.pip("install", "tool", *there, env=gpu)
        assert "Successfully installed dep-1.0 tool-1.0 (cu128)" in result.stdout
        assert "WARNING" not in result.output
        explained = venv.pip("variants", "explain", "tool", "--json", *there, env=gpu)
        assert json.loads(explained.stdout)["chosen"]["label"] == "cu128"
        venv.pip("lock", "tool", "-o", venv.work / "pylock.toml", *there, env=gpu)
        venv.pip("uninstall", "-y", "tool", "dep")
        # Another machine, from the same file.
        result = venv.pip("install", "-r", "pylock.toml", *there, env=forced("13.0"))
        assert "tool-1.0 (cu130)" in result.stdout
