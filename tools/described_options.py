"""Tell what the program says of its options, as a document that pages are made of.

Run with the assembled fork as the pip: ``python -m tools.described_options``.
"""

from __future__ import annotations

import inspect
import json
import optparse
from typing import Any

from pip._internal.commands import commands_dict, create_command
from pip._internal.variants.choice.settings import VariantOption
from pip._internal.variants.commands.actions import ACTIONS
from pip._internal.variants.machine import host_names

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
                found["keys"].append(f"{name}.{option.get_opt_string()[2:]}")
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
    names = inspect.getdoc(host_names) or ""
    return {
        "options": dict(sorted(options.items())),
        "actions": actions,
        # Without its first line, and what it says for who reads the code.
        "host-names": names.partition("\n\n")[2].partition("\n\nLoaded")[0],
    }


def _described(option: optparse.Option) -> dict[str, Any]:
    # As upstream finds them in the configuration.
    key = option.get_opt_string().removeprefix("--")
    return {
        "names": [*option._short_opts, *option._long_opts],
        "metavar": option.metavar if option.takes_value() else None,
        "help": option.help,
        "variable": f"PIP_{key.replace('-', '_').upper()}",
        "keys": [f"global.{key}"],
        "commands": [],
    }


if __name__ == "__main__":
    print(json.dumps(described()))
