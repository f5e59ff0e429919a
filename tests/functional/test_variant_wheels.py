"""Variant wheels by path or URL, and those that are not what the manifest says."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import Fault, IndexServer
from tests.lib.manifests import (
    PREVIEW_TORCH,
    cuda,
    make_manifest,
    variant_json,
)
from tests.lib.wheels import DistFile, make_wheel

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
    assert f"× {CU128} cannot run on the target machine." in result.stderr
    assert "cu128 needs nvidia :: cuda_version_lower_bound :: 12.8" in result.stderr
    venv.pip("install", f"./{CU128}", env=forced("12.8"))
    assert venv.eval("torch.variant_label", "torch") == "cu128"


@pytest.fixture
def large(index: IndexServer) -> IndexServer:
    """Return an index with a wheel that is larger than what says which variant it is.

    Another project depends on it by its URL.
    """
    manifest = make_manifest({"cu128": cuda("12.8")})
    padding = {"large/padding": random.Random(0).randbytes(300_000)}
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
    "with an extra": ([f"large[some] @ {URL}"], "", ""),
    "with a query": ([f"{URL}?a=b"], "", ""),
    "quoted": ([URL.replace("url", "quoted")], "", ""),
    "with the right hash": ([f"{URL}#sha256={{sha256}}"], "", ""),
    "requirements": ([], URL, ""),
    "named in requirements": ([], f"large @ {URL}", ""),
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
        "quoted": url.replace("-cu", "%2Dcu"),
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

× large-1.0-py3-none-any-cu128.whl cannot run on the target machine.
╰─> cu128 needs nvidia :: cuda_version_lower_bound :: 12.8 (the target has 12.6, 12.5, 12.4 …)

hint: If it is meant for another machine, describe that one with --variant-host FILE. In place of this one file, large==1.0 takes the best build that runs.
"""
    )
    assert downloads(large) == []
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
        assert f"× {LARGE} cannot run on the target machine." in result.stderr
        assert "secret" not in result.output
    assert downloads(large) == []
    result = venv.pip("install", "-v", url, env=forced("12.8"))
    assert "secret" not in result.output


def test_by_url_behind_a_redirect(venv: Environment, large: IndexServer) -> None:
    location = {"Location": large.file_url(LARGE)}
    large.faults[f"/latest/{LARGE}"] = Fault(status=302, headers=location)
    url = f"{large.url}/latest/{LARGE}"
    result = venv.pip("install", url, code=1, env=forced("12.6"))
    assert f"× {LARGE} cannot run on the target machine." in result.stderr
    assert downloads(large) == []
    venv.pip("install", url, env=forced("12.8"))


def _no_ranges(index: IndexServer) -> None:
    index.ranges = False


def _promised_ranges(index: IndexServer) -> None:
    index.ranges = False
    index.fault(LARGE, headers={"Accept-Ranges": "bytes"})


def _no_head(index: IndexServer) -> None:
    index.fault(LARGE, status=405, methods=["HEAD"])


@pytest.mark.parametrize("hinder", [_no_ranges, _promised_ranges, _no_head])
def test_by_url_where_no_part_can_be_read(
    venv: Environment, large: IndexServer, hinder: Callable[[IndexServer], None]
) -> None:
    hinder(large)
    url = large.file_url(LARGE)
    result = venv.pip("install", url, code=1, env=forced("12.6"))
    assert f"× {LARGE} cannot run on the target machine." in result.stderr
    # It was judged once all of it was here, after one vain try to read a part.
    assert f"Downloading {LARGE}" in result.stdout
    assert len(large.log()) <= 3
    assert "large" not in venv.installed()
    venv.pip("install", url, env=forced("12.8"))
    assert venv.eval("large.variant_label", "large") == "cu128"


def test_by_url_of_what_is_not_there(venv: Environment, large: IndexServer) -> None:
    url = large.file_url(LARGE).replace("1.0", "2.0")
    result = venv.pip("install", url, code=1)
    assert "HTTP error 404" in result.stderr


def test_by_url_of_what_is_no_wheel(venv: Environment, large: IndexServer) -> None:
    large.add(DistFile("large", "1.0", LARGE, b"PK" * 2_000_000))
    result = venv.pip("install", large.file_url(LARGE), code=1)
    # Upstream's reader would ask for all of it in steps of 10 kB.
    assert len(large.log()) <= 202
    assert "ERROR: Wheel 'large' located at" in result.stderr
    assert "is invalid." in result.stderr


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
    assert f"× {LARGE} cannot run on the target machine." in result.stderr
    assert large.log() == [("GET", large.file_path(LARGE))]
    venv.pip(*command, env=forced("12.8"))


def test_by_url_what_is_downloaded_already_needs_no_request(
    venv: Environment, large: IndexServer
) -> None:
    command = ["download", large.file_url(LARGE)]
    venv.pip(*command, env=forced("12.8"))
    large.clear_log()
    venv.pip(*command, env=forced("12.8"))
    assert large.log() == []


def test_by_url_with_fast_deps(venv: Environment, large: IndexServer) -> None:
    manifest = make_manifest({"cu128": cuda("12.8", ["90", "120"])})
    requires = [
        "app ; 'nvidia :: sm_arch :: 90_real' in variant_properties",
        "no-such-thing ; 'nvidia :: sm_arch :: 120_real' in variant_properties",
    ]
    wheel = make_wheel(
        "parent", "1.0", label="cu128", variant_json=manifest, requires=requires
    )
    large.add(wheel)
    large.add(make_wheel("app", "1.0"))
    options = ["-i", large.index_url, "--use-feature=fast-deps"]
    url = large.file_url(wheel.filename)
    result = venv.pip("install", url, *options, env=forced("12.8"))
    assert "Successfully installed app-1.0 parent-1.0" in result.stdout


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


def test_all_files_of_a_directory(venv: Environment, torch: IndexServer) -> None:
    folder = torch.write_directory(venv.work / "some wheels")
    wheels = sorted(folder.glob("*.whl"))
    result = venv.pip("install", *wheels, code=1, env=forced("12.7"))
    assert f"× {CU128} cannot run on the target machine." in result.stderr
    (hint,) = (line for line in result.stderr.splitlines() if line.startswith("hint:"))
    requirement = "torch==2.8.0 --find-links '"
    assert f"In place of this one file, {requirement}{folder}' takes the" in hint
    arguments = ["torch==2.8.0", "--find-links", str(folder)]
    venv.pip("install", "--no-index", *arguments, env=forced("12.7"))
    assert venv.eval("torch.variant_label", "torch") == "cu126"


def test_by_path_without_variants(venv: Environment, torch: IndexServer) -> None:
    torch.write_directory(venv.work)
    result = venv.pip("install", f"./{CU128}", "--no-variants", code=1)
    assert f"× {CU128} is a variant wheel, and variants are off." in result.stderr


def test_several_builds_of_one_release(venv: Environment, torch: IndexServer) -> None:
    folder = torch.write_directory(venv.work / "wheels")
    labelled = [folder / CU128.replace("cu128", label) for label in ("cu126", "cu128")]
    urls = [torch.file_url(wheel.name) for wheel in labelled]
    hint = "are builds of torch 2.8.0, of which one can be installed. To have the best:"
    result = venv.pip("install", *labelled, code=1, env=forced("12.8"))
    assert (
        f"{labelled[0].name} and {CU128} {hint} pip install torch==2.8.0 --find-links "
        f"{folder}\n" in result.stderr
    )
    result = venv.pip("install", *urls, code=1, env=forced("12.8"))
    to_type = "pip install torch==2.8.0"
    assert f"{labelled[0].name} and {CU128} {hint} {to_type}\n" in result.stderr
    # Two releases are upstream's to explain.
    torch.add_release("torch", "2.9.0", {}, manifest=PREVIEW_TORCH)
    other = torch.file_url(CU128.replace("2.8", "2.9"))
    result = venv.pip("install", labelled[1], other, code=1, env=forced("12.8"))
    assert "are builds of" not in result.stderr


UNLIKE: Mapping[str, tuple[dict[str, Any], str]] = {
    "no variant.json": ({}, "no variant.json in its .dist-info directory"),
    "outside": (
        {"files": {"torch/variant.json": json.dumps(PREVIEW_TORCH)}},
        "no variant.json in its .dist-info directory",
    ),
    "another label": (
        {"variant_json": variant_json(PREVIEW_TORCH, "cu126")},
        "its variant.json describes ['cu126'] instead",
    ),
    "all labels": (
        {"variant_json": PREVIEW_TORCH},
        "its variant.json describes ['00000000', 'cu126', 'cu128', 'cu129'] instead",
    ),
    "broken": ({"variant_json": b"{"}, "its variant.json cannot be used"),
    "not UTF-8": ({"variant_json": b"\xff"}, "its variant.json is not UTF-8"),
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
    assert "Using the variant cu126 of torch 2.8.0" in result.stdout
    assert venv.eval("torch.variant_label", "torch") == "cu126"


def test_a_wheel_with_two_metadata_directories(
    venv: Environment, index: IndexServer
) -> None:
    own = variant_json(PREVIEW_TORCH, "cu128")
    second = {"vision-1.0.dist-info/METADATA": "Name: vision\nVersion: 1.0\n"}
    wheel = make_wheel("torch", "2.8.0", label="cu128", variant_json=own, files=second)
    index.add(wheel)
    for target in (wheel.write_to(venv.work), index.file_url(CU128)):
        result = venv.pip("install", target, code=1, env=forced("12.8"))
        assert f"{CU128} is not a valid variant wheel." in result.stderr
        assert "Multiple .dist-info directories found: " in result.stderr


@pytest.fixture
def disagreeing(index: IndexServer) -> IndexServer:
    """Return an index whose manifest promises more than the wheel of cu128 keeps."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    own = make_manifest({"cu128": cuda("13.0", ["120"])}, schema="0.0.2")
    index.add(make_wheel("torch", "2.8.0", label="cu128", variant_json=own))
    return index


STATED = "the variant cu128 with nvidia :: cuda_version_lower_bound :: 12.8, "
FOUND = (
    "the variant cu128 with nvidia :: cuda_version_lower_bound :: 13.0, "
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
    assert f"is not what the variants manifest says: that is {STATED}" in result.stdout
    assert f"; the wheel: {FOUND}\n" in result.stdout
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
    assert f"× {CU128} is not what the variants manifest says.\n" in result.stderr
    assert f"╰─> The manifest: {STATED}" in result.stderr
    assert f"    The wheel: {FOUND}\n" in result.stderr
    assert "choose another build with --variant PACKAGE=LABEL" in result.stderr
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
    torch.write_directory(venv.work)
    result = venv.pip(
        *("install", f"./{CU128}", "--force-reinstall", *options),
        code=1,
        env=forced("12.8"),
    )
    assert "is a variant wheel, and variants are off" in result.stderr
