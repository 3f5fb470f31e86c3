"""X-rays in the pages. A comment `<!-- xray PROGRAM n=N VIEW: words -->` becomes a frame with the page that xrays.sh has made, and
a link to it. `-D xrays=FOLDER` says where those pages are; without it the comment goes."""
import html
import os
import re
import shutil

from docutils import nodes
from sphinx.util import logging

MARK = re.compile(r"<!-- xray (\S+) ([^:]*):\s+(.*?) -->", re.DOTALL)
CHOICES = {"n": "256", "kernel": "", "launch": "0", "blocks": "0"}


def parts(program, words):
    """The file of a mark, and where it opens."""
    choice, view = dict(CHOICES), []
    for word in words.split():
        name, _, value = word.partition("=")
        if name in choice:
            choice[name] = value
        else:
            view.append(word)
    name = ".".join([program.replace("/", "."), *choice.values()])
    return name + ".html", "&".join(view)


def frame(name, view, caption):
    target = html.escape(f"xrays/{name}#{view}")
    words = html.escape(re.sub(r"[`*]", "", caption))
    return (f'<figure class="xray"><iframe src="{target}" title="X-ray: {words}" loading="lazy"></iframe>'
            f'<figcaption>{words} <a class="reference external" href="{target}">The whole x-ray</a></figcaption></figure>')


def embed(app, doctree):
    for node in list(doctree.findall(nodes.raw)):
        mark = MARK.match(node.astext())
        if not mark:
            continue
        if not app.config.xrays:
            node.parent.remove(node)
            continue
        name, view = parts(mark[1], mark[2])
        if not os.path.isfile(os.path.join(app.config.xrays, name)):
            logging.getLogger(__name__).warning("there is no x-ray %s", name, location=node)
        node.replace_self(nodes.raw("", frame(name, view, mark[3]), format="html"))


def copy(app, error):
    if error or app.builder.format != "html" or not app.config.xrays:
        return
    out = os.path.join(app.outdir, "xrays")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    for name in os.listdir(app.config.xrays):
        shutil.copyfile(os.path.join(app.config.xrays, name), os.path.join(out, name))


def setup(app):
    app.add_config_value("xrays", "", "env", str)
    app.connect("doctree-read", embed)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
