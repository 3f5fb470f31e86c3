"""Draws the figures of chapter 9 into docs/figures/09-gather/."""
from figure import BLUE, GOLD, HURT, MAUVE, PAPER, QUIET, WARPS, WORK, Figure

FOLDER = "09-gather"
SIDE = 22  # of a point's box in the map


def grid(f, x, y, rows, columns, color=lambda i, j: PAPER, side=SIDE):
    for i in range(rows):
        for j in range(columns):
            f.box(x + j * side, y + i * side, side, side, color(i, j))


def atom(f, x, y, name, color):
    f.box(x - 13, y - 12, 26, 24, color, name)


def scatter():
    f = Figure(760, 250, "Scatter: a thread owns an atom and adds to every point")
    grid(f, 300, 40, 6, 10, lambda i, j: HURT if (i, j) == (2, 4) else PAPER)
    for k, color in enumerate(WARPS):
        atom(f, 60, 55 + 38 * k, f"q{k}", color)
        f.text(88, 60 + 38 * k, f"thread {k}")
        f.arrow(158, 55 + 38 * k, 386, 94)
    f.text(536, 70, "All lanes add to the same point")
    f.text(536, 92, "at the same time: 32 atomics at")
    f.text(536, 114, "one address, one after another.")
    f.text(300, 200, "the map: every point, from every atom")
    f.legend((HURT, "the point that all lanes add to now"), (WORK, "lane 0"), (GOLD, "lane 1"), (BLUE, "lane 2"), (MAUVE, "lane 3"))
    f.save(FOLDER, "01-scatter")


def gather():
    f = Figure(760, 250, "Gather: a thread owns a point and reads every atom")
    grid(f, 300, 40, 6, 10, lambda i, j: WARPS[j % 4] if i == 2 else PAPER)
    f.cells(20, 70, ["q0", "q1", "q2", "q3", "..."], [PAPER, PAPER, HURT, PAPER, PAPER], 40)
    f.text(20, 58, "constant memory: a chunk of atoms")
    f.arrow(120, 96, 298, 94)
    f.text(20, 130, "All lanes read the same atom:")
    f.text(20, 152, "one word, a broadcast.")
    f.text(536, 70, "Each lane adds in a register")
    f.text(536, 92, "and stores its point once:")
    f.text(536, 114, "no atomics, 4 sectors a store.")
    f.legend((HURT, "read by all lanes now"), (WORK, "lane 0's point"), (GOLD, "lane 1's"), (BLUE, "lane 2's"), (MAUVE, "lane 3's"))
    f.save(FOLDER, "02-gather")


def coarsening():
    f = Figure(760, 230, "Coarsening: the points of a thread lie half a warp apart")
    f.text(20, 30, "a row of the map; here half a warp has 4 lanes and a thread 3 points")
    f.cells(20, 42, [f"x{i}" for i in range(12)], [WARPS[i % 4] for i in range(12)], 44)
    for k in range(3):
        f.text(20 + 176 * k + 88, 86, f"k = {k}", "middle")
    f.text(20, 116, "once for a row:  dy, dy * dy + dz * dz + SOFTENING")
    f.text(20, 140, "for each point:  dx, dx * dx + rest, 1 / sqrt, sum += q * that")
    f.text(20, 172, "For each k the lanes' points are neighbours: stores fill their sectors.")
    f.legend((WORK, "lane 0's points"), (GOLD, "lane 1's"), (BLUE, "lane 2's"), (MAUVE, "lane 3's"))
    f.save(FOLDER, "03-coarsening")


def cutoff():
    f = Figure(760, 270, "Cutoff: few lanes of a row are near an atom")
    near = {0: 2, 1: 4, 2: 4, 3: 4, 4: 2}  # half chords, by row

    def color(i, j):
        if i not in near:
            return QUIET
        return WORK if abs(j - 9) <= near[i] else PAPER
    grid(f, 20, 30, 8, 20, color)
    atom(f, 20 + 9.5 * SIDE, 30 + 2.5 * SIDE, "q", GOLD)
    f.text(490, 50, "a row that is too far away")
    f.text(490, 70, "as a whole: skipped by its warp")
    f.text(490, 110, "a row that the circle meets:")
    f.text(490, 130, "all lanes test, few take part,")
    f.text(490, 150, "the others wait for them")
    f.legend((GOLD, "the atom"), (WORK, "counts"), (PAPER, "tested, too far"), (QUIET, "skipped by the whole warp"))
    f.save(FOLDER, "04-cutoff")


def binning():
    f = Figure(760, 310, "Cells of side CUTOFF: a tile reads nine")
    side = 46
    grid(f, 20, 30, 6, 7, lambda i, j: WORK if (i, j) == (2, 3) else GOLD if abs(i - 2) < 2 and abs(j - 3) < 2
         else QUIET if i in (0, 5) or j in (0, 6) else PAPER, side)
    f.text(390, 50, "count: how many atoms does each cell have?")
    f.text(390, 74, "scan: where does each cell begin?")
    f.text(390, 98, "place: each atom to the next word of its cell")
    f.cells(390, 130, ["c0", "c1", "c1", "c1", "c3", "c4", "c4"], [PAPER, GOLD, GOLD, GOLD, PAPER, BLUE, BLUE], 44)
    f.text(390, 176, "bins.atoms: cell after cell; c2 is empty")
    f.text(390, 214, "The cells of a row are one range:")
    f.text(390, 236, "three loops for nine cells.")
    f.legend((WORK, "the tile, and its cell"), (GOLD, "cells that may hold near atoms"), (QUIET, "the border around the map"))
    f.save(FOLDER, "05-binning")


def compaction():
    f = Figure(760, 270, "Compaction: tiles without work are not on the list")
    busy = [(0, 1), (0, 2), (1, 1), (1, 2), (3, 5), (4, 5), (4, 6)]
    grid(f, 20, 30, 6, 8, lambda i, j: WORK if (i, j) in busy else PAPER, 32)
    f.text(310, 46, "a vote of the warp:   0 1 1 0 0 0 0 0 0 1 1 0 ...", mono=True)
    f.text(310, 70, "one atomic for all of them; lower lanes that keep a")
    f.text(310, 90, "tile give each lane its slot")
    f.cells(310, 112, ["1", "2", "9", "10", "29", "37", "38"], [WORK] * 7, 44)
    f.text(310, 156, "bins.list: the numbers of the tiles with work")
    f.arrow(350, 166, 350, 188)
    f.text(310, 206, "as many blocks as the device holds take every")
    f.text(310, 226, "gridDim.x-th of them")
    f.legend((WORK, "tiles with atoms near"), (PAPER, "empty: zeros, no block"))
    f.save(FOLDER, "06-compaction")


def regularization():
    f = Figure(760, 270, "Regularization: a crowded tile becomes many pieces")
    f.text(20, 30, "step 6: one block per tile")
    for k, length in enumerate([18, 3, 2, 4]):
        f.box(20, 42 + 26 * k, 18 * length, 20, HURT if k == 0 else WORK)
    f.text(360, 57, "the launch lasts as long as this block")
    f.text(20, 172, "step 7: pieces of CAPACITY atoms")
    left = 20
    for k, length in enumerate([4, 4, 4, 4, 2, 3, 2, 4]):
        f.box(left, 184, 18 * length, 20, GOLD if k < 5 else WORK)
        left += 18 * length + 6
    f.text(20, 228, "each piece fits into shared memory; sums of one tile meet by atomics")
    f.legend((HURT, "the crowded tile"), (GOLD, "its pieces"), (WORK, "other tiles"))
    f.save(FOLDER, "07-regularization")


def nested():
    f = Figure(760, 250, "Nested launches: crowded tiles launch grids for what is left")
    f.text(20, 30, "sum_tiles: a block for each tile adds its first piece")
    pieces = (2, 1, 0, 1, 1, 5)
    lefts = []
    left = 20
    for count in pieces:
        f.box(left, 44, 72 if count else 14, 20, WORK if count else QUIET)
        lefts.append(left)
        left += (72 if count else 14) + 8
    f.text(100, 112, "sum_rest: a grid of its own for the others")
    for tile, at in ((0, lefts[0]), (5, lefts[5])):
        f.arrow(lefts[tile] + 20, 66, at + 20, 142)
        for k in range(pieces[tile] - 1):
            f.box(at + 78 * k, 144, 72, 20, GOLD)
    f.text(20, 196, "No list, no second kernel from the host. Where no place for a launch is free, the block adds all its pieces itself.")
    f.legend((WORK, "the tile's first piece"), (GOLD, "blocks of nested launches"), (QUIET, "an empty tile"))
    f.save(FOLDER, "08-nested")


for draw in (scatter, gather, coarsening, cutoff, binning, compaction, regularization, nested):
    draw()
