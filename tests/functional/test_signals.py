"""pip is interrupted or killed at each of its steps: nothing is left half done."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lib import processes
from tests.lib.environments import Environment, Result
from tests.lib.fault_cells import PLUGIN
from tests.lib.faults import Fault, Gate
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, make_manifest
from tests.lib.processes import processes_of, wait_for
from tests.lib.wheels import make_wheel

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX"),
]

#: Stops where a test wants it to, with a separate process beside it.
PLUGIN_CODE = """\
import os, signal

class Feature:
    multi_value = False
    name, values = "kind", ["b1"]

def get_supported_configs():
    mark = os.environ.get("NPU_PROVIDER_FORCE_MARK")
    if mark:
        if os.fork():
            open("beside.txt", "w").close()
            open(mark, "w").close()
        signal.pause()
    return [Feature]
"""
WHEEL = "/files/demo-1.0-py3-none-any-npu1.whl"
PROVIDER = "/files/npu_provider-1.0-py3-none-any.whl"


@dataclass(frozen=True)
class Phase:
    """Where pip is when the signal comes.

    :param path: of a request that is not answered.
    :param inside: whether the answer has begun.
    :param file: that is about to be written.
    :param query: whether the plugin is being asked.
    :param cold: whether there must be nothing in the cache for that.
    """

    path: str | None = None
    inside: bool = False
    file: str | None = None
    query: bool = False
    cold: bool = False


PHASES: Mapping[str, Phase] = {
    "page": Phase("/simple/demo/"),
    "manifest": Phase("/files/demo-1.0-variants.json"),
    "provider page": Phase(f"/simple/{PLUGIN}/"),
    "provider wheel": Phase(PROVIDER, inside=True, cold=True),
    "provider install": Phase(file="npu_plugin.py", cold=True),
    "query": Phase(query=True),
    "metadata": Phase(f"{WHEEL}.metadata"),
    "download": Phase(WHEEL, inside=True, cold=True),
    "install": Phase(file="demo/data2.txt"),
    "record": Phase(file="variant-selection.json"),
}


@pytest.fixture
def demo(tls_index: IndexServer) -> IndexServer:
    """Return an index with a variant that a plugin judges."""
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"]},
        providers={"npu": PluginSpec([PLUGIN], "npu_plugin")},
    )
    files = {f"demo/data{number}.txt": "x" * 1000 for number in range(4)}
    tls_index.add_release(
        "demo", "1.0", {}, manifest=manifest, files=files, requires=["part"]
    )
    # So that there are two files to download in parallel.
    tls_index.add(make_wheel("part", "1.0"))
    tls_index.add(make_wheel(PLUGIN, "1.0", files={"npu_plugin.py": PLUGIN_CODE}))
    # So that each of them is asked for each time.
    tls_index.page_cache_control = "max-age=0"
    tls_index.file_cache_control = "max-age=0"
    return tls_index


class Stage:
    """An environment in which pip is stopped at each phase, one after the other."""

    def __init__(self, venv: Environment, index: IndexServer, folder: Path) -> None:
        self.venv, self.index, self.folder = venv, index, folder
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self.mark = folder / "mark"
        self.command = [
            *("install", "--force-reinstall", "--no-compile", "demo"),
            *("-i", index.index_url, "--cert", str(index.certificates)),
            *("--trust-variant-provider", PLUGIN, "--variant-provider-timeout", "300"),
        ]
        self.environ: dict[str, str | None] = {"TMPDIR": str(self.temporary)}

    def install(self) -> Result:
        """Install the package, with nothing to stop it."""
        self.index.faults.clear()
        result = self.venv.pip(*self.command, env=self.environ)
        assert "Using demo 1.0, variant npu1" in result.stdout, result
        return result

    def start(self, phase: Phase) -> tuple[processes.Running, Gate]:
        """Start pip, and wait until it is where it is to be stopped."""
        gate = Gate()
        env = dict(self.environ)
        self.mark.unlink(missing_ok=True)
        if phase.cold:
            self.venv.clear_cache()
        if phase.path is not None:
            # pip creates the file before it reads the body only if the body is large.
            size, truncate = (2_000_000, 20) if phase.inside else (None, None)
            self.index.faults[phase.path] = Fault(
                gate=gate, size=size, truncate=truncate
            )
        elif phase.query:
            env["NPU_PROVIDER_FORCE_MARK"] = str(self.mark)
        else:
            assert phase.file is not None
            env |= processes.stop_at_write(self.venv, phase.file, self.mark)
        running = processes.start_pip(self.venv, *self.command, env=env)
        if phase.path is not None:
            gate.wait_until_reached()
            if phase.inside:
                # The download has begun, into files that are to be removed.
                name = phase.path.rpartition("/")[2]
                wait_for(lambda: [*self.temporary.rglob(name)], f"pip writes {name}")
        else:
            wait_for(self.mark.exists, f"pip at {phase}")
        return running, gate

    def installed(self) -> dict[str, str]:
        """Return the files of the package, with the hashes of what is in them."""
        return {
            str(path.relative_to(self.venv.site_packages)): hashlib.sha256(
                path.read_bytes()
            ).hexdigest()
            for path in sorted(self.venv.site_packages.glob("*demo*/**/*"))
            if path.is_file()
        }

    def left(self) -> list[str]:
        """Return what lies in the folder for temporary files."""
        return sorted(path.name for path in self.temporary.iterdir())


#: By signal, how pip ends.
ENDS = {
    signal.SIGINT: processes.INTERRUPTED,
    signal.SIGTERM: (-signal.SIGTERM,),
    signal.SIGKILL: (-signal.SIGKILL,),
}


@pytest.mark.parametrize("number", ENDS, ids=lambda number: number.name)
def test_stopped_at_each_phase(
    venv: Environment, demo: IndexServer, tmp_path: Path, number: signal.Signals
) -> None:
    stage = Stage(venv, demo, tmp_path)
    stage.install()
    whole = stage.installed()
    assert len(whole) > 6
    # SIGTERM ends pip like SIGKILL, except in the last phases.
    first = 7 if number == signal.SIGTERM else 0
    for name, phase in list(PHASES.items())[first:]:
        running, gate = stage.start(phase)
        running.send(number)
        result = running.finish()
        gate.open()
        assert result.returncode in ENDS[number], f"{name}: {result}"
        assert "Traceback" not in result.output, f"{name}: {result}"
        wait_for(lambda: not processes_of(venv), f"{name}: no process is left")
        if number == signal.SIGINT:
            assert "ERROR: Operation cancelled by user" in result.stderr, name
            assert stage.left() == [], name
        # What replaces it is made ready elsewhere first.
        assert stage.installed() == whole, name
        stage.install()
        assert stage.installed() == whole, name
