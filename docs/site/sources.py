"""The sources that a page links to, as highlighted pages of the site; the part to fill is marked.

A link to a file that is no page, [`01-atomic.cu`](../01-reduction/01-atomic.cu), leads to the page sources/... made here.
A site may be published: of a step that is solved in this tree it shows the starter, from the folder `starters`.
"""
import html
import os
import posixpath
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.util.osutil import relative_uri

LANGUAGES = {".cu": "cuda", ".h": "cuda", ".c": "c", ".cmake": "cmake", ".py": "python", ".sh": "sh", ".yml": "yaml"}

NUMBER = re.compile(r'<span class="linenos">([ 0-9]*)</span>')  # drawn by the style, so that a copy omits it
MARKED = re.compile(r'<span class="hll">(.*)\n</span>')  # the line's end goes outside, so that it is copied once


def links(app):
    """page -> {source: [title of the page]}; kept with the pages that were not read again."""
    if not hasattr(app.env, "warpbook_sources"):
        app.env.warpbook_sources = {}
    return app.env.warpbook_sources


def forget(app, env, page):
    links(app).pop(page, None)


def merge(app, env, pages, other):
    links(app).update({page: other.warpbook_sources[page] for page in pages if page in other.warpbook_sources})


def redirect(app, doctree):
    """A link that would download a file of the tree shows it."""
    page, tree = app.env.docname, os.path.dirname(os.path.abspath(app.srcdir))
    for link in list(doctree.findall(addnodes.download_reference)):
        path = os.path.abspath(os.path.join(app.srcdir, posixpath.dirname(page), link["reftarget"]))
        name = os.path.relpath(path, tree).replace(os.sep, "/")
        if not os.path.isfile(path) or name.startswith("../"):
            continue
        links(app).setdefault(page, {})[name] = link.astext()
        app.env.note_dependency(path)
        target = relative_uri(app.builder.get_target_uri(page), app.builder.get_target_uri("sources/" + name))
        reference = nodes.reference("", "", *link.children, refuri=target, internal=True)
        link.replace_self(reference)


def todo_lines(text):
    """The lines from `// TODO:` to `// END TODO`."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        inside = inside or line.strip().startswith("// TODO:")
        if inside:
            yield number
        inside = inside and not line.strip().startswith("// END TODO")


def ranges(lines):
    """Rising numbers in words: 2 to 3 and 7 to 9."""
    ends = [(first, next(last for last in lines if last >= first and last + 1 not in lines))
            for first in lines if first - 1 not in lines]
    words = [f"{first} to {last}" for first, last in ends]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def body(app, name, pages, text):
    marked = list(todo_lines(text))
    language = LANGUAGES.get(os.path.splitext(name)[1], "text")
    code = app.builder.highlighter.highlight_block(text, language, linenos="inline", hl_lines=marked)
    code = code.replace("<pre>", '<pre><span class="lines">', 1).replace("</pre>", "</span></pre>", 1)
    here = app.builder.get_target_uri("sources/" + name)
    code = MARKED.sub(r'<span class="hll">\1</span>\n', code)
    code = NUMBER.sub(r'<span class="linenos" data-line="\1"></span>', code)
    code = code.replace('<span class="hll">', '<span class="hll" id="todo">', 1)
    back = ", ".join(f'<a href="{relative_uri(here, app.builder.get_target_uri(page))}">'
                     f"{html.escape(app.env.titles[page].astext())}</a>" for page in pages)
    where = ""
    if marked:
        where = (f'<p class="todo-note">Your part: <a href="#todo">lines {ranges(marked)}</a>, marked below. '
                 f"In your tree the file is <code>{html.escape(name)}</code>.</p>")
    return (f'<section><h1>{html.escape(posixpath.basename(name))}</h1>\n<p>From {back}.</p>{where}\n'
            f'<div class="highlight-{language} notranslate source">{code}</div></section>')


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def text_of(app, tree, name):
    """The file as it was handed out. In a hand-out any part of it may be the student's; an author's starter has TODO_OPEN."""
    text, starter = read(os.path.join(tree, name)), os.path.join(app.config.starters, name)
    solved = not os.path.isdir(os.path.join(tree, "solutions")) or "#define TODO_OPEN" not in text
    return read(starter) if app.config.starters and solved and os.path.isfile(starter) else text


def collect(app):
    tree, users = os.path.dirname(os.path.abspath(app.srcdir)), {}
    for page, names in sorted(links(app).items(), key=lambda item: item[0] == app.config.root_doc):
        for name in names:
            users.setdefault(name, [])
            users[name] += [page] if page != app.config.root_doc or not users[name] else []
    for name, pages in sorted(users.items()):
        yield "sources/" + name, {"title": name, "body": body(app, name, pages, text_of(app, tree, name))}, "page.html"


made_contents = {}  # folder -> {how: list of pages}


def same_contents(app, page, template, context, doctree):
    """The list of pages beside the text is the same for all sources of a folder: it is made once, not for each."""
    if not page.startswith("sources/"):
        return
    make, made = context["toctree"], made_contents.setdefault(posixpath.dirname(page), {})

    def toctree(**choice):
        key = tuple(sorted(choice.items()))
        if key not in made:
            made[key] = make(**choice)
        return made[key]

    context["toctree"] = toctree


def setup(app):
    made_contents.clear()
    app.add_config_value("starters", "", "")
    app.connect("html-page-context", same_contents, priority=100)  # before Furo asks for the list
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("doctree-read", redirect, priority=400)
    app.connect("html-collect-pages", collect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
