#!/usr/bin/env python3
"""An invented course, of which a tenth is hostile, through `workbook grade`, in three shards, and out again.

    hostile.py WORKBOOK FOLDER STUDENTS SHARDS [judged]

No one is missing, nothing that was handed in is executed outside the sandbox, and nothing outside the folder is touched. Each honest
text is one of a few, so the course takes the judgements of these and of what is hostile.
"""
import csv
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import zipfile

WORKBOOK, SCRATCH, STUDENTS, SHARDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
JUDGED = sys.argv[5:] == ["judged"]
SOURCE = os.environ["SOURCE"]
STEP = "01-reduction/05-sequential"
CANARY = f"{SCRATCH}/canary"
failures = 0


def bad(what):
    global failures
    failures += 1
    print(f"FAILED: {what}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


RIGHT = read(f"{SOURCE}/solutions/{STEP}.cu")


def with_code(code, device=False):
    """The solution with added code: on the host before everything, or in the kernel."""
    if device:
        return RIGHT.replace("    int tid = threadIdx.x;\n", "    int tid = threadIdx.x;\n" + code, 1)
    return RIGHT + f"\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) static void first(void)\n{{\n{code}\n}}\n"


HONEST = [RIGHT, RIGHT.replace("BLOCK 256", "BLOCK 128"), read(f"{SOURCE}/{STEP}.cu"),
          "\n".join(line for line in RIGHT.split("\n") if "outside the if: all" not in line), RIGHT.replace(": 0;", ": 1;", 1)]
if not JUDGED: # a stub judge accepts all of them
    HONEST = HONEST[:2]


def zipped(files):
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return to.getvalue()


def tarred(*entries):
    to = io.BytesIO()
    with tarfile.open(fileobj=to, mode="w:gz") as archive:
        for entry, content in entries:
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return to.getvalue()


def entry(name, kind=tarfile.REGTYPE, target=""):
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, target
    return made


def bomb():
    inner = zipped({f"{i}.cu": b"\0" * (1 << 20) for i in range(100)})
    return zipped({"01-reduction/05-sequential.cu": RIGHT, "a.zip": inner, "b.zip": zipped({"c.zip": zipped({"d.zip": inner})})})


# Name of the file and what is in it, for each kind of hostile student.
HOSTILE = [
    ("all.zip", bomb),
    ("all.zip", lambda: zipped({"../../canary": "x", "/tmp/workbook-canary": "x", "05-sequential.cu": RIGHT})),
    ("all.tar.gz", lambda: tarred((entry("05-sequential.cu", tarfile.SYMTYPE, CANARY), b""), (entry("up", tarfile.SYMTYPE, "../.."), b""),
                                  (entry("up/canary"), b"x"), (entry("null", tarfile.CHRTYPE), b""))),
    ("05-sequential.cu", lambda: RIGHT.replace('#include "reduction.h"', f'#include "{CANARY}"\n#include "reduction.h"')),
    ("05-sequential.cu", lambda: f'#include "{CANARY}.bad"\n' + RIGHT),
    ("05-sequential.cu", lambda: with_code('    for (;;) puts("flood");')),
    ("05-sequential.cu", lambda: with_code("    for (;;) fork();")),
    ("05-sequential.cu", lambda: with_code(f'    FILE *f = fopen("{CANARY}", "w"); if (f) fclose(f); remove("{CANARY}");')),
    ("05-sequential.cu", lambda: with_code(f'    system("touch {CANARY}.new");')),
    ("05-sequential.cu", lambda: "#include __FILE__\n" + RIGHT),
    ("05-sequential.cu", lambda: "\n".join(f"#define A{i} A{i + 1} A{i + 1}" for i in range(40)) + "\nint x[] = {A0};\n" + RIGHT),
    ("05-sequential.cu", lambda: with_code("    while (out == 0) ;\n".replace("out", "n - n"), device=True)),
    ("05-sequential.cu", lambda: "x" * 300000),
    ("05-sequential.cu", lambda: os.urandom(2000)),
    ("05-sequential.cu", lambda: ""),
]
if not JUDGED: # what only a judge or the compiler's limits stop is in the course that is judged
    HOSTILE = HOSTILE[:6]
NAMES = ["=cmd|' -C calc'!A{}", "+1+cmd|{}", "-2+3{}", "@SUM(A{})", "\t=1{}", "\r={}", "new\nline{}", '"quote"{}', "<script>{}", "a,b;{}", "$(touch {})",
         "`touch {}`", "..{}", "Zoë {}", "Ольга {}", "%n%s{}", "{}" + "x" * 180]


def hand_in():
    """{folder: (name, hostile or not)}"""
    chance, who = random.Random(STUDENTS), {}
    for n in range(STUDENTS):
        hostile = n % 10 == 7
        name = NAMES[n // 2 % len(NAMES)].format(n) if n % 2 == 1 else f"student{n}"
        file, make = HOSTILE[n // 10 % len(HOSTILE)] if hostile else ("05-sequential.cu", lambda: chance.choice(HONEST))
        content = make()
        folder = f"{SCRATCH}/class/{name}_{1000 + n}_assignsubmission_file_"
        os.makedirs(folder)
        with open(f"{folder}/{file}", "wb") as to:
            to.write(content if isinstance(content, bytes) else content.encode())
        if hostile and n % 20 == 7:
            os.symlink(CANARY, f"{folder}/06-first-add.cu")
            os.mkfifo(f"{folder}/07-unroll-warp.cu")
        who[str(1000 + n)] = hostile
    return who


def run(*words):
    done = subprocess.run([WORKBOOK, *words], capture_output=True)
    if done.returncode != 0:
        bad(f"{words[:4]}: exit {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")


def everything():
    """All files outside the folders that the grader writes to, with their contents' sizes and times."""
    seen = {}
    for folder, _, files in os.walk(SCRATCH):
        if "/part" not in folder + "/" and "/merged" not in folder + "/":
            for file in files:
                about = os.lstat(os.path.join(folder, file))
                seen[os.path.join(folder, file)] = (about.st_size, about.st_mtime_ns)
    return seen


shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
with open(CANARY, "w", encoding="utf-8") as file:
    file.write("root:secret\n")
with open(f"{CANARY}.bad", "w", encoding="utf-8") as file:
    file.write("#root:secret\n") # the preprocessor stops at it
WHO = hand_in()
with open(f"{SCRATCH}/due.txt", "w", encoding="utf-8") as file:
    file.write("1/5 result 2 safety 1 lesson 1\n")
before = everything()
for k in range(1, SHARDS + 1):
    run("grade", f"{SCRATCH}/class", "--shard", f"{k}/{SHARDS}", "--assignment", f"{SCRATCH}/due.txt", "--out", f"{SCRATCH}/part{k}",
        "--jobs", "2", "--time", "10")
run("grade", "--merge", *[f"{SCRATCH}/part{k}" for k in range(SHARDS, 0, -1)], "--out", f"{SCRATCH}/merged")
run("export", f"{SCRATCH}/merged", "--to", "csv")
run("export", f"{SCRATCH}/merged", "--to", "pages", "--no-runs")
if everything() != before:
    bad(f"touched: {set(everything().items()) ^ set(before.items())}")
if os.path.exists("/tmp/workbook-canary"):
    bad("a path of an archive left the folder")
with open(f"{SCRATCH}/merged/grades.json", encoding="utf-8") as file:
    record = json.load(file)
if sorted(s["student"] for s in record["students"]) != sorted(WHO):
    bad(f"students: {len(record['students'])} of {len(WHO)}")
if len(record["marks"]) != len(WHO):
    bad(f"marks: {len(record['marks'])} of {len(WHO)}")
for mark in record["marks"]:
    log = mark.get("log")
    if log and "secret" in read(f"{SCRATCH}/merged/{log}"):
        bad(f"{mark['student']}: the log has what is outside: {log}")
with open(f"{SCRATCH}/merged/csv/students.csv", encoding="utf-8", newline="") as file:
    rows = list(csv.reader(file, strict=True))
if len(rows) != len(WHO) + 1 or {row[0] for row in rows[1:]} != set(WHO):
    bad(f"students.csv: {len(rows) - 1} rows")
for row in rows:
    for cell in row:
        if cell[:1] in tuple("=+-@\t\r") and not cell.replace(".", "").replace("-", "").isdigit():
            bad(f"a spreadsheet would run {cell!r}")
if len(os.listdir(f"{SCRATCH}/merged/pages/students")) != len(WHO):
    bad("not a page for each")
verdicts = {}
for mark in record["marks"]:
    key = ("hostile " if WHO[mark["student"]] else "") + mark["verdict"]
    verdicts[key] = verdicts.get(key, 0) + 1
print(f"{len(WHO)} students, {SHARDS} parts: {verdicts}")
sys.exit(failures > 0)
