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
        "Using the variant cu128 of torch 2.8.0",
    ),
    "download": Command(
        ["download", "torch"],
        [PAGE, MANIFEST, f"{WHEEL}.metadata", WHEEL],
        "Saved ./torch-2.8.0-py3-none-any-cu128.whl",
    ),
    "wheel": Command(
        ["wheel", "torch"],
        [PAGE, MANIFEST, f"{WHEEL}.metadata", WHEEL],
        "Saved ./torch-2.8.0-py3-none-any-cu128.whl",
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
        ["index", "versions", "torch"],
        [PAGE],
        "Available versions: 2.8.0, 2.7.0",
    ),
    "list --outdated": Command(
        ["list", "--outdated"],
        [PAGE],
        "torch   2.7.0   2.8.0  wheel",
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
    result = pip("index", "versions", "kernels", *options, code=1, env=forced("12.0"))
    assert "No variant of kernels runs on the target machine." in result.stderr


def test_only_the_newest_are_judged_for_updates(
    venv: Environment, cuda_only: IndexServer
) -> None:
    options = ["--index-url", cuda_only.index_url]
    venv.pip("install", "kernels==1.0", *options, env=forced("12.8"))
    cuda_only.clear_log()
    result = venv.pip("list", "--outdated", *options, env=forced("12.8"))
    assert "kernels 1.0     2.0    wheel cu126" in result.lines
    assert manifests(cuda_only) == ["3.0", "2.0"]


def test_an_older_release_is_taken_with_a_warning(
    pip: Pip, cuda_only: IndexServer
) -> None:
    options = ["--index-url", cuda_only.index_url]
    result = pip("install", "kernels", *options, env=forced("12.6"))
    newest, *older = manifests(cuda_only)
    # These are asked for together.
    assert newest == "3.0"
    assert sorted(older) == ["1.0", "2.0"]
    assert "Successfully installed kernels-1.0" in result.stdout
    assert "kernels 1.0 was chosen instead of 3.0" in result.stderr
    assert "cu130 needs nvidia :: cuda_version_lower_bound :: 13.0" in result.stderr


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


def test_a_dependency_is_judged_like_a_requirement(
    pip: Pip, torch: IndexServer
) -> None:
    torch.add(make_wheel("app", "1.0", requires=["torch<2.9"]))
    options = ["--index-url", torch.index_url]
    result = pip("install", "app", *options, env=forced("12.8"))
    assert "Using the variant cu128 of torch 2.8.0" in result.stdout
    *before, one, other = (path for _, path in torch.log())
    assert before[-2:] == [MANIFEST, f"{WHEEL}.metadata"]
    # These are asked for at the same time.
    assert {one, other} == {"/files/app-1.0-py3-none-any.whl", WHEEL}


def test_the_variant_brings_its_own_dependencies(pip: Pip, index: IndexServer) -> None:
    manifest = index.add_release("kernels", "1.0", {"cu128": cuda("12.8")})
    index.add(
        make_wheel(
            "kernels",
            "1.0",
            label="cu128",
            variant_json=manifest,
            requires=["cuda-runtime"],
        )
    )
    index.add(make_wheel("cuda-runtime", "12.8"))
    options = ["--index-url", index.index_url]
    result = pip("install", "kernels", *options, env=forced("12.8"))
    assert "Successfully installed cuda-runtime-12.8 kernels-1.0" in result.stdout


def test_a_warm_cache_needs_no_request(
    venv: Environment, tls_index: IndexServer
) -> None:
    tls_index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    options = [
        "--index-url",
        tls_index.index_url,
        "--cert",
        str(tls_index.certificates),
    ]
    for wanted in ([PAGE, MANIFEST, f"{WHEEL}.metadata"], []):
        tls_index.clear_log()
        result = venv.pip("install", "--dry-run", "torch", *options, env=forced("12.8"))
        assert "Using the variant cu128 of torch 2.8.0" in result.stdout
        # Upstream does not cache metadata files, only what belongs to an index page.
        got = [path for _, path in tls_index.log()]
        assert [path for path in got if "metadata" not in path] == [
            path for path in wanted if "metadata" not in path
        ]


def test_without_a_hash_a_manifest_is_revalidated(
    venv: Environment, tls_index: IndexServer
) -> None:
    tls_index.pages.hashes = False
    tls_index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    options = [
        "--index-url",
        tls_index.index_url,
        "--cert",
        str(tls_index.certificates),
    ]
    for _ in range(2):
        tls_index.clear_log()
        venv.pip("install", "--dry-run", "torch", *options, env=forced("12.8"))
        assert ("GET", MANIFEST) in tls_index.log()
    (request,) = (each for each in tls_index.requests if each.path == MANIFEST)
    assert "if-none-match" in request.headers


def test_an_sdist_is_the_last_resort(pip: Pip, cuda_only: IndexServer) -> None:
    cuda_only.add(make_sdist("kernels", "3.0"))
    options = ["--index-url", cuda_only.index_url, "--no-build-isolation"]
    pip("install", "--dry-run", "kernels", *options, env=forced("12.0"))
    assert manifests(cuda_only) == ["3.0"]
    assert cuda_only.log()[-1] == ("GET", "/files/kernels-3.0.tar.gz")


def test_nothing_is_left(pip: Pip, cuda_only: IndexServer) -> None:
    options = ["--index-url", cuda_only.index_url]
    result = pip("install", "kernels", *options, code=1, env=forced("12.0"))
    assert (
        result.stderr
        == """\
ERROR: Could not find a version that satisfies the requirement kernels (from versions: 1.0, 2.0, 3.0)
error: no-compatible-variant

× No variant of kernels runs on the target machine.
╰─> kernels 3.0:
      cu130 needs nvidia :: cuda_version_lower_bound :: 13.0 (the target has 12.0, 12, 11.20 …)
    kernels 2.0:
      cu128 needs nvidia :: cuda_version_lower_bound :: 12.8 (the target has 12.0, 12, 11.20 …)
    kernels 1.0:
      cu126 needs nvidia :: cuda_version_lower_bound :: 12.6 (the target has 12.0, 12, 11.20 …)

hint: What the target supports: pip variants host --index-url URL
      Why not: pip variants explain kernels --index-url URL
      For another machine, describe it with --variant-host FILE.
""".replace("URL", cuda_only.index_url)
    )


def test_nothing_is_left_of_a_dependency(pip: Pip, cuda_only: IndexServer) -> None:
    cuda_only.add(make_wheel("app", "1.0", requires=["kernels>=2"]))
    options = ["--index-url", cuda_only.index_url]
    result = pip("install", "app", *options, code=1, env=forced("12.0"))
    assert "× No variant of kernels>=2 runs on the target machine." in result.stderr
    # Where other requirements conflict too, the usual error is not hidden.
    cuda_only.add(make_wheel("dep", "1.0"))
    cuda_only.add(make_wheel("more", "1.0", requires=["dep==1"]))
    result = pip(
        *("install", "dep==2", "more", "kernels", *options), code=1, env=forced("12.0")
    )
    assert "No matching distribution found for dep==2" in result.stderr


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
    assert "Using the variant cu126 of torch 2.8.0" in result.stdout


def test_a_yanked_variant_is_no_candidate(pip: Pip, torch: IndexServer) -> None:
    torch.replace("torch-2.8.0-py3-none-any-cu129.whl", yanked="broken")
    options = ["--index-url", torch.index_url, "--dry-run"]
    result = pip("install", "torch", *options, env=forced("12.9"))
    assert "Using the variant cu128 of torch 2.8.0" in result.stdout


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
