"""Draws the figures of chapter 10 into docs/figures/10-hopper/."""
from figure import BLUE, GOLD, MAUVE, PAPER, QUIET, WARPS, WORK, Figure

FOLDER = "10-hopper"


def cluster():
    f = Figure(760, 250, "A table over the shared memory of a cluster")
    f.text(20, 30, "one table of 65536 bins, 256 KB; bin b is word b / 8 of block b % 8 (four of eight blocks are drawn)")
    for k, color in enumerate(WARPS):
        x = 20 + 184 * k
        f.box(x, 44, 166, 112, PAPER)
        f.text(x + 10, 64, f"memory of block {k}")
        f.cells(x + 10, 76, [k, k + 8, k + 16, "..."], [color, color, color, PAPER], 36)
        f.text(x + 10, 128, f"bins {k}, {k + 8}, {k + 16}, ...", size=12)
    f.box(20, 186, 150, 26, WORK, "a thread of block 0")
    for k, sample in enumerate((16, 9, 2)):
        f.arrow(100 + 12 * k, 186, 30 + 184 * k + 18 + 36 * (2, 1, 0)[k], 101)
        f.text(190 + 120 * k, 204, f"sample {sample}: block {sample % 8}", size=12)
    f.text(560, 204, "none in global memory")
    f.legend((WORK, "bins of block 0"), (GOLD, "of block 1"), (BLUE, "of block 2"), (MAUVE, "of block 3"))
    f.save(FOLDER, "01-cluster-histogram")


def lanes(f, x, y, rows):
    """rows: (name, (start, width, color, words)...) on a time axis."""
    for i, (name, *bars) in enumerate(rows):
        top = y + 34 * i
        f.text(20, top + 17, name)
        for start, width, color, words in bars:
            f.box(x + start, top, width, 24, color, words, 12)


def bulk_copy():
    f = Figure(760, 250, "One thread issues a copy, and all wait for a phase")
    lanes(f, 160, 30, (
        ("thread 0", (0, 70, GOLD, "expect"), (70, 60, WORK, "issue"), (130, 290, QUIET, "waits for the phase"), (420, 120, WORK, "reads")),
        ("thread 1", (0, 420, QUIET, "waits for the phase"), (420, 120, WORK, "reads")),
        ("thread 255", (0, 420, QUIET, "waits for the phase"), (420, 120, WORK, "reads")),
        ("the copy", (130, 286, BLUE, "16384 bytes arrive")),
        ("the mbarrier", (0, 70, PAPER, "phase 0"), (70, 346, MAUVE, "16384 bytes are missing"), (420, 120, PAPER, "phase 1")),
    ))
    f.text(160, 216, "time")
    f.arrow(196, 212, 700, 212)
    f.legend((GOLD, "arrives and announces the bytes"), (BLUE, "in flight"), (QUIET, "waits"), (MAUVE, "phase incomplete"))
    f.save(FOLDER, "02-bulk-copy")


def ring():
    f = Figure(760, 290, "A ring of four stages: two planes are on their way while one is computed")
    x, step = 150, 82
    planes = range(7)
    for s in range(4):
        f.text(20, 47 + 34 * s, f"stage {s}")
    for i in planes:
        top = 30 + 34 * (i % 4)
        start = (i - 2 if i > 3 else 0) * step
        used = i * step
        f.box(x + start + 2, top, used - start - 4 if used > start else 2, 24, BLUE, f"plane {i} comes" if used - start > step else "", 12)
        width = 2 * step if i < 6 else step
        f.box(x + used, top, width - 4, 24, WORK, f"plane {i} is read" if i < 6 else "read", 12)
    for i in planes:
        f.text(x + i * step + 4, 182, f"i = {i}", size=12)
        f.line(x + i * step, 24, x + i * step, 170, "3 4")
    f.text(20, 212, "At i the block reads planes i - 1 and i. All its warps are done with plane i - 2: they complete \"empty\" of its stage,")
    f.text(20, 234, "and plane i + 2 is copied into it. \"full\" of a stage is complete when all bytes of its plane have arrived.")
    f.legend((BLUE, "in flight"), (WORK, "arrived, and read by the block"))
    f.save(FOLDER, "03-ring")


def tensor_map():
    f = Figure(760, 300, "A box that reaches beyond the image, and the places of its quads")
    f.text(20, 24, "the tile at the image's corner, in three boxes")
    f.box(70, 74, 250, 180, PAPER)
    f.text(226, 92, "the image", size=12)
    for s in range(3):
        f.box(30 + 60 * s, 40, 60, 150, BLUE if s else QUIET)
    f.box(70, 74, 20, 116, BLUE)
    f.box(70, 40, 140, 34, QUIET, "zeros", 12)
    f.box(70, 74, 120, 96, WORK, "outputs", 12)
    f.text(34, 206, "strip 0", size=12)
    f.text(96, 206, "1", size=12)
    f.text(168, 206, "2", size=12)
    f.text(400, 24, "quad q of row y lies at place q ^ y % 8 of its strip")
    for y in range(8):
        f.text(356, 54 + 24 * y, f"row {y}", size=12)
        f.cells(400, 38 + 24 * y, [str(place ^ y) for place in range(8)], [GOLD if place ^ y == 2 else PAPER for place in range(8)], 40)
    f.text(400, 252, "Quad 2 of eight rows lies in eight places: all 32 banks.", size=12)
    f.legend((QUIET, "outside: zeros"), (BLUE, "the halo within"), (WORK, "outputs of the block"), (GOLD, "quad 2"))
    f.save(FOLDER, "04-tensor-map")


def multicast():
    f = Figure(760, 300, "Clusters of 2 x 2 blocks: each block loads two halves for two blocks")
    f.text(20, 24, "tiles of A and B, each in two halves; who loads which half")
    for y in range(2):
        for k in range(2):
            f.box(20, 84 + 90 * y + 40 * k, 110, 36, WARPS[2 * y + k], f"A {y}, by block {2 * y + k}", 12)
    for x in range(2):
        for k in range(2):
            f.box(160 + 150 * x + 70 * k, 40, 66, 36, WARPS[2 * k + x], f"by {2 * k + x}", 12)
        f.text(162 + 150 * x, 36, f"B {x}", size=12)
    for y in range(2):
        for x in range(2):
            f.box(160 + 150 * x, 84 + 90 * y, 136, 76, WARPS[2 * y + x], f"block {2 * y + x} of the cluster", 12)
    f.text(480, 60, "Block 1 loads")
    f.text(480, 84, "half of A 0 for blocks 0 and 1: mask 0011", size=12)
    f.text(480, 106, "half of B 1 for blocks 1 and 3: mask 1010", size=12)
    f.text(480, 146, "Its warps arrive at \"empty\" of")
    f.text(480, 170, "block 1, which loads into it, too,", size=12)
    f.text(480, 192, "block 0, the other half of A 0,", size=12)
    f.text(480, 214, "block 3, the other half of B 1.", size=12)
    f.legend((WORK, "block 0"), (GOLD, "block 1"), (BLUE, "block 2"), (MAUVE, "block 3"))
    f.save(FOLDER, "05-multicast")


cluster()
bulk_copy()
ring()
tensor_map()
multicast()
