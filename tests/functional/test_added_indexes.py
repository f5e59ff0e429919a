"""Indexes of builds that are described: vLLM's, which comes with pip, and those of users."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.guides import block
from tests.lib.hosts import forced
from tests.lib.index import Fault, Resource
from tests.lib.pytorch_index import PyTorchIndexServer
from tests.lib.repository import Entry
from tests.lib.wheels import DistFile, make_sdist, make_wheel

pytestmark = pytest.mark.pytorch

Pip = Callable[..., Result]

NO_GPU = {"PIP_VARIANT_HOST": "cpu-x86_64-v3"}
GPU12 = forced("12.9", "8.6")
GPU13 = forced("13.0", "8.6")
AUTO = ["--pytorch-computation-backend", "auto"]
_ROOT = Path(__file__).parents[2]
SHIPPED = _ROOT / "src/pip/_internal/variants/pytorch/indexes"


class BuildServer(PyTorchIndexServer):
    """PyTorch's index, a user's, and pages anywhere below ``/more``; files lie apart."""

    def __init__(self) -> None:
        super().__init__()
        self._below: dict[str, list[DistFile]] = {}

    @property
    def more_url(self) -> str:
        return f"{self.url}/more"

    def list_below(self, page: str, *files: DistFile) -> None:
        self._below.setdefault(page, []).extend(files)

    def more_requests(self) -> list[str]:
        return [
            path.removeprefix("/more/")
            for _, path in self.log()
            if path.startswith("/more/") and path.endswith("/")
        ]

    def find_resource(self, path: str, *, as_json: bool) -> Resource:
        if not path.startswith("/more/"):
            return super().find_resource(path, as_json=as_json)
        path = path.removeprefix("/more/")
        if path in self._below:
            entries = [Entry(each) for each in self._below[path]]
            text = self.project_html(
                entries,
                self.pages,
                lambda entry: f"/more/commit/{quote(entry.file.filename)}",
            )
            return self.page(text, "text/html")
        for files in self._below.values():
            for each in files:
                if path == f"commit/{each.filename}":
                    return self.file(path, each.content)
                if path == f"commit/{each.filename}.metadata" and each.metadata:
                    return self.file(path, each.metadata)
        return Resource(b"", status=404)


@pytest.fixture
def server() -> Iterator[BuildServer]:
    """Return a server on which vllm has builds for each backend, and PyPI has one."""
    with BuildServer() as index:
        index.add_builds("torch", "2.11.0", ["cpu", "cu126", "cu128", "cu129", "cu130"])
        index.add_builds("torch", "2.10.0", ["cpu", "cu126", "cu128", "cu130", "xpu"])
        wheel = make_wheel("vllm", "0.21.0", requires=["torch==2.11.0", "other"])
        # The build without a local version is that of one of the parts.
        index.list_below("0.21.0/cu130/vllm/", wheel)
        for backend in ("cu129", "cpu"):
            build = make_wheel("vllm", f"0.21.0+{backend}", requires=["torch==2.11.0"])
            index.list_below(f"0.21.0/{backend}/vllm/", build)
        index.list_below(
            "0.20.0/xpu/vllm/",
            make_wheel("vllm", "0.20.0+xpu", requires=["torch==2.10.0"]),
        )
        index.add(make_wheel("vllm", "0.21.0", requires=["torch==2.11.0"]))
        index.add(make_wheel("vllm", "0.22.0", requires=["torch==2.11.0"]))
        index.add(make_wheel("other", "1.0"))
        yield index


def _described(folder: Path, text: str, name: str = "index.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture
def vllm(server: BuildServer, tmp_path: Path) -> Path:
    """Return a description of vLLM's index that differs in its URL alone."""
    text = (SHIPPED / "vllm.toml").read_text()
    assert "https://wheels.vllm.ai" in text
    return _described(tmp_path, text.replace("https://wheels.vllm.ai", server.more_url))


@pytest.fixture
def dry(venv: Environment, server: BuildServer) -> Callable[..., dict[str, str]]:
    """Return a function that gives the versions of what would be installed."""

    def run(*arguments: str | Path, env: Any = NO_GPU) -> dict[str, str]:
        command = ["install", "--dry-run", *arguments, "-i", server.index_url]
        command += ["--pytorch-index-url", server.pytorch_url, "-q", "--report", "-"]
        result = venv.pip(*command, env=env)
        report = json.loads(result.stdout)
        return {
            each["metadata"]["name"]: _build(each["download_info"]["url"])
            for each in report["install"]
        }

    return run


def _build(url: str) -> str:
    _, version, *_ = url.rpartition("/")[2].split("-")
    place = "more: " if "/more/" in url else "whl: " if "/whl/" in url else ""
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
        (["vllm==v0.21.0.0"], GPU12, "0.21.0+cu129", "2.11.0+cu129"),
        # Of both, the best one that both have.
        (
            ["vllm==0.21.0", "torch==2.11.0+cu129"],
            GPU13,
            "0.21.0+cu129",
            "2.11.0+cu129",
        ),
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
    vllm: Path,
    arguments: Sequence[str],
    env: Any,
    vllm_build: str,
    torch: str,
) -> None:
    found = dry(*arguments, *AUTO, "--pytorch-add-index", vllm, env=env)
    assert found["vllm"] == f"more: {vllm_build}"
    assert found["torch"] == f"whl: {torch}"


@pytest.mark.parametrize(
    ("backend", "expected"), [("cuda", "cu130"), ("cu129", "cu129"), ("cpu", "cpu")]
)
def test_backends_by_hand(
    dry: Callable[..., dict[str, str]], vllm: Path, backend: str, expected: str
) -> None:
    command = ["vllm==0.21.0", "--pytorch-computation-backend", backend]
    found = dry(*command, "--pytorch-add-index", vllm)
    assert found["torch"] == f"whl: 2.11.0+{expected}"
    local = "" if expected == "cu130" else f"+{expected}"
    assert found["vllm"] == f"more: 0.21.0{local}"


def test_a_version_that_is_not_pinned(
    venv: Environment, server: BuildServer, vllm: Path
) -> None:
    """The index has a part for each version: which one is not known."""
    options = ["-i", server.index_url, "--pytorch-index-url", server.pytorch_url]
    options += ["--pytorch-add-index", str(vllm), "--dry-run"]
    for wanted in ("vllm", "vllm>=0.20", "vllm==0.*"):
        result = venv.pip("install", wanted, *options, env=GPU12)
        assert "vllm-0.22.0" in result.stdout
        assert (
            "Looking for vllm in your own index: vLLM's index has builds by backend for "
            "one version at a time (vllm==VERSION)" in result.stdout
        )
    assert server.more_requests() == []


def test_a_constraint_pins_too(
    dry: Callable[..., dict[str, str]], vllm: Path, tmp_path: Path
) -> None:
    constraints = _described(tmp_path, "vllm==0.21.0\n", "constraints.txt")
    options = ["-c", constraints, "--pytorch-add-index", vllm]
    assert dry("vllm", *options, env=GPU12)["vllm"] == "more: 0.21.0+cu129"


def test_a_version_that_is_not_there(
    venv: Environment, server: BuildServer, vllm: Path
) -> None:
    options = ["-i", server.index_url, "--pytorch-index-url", server.pytorch_url]
    options += ["--pytorch-add-index", str(vllm), "--dry-run"]
    result = venv.pip("install", "vllm==0.22.0", *options, env=GPU12)
    assert "vllm-0.22.0" in result.stdout
    assert (
        "Looking for vllm in your own index: vLLM's index has no build of 0.22.0"
        in result.lines
    )
    assert {path.split("/")[0] for path in server.more_requests()} == {"0.22.0"}


def test_a_project_that_another_index_has(
    venv: Environment, server: BuildServer, vllm: Path
) -> None:
    """Where it comes from is told, and nothing else."""
    server.add_builds("vllm", "0.23.0", ["cpu", "cu129"], requires=["torch==2.11.0"])
    options = ["-i", server.index_url, "--pytorch-index-url", server.pytorch_url]
    options += ["--pytorch-add-index", str(vllm), "--dry-run"]
    for wanted in ("vllm", "vllm==0.23.0"):
        result = venv.pip("install", wanted, *options, env=GPU12)
        assert "vllm-0.23.0+cu129" in result.stdout
        assert "Looking in PyTorch's index first" in result.stdout
        assert "in your own index" not in result.stdout


@pytest.mark.parametrize(
    ("backend", "env", "said"),
    [
        ("cu128", NO_GPU, "vllm 0.21.0 has builds for cu129, cpu, cu130"),
        ("rocm", NO_GPU, "vllm 0.21.0 has builds for cu129, cpu, cu130"),
        ("auto", forced("11.8", "8.6"), "vllm 0.20.0"),
    ],
)
def test_no_build_that_suits(
    venv: Environment,
    server: BuildServer,
    vllm: Path,
    backend: str,
    env: Any,
    said: str,
) -> None:
    """What is there is told, and nothing is taken from elsewhere."""
    server.add(make_wheel("vllm", "0.20.0", requires=["torch==2.10.0"]))
    version = "0.20.0" if backend == "auto" else "0.21.0"
    command = ["install", "--dry-run", f"vllm=={version}", "-i", server.index_url]
    command += ["--pytorch-index-url", server.pytorch_url]
    command += ["--pytorch-computation-backend", backend]
    result = venv.pip(*command, "--pytorch-add-index", vllm, env=env, code=1)
    assert said in result.stderr, result.stderr


@pytest.mark.parametrize("version", ["===0.21.0", "===../../pypi", "===0.21.0?x"])
def test_arbitrary_equality_is_no_folder(
    venv: Environment, server: BuildServer, vllm: Path, version: str
) -> None:
    command = ["install", "--dry-run", f"vllm{version}", "-i", server.index_url]
    command += ["--pytorch-index-url", server.pytorch_url]
    venv.pip(*command, "--pytorch-add-index", vllm, env=GPU12, code=None)
    assert server.more_requests() == []


@pytest.mark.on_wheel
def test_what_is_installed_gives_way(
    venv: Environment, server: BuildServer, vllm: Path
) -> None:
    """Its version need not name its backend."""
    command = ["install", "vllm==0.21.0", "-i", server.index_url]
    command += ["--pytorch-index-url", server.pytorch_url]
    command += ["--pytorch-add-index", str(vllm)]
    venv.pip(*command, env=GPU13)
    assert venv.installed()["vllm"] == "0.21.0"
    assert "already satisfied: vllm" in venv.pip(*command, env=GPU13).stdout
    # Another machine: what to type is told, and works.
    result = venv.pip(*command, env=GPU12)
    told = [line for line in result.output.splitlines() if "To switch: " in line]
    (hint,) = [line for line in told if "vllm 0.21.0 is installed" in line]
    _, *words = shlex.split(hint.partition("To switch: ")[2].rpartition("pip ")[2])
    assert "vllm==0.21.0" in words
    typed = ["install", *words]
    assert "vllm-0.21.0+cu129" in venv.pip(*typed, "--dry-run", env=GPU12).stdout
    # And a backend that is named leaves it out.
    by_hand = ["--pytorch-computation-backend", "cpu"]
    venv.pip(*command, *by_hand, env=GPU13)
    assert venv.installed()["vllm"] == "0.21.0+cpu"


@pytest.mark.on_wheel
def test_an_installed_build_is_agreed_with(
    venv: Environment, server: BuildServer, vllm: Path
) -> None:
    command = ["-i", server.index_url, "--pytorch-index-url", server.pytorch_url]
    command += ["--pytorch-add-index", str(vllm)]
    venv.pip("install", "vllm==0.21.0", *command, env=GPU13)
    by_hand = ["--pytorch-computation-backend", "cu129"]
    result = venv.pip("install", "torch==2.11.0", *command, *by_hand, env=GPU13)
    assert "Builds for different backends come together" in result.stderr
    assert "vllm==0.21.0" in result.stderr
    result = venv.pip("check", code=None)
    assert "vllm 0.21.0 needs torch for cu130, and torch 2.11.0+cu129" in result.output


@pytest.mark.scoped
def test_an_index_of_the_user_comes_first(
    dry: Callable[..., dict[str, str]], server: BuildServer, vllm: Path
) -> None:
    own = ["--variant-index", f"vllm={server.index_url}"]
    found = dry("vllm==0.21.0", *own, "--pytorch-add-index", vllm, env=GPU12)
    assert found["vllm"] == "0.21.0"
    assert server.more_requests() == []


def test_an_index_that_cannot_be_reached(
    venv: Environment, server: BuildServer, vllm: Path
) -> None:
    """What it might have is not taken from elsewhere."""
    server.faults["/more/0.21.0/cu129/vllm/"] = Fault(status=500)
    command = ["install", "--dry-run", "vllm==0.21.0", "-i", server.index_url]
    command += ["--pytorch-index-url", server.pytorch_url, "--retries", "0"]
    result = venv.pip(*command, "--pytorch-add-index", vllm, env=GPU12, code=1)
    page = f"{server.more_url}/0.21.0/cu129/vllm/"
    assert f"Cannot use {page} as vLLM's index." in result.stderr
    assert "--variant-index vllm=URL" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_shipped_one_is_used(venv: Environment, server: BuildServer) -> None:
    """With PyTorch's own index; who names a mirror of it reaches no others."""
    offline = {**GPU12, "PIP_RETRIES": "0", "PIP_TIMEOUT": "1"}
    # No name is resolved: a proxy that is not there answers nothing.
    offline["PIP_PROXY"] = "http://127.0.0.1:9"
    command = ["install", "--dry-run", "vllm==0.21.0", "-i", server.index_url]
    result = venv.pip(*command, *AUTO, env=offline, code=1)
    assert "Cannot use https://wheels.vllm.ai/0.21.0/cu129/vllm/" in result.stderr
    mirror = ["--pytorch-index-url", server.pytorch_url]
    result = venv.pip(*command, *mirror, env=GPU12)
    assert "vllm-0.21.0" in result.stdout
    assert "wheels.vllm.ai" not in result.output


def test_descriptions_of_the_users_stand_for_those_of_pip(
    venv: Environment, server: BuildServer, vllm: Path, tmp_path: Path
) -> None:
    text = (SHIPPED / "pytorch.toml").read_text()
    assert "https://download.pytorch.org/whl" in text
    ours = text.replace("https://download.pytorch.org/whl", server.pytorch_url)
    pytorch = _described(tmp_path, ours, "pytorch.toml")
    options = ["-i", server.index_url, "--pytorch-add-index", str(pytorch)]
    options += ["--pytorch-add-index", str(vllm)]
    # The second version is not there, and then nowhere but on the user's index.
    for version, build in (("0.21.0", "0.21.0+cu129"), ("0.22.0", "0.22.0")):
        command = ["install", "--dry-run", f"vllm=={version}", *options]
        result = venv.pip(*command, env={**GPU12, "PIP_RETRIES": "0"})
        assert f"torch-2.11.0+cu129 vllm-{build}" in result.stdout


OURS = """\
name = "Example Corp"
url = "{url}"
projects = ["Fast_Kernels"]
page = "flat/{{project}}/"
backends = ["cu128", "cpu"]

[local-versions]
gpu = "cu128"

[gpus.cuda]
"12.8" = ["90_real"]
"""


@pytest.mark.parametrize(
    ("env", "build", "torch"),
    [
        (forced("12.9", "9.0"), "gpu", "cu128"),
        # As PyTorch's builds for that version, of which the table says nothing.
        (forced("12.6", "6.1"), "cpu", "cu126"),
        # It says which GPUs there is code for; torch gives up no GPU for it.
        (forced("12.9", "8.0"), "cpu", "cu129"),
        (NO_GPU, "cpu", "cpu"),
    ],
    ids=str,
)
def test_an_index_of_ones_own(
    dry: Callable[..., dict[str, str]],
    server: BuildServer,
    tmp_path: Path,
    env: Any,
    build: str,
    torch: str,
) -> None:
    for local in ("gpu", "cpu"):
        wheel = make_wheel("fast-kernels", f"1.0+{local}", requires=["torch"])
        server.list_below("flat/fast-kernels/", wheel)
    ours = _described(tmp_path, OURS.format(url=server.more_url))
    found = dry("fast-kernels", "--pytorch-add-index", ours, env=env)
    assert found["fast-kernels"] == f"more: 1.0+{build}"
    assert found["torch"] == f"whl: 2.11.0+{torch}"
    # Nothing else is asked for there.
    assert set(server.more_requests()) == {"flat/fast-kernels/"}


def test_it_can_be_configured(
    venv: Environment, server: BuildServer, vllm: Path, tmp_path: Path
) -> None:
    spaced = tmp_path / "a folder"
    spaced.mkdir()
    url = _described(spaced, vllm.read_text()).as_uri()
    configuration = tmp_path / "pip.conf"
    configuration.write_text(
        f"[global]\nindex-url = {server.index_url}\n"
        f"pytorch-index-url = {server.pytorch_url}\npytorch-add-index = {url}\n"
    )
    env = {**GPU12, "PIP_CONFIG_FILE": str(configuration)}
    result = venv.pip("install", "--dry-run", "vllm==0.21.0", env=env)
    assert "vllm-0.21.0+cu129" in result.stdout


@pytest.mark.process
def test_what_is_built_gets_the_same(
    venv: Environment, server: BuildServer, tmp_path: Path
) -> None:
    """In build isolation too, from a folder whose name has a blank."""
    for local in ("gpu", "cpu"):
        server.list_below(
            "flat/fast-kernels/", make_wheel("fast-kernels", f"1.0+{local}")
        )
    spaced = tmp_path / "a folder"
    spaced.mkdir()
    ours = _described(spaced, OURS.format(url=server.more_url))
    server.add(make_sdist("built", "1.0", build_requires=["fast-kernels"]))
    command = ["wheel", "built", "-i", server.index_url, "--no-deps"]
    command += [
        "--pytorch-index-url",
        server.pytorch_url,
        "--pytorch-add-index",
        str(ours),
    ]
    venv.pip(*command, env=NO_GPU)
    assert "flat/fast-kernels/" in server.more_requests()


GOOD = """\
name = 'x'
url = 'https://x'
projects = ['x']
page = '{project}/'
backends = ['cpu']
"""

#: What stands in the place of what, and what is said of it.
BAD: Sequence[tuple[str, str, str]] = (
    ("url = 'https://x'", "", "it has no 'url'"),
    ("https://x", "ftp://x", "'url' is no URL of an index: 'ftp://x'"),
    ("https://x", "https://x/{version}", "'url' is no URL of an index"),
    ("page = '{project}/'", "", "it has neither 'page' nor 'backend-page'"),
    ("name", "nane", "and has 'nane'"),
    ("'x'", "3", "'name' of the description is a number, not a string"),
    ("'x'", "' '", "it has no 'name'"),
    ("{project}/", "{project}", "ends with a slash: '{project}'"),
    ("{project}/", "{nothing}/", "no path with {project}"),
    *(
        ("{project}/", path, "braces are for fields")
        for path in (
            *("{project", "{project}/{}/", "{project!r}/", "{project:>99999999999}/"),
            *("{project.__class__}/", "{project:{nope}}/", "{{project}}/{project}/"),
        )
    ),
    *(
        ("https://x", url, "'url' is no URL of an index")
        for url in (
            *("http://[::1", "http://x:99999", "https:///x", "file://host/x"),
            *("file:///%00", "https://x/{project}"),
        )
    ),
    ("https://x", "https://x/{channel!r}", "braces are for fields"),
    ("https://x", "https://x/{{channel}}", "braces are for fields"),
    ("https://x", "ftp://user:secret@x", "no URL of an index: 'ftp://****@x'"),
    ("name = 'x'", f"name = {'9' * 5000}", "it is not TOML: Exceeds the limit"),
    ("page", "backend-page", "no path with {backend} and {project}"),
    ("'cpu'", "'cu12'", "got 'cu12'"),
    ("['cpu']", "'cpu'", "'backends' is a string, not a list"),
    ("['cpu']", "[]", "it has no 'backends'"),
    ("['x']\npage = '", "['a b']\npage = '", "no name of a project: 'a b'"),
    (
        "projects = ['x']\npage = '",
        "page = '{version}/",
        "its pages are by version, and it has no 'projects'",
    ),
    (
        "['cpu']",
        "['cpu']\n[gpus.cuda]\n12 = ['90_real']",
        "by version, such as 12.8: '12'",
    ),
    ("['cpu']", "['cpu']\n[gpus]\ncuda = 3", "'cuda' is a number, not an object"),
    ("['cpu']", "['cpu']\n[local-versions]\ngpu = 'fast'", "got 'fast'"),
    ("name =", "name", "it is not TOML"),
    ("name = 'x'", "[" * 100_000, "it is"),
)


@pytest.mark.parametrize(("old", "new", "said"), BAD, ids=[said for _, _, said in BAD])
def test_what_describes_nothing(
    pip: Pip, tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in GOOD
    path = _described(tmp_path, GOOD.replace(old, new, 1))
    result = pip("install", "x", "--pytorch-add-index", path, code=2)
    assert "describes no index of builds" in result.stderr
    assert said in " ".join(result.stderr.split())


def test_the_example_of_the_guide(
    dry: Callable[..., dict[str, str]], server: BuildServer, tmp_path: Path
) -> None:
    text = block("bridge.md", "description")
    url = "https://wheels.example.com"
    assert url in text
    ours = _described(tmp_path, text.replace(url, server.more_url))
    for backend in ("cu130", "gpu"):
        wheel = make_wheel("fast-kernels", f"1.0+{backend}")
        server.list_below("fast-kernels/", wheel)
    found = dry("fast-kernels", "--pytorch-add-index", ours, env=forced("12.8", "9.0"))
    assert found["fast-kernels"] == "more: 1.0+gpu"


def test_no_file(pip: Pip, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for place in (
        tmp_path / "none.toml",
        tmp_path,
        fifo,
        "file://host/x",
        "file:///%00",
    ):
        result = pip("install", "x", "--pytorch-add-index", place, code=2)
        assert "describes no index of builds: it " in " ".join(result.stderr.split())
