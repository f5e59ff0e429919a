"""Carries the wheel of pip with native wheel variants, and puts it into environments.

``python -m pip_variants bootstrap`` puts it in place of a pip, ``python -m pip_variants
venv`` makes an environment with it, and virtualenv finds it as a seeder. Nothing is
downloaded, and nothing but the standard library is needed.

This module imports nothing, ``__future__`` included: ``python -m pip_variants`` runs it
while the working folder is still the first place where Python looks for modules.
"""

__all__: list[str] = []
