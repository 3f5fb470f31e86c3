"""Draws the figures of chapter 0 into docs/figures/00-basics/."""
from figure import BLUE, GOLD, MAUVE, PAPER, QUIET, WARPS, WORK, Figure

FOLDER = "00-basics"


def whole_program():
    f = Figure(760, 214, "What the host calls, and what the device does meanwhile")
    f.text(20, 24, "host", bold=True)
    f.text(20, 134, "device", bold=True)
    calls = [("malloc", QUIET), ("malloc", QUIET), ("copy x", GOLD), ("copy y", GOLD), ("launch", WORK), ("error?", PAPER),
             ("copy y", BLUE), ("free", QUIET)]
    for i, (name, color) in enumerate(calls):
        f.box(90 + 80 * i, 8, 68, 26, color, name)
        if color != PAPER:
            f.arrow(124 + 80 * i, 36, 124 + 80 * i, 112)
    f.text(496, 74, "nothing", "middle", 11)
    f.text(496, 90, "comes back", "middle", 11)
    f.box(90, 116, 308, 26, PAPER, "d_x and d_y: garbage, then x and y")
    f.box(410, 116, 148, 26, WORK, "the kernel runs")
    f.box(570, 116, 68, 26, BLUE, "y")
    f.text(20, 180, "The launch returns at once. The copy back waits for the kernel; the host waits for the copy.")
    f.text(20, 202, "Every call but the launch returns its error. That of the launch comes from cudaGetLastError.")
    f.save(FOLDER, "01-whole-program")


def grid_stride():
    f = Figure(760, 132, "A grid of 8 threads takes 22 elements in three turns")
    for i in range(22):
        f.box(20 + 32 * i, 20, 32, 24, WARPS[i % 8 // 2], f"t{i % 8}", 12)
        f.text(36 + 32 * i, 60, str(i), "middle", 11)
    for turn in range(3):
        width = 32 * min(8, 22 - 8 * turn)
        f.line(22 + 256 * turn, 70, 18 + 256 * turn + width, 70)
        f.text(20 + 256 * turn + width / 2, 88, f"turn {turn}", "middle")
    f.text(20, 120, "A thread goes on by the size of the grid: 8. In the last turn t6 and t7 have no element.")
    f.save(FOLDER, "02-grid-stride")


def two_dimensions():
    f = Figure(760, 232, "The pixels of the first warp of a block, in three shapes")
    shapes = [("block 32 x 8", 32, 1, "1 sector to store"), ("block 8 x 32", 8, 4, "4 sectors"), ("x down", 1, 32, "32 sectors")]
    for k, (name, columns, rows, cost) in enumerate(shapes):
        x = 20 + 255 * k
        f.text(x, 20, name, bold=True)
        for row in range(0, min(rows, 16)):
            f.box(x, 32 + 10 * row, 7 * 32, 10, QUIET)
            f.box(x, 32 + 10 * row, 7 * columns, 10, WORK)
        f.text(x, 212, f"{rows} {'row' if rows == 1 else 'rows'} of {columns}: {cost}")
    f.text(548, 199, "...", size=11)
    f.legend((WORK, "the 32 lanes of warp 0"), (QUIET, "the rest of a row of 32 bytes"))
    f.save(FOLDER, "03-two-dimensions")


def layout():
    f = Figure(760, 186, "Three layouts of particles; coloured: the words that a load of x wants")
    fields = ["x", "y", "z", "vx", "vy", "vz", "m"]
    rows = [("STRUCTURES", [fields[i % 7] for i in range(18)]),
            ("ARRAYS", ["x"] * 7 + ["..."] + ["y"] * 6 + ["..."] + ["z"] * 3),
            ("TILES", ["x"] * 4 + ["y"] * 4 + ["z"] * 4 + ["..."] + ["m"] * 2 + ["x"] * 3)]
    for k, (name, words) in enumerate(rows):
        y = 20 + 48 * k
        f.text(20, y + 17, name)
        f.cells(124, y, words, [WORK if w == "x" else QUIET if w == "..." else PAPER for w in words])
    f.text(20, 176, "28 sectors for 32 x; 4 sectors; 4 sectors, and the particle's other fields stand near.")
    f.legend((WORK, "wanted"), (PAPER, "other fields"), (QUIET, "left out here"))
    f.save(FOLDER, "04-layout")


def corner_turning():
    f = Figure(760, 218, "A tile in shared memory of four banks: without and with a word of padding")
    for k, (name, length) in enumerate([("rows of 4 words", 4), ("rows of 5 words", 5)]):
        x = 20 + 380 * k
        f.text(x, 22, name, bold=True)
        for row in range(4):
            for column in range(length):
                word = row * length + column
                color = QUIET if column == 4 else WARPS[word % 4] if column == 1 else PAPER
                f.box(x + 60 * column, 36 + 30 * row, 60, 26, color, f"bank {word % 4}", 12)
        f.text(x, 178, ["Column 1: one bank, four passes.", "Column 1: four banks, one pass."][k])
    f.text(20, 208, "The lanes of a warp read a column at once. Real tiles have 32 rows, real memory has 32 banks.")
    f.legend((GOLD, "bank 1"), (BLUE, "bank 2"), (MAUVE, "bank 3"), (WORK, "bank 0"), (QUIET, "padding"))
    f.save(FOLDER, "05-corner-turning")


def block_aggregate():
    f = Figure(760, 196, "Places in a block, and the first slot of each block")
    for block, (values, first) in enumerate([([5, -1, 7, -3, -8, 2], 6), ([4, 9, -4, 1, 3, -2], 2)]):
        x, kept = 100 + 330 * block, [v > 0 for v in values]
        colors = [WORK if keep else PAPER for keep in kept]
        f.text(x, 22, f"block {block}", bold=True)
        f.cells(x, 32, values, colors, 44)
        f.cells(x, 72, [sum(kept[:i]) if kept[i] else "" for i in range(6)], colors, 44)
        f.cells(x, 112, [first + sum(kept[:i]) if kept[i] else "" for i in range(6)], colors, 44)
        f.text(x, 164, f"kept = {sum(kept)}: atomicAdd(count, {sum(kept)}) returns {first}")
    for k, name in enumerate(["value", "place", "slot"]):
        f.text(20, 49 + 40 * k, name)
    f.text(20, 188, "Two atomic operations on *count for seven kept values. Block 1 came first here.")
    f.legend((WORK, "keeps its value"), (PAPER, "does not"))
    f.save(FOLDER, "06-block-aggregate")


def streams():
    f = Figure(760, 218, "Copies and kernels of four chunks: on one stream, and on three")
    f.text(20, 24, "one stream", bold=True)
    for chunk in range(4):
        for k, name in enumerate(["in", "add", "out"]):
            f.box(110 + 150 * chunk + 50 * k, 8, 50, 26, WARPS[chunk], name)
    f.text(20, 70, "three streams", bold=True)
    for k, name in enumerate(["copies in", "kernels", "copies out"]):
        f.text(20, 103 + 36 * k, name)
        for chunk in range(4):
            f.box(110 + 50 * (chunk + k), 86 + 36 * k, 50, 26, WARPS[chunk], ["in", "add", "out"][k])
    f.text(440, 139, "12 units of time become 6")
    f.text(20, 210, "Within a stream each waits for the one before. Between streams nothing waits.")
    f.legend((WORK, "chunk 0"), (GOLD, "chunk 1"), (BLUE, "chunk 2"), (MAUVE, "chunk 3"))
    f.save(FOLDER, "07-streams")


for draw in (whole_program, grid_stride, two_dimensions, layout, corner_turning, block_aggregate, streams):
    draw()
