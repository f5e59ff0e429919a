"""What commands show of an installed variant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from pip._vendor.wheel_variants.manifest_parser import parse_document
from pip._vendor.wheel_variants.properties import Property

from pip._internal.variants.hooks.commands import freeze, variant_lines
from pip._internal.variants.selection.installed_records import InstalledBuild
from tests.lib.manifests import make_manifest

V2, V3 = (Property("x86_64", "level", value) for value in ("v2", "v3"))


@pytest.mark.parametrize(
    ("supported", "expected"),
    [
        ((V3, V2), ["Variant-properties:", f"  {V3}", f"  {V2}"]),
        (
            (V2,),
            [
                "Variant-properties:",
                f"  {V2}",
                "Variant-properties that were not supported when it was installed:",
                f"  {V3}",
            ],
        ),
    ],
)
def test_variant_lines(supported: tuple[Property, ...], expected: list[str]) -> None:
    manifest = parse_document(make_manifest({"x": [str(V2), str(V3)]}))
    build = InstalledBuild("x", supported, manifest, ("x",))
    assert list(variant_lines(build, verbose=False)) == ["Variant: x"]
    assert list(variant_lines(build, verbose=True)) == ["Variant: x", *expected]


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("# torch variant: cu126", False),
        ("# Torch_2.x variant: null", False),
        ("# torch variant: cu128\ntorch==2.8.0", True),
        ("# torch variant: cu126 or newer", True),
        ("# the torch variant: cu126", True),
        ("## torch variant: cu126", True),
        ("# torch variant: CUDA", True),
        ("torch==2.8.0", True),
        ("", True),
    ],
)
def test_comments_that_freeze_replaces(line: str, stays: bool) -> None:
    def upstream(lines: Sequence[str]) -> Iterator[str]:
        yield from lines

    assert list(freeze(upstream, [line])) == ([line] if stays else [])
