"""Report what costs a variant: a warning, or an error if the user is strict.

Each run of pip that installs loads this module; the words are loaded when there is
something to report.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from logging import WARNING
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.variants.selection.settings import ALL

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.variants.errors import DroppedVariants
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Decision, Release

__all__ = ["Reporter"]

logger = get_logger(__name__)


class Reporter:
    """The reporter of one run: the only place that warns of dropped variants, or raises.

    :ivar strict: whether a dropped variant is an error.
    """

    def __init__(self, *, strict: bool, required: Container[str] = ()) -> None:
        """Make one.

        :param required: the packages that must use an accelerator, normalized, or ``:all:``.
        """
        self.strict = strict
        self._required = required
        self._said: set[str] = set()

    def say_once(self, level: int, message: str, *, about: str | None = None) -> None:
        """Log a message unless this run has logged it, or anything *about* the same."""
        key = about or message
        if key not in self._said:
            self._said.add(key)
            logger.log(level, "%s", message)

    def accelerator(self, project: str, message: str) -> None:
        """Warn of an accelerator that a package does not use as well as it might.

        :param project: normalized.
        :raises AcceleratorRequired: if the package must use one.
        """
        if project in self._required or ALL in self._required:
            from pip._internal.console.texts import Hint
            from pip._internal.variants.errors import AcceleratorRequired

            if isinstance(message, Hint):
                raise AcceleratorRequired(project, message.said, message.command)
            raise AcceleratorRequired(project, message)
        self.say_once(WARNING, message)

    def report(self, problems: Iterable[DroppedVariants | str]) -> None:
        """Warn of problems; if the user is strict, a dropped variant is an error.

        :raises VariantLost: if the user is strict.
        """
        for problem in problems:
            if isinstance(problem, str):
                self.say_once(WARNING, problem)
            elif self.strict:
                from pip._internal.variants.errors import VariantLost

                raise VariantLost(problem)
            elif problem.warning is not None:
                self.say_once(WARNING, problem.warning, about=problem.about)

    def decided(self, release: Release, decision: Decision) -> None:
        """Report what a decision costs, and raise its error.

        :raises VariantLost: if a variant is dropped and the user is strict.
        :raises UnsupportedVariant: if the target cannot run the label that was chosen.
        """
        from pip._internal.variants.output import reasons

        if decision.is_judged:
            self.report(reasons.problems_of(release))
        if decision.error is not None:
            raise decision.error
        if decision.unsupported is not None:
            label, selections = (
                decision.unsupported,
                [*release.fetch_selections().values()],
            )
            what = f"The variant {label} of {release}"
            raise reasons.unsupported(what, label, selections)

    def problems(self, release: Release) -> None:
        """Report which variants of a release cannot be judged.

        :raises VariantLost: if there is one and the user is strict.
        """
        from pip._internal.variants.output.reasons import problems_of

        self.report(problems_of(release))

    def discarded(self, release: Release, label: str, reason: str) -> None:
        """Report that pip discards a wheel of a variant.

        :raises VariantLost: if the user is strict.
        """
        from pip._internal.variants.output.reasons import dropped_for_wheel

        self.report([dropped_for_wheel(release, release.project, label, reason)])

    def refuse_unsupported(self, link: Link, label: str, selection: Selection) -> None:
        """Refuse a wheel that was named, or was downloaded, if the target cannot run it.

        :raises UnsupportedVariant: then.
        """
        if label not in selection.ranking.compatible:
            from pip._internal.variants.output.reasons import unsupported_wheel

            raise unsupported_wheel(link, label, selection)

    def comparing(self, release: Release, labels: Sequence[str], missing: str) -> None:
        """Log that variants are downloaded to read what they say of themselves.

        :param missing: why nothing else describes them.
        """
        logger.info(
            "Downloading the variants %s of %s to compare them, because hashes "
            "are required and %s. To download one: --variant %s=LABEL",
            *(", ".join(labels), release, missing, release.project),
        )
