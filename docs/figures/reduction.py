"""Draws the figures of chapter 1 into docs/figures/01-reduction/."""
from figure import CELL, HURT, PAPER, QUIET, WARPS, WORK, Figure

FOLDER = "01-reduction"
LANES = 4  # of a warp, in the drawings
VALUES = [3, 1, 7, 0, 4, 1, 6, 3, 2, 5, 0, 8, 1, 4, 2, 6]


def atomic():
    f = Figure(700, 150, "All threads add to one word, one after another")
    f.cells(20, 20, VALUES, [WORK] * 16)
    for i in range(16):
        f.arrow(20 + CELL * i + CELL / 2, 46, 268 + 40 * i / 16, 98)
    f.box(262, 100, 60, 26, HURT, "sum")
    f.text(340, 118, "one word: 16 additions wait for one another")
    f.text(580, 36, "16 threads")
    f.legend((WORK, "a thread and its value"), (HURT, "the word at which all meet"))
    f.save(FOLDER, "01-atomic")


def tree(name, title, rounds, note):
    """rounds: list of (label, list of (destination, source, thread)) on the same row of words. Between two rows stand the
    threads that work, in the colour of their warp; on the right every thread, and how many warps have to be issued."""
    f = Figure(780, 52 + 96 * len(rounds), title)
    values = list(VALUES)
    f.cells(20, 12, values)
    f.text(580, 20, "all threads of the block:", size=12)
    for r, (label, moves) in enumerate(rounds):
        y = 12 + 96 * r
        for to, source, thread in moves:
            x = 20 + CELL * to + CELL / 2
            f.arrow(x, y + 25, x, y + 46)
            f.arrow(20 + CELL * source + CELL / 2, y + 25, x + 9, y + 46)
            f.box(x - 15, y + 48, 30, 20, WARPS[thread // LANES], f"t{thread}", 12)
            f.arrow(x, y + 69, x, y + 94)
            values[to] += values[source]
        written = {to for to, _, _ in moves}
        f.cells(20, y + 96, values, [PAPER if i in written else QUIET for i in range(16)])
        busy = {thread for _, _, thread in moves}
        for thread in range(16):
            f.box(580 + 10 * thread + 6 * (thread // LANES), y + 38, 10, 16, WARPS[thread // LANES] if thread in busy else PAPER)
        warps = len({thread // LANES for thread in busy})
        f.text(580, y + 72, label, size=12)
        f.text(580, y + 88, f"issued: {warps} of 4 warps", size=12)
    f.text(20, f.height, note, size=12)
    f.height += 6
    f.legend(*((WARPS[w], f"thread of warp {w}, at work") for w in range(4)), (PAPER, "written; right: idle"), (QUIET, "unchanged"))
    f.save(FOLDER, name)


def pairwise():
    f = Figure(760, 228, "Neighbours are added, level by level, one launch each")
    values = VALUES[:11]
    f.cells(20, 12, values)
    f.text(580, 28, "11 values, in global")
    f.text(580, 45, "memory")
    for level in range(4):
        y, last = 12 + 46 * level, len(values)
        for i in range(last):
            f.arrow(20 + CELL * i + CELL / 2, y + 25, 20 + CELL * (i // 2) + CELL / 2 + (4 if i % 2 else 0), y + 44)
        values = [sum(values[i:i + 2]) for i in range(0, last, 2)]
        f.cells(20, y + 46, values, [WORK] * (last // 2) + [QUIET] * (last % 2))
        f.text(420, y + 64, f"launch {level + 1}: {last} to {len(values)}")
    f.legend((WORK, "the sum of two"), (QUIET, "an odd one out is copied"), (PAPER, "as loaded"))
    f.save(FOLDER, "02-pairwise")


def trees():
    strides, note = [1, 2, 4, 8], "Drawn: 16 words of shared memory, a block of 16 threads, warps of 4 threads."
    tree("03-interleaved", "Threads whose number is a multiple of 2 s add: all warps have to be issued",
         [(f"s = {s}: threads 0, {2 * s}, ..." if s < 8 else "s = 8: thread 0",
           [(i, i + s, i) for i in range(0, 16, 2 * s)]) for s in strides], note)
    tree("04-contiguous", "The same words, but threads 0, 1, 2, ... do the work: whole warps have nothing to do",
         [(f"s = {s}: threads 0 to {8 // s - 1}" if s < 8 else "s = 8: thread 0",
           [(2 * s * t, 2 * s * t + s, t) for t in range(8 // s)]) for s in strides], note)
    tree("05-sequential", "The upper half is folded onto the lower half: neighbouring threads, neighbouring words",
         [(f"stride {s}: threads 0 to {s - 1}" if s > 1 else "stride 1: thread 0",
           [(t, t + s, t) for t in range(s)]) for s in reversed(strides)], note)


def banks():
    f = Figure(760, 176, "Strided words meet in a bank, neighbouring words do not")
    for row, (label, step) in enumerate([("step 4: word 2 t", 2), ("step 5: word t", 1)]):
        y = 36 + 76 * row
        f.text(20, y - 8, f"{label}: a warp's words in the 32 banks")
        load = [sum(1 for t in range(32) if step * t % 32 == b) for b in range(32)]
        for b in range(32):
            f.box(20 + 18 * b, y, 18, 24, [PAPER, WORK, HURT][load[b]], str(load[b]) if load[b] else "")
        f.text(606, y + 16, f"{max(load)} pass{'es' if max(load) > 1 else ''}")
    f.text(20, 170, "A bank hands out one 4-byte word per pass: two different words in it take two passes.")
    f.legend((WORK, "one word from the bank"), (HURT, "several words: one pass each"), (PAPER, "none"))
    f.save(FOLDER, "04-banks")


def first_add():
    f = Figure(760, 170, "A thread adds four values while it loads them")
    for k in range(4):
        f.cells(20 + 172 * k, 24, [f"t{i}" for i in range(4)] + ["..."], [WORK, PAPER, PAPER, PAPER, PAPER])
        f.arrow(37 + 172 * k, 50, 300 + 6 * k, 108)
    f.text(20, 16, "BLOCK elements, then BLOCK more: neighbours in a load, BLOCK apart in a thread")
    f.cells(292, 112, ["t0", "t1", "t2", "t3", "..."], [WORK, PAPER, PAPER, PAPER, PAPER])
    f.text(480, 128, "shared memory: a quarter of the stores")
    f.legend((WORK, "thread 0"), (PAPER, "other threads"))
    f.save(FOLDER, "06-first-add")


def unroll():
    f = Figure(760, 190, "The last warp goes on without block barriers")
    for w in range(8):
        y = 20 + 16 * w
        f.box(90, y, 190, 12, WORK if w < 4 else QUIET)
        f.text(20, y + 10, f"warp {w}", size=11)
    for x in (130, 200, 280):
        f.line(x, 14, x, 150)
    f.box(284, 20, 330, 12, WORK)
    for k in range(6):
        f.line(340 + 55 * k - 1, 16, 340 + 55 * k - 1, 36, "3 2")
    f.text(90, 168, "block barriers: all 8 warps wait")
    f.text(340, 60, "__syncwarp: 32 lanes of one warp")
    f.text(340, 80, "read, __syncwarp, write, __syncwarp")
    f.legend((WORK, "a warp at work"), (QUIET, "a warp that only waits at the barriers"))
    f.save(FOLDER, "07-unroll-warp")


def shuffle():
    f = Figure(760, 236, "Lanes hand registers to one another")
    for r, offset in enumerate([4, 2, 1]):
        y = 20 + 62 * r
        f.cells(60, y, [f"v{i}" for i in range(8)], [WORK if i < 2 * offset else QUIET for i in range(8)], 52)
        for i in range(offset):
            f.arrow(60 + 52 * (i + offset) + 26, y + 26, 60 + 52 * i + 30, y + 60)
        f.text(490, y + 42, f"__shfl_down_sync(..., v, {offset})")
    f.cells(60, 206, ["sum"] + [f"v{i}" for i in range(1, 8)], [WORK] + [QUIET] * 7, 52)
    f.text(490, 24, "8 of 32 lanes: registers, no memory")
    f.legend((WORK, "holds a sum that counts"), (QUIET, "its register no longer matters"))
    f.save(FOLDER, "08-shuffle")


def cascading():
    f = Figure(760, 210, "A resident grid strides over the input; the last block adds the blocks' sums")
    for k in range(3):
        for b in range(4):
            f.box(20 + 232 * k + 56 * b, 16, 56, 24, WORK if b == 0 else PAPER, f"b{b}")
        f.arrow(48 + 232 * k, 42, 60, 88)
    for b in range(4):
        f.box(30 + 110 * b, 90, 80, 26, WORK if b == 0 else PAPER, f"block {b}")
        f.arrow(70 + 110 * b, 118, 70 + 110 * b, 146)
        f.box(30 + 110 * b, 148, 80, 24, QUIET, f"partial[{b}]")
    f.text(462, 108, "1. write the sum, fence, take a ticket")
    f.text(462, 166, "2. the last ticket: add up partial")
    f.text(30, 198, "One launch. 16 bytes a load, four loads in flight in every thread.")
    f.legend((WORK, "block 0"), (PAPER, "other blocks"), (QUIET, "the blocks' sums, in global memory"))
    f.save(FOLDER, "09-cascading")


for draw in (atomic, pairwise, trees, banks, first_add, unroll, shuffle, cascading):
    draw()
