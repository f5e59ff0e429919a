"""The option that names an index for certain projects.

What its values mean is imported when there are any.
"""

from __future__ import annotations

from pip._internal.variants.selection.settings import OptionRow, kind

__all__ = ["OPTIONS", "VARIANT_INDEX"]

VARIANT_INDEX = OptionRow(
    "--variant-index",
    dest="variant_indexes",
    where=("install", "host"),
    action="append",
    check=kind("scoped_index", "selection.scoped_indexes"),
    metavar="PROJECT[,PROJECT...]=URL",
    help="Take these projects from this index and from nowhere else, and nothing else from "
    "it. All other projects, dependencies among them, come from the usual indexes. This "
    "option can be used multiple times, for different projects.",
)

OPTIONS = (VARIANT_INDEX,)
