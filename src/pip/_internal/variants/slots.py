"""Attributes that variants add to stock pip's objects and modules.

``fast.slots`` defines the other slots.
"""

from __future__ import annotations

from pip._internal.fast.slots import Slot

#: On a ``LinkCollector`` and its ``PipSession``: the ``Run`` of the command. On the cache of
#: built wheels: the same, if variants are on. Set by ``selection.run``, ``hooks.index``,
#: ``hooks.build_env`` and ``hooks.resolve``; read by ``selection.run``, ``hooks.prepare``
#: and ``locks.reading``.
RUN = Slot("_variants")
#: On a distribution: the ``Bound`` of its dependencies. Set and read by
#: ``selection.installed``.
BOUND = Slot("_variants_bound")
#: On a distribution: its ``InstalledBuild``; None if it is not a variant. Set and read by
#: ``selection.installed``.
INSTALLED_BUILD = Slot("_variants_installed_build")
#: On an ``InstallRequirement``: the ``Selection`` of its variant. Set by ``hooks.prepare``,
#: read by ``hooks.commands``.
SELECTION = Slot("_variants_selection")
#: On an ``InstallRequirement``: the mode of its ``pip lock``. Set by ``locks.mode``, read
#: by ``locks.writing``.
LOCK = Slot("_variants_lock")
#: On an ``InstallRequirement``: the environment markers of its described
#: target, if any. Set by ``hooks.resolve``, read by ``hooks.commands``.
ENVIRONMENT = Slot("_variants_environment")
#: On the options of any command: its parser, the typed options (each with its name as typed
#: and its text), and the command with its arguments. Set by ``seams``, which imports nothing
#: for it; read by ``settings``, ``output.invocation``, ``hooks.index`` and ``scoped.mode``.
#: ``settings`` adds the sources in requirements files to the typed options, with empty names.
COMMAND_LINE = Slot("variants_command_line")
#: On the options of any command: a function that returns the packages of all modes. Set by
#: ``seams``, read by ``selection.run``.
MODES = Slot("variants_modes")
#: On the options of a command that may select several builds of one project: True. Set by
#: ``locks``, read by ``settings`` and ``selection.target``.
SEVERAL_BUILDS = Slot("variants_several_builds")
