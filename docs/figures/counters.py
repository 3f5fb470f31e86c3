"""Draws the figures of the counters' page into docs/figures/counters/."""
from figure import HURT, PAPER, QUIET, WORK, Figure

FOLDER = "counters"


def instructions():
    f = Figure(760, 216, "A branch that divides a warp: both sides are issued, one after the other")
    rows = [("if (lane % 2)", lambda lane: True), ("    x = a;", lambda lane: lane % 2), ("else", None),
            ("    x = b;", lambda lane: not lane % 2), ("y = x + 1;", lambda lane: True)]
    y = 34
    f.text(180, 22, "lanes 0 to 31 of a warp; coloured: at work")
    f.text(680, 22, "lanes", "end")
    for words, works in rows:
        f.text(20, y + 16, words)
        if works:
            at = [lane for lane in range(32) if works(lane)]
            for lane in range(32):
                f.box(180 + 14 * lane, y, 14, 22, WORK if works(lane) else QUIET)
            f.text(680, y + 16, str(len(at)), "end")
            y += 32
        else:
            y += 24
    f.text(20, 208, "4 warp instructions, 96 thread instructions: 75 % of 4 x 32. One branch, and it diverged.")
    f.legend((WORK, "at work"), (QUIET, "waits"))
    f.save(FOLDER, "instructions")


def sectors():
    f = Figure(760, 214, "Sectors that a request touches")
    cases = [("32 neighbours", 1, "4 sectors of 32 bytes, all 128 bytes used"),
             ("every second word", 2, "8 sectors, half of them used"),
             ("every eighth word", 8, "32 sectors, an eighth of them used")]
    for k, (name, stride, words) in enumerate(cases):
        y = 16 + 62 * k
        f.text(20, y + 16, name)
        for sector in range(5):
            x = 150 + 118 * sector
            for word in range(8):
                number = 8 * sector + word
                used = number % stride == 0 and number // stride < 32
                f.box(x + 14 * word, y, 14, 22, WORK if used else PAPER)
        f.text(150, y + 42, words)
    f.text(20, 206, "A request is one load of a warp: 32 lanes, 4 bytes each. Eight words are a sector; the first five are drawn.")
    f.legend((WORK, "word that a lane asks for"), (PAPER, "word that comes with it, or is not loaded"))
    f.save(FOLDER, "sectors")


def banks():
    f = Figure(760, 262, "Passes through the 32 banks of shared memory")
    f.text(20, 22, "bank")
    for bank in range(32):
        f.text(150 + 18 * bank + 9, 22, str(bank), "middle", 10)
    cases = [("stride 1", 1, "1 pass: each lane has a bank of its own"),
             ("stride 2", 2, "2 passes: lanes 0 and 16 meet in bank 0"),
             ("all one word", 0, "1 pass: lanes that ask for the same word share it"),
             ("stride 4", 4, "4 passes: the ideal is 1, the excess 3")]
    for k, (name, stride, words) in enumerate(cases):
        y = 32 + 56 * k
        f.text(20, y + 16, name)
        for bank in range(32):
            wanted = {lane * stride for lane in range(32) if lane * stride % 32 == bank}
            f.box(150 + 18 * bank, y, 18, 22, HURT if len(wanted) > 1 else WORK if wanted else PAPER,
                  str(len(wanted)) if wanted else "")
        f.text(150, y + 40, words)
    f.legend((WORK, "one word from the bank"), (HURT, "several words: one pass each"), (PAPER, "none"))
    f.save(FOLDER, "banks")


def atomics():
    f = Figure(760, 150, "Lanes that meet at a word wait for one another")
    to = [0, 1, 2, 3, 4, 5, 6, 7, 2, 2, 2, 5, 5, 1, 0, 7]
    most = max(to.count(v) for v in to)
    for lane, place in enumerate(to):
        f.box(20 + 36 * lane, 14, 36, 24, HURT if to.count(place) == most else WORK, f"l{lane}")
        f.arrow(38 + 36 * lane, 40, 56 + 72 * place, 94)
    for place in range(8):
        f.box(20 + 72 * place, 96, 72, 24, HURT if to.count(place) == most else PAPER, f"{to.count(place)}")
    f.text(20, 142, f"1 request, 16 lanes (drawn: half a warp), {most} of them at one word: ..._atomic_same is {most}.")
    f.legend((HURT, "the fullest word, and who adds to it"), (WORK, "other lanes"), (PAPER, "other words"))
    f.save(FOLDER, "atomics")


instructions()
sectors()
banks()
atomics()
