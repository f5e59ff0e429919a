"""Links to the files of index pages, made fast where the URL is plain.

Upstream quotes every URL anew and splits it twice. That changes nothing about a URL of
letters, digits and little else, which nearly all files have.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import SplitResult

from pip._internal.models.link import Link
from pip._internal.utils.misc import splitext

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Mapping

    from pip._internal.models.link import MetadataFile
    from pip._internal.utils.hashes import Hashes

__all__ = ["ListedLink", "split_plain"]

#: Scheme, host and path of a URL, the name of its file, and a digest. Quoting changes no
#: character of these; ``%2B`` is a plus sign, as before a local version. The name begins
#: with a letter or digit, so it is no reference to a folder.
split_plain: Callable[[str], re.Match[str] | None] = re.compile(
    r"(https?)://([a-z0-9.-]+(?::[0-9]{1,5})?)"
    # Alternatives take ten times as long.
    r"(/(?:[A-Za-z0-9_.~/-]*/)?"
    r"([A-Za-z0-9][A-Za-z0-9_.~-]*(?:%2B[A-Za-z0-9_.~-]*)?))"
    r"(?:#(sha256=([0-9a-f]+)))?"
).fullmatch


class ListedLink(Link):
    """A link with a plain URL, which knows its file name.

    Upstream works it out again each time.
    """

    __slots__ = ["filename", "is_wheel"]

    # Upstream has properties of these names.
    filename: str  # type: ignore[assignment]
    is_wheel: bool

    @classmethod
    def of(
        cls,
        parts: re.Match[str],
        filename: str,
        *,
        comes_from: str,
        requires_python: str | None,
        yanked_reason: str | None,
        hashes: Mapping[str, str],
        metadata_file_data: MetadataFile | None,
        upload_time: datetime.datetime | None,
    ) -> ListedLink:
        """Make the link that upstream makes of a URL and what a page says of the file.

        :param parts: of the URL, from :func:`split_plain`.
        :param filename: the name at its end, with no ``%``.
        :param hashes: digests that the page states beside the URL.
        """
        scheme, netloc, path, _, fragment, digest = parts.groups()
        link = cls.__new__(cls)
        link._url = parts.string
        link._parsed_url = SplitResult(scheme, netloc, path, "", fragment or "")
        link._path = path.replace("%2B", "+") if "%" in path else path
        link._hashes = {**hashes, "sha256": digest} if digest else {**hashes}
        link.comes_from = comes_from
        link.requires_python = requires_python or None
        link.yanked_reason = yanked_reason
        link.metadata_file_data = metadata_file_data
        link.upload_time = upload_time
        link.cache_link_parsing = True
        link.egg_fragment = None
        link.filename = filename
        link.is_wheel = filename.endswith(".whl")
        return link

    def __hash__(self) -> int:
        return hash(self._url)

    def is_hash_allowed(self, hashes: Hashes | None) -> bool:
        """Tell whether the file has one of *hashes*; there are none for most projects."""
        return bool(hashes) and super().is_hash_allowed(hashes)

    def splitext(self) -> tuple[str, str]:
        """Split the file name into stem and extension."""
        return splitext(self.filename)

    @property
    def url_without_fragment(self) -> str:
        """Return the URL without the digest that it may end with."""
        return self._url.partition("#")[0]
