#!/usr/bin/env python3
"""The profile of every step of a chapter has the counters that the program reports by --json, and nothing else; so has
what `workbook profile` writes.

    chapter.py BUILD CHAPTER
"""
import json
import os
import re
import subprocess
import sys

import complaints
from complaints import complain

build, chapter = sys.argv[1:]
scratch = os.path.join(build, "self", "profile." + chapter)
os.makedirs(scratch, exist_ok=True)
MAXIMA = {"longest_block", "waits", "spilled_bytes", "global_atomic_same", "shared_atomic_same", "shared_atomic_warps"}
# They belong to a launch, or to no launch at all, and not to a line; barriers are distributed over lines.
WHOLE = {"launches", "blocks", "warps", "longest_block", "waits", "barriers", "host_writes", "host_reads",
         "copied_sectors", "graph_launches", "nested_launches", "overlaps", "spilled_bytes", "mixed_warps"}


def steps():
    for row in open(os.path.join(build, "course.tsv"), encoding="utf-8"):
        word = row.rstrip("\n").split("\t")
        if word[0] == chapter:
            yield word[1], word[2]


def run(command, profile):
    environment = dict(os.environ, SIMT_PROFILE=profile, SIMT_CHECK="race")
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def add(sums, name, value):
    sums[name] = max(sums.get(name, 0), value) if name in MAXIMA else sums.get(name, 0) + value


def check_sums(step, profile):
    kernels, lines = {}, {}
    for kernel in profile["kernels"]:
        for name, value in kernel["counters"].items():
            add(kernels, name, value)
        for line in kernel["lines"]:
            for name, value in line["counters"].items():
                add(lines, name, value)
    for name, value in profile["counters"].items():
        if name not in WHOLE and lines.get(name, 0) != value:
            complain(f"{step}: {name}: the lines have {lines.get(name, 0)} of {value}")
        if name in ("launches", "blocks", "warps", "longest_block", "barriers", "spilled_bytes") and kernels.get(name, 0) != value:
            complain(f"{step}: {name}: the kernels have {kernels.get(name, 0)} of {value}")


def check_step(step, n):
    program = os.path.join(build, "solutions", chapter, step)
    paths = [os.path.join(scratch, f"{step}.{kind}.json") for kind in ("profile", "counters")]
    done = run([program, "--n", n, "--json", paths[1]], f"text,range,json:{paths[0]}")
    if done.returncode != 0:
        complain(f"{step}: exit {done.returncode}: {done.stderr}")
        return
    profile, report = [json.load(open(path)) for path in paths]
    for name, value in report["counters"].items():
        if profile["counters"].get(name) != value:
            complain(f"{step}: {name}: the profile has {profile['counters'].get(name)}, the program {value}")
    check_sums(step, profile)
    shown = sum(int(n) for n in re.findall(r"^  warp instructions +(\d+) ", done.stderr, re.M))
    if shown != report["counters"]["warp_instructions"]:
        complain(f"{step}: the text adds up to {shown} warp instructions")


def check_command(step, n):
    """In the judge's process, behind its sandbox."""
    path = os.path.join(scratch, "workbook.json")
    done = subprocess.run([os.path.join(build, "workbook"), "profile", f"{chapter}/{step}", "--json", path, "--n", n],
                          capture_output=True, text=True, check=False)
    alone = json.load(open(os.path.join(scratch, f"{step}.profile.json")))
    if done.returncode != 0 or "\nsimt: profile: " not in done.stdout:
        complain(f"workbook profile {chapter}/{step}: exit {done.returncode}: {done.stdout}{done.stderr}")
    elif json.load(open(path))["counters"] != alone["counters"]:
        complain(f"workbook profile {chapter}/{step} has other counters than the program alone")


rows = list(steps())
for row in rows:
    check_step(*row)
check_command(*rows[0])
if not rows:
    complain(f"{chapter} has no steps")
sys.exit(complaints.bad)
