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
from tests.lib.wheels import make_sdist, make_wheel

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
    assert (
        "Using the variant gpu of torch 2.8.0 (nvidia :: cuda_version_lower_bound "
        in (result.stdout)
    )
    assert (
        "Variant-property: nvidia :: cuda_version_lower_bound :: 12.6" in result.lines
    )
    assert result.stderr == (
        "WARNING: Variants of torch 2.8.0 come from several indexes, where labels may "
        f"mean different things: gpu was taken from {first.index_url}torch/; others are "
        f"on {second.index_url}torch/ (cu128, gpu). The first index with a variant that "
        "runs wins: --find-links, then --index-url, then --extra-index-url\n"
    )
    result = pip(*install, *indexes(second, first), env=GPU)
    assert "Using the variant cu128 of torch 2.8.0" in result.stdout
    assert f"cu128 was taken from {second.index_url}torch/" in result.stderr


def test_the_first_with_one_that_runs(
    pip: Pip, first: IndexServer, second: IndexServer
) -> None:
    install = ["install", "--dry-run", "torch"]
    # Of the second index nothing runs, so that the last variant of the first wins.
    result = pip(*install, *indexes(second, first), env=forced("12.0"))
    assert "Using the variant null of torch 2.8.0" in result.stdout
    # The null variant of the first wins over a better one of the second.
    first.add_release("torch", "2.8.0", {"null": {}, "gpu": cuda("13.0")}, plain=False)
    result = pip(*install, *indexes(first, second), env=GPU)
    assert "Using the variant null of torch 2.8.0" in result.stdout


def test_a_label_chosen_by_hand(
    pip: Pip, first: IndexServer, second: IndexServer
) -> None:
    install = ["install", "--dry-run", "torch", *indexes(first, second)]
    result = pip(*install, "--variant", "cu128", env=GPU)
    assert "Using the variant cu128 of torch 2.8.0" in result.stdout
    result = pip(*install, "--variant", "torch=gpu", env=forced("13.0"))
    assert f"gpu was taken from {first.index_url}torch/" in result.stderr
    result = pip(*install, "--variant", "torch=gpu", code=1, env=forced("12.0"))
    assert "× The variant gpu of torch 2.8.0 cannot run" in result.stderr
    for needed in ("12.6", "13.0"):
        assert f"cuda_version_lower_bound :: {needed} (the target" in result.stderr


def test_where_nothing_runs_each_is_named(
    pip: Pip, second: IndexServer, make_index: Callable[[], IndexServer]
) -> None:
    third = make_index()
    third.add_release("torch", "2.8.0", {"gpu": cuda("13.1")}, plain=False)
    second.replace("torch-2.8.0-py3-none-any.whl", requires_python="<3")
    options = indexes(second, third)
    result = pip("install", "torch", *options, code=1, env=forced("12.0"))
    assert "× No variant of torch runs on the target machine." in result.stderr
    for server, bound in ((second, "13.0"), (third, "13.1")):
        (line,) = (each for each in result.stderr.splitlines() if f":: {bound}" in each)
        assert line.endswith(f" (on {server.index_url}torch/)")


@pytest.mark.parametrize("plain_first", [True, False])
def test_plain_builds_come_after_all_variants(
    pip: Pip,
    second: IndexServer,
    make_index: Callable[[], IndexServer],
    plain_first: bool,
) -> None:
    plain = make_index()
    # For the very Python: what is for Python 3 at large comes after it.
    tag = ".".join("py" + each.replace(".", "") for each in SUPPORTED)
    plain.add(make_wheel("torch", "2.8.0", tag=f"{tag}-none-any"))
    plain.add(make_sdist("torch", "2.8.0"))
    servers = (plain, second) if plain_first else (second, plain)
    options = ["--dry-run", *indexes(*servers)]
    result = pip("install", "torch", *options, env=GPU)
    assert "Using the variant cu128 of torch 2.8.0" in result.stdout
    assert warnings(result) == []
    result = pip("install", "torch", *options, env=forced("12.0"))
    assert "Using a plain build of torch 2.8.0" in result.stdout
    assert warnings(result) == []
    assert plain.log()[-1] == ("GET", f"/files/torch-2.8.0-{tag}-none-any.whl.metadata")


def test_a_newer_version_wins_wherever_it_is(
    pip: Pip, first: IndexServer, second: IndexServer
) -> None:
    second.add(make_wheel("torch", "2.9.0"))
    result = pip("install", "--dry-run", "torch", *indexes(first, second), env=GPU)
    assert "Would install torch-2.9.0" in result.stdout
    assert warnings(result) == []


def test_the_same_files_are_one(
    pip: Pip, second: IndexServer, make_index: Callable[[], IndexServer]
) -> None:
    copy = make_index()
    copy.add_release("torch", "2.8.0", {"gpu": cuda("13.0"), "cu128": cuda("12.8")})
    result = pip("install", "--dry-run", "torch", *indexes(second, copy), env=GPU)
    assert "Using the variant cu128 of torch 2.8.0" in result.stdout
    assert result.stderr == ""
    # What they are was decided already.
    assert copy.log() == [("GET", "/simple/torch/")]


def test_one_url_on_two_pages_is_one_file(pip: Pip, second: IndexServer) -> None:
    second.pages.hashes = False
    options = ["--find-links", second.find_links_url, "-i", second.index_url]
    result = pip("install", "torch", *options, env=GPU)
    assert "Using the variant cu128 of torch 2.8.0" in result.stdout
    assert "Successfully installed torch-2.8.0" in result.stdout
    assert result.stderr == ""


def test_one_index_in_two_spellings_is_one(pip: Pip, first: IndexServer) -> None:
    twice = ["-i", first.index_url, "--extra-index-url", first.index_url.rstrip("/")]
    result = pip("install", "--dry-run", "torch", *twice, env=GPU)
    assert result.stderr == ""
    first.redirect_pages = True
    moved = first.index_url.replace("/simple/", "/moved/to/")
    options = ["-i", first.index_url, "--extra-index-url", moved]
    # Even where their files have no hashes, and may have changed in between.
    first.pages.hashes = False
    result = pip("install", "--dry-run", "torch", *options, env=GPU)
    assert "Using the variant gpu of torch 2.8.0" in result.stdout
    assert result.stderr == ""


def test_folders_in_the_order_of_the_options(
    venv: Environment, first: IndexServer, second: IndexServer, tmp_path: Path
) -> None:
    one, two = tmp_path / "1", tmp_path / "2"
    first.write_directory(one)
    second.write_directory(two)
    install = ["install", "--dry-run", "torch", "--no-index"]
    for folders, label in (((one, two), "gpu"), ((two, one), "cu128")):
        for given in (folders, [folder.as_uri() for folder in folders]):
            options = [part for each in given for part in ("--find-links", str(each))]
            result = venv.pip(*install, *options, env=GPU)
            assert f"Using the variant {label} of torch 2.8.0" in result.stdout
            assert f"{label} was taken from {folders[0].as_uri()}; " in result.stderr


def test_find_links_come_before_indexes(
    pip: Pip, first: IndexServer, second: IndexServer, tmp_path: Path
) -> None:
    second.write_directory(tmp_path / "links")
    for location in (second.find_links_url, str(tmp_path / "links")):
        options = ["-i", first.index_url, "--find-links", location]
        result = pip("install", "--dry-run", "torch", *options, env=GPU)
        assert "Using the variant cu128 of torch 2.8.0" in result.stdout
        assert f"; others are on {first.index_url}torch/ (gpu, null)" in result.stderr


def test_once_per_release(pip: Pip, first: IndexServer, second: IndexServer) -> None:
    for server in (first, second):
        server.add(make_wheel("app", "1.0", requires=["torch", "torch[x]"]))
    options = ["--dry-run", *indexes(first, second)]
    result = pip("install", "torch", "app", "torch[y]", *options, env=GPU)
    assert len(warnings(result)) == 1


def test_no_password_is_printed(
    pip: Pip, first: IndexServer, second: IndexServer
) -> None:
    second.auth = ("user", "secret")
    options = ["-i", first.index_url, "--extra-index-url", second.index_url_with_auth]
    result = pip("install", "-v", "torch", *options, env=GPU)
    assert len(warnings(result)) == 1
    assert "secret" not in result.output
