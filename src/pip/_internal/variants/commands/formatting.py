"""The help of ``pip variants``: like upstream's, but lines break between words only."""

from __future__ import annotations

import optparse
import re
import textwrap
from collections.abc import Iterator

from pip._vendor.rich.markup import escape

from pip._internal.cli.parser import UpdatingDefaultsHelpFormatter

__all__ = ["HelpFormatter"]

#: A style, which takes no space.
_TAG = re.compile(r"\[/?[a-z.]*\]")
#: In fewer columns, help stands below the names of options.
_NARROW = 72
_INDENT, _HANG = "  ", "    "


class HelpFormatter(UpdatingDefaultsHelpFormatter):
    """Upstream's formatter, which breaks lines at hyphens and counts styles as text."""

    def __init__(self) -> None:
        super().__init__()
        if self.width < _NARROW:
            self.max_help_position = 2 * len(_HANG)

    def format_option(self, option: optparse.Option) -> str:
        """Return the names of an option and its help."""
        names = " " * self.current_indent + self.option_strings[option]
        lines = list(_wrapped(self.expand_default(option), self.help_width))
        margin = " " * self.help_position
        if _width(names) + 2 > self.help_position or not lines:
            return "\n".join([names, *(margin + line for line in lines), ""])
        first = names + " " * (self.help_position - _width(names)) + lines[0]
        return "\n".join([first, *(margin + line for line in lines[1:]), ""])

    def format_usage(self, usage: str) -> str:
        """Return the ways to call it."""
        lines = (line.strip() for line in usage.strip().splitlines())
        shown = "\n".join(self._filled(line, _HANG) for line in lines)
        return f"\n[optparse.groups]Usage:[/]\n{escape(shown)}\n"

    def format_description(self, description: str | None) -> str:
        """Return a description, line by line."""
        lines = (description or "").strip().splitlines()
        shown = "\n".join(
            self._filled(line, _HANG if line.startswith("- ") else _INDENT)
            for line in lines
        )
        return f"[optparse.groups]Description:[/]\n{escape(shown)}\n"

    def _filled(self, line: str, hang: str) -> str:
        return textwrap.fill(
            line,
            self.width,
            initial_indent=_INDENT,
            subsequent_indent=hang,
            break_long_words=False,
            break_on_hyphens=False,
        )


def _width(text: str) -> int:
    return len(_TAG.sub("", text))


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Break a text with styles between words."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if line and _width(longer) > width:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line
