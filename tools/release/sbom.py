"""Write a bill of materials of the fork's wheel (CycloneDX 1.6, JSON)."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Collection
from importlib.metadata import distributions
from pathlib import Path
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

from tools.release.contents import Part

__all__ = ["sbom"]

_NAMESPACE = uuid.UUID("5a3c3f4e-0d0f-4a86-9b1a-6f0c3a4c7a11")
_EDITED = Property(name="pip-variants:edited", value="by seams (fork/seams.py)")


def sbom(fork: Part, wheel: Path, edited: Collection[str]) -> bytes:
    """Return the bill of materials of a wheel, which depends only on the wheel.

    The document contains no time. Each part lists the digests of its files, because the
    wheel contains no part exactly as published.

    :param edited: the paths of upstream's files that the fork has edited.
    """
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (metadata,) = (each.metadata for each in distributions(path=[str(wheel)]))
    # The wheel is on no registry; the type "pypi" would point readers to one.
    checksum = {"checksum": f"sha256:{digest}"}
    whole = Component(
        type=ComponentType.APPLICATION,
        name="pip",
        version=fork.version,
        description="pip with native wheel variants",
        bom_ref=wheel.name,
        purl=PackageURL("generic", None, "pip", fork.version, checksum),
        licenses=[LicenseExpression(metadata["License-Expression"])],
        hashes=[_hash(digest)],
        pedigree=Pedigree(ancestors=[_component(fork.parts[0], "ancestor:")]),
    )
    bom = Bom(serial_number=uuid.uuid5(_NAMESPACE, digest))
    bom.metadata = BomMetaData(
        component=whole,
        authors=[OrganizationalContact(name="The pip-variants developers")],
    )
    bom.register_dependency(whole, [_add(bom, fork, edited)])
    document = json.loads(JsonV1Dot6(bom).output_as_string())
    # The library adds the current time.
    del document["metadata"]["timestamp"]
    text = f"{json.dumps(document, indent=1, sort_keys=True)}\n"
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert problem is None, problem
    return text.encode()


def _add(bom: Bom, part: Part, edited: Collection[str]) -> Component:
    """Add a part with its files, and the parts that it contains."""
    component = _component(part)
    for path, digest in part.files.items():
        file = Component(
            type=ComponentType.FILE,
            name=path,
            bom_ref=f"file:{quote(path)}",
            hashes=[_hash(digest)],
            properties=[_EDITED] if path in edited else [],
        )
        component.components.add(file)
    bom.components.add(component)
    bom.register_dependency(component, [_add(bom, each, edited) for each in part.parts])
    return component


def _component(part: Part, prefix: str = "") -> Component:
    """Return the SBOM component for a part, without its files.

    :param prefix: a prefix that makes the component's reference (``bom-ref``) unique.
    """
    return Component(
        type=ComponentType.LIBRARY,
        name=part.name,
        version=part.version,
        bom_ref=f"{prefix}{part.purl or part.name}",
        purl=PackageURL.from_string(part.purl) if part.purl else None,
        licenses=[LicenseExpression(part.license)],
    )


def _hash(digest: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=digest)
