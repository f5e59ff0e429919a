"""Delay test servers at random, with ``--jitter SEED``.

Parallel requests of pip, and their responses, arrive in any order. On a quiet machine, the
order is nearly always the same, and a test that relies on that order fails only elsewhere.
With this option, each request waits before its server logs it, and again before the
response, so each seed gives another order.
"""

from __future__ import annotations

import random
import time

#: The maximum delay, in seconds.
_LONGEST = 0.04

_random: random.Random | None = None


def linger() -> None:
    """Wait for a random moment if jitter is on; called by servers."""
    if _random is not None:
        time.sleep(_random.uniform(0, _LONGEST))


def begin(seed: str | None) -> None:
    """Start random delays; None disables them."""
    global _random
    _random = None if seed is None else random.Random(seed)
