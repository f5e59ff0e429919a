"""The parts of a run that releases depend on.

Every run of pip that installs loads this module, so no class here is a dataclass, which
would take long to define.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version, _BaseVersion

    from pip._internal.models.link import Link
    from pip._internal.network.session import PipSession
    from pip._internal.variants.errors import DroppedVariants
    from pip._internal.variants.selection.overrides import Overrides, Request
    from pip._internal.variants.selection.ranking import Agreement
    from pip._internal.variants.selection.target import RunTarget
    from pip._internal.variants.settings import Settings

    #: A project, a version, and the URL of the page or folder that lists the version.
    ReleaseKey = tuple[NormalizedName, _BaseVersion, str]

    class ReporterProtocol(Protocol):
        """The interface of the reporter: see :class:`.output.reporter.Reporter`."""

        strict: bool

        def log_once(self, level: int, message: str) -> None:
            """Log a message, once."""

        def warn(self, message: str | None) -> None:
            """Log a warning once, unless *message* is None."""

        def accelerator(self, project: str, message: str) -> None:
            """Warn that a package leaves an accelerator unused."""

        def report(self, problems: Iterable[DroppedVariants | str]) -> None:
            """Warn of dropped variants, or raise an error."""

        def decided(self, release: Any, decision: Any) -> None:
            """Report the dropped variants of a decision."""

        def discarded(self, release: Any, label: str, reason: str) -> None:
            """Report a discarded wheel."""


class Catalog:
    """The files and manifests that one run has found.

    :ivar manifests: the links of manifests.
    :ivar skipped_manifests: the reasons for skipping listed manifests.
    :ivar listed: the files of a project, page by page, if some are variants or none is
        suitable.
    :ivar checked_paths: by project, a function that returns the path of a wheel whose hash
        pip checked; only for projects of a resolution that requires hashes.
    :ivar upstream_pips: stock pip releases that may not replace the fork unless requested.
    :ivar parallel_downloads: the maximum number of concurrent requests to a server.
    :ivar is_ahead: whether pip is currently choosing files to prefetch.
    """

    def __init__(self, session: PipSession, parallel_downloads: int) -> None:
        self.session = session
        self.parallel_downloads = parallel_downloads
        self.manifests: dict[ReleaseKey, Link] = {}
        self.skipped_manifests: dict[ReleaseKey, str] = {}
        self.listed: dict[NormalizedName, list[list[Link]]] = {}
        self.checked_paths: dict[NormalizedName, Callable[[Link], str]] = {}
        self.upstream_pips: set[Version] = set()
        self.is_ahead = False

    def wait_for_upstream(self) -> None:
        """Wait for the resolver's turn.

        :raises NotAnswered: if pip is choosing files to prefetch.
        """
        if self.is_ahead:
            from pip._internal.fast.session_requests import NotAnswered

            raise NotAnswered


class Attempt:
    """The inputs of one attempt at a solution.

    :ivar agreement: the property that all builds should have in common, if possible.
    :ivar replaceable: installed projects that pip may replace, so that pip does not avoid
        builds that conflict with them.
    :ivar may_fail: whether pip continues with another attempt if this one fails.
    """

    agreement: Agreement | None = None
    replaceable: frozenset[NormalizedName] = frozenset()
    may_fail = False


class Basis:
    """The parts of a run that releases depend on."""

    settings: Settings
    request: Request
    overrides: Overrides
    catalog: Catalog
    target: RunTarget
    reporter: ReporterProtocol
    attempt: Attempt
