"""What names a computation backend, and which one comes first."""

from __future__ import annotations

import pytest

from pip._internal.variants.pytorch.backends import (
    Backend,
    InvalidBackend,
    is_special_build,
    newest_first,
    parse_choice,
)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        *((" XPU ", "xpu"), ("cu92", "cu92"), ("cu118", "cu118"), ("cu1210", "cu1210")),
        *(("CUDA12.8", "cu128"), ("cuda128", "cu128"), ("cu12.10", "cu1210")),
        *(("rocm6.4.0", "rocm6.4"), ("ROCm6.2.4", "rocm6.2.4"), ("cpu", "cpu")),
        ("rocm7.14", "rocm7.14"),
    ],
)
def test_what_names_a_backend(text: str, label: str) -> None:
    assert Backend.parse(text).label == label
    assert Backend.parse(label) == Backend.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "gpu", "cuda", "cu", "cu1", "cu12", "cu12.", "cu12.8.1", "cu12345"),
        *("rocm", "rocm6", "rocm6.", "rocm6.4.1.2", "cpu\n1", "cu١٢٨", "cu9.10"),
        *("cpu.cxx11.abi", "git1234567", "pt28cu128"),
    ],
)
def test_what_names_none(text: str) -> None:
    with pytest.raises(InvalidBackend, match="expected cpu, xpu, cuNNN"):
        Backend.parse(text)
    assert Backend.find(text) is None


def test_lists() -> None:
    choice = parse_choice(" cu128, CPU ,cuda12.8")
    assert str(choice) == "cu128,cpu"
    assert choice.named == choice.items
    assert not parse_choice(" Auto ")
    assert str(parse_choice(" Auto ")) == "auto"


def test_groups() -> None:
    choice = parse_choice("GPU, cu128 ,cuda,gpu")
    assert str(choice) == "gpu,cu128,cuda"
    assert [each.label for each in choice.named] == ["cu128"]
    kinds = {"cuda": "cu130", "rocm": "rocm6.4", "gpu": "cu130 rocm6.4 xpu"}
    for group, expected in kinds.items():
        members = [
            label
            for label in ("cu130", "rocm6.4", "xpu", "cpu")
            if Backend.parse(label) in parse_choice(group)
        ]
        assert members == expected.split()


@pytest.mark.parametrize(
    "text",
    [
        *("", " , ", "cpu,", "auto,cpu", "cpu auto", "cpu;xpu"),
        *("gpu,auto", "nvidia", "cuda12"),
    ],
)
def test_what_is_no_list(text: str) -> None:
    with pytest.raises(InvalidBackend, match=r"expected cpu, xpu.* got "):
        parse_choice(text)


def test_order() -> None:
    """By number, not by text; and kinds that cannot be compared have an order too."""
    mixed = [
        "cpu",
        "cu92",
        "cu118",
        "rocm6.2",
        "cu130",
        "xpu",
        "rocm6.2.4",
        "rocm7.14",
        "cu128",
        "rocm7.2",
    ]
    ordered = newest_first(map(Backend.parse, mixed))
    assert " ".join(map(str, ordered)) == (
        "cu130 cu128 cu118 cu92 rocm7.14 rocm7.2 rocm6.2.4 rocm6.2 xpu cpu"
    )


@pytest.mark.parametrize(
    ("local", "special"),
    [
        *((each, True) for each in ("cpu.cxx11.abi", "cu118.with.pypi.cudnn")),
        ("rocm7.1.1.lw.git351", True),
        *((each, False) for each in ("rocm6.4", "cu128", "git0d4682f0")),
        ("cu12torch2.8cxx11abitrue", False),
    ],
)
def test_special_builds(local: str, special: bool) -> None:
    assert is_special_build(local) is special
