"""Fuzz the names of wheels and manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pip._vendor.packaging.utils import InvalidWheelFilename, parse_wheel_filename
from pip._vendor.wheel_variants.labels import (
    InvalidManifestFilename,
    is_valid_label,
    parse_manifest_filename,
    split_label,
)

from pip._internal.exceptions import InvalidWheelFilename as PipInvalidWheelFilename
from pip._internal.models.wheel import Wheel
from tools.fuzz.target import FuzzTarget

__all__ = ["TARGETS"]


def _seeds() -> Iterator[bytes]:
    yield b"foo-1.0-py3-none-any.whl"
    yield b"foo-1.0-py3-none-any-cu128.whl"
    yield b"foo_bar-1!1.0.post1+cu1-2x-cp312-cp312-manylinux_2_28_x86_64-a.b_c.whl"
    yield b"Foo.Bar-1.0.0+local-variants.json"


def _run(data: bytes) -> None:
    name = data.decode("utf-8", "surrogateescape")
    _wheel(name)
    try:
        project, version = parse_manifest_filename(name)
    except InvalidManifestFilename:
        return
    again = parse_manifest_filename(
        f"{project.replace('-', '_')}-{version}-variants.json"
    )
    assert again == (project, version)


def _wheel(name: str) -> None:
    plain, label = split_label(name)
    if label is None:
        assert plain == name
    else:
        assert is_valid_label(label)
        assert label.isascii()
        assert plain.endswith(".whl")
        assert name == f"{plain.removesuffix('.whl')}-{label}.whl"
        # The rest has no label, so that nothing removes two labels.
        assert split_label(plain) == (plain, None)
    parsed = _parsed(parse_wheel_filename, name)
    expected = _parsed(parse_wheel_filename.__wrapped__, plain)  # type: ignore[attr-defined]
    if label is not None and expected is ValueError:
        expected = InvalidWheelFilename
    assert parsed == expected
    try:
        Wheel(name)
    except PipInvalidWheelFilename:
        assert parsed is InvalidWheelFilename
    except ValueError:
        assert parsed is ValueError


def _parsed(parse: Callable[[str], object], name: str) -> object:
    try:
        return parse(name)
    except InvalidWheelFilename:
        return InvalidWheelFilename
    except ValueError:  # thousands of digits, as in upstream's plain wheels
        return ValueError


TARGETS = (FuzzTarget("file-names", _run, _seeds),)
