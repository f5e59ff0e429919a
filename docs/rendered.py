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
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

__all__ = ["setup"]

#: Files beside ``docs`` that are pages of the site.
_BESIDE = ("NEWS", "SECURITY", "CONTRIBUTING")
_OUTSIDE = re.compile(r"\]\(\.\./\.\./(https?://|#)")
_OPTION = re.compile(r"(--[a-z][a-z-]*[a-z])")
_FOLDER = re.compile(r"\[([^\]]*)\]\(\.\./\.\./[^)]*/\)")
_ROOT = Path(__file__).parent.parent
#: With two actions of ``pip variants``, the page calls them choosing commands.
_CHOICES = ("install", "download", "wheel", "lock", "index", "list")
_CHOOSING = {f"pip {each}" for each in _CHOICES}
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
    """Ask the assembled fork, in a separate process: it must be the only pip there."""
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
            places = option["places"]
            choosing = set(places) >= _CHOOSING
            where = nodes.paragraph(text="Choosing commands" if choosing else "")
            others = [each for each in places if not choosing or each not in _CHOOSING]
            where += nodes.Text(", " if choosing and others else "")
            where += _listed(others)
            if option["variable"]:
                where += nodes.Text("; also ")
                where += nodes.literal(text=option["variable"])
            items.append(_item(shown, _told(option["help"]), where))
        return [nodes.definition_list("", *items)]


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


class PublisherRules(Directive):
    """The rules of ``wheel-variants check``, and what installers do if one is broken."""

    def run(self) -> list[nodes.Node]:
        """Return a table."""
        heads = ("rule", "requirement", "check", "installers")
        rows = [[*map(_text, heads)]]
        for name, *texts in _program()["rules"]:
            rows.append(
                [nodes.literal(text=name), *(_text(each or "") for each in texts)]
            )
        return [_table(rows)]


def _text(text: str) -> nodes.Node:
    return nodes.Text(text)


def _table(rows: list[list[nodes.Node]]) -> nodes.table:
    """Return a table of cells; the first row is its head."""
    head, *others = [
        nodes.row("", *(nodes.entry("", nodes.paragraph("", "", each)) for each in row))
        for row in rows
    ]
    group = nodes.tgroup(cols=len(rows[0]))
    group += [nodes.colspec(colwidth=1) for _ in rows[0]]
    group += [nodes.thead("", head), nodes.tbody("", *others)]
    return nodes.table("", group)


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
    ('<div id="search-results">', '<h1>Search</h1>\n<div id="search-results">'),
    # They scroll, which takes a focus.
    ("<pre>", '<pre tabindex="0">'),
    ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
    # A cell without text is the head of nothing.
    ('<th class="head"></th>', "<td></td>"),
    ('<th class="head"><p></p></th>', "<td></td>"),
)


#: On a narrow screen it is small; a link leads to it alone.
_PICTURE = re.compile(r'<p>(<img [^>]*src="([^"]+\.svg)"[^>]*>)</p>')


def _complete(app: Sphinx, error: Exception | None) -> None:
    """Add to the pages what they lack to be used without a mouse or a screen."""
    if error is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for before, after in _LACKING:
            text = text.replace(before, after)
        text = _PICTURE.sub(r'<p><a href="\2">\1</a></p>', text)
        page.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what the pages use."""
    app.add_directive("own-options", OwnOptions)
    app.add_directive("variants-actions", VariantsActions)
    app.add_directive("publisher-rules", PublisherRules)
    app.connect("source-read", _link_within_site)
    app.connect("build-finished", _complete)
    return {"parallel_read_safe": True}
