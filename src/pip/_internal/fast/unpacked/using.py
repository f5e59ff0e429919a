"""Install from the cache what lies unpacked there, and keep what is installed.

Upstream allows no import once it has begun to install, so that nothing is imported late
here. Whatever is not as it should be is downloaded and installed as ever.
"""

from __future__ import annotations

import optparse
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import MAGIC_NUMBER
from typing import TYPE_CHECKING, Any

# Logging needs it while pip installs, when nothing may be imported.
import pip._internal.console.wrapped  # noqa: F401
from pip._internal.console import printable
from pip._internal.console.output import get_logger
from pip._internal.exceptions import HashError, InstallationError
from pip._internal.fast.digests import sha256_of, vouch
from pip._internal.fast.downloads import atomic_upgrade
from pip._internal.fast.downloads.elsewhere import final_path
from pip._internal.fast.space import existing
from pip._internal.fast.switches import may_link_unpacked, most_unpacked
from pip._internal.fast.target import installed_to
from pip._internal.fast.unpacked.entries import Damaged, Entry
from pip._internal.fast.unpacked.folder import Folder, told
from pip._internal.fast.unpacked.made import Installed, Unsuitable, made, written
from pip._internal.fast.unpacked.placing import Placer
from pip._internal.operations.prepare import File

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.network.download import Downloader
    from pip._internal.operations.install.wheel import _WheelInstallRecord
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.utils.hashes import Hashes

__all__ = ["Using", "begin", "install_wheel", "prepared", "unpacked_url"]

logger = get_logger(__name__)

_SHA256 = re.compile("[0-9a-f]{64}")


class Using:
    """What one command takes from the cache, and puts there.

    :ivar preparer: of the command; there are others for what is needed to build something
    :param options: of the command
    :param folder: open
    :param tag: of the interpreter, for which there is bytecode
    """

    def __init__(
        self,
        preparer: RequirementPreparer,
        options: optparse.Values,
        folder: Folder,
        tag: str,
    ) -> None:
        self.preparer = preparer
        scheme = installed_to(options)
        self._lib = None if scheme is None else scheme.platlib
        self._folder = folder
        self._tag = tag
        self._limit = most_unpacked(options)
        self._may_link = may_link_unpacked(options)
        self._placer = Placer(may_link=self._may_link)
        #: By path of the wheel that upstream installs.
        self._entries: dict[str, Entry] = {}
        self._digests: dict[str, str] = {}
        self._installed: dict[str, Installed] = {}

    def take(self, link: Link, hashes: Hashes | None) -> str | None:
        """Take a wheel that lies unpacked.

        :param hashes: of which it must have one
        :return: the path of the wheel that upstream installs in its place
        """
        digest = _digest(link, hashes)
        if digest is None:
            if link.is_wheel:
                logger.verbose("%s is not kept unpacked: no sha256", link.filename)
            return None
        entry = self._folder.find(digest, self._tag)
        # What is called otherwise has another hash than is said; that is told as ever.
        if entry is None or entry.rest.path != link.filename:
            return None
        if not self._has_space(entry):
            logger.verbose("There is too little space for unpacked %s", link.filename)
            return None
        logger.info("Using unpacked %s", link.filename)
        # It takes no longer than to write over what is there.
        atomic_upgrade.enable()
        self._entries[entry.wheel] = entry
        # It stands for the wheel that has this hash.
        vouch(entry.wheel, {"sha256": digest})
        return entry.wheel

    def _has_space(self, entry: Entry) -> bool:
        """Tell whether the disk of the packages has space for copies.

        As upstream installs it, bytecode may be left out.
        """
        if self._lib is None:
            return True
        lib = existing(self._lib)
        if self._placer.links and os.stat(lib).st_dev == os.stat(entry.folder).st_dev:
            return True
        taken = sum(each.size for each in self._entries.values())
        return shutil.disk_usage(lib).free > taken + entry.size

    def take_due(self, reqs: Iterable[InstallRequirement]) -> None:
        """Take what upstream would download next, so that it does not."""
        preparer = self.preparer
        for req in reqs:
            if req.link and req.needs_more_preparation:
                wheel = self.take(req.link, _hashes(preparer, req))
                if wheel is not None:
                    preparer._downloaded[req.link.url] = wheel
                    req.needs_more_preparation = False
                    preparer._prepare_linked_requirement(req, parallel_builds=False)

    def expect(self, reqs: Iterable[InstallRequirement]) -> None:
        """Keep what is about to be installed, where hashes are known.

        :raises InstallationError: if what lies unpacked was changed meanwhile
        """
        # Upstream reads what the wheels tell of themselves before it installs any.
        for entry in self._entries.values():
            _verified(entry)
        for req in reqs:
            path = req.local_file_path
            if path is None or path in self._entries or not req.link:
                continue
            digest = _digest(req.link, _hashes(self.preparer, req))
            if digest is not None:
                self._digests[path] = digest

    def install(
        self,
        install: Callable[[], None],
        wheel: str,
        record: _WheelInstallRecord,
        *,
        compiles: bool,
    ) -> None:
        """Let upstream install a wheel, after the files that lie unpacked."""
        entry = self._entries.get(wheel)
        if entry is None:
            install()
            if wheel in self._digests:
                self._installed[wheel] = _installed(wheel, record, compiles=compiles)
            return
        put: list[str] = []
        suit = _verified(entry)
        try:
            entry.put(record.lib_dir, self._placer, suit, put)
            install()
        except BaseException:
            # Upstream compiles last.
            _remove_bytecode(put)
            # What becomes of a part of a package is for others to say.
            record.generated.extend(put)
            raise

    def keep(self, reqs: Iterable[InstallRequirement]) -> None:
        """Keep what was installed, and let others take entries away."""
        known = {*self._entries, *self._digests}
        if known.isdisjoint(req.local_file_path for req in reqs):
            # These are for building something; what is due is installed later.
            return
        try:
            for wheel, installed in self._installed.items():
                self._keep(installed, self._digests[wheel])
            self._folder.settle(self._limit)
        except OSError as error:
            logger.debug("The cache of unpacked wheels: %s", error)
        except KeyboardInterrupt:
            # All that was asked for is there.
            logger.debug("No more is kept unpacked")
        finally:
            self.close()

    def _keep(self, installed: Installed, digest: str) -> None:
        folder = None
        try:
            if sha256_of(installed.wheel) != digest:
                raise Unsuitable("its hash is another one")
            folder = self._folder.new()
            # From there to the cache the best way may be another one than back.
            placer = Placer(may_link=self._may_link)
            space = min(self._folder.free // 2, self._limit)
            entry = made(installed, folder, placer, space)
            self._folder.keep(entry, digest, self._tag)
        except BaseException as error:
            if folder is not None:
                self._folder.remove(folder)
            if not isinstance(error, Exception):
                raise
            name = os.path.basename(installed.wheel)
            if isinstance(error, Unsuitable):
                logger.verbose("%s is not kept unpacked: %s", name, error)
            else:
                # Whatever it is, all that was asked for is there.
                logger.debug("%s is not kept unpacked: %r", name, error)

    def close(self) -> None:
        """Let others take entries away."""
        self._folder.close()


def _remove_bytecode(paths: Iterable[str]) -> None:
    folders = set()
    for path in paths:
        if path.endswith(".pyc"):
            with suppress(OSError):
                os.unlink(path)
            folders.add(os.path.dirname(path))
    for folder in folders:
        with suppress(OSError):
            # Others may have something there.
            os.rmdir(folder)


def _verified(entry: Entry) -> Sequence[bool]:
    """Look again at an entry that was taken before everything else was fetched.

    :raises InstallationError: if it was changed meanwhile
    """
    try:
        return entry.verify()
    except Damaged as error:
        said = f"{entry.folder} was changed while pip was running: {error}."
        again = "Run pip again, and it is downloaded anew."
        raise InstallationError(printable(f"{said} {again}")) from None


def _installed(wheel: str, record: _WheelInstallRecord, *, compiles: bool) -> Installed:
    """Note what upstream has just written of a wheel, before anything else is."""
    found = (
        (str(path), written(os.path.join(record.lib_dir, path)))
        for path in record.installed.values()
    )
    files = {path: each for path, each in found if each is not None}
    return Installed(wheel, final_path(record.lib_dir), files, compiles)


def _hashes(preparer: RequirementPreparer, req: InstallRequirement) -> Hashes | None:
    """Return the hashes of which the file of a requirement must have one."""
    if req.is_wheel_from_cache:
        return None
    try:
        return preparer._get_linked_req_hashes(req)
    except HashError:
        # Upstream reports it.
        return None


def _digest(link: Link, hashes: Hashes | None) -> str | None:
    """Return the sha256 that a wheel must have, if it is known which of several."""
    if not link.is_wheel or not hashes:
        return None
    allowed = set(hashes._allowed.get("sha256", ()))
    if told := link.as_hashes()._allowed.get("sha256"):
        allowed.intersection_update(told)
    digest = allowed.pop() if len(allowed) == 1 else ""
    return digest if _SHA256.fullmatch(digest) else None


def _tag(options: optparse.Values) -> str | None:
    """Return what tells bytecode from that of others; None if there is another kind."""
    if not options.compile:
        return "source"
    if (
        sys.flags.optimize
        or sys.pycache_prefix is not None
        or not {"SOURCE_DATE_EPOCH", "PYTHONNODEBUGRANGES"}.isdisjoint(os.environ)
        or "no_debug_ranges" in sys._xoptions
        or sys.implementation.cache_tag is None
    ):
        return None
    return f"{sys.implementation.cache_tag}-{MAGIC_NUMBER.hex()}"


_using: Using | None = None


def begin(preparer: RequirementPreparer, options: optparse.Values) -> None:
    """Let this command, and none after it, use the cache if that is possible."""
    global _using
    if _using is not None:
        _using.close()
        _using = None
    tag = _tag(options)
    if tag is None or not options.cache_dir:
        logger.verbose(
            "Wheels are not kept unpacked: there is no cache, or bytecode is of another "
            "kind (python -O, PYTHONPYCACHEPREFIX, SOURCE_DATE_EPOCH, ...)"
        )
        return
    try:
        folder = Folder(options.cache_dir)
    except OSError as error:
        logger.warning(
            "The cache of unpacked wheels is not used: %s",
            told(error, options.cache_dir),
        )
        return
    _using = Using(preparer, options, folder, tag)
    atomic_upgrade.afterwards(_using.keep)


@contextmanager
def prepared(reqs: Sequence[InstallRequirement]) -> Iterator[None]:
    """Take from the cache what upstream would fetch meanwhile, and keep the rest later."""
    if _using is None:
        yield
        return
    _using.take_due(reqs)
    yield
    _using.expect(reqs)


def unpacked_url(
    fn: Callable[..., File],
    link: Link,
    location: str,
    download: Downloader,
    verbosity: int,
    download_dir: str | None = None,
    hashes: Hashes | None = None,
) -> File:
    """Get one file, while upstream still resolves."""
    wheel = None
    if _using is not None and download is _using.preparer._download:
        wheel = _using.take(link, hashes)
    if wheel is not None:
        return File(wheel)
    return fn(link, location, download, verbosity, download_dir, hashes)


def install_wheel(fn: Callable[..., None], **wheel: Any) -> None:
    """Install one wheel."""
    if _using is None:
        fn(**wheel)
        return
    path, record = wheel["wheel_path"], wheel["record"]
    _using.install(lambda: fn(**wheel), path, record, compiles=wheel["pycompile"])
