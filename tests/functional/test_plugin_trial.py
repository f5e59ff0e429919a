"""``pip variants host --plugin``: a plugin is tried before it is on any index."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.index import IndexServer
from tests.lib.manifests import Provider, make_manifest
from tests.lib.wheels import make_sdist, make_wheel

Pip = Callable[..., Result]

NAME = "npu-variant-provider"
MODULE = "npu_variant_provider"
HEAD = """\
import os
class Feature:
    multi_value = False
    def __init__(self, name, values):
        self.name, self.values = name, values
"""
GOOD = f"""{HEAD}
def get_supported_configs():
    forced = os.environ.get("NPU_VARIANT_PROVIDER_FORCE_KIND", "b2,b1")
    return [Feature("kind", forced.split(","))] if forced else []
"""


def _wheel(
    folder: Path,
    code: str = GOOD,
    file: str = f"{MODULE}/__init__.py",
    name: str = NAME,
) -> Path:
    wheel = make_wheel(name, "1.0", files={file: code})
    wheel.write_to(folder)
    return folder / wheel.filename


@pytest.mark.on_wheel
def test_a_wheel(pip: Pip, tmp_path: Path) -> None:
    wheel = _wheel(tmp_path)
    result = pip("variants", "host", "--plugin", wheel)
    assert "npu: kind b2 (plugin)" in result.lines
    assert (
        f"{NAME} 1.0 answers; its plugin-api is {MODULE}, which need not be named"
        in result.lines
    )
    assert f"variants host --verbose --plugin {wheel}" in result.stdout
    told = pip("variants", "host", "-v", "--plugin", f"vpu={wheel}").stdout
    assert "vpu (plugin, from the plugin npu-variant-provider 1.0" in told


def test_override_variables_reach_it(pip: Pip, tmp_path: Path) -> None:
    wheel = _wheel(tmp_path)
    for forced, said in (
        ("b7", "npu: kind b7 (plugin)"),
        ("", f"npu: nothing, since the plugin {NAME} 1.0 found nothing"),
    ):
        env = {"NPU_VARIANT_PROVIDER_FORCE_KIND": forced}
        assert said in pip("variants", "host", "--plugin", wheel, env=env).lines


def test_what_it_tells_is_a_host(pip: Pip, index: IndexServer, tmp_path: Path) -> None:
    """Its answer can be used without it: as that of a machine."""
    command = ["variants", "host", "--json", "--hardware"]
    host = tmp_path / "host.json"
    host.write_text(pip(*command, "--plugin", _wheel(tmp_path)).stdout)
    supported = json.loads(host.read_text())["supported"]
    assert supported["npu"] == [{"feature": "kind", "values": ["b2", "b1"]}]
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"]}, providers={"npu": Provider([NAME])}
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    command = ["install", "--dry-run", "kernels", "-i", index.index_url]
    result = pip(*command, "--variant-host", host)
    assert "Using the variant npu1 of kernels 1.0" in result.stdout


def test_nothing_is_looked_up(
    venv: Environment, index: IndexServer, tmp_path: Path
) -> None:
    wheel = _wheel(tmp_path)
    venv.pip("variants", "host", "--plugin", wheel, "-i", index.index_url)
    assert index.log() == []
    assert venv.installed() == {}
    venv.pip("variants", "host", "--plugin", wheel, "--no-index")


def _project(folder: Path) -> Path:
    """Return a project with a backend of its own, which needs no index."""
    sdist = make_sdist(NAME, "1.0")
    with tarfile.open(fileobj=io.BytesIO(sdist.content)) as archive:
        for member in archive:
            path, content = folder / member.name, archive.extractfile(member)
            assert content is not None, "it has files alone"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())
    project = folder / sdist.filename.removesuffix(".tar.gz")
    make_wheel(NAME, "1.0", files={f"{MODULE}/__init__.py": GOOD}).write_to(
        project / "prebuilt"
    )
    return project


@pytest.mark.on_wheel
@pytest.mark.process
def test_a_project(venv: Environment, tmp_path: Path) -> None:
    project = _project(tmp_path)
    result = venv.pip("variants", "host", "--plugin", project, "--no-index")
    assert "npu: kind b2 (plugin)" in result.lines
    assert not list(project.glob("*.egg-info"))
    # What is built says nothing where a program reads.
    command = ["variants", "host", "--json", "--plugin", str(project), "--no-index"]
    assert "npu" in json.loads(venv.pip(*command).stdout)["supported"]
    relative = venv.pip("variants", "host", "--plugin", ".", "--no-index", cwd=project)
    assert "npu: kind b2 (plugin)" in relative.lines


CLASS = f"""{HEAD}
class Plugin:
    def get_supported_configs(self):
        return [Feature("kind", ["b2"])]
"""


@pytest.mark.parametrize(
    ("file", "code", "api"),
    [
        (f"{MODULE}/__init__.py", GOOD, MODULE),
        (f"{MODULE}/plugin.py", GOOD, f"{MODULE}.plugin"),
        (f"{MODULE}/plugin.py", CLASS, f"{MODULE}.plugin:Plugin"),
        ("other.py", GOOD, "other"),
    ],
)
def test_its_entry_point_is_found(
    pip: Pip, tmp_path: Path, file: str, code: str, api: str
) -> None:
    result = pip("variants", "host", "--plugin", _wheel(tmp_path, code, file))
    assert "npu: kind b2 (plugin)" in result.lines
    assert f"its plugin-api is {api}" in result.stdout


def test_its_entry_point_is_named(pip: Pip, tmp_path: Path) -> None:
    """What an object that is made elsewhere answers is not to be seen in sources."""
    made = f"{CLASS}\nclass Made:\n    plugin = Plugin()\n"
    command = ["variants", "host", "--plugin", _wheel(tmp_path, made)]
    result = pip(*command, "--plugin-api", f"npu={MODULE}:Made.plugin")
    assert f"its plugin-api is {MODULE}:Made.plugin" in result.stdout


REEXPORT = """\
import sys
if sys.platform == "none":
    from npu_other._none import get_supported_configs
else:
    from npu_other._here import get_supported_configs
"""


def test_the_usual_module_goes_first(pip: Pip, tmp_path: Path) -> None:
    """It need not define the function, and there may be others, as for its tests."""
    fake = GOOD.replace("b2,b1", "fake")
    files = {
        f"{MODULE}/__init__.py": REEXPORT,
        f"{MODULE}/testing.py": fake,
        "npu_other/__init__.py": "",
        "npu_other/_here.py": GOOD,
        "npu_other/_none.py": fake,
    }
    wheel = make_wheel(NAME, "1.0", files=files)
    wheel.write_to(tmp_path)
    result = pip("variants", "host", "--plugin", tmp_path / wheel.filename)
    assert "npu: kind b2 (plugin)" in result.lines
    assert f"its plugin-api is {MODULE}, which need not" in result.stdout


def test_several_entry_points(pip: Pip, tmp_path: Path) -> None:
    both = make_wheel(NAME, "1.0", files={"a.py": GOOD, "b.py": GOOD})
    both.write_to(tmp_path)
    command = ["variants", "host", "--plugin", tmp_path / both.filename]
    result = pip(*command, code=1)
    assert "get_supported_configs is defined in several places: a, b." in result.stderr
    assert "--plugin-api npu=MODULE or npu=MODULE:CLASS names it" in result.stderr
    assert "its plugin-api is b" in pip(*command, "--plugin-api", "npu=b").stdout


def _answering(configs: str, more: str = "") -> str:
    return f"{HEAD}{more}\ndef get_supported_configs():\n    return {configs}\n"


#: What a plugin does wrong, and what is said of it.
FAULTS: dict[str, tuple[str, str]] = {
    "nothing": (
        "x = 1\n",
        f"It failed: AttributeError: module '{MODULE}' has no attribute",
    ),
    "syntax": ("def (", "It failed: SyntaxError"),
    "import": (f"import numpy\n{GOOD}", "It failed: ModuleNotFoundError"),
    "raises": (_answering("1 / 0"), "It failed: ZeroDivisionError"),
    "no list": (_answering("{}"), "returned a dict for a list"),
    "no name": (_answering("[Feature(3, ['b'])]"), "Item 1 has no text as its name: 3"),
    "no values": (_answering("[Feature('kind', 'b')]"), "'kind' has no list of values"),
    "no texts": (_answering("[Feature('kind', [1])]"), "has values that are no texts"),
    "bad name": (_answering("[Feature('Kind', ['b'])]"), "'Kind' is no name of a"),
    "bad value": (_answering("[Feature('kind', ['B'])]"), "invalid or repeated: ['B']"),
    "repeated": (_answering("[Feature('kind', ['b', 'b'])]"), "invalid or repeated"),
    "twice": (
        _answering("[Feature('kind', ['b']), Feature('kind', ['c'])]"),
        "The feature kind comes more than once.",
    ),
    "no multi_value": (
        _answering("[Feature('kind', ['b'])]", "del Feature.multi_value"),
        "'kind' has no multi_value, True or False.",
    ),
    "prints": (
        _answering("[Feature('kind', ['b'])]", "print('found one')"),
        "It prints, and some installers read its output: 'found one\\n'.",
    ),
    "not the same": (
        _answering("[Feature('kind', [str(os.getpid())])]"),
        "Asked twice, it gave two different answers.",
    ),
    "ends": (_answering("os._exit(3)"), "Its process ended with exit status 3."),
    "crashes": (
        _answering("os.kill(os.getpid(), 11)"),
        "Its process was ended by the signal 11.",
    ),
    "many": (
        _answering("[Feature(f'f{n}', ['b']) for n in range(1001)]"),
        "Of more than 1000 features the rest is left out.",
    ),
    "hangs": (
        _answering("__import__('time').sleep(99)"),
        "It did not answer within 2 seconds.",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_with_it(pip: Pip, tmp_path: Path, fault: str) -> None:
    code, said = FAULTS[fault]
    command = ["variants", "host", "--plugin", _wheel(tmp_path, code)]
    command += ["--variant-provider-timeout", "2" if fault == "hangs" else "30"]
    result = pip(*command, code=1)
    assert "is no good provider plugin." in result.stderr
    assert said in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


def test_what_it_depends_on_must_be_trusted(
    pip: Pip, index: IndexServer, tmp_path: Path
) -> None:
    index.add(
        make_wheel("helper", "1.0", files={"helper/__init__.py": "kind = 'b9'\n"})
    )
    code = _answering("[Feature('kind', [helper.kind])]", "import helper")
    wheel = make_wheel(
        NAME, "1.0", files={f"{MODULE}/__init__.py": code}, requires=["helper"]
    )
    wheel.write_to(tmp_path)
    command = ["variants", "host", "--plugin", tmp_path / wheel.filename]
    command += ["-i", index.index_url]
    result = pip(*command, code=1)
    assert "It depends on helper: not typed" in result.stderr
    (hint,) = [line for line in result.stderr.splitlines() if "hint: " in line]
    assert "--trust-variant-provider helper" in hint
    # It tries the same plugin.
    assert f"--plugin {tmp_path / wheel.filename}" in hint
    assert index.log() == []
    result = pip(*command, "--trust-variant-provider", "helper")
    assert "npu: kind b9 (plugin)" in result.lines


WRONG: Sequence[tuple[str, str]] = (
    ("nowhere", "there is no nowhere: name a wheel, or a project that can be built"),
    ("bad.whl", "Invalid wheel filename"),
    ("npu-1.0-py3-none-any.whl", "Its wheel cannot be read: File is not a zip file."),
    ("npu-1.0-cp39-cp39-win_amd64.whl", "Its wheel is for another Python or another"),
    ("npu-1.0-py3-none-any-cu128.whl", "this one has the label cu128"),
    ("folder", "Neither 'setup.py' nor 'pyproject.toml' found"),
)


@pytest.mark.parametrize(("path", "said"), WRONG)
def test_what_is_no_plugin(venv: Environment, path: str, said: str) -> None:
    (venv.work / "bad.whl").write_text("")
    (venv.work / "npu-1.0-py3-none-any.whl").write_text("no archive")
    (venv.work / "folder").mkdir()
    if not (venv.work / path).exists() and path.endswith(".whl"):
        (venv.work / path).write_text("")
    result = venv.pip("variants", "host", "--plugin", path, code=1)
    assert said in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("name", "namespace"),
    [
        ("npu-variant-provider", "npu"),
        ("provider-variant-x86-64", "x86_64"),
        ("npu-provider", "npu"),
        ("my-npu-variant-plugin", "my_npu"),
        ("npu", "npu"),
    ],
)
def test_the_namespace(pip: Pip, tmp_path: Path, name: str, namespace: str) -> None:
    wheel = _wheel(tmp_path, GOOD, "a.py", name)
    result = pip("variants", "host", "--plugin", wheel)
    assert f"{namespace}: kind b2 (plugin)" in result.lines


def test_contradictions(pip: Pip, tmp_path: Path) -> None:
    wheel = str(_wheel(tmp_path))
    for options, said in (
        (["--plugin", wheel, "--plugin-api", "vpu=npu"], "the plugin is for npu"),
        (["--plugin-api", "npu=npu"], "is for the plugin that --plugin names"),
        (
            ["--plugin", wheel, "--plugin-api", "npu=a:"],
            "is no MODULE or MODULE:OBJECT",
        ),
        (["--plugin", wheel, "--variant-host", "xpu"], "--variant-host names another"),
    ):
        result = pip("variants", "host", *options, code=1)
        assert said in " ".join(result.stderr.split()).replace("Its entry", "its entry")


def test_a_path_with_an_equals_sign(venv: Environment) -> None:
    folder = venv.work / "a=b"
    folder.mkdir()
    wheel = _wheel(folder)
    result = venv.pip("variants", "host", "--plugin", f"a=b/{wheel.name}")
    assert "npu: kind b2 (plugin)" in result.lines
