"""How Sphinx builds the site: ``nox -s docs``.

The pages are read in the repository as well. So links name files and headings there, and
what is rendered from the program is in separate pages, which only the site has.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "pip with native wheel variants"
author = "The pip-variants developers"
project_copyright = author
extensions = ["myst_parser", "rendered"]
# A link that leads nowhere is a warning, and a warning fails the session.
nitpicky = True

myst_heading_anchors = 4
# Two dashes are what an option begins with.
smartquotes = False

html_theme = "furo"
html_title = project
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["own.css"]
# Links on the right are 24 pixels apart, as WCAG 2.2 requires.
html_theme_options = {"light_css_variables": {"toc-item-spacing-vertical": "0.6rem"}}
