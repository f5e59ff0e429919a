"""The options of ``pip variants setup``, and one of ``host``."""

from __future__ import annotations

from functools import partial

from pip._vendor.wheel_variants.properties import is_valid_namespace

from pip._internal.variants.choice.settings import OptionRow
from pip._internal.variants.errors import InvalidOption

__all__ = ["GLOBAL", "OPTIONS", "REMOVE", "SITE", "USER", "YES"]

_API = "NAMESPACE=MODULE:OBJECT"


def _plugin_api(opt: str, value: str) -> tuple[str, str]:
    namespace, _, rest = value.partition("=")
    if not rest or not is_valid_namespace(namespace):
        raise InvalidOption(f"option {opt}: invalid value {value!r}, expected {_API}")
    return namespace, rest.strip()


_of_setup = partial(OptionRow, where=("setup",), repeated="same")

OPTIONS = (
    OptionRow(
        "--plugin-api",
        dest="plugin_apis",
        where=("host",),
        repeated="same",
        action="append",
        check=_plugin_api,
        metavar=_API,
        help="Name the plugin in the package of --plugin, if it is not the module of the "
        "package's name. This option can be used multiple times.",
    ),
    REMOVE := _of_setup(
        "--remove",
        dest="remove",
        help="Remove these indexes from the configuration file, and nothing else.",
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
