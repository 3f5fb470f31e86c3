"""Draws the figures of docs/projects.md into docs/figures/projects/: what each project asks for, not how."""
import math

from figure import BLUE, GOLD, HURT, MAUVE, PAPER, QUIET, WORK, Figure

FOLDER = "projects"


def keep_in_order():
    f = Figure(760, 130, "Stream compaction: words above 0 move together, in their order")
    words = [7, -2, 5, -9, -1, 3, 8, -4, 6, -5]
    kept = [i for i, word in enumerate(words) if word > 0]
    f.text(20, 47, "in")
    f.cells(100, 30, words, [WORK if word > 0 else QUIET for word in words], 44)
    f.text(20, 117, "out")
    f.cells(100, 100, [words[i] for i in kept], [WORK] * len(kept), 44)
    for place, i in enumerate(kept):
        f.arrow(122 + 44 * i, 56, 122 + 44 * place, 98)
    f.text(580, 117, f"count = {len(kept)}")
    f.save(FOLDER, "keep-in-order")


def softmax():
    f = Figure(760, 150, "Softmax: powers of the distance to the largest word, divided by their sum")
    row = [2, 0, 1, 5, 4, 3]
    powers = [math.exp(x - max(row)) for x in row]
    for k, (name, words) in enumerate([("x", row), (f"exp(x - {max(row)})", [f"{p:.3f}" for p in powers]),
                                       ("/ sum", [f"{p / sum(powers):.3f}" for p in powers])]):
        f.text(20, 47 + 40 * k, name)
        f.cells(140, 30 + 40 * k, words, [GOLD if x == max(row) else PAPER for x in row], 70)
    f.text(580, 87, f"sum = {sum(powers):.3f}")
    f.text(580, 127, "sum = 1")
    f.save(FOLDER, "softmax")


def segmented_sum():
    f = Figure(760, 150, "Segmented sum: one sum for each segment, and one segment may be long")
    begin, words = [0, 2, 2, 10, 12], [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
    colors = [WORK, HURT, GOLD, BLUE]
    owner = [max(s for s in range(4) if begin[s] <= i < begin[s + 1]) for i in range(12)]
    f.text(20, 47, "in")
    f.cells(100, 30, words, [colors[s] for s in owner], 44)
    f.text(20, 97, "begin")
    f.cells(100, 80, begin, None, 44)
    f.text(380, 97, "sums")
    f.cells(440, 80, [sum(words[begin[s]:begin[s + 1]]) for s in range(4)], colors, 44)
    f.text(20, 136, "Segment 1 is empty; segment 2 has most of the words.")
    f.save(FOLDER, "segmented-sum")


def many_bins():
    f = Figure(760, 160, "Many bins: how often each number occurs, for more numbers than a block has counters")
    words, bins = [6, 1, 6, 3, 0, 6, 5, 6, 3, 9], 12
    f.text(20, 47, "in")
    f.cells(100, 30, words, [GOLD if word == 6 else PAPER for word in words], 44)
    f.text(20, 97, "bin")
    f.cells(100, 80, list(range(bins)), [QUIET] * bins, 44)
    f.text(20, 121, "counts")
    counts = [words.count(b) for b in range(bins)]
    f.cells(100, 104, counts, [GOLD if b == 6 else WORK if counts[b] else PAPER for b in range(bins)], 44)
    f.text(20, 152, "One bin may have most of the words, and many have none.")
    f.save(FOLDER, "many-bins")


def top_k():
    f = Figure(760, 120, "Top k: the largest words in falling order")
    words, k = [31, 7, 92, 54, 92, 18, 66, 3, 70, 25], 4
    largest = sorted(words, reverse=True)[:k]
    f.text(20, 47, "in")
    f.cells(100, 30, words, [WORK if word in largest else QUIET for word in words], 44)
    f.text(20, 97, f"out, k = {k}")
    f.cells(100, 80, largest, [WORK] * k, 44)
    f.text(320, 97, "The rest is never sorted. Equal words count each.")
    f.save(FOLDER, "top-k")


def pivoting():
    f = Figure(760, 170, "Pivoting: the largest word of the column becomes the pivot")
    rows = [[0, 2, 1], [-4, 1, 3], [2, 5, -1]]
    pivot = max(range(3), key=lambda i: abs(rows[i][0]))
    f.text(20, 30, "Row 0 has 0 in column 0: it cannot be the pivot.")
    for i, row in enumerate(rows):
        f.cells(40, 45 + 28 * i, row, [GOLD if i == pivot else HURT if i == 0 else PAPER, PAPER, PAPER], 50)
    left = [row if i == pivot else [0] + [row[j] - row[0] / rows[pivot][0] * rows[pivot][j] for j in (1, 2)]
            for i, row in enumerate(rows)]
    f.arrow(200, 85, 290, 85)
    for i, row in enumerate(left):
        f.cells(310, 45 + 28 * i, [f"{word:g}" for word in row], [GOLD if i == pivot else QUIET, PAPER, PAPER], 60)
    f.text(520, 75, "Next column: the largest word of")
    f.text(520, 97, "the rows that are left, and so on.")
    f.text(20, 158, "Many such systems, 32 rows at most, each with pivots of its own.")
    f.save(FOLDER, "pivoting")


def breadth_first():
    f = Figure(760, 190, "Breadth-first search: the least number of edges to each node")
    levels = [["0"], ["1", "2"], ["3", "4", "5"], ["6"]]
    edges = [("0", "1"), ("0", "2"), ("1", "3"), ("1", "4"), ("2", "5"), ("4", "6"), ("5", "6")]
    place = {}
    for d, nodes in enumerate(levels):
        f.text(75 + 150 * d, 24, f"distance {d}", "middle", 12)
        for k, node in enumerate(nodes):
            place[node] = (60 + 150 * d, 84 + 44 * k - 22 * (len(nodes) - 1))
    for a, b in edges:
        f.arrow(place[a][0] + 30, place[a][1] + 12, place[b][0] - 2, place[b][1] + 12)
    for node, (x, y) in place.items():
        f.box(x, y, 30, 24, [WORK, GOLD, BLUE, MAUVE][(x - 60) // 150], node)
    f.box(660, 84, 30, 24, QUIET, "7")
    f.text(675, 130, "no way: -1", "middle", 12)
    f.save(FOLDER, "breadth-first")


def alignment():
    a, b, side = "GATTC", "GCATC", 34
    table = [[max(i, j) if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
    f = Figure(760, 270, "Edit distance: cells of one anti-diagonal do not depend on one another")
    for j, letter in enumerate(b):
        f.text(60 + side * (j + 1) + side / 2, 30, letter, "middle", bold=True)
    for i, row in enumerate(table):
        if i > 0:
            f.text(42, 57 + 34 * i, a[i - 1], "middle", bold=True)
        f.cells(60, 40 + 34 * i, row, [GOLD if i + j == 5 else WORK if (i, j) == (len(a), len(b)) else PAPER
                                       for j in range(len(b) + 1)], side)
    f.text(300, 80, "A cell needs its neighbours above, to the left,")
    f.text(300, 102, "and above to the left.")
    f.text(300, 140, f"{a} becomes {b} with {table[-1][-1]} edits.")
    f.legend((GOLD, "one anti-diagonal"), (WORK, "the answer"))
    f.save(FOLDER, "alignment")


def resize():
    up, down, taps = 3, 2, 8
    f = Figure(760, 190, "Polyphase filter: each output has its base and its phase")
    f.text(20, 47, "in")
    f.cells(80, 30, [f"x{i}" for i in range(12)], [WORK if 1 <= i <= taps else PAPER for i in range(12)], 54)
    chosen = 6
    f.text(20, 137, "out")
    for i in range(16):
        x = 80 + 54 * i * down / up + 9
        if x > 700:
            break
        f.box(x, 120, 34, 24, GOLD if i == chosen else PAPER, f"y{i}", 12)
    f.line(80 + 54, 62, 80 + 54 * chosen * down / up + 26, 118)
    f.line(80 + 54 * (taps + 1), 62, 80 + 54 * chosen * down / up + 26, 118)
    f.text(20, 176, f"up = {up}, down = {down}: y{chosen} starts from x{chosen * down // up} with phase "
           f"{chosen * down % up} and takes {taps} words; the columns go the same way.")
    f.save(FOLDER, "resize")


def nearest():
    f = Figure(760, 270, "Nearest neighbours: near points, not all of them")
    points = [(95, 60), (150, 75), (210, 50), (75, 130), (140, 140), (172, 160), (122, 178), (230, 150), (90, 215), (180, 220),
              (240, 225), (300, 90), (320, 180), (290, 220)]
    self_point = (140, 140)
    order = sorted([p for p in points if p != self_point],
                   key=lambda p: (p[0] - self_point[0]) ** 2 + (p[1] - self_point[1]) ** 2)
    for p in points:
        f.box(p[0] - 6, p[1] - 6, 12, 12, WORK if p == self_point else GOLD if p in order[:4] else QUIET)
    for k, p in enumerate(order[:4]):
        f.text(p[0] + 9, p[1] - 7, str(k + 1), size=12)
    f.text(420, 90, "For every point the four nearest others,")
    f.text(420, 112, "the nearest first.")
    f.text(420, 150, "Points may be crowded in a corner.")
    f.legend((WORK, "a point"), (GOLD, "its four nearest, in order"))
    f.save(FOLDER, "nearest")


def plates():
    f = Figure(760, 250, "Plates: every cell moves towards its four neighbours, and the rim keeps its temperature")
    rows, columns, side, left, top = 6, 8, 34, 60, 30
    for y in range(rows):
        for x in range(columns):
            near = abs(y - 2) + abs(x - 3)
            rim = y in (0, rows - 1) or x in (0, columns - 1)
            f.box(left + side * x, top + side * y, side, side,
                  WORK if near == 0 else GOLD if near == 1 else QUIET if rim else PAPER)
    f.text(370, 60, "new = (4 cell + above + below + left + right + 4) / 8")
    f.text(370, 98, "A plate of 512 x 256 words takes 512 KB.")
    f.text(370, 120, "A block has 227 KB of shared memory at most.")
    f.text(370, 158, "Many sweeps over each of many plates, and every")
    f.text(370, 180, "word comes from memory once.")
    f.legend((WORK, "a cell"), (GOLD, "what it needs"), (QUIET, "the rim, which does not change"))
    f.save(FOLDER, "plates")


if __name__ == "__main__":
    for draw in (keep_in_order, softmax, segmented_sum, many_bins, top_k, pivoting, breadth_first, alignment, resize,
                 nearest, plates):
        draw()
