"""How the files of a release are called."""

from __future__ import annotations

__all__ = ["INSTALLER", "SBOM", "SUMS", "ZIPAPP"]

#: The fork's pip in one file, to be run without being installed.
ZIPAPP = "pip-variants.pyz"
#: Puts the fork in place of pip.
INSTALLER = "get-pip-variants.py"
#: What the fork's wheel contains, in the form of CycloneDX.
SBOM = "pip-variants.cdx.json"
#: The digests of all other files.
SUMS = "SHA256SUMS"
