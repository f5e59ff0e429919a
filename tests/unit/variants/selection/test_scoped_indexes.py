"""How an index for certain projects is written, and which one a project has."""

from __future__ import annotations

from pathlib import Path

import pytest

from pip._internal.variants.errors import ContradictoryOptions, InvalidOption
from pip._internal.variants.selection.option_values import OptionSource
from pip._internal.variants.selection.scoped_indexes import by_project, scoped_index

OPTION = "--variant-index"
URL = "https://a.example/simple"


def test_reading() -> None:
    found = scoped_index(OPTION, f"Torch,Torch_Vision,torch={URL}/")
    assert found.projects == ("torch", "torch-vision")
    assert (found.url, found.place) == (URL, OptionSource.LINE)
    assert found.written == str(found) == f"torch,torch-vision={URL}"
    # What is written is read again.
    configured = scoped_index("variant-index", found.written)
    assert configured == found._replace(place=OptionSource.CONFIGURATION)


def test_credentials_are_written_and_not_shown() -> None:
    given = "torch=https://user:pa=ss@a.example/simple"
    found = scoped_index(OPTION, given)
    assert found.written == given
    assert str(found) == "torch=https://user:****@a.example/simple"


def test_a_folder(tmp_path: Path) -> None:
    assert scoped_index(OPTION, f"torch={tmp_path}").url == tmp_path.as_uri()
    given = scoped_index(OPTION, f"torch={tmp_path.as_uri()}/")
    assert given.url == tmp_path.as_uri()
    folder = tmp_path / "a#b"
    folder.mkdir()
    assert scoped_index(OPTION, f"torch={folder}").url == folder.as_uri()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (URL, "no '=' in"),
        ("torch", "no '=' in"),
        ("torch,", "no '=' in"),
        (f"={URL}", "invalid name of a project, which is no pattern, in"),
        (f"torch,={URL}", "invalid name of a project, which is no pattern, in"),
        (f"torch*={URL}", "invalid name of a project, which is no pattern, in"),
        (f"*={URL}", "invalid name of a project, which is no pattern, in"),
        (f"torch>={URL}", "invalid name of a project, which is no pattern, in"),
        (f"torch[cuda]={URL}", "invalid name of a project, which is no pattern, in"),
        ("torch=", "no URL of an index"),
        ("torch=https://", "no URL of an index"),
        ("torch=file:", "no URL of an index"),
        ("torch=no/such/folder", "no URL of an index, nor a folder"),
        ("torch=git+https://a.example/x", "no URL of an index"),
        ("torch=https://[a.example", "no URL of an index"),
        (f"torch={URL} {URL}", "no URL of an index"),
        (
            f"torch={URL} a,b={URL}",
            "several indexes, each of which needs an option of its own, in 'torch=...'",
        ),
        (f"torch={URL}?key=1", "no page of a project can follow the '?' or '#'"),
        (f"torch={URL}/#torch", "no page of a project can follow the '?' or '#'"),
    ],
)
def test_what_is_none(text: str, problem: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        scoped_index(OPTION, text)
    said = str(caught.value)
    assert said.startswith(f"option {OPTION}: {problem}")
    assert "expected PROJECT[,PROJECT...]=URL without blanks, something like" in said


@pytest.mark.parametrize("given", ["", "torch*=", "torch= x "])
def test_what_is_none_shows_no_password(given: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        scoped_index(OPTION, f"{given}https://user:pa=s@s@a.example/simple")
    said = str(caught.value)
    assert "//****@a.example/simple" in said
    assert not any(part in said for part in ("user", "pa=s"))


@pytest.mark.parametrize(
    "given", ["u:se#cret@a.example", "a.example/?key=cret", "u@a.example/#cret@b"]
)
def test_what_follows_no_url_is_not_shown(given: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        scoped_index(OPTION, f"torch=https://{given}")
    assert "cret" not in str(caught.value)


def test_which_one_a_project_has() -> None:
    a = scoped_index("variant-index", f"torch,numpy={URL}")
    b = scoped_index(OPTION, "torch=https://b.example")
    # What is typed comes before what is configured.
    assert by_project([[a], [b]]) == {"torch": b, "numpy": a}
    same = scoped_index(OPTION, "torch=https://b.example/")
    assert by_project([[b, same]]) == {"torch": same}


@pytest.mark.parametrize(
    ("option", "where"),
    [(OPTION, ""), ("variant-index", " in the configuration or environment")],
)
def test_two_for_a_project(option: str, where: str) -> None:
    both = [
        scoped_index(option, "torch,numpy=https://u:secret@a.example"),
        scoped_index(option, "torch=https://b.example"),
    ]
    with pytest.raises(ContradictoryOptions) as caught:
        by_project([both])
    assert str(caught.value.message) == (
        f"--variant-index torch=https://u:****@a.example{where} contradicts "
        f"--variant-index torch=https://b.example{where}."
    )
    assert str(caught.value.hint_stmt) == "Leave torch out of one of the two."
