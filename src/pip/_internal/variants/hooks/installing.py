"""Record the selected variant when pip installs it.

Upstream allows no import once installation begins: pip loads this module when it stores a
selection, and the functions import nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.texts import with_label
from pip._internal.fast import switches
from pip._internal.fast.install_root import final_path
from pip._internal.variants.selection.installed import SELECTION_FILE, SELECTIONS
from pip._internal.variants.settings import Settings

# The labels of the variants that this run has installed, by their metadata folder.
_LABELS: dict[str, str] = {}


def recorded_selection(
    fn: Callable[[str, str], list[str]], wheel_path: str, info_dir: str
) -> list[str]:
    """Record the selection of the wheel that pip installs, if there was a selection.

    :return: the paths of the written files.
    """
    chosen = SELECTIONS.get(wheel_path)
    if chosen is None:
        return fn(wheel_path, info_dir)
    content: dict[str, object] = {
        "label": chosen.label,
        "supported": [str(each) for each in chosen.supported],
        "labels": chosen.labels,
        "by-hand": chosen.user_chosen,
        "manifest": chosen.manifest.document,
    }
    path = os.path.join(info_dir, SELECTION_FILE)
    with open(path, "wb") as file:
        # Not indented: only the compact form is written by C code, which is faster.
        file.write(json.dumps(content).encode("utf-8"))
    if chosen.label is not None:
        _LABELS[os.path.realpath(final_path(info_dir))] = chosen.label
    return [path]


def installed_summary(fn: Callable[[Any, Any], str], installed: Any, env: Any) -> str:
    """Add labels to the summary of installed packages, and omit packages that stayed."""
    options = switches._options
    folder = "" if options is None else Settings(options).kept_target
    if os.path.isdir(folder):
        # Upstream keeps the files and folders that are already in the target.
        present, dists = set(os.listdir(folder)), env.iter_all_distributions()
        kept = {each.canonical_name for each in dists if present & _names(each)}
        installed = [e for e in installed if canonicalize_name(e.name) not in kept]
    return fn(installed, _LabeledEnvironment(env) if _LABELS else env)


def _names(dist: Any) -> set[str]:
    """Return the top-level names of the files of a package, except bytecode."""
    paths = dist.iter_declared_entries() or ()
    return {path.partition(os.sep)[0] for path in paths} - {"__pycache__"}


class _LabeledEnvironment:
    """An environment that adds labels to the versions of variants."""

    def __init__(self, env: Any) -> None:
        self._env = env

    def iter_all_distributions(self) -> Iterator[SimpleNamespace]:
        for dist in self._env.iter_all_distributions():
            folder = os.path.realpath(dist.info_location or "")
            yield SimpleNamespace(
                canonical_name=dist.canonical_name,
                version=with_label(str(dist.version), _LABELS.get(folder)),
            )
