"""Run the command line for publishers: ``python -m wheel_variants``."""

import sys

if __name__ == "__main__":
    # ``-m`` puts the working directory first, which may contain any json.py. Only sys is
    # imported before this line, so no module of that directory runs.
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        del sys.path[0]
    from wheel_variants.publish.cli import script

    sys.exit(script())
