"""How-to pages about other machines: their commands, run as they stand there."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.guides import block
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.interpreters import SUPPORTED
from tests.lib.manifests import Properties, cuda, make_manifest
from tests.lib.publisher import WheelCli
from tests.lib.static_server import StaticServer
from tests.lib.wheels import make_wheel

_LINUX: Mapping[str, Properties] = {
    "cuda12.6": cuda("12.6", ["70", "80", "90"]),
    "rocm": ["amd :: gfx_arch :: gfx1100"],
    "null": {},
}
_CUDA: Mapping[str, Properties] = {"cuda12.6": cuda("12.6"), "null": {}}
#: The platforms of PyTorch's wheels: what they are for, and the labels there.
TORCH: Sequence[tuple[str, Mapping[str, Properties]]] = [
    (f"cp{python}-cp{python}-{platform}", variants)
    for python in (each.replace(".", "") for each in SUPPORTED)
    for platform, variants in (
        ("manylinux_2_28_x86_64", _LINUX),
        ("manylinux_2_28_aarch64", _CUDA),
        ("win_amd64", _CUDA),
        ("macosx_11_0_arm64", {"null": {}}),
    )
]


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with builds of torch for all kinds of machines."""
    labels: dict[str, Properties] = {}
    for _, variants in TORCH:
        labels |= variants
    manifest = make_manifest(labels)
    for tag, variants in TORCH:
        for label in variants:
            own = {**manifest, "variants": {label: manifest["variants"][label]}}
            needed = ["cudart; 'nvidia' in variant_namespaces and os_name == 'posix'"]
            wheel = make_wheel(
                *("torch", "2.13.0"),
                tag=tag,
                label=label,
                variant_json=own,
                requires=needed,
            )
            index.add(wheel)
    index.add(make_wheel("cudart", "12.8"))
    return index


#: Where the pages say that an index is.
LOCAL = "http://127.0.0.1:8000/simple/"


class Reader:
    """Types what stands on the page.

    :ivar folder: where.
    """

    def __init__(
        self, venv: Environment, publish: WheelCli, index: IndexServer, folder: Path
    ) -> None:
        self._venv, self._publish = venv, publish
        self._index, self.folder = index, folder

    def types(
        self,
        page: str,
        name: str,
        *more: str,
        env: Mapping[str, str | None] | None = None,
        code: int = 0,
        local: str | None = None,
    ) -> list[Result]:
        """Type the commands of a block, and more words after each.

        :param local: the address of what the page serves on this machine.
        """
        found = []
        text = block(page, name)
        if local is not None:
            assert LOCAL in text
            text = text.replace(LOCAL, local)
        for line in text.splitlines():
            command, _, file = line.partition(" > ")
            program, *words = shlex.split(command)
            run: Callable[..., Result] = self._venv.pip
            if program == "wheel-variants":
                run = self._publish
            variables = {"PIP_INDEX_URL": self._index.index_url, **(env or {})}
            result = run(*words, *more, cwd=self.folder, env=variables, code=code)
            if file:
                (self.folder / file).write_text(result.stdout, encoding="utf-8")
            found.append(result)
        return found

    def pip(self, *words: str) -> Result:
        """Type a command of one's own."""
        return self._venv.pip(*words, cwd=self.folder)

    def files(self, folder: str) -> set[str]:
        """Return the names of the files in a folder."""
        return {path.name for path in (self.folder / folder).iterdir()}


@pytest.fixture
def reader(
    venv: Environment, publish: WheelCli, torch: IndexServer, tmp_path: Path
) -> Reader:
    """Return one in an empty folder."""
    folder = tmp_path / "reader"
    folder.mkdir()
    return Reader(venv, publish, torch, folder)


def test_an_image_without_a_gpu(reader: Reader) -> None:
    (result,) = reader.types("images.md", "image")
    assert "Successfully installed cudart-12.8 torch-2.13.0 (cuda12.6)" in result.stdout


def test_from_the_machine_itself(reader: Reader) -> None:
    reader.types("images.md", "hardware", env=forced("12.8", "9.0"))
    found = json.loads((reader.folder / "gpu.json").read_text(encoding="utf-8"))
    assert found.keys() == {"host-schema", "supported"}
    (result,) = reader.types("images.md", "from a file")
    assert "torch-2.13.0 (cuda12.6)" in result.stdout


def test_a_login_node(reader: Reader) -> None:
    """Its compute nodes are of another kind."""
    name = "cuda-12.8-sm_90-aarch64-py310"
    reader.types("images.md", "describe", env={"PIP_VARIANT_HOST": name})
    (result,) = reader.types("images.md", "login")
    assert "Successfully installed cudart-12.8 torch-2.13.0 (cuda12.6)" in result.stdout
    record = reader.folder / "site/torch-2.13.0.dist-info/WHEEL"
    assert "Tag: cp310-cp310-manylinux_2_28_aarch64" in record.read_text("utf-8")


MACHINES = {
    "linux-glibc-2.28-x86_64-v3-py312-cuda-12.8-sm_90": "cp312-cp312-manylinux_2_28_x86_64-cuda12.6",
    "macos-arm64-py313": "cp313-cp313-macosx_11_0_arm64-null",
    "windows-x86_64-py312-cuda-12.8-sm_89": "cp312-cp312-win_amd64-cuda12.6",
}


def test_machines_without_a_network(reader: Reader, torch: IndexServer) -> None:
    reader.types("images.md", "air gap")
    wheels = {f"torch-2.13.0-{kind}.whl" for kind in MACHINES.values()}
    assert reader.files("wheels") == {*wheels, "cudart-12.8-py3-none-any.whl"}
    torch.clear_log()
    for name, kind in MACHINES.items():
        (result,) = reader.types(
            *("images.md", "offline"), "--target", name, env={"PIP_VARIANT_HOST": name}
        )
        label = kind.rpartition("-")[2]
        assert f"torch-2.13.0 ({label})" in result.stdout
        tag = (reader.folder / name / "torch-2.13.0.dist-info/WHEEL").read_text("utf-8")
        assert f"Tag: {kind.rpartition('-')[0]}" in tag
    assert torch.log() == []
    # An index of what was downloaded.
    _, checked = reader.types("images.md", "mirror")
    assert "0 errors" in checked.stdout
    with StaticServer(reader.folder / "wheels") as server:
        (result,) = reader.types(
            *("images.md", "from the mirror", "--target", "there"),
            env={"PIP_VARIANT_HOST": next(iter(MACHINES))},
            local=server.index_url,
        )
    assert "torch-2.13.0 (cuda12.6)" in result.stdout


@pytest.mark.locks
def test_locks_for_a_team(reader: Reader) -> None:
    reader.types("locks.md", "locks")
    text = (reader.folder / "pylock.toml").read_text(encoding="utf-8")
    for label in ("cuda12.6", "rocm", "null"):
        assert f"torch-2.13.0-cp312-cp312-manylinux_2_28_x86_64-{label}.whl" in text
    there = {"PIP_VARIANT_HOST": "macos-arm64-py312"}
    (result,) = reader.types("locks.md", "from a lock", "--target", "mac", env=there)
    assert "Successfully installed torch-2.13.0 (null)" in result.stdout
    there = {"PIP_VARIANT_HOST": "windows-x86_64-py312-cuda-12.8-sm_89"}
    (result,) = reader.types(
        "locks.md", "from a lock", "--target", "windows", env=there
    )
    assert "torch-2.13.0 (cuda12.6)" in result.stdout


@pytest.mark.locks
def test_locks_from_a_file_and_of_one_build(reader: Reader) -> None:
    (reader.folder / "requirements.in").write_text("torch\n", encoding="utf-8")
    reader.types("locks.md", "requirements")
    reader.types("locks.md", "one build")
    for name, has_rocm in ("linux", True), ("cuda126", False):
        lock = f"pylock.{name}.toml"
        text = (reader.folder / lock).read_text(encoding="utf-8")
        assert ("-rocm.whl" in text) == has_rocm
        host = ["--variant-host", "cuda-12.8-sm_90-linux-x86_64-py312"]
        result = reader.pip("install", "--dry-run", "-r", lock, *host)
        assert "torch-2.13.0 (cuda12.6)" in result.stdout


def test_other_images(reader: Reader) -> None:
    (result,) = reader.types("images.md", "look")
    assert "cuda12.6" in result.stdout.partition("Taken")[0]
    first, second = reader.types("images.md", "each")
    assert "torch-2.13.0 (cuda12.6)" in first.stdout
    assert "torch-2.13.0 (null)" in second.stdout
    (result,) = reader.types("images.md", "cpu", env=forced("12.8", "9.0"))
    assert "torch-2.13.0 (null)" in result.stdout


def test_a_login_node_that_is_alike(reader: Reader) -> None:
    reader.types("images.md", "describe", env=forced("12.8", "9.0"))
    described, installed = reader.types("images.md", "alike")
    assert json.loads(described.stdout).keys() == {"host-schema", "supported"}
    assert "torch-2.13.0 (cuda12.6)" in installed.stdout


def test_amd(reader: Reader) -> None:
    gpu = {
        "AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": "gfx1100",
        "AMD_VARIANT_PROVIDER_FORCE_ROCM_VERSION": "7.0.0",
    }
    (result,) = reader.types("amd.md", "look", env=gpu)
    assert any(line.startswith("amd: gfx_arch gfx1100") for line in result.lines)
    (result,) = reader.types("amd.md", "elsewhere", "--dry-run")
    assert "torch-2.13.0 (rocm)" in result.stdout
