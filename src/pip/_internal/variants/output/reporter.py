"""Report dropped variants: as warnings, or as errors in strict mode.

Every run of pip that installs loads this module; it imports the text of messages only when
needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from logging import WARNING
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.variants.settings import ALL

if TYPE_CHECKING:
    from pip._internal.variants.errors import DroppedVariants
    from pip._internal.variants.selection.release import Decision, Release
    from pip._internal.variants.settings import Settings

logger = get_logger(__name__)


class Reporter:
    """The reporter of one run; only this class warns of dropped variants.

    :ivar strict: whether a dropped variant is an error.
    """

    def __init__(self, settings: Settings, *, is_listing: bool) -> None:
        """Create a reporter.

        :param is_listing: whether the run only leaves out what it cannot install.
        """
        self.strict = settings.strict_variants
        self._required = settings.required_accelerators
        self._is_listing = is_listing
        self._said: set[str] = set()

    def log_once(self, level: int, message: str, about: str | None = None) -> None:
        """Log a message once per run, or once per subject *about*."""
        key = about or message
        if key not in self._said:
            self._said.add(key)
            logger.log(level, "%s", message)

    def warn(self, message: str | None) -> None:
        """Log a warning once, unless *message* is None."""
        if message is not None:
            self.log_once(WARNING, message)

    def accelerator(self, project: str, message: str) -> None:
        """Warn of an accelerator that a package does not use fully.

        :param project: the normalized name.
        :raises AcceleratorRequired: if the package must use an accelerator.
        """
        if project in self._required or ALL in self._required:
            from pip._internal.console.texts import Hint
            from pip._internal.variants.errors import AcceleratorRequired

            if isinstance(message, Hint):
                raise AcceleratorRequired(project, message.sentence, message.command)
            raise AcceleratorRequired(project, message)
        self.warn(message)

    def report(self, problems: Iterable[DroppedVariants | str]) -> None:
        """Warn of problems, but raise an error for dropped variants in strict mode.

        :raises VariantLost: if pip would drop a variant, in strict mode.
        """
        for problem in problems:
            if isinstance(problem, str):
                self.warn(problem)
            elif self.strict:
                from pip._internal.variants.errors import VariantLost

                raise VariantLost(problem)
            elif problem.warning is not None:
                self.log_once(WARNING, problem.warning, problem.about)

    def decided(self, release: Release, decision: Decision) -> None:
        """Report the dropped variants of a decision, and raise the error of the decision.

        :raises VariantLost: if pip would drop a variant, in strict mode.
        :raises UnsupportedVariant: if the target cannot run the variant with the user's label.
        """
        from pip._internal.variants.output import reasons

        if release.decided:
            self.report(reasons.problems_of(release))
        if decision.unsupported is not None and not self._is_listing:
            what = f"The variant '{decision.unsupported}' of {release}"
            selections = [*release.fetch_selections().values()]
            raise reasons.unsupported(what, decision.unsupported, selections)

    def discarded(self, release: Release, label: str, reason: str) -> None:
        """Report that pip discards a variant wheel.

        :raises VariantLost: in strict mode.
        """
        from pip._internal.variants.output.reasons import dropped_for_wheel

        self.report([dropped_for_wheel(release, label, reason)])
