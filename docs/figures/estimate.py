"""Draws the estimates, docs/figures/estimate/, from tests/hardware/h200-estimates.csv. rows.svg has every estimate
against the time that was recorded: both logarithmic, a dot for each step and size, a colour for each chapter. NN-topic.svg
has a bar for each step of a chapter: what its estimated time goes to, beside the time that was recorded."""
import csv
import math
import os

from figure import BLUE, FAINT, GOLD, HURT, LINES, MAUVE, QUIET, WORK, Figure

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "hardware", "h200-estimates.csv")
LEFT, TOP, SIDE = 66, 50, 470
LOW, HIGH = 3.0, 3e5  # us
BARS, WIDE = 190, 430  # where bars begin, and their maximal width
PARTS = (("memory_us", BLUE, "memory and L2 bandwidth"), ("shared_us", GOLD, "L1, shared and constant memory"),
         ("instructions_us", WORK, "instructions"), ("latency_us", QUIET, "latency"), ("atomics_us", HURT, "atomics"),
         ("launches_us", MAUVE, "launches"))


def place(us):
    return SIDE * (math.log10(us) - math.log10(LOW)) / (math.log10(HIGH) - math.log10(LOW))


def rows():
    with open(RECORD, encoding="utf-8") as file:
        file.readline()
        return list(csv.DictReader(file))


def us(row, column):
    return 1000 * float(row[column])


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
    """Lines of estimates at this multiple of the measurement, and at its inverse."""
    shift = place(LOW * ratio)
    f.line(LEFT, TOP + SIDE - shift, LEFT + SIDE - shift, TOP, dash, FAINT)
    if ratio > 1:
        f.line(LEFT + shift, TOP + SIDE, LEFT + SIDE, TOP + shift, dash, FAINT)


def draw():
    found = rows()
    chapters = sorted({row["step"].split("/")[0] for row in found})
    f = Figure(760, TOP + SIDE + 54, "Estimated against recorded times of all steps")
    grid(f)
    band(f, 1, "")
    band(f, 1.5, "6 4")
    band(f, 2, "2 4")
    for i, chapter in enumerate(chapters):
        f.dots([(LEFT + place(us(row, "recorded_ms")), TOP + SIDE - place(us(row, "estimated_ms")))
                for row in found if row["step"].startswith(chapter + "/")], list(LINES)[i], 3.5)
    for i, chapter in enumerate(chapters):
        f.dots([(LEFT + SIDE + 30, TOP + 20 + 22 * i)], list(LINES)[i], 5)
        f.text(LEFT + SIDE + 44, TOP + 24 + 22 * i, chapter, size=12)
    for i, words in enumerate(("line: as measured", "dashes: 1.5 times, 1 / 1.5", "dots: twice, half")):
        f.text(LEFT + SIDE + 26, TOP + 300 + 22 * i, words, size=12, color=FAINT)
    f.save("estimate", "rows")
    for chapter in chapters:
        draw_bars(chapter, [row for row in found if row["step"].startswith(chapter + "/")])


def time_words(time):
    return f"{time:.1f} us" if time < 100 else f"{time:.0f} us" if time < 1e4 else f"{time / 1000:.1f} ms"


def draw_bar(f, y, row, longest, size):
    """Parts side by side; a bar that is longer than the others allow is cut off and ends in dots."""
    whole, at = us(row, "estimated_ms"), BARS
    scale = WIDE / longest
    for column, color, _ in PARTS:
        part = float(row[column]) * min(1, longest / whole) * scale
        if part >= 0.5:
            f.box(at, y, part, 18, color)
            at += part
    measured = us(row, "recorded_ms")
    words = ("... " if whole > longest else "") + f"~{time_words(whole)}; measured {time_words(measured)}" + size
    f.text(BARS + WIDE + 14, y + 13.5, words, size=12)
    if measured <= longest:
        f.line(BARS + measured * scale, y - 3, BARS + measured * scale, y + 21)


def draw_bars(chapter, found):
    """Each step at the largest size that was estimated. Steps that take four times as long as the middle one are cut."""
    steps = {row["step"]: row for row in found}.values()
    times = sorted(us(row, "estimated_ms") for row in steps)
    longest = max(time for time in times if time <= 4 * times[len(times) // 2])
    one_size = len({row["n"] for row in steps}) == 1
    f = Figure(BARS + WIDE + (230 if one_size else 300), 44 + 28 * len(steps),
               f"What the estimated time of each step of {chapter} goes to")
    f.text(20, 24, "estimated for an H200, not measured; a line across a bar: the time that was measured", size=12, color=FAINT)
    for i, row in enumerate(steps):
        f.text(BARS - 10, 44 + 28 * i + 13.5, row["step"].split("/")[1], "end", 12)
        draw_bar(f, 44 + 28 * i, row, longest, "" if one_size else f"; n = {row['n']}")
    f.legend(*((color, words) for _, color, words in PARTS))
    f.save("estimate", chapter)


if __name__ == "__main__" and os.path.exists(RECORD):  # missing in a hand-out
    draw()
