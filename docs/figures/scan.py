"""Draws the figures of chapter 2 into docs/figures/02-scan/."""
from figure import CELL, HURT, PAPER, QUIET, WORK, Figure

FOLDER = "02-scan"
VALUES = [3, 1, 7, 0, 4, 1, 6, 3]
WIDE = 52


def rounds(name, title, first, steps):
    """steps: (label, list of (to, from, keeps)); keeps: the old word counts too. Rows of 8 words."""
    f = Figure(760, 48 + 62 * len(steps), title)
    values = list(VALUES)
    f.cells(20, 12, values, width=WIDE)
    f.text(460, 28, first)
    for r, (label, moves) in enumerate(steps):
        y, old = 12 + 62 * r, list(values)
        for to, source, keeps in moves:
            values[to] = (old[to] if keeps else 0) + (old[source] if source is not None else 0)
            if source is not None:
                f.arrow(20 + WIDE * source + WIDE / 2, y + 25, 20 + WIDE * to + WIDE / 2 + (8 if to > source else -8), y + 60)
            if keeps:
                f.arrow(20 + WIDE * to + WIDE / 2, y + 25, 20 + WIDE * to + WIDE / 2, y + 60)
        busy = {to for to, _, _ in moves}
        f.cells(20, y + 62, values, [WORK if i in busy else QUIET for i in range(8)], WIDE)
        f.text(460, y + 48, label)
    f.legend((WORK, "computed in this round"), (QUIET, "kept"), (PAPER, "as loaded"))
    f.save(FOLDER, name)


def hillis_steele():
    rounds("01-hillis-steele", "Every word adds the one s places to its left, s = 1, 2, 4", "a tile in shared memory",
           [(f"s = {s}: {8 - s} additions", [(i, i - s, True) for i in range(s, 8)]) for s in (1, 2, 4)])


def up(last=8):
    return [(f"up, s = {s}: {8 // (2 * s)} addition{'s' if s < 4 else ''}",
             [(i, i - s, True) for i in range(2 * s - 1, 8, 2 * s)]) for s in (1, 2, 4) if s <= last]


def trees():
    rounds("03-brent-kung", "A tree up, then down to the words in between", "inclusive",
           up() + [("down, s = 2: 1 addition", [(5, 3, True)]),
                   ("down, s = 1: 3 additions", [(i + 1, i, True) for i in (1, 3, 5)])])
    swap = [(f"down, s = {s}: left gets, right adds", [m for i in range(2 * s - 1, 8, 2 * s)
                                                       for m in ((i - s, i, False), (i, i - s, True))])
            for s in (4, 2, 1)]
    rounds("04-blelloch", "Down from 0: the left half takes what stands before the run, the right adds the left's sum",
           "exclusive", up(2) + [("the tile's sum leaves, 0 comes", [(7, None, False)])] + swap)


def double_buffer():
    f = Figure(760, 210, "A round reads one buffer and writes the other")
    for r, (label, row) in enumerate([("buffer 0", VALUES), ("buffer 1", None), ("buffer 0", None)]):
        y = 16 + 72 * r
        if r:
            row = [last[i] + (last[i - r] if i >= r else 0) for i in range(8)]
            for i in range(8):
                x = 110 + WIDE * i + WIDE / 2
                f.arrow(x, y - 47, x, y - 3)
                if i >= r:
                    f.arrow(x - WIDE * r, y - 47, x - 8, y - 3)
            f.line(110, y - 26, 536, y - 26, "6 4")
            f.text(546, y - 22, "one barrier")
        f.text(20, y + 16, label)
        f.cells(110, y, row, [WORK if i >= r else QUIET for i in range(8)] if r else None, WIDE)
        last = row
    f.legend((WORK, "added"), (QUIET, "copied"), (PAPER, "as loaded"))
    f.save(FOLDER, "02-double-buffer")


def padding():
    f = Figure(760, 172, "One empty word after every 32 moves strided words to different banks")
    for row, (label, bank) in enumerate([("words 31, 63, 95, ... (s = 16): the banks of a warp", lambda i: i % 32),
                                         ("with a word of padding after every 32", lambda i: (i + i // 32) % 32)]):
        y = 34 + 76 * row
        f.text(20, y - 8, label)
        load = [sum(1 for t in range(32) if bank(32 * t + 31) == b) for b in range(32)]
        for b in range(32):
            f.box(20 + 20 * b, y, 20, 24, PAPER if not load[b] else WORK if load[b] == 1 else HURT,
                  str(load[b]) if load[b] else "")
        f.text(670, y + 16, f"{max(load)} pass{'es' if max(load) > 1 else ''}")
    f.legend((WORK, "one word from the bank"), (HURT, "several words: one pass each"), (PAPER, "none"))
    f.save(FOLDER, "05-conflict-free")


def large():
    f = Figure(760, 250, "Tiles are scanned, their sums are scanned, every tile adds what stands before it")
    tiles = [[3, 1, 7, 0], [4, 1, 6, 3], [2, 5, 0, 8]]
    sums, before = [11, 14, 15], [0, 11, 25]
    for t, tile in enumerate(tiles):
        x, own = 20 + 170 * t, [sum(tile[:i]) for i in range(4)]
        f.cells(x, 16, tile)
        f.arrow(x + 68, 42, x + 68, 66)
        f.cells(x, 68, own, [WORK] * 4)
        f.arrow(x + 120, 94, 171 + 102 * t, 122)
        f.arrow(171 + 102 * t, 182, x + 60, 210)
        f.cells(x, 212, [v + before[t] for v in own], [WORK] * 4)
    f.cells(120, 124, sums, [QUIET] * 3, 102)
    f.cells(120, 156, before, [WORK] * 3, 102)
    for y, words in ((84, "1. scan every tile"), (140, "   the tiles' sums"), (172, "2. scan them"), (228, "3. add to every tile")):
        f.text(550, y, words)
    f.legend((WORK, "scanned, or added to"), (QUIET, "the tiles' sums"), (PAPER, "as loaded"))
    f.save(FOLDER, "06-large")


def shuffle():
    f = Figure(760, 226, "Warps scan in registers; one warp scans their sums")
    for w in range(3):
        x = 20 + 180 * w
        f.box(x, 16, 160, 26, WORK, f"warp {w}: 5 shuffles")
        f.arrow(x + 150, 44, 168 + 60 * w, 88)
        if w < 2:
            f.arrow(168 + 60 * w, 150, x + 260, 182)
        f.box(x, 184, 160, 26, WORK, "adds" if w else "is done")
    f.cells(140, 90, ["sum 0", "sum 1", "sum 2"], [QUIET] * 3, 60)
    f.cells(140, 124, ["0", "0..1", "0..2"], [WORK] * 3, 60)
    for y, dash in ((66, "barrier"), (168, "barrier")):
        f.line(10, y, 560, y, "6 4")
        f.text(572, y + 4, dash)
    f.text(340, 126, "warp 0 scans the sums")
    f.legend((WORK, "computed"), (QUIET, "a warp's sum, in shared memory"))
    f.save(FOLDER, "07-shuffle")


def three_phase():
    f = Figure(760, 232, "Loaded side by side, turned in shared memory, scanned by threads, turned back")
    lane = lambda i: f"l{i}"
    f.cells(20, 14, [lane(i % 4) for i in range(16)], [WORK if i < 4 else PAPER for i in range(16)])
    for i in range(16):
        f.box(20 + 34 * i + 12 * (i // 4), 76, 34, 24, PAPER if i // 4 else WORK, f"q{i}")
        f.arrow(37 + CELL * i, 40, 37 + 34 * i + 12 * (i // 4), 74)
    for i in range(4):
        f.arrow(88 + 148 * i, 102, 88 + 148 * i, 136)
        f.box(20 + 148 * i, 138, 136, 26, PAPER if i else WORK, f"lane {i}: 16 elements")
    f.text(620, 30, "round 0, 1, 2, 3 of")
    f.text(620, 46, "16-byte loads")
    f.text(620, 86, "shared memory,")
    f.text(620, 102, "with empty places")
    f.text(620, 156, "4 quads per lane")
    f.text(20, 194, "A lane adds up its elements; the lanes' sums are scanned; each lane goes through its elements again.")
    f.text(20, 216, "Then back the same way: put in a row, take side by side, store 16 bytes per lane.")
    f.legend((WORK, "what lane 0 gets"), (PAPER, "what the other lanes get"))
    f.save(FOLDER, "08-three-phase")


def chained():
    f = Figure(760, 164, "Every tile waits for its left neighbour and passes the sum on")
    for t in range(5):
        x = 20 + 110 * t
        f.box(x, 20, 90, 28, WORK if t < 2 else QUIET, f"tile {t}")
        f.box(x, 70, 90, 26, PAPER, "prefix, flag")
        f.arrow(x + 45, 50, x + 45, 68)
        if t:
            f.arrow(x - 20, 83, x - 2, 50)
    f.text(580, 38, "ticket: 0, 1, 2, ...")
    f.text(580, 88, "in global memory")
    f.text(20, 128, "write the prefix, __threadfence, set the flag | see the flag, __threadfence, read the prefix")
    f.text(20, 152, "One trip through the memory after another: the chain is as long as there are tiles.")
    f.legend((WORK, "done"), (QUIET, "loaded and added up; waits"), (PAPER, "in global memory"))
    f.save(FOLDER, "09-chained")


def look_back():
    f = Figure(760, 214, "A warp loads 32 tile descriptors and stops at the nearest inclusive prefix")
    statuses = ["P", "P", "A", "A", "A", "A", "A"]
    for t, status in enumerate(statuses):
        f.box(20 + 80 * t, 30, 80, 26, WORK if status == "P" else QUIET, f"{status} {t}")
        f.text(60 + 80 * t, 22, f"tile {t}", "middle", 11)
    f.box(600, 30, 80, 26, PAPER, "tile 7")
    for lane in range(6):
        f.arrow(640 - 4 * lane, 58, 540 - 80 * lane, 100)
        f.text(540 - 80 * lane, 116, f"lane {lane}", "middle", 11)
    f.text(100, 116, "stop", "end", 11)
    f.text(20, 150, "exclusive prefix of tile 7 = P 1 + A 2 + ... + A 6: one trip, not six.  A: aggregate.  P: inclusive prefix.")
    f.box(20, 168, 200, 26, QUIET, "status: epoch, A or P")
    f.box(220, 168, 200, 26, WORK, "sum")
    f.text(432, 186, "a tile descriptor: 64 bits, loaded and stored whole")
    f.legend((WORK, "P: the inclusive prefix"), (QUIET, "A: the aggregate of the tile alone"), (PAPER, "the tile that looks back"))
    f.save(FOLDER, "10-look-back")


for draw in (hillis_steele, double_buffer, trees, padding, large, shuffle, three_phase, chained, look_back):
    draw()
