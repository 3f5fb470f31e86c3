# Traces of kernels.cu: the page's file, checked against itself. Sums of the events' costs must be the counters; sectors and
# bank passes are counted again from the addresses; memory is replayed from stores, and loads must find what was stored;
# findings must lie at the lines that say "guilty". Then the same checks must refuse files that were tampered with.
#
# Members of the file must be in docs/trace.md.
#
#     trace.py PROGRAM SOURCE PAGE DIRECTORY
import copy
import json
import os
import re
import signal
import subprocess
import sys

PROGRAM, SOURCE, PAGE, WORK = sys.argv[1:5]
RIGHT = ["sum", "conflicts", "flat", "diverge", "warps", "halves", "meet", "atomics", "copies", "calls", "names", "dynamic",
         "matrices"]
KINDS = ("alu tensor load store atomic async shuffle vote barrier warp_barrier fence branch call return exit other").split()
failures = 0


def check(holds, *words):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", *words)


def run(words, name, select="*", limit="", form="file", **environment):
    path = os.path.join(WORK, name)
    if os.path.exists(path):
        os.remove(path)
    env = dict(os.environ, SIMT_TRACE=f"{select},{form}:{path}{limit}", **environment)
    done = subprocess.run([PROGRAM] + words, env=env, capture_output=True, text=True, timeout=100)
    return path, done


def trace(words, select="*", limit="", **environment):
    path, done = run(words, "trace.json", select, limit, **environment)
    with open(path) as f:
        return json.load(f), done


# ---- rows

def number(n):
    return int(n, 16) if isinstance(n, str) else n


def lanes(mask):
    return [l for l in range(32) if mask >> l & 1]


def row(r, mask):
    """What each lane of the mask has."""
    if isinstance(r, list):
        assert len(r) == len(lanes(mask)), "a list has one number for each lane"
        return dict(zip(lanes(mask), map(number, r)))
    if isinstance(r, dict):
        return {l: r["at"] + r["by"] * l for l in lanes(mask)}
    return {l: number(r) for l in lanes(mask)}


def values(a):
    """Of an access: for each lane the bytes of all its elements."""
    rows = a.get("values", [a["value"]] if "value" in a else [])
    size = a["bytes"] // len(rows) if rows else 0
    parts = [row(r, a["mask"]) for r in rows]
    return {l: b"".join(p[l].to_bytes(size, "little") for p in parts) for l in lanes(a["mask"])} if rows else {}


# ---- the rules of docs/counters.md, for what is simple

def sectors(a):
    return len({s for at in row(a["at"], a["mask"]).values() for s in (at // 32, (at + a["bytes"] - 1) // 32)})


def passes(a):
    banks = {}
    for at in row(a["at"], a["mask"]).values():
        banks.setdefault(at // 4 % 32, set()).add(at // 4)
    return max(len(words) for words in banks.values())


def problems_of_cost(event, instruction):
    cost, found = event[6].get("cost", {}), []
    plain = [a for a in event[6].get("access", []) if a["kind"] in ("load", "store")]
    if len(plain) != 1 or instruction["kind"] not in ("load", "store"):
        return []
    a = plain[0]
    if a["space"] == "global" and cost.get("sectors") != sectors(a):
        found.append(f"sectors {cost.get('sectors')}, not {sectors(a)}")
    if a["space"] == "shared" and a["bytes"] == 4 and cost.get("passes") != passes(a):
        found.append(f"passes {cost.get('passes')}, not {passes(a)}")
    return found


# ---- sums

COSTS = {"load": {"global": ("global_load_requests", "global_load_sectors"),
                  "shared": ("shared_load_requests", "shared_load_wavefronts")},
         "store": {"global": ("global_store_requests", "global_store_sectors"),
                   "shared": ("shared_store_requests", "shared_store_wavefronts")}}


def is_wait(event, instruction):
    return event[6].get("waits") and instruction["kind"] in ("shuffle", "vote", "warp_barrier", "tensor")


def add(sums, name, n):
    sums[name] = sums.get(name, 0) + n


def add_event(sums, event, instruction):
    kind, more = instruction["kind"], event[6]
    if is_wait(event, instruction):
        return
    add(sums, "warp_instructions", 1)
    add(sums, "thread_instructions", len(lanes(event[5])))
    add(sums, "shuffles", kind == "shuffle")
    add(sums, "tensor_instructions", kind == "tensor")
    add(sums, "votes", kind == "vote" and instruction["op"] != "activemask.b32")
    add(sums, "warp_barriers", kind == "warp_barrier")
    add(sums, "branches", kind == "branch" and instruction.get("guard", False))
    add(sums, "divergent_branches", kind == "branch" and more["taken"] not in (0, event[4]))
    for a in more.get("access", [])[:1]:
        names = COSTS.get(kind, {}).get(a["space"])
        if names:
            add(sums, names[0], more["cost"]["requests"])
            add(sums, names[1], more["cost"]["sectors" if a["space"] == "global" else "passes"])
    if kind == "atomic":
        add(sums, "global_atomics", more.get("cost", {}).get("lanes", 0))
        add(sums, "shared_atomics", more.get("cost", {}).get("shared_lanes", 0))


def problems_of_sums(launch, instructions):
    sums = {}
    for event in launch["events"]:
        if event[3] >= 0:
            add_event(sums, event, instructions[event[3]])
        add(sums, "barriers", "release" in event[6])
    return [f"{name}: events {n}, traced {launch['traced'][name]}"
            for name, n in sums.items() if n != launch["traced"][name]]


# ---- memory

class Memory:
    """Bytes that stores of the trace have written."""

    def __init__(self):
        self.bytes = {}

    def key(self, event, a, lane, at):
        space = a["space"]
        return (space, at) if space == "global" else (space, event[0], at) if space == "shared" \
            else (space, event[0], event[1], lane, at)

    def problems(self, event, a):
        found, data, addresses = [], values(a), row(a["at"], a["mask"])
        for lane in lanes(a["mask"]) if data and a["kind"] == "load" else []:
            for k, byte in enumerate(data[lane]):
                known = self.bytes.get(self.key(event, a, lane, addresses[lane] + k), byte)
                if known != byte:
                    found.append(f"lane {lane} reads {byte} where {known} was written")
        return found

    def write(self, event, a):
        data = values(a)
        if a["kind"] == "atomic":
            new = row(a["new"], a["mask"])
            data = {l: new[l].to_bytes(a["bytes"], "little") for l in new}
        addresses = row(a["at"], a["mask"])
        for lane in lanes(a["mask"]) if data and a["kind"] != "load" else []:
            for k, byte in enumerate(data[lane]):
                self.bytes[self.key(event, a, lane, addresses[lane] + k)] = byte


def problems_of_memory(launch, instructions):
    memory, found = Memory(), []
    for i, event in enumerate(launch["events"]):
        for a in event[6].get("access", []):
            found += [f"event {i}: {p}" for p in memory.problems(event, a)]
            memory.write(event, a)
        if event[3] >= 0:
            found += [f"event {i}: {p}" for p in problems_of_cost(event, instructions[event[3]])]
    return found


# ---- shape

def problems_of_shape(launch, instructions, files):
    found, times = [], {}
    for i, event in enumerate(launch["events"]):
        block, warp, time, number, active, executed, more = event
        if not 0 <= block < len(launch["blocks"]) or not -1 <= number < len(instructions):
            found.append(f"event {i}: an index is wrong")
            continue
        if number >= 0 and not 0 <= warp < launch["warps"]:
            found.append(f"event {i}: warp {warp}")
        if executed & ~active or number >= 0 and not active:
            found.append(f"event {i}: lanes {executed:x} of {active:x}")
        if time < times.get((block, warp), 0) and number >= 0:
            found.append(f"event {i}: its time goes back")
        times[(block, warp)] = time + (number >= 0)
        found += [f"event {i}: access {a}" for a in more.get("access", [])
                  if number >= 0 and a["mask"] & ~executed]
    for one in instructions:
        if one["kind"] not in KINDS or not -1 <= one["file"] < len(files) or one["op"] not in one["ptx"]:
            found.append(f"instruction {one}")
    counted = [sum(e[0] == b for e in launch["events"]) for b in range(len(launch["blocks"]))]
    if counted != [b["events"] for b in launch["blocks"]]:
        found.append("the blocks' numbers of events")
    return found


# ---- the host's calls

def over(calls, number):
    """All operations that are over when this one starts."""
    known, open_ = set(), list(calls[number]["after"])
    while open_:
        one = open_.pop()
        if one not in known:
            known.add(one)
            open_ += calls[one]["after"]
    return known


def problems_of_calls(t):
    calls = {c["number"]: c for c in t["calls"] if c["call"] == "operation"}
    found = [f"call {c}: waits for what is not there" for c in t["calls"] for n in c.get("after", []) if n not in calls]
    for c in t["calls"]:
        if c["call"] == "race" and (c["first"] in over(calls, c["second"]) or c["second"] in over(calls, c["first"])):
            found.append(f"race of {c['first']} and {c['second']}, which are in order")
        if c["call"] == "touch" and c["number"] not in calls:
            found.append(f"touch of {c['number']}")
    numbers = [launch["number"] for launch in t["launches"]]
    return found + [f"launch {n} is no operation" for n in numbers if n not in calls and "race" in t["settings"]["check"]]


def test_calls():
    def of(t, what):
        return [c for c in t["calls"] if c["call"] == what]
    t, _ = trace(["crossed"])
    names = {c["number"]: (c["name"], c["where"]) for c in of(t, "operation")}
    check([(names[c["first"]], names[c["second"]]) for c in of(t, "race")][:1] ==
          [(("cudaMemcpyAsync", "stream 1"), ("diverge", "stream 2"))], "crossed: the two ends", t["calls"])
    check(all("an event" in c["missing"] and c["words"].startswith("Race") for c in of(t, "race")), "crossed: what is missing")
    check(not problems(t), "crossed", problems(t)[:3])
    t["calls"].append(dict(of(t, "race")[0], second=of(t, "race")[0]["first"], first=1))
    check(problems(t), "guilty: a race of what is in order is not refused")
    t, done = trace(["early"])
    touch = of(t, "touch")
    check([(c["number"], c["words"] in done.stderr) for c in touch] ==
          [(max(c["number"] for c in of(t, "operation")), True)], "early: the copy that the host touches", touch)
    check([c["call"] for c in t["calls"] if c["call"] in ("record", "await")] == ["record", "await"], "early: the event")
    t, _ = trace(["in order"])
    check(not of(t, "race") and not of(t, "touch") and not problems(t), "in order", problems(t)[:3])
    check(any(c["what"] == "for stream 2" for c in of(t, "wait")), "in order: the host waits", of(t, "wait"))
    check(not of(t, "error"), "in order: no call fails", of(t, "error"))
    t, _ = trace(["sum", "refused"])
    check([c["what"] for c in of(t, "error")] == ["cudaErrorInvalidValue"], "refused: a copy that fails", of(t, "error"))
    t, _ = trace(["crossed"], SIMT_CHECK="memory")
    check(not of(t, "operation"), "without the check of races nothing is known of streams")


def test_wrong():
    """Who stored a word that the host finds wrong."""
    def of(way):
        t, _ = trace([way])
        return t, [c for c in t["calls"] if c["call"] == "wrong"]
    t, (one,) = of("answer")
    launch = t["launches"][0]
    check((one["number"], one["block"], one["thread"], one["name"]) == (launch["number"], 1, 35, "answer"), "wrong: who", one)
    check(one["places"][0].endswith(f"kernels.cu:{guilty_line('answer')}") and one["words"] == "wrong: 2", "wrong: where", one)
    stores = [e for e in launch["events"] for a in e[6].get("access", [])
              if a["kind"] == "store" and one["address"] in map(number, row(a["at"], a["mask"]).values())]
    check(stores and t["instructions"][stores[-1][3]]["line"] == guilty_line("answer"), "wrong: the last store", stores)
    _, (one,) = of("neighbour")
    check((one["block"], one["thread"]) == (1, 34), "wrong: the word beside it is another thread's", one)
    _, (one,) = of("rows")
    check((one["block"], one["thread"]) == (1, 35), "wrong: copied by rows", one)
    _, (one,) = of("beyond")
    check(one["number"] == 0 and one["places"] == [""], "wrong: behind what the kernel stored", one)
    check(one["address"] > 0, "wrong: a word that no kernel has stored has its address", one)
    _, (one,) = of("words")
    check(one["address"] == 0 and one["words"] == "wrong: 2" and one["places"] == [""], "wrong: no word", one)


def problems(t):
    found = problems_of_calls(t)
    if t.get("format") != "simt-trace" or t.get("version") != 1:
        found.append("format and version")
    for launch in t["launches"]:
        name = f"{launch['kernel']} {launch['launch']}: "
        found += [name + p for p in problems_of_shape(launch, t["instructions"], t["files"])]
        found += [name + p for p in problems_of_sums(launch, t["instructions"])] if "traced" in launch else []
        found += [name + p for p in problems_of_memory(launch, t["instructions"])]
        found += [name + p for p in problems_of_findings(launch, t)]
        whole = not launch["left_out"] and all(b["complete"] for b in launch["blocks"])
        if whole and "counters" in launch and launch["counters"] != launch["traced"]:
            found.append(name + "counters differ from those of the traced events")
    return found


# ---- findings

def covers(event, lane, finding):
    return any(a["space"] == finding["space"] and a["mask"] >> lane & 1 and
               row(a["at"], a["mask"])[lane] < number(finding["address"]) + finding["bytes"] and
               number(finding["address"]) < row(a["at"], a["mask"])[lane] + a["bytes"]
               for a in event[6].get("access", []))


def problems_of_side(launch, t, finding, side):
    found = []
    if side["event"] < 0:
        return found
    event, one = launch["events"][side["event"]], t["instructions"][side["instruction"]]
    if event[3] != side["instruction"] or one["line"] != side["line"] or one["file"] != side["file"]:
        found.append("a side's event is of another line")
    if launch["blocks"][event[0]]["number"] != side["block"]:
        found.append("a side's event is of another block")
    if side["thread"] >= 0 and (event[1] != side["warp"] or not event[4] >> side["lane"] & 1):
        found.append("a side's event is another thread's")
    if side["access"] and side["thread"] >= 0 and finding["kind"] == "race" and not covers(event, side["lane"], finding):
        found.append("a side's event does not touch the address")
    return found


def problems_of_findings(launch, t):
    found = []
    for finding in launch["findings"]:
        for side in finding["sides"]:
            found += [f"{finding['words']}: {p}" for p in problems_of_side(launch, t, finding, side)]
    return found


def line_with(words):
    with open(SOURCE) as f:
        return next(i + 1 for i, line in enumerate(f) if words in line)


def guilty_line(kernel):
    with open(SOURCE) as f:
        lines = f.read().split("\n")
    start = next(i for i, line in enumerate(lines) if f"void {kernel}(" in line)
    return next(i + 1 for i in range(start, len(lines)) if "guilty" in lines[i])


def test_finding(kernel, kind, missing, sides=2, **environment):
    t, done = trace([kernel], **environment)
    found = problems(t)
    check(not found, kernel, found[:3])
    findings = [f for f in t["launches"][0]["findings"] if f["kind"] == kind]
    check(findings, kernel, "nothing found of kind", kind)
    for f in findings[:1]:
        check(f["missing"] == missing, kernel, "missing:", f["missing"])
        check(len(f["sides"]) == sides and all(s["event"] >= 0 for s in f["sides"]), kernel, "sides", f["sides"])
        check(guilty_line(kernel) in [s["line"] for s in f["sides"]], kernel, "lines", f["sides"])
        check(("simt: " + f["severity"] + ": " + f["words"]) in done.stderr, kernel, "words", f["words"])


# ---- the tests

def test_right():
    for name in RIGHT:
        for schedule in ("order", "reverse", "random:7"):
            t, done = trace([name], SIMT_SCHEDULE=schedule)
            found = problems(t)
            check(not found, name, schedule, found[:3])
            check(t["launches"][0]["kernel"] == name and t["launches"][0]["events"], name, "is not traced")
            check(not t["launches"][0]["findings"] and done.returncode == 0, name, schedule, done.stderr)


def test_special():
    """Events of each kind are there, at the right place."""
    t, _ = trace(["sum"])
    launch = t["launches"][0]
    releases = [e for e in launch["events"] if "release" in e[6]]
    check(len(releases) == 6, "sum: releases", len(releases))
    for e in releases:
        arrivals = [launch["events"][i] for i in e[6]["arrived"]]
        check(e[6]["warps"] == 7 and len(arrivals) == 3 and all(a[6]["waits"] for a in arrivals), "sum: arrivals")
        check(e[2] == 1 + max(a[2] for a in arrivals), "sum: time of a release")
    check([s["name"] for s in launch["shared"]] == ["cache"] and launch["shared"][0]["element"] == 4, "sum: shared")
    check(launch["blocks"][2]["index"] == [2, 0, 0] and launch["block"] == [96, 1, 1], "sum: blocks")
    check([p.get("allocation") for p in launch["parameters"]] == [0, 0, None] and
          launch["parameters"][2]["value"] == 250, "sum: parameters", launch["parameters"])
    with open(SOURCE) as f:
        check(any(one["text"] == f.read() for one in t["files"]), "sum: the source")
    t, _ = trace(["diverge"])
    joins = [e for e in t["launches"][0]["events"] if "join" in e[6]]
    check(joins and joins[0][4] in (0xffffffff, 0xff), "diverge: joins", joins)
    t, _ = trace(["halves"])
    waits = [e for e in t["launches"][0]["events"] if e[6].get("waits")]
    check(not waits, "halves: complete groups do not wait", waits[:1])
    t, _ = trace(["meet"], SIMT_SCHEDULE="order")
    waits = [e for e in t["launches"][0]["events"] if e[6].get("waits")]
    check(len(waits) == 2 and all(bin(e[5]).count("1") == 16 for e in waits), "meet: a half of each warp waits", waits)
    t, _ = trace(["inlined"])
    load = next(one for one in t["instructions"] if one["kind"] == "load" and one["space"] == "global")
    check(load["line"] == line_with("return p[3 * i]") and
          load["called"] == [{"file": load["file"], "line": line_with(words)} for words in ("return third(", "the load is in third")],
          "inlined: the load and its calls", load)
    store = next(one for one in t["instructions"] if one["kind"] == "store")
    check("called" not in store, "inlined: the store is the kernel's own", store)
    t, _ = trace(["flat"])
    check(len(t["launches"][0]["blocks"]) == 6 and t["launches"][0]["blocks"][4]["index"] == [1, 1, 0], "flat: blocks")
    t, _ = trace(["warps"])
    shuffles = [e for e in t["launches"][0]["events"] if e[3] >= 0 and t["instructions"][e[3]]["kind"] == "shuffle"]
    check(row(shuffles[0][6]["from"], shuffles[0][5])[3] == 7, "warps: the lane that is read")
    t, _ = trace(["matrices"])
    of = {}
    for e in t["launches"][0]["events"]:
        if e[3] >= 0:
            of.setdefault(t["instructions"][e[3]]["op"].split(".")[0], []).append((e, t["instructions"][e[3]]))
    (event, code), = of["ldmatrix"]
    loaded, = event[6]["access"]
    check(code["kind"] == "load" and code["bytes"] == 16 and code["elements"] == 4, "matrices: ldmatrix", code)
    check(loaded["mask"] == 0xffff and row(loaded["at"], 0xffff)[3] % 64 == 48, "matrices: its rows", loaded)
    check(len(event[6]["values"]) == 2, "matrices: two registers", event[6])
    (event, code), = of["mma"]
    check(code["kind"] == "tensor" and code["sets"] == "f32" and len(event[6]["values"]) == 4, "matrices: mma", code)
    check([c["kind"] for _, c in of["wmma"]] == ["store", "load"], "matrices: wmma", of["wmma"])


def test_selection():
    t, _ = trace(["sum", "calls", "sum", "sum"], select="sum:1-2:0+2")
    check([(l["kernel"], l["launch"]) for l in t["launches"]] == [("sum", 1), ("sum", 2)], "selection: launches")
    check([b["number"] for b in t["launches"][0]["blocks"]] == [0, 2], "selection: blocks")
    check(t["launches"][0]["left_out"] == ["1 of 3 blocks was not requested"], "selection: left out")
    check(not problems(t), "selection", problems(t)[:3])
    t, _ = trace(["calls", "no_barrier", "no_barrier"], select="no_barrier:0")
    check([len(l["events"]) > 0 for l in t["launches"]] == [True, False], "selection: a launch with findings alone")
    check(t["launches"][1]["findings"] and t["launches"][1]["blocks"] == [] and t["launches"][1]["launch"] == 1,
          "selection: a launch with findings alone", t["launches"][1])
    check(not problems(t), "selection: a launch with findings alone", problems(t)[:3])
    t, _ = trace(["calls"], select="su")
    check(t["launches"] == [] and t["left_out"], "selection: nothing is chosen")
    t, _ = trace(["graph"], select="calls")
    check([l["launch"] for l in t["launches"]] == [0, 1, 2] and not problems(t), "a graph's launches")
    t, _ = trace(["sum"], SIMT_DEVICES="2")
    check([l["device"] for l in t["launches"]] == [0, 1] and not problems(t), "two devices")
    for wrong in ("", "sum", ",text", "sum:x,text", "sum:3-1,text", "sum,file:", "sum,events:x,text", "sum:0:0:0,text",
                  "sum,text:/none/of/these"):
        done = subprocess.run([PROGRAM, "sum"], env=dict(os.environ, SIMT_TRACE=wrong), capture_output=True, text=True)
        check("SIMT_TRACE" in done.stderr and done.returncode == (0 if "none" in wrong else 1), "selection", wrong)


def test_limits():
    t, _ = trace(["sum", "sum"], limit=",events:100")
    check(len(t["launches"]) == 1 and len(t["launches"][0]["events"]) == 100, "limit of events")
    check("events:100" in " ".join(t["launches"][0]["left_out"]) and t["left_out"], "limit of events: is said")
    check(not t["launches"][0]["blocks"][0]["complete"] and not problems(t), "limit of events", problems(t)[:3])
    path, _ = run(["sum", "sum", "sum", "atomics"], "trace.json", limit=",bytes:30000")
    check(os.path.getsize(path) < 60000, "limit of bytes", os.path.getsize(path))


def test_ends():
    t, done = trace(["sum", "exit"])
    check(done.returncode == 4 and not problems(t) and len(t["launches"]) == 1, "a program that exits")
    t, done = trace(["sum", "outside", "sum"])
    check(len(t["launches"]) == 2 and t["launches"][1]["failed"] == 700, "a launch that dies")
    t, done = trace(["endless"], SIMT_TIMEOUT="1", limit=",events:3000")
    check(t["launches"][0]["failed"] and t["launches"][0]["findings"][0]["kind"] == "sync", "a deadlock")
    path = os.path.join(WORK, "trace.json")
    env = dict(os.environ, SIMT_TRACE=f"*,file:{path}", SIMT_TIMEOUT="100")
    program = subprocess.Popen([PROGRAM, "sum", "counts_up"], env=env, stdout=subprocess.PIPE, text=True)
    check(program.stdout.readline() == "counts_up\n", "a program that is ended: it starts its last launch")
    try:
        program.wait(2)
    except subprocess.TimeoutExpired:
        program.send_signal(signal.SIGTERM)
    program.wait()
    with open(path) as f:
        t = json.load(f)
    check(len(t["launches"]) == 2 and "ended while" in t["launches"][1]["left_out"][0], "a program that is ended")
    check(not problems(t), "a program that is ended", problems(t)[:3])


def test_text():
    t, _ = trace(["sum", "no_barrier"])
    path, done = run(["sum", "no_barrier"], "trace.txt", form="text")
    with open(path) as f:
        lines = f.read().split("\n")
    events = [line for line in lines if line.startswith("#")]
    check(len(events) == sum(len(l["events"]) for l in t["launches"]), "text: events")
    check(any(re.search(r"#\d+ t\d+ block 0 warp 1 .*kernels\.cu:\d+  st\.shared\.u32 .*passes 1 of 1", e)
              for e in events), "text: a store")
    found = [line for line in lines if line.startswith("found: error: Race")]
    check(found and re.search(r"first #\d+  at #\d+$", found[0]), "text: a finding", found)
    path, _ = run(["crossed"], "trace.txt", form="text")
    with open(path) as f:
        host = [line[len("host: "):] for line in f if line.startswith("host: ")]
    order = [next((i for i, line in enumerate(host) if re.match(pattern, line)), -1) for pattern in (
        r"\d+: cudaMemcpyAsync to the device, \d+ bytes, in stream 1; over: ", r"an event is recorded in stream 1",
        r"\d+: diverge in stream 2; over: ", r"found: error: Race \(RAW\) between streams: ", "waits for stream 2; over: ")]
    check(order == sorted(order) and order[0] >= 0, "text: the host's calls", order, host)
    path, _ = run(["in order"], "trace.txt", form="text")
    with open(path) as f:
        text = f.read()
    check("host: stream 2 waits for an event" in text and "host: found" not in text, "text: calls in order", text[:500])


def members(value):
    """Names of all members, but those of counters, which docs/counters.md has."""
    if isinstance(value, list):
        return set().union(*map(members, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    return set(value) | members([v for k, v in value.items() if k not in ("counters", "traced")])


def unnamed(names):
    with open(PAGE) as f:
        page = f.read()
    return {n for n in names if f"`{n}`" not in page and f'"{n}"' not in page}


def test_page():
    names = set()
    for words in (["sum"], ["warps"], ["atomics"], ["copies"], ["outside"], ["no_barrier"], ["dynamic"], ["diverge"], ["inlined"],
                  ["crossed", "early"], ["answer"]):
        names |= members(trace(words)[0])
    check(len(names) > 60, "members of the file", len(names))
    check(not unnamed(names), "members that docs/trace.md does not name:", unnamed(names))
    check(unnamed({"nowhere"}), "guilty: a member that is not named")


def tampered(change):
    t, _ = trace(["sum", "no_barrier"])
    change(t)
    return problems(t)


def test_guilty():
    """What the checks above are for."""
    def find(launch, kind, space):
        return next(e for e in launch["events"] if any(a["kind"] == kind and a["space"] == space
                                                       for a in e[6].get("access", [])))

    def stored(t):
        find(t["launches"][0], "store", "shared")[6]["access"][0]["value"] = 12345

    def moved(t):
        find(t["launches"][0], "store", "shared")[6]["access"][0]["at"] = {"at": 64, "by": 4}

    def cheaper(t):
        find(t["launches"][0], "load", "global")[6]["cost"]["sectors"] -= 1

    def lost(t):
        events = t["launches"][0]["events"]
        del events[len(events) // 2]
        t["launches"][0]["blocks"][1]["events"] -= 1

    def elsewhere(t):
        t["launches"][1]["findings"][0]["sides"][0]["event"] += 1

    def lanes_gone(t):
        find(t["launches"][0], "load", "global")[5] = 1

    for change in (stored, moved, cheaper, lost, elsewhere, lanes_gone):
        check(tampered(change), "guilty:", change.__name__, "is not refused")
    check(not tampered(lambda t: copy.deepcopy(t)), "innocent: the file as it was")


os.makedirs(WORK, exist_ok=True)
test_right()
test_special()
test_finding("no_barrier", "race", "barrier")
test_finding("no_syncwarp", "race", "__syncwarp")
test_finding("no_order", "race", "order")
test_finding("outside", "memory", "", sides=1)
test_finding("unwritten", "init", "", sides=1)
test_selection()
test_limits()
test_ends()
test_text()
test_calls()
test_wrong()
test_page()
test_guilty()
print(f"{failures} failures")
sys.exit(failures > 0)
