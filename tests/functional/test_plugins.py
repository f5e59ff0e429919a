"""Provider plugins: asked only if trusted, and whatever they do, nothing else breaks."""

from __future__ import annotations

import py_compile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import make_host
from tests.lib.index import IndexServer
from tests.lib.manifests import Provider, make_manifest
from tests.lib.processes import processes_of
from tests.lib.wheels import make_sdist, make_wheel

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
    index: IndexServer, api: str | None = "npu_plugin", **more: Any
) -> None:
    """Add a release with variants that only the plugin knows to judge."""
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"], "npu2": ["npu :: kind :: b2"]}
        | {"npu3": ["npu :: kind :: b3"]},
        providers={"npu": Provider([f"{PLUGIN}>=1"], api, **more)},
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
    assert "Using a plain build of kernels 1.0" in result.stdout
    assert result.stderr == (
        "WARNING: Variants of kernels 1.0 were left out (npu3, npu2, npu1), since only "
        "code that pip may not run knows whether they are supported here. If you trust "
        f"it to run with your rights: --trust-variant-provider {PLUGIN}\n"
    )
    assert plugin_requests(index) == []


@pytest.mark.on_wheel
def test_trusted(venv: Environment, options: list[str]) -> None:
    result = venv.pip("install", "kernels", *options, *TRUST)
    assert result.stderr == ""
    assert "Installing variant providers ... done" in result.lines
    assert "Using the variant npu2 of kernels 1.0 (npu :: kind :: b2)" in result.lines
    assert venv.installed().keys() == {"kernels"}


@pytest.mark.parametrize("name", ["NPU_variant.provider", PLUGIN])
def test_trust_in_the_environment_and_configuration(
    venv: Environment, options: list[str], name: str
) -> None:
    command = ["install", "--dry-run", "kernels", *options]
    env: dict[str, str | None] = {"PIP_TRUST_VARIANT_PROVIDER": f"other {name}"}
    assert "Using the variant npu2" in venv.pip(*command, env=env).stdout
    unset: dict[str, str | None] = {"PIP_CONFIG_FILE": None}
    key = "global.trust-variant-provider"
    venv.pip("config", "--site", "set", key, name, env=unset)
    assert "Using the variant npu2" in venv.pip(*command, env=unset).stdout


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
    assert "your rights: --trust-variant-provider helper" in result.stderr
    assert not any("helper" in path for path in plugin_requests(index))
    result = pip(*command, "--trust-variant-provider", "helper")
    assert "Using the variant npu2" in result.stdout


def test_the_environment_is_cached_and_purged(
    venv: Environment, index: IndexServer, options: list[str]
) -> None:
    command = ["install", "--dry-run", "kernels", *options, *TRUST]
    venv.pip(*command)
    index.clear_log()
    result = venv.pip(*command)
    assert "Using the variant npu2" in result.stdout
    assert "Installing variant providers" not in result.stdout
    assert not any(path.endswith(".whl") for path in plugin_requests(index))
    info = venv.pip("cache", "info").stdout
    assert "Number of variant provider environments: 1" in info
    purged = venv.pip("cache", "purge").stdout
    assert "Variant provider environments removed: 1" in purged
    assert "variant provider" not in venv.pip("cache", "info").stdout
    # Without a cache it is thrown away.
    assert "Using the variant npu2" in venv.pip(*command, "--no-cache-dir").stdout
    assert "Variant" not in venv.pip("cache", "info").stdout


def kept(venv: Environment) -> Path:
    """Return the one environment of a plugin in the cache."""
    (environment,) = venv.home.glob("**/variant-providers/*")
    return environment


def compiled(folder: Path) -> None:
    """Plant compiled code that claims to be of the source beside it."""
    evil, source = folder.parent / "evil.py", folder / "npu_plugin.py"
    evil.write_text(GOOD.replace("b2", "b3"), encoding="utf-8")
    py_compile.compile(
        *(str(evil), cache_from_source(str(source))),
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    evil.unlink()


def linked(folder: Path) -> None:
    """Put a link to another plugin in the place of a module."""
    other = folder.parents[1] / "other.py"
    other.write_text(GOOD.replace("b2", "b3"), encoding="utf-8")
    (folder / "npu_plugin.py").unlink()
    (folder / "npu_plugin.py").symlink_to(other)


def opened(folder: Path) -> None:
    """Let everybody change a module, which somebody did."""
    (folder / "npu_plugin.py").write_text(GOOD.replace("b2", "b3"))
    (folder / "npu_plugin.py").chmod(0o666)


@pytest.mark.linux
@pytest.mark.parametrize("change", [linked, opened])
def test_a_cached_plugin_that_others_can_change_is_not_used(
    venv: Environment, options: list[str], change: Callable[[Path], None]
) -> None:
    command = ["install", "--dry-run", "kernels", *options, *TRUST]
    venv.pip(*command)
    change(kept(venv))
    for _ in range(2):
        result = venv.pip(*command)
        assert "Using the variant npu2" in result.stdout
        assert "Installing variant providers ... done" in result.lines
    venv.pip("cache", "purge")
    venv.pip(*command)
    assert "Installing variant" not in venv.pip(*command).stdout


def test_compiled_code_in_the_cache_is_not_read(
    venv: Environment, options: list[str]
) -> None:
    command = ["install", "--dry-run", "kernels", *options, *TRUST]
    venv.pip(*command)
    compiled(kept(venv))
    result = venv.pip(*command)
    assert "Using the variant npu2" in result.stdout
    assert "Installing variant" not in result.stdout


def test_plugins_are_kept_by_what_they_hold(
    venv: Environment, index: IndexServer, options: list[str]
) -> None:
    """A file of the same name is another plugin if its content is another."""
    command = ["install", "--dry-run", "kernels", *options, *TRUST]
    assert "Using the variant npu2" in venv.pip(*command).stdout
    add_plugin(index, GOOD.replace("b2", "b3"))
    assert "Using the variant npu3" in venv.pip(*command).stdout
    assert len(list(venv.home.glob("**/variant-providers/*"))) == 2


@pytest.mark.parametrize(
    "api", ["venv.__main__", "antigravity", "this:s", "absent", "helper", "json"]
)
def test_its_module_is_of_what_is_installed(
    venv: Environment, index: IndexServer, api: str
) -> None:
    """Neither the standard library nor what lies about is run for a manifest."""
    add_kernels(index, api=api)
    add_plugin(index, files={"json.py": GOOD})
    (venv.work / "helper.py").write_text("raise SystemExit", encoding="utf-8")
    result = venv.pip("install", "kernels", "-i", index.index_url, *TRUST)
    assert "Using a plain build of kernels 1.0" in result.stdout
    module = api.partition(":")[0]
    assert f"The plugin {PLUGIN}: its module {module} is not of what" in result.stderr


def test_further_variables(pip: Pip, index: IndexServer) -> None:
    """The user names them; those that may hold secrets cannot be named."""
    add_kernels(index)
    code = f"import os\n{GOOD}\nCHOSEN = os.environ.get('NPU_2', 'b1')\n"
    code += "def get_supported_configs(): return [Feature('kind', [CHOSEN])]\n"
    add_plugin(index, code)
    install = ["install", "--dry-run", "kernels", "-i", index.index_url, *TRUST]
    env = {"NPU_2": "b3", "NPU_KEY": "b3"}
    assert "Using the variant npu1" in pip(*install, env=env).stdout
    named = ["--variant-provider-variable", "NPU_2"]
    assert "Using the variant npu3" in pip(*install, *named, env=env).stdout
    result = pip(*install, "--variant-provider-variable", "NPU_KEY", env=env, code=2)
    assert "a plugin never sees a variable that may hold a secret" in result.stderr


def test_where_it_cannot_be_cached(
    venv: Environment, index: IndexServer, options: list[str]
) -> None:
    """It is installed each time, quietly if all is, and thrown away."""
    command = ["install", "--dry-run", "kernels", *options, *TRUST]
    # A file is where the folder of environments should be.
    cache = venv.home / "cache" / "variant-providers"
    cache.parent.mkdir(parents=True)
    cache.touch()
    environ = {"PIP_CACHE_DIR": str(cache.parent)}
    for hashes in (True, False):
        # Without a hash nothing tells one build of it from another.
        index.pages = replace(index.pages, hashes=hashes)
        assert "Using the variant npu2" in venv.pip(*command, env=environ).stdout
        cache.unlink(missing_ok=True)
    assert venv.pip(*command, "-q", env=environ).output == ""
    assert not cache.exists()


def test_one_answer_a_run(pip: Pip, index: IndexServer, options: list[str]) -> None:
    manifest = make_manifest(
        {"npu2": ["npu :: kind :: b2"]},
        providers={"npu": Provider([f"{PLUGIN}>=1"], "npu_plugin")},
    )
    index.add_release("more", "1.0", {}, manifest=manifest)
    result = pip("install", "--dry-run", "kernels", "more", *options, *TRUST)
    assert "Using the variant npu2 of more 1.0" in result.stdout
    wheel = f"/files/{PLUGIN.replace('-', '_')}-1.0-py3-none-any.whl"
    assert plugin_requests(index).count(wheel) == 1


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
    assert "Using the variant npu1" in result.stdout, result


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
    assert "Using the variant npu1" in result.stdout


def test_two_namespaces_with_one_plugin(pip: Pip, index: IndexServer) -> None:
    code = f"""\
{GOOD}
class Other:
    @staticmethod
    def get_supported_configs():
        return [Feature("kind", ["b1"])]
"""
    manifest = make_manifest(
        {"npu": ["npu :: kind :: b2"], "other": ["other :: kind :: b2"]}
        | {"other1": ["other :: kind :: b1"]},
        namespaces=["other", "npu"],
        providers={
            "npu": Provider([PLUGIN], "npu_plugin"),
            "other": Provider([PLUGIN], "npu_plugin:Other"),
        },
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    add_plugin(index, code)
    command = ["install", "-v", "--dry-run", "kernels", "-i", index.index_url, *TRUST]
    result = pip(*command)
    assert "Using the variant other1" in result.stdout
    assert "other needs other :: kind :: b2 (the target has b1)" in result.stdout


def test_the_entry_point_need_not_be_named(pip: Pip, index: IndexServer) -> None:
    add_kernels(index, api=None)
    add_plugin(index, files={"npu_variant_provider/__init__.py": GOOD})
    result = pip("install", "--dry-run", "kernels", "-i", index.index_url, *TRUST)
    assert "Using the variant npu2" in result.stdout


#: name: (code of the plugin, label that is chosen, what the user is told)
MISBEHAVIOUR: Mapping[str, tuple[str, str | None, str]] = {
    "import error": ("import nonexistent", None, "ModuleNotFoundError"),
    "syntax error": ("def", None, "SyntaxError"),
    "missing attribute": ("", None, "AttributeError"),
    "exception": ("def get_supported_configs(): 1 / 0", None, "ZeroDivisionError"),
    "needs too much": ("def get_supported_configs(a, b): pass", None, "TypeError"),
    "exits": ("import sys; sys.exit(3)", None, "SystemExit: 3"),
    "exits at once": ("import os; os._exit(3)", None, "exit status 3"),
    "segfault": ("import ctypes; ctypes.string_at(0)", None, "ended by the signal 11"),
    "none": ("def get_supported_configs(): return None", None, "returned a NoneType"),
    "dictionary": ("def get_supported_configs(): return {}", None, "returned a dict"),
    "generator": ("def get_supported_configs(): yield 1", None, "returned a generator"),
    "text": ("def get_supported_configs(): return 'kind'", None, "returned a str"),
    "nothing": ("def get_supported_configs(): return []", None, ""),
    "wrong items": (
        GOOD + "def get_supported_configs(): return [1, None, 'x', Feature(2, ['b1'])]",
        None,
        "",
    ),
    "text for a list of values": (
        GOOD + "def get_supported_configs(): return [Feature('kind', 'b2')]",
        None,
        "",
    ),
    "wrong values": (
        GOOD + "def get_supported_configs(): return "
        "[Feature('kind', [None, 1, b'b2', 'B2', 'b 2', 'b2\\n', 'b1'])]",
        "npu1",
        "",
    ),
    "empty values": (
        GOOD + "def get_supported_configs(): return "
        "[Feature('other', []), Feature('kind', ['b2'])]",
        "npu2",
        "",
    ),
    "duplicates": (
        GOOD + "def get_supported_configs(): return "
        "[Feature('kind', ['b1', 'b2', 'b1']), Feature('kind', ['b3'])]",
        "npu1",
        "",
    ),
    "a million values": (
        GOOD + "def get_supported_configs(): return "
        "[Feature('kind', ['b2'] + [f'x{n}' for n in range(1_000_000)])]",
        "npu2",
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
    "a long answer of its own": (
        (
            "import json, os, sys\nrequest = json.loads(sys.argv[1])\n"
            "with open(request['answer'], 'w') as file: file.write(' ' * 9_000_000)\n"
            "os._exit(0)"
        ),
        None,
        "its answer is too long",
    ),
    "a pipe for an answer": (
        (
            "import json, os, sys\nanswer = json.loads(sys.argv[1])['answer']\n"
            "os.remove(answer); os.mkfifo(answer); os._exit(0)"
        ),
        None,
        "exit status 0",
    ),
    "hang": ("import time; time.sleep(600)", None, "did not answer within 2 seconds"),
    "a hang that ignores signals": (
        "import signal, time\nfor n in 2, 15: signal.signal(n, 1)\ntime.sleep(600)",
        None,
        "did not answer within 2 seconds",
    ),
}


@pytest.mark.parametrize("name", MISBEHAVIOUR)
def test_misbehaviour(venv: Environment, index: IndexServer, name: str) -> None:
    code, label, told = MISBEHAVIOUR[name]
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
        assert "Using a plain build of kernels 1.0" in result.stdout
    else:
        assert f"Using the variant {label} of kernels 1.0" in result.stdout
    assert told in result.stderr
    assert bool(told) == bool(result.stderr), result
    if Path("/proc").is_dir():
        assert processes_of(venv) == []


UNINSTALLABLE: Mapping[str, tuple[Callable[[IndexServer], object], str]] = {
    "not on the index": (lambda _: None, "cannot be installed"),
    "a source distribution": (
        lambda index: index.add(make_sdist(PLUGIN, "1.0")),
        "cannot be installed",
    ),
    "a variant wheel": (
        lambda index: index.add_release(PLUGIN, "1.0", {"null": {}}, plain=False),
        "cannot be installed",
    ),
    "an older version": (
        lambda index: index.add(make_wheel(PLUGIN, "0.1")),
        "cannot be installed",
    ),
    "a wheel that reaches out": (
        lambda index: add_plugin(index, files={"../beside.py": ""}),
        "cannot be installed",
    ),
    "from a URL": (
        lambda index: index.add(
            make_wheel(
                PLUGIN, "1.0", requires=["helper @ https://127.0.0.1:1/helper.zip"]
            )
        ),
        "which is not on an index",
    ),
    "a wrong hash": (
        lambda index: index.add(
            make_wheel(PLUGIN, "1.0", files={"npu_plugin.py": GOOD}), sha256="0" * 64
        ),
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
    assert "Using a plain build of kernels 1.0" in result.stdout
    assert f"The plugin {PLUGIN}: " in result.stderr
    assert told in result.stderr


def test_plain_wheels_are_taken_where_there_are_variants(
    pip: Pip, index: IndexServer
) -> None:
    add_kernels(index)
    index.add_release(
        *(PLUGIN, "2.0", {"null": {}}), plain=False, files={"npu_plugin.py": "1 / 0"}
    )
    add_plugin(index)
    result = pip("install", "--dry-run", "kernels", "-i", index.index_url, *TRUST)
    assert "Using the variant npu2" in result.stdout


def test_hashes_are_required_of_it_too(venv: Environment, index: IndexServer) -> None:
    add_kernels(index)
    add_plugin(index)
    hashes = [
        f"--hash=sha256:{entry.file.sha256}" for entry in index.projects["kernels"]
    ]
    (venv.work / "requirements.txt").write_text(f"kernels==1.0 {' '.join(hashes)}\n")
    command = ["install", "-v", "-r", "requirements.txt", "-i", index.index_url]
    result = venv.pip(*command, *TRUST)
    assert "Using a plain build of kernels 1.0" in result.stdout
    assert "--require-hashes" in result.stdout
    assert plugin_requests(index) == []


def test_an_optional_provider(pip: Pip, index: IndexServer) -> None:
    add_kernels(index, optional=True)
    add_plugin(index)
    command = ["install", "-v", "--dry-run", "kernels", "-i", index.index_url, *TRUST]
    result = pip(*command)
    assert "Using a plain build" in result.stdout
    assert "--enable-variant-provider npu turns it on" in result.stdout
    assert plugin_requests(index) == []
    result = pip(*command, "--enable-variant-provider", "npu")
    assert "Using the variant npu2" in result.stdout
    env = {"PIP_ENABLE_VARIANT_PROVIDER": "npu", "PIP_DISABLE_VARIANT_PROVIDER": "npu"}
    assert "Using a plain build" in pip(*command, env=env).stdout


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
    assert "Using the variant null" in pip(*command, *trust).stdout
    kind = ["--variant-provider", "x86_64=plugin"]
    assert "Using the variant v9" in pip(*command, *trust, *kind).stdout
    result = pip(*command, *kind)
    assert "Using the variant null" in result.stdout
    assert f"--trust-variant-provider {name}" in result.stderr


def test_another_machine_is_not_asked_here(
    pip: Pip, index: IndexServer, options: list[str], host: WriteHost
) -> None:
    target = ["--platform", "manylinux_2_28_x86_64", "--only-binary", ":all:"]
    command = ["download", "kernels", *options, *TRUST, *target]
    result = pip(*command)
    assert "Using a plain build" in result.stdout
    assert "another machine whose hardware is unknown" in result.stderr
    assert plugin_requests(index) == []
    npu: Sequence[dict[str, Any]] = [{"feature": "kind", "values": ["b1"]}]
    described = host(make_host(npu=list(npu)))
    result = pip(*command, "--variant-host", described)
    assert "Using the variant npu1" in result.stdout
    assert plugin_requests(index) == []
