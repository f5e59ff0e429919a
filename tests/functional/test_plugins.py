"""Provider plugins: asked only if trusted, and whatever they do, nothing else breaks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.index import Fault, IndexServer
from tests.lib.manifests import PluginSpec, cuda, make_manifest
from tests.lib.processes import processes_of
from tests.lib.repository import PageOptions
from tests.lib.wheels import DistFile, make_sdist, make_wheel

Pip = Callable[..., Result]
WriteHost = Callable[[str | Mapping[str, Any]], Path]

PLUGIN = "npu-variant-provider"
TRUST = ["--trust-variant-provider", PLUGIN]
GOOD = """\
class Feature:
    multi_value = False
    def __init__(self, name, values):
        self.name, self.values = name, values

def get_supported_configs():
    return [Feature("kind", ["b2", "b1"])]
"""


def add_kernels(
    index: IndexServer,
    api: str | None = "npu_plugin",
    requires: Sequence[str] = (f"{PLUGIN}>=1",),
    **more: Any,
) -> None:
    """Add a release with variants that only the plugin knows to judge."""
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"], "npu2": ["npu :: kind :: b2"]}
        | {"npu3": ["npu :: kind :: b3"]},
        providers={"npu": PluginSpec(list(requires), api, **more)},
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)


def add_plugin(index: IndexServer, code: str = GOOD, **more: Any) -> None:
    """Add a wheel of the plugin with this code."""
    files = {"npu_plugin.py": code, **more.pop("files", {})}
    index.add(make_wheel(PLUGIN, "1.0", files=files, **more))


def plugin_requests(index: IndexServer) -> list[str]:
    """Return the paths that were asked for and are not of the package itself."""
    return [path for _, path in index.log() if "kernels" not in path]


@pytest.fixture
def options(index: IndexServer) -> list[str]:
    """Return the options for an index with kernels and a well-behaved plugin."""
    add_kernels(index)
    add_plugin(index)
    return ["-i", index.index_url]


def test_not_trusted(pip: Pip, index: IndexServer, options: list[str]) -> None:
    result = pip("install", "kernels", *options)
    assert "Successfully installed kernels-1.0" in result.stdout
    assert "Using kernels 1.0, plain wheel" in result.stdout
    assert result.stderr == (
        "WARNING: Ignoring the variants 'npu3', 'npu2', 'npu1' of kernels 1.0: the check "
        f"requires {PLUGIN}, which you have not trusted. To run {PLUGIN} with your "
        f"permissions: --trust-variant-provider {PLUGIN}. To ignore 'npu': "
        "--disable-variant-provider npu\n"
    )
    assert plugin_requests(index) == []


@pytest.mark.on_wheel
def test_trusted(venv: Environment, options: list[str]) -> None:
    result = venv.pip("install", "kernels", *options, *TRUST)
    assert result.stderr == ""
    assert "Installing the plugin npu-variant-provider" in result.lines
    assert "Using kernels 1.0, variant npu2 (npu :: kind :: b2)" in result.lines
    assert venv.installed().keys() == {"kernels"}


def test_trust_in_the_environment_and_configuration(
    venv: Environment, options: list[str]
) -> None:
    name = "NPU_variant.provider"
    command = ["install", "--dry-run", "kernels", *options]
    env: dict[str, str | None] = {"PIP_TRUST_VARIANT_PROVIDER": f"other {name}"}
    assert ", variant npu2 (" in venv.pip(*command, env=env).stdout
    unset: dict[str, str | None] = {"PIP_CONFIG_FILE": None}
    key = "global.trust-variant-provider"
    venv.pip("config", "--site", "set", key, name, env=unset)
    assert ", variant npu2 (" in venv.pip(*command, env=unset).stdout


def test_no_trust_from_a_requirements_file(
    venv: Environment, options: list[str]
) -> None:
    for given in (TRUST, ["--variant-provider-variable", "NPU_HOME"]):
        (venv.work / "requirements.txt").write_text(f"{' '.join(given)}\nkernels\n")
        result = venv.pip("install", "-r", "requirements.txt", *options, code=1)
        assert f"no such option: {given[0]}" in result.stderr


def test_what_it_depends_on_must_be_trusted_too(pip: Pip, index: IndexServer) -> None:
    add_kernels(index)
    add_plugin(index, requires=["helper"])
    index.add(make_wheel("helper", "1.0"))
    command = ["install", "--dry-run", "kernels", "-i", index.index_url, *TRUST]
    result = pip(*command)
    assert "permissions: --trust-variant-provider helper" in result.stderr
    assert not any("helper" in path for path in plugin_requests(index))
    result = pip(*command, "--trust-variant-provider", "helper")
    assert ", variant npu2 (" in result.stdout


@pytest.mark.parametrize(
    "api", ["venv.__main__", "antigravity", "this:s", "absent", "helper"]
)
def test_its_module_is_of_what_is_installed(
    venv: Environment, index: IndexServer, api: str
) -> None:
    """Neither the standard library nor what lies about is run for a manifest."""
    add_kernels(index, api=api)
    add_plugin(index)
    (venv.work / "helper.py").write_text("raise SystemExit", encoding="utf-8")
    result = venv.pip("install", "kernels", "-i", index.index_url, *TRUST)
    assert "Using kernels 1.0, plain wheel" in result.stdout
    module = api.partition(":")[0]
    assert (
        f"The plugin {PLUGIN}: its installed packages lack module {module}"
        in result.stderr
    )


def test_further_variables(pip: Pip, index: IndexServer) -> None:
    """The user names them; those that may hold secrets cannot be named."""
    add_kernels(index)
    code = f"import os\n{GOOD}\nCHOSEN = os.environ.get('NPU_2', 'b1')\n"
    code += "def get_supported_configs(): return [Feature('kind', [CHOSEN])]\n"
    add_plugin(index, code)
    install = ["install", "--dry-run", "kernels", "-i", index.index_url, *TRUST]
    env = {"NPU_2": "b3", "NPU_KEY": "b3"}
    assert ", variant npu1 (" in pip(*install, env=env).stdout
    named = ["--variant-provider-variable", "NPU_2"]
    assert ", variant npu3 (" in pip(*install, *named, env=env).stdout
    result = pip(*install, "--variant-provider-variable", "NPU_KEY", env=env, code=2)
    assert "pip passes plugins no variables that may contain secrets" in result.stderr


#: Variables that no plugin sees: of nobody trusted, not called so, or maybe secret.
HIDDEN = (
    *("SECRET", "GITHUB_TOKEN", "HOME_OF_SOMETHING"),
    *("NV_VARIANT_PROVIDER_FORCE_SM_ARCH", "OTHER_VARIANT_PROVIDER_FORCE_KIND"),
    *("NPU_VARIANT_PROVIDER_KIND", "NPU_VARIANT_PROVIDER_FORCE_API_KEY"),
)


def test_the_plugin_sees_no_more_than_it_needs(pip: Pip, index: IndexServer) -> None:
    code = f"""\
import os, sys
{GOOD}
def get_supported_configs():
    assert "PIP_TRUST_VARIANT_PROVIDER" not in os.environ, "environment"
    for name in {HIDDEN!r}:
        assert name not in os.environ, name
    assert os.environ["NPU_VARIANT_PROVIDER_FORCE_KIND"] == "b1", "override"
    assert sys.flags.isolated and sys.flags.no_site, "flags"
    assert os.listdir() == [], "working folder"
    assert not any("site-packages" in path for path in sys.path), "packages"
    import json
    assert hasattr(json, "loads"), "standard library"
    return [Feature("kind", [os.environ["NPU_VARIANT_PROVIDER_FORCE_KIND"]])]
"""
    add_kernels(index)
    add_plugin(index, code, files={"json.py": "", "os.py": "raise SystemExit"})
    env = {
        "PIP_TRUST_VARIANT_PROVIDER": PLUGIN,
        "NPU_VARIANT_PROVIDER_FORCE_KIND": "b1",
        "PYTHONPATH": "somewhere",
        **dict.fromkeys(HIDDEN, "x"),
    }
    result = pip("install", "--dry-run", "kernels", "-i", index.index_url, env=env)
    assert ", variant npu1 (" in result.stdout, result


def test_the_older_interface(pip: Pip, index: IndexServer) -> None:
    code = f"""\
{GOOD}
class Plugin:
    namespace = "npu"
    dynamic = False
    def get_supported_configs(self, known_properties):
        values = sorted(p.value for p in known_properties if p.feature == "kind")
        assert {{p.namespace for p in known_properties}} == {{"npu"}}
        return [Feature("kind", values[:1])]
"""
    add_kernels(index, api="npu_plugin:Plugin")
    add_plugin(index, code)
    result = pip("install", "--dry-run", "kernels", "-i", index.index_url, *TRUST)
    assert ", variant npu1 (" in result.stdout


#: name: (code of the plugin, label that is chosen, what the user is told)
MISBEHAVIOR: Mapping[str, tuple[str, str | None, str]] = {
    "import error": ("import nonexistent", None, "ModuleNotFoundError"),
    "exception": ("def get_supported_configs(): 1 / 0", None, "ZeroDivisionError"),
    "segfault": ("import ctypes; ctypes.string_at(0)", None, "killed by signal 11"),
    "wrong values": (
        GOOD + "def get_supported_configs(): return "
        "[Feature('kind', [None, 1, b'b2', 'B2', 'b 2', 'b2\\n', 'b1'])]",
        "npu1",
        "",
    ),
    "noise": (
        "import os, sys\nprint('[]' * 1_000_000)\nos.write(1, b'x' * 100_000)\n"
        "print('{}', file=sys.stderr)\nos.close(1)\nos.close(2)\n" + GOOD,
        "npu2",
        "",
    ),
    "a process that holds on": (
        "import os, time\nif os.fork() == 0: time.sleep(600)\n" + GOOD,
        "npu2",
        "",
    ),
    "a hang that ignores signals": (
        "import signal, time\nfor n in 2, 15: signal.signal(n, 1)\ntime.sleep(600)",
        None,
        "did not answer within 2 seconds",
    ),
}


@pytest.mark.parametrize("name", MISBEHAVIOR)
def test_misbehavior(venv: Environment, index: IndexServer, name: str) -> None:
    code, label, told = MISBEHAVIOR[name]
    add_kernels(index)
    add_plugin(index, code)
    started = time.monotonic()
    result = venv.pip(
        *("install", "kernels", "-i", index.index_url, *TRUST),
        *("--variant-provider-timeout", "2"),
    )
    assert time.monotonic() - started < 60
    assert "Successfully installed kernels-1.0" in result.stdout
    if label is None:
        assert "Using kernels 1.0, plain wheel" in result.stdout
    else:
        assert f"Using kernels 1.0, variant {label}" in result.stdout
    assert told in result.stderr
    assert bool(told) == bool(result.stderr), result
    if Path("/proc").is_dir():
        assert processes_of(venv) == []


def _damaged() -> DistFile:
    """Return a plugin whose first file is compressed in an unknown way."""
    wheel = make_wheel(PLUGIN, "1.0", files={"module.py": "x = 1\n"})
    content = bytearray(wheel.content)
    content[content.index(b"PK\x01\x02") + 10] = 99
    return replace(wheel, content=bytes(content))


UNINSTALLABLE: Mapping[str, tuple[Callable[[IndexServer], object], str]] = {
    "a source distribution": (
        lambda index: index.add(make_sdist(PLUGIN, "1.0")),
        "cannot be installed",
    ),
    "from a URL": (
        lambda index: index.add(
            make_wheel(PLUGIN, "1.0", requires=["helper @ https://127.0.0.1:1/h.zip"])
        ),
        "but plugins come only from indexes",
    ),
    "a damaged wheel": (lambda index: index.add(_damaged()), "cannot be installed"),
    "a wrong hash": (
        lambda index: index.add(make_wheel(PLUGIN, "1.0"), sha256="0" * 64),
        "cannot be installed",
    ),
}


@pytest.mark.parametrize("name", UNINSTALLABLE)
def test_uninstallable(pip: Pip, index: IndexServer, name: str) -> None:
    add, told = UNINSTALLABLE[name]
    add_kernels(index)
    add(index)
    trust = [*TRUST, "--trust-variant-provider", "helper"]
    result = pip("install", "kernels", "-i", index.index_url, *trust)
    assert "Using kernels 1.0, plain wheel" in result.stdout
    assert f"The plugin {PLUGIN}: " in result.stderr
    assert told in result.stderr


def test_hashes_are_required_of_it_too(venv: Environment, index: IndexServer) -> None:
    add_kernels(index)
    add_plugin(index)
    hashes = [
        f"--hash=sha256:{entry.file.sha256}" for entry in index.projects["kernels"]
    ]
    (venv.work / "requirements.txt").write_text(f"kernels==1.0 {' '.join(hashes)}\n")
    command = ["install", "-v", "-r", "requirements.txt", "-i", index.index_url]
    result = venv.pip(*command, *TRUST)
    assert "Using kernels 1.0, plain wheel" in result.stdout
    assert "--require-hashes" in result.stdout
    assert plugin_requests(index) == []


def test_a_plugin_in_place_of_what_is_built_in(pip: Pip, index: IndexServer) -> None:
    name = "provider-variant-x86-64"
    index.add_release("cpu", "1.0", {"v9": ["x86_64 :: level :: v9"], "null": {}})
    code = GOOD + (
        "class X8664Plugin:\n    def get_supported_configs(self, known):\n"
        "        return [Feature('level', ['v9'])]\n"
    )
    index.add(
        make_wheel(name, "1.0", files={"provider_variant_x86_64/plugin.py": code})
    )
    command = ["install", "--dry-run", "cpu", "-i", index.index_url]
    trust = ["--trust-variant-provider", name]
    assert ", variant null (" in pip(*command, *trust).stdout
    kind = ["--variant-provider", "x86_64=plugin"]
    assert ", variant v9 (" in pip(*command, *trust, *kind).stdout
    result = pip(*command, *kind)
    assert ", variant null (" in result.stdout
    assert f"--trust-variant-provider {name}" in result.stderr


def test_another_machine_is_not_asked_here(
    pip: Pip, index: IndexServer, options: list[str], host: WriteHost
) -> None:
    target = ["--platform", "manylinux_2_28_x86_64", "--only-binary", ":all:"]
    command = ["download", "kernels", *options, *TRUST, *target]
    result = pip(*command)
    assert ", plain wheel, instead of" in result.stdout
    assert "The hardware of the target machine is unknown" in result.stderr
    assert plugin_requests(index) == []
    npu: Sequence[dict[str, Any]] = [{"feature": "kind", "values": ["b1"]}]
    described = host(make_host(npu=list(npu)))
    result = pip(*command, "--variant-host", described)
    assert ", variant npu1 (" in result.stdout
    assert plugin_requests(index) == []


# What trust covers

FILES = {"npu_plugin.py": GOOD}


def not_run(
    pip: Pip, index: IndexServer, requires: Sequence[str], *options: str
) -> Result:
    """Try a package whose provider has these requirements; no code of them runs."""
    add_kernels(index, requires=requires)
    result = pip("install", "--dry-run", "kernels", "-i", index.index_url, *options)
    assert "Using kernels 1.0, plain wheel" in result.stdout
    return result


@pytest.mark.parametrize(
    "requires",
    [
        [f"{PLUGIN}-evil"],
        [f"evil-{PLUGIN}"],
        ["npu-variant"],
        [PLUGIN.replace("-", "")],
        [PLUGIN, f"{PLUGIN}-evil; python_version > '3'"],
    ],
    ids=" ".join,
)
def test_trust_is_in_whole_names(
    pip: Pip, index: IndexServer, requires: list[str]
) -> None:
    names = {requirement.partition(";")[0] for requirement in requires}
    for name in {PLUGIN, *names}:
        index.add(make_wheel(name, "1.0", files=FILES))
    result = not_run(pip, index, requires, *TRUST)
    assert "the variants 'npu3', 'npu2', 'npu1' of kernels 1.0: " in result.stderr
    assert not any("evil" in path and path.endswith(".whl") for _, path in index.log())


def test_an_extra_brings_nothing_that_is_not_trusted(
    pip: Pip, index: IndexServer
) -> None:
    index.add(make_wheel(PLUGIN, "1.0", files=FILES, extras={"more": ["helper"]}))
    index.add(make_wheel("helper", "1.0", files=FILES))
    result = not_run(pip, index, [f"{PLUGIN}[more]"], *TRUST)
    assert "--trust-variant-provider helper" in result.stderr


@pytest.mark.parametrize("by", ["the manifest", "the plugin", "a trusted helper"])
def test_no_code_from_a_url(pip: Pip, index: IndexServer, by: str) -> None:
    """A name says nothing of what lies at a URL."""
    with IndexServer() as other:
        evil = make_wheel("helper", "9.9", files=FILES)
        named = make_wheel(PLUGIN, "9.9", files=FILES)
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
        not_run(pip, index, requires, *options)
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


def test_nothing_is_written_but_in_the_target(
    venv: Environment, index: IndexServer, tmp_path: Path
) -> None:
    add_plugin(index)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    add_kernels(index)
    before = snapshot(tmp_path)
    target = tmp_path / "target"
    venv.pip(
        *("install", "kernels", "-i", index.index_url, *TRUST),
        *("--cache-dir", tmp_path / "cache", "--target", target),
        env={"TMPDIR": str(temporary)},
    )
    new = snapshot(tmp_path) - before
    assert {path for path in new if not path.is_relative_to(target)} == set()
