"""A few strokes for the workbook's figures: rows of cells, arrows, words. Writes plain SVG.

    python3 docs/figures/reduction.py      draws the figures of chapter 1 again
"""

CELL = 34
INK, QUIET, WORK, HURT, PAPER = "#1f2933", "#cbd2d9", "#9fd3c7", "#f4a6a0", "#ffffff"


class Figure:
    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="Helvetica, Arial, sans-serif" font-size="13" role="img">',
            f"<title>{title}</title>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        ]

    def text(self, x, y, words, anchor="start", size=13, color=INK):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" fill="{color}">{words}</text>')

    def box(self, x, y, width, height, color=PAPER, words=""):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" fill="{color}" stroke="{INK}"/>')
        if words:
            self.text(x + width / 2, y + height / 2 + 4.5, words, "middle")

    def cells(self, x, y, words, colors=None, width=CELL):
        for i, word in enumerate(words):
            self.box(x + i * width, y, width, 24, colors[i] if colors else PAPER, str(word))

    def arrow(self, x1, y1, x2, y2):
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{INK}" marker-end="url(#tip)"/>')

    def line(self, x1, y1, x2, y2, dash=""):
        style = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{INK}"{style}/>')

    def save(self, path):
        with open(path, "w", encoding="utf-8") as out:
            out.write("\n".join(self.parts) + "\n</svg>\n")
