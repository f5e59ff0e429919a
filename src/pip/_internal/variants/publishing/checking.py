"""Judge wheels, manifests, folders and indexes by the rules for publishers."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING

from pip._internal.utils.urls import path_to_url
from pip._internal.variants.publishing.errors import NoSuchTarget
from pip._internal.variants.publishing.folder_check import check_file, check_folder
from pip._internal.variants.publishing.index_check import check_index
from pip._internal.variants.publishing.simple_index import HTML_PAGE

if TYPE_CHECKING:
    from pip._internal.network.session import PipSession
    from pip._internal.variants.publishing.provider_lookup import ProviderLookup
    from pip._internal.variants.publishing.rules import CheckReport
    from pip._internal.variants.publishing.scanning import FileProgress

__all__ = ["check_target"]

_SCHEMES = ("http://", "https://", "file:")


def check_target(
    target: str,
    report: CheckReport,
    session: PipSession,
    providers: ProviderLookup,
    progress: FileProgress = nullcontext,
) -> None:
    """Judge what *target* names, and add that to *report*.

    :param target: a wheel, a manifest, a folder of both, or a page of an index.
    :param progress: gives the files to read, one after the other, while they are.
    :raises NoSuchTarget: if there is nothing of the kind.
    """
    if target.lower().startswith(_SCHEMES):
        check_index(target, report, session, providers)
        return
    try:
        if not os.path.isdir(target):
            check_file(target, report, providers)
        elif _is_page(target):
            check_index(path_to_url(target), report, session, providers)
        else:
            check_folder(target, report, providers, progress)
    except OSError as error:
        raise NoSuchTarget(
            target,
            f"{error.filename or target}: {error.strerror or error}",
            "Name a wheel, a manifest, a folder of them, or the page of an index",
        ) from None


def _is_page(folder: str) -> bool:
    names = os.listdir(folder)
    return HTML_PAGE in names and not any(name.endswith(".whl") for name in names)
