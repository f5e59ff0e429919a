"""Foretell what upstream's resolver looks at next, as long as nothing conflicts.

It takes one identifier after the other, the most preferred first, and adds what the
candidate requires: each requirement makes it look for the best candidate, by the
project's pages and that candidate's metadata. The same is done here from where it is, with
what is known by now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from pip._internal.fast.prospects import Conflict, Found, Prospect

if TYPE_CHECKING:
    from pip._internal.fast.prospects import Prospects, Want
    from pip._internal.fast.resolution import Resolving
    from pip._internal.resolution.resolvelib.base import Requirement

__all__ = ["Doubt", "foretell"]


class Doubt(IntEnum):
    """What may keep upstream from a request: nothing, an unknown page or candidate."""

    NONE = 0
    PAGE = 1
    PIN = 2


def foretell(
    resolving: Resolving, prospects: Prospects, preferences: dict[object, Any]
) -> Iterator[tuple[Want, Doubt]]:
    """Yield the requests that upstream will make, in its order.

    Some of them were made. Each comes with the doubt whether it will be made.

    :param preferences: keeps what was worked out, for the next time
    """
    course = _Course(resolving, prospects, preferences)
    try:
        yield from course.run()
    except Conflict:
        # What upstream does then is not foreseen.
        return


class _Course:
    def __init__(
        self, resolving: Resolving, prospects: Prospects, preferences: dict[object, Any]
    ) -> None:
        self._resolving = resolving
        self._prospects = prospects
        self._preferences = preferences
        self._criteria = {} if resolving.state is None else resolving.state.criteria
        #: What is required beyond the criteria, by identifier.
        self._added: dict[str, list[Requirement]] = {}
        #: By identifier; None where it is not known yet.
        self._pins: dict[str, Any] = {}
        self._unpinned: dict[str, None] = {}
        #: Of those, how much they are preferred.
        self._order: dict[str, Any] = {}
        self._doubt = Doubt.PAGE if resolving.has_conflicted else Doubt.NONE

    def run(self) -> Iterator[tuple[Want, Doubt]]:
        """Yield what comes next, with the doubt about it."""
        resolving = self._resolving
        if resolving.state is None:
            yield from self._add(resolving.roots)
        else:
            self._pins.update(resolving.state.mapping)
            for name in self._criteria:
                if name not in self._pins and name[0] != "<":
                    self._unpinned[name] = None
        if resolving.parent is not None:
            name = resolving.parent.name
            found = self._prospects.found_in(name, resolving.parent)
            yield from self._pin(name, found)
        while self._unpinned:
            name = min(self._unpinned, key=self._preference)
            prospect = self._prospects.prospect(name, self._required(name))
            if isinstance(prospect, Prospect):
                prospect.look()
                prospect = prospect.found
            yield from self._pin(name, prospect)

    def _pin(self, name: str, found: Found | None) -> Iterator[tuple[Want, Doubt]]:
        self._pins[name] = found
        self._unpinned.pop(name, None)
        if found is None:
            # What it requires may not go with what comes after it.
            self._doubt = Doubt.PIN
        else:
            yield from self._add(self._prospects.required_by(found))

    def _add(self, requirements: Iterable[Requirement]) -> Iterator[tuple[Want, Doubt]]:
        for requirement in requirements:
            name = requirement.name
            if name[0] == "<":
                continue
            self._added.setdefault(name, []).append(requirement)
            if name not in self._pins:
                self._unpinned[name] = None
                self._order.pop(name, None)
            elif not _suits(requirement, self._pins[name]):
                raise Conflict(f"{requirement} does not go with what is pinned")
            prospect = self._prospects.prospect(name, self._required(name))
            if not isinstance(prospect, Prospect):
                if prospect is None:
                    self._doubt = self._doubt or Doubt.PAGE
                continue
            prospect.look()
            for want in prospect.wants:
                yield want, self._doubt
            if not prospect.is_certain:
                # There may be no such project, or none of its files may suit.
                self._doubt = self._doubt or Doubt.PAGE

    def _required(self, name: str) -> list[Requirement]:
        """Return the requirements of a name, and those of the project without extras."""
        project = name.partition("[")[0]
        names = (name,) if project == name else (name, project)
        return [each for one in names for each in self._named(one)]

    def _named(self, name: str) -> Iterator[Requirement]:
        criterion = self._criteria.get(name)
        if criterion is not None:
            yield from criterion.iter_requirement()
        yield from self._added.get(name, ())

    def _preference(self, name: str) -> Any:
        """Return upstream's own order, worked out once for what is required."""
        if name in self._order:
            return self._order[name]
        required: Sequence[Requirement] = list(self._named(name))
        key = name, *map(id, required)
        if key not in self._preferences:
            provider = self._resolving.provider
            assert provider is not None, "somebody resolves"
            information: Any = {name: [(each, None) for each in required]}
            preference = provider.get_preference(name, {}, {}, information, ())
            # The requirements are kept, so that their identities stay theirs.
            self._preferences[key] = preference, required
        self._order[name] = self._preferences[key][0]
        return self._order[name]


def _suits(requirement: Requirement, pin: Any) -> bool:
    candidate, ireq = requirement.get_candidate_lookup()
    if pin is None:
        return True
    if candidate is not None:
        return bool(candidate.version == pin.version)
    if ireq is None or ireq.req is None:
        return False
    return ireq.req.specifier.contains(pin.version, prereleases=True)
