"""Each kind of seam edits the text and nothing else."""

from __future__ import annotations

from textwrap import dedent

import pytest

from fork.engine.edits import Edit, apply
from fork.engine.errors import AnchorError, ForkError
from fork.engine.kinds import (
    Append,
    Constant,
    Decorate,
    EditLiteral,
    InsertLine,
    ReplaceExpression,
    Seam,
    import_edits,
)
from fork.engine.module import Module
from fork.seams import placed

PATH = "pip/_internal/sample.py"
SOURCE = '''\
"""A sample, with text that is wider in bytes than in characters: ä → 🚀."""

from __future__ import annotations

import os  # the first import

NAMES = ["a", "b"]
TWICE = ["one", "one"]
RULES = {"VARIABLE": r"""(ä|dependency_groups)"""}
__version__ = "1.0"


class Plain:
    @property
    # A comment.
    def name(self) -> str:
        ä = "🚀"; return ä or len( self.__class__ . __name__ ) != 3

    def other(self) -> None:
        print("before")
        if True:
            print("after", "→")  # kept
'''


def edited(*seams: Seam, source: str = SOURCE) -> str:
    """Return the edited source."""
    module = Module(PATH, source.encode())
    seams = tuple(placed(seam, PATH, "") for seam in seams)
    edits = import_edits(module, list(seams))
    for seam in seams:
        edits += seam.edits(module)
    return apply(module.data, edits, PATH).decode()


def added(result: str, source: str = SOURCE) -> list[str]:
    """Return the lines of the result that the source does not have."""
    lines = source.splitlines()
    return [line for line in result.splitlines() if line not in lines]


IMPORT = "from pip._internal.variants import seams as _variants"


@pytest.mark.parametrize(
    ("header", "rest"),
    [
        ("from __future__ import annotations\n", "\nimport os\n"),
        ('"""Doc.\n\nMore.\n"""\n', "import os\n"),
        ("# License.\n\n", ""),
    ],
)
def test_the_import_goes_below_the_header(header: str, rest: str) -> None:
    source = f"{header}{rest}def f(): ...\n"
    expected = f"{header}{IMPORT}\n{rest}@_variants.hook\ndef f(): ...\n"
    assert edited(Decorate("f", "hook"), source=source) == expected


#: What a seam adds to the sample.
ADDED: list[tuple[Seam, list[str]]] = [
    (
        ReplaceExpression(
            "Plain.other",
            expression="print('after', '→')",
            replacement="io.StringIO({old})",
            requires="import io",
        ),
        ["import io", '            io.StringIO(print("after", "→"))  # kept'],
    ),
    # An expression keeps its text.
    (
        ReplaceExpression(
            "Plain.name",
            "hook",
            expression="len(self.__class__.__name__) != 3",
            replacement="{hook}({old})",
        ),
        [
            IMPORT,
            '        ä = "🚀"; return ä or _variants.hook(len( self.__class__ . __name__ ) != 3)',
        ],
    ),
    (
        Append("NAMES", "names", statement="NAMES += {hook}()"),
        [IMPORT, "NAMES += _variants.names()"],
    ),
    (
        EditLiteral(
            "RULES",
            fragment="|dependency_groups",
            replacement="|dependency_groups|variant_label",
        ),
        ['RULES = {"VARIABLE": r"""(ä|dependency_groups|variant_label)"""}'],
    ),
    (Constant("__version__", value="2.0"), ['__version__ = "2.0"']),
]


@pytest.mark.parametrize(("seam", "lines"), ADDED, ids=lambda each: type(each).__name__)
def test_what_is_added(seam: Seam, lines: list[str]) -> None:
    assert added(edited(seam)) == lines


@pytest.mark.parametrize(
    ("seam", "problem"),
    [
        (Decorate("gone"), "there 0x, not once"),
        (Constant("NAMES", value=""), "is not a literal"),
        (
            ReplaceExpression("Plain.other", expression="print", replacement=""),
            "'print' is there 2x, not once",
        ),
        (
            InsertLine("Plain.name", before="return 1", statement=""),
            "'return 1' is there 0x, not once",
        ),
        (
            EditLiteral("RULES", fragment="x", replacement=""),
            "'x' is there 0x, not once",
        ),
        (
            EditLiteral("TWICE", fragment="one", replacement="two"),
            "is there 2x, not once",
        ),
    ],
)
def test_an_anchor_that_does_not_fit_is_named(seam: Seam, problem: str) -> None:
    with pytest.raises(AnchorError) as caught:
        placed(seam, PATH, "").edits(Module(PATH, SOURCE.encode()))
    assert str(caught.value).startswith(f"seam {PATH}: {seam.target} ({seam.KIND}): ")
    assert problem in caught.value.problem


def test_overlapping_edits_are_refused() -> None:
    edits = [Edit(0, b"ab", b"x"), Edit(1, b"bc", b"y")]
    with pytest.raises(ForkError, match=r"edit the same place.*'a\.py'"):
        apply(b"abc", edits, "a.py")


def test_a_file_that_is_not_python_is_named() -> None:
    with pytest.raises(ForkError, match=r"cannot parse line 1 .*'pip/_internal"):
        Module(PATH, b"def f(:\n")


def test_definitions_are_found_by_qualified_name() -> None:
    source = dedent(
        """
        if A:
            def f(): ...
        else:
            def f(): ...
        class C:
            x: int = 1
            def g(self):
                def inner(): ...
        try: y = z = 1
        except E: y = 2
        """
    )
    module = Module(PATH, source.encode())
    names = ("f", "C", "C.x", "C.g", "inner", "C.g.inner", "y", "z")
    assert [len(module.find(name)) for name in names] == [2, 1, 1, 1, 0, 0, 2, 1]
