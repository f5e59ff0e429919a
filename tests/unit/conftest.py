"""Unit tests import the assembled fork, and nothing else called pip."""

from __future__ import annotations

from pathlib import Path

import pytest

ASSEMBLED = Path(__file__).resolve().parents[2] / "build" / "assembled" / "pip"


def pytest_configure() -> None:
    try:
        import pip
    except ImportError:
        origin = None
    else:
        origin = Path(pip.__file__ or "").parent
    if origin != ASSEMBLED:
        pytest.exit(
            "unit tests need the assembled fork: run 'nox -s assemble' first "
            f"(pip comes from {str(origin)!r})",
            returncode=pytest.ExitCode.USAGE_ERROR,
        )
