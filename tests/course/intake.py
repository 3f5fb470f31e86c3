#!/usr/bin/env python3
"""What `workbook grade --list` makes of what learning systems export: packed by this file, by the systems' rules.

    intake.py WORKBOOK FOLDER

Each case packs a course, lists it, and compares every line: whose the file is, for which step, or why it is not graded.
"""
import io
import os
import shutil
import subprocess
import sys
import tarfile
import unicodedata
import zipfile

WORKBOOK, SCRATCH = sys.argv[1:3]
STEP = "01-reduction/05-sequential"
TEXT = "// a file\n"
failures = 0


def bad(what):
    global failures
    failures += 1
    print(f"FAILED: {what}")


def listed(source, *options):
    """The lines of --list: {(student, shown name of the file): (step or None, why)}, and what went to stderr."""
    run = subprocess.run([WORKBOOK, "grade", source, "--list", "--out", f"{SCRATCH}/out", *options],
                         capture_output=True, text=True)
    lines = {}
    for line in run.stdout.splitlines():
        student, _, step, shown, why = line.split("\t")
        lines[student, shown] = (None if step == "-" else step, why)
    return lines, run.stderr


def write(folder, files):
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as to:
            to.write(content if isinstance(content, bytes) else content.encode())


def zipped(files, deflate=True):
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return to.getvalue()


def tarred(files, mode="w:gz"):
    to = io.BytesIO()
    with tarfile.open(fileobj=to, mode=mode) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    return to.getvalue()


def expect(case, lines, wanted):
    """wanted: {(student, file): step or a piece of why}; no line more, none less."""
    for key in sorted(set(lines) | set(wanted)):
        if key not in wanted:
            bad(f"{case}: a line too much: {key}: {lines[key]}")
        elif key not in lines:
            bad(f"{case}: no line for {key}")
        elif wanted[key] != lines[key][0] and (lines[key][0] or wanted[key] not in lines[key][1]):
            bad(f"{case}: {key}: wanted {wanted[key]!r}, got {lines[key]}")
    print(f"{case}: {len(wanted)} files")


def in_each_packing(case, files, wanted):
    """The same, as a folder, a zip, a zip with one folder around it, and a tar.gz."""
    write(f"{SCRATCH}/course", files)
    expect(case + ", folder", listed(f"{SCRATCH}/course")[0], wanted)
    if not ARCHIVES:
        return
    for name, archive in {"course.zip": zipped(files), "around.zip": zipped({f"export/{n}": c for n, c in files.items()}),
                          "course.tar.gz": None}.items():
        if archive is None:
            if any(isinstance(content, bytes) for content in files.values()):
                continue
            archive = tarred(files)
        write(f"{SCRATCH}/packed", {name: archive})
        expect(f"{case}, {name}", listed(f"{SCRATCH}/packed/{name}")[0], wanted)


def moodle():
    folders = {f"Anna {n}_{4000 + n}_assignsubmission_file_/05-sequential.cu": TEXT for n in range(20)}
    in_each_packing("moodle", folders, {(str(4000 + n), f"Anna {n}_{4000 + n}_assignsubmission_file_/05-sequential.cu"): STEP
                                        for n in range(20)})
    in_each_packing("moodle, a dot first", {f"{name}_{n}_assignsubmission_file_/05-sequential.cu": TEXT
                                            for n, name in ((1, ".Net"), (2, "..Ann"), (3, "._Ann"))},
                    {("1", ".Net_1_assignsubmission_file_/05-sequential.cu"): STEP,
                     ("2", "..Ann_2_assignsubmission_file_/05-sequential.cu"): STEP}) # ._: a file of macOS
    in_each_packing("moodle, flat", {"Zoë Ö_77_assignsubmission_file_05-Sequential (2).CU": TEXT,
                                     "Zoë Ö_77_assignsubmission_file_05-Sequential.CU": TEXT,
                                     "Zoë Ö_77_assignsubmission_file_01-reduction.06-first-add.cu.txt": TEXT},
                    {("77", "Zoë Ö_77_assignsubmission_file_05-Sequential (2).CU"): STEP,
                     ("77", "Zoë Ö_77_assignsubmission_file_05-Sequential.CU"): "is an older copy",
                     ("77", "Zoë Ö_77_assignsubmission_file_01-reduction.06-first-add.cu.txt"): "01-reduction/06-first-add"})


def canvas():
    """As its content_zipper.rb names files: the name keeps underscores, LATE may be in small letters or have no name before it."""
    names = {"nilsson_101_9001_05-sequential.cu": ("101", "is an older copy"), "nilsson_101_9002_05-sequential-1.cu": ("101", STEP),
             "perez_LATE_102_9003_05-sequential.cu": ("102", STEP), "li_103_9004_homework.docx": ("103", "is not a .cu file"),
             "o_brien_104_9005_05-Sequential.CU": ("104", STEP), "translate_105_9006_05-sequential.cu": ("105", STEP),
             "van_dam_late_106_9007_05-sequential.cu": ("106", STEP), "kim_107_text.html": ("107", "is not a .cu file"),
             "108_9008_05-sequential.cu": ("108", STEP), "LATE_109_9009_05-sequential.cu": ("109", STEP)}
    in_each_packing("canvas", {name: TEXT for name in names}, {(who, name): what for name, (who, what) in names.items()})
    said = subprocess.run([WORKBOOK, "grade", f"{SCRATCH}/course", "--list", "--out", f"{SCRATCH}/out"], capture_output=True, text=True).stdout
    called = {line.split("\t")[0]: line.split("\t")[1] for line in said.splitlines()}
    if [called[who] for who in ("104", "105", "106", "108", "109")] != ["o_brien", "translate", "van_dam", "", ""]:
        bad(f"canvas: names: {called}")


def copies():
    """Names that only have a step's in them: one counts if it is alone, none of several, and each has a line."""
    taken = "is taken for 05-sequential.cu"
    alone = ("05-sequential - Copy.cu", "05-sequential - Copy (2).cu", "Kopie von 05-sequential.cu", "final_05-sequential.cu",
             "05-sequential_v2.cu", "05-sequentialv2.CU", "05_sequential.cu", "05 sequential copy.cu.txt", "Ольга-05-sequential.cu")
    files = {f"s{n}/{name}": TEXT for n, name in enumerate(alone)}
    wanted = {(f"s{n}", f"s{n}/{name}"): (STEP, taken) for n, name in enumerate(alone)}
    files |= {f"two/{name}": TEXT for name in ("05-sequential.cu", "05-sequential - Copy.cu", "my_06-first-add.cu", "06-first-add_v2.cu")}
    wanted |= {("two", "two/05-sequential.cu"): (STEP, ""), ("two", "two/05-sequential - Copy.cu"): (None, "copy; two/05-sequential.cu counts"),
               ("two", "two/my_06-first-add.cu"): (None, "name the one that counts 06-first-add.cu"),
               ("two", "two/06-first-add_v2.cu"): (None, "name the one that counts 06-first-add.cu")}
    files |= {f"no/{name}": TEXT for name in ("105-sequential.cu", "05-sequential 06-first-add.cu", "05-sequent.cu", "02-coalesced (1)_v2.cu")}
    wanted |= {("no", f"no/{name}"): (None, why) for name, why in (
        ("105-sequential.cu", "name it as it was handed out"), ("05-sequential 06-first-add.cu", "no step has this name"),
        ("05-sequent.cu", "no step has this name"), ("02-coalesced (1)_v2.cu", "several chapters"))}
    files |= {"van_dam_05-sequential_v2.cu": TEXT, "li_103_9004_05-sequential - Copy.cu": TEXT, "Copy of 05-sequential.cu": TEXT}
    wanted |= {("van_dam", "van_dam_05-sequential_v2.cu"): (STEP, taken), ("103", "li_103_9004_05-sequential - Copy.cu"): (STEP, taken),
               ("no one's", "Copy of 05-sequential.cu"): (None, "does not say whose it is")}
    write(f"{SCRATCH}/course", files)
    lines, _ = listed(f"{SCRATCH}/course")
    expect("copies", {key: (step, "") for key, (step, _) in lines.items()}, {key: step or "" for key, (step, _) in wanted.items()})
    for key, (_, why) in wanted.items():
        if why not in lines.get(key, (None, ""))[1]:
            bad(f"copies: {key}: {lines.get(key)}")


def hidden():
    """What turns a name round or hides a part of it reaches no terminal, neither as a name nor in a reason."""
    names = {f"a{mark}b{n}": mark for n, mark in enumerate("\u202e\u2066\u2028\u200b\u200f\ufeff\u009b\u00ad")}
    write(f"{SCRATCH}/course", {f"{name}/{file}": TEXT for name in names for file in ("05-sequential.cu", "05-sequential (1).cu")} |
          {"Zoë می\u200cخواهم/05-sequential.cu": TEXT})
    lines, said = listed(f"{SCRATCH}/course")
    if len(lines) != 2 * len(names) + 1 or ("Zoë می\u200cخواهم", "Zoë می\u200cخواهم/05-sequential.cu") not in lines:
        bad(f"hidden: {len(lines)} lines: {list(lines)}")
    for mark in names.values():
        if mark in str(lines) + said or any(mark in part for key, line in lines.items() for part in (*key, line[1])):
            bad(f"hidden: U+{ord(mark):04X} is printed")


def gradescope():
    metadata = ("submission_1:\n  :submitters:\n  - :name: Ada L\n    :sid: 'a/1'\n    :email: ada@x.org\n"
                "  :created_at: 2026-11-20 13:00:00.5 Z\n"
                "submission_2:\n  :submitters:\n  - :name: Bob\n    :sid:\n    :email: bob@x.org\n")
    in_each_packing("gradescope", {"submission_metadata.yml": metadata, "submission_1/05-sequential.cu": TEXT,
                                   "submission_2/01-reduction/05-sequential.cu": TEXT},
                    {("a/1", "submission_1/05-sequential.cu"): STEP,
                     ("bob@x.org", "submission_2/01-reduction/05-sequential.cu"): STEP})


def by_hand():
    bob = {("bob", "bob.zip/06-first-add.cu"): "01-reduction/06-first-add",
           ("bob", "bob.zip/inner.tar.gz/07-unroll-warp.cu"): "01-reduction/07-unroll-warp"}
    pack = zipped({"06-first-add.cu": TEXT, "inner.tar.gz": tarred({"07-unroll-warp.cu": TEXT})})
    in_each_packing("by hand", {"ada/05-sequential.cu": TEXT, "bob.zip": pack, "carol_05-sequential.cu": TEXT,
                                "dan/02-coalesced.cu": TEXT, "dan/06-iterative-solvers/02-coalesced.cu": TEXT,
                                "dan/x.rar": TEXT, "dan/x.7z": b"7z\xbc\xaf\x27\x1c\0\4", "eve/report.docx": TEXT, "eve/.05-sequential.cu": TEXT, "notes.md": TEXT,
                                "fay/hw/warpbook/common/harness.h": TEXT, "fay/hw/warpbook/01-reduction/05-sequential.cu": TEXT,
                                "fay/hw/warpbook/01-reduction/CMakeLists.txt": TEXT, "fay/hw/warpbook/build/05-sequential.cu": TEXT},
                    {("ada", "ada/05-sequential.cu"): STEP, ("carol", "carol_05-sequential.cu"): STEP,
                     ("dan", "dan/02-coalesced.cu"): "several chapters", ("dan", "dan/06-iterative-solvers/02-coalesced.cu"): "06-iterative-solvers/02-coalesced",
                     ("dan", "dan/x.rar"): "pack it as zip or tar.gz", ("dan", "dan/x.7z"): "pack it as zip or tar.gz", ("eve", "eve/report.docx"): "is not a .cu file", ("eve", "eve/.05-sequential.cu"): STEP,
                     ("no one's", "notes.md"): "nothing in it is graded",
                     ("fay", "fay/hw/warpbook/01-reduction/05-sequential.cu"): STEP,
                     **(bob if ARCHIVES else {("bob", "bob.zip"): "built without libarchive"})})

    write(f"{SCRATCH}/course", {"ada/05-sequential.cu": TEXT, "05-sequential.cu": TEXT})
    expect("no one's", listed(f"{SCRATCH}/course")[0], {("ada", "ada/05-sequential.cu"): STEP,
                                                         ("no one's", "05-sequential.cu"): "does not say whose it is"})


def hostile():
    """Bombs, paths outside, links, devices, names: each has a line, nothing leaves the folder, the others are graded."""
    to = io.BytesIO()
    with tarfile.open(fileobj=to, mode="w") as archive:
        for name, kind in (("link.cu", tarfile.SYMTYPE), ("hard.cu", tarfile.LNKTYPE), ("device.cu", tarfile.CHRTYPE),
                           ("fifo.cu", tarfile.FIFOTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
    bomb = zipped({"05-sequential.cu": b"0" * (80 << 20)})
    nested = zipped({"05-sequential.cu": TEXT})
    for _ in range(5):
        nested = zipped({"more.zip": nested}, deflate=False)
    files = {"kinds.tar": to.getvalue(), "bomb.zip": bomb, "many.zip": zipped({f"{n}.txt": "" for n in range(6000)}),
             "broken.zip": b"PK\x03\x04 and no more", "nested.zip": nested, "out/../../../../escape.cu": TEXT,
             "/tmp/escape.cu": TEXT, "=cmd|calc/05-sequential.cu": TEXT, "a\x1b[31mb/05-sequential.cu": TEXT, "good/05-sequential.cu": TEXT}
    write(f"{SCRATCH}/packed", {"hostile.zip": zipped(files)})
    lines, _ = listed(f"{SCRATCH}/packed/hostile.zip")
    expect("hostile", lines, {
        ("kinds", "kinds.tar/link.cu"): "is a link", ("kinds", "kinds.tar/hard.cu"): "is not a plain file",
        ("kinds", "kinds.tar/device.cu"): "is not a plain file", ("kinds", "kinds.tar/fifo.cu"): "is not a plain file",
        ("bomb", "bomb.zip"): "holds too much", ("many", "many.zip"): "too many files", ("broken", "broken.zip"): "is damaged",
        ("nested", "nested.zip/more.zip/more.zip/more.zip"): "is not opened",
        ("no one's", f"{SCRATCH}/packed/hostile.zip/out/../../../../escape.cu"): "leaves the folder",
        ("no one's", f"{SCRATCH}/packed/hostile.zip//tmp/escape.cu"): "leaves the folder",
        ("=cmd|calc", "=cmd|calc/05-sequential.cu"): STEP, ("a?[31mb", "a?[31mb/05-sequential.cu"): STEP,
        ("good", "good/05-sequential.cu"): STEP})
    for path in ("/tmp/escape.cu", f"{SCRATCH}/escape.cu", f"{SCRATCH}/../escape.cu"):
        if os.path.exists(path):
            bad(f"hostile: {path} was written")


def roster():
    write(f"{SCRATCH}/course", {"Ada Lovelace_4711_assignsubmission_file_/05-sequential.cu": TEXT, "bob@x.org/05-sequential.cu": TEXT,
                                "guest/05-sequential.cu": TEXT})
    header = 'Matrikel;Name;Mail\n'
    write(f"{SCRATCH}/roster", {"r.csv": ("﻿" + header + '"s77";"Lovelace, Ada";a@x.org\ns78;Bob;bob@x.org\ns79;"Chen ""C"" Li";c@x.org\n')})
    lines, said = listed(f"{SCRATCH}/course", "--roster", f"{SCRATCH}/roster/r.csv", "--roster-columns", "id=Matrikel")
    students = {student: why for (student, _), (_, why) in lines.items()}
    if students != {"s77": "", "s78": "", "s79": "nothing handed in", "guest": "not on the roster"}:
        bad(f"roster: {students}")
    _, said = listed(f"{SCRATCH}/course", "--roster", f"{SCRATCH}/roster/r.csv", "--roster-columns", "id=Nummer")
    if "'Matrikel'" not in said or "--roster-columns" not in said:
        bad(f"roster: a column that is not there: {said}")
    print("roster: 4 students")


def with_roster(case, folders, rows, wanted, encoding="utf-8", archive=None):
    """The notes of the students, by id, after a roster of these rows."""
    write(f"{SCRATCH}/course", {f"{folder}/05-sequential.cu": TEXT for folder in folders})
    write(f"{SCRATCH}/roster", {"r.csv": ("id,name\n" + "".join(f"{who},{name}\n" for who, name in rows)).encode(encoding)})
    lines, _ = listed(archive or f"{SCRATCH}/course", "--roster", f"{SCRATCH}/roster/r.csv")
    notes = {student: why for (student, _), (_, why) in lines.items()}
    for who in sorted(set(notes) | set(wanted)):
        if notes.get(who) != wanted.get(who):
            bad(f"{case}: {who}: wanted {wanted.get(who)!r}, got {notes.get(who)!r}")
    print(f"{case}: {len(wanted)} students")


def spellings():
    """A letter with a mark has two spellings, and macOS uses the longer one: each letter, in either place. Another mark is another name."""
    letters = [chr(code) for code in (*range(0xc0, 0x250), *range(0x370, 0x530), *range(0x1e00, 0x1f00), *range(0x3040, 0x3100),
                                      *range(0xac00, 0xd7a4, 97)) if len(unicodedata.normalize("NFD", chr(code))) > 1]
    names = {f"m{n}": f"{letter}va{n} Li" for n, letter in enumerate(letters)}
    for form, other in (("NFC", "NFD"), ("NFD", "NFC")):
        with_roster(f"spellings, {form} and {other}", [unicodedata.normalize(form, name) for name in names.values()],
                    [(who, unicodedata.normalize(other, name)) for who, name in names.items()], dict.fromkeys(names, ""))
    with_roster("spellings, other names", ["Jurgen Li", "Ána Li", "ØYVIND ЖУК"], [("m1", "Jürgen Li"), ("m2", "Àna Li"), ("m3", "Øyvind Жук")],
                {"m1": "nothing handed in", "m2": "nothing handed in", "m3": "", "Jurgen Li": "not on the roster", "Ána Li": "not on the roster"})
    with_roster("a roster of a spreadsheet", ["Zoë O’Hara", "Žiga Šum"], [("m1", "Zoë O’Hara"), ("m2", "Šum Žiga")], {"m1": "", "m2": ""}, "cp1252")


def old_zip(names, encoding):
    """A zip as before Unicode: names in this encoding, and no flag."""
    bytes_of = {f"{n:04}" + "y" * (len(name.encode(encoding)) - 4): name.encode(encoding) for n, name in enumerate(names)}
    archive = zipped(dict.fromkeys(bytes_of, TEXT))
    for placeholder, name in bytes_of.items():
        archive = archive.replace(placeholder.encode(), name)
    return archive


def encodings():
    """Names in the code pages of Windows and in Latin-1, of which nothing in the zip tells which it is."""
    names = ("Jürgen Groß", "Zoë Øst", "Émile Éluard", "Martín Núñez", "Åsa Àlvarez")
    for encoding in ("cp850", "cp437", "latin-1", "utf-8"):
        fit = [name for name in names if encoding != "cp437" or not set(name) & set("ØÀ")]
        files = [f"{name}/05-sequential.cu" for name in fit]
        write(f"{SCRATCH}/packed", {"old.zip": old_zip(files, encoding)})
        expect(f"a zip in {encoding}", listed(f"{SCRATCH}/packed/old.zip")[0], {(file.split("/")[0], file): STEP for file in files})
    with_roster("a zip in cp850, with a roster", [], [(f"m{n}", name) for n, name in enumerate(names)], {f"m{n}": "" for n in range(len(names))},
                archive=write(f"{SCRATCH}/packed", {"old.zip": old_zip([f"{name}/05-sequential.cu" for name in names], "cp850")})
                or f"{SCRATCH}/packed/old.zip")


def assignment():
    metadata = "".join(f"submission_{n}:\n  :submitters:\n  - :name: S{n}\n    :sid: s{n}\n  :created_at: {at}\n"
                       for n, at in enumerate(("2026-12-01 22:58:00 Z", "2026-12-02 00:00:00 +01:00", "2026-12-03T12:00:00Z", "2026-12-09 00:00 Z")))
    write(f"{SCRATCH}/course", {"submission_metadata.yml": metadata, "submission_3/06-first-add.cu": TEXT} |
          {f"submission_{n}/05-sequential.cu": TEXT for n in range(4)})
    write(f"{SCRATCH}/due", {"a.txt": "# week 3\ndue 2026-12-01 23:59 +01:00\nlate 10 % a day, 3 days\n1/5 result 2 safety 1\n",
                             "wrong.txt": "due 2026-12-01 23:59\n1/5 result two\n", "none.txt": "# nothing\n", "step.txt": "\n1/99\n"})
    lines, _ = listed(f"{SCRATCH}/course", "--assignment", f"{SCRATCH}/due/a.txt")
    wanted = {"s0": "", "s1": "1 day late: 90 %", "s2": "2 days late: 80 %", "s3": "0 %"}
    for student, why in wanted.items():
        got = lines[student, f"submission_{student[1]}/05-sequential.cu"][1]
        if (why == "") != (got == "") or why not in got:
            bad(f"assignment: {student}: wanted {why!r}, got {got!r}")
    if "is not due" not in lines["s3", "submission_3/06-first-add.cu"][1]:
        bad("assignment: a step that is not due")
    for name, line in (("wrong.txt", "wrong.txt:2: "), ("none.txt", "no step is due"), ("step.txt", "step.txt:2: ")):
        _, said = listed(f"{SCRATCH}/course", "--assignment", f"{SCRATCH}/due/{name}")
        if line not in said:
            bad(f"assignment: {name}: {said}")
    print("assignment: 4 students, 3 wrong files")


shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
write(f"{SCRATCH}/packed", {"a.zip": zipped({"a_05-sequential.cu": TEXT})})
ARCHIVES = "built without libarchive" not in listed(f"{SCRATCH}/packed/a.zip")[1]
for case in (moodle, canvas, copies, hidden, gradescope, by_hand, hostile, roster, spellings, encodings, assignment):
    if ARCHIVES or case not in (hostile, encodings):
        case()
if not ARCHIVES:
    print("skipped: archives; this workbook was built without libarchive")
sys.exit(failures > 0 or (0 if ARCHIVES else 77))
