"""Make ``get-pip-variants.py``, which contains and runs the carrier's wheel."""

from __future__ import annotations

import base64
import hashlib
import textwrap
from pathlib import Path

__all__ = ["installer"]

_TEMPLATE = Path(__file__).with_name("installer_template.py")


def installer(carrier: Path) -> bytes:
    """Return the script that runs the carrier without a network."""
    content = carrier.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    encoded = "\n".join(textwrap.wrap(base64.b85encode(content).decode("ascii"), 88))
    text = _TEMPLATE.read_text(encoding="utf-8")
    for name, value in (("SHA256", f'"{digest}"'), ("WHEEL", f'"""\n{encoded}\n"""')):
        before, empty, after = text.partition(f'\n{name} = ""\n')
        assert empty, f'{_TEMPLATE.name} lacks {name} = ""'
        text = f"{before}\n{name} = {value}\n{after}"
    return text.encode("utf-8")
