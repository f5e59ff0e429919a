"""Nobody is sent to a registry for a name that this project does not own there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tomli

ROOT = Path(__file__).resolve().parents[3]

#: Where people, and what they run, read commands.
READ = (
    "*.md",
    "docs/**/*.md",
    "news/*.rst",
    "noxfile.py",
    "carrier/**/*",
    "fork/**/*.py",
    "src/**/*.py",
    "tools/**/*",
    ".github/**/*",
)
_NAME = r"""[("'`]*pip[-_.]variants(?![-\w/]|[.]\w)"""
#: Commands that take what they install from a registry, if it is a name.
_INSTALL = re.compile(
    r"\b(?:pip[\d.]*|pipx|uv|uv\s+tool|poetry|pdm|hatch|rye|conda|mamba)\s+"
    r"(?:install|download|add|upgrade|inject|wheel|lock)\s+"
    rf"(?:(?!--(?:find-links|no-index))[^\s`]+\s+){{0,6}}?(?P<name>{_NAME})"
)
#: Commands that run what they take from a registry, unless that is named before.
_RUN = re.compile(
    r"\b(?:uvx|pipx\s+run|uv\s+tool\s+run)\s+"
    rf"(?:(?!--(?:from|spec)\b)-[^\s`]+\s+){{0,4}}(?P<name>{_NAME})"
)
_FROM = re.compile(rf"--(?:from|spec|with)[\s=]+(?P<name>{_NAME})")
_REQUIRED = re.compile(
    rf"(?P<name>{_NAME})\s*(?:\[[\w,]+\]\s*)?(?:===?|>=|~=|<)\s*[\d'\"{{]"
)


def registry_commands(text: str) -> list[str]:
    """Return what would have somebody take the name from a registry."""
    return [
        " ".join(match[0].split())
        for pattern in (_INSTALL, _RUN, _FROM, _REQUIRED)
        for match in pattern.finditer(text)
    ]


def test_no_registry_before_the_name_is_owned() -> None:
    table = tomli.loads((ROOT / "carrier/pyproject.toml").read_text(encoding="utf-8"))
    if table["tool"]["pip-variants"]["registered"]:
        return
    found = {}
    paths = {path for pattern in READ for path in ROOT.glob(pattern) if path.is_file()}
    assert len(paths) > 100
    for path in sorted(paths):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # A picture or an archive.
        commands = registry_commands(text)
        if commands:
            found[str(path.relative_to(ROOT))] = commands
    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        *("pip install pip-variants", "python -m pip install -U 'pip-variants'"),
        *("uv pip install --upgrade pip_variants", "pip install\npip-variants and"),
        *("pip3 download pip-variants==0.1.0", "`uvx pip-variants bootstrap`"),
        *("pipx run pip-variants bootstrap .venv", "pipx install pip-variants"),
        *("uv tool install pip-variants", "uv add pip-variants"),
        *("uv tool run --from pip-variants pip-variants", "pip-variants[all]==1.0"),
        "pipx run --spec 'pip-variants==0.2' pip-variants",
        'requires = ["pip-variants>=0.1"]',
    ],
)
def test_commands_that_must_not_be_there(text: str) -> None:
    assert registry_commands(text)


@pytest.mark.parametrize(
    "text",
    [
        "pip install ./pip_variants-0.1.0-py3-none-any.whl",
        "uvx --from ./pip_variants-0.1.0-py3-none-any.whl pip-variants bootstrap .venv",
        *("python -m pip_variants bootstrap", "virtualenv --seeder pip-variants ENV"),
        *("pip install --no-index --find-links DIR pip-variants", "pip-variants x"),
    ],
)
def test_commands_that_may(text: str) -> None:
    assert registry_commands(text) == []
