"""What trust in a plugin covers, and what credentials and folders it never reaches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import Fault, IndexServer
from tests.lib.manifests import Provider, cuda, make_manifest
from tests.lib.repository import PageOptions
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]

PLUGIN = "npu-variant-provider"
TRUST = ["--trust-variant-provider", PLUGIN]
MARK = "ran.txt"
#: What runs, tells so; nothing else needs to work.
CODE = """\
import os, pathlib
pathlib.Path(os.environ["NPU_VARIANT_PROVIDER_FORCE_MARK"]).write_text(__name__)

class Feature:
    name, values, multi_value = "kind", ["b1"], False

def get_supported_configs():
    return [Feature]
"""


def tried(
    venv: Environment, index: IndexServer, requires: Sequence[str], *options: str
) -> tuple[Result, bool]:
    """Install a package whose provider has these requirements; tell if code ran."""
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"]},
        providers={"npu": Provider(list(requires), "npu_plugin")},
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    mark = venv.work / MARK
    result = venv.pip(
        *("install", "--dry-run", "kernels", "-i", index.index_url, *options),
        env={"NPU_VARIANT_PROVIDER_FORCE_MARK": str(mark)},
    )
    return result, mark.exists()


def test_what_is_trusted_runs(venv: Environment, index: IndexServer) -> None:
    """Show that the other tests could fail."""
    index.add(make_wheel(PLUGIN, "1.0", files={"npu_plugin.py": CODE}))
    result, ran = tried(venv, index, [f"{PLUGIN}>=1"], *TRUST)
    assert "Using the variant npu1 of kernels 1.0" in result.stdout
    assert ran


@pytest.mark.parametrize(
    "requires",
    [
        [f"{PLUGIN}-evil"],
        [f"evil-{PLUGIN}"],
        ["npu"],
        ["npu-variant"],
        [PLUGIN.replace("-", "")],
        [PLUGIN, f"{PLUGIN}-evil"],
        [PLUGIN, f"{PLUGIN}-evil; python_version > '3'"],
    ],
    ids=" ".join,
)
def test_trust_is_in_whole_names(
    venv: Environment, index: IndexServer, requires: list[str]
) -> None:
    names = {requirement.partition(";")[0] for requirement in requires}
    for name in {PLUGIN, *names}:
        index.add(make_wheel(name, "1.0", files={"npu_plugin.py": CODE}))
    result, ran = tried(venv, index, requires, *TRUST)
    assert "Variants of kernels 1.0 were left out (npu1)" in result.stderr
    assert not ran
    assert not any("evil" in path and path.endswith(".whl") for _, path in index.log())


def test_an_extra_brings_nothing_that_is_not_trusted(
    venv: Environment, index: IndexServer
) -> None:
    files = {"npu_plugin.py": CODE}
    index.add(make_wheel(PLUGIN, "1.0", files=files, extras={"more": ["helper"]}))
    index.add(make_wheel("helper", "1.0", files={"npu_plugin.py": CODE}))
    result, ran = tried(venv, index, [f"{PLUGIN}[more]"], *TRUST)
    assert "--trust-variant-provider helper" in result.stderr
    assert not ran


@pytest.mark.parametrize("by", ["the manifest", "the plugin", "a trusted helper"])
def test_no_code_from_a_url(venv: Environment, index: IndexServer, by: str) -> None:
    """A name says nothing of what lies at a URL."""
    with IndexServer() as other:
        evil = make_wheel("helper", "9.9", files={"npu_plugin.py": CODE})
        named = make_wheel(PLUGIN, "9.9", files={"npu_plugin.py": CODE})
        other.add(evil)
        other.add(named)
        helper = f"helper @ {other.file_url(evil.filename)}"
        options = [*TRUST]
        if by == "the manifest":
            requires = [f"{PLUGIN} @ {other.file_url(named.filename)}"]
        else:
            requires = [PLUGIN]
            index.add(make_wheel(PLUGIN, "1.0", requires=[helper]))
        if by == "a trusted helper":
            options += ["--trust-variant-provider", "helper"]
        result, ran = tried(venv, index, requires, *options)
        assert "Would install kernels-1.0" in result.stdout
        assert "Using a plain build of kernels 1.0" in result.stdout
        assert not ran
        assert other.log() == []


@pytest.mark.parametrize(
    "value",
    [f"{PLUGIN}[extra]", f"{PLUGIN}>=1", f"{PLUGIN} @ https://x.test/", "*", ""],
)
def test_trust_is_given_by_name_alone(pip: Pip, value: str) -> None:
    result = pip("install", "x", "--trust-variant-provider", value, code=2)
    told = f"option --trust-variant-provider: invalid package name {value!r}"
    assert told in result.stderr


@pytest.mark.parametrize("kind", ["manifest", "wheel"])
def test_credentials_stay_with_their_host(
    venv: Environment,
    index: IndexServer,
    make_index: Callable[[], IndexServer],
    kind: str,
) -> None:
    """A page may link to files elsewhere; they are asked for without a password."""
    files = make_index()
    index.auth = ("user", "hunter2")
    for each in (index, files):
        each.add_release(
            "torch", "2.9.0", {"cu128": cuda("12.8", ["90"])}, listed=kind == "manifest"
        )
    # Another name for loopback is another host.
    elsewhere = files.url.replace("127.0.0.1", "localhost")
    index.page_format = "html"
    page = index.project_html(
        index.projects["torch"],
        PageOptions(core_metadata=kind == "manifest"),
        lambda entry: f"{elsewhere}/files/{entry.path}",
    )
    index.faults["/simple/torch/"] = Fault(body=page.encode())
    result = venv.pip(
        *("install", "torch", "-i", index.index_url_with_auth, "-vv"),
        env=forced("12.8"),
    )
    assert "Successfully installed torch-2.9.0 (cu128)" in result.stdout
    assert "hunter2" not in result.output
    assert files.requests
    assert not any("authorization" in request.headers for request in files.requests)


def snapshot(*folders: Path) -> set[Path]:
    """Return all that lies in folders."""
    return {path for folder in folders for path in folder.rglob("*")}


def test_nothing_is_written_but_in_cache_and_target(
    venv: Environment, index: IndexServer, tmp_path: Path
) -> None:
    index.add(make_wheel(PLUGIN, "1.0", files={"npu_plugin.py": CODE}))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"]},
        providers={"npu": Provider([PLUGIN], "npu_plugin")},
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    before = snapshot(tmp_path)
    cache, target = tmp_path / "cache", tmp_path / "target"
    venv.pip(
        *("install", "kernels", "-i", index.index_url, *TRUST),
        *("--cache-dir", cache, "--target", target),
        env={
            "TMPDIR": str(temporary),
            "NPU_VARIANT_PROVIDER_FORCE_MARK": str(venv.work / MARK),
        },
    )
    new = snapshot(tmp_path) - before
    assert cache in new
    outside = {
        path
        for path in new
        if not (path.is_relative_to(cache) or path.is_relative_to(target))
    }
    # That is the plugin's own doing: it runs with the user's rights.
    assert outside == {venv.work / MARK}
