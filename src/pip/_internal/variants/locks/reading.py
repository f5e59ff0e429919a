"""Choose among the builds in a lock file for the machine that installs from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging._variants import split_label
from pip._vendor.packaging.markers import (
    Marker,
    UndefinedComparison,
    UndefinedEnvironmentName,
)
from pip._vendor.packaging.pylock import Package, PackageSdist, PackageWheel, Pylock
from pip._vendor.packaging.tags import create_compatible_tags_selector, sys_tags
from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename
from pip._vendor.packaging.version import InvalidVersion

from pip._internal.models.link import Link
from pip._internal.utils.pylock import (
    package_sdist_requirement_url,
    package_wheel_requirement_url,
)
from pip._internal.variants.errors import VariantsDisabled
from pip._internal.variants.links import label_of
from pip._internal.variants.locks.conditions import Build
from pip._internal.variants.locks.groups import group_names
from pip._internal.variants.locks.release import LockedRelease, RelockedRelease
from pip._internal.variants.outcome import nothing_left

if TYPE_CHECKING:
    from pip._internal.index.package_finder import FormatControl
    from pip._internal.variants.context import Context

__all__ = ["narrowed"]


def narrowed(
    lock: Pylock,
    context: Context | None,
    path_or_url: str,
    format_control: FormatControl | None,
    extras: Collection[str] | None,
    dependency_groups: Iterable[str],
    include_default_groups: bool,
) -> Pylock:
    """Leave in a lock file just the builds to install, and what these need.

    Whatever else there is to a lock file is left to upstream.

    :param context: None if nothing is known of variants.
    :param path_or_url: where the file was read.
    :param extras: those asked for.
    :param dependency_groups: those asked for.

    :raises NoCompatibleVariant: if none of the builds of a package runs.
    :raises VariantLabelNotFound: if a label was chosen by hand that a package lacks.
    :raises UnsupportedVariant: if it has it, and the target cannot run that.
    :raises VariantsDisabled: if variants are off, and a package has nothing else.
    """
    if not any(map(_has_variants, lock.packages)):
        return lock
    names = group_names(
        _build(package, wheel)
        for package in lock.packages
        if _has_variants(package)
        for wheel in package.wheels or ()
    )
    own = set(names.values()).intersection(lock.default_groups or ())
    groups = {str(canonicalize_name(name)) for name in dependency_groups}
    if include_default_groups:
        groups |= {*(lock.default_groups or ())} - own
    choices = _Choices(context, path_or_url, format_control)
    environment: dict[str, Any] = {"extras": frozenset(extras or ())}
    while True:
        environment["dependency_groups"] = frozenset(groups)
        held = [(each, _holds(each.marker, environment)) for each in lock.packages]
        needed = [each for each, holds in held if holds is not False]
        # What a build needs may have builds to choose from too.
        chosen = {choices.build(each) for each in needed if _has_variants(each)}
        new = own & {names[build] for build in chosen if build in names}
        if new <= groups:
            break
        groups |= new
    packages = [
        # What cannot be evaluated is left as it is: upstream tells the user.
        replace(choices.narrowed(each), marker=None if holds else each.marker)
        for each, holds in held
        if holds is not False
    ]
    return replace(lock, packages=packages)


def _has_variants(package: Package) -> bool:
    return any(split_label(each.filename)[1] for each in package.wheels or ())


def _build(package: Package, wheel: PackageWheel) -> Build:
    return Build(package.name, split_label(wheel.filename)[1])


def _holds(marker: Marker | None, environment: Mapping[str, Any]) -> bool | None:
    """Evaluate a marker; None if that cannot be done."""
    try:
        return marker is None or marker.evaluate(dict(environment), "lock_file")
    except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion):
        return None


class _Choices:
    """The choices among the builds in one lock file, each made when it is needed."""

    def __init__(
        self,
        context: Context | None,
        path_or_url: str,
        format_control: FormatControl | None,
    ) -> None:
        self._context = context
        self._path_or_url = path_or_url
        self._format_control = format_control
        self._best_first = create_compatible_tags_selector(sys_tags())
        self._made: dict[int, Package] = {}

    def build(self, package: Package) -> Build:
        """Give the build of a package with variants that is chosen."""
        wheels = self.narrowed(package).wheels or ()
        # Of several, or of none, there is no variant among them.
        return _build(package, wheels[0]) if wheels else Build(package.name, None)

    def narrowed(self, package: Package) -> Package:
        """Give a package with just the file of its chosen build.

        Where there is no choice, it has no variants left.
        """
        if not _has_variants(package):
            return package
        if id(package) not in self._made:
            self._made[id(package)] = self._choose(package)
        return self._made[id(package)]

    def _choose(self, package: Package) -> Package:
        wheels = package.wheels or ()
        plain = [each for each in wheels if not _build(package, each).label]
        without_variants = replace(package, wheels=plain or None)
        context = self._context
        if context is None or not context.enabled:
            if not plain and package.sdist is None:
                raise VariantsDisabled(wheels[0].filename)
            return without_variants
        formats = frozenset({"binary", "source"})
        if self._format_control is not None:
            formats = self._format_control.get_allowed_formats(package.name)
        if "binary" not in formats and package.sdist is not None:
            return without_variants
        tagged = ((each, parse_wheel_filename(each.filename)[-1]) for each in wheels)
        files: dict[Link, PackageWheel | PackageSdist] = {
            self._link(package_wheel_requirement_url(self._path_or_url, each)): each
            for each in self._best_first(tagged)
        }
        if all(each in plain for each in files.values()):
            return without_variants
        if "source" in formats and package.sdist is not None:
            url = package_sdist_requirement_url(self._path_or_url, package.sdist)
            files[self._link(url)] = package.sdist
        _, version, *_ = parse_wheel_filename(wheels[0].filename)
        release = LockedRelease(
            context,
            package.name,
            version,
            list(files),
            self._path_or_url,
            vars(package).get("variants_json"),
        )
        key = (package.name, version)
        context.release((*key, tuple(files)), lambda: release)
        if not release.ranked:
            what = f"{package.name}=={version}"
            raise nothing_left(what, context.label_for(package.name), [release])
        link = release.chosen = release.ranked[0]
        chosen = files[link]
        context.locked_labels[package.name] = label_of(link)
        if context.locking is not None:
            again = RelockedRelease(release, link, self._path_or_url)
            context.release((*key, (link,)), lambda: again)
        else:
            # So it is the same decision when the resolver comes to this one file.
            context.release((*key, (link,)), lambda: release)
        if isinstance(chosen, PackageSdist):
            return replace(package, wheels=None)
        return replace(package, wheels=[chosen], sdist=None)

    def _link(self, url: str) -> Link:
        return Link(url, comes_from=self._path_or_url)
