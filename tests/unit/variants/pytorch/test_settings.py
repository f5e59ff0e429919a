"""What options, configuration and light-the-torch's variable come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from pip._internal.commands import create_command
from pip._internal.exceptions import CommandError
from pip._internal.variants.pytorch import in_use
from pip._internal.variants.pytorch.options import LTT_VARIABLE
from pip._internal.variants.pytorch.settings import PyTorchSettings, settings
from pip._internal.variants.settings import Settings as CommandSettings

URL = "--pytorch-index-url"
BACKEND = "--pytorch-computation-backend"


def parse(
    arguments: Sequence[str],
    environ: Mapping[str, str] | None = None,
    configured: Mapping[str, object] | None = None,
) -> PyTorchSettings | None:
    """Return the settings of a command with these arguments; None without the bridge."""
    command = create_command("install", isolated=True)
    # As pip has it: what is configured becomes the default.
    command.parser.set_defaults(**(configured or {}))
    options, _ = command.parse_args(list(arguments))
    given = CommandSettings(options)
    if not in_use(given, environ or {}):
        return None
    return settings(given, environ or {})


@pytest.mark.parametrize(
    ("arguments", "environ", "configured", "backends"),
    [
        ([BACKEND, "cu126"], {}, {}, "cu126"),
        ([BACKEND, "cu126", "--cpuonly"], {}, {}, "cu126"),
        (["--cpuonly"], {}, {"pytorch_backends": "cu126"}, "cpu"),
        ([BACKEND, "auto"], {}, {"cpuonly": True}, ""),
        ([], {}, {"pytorch_backends": "cu126", "cpuonly": True}, "cu126"),
        ([], {}, {"pytorch_backends": "auto"}, ""),
        ([], {LTT_VARIABLE: "cu118"}, {"cpuonly": True}, "cpu"),
        ([URL, "https://mirror.example/whl"], {LTT_VARIABLE: "cu118"}, {}, "cu118"),
        ([URL, "https://mirror.example/whl"], {}, {}, ""),
    ],
)
def test_precedence(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    configured: Mapping[str, object],
    backends: str,
) -> None:
    found = parse(arguments, environ, configured)
    assert found is not None
    assert str(found.backends) == (backends or "auto")


@pytest.mark.parametrize(
    ("arguments", "environ", "configured"),
    [([], {}, {}), (["--pre"], {}, {}), ([], {LTT_VARIABLE: ""}, {"cpuonly": False})],
)
def test_only_on_request(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    configured: Mapping[str, object],
) -> None:
    assert parse(arguments, environ, configured) is None


def test_the_devices_that_are_not_named_are_lacking() -> None:
    for arguments, namespaces in (
        (["--cpuonly"], {"nvidia", "amd", "intel"}),
        ([BACKEND, "cu128,cpu"], {"amd", "intel"}),
        ([BACKEND, "auto"], set()),
        ([BACKEND, "cuda"], {"amd", "intel"}),
        ([BACKEND, "gpu"], set()),
    ):
        found = parse(arguments)
        assert found is not None
        assert set(found.absent_devices) == namespaces


def test_an_invalid_variable() -> None:
    with pytest.raises(CommandError, match=f"{LTT_VARIABLE}: .* got 'tpu'"):
        parse([], {LTT_VARIABLE: "tpu"})
