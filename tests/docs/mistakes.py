"""Tries wrong submissions as a student would, with `workbook run` and `workbook xray`, and writes down what the page shows of each
in headless Chromium: the table of docs/mistakes.md.

    python3 tests/docs/mistakes.py TREE RECORD [STEPS]     adds to RECORD, lines of JSON, what it lacks; STEPS: a pattern
    python3 tests/docs/mistakes.py --table RECORD          prints the table

TREE is a copy of this tree with the preset `default` built in build/; its exercises are overwritten for a moment. Of each step it
tries up to three submissions for every way in which the safety part refuses them, one whose answer is wrong, and one that misses
the lesson. A submission takes some ten seconds.
"""
import glob
import json
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402, as above: no byte code in the tree

SUBMISSIONS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "submissions")
HEADER = re.compile(r"=== ([a-z0-9-]+): ([a-z]+ [a-z0-9]+(?:, [a-z]+ [a-z0-9]+)*)")
SEEN = r"""
const view = xray.list[0], model = view.model, code = model.instructions[view.cursor.in], file = model.files[code.file];
const finding = model.findings.find(each => each.severity !== 'information');
const failed = /^The last run failed: (.*[^.])\.? The run on this page/.exec(document.getElementById('missed').textContent);
return {at: `${file ? file.name : '?'}:${code.line}`, heat: view.source.heat.selectedOptions[0].textContent, note: view.note, failed: failed && failed[1],
    finding: finding && {words: finding.words, kind: finding.kind, ends: finding.events.map(Boolean),
        joins: finding.meeting && [finding.meeting.first, finding.meeting.second].map(side => side.name ? `${side.name} in ${side.where}`
            : 'the host'),
        lines: finding.places.map(place => place && place.line)}};"""


def chosen(step):
    """[(name, what refuses it)]"""
    count = {}
    with open(f"{SUBMISSIONS}/{step}.wrong") as file:
        for name, wanted in (match.groups() for match in map(HEADER.match, file) if match):
            most = 3 if "safety" in wanted else 1 if wanted in ("lesson 4", "result 2") else 0
            count[wanted] = count.get(wanted, 0) + 1
            if count[wanted] <= most and "timeout" not in wanted and "build" not in wanted:
                yield name, wanted


def source_of(tree, step, name):
    folder = f"{tree}/build/tried"
    subprocess.run([f"{tree}/build/workbook", "judge", "--write", folder, f"{step}.wrong.{name}"], check=True)
    with open(f"{folder}/{step.replace('/', '.')}.{name}.cu") as file:
        return file.read()


def show(tree, step, browser):
    page = f"{tree}/build/xray/tried.html"
    made = subprocess.run([f"{tree}/build/workbook", "xray", step, "--no-open", "-o", page], cwd=tree, capture_output=True)
    if made.returncode:
        return None
    browser.ask("/url", {"url": "about:blank"})
    browser.ask("/url", {"url": "file://" + os.path.abspath(page)})
    time.sleep(0.2)
    return browser.run(SEEN)


def attempt(tree, step, name, wanted, browser):
    path = f"{tree}/{step}.cu"
    with open(path) as file:
        kept = file.read()
    try:
        with open(path, "w") as file:
            file.write(source_of(tree, step, name))
        subprocess.run([f"{tree}/build/workbook", "run", step], cwd=tree, capture_output=True, timeout=300)
        return {"step": step, "name": name, "wanted": wanted, "page": show(tree, step, browser)}
    finally:
        with open(path, "w") as file:
            file.write(kept)


def try_all(tree, record, pattern=""):
    known = {(row["step"], row["name"]) for row in read(record)} if os.path.exists(record) else set()
    steps = sorted(path[len(SUBMISSIONS) + 1:-len(".wrong")] for path in glob.glob(f"{SUBMISSIONS}/*/*.wrong"))
    browser = Browser()
    try:
        for step in (step for step in steps if re.search(pattern, step)):
            for name, wanted in chosen(step):
                if (step, name) not in known:
                    row = attempt(tree, step, name, wanted, browser)
                    with open(record, "a") as file:
                        file.write(json.dumps(row) + "\n")
    finally:
        browser.close()


def read(record):
    with open(record) as file:
        return [json.loads(line) for line in file]


# ---- the table

def kind(words):
    """The report's sentence up to its first place or thread."""
    return re.split(r":? (?:[\w/.-]+\.(?:cu|h):\d+|\d+ of \d+|threads? \d)|\(no block|; | at [\w/.-]+:| of size ", words)[0].rstrip(": ")


def seen(row):
    """(how well: arrow, end, words, lesson, nothing, refused; in words)"""
    page = row["page"]
    if not page:
        return "refused", "refused before it runs"
    finding = page.get("finding")
    if finding and finding.get("joins"):
        first, second = finding["joins"]
        return "arrow", f"{kind(finding['words'].split(':')[0])}: arrow from {first} to {second}"
    if finding and finding.get("kind") == "wrong":
        known, what = any(finding["ends"]), "lesson not learnt" if finding["words"].startswith("lesson") else "wrong answer"
        return ("end", f"{what}: the last store to the first wrong word") if known else ("words", f"{what}: the sentence")
    if finding and len(finding["ends"]) == 2 and all(finding["ends"]):
        return "arrow", f"{kind(finding['words'])}: arrow from line {finding['lines'][0]} to {finding['lines'][1]}"
    if finding and any(finding["ends"]):
        return "end", f"{kind(finding['words'])}: opens there"
    if finding:
        return "words", f"{kind(finding['words'])}: the sentence, its lines marked"
    if "not on this page" in page["note"]:
        return "words", f"the sentence alone: {kind(page['note'].split('not on this page: ')[1])}"
    if row["wanted"] == "lesson 4":
        return "lesson", f"heat: {page['heat']}"
    place = page.get("failed") and re.search(r"[\w/.-]+\.cu:\d+", page["failed"])
    if place and place.group().endswith(page["at"]):
        return "end", f"{kind(page['failed'])}: opens where the report says, which this run does not show"
    return "nothing", "nothing is marked"


def table(record):
    columns, rows = ["arrow", "end", "words", "lesson"], {}
    for row in read(record):
        how, words = seen(row)
        what = "a lesson missed" if how == "lesson" else re.split(": (?:arrow|opens|the sentence|the last store)", words)[0]
        what = re.sub(r"\b(__\w+__)\b", r"`\1`", what) # not bold
        rows.setdefault(what, []).append(how)
    print("| what the report says | arrow | opens there | the sentence | heat |\n|---|---:|---:|---:|---:|")
    for what, all_of_it in sorted(rows.items(), key=lambda item: (-len(item[1]), item[0])):
        if set(all_of_it) & set(columns):
            print(f"| {what} | " + " | ".join(str(all_of_it.count(how) or "") for how in columns) + " |")
    counts = sum(rows.values(), [])
    print(f"{len(counts)} submissions:", {how: counts.count(how) for how in sorted(set(counts))}, file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1] == "--table":
        table(sys.argv[2])
    else:
        try_all(*sys.argv[1:])
