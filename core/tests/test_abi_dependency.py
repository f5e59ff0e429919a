"""Versions of other packages as properties (PEP 850, "ABI Dependency Provider")."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.lib.manifests import PluginSpec, make_manifest
from wheel_variants import abi_dependency
from wheel_variants.manifest import Manifest
from wheel_variants.manifest_parser import parse_manifest


class Installed(NamedTuple):
    """An environment in which only torch is installed."""

    version: str
    why_settled: str | None = None

    def installed(self, project: str) -> Version | None:
        return Version(self.version) if project == "torch" else None

    def fixed_reason(self, project: str) -> str | None:
        return self.why_settled if project == "torch" else None


ABI = {"abi": PluginSpec(builtin="abi_dependency")}


def manifest(**features: Sequence[str]) -> Manifest:
    """Return a manifest with one variant, ``x``, which has these features of ``abi``."""
    content = make_manifest({"x": {"abi": features}}, providers=ABI)
    return parse_manifest(json.dumps(content).encode())


def specifier(*values: str) -> str:
    (requirement,) = abi_dependency.requirements(manifest(torch=values), "x")
    return str(Requirement(requirement).specifier)


def specifier_between(ends: str, *excluded: str, minor: tuple[int, ...]) -> str:
    """Return a specifier that also excludes fifty releases, from *minor* on."""
    *parents, first = minor
    releases = [(*parents, first + more) for more in range(50)]
    names = [*excluded, *(".".join(map(str, release)) for release in releases)]
    return str(SpecifierSet(",".join([ends, *(f"!={name}.*" for name in names)])))


SPECIFIERS = {
    ("2.9.1",): "==2.9.1.*",
    ("2",): "==2.*",
    ("2.8", "2.9"): "<2.10,>=2.8",
    ("2.9", "2"): "==2.*",
    ("2.8", "2.10"): "!=2.9.*,<2.11,>=2.8",
    ("2.8", "2.9", "2.11"): "!=2.10.*,<2.12,>=2.8",
    # Nobody knows which releases there are between the two.
    ("1", "3"): "!=2.*,<4,>=1",
    ("4.50", "6.1"): specifier_between("<6.2,>=4.50", "5", "6.0", minor=(4, 51)),
    ("2.9.1", "2.10"): specifier_between("<2.11,>=2.9.1", minor=(2, 9, 2)),
    # They cannot be counted: the newer one counts.
    ("2019.1", "2099.1"): "==2099.1.*",
    # What is not a canonical release of up to three numbers says nothing.
    ("2.9", "02.8", "2.9rc1", "2.8.0.1", "2.8."): "==2.9.*",
}


@pytest.mark.parametrize("values", SPECIFIERS)
def test_requirements(values: tuple[str, ...]) -> None:
    assert specifier(*values) == SPECIFIERS[values]


def test_older_values_are_left_out_if_there_are_many() -> None:
    values = tuple(map(str, range(0, 200_000, 2)))
    assert len(specifier(*values)) < 10_000


def test_a_label_that_is_not_listed_requires_nothing() -> None:
    assert abi_dependency.requirements(manifest(torch=["2"]), "other") == []


def test_names_that_are_not_normalized_are_unusable() -> None:
    unusable = manifest(torch_="2", _x="2", a__b="2", torch_nntile=["1"])
    assert abi_dependency.requirements(unusable, "x") == ["torch-nntile==1.*"]
    features, _ = abi_dependency.supported(unusable, "abi", None)
    assert [each.name for each in features] == ["torch_nntile"]


_VALUES = st.lists(
    st.lists(st.integers(0, 12), min_size=1, max_size=3).map(
        lambda numbers: ".".join(map(str, numbers))
    ),
    min_size=1,
    max_size=4,
)


@given(_VALUES, st.lists(st.integers(0, 12), min_size=1, max_size=4))
def test_nothing_else_is_accepted(values: list[str], release: list[int]) -> None:
    """Each accepted version starts with one of the values, if padded with zeros."""
    version = Version(".".join(map(str, release)))
    if Requirement(f"torch{specifier(*values)}").specifier.contains(version):
        padded = [*release, 0, 0, 0]
        assert any(
            padded[: value.count(".") + 1] == list(map(int, value.split(".")))
            for value in values
        )


@given(_VALUES)
def test_the_newest_is_always_accepted(values: list[str]) -> None:
    newest = max(values, key=lambda value: (Version(value), -value.count(".")))
    assert Requirement(f"torch{specifier(*values)}").specifier.contains(newest)


def test_the_installed_version_is_preferred_then_the_newest() -> None:
    values = ["2.8", "2.10", "2", "2.9.1", "2.9"]
    several = manifest(torch=values)
    (newest,), _ = abi_dependency.supported(several, "abi", None)
    assert newest.values == ("2", "2.10", "2.9", "2.9.1", "2.8")
    (kept,), _ = abi_dependency.supported(several, "abi", Installed("2.9.1+cu128"))
    assert kept.values == ("2", "2.9", "2.9.1", "2.10", "2.8")


def test_only_the_installed_version_counts_where_nothing_else_can_come() -> None:
    several = manifest(torch=["2.8", "2.10", "2", "2.9.1", "2.9"])
    here = Installed("2.9.1+cu128", "so it is")
    (kept,), _ = abi_dependency.supported(several, "abi", here)
    assert kept.values == ("2", "2.9", "2.9.1")
    elsewhere = abi_dependency.supported(several, "abi", Installed("1.13", "so it is"))
    assert elsewhere == ((), "so it is")


def test_versions_are_told_as_people_write_them() -> None:
    told = abi_dependency.wanted(manifest(torch=["1.13", "2.9"], numpy=["2"]), "x")
    assert told == ["torch==2.9.* or 1.13.*", "numpy==2.*"]


def test_distance() -> None:
    several = manifest(numpy=["2"], torch=["1.13", "2.9"])

    def distance(**versions: str) -> list[list[int]]:
        others = {canonicalize_name(each): Version(v) for each, v in versions.items()}
        return abi_dependency.distance(several, "x", others)

    assert distance() == distance(scipy="1") == []
    assert distance(torch="2.10.1") == [[0, 1]]
    assert distance(torch="1.12", numpy="1.26") == [[1], [0, 1]]
    assert distance(torch="2") == [[0]] < distance(torch="3") == [[1]]


def test_what_means_nothing_is_told() -> None:
    def reason(project: str | None = None, **features: Sequence[str]) -> str | None:
        several = manifest(**features)
        return abi_dependency.supported(several, "abi", None, project)[1]

    told = (
        "property 'abi :: torch :: 02.8' needs a version of one to three numbers, each "
        "with up to nine digits and no leading zeros"
    )
    assert reason(torch=["2.8"]) is None
    assert reason(torch=["02.8"]) == told
    assert reason(torch=["02.8", "2.8"]) == told
    # All that it names otherwise is itself.
    assert reason("torch", torch=["02.8", "2.8"]) == reason("torch", torch=["2.8"])
