"""Messages wait for their moment."""

from __future__ import annotations

import logging
import threading

import pytest

from pip._internal.variants.withheld import say, withheld

logger = logging.getLogger("pip._internal.variants.sources")


def test_they_are_said_later_and_once(caplog: pytest.LogCaptureFixture) -> None:
    second = logging.NullHandler()
    logging.getLogger().addHandler(second)
    records: list[logging.LogRecord] = []
    try:
        with withheld(records):
            logger.warning("one")
            logger.warning("two")
            other = threading.Thread(target=logger.warning, args=["of another thread"])
            other.start()
            other.join()
    finally:
        logging.getLogger().removeHandler(second)
    assert caplog.messages == ["of another thread"]
    logger.warning("at once")
    say(records)
    assert caplog.messages == ["of another thread", "at once", "one", "two"]


def test_an_error_ends_it(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ValueError, match=r"^broken$"), withheld([]):
        raise ValueError("broken")
    logger.warning("said")
    assert caplog.messages == ["said"]
