"""Read the code blocks of docs pages for tests."""

from __future__ import annotations

import re

from tests.lib.environments import REPOSITORY


def block(page: str, name: str) -> str:
    """Return the code block with a name in the preceding comment.

    :param page: the path of the page below ``docs``.
    """
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    (found,) = re.findall(
        rf"<!-- test: {re.escape(name)} -->\n```\w+\n(.*?)```", text, re.S
    )
    return str(found)
