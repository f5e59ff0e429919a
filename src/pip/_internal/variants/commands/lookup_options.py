"""The options of actions that look a project up, as ``pip install`` would."""

from __future__ import annotations

from pip._internal.cli import cmdoptions
from pip._internal.variants.commands.action import OptionMaker

__all__ = ["LOOKUP_OPTIONS", "PLUGIN_LIMITS"]

#: What limits the installation of plugins, beside the options of indexes.
PLUGIN_LIMITS: tuple[OptionMaker, ...] = (
    cmdoptions.constraints,
    cmdoptions.build_constraints,
    cmdoptions.require_hashes,
    cmdoptions.pre,
    cmdoptions.all_releases,
    cmdoptions.only_final,
    cmdoptions.no_binary,
    cmdoptions.only_binary,
)

LOOKUP_OPTIONS: tuple[OptionMaker, ...] = (
    cmdoptions.constraints,
    cmdoptions.build_constraints,
    cmdoptions.require_hashes,
    cmdoptions.ignore_requires_python,
    cmdoptions.platforms,
    cmdoptions.python_version,
    cmdoptions.implementation,
    cmdoptions.abis,
    *cmdoptions.package_selection_group["options"],
    *cmdoptions.index_group["options"],
)
