"""What runs beside a plugin, with plugins of all kinds."""

from __future__ import annotations

import importlib.util
import json
import os
import py_compile
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
    with pytest.raises(PluginFault, match=f"returned a {name} for a list"):
        described(configs)


def test_an_answer_has_an_end() -> None:
    many = described([Config(f"f{n}", ["a"]) for n in range(MAX_FEATURES + 1)])
    assert len(many) == MAX_FEATURES
    (long,) = described([Config("f", [str(n) for n in range(MAX_VALUES + 1)])])
    assert len(long[1]) == MAX_VALUES


GOOD = """
class Config:
    name, values, multi_value = "kind", ["b1"], False
def get_supported_configs():
    return [Config]
"""


def answered(path: Path, api: str) -> Any:
    """Ask the plugin in a folder, in a process of its own; give the whole answer."""
    folder, found = path / ".folder", path / ".answer.json"
    folder.mkdir()
    request = {
        "path": str(path),
        "api": api,
        "known": [],
        "answer": str(found),
        "folder": str(folder),
    }
    with subprocess.Popen(
        [sys.executable, "-S", plugin_child.__file__, json.dumps(request)],
        stdin=subprocess.PIPE,
        start_new_session=os.name != "nt",
    ) as child:
        assert child.wait(60) == 0
    return json.loads(found.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        (GOOD, {"features": [["kind", ["b1"]]]}),
        ("def get_supported_configs(): return 1", "returned a int for a list"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import absent", "ModuleNotFoundError: No module named 'absent'"),
    ],
)
def test_main(tmp_path: Path, code: str, answer: object) -> None:
    (tmp_path / "npu.py").write_text(code, encoding="utf-8")
    given = answered(tmp_path, "npu")
    if isinstance(answer, str):
        assert answer in given["fault"]
    else:
        assert given == answer


@pytest.mark.parametrize("package", [False, True])
@pytest.mark.parametrize("kind", ["checked", "unchecked", "timestamp", "legacy"])
def test_compiled_code_is_not_believed(
    tmp_path: Path, kind: str, package: bool
) -> None:
    """Neither beside the source of a module nor in its place, nor is any written."""
    good, evil = tmp_path / "npu.py", tmp_path / "evil.py"
    if package:
        (tmp_path / "npu").mkdir()
        good = tmp_path / "npu" / "__init__.py"
    good.write_text(GOOD, encoding="utf-8")
    evil.write_text(GOOD.replace("b1", "e1"), encoding="utf-8")
    # What the file system tells of both is the same.
    os.utime(good, (1, 1))
    os.utime(evil, (1, 1))
    modes = {
        "checked": py_compile.PycInvalidationMode.CHECKED_HASH,
        "unchecked": py_compile.PycInvalidationMode.UNCHECKED_HASH,
    }
    compiled = Path(importlib.util.cache_from_source(str(good)))
    if kind == "legacy":
        compiled = good.with_suffix(".pyc")
    py_compile.compile(
        *(str(evil), str(compiled)),
        invalidation_mode=modes.get(kind, py_compile.PycInvalidationMode.TIMESTAMP),
    )
    evil.unlink()
    assert answered(tmp_path, "npu") == {"features": [["kind", ["b1"]]]}
    before = set(tmp_path.rglob("*.pyc"))
    assert before == {compiled}
    if kind == "legacy":
        # Without its source there is no module.
        good.unlink()
        for left in (tmp_path / ".folder", tmp_path / ".answer.json"):
            left.rmdir() if left.is_dir() else left.unlink()
        assert "fault" in answered(tmp_path, "npu")


#: Modules, and whether they are of what lies in the folder.
PLACES = {
    "npu": True,
    "npu.part": True,
    "npu.part:Plugin.kind": True,
    "spread.part": True,
    "os": False,
    "venv.__main__": False,
    "antigravity": False,
    "this": False,
    "sys": False,
    "zipimport": False,
    "absent": False,
    "json": False,
}


@pytest.mark.parametrize("api", PLACES)
def test_the_module_lies_where_the_plugin_is(tmp_path: Path, api: str) -> None:
    for name in ("npu/__init__.py", "npu/part.py", "spread/part.py", "json.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("class Plugin:\n class kind:\n  pass\n", encoding="utf-8")
    fault = answered(tmp_path, api)["fault"]
    placed = "is not of what is installed for it" not in fault
    assert placed == PLACES[api], fault


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_it_ends_with_what_started_it(tmp_path: Path) -> None:
    """Its standard input ends then, and nothing is left of it."""
    (tmp_path / "npu.py").write_text("import time; time.sleep(600)", encoding="utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    request = {"path": str(tmp_path), "api": "npu", "known": [], "answer": ""}
    request["folder"] = str(folder)
    with subprocess.Popen(
        [sys.executable, plugin_child.__file__, json.dumps(request)],
        stdin=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait(60) != 0
    assert not folder.exists()
