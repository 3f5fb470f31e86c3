// The host and its streams: a lane for the host's own calls, one for each stream, and an arrow between two operations,
// or an operation and the host, that nothing orders.

const STEP = 30, LANE = 26, CALL = 0.5, TAKES = 2.4; // pixels of a time unit and of a row; time units of a call,
                                                     // of an operation
const HOST = "the host";

// The calls of a trace, and the conflicts between them.
function callsOf(raw) {
    const calls = {list: [], meetings: [], wrong: []}, operations = new Map();
    for (const call of raw.calls || []) {
        if (call.call === "race") {
            calls.meetings.push({...call, first: operations.get(call.first), second: operations.get(call.second)});
            continue;
        }
        if (call.call === "wrong") {
            calls.wrong.push(call);
            continue;
        }
        const item = {...call, lane: call.where || HOST};
        calls.list.push(item);
        if (call.call === "operation")
            operations.set(call.number, item);
        if (call.call === "touch")
            calls.meetings.push({...call, first: item.of = operations.get(call.number), second: item});
        item.needs = (call.after || []).map(number => operations.get(number)).filter(Boolean);
    }
    calls.list = calls.list.filter((item, i) => !isRepeated(item, calls.list[i - 1]));
    calls.meetings = calls.meetings.filter(each => each.first && each.second && each.severity === "error");
    placeCalls(calls);
    return calls;
}

// A wait for what the host has just waited for, such as an allocation.
function isRepeated(item, before) {
    return item.call === "wait" && before && before.call === "wait" && String(item.after) === String(before.after);
}

// start and end of each call. An operation with a conflict lasts until it overlaps the other one.
function placeCalls(calls) {
    calls.list.forEach(item => { item.takes = item.call === "operation" ? TAKES : CALL; });
    for (let pass = 0; pass < 3; pass++) {
        let clock = 0;
        for (const item of calls.list)
            clock = placeCall(item, clock);
        for (const {first, second} of calls.meetings) {
            const [early, late] = first.start <= second.start ? [first, second] : [second, first];
            if (early.end < late.start + 1)
                early.takes = late.start + 1 - early.start;
        }
    }
}

// Returns when the host makes its next call. A host access waits for the stream's work that uses the memory.
function placeCall(item, clock) {
    if (item.call === "touch" && item.of)
        clock = Math.max(clock, item.of.start + CALL);
    const over = Math.max(clock, ...item.needs.map(need => need.end));
    item.given = clock;
    item.start = item.call === "wait" ? clock : over;
    item.end = item.call === "wait" ? Math.max(clock + CALL, over) : item.start + item.takes;
    return item.call === "wait" ? item.end : clock + CALL;
}

function missingWait({call, first, second, missing}) {
    if (call === "touch")
        return `Nothing makes the host wait for ${first.where} here: cudaStreamSynchronize is missing before this, or an event ` +
            "after that work which the host waits for (cudaEventRecord, cudaEventSynchronize).";
    if (!/^an event/.test(missing))
        return `${missing[0].toUpperCase()}${missing.slice(1)} is missing.`.replace(",", "");
    return `Nothing makes ${second.where} wait for ${first.where}: give both to one stream; or record an event after the first ` +
        "(cudaEventRecord) and let the other stream wait for it (cudaStreamWaitEvent).";
}

// "07-streams.cu:28 ..." as {file, line}; null: not a line of such a file.
function placeOf(text, files) {
    const [, path, line] = /^(.*):(\d+)$/.exec(text || "") || [];
    const file = files.findIndex(known => path && (known.path === path || known.path.endsWith(`/${path}`)));
    return file < 0 ? null : {file, line: Number(line)};
}

// The instruction of a launch that represents one side of a conflict.
function sideEvent(model, operation, place) {
    const is = event => {
        const code = model.instructions[event.in];
        return code.file === place.file && code.line === place.line && (event.space === "global" || code.space === "const");
    };
    return (place && operation.number === model.number && model.order.find(is)) || null;
}

// Conflicts as findings, each with a launch: that of one of its kernels, else the last one before it.
function addMeetings(launches, calls, files) {
    for (const meeting of calls.meetings) {
        const {first, second} = meeting, sides = [first, second];
        const own = launches.find(model => sides.some(side => side.number === model.number && side.call === "operation"));
        const before = launches.filter(model => model.number <= Math.max(first.number, second.number || 0));
        const model = own || before[before.length - 1] || launches[0];
        const marks = sides.map((_, i) => placeOf(meeting.places[i], files));
        model.findings.push({severity: meeting.severity, kind: "streams", words: meeting.words, missing: missingWait(meeting),
            events: sides.map((side, i) => sideEvent(model, side, marks[i])), places: marks, lanes: [], meeting});
    }
    launches.forEach(model => model.findings.sort((a, b) => rank(a) - rank(b)));
}

// A block's last event that stores to an address, and the lane that stores; null: none is on the page.
function lastStore(model, {block, address}) {
    const covers = access => lane => access.at[lane] !== null && access.at[lane] <= address &&
        address < access.at[lane] + access.bytes;
    for (const event of model.events.filter(each => !each.releases && model.tracks[each.track].block === block).reverse())
        for (const access of event.accesses.filter(each => each.stores && each.space === "global")) {
            const lane = lanesOf(event.ran).reverse().find(covers(access));
            if (lane !== undefined)
                return {event, lane};
        }
    return null;
}

// A wrong answer as a finding, at the last store to its first wrong word.
function addWrong(launches, calls, files) {
    for (const wrong of calls.wrong) {
        const model = launches.find(each => wrong.number > 0 && each.number === wrong.number) || launches[launches.length - 1];
        const store = model.number === wrong.number ? lastStore(model, wrong) : null;
        const thread = store ? 32 * model.tracks[store.event.track].warp + store.lane : wrong.thread;
        const who = `by thread ${thread} of block ${wrong.block} in ${wrong.name}, ${wrong.places[0]}`;
        const missing = wrong.address === 0 ? "" : wrong.number === 0 ? "No kernel has stored there." :
            `The last store to it is ${who}${store ? ". Follow its value back from there." : ": it is not on this page."}`;
        model.findings.push({severity: "error", kind: "wrong", words: wrong.words, missing, events: [store && store.event],
            places: [placeOf(wrong.places[0], files)], lanes: [thread & 31]});
    }
}

// A call that failed, as a finding of the launch before it.
function addErrors(launches, calls) {
    calls.list.forEach((item, i) => {
        const before = calls.list.slice(0, i).map(other => launches.find(model => model.number === other.number)).filter(Boolean);
        if (item.call === "error")
            (before.pop() || launches[0]).findings.push({severity: "error", kind: "call", words: callWords(item), events: [null],
                missing: "A red dot in the lane of the host says when.", places: [null], lanes: [], item});
    });
}

// A call's label, short enough for its bar, and in full.
function callName(item) {
    const ways = {"to the device": "to device", "to the host": "to host", "on the device": "on device"};
    return item.kind === "kernel" ? item.name : item.kind === "copy" ? ways[item.way] : item.name.replace(/^cuda|Async$/g, "");
}

function callWords(item) {
    const last = item.needs.filter(need => item.call === "operation" && need.end === item.start);
    const after = last.length ? `, begins after ${last.map(need => `${need.name} in ${need.where}`).join(" and ")}` : "";
    const what = {
        operation: `${item.name}${item.way ? ` ${item.way}` : ""}${item.bytes ? `, ${plural(item.bytes, "byte")}` : ""} in ${item.where}`,
        wait: `the host waits ${item.what}`, record: `an event is recorded in ${item.where}`,
        await: `${item.where} waits for an event`, touch: item.words, error: `a call of the host fails: ${item.what}`,
    };
    return what[item.call] + after;
}

class Streams {
    constructor(view, calls) {
        this.view = view;
        this.calls = calls;
        this.root = view.find(".streams");
        this.box = view.find(".calls");
        this.names = view.find(".names");
        const streams = new Set(calls.list.map(item => item.lane));
        this.root.hidden = calls.list.length === 0;
        this.root.open = streams.size > 2 || calls.meetings.length > 0 ||
            calls.list.some(item => item.call === "error");
        this.root.addEventListener("toggle", () => this.bringIntoView(this.chosen));
        this.box.addEventListener("keydown", event => this.key(event));
        this.draw();
    }

    key(event) {
        const way = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (way) {
            const list = this.calls.list;
            this.choose(list[Math.min(list.length - 1, Math.max(0, list.indexOf(this.chosen) + way))]);
        } else if (event.key === "Enter") {
            this.open(this.chosen);
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    }

    // ---- drawing

    // One row of a lane for each concurrent item, as for the branches of a graph.
    placeRows() {
        const lanes = new Map([[HOST, []]]);
        for (const item of this.calls.list) {
            const rows = lanes.get(item.lane) || lanes.set(item.lane, []).get(item.lane);
            const free = rows.findIndex(end => end <= item.start || item.call !== "operation");
            item.row = free < 0 ? rows.length : free;
            rows[item.row] = Math.max(rows[item.row] || 0, item.call === "operation" ? item.end : 0);
        }
        let top = 0;
        this.tops = new Map();
        for (const [lane, rows] of lanes) {
            this.tops.set(lane, top);
            const name = element("div", "", lane.replace("non-blocking ", ""));
            name.style.height = `${LANE * Math.max(1, rows.length)}px`;
            this.names.append(name);
            top += LANE * Math.max(1, rows.length);
        }
        return top;
    }

    draw() {
        const height = this.placeRows(), last = Math.max(1, ...this.calls.list.map(item => item.end));
        this.svg = drawn("svg", {width: (last + 1) * STEP, height, role: "img", "aria-label": "The host and its streams"});
        for (const top of this.tops.values())
            this.svg.append(drawn("line", {x1: 0, x2: "100%", y1: top + 0.5, y2: top + 0.5, class: "between"}));
        this.calls.list.filter(item => item.lane !== HOST).forEach(item => this.drawGiven(item));
        this.calls.list.forEach(item => this.drawCall(item));
        this.calls.meetings.forEach(meeting => this.drawMeeting(meeting));
        this.box.replaceChildren(this.svg);
    }

    top(item) { return this.tops.get(item.lane) + LANE * item.row; }

    // From the host's call to the start of its work.
    drawGiven(item) {
        const line = `M${item.given * STEP + 3} 18L${item.start * STEP + 3} ${this.top(item) + 4}`;
        this.svg.append(drawn("path", {class: "given", d: line}));
    }

    drawCall(item) {
        const group = drawn("g", {class: `item ${item.call} ${item.kind || ""}`}), x = item.start * STEP, y = this.top(item);
        item.group = group;
        if (item.lane !== HOST)
            group.append(drawn("rect", {class: "tick", x: item.given * STEP, y: 8, width: 6, height: 10, rx: 1}));
        if (item.call === "record" || item.call === "await")
            group.append(drawn("path", {class: "event", d: `M${x + 3} ${y + 5}l7 8l-7 8l-7 -8z`}));
        else if (item.call === "touch" || item.call === "error")
            group.append(drawn("circle", {class: "touch", cx: x + 6, cy: y + LANE / 2, r: 6}));
        else
            this.drawBar(group, item, x, y);
        group.append(drawn("title", {}));
        group.lastChild.textContent = callWords(item);
        group.addEventListener("click", () => { this.choose(item); this.open(item); });
        this.svg.append(group);
    }

    drawBar(group, item, x, y) {
        const width = Math.max(8, (item.end - item.start) * STEP - 2);
        const room = Math.floor((width - 6) / 6.2), waits = `waits ${item.what}`;
        const words = item.call !== "wait" ? callName(item) : waits.length > room ? "waits" : waits;
        group.append(drawn("rect", {class: "bar-of", x, y: y + 4, width, height: LANE - 8, rx: 3}));
        if (room < 3)
            return;
        const text = drawn("text", {x: x + 5, y: y + LANE / 2 + 4});
        text.textContent = words.length > room ? `${words.slice(0, room - 1)}…` : words;
        group.append(text);
    }

    // Marks both bars and joins them where they overlap.
    drawMeeting(meeting) {
        const {first, second} = meeting, x = (Math.max(first.start, second.start) + (second.call === "touch" ? 0.2 : 0.5)) * STEP;
        const from = this.top(first) + LANE / 2, to = this.top(second) + LANE / 2, down = to > from ? 1 : -1;
        const bend = from === to ? 14 : 0, end = to - down * (second.call === "touch" ? 8 : 10);
        const line = drawn("path", {class: "meets", d: `M${x} ${from}Q${x + bend} ${(from + end) / 2} ${x} ${end}`});
        const tip = drawn("path", {class: "meets tip", d: `M${x} ${end + 2 * down}l-4 ${-8 * down}h8z`});
        const start = drawn("circle", {class: "meets", cx: x, cy: from, r: 3});
        line.dataset.from = first.number;
        line.dataset.to = second.call === "touch" ? HOST : second.number;
        meeting.parts = [line, tip, start];
        [first, second].forEach(item => item.group.classList.add("meeting"));
        this.svg.append(...meeting.parts);
    }

    // ---- selection

    load(model) {
        const own = this.calls.list.find(item => item.call === "operation" && item.number === model.number);
        this.choose(own || this.calls.list[0]);
    }

    choose(item) {
        if (!item)
            return;
        this.chosen = item;
        this.calls.list.forEach(each => each.group.classList.toggle("chosen", each === item));
        this.view.find(".call").textContent = callWords(item);
        this.bringIntoView(item);
    }

    // The launch of a kernel that is on the page.
    open(item) {
        const number = this.view.launches.findIndex(model => item && item.call === "operation" && model.number === item.number);
        if (number >= 0 && number !== this.view.number) {
            this.view.load(number);
            this.view.page.writePlace();
        }
    }

    markChosen({meeting, item}) {
        for (const each of this.calls.meetings)
            each.parts.forEach(part => part.classList.toggle("other", Boolean(meeting) && each !== meeting));
        this.choose(meeting ? meeting.second : item);
    }

    bringIntoView(item) {
        const width = this.box.clientWidth;
        if (!item || !width)
            return;
        const x = item.start * STEP, y = this.top(item), stage = this.box.parentElement;
        if (y < stage.scrollTop || y + LANE > stage.scrollTop + stage.clientHeight)
            stage.scrollTop = Math.max(0, y - stage.clientHeight / 2);
        if (x < this.box.scrollLeft + 20 || item.end * STEP > this.box.scrollLeft + width - 20)
            this.box.scrollLeft = Math.max(0, x - width / 2);
    }
}
