"""An index of the wheels that a release lists, which stay where they are.

Their names carry local versions, such as ``+cu12torch2.9cxx11abiTRUE``, that their metadata
knows nothing of: the project's automation renames them. A page links to each of them
with its label in the fragment, and JSON has the name of the variant.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

from packaging.utils import NormalizedName
from packaging.version import Version

from wheel_variants.manifest_parser import parse_document
from wheel_variants.merging import merge
from wheel_variants.publish import files, simple_index, wheels
from wheel_variants.publish.adopting import (
    Converted,
    Left,
    NotAdopted,
    Plan,
    add_alike,
    document,
    is_of,
    proved,
)
from wheel_variants.publish.documents import to_json
from wheel_variants.publish.errors import (
    CannotWrite,
    NothingFound,
    said,
    without_credentials,
)
from wheel_variants.publish.http import (
    Fetched,
    HttpSession,
    NoRanges,
    RemoteFile,
    Unavailable,
)
from wheel_variants.publish.indexing import SIMPLE
from wheel_variants.publish.output import track
from wheel_variants.publish.pages import html_links
from wheel_variants.publish.releases import Link
from wheel_variants.publish.simple_index import FileFacts, IndexedFile

__all__ = ["read_listing", "write_index"]

_MAX_SIZE = 16 << 20
#: Bytes that are read at once of a wheel on a server.
_BUFFER = 16 << 10
_HINT = (
    "Name an HTML page of links, a GitHub release in JSON, or a text of one URL a line"
)


def read_listing(plan: Plan, session: HttpSession, source: str) -> list[IndexedFile]:
    """Read a listing and the metadata of its wheels; add to *plan* what becomes of each.

    :param source: a path or URL.
    :return: the variants, as an index lists them.
    :raises NothingFound: if it cannot be read, or lists no wheel.
    """
    shown = without_credentials(source)
    try:
        links = {link.filename: link for link in _links(_fetched(session, source))}
    except (Unavailable, OSError) as error:
        why = said(error) if isinstance(error, OSError) else str(error)
        raise NothingFound(shown, why, _HINT) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise NothingFound(shown, "it is no listing of a release", _HINT) from None
    found = [links[name] for name in sorted(links) if name.endswith(".whl")]
    if not found:
        raise NothingFound(shown, "it lists no wheels", _HINT)
    indexed = []
    for link in track(found):
        try:
            converted, facts = _converted(plan, session, link)
        except (wheels.UnreadableWheel, NotAdopted, Unavailable) as error:
            plan.left.append(Left(link.filename, str(error)))
        except NoRanges:
            why = "its server does not send parts of it: download it, and adopt its folder"
            plan.left.append(Left(link.filename, why))
        else:
            plan.adopted.append(converted)
            url = f"{link.url}#variant={converted.label}"
            indexed.append(
                IndexedFile(converted.filename, converted.version, facts, url)
            )
    add_alike(plan)
    return indexed


def _fetched(session: HttpSession, source: str) -> Fetched:
    if source.lower().startswith(("http://", "https://", "file:")):
        return session.fetch(source, _MAX_SIZE)
    with files.open_regular(source) as file:
        return Fetched(Path(source).absolute().as_uri(), "", file.read(_MAX_SIZE))


def _links(listing: Fetched) -> Iterator[Link]:
    """Yield the links of a listing in any of its forms."""
    text = listing.body.decode("utf-8")
    if text.lstrip().startswith(("{", "[")):
        releases = json.loads(text)
        for release in [releases] if isinstance(releases, dict) else releases:
            for asset in release["assets"]:
                kind, _, digest = (asset.get("digest") or "").partition(":")
                link = Link.of(urljoin(listing.url, asset["browser_download_url"]))
                yield Link(link.url, asset["name"], {kind: digest} if digest else {})
    elif "<a " in text:
        yield from html_links(listing)
    else:
        yield from (Link.of(urljoin(listing.url, line)) for line in text.split())


def _converted(
    plan: Plan, session: HttpSession, link: Link
) -> tuple[Converted, FileFacts]:
    name = wheels.WheelName(link.filename)
    if name.version.local is None or name.label is not None:
        raise NotAdopted("its name has no local version, or a label already")
    if link.path is not None:
        raise NotAdopted("it is a file of this machine: adopt its folder")
    label, proof = proved(name, plan)
    public = name.without_local()
    remote = RemoteFile(session, link.url)
    with wheels.wheel_in(io.BufferedReader(remote, _BUFFER), public) as wheel:
        metadata = wheel.metadata()
    if not is_of(metadata, public.name, public.version):
        raise NotAdopted("its METADATA is of another release than its name")
    facts = FileFacts(
        remote.size,
        0,
        sha256=link.hashes.get("sha256"),
        requires_python=wheels.fields(metadata).get("requires_python"),
    )
    filename, release = public.labelled(label), (public.name, public.version)
    return Converted(name, filename, *release, label, proof, ()), facts


def write_index(plan: Plan, indexed: list[IndexedFile], folder: str) -> None:
    """Write manifests, and pages that link to the wheels, and note in *plan* their paths.

    Pages of other projects in *folder* stay.

    :raises CannotWrite: if something cannot be written.
    """
    releases: dict[tuple[NormalizedName, Version], dict[str, Converted]] = {}
    for each in plan.adopted:
        releases.setdefault((each.project, each.version), {})[each.filename] = each
    pages: dict[NormalizedName, list[IndexedFile]] = {}
    by_name = {each.filename: each for each in indexed}
    content: dict[str, bytes] = {}
    for (project, version), adopted in releases.items():
        manifest = to_json(
            merge(
                {
                    name: parse_document(document(plan, each, folder))
                    for name, each in adopted.items()
                }
            ).document
        )
        name = f"{project.replace('-', '_')}-{version}-variants.json"
        facts = FileFacts(len(manifest), 0, sha256=files.sha256(manifest))
        content[name] = manifest
        pages.setdefault(project, []).append(IndexedFile(name, version, facts))
        pages[project] += (by_name[each] for each in adopted)
    for project, listed in pages.items():
        for name, page in simple_index.project_pages(
            project, listed, up="../../"
        ).items():
            content[os.path.join(SIMPLE, project, name)] = page
    root = os.path.join(folder, SIMPLE)
    try:
        os.makedirs(root, exist_ok=True)
        others = (each.name for each in os.scandir(root) if each.is_dir())
        projects = sorted({*pages, *others})
        for name, page in simple_index.root_pages(projects).items():
            content[os.path.join(SIMPLE, name)] = page
        for name, each_content in content.items():
            files.write_if_changed(folder, name, each_content)
            path = os.path.join(folder, name)
            plan.written.append((path, files.sha256(each_content)))
    except OSError as error:
        raise CannotWrite("the index", error, "--output-dir") from None
