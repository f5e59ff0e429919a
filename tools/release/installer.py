"""Make ``get-pip-variants.py``: the carrier's wheel, and what unpacks and runs it."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from tools.release.errors import ReleaseError

__all__ = ["installer"]

_TEMPLATE = Path(__file__).with_name("installer_template.py")
_WIDTH = 88


def installer(carrier: Path) -> bytes:
    """Return the script that does what the carrier's wheel does, without a network.

    :raises ReleaseError: the template has no place for the wheel.
    """
    content = carrier.read_bytes()
    encoded = base64.b85encode(content).decode("ascii")
    lines = (encoded[at : at + _WIDTH] for at in range(0, len(encoded), _WIDTH))
    text = _TEMPLATE.read_text(encoding="utf-8")
    digest = hashlib.sha256(content).hexdigest()
    text = _filled(text, "SHA256", f'"{digest}"')
    text = _filled(text, "WHEEL", '"""\n' + "\n".join(lines) + '\n"""')
    return text.encode("utf-8")


def _filled(text: str, name: str, value: str) -> str:
    """Return a module's text with another value of an empty constant."""
    empty = re.compile(rf'^{name} = ""$', re.MULTILINE)
    if len(empty.findall(text)) != 1:
        raise ReleaseError(
            f'{_TEMPLATE.name} must have the line {name} = "" once; put it back'
        )
    return empty.sub(lambda _: f"{name} = {value}", text)
