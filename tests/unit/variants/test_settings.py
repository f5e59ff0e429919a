"""The tables of options, what documentation says of them, and who reads their values."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from pip._internal.cli import cmdoptions
from pip._internal.commands import create_command
from pip._internal.commands.variants import ACTIONS
from pip._internal.req.req_file import build_parser
from pip._internal.variants import settings
from pip._internal.variants.commands.actions import SETUP_OPTIONS
from pip._internal.variants.settings import OptionRow, Settings, VariantOption
from tools.described_options import described

ROOT = Path(__file__).resolve().parents[3]

#: What the page of options calls each place besides those that choose candidates.
_PLACES = {
    "requirements files": "requirements files",
    "pip check": "pip check",
    "host": "pip variants host",
}
_NAME = re.compile(r"`(--[a-z-]+)")


def _rows() -> set[OptionRow]:
    """Return the rows of all tables: those of modes stand with upstream's options."""
    selecting = cmdoptions.package_selection_group["options"]
    of_modes = {each for each in selecting if isinstance(each, OptionRow)}
    return {*settings.OPTIONS, *SETUP_OPTIONS, *of_modes}


@pytest.mark.pytorch
@pytest.mark.scoped
def test_each_option_is_documented_with_where_it_is_allowed() -> None:
    rows: dict[str, set[str]] = {}
    for row in _rows():
        rows.setdefault(row.name, set()).update(row.where)
    expected = {
        name: {_PLACES[place] for place in _PLACES if place in where}
        for name, where in rows.items()
        if "install" in where
    }
    shown = described()["options"]
    assert expected == {
        name: set(shown[name]["places"]) & {*_PLACES.values()} for name in expected
    }
    text = (ROOT / "docs/options.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(--[a-z-]+)`", text)) >= {*shown} - {"-y"}


def test_what_needs_variants_is_documented() -> None:
    text = (ROOT / "docs/choosing.md").read_text(encoding="utf-8")
    (line,) = (
        each for each in text.splitlines() if each.startswith("| `--no-variants`")
    )
    off, *others = _NAME.findall(line)
    assert (off, others.pop(0)) == (settings.NO_VARIANTS.name, "--use-deprecated")
    needing = [row.name for row in settings.OPTIONS if row.needs_variants]
    assert sorted(others) == sorted(needing)


def test_options_are_allowed_where_their_rows_say() -> None:
    places = {
        "install": ["install"],
        "pip check": ["check"],
        **{name: ["variants", name] for name in ACTIONS},
    }
    parsers = {"requirements files": build_parser().option_list}
    for place, (name, *action) in places.items():
        command: Any = create_command(name, isolated=True)
        if action:
            command.fit(action)
        parsers[place] = command.parser.option_list_all
    rows = _rows()
    for place, options in parsers.items():
        found = {each.row for each in options if isinstance(each, VariantOption)}
        # These take all that bears on the choice of candidates.
        allowed = {place, "install"} if place in ("list", "explain") else {place}
        assert found == {row for row in rows if row.where & allowed}, place


def test_each_option_is_read() -> None:
    """Those that no settings have are read by an action, or in ``fast``."""
    read = dir(Settings)
    of_actions = {"all_versions", "hardware"}
    of_switches = {"no_fast", "parallel_downloads", "link_mode"}
    read_elsewhere = {row.dest for row in settings.OPTIONS} - set(read)
    assert read_elsewhere == of_actions | of_switches


def _looks_into_options(node: ast.AST) -> bool:
    """Return whether an expression reads options by name, where they may be lacking."""
    match node:
        case ast.Call(ast.Name("vars" | "getattr" | "hasattr"), [of, *_]):
            return bool(re.search(r"\b(options|opts|values)$", ast.unparse(of)))
    return False


def test_options_are_read_in_one_place() -> None:
    room = ROOT / "src/pip/_internal/variants"
    found = {
        file.relative_to(room).as_posix()
        for file in room.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if _looks_into_options(node)
    }
    # The door looks at those of upstream's that count before anything is imported.
    assert found == {"settings.py", "seams.py"}
