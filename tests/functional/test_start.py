"""docs/start.md, from its first command to its last."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.guides import block
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.torch_layout import add
from tests.lib.wheels import make_wheel

PAGE = "start.md"
PUBLISHED = "https://download.pytorch.org/whl/variant"


@pytest.mark.scoped
@pytest.mark.on_wheel
@pytest.mark.process
@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the replicas' wheels are for Linux on x86-64",
)
@pytest.mark.parametrize("gpu", [True, False])
def test_it_ends_where_it_began(
    venv: Environment, make_index: Callable[[], IndexServer], gpu: bool
) -> None:
    usual, publishers = make_index(), make_index()
    add(publishers, requires=["sympy>=1.13.3"])
    usual.add(make_wheel("torch", "99.0"))
    usual.add(make_wheel("sympy", "1.14.0"))
    env: dict[str, str | None] = dict(forced("12.8", "8.6")) if gpu else {}
    env |= {"PIP_INDEX_URL": usual.index_url, "PIP_CONFIG_FILE": None}
    # What the machine has configured for all does not bear on it.
    env["XDG_CONFIG_DIRS"] = str(venv.home)

    def typed(name: str) -> str:
        said = ""
        for line in block(PAGE, name).splitlines():
            pip, *words = shlex.split(line)
            assert pip == "pip"
            result = venv.pip(*words, env=env)
            said += result.output
        return said

    assert "+variants." in typed("version")
    host = typed("host")
    told = "nvidia: cuda_version_lower_bound 12.8, sm_arch 86_real"
    assert (told in host) == gpu
    configuration = Path(venv.venv / "pip.conf")
    assert str(configuration) in typed("setup")
    # The index itself is out of reach.
    text = configuration.read_text()
    assert PUBLISHED in text
    configuration.write_text(text.replace(PUBLISHED, publishers.index_url.rstrip("/")))
    best = "cuda12.6" if gpu else "null"
    said = typed("install")
    assert f"Using torch 2.10.0, variant {best}" in said
    assert f"{best}" in typed("explain")
    said = typed("label")
    if gpu:
        assert "Using torch 2.10.0, variant null" in said
    assert ("Using torch 2.10.0, variant cuda12.6" in said) == gpu
    typed("elsewhere")
    (wheel,) = (venv.work / "there").iterdir()
    assert wheel.name.endswith("-cuda13.0.whl")
    configuration.write_text(
        configuration.read_text().replace(publishers.index_url.rstrip("/"), PUBLISHED)
    )
    typed("back")
    assert not configuration.exists() or PUBLISHED not in configuration.read_text()
