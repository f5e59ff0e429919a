"""Try a provider plugin from its wheel: what it answers, and what is wrong with it.

For those who write one: nothing is looked up but what it depends on, and the user has named
the file, so that its code may run.
"""

from __future__ import annotations

import ast
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename
from pip._vendor.wheel_variants.answer import Answer, Step
from pip._vendor.wheel_variants.plugin_variables import visible
from pip._vendor.wheel_variants.properties import is_valid_namespace

from pip._internal.models.wheel import Wheel
from pip._internal.utils.compatibility_tags import get_supported
from pip._internal.utils.urls import path_to_url
from pip._internal.variants.machine.plugin_environment import (
    PluginHost,
    plugin_environment,
)
from pip._internal.variants.machine.plugin_query import (
    PluginFailed,
    belongs,
    examine_plugin,
)

__all__ = ["Trial", "named_like", "try_plugin"]

_FUNCTION = "get_supported_configs"
#: What packages of providers are called, around the name of the namespace.
_NAME = re.compile(r"(?:provider-variant-)?(.+?)(?:-variant)?(?:-(?:provider|plugin))?")
#: What a wheel has beside its modules, and what of that becomes modules.
_DATA = re.compile(r"[^/]+\.data/(?:purelib|platlib)/")
_NAMES = re.compile(r"[.:]")
#: Share of the time that a plugin may take, from which on it is called slow.
_SLOW = 0.5


class Trial(NamedTuple):
    """What came of it.

    :ivar package: its name and version.
    :ivar api: its entry point, as ``plugin-api`` of a manifest has to name it.
    :ivar is_usual: whether that is what installers take if a manifest names none.
    :ivar problems: what breaks the interface, one sentence each without a period.
    """

    package: str
    api: str
    is_usual: bool
    answer: Answer
    problems: tuple[str, ...]


def try_plugin(host: PluginHost, namespace: str, wheel: str, api: str | None) -> Trial:
    """Install a plugin where nothing else sees it, and ask it twice.

    :param namespace: for messages.
    :param wheel: the path of its wheel; the package is trusted.
    :param api: its entry point; None to find it.
    :raises PluginFailed: if it cannot be installed, or gives no answer.
    :raises UntrustedProvider: if it depends on a package that is not trusted.
    """
    name, version, _, _ = parse_wheel_filename(os.path.basename(wheel))
    usual = name.replace("-", "_")
    if not Wheel(os.path.basename(wheel)).supported(get_supported()):
        raise PluginFailed("its wheel is for another Python or another platform")
    if api is not None and not all(map(str.isidentifier, _NAMES.split(api))):
        raise PluginFailed(f"its entry point is no MODULE or MODULE:OBJECT: {api}")
    chosen = api or _entry_point(wheel, usual, namespace)
    environ = visible(os.environ, host.trusted, host.provider_variables)
    assert host.plugin_limits is not None, "the package is trusted"
    host.plugin_limits.typed = url = path_to_url(wheel)
    requirement = f"{name} @ {url}"
    with plugin_environment(host, [requirement]) as environment:
        folder, timeout = environment.folder, host.provider_timeout
        first, second = (
            examine_plugin(folder, chosen, environ, timeout) for _ in range(2)
        )
    problems = list(dict.fromkeys((*first.problems, *second.problems)))
    if first.features != second.features:
        problems.append("asked twice, it gave two different answers")
    if first.seconds > _SLOW * timeout:
        problems.append(
            f"it took {first.seconds:.1f} of the {timeout:g} seconds that it may take"
        )
    package = f"{name} {version}"
    answer = Answer(
        first.features,
        f"the plugin {package}",
        reason=None if first.features else f"the plugin {package} found nothing",
        seconds=first.seconds,
        step=Step.PLUGIN,
    )
    return Trial(package, chosen, chosen == usual, answer, tuple(problems))


def named_like(wheel: str) -> str:
    """Return the namespace that the name of a plugin's package suggests.

    A plugin does not tell its namespace: the manifests do that require it.
    """
    name, *_ = parse_wheel_filename(os.path.basename(wheel))
    match = _NAME.fullmatch(canonicalize_name(name))
    namespace = (match[1] if match else name).replace("-", "_")
    return namespace if is_valid_namespace(namespace) else "plugin"


def _entry_point(wheel: str, usual: str, namespace: str) -> str:
    """Find the entry point of a plugin in its sources.

    :raises PluginFailed: if there is none, or several.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            # By where they will be installed.
            members = {_DATA.sub("", file): file for file in archive.namelist()}
            files = set(members)
            sources = {
                file: archive.read(member)
                for file, member in sorted(members.items())
                if file.endswith(".py")
            }
    except (OSError, zipfile.BadZipFile, RuntimeError, zlib.error) as error:
        raise PluginFailed(f"its wheel cannot be read: {error}") from None
    found = [
        entry
        for file, source in sources.items()
        for entry in _entries(file, source)
        if belongs(entry.partition(":")[0], files)
    ]
    own = (sources.get(f"{usual}{end}", b"") for end in (".py", "/__init__.py"))
    if any(_FUNCTION.encode() in source for source in own):
        # Defined there, or imported from elsewhere, or by a condition.
        return usual
    if not found and belongs(usual, files):
        return usual
    hint = f"--plugin-api {namespace}=MODULE or {namespace}=MODULE:CLASS names it"
    if not found:
        raise PluginFailed(
            f"it has no module {usual}, and {_FUNCTION} is defined nowhere in it", hint
        )
    if len(found) > 1:
        raise PluginFailed(
            f"{_FUNCTION} is defined in several places: {', '.join(found)}", hint
        )
    return found[0]


def _entries(file: str, source: bytes) -> Iterator[str]:
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        # It is told when the module is loaded, if it is the one.
        return
    for node in tree.body:
        if _defines(node):
            yield module
        elif isinstance(node, ast.ClassDef) and any(map(_defines, node.body)):
            yield f"{module}:{node.name}"


def _defines(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == _FUNCTION
