"""What goes wrong with indexes for certain projects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pip._internal.console.texts import Hint
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.utils.urls import path_to_url
from pip._internal.variants.choice.invocation import again
from pip._internal.variants.choice.option_values import Place
from pip._internal.variants.errors import VariantError
from pip._internal.variants.scoped.options import VARIANT_INDEX

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.scoped_indexes import ScopedIndex
    from pip._internal.variants.choice.settings import Settings
    from pip._internal.variants.wheels.pages import PageUnavailable

__all__ = ["DependencyByURL", "VariantIndexUnavailable", "instead"]


class VariantIndexUnavailable(VariantError):
    """The index of a project fails, or does not have it."""

    reference = "variant-index-unavailable"

    def __init__(
        self,
        project: NormalizedName,
        index: ScopedIndex,
        error: PageUnavailable,
        context: Context,
        usual: Sequence[str],
    ) -> None:
        """Say what to type instead.

        :param usual: the indexes for all other projects.
        """
        url = redact_auth_from_url(index.url)
        given = VARIANT_INDEX.name
        if index.place is not Place.LINE:
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
                            context.options, *instead(context.settings, project, place)
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
    """A package says where another one is to come from, which is not for it to say."""

    reference = "dependency-by-url"

    def __init__(
        self,
        what: str,
        dependency: str,
        url: str,
        supplier: ScopedIndex | None,
        index: ScopedIndex | None,
        *,
        is_built: bool,
    ) -> None:
        """Say who may supply what.

        :param what: the package and its version.
        :param supplier: the index that *what* comes from, if it is for certain projects.
        :param index: the one that the dependency comes from, likewise.
        :param is_built: whether that is needed to build *what*, and not to run it.
        """
        why = []
        if supplier is not None:
            whose = redact_auth_from_url(supplier.url)
            why.append(
                f"{what} comes from {whose}, which is for certain projects alone and "
                "supplies no other in this way."
            )
        if index is not None:
            why.append(
                f"{dependency} comes from {redact_auth_from_url(index.url)} alone."
            )
        name = what.partition(" ")[0]
        without = "--no-deps installs it without what it depends on."
        if is_built:
            without = (
                f"--only-binary {name} takes wheels alone, which are built already; with "
                "--no-build-isolation it is built with what is installed."
            )
        super().__init__(
            f"{what} depends on {dependency} at {redact_auth_from_url(url)}.",
            why,
            f"Another version of {name} may not do so: constrain it. {without}",
        )
