"""Fuzz the selection of a variant, for nearly valid manifests and generated machines."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from pip._vendor.wheel_variants.manifest import InvalidManifest

from pip._internal.variants.commands.explain import manifest_lines
from pip._internal.variants.output import hosts, reasons
from tools.differential.own import select_for
from tools.fuzz.shapes import DOCUMENTS, MACHINES
from tools.fuzz.target import check_text, printable, structured
from tools.fuzz.targets.manifests import check_supports

__all__ = ["TARGETS"]


def _check(
    document: Any, machine: dict[str, dict[str, list[str]]], enabled: list[str]
) -> None:
    variants = document.get("variants") if isinstance(document, dict) else None
    labels = [*(variants if isinstance(variants, dict) else ()), "null", "unheard_of"]
    listed = {name: list(features.items()) for name, features in machine.items()}
    environment = {"platform_system": "Linux", "os_name": "posix"}
    try:
        selection = select_for(document, labels, listed, enabled, environment)
    except InvalidManifest as error:
        printable(str(error))
        return
    supported = selection.supported
    for namespace, answer in selection.answers.items():
        for line in hosts.provider_lines(namespace, answer):
            check_text(line)
    for label in selection.labels:
        for each in selection.properties(label):
            printable(str(each))
    for label in selection.ranking.compatible:
        check_supports(supported, label, document["variants"].get(label, {}))
    for told in manifest_lines(selection, None):
        check_text(told.text)
    for label in (*selection.ranking.rejected, *selection.ranking.unknown):
        check_text(reasons.rejection(selection, label))


_ENABLED = st.lists(st.sampled_from(("nvidia", "a", "b")), max_size=2)
TARGETS = (structured("release", _check, DOCUMENTS, MACHINES, _ENABLED),)
