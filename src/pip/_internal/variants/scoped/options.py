"""The option for scoped indexes."""

from __future__ import annotations

from pip._internal.variants.settings import OptionRow, lazy_check

VARIANT_INDEX = OptionRow(
    "--variant-index",
    dest="variant_indexes",
    where=("install", "host"),
    action="append",
    check=lazy_check("scoped_index", "selection.scoped_indexes"),
    metavar="PROJECT[,PROJECT...]=URL",
    help="Install these projects only from this index, and nothing else from it. All "
    "other projects, including dependencies, come from the default indexes. This "
    "option can be used multiple times, for different projects.",
)

OPTIONS = (VARIANT_INDEX,)
