"""Write what the fork's wheel contains as a bill of materials (CycloneDX 1.6, JSON)."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable
from datetime import datetime, timezone
from urllib.parse import quote

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType, Pedigree
from cyclonedx.model.contact import OrganizationalContact
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from tools.release.contents import Contents, Part
from tools.release.errors import ReleaseError

__all__ = ["check", "sbom"]

_NAMESPACE = uuid.UUID("5a3c3f4e-0d0f-4a86-9b1a-6f0c3a4c7a11")
_EDITED = Property(name="pip-variants:edited", value="by seams (fork/seams.py)")


def sbom(contents: Contents, wheel: str, licence: str) -> bytes:
    """Return the bill of materials of a wheel.

    It depends on the wheel alone, and on the variable ``SOURCE_DATE_EPOCH``: without
    that it bears no time. Digests stand with the files of each part, since no part is in
    the wheel as it was published.

    :param wheel: its file name.
    :param licence: of the wheel as a whole.
    :raises ReleaseError: that variable is no time.
    """
    whole = _whole(contents, wheel, licence)
    own = _component(contents.fork)
    upstream = _component(contents.upstream, contents.edited)
    vendored = [_component(part) for part in contents.upstream.parts]
    libraries = [_with_parts(part) for part in contents.libraries]
    bom = Bom(
        serial_number=uuid.uuid5(_NAMESPACE, contents.digest),
        components=[own, upstream, *vendored, *libraries],
    )
    bom.metadata = BomMetaData(
        component=whole,
        authors=[OrganizationalContact(name="The pip-variants developers")],
    )
    time = _time()
    if time is not None:
        bom.metadata.timestamp = time
    bom.register_dependency(whole, [own])
    bom.register_dependency(own, [upstream, *libraries])
    bom.register_dependency(upstream, vendored)
    document = json.loads(JsonV1Dot6(bom).output_as_string())
    if time is None:
        # The library puts down when it was made.
        del document["metadata"]["timestamp"]
    return f"{json.dumps(document, indent=1, sort_keys=True)}\n".encode()


def check(bill: bytes) -> None:
    """Hold a bill of materials against the official schema.

    :raises ReleaseError: it is not of that form.
    """
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill.decode("utf-8"))
    if problem is not None:
        raise ReleaseError(
            f"the bill of materials is not CycloneDX 1.6: {problem}. This is a defect of "
            "tools/release/sbom.py"
        )


def _whole(contents: Contents, wheel: str, licence: str) -> Component:
    """Return the wheel as a component that descends from pip."""
    version = contents.fork.version
    # It is on no registry, where the type "pypi" would send its readers.
    checksum = {"checksum": f"sha256:{contents.digest}"}
    return Component(
        type=ComponentType.APPLICATION,
        name="pip",
        version=version,
        description="pip with native wheel variants",
        bom_ref=wheel,
        purl=PackageURL("generic", None, "pip", version, checksum),
        licenses=[LicenseExpression(licence)],
        hashes=[_hash(contents.digest)],
        pedigree=Pedigree(ancestors=[_bare(contents.upstream, "ancestor:")]),
    )


def _component(part: Part, edited: Iterable[str] = ()) -> Component:
    """Return a part with its files.

    :param edited: paths of files that are not as they were published.
    """
    component = _bare(part)
    for path, digest in part.files.items():
        file = Component(
            type=ComponentType.FILE,
            name=path,
            bom_ref=f"file:{quote(path)}",
            hashes=[_hash(digest)],
            properties=[_EDITED] if path in edited else [],
        )
        component.components.add(file)
    return component


def _with_parts(part: Part) -> Component:
    """Return a part with its files and with what it has taken in."""
    component = _component(part)
    for inner in part.parts:
        component.components.add(_component(inner))
    return component


def _bare(part: Part, prefix: str = "") -> Component:
    """Return a part without its files.

    :param prefix: stands before what others refer to it by, which must differ.
    """
    return Component(
        type=ComponentType.LIBRARY,
        name=part.name,
        version=part.version,
        bom_ref=f"{prefix}{part.purl or part.name}",
        purl=PackageURL.from_string(part.purl) if part.purl else None,
        licenses=[LicenseExpression(part.licence)],
    )


def _hash(digest: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=digest)


def _time() -> datetime | None:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        return None
    try:
        return datetime.fromtimestamp(int(epoch), timezone.utc)
    except (ValueError, OverflowError, OSError):
        raise ReleaseError(
            "SOURCE_DATE_EPOCH must be a whole number of seconds since 1970; set it to "
            f"one, or unset it: {epoch!r}"
        ) from None
