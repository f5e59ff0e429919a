"""What pip would install for one requirement, and what it would pass over.

A :class:`LookupResult` is made once, by :mod:`.lookup`, and then only read.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pip._internal.variants.index.links import label_of
from pip._internal.variants.selection.release import Release

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.exceptions import PipError
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.neighbors import ComparedBuild
    from pip._internal.variants.selection.run import Run

__all__ = ["Cause", "File", "LookupResult", "Offer", "SkippedVersion"]


class Cause(enum.Enum):
    """Why a version is not what is installed."""

    #: It does not satisfy the requirement, or a constraint.
    REQUIREMENT = "requirement"
    PRE_RELEASE = "pre-release"
    YANKED = "yanked"
    #: None of its files is for this version of Python.
    REQUIRES_PYTHON = "requires-python"
    #: None of its wheels is for this platform and interpreter.
    PLATFORM = "platform"
    #: ``--only-binary`` or ``--no-binary`` leave none of its files.
    FORMAT = "format"
    #: It was uploaded too late for ``--uploaded-prior-to``.
    UPLOAD_TIME = "upload-time"
    #: No file has a hash that is allowed.
    HASHES = "hashes"
    #: It has variant wheels alone, and variants are off.
    VARIANTS_OFF = "variants-off"
    #: It lacks the label that was chosen for its project.
    LABEL = "label"
    #: Its files are variants that the target cannot run, or that cannot be judged.
    VARIANTS = "variants"
    #: Its files are special builds, which only a pin of exactly that version takes.
    SPECIAL_BUILD = "special-build"
    #: Files of an older version come first, as with ``--prefer-binary``.
    ORDER = "order"


@dataclass(frozen=True, slots=True)
class File:
    """A file that an index or a folder lists.

    :ivar size: in bytes, if that is known without asking for the file.
    """

    link: Link
    size: int | None


@dataclass(frozen=True, slots=True)
class Offer:
    """A version that the resolver may come to.

    :ivar links: its files that suit platform, Python and options.
    :ivar release: if variants are, or may be, among these files.
    """

    version: Version
    links: Sequence[Link]
    release: Release | None = None

    def __post_init__(self) -> None:
        assert self.links, "without a file a version is not offered"

    def fetch_ranked(self) -> Sequence[Link]:
        """Return the files that may be installed, best first; chosen on first use.

        :raises UnsupportedVariant: if a label chosen by hand does not suit the target.
        """
        return self.links if self.release is None else self.release.fetch_ranked()

    @property
    def has_variants(self) -> bool:
        """Whether one of the files is a variant wheel."""
        return any(label_of(link) is not None for link in self.links)


@dataclass(frozen=True, slots=True)
class SkippedVersion:
    """A version that is not installed, although it is newer than what is.

    :ivar detail: what more there is to say of the cause, for people; may be empty.
    :ivar offer: if the resolver came to it.
    """

    version: Version
    cause: Cause
    detail: str = ""
    offer: Offer | None = None


@dataclass(frozen=True, slots=True)
class LookupResult:
    """What would be installed for a requirement, on its own.

    :ivar requirement: as the user wrote it.
    :ivar offers: the versions that may be installed, in the resolver's order.
    :ivar chosen: the one that it stops at, perhaps with an error; None if none.
    :ivar skipped_versions: newer versions; all of them if none is chosen. Newest first.
    :ivar files: all files of the project, whatever they are for.
    :ivar problem: the error that ends an installation, if one does.
    :ivar installed: what is installed of the project.
    :ivar stays: whether that satisfies the requirement, so that nothing is installed.
    :ivar bound_by: what is installed, and is why another variant comes first.
    :ivar run: by which it was made.
    :ivar finder: which found the files.
    """

    requirement: str
    project: NormalizedName
    offers: Sequence[Offer]
    chosen: Offer | None
    skipped_versions: Sequence[SkippedVersion]
    files: Sequence[File]
    problem: PipError | None
    installed: BaseDistribution | None
    stays: bool
    bound_by: Sequence[ComparedBuild]
    run: Run
    finder: PackageFinder

    @property
    def link(self) -> Link | None:
        """Return the file that would be installed if nothing of the project were."""
        if self.chosen is None or self.problem is not None:
            return None
        ranked, release = self.chosen.fetch_ranked(), self.chosen.release
        if release is not None:
            ranked = release.with_kept_first(ranked, self.run.request.dists.keys())
        return ranked[0]
