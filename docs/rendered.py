"""Directives of the site: what is rendered from the program, not written twice."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

__all__ = ["setup"]

#: Files beside ``docs`` that are pages of the site.
_BESIDE = ("NEWS", "SECURITY", "CONTRIBUTING")
_OUTSIDE = re.compile(r"\]\(\.\./\.\./(https?://|#)")
_OPTION = re.compile(r"(--[a-z][a-z-]*[a-z])")
_FOLDER = re.compile(r"\[([^\]]*)\]\(\.\./\.\./[^)]*/\)")
_ROOT = Path(__file__).parent.parent
#: After it, the newest release comes first.
_RELEASES = "<!-- towncrier release notes start -->\n"
#: By the ends of their names, what changes are called.
_KINDS = {
    "removal": "Deprecations and removals",
    "feature": "Features",
    "bugfix": "Bug fixes",
    "doc": "Improved documentation",
}


@cache
def _program() -> dict[str, Any]:
    """Ask the assembled fork, in a process of its own: it must be the only pip there."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.described_options"],
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": str(_ROOT / "build" / "assembled")},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class OwnOptions(Directive):
    """The options that upstream's pip lacks, with the commands that take them."""

    def run(self) -> list[nodes.Node]:
        """Return a list of definitions."""
        items = []
        for option in _program()["options"].values():
            names = ", ".join(option["names"])
            shown = f"{names} {option['metavar']}" if option["metavar"] else names
            where = nodes.paragraph(text="In ")
            where += _listed(option["commands"])
            told = [_told(option["help"]), where]
            if option["keys"]:
                also = nodes.paragraph(text="Also as ")
                also += nodes.literal(text=option["variable"])
                also += nodes.Text(", and in the configuration as ")
                also += _listed(option["keys"])
                told.append(also)
            items.append(_item(shown, *told))
        return [nodes.definition_list("", *items)]


class HostNames(Directive):
    """The grammar of names of machines, as its parser tells it."""

    def run(self) -> list[nodes.Node]:
        """Return what stands in the parser's own description."""
        # It is in the language of docstrings, and this page is not.
        return list(publish_doctree(_program()["host-names"]).children)


class VariantsActions(Directive):
    """The actions of ``pip variants``, and what their exit status tells."""

    def run(self) -> list[nodes.Node]:
        """Return a list of definitions."""
        items = [
            _item(
                f"pip variants {action['usage']}",
                nodes.paragraph(text=action["summary"]),
                nodes.paragraph(text=action["status"]),
            )
            for action in _program()["actions"]
        ]
        return [nodes.definition_list("", *items)]


def _listed(texts: list[str]) -> list[nodes.Node]:
    """Return texts as such, with commas between."""
    found: list[nodes.Node] = []
    for text in texts:
        found += [*([nodes.Text(", ")] if found else []), nodes.literal(text=text)]
    return found


def _told(text: str) -> nodes.paragraph:
    """Return a text with the options that it names as such."""
    parts = [
        nodes.literal(text=part) if _OPTION.fullmatch(part) else nodes.Text(part)
        for part in _OPTION.split(text)
        if part
    ]
    return nodes.paragraph("", "", *parts)


def _item(term: str, *paragraphs: nodes.Node) -> nodes.definition_list_item:
    # The page can be linked to at each of them.
    shown = nodes.term("", "", nodes.literal(text=term), ids=[nodes.make_id(term)])
    return nodes.definition_list_item("", shown, nodes.definition("", *paragraphs))


def _unreleased() -> str:
    """Return what ``news/`` tells of changes that are in no release yet."""
    parts = []
    for kind, title in _KINDS.items():
        fragments = sorted((_ROOT / "news").glob(f"*.{kind}.rst"))
        texts = [each.read_text(encoding="utf-8").split() for each in fragments]
        if texts:
            listed = "\n".join("- " + " ".join(words) for words in texts)
            parts.append(f"### {title}\n\n{listed}\n")
    # They are in another language, of which they use this alone.
    return "\n".join(["## Not released yet\n", *parts]).replace("``", "`")


def _link_within_site(_app: Sphinx, name: str, source: list[str]) -> None:
    """Show files beside ``docs`` as pages, and let links to them lead there."""
    up = "../" * name.count("/")
    for file in _BESIDE:
        page = f"project/{file.lower()}"
        if name == page:
            text = (_ROOT / f"{file}.md").read_text(encoding="utf-8")
            if file == "NEWS":
                text = text.replace(_RELEASES, f"{_RELEASES}\n{_unreleased()}")
            source[0] = text.replace("](docs/", "](../").replace("](", "](../../")
            source[0] = source[0].replace("](../../../", "](../")
            source[0] = _OUTSIDE.sub(r"](\1", source[0])
            source[0] = _FOLDER.sub(r"\1", source[0])
    for file in _BESIDE:
        source[0] = source[0].replace(
            f"](../{up}{file}.md", f"]({up}project/{file.lower()}.md"
        )


#: What the theme leaves out for those who use a keyboard or have pages read to them.
_LACKING = (
    (
        '<p class="caption" role="heading">',
        '<p class="caption" role="heading" aria-level="2">',
    ),
    (
        '<aside class="sidebar-drawer">',
        '<aside class="sidebar-drawer" aria-label="All pages">',
    ),
    ('<aside class="toc-drawer', '<aside aria-label="On this page" class="toc-drawer'),
    # They scroll, which takes a focus.
    ("<p><img ", '<p tabindex="0"><img '),
    ("<pre>", '<pre tabindex="0">'),
    ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
    # A cell without text is the head of nothing.
    ('<th class="head"></th>', "<td></td>"),
    ('<th class="head"><p></p></th>', "<td></td>"),
)


def _complete(app: Sphinx, error: Exception | None) -> None:
    """Add to the pages what they lack to be used without a mouse or a screen."""
    if error is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for before, after in _LACKING:
            text = text.replace(before, after)
        page.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what the pages use."""
    app.add_directive("own-options", OwnOptions)
    app.add_directive("variants-actions", VariantsActions)
    app.add_directive("host-names", HostNames)
    app.connect("source-read", _link_within_site)
    app.connect("build-finished", _complete)
    return {"parallel_read_safe": True}
