"""Run one target under atheris, in a process of its own: it ends the process."""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

#: The overlay, and the little of upstream that it leans on, tell which paths were taken.
_INSTRUMENTED = [
    "pip._internal.variants",
    "pip._internal.fast",
    "pip._internal.console",
    "pip._vendor.packaging._variants",
]


def main() -> None:
    """Fuzz the target that the first argument names, with libFuzzer's arguments.

    The last argument is the folder of the corpus, which gets the target's seeds.
    """
    name, *arguments = sys.argv[1:]
    corpus = Path(arguments[-1])
    # Hooks load what they need at their first call, which is to be instrumented too.
    with atheris.instrument_imports(include=_INSTRUMENTED):
        from tools.fuzz.target import Limits
        from tools.fuzz.targets import TARGETS

        target = TARGETS[name]
        for number, seed in enumerate(target.seeds()):
            (corpus / f"seed-{number}").write_bytes(seed)
        for known in (Path("tests/data/fuzz") / name).glob("*"):
            (corpus / known.name).write_bytes(known.read_bytes())
        atheris.Setup([sys.argv[0], *arguments], Limits(target))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
