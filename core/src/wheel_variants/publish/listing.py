"""Write an index that links to the wheels of a release on another server.

The file names have local versions, such as ``+cu12torch2.9cxx11abiTRUE``, that are not in
the metadata, because the project's CI renames the wheels. An HTML page links to each wheel
with its label in the fragment; JSON contains the name of the variant.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urljoin

from packaging.utils import NormalizedName
from packaging.version import Version

from wheel_variants.labels import MANIFEST_SUFFIX
from wheel_variants.manifest import Manifest
from wheel_variants.merging import merge
from wheel_variants.publish import files, wheels
from wheel_variants.publish.adopting import (
    Converted,
    NotAdopted,
    Plan,
    SkippedFile,
    proved,
)
from wheel_variants.publish.building import manifests_of_release
from wheel_variants.publish.documents import to_json
from wheel_variants.publish.errors import (
    CannotWrite,
    NothingFound,
    PublishError,
    without_credentials,
)
from wheel_variants.publish.http import (
    Fetched,
    HttpSession,
    NoRangeSupport,
    RemoteFile,
    Unavailable,
)
from wheel_variants.publish.output import track
from wheel_variants.publish.pages import html_links
from wheel_variants.publish.releases import Link, Place
from wheel_variants.publish.simple_index import (
    JSON_PAGE,
    SIMPLE,
    IndexedFile,
    IndexWriter,
)

__all__ = ["read_listing", "write_index"]

_MAX_SIZE = 16 << 20
_HINT = (
    "Specify an HTML page of links, a GitHub release in JSON, or a text file with one URL "
    "per line"
)
_INSTEAD = "download the wheel, and adopt its folder"


def read_listing(plan: Plan, session: HttpSession, source: str) -> None:
    """Read a list of links and the wheels' metadata, and add each wheel to *plan*.

    :param source: a path or URL.
    :raises NothingFound: if the list cannot be read, or has no wheels.
    """
    shown, url = without_credentials(source), source
    if not source.lower().startswith(("http://", "https://", "file:")):
        url = Path(source).absolute().as_uri()
    try:
        listing = session.fetch(url, _MAX_SIZE)
        links = {link.filename: link for link in _links(listing)}
    except Unavailable as error:
        raise NothingFound(shown, str(error), _HINT) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise NothingFound(shown, "not a list of links", _HINT) from None
    found = [links[name] for name in sorted(links) if name.endswith(".whl")]
    if not found:
        raise NothingFound(shown, "the list contains no wheels", _HINT)
    for link in track(found):
        try:
            plan.add(_converted(plan, session, link))
        except Unavailable as error:
            # Without this wheel, the index would lose a variant.
            hint = "Run this command again, or remove the file from the list"
            raise NothingFound(shown, f"{link.filename}: {error}", hint) from None
        except NotAdopted as error:
            plan.left.append(SkippedFile(link.filename, str(error)))
        except wheels.UnreadableWheel as error:
            plan.damaged.append(SkippedFile(link.filename, str(error)))
        except NoRangeSupport:
            why = f"the server does not support range requests: {_INSTEAD}"
            plan.damaged.append(SkippedFile(link.filename, why))


def _links(listing: Fetched) -> Iterator[Link]:
    """Yield the links of a list in any of the supported formats."""
    text = listing.body.decode("utf-8-sig")
    if text.lstrip().startswith(("{", "[")):
        releases = json.loads(text)
        for release in [releases] if isinstance(releases, dict) else releases:
            for asset in release["assets"]:
                kind, _, digest = (asset.get("digest") or "").partition(":")
                link = Link.of(urljoin(listing.url, asset["browser_download_url"]))
                yield Link(link.url, asset["name"], {kind: digest} if digest else {})
    elif re.search(r"<a\s", text, re.IGNORECASE):
        yield from html_links(listing)
    else:
        yield from (Link.of(urljoin(listing.url, line)) for line in text.split())


def _converted(plan: Plan, session: HttpSession, link: Link) -> Converted:
    name = wheels.WheelName(link.filename)
    if name.version.local is None or name.label is not None:
        raise NotAdopted("the name has no local version, or already has a label")
    if link.path is not None:
        if os.path.exists(link.path):
            raise NotAdopted("the wheel is on this machine: adopt its folder instead")
        raise NotAdopted("its link is relative: specify the URL of the list instead")
    label, proof = proved(name, plan)
    public = name.without_local()
    remote = RemoteFile(session, link.url)
    with wheels.wheel_in(remote, name, may_be_renamed=True) as wheel:
        metadata = wheels.fields(wheel.metadata())
        if "+" in wheel.dist_info + metadata["version"]:
            raise NotAdopted(f"its metadata has the local version: {_INSTEAD}")
    variant = wheels.WheelName(public.labeled(label))
    listed = IndexedFile(
        *(variant.filename, variant.version, remote.size),
        sha256=link.hashes.get("sha256"),
        requires_python=metadata.get("requires_python"),
        url=f"{link.url}#variant={label}",
    )
    return Converted(name, variant, proof, listed=listed)


def write_index(plan: Plan, folder: str) -> None:
    """Write manifests and pages that link to the wheels, and record them in *plan*.

    Other projects and releases in *folder* are kept, and so are wheels in *folder*.

    :raises CannotWrite: if a file cannot be written.
    :raises PublishError: if the wheels contradict wheels in *folder*.
    """
    site = IndexWriter(folder)
    releases: dict[tuple[NormalizedName, Version], dict[str, Manifest]] = {}
    for each in plan.adopted:
        release = each.variant.release
        if release not in releases:
            releases[release] = manifests_of_release([folder], *release)
        name = each.variant.filename
        if name in releases[release]:
            hint = "Remove it, or specify another folder with --output-dir"
            raise PublishError(f"{os.path.join(folder, name)} already exists", hint)
        releases[release][name] = plan.manifests[name]
    try:
        os.makedirs(folder, exist_ok=True)
        for release, manifests in releases.items():
            site.write_manifest(*release, to_json(merge(manifests).document))
        new = {each.variant.filename for each in plan.adopted}
        for project in {name for name, _ in releases}:
            for file in _others(folder, project, releases, new):
                site.add(project, file)
        for each in plan.adopted:
            assert each.listed is not None, "wheels on a server have an entry"
            site.add(each.variant.name, each.listed)
        site.write_pages(site.projects())
    except OSError as error:
        raise CannotWrite("the index", error, "--output-dir") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        hint = "Specify another folder with --output-dir"
        raise PublishError(f"Cannot add to the index: {error}", hint) from None
    plan.warnings += (f"The page no longer lists {name}" for name in site.dropped)
    for path, digest in site.digests.items():
        plan.written.append((os.path.join(folder, path), digest))


def _others(
    folder: str,
    project: str,
    releases: Container[tuple[NormalizedName, Version]],
    new: Container[str],
) -> Iterator[IndexedFile]:
    """Yield the files on an existing page that are in *folder* or of other releases.

    :param new: the names of the files that the page will list anyway.
    """
    path = f"{SIMPLE}/{project}/{JSON_PAGE}"
    with suppress(FileNotFoundError), files.open_regular(path, folder) as page:
        for each in json.load(page)["files"]:
            name, url = each["filename"], each["url"]
            release = Place("").add(name)
            is_manifest = name.endswith(MANIFEST_SUFFIX)
            is_kept = url.startswith("../") and not is_manifest
            if release is None or name in new:
                continue
            if is_kept or release.id not in releases:
                yield IndexedFile(
                    *(name, release.version, each["size"]),
                    each["hashes"].get("sha256"),
                    each.get("core-metadata", {}).get("sha256"),
                    each.get("requires-python"),
                    url,
                )
