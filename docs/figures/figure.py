"""A few strokes for the workbook's figures: rows of cells, arrows, words, a legend. Writes plain SVG, whose colours follow
the reader's light or dark theme.

    sh docs/figures/draw.sh             draws all figures again
    sh docs/figures/draw.sh FOLDER      into another folder
"""
import os
import sys

CELL = 34
INK, QUIET, WORK, HURT, PAPER = "ink", "quiet", "work", "hurt", "paper"
FAINT, GOLD, BLUE, MAUVE = "faint", "gold", "blue", "mauve"
WARPS = [WORK, GOLD, BLUE, MAUVE]  # a colour for each of four warps

# In the light theme, in the dark one.
COLORS = {
    INK: ("#1f2933", "#e1e5ea"),
    FAINT: ("#5b6672", "#a3acb6"),
    PAPER: ("#ffffff", "#131416"),
    QUIET: ("#cbd2d9", "#3d4650"),
    WORK: ("#9fd3c7", "#1c6353"),
    HURT: ("#f4a6a0", "#8a3733"),
    GOLD: ("#f7d794", "#6d5013"),
    BLUE: ("#b8c8ee", "#344f8c"),
    MAUVE: ("#e3bfe6", "#6b3d71"),
}
LINES = {  # of plots: readable on PAPER
    "line0": ("#0b6e5c", "#4fd1b5"), "line1": ("#b0352d", "#ff8f86"), "line2": ("#8a5a00", "#f0c24b"),
    "line3": ("#2f55b5", "#8db0ff"), "line4": ("#86358f", "#e09be8"), "line5": ("#3a6f10", "#9ada62"),
    "line6": ("#00708f", "#5fcbe8"), "line7": ("#a34300", "#ffa764"), "line8": ("#5a4bb8", "#b3a8ff"),
    "line9": ("#7a1f4f", "#ff94c2"), "line10": ("#4c5561", "#b5bec9"),
}


def style():
    def rules(theme):
        return "".join([f".{name}{{fill:{tones[theme]}}}" for name, tones in COLORS.items()]
                       + [f".s-{name}{{stroke:{tones[theme]}}}" for name, tones in {INK: COLORS[INK], FAINT: COLORS[FAINT]}.items()])

    return f"<style>{rules(0)}@media (prefers-color-scheme:dark){{{rules(1)}}}</style>"


def escape(words):
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def number(value):
    """Coordinates without rounding noise."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Figure:
    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.parts, self.lines, self.bottom = [], set(), 0

    def reach(self, y):
        """Something drawn ends at y."""
        self.bottom = max(self.bottom, y)

    def add(self, y, part):
        """Consecutive strokes at one height share a line of the file."""
        if self.parts and self.parts[-1][0] == y:
            self.parts[-1][1].append(part)
        else:
            self.parts.append((y, [part]))

    def text(self, x, y, words, anchor="start", size=13, color=INK, bold=False, mono=False, row=None):
        extra = (' font-weight="bold"' if bold else "") + (' font-family="monospace" style="white-space:pre"' if mono else "")
        self.reach(y + 0.25 * size)
        self.add(y if row is None else row, f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" '
                 f'font-size="{size}" class="{color}"{extra}>{escape(words)}</text>')

    def box(self, x, y, width, height, color=PAPER, words="", size=13):
        self.reach(y + height)
        self.add(y, f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" rx="3" '
                    f'class="{color} s-ink"/>')
        if words:
            self.text(x + width / 2, y + height / 2 + 0.35 * size, words, "middle", size, row=y)

    def cells(self, x, y, words, colors=None, width=CELL):
        for i, word in enumerate(words):
            self.box(x + i * width, y, width, 24, colors[i] if colors else PAPER, str(word))

    def arrow(self, x1, y1, x2, y2):
        self.line(x1, y1, x2, y2, end=' marker-end="url(#tip)"')

    def line(self, x1, y1, x2, y2, dash="", color=INK, end=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.reach(max(y1, y2))
        self.add(y1, f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
                     f'class="s-{color}"{dashes}{end}/>')

    def path(self, points, color, dash="", width=2):
        """A line of a plot, in one of LINES."""
        self.lines.add(color)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        places = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.reach(max(y for _, y in points))
        self.add(None, f'<polyline points="{places}" fill="none" stroke-width="{width}" class="s-{color}"{dashes}/>')

    def dots(self, points, color, size=3):
        """The points of a series, in one line of the file."""
        self.lines.add(color)
        self.reach(max(y for _, y in points) + size)
        circles = "".join(f'<circle cx="{number(x)}" cy="{number(y)}" r="{size}"/>' for x, y in points)
        self.add(None, f'<g class="f-{color}">{circles}</g>')

    def legend(self, *items, x=20):
        """The meaning of the colours, in a row below the figure, close to the drawing: (color, words)."""
        y, left = min(self.height + 4, self.bottom + 22), x
        for color, words in items:
            needed = 24 + 8.1 * len(words)
            if left > x and left + needed > self.width:
                left, y = x, y + 22
            self.box(left, y, 16, 14, color)
            self.text(left + 23, y + 11.5, words, size=12)
            left += needed + 18
        self.height = y + 24

    def save(self, folder, name):
        def of_lines(theme):
            return "".join(f".s-{line}{{stroke:{LINES[line][theme]}}}.f-{line}{{fill:{LINES[line][theme]}}}"
                           for line in sorted(self.lines))

        css = style()
        if self.lines:
            css += f"<style>{of_lines(0)}@media (prefers-color-scheme:dark){{{of_lines(1)}}}</style>"
        out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
        os.makedirs(os.path.join(out, folder), exist_ok=True)
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(self.width)} {number(self.height)}" '
            f'width="{number(self.width)}" height="{number(self.height)}" '
            f'font-family="Helvetica, Arial, sans-serif" font-size="13" role="img">',
            f"<title>{escape(self.title)}</title>",
            css,
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path d="M0 0L8 4L0 8z" class="ink"/></marker></defs>',
            f'<rect width="{number(self.width)}" height="{number(self.height)}" class="paper"/>',
        ]
        with open(os.path.join(out, folder, name + ".svg"), "w", encoding="utf-8") as file:
            file.write("\n".join(head + ["".join(parts) for _, parts in self.parts]) + "\n</svg>\n")
