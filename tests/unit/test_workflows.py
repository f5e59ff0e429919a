"""What the repository's host runs is what developers run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
#: Beside sessions: what they need, and what only the host can do.
BESIDE = ("python -m pip install nox", "sha256sum --check", "find release ")


def commands(text: str) -> Iterator[str]:
    """Yield the first line of each command of a workflow."""
    for match in re.finditer(r"^ +run: (?:\|\n +)?(.+)$", text, re.MULTILINE):
        yield match[1]


def sessions(text: str) -> set[str]:
    """Return the sessions that a workflow runs."""
    named = set(re.findall(r"nox -s ([\w-]+)", text))
    return named | set(re.findall(r"^ +session: ([\w-]+)$", text, re.MULTILINE))


def defined() -> set[str]:
    """Return the sessions that there are."""
    text = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    functions = re.findall(r"^@nox\.session(?:.*\n)def (\w+)", text, re.MULTILINE)
    return set(functions) | set(re.findall(r'session\(name="([\w-]+)"', text))


def test_there_are_three() -> None:
    assert [path.stem for path in WORKFLOWS] == ["ci", "release", "upstream"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_they_run_sessions(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert sessions(text)
    assert sessions(text) <= defined()
    for command in commands(text):
        assert command.startswith(("python -m nox -s ", *BESIDE)), command


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_they_use_is_pinned(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.+)$", text, re.MULTILINE)
    assert used
    for action in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action
    assert "\npermissions: {}\n" in text


def test_the_registry_gets_nothing_before_the_name_is_the_projects() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    job = text.partition("\n  publish:\n")[2]
    assert "gh-action-pypi-publish" in job
    assert "gh-action-pypi-publish" not in text.partition("\n  publish:\n")[0]
    assert "    if: needs.build.outputs.registered == 'true'\n" in job
