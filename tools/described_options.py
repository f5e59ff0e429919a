"""Write a JSON document of options, actions and rules for the docs.

Run with the assembled fork as the pip: ``python -m tools.described_options``.
"""

from __future__ import annotations

import json
import optparse
from collections.abc import Iterator
from typing import Any

from pip._vendor.wheel_variants.rules import RULES

from pip._internal.commands import commands_dict, create_command
from pip._internal.req.req_file import build_parser
from pip._internal.variants.commands.actions import ACTIONS
from pip._internal.variants.settings import VariantOption

__all__ = ["described"]


def described() -> dict[str, Any]:
    """Return the fork's options, ``pip variants`` and the rules for publishers."""
    options: dict[str, dict[str, Any]] = {}
    for option, place in _own():
        shown = options.setdefault(option.get_opt_string(), _described(option))
        shown["places"].append(place)
    # Otherwise, upstream's options of these names would be added too.
    for name in _known() & options.keys():
        options[name]["variable"] = None
    actions = [
        {"usage": each.usage, "summary": each.summary, "status": each.status}
        for each in ACTIONS.values()
    ]
    rules = [
        [rule.id, rule.text, rule.severity.value, rule.effect and rule.effect.value]
        for rule in RULES.values()
    ]
    return {
        "options": dict(sorted(options.items())),
        "actions": actions,
        "rules": rules,
    }


def _own() -> Iterator[tuple[VariantOption, str]]:
    """Yield each of the fork's options with a command that accepts it."""
    for command, option in _all():
        if isinstance(option, VariantOption) and option.help != optparse.SUPPRESS_HELP:
            yield option, f"pip {command}"
    for option in build_parser().option_list:
        if isinstance(option, VariantOption):
            yield option, "requirements files"
    for action in ACTIONS.values():
        for make in action.options:
            option = make()
            if isinstance(option, VariantOption):
                yield option, f"pip variants {action.name}"


def _known() -> set[str]:
    """Return the names of stock pip's options."""
    theirs = (option for _, option in _all() if not isinstance(option, VariantOption))
    return {name for option in theirs for name in option._long_opts}


def _all() -> Iterator[tuple[str, optparse.Option]]:
    for name in commands_dict:
        if name != "variants":
            for option in create_command(name).parser.option_list_all:
                yield name, option


def _described(option: optparse.Option) -> dict[str, Any]:
    # The keys that upstream uses for the configuration.
    key = option.get_opt_string().removeprefix("--")
    return {
        "names": [*option._short_opts, *option._long_opts],
        "metavar": option.metavar if option.takes_value() else None,
        "help": (option.help or "").replace("%default", str(option.default)),
        "variable": f"PIP_{key.replace('-', '_').upper()}",
        "places": [],
    }


if __name__ == "__main__":
    print(json.dumps(described()))
