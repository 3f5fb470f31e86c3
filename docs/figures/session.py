"""Draws a session, docs/figures/session.svg, from its record: docs/figures/session.txt (tests/docs/session.sh)."""
import os
import sys
import textwrap

from figure import FAINT, Figure

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS, LINE, WIDE = 96, 18, 8.0
TONES = {"$": "line3", "✓": "line0", "✗": "line1", "s": "line2"}


def wrapped(line):
    return textwrap.wrap(line, COLUMNS, subsequent_indent="    ", drop_whitespace=True, break_on_hyphens=False) or [""]


def tone(line):
    if line.startswith("simt:"):
        return "line2"
    if line.startswith("met "):
        return FAINT
    return TONES.get(line[:1], "ink") if line[:1] in "$✓✗" else "ink"


def session():
    path = os.path.join(HERE, "session.txt")
    if not os.path.isfile(path):
        sys.exit("docs/figures/session.txt is missing: sh tests/docs/session.sh --write records it")
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    rows = [(part, tone(line)) for line in lines for part in wrapped(line)]
    f = Figure(round(COLUMNS * WIDE + 48), 58 + LINE * len(rows), "A session: a race is found where the answer is right; then the step passes")
    f.box(8, 8, f.width - 16, f.height - 16, "paper")
    for k, color in enumerate(("hurt", "gold", "work")):
        f.box(22 + 20 * k, 18, 12, 12, color)
    for k, (words, color) in enumerate(rows):
        if not words:
            continue
        if color.startswith("line"):
            f.lines.add(color)
            color = "f-" + color
        f.text(24, 54 + LINE * k, words, color=color, bold=words.startswith("$"), mono=True)
    f.save("", "session")


session()
