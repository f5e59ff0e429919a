"""Fetch the wheels of one command several at a time: ``--use-feature parallel-downloads``.

This has to do with wheels of any kind, variants or not: a command hands over what is left
to download once it has resolved its requirements, and upstream's own downloader is run
for each file in a thread (``downloader``, ``pool``, ``fetch``). What is to be installed is
unpacked and compiled meanwhile (``staging``), and moved when upstream installs it
(``staged``).

What is replaced is replaced at once (``replacing``), also where variants are installed one
download at a time; what a run that was killed has left of that is finished by the next one
(``recovery``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pip._internal.parallel.downloads import replacing, staged
from pip._internal.parallel.downloads.downloader import ParallelDownloader
from pip._internal.parallel.downloads.places import make_staging
from pip._internal.parallel.sizes import take_note

if TYPE_CHECKING:
    from optparse import Values

    from pip._internal.operations.prepare import RequirementPreparer

__all__ = ["enable"]


def enable(preparer: RequirementPreparer, options: Values) -> None:
    """Let what prepares the requirements of a command download in parallel."""
    take_note()
    replacing.enable()
    staging = make_staging(options)
    staged.use(staging)
    preparer._download = ParallelDownloader(preparer, staging)
