"""The documentation site. The pages are the Markdown of docs/ as it stands:

    cmake --build build --target docs

What it needs is installed beside Sphinx: Furo (the theme), sphinx-copybutton, and KaTeX, which is copied into the site so
that formulas need no network.
"""
import os
import sys

from sphinx.errors import ConfigError

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
PACKAGES = "python3-sphinx python3-myst-parser furo python3-sphinx-copybutton libjs-katex"

try:
    import furo  # noqa: F401
    import myst_parser  # noqa: F401
    import sphinx_copybutton  # noqa: F401
except ImportError as missing:
    raise ConfigError(f"{missing}. The site needs: sudo apt-get install {PACKAGES}")

project = "Warpbook"
author = "the authors of Warpbook"
project_copyright = "the authors of Warpbook, MIT licence"
extensions = ["myst_parser", "sphinx_copybutton", "formulas", "sources", "xrays", "furo_parts"]
root_doc = "README"
exclude_patterns = ["site"]
myst_heading_anchors = 3  # the anchors that a code host gives to headings
myst_enable_extensions = ["dollarmath"]
html_theme = "furo"
pygments_style = "xcode"  # these two: every colour is readable, see tests/docs/browser.py
pygments_dark_style = "github-dark"
html_theme_options = {"navigation_with_keys": True}
html_title = "Warpbook"
html_favicon = "icon.svg"
html_logo = "icon.svg"
html_static_path = ["static"]
html_css_files = ["warpbook.css"]
html_js_files = ["enlarge.js", "tables.js", "words.js", "xrays.js"]
copybutton_prompt_text = "$ "  # of a session only the commands are copied, without the prompt and the output
copybutton_line_continuation_character = "\\"
html_math_renderer = "katex"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False

# The list of pages beside the text: captions, and the pages below them. An unlisted page comes last.
CONTENTS = [
    ("Start", ["install"]),
    ("The GPU", ["gpu", "speed", "language", "libraries", "vendors", "techniques", "hopper", "glossary"]),
    ("Chapters", ["[0-9]*"]),
    ("Tools", ["runner", "learning", "projects", "findings", "xray", "profile", "editors", "grading", "course", "teaching"]),
    ("How it works", ["counters", "simt", "compatibility", "simtcc", "estimate", "trace"]),
    ("For maintainers", ["maintaining", "mistakes"]),
]


def contents(pages):
    listed = {name for _, names in CONTENTS for name in names}
    rest = sorted(page for page in pages if page not in listed | {root_doc} and not page[0].isdigit())
    for caption, names in CONTENTS + ([("More", rest)] if rest else []):
        yield "\n```{toctree}\n:hidden:\n:glob:\n:caption: " + caption + "\n\n" + "\n".join(names) + "\n```\n"


def add_contents(app, name, source):
    """Here, so that the page itself needs no markup that only Sphinx knows."""
    if name == root_doc:
        source[0] += "".join(contents(app.env.found_docs))


def read_again(app, env, added, changed, removed):
    """Sphinx copies changed scripts and styles only when it has a page to write."""
    return [root_doc]


def setup(app):
    app.connect("source-read", add_contents)
    app.connect("env-get-outdated", read_again)
