# SIMT_TRACE=...,perfetto:FILE: valid by the Trace Event Format (trace-event-schema.json); slices of a track do not overlap,
# asynchronous ones begin and end once, every track has a name, and the events are those of the trace in the other form. Then the
# same checks must refuse files that were tampered with.
#
#     perfetto.py PROGRAM SCHEMA DIRECTORY
import collections
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: there is no jsonschema to validate with (Debian: python3-jsonschema)")
    sys.exit(77)

PROGRAM, SCHEMA, WORK = sys.argv[1:4]
VALIDATOR = jsonschema.Draft7Validator(json.load(open(SCHEMA)))
WAYS = ["sum", "warps", "halves", "meet", "calls", "names", "no_barrier", "no_syncwarp", "outside", "missed", "crossed", "answer"]
failures = 0


def check(holds, *words):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", *words)


def trace(*words):
    """Both forms of one run."""
    paths = [os.path.join(WORK, name) for name in ("events.json", "page.json")]
    setting = f"*,perfetto:{paths[0]},file:{paths[1]}"
    subprocess.run([PROGRAM, *words], env=dict(os.environ, SIMT_TRACE=setting), capture_output=True, timeout=100)
    return [json.load(open(path)) for path in paths]


def problems_of_format(t):
    return [f"{list(e.absolute_path)}: {e.message[:200]}" for e in VALIDATOR.iter_errors(t)]


def problems_of_slices(events):
    found, ends = [], {}
    for pid, tid, ts, dur in sorted((e["pid"], e["tid"], e["ts"], e["dur"]) for e in events if e["ph"] == "X"):
        if ts < ends.get((pid, tid), 0):
            found.append(f"slices of track {pid} {tid} overlap at {ts}")
        ends[(pid, tid)] = ts + dur
    return found


def problems_of_waits(events):
    pairs = collections.defaultdict(list)
    for e in events:
        if e["ph"] in "be":
            pairs[(e["pid"], e["cat"], e["id"])].append((e["ph"], e["ts"]))
    return [f"wait {key}: {ends}" for key, ends in pairs.items()
            if [ph for ph, _ in ends] != ["b", "e"] or ends[1][1] < ends[0][1]]


def problems_of_names(events):
    named = {(e["name"], e["pid"], e["tid"] if e["name"] == "thread_name" else 0) for e in events if e["ph"] == "M"}
    used = {("thread_name", e["pid"], e["tid"]) for e in events if e["ph"] != "M"}
    return [f"{track} has no name" for track in used if track not in named or ("process_name", track[1], 0) not in named]


def counts(events):
    """What both forms must agree on."""
    return {"instructions": sum(e["ph"] == "X" and e["cat"] not in ("wait", "host") for e in events),
            "lane waits": sum(e["ph"] == "b" for e in events),
            "barriers": sum(e["ph"] == "i" and e["cat"] == "barrier" for e in events),
            "calls": sum(e.get("cat") == "host" for e in events)}


def counts_of_page(page):
    kinds = [one["kind"] for one in page["instructions"]]
    events = [e for launch in page["launches"] for e in launch["events"]]
    return {"instructions": sum(e[3] >= 0 for e in events),
            "lane waits": sum(e[3] >= 0 and "waits" in e[6] and kinds[e[3]] != "barrier" for e in events),
            "barriers": sum("release" in e[6] for e in events),
            "calls": len(page["calls"])}


def problems(t, page):
    events = t["traceEvents"]
    found = problems_of_format(t)
    if found:
        return found
    found += problems_of_slices(events) + problems_of_waits(events) + problems_of_names(events)
    if counts(events) != counts_of_page(page):
        found.append(f"{counts(events)}, but {counts_of_page(page)} in the other form")
    return found


def find(t, phase):
    return next(e for e in t["traceEvents"] if e["ph"] == phase)


def test_guilty():
    def without_time(t):
        del find(t, "X")["dur"]

    def strange(t):
        find(t, "i")["s"] = "thread"

    def unknown(t):
        find(t, "X")["colour"] = "red"

    def overlapping(t):
        find(t, "X")["dur"] = 1000

    def endless(t):
        t["traceEvents"].remove(find(t, "e"))

    def nameless(t):
        t["traceEvents"].remove(find(t, "M"))

    def lost(t):
        t["traceEvents"].remove(find(t, "X"))

    def silent(t):
        t["traceEvents"].remove(next(e for e in t["traceEvents"] if e["cat"] == "host"))

    def early(t):
        next(e for e in t["traceEvents"] if e["cat"] == "host")["ts"] += 1

    for change in (without_time, strange, unknown, overlapping, endless, nameless, lost, silent, early):
        t, page = trace("sum", "meet")
        check(not problems(t, page), "innocent:", change.__name__)
        change(t)
        check(problems(t, page), "guilty:", change.__name__, "is not refused")


def test_meeting():
    """Lanes wait from where they came to where the others came, and no longer."""
    t, page = trace("meet")
    check(counts(t["traceEvents"])["lane waits"] == 2, "meet: a half of each warp waits")
    slices = [e for e in t["traceEvents"] if e["ph"] == "X" and e["name"].startswith("shfl") and e["tid"] == 0]
    begin, end = find(t, "b"), find(t, "e")
    check([e["ts"] for e in slices] == [begin["ts"] - 1, end["ts"]], "meet: from the first shuffle to the second", slices)
    check(begin["args"]["mask"] in ("0x0000ffff", "0xffff0000"), "meet: the lanes that wait", begin)


os.makedirs(WORK, exist_ok=True)
for way in WAYS:
    check(not problems(*trace(way)), way, problems(*trace(way))[:3])
check(not problems(*trace(*WAYS[:6])), "several launches", problems(*trace(*WAYS[:6]))[:3])
test_meeting()
test_guilty()
print(f"{failures} failures")
sys.exit(failures > 0)
