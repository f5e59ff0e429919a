"""The cells of the matrix: which tests, of which pip, run in which way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, get_args

from tools.upstream.errors import UpstreamError

__all__ = ["BACKENDS", "SUITES", "Backend", "Cell", "Suite", "fork_cells"]

Suite = Literal["unit", "functional"]
Backend = Literal["importlib", "pkg_resources"]

SUITES: tuple[Suite, ...] = get_args(Suite)
BACKENDS: tuple[Backend, ...] = get_args(Backend)

# A version of CPython where pip uses it unasked: to ask for the older one on a newer
# CPython makes pip warn, and upstream's tests turn that warning into an error.
_PYTHONS: dict[Backend, str] = {"importlib": "3.11", "pkg_resources": "3.10"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One way to run one of upstream's two suites.

    :param suite: the folder of tests.
    :param backend: what pip reads the metadata of installed packages with.
    :param zipapp: whether pip is run from a zip file; functional tests only.
    :param variants: False to turn variants off; the untouched release has none.
    :param untouched: whether the release itself is tested, not the fork.
    :raises UpstreamError: there is no such cell.
    """

    suite: Suite
    backend: Backend = "importlib"
    zipapp: bool = False
    variants: bool = True
    untouched: bool = False

    def __post_init__(self) -> None:
        if self.zipapp and self.suite == "unit":
            raise UpstreamError("unit tests import pip; a zipapp is for functional")
        if self.untouched and not self.variants:
            raise UpstreamError("the untouched release has no variants to turn off")

    @property
    def name(self) -> str:
        """Return what the folder of its results is called."""
        parts: list[str] = [self.suite, self.backend]
        parts += ["zipapp"] * self.zipapp
        if self.untouched:
            parts.append("untouched")
        else:
            parts += ["fork", "variants" if self.variants else "no-variants"]
        return "-".join(parts)

    @property
    def twin(self) -> Cell:
        """Return the same cell with the untouched release."""
        return replace(self, untouched=True, variants=True)

    @property
    def options(self) -> list[str]:
        """Return the options of upstream's tests that select this cell."""
        return ["--use-zipapp"] * self.zipapp

    @property
    def variables(self) -> dict[str, str]:
        """Return the environment variables that select this cell."""
        return {} if self.variants else {"PIP_NO_VARIANTS": "1"}

    @property
    def python(self) -> str:
        """Return the version of CPython that selects this cell."""
        return _PYTHONS[self.backend]


def fork_cells() -> list[Cell]:
    """Return every cell that tests the fork, those of the unit tests first."""
    ways = product(SUITES, (False, True), BACKENDS, (True, False))
    return [
        Cell(suite, backend, zipapp, variants)
        for suite, zipapp, backend, variants in ways
        if not (zipapp and suite == "unit")
    ]
