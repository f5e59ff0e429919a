"""vLLM's index, which pip knows beside PyTorch's: both are served here by their names.

A proxy connects each host to one server on loopback, whose certificate has both names.
"""

from __future__ import annotations

import json
import shlex
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import trustme

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import Fault, Resource
from tests.lib.proxy import PYTORCH, Proxy
from tests.lib.pytorch_index import PyTorchIndexServer
from tests.lib.repository import Entry
from tests.lib.wheels import DistFile, make_wheel

pytestmark = pytest.mark.pytorch

NO_GPU = {"PIP_VARIANT_HOST": "cpu-x86_64-v3"}
GPU12 = forced("12.9", "8.6")
GPU13 = forced("13.0", "8.6")
AUTO = ["--pytorch-computation-backend", "auto"]
VLLM = "wheels.vllm.ai"


class Server(PyTorchIndexServer):
    """PyTorch's index, vLLM's, whose pages begin with a version, and the user's."""

    def __init__(self) -> None:
        super().__init__()
        self._pages: dict[str, list[DistFile]] = {}

    def list_on(self, page: str, *files: DistFile) -> None:
        """Add a page to vLLM's index."""
        self._pages.setdefault(page, []).extend(files)

    def vllm_requests(self) -> list[str]:
        """Return the paths of the pages of vLLM's index that were asked for."""
        return [path[1:] for _, path in self.log() if path[1:2].isdigit()]

    def find_resource(self, path: str, *, as_json: bool) -> Resource:
        """Return what is at a path, on any of the three."""
        page, _, name = path.removeprefix("/").partition("commit/")
        if page in self._pages:
            entries = [Entry(each) for each in self._pages[page]]
            text = self.project_html(
                entries,
                self.pages,
                lambda entry: f"/commit/{quote(entry.file.filename)}",
            )
            return self.page(text, "text/html")
        if name:
            for each in (file for files in self._pages.values() for file in files):
                if name == each.filename:
                    return self.file(path, each.content)
                if name == f"{each.filename}.metadata" and each.metadata:
                    return self.file(path, each.metadata)
        return super().find_resource(path, as_json=as_json)


@pytest.fixture
def authority(tmp_path: Path) -> trustme.CA:
    """Return who signs the certificate of the server."""
    made = trustme.CA()
    made.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return made


@pytest.fixture
def server(authority: trustme.CA) -> Iterator[Server]:
    """Return a server on which vllm has builds for each backend, and PyPI has one."""
    made = Server()
    made.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", PYTORCH, VLLM).configure_cert(made.tls)
    with made as index:
        index.add_builds("torch", "2.11.0", ["cpu", "cu126", "cu128", "cu129", "cu130"])
        index.add_builds("torch", "2.10.0", ["cpu", "cu126", "cu128", "cu130", "xpu"])
        wheel = make_wheel("vllm", "0.21.0", requires=["torch==2.11.0", "other"])
        # The build without a local version is that of one of the parts.
        index.list_on("0.21.0/cu130/vllm/", wheel)
        for backend in ("cu129", "cpu"):
            build = make_wheel("vllm", f"0.21.0+{backend}", requires=["torch==2.11.0"])
            index.list_on(f"0.21.0/{backend}/vllm/", build)
        index.list_on(
            "0.20.0/xpu/vllm/",
            make_wheel("vllm", "0.20.0+xpu", requires=["torch==2.10.0"]),
        )
        index.add(make_wheel("vllm", "0.21.0", requires=["torch==2.11.0"]))
        index.add(make_wheel("vllm", "0.22.0", requires=["torch==2.11.0"]))
        index.add(make_wheel("other", "1.0"))
        yield index


Run = Callable[..., Result]


@pytest.fixture
def run(venv: Environment, server: Server, tmp_path: Path) -> Iterator[Run]:
    """Return a function that runs pip where only the server can be reached."""
    with Proxy(server.port) as proxy:
        reached = {
            "HTTPS_PROXY": proxy.url,
            "PIP_CERT": str(tmp_path / "ca.pem"),
            "PIP_INDEX_URL": server.index_url,
        }

        def run_pip(
            *arguments: str, env: Mapping[str, str | None], code: int | None = 0
        ) -> Result:
            return venv.pip(*arguments, env={**reached, **env}, code=code)

        yield run_pip


@pytest.fixture
def dry(run: Run) -> Callable[..., dict[str, str]]:
    """Return a function that gives the versions of what would be installed."""

    def builds(*arguments: str, env: Any = NO_GPU) -> dict[str, str]:
        result = run(
            *("install", "--dry-run", *AUTO, *arguments, "-q", "--report", "-"), env=env
        )
        report = json.loads(result.stdout)
        return {
            each["metadata"]["name"]: _build(each["download_info"]["url"])
            for each in report["install"]
        }

    return builds


def _build(url: str) -> str:
    _, version, *_ = url.rpartition("/")[2].split("-")
    place = next((f"{host}: " for host in (VLLM, PYTORCH) if f"//{host}/" in url), "")
    return place + version.replace("%2B", "+")


@pytest.mark.parametrize(
    ("arguments", "env", "vllm_build", "torch"),
    [
        (["vllm==0.21.0"], GPU13, "0.21.0", "2.11.0+cu130"),
        (["vllm==0.21.0"], GPU12, "0.21.0+cu129", "2.11.0+cu129"),
        (["vllm==0.21.0"], NO_GPU, "0.21.0+cpu", "2.11.0+cpu"),
        # An older GPU that PyTorch builds for CUDA 13 have no code for.
        (["vllm==0.21.0"], forced("13.0", "7.0"), "0.21.0+cu129", "2.11.0+cu129"),
        (["vllm==0.21.0+cu129"], GPU13, "0.21.0+cu129", "2.11.0+cu129"),
        # As versions are compared; only one spelling is a folder.
        (["vllm==0.21"], GPU12, "0.21.0+cu129", "2.11.0+cu129"),
        (
            ["vllm==0.20.0"],
            {"INTEL_VARIANT_PROVIDER_FORCE_DEVICE_IP": "20.1.0"},
            "0.20.0+xpu",
            "2.10.0+xpu",
        ),
    ],
    ids=str,
)
def test_vllm_and_torch_for_one_backend(
    dry: Callable[..., dict[str, str]],
    arguments: Sequence[str],
    env: Any,
    vllm_build: str,
    torch: str,
) -> None:
    found = dry(*arguments, env=env)
    assert found["vllm"] == f"{VLLM}: {vllm_build}"
    assert found["torch"] == f"{PYTORCH}: {torch}"


def test_a_version_that_is_not_pinned(run: Run, server: Server) -> None:
    """The index has a part for each version: which one is not known."""
    for wanted in ("vllm", "vllm>=0.20", "vllm==0.*"):
        result = run("install", "--dry-run", wanted, *AUTO, env=GPU12)
        assert "vllm-0.22.0" in result.stdout
        assert (
            "Looking for 'vllm' in your index: vLLM's index lists wheels by "
            "version; to use it, pin vllm==VERSION" in result.stdout
        )
    assert server.vllm_requests() == []


def test_a_constraint_pins_too(
    dry: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("vllm==0.21.0\n")
    found = dry("vllm", "-c", str(constraints), env=GPU12)
    assert found["vllm"] == f"{VLLM}: 0.21.0+cu129"


def test_a_version_that_is_not_there(run: Run, server: Server) -> None:
    result = run("install", "--dry-run", "vllm==0.22.0", *AUTO, env=GPU12)
    assert "vllm-0.22.0" in result.stdout
    assert (
        "Looking for 'vllm' in your index: vLLM's index has no wheel of version 0.22.0"
        in result.lines
    )
    assert {path.split("/")[0] for path in server.vllm_requests()} == {"0.22.0"}


def test_no_build_that_suits(run: Run) -> None:
    """What is there is told, and nothing is taken from elsewhere."""
    command = ["install", "--dry-run", "vllm==0.21.0"]
    command += ["--pytorch-computation-backend", "cu128"]
    result = run(*command, env=NO_GPU, code=1)
    assert "vllm 0.21.0 has wheels for cu129, cpu, cu130" in result.stderr


@pytest.mark.parametrize("version", ["===0.21.0", "===../../pypi", "===0.21.0?x"])
def test_arbitrary_equality_is_no_folder(
    run: Run, server: Server, version: str
) -> None:
    command = ["install", "--dry-run", f"vllm{version}", *AUTO]
    run(*command, env=GPU12, code=None)
    assert server.vllm_requests() == []


@pytest.mark.on_wheel
def test_what_is_installed_gives_way(run: Run, venv: Environment) -> None:
    """Its version need not name its backend."""
    command = ["install", "vllm==0.21.0", *AUTO]
    run(*command, env=GPU13)
    assert venv.installed()["vllm"] == "0.21.0"
    assert "already satisfied: vllm" in run(*command, env=GPU13).stdout
    # Another machine: what to type is told, and works.
    result = run(*command, env=GPU12)
    told = [line for line in result.output.splitlines() if "To switch: " in line]
    (hint,) = [line for line in told if "vllm 0.21.0 is installed" in line]
    _, *words = shlex.split(hint.partition("To switch: ")[2].rpartition("pip ")[2])
    assert "vllm==0.21.0" in words
    result = run("install", *words, "--dry-run", env=GPU12)
    assert "vllm-0.21.0+cu129" in result.stdout
    # And a backend that is named leaves it out.
    run(*command, "--pytorch-computation-backend", "cpu", env=GPU13)
    assert venv.installed()["vllm"] == "0.21.0+cpu"


@pytest.mark.on_wheel
def test_an_installed_build_is_agreed_with(run: Run, venv: Environment) -> None:
    run("install", "vllm==0.21.0", *AUTO, env=GPU13)
    by_hand = ["--pytorch-computation-backend", "cu129"]
    result = run("install", "torch==2.11.0", *by_hand, env=GPU13)
    assert "These packages are for different backends" in result.stderr
    assert "vllm==0.21.0" in result.stderr
    result = venv.pip("check", env=GPU13, code=None)
    assert "0.21.0 needs 'torch' for cu130, but torch 2.11.0+cu129" in result.output


def test_an_index_that_cannot_be_reached(run: Run, server: Server) -> None:
    """What it might have is not taken from elsewhere."""
    server.faults["/0.21.0/cu129/vllm/"] = Fault(status=500)
    command = ["install", "--dry-run", "vllm==0.21.0", *AUTO, "--retries", "0"]
    result = run(*command, env=GPU12, code=1)
    page = f"https://{VLLM}/0.21.0/cu129/vllm/"
    assert f"Cannot use {page} as vLLM's index." in result.stderr
    assert "--pytorch-index-url URL" in result.stderr
    assert "Traceback" not in result.stderr


def test_with_a_mirror_of_pytorchs_index(run: Run, server: Server) -> None:
    """A machine that needs a mirror reaches no other public index."""
    command = ["install", "--dry-run", "vllm==0.21.0"]
    mirror = ["--pytorch-index-url", server.pytorch_url]
    assert "vllm-0.21.0 " in f"{run(*command, *mirror, env=GPU12).lines[-1]} "
    assert server.vllm_requests() == []
