"""What a page of docs has to say in blocks that a test can run."""

from __future__ import annotations

import re

from tests.lib.environments import REPOSITORY

__all__ = ["block"]


def block(page: str, name: str) -> str:
    """Return the block of a page that a comment before it marks with a name.

    :param page: below ``docs``
    """
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    (found,) = re.findall(
        rf"<!-- test: {re.escape(name)} -->\n```\w+\n(.*?)```", text, re.S
    )
    return str(found)
