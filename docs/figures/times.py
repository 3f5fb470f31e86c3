"""Draws the recorded times of each chapter, docs/figures/NN-topic/times.svg, from tests/hardware/NN-topic.times.csv: GB/s,
in chapters 7 and 9 Gflop/s, against n, a line for each step, the peer dashed, and the rate of the memory above them."""
import csv
import glob
import math
import os

from figure import FAINT, LINES, WORK, Figure

RECORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "hardware")
# The limit of any program of the chapter, in its own GB/s, as the chapter's page derives it from the rates measured on an
# H200: 4450 GB/s reading, 4240 GB/s copying.
LIMITS = {
    "01-reduction": (4450, "reading memory"),
    "02-scan": (4240, "copying memory"),
    "03-histogram": (4450, "reading memory"),
    "04-sort": (4240 * 8 / 36, "four passes, copying"),
    "05-tridiagonal": (4240, "copying memory"),
    "06-iterative-solvers": (4450, "reading memory"),
    "07-matmul": (66900, "multiply-adds"),  # 132 multiprocessors, 128 a clock, 1.98 GHz
    "08-convolution": (4240, "copying memory"),
    "09-gather": (11 * 4180, "reciprocal roots"),  # one per pair of 11 operations; 16 a clock
}
LEFT, TOP, WIDTH, HEIGHT = 66, 56, 470, 330
DASH = "7 5"


def records(path):
    """The device, and step -> [(n, GB/s)]."""
    with open(path, encoding="utf-8") as file:
        device = file.readline().lstrip("# ").split(",")[0].strip()
        steps = {}
        for row in csv.DictReader(file):
            steps.setdefault(row["step"], []).append((int(row["n"]), float(row.get("gb_per_s") or row["gflop_per_s"])))
    return device, steps


def unit(chapter):
    return "Gflop/s" if chapter in ("07-matmul", "09-gather") else "GB/s"


def size(n):
    """2^20, or 4096 where it is not a power of two."""
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def apart(places, gap):
    """The places in the same order, moved until they are at least a gap apart."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for _ in range(400):
        for a, b in zip(order, order[1:]):
            short = gap - (moved[b] - moved[a])
            if short > 0:
                moved[a] -= short / 2
                moved[b] += short / 2
    return moved


class Axes:
    """Both logarithmic; decades of GB/s as lines."""

    def __init__(self, f, rates, sizes):
        self.low, self.high = math.floor(math.log10(min(rates))), math.log10(max(rates) * 1.3)
        self.first, self.last = min(sizes), max(sizes)
        for decade in range(self.low, math.floor(self.high) + 1):
            y = self.y(10 ** decade)
            f.line(LEFT, y, LEFT + WIDTH, y, "1 4", FAINT)
            f.text(LEFT - 8, y + 4, f"{10 ** decade:g}", "end", 12, FAINT)
        f.line(LEFT, TOP, LEFT, TOP + HEIGHT, color=FAINT)
        f.line(LEFT, TOP + HEIGHT, LEFT + WIDTH, TOP + HEIGHT, color=FAINT)

    def x(self, n):
        return LEFT + 12 + (WIDTH - 24) * (math.log2(n) - math.log2(self.first)) / (math.log2(self.last) - math.log2(self.first))

    def y(self, rate):
        return TOP + HEIGHT * (1 - (math.log10(rate) - self.low) / (self.high - self.low))


def curves(chapter, device, steps):
    f = Figure(790, TOP + HEIGHT + 54, f"Recorded rates of chapter {chapter}: {unit(chapter)} against n")
    limit = LIMITS.get(chapter)
    every = [point for points in steps.values() for point in points]
    axes = Axes(f, [rate for _, rate in every] + ([limit[0]] if limit else []), [n for n, _ in every])
    f.text(20, 24, f"{unit(chapter)} on an {device}, recorded; both axes logarithmic", size=12, color=FAINT)
    for n in sorted({n for n, _ in every}):
        f.text(axes.x(n), TOP + HEIGHT + 20, size(n), "middle", 12, FAINT)
    f.text(LEFT + WIDTH / 2, TOP + HEIGHT + 42, "n", "middle", 12, FAINT)
    names = list(steps)
    ends = [axes.y(steps[name][-1][1]) for name in names]
    if limit:
        names.append(limit[1])
        ends.append(axes.y(limit[0]))
        f.line(LEFT, ends[-1], LEFT + WIDTH, ends[-1], DASH, FAINT)
    for name, end, label in zip(names, ends, apart(ends, 17)):
        if name not in steps:
            f.line(LEFT + WIDTH, end, LEFT + WIDTH + 26, label, "1 3", FAINT)
            f.text(LEFT + WIDTH + 40, label + 4, f"{name}: {limit[0]:.0f}", size=12, color=FAINT)
            continue
        peer = name == "the peer"
        color = "line10" if peer else list(LINES)[list(steps).index(name) % 10]
        points = [(axes.x(n), axes.y(rate)) for n, rate in steps[name]]
        f.path(points, color, DASH if peer else "")
        f.dots(points, color)
        f.path([(points[-1][0] + 5, points[-1][1]), (LEFT + WIDTH + 26, label)], color, "1 3", 1)
        f.dots([(LEFT + WIDTH + 30, label)], color, 4)
        f.text(LEFT + WIDTH + 40, label + 4, f"{name}: {steps[name][-1][1]:.{0 if steps[name][-1][1] >= 10 else 1}f}", size=12)
    f.save(chapter, "times")


def bars(chapter, device, steps):
    """Each step has its own size: a bar for each."""
    f = Figure(760, 70 + 28 * len(steps), f"Recorded rates of chapter {chapter}: GB/s, a bar for each step")
    f.text(20, 24, f"GB/s on an {device}, recorded, each step at its own n", size=12, color=FAINT)
    limit, most = LIMITS.get(chapter), max(points[0][1] for points in steps.values())
    x = lambda rate: 170 + 400 * rate / most
    for i, (name, ((n, rate),)) in enumerate(steps.items()):
        y = 42 + 28 * i
        f.text(20, y + 14, name, size=12)
        f.box(170, y, x(rate) - 170, 18, WORK)
        f.text(640, y + 14, f"{rate:.0f}", "end", 12)
        f.text(656, y + 14, f"n = {size(n)}", size=12)
    if limit:
        for i in range(len(steps) + 1):
            f.line(x(limit[0]), 40 + 28 * i, x(limit[0]), 42 + 28 * i + 26, "2 4", FAINT)
        f.text(x(limit[0]) + 6, 42 + 28 * len(steps) + 8, f"{limit[1]}: {limit[0]:.0f}", size=12, color=FAINT)
    f.save(chapter, "times")


if __name__ == "__main__":
    for path in sorted(glob.glob(os.path.join(RECORDS, "*.times.csv"))):
        topic = os.path.basename(path)[:-len(".times.csv")]
        what, found = records(path)
        (bars if all(len(points) == 1 for points in found.values()) else curves)(topic, what, found)
