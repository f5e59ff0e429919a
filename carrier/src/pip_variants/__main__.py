"""``python -m pip_variants``."""

from __future__ import annotations

import sys

from pip_variants.cli import main

if __name__ == "__main__":
    sys.exit(main())
