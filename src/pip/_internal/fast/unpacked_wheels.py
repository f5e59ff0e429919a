"""Install the files of unpacked wheels.

pip forbids imports once it has begun to install, so these functions import nothing. If a
file is not as expected, pip installs it as usual.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from importlib.util import MAGIC_NUMBER, cache_from_source
from optparse import Values
from typing import TYPE_CHECKING

from pip._internal.console import printable
from pip._internal.console.output import get_logger
from pip._internal.exceptions import InstallationError
from pip._internal.fast import install_root
from pip._internal.fast.digests import identity, known_sha256, read_sha256, register
from pip._internal.fast.file_linker import FileLinker, can_clone
from pip._internal.fast.space import device_of
from pip._internal.fast.switches import LARGE
from pip._internal.fast.trees import is_faithful, new_files_inherit_nothing
from pip._internal.fast.unpacker import UnpackedWheel, Unpacker
from pip._internal.fast.wheel_store import WheelStore
from pip._internal.locations import get_scheme
from pip._internal.utils import unpacking

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.models.scheme import Scheme
    from pip._internal.operations.install.wheel import ZipBackedFile
    from pip._internal.utils.hashes import Hashes

logger = get_logger(__name__)


class Unpacking:
    """The wheels that a command unpacks early or takes from the store.

    :param options: the options of ``pip install``.
    """

    def __init__(self, options: Values) -> None:
        global _current
        self._options = options
        #: By path of the wheel or of its placeholder.
        self._wheels: dict[str, UnpackedWheel | None] = {}
        #: By installation folder: whether new files inherit no group or permissions.
        self._plain: dict[str, bool] = {}
        scheme = _scheme(options)
        cache = _open_store(options)
        mode = _link_mode(options, cache, scheme)
        self._linker = FileLinker(mode or "copy")
        #: None if nothing is stored; wheels may still be unpacked in the cache.
        self._store = cache if mode is not None else None
        self._cache = cache
        self._unpacker: Unpacker | None = None
        folder = _folder_to_unpack_in(cache, mode, scheme)
        if folder is not None:
            lib = getattr(scheme, "purelib", "") if options.compile else None
            self._unpacker = Unpacker(folder, lib)
        _current = self

    def find(self, link: Link, hashes: Hashes) -> str | None:
        """Return the placeholder archive of a stored wheel, or None.

        With ``--require-hashes``, and for a URL that the user or a package names, pip
        verifies the sha256 of every file.
        """
        if self._store is None:
            return None
        # A link without a page is such a URL.
        is_strict = self._options.require_hashes or not link.comes_from
        found = self._store.find(hashes, link.filename, thoroughly=is_strict)
        if found is None:
            return None
        logger.info("Using unpacked %s", link.filename)
        path, sha256, self._wheels[path] = found
        register(path, sha256)
        return path

    def add(self, path: str, hashes: Hashes, link: Link | None) -> None:
        """Unpack a large wheel early, and store it if there is a store.

        :param path: the path of the wheel; pip has checked its hash if there are *hashes*.
        :param link: the source of the wheel.
        """
        if path in self._wheels or os.path.getsize(path) < LARGE:
            return

        def finish(archive: zipfile.ZipFile, unpacked: UnpackedWheel) -> UnpackedWheel:
            """Store an unpacked wheel if its sha256 is expected."""
            # Another user may have replaced a local wheel since pip checked its hash.
            if self._store is None or link is None or link.is_file or not hashes:
                return unpacked
            sha256 = known_sha256(path) or read_sha256(path)
            if not hashes.is_hash_allowed("sha256", sha256):
                return unpacked
            try:
                return self._store.add(archive, unpacked, sha256, link.filename)
            except (OSError, ValueError) as error:
                logger.debug("pip does not store the unpacked %s: %s", path, error)
                return unpacked

        if self._unpacker is not None:
            self._unpacker.add(path, finish)

    def stop(self) -> None:
        """Remove the wheels that were unpacked early, and unpack no others."""
        if self._unpacker is not None:
            self._unpacker.close()

    def close(self) -> None:
        """Allow other processes to remove stored wheels."""
        global _current
        _current = None
        install_root.BYTECODE.clear()
        self.stop()
        if self._cache is not None:
            self._cache.close()

    def move(self, file: ZipBackedFile) -> bool:
        """Install a file of a wheel, and return whether that succeeded.

        :raises InstallationError: if a stored file was changed.
        :raises OSError: if pip cannot install a stored file.
        """
        path = str(file._zip_file.filename)
        wheel, info = self._wheel(path), file._getinfo()
        if wheel is None or info.filename not in wheel.numbers:
            return False
        number = wheel.numbers[info.filename]
        source, target = wheel.path(number), file.dest_path
        is_placeholder = os.path.dirname(path) == wheel.folder
        try:
            if not self._put(source, target, wheel):
                return False
        except OSError as error:
            if not is_placeholder:
                return False
            if not isinstance(error, FileNotFoundError):
                raise
            said = f"'{wheel.folder}' was changed while pip was running."
            fix = "Run pip again to download the wheel again."
            raise InstallationError(printable(f"{said} {fix}")) from None
        file.written = True
        if unpacking.zip_item_is_executable(info):
            unpacking.set_extracted_file_to_default_mode_plus_executable(target)
        final = install_root.final_path(target)
        place = os.path.join(wheel.lib, os.path.normpath(file.src_record_path))
        if f"{number}.pyc" in wheel.files and (wheel.is_stored or place == final):
            put = partial(self._put_bytecode, identity(target), wheel, number)
            install_root.BYTECODE[target] = put
        return True

    def _put_bytecode(
        self, module: tuple[int, ...], wheel: UnpackedWheel, number: int, path: str
    ) -> bool:
        """Install the bytecode of a module, and return whether that succeeded.

        :param module: the identity of the unchanged module.
        """
        target = cache_from_source(path)
        try:
            if identity(path) != module:
                return False
            os.makedirs(os.path.dirname(target), exist_ok=True)
            return self._put(f"{wheel.path(number)}.pyc", target, wheel)
        except OSError:
            return False

    def _wheel(self, path: str) -> UnpackedWheel | None:
        if path not in self._wheels:
            wheel = None if self._unpacker is None else self._unpacker.get(path)
            self._wheels[path] = wheel
            if wheel is not None:
                logger.debug("%s was unpacked early, in %s", path, wheel.folder)
        return self._wheels[path]

    def _put(self, source: str, target: str, wheel: UnpackedWheel) -> bool:
        """Install a file, unless its permissions may differ from those of a new file.

        :return: whether the file was installed.
        :raises OSError: if pip cannot install the file.
        """
        folder = os.path.dirname(target)
        if folder not in self._plain:
            self._plain[folder] = is_faithful() and new_files_inherit_nothing(folder)
        if wheel.is_stored:
            if os.path.lexists(target):
                os.unlink(target)
            self._linker.put(source, target, may_link=self._plain[folder])
        elif self._plain[folder] and not os.path.lexists(target):
            os.rename(source, target)
        else:
            return False
        return True


def _scheme(options: Values) -> Scheme | None:
    """Return the install scheme, or None if pip moves packages later."""
    if options.target_dir is not None:
        return None
    return get_scheme(
        "any",
        user=options.use_user_site,
        root=options.root_path,
        isolated=options.isolated_mode,
        prefix=options.prefix_path,
    )


def is_usual() -> bool:
    """Return whether Python writes bytecode in the default way.

    Programs that embed Python may be ``sys.executable`` themselves.
    """
    return bool(
        re.match("python|pypy", os.path.basename(sys.executable or ""), re.IGNORECASE)
        and sys.implementation.cache_tag
        and sys.pycache_prefix is None
        and not sys.flags.optimize
        and not {"SOURCE_DATE_EPOCH", "PYTHONNODEBUGRANGES"} & os.environ.keys()
    )


def _open_store(options: Values) -> WheelStore | None:
    if not options.cache_dir:
        return None
    bytecode = f"{sys.implementation.cache_tag}-{MAGIC_NUMBER.hex()}"
    try:
        return WheelStore(options.cache_dir, bytecode if options.compile else "source")
    except OSError as error:
        message = f"pip does not use its store of unpacked wheels: {error}"
        if options.link_mode is None:
            logger.debug("%s", message)
        else:
            logger.warning("%s", printable(message))
        return None


def _link_mode(
    options: Values, store: WheelStore | None, scheme: Scheme | None
) -> str | None:
    """Return the method for installing stored files, or None if the store is off.

    By default, pip stores wheels only if stored wheels take no space, that is, if pip can
    clone files from its cache to the environment.
    """
    # Hashes of other algorithms cannot be checked without the wheel.
    if store is None or options.no_require_hashes:
        return None
    if options.link_mode is not None:
        return str(options.link_mode)
    is_free = _is_beside(store.path, scheme) and can_clone(store.path)
    return "clone" if is_free else None


def _folder_to_unpack_in(
    cache: WheelStore | None, mode: str | None, scheme: Scheme | None
) -> str | None:
    """Create the folder for wheels that are unpacked early.

    :return: the folder; None if files cannot be moved, or would differ from new files.
    """
    if mode is None and not is_faithful():
        return None
    # The next run removes what a killed pip leaves in the store.
    if cache is not None and (mode is not None or _is_beside(cache.path, scheme)):
        return cache.new_folder()
    if scheme is None or _is_beside(tempfile.gettempdir(), scheme):
        return tempfile.mkdtemp(prefix="pip-unpacked-")
    return None


def _is_beside(folder: str, scheme: Scheme | None) -> bool:
    """Return whether a folder is on the same disk as the installed packages."""
    if scheme is None:
        return False
    device = device_of(folder)
    return device == device_of(scheme.purelib) == device_of(scheme.platlib)


_current: Unpacking | None = None


def save(fn: Callable[[ZipBackedFile], None], file: ZipBackedFile) -> None:
    """Install one file of a wheel."""
    if _current is None or not _current.move(file):
        fn(file)
