"""Completes Furo where a distribution ships its parts unbundled, as Debian 12 does: the script imports another one in a way
that no browser follows, the style imports one from the root of the server, and the dark colours are missing for readers whose
system is dark. Elsewhere it does nothing."""
import os
import re

IMPORT = re.compile(r'^import Gumshoe from "./gumshoe-patched.js";\n')
DARK = re.compile(r'body\[data-theme="dark"\] \{([^}]*--color-background-primary:[^}]*)\}')
NORMALIZE = re.compile(r"^@import url\((/javascript/normalize.css/normalize.css)\);\n")
AUTO = 'body:not([data-theme="light"])'


def edit(path, change):
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        changed = change(text)
        if changed != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(changed)


def complete(app, error):
    if error or app.builder.format != "html":
        return
    static = os.path.join(app.outdir, "_static")

    def bundle(script):
        if not IMPORT.match(script):
            return script
        with open(os.path.join(static, "scripts", "gumshoe-patched.js"), encoding="utf-8") as file:
            return file.read() + IMPORT.sub("", script)

    def normalize(style):
        source = "/usr/share" + (NORMALIZE.match(style) or ["", ""])[1]
        if not os.path.isfile(source):
            return NORMALIZE.sub("", style)
        with open(source, encoding="utf-8") as file:
            return file.read() + NORMALIZE.sub("", style)

    def dark(style):
        found = DARK.search(style)
        if not found or AUTO in style:
            return style
        return style + f"\n@media not print {{ @media (prefers-color-scheme: dark) {{ {AUTO} {{{found[1]}}} }} }}\n"

    edit(os.path.join(static, "scripts", "furo.js"), bundle)
    edit(os.path.join(static, "styles", "furo.css"), lambda style: dark(normalize(style)))


def setup(app):
    app.connect("build-finished", complete)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
