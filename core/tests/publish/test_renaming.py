"""New names and versions in core metadata; the rest stays unchanged."""

from __future__ import annotations

import pytest
from packaging.utils import canonicalize_name
from packaging.version import Version

from wheel_variants.publish.renaming import Releases, renamed

TORCH = canonicalize_name("torch")
RELEASES: Releases = {
    (TORCH, Version("2.8.0+cu128")): Version("2.8.0"),
    (canonicalize_name("my-lib"), Version("1.0+a.b")): Version("1.0"),
}


def test_a_release() -> None:
    before = (
        b"Metadata-Version: 2.1\r\nName: Torch\r\nVersion: 2.8.0+cu128\r\n"
        b"Summary: \xff\r\n\n\nVersion: 2.8.0+cu128\n"
    )
    assert renamed(before, TORCH, Version("2.8.0"), {}) == before.replace(
        b"\r\nVersion: 2.8.0+cu128\r", b"\r\nVersion: 2.8.0\r"
    )


def test_a_description_stays() -> None:
    head, body = b"Name: torch\r\nVersion: 1+a", b"\r\n\r\nVersion: 1+a\r\nName: x\r\n"
    found = renamed(head + body, TORCH, Version("1"), {})
    assert found == head.replace(b"1+a", b"1") + body


def test_another_name() -> None:
    assert (
        renamed(b"Name: torch-gpu\n\n", TORCH, Version("1"), {}) == b"Name: torch\n\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch==2.8.0+cu128", "torch==2.8.0"),
        (
            "torch ==  2.8.0+cu128 ; os_name == 'nt'",
            "torch ==  2.8.0 ; os_name == 'nt'",
        ),
        ("Torch[opt] (===2.8.0+cu128)", "Torch[opt] (===2.8.0)"),
        ("my_lib==1.0+A-B,>0.1", "my_lib==1.0,>0.1"),
        ("torch==2.8+cu128", "torch==2.8.0"),
        # Not that release, or no pin.
        *[
            (text, text)
            for text in (
                *("torch==2.8.0+cu129", "torch>=2.8.0", "torch!=2.8.0+cu128"),
                *("torchvision==2.8.0+cu128", "torch==2.8.*", "not a requirement, no"),
                "torch @ https://example.invalid/torch-2.8.0+cu128.whl",
            )
        ],
    ],
)
def test_requirements(before: str, after: str) -> None:
    found = renamed(
        f"Requires-Dist: {before}\n".encode(), TORCH, Version("1"), RELEASES
    )
    assert found.decode() == f"Requires-Dist: {after}\n"
