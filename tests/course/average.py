#!/usr/bin/env python3
"""The CPU time of a judgement in an invented course, on average, and as a multiple of that of its compilation in the same run.

    average.py WORKBOOK FOLDER FILES

Two of five files are fresh: as many right submissions of tests/submissions as wrong ones, drawn by a fixed seed. Of the others two
thirds are copies of a fresh file, and one third differ from one in a comment and in blanks.
"""
import collections
import glob
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys

MOST = 20 # compilations that a judged file may cost: computers and their load change both
WORKBOOK, SCRATCH, FILES = sys.argv[1], sys.argv[2], int(sys.argv[3])
SOURCE = os.environ["SOURCE"]
chance = random.Random(FILES)


def submissions(kind):
    """CHAPTER/STEP.KIND.NAME of every submission of this kind."""
    for path in sorted(glob.glob(f"{SOURCE}/tests/submissions/*/*.{kind}")):
        with open(path, encoding="utf-8") as file:
            for name in re.findall(r"^=== ([a-z0-9-]+):", file.read(), re.MULTILINE):
                yield os.path.relpath(path, f"{SOURCE}/tests/submissions") + "." + name


def text_of(place):
    """The step and the text of a submission."""
    folder = f"{SCRATCH}/text"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([WORKBOOK, "judge", "--write", folder, place], check=True, stdout=subprocess.DEVNULL)
    with open(f"{folder}/{os.listdir(folder)[0]}", encoding="utf-8") as file:
        return place[: place.index(".", place.index("/"))], file.read()


def rewritten(text):
    return "// Another one's file.\n" + text.replace("    ", "\t").replace("{\n", "{\n\n")


def cpu():
    """Seconds of all processes that have ended, and those of them in the kernel."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime, used.ru_stime


def arch_of(step):
    """The architecture that the course table has for a step."""
    with open(f"{os.path.dirname(WORKBOOK)}/course.tsv", encoding="utf-8") as file:
        rows = (line.split("\t") for line in file)
        return next(row[3] for row in rows if row[:2] == step.split("/"))


def compilation(files):
    """The CPU time that the compilation of a file takes, of these steps and texts."""
    before = cpu()[0]
    for step, text in files:
        with open(f"{SCRATCH}/one.cu", "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(["sh", f"{os.path.dirname(WORKBOOK)}/program.sh", "graded", arch_of(step), f"{SCRATCH}/one.cu", f"{SCRATCH}/one"],
                       check=False, capture_output=True) # some do not compile
    return (cpu()[0] - before) / len(files)


shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
count = FILES * 2 // 5
fresh = [text_of(place) for kind, most in (("right", (count + 1) // 2), ("wrong", count // 2))
         for place in chance.sample(list(submissions(kind)), most)]
course = list(fresh)
while len(course) < FILES:
    step, text = chance.choice(fresh)
    course.append((step, rewritten(text) if len(course) % 3 == 0 else text))
for number, (step, text) in enumerate(course):
    os.makedirs(os.path.dirname(f"{SCRATCH}/class/s{number}/{step}"))
    with open(f"{SCRATCH}/class/s{number}/{step}.cu", "w", encoding="utf-8") as file:
        file.write(text)
before = cpu()
done = subprocess.run([WORKBOOK, "grade", f"{SCRATCH}/class", "--seed", "1", "--out", f"{SCRATCH}/out"], capture_output=True, text=True)
after = cpu()
if done.returncode != 0:
    sys.exit(done.stdout + done.stderr)
print("\n".join(line for line in done.stdout.splitlines() if "judged with another" in line))
used, system = after[0] - before[0], after[1] - before[1]
with open(f"{SCRATCH}/out/grades.json", encoding="utf-8") as file:
    marks = json.load(file)["marks"]
judged = sum(mark["seconds"] > 0 for mark in marks)
print(f"{len(marks)} files, {judged} judged: {dict(collections.Counter(mark['verdict'] for mark in marks))}")
print(f"CPU {used:.1f} s, {system:.1f} s of it in the kernel: {used / len(marks):.2f} s on average, "
      f"{used / judged:.2f} s for each judged file")
compiled = compilation(fresh[:10])
print(f"a judged file costs {used / judged / compiled:.1f} compilations of {compiled:.2f} s")
sys.exit(len(marks) != FILES or used / judged > MOST * compiled)
