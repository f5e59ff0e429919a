"""The state that hangs on upstream's objects and on modules, with who sets and reads it.

All slots are here, but for those of ``fast.slots``.
"""

from __future__ import annotations

from pip._internal.fast.slots import Slot

__all__ = [
    "BOUND",
    "COMMAND_LINE",
    "ENVIRONMENT",
    "GLOBALS",
    "INSTALLED_BUILD",
    "LOCKED",
    "LOCK_ENVIRONMENT",
    "LOCK_PLAN",
    "READS_FAST",
    "RUN",
    "SELECTION",
    "SEVERAL_BUILDS",
]

#: On a ``LinkCollector``, and on the ``PipSession`` that it was made with: the
#: ``Run`` of the command. Set by ``selection.run``, ``hooks.index`` and
#: ``hooks.build_env``; read by ``selection.run``, ``hooks.updates`` and ``locks.reading``.
RUN = Slot("_variants")
#: On a ``LinkCollector``: whether index pages are read fast. Set by ``hooks.index`` and
#: ``output.lookup``, read by ``hooks.index``.
READS_FAST = Slot("_reads_fast")
#: On a distribution: the ``Bound`` that settles its dependencies. Set and read by
#: ``selection.installed``.
BOUND = Slot("_variants_bound")
#: On a distribution: the ``InstalledBuild`` that it is, None for what is none. Made and
#: read by ``selection.installed``.
INSTALLED_BUILD = Slot("_variants_installed_build")
#: On an ``InstallRequirement``: the ``Selection`` by which its variant was taken. Set by
#: ``hooks.prepare``, read by ``hooks.commands``.
SELECTION = Slot("_variants_selection")
#: On an ``InstallRequirement``: the ``Plan`` of the lock file that it is for. Set by
#: ``locks.mode``, read by ``locks.plan``.
LOCK_PLAN = Slot("_variants_lock_plan")
#: On the options of ``pip lock --environment``: the ``Documents`` that are locked so far.
#: On an ``InstallRequirement``: the same. Set by ``locks.environments``, read by it and by
#: ``locks.plan``.
LOCKED = Slot("_variants_locked")
#: On an ``InstallRequirement``: the environment markers that tell the machine that it is
#: locked for, if one was described. Set by ``locks.environments``, read by ``locks.plan``.
LOCK_ENVIRONMENT = Slot("_variants_lock_environment")
#: On an ``InstallRequirement``: the environment markers of the machine that it is for, if
#: one was described. Set by ``hooks.resolve``, read by ``hooks.commands``.
ENVIRONMENT = Slot("_variants_environment")
#: On the options of any command: its parser, and what was typed: the options, each with its
#: name as typed and its text, and the words. Set by ``seams``, which imports nothing for
#: it; read by ``selection.settings``, ``output.invocation``, ``hooks.index`` and
#: ``scoped.mode``.
COMMAND_LINE = Slot("variants_command_line")
#: On the options of a command that may take several builds of one project: True. Set by
#: ``locks``, read by ``selection.settings``.
SEVERAL_BUILDS = Slot("variants_several_builds")

#: Globals that change, with who sets and reads them. They are for places to which
#: upstream hands on nothing of the run.
GLOBALS = {
    "packaging._variants._variant": (
        "The variant for which markers are evaluated. Set by hooks.metadata, read "
        "wherever a marker is evaluated."
    ),
    "packaging._variants._target": (
        "The machine for which markers are evaluated, if it is not this one. Set by "
        "selection.target_options, read wherever a marker is evaluated."
    ),
    "variants.selection.installed.SELECTIONS": (
        "What to record of each build, by the path of its wheel. Set by "
        "hooks.installing when the wheel is there, read by it when that is installed, "
        "and by selection.installed."
    ),
    "variants.hooks.installing._LABELS": (
        "The labels that were installed, by metadata folder, for the summary. Its own."
    ),
    "fast.held_records._OWN": (
        "Who keeps what a thread logs, which goes through handlers that are pip's. Its own."
    ),
    "fast.threads._BIRTHS": (
        "Held while a thread is born, and from the moment on at which Python ends. Its own."
    ),
    "fast.switches._options": ("The options of the command. Set by seams."),
    "fast.sizes._NOTED": ("The sizes that JSON pages tell, by URL. Set by fast.pages."),
    "fast.threads._WORK": (
        "What threads are doing, for which Python waits a moment when it ends. Its own."
    ),
    "fast.threads._ENDS": "Whether Python ends, so that no work is begun. Its own.",
    "fast.digests._KNOWN": (
        "The sha256 of files that were downloaded, which Hashes.check_against_path asks "
        "for. Its own."
    ),
    "fast.environment_lock._lock": (
        "The lock of the virtual environment that a command may change. Its own."
    ),
    "fast.install_command._install": "The `pip install` that is running. Its own.",
    "fast.unpacked.installing._current": (
        "The wheels that a command unpacks ahead, read where files are installed. Its own."
    ),
    "fast.upgrades.atomic_upgrade._settle": (
        "Whether packages are replaced when what replaces them is ready. Set by "
        "fast.install_command, read when pip installs."
    ),
    "fast.upgrades.atomic_upgrade._transaction": (
        "The upgrade that is going on, for the functions that pip calls. Its own."
    ),
    "fast.upgrades.install_root.BYTECODE": (
        "The bytecode of modules that are being installed. Set by fast.unpacked.installing."
    ),
    "fast.upgrades.install_root._tree": (
        "The folder that stands for the root. Set by fast.upgrades.atomic_upgrade, read "
        "by all that writes the final path of a file."
    ),
}
