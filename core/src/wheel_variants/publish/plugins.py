"""Test a provider plugin before publishing it (PEP 850, "Plugin API").

pip installs the plugin into a temporary folder. The plugin is then queried twice, each time
in a separate process with the limits of installers.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
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
from wheel_variants.plugin_process import end_process
from wheel_variants.plugin_variables import visible
from wheel_variants.properties import (
    SupportedFeature,
    is_valid_feature_name,
    is_valid_namespace,
    is_valid_value,
)
from wheel_variants.publish.errors import PublishError
from wheel_variants.safe_repr import safe_repr

__all__ = ["PluginError", "Trial", "query", "try_plugin"]

#: Seconds that a plugin may take, as in installers.
TIMEOUT = 10.0
#: The share of the time limit above which a plugin is reported as slow.
_SLOW = 0.5
#: Bytes of a result, as in installers.
_MAX_ANSWER = 4 * 1024 * 1024
#: Bytes of printed text in the report.
_MAX_PRINTED = 4_000

_FUNCTION = "get_supported_configs"
#: The usual names of plugins, around the namespace.
_NAME = re.compile(r"(?:provider-variant-)?(.+?)(?:-variant)?(?:-(?:provider|plugin))?")
_ONLY_WHEELS = ("--only-binary", ":all:")


class PluginError(PublishError):
    """A plugin cannot be installed, or its query fails."""


class Trial(NamedTuple):
    """The result of testing a plugin.

    :ivar package: the name and version of the package.
    :ivar namespace: the namespace, as given or derived from the name of the package.
    :ivar api: the entry point, in the form of ``plugin-api`` in a manifest.
    :ivar is_default: whether installers use *api* if a manifest has no ``plugin-api``.
    :ivar features: the valid features, most preferred first.
    :ivar problems: the violations of the plugin interface.
    :ivar seconds: the duration of the first query.
    """

    package: str
    namespace: str
    api: str
    is_default: bool
    features: tuple[SupportedFeature, ...]
    problems: tuple[str, ...]
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
    """Install a plugin into a temporary folder, and query it twice on this machine.

    Apart from the build backend of a project, only code of the plugin and of *trusted*
    packages runs.

    :param plugin: the path of a wheel or project, or a requirement, for which pip installs
        a wheel.
    :param api: the entry point, ``module`` or ``module:object``; None to find it.
    :param trusted: the names of packages that the plugin may depend on.
    :param variables: additional environment variables for the plugin.
    :param timeout: the time limit of each query, in seconds.
    :param pip_options: options of ``pip install``, such as ``--no-index``.
    :param environ: the environment variables of pip; the plugin sees some of them.
    :raises PluginError: if the plugin cannot be installed, or its query fails.
    """
    names = {canonicalize_name(each) for each in trusted}
    with _temporary_folder() as folder:
        installed = _install(plugin, folder, names, pip_options, environ)
        project, version = canonicalize_name(installed.name), installed.version
        default = project.replace("-", "_")
        api = api or _find_api(installed, default)
        seen = visible(environ, {project, *names}, variables)
        features, problems, seconds = query(folder, api, seen, timeout)
        again, more, _ = query(folder, api, seen, timeout)
    problems += more
    if features != again:
        problems.append("two queries returned different results")
    if seconds > _SLOW * timeout:
        problems.append(
            f"the query took {seconds:.1f} s; installers stop it after {timeout:g} s"
        )
    return Trial(
        f"{project} {version}",
        namespace or _suggested_namespace(project),
        api,
        api == default,
        features,
        tuple(dict.fromkeys(problems)),
        seconds,
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
    """Install a plugin and its dependencies, if they are trusted.

    :raises PluginError: if pip fails, or a dependency is not trusted.
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
    """Check that all packages are trusted.

    :raises PluginError: if a package is not trusted.
    """
    untrusted = sorted({*map(canonicalize_name, names)} - {*trusted})
    if untrusted:
        options = " ".join(f"--trust-variant-provider {name}" for name in untrusted)
        raise PluginError(
            f"The plugin depends on packages that you have not trusted: "
            f"{', '.join(untrusted)}",
            f"To allow their code to run, add {options}",
        )


def _pip_words(plugin: str) -> list[str]:
    """Return the arguments of ``pip install`` for the plugin.

    :raises PluginError: if *plugin* is neither a path nor a requirement.
    """
    path = Path(plugin)
    if path.exists():
        # An absolute path cannot be mistaken for the name of a project.
        return [str(path.absolute())]
    with contextlib.suppress(InvalidRequirement):
        requirement = Requirement(plugin)
        if requirement.url is None and path.suffix != ".whl":
            return [*_ONLY_WHEELS, str(requirement)]
    raise PluginError(
        f"'{plugin}' is neither an existing path nor a requirement",
        "Specify a wheel, the folder of a project, or a requirement",
    )


def _run_pip(environ: Mapping[str, str], *words: str) -> None:
    """Run ``pip install`` with the current interpreter.

    :raises PluginError: if pip fails; the message contains pip's output.
    """
    command = [sys.executable, "-I", "-m", "pip", "install", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", "--no-compile", "--no-user"]
    done = subprocess.run(
        [*command, *words],
        # Plugins are plain wheels, even for a pip with variant support (PEP 850).
        env={**environ, "PIP_NO_VARIANTS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    if "No module named pip" in done.stderr:
        raise PluginError(
            f"Cannot install the plugin: {sys.executable} has no pip",
            f"To install pip, run {sys.executable} -m ensurepip",
        )
    if done.returncode:
        lines = f"{done.stdout}{done.stderr}".splitlines()
        raise PluginError("pip failed to install the plugin", details=lines)


def _suggested_namespace(project: str) -> str:
    """Derive the namespace from the name of a package.

    Only the manifests that require a plugin name its namespace.
    """
    match = _NAME.fullmatch(project)
    namespace = (match[1] if match else project).replace("-", "_")
    return namespace if is_valid_namespace(namespace) else "plugin"


def _find_api(installed: Distribution, default: str) -> str:
    """Find the entry point of a plugin in its sources.

    :param default: the module that installers use by default.
    :raises PluginError: if there is no entry point, or several.
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
    raise PluginError(
        f"The plugin defines {_FUNCTION}() in several places: {', '.join(found)}"
        if found
        else f"The plugin does not define {_FUNCTION}(), and has no module {default}",
        "Specify the entry point with --plugin-api MODULE or MODULE:CLASS",
    )


def _entries(module: str, source: bytes) -> Iterator[str]:
    # If this module is the plugin, importing it reports the syntax error.
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
) -> tuple[tuple[SupportedFeature, ...], list[str], float]:
    """Query an installed plugin for the supported features of this machine.

    The plugin runs in an empty folder, with the standard library and the packages in
    *folder*. Afterward, all processes of the plugin's process group are killed.

    :param environ: the environment variables of the plugin.
    :param timeout: the time limit, in seconds.
    :return: the valid features, the problems, and the duration in seconds.
    :raises PluginError: if the query fails.
    """
    module, _, path = api.partition(":")
    if not all(map(str.isidentifier, path.split("."))) and api != module:
        raise PluginError(f"'{api}' is not of the form MODULE or MODULE:OBJECT")
    installed = distributions(path=[str(folder)])
    files = {str(file) for each in installed for file in each.files or ()}
    if not belongs(module, files):
        raise PluginError(f"The plugin has no module '{module}'")
    with _temporary_folder() as own, TemporaryFile() as printed:
        answer, work = own / "answer.json", own / "work"
        work.mkdir()
        child = Path(__file__).with_name("plugin_child.py")
        words = (child, folder, api, answer)
        started = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", *map(str, words)],
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
            raise PluginError(
                f"The plugin did not return a result within {timeout:g} s",
                f"To wait longer, add --variant-provider-timeout {2 * timeout:g}",
            ) from None
        finally:
            end_process(process)
        seconds = time.monotonic() - started
        if not answer.exists():
            end = f"signal {-status}" if status < 0 else f"exit status {status}"
            raise PluginError(f"The plugin process ended with {end}")
        problems: list[str] = []
        features = tuple(_features(_configs(answer.read_bytes()), problems))
        printed.seek(0)
        text = printed.read(_MAX_PRINTED).decode("utf-8", "replace")
    if text:
        problem = "the plugin prints to standard output, but some installers parse that output"
        problems.append(f"{problem}: {safe_repr(text)}")
    return features, problems, seconds


def _configs(data: bytes) -> list[Any]:
    """Parse the result of ``get_supported_configs`` that the process wrote.

    :raises PluginError: if the function failed or did not return a list.
    """
    if len(data) > _MAX_ANSWER:
        raise PluginError(f"The plugin's result is larger than {_MAX_ANSWER} bytes")
    answer = json.loads(data)
    if "fault" in answer:
        raise PluginError(f"The plugin failed: {answer['fault']}")
    configs = answer["configs"]
    if isinstance(configs, list):
        return configs
    raise PluginError(f"{_FUNCTION}() must return a list, not {safe_repr(configs)}")


def _features(configs: list[Any], problems: list[str]) -> Iterator[SupportedFeature]:
    """Yield the valid features of a result.

    :param problems: receives the problems of invalid features.
    """
    names = set()
    for name, values, multi_value in configs:
        if not isinstance(name, str) or not is_valid_feature_name(name):
            problems.append(f"invalid feature name {safe_repr(name)}")
            continue
        if name in names:
            problems.append(f"feature '{name}' appears more than once")
            continue
        names.add(name)
        feature = f"feature '{name}'"
        if not isinstance(multi_value, bool):
            problems.append(f"{feature}: multi_value must be True or False")
        if not isinstance(values, list):
            problems.append(
                f"{feature}: values must be a list, not {safe_repr(values)}"
            )
            continue
        texts = (each for each in values if isinstance(each, str))
        kept = tuple(dict.fromkeys(filter(is_valid_value, texts)))
        if len(kept) != len(values):
            problems.append(
                f"{feature} has invalid or repeated values: {safe_repr(values)}"
            )
        if kept:
            yield SupportedFeature(name, kept)
