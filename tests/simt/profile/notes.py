#!/usr/bin/env python3
"""What SIMT_PROFILE says of tests/simt/profile/kernels.cu: what stands out, and no number that simt_read has not.

    notes.py PROGRAM SOURCE SCRATCH
"""
import json
import os
import re
import shutil
import subprocess
import sys

import complaints
from complaints import complain, equal

program, source, scratch = sys.argv[1:]
os.makedirs(scratch, exist_ok=True)
def run(profile, *arguments):
    environment = dict(os.environ, SIMT_PROFILE=profile, SIMT_CHECK="none", SIMT_MULTIPROCESSORS="16")
    done = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True)
    return done.stdout, done.stderr


def wanted_notes():
    """(kernel, kind, line) of every comment "stands out"; kinds that speak of no line have line 0."""
    notes, kernel = set(), None
    for number, text in enumerate(open(source), 1):
        start = re.match(r"__global__ void (\w+)", text)
        kernel = start[1] if start else kernel
        for kind in re.findall(r"// stands out: (\w+)", text):
            notes.add((kernel, kind, 0 if start else number))
    return notes


def read_totals(text):
    totals, lines = {}, {}
    for line in text.splitlines():
        word = line.split()
        if word[0] == "total":
            totals[word[1]] = int(word[2])
        else:
            lines[word[1], word[2]] = int(word[3])
    return totals, lines


MAXIMA = {"longest_block", "waits", "spilled_bytes", "global_atomic_same", "shared_atomic_same", "shared_atomic_warps"}


def join(sums, key, name, value):
    sums[key] = max(sums.get(key, 0), value) if name in MAXIMA else sums.get(key, 0) + value


def sum_lines(profile):
    sums = {}
    for kernel in profile["kernels"]:
        for line in kernel["lines"]:
            for name, value in line["counters"].items():
                join(sums, (name, f"{line['file']}:{line['line']}"), name, value)
    return sums


def check_json(profile, totals, lines):
    # The profile includes what the program does before its simt_reset: only two fills.
    equal("counters", profile["counters"], totals)
    sums = sum_lines(profile)
    for key in sorted(set(sums) | set(lines)):
        if key[0] not in ("barriers",):  # shared out by the warps of a kernel, there by those of all
            equal(f"line {key}", sums.get(key), lines.get(key))
    for name in totals:
        whole = {}
        for kernel in profile["kernels"]:
            join(whole, name, name, kernel["counters"][name])
        equal(f"kernels' {name}", whole[name], totals[name])


def check_notes(profile):
    found = {(k["kernel"], n["kind"], n.get("line", 0)) for k in profile["kernels"] for n in k["notes"]}
    wanted = wanted_notes()
    for note in sorted(found - wanted):
        complain(f"stands out, and should not: {note}")
    for note in sorted(wanted - found):
        complain(f"does not stand out: {note}")
    if not wanted:
        complain(f"{source} says of nothing that it stands out")


def check_text(text, profile):
    begin = text.index("simt: profile: 20 launches")
    for line in text[begin:].splitlines():
        if len(line) > 80 and "kernels.cu" not in line:
            complain(f"wider than 80 columns: {line}")
    for kernel in profile["kernels"]:
        for note in kernel["notes"]:
            if " ".join(note["text"].split()) not in " ".join(text.split()):
                complain(f"not in the text: {note['text']}")
        value = kernel["counters"]["warp_instructions"]
        if not re.search(rf"warp instructions +{value} ", text):
            complain(f"{kernel['kernel']}: no {value} warp instructions in the text")


EVENTS = ["Instr", "Idle", "GlobalReq", "Sectors", "BankPasses", "Waits"]


def events(c):
    return [c["warp_instructions"], 32 * c["warp_instructions"] - c["thread_instructions"],
            c["global_load_requests"] + c["global_store_requests"] + c["global_atomic_requests"],
            c["global_load_sectors"] + c["global_store_sectors"] + c["global_atomic_sectors"],
            c["shared_load_wavefronts"] + c["shared_store_wavefronts"] + c["shared_atomic_wavefronts"],
            c["barrier_waits"] + c["warp_barriers"]]


def numbers(row):
    return [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) +\(|\b(0)\b(?= {2,})", row) for n in n if n]


def check_callgrind(path, profile):
    said = subprocess.run(["callgrind_annotate", "--threshold=100", path], capture_output=True, text=True)
    equal("callgrind_annotate's exit", (said.returncode, said.stderr), (0, ""))
    rows = {}
    for row in said.stdout.splitlines():
        named = re.match(r"(.*\)|.* 0) +(\S*kernels\.cu:(\w+)|PROGRAM TOTALS)$", row)
        if named:
            rows[named[3] or "PROGRAM"] = numbers(named[1] + "   ")
    equal("callgrind's totals", rows.get("PROGRAM"), events(profile["counters"]))
    for kernel in profile["kernels"]:
        equal(f"callgrind's {kernel['kernel']}", rows.get(kernel["kernel"]), events(kernel["counters"]))
    if "Auto-annotated source" not in said.stdout:
        complain("callgrind_annotate shows no source")


def profile_of(settings, *arguments):
    path = os.path.join(scratch, "profile.json")
    out, err = run(f"json:{path},{settings}" if settings else f"json:{path}", *arguments)
    return json.load(open(path)), out, err


profile, out, err = profile_of(f"text,callgrind:{scratch}/callgrind.out")
equal("format", (profile["format"], profile["version"]), ("simt-profile", 1))
totals, lines = read_totals(out)
check_json(profile, totals, lines)
check_notes(profile)
check_text(err, profile)
straight = [k for k in profile["kernels"] if k["kernel"] == "straight"]
equal("one record a kernel", [(k["launch"], k["counters"]["launches"], k["grid_varies"]) for k in straight],
      [(None, 2, True)])
if shutil.which("callgrind_annotate"):
    check_callgrind(f"{scratch}/callgrind.out", profile)
else:
    print("no callgrind_annotate here (Debian: valgrind): its format is not tried")

apart, _, _ = profile_of(f"launches,callgrind:{scratch}/launches.out")
equal("a record a launch", [(k["kernel"], k["launch"], k["counters"]["launches"]) for k in apart["kernels"]
                            if k["kernel"] == "straight"], [("straight", 10, 1), ("straight", 20, 1)])
equal("the same in all", apart["counters"], profile["counters"])
if "fn=straight in launch 20\n" not in open(f"{scratch}/launches.out").read():
    complain("callgrind: no function for launch 20")

part, _, _ = profile_of("range", "exit")
equal("range", [(k["kernel"], k["counters"]["launches"]) for k in part["kernels"]], [("straight", 1)])
whole, _, _ = profile_of("", "exit")
equal("no range", [(k["kernel"], k["counters"]["launches"]) for k in whole["kernels"]],
      [("conflicts", 1), ("straight", 2)])

# Guilty: a changed number is detected.
profile["counters"]["warp_instructions"] += 1
before, complaints.bad, complaints.silent = complaints.bad, 0, True
check_json(profile, totals, lines)
seen, complaints.bad, complaints.silent = complaints.bad, before, False
if not seen:
    complain("a wrong number is not seen")
sys.exit(complaints.bad)
