"""Labels in wheel file names, and the file names of manifests."""

from __future__ import annotations

import pytest
from packaging.version import Version

from wheel_variants.labels import (
    InvalidManifestFilename,
    parse_manifest_filename,
    split_label,
)

LABELLED = [
    ("foo-1.0-py3-none-any-cu128.whl", "foo-1.0-py3-none-any.whl", "cu128"),
    ("foo-1.0-1-py3-none-any-cu128.whl", "foo-1.0-1-py3-none-any.whl", "cu128"),
    ("foo-1.0-1a-py3-none-any-12.8.whl", "foo-1.0-1a-py3-none-any.whl", "12.8"),
    ("foo-1.0-py3-none-any-1.whl", "foo-1.0-py3-none-any.whl", "1"),
    ("foo-1.0-py3-none-any-..whl", "foo-1.0-py3-none-any.whl", "."),
    ("foo-1.0-py3-none-any-00000000.whl", "foo-1.0-py3-none-any.whl", "00000000"),
    ("foo-1.0+cu1-cp311-abi3-linux_x86_64-a_b.whl",)
    + ("foo-1.0+cu1-cp311-abi3-linux_x86_64.whl", "a_b"),
]

UNLABELLED = [
    "foo-1.0-py3-none-any.whl",
    "foo-1.0-1-py3-none-any.whl",
    "foo-1.0.tar.gz",
    "foo-1.0-py3-none-any-cu128.zip",
    # A label has no upper case, hyphen or other script.
    "foo-1.0-py3-none-any-CU128.whl",
    "foo-1.0-1-py3-none-any-cu-128.whl",
    "foo-1.0-py3-none-any-cu128\n.whl",
    "foo-1.0-py3-none-any-cu१२.whl",
    "foo-1.0-py3-none-any-.whl",
    # Seven parts need a build number, and six with one have no label.
    "foo-1.0-a-py3-none-any-cu128.whl",
    "foo-1.0--py3-none-any-cu128.whl",
    "foo-1.0-1-py3-none-any.whl",
]


@pytest.mark.parametrize(("filename", "plain", "label"), LABELLED)
def test_split_label(filename: str, plain: str, label: str) -> None:
    assert split_label(filename) == (plain, label)


@pytest.mark.parametrize("filename", UNLABELLED)
def test_no_label(filename: str) -> None:
    assert split_label(filename) == (filename, None)


@pytest.mark.parametrize(
    ("filename", "project", "version"),
    [
        ("torch-2.8.0-variants.json", "torch", "2.8.0"),
        ("Foo.Bar-1.0-variants.json", "foo-bar", "1.0"),
        ("foo_bar-1!2.0+cu1-variants.json", "foo-bar", "1!2.0+cu1"),
        ("foo-1.0.post1-variants.json", "foo", "1.0.post1"),
        ("foo-1.0rc1-variants.json", "foo", "1.0rc1"),
    ],
)
def test_manifest_filename(filename: str, project: str, version: str) -> None:
    assert parse_manifest_filename(filename) == (project, Version(version))


@pytest.mark.parametrize(
    "filename",
    [
        "variants.json",
        "-variants.json",
        "foo-variants.json",
        "-1.0-variants.json",
        "foo-bar-1.0-variants.json",
        "foo-1.0-variants.json.gz",
        "foo-1.0-variants.json\n",
        "foo-latest-variants.json",
        "fóo-1.0-variants.json",
    ],
)
def test_invalid_manifest_filename(filename: str) -> None:
    with pytest.raises(InvalidManifestFilename) as error:
        parse_manifest_filename(filename)
    assert repr(filename) in str(error.value)
