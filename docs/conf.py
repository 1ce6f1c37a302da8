"""Sphinx reads the Markdown of this folder: `python -m sphinx -W -b html docs docs/_build`."""

project = "pandas-dp"
extensions = ["myst_nb"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
source_suffix = {".md": "myst-nb"}
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
root_doc = "index"
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "pandas-dp"
