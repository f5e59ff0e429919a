"""Run one target with atheris, in a separate process."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import atheris

#: The packages whose coverage guides the fuzzer.
_INSTRUMENTED = ["pip", "wheel_variants"]
#: The words to insert into inputs: these words, and the words of the seeds, with their
#: quotes.
_WORD = re.compile(rb"[\w\"'$.:-]{3,40}")
_HOSTILE = (
    *(b"null", b"true", b"NaN", b"1e999", b"[[", b"[]", b"{}", b" :: ", b"; ", b"("),
    *(b'"\\ud800"', b'"\\u001b[31m"', b"&#x1b;", b"\xef\xbb\xbf", b"\xd9\xa3"),
)


def main() -> None:
    """Fuzz the target in the first argument; pass the rest to libFuzzer.

    The last argument is the folder of the corpus; the target's seeds are added to it.
    """
    name, *arguments = sys.argv[1:]
    corpus = Path(arguments[-1])
    # Hooks import modules at their first call; instrument these modules too.
    with atheris.instrument_imports(include=_INSTRUMENTED):
        from tools.fuzz.target import Limits
        from tools.fuzz.targets import TARGETS

        target = TARGETS[name]
        words = set(_HOSTILE)
        for number, seed in enumerate(target.seeds()):
            (corpus / f"seed-{number}").write_bytes(seed)
            words.update(_WORD.findall(seed))
        dictionary = corpus.with_name("words.txt")
        lines = ("".join(f"\\x{byte:02x}" for byte in word) for word in sorted(words))
        dictionary.write_text("".join(f'"{line}"\n' for line in lines), "ascii")
        for known in (Path("tests/data/fuzz") / name).glob("*"):
            (corpus / known.name).write_bytes(known.read_bytes())
        options = [f"-dict={dictionary}", *arguments]
        atheris.Setup([sys.argv[0], *options], Limits(target))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
