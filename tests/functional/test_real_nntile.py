"""The real torch-nntile, repacked under labels, is chosen by ABI and by platform."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.hosts import forced
from tests.lib.manifests import cuda, make_manifest, manifest_file, variant_json
from tests.lib.publisher import WheelCli
from tests.lib.wheels import make_wheel

pytestmark = [
    pytest.mark.torch,
    # It is for this one alone.
    pytest.mark.parametrize("interpreter", ["3.12"], indirect=True, scope="session"),
]

ARCHITECTURES = ["70", "75", "80", "86", "89", "90"]
TABLE = """
[variant.default-priorities]
namespace = ["abi", "nvidia"]
[variant.providers.abi]
builtin = "abi_dependency"
[variant.properties]
torch291_cu128 = [
    "abi :: torch :: 2.9.1", "nvidia :: cuda_version_lower_bound :: 12.8", ...
]
torch2100_cu130 = [
    "abi :: torch :: 2.10.0", "nvidia :: cuda_version_lower_bound :: 13.0", ...
]
torch291_cpu = ["abi :: torch :: 2.9.1"]
""".replace("...", ", ".join(f'"nvidia :: sm_arch :: {a}_real"' for a in ARCHITECTURES))
NVIDIA = ("cublas", "cudnn", "cusparse", "cusolver", "nvjitlink", "cuda-runtime")


@pytest.fixture
def links(venv: Environment, publish: WheelCli, tmp_path: Path) -> Path:
    """Return a folder with it under three labels, and stand-ins for what it needs."""
    given = os.environ.get("PIP_VARIANTS_NNTILE")
    wheels = list(Path(given).glob("torch_nntile-*.whl")) if given else []
    if not wheels:
        pytest.skip("no real torch-nntile wheel: the nox session 'torch' downloads it")
    (wheel,) = wheels
    folder = tmp_path / "links"
    folder.mkdir()
    (venv.work / "pyproject.toml").write_text(TABLE, encoding="utf-8")
    for label in ("torch291_cu128", "torch2100_cu130", "torch291_cpu"):
        publish("build", wheel, "--label", label, "-d", folder, cwd=venv.work)
    publish("index", folder)
    torch = make_manifest(
        {
            "cu128": cuda("12.8", ARCHITECTURES),
            "cu130": cuda("13.0", ARCHITECTURES),
            "null": {},
        }
    )
    for version in ("2.9.1", "2.10.0"):
        manifest_file("torch", version, torch).write_to(folder)
        for label in torch["variants"]:
            inside = variant_json(torch, label)
            make_wheel("torch", version, label=label, variant_json=inside).write_to(
                folder
            )
    make_wheel("torchvision", "0.24.1", requires=["torch==2.9.1"]).write_to(folder)
    for name in NVIDIA:
        make_wheel(f"nvidia-{name}-cu12", "99.0").write_to(folder)
    return folder


def test_it_is_chosen_by_abi_and_by_platform(venv: Environment, links: Path) -> None:
    install: list[str | Path] = ["install", "--no-index", "--find-links", links]
    dry = [*install, "--dry-run", "torch-nntile"]
    for env, torch, nntile in (
        ({"PIP_VARIANT_HOST": "cpu-x86_64-v3"}, "null", "torch291_cpu"),
        (forced("12.9", "8.9"), "cu128", "torch291_cu128"),
        # All builds are the same file, which needs torch 2.9.1: the other label is left.
        (forced("13.0", "9.0"), "cu128", "torch291_cu128"),
        (forced("12.9", "12.0"), "null", "torch291_cpu"),
    ):
        result = venv.pip(*dry, env=env)
        assert f"Using torch-nntile 0.1.0, variant {nntile} " in result.stdout
        assert f"Using torch 2.9.1, variant {torch} " in result.stdout
    other = ["--platform", "win_amd64", "--only-binary", ":all:", "--target", "other"]
    result = venv.pip(*dry, *other, code=1)
    assert "No listed file of 'torch-nntile' can be installed" in result.stderr

    venv.pip(*install, "torch-nntile", env=forced("12.9", "8.9"))
    (inside,) = venv.site_packages.glob("torch_nntile-*.dist-info/variant.json")
    assert '"torch291_cu128"' in inside.read_text(encoding="utf-8")
    built = venv.site_packages / "torch_nntile" / "_build_info.py"
    assert "BUILT_WITH_CUDA = True" in built.read_text(encoding="utf-8")
    assert venv.pip("check", env=forced("12.9", "8.9")).stderr == ""
