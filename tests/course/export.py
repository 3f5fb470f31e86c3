#!/usr/bin/env python3
"""What `workbook export` makes of a record, read back by readers of this file's own, by the systems' documented rules.

    export.py WORKBOOK FOLDER SARIF-SCHEMA

A course of 60: each mark goes into each form and comes back as the same number for the same student.
"""
import csv
import html.parser
import io
import json
import os
import resource
import re
import shutil
import signal
import subprocess
import sys
import urllib.parse

WORKBOOK, SCRATCH, SARIF = sys.argv[1:]
STEPS = ["01-reduction/05-sequential", "01-reduction/06-first-add"]
failures = 0


def bad(what):
    global failures
    failures += 1
    print(f"FAILED: {what}")


def name_of(n):
    return ["Zoë Ö {}", "Ольга {}", "=cmd|' /C calc'!A{}", 'Li "Q" {}', "O'Hara; {}, B", "<b>{}</b>"][n % 6].format(n)


def why_of(n, parts):
    """A race, whose threads and lines differ from student to student; or words that a page must not take for its own."""
    if parts == 1:
        return f"Race (WAR) in __shared__ memory: 01-reduction/05-sequential.cu:{28 + n % 2} read by thread {n}, :33 write by thread 32, " \
               "no barrier between, nor is the update atomic; block 0 of reduce_block"
    return 'a "race"\nof <two>, 1 & 2 <script>alert(1)</script>'


def course():
    """60 students; every tenth handed in nothing, every seventh is late, one is not in the systems' tables."""
    students, marks = [], []
    for n in range(60):
        share = 0.9 if n % 7 == 3 else 1
        student = {"student": f"s{n}", "exported": str(4000 + n), "name": name_of(n), "email": f"s{n}@x.org", "share": share}
        if n % 10 == 9:
            student["note"] = "nothing handed in"
        points = 0
        for k, step in enumerate(STEPS):
            parts = 0 if n % 10 == 9 else (n + k) % 4
            verdict = "not handed in" if n % 10 == 9 else ("wrong", "unsafe", "lesson missed", "passed")[parts]
            points += parts
            marks.append({"student": f"s{n}", "step": step, "exit": 0, "verdict": verdict, "points": parts, "of": 3, "parts": parts,
                          "altered": False, "seconds": 1.5, "why": "" if parts == 3 else why_of(n, parts),
                          "log": f"logs/s{n}/{step}.log"})
        student.update(points=points * share, of=6)
        students.append(student)
    return {"schema": "workbook-grades/1", "seed": 7, "part": 1, "parts": 1, "students": students, "files": [], "marks": marks}


def export(form, *options, status=0, env=None):
    run = subprocess.run([WORKBOOK, "export", f"{SCRATCH}/grades", "--to", form, *options], capture_output=True, text=True,
                         env={**os.environ, **(env or {})})
    if run.returncode != status:
        bad(f"{form} {options}: exit {run.returncode}, wanted {status}: {run.stderr}")
    return run.stderr


def rows_of(path, delimiter=",", encoding="utf-8"):
    with open(path, encoding=encoding, newline="") as file:
        return list(csv.reader(file, delimiter=delimiter, strict=True))


def write(path, text, encoding="utf-8"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding=encoding, newline="") as file:
        file.write(text)


def table(rows, delimiter=",", end="\r\n"):
    to = io.StringIO()
    csv.writer(to, delimiter=delimiter, lineterminator=end).writerows(rows)
    return to.getvalue()


def same(case, got, wanted):
    if got != wanted:
        bad(f"{case}: got {got!r}, wanted {wanted!r}")


def to_csv(record):
    export("csv")
    rows = rows_of(f"{SCRATCH}/grades/csv/students.csv")
    same("csv: header", rows[0], ["student", "name", "email", "points", "of", "per cent", "note"] + STEPS)
    for row, student in zip(rows[1:], sorted(record["students"], key=lambda s: s["student"]), strict=True):
        same("csv: who", [row[0], row[2], row[6]], [student["student"], student["email"], student.get("note", "")])
        same("csv: points", float(row[3]), round(student["points"], 2))
        if row[1][0] in "=+-@":
            bad(f"csv: a spreadsheet would run {row[1]}")
        same("csv: name", row[1].lstrip("'"), student["name"])
    rows = rows_of(f"{SCRATCH}/grades/csv/grades.csv")
    same("csv: rows of steps", len(rows), 1 + len(record["marks"]))
    print("csv: 60 students, 120 steps")


def moodle(record):
    """Identifier, Grade, Last modified (grade) are what the importer needs; all but two columns must come back as they were."""
    header = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade", "Grade can be changed",
              "Last modified (submission)", "Last modified (grade)", "Feedback comments"]
    rows = [header] + [[f"Participant {4000 + n}", name_of(n), "", "Submitted", "", "100.00", "Yes", "-", "Friday, 20 November 2026", ""]
                       for n in range(60) if n != 11] + [["Participant 9", "Not graded", "", "", "55.00", "100.00", "Yes", "-", "-", "kept"]]
    for name, delimiter, end, translated, encoding in (("en", ",", "\r\n", False, "utf-8-sig"), ("de", ";", "\n", True, "utf-8")):
        if translated:
            rows[0] = ["ID", "Name", "E-Mail", "Status", "Bewertung", "Bestwertung", "x", "y", "z", "Kommentar"]
        path = f"{SCRATCH}/sheets/{name}.csv"
        write(path, table(rows, delimiter, end), encoding)
        options = ["--grade-column", "Bewertung", "--feedback-column", "Kommentar", "--maximum-column", "Bestwertung"] if translated else []
        said = export("moodle", "--sheet", path, "-o", f"{SCRATCH}/out.csv", *options, status=1)
        same(f"moodle {name}: who has no row", "s11 has no row" in said and said.count("no row"), 1)
        back = rows_of(f"{SCRATCH}/out.csv", delimiter, encoding)
        same(f"moodle {name}: header", back[0], rows[0])
        same(f"moodle {name}: a row that is not ours", back[-1], rows[-1])
        grades = {row[0]: row for row in back[1:-1]}
        for n, student in enumerate(record["students"]):
            row = grades.get(f"Participant {4000 + n}")
            if row is None:
                same("moodle: missing", n, 11)
                continue
            same(f"moodle {name}: grade of {n}", float(row[4]), round(student["points"] * 100 / 6, 2))
            before = next(r for r in rows if r[0] == row[0])
            same(f"moodle {name}: the rest of {n}", row[:4] + row[5:9], before[:4] + before[5:9])
            same(f"moodle {name}: feedback of {n}", STEPS[0] in row[9] and "<two>" not in row[9], True)
        if translated:
            said = export("moodle", "--sheet", path, "-o", f"{SCRATCH}/out.csv", status=1)
            same("moodle: no column", "'Bewertung'" in said and "--grade-column" in said, True)
            said = export("moodle", "--sheet", path, "-o", f"{SCRATCH}/out.csv", *options[:4], status=1) # else on another scale
            same("moodle: no maximum", "--maximum-column" in said, True)
    print("moodle: 59 rows, in two languages")


def canvas(record):
    title = "Reduction (7001)"
    rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title, "Final Score"],
            ["    Points Possible", "", "", "", "", "12", "(read only)"]]
    rows += [[name_of(n), str(4000 + n), f"sis{n}", f"login{n}", "A", "", "50"] for n in range(60)] + [["Student, Test", "1", "", "", "A", "", ""]]
    write(f"{SCRATCH}/sheets/canvas.csv", table(rows))
    export("canvas", "--sheet", f"{SCRATCH}/sheets/canvas.csv", "--grade-column", title, "-o", f"{SCRATCH}/out.csv")
    back = rows_of(f"{SCRATCH}/out.csv")
    same("canvas: the first two rows", back[:2], rows[:2])
    same("canvas: a row that is not ours", back[-1], rows[-1])
    for n, student in enumerate(record["students"]):
        same(f"canvas: grade of {n}", float(back[2 + n][5]), round(student["points"] * 2, 2))
        same(f"canvas: the rest of {n}", back[2 + n][:5] + back[2 + n][6:], rows[2 + n][:5] + rows[2 + n][6:])
    said = export("canvas", "--sheet", f"{SCRATCH}/sheets/canvas.csv", "--grade-column", "Reducton", "-o", f"{SCRATCH}/no.csv", status=1)
    same("canvas: an unknown title", title in said and "--new-column" in said and not os.path.exists(f"{SCRATCH}/no.csv"), True)
    export("canvas", "--sheet", f"{SCRATCH}/sheets/canvas.csv", "--grade-column", "New", "--new-column", "-o", f"{SCRATCH}/out.csv")
    back = rows_of(f"{SCRATCH}/out.csv")
    same("canvas: a new column", [back[0][-1], {len(row) for row in back}], ["New", {8}])
    same("canvas: points in it", [float(row[7]) for row in back[2:-1]], [round(s["points"], 2) for s in record["students"]])
    print("canvas: 60 rows")


def autograders(record):
    export("gradescope")
    export("prairielearn")
    for n, student in enumerate(record["students"]):
        with open(f"{SCRATCH}/grades/gradescope/s{n}/results.json", encoding="utf-8") as file:
            result = json.load(file)
        same(f"gradescope: {n}", round(result["score"], 9), round(student["points"], 9))
        same("gradescope: fields", set(result), {"score", "output", "output_format", "visibility", "tests"})
        for test in result["tests"]:
            same("gradescope: fields of a test", set(test), {"name", "score", "max_score", "status", "output", "output_format", "visibility"})
            same("gradescope: status", test["status"], "passed" if test["score"] == test["max_score"] else "failed")
        with open(f"{SCRATCH}/grades/prairielearn/s{n}/results.json", encoding="utf-8") as file:
            result = json.load(file)
        same(f"prairielearn: gradable {n}", result["gradable"], n % 10 != 9)
        same(f"prairielearn: {n}", round(result["score"], 9), round(student["points"] / 6, 9))
        same("prairielearn: tests", [t["max_points"] for t in result["tests"]], [3, 3] if result["gradable"] else [])
    export("gradescope", "--student", "s3", "-o", f"{SCRATCH}/one.json")
    with open(f"{SCRATCH}/one.json", encoding="utf-8") as file:
        same("gradescope: one student", len(json.load(file)["tests"]), 2)
    export("gradescope", "--student", "no-one", "-o", f"{SCRATCH}/two.json", status=1)
    print("gradescope, prairielearn: 60 files each")


def sarif(record):
    """Every mark that is not a pass, at its line; valid by the published schema (tests/simt/profile/sarif-schema.txt)."""
    export("sarif")
    with open(f"{SCRATCH}/grades/findings.sarif", encoding="utf-8") as file:
        log = json.load(file)
    results = log["runs"][0]["results"]
    open_marks = [m for m in sorted(record["marks"], key=lambda m: (m["student"], m["step"])) if m["verdict"] not in ("passed", "not handed in")]
    same("sarif: who", [(r["properties"]["student"], r["properties"]["step"]) for r in results], [(m["student"], m["step"]) for m in open_marks])
    for result, mark in zip(results, open_marks):
        place = result["locations"][0]["physicalLocation"]
        same("sarif: file", urllib.parse.unquote(place["artifactLocation"]["uri"]), mark["log"][:-4] + ".cu")
        line = re.search(r"[.]cu:(\d+)", mark["why"])
        same("sarif: line", place.get("region", {}).get("startLine"), int(line[1]) if line else None)
    rules = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    same("sarif: rules", [rules[r["ruleIndex"]] for r in results], [r["ruleId"] for r in results])
    try:
        import jsonschema
    except ImportError:
        return print("sarif: not held against the schema: python3-jsonschema is missing")
    with open(SARIF, encoding="utf-8") as file:
        for error in jsonschema.Draft4Validator(json.load(file)).iter_errors(log):
            bad(f"sarif: {list(error.absolute_path)}: {error.message}")
    print(f"sarif: {len(results)} results")


RUNNER = {"CLASSROOM": "gpu", "ASSIGNMENT": "week3", "USERNAME": "ada", "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
          "COMMIT_URL": "https://x.org/c", "RELEASE_URL": "https://x.org/r", "REVIEW_URL": "https://x.org/v"}


def classroom(record):
    """By the rules of result-v1.schema.json and its runner: these keys and no other, whole numbers, a score that is the sum."""
    keys = {"schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release", "review", "datetime",
            "score", "max-score", "tests"}
    for n in (0, 3, 9, 59):
        student = record["students"][n]
        export("classroom50", "--student", f"s{n}", "-o", f"{SCRATCH}/result.json", env=RUNNER)
        with open(f"{SCRATCH}/result.json", encoding="utf-8") as file:
            result = json.load(file)
        same("classroom50: keys", set(result), keys)
        same("classroom50: fixed", [result[k] for k in ("schema", "assignment_type", "owner", "submission", "datetime")],
             ["classroom50/result/v1", "individual", "ada", RUNNER["SUBMISSION_TAG"], "2026-06-01T14:32:05Z"])
        scale = 1 if student["share"] == 1 else 100
        same("classroom50: score", [result["score"], result["max-score"]], [int(student["points"] * scale + 1e-6), 6 * scale])
        numbers = [result["score"], result["max-score"]] + [test[k] for test in result["tests"] for k in ("score", "max-score")]
        same("classroom50: whole numbers", {type(number) for number in numbers}, {int})
        for key in ("score", "max-score"):
            same("classroom50: sum", sum(test[key] for test in result["tests"]), result[key])
        for test in result["tests"]:
            same("classroom50: test", [test["test-name"] in STEPS, test["passed"], test["score"] <= test["max-score"]],
                 [True, test["score"] == test["max-score"] if scale == 1 else test["passed"], True])
    same("classroom50: no runner", "REVIEW_URL is not set" in export("classroom50", "--student", "s0", status=1, env={**RUNNER, "REVIEW_URL": ""}), True)
    same("classroom50: no student", "needs --student" in export("classroom50", status=1, env=RUNNER), True)
    print("classroom50: 4 results")


class Page(html.parser.HTMLParser):
    """The text, the links and the elements of a page."""
    def __init__(self, path):
        super().__init__()
        self.words, self.links, self.elements, self.rows = "", [], [], []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.links += [value for key, value in attrs if key == "href"]
        self.rows += [[]] if tag == "tr" else []

    def handle_data(self, data):
        self.words += data
        if self.rows and data.strip():
            self.rows[-1].append(data)


def pages(record):
    """A page for the class and one for each student; what students wrote is text and nothing else."""
    folder = f"{SCRATCH}/grades/pages"
    for student in record["students"][:20]: # a log of each, and the counters of those who passed
        for step in STEPS:
            write(f"{SCRATCH}/grades/logs/{student['student']}/{step}.log", "== result\nright\n== lesson\ncounted by the SIMT machine at n = 9:\n"
                  f"  warp instructions {1000 + int(student['student'][1:])}   lanes\nmet      bank conflicts: 0, must be 0 (x == 0)\n</pre><b>&\n")
    export("pages", "--no-runs")
    page = Page(f"{folder}/index.html")
    same("pages: scripts", page.elements.count("script"), 1)
    same("pages: no element of a student's", "alert" in page.elements or "b" in page.elements or "two" in page.elements, False)
    rows = {row[1]: row for row in page.rows[1:]}
    links = [link for link in page.links if link.startswith("students/")]
    same("pages: a row each", len(links), 60)
    for student, link in zip(sorted(record["students"], key=lambda s: s["student"]), links, strict=True):
        row, own = rows[student["student"]], Page(f"{folder}/{urllib.parse.unquote(link)}")
        same("pages: points", [row[0], row[2]], [student["name"], f"{student['points']:.4g}"])
        same("pages: of a student", f"{student['points']:.4g} of 6 points" in own.words and student["name"] in own.words, True)
        same("pages: his elements", own.elements.count("script") + own.elements.count("b"), 0)
        for other in record["students"]:
            if other["student"] != student["student"] and other["email"] in own.words:
                bad(f"pages: {other['student']} on the page of {student['student']}")
    handed_in = sum(m["step"] == STEPS[0] and m["verdict"] != "not handed in" for m in record["marks"])
    races = sum(m["step"] == STEPS[0] and m["parts"] == 1 and m["verdict"] == "unsafe" for m in record["marks"])
    same("pages: the most common mistake",
         re.findall(r"(\d+) of (\d+): Race \(WAR\) in __shared__ memory: no barrier between line 2[89] and line 33", page.words)[0],
         (str(races), str(handed_in)))
    same("pages: counters", "bank conflicts: 0" in page.words and "1003" in page.words and page.elements.count("circle") > 2, True)
    print("pages: 61")


def namesakes(record):
    """One who is not in the table and has the name of one who is: a row has the mark of the one with its number."""
    both = [{**record["students"][n], "name": "Same Name", "student": name} for n, name in ((0, "z0"), (1, "a1"))]
    del both[1]["exported"], both[1]["email"]
    marks = [{**record["marks"][2 * n + k], "student": both[n]["student"]} for n in (0, 1) for k in (0, 1)]
    write(f"{SCRATCH}/grades/grades.json", json.dumps({**record, "students": both, "marks": marks}))
    write(f"{SCRATCH}/sheets/same.csv", "Identifier,Full name,Grade,Maximum grade\r\nParticipant 4000,Same Name,,6\r\n")
    said = export("moodle", "--sheet", f"{SCRATCH}/sheets/same.csv", "-o", f"{SCRATCH}/out.csv", status=1)
    same("namesakes", [rows_of(f"{SCRATCH}/out.csv")[1][2], "a1 has no row" in said], [f"{both[0]['points']:.2f}", True])


def spelling(record):
    """A row that only the name finds, spelt as macOS does. The same letters with other marks are another name."""
    student = {**record["students"][0], "name": "Jürgen Éluard"}
    del student["exported"], student["email"]
    marks = [mark for mark in record["marks"] if mark["student"] == student["student"]]
    write(f"{SCRATCH}/grades/grades.json", json.dumps({**record, "students": [student], "marks": marks}))
    for name, status in (("Ju\u0308rgen E\u0301luard", 0), ("Jurgen Éluard", 1)):
        write(f"{SCRATCH}/sheets/spelling.csv", f"Identifier,Full name,Grade,Maximum grade\r\nParticipant 1,{name},,6\r\n")
        export("moodle", "--sheet", f"{SCRATCH}/sheets/spelling.csv", "-o", f"{SCRATCH}/out.csv", status=status)
        same(f"spelling, {name}", rows_of(f"{SCRATCH}/out.csv")[1][2], "" if status else f"{student['points']:.2f}")


def no_room():
    """Where the disk is full, here above 300 bytes a file, the table of before stays whole, and nothing else is left."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    sheet = f"{SCRATCH}/sheets/en.csv"
    for form, to, options in (("csv", "students.csv", ()), ("junit", "file", ()), ("sarif", "file", ()), ("moodle", "file", ("--sheet", sheet)),
                              ("canvas", "file", ("--sheet", f"{SCRATCH}/sheets/canvas.csv", "--grade-column", "Reduction (7001)")),
                              ("gradescope", "s1/results.json", ()), ("prairielearn", "file", ("--student", "s1"))):
        folder = f"{SCRATCH}/room/{form}"
        write(f"{folder}/{to}", "the old one")
        command = [WORKBOOK, "export", f"{SCRATCH}/grades", "--to", form, *options, "-o", f"{folder}/file" if to == "file" else folder]
        said = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
        with open(f"{folder}/{to}", encoding="utf-8") as file:
            same(f"no room: {form}", [said.returncode, "cannot write" in said.stderr, file.read()], [1, True, "the old one"])
        left = [name for _, _, names in os.walk(folder) for name in names if name.endswith(".new")]
        same(f"no room: what {form} leaves", left, [])
        subprocess.run(command, capture_output=True)
        with open(f"{folder}/{to}", encoding="utf-8") as file:
            same(f"room: {form}", file.read() != "the old one", True)


def refusals():
    same("no form", "the forms are" in export("excel", status=1), True)
    same("no sheet", "--sheet FILE is missing" in export("moodle", status=1), True)
    write(f"{SCRATCH}/sheets/open.csv", 'Identifier,Grade\n"Participant 1,5\n')
    same("no table", "not a text table" in export("moodle", "--sheet", f"{SCRATCH}/sheets/open.csv", status=1), True)
    write(f"{SCRATCH}/grades/grades.json", '{"schema": "workbook-grades/0"}')
    same("another schema", "workbook-grades/1" in export("csv", status=1), True)


shutil.rmtree(SCRATCH, ignore_errors=True)
RECORD = course()
write(f"{SCRATCH}/grades/grades.json", json.dumps(RECORD, ensure_ascii=False))
to_csv(RECORD)
moodle(RECORD)
canvas(RECORD)
autograders(RECORD)
sarif(RECORD)
classroom(RECORD)
pages(RECORD)
no_room()
namesakes(RECORD)
spelling(RECORD)
refusals()
sys.exit(failures > 0)
