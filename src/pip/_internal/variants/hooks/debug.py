"""What ``pip debug`` tells of variants."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger, write
from pip._internal.utils.logging import indent_log
from pip._internal.variants.choice.settings import OPTIONS, Settings, allowed

if TYPE_CHECKING:
    import optparse

    from pip._internal.commands.debug import DebugCommand

__all__ = ["debug_options", "debug_tags"]

logger = get_logger(__name__)


def debug_options(fn: Callable[[DebugCommand], None], command: DebugCommand) -> None:
    """Give ``pip debug`` the option that replaces detection, which it shows."""
    for row in allowed(OPTIONS, "pip debug"):
        command.cmd_opts.add_option(row())
    fn(command)


def debug_tags(fn: Callable[[optparse.Values], None], options: optparse.Values) -> None:
    """Show what this machine supports after the tags that it supports."""
    fn(options)
    from pip._internal.variants.machine.chain import Providers, warnings_of
    from pip._internal.variants.tell import sentences

    providers = Providers.for_settings(Settings(options))
    if options.verbose < 1:
        logger.info("Variant properties: pass --verbose to show what is supported.")
        return
    answers = providers.survey()
    for warning in warnings_of(answers):
        logger.warning("%s", warning)
    logger.info("Variant properties:")
    with indent_log():
        for namespace, answer in answers.items():
            write(sentences.provider_lines(namespace, answer))
