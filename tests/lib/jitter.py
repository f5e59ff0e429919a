"""Delay test servers at random, with ``--jitter SEED``.

Requests that pip makes at a time arrive in any order, and so do their answers. On a quiet
machine it is nearly always the same one, and a test that relies on it fails where nobody
looks. With this, each request waits before its server takes note of it, and again before
its answer: the order changes from seed to seed.
"""

from __future__ import annotations

import random
import time

#: Seconds.
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
