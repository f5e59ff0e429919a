"""Run pip against servers with one fault each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.lib.batch import run_batch
from tests.lib.environments import Environment, Result
from tests.lib.faults import make_fault
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, cuda, make_manifest
from tests.lib.wheels import make_wheel

PLUGIN = "npu-provider"
_PLUGIN_CODE = """\
class Feature:
    multi_value = False
    name, values = "kind", ["b1"]

def get_supported_configs():
    return [Feature]
"""
_WHEEL = "/files/{}-1.0-py3-none-any{}.whl"


@dataclass(frozen=True, slots=True)
class RequestKind:
    """A request that should fail.

    :ivar project: the project to install.
    :ivar path: the path of the request.
    :ivar which: the conditions for requests to that path, as parameters of
        :class:`tests.lib.faults.Fault`.
    """

    project: str
    path: str
    which: Mapping[str, Any] = field(default_factory=dict)


#: The kinds of requests for the packages of :func:`add_packages`.
KINDS: Mapping[str, RequestKind] = {
    "page": RequestKind("kernels", "/simple/kernels/"),
    "manifest": RequestKind("kernels", "/files/kernels-1.0-variants.json"),
    "metadata": RequestKind("kernels", _WHEEL.format("kernels", "-gpu") + ".metadata"),
    "wheel": RequestKind("kernels", _WHEEL.format("kernels", "-gpu")),
    "head": RequestKind("bare", _WHEEL.format("bare", "-gpu"), {"methods": ["HEAD"]}),
    "range": RequestKind("bare", _WHEEL.format("bare", "-gpu"), {"ranged": True}),
    "provider page": RequestKind("plugged", f"/simple/{PLUGIN}/"),
    "provider metadata": RequestKind(
        "plugged", _WHEEL.format("npu_provider", "") + ".metadata"
    ),
    "provider wheel": RequestKind("plugged", _WHEEL.format("npu_provider", "")),
    # The same requests for a package without variants.
    "plain page": RequestKind("plain", "/simple/plain/"),
    "plain metadata": RequestKind("plain", _WHEEL.format("plain", "") + ".metadata"),
    "plain wheel": RequestKind("plain", _WHEEL.format("plain", "")),
}


def add_packages(index: IndexServer) -> None:
    """Add the packages for every kind of request.

    ``kernels`` has a manifest, ``bare`` requires reading its wheels instead, and only a
    plugin can check the variant of ``plugged``. All also have a plain wheel.
    """
    variants = {"gpu": cuda("12.8"), "null": {}}
    index.add_release("kernels", "1.0", variants)
    index.add_release("bare", "1.0", variants, listed=False)
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"]},
        providers={"npu": PluginSpec([f"{PLUGIN}>=1"], "npu_plugin")},
    )
    index.add_release("plugged", "1.0", {}, manifest=manifest)
    index.add(make_wheel(PLUGIN, "1.0", files={"npu_plugin.py": _PLUGIN_CODE}))
    index.add(make_wheel("plain", "1.0"))


@dataclass(frozen=True, slots=True)
class Cell:
    """The reaction of pip to one fault."""

    fault: str
    result: Result

    @property
    def selected(self) -> str:
        """The selected label, "plain", or "stops" for an error."""
        if self.result.returncode:
            return "stops"
        for line in self.result.lines:
            name, found, rest = line.partition(", variant ")
            if found and name.startswith("Using "):
                return rest.split()[0]
        return "plain"

    @property
    def traced(self) -> bool:
        """Whether pip printed a traceback."""
        return "Traceback (most recent call last)" in self.result.output

    def __str__(self) -> str:
        return f"{self.fault}: {self.selected}\n{self.result}"


def run_cells(
    environment: Environment,
    folder: Path,
    start: Callable[[], IndexServer],
    kind: RequestKind,
    faults: Iterable[str],
    *options: str,
) -> list[Cell]:
    """Make one kind of request fail in each way in turn.

    :param folder: the folder for pip's downloads.
    :param start: a function that starts another server.
    :param options: additional options of ``pip download``.
    :raises AssertionError: if temporary files are left.
    """
    faults = list(faults)
    base = start()
    if not base.projects:
        add_packages(base)
    base_url = base.url.replace("127.0.0.1", "localhost")
    commands: list[list[str]] = []
    for number, name in enumerate(faults):
        server = start()
        server.projects = base.projects
        server.faults[kind.path] = make_fault(name, kind.path, base_url, **kind.which)
        # One retry, and a short timeout if the response never arrives.
        limits = ["--retries", "1", "--timeout", "2" if "stalled" in name else "15"]
        target = str(folder / "downloads" / str(number))
        commands.append(
            ["download", "--no-cache-dir", "-d", target, "-i", server.index_url]
            + [*limits, *options, kind.project]
        )
    temporary = folder / "temporary"
    temporary.mkdir(parents=True)
    env = {**forced("12.8"), "TMPDIR": str(temporary)}
    env["PIP_TRUST_VARIANT_PROVIDER"] = PLUGIN
    results = run_batch(environment, folder, commands, env=env)
    left = sorted(path.name for path in temporary.iterdir())
    assert not left, f"left in the folder for temporary files: {left}"
    return [Cell(name, result) for name, result in zip(faults, results, strict=True)]
