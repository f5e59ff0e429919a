"""What goes wrong with indexes for certain projects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pip._internal.console.texts import Hint
from pip._internal.models.wheel import Wheel
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.utils.urls import path_to_url
from pip._internal.variants.errors import VariantError
from pip._internal.variants.output.invocation import again
from pip._internal.variants.scoped.options import VARIANT_INDEX
from pip._internal.variants.selection.option_values import OptionSource

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.index.pages import PageUnavailable
    from pip._internal.variants.selection.run import Run
    from pip._internal.variants.selection.scoped_indexes import ScopedIndex
    from pip._internal.variants.selection.settings import Settings

__all__ = ["DependencyByURL", "VariantIndexUnavailable", "instead"]


class VariantIndexUnavailable(VariantError):
    """The index of a project fails, or does not have it."""

    reference = "variant-index-unavailable"

    def __init__(
        self,
        project: NormalizedName,
        index: ScopedIndex,
        error: PageUnavailable,
        run: Run,
        usual: Sequence[str],
    ) -> None:
        """Say what to type instead.

        :param usual: the indexes for all other projects.
        """
        url = redact_auth_from_url(index.url)
        given = VARIANT_INDEX.name
        if index.place is not OptionSource.LINE:
            given = f"{given[2:]} in the configuration, or {VARIANT_INDEX.variable},"
        ways_out = [("Where another index has the same:", "URL")]
        base, _, last = url.rpartition("/")
        if error.is_missing and last == project:
            ways_out = [(f"An index is named without the page of {project}:", base)]
        if usual:
            lacks = "If that does not have it, take" if error.is_missing else "To take"
            first = usual[0] if "://" in usual[0] else path_to_url(usual[0])
            place = redact_auth_from_url(first).rstrip("/")
            ways_out.append((f"{lacks} it from the usual index:", place))
        super().__init__(
            f"Cannot look up {project} on {url}, which {given} names for it.",
            [f"{str(error).rstrip('.')}."],
            [
                f"{error.hint}." if error.hint else "",
                *(
                    Hint(
                        said,
                        again(
                            run.settings.options, *instead(run.settings, project, place)
                        ),
                    )
                    for said, place in ways_out
                ),
            ],
            [
                (
                    "What might be on it is not taken from another index unasked: anybody "
                    "may have put it there."
                )
            ],
        )


def instead(settings: Settings, project: NormalizedName, url: str) -> list[str]:
    """Return the options that name another index for a project, and those that stay."""
    words: list[str] = []
    for row, _, index in settings.typed:
        if row is VARIANT_INDEX:
            left = tuple(name for name in index.projects if name != project)
            if left:
                words += [VARIANT_INDEX.name, str(index._replace(projects=left))]
    return [*words, VARIANT_INDEX.name, f"{project}={url}"]


class DependencyByURL(VariantError):
    """Something other than the user names a URL that only the user may name."""

    reference = "dependency-by-url"

    def __init__(
        self,
        link: Link,
        project: NormalizedName | None,
        needed_by: InstallRequirement | None,
        index: ScopedIndex | None,
        supplier: ScopedIndex | None,
        *,
        is_built: bool,
    ) -> None:
        """Make the error.

        :param needed_by: what names the URL, if that is known.
        :param index: of *project*, if it has one.
        :param supplier: the index that *needed_by* comes from, if it has one.
        :param is_built: whether a build environment would get it.
        """
        url = redact_auth_from_url(link.url)
        what = "A build requirement" if needed_by is None else _described(needed_by)
        why = []
        if supplier is not None:
            whose = redact_auth_from_url(supplier.url)
            why.append(
                f"{what} comes from {whose}, which {VARIANT_INDEX.name} names for certain "
                "projects. It must not supply any other."
            )
        if index is not None:
            why.append(
                f"pip takes {project} only from {redact_auth_from_url(index.url)} "
                f"({VARIANT_INDEX.name}), or from a URL that you type for it."
            )
        if is_built:
            name = (needed_by and needed_by.name) or "NAME"
            hint = (
                f"To build nothing, use --only-binary {name}. To build with the packages "
                "that are installed, use --no-build-isolation."
            )
        else:
            hint = (
                f"To accept this URL, type it: '{project or 'NAME'} @ {url}'. To do without "
                "it, constrain the version of what names it, or use --no-deps."
            )
        needs = "needs" if is_built else "depends on"
        super().__init__(
            f"{what} {needs} {project or 'a package'} at {url}.", why, hint
        )


def _described(requirement: InstallRequirement) -> str:
    """Return the name of a package, with its version if that is known."""
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    name, version = f"{requirement.name}{extras}", ""
    if requirement.satisfied_by is not None:
        version = str(requirement.satisfied_by.version)
    elif requirement.link is not None and requirement.link.is_wheel:
        version = Wheel(requirement.link.filename).version
    return f"{name} {version}".rstrip()
