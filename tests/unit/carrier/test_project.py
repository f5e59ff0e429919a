"""What the carrier's own project says agrees with the project around it."""

from __future__ import annotations

from pathlib import Path

import tomli

from pip_variants.bundled import OLDEST

ROOT = Path(__file__).resolve().parents[3]


def test_both_projects_say_the_same() -> None:
    own, around = (
        tomli.loads((ROOT / each / "pyproject.toml").read_text(encoding="utf-8"))
        for each in ("carrier", ".")
    )
    for key in ("license", "authors", "requires-python"):
        assert own["project"][key] == around["project"][key]
    assert own["project"]["requires-python"] == ">={}.{}".format(*OLDEST)
    assert "dependencies" not in own["project"]
    assert own["build-system"]["requires"][0] in around["build-system"]["requires"]
    license_ = (ROOT / "carrier/LICENSE").read_bytes()
    assert license_ == (ROOT / "LICENSE").read_bytes()
