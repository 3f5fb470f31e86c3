"""Draws the figures of chapter 3 into docs/figures/03-histogram/."""
from figure import BLUE, CELL, GOLD, HURT, MAUVE, PAPER, QUIET, WARPS, WORK, Figure

FOLDER = "03-histogram"
SAMPLES = [3, 1, 3, 0, 3, 3, 1, 3, 2, 3, 0, 3, 3, 1, 3, 3]


def global_atomics():
    f = Figure(760, 170, "Every sample is an addition to one of the bins in global memory")
    f.cells(20, 20, SAMPLES, [HURT if v == 3 else WORK for v in SAMPLES])
    for i, v in enumerate(SAMPLES):
        f.arrow(20 + CELL * i + CELL / 2, 46, 152 + 100 * v + (i - 8) * 2, 110)
    for v in range(4):
        f.box(112 + 100 * v, 112, 80, 26, HURT if v == 3 else PAPER, f"bin {v}: {SAMPLES.count(v)}")
    f.text(580, 36, "16 threads, 16 samples")
    f.text(530, 129, "10 of 16 wait for one word")
    f.text(20, 162, "The more alike the samples, the longer the queue at the fullest bin.")
    f.legend((HURT, "the fullest bin, and who adds to it"), (WORK, "other threads"), (PAPER, "other bins"))
    f.save(FOLDER, "01-global-atomics")


def shared_atomics():
    f = Figure(760, 206, "A table per block in shared memory, merged once")
    for b in range(3):
        x = 20 + 176 * b
        f.box(x, 16, 160, 24, WORK, f"share of block {b}")
        for k in range(8):
            f.arrow(x + 10 + 20 * k, 42, x + 20 + 120 * ((3 * k + b) % 4) / 3, 78)
        f.cells(x, 80, [f"t{k}" for k in range(4)], [WORK] * 4, 40)
        for k in range(4):
            f.arrow(x + 20 + 40 * k, 106, 206 + 50 * k + 6 * (b - 1), 156)
    f.cells(182, 158, [f"bin {k}" for k in range(4)], [QUIET] * 4, 50)
    f.text(556, 62, "16384 atomics on chip")
    f.text(556, 97, "a table per block")
    f.text(556, 136, "256 atomics per block")
    f.text(556, 175, "the bins, in global memory")
    f.legend((WORK, "of a block"), (QUIET, "of all blocks"))
    f.save(FOLDER, "02-shared-atomics")


def byte_counters():
    f = Figure(760, 258, "A byte for every thread in the row of every bin; the lane chooses the bank, the warp the byte")
    f.text(20, 22, "thread number, 7 bits")
    for i, bit in enumerate(["w1", "w0", "l4", "l3", "l2", "l1", "l0"]):
        f.box(180 + 40 * i, 6, 40, 24, WARPS[1] if bit[0] == "w" else WORK, bit)
        f.arrow(200 + 40 * i, 32, 200 + 40 * ((i - 2) % 7), 68)
    f.text(20, 86, "place in the row")
    for i, bit in enumerate(["l4", "l3", "l2", "l1", "l0", "w1", "w0"]):
        f.box(180 + 40 * i, 70, 40, 24, WARPS[1] if bit[0] == "w" else WORK, bit)
    f.text(476, 22, "w: warp 0 to 3, l: lane 0 to 31")
    f.text(476, 86, "word = lane, byte = warp")
    for row, name in enumerate(["bin 0", "bin 1", "..."]):
        y = 128 + 34 * row
        f.text(20, y + 17, name)
        for word, label in enumerate(["0", "1", "2", None, "31"]):
            x = 80 + 124 * word
            if label is None:
                f.text(x + 54, y + 17, "...", "middle")
                continue
            for warp in range(4):
                f.box(x + 27 * warp, y, 27, 24, WARPS[warp], f"w{warp}" if row < 2 else "")
    for word, label in enumerate(["word 0: lane 0", "word 1: lane 1", "word 2: lane 2", None, "word 31: lane 31"]):
        if label:
            f.text(134 + 124 * word, 122, label, "middle", 11)
    f.text(20, 250, "A row has 32 words: word k of every row lies in bank k. A lane's counters of all 64 bins are in one bank.")
    f.legend((WORK, "lane; bytes of warp 0"), (GOLD, "warp; bytes of warp 1"), (BLUE, "bytes of warp 2"), (MAUVE, "bytes of warp 3"))
    f.save(FOLDER, "03-byte-counters")


def places():
    f = Figure(760, 178, "The same samples of a warp, places permuted or not: words asked of each bank")
    values = [(7 * lane * lane + 3 * lane) % 64 for lane in range(32)]
    for row, (label, place) in enumerate([("byte tid of the row", lambda t: t), ("byte tid % 32 * 4 + tid / 32", lambda t: t % 32 * 4)]):
        y = 36 + 76 * row
        f.text(20, y - 8, f"{label}: words of warp 0 in the 32 banks")
        words = {(128 * v + place(t)) // 4 for t, v in enumerate(values)}
        load = [sum(1 for w in words if w % 32 == b) for b in range(32)]
        for b in range(32):
            f.box(20 + 18 * b, y, 18, 24, PAPER if load[b] == 0 else WORK if load[b] == 1 else HURT, str(load[b]) if load[b] else "")
        f.text(606, y + 16, f"{max(load)} pass{'es' if max(load) > 1 else ''}")
    f.text(20, 170, "Not permuted, a warp has 8 words of a row: 4 lanes with different bins meet in each of 8 banks.")
    f.legend((WORK, "one word from the bank"), (HURT, "several words: one pass each"), (PAPER, "none"))
    f.save(FOLDER, "03-banks")


def per_warp():
    f = Figure(760, 190, "A table for every warp of a block")
    for w in range(4):
        x = 20 + 140 * w
        f.box(x, 16, 120, 24, WARPS[w], f"warp {w}" if w < 3 else "warp 7")
        for k in range(8):
            f.arrow(x + 8 + 15 * k, 42, x + 15 + 30 * ((3 * k + w) % 4), 74)
        f.cells(x, 76, [f"t{k}" for k in range(4)], [WARPS[w]] * 4, 30)
        for k in range(4):
            f.arrow(x + 15 + 30 * k, 102, 235 + 30 * k, 138)
    f.text(430, 32, "...", "middle")
    f.cells(220, 140, [f"s{k}" for k in range(4)], [QUIET] * 4, 30)
    f.text(590, 92, "8 tables of 256 words")
    f.text(356, 157, "one sum per bin goes to global memory")
    f.text(20, 182, "Warps do not meet any more. The 32 lanes of a warp still do.")
    f.legend((WORK, "warp 0"), (GOLD, "warp 1"), (BLUE, "warp 2"), (MAUVE, "warp 7"), (QUIET, "the sum of its 8 words, by bin"))
    f.save(FOLDER, "04-per-warp")


def replicated():
    f = Figure(760, 236, "The lanes of a warp spread over copies of the table")
    for i in range(16):
        f.box(20 + 30 * i, 14, 30, 22, WARPS[i % 4], str(i))
        f.arrow(35 + 30 * i, 38, 60 + 130 * (i % 4) + 4 * (i // 4), 74)
    f.text(516, 30, "lanes: here lane % 4 is the copy")
    for c in range(4):
        f.box(20 + 130 * c, 76, 110, 26, WARPS[c], f"copy {c}")
    f.text(550, 94, "all equal: 4 lanes a copy")
    for row, (stride, label) in enumerate([(256, "stride 256"), (257, "stride 257")]):
        y = 146 + 50 * row
        f.text(20, y + 16, label)
        load = [sum(1 for c in range(8) if (c * stride + 5) % 32 == b) for b in range(32)]
        for b in range(32):
            f.box(110 + 15 * b, y, 15, 24, PAPER if load[b] == 0 else WORK if load[b] == 1 else HURT, str(load[b]) if load[b] else "")
        f.text(604, y + 16, f"{max(load)} pass{'es' if max(load) > 1 else ''}")
    f.text(20, 134, "The words of one value in 8 copies, and the banks in which they lie:")
    f.legend((WORK, "lanes of copy 0; one word in a bank"), (GOLD, "of copy 1"), (BLUE, "of copy 2"), (MAUVE, "of copy 3"), (HURT, "several words in a bank"))
    f.save(FOLDER, "05-replicated")


def match_any():
    f = Figure(760, 196, "Lanes with the same bin elect one, which adds for all")
    values = [5, 0, 0, 5, 9, 0, 0, 0]
    colors = {5: WARPS[0], 0: WARPS[1], 9: WARPS[2]}
    f.text(20, 30, "bin")
    f.text(20, 80, "same")
    f.text(20, 130, "adds")
    for lane, v in enumerate(values):
        x, mask = 80 + 80 * lane, [u == v for u in values]
        f.box(x, 14, 70, 24, colors[v], f"{v}")
        f.box(x, 64, 70, 24, colors[v], "".join("1" if m else "0" for m in reversed(mask)))
        f.arrow(x + 35, 40, x + 35, 62)
        leader = values.index(v) == lane
        f.box(x, 114, 70, 24, colors[v] if leader else QUIET, f"{sum(mask)} to {v}" if leader else "")
        if leader:
            f.arrow(x + 35, 90, x + 35, 112)
    f.text(80, 160, "8 of 32 lanes. Lane 0 is the lowest bit of a mask, written last.")
    f.text(80, 182, "3 atomic additions, not 8; no two of them at one word.")
    f.legend((WORK, "bin 5"), (GOLD, "bin 0"), (BLUE, "bin 9"), (QUIET, "adds nothing"))
    f.save(FOLDER, "06-match-any")


def vectorized():
    f = Figure(760, 250, "A row of 32 words for every value: lane l counts in word l, its own bank")
    for lane in range(4):
        x = 20 + 130 * lane + (60 if lane == 3 else 0)
        f.box(x, 14, 118, 24, WARPS[lane], f"lane {[0, 1, 2, 31][lane]}: 16 bytes")
    f.text(424, 30, "...", "middle")
    f.text(600, 30, "four such loads in flight")
    for row, name in enumerate(["value 0", "value 1", "value 2", "...", "value 255"]):
        y = 92 + 28 * row
        f.text(546, y + 16, name)
        for b in range(16):
            color = WARPS[b] if b < 3 else WARPS[3] if b == 15 else PAPER
            f.box(20 + 32 * b, y, 32, 22, color, ("31" if b == 15 else "..." if b == 8 else str(b) if b < 8 else "") if row == 0 else "")
    for lane, (x, b, row) in enumerate([(76, 0, 3), (206, 1, 1), (336, 2, 4), (526, 15, 2)]):
        f.arrow(x, 40, 36 + 32 * b, 90)
    f.text(546, 82, "table in shared memory")
    f.text(20, 246, "A column is a bank and a lane. Any samples: no two lanes at one word, no two in one bank.")
    f.legend((WORK, "lane 0"), (GOLD, "lane 1"), (BLUE, "lane 2"), (MAUVE, "lane 31"), (PAPER, "the lanes between"))
    f.save(FOLDER, "07-vectorized")


for draw in (global_atomics, shared_atomics, byte_counters, places, per_warp, replicated, match_any, vectorized):
    draw()
