"""Other implementations of PEP 825: uv, and variantlib, the library of the PEPs' authors."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from variantlib.models.variant import VariantDescription, VariantProperty
from variantlib.resolver.lib import sort_and_filter_supported_variants

from tests.lib.environments import scrubbed_environ

__all__ = ["nothing_installed", "run_uv", "sort_with_variantlib", "target_label"]

#: variantlib lists all installed distributions at each call.
nothing_installed = mock.patch(
    "importlib.metadata.distributions", new=mock.Mock(return_value=())
)


def sort_with_variantlib(
    variants: Mapping[str, Any],
    supported: Iterable[tuple[str, str, str]],
    priorities: Mapping[str, Any],
) -> list[str]:
    """Return the labels of the supported variants, best first.

    :param supported: namespaces, features and values, best first.
    :raises ValidationError: if variantlib refuses the variants.
    """
    found = sort_and_filter_supported_variants(
        [
            VariantDescription.from_dict(copy.deepcopy(properties), label=label)
            for label, properties in variants.items()
        ],
        [VariantProperty(*each) for each in supported],
        namespace_priorities=list(priorities["namespace"]),
        feature_priorities=priorities.get("feature"),
        property_priorities=priorities.get("property"),
    )
    return [each.label for each in found]


def run_uv(folder: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Install packages with uv into *folder*/target."""
    command = [
        *(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-cache"),
        *("--no-config", "--preview-features", "wheel-variants", "--no-deps"),
        *("--python", sys.executable, "--target", str(folder / "target"), *arguments),
    ]
    environ = {**scrubbed_environ(folder), "PATH": os.environ["PATH"]}
    return subprocess.run(
        command, env=environ, capture_output=True, text=True, check=False
    )


def target_label(target: Path, name: str) -> str | None:
    """Return the label of an installed package, or None if the package has no label."""
    for path in target.glob(f"{name}-*.dist-info/variant.json"):
        (label,) = json.loads(path.read_text(encoding="utf-8"))["variants"]
        return str(label)
    return None
