"""Formulas by KaTeX: copied into the site from where the system has it, so that a reader needs no network.

Debian's libjs-katex is found by itself; elsewhere the variable KATEX names the folder that holds katex.min.js.
"""
import os
import shutil

from docutils import nodes
from sphinx.errors import ExtensionError

PLACES = ["/usr/share/javascript/katex", "/usr/share/nodejs/katex/dist", "/usr/lib/node_modules/katex/dist"]
LICENCES = ["/usr/share/doc/libjs-katex/copyright", "LICENSE", "../LICENSE"]


def katex():
    for place in [os.environ["KATEX"]] if "KATEX" in os.environ else PLACES:
        if os.path.isfile(os.path.join(place, "katex.min.js")):
            return place
    raise ExtensionError("KaTeX is missing. The site needs: sudo apt-get install libjs-katex "
                         "(or KATEX=FOLDER, the folder of katex.min.js)")


def visit_inline(writer, node):
    writer.body.append('<span class="math">' + writer.encode(node.astext()) + "</span>")
    raise nodes.SkipNode


def visit_block(writer, node):
    writer.body.append('<div class="math">' + writer.encode(node.astext()) + "</div>\n")
    raise nodes.SkipNode


def add_scripts(app, page, template, context, doctree):
    if app.builder.format == "html" and app.env.get_domain("math").has_equations(page):
        app.add_css_file("katex/katex.min.css")
        app.add_js_file("katex/katex.min.js")
        app.add_js_file("formulas.js")


def copy(app, error):
    if error or app.builder.format != "html":
        return
    place, out = katex(), os.path.join(app.outdir, "_static", "katex")
    os.makedirs(os.path.join(out, "fonts"), exist_ok=True)
    for name in ["katex.min.js", "katex.min.css"]:
        shutil.copyfile(os.path.join(place, name), os.path.join(out, name))
    for name in os.listdir(os.path.join(place, "fonts")):
        if name.endswith(".woff2"):
            shutil.copyfile(os.path.join(place, "fonts", name), os.path.join(out, "fonts", name))
    for licence in (os.path.join(place, name) for name in LICENCES):
        if os.path.isfile(licence):
            shutil.copyfile(licence, os.path.join(out, "LICENSE.txt"))
            break


def setup(app):
    katex()
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_block, None))
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
