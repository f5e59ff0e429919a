"""One runtime for all builds of a solution."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pip._internal.variants.selection import agreement
from pip._internal.variants.selection.agreement import ComparedBuild


def test_another_agreement_within_a_resolution() -> None:
    """The backends of PyTorch's builds may be agreed on in the same resolution."""
    attempt = SimpleNamespace(agreement=None)
    settings = SimpleNamespace(no_variant_agreement=False)
    run: Any = SimpleNamespace(settings=settings, attempt=attempt)
    first = [
        ComparedBuild(str(n), "", agreement.Runtime("nvidia", n)) for n in (12, 13)
    ]

    def resolve() -> list[ComparedBuild]:
        runtime, attempt.agreement = attempt.agreement, "another"
        return [each._replace(runtime=runtime) for each in first]

    found = agreement.agreed_on_runtime(run, resolve, lambda builds: builds, first)
    assert found == [each._replace(runtime=first[1].runtime) for each in first]
