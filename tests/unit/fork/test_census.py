"""The census counts calls of sensitive functions, however they are written."""

from __future__ import annotations

from collections import Counter

from fork.engine.census import differences, take_census
from fork.project import SENSITIVE

PATH = "pip/_internal/sample.py"


def test_calls_are_counted_by_function() -> None:
    source = b"""
Wheel("module level")
class C:
    wheel = Wheel("class level")
    def f(self, wheel):
        parse_wheel_filename(wheel); self.parse_wheel_filename(wheel)
        LinkCollector.create(); self.create(); Wheel.supported(wheel)
        def inner():
            return [Wheel(name) for name in wheel]
        return functools.partial(self.evaluate_link, 1), partial(print, Wheel)
"""
    assert take_census({PATH: source}, SENSITIVE) == {
        (PATH, "<module>", "Wheel"): 1,
        (PATH, "C", "Wheel"): 1,
        (PATH, "C.f", "LinkCollector"): 1,
        (PATH, "C.f", "evaluate_link"): 1,
        (PATH, "C.f", "parse_wheel_filename"): 2,
        (PATH, "C.f", "supported"): 1,
        (PATH, "C.f.inner", "Wheel"): 1,
    }


def test_only_pip_and_packaging_are_counted() -> None:
    files = {
        "pip/_vendor/distlib/index.py": b"Wheel()",
        "pip/_vendor/packaging/pylock.py": b"Wheel()",
        "pip/_internal/data.json": b"Wheel()",
    }
    assert [file for file, _, _ in take_census(files, SENSITIVE)] == [
        "pip/_vendor/packaging/pylock.py"
    ]


def test_differences_name_the_call_site() -> None:
    before = Counter({(PATH, "f", "Wheel"): 1, (PATH, "g", "supported"): 1})
    after = Counter({(PATH, "f", "Wheel"): 2, (PATH, "h", "supported"): 1})
    assert differences(before, before) == []
    assert differences(before, after) == [
        f"{PATH}: f calls Wheel 2x, before 1x",
        f"{PATH}: g calls supported 0x, before 1x",
        f"{PATH}: h calls supported 1x, before 0x",
    ]
