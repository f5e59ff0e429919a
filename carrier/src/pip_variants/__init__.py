"""Carries the wheel of pip with native wheel variants, and puts it into environments.

``python -m pip_variants bootstrap`` puts it in place of a pip, ``python -m pip_variants
venv`` makes an environment with it, and virtualenv finds it as a seeder. Nothing is
downloaded, and nothing but the standard library is needed.
"""

from __future__ import annotations

__all__: list[str] = []
