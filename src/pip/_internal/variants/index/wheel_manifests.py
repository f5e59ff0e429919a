"""Read manifests from wheels (PEP 825, "Wheel metadata").

Each variant wheel contains its part of the release's manifest as ``variant.json``. If an
index or a directory has no manifest, pip combines the parts from one wheel per label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import InvalidWheelFilename, parse_wheel_filename
from pip._vendor.wheel_variants.manifest import InvalidManifest, Manifest
from pip._vendor.wheel_variants.manifest_parser import MAX_MANIFEST_SIZE, parse_manifest
from pip._vendor.wheel_variants.merging import Disagreement, merge

from pip._internal.exceptions import HashError, PipError, UnsupportedWheel
from pip._internal.metadata import FilesystemWheel, get_wheel_distribution
from pip._internal.variants.errors import InvalidVariantWheel, describe_error
from pip._internal.variants.index import remote_wheels
from pip._internal.variants.index.archives import undamaged
from pip._internal.variants.index.sources import ManifestUnavailable
from pip._internal.variants.index.time_limit import Overdue, within

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.network.session import PipSession

#: The minimum limit in bytes for each ``variant.json``, for any number of wheels; real files
#: have two thousand.
_LEAST_SIZE = 16 * 1024


def own_manifest(
    dist: BaseDistribution, filename: str, label: str, max_size: int = MAX_MANIFEST_SIZE
) -> Manifest:
    """Read the ``variant.json`` of a wheel, which must describe *label* alone.

    :param max_size: the maximum size in bytes.
    :raises InvalidVariantWheel: if the file is missing, invalid or for another label.
    """
    try:
        data = dist.read_text("variant.json").encode("utf-8")
        if len(data) > max_size:
            raise InvalidManifest(f"larger than {max_size >> 10} KiB")
        manifest = parse_manifest(data)
    except FileNotFoundError:
        problem = "it has no variant.json in its .dist-info directory"
    except (UnsupportedWheel, UnicodeDecodeError):
        problem = "its variant.json is not UTF-8"
    except InvalidManifest as error:
        problem = f"its variant.json cannot be used: {error}"
    else:
        if set(manifest.variants) == {label}:
            return manifest
        problem = f"its variant.json has other labels: {sorted(manifest.variants)!r}"
    raise InvalidVariantWheel(filename, problem)


def manifest_of_wheel(
    session: PipSession,
    link: Link,
    label: str,
    max_size: int = MAX_MANIFEST_SIZE,
    path: str | None = None,
) -> Manifest:
    """Read the ``variant.json`` of the wheel at *link*.

    :param max_size: the maximum size in bytes.
    :param path: the path of a copy of the wheel, to read instead.
    :raises InvalidVariantWheel: if the contents of the wheel do not match its name.
    :raises WheelUnreadable: if the server of the wheel does not support ranges.
    """
    with undamaged(link.filename):
        dist = metadata_of_wheel(session, link, path)
    return own_manifest(dist, link.filename, label, max_size)


def metadata_of_wheel(
    session: PipSession, link: Link, path: str | None = None
) -> BaseDistribution:
    """Return the metadata of the wheel at *link*, local or remote.

    :param path: the path of a copy of the wheel, to read instead.
    :raises WheelUnreadable: if range requests cannot read the wheel.
    """
    if path is None and not link.is_file:
        return remote_wheels.remote_wheel(session, link)
    try:
        project, *_ = parse_wheel_filename(link.filename)
    except InvalidWheelFilename:
        # A lock file may state another name than the path.
        raise InvalidVariantWheel(link.filename, "its file name is invalid") from None
    return get_wheel_distribution(FilesystemWheel(path or link.file_path), project)


def manifest_of_wheels(
    session: PipSession,
    links: Mapping[str, Link],
    checked_path: Callable[[Link], str] | None = None,
) -> tuple[Manifest, Mapping[str, str]]:
    """Build the manifest of a release from one wheel per label.

    For remote wheels, range requests read only the metadata.

    :param links: the links by label.
    :param checked_path: if hashes are required, a function that checks the hash of a wheel and
        returns the path of a copy. pip then reads only such copies.
    :return: the manifest, and the reasons for missing labels, by label.
    :raises ManifestUnavailable: if no wheel is readable, or if the wheels disagree.
    :raises HashError: if a wheel does not have the required hash.
    """
    # All files together have the limit of one manifest; each may have a reasonable size.
    max_size = max(_LEAST_SIZE, MAX_MANIFEST_SIZE // max(1, len(links)))
    found: dict[str, Manifest] = {}
    problems: dict[str, str] = {}
    remaining = iter(links.items())
    for label, link in remaining:
        try:
            path = None if checked_path is None else checked_path(link)
            read = partial(
                manifest_of_wheel, link=link, label=label, max_size=max_size, path=path
            )
            found[str(link.filename)] = within(session, read)
        except HashError:
            raise
        except remote_wheels.NoRanges as error:
            # The other wheels are on the same server.
            rest = [label, *(other for other, _ in remaining)]
            problems.update(dict.fromkeys(rest, str(error)))
        except InvalidVariantWheel as error:
            problems[label] = f"{link.filename}: {error.problem}"
        except (remote_wheels.WheelUnreadable, Overdue, PipError, OSError) as error:
            problems[label] = f"{link.filename} cannot be read: {describe_error(error)}"
    if not found:
        raise ManifestUnavailable(next(reversed(problems.values()), "it has no wheels"))
    try:
        return merge(found), problems
    except Disagreement as error:
        raise ManifestUnavailable(f"its wheels disagree: {error}") from None
