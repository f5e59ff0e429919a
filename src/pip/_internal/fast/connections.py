"""What the connections of a session share, and copies of sessions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from pip._internal.console.output import get_logger
from pip._internal.fast.switches import command_options

if TYPE_CHECKING:
    from ssl import SSLContext

    from pip._internal.network.session import PipSession

__all__ = ["context_made", "like", "without_questions"]

#: On these systems, the system itself checks the certificates of each connection.
_CHECKED_BY_SYSTEM = ("win32", "darwin")

T = TypeVar("T")

logger = get_logger(__name__)


def context_made(fn: Callable[[], SSLContext | None]) -> SSLContext | None:
    """Make one context for TLS for all connections of a session.

    Stock pip's loads certificates at once.
    """
    if command_options() is not None and sys.platform not in _CHECKED_BY_SYSTEM:
        try:
            import ssl

            from pip._internal.fast.shared_context import SharedContext
        except ImportError as error:
            # This Python has no TLS, or too old a one; stock pip says so.
            logger.debug("Certificates are not shared: %s", error)
        else:
            return SharedContext(ssl.PROTOCOL_TLS_CLIENT)
    return fn()


def like(thing: T, kind: type | None = None, /, **changes: Any) -> T:
    """Make a shallow copy of an object, cache and connections included.

    Not ``copy.copy``: objects of requests leave out what cannot be pickled.

    :param kind: the class of the copy, a subclass of the original's; None for the same
    :param changes: attributes in which the copy differs
    """
    made: T = object.__new__(kind or type(thing))
    vars(made).update(vars(thing), **changes)
    return made


def without_questions(session: PipSession) -> PipSession:
    """Copy a session; the copy shares its connections and never asks anybody.

    Where the session would ask the user or a keyring for credentials, the copy returns
    what the server said: 401.
    """
    auth = like(session.auth, prompting=False)
    auth.keyring_provider = "disabled"
    return like(session, auth=auth)
