"""The session of a command as threads may use it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pip._internal.network.session import PipSession

__all__ = ["without_questions"]


def without_questions(session: PipSession) -> PipSession:
    """Give a session that shares all with *session*, but never asks the user.

    Where it would have asked for credentials, or looked for them in a keyring, the
    answer is what the server said: 401.
    """
    made = object.__new__(type(session))
    vars(made).update(vars(session))
    made.auth = copy.copy(session.auth)
    made.auth.prompting = False
    return made
