"""Run the command line for publishers: ``python -m wheel_variants``."""

from __future__ import annotations

import sys

from wheel_variants.publish.cli import script

if __name__ == "__main__":
    sys.exit(script())
