"""Draws the figures of chapter 10 into docs/figures/10-hopper/."""
from figure import BLUE, GOLD, MAUVE, PAPER, QUIET, WARPS, WORK, Figure

FOLDER = "10-hopper"


def cluster():
    f = Figure(760, 250, "A table over the shared memory of a cluster")
    f.text(20, 30, "one table of 65536 bins, 256 KB; bin b is word b / 2 of block b % 2")
    for k, color in enumerate((WORK, GOLD)):
        x = 20 + 368 * k
        f.box(x, 44, 350, 112, PAPER)
        f.text(x + 10, 64, f"memory of block {k}, 128 KB")
        f.cells(x + 10, 76, [k, k + 2, k + 4, k + 6, k + 8, "..."], 5 * [color] + [PAPER], 50)
        f.text(x + 200, 140, f"bins {k}, {k + 2}, {k + 4}, ...", size=12)
    f.box(20, 186, 150, 26, WORK, "a thread of block 0")
    for k, sample in enumerate((4, 1, 9)):
        f.arrow(60 + 40 * k, 186, 30 + 368 * (sample % 2) + 25 + 50 * (sample // 2), 101)
        f.text(190 + 120 * k, 204, f"sample {sample}: block {sample % 2}", size=12)
    f.text(560, 204, "none in global memory")
    f.legend((WORK, "bins of block 0"), (GOLD, "of block 1"))
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


def specialists():
    f = Figure(760, 296, "The producer copies as far ahead as the ring has room; the consumers follow")
    read, rows = 92, []
    for stage in range(4):
        bars = []
        for use in range(2):
            tile = stage + 4 * use
            issued = 20 + 22 * tile if not use else 96 + read * (tile - 3) + 16
            start = 96 + read * tile
            if start < 560:
                arrived = issued + 72
                bars.append((issued, 72, BLUE, f"copy {tile}"))
                if start - arrived > 4:
                    bars.append((arrived, start - arrived, PAPER, "full" if start - arrived > 30 else ""))
                bars.append((start, min(read, 580 - start), WORK, f"multiply {tile}" if start < 500 else ""))
            elif issued < 560:
                bars.append((issued, min(72, 580 - issued), BLUE, f"copy {tile}"))
        rows.append((f"stage {stage}", *bars))
    issues = [(20 + 22 * t, 20, GOLD, str(t)) for t in range(4)]
    issues += [(96 + read * (t - 3) + 8, 20, GOLD, str(t)) for t in range(4, 8)]
    lanes(f, 150, 24, (("producer", *issues), *rows))
    f.text(20, 218, "The producer waits for \"done\" of a stage, passes it on to the neighbours, and waits for theirs:")
    f.text(20, 240, "\"empty\". The consumers wait for \"full\" alone. No warp does both.")
    f.legend((GOLD, "issues a copy"), (BLUE, "in flight"), (PAPER, "full"), (WORK, "read by the consumers"))
    f.save(FOLDER, "06-specialists")


def wgmma():
    f = Figure(760, 320, "What one product reads: two descriptors")
    f.text(20, 24, "A: 64 of 128 rows, each of 128 bytes")
    f.box(20, 36, 128, 208, PAPER)
    f.box(20, 36, 128, 104, QUIET)
    f.box(52, 36, 32, 104, GOLD, "16", 12)
    f.text(156, 60, "rows of the warpgroup", size=12)
    f.text(156, 84, "8 rows: 1024 bytes", size=12)
    f.text(156, 108, "next 16 columns: + 32", size=12)
    f.text(156, 204, "the other warpgroup's", size=12)
    f.text(330, 24, "B: four strips of 64 rows, each row of 128 bytes")
    for s in range(4):
        f.box(330 + 104 * s, 36, 96, 144, PAPER)
        f.box(330 + 104 * s, 72, 96, 36, BLUE, f"columns {64 * s} ...", 12)
    f.text(330, 204, "next 8 rows: 1024 bytes; next 64 columns: the next strip, 8192 bytes", size=12)
    f.text(330, 226, "next 16 rows: + 2048", size=12)
    f.text(20, 272, "64 x 16 words of A by 16 x 256 of B: 64 x 256 sums, 128 a thread. A stage takes four such products.")
    f.legend((GOLD, "read of A"), (BLUE, "read of B"), (QUIET, "in its other three products"))
    f.save(FOLDER, "07-wgmma")


def persistent():
    f = Figure(760, 330, "A resident block: no pause between two tiles")
    lanes(f, 160, 24, (
        ("producer", (0, 250, BLUE, "copies for its tile 0"), (254, 250, BLUE, "for its tile 1"), (508, 60, BLUE, "2")),
        ("consumers 0-3", (30, 40, QUIET, ""), (70, 240, WORK, "products of tile 0"), (310, 56, GOLD, "stores"), (366, 200, WORK, "of tile 1")),
        ("consumers 4-7", (30, 52, QUIET, ""), (82, 240, WORK, "products of tile 0"), (322, 56, GOLD, "stores"), (378, 188, WORK, "of tile 1")),
    ))
    f.text(20, 158, "The order of the tiles, here in groups of four rows; twelve blocks are at work:")
    for i in range(6):
        for j in range(8):
            group, rows = i // 4, 4 if i < 4 else 2
            number = group * 32 + j * rows + i % 4
            f.box(20 + 46 * j, 170 + 20 * i, 44, 18, WORK if number < 12 else PAPER, str(number), 11)
    f.text(410, 196, "They read four rows of tiles of A")
    f.text(410, 218, "and three columns of tiles of B.")
    f.text(410, 248, "Row by row, twelve tiles would need")
    f.text(410, 270, "two rows and all eight columns.")
    f.legend((BLUE, "copies"), (WORK, "products, computed now"), (GOLD, "stores"), (QUIET, "waits"))
    f.save(FOLDER, "08-persistent")


cluster()
bulk_copy()
ring()
tensor_map()
multicast()
specialists()
wgmma()
persistent()
