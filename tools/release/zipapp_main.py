"""Start the pip in this file; the ``__main__.py`` of ``pip-variants.pyz``."""
# An older Python must be able to parse this file, to report that it is too old.

import sys

if sys.version_info < (3, 10):  # noqa: UP036
    sys.exit(
        "error: this pip needs Python 3.10 or newer. Run the file with python3.13, "
        "for example. This is Python " + sys.version.partition(" ")[0]
    )

from pip._internal.cli.main import cli

sys.exit(cli())
