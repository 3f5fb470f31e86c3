"""Draws the figures of chapter 6 into docs/figures/06-iterative-solvers/."""
import math
from figure import HURT, PAPER, QUIET, WORK, Figure

FOLDER = "06-iterative-solvers"


def matrix(f, x, y, color, words):
    """8 x 8 words of a matrix; color(row, column)."""
    for r in range(8):
        for c in range(8):
            f.box(x + 26 * c, y + 20 * r, 26, 20, color(r, c), words(r, c))


def rows():
    for name, title, color, words, notes in (
            ("01-simple-iteration", "A thread per row: neighbouring threads read a row apart",
             lambda r, c: HURT if c == 2 else PAPER, lambda r, c: f"t{r}" if c == 2 else "",
             ["thread t adds up row t.", "One load of a warp: 32 words,", "each in a row of its own:",
              "32 sectors for 128 bytes.", "The word of x is the same for all."]),
            ("02-coalesced", "A warp per row: neighbouring lanes read side by side",
             lambda r, c: WORK if r == 2 else PAPER, lambda r, c: f"l{c}" if r == 2 else "",
             ["a warp adds up a row.", "One load of a warp: 32 lanes,", "16 bytes each, side by side:",
              "16 sectors for 512 bytes.", "Five shuffles add up the lanes."])):
        f = Figure(760, 190, title)
        matrix(f, 20, 14, color, words)
        f.text(246, 98, "x", "middle", 18)
        for r in range(8):
            f.box(262, 14 + 20 * r, 26, 20, (WORK if r == 2 else PAPER) if name[1] == "1" else WORK)
        for i, note in enumerate(notes):
            f.text(330, 40 + 24 * i, note)
        if name[1] == "1":
            f.legend((HURT, "one load of a warp: a sector for each lane"), (WORK, "one sector for all lanes"), (PAPER, "other words"))
        else:
            f.legend((WORK, "one load of a warp: whole sectors"), (PAPER, "other words"))
        f.save(FOLDER, name)


def decay():
    f = Figure(760, 230, "The error over the sweeps: simple iteration and Jacobi")
    left, top, width, height = 70, 16, 420, 170
    for k in range(4):
        y = top + height * k / 3
        f.line(left, y, left + width, y, "2 4" if k < 3 else "")
        f.text(left - 8, y + 4, ["1", "1/10", "1/100", "1/1000"][k], "end", 12)
    for sweeps in range(0, 41, 10):
        f.text(left + width * sweeps / 42, top + height + 18, str(sweeps), "middle", 12)
    f.text(left + width / 2, top + height + 36, "sweeps", "middle", 12)
    for rate in (0.846, 0.5):
        end = math.ceil(math.log(0.001) / math.log(rate))
        for k in range(end):
            y = [top + min(height, -height * (k + i) * math.log10(rate) / 3) for i in (0, 1)]
            f.line(left + width * k / 42, y[0], left + width * (k + 1) / 42, y[1])
    f.text(left + 100, top + 146, "Jacobi: rate 0.5, 10 sweeps")
    f.text(left + 216, top + 72, "simple iteration: rate 0.846, 42 sweeps")
    f.text(510, 130, "One alpha has to fit the row with")
    f.text(510, 150, "the largest entries. Jacobi gives each")
    f.text(510, 170, "row its own: 1 over its diagonal.")
    f.save(FOLDER, "03-jacobi")


def convergence():
    f = Figure(760, 176, "A test every fourth sweep: one float goes to the host")
    for k in range(12):
        test = k % 4 == 3
        f.box(100 + 46 * k, 20, 44, 28, WORK if test else QUIET, str(k + 1))
        if test:
            f.arrow(122 + 46 * k, 50, 122 + 46 * k, 92)
            f.box(88 + 46 * k, 94, 68, 26, PAPER, "sum")
    f.text(20, 38, "device")
    f.text(20, 112, "host")
    f.text(20, 160, "sum <= enough: stop.   sum > 16 x first, or no number: it diverges, stop.   Else: four more sweeps.")
    f.legend((QUIET, "a sweep"), (WORK, "a sweep with a test"), (PAPER, "on the host"))
    f.save(FOLDER, "04-convergence")


def slices():
    f = Figure(760, 232, "CSR rows one after the other; slices with the entries side by side")
    lengths, x = [2, 3, 1, 3], 20
    colors = [WORK, QUIET, HURT, PAPER]
    f.text(20, 20, "CSR: rows of 2, 3, 1 and 3 entries, one after the other; the first loads of 4 threads lie apart")
    for r, n in enumerate(lengths):
        for k in range(n):
            f.box(x, 32, 44, 24, colors[r], f"{r}.{k}")
            x += 44
    f.text(20, 92, "a slice: first entries side by side, then the second ones, then the third; empty ones add 0")
    for k in range(3):
        for r, n in enumerate(lengths):
            f.box(20 + 180 * k + 44 * r, 104, 44, 24, colors[r] if k < n else PAPER, f"{r}.{k}" if k < n else "0")
        f.text(108 + 180 * k, 146, f"entry {k}: one load of all rows", "middle", 12)
    f.text(20, 180, "5-point rows have 3 to 5 entries: little is wasted. One long row makes all 32 rows of its slice long,")
    f.text(20, 200, "but only of its slice: that is why there are slices, and not one table as wide as the longest row.")
    f.legend((WORK, "row 0"), (QUIET, "row 1"), (HURT, "row 2"), (PAPER, "row 3, and empty places"))
    f.save(FOLDER, "05-csr")


def stencil():
    f = Figure(760, 236, "A warp holds ROWS + 2 rows of 128 cells in registers")
    for r in range(6):
        edge = r in (0, 5)
        if edge:
            f.text(94, 32 + 30 * r, "row + ROWS" if r else "row - 1", "end", 12)
        for lane in range(8):
            f.box(140 + 52 * lane, 16 + 30 * r, 52, 30, QUIET if edge else WORK)
        if not edge:
            f.box(112, 16 + 30 * r, 28, 30, HURT)
            f.box(556, 16 + 30 * r, 28, 30, HURT)
    for lane in range(8):
        f.text(166 + 52 * lane, 215, f"lane {lane if lane < 7 else 31}" if lane != 6 else "...", "middle", 11)
    f.text(600, 40, "a box: a quad, 16 bytes")
    f.text(600, 70, "beside it: one cell")
    f.text(600, 100, "above and below: the")
    f.text(600, 118, "lane's own registers")
    f.text(600, 148, "left and right: a")
    f.text(600, 166, "shuffle away")
    f.legend((WORK, "the rows that the warp makes"), (QUIET, "rows loaded for them"), (HURT, "a single cell beside"))
    f.save(FOLDER, "06-stencil")


def march():
    f = Figure(760, 214, "Registers for three planes, shared memory for the one in the middle")
    for i, (words, color) in enumerate((("above: plane z + 1", QUIET), ("here: plane z", WORK), ("below: plane z - 1", QUIET))):
        f.box(20, 20 + 62 * i, 180, 34, color, words)
        if i:
            f.arrow(110, 20 + 62 * i - 26, 110, 20 + 62 * i - 3)
    f.text(20, 204, "after each plane both move on")
    f.arrow(204, 99, 268, 99)
    f.box(276, 24, 250, 150, QUIET)
    f.box(300, 44, 202, 110, WORK, "32 x 16 cells")
    f.text(401, 39, "frame: a row above", "middle", 11)
    f.text(401, 169, "a row below", "middle", 11)
    f.text(545, 50, "own cells: one load each")
    f.text(545, 74, "frame: 2 rows of 32 and")
    f.text(545, 92, "2 columns of 16 cells")
    f.text(545, 120, "512 cells: 16 requests,")
    f.text(545, 138, "and 3 for the frame")
    f.text(545, 166, "two such planes in turns:")
    f.text(545, 184, "one barrier per plane")
    f.legend((WORK, "the plane in the middle"), (QUIET, "planes in registers, and the frame"))
    f.save(FOLDER, "07-stencil-3d")


def pipe():
    f = Figure(760, 264, "A row goes in at the bottom; after each sweep a row one higher comes out")
    for t in range(4):
        x = 30 + 150 * t
        f.text(x + 60, 24, f"after {t} sweep{'s' if t != 1 else ''}", "middle")
        for k, (words, color) in enumerate(((f"r - {t + 2}" if t else "r - 2", QUIET), (f"r - {t + 1}" if t else "r - 1", QUIET),
                                            (f"r - {t}" if t else "r", WORK))):
            f.box(x, 36 + 30 * k, 120, 26, color, "row " + words)
        if t < 3:
            f.arrow(x + 122, 79, x + 148, 109)
    f.arrow(602, 79, 636, 109)
    f.box(640, 96, 100, 26, WORK, "row r - 4")
    f.text(690, 140, "stored", "middle")
    f.arrow(90, 168, 90, 126)
    f.text(90, 184, "loaded", "middle")
    f.text(30, 214, "All of this is in the registers of one warp: three rows of a sweep make one row of the next. 4 sweeps,")
    f.text(30, 234, "and each row is loaded once and stored once. The two outer lanes, 4 cells each, only help the others:")
    f.text(30, 254, "a sweep makes one more cell at each end wrong.")
    f.legend((WORK, "made now"), (QUIET, "kept in registers"))
    f.save(FOLDER, "08-temporal")


def launches():
    f = Figure(760, 196, "Launch by launch, as a graph, and as one launch")
    f.text(20, 36, "launches")
    for k in range(6):
        f.box(120 + 100 * k, 18, 60, 26, WORK, "sweep")
        if k:
            f.box(80 + 100 * k, 18, 40, 26, HURT)
    f.text(20, 94, "a graph")
    for k in range(6):
        f.box(120 + 62 * k + 40 * (k // 4), 76, 60, 26, WORK, "sweep")
    f.box(120 + 62 * 4, 76, 38, 26, HURT)
    f.text(20, 152, "one launch")
    for k in range(6):
        f.box(120 + 66 * k, 134, 60, 26, WORK, "sweep")
        if k:
            f.line(117 + 66 * k, 126, 117 + 66 * k, 168)
    f.text(120, 186, "lines: the barrier of the grid", size=12)
    f.legend((WORK, "a sweep"), (HURT, "nothing runs: between launches, or while the host looks at the sum"))
    f.save(FOLDER, "09-one-launch")


def gpus():
    f = Figure(760, 250, "Edges first, exchange beside the inner rows")
    for i in range(2):
        y = 20 + 100 * i
        f.text(20, y + 40, f"GPU {i}")
        for k in range(2):
            x = 90 + 330 * k
            f.box(x, y, 56, 28, WORK, "edges")
            f.box(x + 60, y, 130, 28, HURT, "exchange")
            f.box(x + 20, y + 34, 296, 28, QUIET)
            f.text(x + 250, y + 53, "inner rows", "middle")
    f.arrow(200, 50, 200, 118)
    f.arrow(240, 118, 240, 50)
    f.arrow(530, 50, 530, 118)
    f.arrow(570, 118, 570, 50)
    f.text(20, 226, "upper line: stream edge, of high priority; lower line: stream inner. The next sweep's edges wait for")
    f.text(20, 244, "both: for the neighbour's row, and for this sweep's inner rows.")
    f.legend((WORK, "a slab's first and last row"), (HURT, "exchange with the neighbour"), (QUIET, "all rows between"))
    f.save(FOLDER, "10-multi-gpu")


for draw in (rows, decay, convergence, slices, stencil, march, pipe, launches, gpus):
    draw()
