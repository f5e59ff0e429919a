"""``pip variants build``: a variant wheel from an ordinary one."""

from __future__ import annotations

import optparse
import os
from typing import Any

from pip._vendor.wheel_variants.generations import GENERATIONS
from pip._vendor.wheel_variants.known_providers import KNOWN_PROVIDERS
from pip._vendor.wheel_variants.labels import NULL_LABEL
from pip._vendor.wheel_variants.manifest import ABI_DEPENDENCY

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import SUCCESS
from pip._internal.console.output import get_logger, write
from pip._internal.variants.commands.progress import byte_progress
from pip._internal.variants.commands.reports import write_report
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.publishing.building import BuildRequest, build_wheel
from pip._internal.variants.publishing.pyproject_table import project_table

logger = get_logger(__name__)


def run(command: SessionCommandMixin, options: optparse.Values, args: list[str]) -> int:
    """Build one wheel, and say where it is."""
    if len(args) != 1:
        raise WrongUse(f"Need one WHEEL to build from, got {len(args)}")
    built = build_wheel(
        BuildRequest(
            args[0],
            _label(options),
            options.from_label,
            frozenset(options.properties or ()),
            tuple(dict.fromkeys(options.namespaces or ())),
            _providers(options),
            project_table(options.pyproject),
            GENERATIONS[options.schema],
            options.output_dir or os.curdir,
            options.strict,
            options.drop_local,
        ),
        byte_progress(options.progress_bar),
    )
    for warning in built.warnings:
        logger.warning("%s.", warning)
    if options.json:
        report = {
            "wheel": built.path,
            "label": built.label,
            "sha256": built.sha256,
            "variant-json": built.document,
            "warnings": list(built.warnings),
        }
        write_report(report)
    else:
        write([f"Built {built.path}"])
    return SUCCESS


def _label(options: optparse.Values) -> str | None:
    if options.null:
        if options.label is not None or options.properties:
            raise WrongUse("--null stands alone, without --label and --property")
        return NULL_LABEL
    if options.label is None and not options.from_label:
        raise WrongUse("Need --label LABEL, --null or --from-label")
    if options.label is None and options.properties:
        raise WrongUse("An ordinary wheel has no properties: need --label LABEL")
    label: str | None = options.label
    return label


def _known(namespace: str, requirement: str) -> dict[str, Any] | None:
    """Return the declaration of a provider that pip brings along; None if it does not."""
    name = requirement.replace("-", "_").lower()
    if name in (namespace, ABI_DEPENDENCY):
        known = KNOWN_PROVIDERS.get(name)
        return None if known is None else dict(known.declaration)
    return None


def _providers(options: optparse.Values) -> dict[str, dict[str, Any]]:
    providers: dict[str, dict[str, Any]] = {}
    for namespace, requirement in options.providers or ():
        known = _known(namespace, requirement)
        others = providers.get(namespace)
        if known is None:
            provider = providers.setdefault(namespace, {"requires": []})
            provider.setdefault("requires", []).append(requirement)
        elif others is not None:
            raise WrongUse(f"{requirement} is the only provider of {namespace}")
        else:
            providers[namespace] = known
    for namespace, api in options.plugin_apis or ():
        if "requires" not in providers.get(namespace, ()):
            raise WrongUse(f"Need --provider {namespace}=REQUIREMENT too")
        providers[namespace]["plugin-api"] = api
    return providers
