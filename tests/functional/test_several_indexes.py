"""Where variants of one release come from several indexes, pages or folders.

What a label means is for each of them to say: their manifests are never merged. The
first one with a variant that runs wins, in upstream's order: ``--find-links``, then
``--index-url``, then ``--extra-index-url``. Plain builds come after all variants.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.interpreters import SUPPORTED
from tests.lib.manifests import cuda
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
GPU = forced("12.8")


@pytest.fixture
def first(make_index: Callable[[], IndexServer]) -> IndexServer:
    """Return an index of which a GPU label and the null variant run."""
    index = make_index()
    index.add_release("torch", "2.8.0", {"gpu": cuda("12.6"), "null": {}}, plain=False)
    return index


@pytest.fixture
def second(make_index: Callable[[], IndexServer]) -> IndexServer:
    """Return an index where the same label is for newer drivers, and another runs."""
    index = make_index()
    index.add_release("torch", "2.8.0", {"gpu": cuda("13.0"), "cu128": cuda("12.8")})
    return index


def indexes(*servers: IndexServer) -> list[str]:
    """Return the options for several indexes."""
    options = ["--index-url", servers[0].index_url]
    for server in servers[1:]:
        options += ["--extra-index-url", server.index_url]
    return options


def warnings(result: Result) -> list[str]:
    """Return the warnings about several indexes."""
    return [line for line in result.stderr.splitlines() if "several indexes" in line]


def test_each_is_ranked_by_its_own_manifest(
    pip: Pip, first: IndexServer, second: IndexServer
) -> None:
    install = ["install", "--dry-run", "torch"]
    result = pip(*install, *indexes(first, second), env=GPU)
    assert "Using torch 2.8.0, variant gpu (CUDA 12.6)" in result.stdout
    assert result.stderr == ""
    result = pip(*install, *indexes(second, first), env=GPU)
    assert "Using torch 2.8.0, variant cu128" in result.stdout


def test_the_first_with_one_that_runs(
    pip: Pip, first: IndexServer, second: IndexServer
) -> None:
    """Of the second index nothing runs, so the last variant of the first wins."""
    install = ["install", "--dry-run", "torch", *indexes(second, first)]
    result = pip(*install, env=forced("12.0"))
    assert "Using torch 2.8.0, variant null" in result.stdout


def test_a_label_chosen_by_hand(
    pip: Pip, first: IndexServer, second: IndexServer
) -> None:
    install = ["install", "--dry-run", "torch", *indexes(first, second)]
    result = pip(*install, "--variant", "cu128", env=GPU)
    assert "Using torch 2.8.0, variant cu128" in result.stdout
    result = pip(*install, "--variant", "torch=gpu", env=forced("13.0"))
    assert "Using torch 2.8.0, variant gpu" in result.stdout
    result = pip(*install, "--variant", "torch=gpu", code=1, env=forced("12.0"))
    assert "× The variant 'gpu' of torch 2.8.0 is not supported" in result.stderr
    for needed in ("12.6", "13.0"):
        assert f"CUDA {needed} (available" in result.stderr


def test_plain_builds_come_after_all_variants(
    pip: Pip, second: IndexServer, make_index: Callable[[], IndexServer]
) -> None:
    plain = make_index()
    # For the very Python: what is for Python 3 at large comes after it.
    tag = ".".join("py" + each.replace(".", "") for each in SUPPORTED)
    plain.add(make_wheel("torch", "2.8.0", tag=f"{tag}-none-any"))
    command = ["install", "--dry-run", "torch", *indexes(plain, second)]
    result = pip(*command, env=GPU)
    assert "Using torch 2.8.0, variant cu128" in result.stdout
    result = pip(*command, env=forced("12.0"))
    assert "Using torch 2.8.0, plain wheel" in result.stdout
    assert warnings(result) == []
    assert plain.log()[-1] == ("GET", f"/files/torch-2.8.0-{tag}-none-any.whl.metadata")


def test_the_same_files_are_one(
    pip: Pip, second: IndexServer, make_index: Callable[[], IndexServer]
) -> None:
    copy = make_index()
    copy.add_release("torch", "2.8.0", {"gpu": cuda("13.0"), "cu128": cuda("12.8")})
    result = pip("install", "--dry-run", "torch", *indexes(second, copy), env=GPU)
    assert "Using torch 2.8.0, variant cu128" in result.stdout
    assert result.stderr == ""
    # What they are was decided already.
    assert copy.log() == [("GET", "/simple/torch/")]


def test_one_index_in_two_spellings_is_one(pip: Pip, first: IndexServer) -> None:
    """Even if their files have no hashes, and may have changed in between."""
    first.redirect_pages = True
    first.pages.hashes = False
    moved = first.index_url.replace("/simple/", "/moved/to/")
    options = ["-i", first.index_url, "--extra-index-url", moved]
    result = pip("install", "--dry-run", "torch", *options, env=GPU)
    assert "Using torch 2.8.0, variant gpu" in result.stdout
    assert result.stderr == ""


def test_folders_in_the_order_of_the_options(
    venv: Environment, first: IndexServer, second: IndexServer, tmp_path: Path
) -> None:
    one, two = tmp_path / "1", tmp_path / "2"
    first.write_directory(one)
    second.write_directory(two)
    install = ["install", "--dry-run", "torch", "--no-index"]
    for folders, label in (((one, two), "gpu"), ((two, one), "cu128")):
        options = [part for each in folders for part in ("--find-links", str(each))]
        result = venv.pip(*install, *options, env=GPU)
        assert f"Using torch 2.8.0, variant {label}" in result.stdout


def test_find_links_come_before_indexes(
    pip: Pip, first: IndexServer, second: IndexServer
) -> None:
    options = ["-i", first.index_url, "--find-links", second.find_links_url]
    result = pip("install", "--dry-run", "torch", *options, env=GPU)
    assert "Using torch 2.8.0, variant cu128" in result.stdout


def test_no_password_is_printed(
    pip: Pip, first: IndexServer, second: IndexServer
) -> None:
    second.auth = ("user", "secret")
    options = ["-i", first.index_url, "--extra-index-url", second.index_url_with_auth]
    result = pip("install", "-v", "torch", *options, env=GPU)
    assert warnings(result) == []
    assert "secret" not in result.output


@pytest.mark.parametrize(
    "option", ["variant-host", "variant", "trust-variant-provider"]
)
@pytest.mark.parametrize("is_typed", [True, False], ids=["typed", "configured"])
def test_no_password_in_the_wrong_place_is_printed(
    pip: Pip, first: IndexServer, option: str, is_typed: bool
) -> None:
    url = "http://user:secret@host/"
    typed = [f"--{option}", url] if is_typed else []
    variable = f"PIP_{option.upper().replace('-', '_')}"
    env = {} if is_typed else {variable: url}
    command = ["install", "torch", "-i", first.index_url, *typed]
    result = pip(*command, env=env, code=None)
    assert result.returncode != 0
    assert "http://****@host/" in result.stderr
    assert "secret" not in result.output
