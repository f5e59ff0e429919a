"""What the options of the bridge take as a value."""

from __future__ import annotations

import pytest

from pip._internal.commands import create_command
from pip._internal.variants.pytorch.backends import parse_choice


@pytest.mark.parametrize(
    ("option", "dest", "value", "expected"),
    [
        (
            "--pytorch-computation-backend",
            "pytorch_backends",
            "cu128,cpu",
            parse_choice("cu128,cpu"),
        ),
        ("--pytorch-channel", "pytorch_channel", " Test", "test"),
        ("--pytorch-index-url", "pytorch_index_url", "file:///x", "file:///x"),
    ],
    ids=str,
)
def test_good(option: str, dest: str, value: str, expected: object) -> None:
    command = create_command("install", isolated=True)
    for line in ([option, value], [f"{option}={value}"]):
        options, _ = command.parse_args(line)
        assert getattr(options, dest) == expected


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--pytorch-computation-backend", "cuda12", "expected cpu, xpu, cuNNN"),
        ("--pytorch-channel", "new", "expected one of stable, test, nightly"),
        ("--pytorch-index-url", "ftp://x", "invalid URL 'ftp://x'"),
    ],
    ids=str,
)
def test_bad(
    capsys: pytest.CaptureFixture[str], option: str, value: str, said: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        create_command("install", isolated=True).parse_args([option, value])
    told = " ".join(capsys.readouterr().err.split())
    assert f"option {option}: " in told
    assert said in told


def test_configured_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are checked as those of the command line are."""
    monkeypatch.setenv("PIP_PYTORCH_CHANNEL", "nightly")
    options, _ = create_command("install").parse_args([])
    assert options.pytorch_channel == "nightly"
