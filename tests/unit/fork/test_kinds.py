"""Each kind of seam edits the text and nothing else, and can be reversed."""

from __future__ import annotations

from textwrap import dedent

import pytest

from fork.engine.edits import Edit, apply, reverse
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
    """Return the edited source, once it is shown to be reversible."""
    module = Module(PATH, source.encode())
    seams = tuple(placed(seam, PATH, "") for seam in seams)
    edits = import_edits(module, list(seams))
    for seam in seams:
        edits += seam.edits(module)
    result = apply(module.data, edits, PATH)
    assert reverse(result, edits, PATH) == module.data
    return result.decode()


def added(result: str, source: str = SOURCE) -> list[str]:
    """Return the lines of the result that the source does not have."""
    lines = source.splitlines()
    return [line for line in result.splitlines() if line not in lines]


IMPORT = "from pip._internal.variants import seams as _variants"


def test_a_decorator_goes_directly_above_def() -> None:
    seam = Decorate(file=PATH, target="Plain.name", hook="hook", why="")
    result = edited(seam)
    assert added(result) == [IMPORT, "    @_variants.hook"]
    assert "    # A comment.\n    @_variants.hook\n    def name(" in result


def test_the_import_goes_below_the_future_imports() -> None:
    seam = Decorate(file=PATH, target="Plain.name", hook="hook", why="")
    assert f"import annotations\n{IMPORT}\n\nimport os" in edited(seam)


def test_the_import_goes_below_the_docstring() -> None:
    seam = Decorate(file=PATH, target="f", hook="hook", why="")
    source = '"""Doc.\n\nMore.\n"""\nimport os\ndef f(): ...\n'
    assert f'"""\n{IMPORT}\nimport os\n' in edited(seam, source=source)


def test_without_a_header_the_import_goes_above_the_first_statement() -> None:
    seam = Decorate(file=PATH, target="f", hook="hook", why="")
    source = "# Licence.\n\ndef f(): ...\n"
    expected = f"# Licence.\n\n{IMPORT}\n@_variants.hook\ndef f(): ...\n"
    assert edited(seam, source=source) == expected


def test_packaging_has_hooks_of_its_own() -> None:
    path = "pip/_vendor/packaging/utils.py"
    seam = placed(Decorate("f", "hook"), path, "")
    assert seam.imports() == ["from . import _variants"]
    assert seam.implementation == ("pip/_vendor/packaging/_variants.py", "hook")


def test_a_hook_is_named_by_its_module() -> None:
    seam = placed(Decorate("Plain.name", "rooms.hooks:hook"), PATH, "")
    late = Decorate("Plain.other", "rooms.hooks:late", by="if_loaded")
    assert added(edited(seam, late)) == [
        IMPORT,
        '    @_variants.around("rooms.hooks:hook")',
        '    @_variants.if_loaded("rooms.hooks:late")',
    ]
    assert seam.implementation == ("pip/_internal/rooms/hooks.py", "hook")


def test_a_hook_that_a_mode_has() -> None:
    seam = placed(Decorate("Plain.name", ":hook"), PATH, "")
    assert added(edited(seam)) == [IMPORT, '    @_variants.of_mode(":hook")']
    assert seam.implementation == ("pip/_internal/variants/*/__init__.py", "hook")


def test_several_seams_share_one_import() -> None:
    name = Decorate(file=PATH, target="Plain.name", hook="hook", why="")
    other = Decorate(file=PATH, target="Plain.other", hook="hook", why="")
    result = edited(name, other)
    assert result.count(IMPORT) == 1
    assert result.count("    @_variants.hook\n") == 2


def test_an_own_import_is_added() -> None:
    seam = ReplaceExpression(
        file=PATH,
        target="Plain.other",
        expression="print('after', '→')",
        replacement="io.StringIO({old})",
        requires="import io",
        why="",
    )
    result = edited(seam)
    assert added(result) == [
        "import io",
        '            io.StringIO(print("after", "→"))  # kept',
    ]


def test_an_expression_keeps_its_text() -> None:
    seam = ReplaceExpression(
        file=PATH,
        target="Plain.name",
        expression="len(self.__class__.__name__) != 3",
        replacement="{hook}({old})",
        hook="hook",
        why="",
    )
    line = '        ä = "🚀"; return ä or _variants.hook(len( self.__class__ . __name__ ) != 3)'
    assert added(edited(seam)) == [IMPORT, line]


def test_a_statement_is_appended() -> None:
    seam = Append(
        file=PATH,
        target="NAMES",
        statement="NAMES += {hook}()",
        hook="names",
        why="",
    )
    assert edited(seam).endswith("# kept\nNAMES += _variants.names()\n")


def test_a_line_is_inserted_at_the_same_depth() -> None:
    seam = InsertLine(
        file=PATH,
        target="Plain.other",
        before='print("after", "→")',
        statement="{hook}(self)",
        hook="rooms:hook",
        why="",
    )
    assert (
        '        if True:\n            _variants.find("rooms:hook")(self)\n'
        '            print("after"'
    ) in edited(seam)


def test_a_literal_is_edited_inside() -> None:
    seam = EditLiteral(
        file=PATH,
        target="RULES",
        fragment="|dependency_groups",
        replacement="|dependency_groups|variant_label",
        why="",
    )
    expected = 'RULES = {"VARIABLE": r"""(ä|dependency_groups|variant_label)"""}'
    assert added(edited(seam)) == [expected]


def test_a_constant_is_replaced() -> None:
    seam = Constant(file=PATH, target="__version__", value="2.0", why="")
    assert added(edited(seam)) == ['__version__ = "2.0"']


@pytest.mark.parametrize(
    ("seam", "problem"),
    [
        (Decorate(file=PATH, target="gone", why=""), "there 0x, not once"),
        (Decorate(file=PATH, target="NAMES", why=""), "is not a function"),
        (Constant(file=PATH, target="NAMES", value="", why=""), "is not a literal"),
        (
            ReplaceExpression(
                file=PATH, target="Plain.name", expression="ä", replacement="", why=""
            ),
            "'ä' is there 2x, not once",
        ),
        (
            InsertLine(
                file=PATH, target="Plain.name", before="return 1", statement="", why=""
            ),
            "'return 1' is there 0x, not once",
        ),
        (
            InsertLine(
                file=PATH,
                target="Plain.name",
                before="return ä or len(self.__class__.__name__) != 3",
                statement="",
                why="",
            ),
            "shares its line",
        ),
        (
            EditLiteral(
                file=PATH, target="RULES", fragment="x", replacement="", why=""
            ),
            "'x' is there 0x, not once",
        ),
    ],
)
def test_an_anchor_that_does_not_fit_is_named(seam: Seam, problem: str) -> None:
    with pytest.raises(AnchorError) as caught:
        seam.edits(Module(PATH, SOURCE.encode()))
    assert str(caught.value).startswith(f"seam {PATH}: {seam.target} ({seam.KIND}): ")
    assert problem in caught.value.problem


def test_a_fragment_must_be_there_once() -> None:
    source = 'RULES = ["one", "one"]\n'
    seam = EditLiteral(
        file=PATH, target="RULES", fragment="one", replacement="two", why=""
    )
    with pytest.raises(AnchorError, match="is there 2x, not once"):
        seam.edits(Module(PATH, source.encode()))


def test_overlapping_edits_are_refused() -> None:
    edits = [Edit(0, b"ab", b"x"), Edit(1, b"bc", b"y")]
    with pytest.raises(ForkError, match=r"edit the same place.*'a\.py'"):
        apply(b"abc", edits, "a.py")


def test_other_line_ends_are_refused() -> None:
    with pytest.raises(ForkError, match="plain LF line ends"):
        Module(PATH, b"a = 1\r\n")


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
    counts = {
        name: len(module.find(name))
        for name in ("f", "C", "C.x", "C.g", "inner", "C.g.inner", "y", "z")
    }
    assert counts == {
        "f": 2,
        "C": 1,
        "C.x": 1,
        "C.g": 1,
        "inner": 0,
        "C.g.inner": 0,
        "y": 2,
        "z": 1,
    }
