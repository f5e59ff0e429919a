"""The commands of ``wheel-variants``, a module for each.

A command module has ``HELP: str``, ``add_arguments(parser) -> None`` and
``run(options) -> int``, which returns the exit status.
"""
