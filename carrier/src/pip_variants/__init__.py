"""Install pip with native wheel variants, from a wheel inside this package.

``python -m pip_variants bootstrap`` replaces the pip of an environment, ``python -m
pip_variants venv`` creates an environment with the fork, and virtualenv uses the package as
a seeder. Nothing is downloaded, and only the standard library is needed.

This module imports nothing, not even ``__future__``: ``python -m pip_variants`` runs it
while the working directory is still first on ``sys.path``.
"""

__all__: list[str] = []
