#!/usr/bin/env python3
"""SIMT_REPORT=sarif:FILE: valid by the schema of SARIF 2.1.0, with every finding, however the program ends.

    sarif.py PROGRAM SOURCE SCHEMA SCRATCH
"""
import json
import os
import re
import signal
import subprocess
import sys
import urllib.parse

import complaints
from complaints import complain, equal

try:
    import jsonschema
except ImportError:
    print("skipped: there is no jsonschema to validate with (Debian: python3-jsonschema)")
    sys.exit(77)

program, source, schema, scratch = sys.argv[1:]
program = os.path.abspath(program)
os.makedirs(scratch, exist_ok=True)
validator = jsonschema.Draft4Validator(json.load(open(schema)))
marks = {m[1]: n for n, text in enumerate(open(source), 1) for m in [re.search(r"// ([A-Z])$", text)] if m}
def run(*ways, check="all", directory=None, name="findings.sarif"):
    path = os.path.join(scratch, name)
    if os.path.exists(path):
        os.remove(path)
    environment = dict(os.environ, SIMT_REPORT=f"sarif:{path}", SIMT_CHECK=check)
    done = subprocess.run([program, *ways], env=environment, cwd=directory or os.path.dirname(source),
                          capture_output=True, text=True)
    log = json.load(open(path))
    for error in validator.iter_errors(log):
        complain(f"{ways}: not SARIF 2.1.0: {list(error.absolute_path)}: {error.message}")
    return log["runs"][0], done


def line_of(place):
    return place["physicalLocation"]["region"]["startLine"]


def summary(result):
    """(rule, level, line, lines of both ends)"""
    places = result.get("locations", [])
    return (result["ruleId"], result["level"], line_of(places[0]) if places else 0,
            tuple(line_of(p) for p in result.get("relatedLocations", [])))


def at(mark, *ends):
    return (marks[mark], tuple(marks[e] for e in ends))


found = {
    "race": [("init", "error", *at("B")), ("race", "error", *at("A", "A", "B")), ("race", "error", *at("B", "B", "A"))],
    "lock_step": [("race", "warning", *at("D", "D", "C"))],
    "same_value": [("race", "note", *at("E", "E", "E"))],
    "init": [("init", "error", *at("F"))],
    "memory": [("memory", "error", *at("G"))],
    "sync": [("sync", "warning", *at("H"))],
    "streams": [("streams", "error", *at("K", "K", "I"))],
    "free": [("host", "error", 0, ())],
    "launch": [("call", "error", 0, ()), ("host", "error", 0, ())],
    "copy": [("call", "error", 0, ())],
    "called": [("init", "error", *at("N")), ("race", "error", *at("L", "L", "N", "M")), ("race", "error", *at("N", "N", "L", "M"))],
    "called_twice": [("race", "error", *at("L", "L", "L", "O", "P"))],
    "called_deep": [("init", "error", *at("S")), ("race", "error", *at("L", "L", "S", "Q", "R")),
                    ("race", "error", *at("S", "S", "L", "Q", "R"))],
    "innocent": [],
}
for way, wanted in found.items():
    sarif, done = run(way)
    equal(way, sorted(summary(r) for r in sarif["results"]), sorted(wanted))
    rules = {rule["id"] for rule in sarif["tool"]["driver"]["rules"]}
    for result in sarif["results"]:
        if result["ruleId"] not in rules:
            complain(f"{way}: there is no rule {result['ruleId']}")
        if result["message"]["text"] not in done.stderr:
            complain(f"{way}: not what stderr says: {result['message']['text']}")

# Inlined functions: the text and the file say where they were called, up to the kernel; other functions have no such
# calls.
def calls(way):
    sarif, done = run(way)
    return [[int(line) for line in re.findall(r"(?:was called|, and that) at [^ ;,]*:(\d+)", result["message"]["text"])]
            for result in sarif["results"] if result["ruleId"] == "race"]


equal("called", calls("called"), [[marks["M"]]] * 2)
equal("called twice", [sorted(each) for each in calls("called_twice")], [[marks["O"], marks["P"]]])
equal("called deep", calls("called_deep"), [[marks["Q"], marks["R"]]] * 2)
equal("not called", calls("race"), [[], []])
words = run("called_twice")[0]["results"][0]["message"]["text"]
equal("called twice: the two ends", re.findall(r":(\d+) write", words), [str(marks["L"])] * 2)

# Each finding once, whatever comes after it.
both, _ = run("race", "memory", "race")
equal("two kernels", len(both["results"]), 4)
leaks, _ = run("race", check="all,leaks")
equal("leaks", [r["level"] for r in leaks["results"] if r["ruleId"] == "host"], ["error", "error"])

# However the program ends.
for way, status in [("exit", 3), ("_exit", 3), ("abort", -signal.SIGABRT), ("segv", -signal.SIGSEGV),
                    ("touch", -signal.SIGSEGV), ("kill", -signal.SIGKILL), ("fork", 0)]:
    sarif, done = run("race", way)
    equal(f"{way}: exit", done.returncode, status)
    equal(way, len(sarif["results"]), 4 if way == "touch" else 3)
nothing, _ = run()
equal("nothing found", nothing["results"], [])

# Places: relative to the directory in which the program was started if they lie below it, otherwise absolute.
for directory, wanted in [(os.path.dirname(source), os.path.basename(source)),
                          (os.path.dirname(os.path.dirname(source)), "profile/" + os.path.basename(source)),
                          ("/", "file://" + source), (scratch, "file://" + source)]:
    sarif, _ = run("init", directory=directory)
    place = sarif["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    equal(f"uri from {directory}", urllib.parse.unquote(place["uri"]), wanted)
    equal(f"base from {directory}", place.get("uriBaseId"), None if wanted.startswith("file:") else "SRCROOT")

# A file that cannot be written: one line, and the program continues.
_, done = run("race", name="with a blank and ü.sarif")
equal("a strange name", done.returncode, 0)
environment = dict(os.environ, SIMT_REPORT="sarif:/nowhere/x.sarif")
done = subprocess.run([program, "innocent"], env=environment, capture_output=True, text=True)
equal("no such folder", (done.returncode, done.stderr),
      (0, "simt: SIMT_REPORT: cannot write /nowhere/x.sarif: No such file or directory; the program continues without "
          "it\n"))

# Guilty: the validator refuses invalid SARIF.
def spoil_level(result):
    result["level"] = "fatal"


def spoil_line(result):
    result["locations"][0]["physicalLocation"]["region"]["startLine"] = 0


def spoil_name(result):
    result["ruleID"] = result.pop("ruleId")


def spoil_text(result):
    del result["message"]["text"]


for spoil in (spoil_level, spoil_line, spoil_name, spoil_text):
    wrong, _ = run("race")
    spoil(wrong["results"][0])
    if not list(validator.iter_errors({"version": "2.1.0", "runs": [wrong]})):
        complain(f"the schema lets {spoil.__name__} pass")
sys.exit(complaints.bad)
