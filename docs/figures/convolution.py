"""Draws the figures of chapter 8 into docs/figures/08-convolution/."""
from figure import BLUE, GOLD, HURT, MAUVE, PAPER, QUIET, WORK, Figure

FOLDER = "08-convolution"
SIDE = 17  # of a word of an image


def words(f, x, y, count, colors, first=0):
    f.cells(x, y, list(range(first, first + count)), colors, 34)


def direct():
    f = Figure(760, 250, "A filter of radius 2 over a signal: output 5 and its five products")
    f.text(20, 26, "in")
    words(f, 60, 36, 12, [WORK if 3 <= i <= 7 else PAPER for i in range(12)])
    f.text(20, 106, "filter")
    f.cells(60 + 3 * 34, 90, ["f0", "f1", "f2", "f3", "f4"], [GOLD] * 5, 34)
    for i in range(5):
        f.arrow(77 + 34 * (3 + i), 116, 77 + 34 * 5 + 6 * (i - 2), 158)
    f.text(20, 176, "out")
    words(f, 60, 160, 12, [BLUE if i == 5 else PAPER for i in range(12)])
    f.text(490, 50, "Word 5 is loaded by threads 3 to 7:")
    f.text(490, 72, "2 r + 1 loads of each word.")
    f.text(490, 110, "Every thread loads all weights:")
    f.text(490, 132, "2 r + 1 loads more for each output.")
    f.text(60, 222, "Left of word 0 and right of the last there is nothing: it counts as 0.")
    f.legend((WORK, "words that output 5 needs"), (GOLD, "weights"), (BLUE, "the output"))
    f.save(FOLDER, "01-direct")


def constant():
    f = Figure(760, 220, "Weights through the constant cache: one word for all lanes")
    f.text(20, 30, "warp")
    f.cells(90, 16, [f"lane {i}" for i in (0, 1, 2)] + ["...", "lane 31"], None, 74)
    for i in range(5):
        f.arrow(127 + 74 * i, 40, 230 + 22 * i, 84)
    f.box(200, 86, 160, 26, GOLD, "weights[k]")
    f.text(20, 104, "constant cache")
    f.text(500, 34, "All lanes ask for the same word:")
    f.text(500, 56, "one access, handed to all of them.")
    f.text(500, 94, "Different words would be read")
    f.text(500, 116, "one after another.")
    f.text(20, 160, "The words of the signal still come from global memory: 2 r + 1 loads for each output.")
    f.legend((GOLD, "in constant memory, copied there before the launch"))
    f.save(FOLDER, "02-constant")


def strip(f, y, colors, name):
    f.text(20, y + 17, name)
    f.cells(130, y, [str(i) if i >= 0 else "" for i in range(14)], colors, 34)


def output_tile():
    f = Figure(760, 260, "The block is the output tile: 8 threads, radius 2, 12 words")
    tile = [QUIET] * 2 + [WORK] * 8 + [QUIET] * 2 + [PAPER] * 2
    strip(f, 30, tile, "words loaded")
    f.text(20, 87, "first load")
    f.cells(130, 70, [f"t{i}" for i in range(8)], [GOLD] * 8, 34)
    f.text(20, 121, "second load")
    f.cells(130 + 8 * 34, 104, [f"t{i}" for i in range(4)], [HURT] * 4, 34)
    f.text(20, 171, "outputs")
    f.cells(130 + 2 * 34, 154, [f"t{i}" for i in range(8)], [BLUE] * 8, 34)
    f.text(130, 220, "tile + 2 r loads for tile outputs; all threads make one; four load twice.")
    f.legend((QUIET, "halo"), (WORK, "the block's own words"), (HURT, "a second load"), (BLUE, "outputs"))
    f.save(FOLDER, "03-output-tile")


def input_tile():
    f = Figure(760, 220, "The block is the input tile: 12 threads, radius 2, 8 outputs")
    tile = [QUIET] * 2 + [WORK] * 8 + [QUIET] * 2 + [PAPER] * 2
    strip(f, 30, tile, "words loaded")
    f.text(20, 87, "one load")
    f.cells(130, 70, [f"t{i}" for i in range(12)], [GOLD] * 12, 34)
    f.text(20, 137, "outputs")
    f.cells(130, 120, [f"t{i}" for i in range(12)], [QUIET] * 2 + [BLUE] * 8 + [QUIET] * 2, 34)
    f.text(130, 184, "One load for every thread, no loop; 2 r threads of the block make no output.")
    f.legend((QUIET, "halo; idle threads"), (WORK, "the block's own words"), (BLUE, "outputs"))
    f.save(FOLDER, "04-input-tile")


def halo_by_cache():
    f = Figure(760, 240, "The halo comes from the cache: the tile has the block's own words alone")
    tile = [QUIET] * 2 + [WORK] * 8 + [QUIET] * 2 + [PAPER] * 2
    strip(f, 30, tile, "in")
    f.text(20, 107, "shared memory")
    f.cells(130 + 2 * 34, 90, [f"t{i}" for i in range(8)], [GOLD] * 8, 34)
    f.arrow(164, 56, 215, 146)
    f.arrow(130 + 11 * 34, 56, 130 + 9 * 34 + 17, 146)
    f.text(20, 167, "outputs")
    f.cells(130 + 2 * 34, 150, [f"t{i}" for i in range(8)], [HURT] * 2 + [BLUE] * 4 + [HURT] * 2, 34)
    f.text(130, 208, "The neighbour blocks load the halo, too: it is probably in L2. Warps diverge only at the edges.")
    f.legend((QUIET, "halo, read from global memory"), (WORK, "loaded once into shared memory"), (HURT, "outputs that need both"))
    f.save(FOLDER, "05-halo-by-cache")


def image(f, x, y, columns, rows, color):
    for i in range(rows):
        for j in range(columns):
            f.box(x + j * SIDE, y + i * SIDE, SIDE, SIDE, color(i, j))


def two_dimensions():
    f = Figure(760, 300, "A tile of 8 x 8 outputs with radius 2: 12 x 12 words")
    image(f, 20, 30, 12, 12, lambda i, j: HURT if 1 <= i < 6 and 2 <= j < 7 else WORK if 2 <= i < 10 and 2 <= j < 10 else QUIET)
    f.text(260, 50, "12 x 12 = 144 words for 64 outputs: 2.25 loads for each.")
    f.text(260, 84, "In the step, with r = 7 and tiles of 64 x 32:")
    f.text(260, 106, "78 x 46 = 3588 words for 2048 outputs: 1.75.")
    f.text(260, 140, "Without tiles: 15 x 15 = 225 loads for each output.")
    f.text(260, 190, "The corners count, too: the halo grows with the sum of both sides,")
    f.text(260, 212, "the tile with their product.")
    f.legend((WORK, "the tile"), (QUIET, "its halo"), (HURT, "words that one output needs"))
    f.save(FOLDER, "06-two-dimensions")


def separable():
    f = Figure(760, 260, "Rows, then columns: 2 (2 r + 1) products for each output")
    for k, (x, name) in enumerate([(20, "in"), (250, "scratch"), (480, "out")]):
        f.text(x, 24, name)
        image(f, x, 34, 9, 9, lambda i, j, k=k: [HURT if i == 4 and 2 <= j < 7 else PAPER,
                                                 GOLD if (i, j) == (4, 4) else HURT if j == 4 and 2 <= i < 7 else PAPER,
                                                 BLUE if (i, j) == (4, 4) else PAPER][k])
    f.arrow(180, 110, 244, 110)
    f.text(212, 100, "rows", "middle", 12)
    f.arrow(410, 110, 474, 110)
    f.text(442, 100, "columns", "middle", 12)
    f.text(20, 224, "Two passes of 5 products in place of 25, and two trips through global memory in place of one.")
    f.legend((HURT, "words that are summed"), (GOLD, "a sum along a row"), (BLUE, "the output"))
    f.save(FOLDER, "07-separable")


def register_window():
    f = Figure(760, 330, "A thread, radius 1: a row of the window goes to three rows of sums")
    f.text(20, 24, "image")
    image(f, 20, 34, 12, 9, lambda i, j: WORK if i == 4 and 3 <= j < 9 else MAUVE if i < 3 and 4 <= j < 8 else PAPER)
    f.text(20, 214, "the window: row y, four columns and r on each side")
    f.arrow(236, 110, 300, 110)
    for k, name in enumerate(("sums of row y - 1", "sums of row y", "sums of row y + 1")):
        f.cells(310, 60 + 40 * k, ["", "", "", ""], [[BLUE, GOLD, QUIET][k]] * 4, 34)
        f.text(460, 77 + 40 * k, name + ("   + filter row 2", "   + filter row 1", "   + filter row 0")[k])
    f.arrow(300, 150, 300, 74)
    f.text(310, 50, "complete: stored, 16 bytes")
    f.text(310, 196, "then all move up, and the last begins with 0")
    f.text(20, 262, "r = 7: 5 loads of 16 bytes for 900 multiply-adds. In step 6 each product had a load of its own.")
    f.legend((WORK, "in registers now"), (MAUVE, "outputs that are stored"), (BLUE, "complete"), (GOLD, "one row is missing"), (QUIET, "just begun"))
    f.save(FOLDER, "08-register-window")


for draw in (direct, constant, output_tile, input_tile, halo_by_cache, two_dimensions, separable, register_window):
    draw()
