"""The rules for publishers: a check finds each broken rule, and no other rule."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from packaging.version import Version

from tests.lib import public_index
from tests.lib.manifests import cuda, make_manifest, variant_json
from tests.lib.wheels import DistFile, make_wheel
from wheel_variants.manifest_parser import parse_document
from wheel_variants.publish.findings import Finding
from wheel_variants.publish.manifest_rules import check_manifest
from wheel_variants.publish.releases import ReleaseFiles
from wheel_variants.publish.wheel_rules import check_wheel
from wheel_variants.publish.wheels import WheelName
from wheel_variants.rules import RULES


def broken(findings: Iterable[Finding]) -> set[str]:
    return {finding.rule.id for finding in findings}


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"\xff\xfe", b"\xef\xbb\xbf{}", b'{"a": 1, "a": 2}', b'{"a": NaN}'],
)
def test_what_is_no_json(data: bytes) -> None:
    assert broken(check_manifest(data, "x").findings) == {"manifest-json"}


@pytest.mark.skipif(not public_index.is_present(), reason=public_index.ABSENT)
@pytest.mark.parametrize("schema", public_index.SCHEMAS)
def test_the_public_index_keeps_the_rules_of_its_time(schema: str) -> None:
    found: dict[str, list[str]] = {}
    for path in public_index.manifest_paths(schema):
        checked = check_manifest(path.read_bytes(), path.name)
        assert checked.manifest is not None
        for finding in checked.findings:
            assert not finding.is_error, finding
            found.setdefault(finding.rule.id, []).append(path.name)
    assert len(found.pop("draft-schema")) == 96
    # The labels of torch 2.8.0, and the order of its successor's architectures.
    assert set(found) == {"other-null", "unsorted-values"}
    assert all(each.startswith("torch") for names in found.values() for each in names)


MANIFEST = make_manifest({"cu128": cuda("12.8"), "null": {}}, namespaces=["nvidia"])


def wheel(label: str | None = "cu128", embedded: str | None = "cu128") -> DistFile:
    content = None if embedded is None else variant_json(MANIFEST, embedded)
    return make_wheel("demo", "1.0", label=label, variant_json=content)


Change = Callable[[Path], object]


def without(end: str) -> Change:
    """Return a function that omits a member of a wheel."""
    return lambda path: _rewrite(path, lambda n, c: None if n.endswith(end) else c)


def with_member(end: str, change: Callable[[bytes], bytes]) -> Change:
    """Return a function that changes a member of a wheel."""
    return lambda path: _rewrite(path, lambda n, c: change(c) if n.endswith(end) else c)


def with_large_metadata(path: Path) -> None:
    """Make the archive claim 65 MiB of metadata."""
    with zipfile.ZipFile(path, "a") as archive:
        for member in archive.infolist():
            if member.filename.endswith("METADATA"):
                member.file_size = 65 << 20
        archive.writestr("demo/other.py", b"")


def of_another_version(path: Path) -> None:
    _rewrite(path, lambda _, c: c, lambda name: name.replace("-1.0.", "-one."))


def nothing(path: Path) -> None:
    """Leave the wheel unchanged."""


def _rewrite(
    path: Path,
    change: Callable[[str, bytes], bytes | None],
    rename: Callable[[str], str] = str,
) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            changed = change(name, content)
            if changed is not None:
                archive.writestr(rename(name), changed)


def with_entries(*names: str) -> Change:
    """Return a function that adds entries with these names to a wheel."""

    def change(path: Path) -> None:
        with zipfile.ZipFile(path, "a") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of names that are repeated
            for name in names:
                info = zipfile.ZipInfo(name)
                # As it is given: other systems have other separators and ends.
                info.filename = info.orig_filename = name
                archive.writestr(info, b"")

    return change


MARKED = make_wheel("demo", "1.0", requires=["a; 'nvidia' in variant_namespaces"])

WHEELS: Mapping[str, tuple[DistFile, Change, set[str]]] = {
    "a variant": (wheel(), nothing, set()),
    "the null variant": (wheel("null", "null"), nothing, set()),
    "a plain wheel": (wheel(None, None), nothing, set()),
    "no metadata": (wheel("cu128", None), nothing, {"wheel-metadata"}),
    "metadata without a label": (wheel(None, "cu128"), nothing, {"wheel-metadata"}),
    "another label": (wheel("cu129"), nothing, {"wheel-label"}),
    "more than one label": (
        make_wheel("demo", "1.0", label="cu128", variant_json=MANIFEST),
        *(nothing, {"wheel-label"}),
    ),
    "metadata that is none": (
        make_wheel("demo", "1.0", label="cu128", variant_json=b"{"),
        *(nothing, {"manifest-json"}),
    ),
    **{
        f"a RECORD with {what}": (wheel(), change, {"wheel-record"})
        for what, change in {
            "a row too few": with_member(
                "RECORD", lambda data: data.replace(b"__init__.py,", b"other.py,")
            ),
            "another hash": with_member("variant.json", lambda data: data + b" "),
            "nothing": without("RECORD"),
            "other bytes": with_member("RECORD", lambda _: b"\xff"),
            "two columns": with_member("RECORD", lambda _: b"a,b\n"),
            "no table": with_member("RECORD", lambda _: b'"a'),
        }.items()
    },
    "METADATA of 65 MiB": (wheel(), with_large_metadata, {"wheel-readable"}),
    "a folder without version": (wheel(), of_another_version, {"wheel-readable"}),
    "no METADATA": (wheel(), without("METADATA"), {"wheel-readable"}),
    "no WHEEL": (wheel(), without("WHEEL"), {"wheel-readable"}),
    "no archive": (wheel(), lambda path: path.write_bytes(b"x"), {"wheel-readable"}),
    "a name that is none": (
        make_wheel("demo", "1.0", label="CU128", variant_json=MANIFEST),
        nothing,
        {"wheel-name"},
    ),
    "markers": (MARKED, nothing, {"plain-markers"}),
    **{
        f"an entry {name!r}": (wheel(), with_entries(name), {"wheel-entries"})
        for name in (
            *("../x.py", "demo/../../x.py", "demo/./x.py", "demo//x.py", "..", "."),
            *("/x.py", "C:x.py", "c:/x.py", "demo\\x.py", "..\\x.py", "demo/x\0.py"),
            "demo/__init__.py",
        )
    },
    "a folder and a file in it": (
        wheel(),
        with_entries("demo/data/", "demo/data/..x"),
        {"wheel-record"},
    ),
    "a name with markup": (
        make_wheel("demo", "1.0", tag='py3-none-any"><img>'),
        nothing,
        {"wheel-name"},
    ),
}


@pytest.mark.parametrize("case", WHEELS)
def test_wheels(tmp_path: Path, case: str) -> None:
    file, change, rules = WHEELS[case]
    path = file.write_to(tmp_path)
    change(path)
    assert broken(check_wheel(str(path), path.name).findings) == rules


def release(
    embedded: Mapping[str, object], manifest: object = None, plain: bool = True
) -> ReleaseFiles:
    """Create a release with one wheel for each document, by label."""
    made = ReleaseFiles("demo", Version("1.0"))  # type: ignore[arg-type]
    for label, document in embedded.items():
        name = WheelName(f"demo-1.0-py3-none-any-{label}.whl")
        made.wheels.append(name)
        made.embedded[name.filename] = parse_document(document)
    if plain:
        made.wheels.append(WheelName("demo-1.0-py3-none-any.whl"))
    if manifest is not None:
        made.manifest_name = "demo-1.0-variants.json"
        made.manifest = parse_document(manifest)
    return made


def embedded(label: str, lower: str = "12.8", **options: object) -> dict[str, object]:
    document = make_manifest(
        {label: cuda(lower)} if label != "null" else {"null": {}},
        **{"namespaces": ["nvidia"], **options},  # type: ignore[arg-type]
    )
    return variant_json(document, label)


AMD = embedded("b", namespaces=["amd", "nvidia"])
GOOD = {"cu128": embedded("cu128"), "null": embedded("null")}
OTHER_PROVIDER = embedded("b")
OTHER_PROVIDER["providers"] = {"nvidia": {"requires": ["nvidia-variant-provider>=9"]}}

RELEASES: Mapping[str, tuple[ReleaseFiles, set[str]]] = {
    "good": (release(GOOD, MANIFEST), set()),
    "without a manifest": (release(GOOD), set()),
    "plain wheels alone": (release({}), set()),
    "a longer list of namespaces": (
        release({**GOOD, "b": embedded("b", namespaces=["nvidia", "amd"])}),
        set(),
    ),
    "other namespaces": (release({**GOOD, "b": AMD}), {"namespaces-agree"}),
    "other properties": (
        release({"cu128": embedded("cu128", "12.9")}, MANIFEST),
        {"properties-agree", "label-used"},
    ),
    "another provider": (release({**GOOD, "b": OTHER_PROVIDER}), {"providers-agree"}),
    "another schema": (
        release({**GOOD, "b": embedded("b", schema="0.1.1")}),
        {"schemas-agree"},
    ),
    "a label that the manifest lacks": (
        release({**GOOD, "b": embedded("b")}, MANIFEST),
        {"wheel-listed"},
    ),
    "no plain wheel": (release(GOOD, MANIFEST, plain=False), {"plain-fallback"}),
}


@pytest.mark.parametrize("case", RELEASES)
def test_releases(case: str) -> None:
    made, rules = RELEASES[case]
    findings = [
        *made.check_agreement(),
        *made.check_labels(),
        *made.check_fallback("x"),
    ]
    assert broken(findings) == rules


def test_the_files_that_disagree_are_named_with_what_to_do() -> None:
    made = replace(RELEASES["other namespaces"][0], prefix="dist/")
    (finding,) = made.check_agreement()
    assert finding.subjects == (
        "dist/demo-1.0-py3-none-any-b.whl",
        "dist/demo-1.0-py3-none-any-cu128.whl",
    )
    assert "['amd', 'nvidia'] and ['nvidia']" in finding.problem
    assert "[variant.default-priorities]" in str(finding.remedy)


def test_a_source_distribution_is_a_fallback() -> None:
    made, _ = RELEASES["no plain wheel"]
    with_sdist = release(GOOD, MANIFEST, plain=False)
    with_sdist.sdists.append("demo-1.0.tar.gz")
    assert broken(made.check_fallback("x")) == {"plain-fallback"}
    assert broken(with_sdist.check_fallback("x")) == set()


#: Of an index: what these say is tested with a real one.
OF_AN_INDEX = {"manifest-name", "manifest-present", "manifest-hash", "wheel-hash"}
#: Of a folder, too.
OF_A_FOLDER = {"regular-file", "sdist-name"}


def test_every_rule_is_broken_by_something() -> None:
    tested = {rule for _, rules in RELEASES.values() for rule in rules}
    tested |= {rule for *_, rules in WHEELS.values() for rule in rules}
    of_manifests = {rule.id for rule in RULES.values() if rule.effect is not None}
    assert tested | of_manifests == set(RULES) - OF_AN_INDEX - OF_A_FOLDER
