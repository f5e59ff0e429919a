"""Packaging itself parses the file names of variant wheels."""

from __future__ import annotations

import pytest

from pip._vendor.packaging.utils import InvalidWheelFilename, parse_wheel_filename

from core.tests.test_labels import LABELLED, UNLABELLED


@pytest.mark.parametrize(("filename", "plain"), [row[:2] for row in LABELLED])
def test_a_label_changes_nothing_else(filename: str, plain: str) -> None:
    assert parse_wheel_filename(filename) == parse_wheel_filename(plain)


@pytest.mark.parametrize("filename", [name for name in UNLABELLED if "any-" in name])
def test_invalid_labels_stay_invalid(filename: str) -> None:
    with pytest.raises(InvalidWheelFilename):
        parse_wheel_filename(filename)
