"""How actions write what they found: as JSON, or as lines and tables for people."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pip._internal.utils._log import getLogger
from pip._internal.utils.misc import write_output

if TYPE_CHECKING:
    import optparse

    from pip._vendor.rich.console import RenderableType

__all__ = ["is_terminal", "only_output", "write_document", "write_rich"]

logger = getLogger(__name__)


def is_terminal() -> bool:
    """Tell whether people read the output as it comes."""
    return sys.stdout.isatty()


def write_document(document: Mapping[str, Any]) -> None:
    """Write a JSON document."""
    write_output("%s", json.dumps(document, indent=2))


def write_rich(lines: Iterable[RenderableType]) -> None:
    """Write what has styles; where they cannot be shown, without them."""
    for line in lines:
        logger.info("%s", line, extra={"rich": True})


@contextmanager
def only_output(options: optparse.Values) -> Iterator[None]:
    """Keep what pip says on its way out of a JSON document; warnings go elsewhere."""
    before = logging.root.manager.disable
    if options.json:
        logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)
