"""Which requests are made, and in which order: a manifest only when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH, cuda
from tests.lib.modes import on_wheel
from tests.lib.wheels import make_sdist, make_wheel

Pip = Callable[..., Result]
PageFormat = Literal["html", "json"]

PAGE = "/simple/torch/"
MANIFEST = "/files/torch-2.8.0-variants.json"
WHEEL = "/files/torch-2.8.0-py3-none-any-cu128.whl"


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with torch: one release with variants between plain ones."""
    index.add(make_wheel("torch", "2.7.0"))
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    index.add(make_wheel("torch", "2.9.0rc1"))
    return index


@dataclass(frozen=True)
class Command:
    """A command, the requests that it makes, and what it must print."""

    arguments: Sequence[str]
    requests: Sequence[str]
    prints: str


COMMANDS: Mapping[str, Command] = {
    "install": Command(
        ["install", "torch"],
        [PAGE, MANIFEST, f"{WHEEL}.metadata", WHEEL],
        "Using torch 2.8.0, variant cu128",
    ),
    # Each build is looked at, and none is downloaded.
    "lock": Command(
        ["lock", "torch", "-o", "-"],
        [
            PAGE,
            MANIFEST,
            "/files/torch-2.8.0-py3-none-any.whl.metadata",
            "/files/torch-2.8.0-py3-none-any-cu126.whl.metadata",
            f"{WHEEL}.metadata",
            "/files/torch-2.8.0-py3-none-any-cu129.whl.metadata",
            "/files/torch-2.8.0-py3-none-any-00000000.whl.metadata",
        ],
        "torch-2.8.0-py3-none-any-cu128.whl",
    ),
    # A release with a plain wheel can be installed, whatever its variants need.
    "index versions": Command(
        ["index", "versions", "torch"], [PAGE], "Available versions: 2.8.0, 2.7.0"
    ),
    "list --outdated": Command(
        ["list", "--outdated"], [PAGE], "torch   2.7.0   2.8.0  wheel"
    ),
}


@pytest.mark.parametrize("page_format", on_wheel(["html", "json"], {"json"}))
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.locks if name == "lock" else ())
        for name in COMMANDS
    ],
)
def test_each_command(
    venv: Environment, torch: IndexServer, name: str, page_format: PageFormat
) -> None:
    torch.page_format = page_format
    options = ["--index-url", torch.index_url]
    if name == "list --outdated":
        venv.pip("install", "torch==2.7.0", *options)
        torch.clear_log()
    command = COMMANDS[name]
    result = venv.pip(*command.arguments, *options, env=forced("12.8"))
    assert command.prints in result.stdout
    requests = [path for _, path in torch.log() if "/torch" in path]
    assert requests == command.requests


@pytest.fixture
def cuda_only(index: IndexServer) -> IndexServer:
    """Return an index whose newest releases need more and more recent CUDA drivers."""
    index.add_release("kernels", "1.0", {"cu126": cuda("12.6")}, plain=False)
    index.add_release("kernels", "2.0", {"cu128": cuda("12.8")}, plain=False)
    index.add_release("kernels", "3.0", {"cu130": cuda("13.0")}, plain=False)
    return index


def manifests(index: IndexServer) -> list[str]:
    """Return the versions of the manifests that were asked for, in order."""
    return [
        path.split("-")[1] for _, path in index.log() if path.endswith("variants.json")
    ]


def test_versions_that_nothing_suits_are_not_listed(
    pip: Pip, cuda_only: IndexServer
) -> None:
    options = ["--index-url", cuda_only.index_url]
    result = pip("index", "versions", "kernels", *options, env=forced("12.8"))
    assert result.lines[:2] == ["kernels (2.0)", "Available versions: 2.0, 1.0"]
    assert manifests(cuda_only) == ["3.0", "2.0", "1.0"]


def test_listings_apply_labels(venv: Environment, cuda_only: IndexServer) -> None:
    """They leave out what cannot be installed so, whatever else is there."""
    for name, version in (("kernels", "3.0"), ("other", "1.0"), ("other", "1.1")):
        cuda_only.add(make_wheel(name, version))
    options, gpu = ["--index-url", cuda_only.index_url], forced("12.8")
    venv.pip("install", "kernels==1.0", "other==1.0", *options, env=gpu)
    for label, listed in {"cu128": ["kernels", "other"], "cu130": ["other"]}.items():
        env = {**gpu, "PIP_VARIANT": f"kernels={label}"}
        result = venv.pip("list", "--outdated", *options, env=env)
        assert [line.split()[0] for line in result.lines[2:]] == listed
    command = ["index", "versions", "kernels", *options, "--variant"]
    result = venv.pip(*command, "kernels=cu128", env=gpu)
    assert result.lines[1] == "Available versions: 2.0"
    result = venv.pip(*command, "kernels=cu130", env=gpu, code=1)
    assert result.stderr.partition("hint: ")[0] == (
        "error: nothing-to-install\n\n× No variant of 'kernels' matches --variant.\n"
        "╰─> kernels 3.0:\n      cu130 needs CUDA 13.0 (available: CUDA 12.8)\n"
        "    kernels 2.0:\n      no installable variant 'cu130', which you requested; "
        "available: cu128\n    kernels 1.0:\n      no installable variant 'cu130', "
        "which you requested; available: cu126\n\n"
    )
    result = venv.pip(*command, "kernels=cu12", env=gpu, code=1)
    assert "× No variant has the label 'cu12'.\n" in result.stderr


def test_only_the_newest_are_judged_for_updates(
    venv: Environment, cuda_only: IndexServer
) -> None:
    options = ["--index-url", cuda_only.index_url]
    venv.pip("install", "kernels==1.0", *options, env=forced("12.8"))
    cuda_only.clear_log()
    result = venv.pip("list", "--outdated", *options, env=forced("12.8"))
    assert "kernels 1.0     2.0    wheel cu126" in result.lines
    assert manifests(cuda_only) == ["3.0", "2.0"]


def test_only_the_version_that_is_reached(pip: Pip, cuda_only: IndexServer) -> None:
    options = ["--index-url", cuda_only.index_url]
    pip("install", "--dry-run", "kernels<3", *options, env=forced("13.0"))
    assert manifests(cuda_only) == ["2.0"]


def test_a_plain_newer_version_needs_no_manifest(pip: Pip, torch: IndexServer) -> None:
    torch.add(make_wheel("torch", "2.9.0"))
    options = ["--index-url", torch.index_url]
    pip("install", "--dry-run", "torch", *options, env=forced("12.8"))
    assert manifests(torch) == []


def test_a_satisfied_requirement_needs_none(
    venv: Environment, torch: IndexServer
) -> None:
    options = ["--index-url", torch.index_url]
    venv.pip("install", "torch", *options, env=forced("12.8"))
    torch.clear_log()
    result = venv.pip("install", "torch", *options, env=forced("12.8"))
    assert "Requirement already satisfied: torch" in result.stdout
    assert torch.log() == []
    venv.pip("install", "-U", "torch", *options, env=forced("12.8"))
    assert torch.log() == [("GET", PAGE)]


@pytest.mark.parametrize("has_hashes", [True, False])
def test_a_warm_cache(
    venv: Environment, tls_index: IndexServer, has_hashes: bool
) -> None:
    """Nothing is requested again, or a manifest without a hash is revalidated."""
    tls_index.pages.hashes = has_hashes
    tls_index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    options = ["-i", tls_index.index_url, "--cert", str(tls_index.certificates)]
    for expected in [PAGE, MANIFEST], [] if has_hashes else [MANIFEST]:
        tls_index.clear_log()
        result = venv.pip("install", "--dry-run", "torch", *options, env=forced("12.8"))
        assert "Using torch 2.8.0, variant cu128" in result.stdout
        # Upstream does not cache metadata files, only what belongs to an index page.
        got = [each for each in tls_index.requests if "metadata" not in each.path]
        assert [each.path for each in got] == expected
    assert all("if-none-match" in each.headers for each in got)


def test_an_sdist_is_the_last_resort(pip: Pip, cuda_only: IndexServer) -> None:
    cuda_only.add(make_sdist("kernels", "3.0"))
    options = ["--index-url", cuda_only.index_url, "--no-build-isolation"]
    pip("install", "--dry-run", "kernels", *options, env=forced("12.0"))
    assert manifests(cuda_only) == ["3.0"]
    assert cuda_only.log()[-1] == ("GET", "/files/kernels-3.0.tar.gz")


def test_nothing_is_left_of_a_dependency(pip: Pip, cuda_only: IndexServer) -> None:
    cuda_only.add(make_wheel("app", "1.0", requires=["kernels>=2"]))
    options = ["--index-url", cuda_only.index_url]
    result = pip("install", "app", *options, code=1, env=forced("12.0"))
    assert (
        "× No variant of 'kernels>=2' (from app) runs on this machine." in result.stderr
    )


def test_hashes_decide_which_wheels_compete(
    venv: Environment, torch: IndexServer
) -> None:
    (wheel,) = (
        entry.file
        for entry in torch.projects["torch"]
        if entry.file.filename == "torch-2.8.0-py3-none-any-cu126.whl"
    )
    line = f"torch==2.8.0 --hash=sha256:{wheel.sha256}\n"
    (venv.work / "requirements.txt").write_text(line, encoding="utf-8")
    options = ["--index-url", torch.index_url, "--require-hashes"]
    result = venv.pip("install", "-r", "requirements.txt", *options, env=forced("12.9"))
    assert "Using torch 2.8.0, variant cu126" in result.stdout


def test_a_build_tag_never_beats_a_label(pip: Pip, torch: IndexServer) -> None:
    for entry in list(torch.projects["torch"]):
        if entry.file.filename == "torch-2.8.0-py3-none-any-cu128.whl":
            manifest = {**PREVIEW_TORCH, "variants": {}}
            for label, build in (("cu128", "2"), ("cu126", "3")):
                manifest["variants"] = {label: PREVIEW_TORCH["variants"][label]}
                wheel = make_wheel(
                    "torch", "2.8.0", label=label, build=build, variant_json=manifest
                )
                torch.add(wheel)
    options = ["--index-url", torch.index_url, "--dry-run"]
    pip("install", "torch", *options, env=forced("12.8"))
    assert torch.log()[-1][1] == "/files/torch-2.8.0-2-py3-none-any-cu128.whl.metadata"
