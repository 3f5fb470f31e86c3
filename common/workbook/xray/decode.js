// Reads a trace (SIMT_TRACE; docs/trace.md has the format) into what the page draws: one model for each launch, with
// tracks (warps), events and findings.

// A row of the file: one number for all lanes, a step from lane to lane, or one for each lane of mask.
function rowAt(row, mask) {
    const lanes = lanesOf(mask), out = new Array(32).fill(null);
    lanes.forEach((lane, i) => {
        out[lane] = Array.isArray(row) ? row[i] : typeof row === "object" ? row.at + row.by * lane : row;
    });
    return out;
}

function numbers(row, mask) {
    return rowAt(row, mask).map(n => (n === null ? null : Number(n)));
}

// For each lane its elements as BigInts, or null.
function elements(rows, mask) {
    const all = rows.map(row => rowAt(row, mask));
    return all[0].map((first, lane) => (first === null ? null : all.map(row => BigInt(row[lane]))));
}

function accessValues(access) {
    const rows = access.values || (access.value === undefined ? null : [access.value]);
    return rows && elements(rows, access.mask);
}

// An access, with its rows expanded to lanes on request.
class Access {
    constructor(raw) {
        this.space = raw.space;
        this.kind = raw.kind;
        this.mask = raw.mask;
        this.bytes = raw.bytes;
        this.raw = raw;
    }

    get at() { return this.atRow || (this.atRow = numbers(this.raw.at, this.mask)); }

    get value() { return this.raw.old === undefined ? accessValues(this.raw) : elements([this.raw.old], this.mask); }

    // The contents of memory at that point: after stores, atomics and completed copies.
    get left() {
        if (this.leftRow === undefined)
            this.leftRow = this.raw.new === undefined ? accessValues(this.raw) : elements([this.raw.new], this.mask);
        return this.leftRow;
    }

    get stores() { return this.kind === "store" || this.kind === "atomic" || this.kind === "copy_done"; }
}

// An instruction of a warp. A memory access gives its space, bytes and at.
class Event {
    constructor(raw, id, track) {
        const more = raw[6] || {}, cost = more.cost || {};
        Object.assign(this, {id, track, in: raw[3], mask: raw[4] >>> 0, ran: raw[5] >>> 0, more, cost});
        this.accesses = (more.access || []).map(access => new Access(access));
        this.main = this.accesses[0] || null;
        this.passes = cost.passes || 0;
        this.passesIdeal = cost.passes_ideal || 0;
        this.sectors = cost.sectors || 0;
        this.sectorsIdeal = cost.sectors_ideal || 0;
    }

    get space() { return this.main ? this.main.space : ""; }

    get bytes() { return this.main ? this.main.bytes : 0; }

    get at() { return this.main && this.main.at; }

    get from() { return this.more.from === undefined ? null : numbers(this.more.from, this.ran); }

    // What each lane loaded, stored or computed.
    get value() {
        const rows = this.more.values || (this.more.value === undefined ? null : [this.more.value]);
        return this.main && this.main.value || rows && elements(rows, this.ran);
    }
}

function threadsOf(launch) {
    return launch.block[0] * launch.block[1] * launch.block[2];
}

// A track for each warp of each traced block.
function tracksOf(launch) {
    const tracks = [], threads = threadsOf(launch);
    launch.blocks.forEach((block, blockIndex) => {
        for (let warp = 0; warp < Math.ceil(threads / 32); warp++) {
            const left = Math.min(32, threads - 32 * warp);
            tracks.push({index: tracks.length, blockIndex, block: block.number, warp,
                lanes: left === 32 ? 0xffffffff : 2 ** left - 1, arrived: []});
        }
    });
    return tracks;
}

function eventsOf(launch, warps) {
    const events = launch.events.map((raw, id) => (raw[3] < 0 ? null : new Event(raw, id, raw[0] * warps + raw[1])));
    launch.events.forEach((raw, id) => {
        const more = raw[6] || {};
        if (raw[3] >= 0 || more.release === undefined)
            return;
        const arrivals = more.arrived.map(arrival => events[arrival]).filter(Boolean);
        const members = lanesOf(more.warps >>> 0).map(warp => raw[0] * warps + warp);
        arrivals.forEach(arrival => { arrival.arrives = true; });
        events[id] = {id, releases: true, members, arrivals};
    });
    return events;
}

const MISSING = {
    barrier: "No barrier between these two: either may come first. " +
        "__syncthreads() orders them.",
    __syncwarp: "Nothing orders these two lanes of a warp: since Volta they need not run in step. __syncwarp() does.",
    fence: "No fence between these two: the other side may see them in another order. __threadfence() keeps it.",
    order: "Nothing orders these two blocks: either may come first. A fence, " +
        "and then a flag or a ticket that the other block takes, does.",
};
const OF_KIND = {
    init: "Nothing had been stored there before.",
    sync: "The threads here wait for others that never reach this place.",
};
const BARRIER = "All threads of the block must reach a barrier. Put it where each of them does: outside the if, before the return.";
const LOOP = "The condition of this loop never becomes false. Look at what should change it: a step of 0, a value that a division " +
    "leaves at 0, a result that is not assigned.";
const LOOKS = "No thread changes that word any more: the one that should is waiting, has ended, or has not started.";
const MASK = "Every lane that the mask names must reach this instruction, with the same mask, and no other lane may.";

// What is wrong, in words that the report does not have.
function explanation(raw) {
    if (raw.kind === "sync" && /\bDivergent thread/.test(raw.words))
        return BARRIER;
    if (raw.kind === "sync" && /\bmask\b/.test(raw.words))
        return MASK;
    if (raw.kind === "sync" && /\bruns? a loop at\b/.test(raw.words))
        return LOOP;
    if (raw.kind === "sync" && /\bpolls the word\b/.test(raw.words))
        return LOOKS;
    return MISSING[raw.missing] || OF_KIND[raw.kind] || "";
}

// The order of findings: the most severe first, and causes before effects.
const SEVERITIES = ["error", "warning", "information"], CAUSES = ["sync", "memory", "race"];

function rank(finding) {
    const cause = CAUSES.indexOf(finding.kind), waits = /\bothers wait at\b|\bwaits at\b/.test(finding.words);
    const runs = /\bruns? at\b.* polls the word\b/.test(finding.words); // the others wait for this one
    return 10 * SEVERITIES.indexOf(finding.severity) + (cause < 0 ? CAUSES.length : cause) + (waits && !runs ? 0.5 : 0);
}

function placeText(files, {file, line}) {
    return `${files[file] ? files[file].name : "?"}:${line}`;
}

function findingOf(raw, events, files) {
    const sides = raw.sides || [];
    const place = side => (side && side.file >= 0 && side.line > 0 ? {file: side.file, line: side.line} : null);
    const away = sides.find(side => side.event < 0 && side.block >= 0);
    const missing = explanation(raw);
    return {severity: raw.severity, kind: raw.kind, words: raw.words + (raw.times > 1 ? ` (${raw.times} times)` : ""),
        missing: missing + (away ? ` One of them is not on this page: ${places(away, files)}.` : ""),
        events: sides.map(side => events.get(side.event) || null), places: sides.map(place),
        lanes: sides.map(side => (side.lane >= 0 ? side.lane : undefined)), address: raw.address};
}

function places(side, files) {
    const file = files[side.file];
    return `block ${side.block}` + (side.thread >= 0 ? `, thread ${side.thread}` : "") +
        (file ? `, ${file.path}:${side.line}` : "");
}

function variablesOf(launch) {
    return launch.shared.map((variable, i) => ({name: variable.name || (variable.dynamic ? "dynamic" : `variable ${i}`),
        offset: variable.offset, size: variable.size}))
        .filter(variable => variable.size > 0);
}

// nvcc declares shared variables as bytes; their use shows the type of their elements.
function setElementTypes(model) {
    const uses = model.shared.map(() => new Map());
    for (const event of model.events)
        for (const access of (event.accesses || []).filter(each => each.space === "shared")) {
            const first = Math.min(...access.at.filter(at => at !== null));
            const index = model.shared.findIndex(v => first >= v.offset && first < v.offset + v.size);
            const type = model.instructions[event.in].type || "b32";
            if (index >= 0)
                uses[index].set(type, (uses[index].get(type) || 0) + 1);
        }
    uses.forEach((types, i) => {
        const [best] = [...types].sort((a, b) => b[1] - a[1])[0] || ["b32"];
        Object.assign(model.shared[i], {type: best, width: Math.max(1, widthOf(best) / 8)});
    });
}

// Names allocations after parameters, or by letters.
function allocationsOf(launch) {
    return launch.allocations.map((allocation, i) => {
        const parameter = launch.parameters.find(p => p.allocation === i && p.label);
        const name = allocation.name || (parameter && parameter.label) || "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i] || `#${i}`;
        return {name, base: Number(allocation.base), size: Number(allocation.size)};
    });
}

function extent(three) {
    return three.filter((n, i) => i === 0 || n > 1 || three.slice(i).some(m => m > 1)).join(" × ");
}

function blocksShown(launch) {
    const all = launch.grid[0] * launch.grid[1] * launch.grid[2], shown = launch.blocks.map(block => block.number);
    return shown.length === all ? "all blocks are shown" :
        `of ${all} blocks ${ranges(shown)} ${shown.length === 1 ? "is" : "are"} shown`;
}

function modelOf(launch, program) {
    const model = {kernel: launch.kernel, launch: launch.launch, number: launch.number, grid: extent(launch.grid), blockSize: extent(launch.block),
        sharedBytes: launch.shared_bytes, shared: variablesOf(launch), allocations: allocationsOf(launch),
        counters: launch.counters || {}, traced: launch.traced || null, tracks: tracksOf(launch),
        instructions: program.instructions, files: program.files, blocksShown: blocksShown(launch)};
    model.events = eventsOf(launch, Math.ceil(threadsOf(launch) / 32)).filter(Boolean);
    setElementTypes(model);
    const byId = new Map(model.events.map(event => [event.id, event]));
    model.findings = (launch.findings || []).map(raw => findingOf(raw, byId, program.files))
        .sort((a, b) => rank(a) - rank(b));
    model.leftOut = [...(launch.left_out || []), ...program.leftOut];
    if (launch.failed)
        model.leftOut.unshift(`what comes after the launch failed: ${launch.failed}`);
    model.flights = flightsOf(launch, byId);
    model.releases = model.events.filter(event => event.releases);
    return model;
}

function filesOf(raw) {
    return raw.files.map(file => {
        const text = typeof file.text === "string" ? file.text : "(the source is not at hand)";
        return {name: file.path, path: file.path, lines: text.replace(/\n$/, "").split("\n")};
    });
}

function instructionOf(raw) {
    return {...raw, text: raw.ptx || raw.op || "", bytes: raw.bytes || 0, space: raw.space || ""};
}

// The initial launch: one with a finding, else the first of those with the most events.
function firstLaunch(launches) {
    const found = launches.findIndex(model => model.findings.some(finding => finding.severity !== "information"));
    const most = Math.max(...launches.map(model => model.order.length));
    return found >= 0 ? found : launches.findIndex(model => model.order.length === most);
}

// Findings in launches that were not traced.
function foundElsewhere(raw) {
    return raw.launches.filter(launch => launch.events.length === 0 && (launch.findings || []).length > 0).map(launch => {
        const [first, ...more] = launch.findings;
        const others = more.length ? ` (and ${plural(more.length, "more finding")})` : "";
        return `${launch.kernel}, launch ${launch.launch}, in which was found: ${first.words}${others}`;
    });
}

function readProgram(raw, about) {
    const program = {files: filesOf(raw), instructions: raw.instructions.map(instructionOf), leftOut: raw.left_out || []};
    const launches = raw.launches.map(launch => modelOf(launch, program)).filter(model => model.events.length > 0);
    launches.forEach(model => { model.elsewhere = foundElsewhere(raw); });
    if (launches.length === 0)
        throw new Error("no kernel was launched");
    launches.forEach(model => setTimes(model, false));
    const calls = callsOf(raw);
    addMeetings(launches, calls, program.files);
    addWrong(launches, calls, program.files);
    addErrors(launches, calls);
    return {title: about.title || raw.program, note: about.note, launches, calls, first: firstLaunch(launches)};
}
