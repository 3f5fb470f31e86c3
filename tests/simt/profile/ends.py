#!/usr/bin/env python3
"""SIMT_PROFILE is written however the program ends, and what it cannot do takes one line.

    ends.py PROGRAM SCRATCH
"""
import glob
import json
import os
import signal
import subprocess
import sys

import complaints
from complaints import equal

program, scratch = sys.argv[1:]
os.makedirs(scratch, exist_ok=True)
def run(profile, *arguments, **more):
    environment = dict(os.environ, SIMT_PROFILE=profile, SIMT_CHECK="memory", **more)
    return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True)


path = os.path.join(scratch, "profile.json")
for way, status, launches in [("exit", 3, 3), ("abort", -signal.SIGABRT, 3), ("segv", -signal.SIGSEGV, 3),
                              ("host", -signal.SIGSEGV, 3), ("int", -signal.SIGINT, 3), ("fork", 0, 3),
                              ("fault", 0, 4), ("quiet", 0, 0)]:
    if os.path.exists(path):
        os.remove(path)
    done = run(f"json:{path},text", way)
    profile = json.load(open(path))
    equal(f"{way}: exit", done.returncode, status)
    equal(f"{way}: launches", profile["counters"]["launches"], launches)
    equal(f"{way}: texts", done.stderr.count("simt: profile: "), 1)
    equal(f"{way}: its launches", f"simt: profile: {launches} launches\n" in done.stderr, True)
    failed = [k["kernel"] for k in profile["kernels"] if k["failed"]]
    equal(f"{way}: failed", failed, ["straight"] if way == "fault" else [])

# The terminal shows the program's output in its order.
both = subprocess.run([program, "fault"], env=dict(os.environ, SIMT_PROFILE="text", SIMT_CHECK="memory"),
                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
equal("the order", both.index("cudaErrorIllegalAddress") < both.index("simt: profile"), True)

# The text has no reader, but the file is complete.
run_cut = f"SIMT_PROFILE=text,json:{path} {program} exit 2>&1 >/dev/null | true"
os.remove(path)
subprocess.run(["sh", "-c", run_cut])
json.load(open(path))

# Files: %p, and files that cannot be opened.
for old in glob.glob(os.path.join(scratch, "of-*")):
    os.remove(old)
run(f"json:{scratch}/of-%p.json", "exit")
run(f"json:{scratch}/of-%p.json", "exit")
equal("%p", len(glob.glob(os.path.join(scratch, "of-*.json"))), 2)
line = "simt: SIMT_PROFILE: cannot write /nowhere/p: No such file or directory; the program continues without it\n"
done = run("json:/nowhere/p", "exit")
equal("no such folder", (done.returncode, done.stderr), (3, line))
done = run(f"callgrind:/nowhere/p,json:{path}", "exit")
equal("the other one", (done.returncode, done.stderr, len(json.load(open(path))["kernels"])), (3, line, 2))
done = run("json:/dev/full", "exit")
equal("a full disk", (done.returncode, done.stderr),
      (3, "simt: SIMT_PROFILE: a file could not be written in full; is the disk full?\n"))
done = run("text", "exit", SIMT_COUNT="0")
equal("no counters", (done.returncode, done.stderr.count("\n"), "SIMT_COUNT" in done.stderr), (1, 1, True))
sys.exit(complaints.bad)
