"""Draws the figures of chapter 4 into docs/figures/04-sort/."""
from figure import HURT, PAPER, QUIET, WORK, Figure

FOLDER = "04-sort"
KEYS = [6, 3, 7, 0, 5, 1, 4]
WIDE = 52


def rounds(runs=(1, 2, 4)):
    for run in runs:
        stride = run
        while stride:
            yield run, stride, 2 * run - 1 if stride == run else stride
            stride //= 2


def network():
    f = Figure(760, 430, "A bitonic network for 7 keys: mirror, then half-cleaners; nothing stands at place 7")
    keys, y = list(KEYS), 14
    for run, stride, flip in [(0, 0, 0)] + list(rounds()):
        busy = set()
        if flip:
            pairs = [(i, i ^ flip) for i in range(8) if not i & stride and i ^ flip < len(keys)]
            depth = 0
            for i, j in pairs:
                level = y - 36 + 7 * (depth % 4)
                depth += 1
                x1, x2 = 20 + WIDE * i + WIDE / 2, 20 + WIDE * j + WIDE / 2
                f.line(x1, y - 38, x1, level)
                f.line(x2, y - 38, x2, level)
                f.line(x1, level, x2, level)
                f.arrow(x1, level, x1, y)
                f.arrow(x2, level, x2, y)
                if keys[i] > keys[j]:
                    keys[i], keys[j] = keys[j], keys[i]
                    busy |= {i, j}
            words = f"runs of {run}, " + ("mirror" if stride == run else f"half-cleaner, stride {stride}")
            f.text(460, y + 16, words + f": {len(pairs)} pairs")
        else:
            f.text(460, y + 16, "7 keys")
        f.cells(20, y, keys, [WORK if i in busy else PAPER for i in range(7)], WIDE)
        f.box(20 + 7 * WIDE, y, WIDE, 24, QUIET)
        y += 62
    f.legend((WORK, "exchanged in this round"), (PAPER, "left where it was"), (QUIET, "no key: comparators that reach it are left out"))
    f.save(FOLDER, "01-bitonic-global")


def shared():
    f = Figure(760, 236, "The rounds for n = 32 with tiles of 8 keys: long strides go through global memory")
    f.text(20, 24, "n = 32, tiles of 8: each row is a merge, each cell a round with its stride")
    for m, run in enumerate((1, 2, 4, 8, 16)):
        strides = [run >> s for s in range(m + 1)]
        f.text(20, 58 + 34 * m, f"runs of {run}")
        f.cells(120, 42 + 34 * m, strides, [WORK if s < 8 else HURT for s in strides], WIDE)
    f.box(430, 76, 20, 20, WORK)
    f.text(460, 91, "in shared memory: the first three merges")
    f.text(460, 108, "in one launch, then one launch a merge")
    f.box(430, 126, 20, 20, HURT)
    f.text(460, 141, "through global memory, one launch each")
    f.text(430, 176, "15 launches become 1 + 3 + 2 = 6:")
    f.text(430, 193, "one for all tiles, three long rounds,")
    f.text(430, 210, "and the rest of two merges")
    f.save(FOLDER, "02-bitonic-shared")


def split():
    keys = [5, 2, 7, 4, 1, 6, 3, 0]
    zeros, before = 0, []
    for k in keys:
        before.append(zeros)
        zeros += 1 - (k & 1)
    f = Figure(760, 270, "A split by bit 0: zeros to the front, ones after them, both in order")
    places = [before[i] if not k & 1 else zeros + i - before[i] for i, k in enumerate(keys)]
    for row, (label, words) in enumerate([("keys, bit 0 coloured", keys), ("1 where the bit is 0", [1 - (k & 1) for k in keys]),
                                          ("zeros: their exclusive scan; 4 in all", before)]):
        f.cells(20, 14 + 44 * row, words, [QUIET if k & 1 else WORK for k in keys], WIDE)
        f.text(460, 30 + 44 * row, label)
    out = [0] * 8
    for i, p in enumerate(places):
        out[p] = keys[i]
        f.arrow(20 + WIDE * i + WIDE / 2, 127, 20 + WIDE * p + WIDE / 2, 205)
    f.text(460, 160, "a 0 goes to zeros[i]")
    f.text(460, 180, "a 1 to 4 + (i - zeros[i])")
    f.cells(20, 206, out, [QUIET if k & 1 else WORK for k in out], WIDE)
    f.text(460, 222, "place")
    f.text(20, 254, "2 4 6 0 kept their order, and so did 5 7 1 3: the split is stable.")
    f.legend((WORK, "bit 0 is 0"), (QUIET, "bit 0 is 1"))
    f.save(FOLDER, "03-radix-split")


def floats():
    f = Figure(760, 236, "Words of floats before and after the flip")
    f.text(20, 24, "as they are: positive floats rise, negative ones lie above them and fall")
    f.box(20, 40, 350, 30, WORK, "+0  ...  1.0  ...  +inf  NaN")
    f.box(370, 40, 350, 30, HURT, "-0  ...  -1.0  ...  -inf  NaN")
    f.text(20, 88, "0x00000000", size=11)
    f.text(362, 88, "0x7fffffff", "end", 11)
    f.text(378, 88, "0x80000000", size=11)
    f.text(720, 88, "0xffffffff", "end", 11)
    f.arrow(195, 96, 545, 168)
    f.arrow(545, 96, 195, 168)
    f.text(560, 130, "positive: flip the sign")
    f.text(20, 130, "negative: flip all bits")
    f.box(20, 170, 350, 30, HURT, "NaN  -inf  ...  -1.0  ...  -0")
    f.box(370, 170, 350, 30, WORK, "+0  ...  1.0  ...  +inf  NaN")
    f.text(20, 222, "flipped: one line, from the NaN with a sign to the NaN without")
    f.legend((WORK, "positive"), (HURT, "negative"))
    f.save(FOLDER, "04-float-keys")


def four_bits():
    digits = [2, 0, 3, 1, 0, 2, 1, 0, 3, 0, 2, 1]
    ordered = sorted(digits)
    tints = [WORK, QUIET, HURT, PAPER]
    f = Figure(760, 250, "A tile sorted by its digit is stored in runs")
    f.cells(20, 14, digits, [tints[d] for d in digits], 42)
    f.text(545, 30, "digits of a tile, as loaded")
    f.arrow(270, 40, 270, 74)
    f.text(545, 62, "split by bits, in shared memory")
    f.cells(20, 76, ordered, [tints[d] for d in ordered], 42)
    f.text(545, 92, "neighbours belong together")
    start = [0, 190, 370, 550]
    for d in range(4):
        first, count = ordered.index(d), ordered.count(d)
        x = 20 + start[d]
        f.box(x, 176, 150, 24, PAPER)
        f.cells(x + 12, 176, [d] * count, [tints[d]] * count, 30)
        f.arrow(20 + 42 * (first + count / 2), 101, x + 12 + 15 * count, 175)
        f.text(x, 218, f"all keys with digit {d}", size=11)
    f.text(20, 242, "starts: the exclusive scan of the counts, digit by digit, and within a digit tile by tile", size=12)
    f.legend((WORK, "digit 0"), (QUIET, "digit 1"), (HURT, "digit 2"), (PAPER, "digit 3"))
    f.save(FOLDER, "05-radix-4bit")


def match():
    digits = [7, 2, 7, 9, 2, 7, 2, 9]
    nxt = {2: 40, 7: 61, 9: 80}
    f = Figure(760, 262, "Eight lanes find their peers and rank themselves")
    tint = {7: WORK, 2: QUIET, 9: HURT}
    colors = [tint[d] for d in digits]
    rows = [("lane", list(range(8)), None), ("digit", digits, colors),
            ("peers below this lane", [digits[:i].count(d) for i, d in enumerate(digits)], colors),
            ("rank = next[digit] + peers below", [nxt[d] + digits[:i].count(d) for i, d in enumerate(digits)], colors)]
    for r, (label, words, tints) in enumerate(rows):
        f.cells(20, 14 + 44 * r, words, tints, WIDE)
        f.text(460, 30 + 44 * r, label)
    f.text(20, 208, "before: next[2] = 40, next[7] = 61, next[9] = 80")
    f.text(20, 228, "after:  the highest lane of each group stores its rank + 1:")
    f.text(20, 248, "        next[2] = 43, next[7] = 64, next[9] = 82")
    f.legend((WORK, "digit 7"), (QUIET, "digit 2"), (HURT, "digit 9"))
    f.save(FOLDER, "06-radix-8bit")


def sweep():
    f = Figure(760, 250, "For each digit a thread looks back over the tile descriptors before")
    f.text(20, 24, "tile descriptors for digits 0 to 3; tile 5 looks back for its exclusive prefixes")
    descriptors = [["P 3", "P 22", "P 49", "P 65"], ["P 7", "P 26", "P 51", "P 65"], ["A 2", "P 29", "P 52", "A 1"],
                   ["A 1", "A 4", "P 55", "A 3"], ["A 5", "A 1", "A 2", "A 0"], ["", "", "", ""]]
    for t, column in enumerate(descriptors):
        x = 110 + 104 * t
        f.text(x + 40, 52, f"tile {t}", "middle")
        for d, word in enumerate(column):
            color = PAPER if not word else WORK if word[0] == "P" else QUIET
            f.box(x, 62 + 34 * d, 80, 24, color, word)
    for d, end in enumerate((1, 2, 3, 1)):
        f.text(20, 78 + 34 * d, f"digit {d}")
        for t in range(5, end, -1):
            f.arrow(110 + 104 * t, 74 + 34 * d, 110 + 104 * (t - 1) + 80, 74 + 34 * d)
    f.text(20, 218, "A: aggregate, of the tile alone.  P: inclusive prefix, with all keys with lower digits.")
    f.text(20, 238, "digit 0: 5 + 1 + 2 + 7 = 15;   digit 1: 1 + 4 + 29 = 34;   digit 2: 2 + 55 = 57;   digit 3: 0 + 3 + 1 + 65 = 69")
    f.legend((WORK, "P: inclusive prefix"), (QUIET, "A: aggregate"), (PAPER, "the tile that looks back"))
    f.save(FOLDER, "07-onesweep")


if __name__ == "__main__":
    network()
    shared()
    split()
    floats()
    four_bits()
    match()
    sweep()
