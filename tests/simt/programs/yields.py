#!/usr/bin/python3
"""Blocks that compute do not give their processor away.

    yields.py PROGRAM ARGUMENTS...

PROGRAM, whose blocks mostly compute, shares one processor with a process that never waits. The kernel takes it away some
hundred times a second. A program that calls sched_yield after each turn loses it many thousand times, and the other process
then has it for some milliseconds. A process that does so is the guilty twin.
"""

import os
import resource
import subprocess
import sys


def switches_a_second(command):
    """How often a second of its own `command` lost the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (after.ru_nivcsw - before.ru_nivcsw) / own


def main():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    beside = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        program = switches_a_second(sys.argv[1:])
        guilty = switches_a_second([sys.executable, "-IS", "-c", "import os\nfor _ in range(2000): os.sched_yield()"])
    finally:
        beside.kill()
        beside.wait()
    print(f"{program:.0f} switches a second; {guilty:.0f} of one that yields; a quarter of that at most")
    return program > guilty / 4


if __name__ == "__main__":
    sys.exit(main())
