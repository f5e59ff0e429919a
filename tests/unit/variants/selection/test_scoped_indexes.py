"""How an index for certain projects is written, and which one a project has."""

from __future__ import annotations

from pathlib import Path

import pytest

from pip._internal.variants.errors import ContradictoryOptions, InvalidOption
from pip._internal.variants.selection.scoped_indexes import (
    by_project,
    index_url,
    parse_indexes,
    scoped_index,
)

OPTION = "--variant-index"
URL = "https://a.example/simple"


def test_reading() -> None:
    found = scoped_index(OPTION, f"Torch,Torch_Vision,torch={URL}/")
    assert found.projects == ("torch", "torch-vision")
    assert found.url == URL
    assert found.written == str(found) == f"torch,torch-vision={URL}"
    # What is written is read again.
    assert parse_indexes(found.written) == [found]


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


#: What is no index for projects, by what is said.
INVALID = {
    "no '=' in": (URL, "torch", "torch,"),
    "invalid project name (patterns are not allowed) in": [
        f"{names}={URL}"
        for names in ("", "torch,", "torch*", "*", "torch>", "torch[cuda]")
    ],
    "neither the URL of an index": [
        *("torch=", "torch=https://", "torch=file:", "torch=https://[a.example"),
        *("torch=git+https://a.example/x", f"torch={URL} {URL}", f"torch={URL}?key=1"),
        *(f"torch={URL} a,b={URL}", f"torch={URL},a={URL}", f"torch={URL}/#torch"),
    ],
    "neither the URL of an index nor an existing folder": ["torch=no/such/folder"],
}


@pytest.mark.parametrize(
    ("text", "problem"),
    [(text, problem) for problem, texts in INVALID.items() for text in texts],
)
def test_what_is_none(text: str, problem: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        scoped_index(OPTION, text)
    said = str(caught.value)
    assert said.startswith(f"option {OPTION}: {problem}")
    assert "expected PROJECT[,PROJECT...]=URL without blanks" in said


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


def test_a_url_alone() -> None:
    assert index_url("--pytorch-index-url", f" {URL}/ ") == URL
    with pytest.raises(InvalidOption, match="invalid URL 'ftp://x'"):
        index_url("--pytorch-index-url", "ftp://x")


def test_which_one_a_project_has() -> None:
    a = scoped_index("variant-index", f"torch,numpy={URL}")
    b = scoped_index(OPTION, "torch=https://b.example")
    # What is typed comes before what is configured.
    assert by_project([[a], [b]]) == {"torch": b, "numpy": a}
    same = scoped_index(OPTION, "torch=https://b.example/")
    assert by_project([[b, same]]) == {"torch": same}


def test_two_for_a_project() -> None:
    both = [
        scoped_index(OPTION, "torch,numpy=https://u:secret@a.example"),
        scoped_index(OPTION, "torch=https://b.example"),
    ]
    with pytest.raises(ContradictoryOptions) as caught:
        by_project([both])
    assert str(caught.value.message) == (
        "--variant-index torch=https://u:****@a.example contradicts "
        "--variant-index torch=https://b.example."
    )
    assert str(caught.value.hint_stmt) == "Remove 'torch' from one of these options."
