"""Messages wait for their moment."""

from __future__ import annotations

import logging
import threading
from collections import deque

import pytest

from pip._internal.fast.held_records import emit, holding

logger = logging.getLogger("pip._internal.variants.index.sources")


def test_they_are_said_later_and_once(caplog: pytest.LogCaptureFixture) -> None:
    second = logging.NullHandler()
    logging.getLogger().addHandler(second)
    records: deque[logging.LogRecord] = deque()
    try:
        with holding(records.append):
            logger.warning("one")
            logger.warning("two")
            other = threading.Thread(target=logger.warning, args=["of another thread"])
            other.start()
            other.join()
    finally:
        logging.getLogger().removeHandler(second)
    assert caplog.messages == ["of another thread"]
    logger.warning("at once")
    emit(records)
    assert caplog.messages == ["of another thread", "at once", "one", "two"]


def test_an_error_ends_it(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ValueError, match=r"^broken$"), holding(lambda _: None):
        raise ValueError("broken")
    logger.warning("said")
    assert caplog.messages == ["said"]


def test_whoever_holds_them_within_gets_them(caplog: pytest.LogCaptureFixture) -> None:
    within: deque[logging.LogRecord] = deque()
    around: deque[logging.LogRecord] = deque()
    with holding(around.append):
        with holding(within.append):
            logger.warning("one")
        logger.warning("two")
        emit(within)
    assert not caplog.messages
    emit(around)
    assert caplog.messages == ["two", "one"]
