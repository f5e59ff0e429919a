"""Labels in wheel file names, and the file names of manifests.

``core/conformance/filenames.json`` covers the validity of names.
"""

from __future__ import annotations

import pytest

from wheel_variants.labels import (
    InvalidManifestFilename,
    parse_manifest_filename,
    split_label,
)


@pytest.mark.parametrize(
    "filename", ["foo-1.0.tar.gz", "foo-1.0-py3-none-any-CU128.whl"]
)
def test_a_name_without_label_is_unchanged(filename: str) -> None:
    assert split_label(filename) == (filename, None)


def test_an_error_quotes_the_file_name() -> None:
    with pytest.raises(InvalidManifestFilename, match="'foo-bar-1"):
        parse_manifest_filename("foo-bar-1.0-variants.json")
