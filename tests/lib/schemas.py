"""Validate all ``--json`` output against JSON Schemas."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jsonschema


_PROGRAMS = ("wheel-variants", "variants")
SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"


@functools.cache
def _validator(action: str) -> jsonschema.Draft202012Validator:
    # Tools also use environments, without this library.
    import jsonschema

    text = (SCHEMAS / f"{action}.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def validate_json(command: Sequence[str], output: str) -> None:
    """Validate the output of ``--json`` with the schema of the action.

    The action belongs to ``pip variants`` or ``wheel-variants``. Other commands, and
    commands without output, are ignored.

    :raises jsonschema.ValidationError: if the output does not match.
    """
    names = [Path(each).name.removesuffix(".exe") for each in command]
    program = next((each for each in _PROGRAMS if each in names), None)
    if program is None or "--json" not in command or "--help" in command:
        return
    action = command[names.index(program) + 1]
    # ``plugin`` also writes a host file.
    action = "host" if action == "plugin" else action
    start = output.find("{")
    if action.isalpha() and start >= 0:
        # With -vv, a line of upstream's may come first.
        document, _ = json.JSONDecoder().raw_decode(output[start:])
        _validator(action).validate(document)
