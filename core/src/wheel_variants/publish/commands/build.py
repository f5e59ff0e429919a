"""``wheel-variants build``: build a variant wheel from an ordinary wheel."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from wheel_variants.labels import NULL_LABEL, is_valid_label
from wheel_variants.manifest import ABI_DEPENDENCY
from wheel_variants.properties import InvalidProperty, Property, is_valid_namespace
from wheel_variants.publish.building import BuildRequest, build_wheel
from wheel_variants.publish.documents import CURRENT, SCHEMA_VERSIONS, WITHOUT_PROVIDERS
from wheel_variants.publish.errors import UsageError
from wheel_variants.publish.known_providers import DECLARATIONS
from wheel_variants.publish.output import write, write_report
from wheel_variants.publish.pyproject_table import read_project_table

__all__ = ["HELP", "add_arguments", "add_pyproject", "namespace", "run"]

HELP = "Build a variant wheel from an ordinary wheel. The original is not changed."

logger = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add = parser.add_argument
    add_list = partial(add, action="append", default=[])
    add("wheel", metavar="WHEEL", help="The wheel to build from.")
    add(
        "--label",
        type=_label,
        help="Set the label of the variant, which is the last part of its file name.",
    )
    add(
        "--null",
        action="store_true",
        help="Build the null variant, which has no properties and runs on any machine.",
    )
    add(
        "--from-label",
        action="store_true",
        help="Accept a variant wheel as input. Replace its label with --label; without "
        "--label, convert the variant back to an ordinary wheel.",
    )
    add(
        "--drop-local",
        action="store_true",
        help="Remove the local version: build a variant of torch 2.8.0 from torch "
        "2.8.0+cu128.",
    )
    add_list(
        "--property",
        dest="properties",
        type=_property,
        help="Require a property, such as 'nvidia :: cuda_version_lower_bound :: 12.8'. "
        "Can be used multiple times; if a feature has several values, a machine needs "
        "one of them (default: the properties of the label in pyproject.toml).",
    )
    add_list(
        "--namespace",
        dest="namespaces",
        type=namespace,
        help="Add a namespace to the ranking of this release, most important first. Can "
        "be used multiple times (default: the list in pyproject.toml, or the list of the "
        "release's variants in the output folder).",
    )
    add_list(
        "--provider",
        dest="providers",
        type=_of_namespace("NAMESPACE=REQUIREMENT"),
        metavar="NAMESPACE=REQUIREMENT",
        help="Set the package that detects the supported properties of a namespace, or "
        "abi_dependency, which is built into installers. Can be used multiple times. "
        "Well-known namespaces do not need this option.",
    )
    add_list(
        "--plugin-api",
        dest="plugin_apis",
        type=_of_namespace("NAMESPACE=MODULE:OBJECT"),
        metavar="NAMESPACE=MODULE:OBJECT",
        help="Set the entry point of the plugin in the package of --provider. Can be used "
        "multiple times (default: the module with the name of the package).",
    )
    add_pyproject(parser)
    add(
        "--schema",
        choices=(CURRENT.version, WITHOUT_PROVIDERS.version),
        default=CURRENT.version,
        help="Write metadata in this schema version (default: %(default)s). "
        f"{WITHOUT_PROVIDERS.version} has no providers.",
    )
    add(
        "-d",
        "--output-dir",
        default=os.curdir,
        metavar="DIR",
        help="Write the wheel to this folder (default: the current folder).",
    )
    add("--strict", action="store_true", help="Treat warnings as errors.")
    add("--json", action="store_true", help="Print a report in JSON.")


def add_pyproject(parser: argparse.ArgumentParser) -> None:
    """Add the option that names a ``pyproject.toml``."""
    parser.add_argument(
        "--pyproject",
        metavar="FILE",
        help="Read the table [variant] of this pyproject.toml (default: pyproject.toml in "
        "the current folder, if that file exists).",
    )


def run(options: argparse.Namespace) -> int:
    """Build one wheel, and print its path."""
    built = BuildRequest(
        options.wheel,
        _chosen_label(options),
        options.from_label,
        frozenset(options.properties),
        tuple(dict.fromkeys(options.namespaces)),
        _providers(options),
        read_project_table(options.pyproject),
        SCHEMA_VERSIONS[options.schema],
        options.output_dir,
        options.strict,
        options.drop_local,
    )
    build_wheel(built)
    for warning in built.warnings:
        logger.warning("%s", warning)
    if options.json:
        report = {
            "wheel": built.path,
            "label": built.label,
            "sha256": built.sha256,
            "variant-json": built.document,
            "warnings": built.warnings,
        }
        write_report(report)
    else:
        write([f"Built {built.path}"])
    return 0


def _text(
    is_valid: Callable[[str], bool], what: str, form: str
) -> Callable[[str], str]:
    """Return a function that parses a text.

    :param what: the name of the text in messages.
    :param form: the allowed characters, for messages.
    """

    def parse(value: str) -> str:
        if is_valid(value):
            return value
        raise argparse.ArgumentTypeError(f"invalid {what} {value!r}: use only {form}")

    return parse


_label = _text(
    is_valid_label, "label", "lowercase letters, digits, '_' and '.', as in 'cu128'"
)
namespace = _text(
    is_valid_namespace, "namespace", "lowercase letters, digits and '_', as in 'nvidia'"
)


def _property(value: str) -> Property:
    try:
        return Property.parse(value)
    except InvalidProperty as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _of_namespace(form: str) -> Callable[[str], tuple[str, str]]:
    """Return a function that parses a value with a namespace at its start.

    :param form: the form of the value, for messages.
    """

    def parse(value: str) -> tuple[str, str]:
        first, _, rest = value.partition("=")
        if not rest or not is_valid_namespace(first):
            raise argparse.ArgumentTypeError(f"expected {form}, not {value!r}")
        return first, rest.strip()

    return parse


def _chosen_label(options: argparse.Namespace) -> str | None:
    if options.null:
        if options.label is not None or options.properties:
            raise UsageError("--null cannot be used with --label or --property")
        return NULL_LABEL
    label: str | None = options.label
    if label is None and not options.from_label:
        raise UsageError("Specify --label LABEL, --null or --from-label")
    if label is None and options.properties:
        raise UsageError(
            "--property needs --label: an ordinary wheel has no properties"
        )
    return label


def _providers(options: argparse.Namespace) -> dict[str, Mapping[str, Any]]:
    providers: dict[str, dict[str, Any]] = {}
    for each, requirement in options.providers:
        known = _known(each, requirement)
        if known is None:
            provider = providers.setdefault(each, {})
            provider.setdefault("requires", []).append(requirement)
        elif providers.setdefault(each, known) is not known:
            raise UsageError(
                f"'{requirement}' must be the only --provider for namespace '{each}'"
            )
    for each, api in options.plugin_apis:
        if "requires" not in providers.get(each, ()):
            raise UsageError(f"--plugin-api needs --provider {each}=REQUIREMENT")
        providers[each]["plugin-api"] = api
    return {**providers}


def _known(of: str, requirement: str) -> dict[str, Any] | None:
    """Return the declaration of a provider that installers include, or None."""
    name = requirement.replace("-", "_").lower()
    known = DECLARATIONS.get(name) if name in (of, ABI_DEPENDENCY) else None
    return None if known is None else dict(known)
