"""Sphinx reads the Markdown of this folder: `python -m sphinx -W -b html docs docs/_build`."""

project = "pandas-dp"
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "pandas-dp"
