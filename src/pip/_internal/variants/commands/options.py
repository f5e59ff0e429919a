"""The options of ``pip variants setup``."""

from __future__ import annotations

from functools import partial

from pip._internal.variants.selection.settings import OptionRow, kind

__all__ = ["GLOBAL", "OPTIONS", "REMOVE", "SITE", "URL", "USER", "YES"]

_of_setup = partial(OptionRow, where=("setup",), repeated="same")

OPTIONS = (
    REMOVE := _of_setup(
        "--remove",
        dest="remove",
        help="Remove these indexes from the configuration file, and nothing else.",
    ),
    URL := _of_setup(
        "--url",
        check=kind("index_url", "selection.scoped_indexes"),
        metavar="URL",
        help="Take the projects of the publisher from this mirror of its index.",
    ),
    YES := _of_setup(
        "-y",
        "--yes",
        dest="yes",
        help="Write without asking.",
    ),
    USER := _of_setup(
        "--user",
        dest="user_file",
        help="Use the user configuration file.",
    ),
    GLOBAL := _of_setup(
        "--global",
        dest="global_file",
        help="Use the system-wide configuration file.",
    ),
    SITE := _of_setup(
        "--site",
        dest="site_file",
        help="Use the configuration file of the current environment (the default in a "
        "virtual environment, unless another file names variant indexes already).",
    ),
)
