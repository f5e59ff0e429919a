"""Try a provider plugin before it is published (PEP 850, "Plugin API").

pip installs the plugin into a temporary folder. The plugin is then asked twice, each time in a
separate process with the limits that installers set.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from wheel_variants.plugin_modules import belongs
from wheel_variants.plugin_variables import visible
from wheel_variants.properties import (
    SupportedFeature,
    is_valid_feature_name,
    is_valid_namespace,
    is_valid_value,
)
from wheel_variants.publish.errors import PublishError
from wheel_variants.safe_repr import safe_repr

__all__ = ["PluginFailed", "Trial", "query", "try_plugin"]

#: Seconds that a plugin may take, as in installers.
TIMEOUT = 10.0
#: Share of that time from which on a plugin is reported as slow.
_SLOW = 0.5
#: Limits of an answer, as in installers: features, values of one, and bytes.
_MAX_FEATURES, _MAX_VALUES, _MAX_ANSWER = 1_000, 10_000, 4 * 1024 * 1024
#: Bytes of printed text that are reported.
_MAX_PRINTED = 4_000
#: Seconds in which a killed process ends, unless a driver holds it.
_KILLED = 1

_FUNCTION = "get_supported_configs"
#: The usual names of plugins, around the namespace.
_NAME = re.compile(r"(?:provider-variant-)?(.+?)(?:-variant)?(?:-(?:provider|plugin))?")
_ONLY_WHEELS = ("--only-binary", ":all:")


class PluginFailed(PublishError):
    """A plugin cannot be installed, or gives no answer."""


class Trial(NamedTuple):
    """The result of trying a plugin.

    :ivar package: its name and version.
    :ivar namespace: as given, or as the name of the package suggests.
    :ivar api: its entry point, as ``plugin-api`` of a manifest must name it.
    :ivar is_default: whether installers use *api* if a manifest has no ``plugin-api``.
    :ivar features: the valid features, most preferred first.
    :ivar problems: violations of the plugin interface.
    :ivar seconds: the duration of the first query.
    """

    package: str
    namespace: str
    api: str
    is_default: bool
    features: tuple[SupportedFeature, ...]
    problems: tuple[str, ...]
    seconds: float


class _Answer(NamedTuple):
    features: tuple[SupportedFeature, ...]
    problems: Sequence[str]
    seconds: float


def try_plugin(
    plugin: str,
    *,
    namespace: str | None = None,
    api: str | None = None,
    trusted: Collection[str] = (),
    variables: Collection[str] = (),
    timeout: float = TIMEOUT,
    pip_options: Sequence[str] = (),
    environ: Mapping[str, str] = os.environ,
) -> Trial:
    """Install a plugin into a temporary folder, and ask it twice what this machine supports.

    No code of other packages runs unless *trusted* names them, except the build backend of a
    project that is built.

    :param plugin: the path of a wheel or project, or a requirement, of which pip installs
        a wheel.
    :param api: its entry point, ``module`` or ``module:object``; None to find it.
    :param trusted: names of packages that it may depend on.
    :param variables: further environment variables that it may see.
    :param timeout: seconds for each query.
    :param pip_options: options of ``pip install``, such as ``--no-index``.
    :param environ: the environment of pip; the plugin sees some of it.
    :raises PluginFailed: if it cannot be installed, or gives no answer.
    """
    names = {canonicalize_name(each) for each in trusted}
    with _temporary_folder() as folder:
        installed = _install(plugin, folder, names, pip_options, environ)
        project, version = canonicalize_name(installed.name), installed.version
        default = project.replace("-", "_")
        api = api or _find_api(installed, default)
        seen = visible(environ, {project, *names}, variables)
        first, second = (query(folder, api, seen, timeout) for _ in range(2))
    problems = [*first.problems, *second.problems]
    if first.features != second.features:
        problems.append("two queries gave different answers")
    if first.seconds > _SLOW * timeout:
        problems.append(
            f"the query took {first.seconds:.1f} s; installers stop it after {timeout:g} s"
        )
    return Trial(
        f"{project} {version}",
        namespace or _suggested_namespace(project),
        api,
        api == default,
        first.features,
        tuple(dict.fromkeys(problems)),
        first.seconds,
    )


@contextlib.contextmanager
def _temporary_folder() -> Iterator[Path]:
    prefix = "wheel-variants-"
    with TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as name:
        yield Path(name).resolve()


def _install(
    plugin: str,
    folder: Path,
    trusted: Collection[str],
    pip_options: Sequence[str],
    environ: Mapping[str, str],
) -> Distribution:
    """Install a plugin, and what it depends on if that is trusted.

    :raises PluginFailed: if that is not possible.
    """
    options = [*pip_options, "--target", str(folder)]
    _run_pip(environ, *options, "--no-deps", *_pip_words(plugin))
    (installed,) = distributions(path=[str(folder)])
    needed = [
        requirement
        for requirement in map(Requirement, installed.requires or ())
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    ]
    _check_trusted((each.name for each in needed), trusted)
    if needed:
        _run_pip(environ, *options, *_ONLY_WHEELS, *map(str, needed))
        others = {each.name for each in distributions(path=[str(folder)])}
        _check_trusted(others - {installed.name}, trusted)
    return installed


def _check_trusted(names: Iterable[str], trusted: Collection[str]) -> None:
    """Check that the code of all packages may run.

    :raises PluginFailed: if one is not trusted.
    """
    untrusted = sorted({*map(canonicalize_name, names)} - {*trusted})
    if untrusted:
        options = " ".join(f"--trust-variant-provider {name}" for name in untrusted)
        raise PluginFailed(
            f"The plugin depends on packages that you have not trusted: "
            f"{', '.join(untrusted)}",
            f"To run their code too, add {options}",
        )


def _pip_words(plugin: str) -> list[str]:
    """Return how ``pip install`` names the plugin.

    :raises PluginFailed: if it is neither a path nor a requirement.
    """
    path = Path(plugin)
    if path.exists():
        # An absolute path is never the name of a project.
        return [str(path.absolute())]
    with contextlib.suppress(InvalidRequirement):
        requirement = Requirement(plugin)
        if requirement.url is None and path.suffix != ".whl":
            return [*_ONLY_WHEELS, str(requirement)]
    raise PluginFailed(
        f"'{plugin}' is neither an existing path nor a requirement",
        "Name a wheel, the folder of a project, or a requirement",
    )


def _run_pip(environ: Mapping[str, str], *words: str) -> None:
    """Run ``pip install`` of the running interpreter.

    :raises PluginFailed: if it fails, with what pip reports.
    """
    command = [sys.executable, "-I", "-m", "pip", "install", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", "--no-compile", "--no-user"]
    done = subprocess.run(
        [*command, *words],
        # Plugins are plain wheels, for a pip that knows variants too (PEP 850).
        env={**environ, "PIP_NO_VARIANTS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    if "No module named pip" in done.stderr:
        raise PluginFailed(
            f"pip is needed to install the plugin, and {sys.executable} has none",
            f"To install pip, run {sys.executable} -m ensurepip",
        )
    if done.returncode:
        lines = f"{done.stdout}{done.stderr}".splitlines()
        raise PluginFailed("pip cannot install the plugin", details=lines)


def _suggested_namespace(project: str) -> str:
    """Return the namespace that the name of a package suggests.

    A plugin does not know its namespace; the manifests that require it do.
    """
    match = _NAME.fullmatch(project)
    namespace = (match[1] if match else project).replace("-", "_")
    return namespace if is_valid_namespace(namespace) else "plugin"


def _find_api(installed: Distribution, default: str) -> str:
    """Find the entry point of a plugin in its sources.

    :param default: the module that installers use if a manifest names none.
    :raises PluginFailed: if there is none, or several.
    """
    files = {str(file) for file in installed.files or ()}
    found: list[str] = []
    for file in sorted(each for each in files if each.endswith(".py")):
        module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        if belongs(module, files):
            source = Path(str(installed.locate_file(file))).read_bytes()
            if module == default and _FUNCTION.encode() in source:
                # The module may define the function, or import it.
                return default
            found += _entries(module, source)
    if len(found) == 1:
        return found[0]
    if not found and belongs(default, files):
        return default
    raise PluginFailed(
        f"{_FUNCTION} is defined in several places: {', '.join(found)}"
        if found
        else f"{_FUNCTION} is defined nowhere, and there is no module {default}",
        "Name the entry point with --plugin-api MODULE or MODULE:CLASS",
    )


def _entries(module: str, source: bytes) -> Iterator[str]:
    # If it is the plugin's own module, importing it reports what cannot be parsed.
    with contextlib.suppress(SyntaxError, ValueError, RecursionError):
        for node in ast.parse(source).body:
            if _defines(node):
                yield module
            elif isinstance(node, ast.ClassDef) and any(map(_defines, node.body)):
                yield f"{module}:{node.name}"


def _defines(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == _FUNCTION


def query(
    folder: Path, api: str, environ: Mapping[str, str], timeout: float
) -> _Answer:
    """Ask an installed plugin what this machine supports.

    It runs in an empty folder, with the standard library and the packages in *folder*. All
    processes of its group are killed in the end.

    :param environ: the environment variables that it sees.
    :param timeout: seconds.
    :raises PluginFailed: if it gives no answer.
    """
    module, _, path = api.partition(":")
    if not all(map(str.isidentifier, path.split("."))) and api != module:
        raise PluginFailed(f"'{api}' is not MODULE or MODULE:OBJECT")
    installed = distributions(path=[str(folder)])
    files = {str(file) for each in installed for file in each.files or ()}
    if not belongs(module, files):
        raise PluginFailed(f"The plugin installs no module '{module}'")
    with _temporary_folder() as own, TemporaryFile() as printed:
        place, work = own / "answer.json", own / "work"
        work.mkdir()
        child = Path(__file__).with_name("plugin_child.py")
        command = [sys.executable, "-I", "-S", "-B", *map(str, (child, folder))]
        started = time.monotonic()
        # Opened before: a plugin that replaces the file gives no answer.
        with place.open("x+b", buffering=0) as file:
            process = subprocess.Popen(
                [*command, api, str(place)],
                cwd=work,
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                status = process.wait(timeout)
            except subprocess.TimeoutExpired:
                raise PluginFailed(
                    f"The plugin did not answer within {timeout:g} s",
                    f"To wait longer, add --variant-provider-timeout {2 * timeout:g}",
                ) from None
            finally:
                _kill(process)
            data = file.read(_MAX_ANSWER + 1)
        seconds = time.monotonic() - started
        printed.seek(0)
        text = printed.read(_MAX_PRINTED).decode("utf-8", "replace")
    problems: list[str] = []
    features = tuple(_features(_configs(data, status), problems))
    if text:
        problem = "it prints to standard output, which some installers read"
        problems.append(f"{problem}: {safe_repr(text)}")
    return _Answer(features, problems, seconds)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":  # pragma: no cover (what it does there)
        process.kill()
    else:
        # Processes that the plugin started may outlive it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_KILLED)


def _configs(data: bytes, status: int) -> list[Any]:
    """Return what ``get_supported_configs`` returned, from the answer of the process.

    :raises PluginFailed: if it is no answer.
    """
    if len(data) > _MAX_ANSWER:
        raise PluginFailed(f"The answer of the plugin is over {_MAX_ANSWER} bytes")
    if not data:
        end = f"signal {-status}" if status < 0 else f"exit status {status}"
        raise PluginFailed(f"The process of the plugin ended with {end}")
    try:
        answer = json.loads(data)
        fault, place, configs = map(answer.get, ("fault", "place", "configs"))
        parts = [len(each) for each in configs] if isinstance(configs, list) else []
    except (ValueError, TypeError, AttributeError, RecursionError):
        parts = [0]
    if any(count != 3 for count in parts):
        # Only a plugin that writes to the file itself can cause this.
        raise PluginFailed(
            f"The answer of the plugin cannot be read: {safe_repr(data)}"
        )
    if fault is not None:
        where = f" ({place})" if place else ""
        raise PluginFailed(f"The plugin failed: {fault}{where}")
    if not isinstance(configs, list):
        raise PluginFailed(
            f"{_FUNCTION}() must return a list, not {safe_repr(configs)}"
        )
    return configs


def _features(configs: list[Any], problems: list[str]) -> Iterator[SupportedFeature]:
    """Yield the valid features of an answer.

    :param problems: is extended by what is wrong with the others.
    """
    if len(configs) > _MAX_FEATURES:
        problem = f"it returned over {_MAX_FEATURES} features; the rest is ignored"
        problems.append(problem)
    names = set()
    for name, values, multi_value in configs[:_MAX_FEATURES]:
        if not isinstance(name, str) or not is_valid_feature_name(name):
            problems.append(f"the name of a feature is invalid: {safe_repr(name)}")
            continue
        if name in names:
            problems.append(f"feature '{name}' appears more than once")
            continue
        names.add(name)
        feature = f"feature '{name}' has"
        if not isinstance(multi_value, bool):
            problems.append(f"{feature} no multi_value, True or False")
        if not isinstance(values, list):
            problems.append(f"{feature} no list of values: {safe_repr(values)}")
            continue
        if len(values) > _MAX_VALUES:
            problem = f"over {_MAX_VALUES} values; the rest is ignored"
            problems.append(f"{feature} {problem}")
        values = values[:_MAX_VALUES]
        texts = (each for each in values if isinstance(each, str))
        kept = tuple(dict.fromkeys(filter(is_valid_value, texts)))
        if len(kept) != len(values):
            problems.append(
                f"{feature} invalid or repeated values: {safe_repr(values)}"
            )
        if kept:
            yield SupportedFeature(name, kept)
