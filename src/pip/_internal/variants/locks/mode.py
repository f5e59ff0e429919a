"""What a run does otherwise that locks all builds of each release."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from pip._internal.variants.choice.mode import Mode
from pip._internal.variants.locks.declared import Declared
from pip._internal.variants.locks.locking import Locking, LockingRelease
from pip._internal.variants.locks.plan import resolve_to_lock
from pip._internal.variants.wheels.links import BuildLink

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.release import Release
    from pip._internal.variants.machine.chain import Providers

__all__ = ["Locks"]


class Locks(Mode):
    """``pip lock``: the builds are for any machine, and all of them are wanted.

    :ivar locking: which build of each package is taken just now.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._any_machine = Declared()
        self.locking = Locking()

    @property
    def chosen_for(self) -> Providers | None:
        """Return a machine that supports everything: a lock file is for others too."""
        return self._any_machine

    @property
    def may_take_several(self) -> bool:
        """Tell that several labels of one project can be locked."""
        return True

    @property
    def is_trying(self) -> bool:
        """Tell whether a failure concerns just the builds that are taken now."""
        return self.locking.exploring

    def infos(
        self,
        infos: Callable[[], Iterator[IndexCandidateInfo]],
        project: NormalizedName,
        specifier: SpecifierSet,
    ) -> Iterator[IndexCandidateInfo]:
        """Put versions first that were taken with other builds."""
        return self.locking.preferred(infos, project)

    def release(
        self,
        project: NormalizedName,
        version: _BaseVersion,
        links: Sequence[Link],
        sources: Sequence[str],
        *,
        pinned: bool,
    ) -> Release | None:
        """Make a release of which all builds are taken, one after the other."""
        if any(isinstance(link, BuildLink) for link in links):
            # These builds are versions, and a lock file has one of a package.
            return None
        return LockingRelease(
            self._context, project, version, links, sources, self.locking
        )

    def resolve(
        self, run: Callable[[], RequirementSet], resolver: Resolver
    ) -> RequirementSet | None:
        """Resolve as often as it takes to know what each build needs.

        :raises LockConflict: if what depends on the builds cannot be written down.
        :raises VariantLabelNotFound: if a label was chosen by hand that nothing has.
        """
        return resolve_to_lock(self._context, self.locking, resolver, run)
