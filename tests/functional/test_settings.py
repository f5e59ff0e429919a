"""Each option of variants in each place from which pip takes options.

These are the command line, the environment and configuration.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.lib.environments import Environment
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, cuda, make_manifest
from tests.lib.wheels import make_wheel

PLUGIN = """\
import os

class Feature:
    multi_value = False
    name, values = "kind", ["b1"]

def get_supported_configs():
    return [] if "NPU_HIDDEN" in os.environ else [Feature()]
"""


@pytest.fixture
def choosy(index: IndexServer) -> IndexServer:
    """Return an index with a release that each option changes the choice of."""
    manifest = make_manifest(
        {
            "npu": ["npu :: kind :: b1"],
            "extra": ["extra :: on :: yes"],
            "cu128": cuda("12.8"),
            "cu126": cuda("12.6"),
            "null": {},
        },
        providers={
            "npu": PluginSpec(["npu-variant-provider"], "npu_plugin"),
            "extra": PluginSpec(static={"on": ["yes"]}, optional=True),
        },
    )
    index.add_release("choosy", "1.0", {}, manifest=manifest)
    files = {"npu_plugin.py": PLUGIN}
    index.add(make_wheel("npu-variant-provider", "1.0", files=files))
    return index


@dataclass(frozen=True, slots=True)
class Setting:
    """What comes of one option on a machine with CUDA 12.8, where cu128 is best.

    :param value: what it is set to; None for a flag.
    :param prints: what is printed if it counts, and only then.
    :param installed: the CUDA version with which the release was installed before.
    :param trusted: whether the plugin is trusted, and is told that it has no device.
    """

    option: str
    value: str | None
    prints: str
    installed: str | None = None
    trusted: bool = False


def _chosen(label: str) -> str:
    return f"Using choosy 1.0, variant {label}"


SETTINGS = (
    Setting("variant", "cu128 choosy=cu126", _chosen("cu126")),
    Setting("no-variants", None, "choosy-1.0-py3-none-any.whl.metadata"),
    Setting(
        "prefer-variant", "nvidia::cuda_version_lower_bound::12.6", _chosen("cu126")
    ),
    Setting("strict-variants", None, "error: variant-lost"),
    Setting("upgrade-variants", None, _chosen("cu128"), installed="12.6"),
    Setting("variant-host", "cuda-12.6-sm_90", _chosen("cu126")),
    Setting("enable-variant-provider", "extra", _chosen("extra")),
    Setting("disable-variant-provider", "amd nvidia", _chosen("null")),
    Setting("trust-variant-provider", "npu-variant-provider", _chosen("npu")),
    Setting(
        "variant-provider-variable", "OTHER NPU_HIDDEN", _chosen("cu128"), trusted=True
    ),
    Setting("variant-provider", "nvidia=plugin amd=builtin", _chosen("null")),
)


@pytest.mark.parametrize("place", ["nowhere", "line", "variable", "global", "install"])
@pytest.mark.parametrize(
    "setting", SETTINGS, ids=lambda each: f"{each.option}={each.value}"
)
def test_setting(
    venv: Environment, choosy: IndexServer, setting: Setting, place: str
) -> None:
    install = ["install", "choosy", "-i", choosy.index_url]
    if setting.trusted:
        install += ["--trust-variant-provider", "npu-variant-provider"]
    if setting.installed is not None:
        venv.pip(*install, env=forced(setting.installed))
    values = ["1"] if setting.value is None else setting.value.split(" ")
    options: list[str] = []
    environ: dict[str, str | None] = {**forced("12.8"), "PIP_CONFIG_FILE": None}
    if setting.trusted:
        environ["NPU_HIDDEN"] = "1"
    if place == "line":
        given = [f"--{setting.option}"]
        if setting.value is not None:
            given = [f"--{setting.option}={value}" for value in values]
        options += given
    elif place == "variable":
        variable = f"PIP_{setting.option.upper().replace('-', '_')}"
        environ[variable] = " ".join(values)
    elif place != "nowhere":
        key = f"{place}.{setting.option}"
        venv.pip(
            *("config", "--site", "set", key, " ".join(values)),
            env={"PIP_CONFIG_FILE": None},
        )
    result = venv.pip(*install, "--dry-run", *options, env=environ, code=None)
    assert (setting.prints in result.output) == (place != "nowhere"), str(result)
