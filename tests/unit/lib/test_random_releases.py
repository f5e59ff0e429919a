"""Random projects are what they are made up for."""

from __future__ import annotations

import re

from tests.lib.random_releases import FALLBACK, RandomProject, random_project

PROJECTS = [random_project(seed) for seed in range(150)]


def needs(project: RandomProject) -> set[str]:
    return {
        need
        for package in project.packages
        for requires in package.needs.values()
        for need in requires
    }


def test_kinds_of_markers() -> None:
    found = set().union(*map(needs, PROJECTS))
    for kind in ("properties", "features", "namespaces"):
        for operator in ("in", "not in"):
            assert any(f'" {operator} variant_{kind}' in need for need in found)
    for operator in ("==", "!="):
        assert any(f"variant_label {operator}" in need for need in found)
    for part in (" and ", " or ", ") and (", ") or (", 'extra == "fast" and "'):
        assert any(part in need for need in found), part
    assert any(re.search(r'<2; ".*" in variant_properties$', each) for each in found)
    assert any(each.startswith(("engine[fast]", "kernels[fast]")) for each in found)
    assert any(FALLBACK in needs(project) for project in PROJECTS)
