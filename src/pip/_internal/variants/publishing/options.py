"""The options of ``pip variants build``, ``index`` and ``check``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.generations import CURRENT, WITHOUT_PROVIDERS
from pip._vendor.wheel_variants.labels import is_valid_label
from pip._vendor.wheel_variants.properties import (
    InvalidProperty,
    Property,
    is_valid_namespace,
)

from pip._internal.variants.choice.settings import OptionRow, kind
from pip._internal.variants.errors import InvalidOption

__all__ = ["OPTIONS", "PLUGIN_API"]


def _label(opt: str, value: str) -> str:
    if not is_valid_label(value):
        raise InvalidOption(
            f"option {opt}: invalid label {value!r}: a label has lower-case letters, "
            "digits, '_' and '.' only, as in 'cu128'"
        )
    return value


def _property(opt: str, value: str) -> Property:
    try:
        return Property.parse(value)
    except InvalidProperty as error:
        raise InvalidOption(f"option {opt}: {error}") from None


def _of_namespace(form: str) -> Callable[[str, str], tuple[str, str]]:
    """Return the check of a value that begins with a namespace.

    :param form: how the value is written, for messages.
    """

    def check(opt: str, value: str) -> tuple[str, str]:
        namespace, equals, rest = value.partition("=")
        if not equals or not rest or not is_valid_namespace(namespace):
            raise InvalidOption(
                f"option {opt}: invalid value {value!r}, expected {form}"
            )
        return namespace, rest.strip()

    return check


def _twin(opt: str, value: str) -> tuple[str, str]:
    names = value.split("=")
    try:
        old, new = (canonicalize_name(name, validate=True) for name in names)
    except ValueError:
        raise InvalidOption(
            f"option {opt}: invalid value {value!r}, expected NAME=PROJECT, as in "
            "'onnxruntime-gpu=onnxruntime'"
        ) from None
    return old, new


_REQUIREMENT = "NAMESPACE=REQUIREMENT"
_API = "NAMESPACE=MODULE:OBJECT"

_of_build = partial(OptionRow, where=("build",))
_of_adopt = partial(OptionRow, where=("adopt",), repeated="same")

OPTIONS = (
    _of_build(
        "--label",
        dest="label",
        check=_label,
        metavar="LABEL",
        help="The label of the variant, the last part of its file name.",
    ),
    _of_build(
        "--null",
        dest="null",
        help="Build the null variant, which has no properties and runs everywhere.",
    ),
    _of_build(
        "--from-label",
        dest="from_label",
        help="Take a variant wheel: give it the label of --label instead of its own, or "
        "without that, turn it back into an ordinary wheel.",
    ),
    _of_build(
        "--drop-local",
        dest="drop_local",
        help="Build it for the version without its local part: of torch 2.8.0+cu128 a "
        "variant of torch 2.8.0.",
    ),
    _of_build(
        "--property",
        dest="properties",
        action="append",
        check=_property,
        metavar="PROPERTY",
        help="What the variant needs, as in 'nvidia :: cuda_version_lower_bound :: 12.8'. "
        "This option can be used multiple times: of several values of a feature, one is "
        "enough. "
        "Without it, pyproject.toml says what the label stands for.",
    ),
    _of_build(
        "--namespace",
        dest="namespaces",
        action="append",
        check=kind("namespace"),
        metavar="NAMESPACE",
        help="A namespace that the variants of this release use, the most important first. "
        "This option can be used multiple times. Without it, pyproject.toml says so, or "
        "the variants of the release that are there already.",
    ),
    _of_build(
        "--provider",
        dest="providers",
        action="append",
        check=_of_namespace(_REQUIREMENT),
        metavar=_REQUIREMENT,
        help="The package that knows what machines support of this namespace, or "
        "abi_dependency, which is built into installers. This option can be used multiple "
        "times. Those of namespaces that pip serves itself are known.",
    ),
    PLUGIN_API := OptionRow(
        "--plugin-api",
        dest="plugin_apis",
        where=("build", "host"),
        repeated="same",
        action="append",
        check=_of_namespace(_API),
        metavar=_API,
        help="Where the plugin is in its package, that of --provider or --plugin, if it is "
        "not the module of the package's name. This option can be used multiple times.",
    ),
    OptionRow(
        "--pyproject",
        dest="pyproject",
        where=("build", "adopt"),
        repeated="same",
        type="path",
        metavar="file",
        help="The pyproject.toml whose table [variant] describes the variants of the "
        "project (default: the one of the current folder, if there is one).",
    ),
    _of_build(
        "--schema",
        dest="schema",
        type="choice",
        choices=[CURRENT.version, WITHOUT_PROVIDERS.version],
        default=CURRENT.version,
        metavar="VERSION",
        help=f"The version of the format: {CURRENT.version}, or {WITHOUT_PROVIDERS.version}, "
        "which leaves providers out (default: %default).",
    ),
    OptionRow(
        "-d",
        "--output-dir",
        dest="output_dir",
        where=("build", "adopt"),
        type="path",
        metavar="dir",
        help="The folder that wheels are written to (default: the current one). adopt needs "
        "another one than that of the wheels, and without this option shows its plan.",
    ),
    _of_adopt(
        "--cpu-as-null",
        dest="cpu_as_null",
        help="Let builds with the local version +cpu be the null variant, which installers "
        "take on each machine that no other one suits.",
    ),
    _of_adopt(
        "--twin",
        dest="twins",
        action="append",
        check=_twin,
        metavar="NAME=PROJECT",
        help="Let the wheels of NAME be variants of PROJECT, as onnxruntime-gpu=onnxruntime. "
        "This option can be used multiple times.",
    ),
    OptionRow(
        "--strict",
        dest="strict",
        where=("build", "check"),
        help="Take warnings for errors.",
    ),
    OptionRow(
        "--simple",
        dest="simple",
        where=("index",),
        help="Write the pages of an index too, which any web server can serve.",
    ),
    OptionRow(
        "-o",
        "--output",
        dest="output",
        where=("index",),
        type="path",
        metavar="dir",
        help="The folder that manifests and pages are written to, with links to the wheels "
        "(default: the folder of the wheels).",
    ),
)
