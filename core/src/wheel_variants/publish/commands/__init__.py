"""The commands of ``wheel-variants``, one module per command.

A command module defines ``HELP: str``, ``add_arguments(parser) -> None`` and
``run(options) -> int``, which returns the exit status.
"""
