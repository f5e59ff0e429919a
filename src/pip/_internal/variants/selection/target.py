"""The target of a run, and runs for another machine.

Upstream supports other platforms and interpreters with ``--platform`` and similar options;
the same rules apply here. A host also sets environment markers, and packages that are
installed on this machine do not count.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pip._internal.models.format_control import FormatControl
from pip._internal.variants.slots import SEVERAL_BUILDS

if TYPE_CHECKING:
    from optparse import Values

    from pip._vendor.wheel_variants.abi_dependency import PackageVersions

    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.providers.plugins import PluginHost
    from pip._internal.variants.providers.target import Target
    from pip._internal.variants.settings import Settings

#: The versions of core metadata that declare dynamic fields.
_STATIC = re.compile(r"2\.([2-9]|[1-9]\d+)")
#: The metadata fields that affect dependencies.
_NEEDED = frozenset(("Requires-Dist", "Requires-Python", "Provides-Extra"))


class RunTarget:
    """The target of one run, inspected only if there are variants.

    :ivar absent_devices: the namespaces of devices that the user excludes, each with the option.
    :ivar chosen_for: the provider chain to select builds for; None for the target's.
    """

    def __init__(
        self,
        settings: Settings,
        package_versions: PackageVersions,
        plugin_host: PluginHost,
        *,
        may_be_named: bool,
    ) -> None:
        """Create the target of a run.

        :param package_versions: the versions of other packages.
        :param may_be_named: whether ``--variant-host`` applies.
        """
        self._settings = settings
        self._package_versions = package_versions
        self._plugin_host = plugin_host
        self._may_be_named = may_be_named
        self.absent_devices: Mapping[str, str] = {}
        self.chosen_for: ProviderChain | None = None

    @cached_property
    def detected(self) -> ProviderChain:
        """The supported properties; each namespace is queried once."""
        from pip._internal.variants.providers.chain import ProviderChain
        from pip._internal.variants.providers.plugins import Plugins

        plugins = Plugins(self._plugin_host)
        chain = ProviderChain.for_settings(
            self._settings, plugins, self._package_versions
        )
        chain.absent_devices = self.absent_devices
        return chain

    @property
    def providers(self) -> ProviderChain:
        """The provider chain to select builds for: :attr:`chosen_for`, or else the target's."""
        return self.detected if self.chosen_for is None else self.chosen_for

    @cached_property
    def described(self) -> Target | None:
        """The platform and interpreter of the user's host, or None."""
        settings = self._settings
        if not self._may_be_named or settings.variant_host is None or settings.manifest:
            return None
        if settings.is_about_this_environment:
            return None
        from pip._internal.variants.providers.target import target_of

        return target_of(settings, self.detected.host)

    @property
    def environment(self) -> Mapping[str, str]:
        """The values of environment markers; empty for this machine."""
        return {} if self.described is None else self.described.environment

    @property
    def is_elsewhere(self) -> bool:
        """Whether the user's host is another kind of machine."""
        return self.described is not None and self.described.is_elsewhere

    def prepare(self, factory: Factory) -> None:
        """Prepare a resolution with the Python version of the target.

        :raises ContradictoryOptions: if a requirements file excludes wheels.
        """
        target = self.described
        if target is None:
            return
        from pip._internal.resolution.resolvelib import candidates

        factory._finder._target_python = target.python
        if target.is_elsewhere:
            formats = factory._finder.format_control
            _refuse_formats(target, formats)
            if not SEVERAL_BUILDS.of(self._settings.options, bool):
                # A requirements file may have overridden it.
                formats.only_binary.add(":all:")
        version = target.python.py_version_info
        factory._python_candidate = candidates.RequiresPythonCandidate(version)


def begin(target: Target, options: Values) -> None:
    """Apply the host to a command, like ``--platform`` and similar options.

    :raises ContradictoryOptions: if an option requires a build for another machine.
    """
    options.python_version = target.python.py_version_info
    if not target.is_elsewhere:
        return
    _refuse_formats(target, options.format_control)
    if SEVERAL_BUILDS.of(options, bool):
        # A lock file may have sources; the cache holds wheels built for this machine.
        options.cache_dir = None
    else:
        options.format_control = FormatControl(set(), {":all:"})
    # Both options concern packages installed on this machine.
    options.ignore_installed, options.warn_about_conflicts = True, False
    if target.python.py_version_info[:2] != sys.version_info[:2]:
        # Another Python cannot read this Python's bytecode.
        options.compile = False


def _refuse_formats(target: Target, formats: FormatControl) -> None:
    """Raise an error if the options require source distributions.

    :raises ContradictoryOptions: if ``--no-binary`` excludes wheels of some projects.
    """
    if formats.no_binary:
        from pip._internal.variants.errors import ContradictoryOptions

        raise ContradictoryOptions(
            f"--no-binary {','.join(sorted(formats.no_binary))}",
            f"--variant-host {target.host.path}",
            ContradictoryOptions.NOTHING_IS_BUILT,
        )


def read_source(target: Target, req: InstallRequirement) -> str:
    """Return a folder with the static metadata of a source.

    :raises BuiltForThisMachine: if only a build can find the metadata (core metadata 2.2).
    """
    from email.parser import BytesHeaderParser

    from pip._internal.utils.temp_dir import TempDirectory

    assert req.link is not None, "it is not installed"
    path = Path(req.unpacked_source_directory, "PKG-INFO")
    content = path.read_bytes() if path.is_file() else b""
    metadata = BytesHeaderParser().parsebytes(content)
    dynamic = {str(each).title() for each in metadata.get_all("Dynamic", [])}
    version = str(metadata.get("Metadata-Version", "0"))
    if not _STATIC.fullmatch(version) or not dynamic.isdisjoint(_NEEDED):
        why = f"The dependencies of {req.link.filename} are known only after a build."
        from pip._internal.variants.errors import BuiltForThisMachine

        raise BuiltForThisMachine(req.link.redacted_url, target.host.path, why)
    folder = TempDirectory(kind="modern-metadata", globally_managed=True)
    # These are untrusted, and must not lead out of the folder.
    parts = (
        re.sub(r"[^\w.+!]", "_", str(metadata[key])) for key in ("Name", "Version")
    )
    made = Path(folder.path, f"{'-'.join(parts)}.dist-info")
    made.mkdir()
    (made / "METADATA").write_bytes(content)
    return str(made)


def refuse_source(target: Target, link: Link) -> None:
    """Raise an error for a source distribution if the target is another machine.

    :raises BuiltForThisMachine: if *link* is not a wheel.
    """
    if target.is_elsewhere and not link.is_wheel:
        from pip._internal.variants.errors import BuiltForThisMachine

        raise BuiltForThisMachine(link.redacted_url, target.host.path)
