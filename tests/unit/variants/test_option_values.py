"""What options take as a value, on the command line and in configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.preferences import Preference

from pip._internal.commands import create_command
from pip._internal.variants.option_values import LabelChoice, OptionSource

#: An option, its attribute, a value, and what that is.
GOOD: Sequence[tuple[str, str, str, object]] = [
    ("--variant", "variants", "cu128", [LabelChoice("cu128")]),
    (
        *("--variant", "variants", "Torch_X=cu128"),
        [LabelChoice("cu128", canonicalize_name("torch-x"))],
    ),
    ("--enable-variant-provider", "enabled_providers", "x86_64", ["x86_64"]),
    ("--trust-variant-provider", "trusted_providers", "A.b", ["a-b"]),
    ("--variant-provider", "provider_kinds", "npu=plugin", [("npu", "plugin")]),
    ("--variant-provider-timeout", "provider_timeout", "0.5", 0.5),
    ("--variant-provider-variable", "provider_variables", "NPU_2", ["NPU_2"]),
    ("--prefer-variant", "preferences", "a :: b", [Preference("a", "b")]),
]


def parse(*line: str) -> Any:
    options, _ = create_command("install", isolated=True).parse_args([*line])
    return options


@pytest.mark.parametrize(("option", "dest", "value", "expected"), GOOD, ids=str)
def test_good(option: str, dest: str, value: str, expected: object) -> None:
    assert getattr(parse(option, value), dest) == expected
    assert getattr(parse(f"{option}={value}"), dest) == expected


#: An option, a value, and what is said.
BAD: Sequence[tuple[str, str, str]] = [
    ("--variant", "CU128", "invalid label 'CU128'"),
    ("--variant", "a b=cu128", "invalid package name 'a b'"),
    ("--enable-variant-provider", "X", "invalid namespace 'X'"),
    ("--trust-variant-provider", "a>1", "invalid package name 'a>1'"),
    ("--variant-provider", "npu=uv", "NAMESPACE=plugin or NAMESPACE=buil"),
    ("--variant-provider", "N=plugin", "invalid namespace 'N'"),
    ("--variant-provider-timeout", "soon", "number of seconds 'soon'"),
    ("--variant-provider-timeout", "nan", "number of seconds 'nan'"),
    ("--variant-provider-timeout", "3601", "at most 3600"),
    ("--variant-provider-variable", "A=b", "invalid name of a variable 'A="),
    ("--variant-provider-variable", "GH_Token", "secrets, and the name 'GH"),
    ("--variant-provider-variable", "MONKEY", "contains one of TOKEN, KEY, SEC"),
    ("--prefer-variant", "A", "expected a preference such as"),
]


@pytest.mark.parametrize(("option", "value", "said"), BAD, ids=str)
def test_bad(
    capsys: pytest.CaptureFixture[str], option: str, value: str, said: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse(option, value)
    told = " ".join(capsys.readouterr().err.split())
    assert f"option {option}: " in told
    assert said in told


def test_configured_values(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """They are checked as those of the command line are."""
    for name, value in {
        "VARIANT": "cu128 torch=cpu",
        "VARIANT_PROVIDER": "npu=plugin",
    }.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    options, _ = create_command("install").parse_args([])
    assert options.variants == [
        LabelChoice("cu128", place=OptionSource.CONFIGURATION),
        LabelChoice("cpu", canonicalize_name("torch"), OptionSource.CONFIGURATION),
    ]
    assert options.provider_kinds == [("npu", "plugin")]
    monkeypatch.setenv("PIP_VARIANT", "CU128")
    with pytest.raises(SystemExit, match="3"):
        create_command("install").parse_args([])
    assert "option variant: invalid label 'CU128'" in caplog.text


FOR_ALL, FOR_JAX = LabelChoice("cu128"), LabelChoice("cu128", canonicalize_name("jax"))


@pytest.mark.parametrize(
    ("choice", "requirement", "expected"),
    [
        (FOR_ALL, "Jax[gpu]>2", FOR_JAX),
        (FOR_JAX, "torch", FOR_JAX),
        (FOR_ALL, "./torch.whl", FOR_ALL),
        (FOR_ALL, "jax; python_version > '3'", FOR_JAX),
        (FOR_ALL, "jax; python_version < '3'", None),
    ],
)
def test_a_choice_in_a_line_is_for_its_requirement(
    choice: LabelChoice, requirement: str, expected: LabelChoice | None
) -> None:
    assert choice.for_requirement(requirement) == expected
