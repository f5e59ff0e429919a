"""The machine that builds are chosen for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol

    from pip._vendor.wheel_variants.abi_dependency import Neighbours

    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.providers.plugin_environment import PluginHost
    from pip._internal.variants.providers.target import Target
    from pip._internal.variants.selection.settings import Settings

    class TargetMode(Protocol):
        """What a mode has a say in."""

        @property
        def chosen_for(self) -> ProviderChain | None: ...

        def limited(self, target: ProviderChain) -> ProviderChain: ...


__all__ = ["RunTarget"]


class RunTarget:
    """The machine that one run chooses for; it is looked at when there are variants.

    :ivar modes: of the run.
    """

    def __init__(
        self,
        settings: Settings,
        neighbours: Neighbours,
        plugin_host: PluginHost,
        *,
        may_be_named: bool,
    ) -> None:
        """Make the target of a run.

        :param neighbours: the versions of other packages.
        :param may_be_named: whether ``--variant-host`` counts.
        """
        self._settings = settings
        self._neighbours = neighbours
        self._plugin_host = plugin_host
        self._may_be_named = may_be_named
        self.modes: Sequence[TargetMode] = ()

    @cached_property
    def detected(self) -> ProviderChain:
        """What the target supports; each namespace is queried once."""
        from pip._internal.variants.providers.chain import ProviderChain
        from pip._internal.variants.providers.plugin import Plugins

        plugins = Plugins(self._plugin_host)
        chain = ProviderChain.for_settings(self._settings, plugins, self._neighbours)
        for mode in self.modes:
            chain = mode.limited(chain)
        return chain

    @property
    def providers(self) -> ProviderChain:
        """What builds are chosen for: the target, or any machine."""
        for mode in self.modes:
            if mode.chosen_for is not None:
                return mode.chosen_for
        return self.detected

    @cached_property
    def described(self) -> Target | None:
        """The platform and the interpreter of the user's host, if it has any."""
        settings = self._settings
        if not self._may_be_named or settings.variant_host is None or settings.manifest:
            return None
        if settings.is_about_this_environment:
            return None
        from pip._internal.variants.providers.target import target_of

        return target_of(settings, self.detected.host)

    @property
    def is_elsewhere(self) -> bool:
        """Whether the user's host is of another kind than this machine."""
        return self.described is not None and self.described.is_elsewhere
