"""Draws the machine of gpu.md, docs/figures/machine/h200.svg: multiprocessors, warps, schedulers, memories; sizes and rates of an H200.

What is not marked as measured is NVIDIA's: the tables for compute capability 9.0 in the CUDA C++ Programming Guide, and the
data sheet of the H200. The rates of shared memory are computed: 32 banks of 4 bytes a clock, 132 multiprocessors at 1.98 GHz."""
from figure import BLUE, FAINT, GOLD, HURT, MAUVE, PAPER, QUIET, WARPS, WORK, Figure


def scheduler(f, x, k):
    f.box(x, 92, 108, 176, PAPER)
    f.text(x + 54, 110, f"scheduler {k}", "middle", 12, bold=True)
    for warp in range(16):
        f.box(x + 10 + 22.5 * (warp % 4), 120 + 13 * (warp // 4), 20, 10, WARPS[k] if warp == 5 else QUIET)
    f.text(x + 54, 190, "up to 16 warps", "middle", 11)
    f.text(x + 54, 206, "issues 1 a clock", "middle", 11)
    for lane in range(16):
        f.box(x + 10 + 5.5 * lane, 216, 5, 12, WARPS[k])
    f.text(x + 54, 244, "32 lanes", "middle", 11)
    f.text(x + 54, 260, "64 KB registers", "middle", 11)


def machine():
    f = Figure(800, 470, "A GPU: multiprocessors with schedulers, warps and shared memory; the L2 cache; device memory")
    f.text(20, 26, "An H200: 132 multiprocessors, of which one is drawn large", size=14, bold=True)
    f.box(20, 42, 488, 312, BLUE)
    f.text(34, 64, "multiprocessor (SM)", bold=True)
    f.text(494, 64, "up to 2048 threads = 64 warps, 32 blocks", "end", 12)
    f.text(34, 82, "a block stays on one SM until it ends", size=12)
    for k in range(4):
        scheduler(f, 34 + 118 * k, k)
    f.box(34, 280, 224, 62, GOLD)
    f.text(146, 300, "shared memory: 32 banks", "middle", 12)
    f.text(146, 317, "up to 227 KB for a block", "middle", 11)
    f.text(146, 333, "128 bytes a clock", "middle", 11)
    f.box(270, 280, 224, 62, GOLD)
    f.text(382, 300, "L1 cache", "middle", 12)
    f.text(382, 317, "256 KB, both together", "middle", 11)
    f.text(382, 333, "lines of 128 bytes, sectors of 32", "middle", 11)
    for row in range(6):
        for column in range(8):
            f.box(528 + 31 * column, 44 + 30 * row, 26, 24, BLUE)
    f.text(650, 240, "... 132 of them", "middle", 12)
    f.text(528, 268, "All shared memories together:", size=12)
    f.text(528, 286, "33 TB/s at 1.98 GHz (computed)", size=12)
    f.text(528, 312, "Registers of all SMs: 33 MB;", size=12)
    f.text(528, 330, "at most 255 for a thread", size=12)
    f.arrow(264, 356, 264, 374)
    f.arrow(650, 356, 650, 374)
    f.box(20, 376, 760, 34, MAUVE, "L2 cache: 60 MB, shared by all SMs; atomics on global memory happen here")
    f.arrow(400, 412, 400, 426)
    f.box(20, 428, 560, 34, HURT, "device memory (global): 141 GB, 4.8 TB/s; measured: 4.45 read, 4.24 copied")
    f.box(592, 428, 188, 34, PAPER, "host: PCIe, 64 GB/s")
    f.text(20, 482, "NVLink to other GPUs: 450 GB/s each way. A wait for device memory takes some 600 ns: other warps go on meanwhile.",
           size=12, color=FAINT)
    f.height = 492
    f.legend((WORK, "warps and lanes, by scheduler"), (QUIET, "warps that wait"), (BLUE, "SM"), (GOLD, "on the SM"),
             (MAUVE, "on the chip"), (HURT, "off the chip"))
    f.save("machine", "h200")


machine()
