"""Draws the figures of chapter 7 into docs/figures/07-matmul/."""
from figure import BLUE, GOLD, HURT, MAUVE, PAPER, QUIET, WARPS, WORK, Figure

FOLDER = "07-matmul"
SIDE = 18  # of an element in a matrix


def matrix(f, x, y, rows, columns, name, color=lambda i, j: PAPER, side=SIDE):
    if name:
        f.text(x + columns * side / 2, y - 8, name, "middle")
    for i in range(rows):
        for j in range(columns):
            f.box(x + j * side, y + i * side, side, side, color(i, j))


def product(f, a, b, c, y=150):
    """B above C, A to the left of it: a row of A and a column of B meet at their element of C."""
    matrix(f, 20, y, 8, 6, "A: m x k", a)
    matrix(f, 180, y - 130, 6, 8, "B: k x n", b)
    matrix(f, 180, y, 8, 8, "", c)
    f.text(180 + 8 * SIDE + 8, y + 8 * SIDE - 4, "C: m x n")


def naive():
    f = Figure(760, 320, "A warp down a column of C: 32 rows of A, a column of B")
    product(f, lambda i, j: HURT if j == 2 else PAPER, lambda i, j: WORK if (i, j) == (2, 3) else PAPER,
            lambda i, j: WARPS[i % 4] if j == 3 else PAPER)
    f.text(390, 60, "round l = 2 of the loop:")
    f.text(390, 84, "B(2, j): one word for all lanes, 1 sector")
    f.text(390, 190, "A(i, 2): a word of every row, 32 sectors")
    f.text(390, 214, "C(i, j), at the end: 32 sectors")
    f.text(390, 250, "Of each sector's 32 bytes a request uses 4.")
    f.legend((HURT, "a sector for each word"), (WORK, "lane 0; what all lanes share"), (GOLD, "lane 1"), (BLUE, "lane 2"), (MAUVE, "lane 3"))
    f.save(FOLDER, "01-naive")


def coalesced():
    f = Figure(760, 320, "A warp along a row of C: a row of A, 32 neighbours of B")
    product(f, lambda i, j: WORK if (i, j) == (3, 2) else PAPER, lambda i, j: WARPS[j % 4] if i == 2 else PAPER,
            lambda i, j: WARPS[j % 4] if i == 3 else PAPER)
    f.text(390, 60, "round l = 2 of the loop:")
    f.text(390, 84, "B(2, j): 32 neighbours, 4 sectors")
    f.text(390, 190, "A(i, 2): one word for all lanes, 1 sector")
    f.text(390, 214, "C(i, j), at the end: 4 sectors")
    f.text(390, 250, "All 32 bytes of a sector of B are used.")
    f.legend((WORK, "lane 0; what all lanes share"), (GOLD, "lane 1"), (BLUE, "lane 2"), (MAUVE, "lane 3"))
    f.save(FOLDER, "02-coalesced")


def shared_tiles():
    f = Figure(760, 330, "A block takes a tile of C and loads tiles of A and B, one pair after another")
    product(f, lambda i, j: [WORK, QUIET, PAPER][min(j // 2, 2)] if 2 <= i < 4 else PAPER,
            lambda i, j: [WORK, QUIET, PAPER][min(i // 2, 2)] if 4 <= j < 6 else PAPER,
            lambda i, j: GOLD if 2 <= i < 4 and 4 <= j < 6 else PAPER)
    f.text(390, 60, "A tile here: 2 x 2. In the step: 32 x 32.")
    f.text(390, 110, "1024 threads load 1024 words of A and 1024 of B,")
    f.text(390, 132, "and make 32 x 1024 products of them:")
    f.text(390, 154, "a load serves 16 products, not half of one.")
    f.text(390, 204, "load, barrier, multiply, barrier, next pair")
    f.legend((WORK, "in shared memory now"), (QUIET, "next"), (GOLD, "the block's sums"))
    f.save(FOLDER, "03-shared-tiles")


def corner_turning():
    f = Figure(760, 330, "A tile of the transpose, turned on its way into shared memory")
    for row in range(4):
        f.cells(20, 40 + 34 * row, [f"A({i},{row})" for i in range(4)], [WARPS[i] for i in range(4)], 62)
    f.text(20, 26, "in memory: rows of the transpose")
    f.text(20, 198, "a warp loads a row: neighbours")
    f.arrow(284, 100, 360, 100)
    f.text(376, 26, "in shared memory: rows of A, and a word of padding")
    for i in range(4):
        f.cells(376, 40 + 34 * i, [f"A({i},{row})" for row in range(4)] + [""], [WARPS[i]] * 4 + [QUIET], 62)
    f.text(376, 198, "a warp stores a column: 33 words apart")
    for row, (pitch, words) in enumerate([(32, "rows of 32 words"), (33, "rows of 33 words")]):
        y = 226 + 44 * row
        f.text(20, y + 16, f"{words}: banks")
        load = [sum(1 for lane in range(32) if lane * pitch % 32 == b) for b in range(32)]
        for b in range(32):
            f.box(190 + 14 * b, y, 14, 24, PAPER if load[b] == 0 else WORK if load[b] == 1 else HURT, str(load[b]) if load[b] == 1 else "")
        f.text(656, y + 16, "32 passes" if row == 0 else "1 pass")
    f.text(191, 226 + 16, "32", size=10)
    f.legend((WORK, "row 0 of A; one word in a bank"), (GOLD, "row 1"), (BLUE, "row 2"), (MAUVE, "row 3"), (QUIET, "padding"), (HURT, "32 words in a bank"))
    f.save(FOLDER, "04-corner-turning")


def coarsening():
    f = Figure(760, 320, "One tile of A for four tiles of B")
    product(f, lambda i, j: WORK if 2 <= i < 4 and j < 2 else PAPER,
            lambda i, j: WARPS[j // 2] if i < 2 else PAPER,
            lambda i, j: WARPS[j // 2] if 2 <= i < 4 else PAPER)
    f.text(390, 60, "Four blocks of step 3 loaded this tile of A four times.")
    f.text(390, 84, "Now one block does their work: it is loaded once.")
    f.text(390, 190, "A thread has four sums, a tile apart.")
    f.text(390, 214, "A word of A, read once, serves four products:")
    f.text(390, 236, "5 shared loads for 4 products, not 8.")
    f.legend((WORK, "tile of A; first tile of B and C"), (GOLD, "second"), (BLUE, "third"), (MAUVE, "fourth"))
    f.save(FOLDER, "05-coarsening")


def register_tile():
    f = Figure(760, 320, "A thread takes a column of the tile: B in a register, A in shared memory")
    product(f, lambda i, j: (GOLD if j == 1 else QUIET) if j < 3 else PAPER,
            lambda i, j: WORK if (i, j) == (1, 3) else QUIET if i < 3 and j == 3 else PAPER,
            lambda i, j: WORK if j == 3 else PAPER)
    f.text(390, 60, "B(l, j): only this thread uses it, for all its rows.")
    f.text(390, 84, "It never goes through shared memory.")
    f.text(390, 190, "A(0, l), A(1, l), ...: all threads use them.")
    f.text(390, 214, "All lanes read the same word: one pass.")
    f.text(390, 250, "One shared load for each product.")
    f.legend((WORK, "in the thread's registers"), (GOLD, "read from shared memory now"), (QUIET, "before and after"))
    f.save(FOLDER, "06-register-tile")


def two_way_tile():
    f = Figure(760, 300, "8 x 8 sums of a thread: two quads of rows, two quads of columns, half a tile apart")
    side, x0, y0 = 10, 120, 90
    mine = lambda v, t: v // 4 % 4 == t
    f.text(20, 24, "A small tile: 32 columns for 4 threads, 16 rows for 2; in the step 128 for 16, both ways.", size=12)
    for j in range(32):
        f.box(x0 + j * side, y0 - 30, side, 16, WORK if mine(j, 1) else PAPER)
    for i in range(16):
        f.box(x0 - 30, y0 + i * side, 16, side, GOLD if i // 4 % 2 == 1 else PAPER)
    for i in range(16):
        for j in range(32):
            f.box(x0 + j * side, y0 + i * side, side, side, BLUE if i // 4 % 2 == 1 and mine(j, 1) else PAPER)
    f.text(x0, y0 - 36, "a row of b_tile", size=12)
    f.text(20, y0 + 190, "column of A: a row of a_tile, turned", size=12)
    f.text(466, 106, "2 + 2 loads of 16 bytes, 64 multiply-adds.")
    f.text(466, 144, "Lanes side by side read quads side by side:")
    f.text(466, 166, "8 lanes, all 32 banks, one pass.")
    f.text(466, 204, "Were a thread's 8 words neighbours, the")
    f.text(466, 226, "lanes' quads would be 32 bytes apart: half")
    f.text(466, 248, "of the banks, twice as many passes.")
    f.legend((WORK, "8 words of B"), (GOLD, "8 words of A"), (BLUE, "the thread's 64 sums"))
    f.save(FOLDER, "07-two-way-tile")


def store_banks():
    f = Figure(760, 210, "Which banks a warp's turned stores meet in, with rows of 128 words and of 132")
    f.text(20, 24, "A warp stores a quad of A each: 16 rows y, and l = 0 or 4. The first word of each goes to a_tile[l][y]:", size=12)
    for row, pitch in enumerate((128, 132)):
        y = 62 + 62 * row
        f.text(20, y + 16, f"rows of {pitch}")
        for bank in range(32):
            lanes = [lane for lane in range(32) if (lane % 2 * 4 * pitch + lane // 2) % 32 == bank]
            color = PAPER if not lanes else HURT if len(lanes) > 1 else (GOLD if lanes[0] % 2 else WORK)
            f.box(120 + 17 * bank, y, 17, 24, color, str(len(lanes)) if lanes else "", 11)
        f.text(120, y - 5, "bank 0", size=11)
        f.text(664, y - 5, "bank 31", "end", 11)
        f.text(680, y + 16, "2 passes" if pitch == 128 else "1 pass")
    f.text(20, 196, "4 rows of 128 words are a multiple of 32 banks; 4 rows of 132 are 16 banks more: the quads with l = 4 move aside.", size=12)
    f.legend((WORK, "lanes with l = 0"), (GOLD, "lanes with l = 4"), (HURT, "both: two words in a bank"))
    f.save(FOLDER, "07-store-banks")


def pipelined():
    f = Figure(760, 250, "The ring of three stages: one is multiplied while two are in flight")
    step, left = 88, 190
    place = lambda t: left + step * t
    f.text(20, 24, "tile", bold=True)
    for t in range(6):
        f.text(place(t) + step / 2, 24, str(t), "middle", bold=True)
    for stage in range(3):
        y = 44 + 46 * stage
        f.text(20, y + 20, f"stage {stage}")
        for t in range(stage, 8, 3):
            begun, ended = max(t - 2 + 3 / 16, -0.95), t - 1 / 16
            if begun < 6 and t < 8:
                f.box(place(begun), y, step * (min(ended, 6) - begun), 30, GOLD, "" if t else "of tile 0", 11)
                if 0 < t < 7: # right of the dashed line
                    f.text(place(t - 9 / 16), y + 19, f"copies of tile {t}", "middle", 11)
            if t < 6:
                f.box(place(t), y, step, 30, WORK, f"multiply {t}", 12)
    for t in range(6):
        f.line(place(t + 1 - 1 / 16), 36, place(t + 1 - 1 / 16), 180, "3 3")
    f.text(20, 204, "Dashed: the wait for the copies of the next tile, and the one barrier. It stands before the last of 16 columns is", size=12)
    f.text(20, 221, "multiplied: 256 threads x 128 products are still to do, while the first words of the next tile are read.", size=12)
    f.text(20, 244, "At column 1 of tile t the copies of tile t + 2 begin, into the stage that tile t - 1 has left.", size=12)
    f.legend((WORK, "multiplied"), (GOLD, "asynchronous copies in flight"))
    f.save(FOLDER, "08-pipelined")


def fragment(f, x, y, rows, columns, name, lane_of, part_of):
    """A matrix: in each element the lane that holds it; the colour shows in which of its registers."""
    f.text(x + columns * 10, y - 8, name, "middle", bold=True)
    for i in range(rows):
        for j in range(columns):
            lane = lane_of(i, j)
            f.box(x + 20 * j, y + 17 * i, 20, 17, HURT if lane == 5 else WARPS[part_of(i, j)], str(lane), 10)


def tensor_cores():
    f = Figure(760, 410, "The fragments of mma.m16n8k16: which lane holds which element")
    fragment(f, 20, 40, 16, 16, "A: 16 x 16", lambda i, j: i % 8 * 4 + j % 8 // 2, lambda i, j: i // 8 + j // 8 * 2)
    fragment(f, 376, 40, 16, 8, "B: 16 x 8", lambda i, j: j * 4 + i % 8 // 2, lambda i, j: i // 8)
    fragment(f, 572, 40, 16, 8, "C: 16 x 8", lambda i, j: i % 8 * 4 + j // 2, lambda i, j: i // 8)
    f.text(20, 340, "In each element: its lane. Lane 5 has, of A, rows 1 and 9, columns 2, 3, 10, 11: four registers of two words; of B rows", size=12)
    f.text(20, 357, "2, 3, 10, 11 of column 1: two registers; of C four floats. A load of four 8 x 8 matrices (ldmatrix) fills the registers", size=12)
    f.text(20, 374, "of A at once; with .trans the words of B, which lie along rows of shared memory, arrive down its columns.", size=12)
    f.height = 384
    f.legend((WORK, "register 0"), (GOLD, "register 1"), (BLUE, "register 2"), (MAUVE, "register 3"), (HURT, "lane 5"))
    f.save(FOLDER, "09-tensor-cores")


def swizzle():
    f = Figure(760, 250, "The swizzle: in eight rows, the same quad lies in eight different places")
    for half, (name, place) in enumerate((("as they come: quad q at place q", lambda r, q: q), ("swizzled: at place q ^ r", lambda r, q: q ^ r))):
        x = 60 + 370 * half
        f.text(x, 22, name)
        for r in range(8):
            f.text(x - 10, 50 + 22 * r, str(r), "end", 11)
            for q in range(8):
                f.box(x + 38 * place(r, q), 34 + 22 * r, 38, 22, (WORK if half else HURT) if q == 2 else PAPER, f"q{q}", 11)
    f.text(20, 232, "ldmatrix reads quad 2 of eight rows at once: a place is four banks. Left: 8 passes through four banks. Right: one pass.", size=12)
    f.legend((HURT, "quad 2: eight times the same banks"), (WORK, "quad 2: all 32 banks"), (PAPER, "the other quads of 16 bytes"))
    f.save(FOLDER, "09-swizzle")


for draw in (naive, coalesced, shared_tiles, corner_turning, coarsening, register_tile, two_way_tile, store_banks, pipelined,
             tensor_cores, swizzle):
    draw()
