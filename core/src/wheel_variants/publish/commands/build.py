"""``wheel-variants build``: a variant wheel from an ordinary one."""

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
from wheel_variants.publish.building import Build, build_wheel
from wheel_variants.publish.documents import CURRENT, SCHEMA_VERSIONS, WITHOUT_PROVIDERS
from wheel_variants.publish.errors import UsageError
from wheel_variants.publish.known_providers import KNOWN_PROVIDERS
from wheel_variants.publish.output import write, write_report
from wheel_variants.publish.pyproject_table import project_table

__all__ = ["HELP", "add_arguments", "run"]

HELP = "Build a variant wheel from an ordinary wheel, which is not changed."

logger = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add = parser.add_argument
    add_list = partial(add, action="append", default=[])
    add("wheel", metavar="WHEEL", help="The wheel to build from.")
    add(
        "--label",
        type=_label,
        help="Label the variant; the last part of its file name.",
    )
    add(
        "--null",
        action="store_true",
        help="Build the null variant, which has no properties and runs everywhere.",
    )
    add(
        "--from-label",
        action="store_true",
        help="Take a variant wheel: replace its label with that of --label, or without "
        "--label, turn it back into an ordinary wheel.",
    )
    add(
        "--drop-local",
        action="store_true",
        help="Drop the local version: from torch 2.8.0+cu128, build a variant of torch "
        "2.8.0.",
    )
    add_list(
        "--property",
        dest="properties",
        type=_property,
        help="Require a property, such as 'nvidia :: cuda_version_lower_bound :: 12.8'; "
        "may be repeated. Of several values of a feature, one is enough. Default: the "
        "properties of the label in pyproject.toml.",
    )
    add_list(
        "--namespace",
        dest="namespaces",
        type=_namespace,
        help="List a namespace that variants of this release use, the most important "
        "first; may be repeated. Default: the list in pyproject.toml, or that of the "
        "variants of the release in the output folder.",
    )
    add_list(
        "--provider",
        dest="providers",
        type=_of_namespace("NAMESPACE=REQUIREMENT"),
        metavar="NAMESPACE=REQUIREMENT",
        help="Name the package that detects what machines support of a namespace, or "
        "abi_dependency, which is built into installers; may be repeated. Well-known "
        "namespaces need none.",
    )
    add_list(
        "--plugin-api",
        dest="plugin_apis",
        type=_of_namespace("NAMESPACE=MODULE:OBJECT"),
        metavar="NAMESPACE=MODULE:OBJECT",
        help="Name the plugin in the package of --provider, if it is not the module of "
        "the package's name; may be repeated.",
    )
    add_pyproject(parser)
    add(
        "--schema",
        choices=(CURRENT.version, WITHOUT_PROVIDERS.version),
        default=CURRENT.version,
        help=f"Write this version of the format; {WITHOUT_PROVIDERS.version} omits "
        "providers (default: %(default)s).",
    )
    add(
        "-d",
        "--output-dir",
        default=os.curdir,
        metavar="DIR",
        help="Write the wheel to a folder (default: the current one).",
    )
    add("--strict", action="store_true", help="Treat warnings as errors.")
    add("--json", action="store_true", help="Write a report in JSON.")


def add_pyproject(parser: argparse.ArgumentParser) -> None:
    """Add the option that names a ``pyproject.toml``."""
    parser.add_argument(
        "--pyproject",
        metavar="FILE",
        help="Read the table [variant] of this pyproject.toml (default: the one in the "
        "current folder, if it exists).",
    )


def run(options: argparse.Namespace) -> int:
    """Build one wheel, and write its path."""
    built = Build(
        options.wheel,
        _chosen_label(options),
        options.from_label,
        frozenset(options.properties),
        tuple(dict.fromkeys(options.namespaces)),
        _providers(options),
        project_table(options.pyproject),
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


def _label(value: str) -> str:
    if not is_valid_label(value):
        raise argparse.ArgumentTypeError(
            "a label has only lowercase letters, digits, '_' and '.', as in 'cu128': "
            f"invalid label {value!r}"
        )
    return value


def _property(value: str) -> Property:
    try:
        return Property.parse(value)
    except InvalidProperty as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _namespace(value: str) -> str:
    if not is_valid_namespace(value):
        raise argparse.ArgumentTypeError(
            "a namespace has only lowercase letters, digits and '_', as in 'nvidia': "
            f"invalid namespace {value!r}"
        )
    return value


def _of_namespace(form: str) -> Callable[[str], tuple[str, str]]:
    """Return a parser of values that begin with a namespace.

    :param form: of the value, for messages.
    """

    def parse(value: str) -> tuple[str, str]:
        namespace, _, rest = value.partition("=")
        if not rest or not is_valid_namespace(namespace):
            raise argparse.ArgumentTypeError(f"expected {form}, not {value!r}")
        return namespace, rest.strip()

    return parse


def _chosen_label(options: argparse.Namespace) -> str | None:
    if options.null:
        if options.label is not None or options.properties:
            raise UsageError("--null excludes --label and --property")
        return NULL_LABEL
    label: str | None = options.label
    if label is None and not options.from_label:
        raise UsageError("Add --label LABEL, --null or --from-label")
    if label is None and options.properties:
        raise UsageError("An ordinary wheel has no properties: add --label LABEL")
    return label


def _providers(options: argparse.Namespace) -> dict[str, Mapping[str, Any]]:
    providers: dict[str, dict[str, Any]] = {}
    for namespace, requirement in options.providers:
        known = _known(namespace, requirement)
        others = providers.get(namespace)
        if known is None:
            provider = providers.setdefault(namespace, {"requires": []})
            provider.setdefault("requires", []).append(requirement)
        elif others is not None:
            raise UsageError(f"{requirement} must be the only provider of {namespace}")
        else:
            providers[namespace] = known
    for namespace, api in options.plugin_apis:
        if "requires" not in providers.get(namespace, ()):
            raise UsageError(f"Add --provider {namespace}=REQUIREMENT")
        providers[namespace]["plugin-api"] = api
    return {**providers}


def _known(namespace: str, requirement: str) -> dict[str, Any] | None:
    """Return the declaration of a provider that installers include; else None."""
    name = requirement.replace("-", "_").lower()
    if name in (namespace, ABI_DEPENDENCY):
        known = KNOWN_PROVIDERS.get(name)
        return None if known is None else dict(known.declaration)
    return None
