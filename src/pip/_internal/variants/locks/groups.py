"""Dependency groups of a lock file that stand for builds (PEP 751).

What only some builds need has a marker in the file such as ``'variant-torch-cu128' in
dependency_groups``; the group is on where that build is installed. The names of the
groups follow from the builds in the file, so that whoever reads it finds the same ones.
Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.locks.conditions import ALWAYS, Build, Condition

__all__ = ["group_names", "marker_text"]


def group_names(builds: Iterable[Build]) -> dict[Build, str]:
    """Name the group of each build; no two have the same one.

    :param builds: all builds in the file.
    :return: names in normalised form.
    """
    names: dict[Build, str] = {}
    taken: set[str] = set()
    for build in sorted(set(builds), key=lambda each: (each.project, each.label or "")):
        # A name may not end with what a label of punctuation alone becomes.
        text = f"variant-{build.project}-{build.label or 'plain'}"
        stem = canonicalize_name(text).strip("-")
        name, number = stem, 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        names[build] = name
    return names


def marker_text(condition: Condition, names: Mapping[Build, str]) -> str | None:
    """Write a condition as a marker; None if it always holds."""
    if condition == ALWAYS:
        return None
    alternatives = sorted(
        sorted(names[build] for build in terms) for terms in condition
    )
    return " or ".join(
        _joined(terms, bracketed=len(condition) > 1) for terms in alternatives
    )


def _joined(terms: list[str], *, bracketed: bool) -> str:
    text = " and ".join(f"'{name}' in dependency_groups" for name in terms)
    return f"({text})" if bracketed and len(terms) > 1 else text
