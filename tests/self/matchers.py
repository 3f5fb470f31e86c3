"""The problems that VS Code's problem matchers find in a task's output:

    python3 matchers.py tasks.json LABEL <output       prints `severity file:line: message` for every line that matches
    python3 matchers.py tasks.json                     checks the file: run and watch have the same matchers

A line goes to the first matcher that takes it. Colours do not count.
"""
import json
import re
import sys


def matchers_of(tasks, label):
    return next(task["problemMatcher"] for task in tasks if task["label"] == label)


def match(matchers, line):
    for matcher in matchers:
        pattern = matcher["pattern"]
        found = re.search(pattern["regexp"], line)
        if found:
            part = lambda name: found.group(pattern[name]) if name in pattern else None
            return f'{part("severity") or matcher["severity"]} {part("file")}:{part("line") or 1}: {part("message")}'
    return None


def patterns_of(tasks, label):
    return [matcher["pattern"] for matcher in matchers_of(tasks, label)]


with open(sys.argv[1], encoding="utf-8") as file:
    tasks = json.load(file)["tasks"]
if len(sys.argv) == 2:
    run, watch = "Warpbook: run this step", "Warpbook: watch this step"
    assert patterns_of(tasks, run) == patterns_of(tasks, watch), "run and watch have different matchers"
    background = [m["background"] for m in matchers_of(tasks, watch) if "background" in m]
    assert len(background) == 1, "not one matcher of watch says where its output begins and ends"
    print(background[0]["beginsPattern"])
    print(background[0]["endsPattern"])
else:
    for line in sys.stdin:
        problem = match(matchers_of(tasks, sys.argv[2]), re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line.rstrip("\r\n")))
        if problem:
            print(problem)
