"""Tell what the program says of its options, as a document that pages are made of.

Run with the assembled fork as the pip: ``python -m tools.described_options``.
"""

from __future__ import annotations

import inspect
import json
import optparse
from collections.abc import Iterator
from typing import Any

from pip._internal.commands import commands_dict, create_command
from pip._internal.variants.commands.actions import ACTIONS
from pip._internal.variants.providers import host_names
from pip._internal.variants.selection.settings import VariantOption

__all__ = ["described"]


def described() -> dict[str, Any]:
    """Return the options that upstream's pip lacks, and the actions of ``pip variants``."""
    options: dict[str, dict[str, Any]] = {}
    for option, command, section in _own():
        name = option.get_opt_string()
        told = options.setdefault(name, _described(option))
        told["commands"].append(command)
        key = f"{section}.{name[2:]}"
        if key not in told["keys"]:
            told["keys"].append(key)
    # Upstream's options of these names would be set with them.
    for name in _known() & options.keys():
        options[name] |= {"keys": [], "variable": None}
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


def _own() -> Iterator[tuple[VariantOption, str, str]]:
    """Yield each option with a command that takes it, and its configuration's section."""
    for command, option in _all():
        if isinstance(option, VariantOption) and option.help != optparse.SUPPRESS_HELP:
            yield option, f"pip {command}", command
    for action in ACTIONS.values():
        for make in action.options:
            option = make()
            if isinstance(option, VariantOption):
                yield option, f"pip variants {action.name}", "variants"


def _known() -> set[str]:
    """Return the names of upstream's options."""
    theirs = (option for _, option in _all() if not isinstance(option, VariantOption))
    return {name for option in theirs for name in option._long_opts}


def _all() -> Iterator[tuple[str, optparse.Option]]:
    for name in commands_dict:
        if name != "variants":
            for option in create_command(name).parser.option_list_all:
                yield name, option


def _described(option: optparse.Option) -> dict[str, Any]:
    # As upstream finds them in the configuration.
    key = option.get_opt_string().removeprefix("--")
    return {
        "names": [*option._short_opts, *option._long_opts],
        "metavar": option.metavar if option.takes_value() else None,
        "help": (option.help or "").replace("%default", str(option.default)),
        "variable": f"PIP_{key.replace('-', '_').upper()}",
        "keys": [f"global.{key}"],
        "commands": [],
    }


if __name__ == "__main__":
    print(json.dumps(described()))
