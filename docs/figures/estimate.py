"""Draws every estimate against the time that was recorded, docs/figures/estimate/rows.svg, from
tests/hardware/h200-estimates.csv: both logarithmic, a dot for each step and size, a colour for each chapter."""
import csv
import math
import os

from figure import FAINT, LINES, Figure

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "hardware", "h200-estimates.csv")
LEFT, TOP, SIDE = 66, 50, 470
LOW, HIGH = 3.0, 3e5  # us


def place(us):
    return SIDE * (math.log10(us) - math.log10(LOW)) / (math.log10(HIGH) - math.log10(LOW))


def rows():
    with open(RECORD, encoding="utf-8") as file:
        file.readline()
        return [(row["step"], 1000 * float(row["recorded_ms"]), 1000 * float(row["estimated_ms"]))
                for row in csv.DictReader(file)]


def grid(f):
    for us in (10, 100, 1000, 10000, 100000):
        x, y = LEFT + place(us), TOP + SIDE - place(us)
        f.line(LEFT, y, LEFT + SIDE, y, "1 4", FAINT)
        f.line(x, TOP, x, TOP + SIDE, "1 4", FAINT)
        f.text(LEFT - 8, y + 4, f"{us:g}", "end", 12, FAINT)
        f.text(x, TOP + SIDE + 18, f"{us:g}", "middle", 12, FAINT)
    f.text(LEFT + SIDE / 2, TOP + SIDE + 40, "measured on an H200, us", "middle", 12, FAINT)
    f.text(20, 24, "estimated, us; both axes logarithmic", size=12, color=FAINT)


def band(f, ratio, dash):
    """Estimates that are so many times what was measured, and as many times less."""
    shift = place(LOW * ratio)
    f.line(LEFT, TOP + SIDE - shift, LEFT + SIDE - shift, TOP, dash, FAINT)
    if ratio > 1:
        f.line(LEFT + shift, TOP + SIDE, LEFT + SIDE, TOP + shift, dash, FAINT)


def draw():
    found = rows()
    chapters = sorted({step.split("/")[0] for step, _, _ in found})
    f = Figure(760, TOP + SIDE + 54, "Estimated against recorded times of all steps")
    grid(f)
    band(f, 1, "")
    band(f, 1.5, "6 4")
    band(f, 2, "2 4")
    for step, measured, estimated in found:
        color = list(LINES)[chapters.index(step.split("/")[0])]
        f.dot(LEFT + place(measured), TOP + SIDE - place(estimated), color, 3.5)
    for i, chapter in enumerate(chapters):
        f.dot(LEFT + SIDE + 30, TOP + 20 + 22 * i, list(LINES)[i], 5)
        f.text(LEFT + SIDE + 44, TOP + 24 + 22 * i, chapter, size=12)
    for i, words in enumerate(("line: as measured", "dashes: 1.5 times, 1 / 1.5", "dots: twice, half")):
        f.text(LEFT + SIDE + 26, TOP + 300 + 22 * i, words, size=12, color=FAINT)
    f.save("estimate", "rows")


if __name__ == "__main__" and os.path.exists(RECORD):  # a hand-out has none
    draw()
