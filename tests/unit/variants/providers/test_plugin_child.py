"""What runs beside a plugin, with plugins of all kinds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pip._internal.variants.providers import plugin_child
from pip._internal.variants.providers.plugin_child import (
    MAX_FEATURES,
    MAX_VALUES,
    KnownProperty,
    PluginFault,
    ask,
    described,
    load,
)


@dataclass
class Config:
    """What plugins give for a feature."""

    name: Any
    values: Any


class Newer:
    """A plugin of the interface that asks for all that is supported."""

    def get_supported_configs(self) -> list[Config]:
        return [Config("kind", ["b2", "b1"])]


class Older:
    """A plugin of the interface that is told what packages use."""

    def get_supported_configs(self, known: frozenset[Any]) -> list[Config]:
        return [Config(each.feature, [each.value]) for each in known]


class Lenient:
    """A plugin that can do with either."""

    def get_supported_configs(self, known: object = None) -> object:
        return known


@pytest.fixture
def module() -> Iterator[types.ModuleType]:
    """Return a module that can be imported as ``npu``."""
    made = types.ModuleType("npu")
    vars(made).update(Newer=Newer, nested=types.SimpleNamespace(plugin=Newer()))
    sys.modules["npu"] = made
    yield made
    del sys.modules["npu"]


def test_load(module: types.ModuleType) -> None:
    assert load("npu") is module
    assert isinstance(load("npu:Newer"), Newer), "a class is called"
    assert load("npu:nested.plugin") is vars(module)["nested"].plugin
    with pytest.raises(AttributeError):
        load("npu:missing")


def test_both_interfaces() -> None:
    known = [["npu", "kind", "b1"]]
    assert ask(Newer(), known) == [Config("kind", ["b2", "b1"])]
    assert ask(Older(), known) == [Config("kind", ["b1"])]
    assert ask(Lenient(), known) is None, "only what is required is given"
    assert KnownProperty(*known[0]).feature == "kind"


def test_what_is_broken_is_left_out() -> None:
    configs = [
        Config("kind", ["b2", 7, "b1"]),
        Config(None, ["x"]),
        Config("text", "values"),
        Config("none", None),
        object(),
        Config("tuple", ("a",)),
    ]
    assert described(configs) == [["kind", ["b2", "b1"]], ["tuple", ["a"]]]


@pytest.mark.parametrize("configs", [None, {}, "kind", iter(())])
def test_an_answer_is_a_list(configs: object) -> None:
    name = type(configs).__name__
    with pytest.raises(PluginFault, match=f"returned a {name}, not a list"):
        described(configs)


def test_an_answer_has_an_end() -> None:
    many = described([Config(f"f{n}", ["a"]) for n in range(MAX_FEATURES + 1)])
    assert len(many) == MAX_FEATURES
    (long,) = described([Config("f", [str(n) for n in range(MAX_VALUES + 1)])])
    assert len(long[1]) == MAX_VALUES


def ask_process(path: Path, api: str) -> subprocess.Popen[bytes]:
    """Start a process that asks the plugin in a folder."""
    request = {
        "path": str(path),
        "api": api,
        "known": [],
        "answer": str(path / ".answer.json"),
    }
    return subprocess.Popen(
        [sys.executable, "-S", plugin_child.__file__, json.dumps(request)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_it_ends_without_pip(tmp_path: Path) -> None:
    """So do the processes that it has started, even with all signals blocked."""
    code = """
import os, signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
os.fork()
os.write(1, b"x")
time.sleep(600)
"""
    (tmp_path / "npu.py").write_text(code, encoding="utf-8")
    process = ask_process(tmp_path, "npu")
    assert process.stdout is not None
    for _ in range(2):
        assert process.stdout.read(1) == b"x"
    # This closes the pipe that pip holds, and returns when nobody can write any more.
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
