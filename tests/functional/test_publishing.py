"""The guide for publishers: its commands, run as they stand there, and what they give."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lib.environments import Environment, Workshop, scrubbed_environ
from tests.lib.guides import block
from tests.lib.index import IndexServer
from tests.lib.publisher import WheelCli
from tests.lib.static_server import StaticServer
from tests.lib.wheels import make_wheel

pytestmark = pytest.mark.process

GUIDE = "first-variant.md"
_CUDA = "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION"


@dataclass(frozen=True, slots=True)
class Site:
    """What the guide makes: a project, and the folder that is served."""

    environment: Environment
    publish: WheelCli
    folder: Path

    @property
    def dist(self) -> Path:
        """Return the folder that is served."""
        return self.folder / "dist"

    @property
    def file_index(self) -> str:
        """Return its index without a server."""
        return (self.dist / "simple").as_uri()


@pytest.fixture(
    scope="module",
    params=["stand-in", pytest.param("registry", marks=pytest.mark.registry)],
)
def site(
    request: pytest.FixtureRequest,
    workshop: Workshop,
    publisher_environment: Environment,
    tmp_path_factory: pytest.TempPathFactory,
) -> Site:
    """Return what the commands of the guide made, of a real wheel or of a stand-in."""
    folder = tmp_path_factory.mktemp("guide")
    (download,) = block(GUIDE, "download").splitlines()
    if request.param == "registry":
        # The user's own pip: it knows where packages come from.
        pip, *arguments = shlex.split(download)
        assert pip == "pip"
        subprocess.run(
            [sys.executable, "-m", "pip", *arguments, "-q"], cwd=folder, check=True
        )
    else:
        (folder / "dist").mkdir()
        make_wheel("idna", "3.10", requires_python=">=3.6").write_to(folder / "dist")
    (folder / "pyproject.toml").write_text(
        block(GUIDE, "pyproject.toml"), encoding="utf-8"
    )
    root = tmp_path_factory.mktemp("publisher")
    environment = workshop.fork(root / "fork")
    publish = WheelCli(root / "home", folder, publisher_environment)
    commands = block(GUIDE, "commands").splitlines()
    assert len(commands) == 5
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "wheel-variants"
        result = publish(*arguments)
        assert result.stderr == ""
    assert result.lines == ["Checked 4 wheels and 1 manifest: 0 errors, 0 warnings."]
    return Site(environment, publish, folder)


@pytest.fixture(params=["file", "http", "json"])
def index_url(request: pytest.FixtureRequest, site: Site) -> Iterator[str]:
    """Return the index of the guide: from the folder, from a server, from JSON pages."""
    if request.param == "file":
        yield site.file_index
        return
    with StaticServer(site.dist, with_json=request.param == "json") as server:
        yield server.index_url


def chosen(site: Site, index_url: str, *options: str, **variables: str) -> str | None:
    """Return the label that the fork chooses; ``None`` for the plain wheel."""
    result = site.environment.pip(
        *("install", "--dry-run", "--ignore-installed", "--no-deps", "-q"),
        *("--report", "-", "-i", index_url, "idna", *options),
        env=dict(variables),
    )
    (item,) = json.loads(result.stdout)["install"]
    label: str | None = re.findall(
        r"-any(?:-(\w+))?\.whl$", item["download_info"]["url"]
    )[0]
    return label or None


HOSTS = {
    "cuda-12.8-sm_90-x86_64-v3": "cu128",
    "cuda-12.6-sm_90-x86_64-v3": "x86_64_v3",
    "cpu-x86_64-v2": "null",
    "cpu-aarch64": "null",
}


def test_the_fork_chooses_by_machine(site: Site, index_url: str) -> None:
    found = {}
    for host in HOSTS:
        options = ["--variant-host", host, "--target", "lib", "--only-binary=:all:"]
        found[host] = chosen(site, index_url, *options)
    assert found == HOSTS


def tried(site: Site, index: IndexServer, line: str) -> str:
    """Return what a command of the guide says, with *index* as the usual one."""
    with StaticServer(site.dist) as server:
        _, *words = shlex.split(line.replace("8000", str(server.server_port)))
        env = {_CUDA: "12.8", "PIP_INDEX_URL": index.index_url}
        return site.environment.pip(*words, "--dry-run", env=env).stdout


def test_it_is_tried_beside_the_usual_index(site: Site, index: IndexServer) -> None:
    """As the guide says it, and what makes an index."""
    (line,) = block(GUIDE, "install").splitlines()
    result = site.publish("index", "dist", "--simple")
    assert result.lines[-1].strip() == line
    index.add(make_wheel("idna", "3.10"))
    index.add(make_wheel("idna", "99.0"))
    assert "Using idna 3.10, variant cu128" in tried(site, index, line)


@pytest.mark.scoped
def test_it_is_named_for_its_projects_alone(site: Site, index: IndexServer) -> None:
    (line,) = block(GUIDE, "scoped install").splitlines()
    index.add(make_wheel("idna", "99.0"))
    assert "Using idna 3.10, variant cu128" in tried(site, index, line)


@pytest.mark.scoped
def test_what_others_get(site: Site) -> None:
    found = []
    with StaticServer(site.dist) as server:
        for line in block(GUIDE, "others").splitlines():
            _, *words = shlex.split(line.replace("8000", str(server.server_port)))
            found.append(site.environment.pip(*words).stdout)
    listed, explained = found
    assert "* 1    cu128" in listed
    assert "idna-3.10-py3-none-any-null.whl" in explained


@pytest.mark.on_wheel
def test_the_fork_installs_what_it_chose(site: Site, tmp_path: Path) -> None:
    target = tmp_path / "lib"
    options = ["--variant-host", "cuda-12.8-sm_90", "--target", str(target)]
    install = ["install", "--no-deps", "-i", site.file_index, *options, "idna"]
    site.environment.pip(*install)
    (embedded,) = target.glob("idna-3.10.dist-info/variant.json")
    assert list(json.loads(embedded.read_text())["variants"]) == ["cu128"]


def test_an_installer_without_variants_takes_the_plain_wheel(
    index_url: str, upstream_venv: Environment
) -> None:
    result = upstream_venv.pip("install", "--no-deps", "-i", index_url, "idna")
    assert "Successfully installed idna-3.10" in result.stdout
    (folder,) = upstream_venv.site_packages.glob("idna-3.10.dist-info")
    assert not (folder / "variant.json").exists()
    assert upstream_venv.installed() == {"idna": "3.10"}


def uv_choice(site: Site, index_url: str, target: Path, *, cuda: str) -> str:
    """Return the label that uv chooses."""
    pytest.importorskip("uv", reason="uv is not installed")
    environ = {
        **scrubbed_environ(site.environment.home, site.environment.scripts),
        **({_CUDA: cuda} if cuda else {}),
    }
    command = [
        *(sys.executable, "-m", "uv", "pip", "install", "-q", "--no-config"),
        *("--no-cache", "--no-deps", "--preview-features", "wheel-variants"),
        *("--python", str(site.environment.python), "--target", str(target)),
        *("--index-url", index_url, "idna"),
    ]
    subprocess.run(command, env=environ, check=True)
    (embedded,) = target.glob("idna-3.10.dist-info/variant.json")
    (label,) = json.loads(embedded.read_text())["variants"]
    return str(label)


def test_uv_chooses_the_same_on_this_machine(
    site: Site, index_url: str, tmp_path: Path
) -> None:
    for cuda in ("", "12.8", "12.6"):
        ours = chosen(site, index_url, **({_CUDA: cuda} if cuda else {}))
        theirs = uv_choice(site, index_url, tmp_path / f"lib{cuda}", cuda=cuda)
        assert ours == theirs
        if cuda == "12.8":
            assert theirs == "cu128"
