"""Sphinx reads the Markdown of this folder: `python -m sphinx -W -b html docs docs/_build`."""

import shutil
from pathlib import Path

HERE = Path(__file__).parent
shutil.copytree(HERE.parent / "examples" / "notebooks", HERE / "notebooks", dirs_exist_ok=True)

project = "pandas-dp"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
root_doc = "index"
exclude_patterns = ["_build"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_title = "pandas-dp"
default_role = "code"
autodoc_typehints = "none"
autodoc_member_order = "alphabetical"
toc_object_entries_show_parents = "hide"
add_module_names = False
napoleon_google_docstring = False


def setup(app):
    """The keywords that every question takes are told once, and not in each signature."""

    def shortened(app, what, name, of, options, signature, answer):
        before, found, _ = (signature or "").partition("epsilon=None, delta=None, rho=None")
        if found:
            return before.removesuffix("*, ") + "**keywords)", answer
        return signature, answer

    app.connect("autodoc-process-signature", shortened)
