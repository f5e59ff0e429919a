"""The bridge to PyTorch's index: where it leads, and what it is for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pip._internal.variants.choice.losses import tell_unanswered
from pip._internal.variants.choice.selection import select
from pip._internal.variants.pytorch.backends import Backend
from pip._internal.variants.pytorch.index import PUBLISHED, PyTorchIndex
from pip._internal.variants.pytorch.places import Places
from pip._internal.variants.pytorch.settings import Settings
from pip._internal.variants.pytorch.synthetic import Machine, manifest_for

if TYPE_CHECKING:
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.machine.chain import Providers

__all__ = ["Bridge"]


class Bridge:
    """PyTorch's index in one run of pip.

    :ivar places: where projects come from.
    """

    def __init__(
        self, context: Context, settings: Settings, index: PyTorchIndex | None = None
    ) -> None:
        self._context = context
        self.settings = settings
        if index is None:
            index = PyTorchIndex(
                context.session,
                settings.base_url,
                self._backends_in_question,
                context.options,
            )
        self.places = Places(context, settings, index)

    def machine(self, providers: Providers) -> Machine:
        """Give what the manifests of builds have to take into account."""
        probe = manifest_for(Machine(), [Backend.parse("cu128")])
        answer = providers.ask(probe, ["nvidia"])["nvidia"]
        # A driver that was asked tells what GPU it has; a user may leave that open.
        told = {feature.name for feature in answer.features}
        return Machine(
            answer.driver,
            "windows" if sys.platform == "win32" else "linux",
            has_capability="sm_arch" in told or answer.driver is not None,
        )

    def _backends_in_question(self) -> Sequence[Backend]:
        if self.settings.backends:
            return self.settings.backends
        providers = self._context.detected
        manifest = manifest_for(self.machine(providers), PUBLISHED)
        selection = select("", manifest, manifest.variants, providers, ())
        tell_unanswered(self._context, "what PyTorch's index has", selection)
        return [Backend.parse(label) for label in selection.ranking.compatible]
