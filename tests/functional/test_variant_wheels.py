"""Variant wheels by path or URL, and those that are not what the manifest says."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import (
    PREVIEW_TORCH,
    cuda,
    make_manifest,
    variant_json,
)
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
CU128 = "torch-2.8.0-py3-none-any-cu128.whl"
LARGE = "large-1.0-py3-none-any-cu128.whl"


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with the preview's torch."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    return index


def test_by_path(venv: Environment, torch: IndexServer) -> None:
    torch.write_directory(venv.work)
    result = venv.pip("install", f"./{CU128}", code=1)
    assert f"× {CU128} is not supported." in result.stderr
    assert "cu128 needs CUDA 12.8" in result.stderr
    venv.pip("install", f"./{CU128}", env=forced("12.8"))
    assert venv.eval("torch.variant_label", "torch") == "cu128"


@pytest.fixture
def large(index: IndexServer) -> IndexServer:
    """Return an index with a wheel that is larger than what says which variant it is.

    Another project depends on it by its URL.
    """
    manifest = make_manifest({"cu128": cuda("12.8")})
    padding = {"large/padding": random.Random(0).randbytes(9 << 20)}
    wheel = make_wheel(
        "large", "1.0", label="cu128", variant_json=manifest, files=padding
    )
    index.add(wheel)
    url = index.file_url(LARGE)
    index.add(make_wheel("app", "1.0", requires=[f"large @ {url}"]))
    return index


def downloads(index: IndexServer) -> list[str]:
    """Return the paths of the wheels that were sent whole."""
    return [
        request.path
        for request in index.requests
        if request.method == "GET"
        and ".whl" in request.path
        and not request.path.endswith(".metadata")
        and "range" not in request.headers
    ]


URL = "{url}"
#: What to install, and lines of requirements and constraints, about one wheel.
BY_URL: Mapping[str, tuple[Sequence[str], str, str]] = {
    "bare": ([URL], "", ""),
    "named": ([f"large @ {URL}"], "", ""),
    "with the right hash": ([f"{URL}#sha256={{sha256}}"], "", ""),
    "requirements": ([], URL, ""),
    "constraints": (["large"], "", f"large @ {URL}"),
    "a dependency": (["app"], "", ""),
}


@pytest.mark.parametrize(
    ("name", "command"),
    [*((name, "install") for name in BY_URL), ("bare", "download"), ("bare", "wheel")],
)
def test_by_url(venv: Environment, large: IndexServer, name: str, command: str) -> None:
    requirements, lines, constraints = BY_URL[name]
    url = large.file_url(LARGE)
    values = {
        "url": url,
        "sha256": large.projects["large"][0].file.sha256,
    }
    (venv.work / "requirements.txt").write_text(lines.format(**values))
    (venv.work / "constraints.txt").write_text(constraints.format(**values))
    options = ["-i", large.index_url, "-r", "requirements.txt", "-c", "constraints.txt"]
    arguments = [each.format(**values) for each in requirements]
    result = venv.pip(command, *arguments, *options, code=1, env=forced("12.6"))
    assert result.stderr == (
        """\
error: unsupported-variant

× large-1.0-py3-none-any-cu128.whl is not supported.
╰─> cu128 needs CUDA 12.8 (available: CUDA 12.6)

hint: To install for another machine, add --variant-host FILE. To install the best variant that runs, use large==1.0.
"""
    )
    assert not list(venv.work.glob("*.whl"))

    large.clear_log()
    venv.pip(command, *arguments, *options, env=forced("12.8"))
    assert len([path for path in downloads(large) if "large" in path]) == 1
    if command == "install":
        assert venv.eval("large.variant_label", "large") == "cu128"


def test_by_url_with_credentials(venv: Environment, large: IndexServer) -> None:
    large.auth = ("user", "secret")
    url = large.file_url(LARGE).replace("//", "//user:secret@")
    for arguments in ([url], ["-v", f"large @ {url}"]):
        result = venv.pip("install", *arguments, code=1, env=forced("12.6"))
        assert f"× {LARGE} is not supported." in result.stderr
        assert "secret" not in result.output
    result = venv.pip("install", "-v", url, env=forced("12.8"))
    assert "secret" not in result.output


def test_by_url_with_a_wrong_hash(venv: Environment, large: IndexServer) -> None:
    url = f"{large.file_url(LARGE)}#sha256={'0' * 64}"
    result = venv.pip("install", url, code=1, env=forced("12.8"))
    assert "DO NOT MATCH THE HASHES" in result.stderr


def test_by_url_nothing_unverified_is_read_where_hashes_are_required(
    venv: Environment, large: IndexServer
) -> None:
    digest = large.projects["large"][0].file.sha256
    line = f"large @ {large.file_url(LARGE)} --hash=sha256:{digest}\n"
    (venv.work / "requirements.txt").write_text(line, encoding="utf-8")
    command = ["install", "-r", "requirements.txt"]
    result = venv.pip(*command, code=1, env=forced("12.6"))
    assert f"× {LARGE} is not supported." in result.stderr
    assert large.log() == [("GET", large.file_path(LARGE))]
    venv.pip(*command, env=forced("12.8"))


@pytest.mark.parametrize(
    "options", [["--no-variants"], ["--use-deprecated=legacy-resolver"]]
)
def test_without_variants_none_is_downloaded(
    venv: Environment, large: IndexServer, options: list[str]
) -> None:
    for target in (large.file_url(LARGE), f"large @ {large.file_url(LARGE)}"):
        result = venv.pip("install", target, *options, code=1, env=forced("12.8"))
        assert f"× {LARGE} is a variant wheel, and variants are off." in result.stderr
    assert large.log() == []


UNLIKE: Mapping[str, tuple[dict[str, Any], str]] = {
    "no variant.json": ({}, "no variant.json in its .dist-info directory"),
    "another label": (
        {"variant_json": variant_json(PREVIEW_TORCH, "cu126")},
        "its variant.json has other labels: ['cu126']",
    ),
    "all labels": (
        {"variant_json": PREVIEW_TORCH},
        "its variant.json has other labels: ['00000000', 'cu126', 'cu128', 'cu129']",
    ),
    "broken": ({"variant_json": b"{"}, "its variant.json cannot be used"),
}


@pytest.mark.parametrize("backend", ["importlib", "pkg_resources"])
@pytest.mark.parametrize("name", UNLIKE)
def test_a_wheel_that_is_not_what_its_name_says(
    venv: Environment, index: IndexServer, name: str, backend: str
) -> None:
    content, problem = UNLIKE[name]
    wheel = make_wheel("torch", "2.8.0", label="cu128", **content)
    path = wheel.write_to(venv.work)
    index.add(wheel)
    modern = str(int(backend == "importlib"))
    environ = {**forced("12.8"), "_PIP_USE_IMPORTLIB_METADATA": modern}
    for target in (path, index.file_url(CU128), f"torch @ {index.file_url(CU128)}"):
        result = venv.pip("install", target, code=1, env=environ)
        assert f"{CU128} is not a valid variant wheel." in result.stderr
        assert problem[1:] in result.stderr

    # From an index, the next candidate is taken.
    index.pages.core_metadata = False
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    index.add(wheel)
    result = venv.pip("install", "torch", "-i", index.index_url, env=environ)
    assert problem in result.stdout
    assert "Using torch 2.8.0, variant cu126" in result.stdout
    assert venv.eval("torch.variant_label", "torch") == "cu126"


@pytest.fixture
def disagreeing(index: IndexServer) -> IndexServer:
    """Return an index whose manifest promises more than the wheel of cu128 keeps."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    own = make_manifest({"cu128": cuda("13.0", ["120"])}, schema="0.0.2")
    index.add(make_wheel("torch", "2.8.0", label="cu128", variant_json=own))
    return index


STATED = "the variant 'cu128' with nvidia :: cuda_version_lower_bound :: 12.8, "
FOUND = (
    "the variant 'cu128' with nvidia :: cuda_version_lower_bound :: 13.0, "
    "nvidia :: sm_arch :: 120_real"
)


@pytest.mark.parametrize("options", [[], ["--use-feature=fast-deps"]])
def test_a_wheel_that_disagrees_while_resolving(
    venv: Environment, disagreeing: IndexServer, options: list[str]
) -> None:
    disagreeing.pages.core_metadata = False
    options = ["-i", disagreeing.index_url, *options]
    result = venv.pip("install", "torch", *options, env=forced("12.8"))
    assert f"Discarding {disagreeing.file_url(CU128)}" in result.stdout
    assert f"the variants manifest: the manifest has {STATED}" in result.stdout
    assert f", and the wheel has {FOUND}\n" in result.stdout
    assert venv.eval("torch.variant_label", "torch") == "cu126"


def test_a_wheel_that_disagrees_after_resolving(
    venv: Environment, disagreeing: IndexServer
) -> None:
    disagreeing.add(make_wheel("app", "1.0", requires=["torch"]))
    disagreeing.add(make_wheel("torch", "2.7.0"))
    options = ["-i", disagreeing.index_url]
    venv.pip("install", "torch==2.7.0", *options)
    before = sorted(venv.site_packages.rglob("*"))
    command = ["install", "app", "torch==2.8.0", *options]
    result = venv.pip(*command, env=forced("12.8"), code=1)
    assert "error: variant-disagreement" in result.stderr
    assert f"× {CU128} does not match the variants manifest.\n" in result.stderr
    assert f"╰─> Manifest: {STATED}" in result.stderr
    assert f"    Wheel: {FOUND}\n" in result.stderr
    assert "choose another variant with --variant PACKAGE=LABEL" in result.stderr
    assert sorted(venv.site_packages.rglob("*")) == before
    # The way out that the message names.
    venv.pip(*command, "--variant", "torch=cu126", env=forced("12.8"))
    assert venv.eval("torch.variant_label", "torch") == "cu126"


def test_the_legacy_resolver_knows_no_variants(
    venv: Environment, torch: IndexServer
) -> None:
    options = ["--use-deprecated=legacy-resolver", "-i", torch.index_url]
    venv.pip("install", "torch", *options, env=forced("12.8"))
    assert venv.eval("torch.variant_label", "torch") == ""
