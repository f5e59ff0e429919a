"""Under which name the fork may look for releases of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import pip
from fork import carrier
from fork.carrier import FILE, name_to_ask_for, registered_name
from fork.engine.errors import ForkError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the carrier's project would be."""
    return tmp_path / "pyproject.toml"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", None),
        ("[project]\nname = 'pip-variants'\nregistered = true\n", None),
        ("[tool.pip-variants]\n", None),
        ("[tool.pip-variants]\nregistered = false\n", None),
        ("[tool.other]\nregistered = true\n", None),
        ("[tool.pip-variants]\nregistered = true\n", "pip-variants"),
    ],
)
def test_its_project_says_so(file: Path, text: str, name: str | None) -> None:
    file.write_text(text, encoding="utf-8")
    assert registered_name(file) == name


def test_without_a_carrier_nothing_is_registered(file: Path) -> None:
    assert registered_name(file) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[tool.pip-variants]\nregistered = 'no'\n", "not 'no'"),
        ("[tool.pip-variants]\nregistered = 1\n", "not 1"),
        ("tool = 1\n", "'tool' should be a table"),
        ("[tool]\npip-variants = true\n", "'pip-variants' should be a table"),
        ("registered =\n", "cannot read whether"),
    ],
)
def test_what_says_neither_is_refused(file: Path, text: str, problem: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ForkError, match=problem) as caught:
        registered_name(file)
    assert "registered = false" in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ForkError, match="cannot read whether"):
        registered_name(tmp_path)


def test_a_build_ends_with_the_message_alone(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("tool = 1\n", encoding="utf-8")
    monkeypatch.setattr(carrier, "registered_name", lambda: registered_name(file))
    with pytest.raises(SystemExit, match="error: 'tool' should be a table"):
        name_to_ask_for()


def test_the_build_writes_it_into_the_fork() -> None:
    assert pip.__carrier__ == registered_name(FILE)
