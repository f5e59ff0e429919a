"""The installer holds the carrier's wheel, and refuses to be something else."""

from __future__ import annotations

import base64
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.lib.wheels import make_wheel
from tools.release import installer as module
from tools.release.errors import ReleaseError
from tools.release.installer import installer


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """Return a carrier's wheel."""
    return make_wheel("pip-variants", "1").write_to(tmp_path)


def executed(script: bytes, folder: Path) -> dict[str, Any]:
    """Return what a script defines, without running it as a program."""
    path = folder / "script.py"
    path.write_bytes(script)
    return runpy.run_path(str(path))


def test_it_holds_the_wheel_as_it_is(wheel: Path, tmp_path: Path) -> None:
    script = installer(wheel)
    assert script == installer(wheel)
    encoded = executed(script, tmp_path)["WHEEL"]
    assert base64.b85decode("".join(encoded.split())) == wheel.read_bytes()
    assert max(map(len, script.splitlines())) <= 100


@pytest.mark.parametrize("damage", ["another letter", "a line less", "no letter of it"])
def test_it_refuses_what_it_was_not_made_with(
    damage: str, wheel: Path, tmp_path: Path
) -> None:
    script = installer(wheel)
    lines = script.splitlines(keepends=True)
    first = lines.index(b'WHEEL = """\n') + 1
    letter = b"A" if lines[first][:1] == b"B" else b"B"
    if damage == "another letter":
        lines[first] = letter + lines[first][1:]
    elif damage == "a line less":
        del lines[first]
    else:
        lines[first] = b"'" + lines[first][1:]
    main = executed(b"".join(lines), tmp_path)["main"]
    message = main()
    assert "error: this file is damaged" in message
    assert "Nothing was changed" in message


def test_its_template_must_have_a_place_for_the_wheel(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = tmp_path / "template.py"
    template.write_text('SHA256 = ""\n', encoding="utf-8")
    monkeypatch.setattr(module, "_TEMPLATE", template)
    with pytest.raises(ReleaseError, match=r'must have the line WHEEL = "" once'):
        installer(wheel)
