"""The documentation site. The pages are the Markdown of docs/ as it stands:

    cmake --build build --target docs
"""
from sphinx.errors import ConfigError

try:
    import myst_parser  # noqa: F401
    import sphinx_rtd_theme  # noqa: F401
except ImportError as missing:
    raise ConfigError(f"{missing}. Install python3-myst-parser and python3-sphinx-rtd-theme")

project = "Warpbook"
author = "the authors of Warpbook"
project_copyright = "the authors of Warpbook, MIT licence"
extensions = ["myst_parser", "sphinx_rtd_theme"]
root_doc = "README"
exclude_patterns = ["site"]
myst_heading_anchors = 3  # the names that a code host gives to headings
myst_enable_extensions = ["dollarmath"]
html_theme = "sphinx_rtd_theme"
html_title = "Warpbook"
html_favicon = "icon.svg"
html_static_path = ["static"]
html_css_files = ["warpbook.css"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False


def add_contents(app, name, source):
    """The list of pages beside the text. Here, so that the page itself needs no words that only Sphinx knows."""
    if name == root_doc:
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"


def setup(app):
    app.connect("source-read", add_contents)
