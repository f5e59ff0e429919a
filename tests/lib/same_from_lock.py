"""Compare installations from one lock file with installations from the index.

Each random project is locked once. Then pip resolves the project for each of its machines
twice: from the index, and from the lock file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import tomli

from tests.lib.environments import Environment, Result, Workshop
from tests.lib.hosts import write_host
from tests.lib.in_process import InProcess, InProcessWorkshop
from tests.lib.index import IndexServer
from tests.lib.random_releases import RandomProject, random_project

#: The maximum number of projects to generate for one comparable project.
_TRIES = 25

#: The reason for rejecting projects that pip cannot lock although each machine can install
#: them.
REFUSED = "variant-lock-conflict alone"
_LOCK_CONFLICT = "variant-lock-conflict"
_LOCK_CONDITIONS = "variant-lock-conditions"


class Taken(NamedTuple):
    """The selected version and label of a package.

    :ivar label: the label; empty for a plain wheel.
    """

    version: str
    label: str


@dataclass(frozen=True)
class Pair:
    """The selections of one machine from the index and the lock file.

    :ivar locked: the selection; None if the machine cannot install from the lock file.
    :ivar differences: the differences between both selections.
    """

    host: str
    index: Mapping[str, Taken]
    locked: Mapping[str, Taken] | None
    differences: Sequence[str]

    @property
    def is_in_another_version(self) -> bool:
        """Whether the lock file gives a package another version than the index."""
        return self.locked is not None and any(
            taken.version != self.index[name].version
            for name, taken in self.locked.items()
            if name in self.index
        )

    @property
    def builds(self) -> frozenset[tuple[str, str]]:
        """The labels from the index, for packages with variants."""
        return frozenset(
            (name, taken.label) for name, taken in self.index.items() if taken.label
        )


@dataclass(frozen=True)
class LockComparison:
    """A project and its results on each machine.

    :ivar lock: the entries of the lock file with their markers; without a lock file, pip's
        output.
    """

    project: RandomProject
    lock: str
    pairs: tuple[Pair, ...]

    @property
    def unlike(self) -> list[Pair]:
        """The machines with different results."""
        return [pair for pair in self.pairs if pair.differences]

    @property
    def depends_on_more_than_builds(self) -> bool:
        """Whether machines with equal labels need different packages."""
        needs: dict[frozenset[tuple[str, str]], set[frozenset[str]]] = {}
        for pair in self.pairs:
            needs.setdefault(pair.builds, set()).add(frozenset(pair.index))
        return any(len(each) > 1 for each in needs.values())

    def __str__(self) -> str:
        """Describe the differences between machines."""
        lines = [str(self.project), "lock:", self.lock]
        for pair in self.unlike:
            supported = json.dumps(self.project.hosts[pair.host]["supported"])
            lines.append(f"host {pair.host}: {supported}")
            lines += [f"  {each}" for each in pair.differences]
            lines.append(f"  from the index: {_listed(pair.index)}")
            if pair.locked is not None:
                lines.append(f"  from the lock: {_listed(pair.locked)}")
        return "\n".join(lines)


class Rejected(Exception):
    """A project cannot be compared, because pip cannot lock or install it.

    :ivar reason: the reason, with the same text for equal reasons.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Sample(NamedTuple):
    """A comparable project, and the projects rejected before it."""

    comparison: LockComparison
    rejected: tuple[str, ...]


def draw(number: int, workshop: Workshop | InProcessWorkshop, folder: Path) -> Sample:
    """Generate projects until one can be compared, and compare that project.

    :param number: the number of the sample; the same number gives the same sample.
    :param folder: the folder for files of the commands.
    :raises LookupError: if none of many projects can be compared.
    """
    rejected: list[str] = []
    for attempt in range(_TRIES):
        project = random_project(number * _TRIES + attempt)
        venv = workshop.fork(folder / str(project.seed))
        try:
            return Sample(compare(project, venv), tuple(rejected))
        except Rejected as error:
            rejected.append(error.reason)
    raise LookupError(f"of sample {number}, all projects are rejected: {rejected}")


def compare(project: RandomProject, venv: Environment | InProcess) -> LockComparison:
    """Lock a project, and compare the selections of each machine.

    :raises Rejected: if the project's versions conflict, in the lock file or on some
        machine.
    """
    with IndexServer() as index:
        project.serve(index)
        lock = venv.pip(
            *("lock", "-q", "-i", index.index_url, "-o", "pylock.toml"),
            *project.roots,
            code=None,
        )
        if f"error: {_LOCK_CONDITIONS}" in lock.stderr:
            raise Rejected(_LOCK_CONDITIONS)
        hosts = {
            name: write_host(venv.work / f"{name}.json", host)
            for name, host in project.hosts.items()
        }
        install = [
            *("install", "--dry-run", "--report", "report.json"),
            *("-i", index.index_url, "--variant-host"),
        ]
        found = {}
        for name, host in hosts.items():
            result = venv.pip(*install, host, *project.roots, code=None)
            _refuse_conflict(result, lock)
            found[name] = _planned(venv.work)
        if _is_conflict(lock):
            raise Rejected(REFUSED)
        if lock.returncode:
            said = "the project cannot be locked"
            pairs = [Pair(each, found[each], None, [said]) for each in hosts]
            return LockComparison(project, str(lock), tuple(pairs))
        text = (venv.work / "pylock.toml").read_text(encoding="utf-8")
        content = tomli.loads(text)
        pairs = []
        for name, host in hosts.items():
            result = venv.pip(*install, host, "-r", "pylock.toml", code=None)
            if result.returncode:
                pairs.append(Pair(name, found[name], None, [str(result)]))
                continue
            locked = _planned(venv.work)
            unlike = differences(found[name], locked, _versions(content))
            pairs.append(Pair(name, found[name], locked, unlike))
    return LockComparison(project, _shown(content), tuple(pairs))


def differences(
    index: Mapping[str, Taken],
    locked: Mapping[str, Taken],
    versions: Mapping[str, Collection[str]],
) -> list[str]:
    """Return the differences between two installations.

    The version of a package may differ if the lock file does not contain the version from
    the index.

    :param index: the packages installed from the index, by name.
    :param locked: the packages installed from the lock file, by name.
    :param versions: the versions in the lock file, by name.
    """
    told = [f"only from the index: {name}" for name in sorted(index.keys() - locked)]
    told += [f"only from the lock: {name}" for name in sorted(locked.keys() - index)]
    for name in sorted(index.keys() & locked.keys()):
        ours, theirs = locked[name], index[name]
        if ours.label != theirs.label:
            told.append(
                f"{name}: the index has build {theirs.label or 'plain'}, "
                f"the lock {ours.label or 'plain'}"
            )
        elif ours.version not in versions.get(name, ()):
            told.append(f"{name}: {ours.version} is not in the lock file")
        elif ours.version != theirs.version and theirs.version in versions[name]:
            told.append(
                f"{name}: {theirs.version} from the index is in the lock file too, "
                f"which gives {ours.version}"
            )
    return told


def _refuse_conflict(result: Result, lock: Result) -> None:
    """Reject a project that a machine cannot install from the index.

    :raises AssertionError: if the reason is not a version conflict.
    """
    if result.returncode:
        assert "ResolutionImpossible" in result.output, str(result)
        too = f"{_LOCK_CONFLICT} and " if _is_conflict(lock) else ""
        raise Rejected(f"{too}a machine without versions that agree")


def _is_conflict(lock: Result) -> bool:
    return f"error: {_LOCK_CONFLICT}" in lock.stderr


def _planned(folder: Path) -> dict[str, Taken]:
    """Return the packages in ``report.json``, by name."""
    path = folder / "report.json"
    report = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    found = {}
    for item in report["install"]:
        filename = item["download_info"]["url"].rpartition("/")[2]
        parts = filename.removesuffix(".whl").split("-")
        label = parts[5] if len(parts) > 5 else ""
        found[parts[0].replace("_", "-")] = Taken(parts[1], label)
    return found


def _versions(content: Mapping[str, Any]) -> dict[str, set[str]]:
    """Return the versions in a lock file, by name."""
    versions: dict[str, set[str]] = {}
    for package in content["packages"]:
        versions.setdefault(package["name"], set()).add(package["version"])
    return versions


def _shown(content: Mapping[str, Any]) -> str:
    """Return the relevant parts of a lock file."""
    lines = [f"  default-groups: {content.get('default-groups', [])}"]
    lines += [
        f"  {package['name']} {package['version']}; {package.get('marker', '')}"
        for package in content["packages"]
    ]
    return "\n".join(lines)


def _listed(taken: Mapping[str, Taken]) -> str:
    return ", ".join(
        f"{name} {each.version}" + (f" ({each.label})" if each.label else "")
        for name, each in sorted(taken.items())
    )
