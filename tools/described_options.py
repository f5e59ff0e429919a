"""Tell what the program says of its options, as a document that pages are made of.

Run with the assembled fork as the pip: ``python -m tools.described_options``.
"""

from __future__ import annotations

import json
import optparse
from typing import Any

from pip._internal.commands import commands_dict, create_command
from pip._internal.variants.choice.settings import VariantOption
from pip._internal.variants.commands.actions import ACTIONS

__all__ = ["described"]


def described() -> dict[str, Any]:
    """Return the options that upstream's pip lacks, and the actions of ``pip variants``."""
    options: dict[str, dict[str, Any]] = {}
    for name in commands_dict:
        if name == "variants":
            continue
        for option in create_command(name).parser.option_list_all:
            if (
                isinstance(option, VariantOption)
                and option.help != optparse.SUPPRESS_HELP
            ):
                found = options.setdefault(option.get_opt_string(), _described(option))
                found["commands"].append(f"pip {name}")
    for action in ACTIONS.values():
        for make in action.options:
            option = make()
            if isinstance(option, VariantOption):
                found = options.setdefault(option.get_opt_string(), _described(option))
                found["commands"].append(f"pip variants {action.name}")
    actions = [
        {"usage": each.usage, "summary": each.summary, "status": each.status}
        for each in ACTIONS.values()
    ]
    return {"options": dict(sorted(options.items())), "actions": actions}


def _described(option: optparse.Option) -> dict[str, Any]:
    return {
        "names": [*option._short_opts, *option._long_opts],
        "metavar": option.metavar if option.takes_value() else None,
        "help": option.help,
        "commands": [],
    }


if __name__ == "__main__":
    print(json.dumps(described()))
