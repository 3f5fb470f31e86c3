"""Draws the figures of chapter 5 into docs/figures/05-tridiagonal/."""
from figure import HURT, PAPER, QUIET, WORK, Figure

FOLDER = "05-tridiagonal"
WIDE = 52


def middle(i, x=20):
    return x + WIDE * i + WIDE / 2


def thomas():
    f = Figure(760, 150, "Down, each row loses its a; up, each x follows from the one below")
    for y, words, color in ((20, "abcf", PAPER), (96, "x", WORK)):
        f.cells(20, y, [f"{words} {i}" for i in range(8)], [color] * 8, WIDE)
    f.cells(20, 58, [f"c' d' {i}" for i in range(8)], [QUIET] * 8, WIDE)
    for i in range(8):
        f.arrow(middle(i), 46, middle(i), 56)
        f.arrow(middle(i), 84, middle(i), 94)
    for i in range(7):
        f.arrow(middle(i) + 8, 46, middle(i + 1) - 8, 56)
        f.arrow(middle(i + 1) - 8, 134, middle(i) + 8, 122)
    f.text(450, 54, "down: 6 operations per row, one after another")
    f.text(450, 92, "up: 2 operations per row, one after another")
    f.text(450, 132, "one thread per system")
    f.legend((PAPER, "as loaded"), (QUIET, "after the way down"), (WORK, "after the way up"))
    f.save(FOLDER, "01-thomas")


def interleaved():
    f = Figure(760, 176, "Contiguous systems and interleaved systems in memory")
    for y, label, words, hit in (
            (34, "contiguous: row i of system s at s * size + i", [f"{s}.{i}" for s in range(4) for i in range(4)],
             lambda k: k % 4 == 0),
            (112, "interleaved: row i of system s at i * systems + s", [f"{s}.{i}" for i in range(4) for s in range(4)],
             lambda k: k < 4)):
        f.text(20, y - 10, label)
        f.cells(20, y, words, [WORK if hit(k) else PAPER for k in range(16)], 36)
    f.text(20, 78, "4 lanes read row 0 of their systems: 4 sectors")
    f.text(20, 156, "the same 4 lanes: 1 sector")
    f.text(604, 50, "s.i: system, row")
    f.legend((WORK, "read by one load of 4 lanes"), (PAPER, "other rows"))
    f.save(FOLDER, "02-interleaved")


def levels(name, title, rows, note):
    """rows: (label, busy rows, {row: rows it reads})"""
    f = Figure(760, 44 + 62 * len(rows), title)
    f.cells(20, 12, [f"row {i}" for i in range(8)], width=WIDE)
    f.text(456, 28, note)
    for r, (label, busy, words, reads) in enumerate(rows):
        y = 12 + 62 * r
        for to, sources in reads.items():
            for source in sources:
                f.arrow(middle(source), y + 25, middle(to) + 7 * ((source > to) - (source < to)), y + 60)
        f.cells(20, y + 62, words, [WORK if i in busy else QUIET for i in range(8)], WIDE)
        f.text(456, y + 46, label)
    f.legend((WORK, "computed in this step"), (QUIET, "left as it is"), (PAPER, "as loaded"))
    f.save(FOLDER, name)


def cyclic_reduction():
    near = lambda i, s: [j for j in (i - s, i, i + s) if 0 <= j < 8]
    row = lambda busy: [f"row {i}" if i in busy else "" for i in range(8)]
    known = lambda xs: [f"x {i}" if i in xs else "" for i in range(8)]
    levels("03-cyclic-reduction", "Cyclic reduction: half the rows in every step, and back", [
        ("down, stride 1: rows 1, 3, 5, 7", (1, 3, 5, 7), row((1, 3, 5, 7)), {i: near(i, 1) for i in (1, 3, 5, 7)}),
        ("down, stride 2: rows 3 and 7", (3, 7), row((3, 7)), {i: near(i, 2) for i in (3, 7)}),
        ("two rows, two unknowns", (3, 7), known((3, 7)), {3: [3, 7], 7: [3, 7]}),
        ("up, stride 2: x 1 and x 5", (1, 5), known((1, 3, 5, 7)), {1: [3], 5: [3, 7]}),
        ("up, stride 1: the other half", (0, 2, 4, 6), known(range(8)),
         {i: [j for j in (i - 1, i + 1) if 0 <= j < 8] for i in (0, 2, 4, 6)}),
    ], "2 log2 8 - 1 = 5 steps")


def pcr():
    every = tuple(range(8))
    levels("05-pcr", "Parallel cyclic reduction: every row in every step", [
        (f"stride {s}: {2 * s} systems of {4 // s}" if s < 4 else "stride 4: every row alone", every,
         [f"row {i}" if s < 4 else f"x {i}" for i in every], {i: [j for j in (i - s, i, i + s) if 0 <= j < 8] for i in every})
        for s in (1, 2, 4)
    ], "log2 8 = 3 steps")


def apart():
    f = Figure(760, 206, "Even rows side by side, then the odd ones; the odd rows become the next level, apart again")
    levels = [([0, 2, 4, 6], [1, 3, 5, 7]), ([1, 5], [3, 7]), ([3], [7])]
    places = [20, 20, 20 + 4 * WIDE]  # the third level overwrites the first one's odd rows
    for k, (even, odd) in enumerate(levels):
        y = 26 + 66 * k
        f.cells(places[k], y, [f"row {i}" for i in even], [PAPER] * len(even), WIDE)
        f.cells(places[k] + WIDE * len(even), y, [f"row {i}" for i in odd], [WORK] * len(odd), WIDE)
        below = sum(levels[k + 1], []) if k < 2 else []
        for i in odd if below else []:
            x = places[k] + WIDE * (len(even) + odd.index(i)) + WIDE / 2
            f.arrow(x, y + 28, places[k + 1] + WIDE * below.index(i) + WIDE / 2, y + 64)
    f.text(456, 42, "8 rows: thread k reads odd row k")
    f.text(456, 58, "and the even rows k and k + 1")
    f.text(456, 100, "4 rows are left, and are put")
    f.text(456, 116, "into words of their own")
    f.text(456, 166, "2 rows: put over the odd rows of")
    f.text(456, 182, "the first level, which are done with")
    f.legend((PAPER, "even rows"), (WORK, "odd rows: the next level"))
    f.save(FOLDER, "04-cr-conflict-free")


def hybrid():
    f = Figure(760, 250, "Cyclic reduction down to 32 rows, parallel cyclic reduction by a warp, and back")
    bars = [(256, "256 rows", QUIET), (128, "128 rows", QUIET), (64, "64 rows", QUIET), (32, "32 rows: a warp, 5 steps", WORK),
            (64, "64 x known", QUIET), (128, "128 x known", QUIET), (256, "256 x known", QUIET)]
    for k, (rows, words, color) in enumerate(bars):
        y, width = 14 + 33 * k, rows * 1.4
        f.box(200 - width / 2, y, width, 22, color)
        f.text(400, y + 16, words)
        if k:
            f.line(200, y - 11, 200, y)
    f.text(600, 62, "down: 3 steps")
    f.text(600, 129, "no block barrier")
    f.text(600, 196, "up: 3 steps")
    f.legend((QUIET, "a block: cyclic reduction"), (WORK, "a warp: parallel cyclic reduction"))
    f.save(FOLDER, "06-hybrid")


def warp():
    f = Figure(760, 256, "A lane eliminates its rows alone, the warp solves a row for each lane, each lane goes back alone")
    for lane in range(3):
        x = 20 + 180 * lane
        f.text(x, 20, f"lane {lane}: rows in registers")
        f.cells(x, 28, ["0", "1", "...", "31"], [PAPER, PAPER, PAPER, WORK], 38)
        for k in range(3):
            f.arrow(x + 19 + 38 * k, 66, x + 54 + 38 * k, 66)
        f.arrow(x + 133, 54, x + 133, 100)
        f.box(x + 76, 102, 76, 26, WORK, f"X {lane}")
        f.arrow(x + 133, 130, x + 133, 196)
        f.cells(x, 198, ["0", "1", "...", "31"], [QUIET, QUIET, QUIET, WORK], 38)
        for k in range(3):
            f.arrow(x + 133 - 38 * k, 236, x + 98 - 38 * k, 236)
        if lane < 2:
            f.arrow(x + 154, 115, x + 254, 115)
            f.arrow(x + 254, 122, x + 154, 122)
            f.arrow(x + 140, 130, x + 196, 196)
    f.text(566, 46, "loaded 16 bytes per lane,")
    f.text(566, 62, "turned in shared memory")
    f.text(566, 112, "32 rows, one per lane:")
    f.text(566, 128, "5 steps by shuffles")
    f.text(566, 206, "x from the lane's X")
    f.text(566, 222, "and the X before")
    f.legend((WORK, "what the warp has in common"), (PAPER, "a lane's own rows"), (QUIET, "their x"))
    f.save(FOLDER, "07-warp-pcr-thomas")


def large():
    f = Figure(760, 252, "Chunks of 1024 rows, two rows of each, a coarse system, and back")
    for k in range(4):
        x = 20 + 140 * k
        f.cells(x, 14, ["0", "...", "1023"], [WORK, PAPER, WORK], 40)
        f.arrow(x + 20, 40, x + 44, 82)
        f.arrow(x + 100, 40, x + 76, 82)
        f.cells(x + 24, 84, [2 * k, 2 * k + 1], [WORK] * 2, 36)
        f.arrow(x + 44, 144, x + 20, 186)
        f.arrow(x + 76, 144, x + 100, 186)
        f.cells(x, 188, ["x", "...", "x"], [WORK, QUIET, WORK], 40)
    f.box(44, 118, 504, 24, QUIET, "the same again: 512 times fewer rows, until one warp can solve them")
    for y, words in ((30, "first pass: 16 B per row"), (100, "coarse rows"), (134, "their x"), (204, "second pass: 16 + 4")):
        f.text(586, y, words)
    f.text(20, 240, "The second pass reads the bands again and eliminates again: cheaper than storing what the first one found.")
    f.legend((WORK, "a chunk's first and last row"), (PAPER, "the rows between"), (QUIET, "solved again and again"))
    f.save(FOLDER, "08-large")


for draw in (thomas, interleaved, cyclic_reduction, apart, pcr, hybrid, warp, large):
    draw()
