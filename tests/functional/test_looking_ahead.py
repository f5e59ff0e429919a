"""Plain packages too are looked up ahead of the resolver, and what comes of it is the same."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.lib.environments import Environment
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel

#: So many requests may be in vain where the resolver goes back on what it took.
SPARE = 5


def _tree(index: IndexServer, seed: int, contradictions: float) -> list[str]:
    """Add projects that require each other, with and without extras and versions.

    :param contradictions: how often a requirement excludes the newest versions
    :return: what to install
    """
    draw = random.Random(seed)
    names = [f"p{number}" for number in range(draw.randint(5, 40))]
    for number, name in enumerate(names):
        later = names[number + 1 :]
        for version in range(1, draw.randint(2, 5)):
            requires = []
            for other in draw.sample(later, min(len(later), draw.randint(0, 4))):
                extra = "[more]" if draw.random() < 0.2 else ""
                marker = draw.choice(["", "", "", "; python_version < '3'"])
                bound = ""
                if draw.random() < contradictions:
                    bound = draw.choice(["<2", "<3", ">=3", "==1.0", "!=2.0"])
                elif draw.random() < 0.5:
                    bound = ">=1"
                requires.append(f"{other}{extra}{bound}{marker}")
            extras = {"more": later[-2:]}
            wheel = make_wheel(name, f"{version}.0", requires=requires, extras=extras)
            index.add(wheel)
    return names[: draw.randint(1, 3)]


def _seen(
    venv: Environment, index: IndexServer, *command: str
) -> tuple[int, str, str, Counter[tuple[str, str]]]:
    venv.clear_cache()
    index.clear_log()
    # As long as requests take no time, few are made early.
    index.delay = 0.01
    result = venv.pip(*command, "-i", index.index_url, code=None)
    return result.returncode, result.stdout, result.stderr, Counter(index.log())


@pytest.mark.parametrize("seed", range(12))
def test_the_same_requests(venv: Environment, index: IndexServer, seed: int) -> None:
    roots = _tree(index, seed, contradictions=0)
    command = ["install", "--dry-run", *roots]
    ahead = _seen(venv, index, *command)
    assert ahead == _seen(venv, index, *command, "--no-lookahead")
    assert ahead[0] == 0


@pytest.mark.parametrize("seed", range(24))
def test_few_more_where_it_goes_back(
    venv: Environment, index: IndexServer, seed: int
) -> None:
    roots = _tree(index, seed, contradictions=0.4)
    command = ["install", "--dry-run", *roots]
    ahead = _seen(venv, index, *command)
    in_turn = _seen(venv, index, *command, "--no-lookahead")
    assert ahead[:3] == in_turn[:3]
    assert not in_turn[3] - ahead[3]
    more = ahead[3] - in_turn[3]
    assert sum(more.values()) <= SPARE
    for method, path in more:
        assert method == "GET"
        assert path.startswith("/simple/") or path.endswith(".metadata")
