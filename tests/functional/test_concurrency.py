"""Many pips at once share one cache."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.fault_cells import PLUGIN
from tests.lib.faults import Fault, Gate
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, cuda, make_manifest
from tests.lib.processes import INTERRUPTED, Running, processes_of, start_pip
from tests.lib.wheels import make_wheel

pytestmark = pytest.mark.process

MANY = 16
PROVIDER = "/files/npu_provider-1.0-py3-none-any.whl"
PLUGIN_CODE = """\
import npu_data

class Feature:
    multi_value = False
    name, values = "kind", npu_data.KINDS

def get_supported_configs():
    assert npu_data.LAST == "complete"
    return [Feature]
"""


@pytest.fixture
def demo(tls_index: IndexServer) -> IndexServer:
    """Return an index with a variant that a plugin of many files judges."""
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"], "npu2": ["npu :: kind :: b2"]},
        providers={"npu": PluginSpec([PLUGIN], "npu_plugin")},
    )
    tls_index.add_release("demo", "1.0", {}, manifest=manifest, requires=["needed"])
    tls_index.add_release("needed", "1.0", {}, manifest=manifest)
    filler = {f"npu_data/part{number}.py": "x = 1\n" for number in range(100)}
    data = "from npu_data.part99 import x\nKINDS, LAST = ['b2', 'b1'], 'complete'\n"
    files = {"npu_plugin.py": PLUGIN_CODE, **filler, "npu_data/__init__.py": data}
    tls_index.add(make_wheel(PLUGIN, "1.0", files=files))
    return tls_index


def start(
    venv: Environment,
    index: IndexServer,
    target: Path,
    env: Mapping[str, str | None] | None = None,
) -> Running:
    """Start an installation of the package into its own folder."""
    temporary = target.with_suffix(".tmp")
    temporary.mkdir()
    return start_pip(
        venv,
        *("install", "--target", target, "demo", "-i", index.index_url),
        *("--cert", index.certificates, "--trust-variant-provider", PLUGIN),
        # They have little of the machine each.
        *("--variant-provider-timeout", "120", "--timeout", "120"),
        env={"TMPDIR": str(temporary), **(env or {})},
    )


def assert_installed(running: Running, target: Path) -> None:
    """Assert that a run was not disturbed, and has left nothing else."""
    result = running.finish(300)
    assert result.returncode == 0, result
    assert result.stderr == "", result
    assert "Using demo 1.0, variant npu2" in result.stdout
    assert "Using needed 1.0, variant npu2" in result.stdout
    for package in ("demo", "needed"):
        text = (target / package / "__init__.py").read_text(encoding="utf-8")
        assert "variant_label = 'npu2'" in text
    assert list(target.with_suffix(".tmp").iterdir()) == []


def test_many_at_once(venv: Environment, demo: IndexServer, tmp_path: Path) -> None:
    targets = [tmp_path / f"target{number}" for number in range(MANY)]
    # All come to this point with nothing in the cache, and then build the plugin.
    gate = Gate()
    demo.faults[PROVIDER] = Fault(gate=gate)
    pips = [start(venv, demo, target) for target in targets]
    gate.wait_until_reached(times=MANY)
    gate.open()
    for running, target in zip(pips, targets, strict=True):
        assert_installed(running, target)
    assert processes_of(venv) == []


@pytest.mark.on_wheel
@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_requests_in_threads_do_not_keep_pip_from_ending(
    venv: Environment, index: IndexServer, tmp_path: Path
) -> None:
    index.add_release("first", "1.0", {"gpu": cuda("12.8"), "null": {}})
    gate = Gate()
    others = [f"other{number}" for number in range(4)]
    for name in others:
        index.add(make_wheel(name, "1.0"))
        index.faults[f"/simple/{name}/"] = Fault(gate=gate)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = ["install", "first", *others, "-i", index.index_url]
    running = start_pip(venv, *command, env={"TMPDIR": str(temporary)})
    # One is waited for by the resolver, the others were asked for by threads.
    gate.wait_until_reached(times=len(others))
    running.send(signal.SIGINT)
    result = running.finish()
    assert result.returncode in INTERRUPTED, result
    assert result.stderr.strip() == "ERROR: Operation cancelled by user"
    assert list(temporary.iterdir()) == []
    assert processes_of(venv) == []
