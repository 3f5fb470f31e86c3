"""Draws the figures of the pages on the GPU into docs/figures/gpu/."""
import math
import os

from figure import BLUE, FAINT, GOLD, HURT, MAUVE, PAPER, QUIET, WARPS, WORK, Figure
from times import RECORDS, records

FOLDER = "gpu"


def grid():
    f = Figure(760, 268, "A grid is cut into blocks, a block into warps, a warp into lanes")
    f.text(20, 22, "grid: 12 blocks", bold=True)
    for block in range(12):
        f.box(20 + 44 * (block % 4), 34 + 34 * (block // 4), 40, 30, WARPS[block % 4], str(block))
    f.arrow(200, 82, 246, 82)
    f.text(256, 22, "block 5: 128 threads", bold=True)
    for warp in range(4):
        f.box(256, 34 + 26 * warp, 190, 22, GOLD, f"warp {warp}: threads {32 * warp} to {32 * warp + 31}", 12)
    f.arrow(450, 71, 496, 71)
    f.text(506, 22, "warp 1: 32 lanes", bold=True)
    for lane in range(32):
        f.box(506 + 14 * (lane % 16), 34 + 26 * (lane // 16), 14, 22, GOLD)
    f.text(506, 106, "one instruction for all 32 lanes")
    f.text(506, 126, "lane = threadIdx.x % 32")
    f.text(20, 176, "Multiprocessors take blocks as they have room. Here 3 of them, two blocks each; blocks 6 to 11 wait:", size=12)
    for sm in range(3):
        f.box(20 + 180 * sm, 190, 170, 62, PAPER)
        f.text(28 + 180 * sm, 206, f"multiprocessor {sm}", size=11)
        for place in range(2):
            block = sm + 3 * place
            f.box(30 + 180 * sm + 76 * place, 214, 70, 30, WARPS[block % 4], f"block {block}", 12)
    for place in range(6):
        f.box(570 + 28 * place, 214, 26, 30, QUIET, str(6 + place), 12)
    f.text(570, 206, "waiting", size=11)
    f.save(FOLDER, "grid")


def scheduler_slots(warps, work, wait, clocks):
    """The number of the warp that a scheduler issues in each clock, the lowest ready one; or None."""
    ready, left = [0] * warps, [work] * warps
    for clock in range(clocks):
        warp = next((w for w in range(warps) if ready[w] <= clock), None)
        if warp is not None:
            left[warp] -= 1
            if left[warp] == 0:
                ready[warp], left[warp] = clock + wait, work
        yield warp


def latency():
    f = Figure(760, 318, "A scheduler with 1, 2 and 4 warps: the more warps, the fewer empty clocks")
    f.text(20, 22, "Each warp issues 4 instructions, the last one a load, and waits 12 clocks for its answer; on a GPU hundreds.", size=12)
    clocks, side = 42, 14
    y = 40
    for warps in (1, 2, 4):
        slots = list(scheduler_slots(warps, 4, 13, clocks))
        f.text(20, y + 15, f"{warps} warp" + ("s" if warps > 1 else ""), bold=True)
        for clock, warp in enumerate(slots):
            f.box(100 + side * clock, y, side, 22, PAPER if warp is None else WARPS[warp % 4])
        busy = sum(warp is not None for warp in slots[:32])
        f.text(700, y + 15, f"{round(100 * busy / 32)} %")
        for warp in range(warps):
            row = y + 28 + 13 * warp
            mine = [clock for clock, at in enumerate(slots) if at == warp]
            for clock in range(clocks):
                if clock not in mine and any(m < clock for m in mine):
                    f.box(100 + side * clock, row, side, 10, QUIET)
            for clock in mine:
                f.box(100 + side * clock, row, side, 10, WARPS[warp % 4])
        y += 40 + 13 * warps
    f.text(100, y + 6, "time in clocks; the thick rows: what the scheduler issues", size=12)
    f.height = y + 16
    f.legend((WORK, "warp 0"), (GOLD, "warp 1"), (BLUE, "warp 2"), (MAUVE, "warp 3"), (QUIET, "waits"), (PAPER, "nothing issued"))
    f.save(FOLDER, "latency")


def stock(f, y, name, total, share, blocks, unit, last):
    """A bar: the capacity of a multiprocessor, and the shares of its blocks."""
    width = 520
    f.text(20, y + 18, name, bold=True)
    f.box(150, y, width, 28, PAPER)
    step = width * share / total
    for block in range(blocks):
        f.box(150 + step * block, y, step, 28, WARPS[block % 4], f"block {block}" if step > 60 else "", 12)
    f.text(150, y + 46, f"{total:g} {unit}, {share:g} for a block: room for {last}", size=12)


def occupancy():
    f = Figure(760, 262, "Three resources of a multiprocessor; the one that runs out first limits the blocks")
    f.text(20, 22, "A kernel with 256 threads in a block, 80 registers per thread and 40 KB of shared memory:", size=13)
    stock(f, 40, "warps", 64, 8, 3, "warps", "8 blocks")
    stock(f, 106, "registers", 64, 20, 3, "K registers", "3 blocks")
    stock(f, 172, "shared memory", 228, 41, 3, "KB", "5 blocks")
    f.text(20, 248, "Registers run out first: 3 blocks, 24 of 64 warps, an occupancy of 37.5 %.")
    f.legend((WORK, "block 0"), (GOLD, "block 1"), (BLUE, "block 2"), (PAPER, "unused"))
    f.save(FOLDER, "occupancy")


def dram():
    f = Figure(760, 316, "Neighbouring addresses lie in different channels; a row of a bank is opened before it is read")
    f.text(20, 22, "Addresses, in pieces of some hundred bytes, go around the channels, of which four are drawn:", size=12)
    for piece in range(16):
        f.box(20 + 45 * piece, 32, 45, 24, WARPS[piece % 4], str(piece))
    for channel in range(4):
        x = 20 + 182 * channel
        f.box(x, 88, 172, 96, PAPER)
        f.text(x + 86, 104, f"channel {channel}", "middle", 12, bold=True)
        for bank in range(4):
            f.box(x + 10 + 39 * bank, 112, 35, 36, WARPS[channel] if bank == channel else QUIET)
        f.text(x + 86, 164, "banks of rows", "middle", 11)
        f.text(x + 86, 178, "one row open in each", "middle", 11)
    f.text(20, 212, "A read of a row that is open: the burst starts at once.", size=12)
    f.text(20, 230, "A read of another row: close this one, open that one, then read. Meanwhile other banks may work.", size=12)
    f.text(20, 262, "a burst: 32 bytes = a sector", bold=True)
    for word in range(8):
        f.box(250 + 34 * word, 246, 34, 24, WORK if word == 0 else GOLD, str(word))
    f.text(540, 262, "asked for one, paid for eight", size=12)
    f.height = 282
    f.legend((WORK, "what was asked for; channel 0"), (GOLD, "what comes along; channel 1"), (BLUE, "channel 2"), (MAUVE, "channel 3"),
             (QUIET, "another bank"))
    f.save(FOLDER, "dram")


# ---- The roofline -------------------------------------------------------------------------------------------------------

PEAK, RATE = 66.9, 4.45  # TFLOP/s of FP32 multiply-adds: 132 x 128 x 2 x 1.98 GHz; TB/s read, as measured
# Chapter, step, what is drawn, operations per byte of the rate that is recorded in GB/s.
POINTS = [("01-reduction", "09-cascading", "1 sum", 1 / 4), ("02-scan", "10-look-back", "2 scan", 1 / 8),
          ("05-tridiagonal", "07-warp-pcr-thomas", "5 tridiagonal", 8 / 20), ("06-iterative-solvers", "02-coalesced", "6 dense", 1 / 2),
          ("06-iterative-solvers", "06-stencil", "6 stencil", 6 / 8)]
MATMUL = [("01-naive", 1 / 16.5), ("02-coalesced", 2 / 5), ("03-shared-tiles", 8), ("05-coarsening", 12.8), ("07-two-way-tile", 32),
          ("08-pipelined", 42.7)]


class Roof:
    left, top, width, height = 70, 44, 560, 330
    x0, x1, y0, y1 = math.log10(0.05), math.log10(100), math.log10(0.1), math.log10(100)

    def x(self, intensity):
        return self.left + self.width * (math.log10(intensity) - self.x0) / (self.x1 - self.x0)

    def y(self, rate):
        return self.top + self.height * (1 - (math.log10(rate) - self.y0) / (self.y1 - self.y0))


def recorded(chapter, step):
    path = os.path.join(RECORDS, chapter + ".times.csv")
    return records(path)[1][step][-1][1] if os.path.exists(path) else None


def axes(f, r):
    for rate in (0.1, 1, 10, 100):
        f.line(r.left, r.y(rate), r.left + r.width, r.y(rate), "1 4", FAINT)
        f.text(r.left - 8, r.y(rate) + 4, f"{rate:g}", "end", 12, FAINT)
    for intensity in (0.1, 1, 10, 100):
        f.line(r.x(intensity), r.top, r.x(intensity), r.top + r.height, "1 4", FAINT)
        f.text(r.x(intensity), r.top + r.height + 18, f"{intensity:g}", "middle", 12, FAINT)
    f.text(r.left + r.width / 2, r.top + r.height + 38, "operations per byte of device memory", "middle", 12, FAINT)
    f.text(20, 24, "TFLOP/s, recorded on an H200, under the roof; both axes logarithmic", size=12, color=FAINT)


def roofline():
    f, r = Figure(760, 440, "The roofline of an H200: the memory's slope, the arithmetic's ceiling, and programs of this workbook"), Roof()
    axes(f, r)
    ridge = PEAK / RATE
    f.path([(r.x(0.05), r.y(0.05 * RATE)), (r.x(ridge), r.y(PEAK)), (r.x(100), r.y(PEAK))], "line10", width=3)
    f.text(r.x(1.5), r.y(4.2), "memory: 4.45 TB/s", size=12)
    f.text(r.x(ridge) + 20, r.y(PEAK) - 8, "FP32: 66.9 TFLOP/s", size=12)
    f.line(r.x(ridge), r.y(PEAK), r.x(ridge), r.top + r.height, "4 4", FAINT)
    f.text(r.x(ridge) + 6, r.top + r.height - 8, "ridge: 15", size=12, color=FAINT)
    places = {"1 sum": (10, 16), "2 scan": (10, 16), "5 tridiagonal": (-96, 0), "6 dense": (10, 12), "6 stencil": (10, 14)}
    for chapter, step, name, intensity in POINTS:
        rate = recorded(chapter, step)
        if rate:
            f.dots([(r.x(intensity), r.y(rate * intensity / 1000))], "line0", 5)
            dx, dy = places[name]
            f.text(r.x(intensity) + dx, r.y(rate * intensity / 1000) + dy, name, size=12)
    trail = [(step, intensity, recorded("07-matmul", step)) for step, intensity in MATMUL]
    f.path([(r.x(i), r.y(rate / 1000)) for _, i, rate in trail if rate], "line1", "3 4", 1)
    for step, intensity, rate in trail:
        if rate:
            f.dots([(r.x(intensity), r.y(rate / 1000))], "line1", 5)
            f.text(r.x(intensity) + 8, r.y(rate / 1000) + 17, "7/" + step[1], size=12)
    for row, words in enumerate(("7/1 to 7/8:", "steps of", "chapter 7,", "bytes as", "loaded, the", "caches not", "counted")):
        f.text(648, 190 + 17 * row, words, size=12)
    f.save(FOLDER, "roofline")


def diverge():
    f = Figure(760, 250, "A warp after a branch: Z may run once for all lanes, or once for each side; __syncwarp orders the two sides")
    parts = [("A", WORK, 0), ("B", WORK, 0), ("X", GOLD, 1), ("Y", GOLD, 1)]
    rows = [("before Volta", parts + [("Z", BLUE, None)], "one program counter: the sides join before Z"),
            ("since Volta", [parts[0], parts[2], parts[1], ("Z", BLUE, 0), parts[3], ("Z", BLUE, 1)],
             "allowed: lanes 0 to 3 run Z before the others run Y"),
            ("__syncwarp", [parts[0], parts[2], parts[1], parts[3], ("wait", QUIET, None), ("Z", BLUE, None)],
             "no lane runs Z before all have arrived")]
    f.text(20, 22, "if (lane < 4) { A; B; } else { X; Y; }  Z;", mono=True)
    y = 44
    for name, steps, words in rows:
        f.text(20, y + 16, name, bold=True, size=12)
        f.text(20, y + 36, "lanes 0 to 3", size=11)
        f.text(20, y + 58, "lanes 4 to 31", size=11)
        for at, (word, color, side) in enumerate(steps):
            for half in (0, 1):
                mine = side is None or side == half
                f.box(120 + 52 * at, y + 24 + 22 * half, 50, 18, color if mine else PAPER, word if mine else "", 12)
        f.text(450, y + 46, words, size=12)
        y += 68
    f.save(FOLDER, "diverge")


for draw in (grid, diverge, latency, occupancy, dram, roofline):
    draw()
