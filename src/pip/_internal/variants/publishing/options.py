"""The options of ``pip variants build``, ``index`` and ``check``."""

from __future__ import annotations

import optparse
from collections.abc import Callable
from functools import partial

from pip._vendor.packaging._variants import is_valid_label

from pip._internal.cli.cmdoptions import PipOption
from pip._internal.variants.choice.options import VariantOption
from pip._internal.variants.core.generations import CURRENT, WITHOUT_PROVIDERS
from pip._internal.variants.core.properties import (
    InvalidProperty,
    Property,
    is_valid_namespace,
)
from pip._internal.variants.errors import InvalidOption

__all__ = [
    "from_label",
    "label",
    "namespace",
    "null",
    "output",
    "output_dir",
    "plugin_api",
    "provider",
    "pyproject",
    "schema",
    "simple",
    "stated_property",
    "strict",
]


def _check_label(option: optparse.Option, opt: str, value: str) -> str:
    if not is_valid_label(value):
        raise InvalidOption(
            f"option {opt}: invalid label {value!r}: a label has lower-case letters, "
            "digits, '_' and '.' only, as in 'cu128'"
        )
    return value


def _check_property(option: optparse.Option, opt: str, value: str) -> Property:
    try:
        return Property.parse(value)
    except InvalidProperty as error:
        raise InvalidOption(f"option {opt}: {error}") from None


def _check_of_namespace(
    option: optparse.Option, opt: str, value: str
) -> tuple[str, str]:
    namespace, equals, rest = value.partition("=")
    if not equals or not rest or not is_valid_namespace(namespace):
        raise InvalidOption(
            f"option {opt}: invalid value {value!r}, expected {option.metavar}"
        )
    return namespace, rest.strip()


class PublishingOption(VariantOption):
    """An option with a value of one of the kinds that publishers state."""

    TYPES = (*VariantOption.TYPES, "label", "property", "of_namespace")
    TYPE_CHECKER = VariantOption.TYPE_CHECKER.copy()
    TYPE_CHECKER["label"] = _check_label
    TYPE_CHECKER["property"] = _check_property
    TYPE_CHECKER["of_namespace"] = _check_of_namespace


label: Callable[..., optparse.Option] = partial(
    PublishingOption,
    "--label",
    dest="label",
    type="label",
    metavar="LABEL",
    help="The label of the variant, the last part of its file name.",
)

null: Callable[..., optparse.Option] = partial(
    PipOption,
    "--null",
    dest="null",
    action="store_true",
    default=False,
    help="Build the null variant, which has no properties and runs everywhere.",
)

from_label: Callable[..., optparse.Option] = partial(
    PipOption,
    "--from-label",
    dest="from_label",
    action="store_true",
    default=False,
    help="Take a variant wheel: give it the label of --label instead of its own, or "
    "without that, turn it back into an ordinary wheel.",
)

stated_property: Callable[..., optparse.Option] = partial(
    PublishingOption,
    "--property",
    dest="properties",
    action="append",
    type="property",
    metavar="PROPERTY",
    help="What the variant needs, as in 'nvidia :: cuda_version_lower_bound :: 12.8'. "
    "This option can be used multiple times: of several values of a feature, one is "
    "enough. "
    "Without it, pyproject.toml says what the label stands for.",
)

namespace: Callable[..., optparse.Option] = partial(
    PublishingOption,
    "--namespace",
    dest="namespaces",
    action="append",
    type="namespace",
    metavar="NAMESPACE",
    help="A namespace that the variants of this release use, the most important first. "
    "This option can be used multiple times. Without it, pyproject.toml says so, or "
    "the variants of the release that are there already.",
)

provider: Callable[..., optparse.Option] = partial(
    PublishingOption,
    "--provider",
    dest="providers",
    action="append",
    type="of_namespace",
    metavar="NAMESPACE=REQUIREMENT",
    help="The package that knows what machines support of this namespace. This option "
    "can be used multiple times. Those of namespaces that pip serves itself are known.",
)

plugin_api: Callable[..., optparse.Option] = partial(
    PublishingOption,
    "--plugin-api",
    dest="plugin_apis",
    action="append",
    type="of_namespace",
    metavar="NAMESPACE=MODULE:OBJECT",
    help="Where the plugin is in the package of --provider, if it is not the module of "
    "the package's name. This option can be used multiple times.",
)

pyproject: Callable[..., optparse.Option] = partial(
    PipOption,
    "--pyproject",
    dest="pyproject",
    type="path",
    metavar="file",
    help="The pyproject.toml whose table [variant] describes the variants of the "
    "project (default: the one of the current folder, if there is one).",
)

schema: Callable[..., optparse.Option] = partial(
    PipOption,
    "--schema",
    dest="schema",
    type="choice",
    choices=[CURRENT.version, WITHOUT_PROVIDERS.version],
    default=CURRENT.version,
    metavar="VERSION",
    help=f"The version of the format: {CURRENT.version}, or {WITHOUT_PROVIDERS.version}, "
    "which leaves providers out (default: %default).",
)

output_dir: Callable[..., optparse.Option] = partial(
    PipOption,
    "-d",
    "--output-dir",
    dest="output_dir",
    type="path",
    metavar="dir",
    default=".",
    help="The folder that the wheel is written to (default: the current one).",
)

strict: Callable[..., optparse.Option] = partial(
    PipOption,
    "--strict",
    dest="strict",
    action="store_true",
    default=False,
    help="Take warnings for errors.",
)

simple: Callable[..., optparse.Option] = partial(
    PipOption,
    "--simple",
    dest="simple",
    action="store_true",
    default=False,
    help="Write the pages of an index too, which any web server can serve.",
)

output: Callable[..., optparse.Option] = partial(
    PipOption,
    "-o",
    "--output",
    dest="output",
    type="path",
    metavar="dir",
    help="The folder that manifests and pages are written to, with links to the wheels "
    "(default: the folder of the wheels).",
)
