"""Which files of an index are of a release, and where they are from."""

from __future__ import annotations

from pathlib import Path

import pytest

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.models.link import Link
from pip._internal.variants.index.links import folder_url, source_of, version_of


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        ("torch-2.8.0-py3-none-any-cu128.whl", "2.8.0"),
        ("torch-2.8.0.tar.gz", "2.8.0"),
        ("Torch-2.8.zip", "2.8"),
        ("torchvision-2.8.0-py3-none-any.whl", None),
        ("torch-vision-2.8.0.tar.gz", None),
        ("torch-x.tar.gz", None),
        ("torch-2.8.0-py3.whl", None),
        ("torch.txt", None),
    ],
)
def test_version_of(filename: str, expected: str | None) -> None:
    link = Link(f"https://example.org/{filename}")
    found = version_of(link, canonicalize_name("torch"))
    assert (None if found is None else str(found)) == expected


def test_a_folder_has_one_name_however_it_is_written(tmp_path: Path) -> None:
    """What a manifest lies beside is told by it."""
    folder = tmp_path / "my wheels"
    folder.mkdir()
    page = folder / "links.html"
    page.touch()
    expected = source_of(Link((folder / "torch-2.8.0-variants.json").as_uri()))
    for location in (str(folder), folder.as_uri(), str(page), page.as_uri()):
        assert folder_url(location) == expected
    for elsewhere in ("https://example.org/links/", str(tmp_path / "missing")):
        assert folder_url(elsewhere) == elsewhere
