"""Random projects are what they are made up for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.lib.random_releases import (
    FALLBACK,
    MAX_ASKED,
    Package,
    Project,
    random_project,
)

PROJECTS = [random_project(seed) for seed in range(150)]


def with_variants(project: Project) -> Iterator[Package]:
    return (each for each in project.packages if each.manifest is not None)


def needs(project: Project) -> set[str]:
    return {
        need
        for package in project.packages
        for requires in package.needs.values()
        for need in requires
    }


def test_the_same_seed_gives_the_same_project() -> None:
    assert random_project(7) == random_project(7)
    assert len(set(map(str, PROJECTS))) == len(PROJECTS)


def test_size() -> None:
    for project in PROJECTS:
        assert 2 <= len(list(with_variants(project))) <= 4
        plain = [each for each in project.packages if each.manifest is None]
        assert 4 <= len(plain) <= 8
        assert len(project.hosts) == 8


def test_each_machine_has_something() -> None:
    for project in PROJECTS:
        for package in with_variants(project):
            assert {"null", None} & package.needs.keys()
            assert 1 <= len(package.needs.keys() - {"null", None}) <= 4


def test_few_properties_in_markers() -> None:
    counts = set()
    for project in PROJECTS:
        for package in with_variants(project):
            text = str(list(package.needs.values())).replace(" ", "")
            counts.add(len(set(re.findall(r'"(\w+::\w+::\w+)"', text))))
    assert {0, 1, 2, 3} <= counts <= set(range(MAX_ASKED + 1))


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


def test_machines() -> None:
    for project in PROJECTS:
        supported = [host["supported"] for host in project.hosts.values()]
        assert supported[0] == {}
        assert all(each["feature"] and each["values"] for each in supported[1]["acme"])
        assert supported.count({}) < 4
