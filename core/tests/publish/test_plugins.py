"""The results of plugins, and the problems of the results."""

from __future__ import annotations

import os
import time
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from wheel_variants.properties import SupportedFeature
from wheel_variants.publish.plugins import (
    PluginError,
    _find_api,
    _suggested_namespace,
    query,
)

HEAD = """\
import os, sys
class Feature:
    multi_value = False
    def __init__(self, name, values):
        self.name, self.values = name, values
"""


def _answering(configs: str, more: str = "") -> str:
    return f"{HEAD}{more}\ndef get_supported_configs():\n    return {configs}\n"


GOOD = _answering("[Feature('kind', ['b2', 'b1'])]")
KIND = (SupportedFeature("kind", ("b2", "b1")),)


def _install(folder: Path, files: dict[str, str]) -> Distribution:
    """Write the files of an installed plugin, and return the distribution."""
    info = folder / "npu-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: npu\nVersion: 1.0\n")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    for file, source in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return Distribution.at(info)


def test_the_answer(tmp_path: Path) -> None:
    _install(tmp_path, {"npu.py": GOOD})
    features, problems, _ = query(tmp_path, "npu", os.environ, 30)
    assert (features, problems) == (KIND, [])


#: What a plugin does wrong, what is reported, and the features that are left.
PROBLEMS: dict[str, tuple[str, str, int]] = {
    "name": (_answering("[Feature(3, ['b'])]"), "invalid feature name 3", 0),
    "invalid name": (_answering("[Feature('Kind', ['b'])]"), "feature name 'Kind'", 0),
    "no values": (_answering("[Feature('kind', 'b')]"), "must be a list, not 'b'", 0),
    "a set": (
        _answering("[Feature('kind', {'b'})]"),
        "values must be a list, not \"{'b'}\"",
        0,
    ),
    "numbers": (_answering("[Feature('kind', [1, 'b'])]"), "values: [1, 'b']", 1),
    "invalid value": (_answering("[Feature('kind', ['B'])]"), "values: ['B']", 0),
    "repeated": (_answering("[Feature('kind', ['b', 'b'])]"), "values: ['b', 'b']", 1),
    "twice": (
        _answering("[Feature('kind', ['b']), Feature('kind', ['c'])]"),
        "feature 'kind' appears more than once",
        1,
    ),
    "no multi_value": (
        _answering("[Feature('kind', ['b'])]", "del Feature.multi_value"),
        "feature 'kind': multi_value must be True or False",
        1,
    ),
    "prints": (
        _answering("[Feature('kind', ['b'])]", "print('found one')"),
        "the plugin prints to standard output, but some installers parse that output: 'found one\\n'",
        1,
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems(tmp_path: Path, name: str) -> None:
    code, problem, left = PROBLEMS[name]
    _install(tmp_path, {"npu.py": code})
    features, (found,), _ = query(tmp_path, "npu", os.environ, 30)
    assert problem in found
    assert len(features) == left


#: What a plugin does instead of answering, and the error.
FAILURES = {
    "no function": ("x = 1\n", "failed: AttributeError: module 'npu' has no attribute"),
    "syntax": ("def (", "failed: SyntaxError"),
    "import": (
        f"\nimport numpy\n{GOOD}",
        r"No module named 'numpy' \(npu.py, line 2\)",
    ),
    "raises": (
        _answering("1 / 0"),
        r"failed: ZeroDivisionError: .* \(npu.py, line 8\)",
    ),
    "exits": (_answering("sys.exit('no driver')"), "failed: SystemExit: no driver"),
    "no list": (_answering("{}"), r"get_supported_configs\(\) must return a list, not"),
    "cycle": (
        _answering("[Feature('kind', x)]", "x = []; x.append(x)"),
        "failed: ValueError: Circular reference",
    ),
    "ends": (_answering("os._exit(3)"), "ended with exit status 3"),
    "long": (
        _answering("[Feature('kind', ['b' * (5 << 20)])]"),
        "is larger than 4194304 bytes",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures(tmp_path: Path, name: str) -> None:
    code, problem = FAILURES[name]
    _install(tmp_path, {"npu.py": code})
    with pytest.raises(PluginError, match=problem):
        query(tmp_path, "npu", os.environ, 30)


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_its_process(tmp_path: Path) -> None:
    _install(tmp_path, {"npu.py": f"{HEAD}os.kill(os.getpid(), 11)\n"})
    with pytest.raises(PluginError, match="process ended with signal 11"):
        query(tmp_path, "npu", os.environ, 30)


@pytest.mark.linux
def test_it_is_stopped_with_all_that_it_started(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    wait = f"import time; time.sleep(3); open({str(mark)!r}, 'w')"
    code = (
        "\nimport subprocess, time\n"
        f"subprocess.Popen([sys.executable, '-c', {wait!r}])\n"
    )
    _install(tmp_path, {"npu.py": f"{HEAD}{code}time.sleep(99)\n"})
    with pytest.raises(
        PluginError, match="did not return a result within 1 s"
    ) as error:
        query(tmp_path, "npu", os.environ, 1)
    assert error.value.hints == ("To wait longer, add --variant-provider-timeout 2",)
    time.sleep(4)
    assert not mark.exists()


LOOKING = f"""{HEAD}
import importlib.util
def get_supported_configs():
    modules = ("beside", "pytest", "wheel_variants")
    seen = [each for each in modules if importlib.util.find_spec(each)]
    seen += [*os.listdir(), *(set(os.environ) - {{"PATH", "LC_CTYPE"}})]
    return [Feature("kind", ["none", *map(str.lower, seen)])]
"""


def test_isolation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin sees no other package, no working folder and no other variable."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "beside.py").write_text("")
    monkeypatch.chdir(work)
    monkeypatch.setenv("PYTHONPATH", str(work))
    folder = tmp_path / "installed"
    folder.mkdir()
    _install(folder, {"npu.py": LOOKING})
    features, *_ = query(folder, "npu", {"PATH": os.environ["PATH"]}, 30)
    assert features == (SupportedFeature("kind", ("none",)),)


def test_nothing_runs_that_is_not_installed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    folder = tmp_path / "installed"
    folder.mkdir()
    _install(folder, {"npu.py": GOOD, "json.py": GOOD})
    (folder / "beside.py").write_text(f"open({str(mark)!r}, 'w')")
    for api in ("beside", "beside:x", "json", "this", "venv.__main__", "\x1b[31m"):
        with pytest.raises(PluginError, match="has no module"):
            query(folder, api, os.environ, 30)
    for api in ("npu:", "npu:a b", "npu:a..b"):
        with pytest.raises(
            PluginError, match="not of the form MODULE or MODULE:OBJECT"
        ):
            query(folder, api, os.environ, 30)
    assert not mark.exists()


CLASS = f"""{HEAD}
class Plugin:
    def get_supported_configs(self):
        return [Feature("kind", ["b2", "b1"])]
class Made:
    plugin = Plugin()
"""
OLD = GOOD.replace("get_supported_configs()", "get_supported_configs(known, more=1)")


@pytest.mark.parametrize(
    ("code", "api"), [(CLASS, "npu:Plugin"), (CLASS, "npu:Made.plugin"), (OLD, "npu")]
)
def test_entry_points(tmp_path: Path, code: str, api: str) -> None:
    _install(tmp_path, {"npu.py": code})
    assert query(tmp_path, api, os.environ, 30)[0] == KIND


IMPORTED = "from npu_other._here import get_supported_configs\n"


@pytest.mark.parametrize(
    ("files", "api"),
    [
        ({"npu/__init__.py": GOOD}, "npu"),
        ({"npu/__init__.py": "", "npu/plugin.py": GOOD}, "npu.plugin"),
        ({"npu/plugin.py": CLASS}, "npu.plugin:Plugin"),
        ({"other.py": GOOD}, "other"),
        # The default module comes first, if it only imports the function too.
        ({"npu/__init__.py": GOOD, "npu/testing.py": GOOD}, "npu"),
        ({"npu.py": IMPORTED, "npu_other/_here.py": GOOD, "a.py": GOOD}, "npu"),
        # It is imported although the function is not seen in the source.
        ({"npu.py": "def (", "../../bin/npu.py": ""}, "npu"),
    ],
)
def test_the_entry_point_is_found(
    tmp_path: Path, files: dict[str, str], api: str
) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    assert _find_api(_install(folder, files), "npu") == api


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"a.py": GOOD, "b.py": GOOD}, "in several places: a, b"),
        ({"a.py": ""}, r"does not define .*\(\), and has no module npu"),
        ({"json.py": GOOD}, "does not define"),
    ],
)
def test_no_entry_point(tmp_path: Path, files: dict[str, str], problem: str) -> None:
    with pytest.raises(PluginError, match=problem):
        _find_api(_install(tmp_path, files), "npu")


@pytest.mark.parametrize(
    ("project", "namespace"),
    [
        ("npu-variant-provider", "npu"),
        ("provider-variant-x86-64", "x86_64"),
        ("npu-provider", "npu"),
        ("my-npu-variant-plugin", "my_npu"),
        ("npu", "npu"),
        ("npu.x", "plugin"),
    ],
)
def test_the_namespace(project: str, namespace: str) -> None:
    assert _suggested_namespace(project) == namespace
