// When events happen on the page. The machine runs a block's warps in turn. Here they run side by side: each warp has a
// clock, a barrier sets the clocks of its warps to the latest, and a strong load comes after the store of another warp
// that it followed in the run. Alternatively they are shown as they ran, one instruction at a time.

const WORD = 4;

// Ticks of an event: one, or one per pass over the banks.
function ticks(event) {
    return Math.max(1, event.passes || 0);
}

// The words that an access touches, as keys: shared words are distinct from global ones, and from other blocks'.
function wordsOf(access, blockIndex) {
    const keys = new Set(), base = access.space === "shared" ? -(blockIndex + 1) * 2 ** 32 : 0;
    for (const address of access.at)
        for (let byte = 0; address !== null && byte < access.bytes; byte += WORD)
            keys.add(base + Math.floor((address + byte) / WORD));
    return keys;
}

function isStrong(code) {
    return /\.(volatile|relaxed|acquire)/.test(code.op || code.text);
}

// The earliest tick of an event's strong loads; last: word -> the end of its last store.
function afterStores(event, block, code, last) {
    let time = 0;
    for (const access of event.accesses)
        if (access.kind === "load" && isStrong(code))
            for (const key of wordsOf(access, block))
                time = Math.max(time, last.get(key) || 0);
    return time;
}

function noteStores(event, block, last) {
    for (const access of event.accesses)
        if (access.stores && access.space !== "local")
            for (const key of wordsOf(access, block))
                last.set(key, Math.max(last.get(key) || 0, event.end));
}

function placeRelease(event, clock) {
    event.start = event.end = Math.max(0, ...event.members.map(track => clock[track]));
    for (const arrival of event.arrivals)
        Object.assign(arrival, {until: event.start, released: true});
    for (const track of event.members)
        clock[track] = event.start;
}

function placeRun(event, model, clock, last) {
    const block = model.tracks[event.track].blockIndex, code = model.instructions[event.in];
    event.start = Math.max(clock[event.track], model.asRun ? model.now : afterStores(event, block, code, last));
    event.end = event.start + ticks(event);
    model.now = event.end;
    noteStores(event, block, last);
    clock[event.track] = event.end;
}

// Lanes that wait at a shuffle, a vote or __syncwarp for others of their warp, until the event in which all have
// arrived. Only that event counts as an instruction.
function placeMeetings(events, instructions) {
    let waiting = [];
    for (const event of events) {
        event.meets = Boolean(event.more.waits) && instructions[event.in].kind !== "barrier";
        if (event.meets) {
            event.until = Infinity;
            waiting.push(event);
            continue;
        }
        const met = waiting.filter(other => other.in === event.in && (other.ran & event.ran) !== 0);
        met.forEach(other => { other.until = event.start; });
        waiting = waiting.filter(other => !met.includes(other));
    }
}

// Gives every event start and end, and sets model.order, the events in the cursor's order. asRun: as the
// machine ran them.
function setTimes(model, asRun) {
    model.asRun = asRun;
    model.now = 0;
    const clock = model.tracks.map(() => 0), last = new Map();
    for (const event of model.events)
        if (event.releases)
            placeRelease(event, clock);
        else
            placeRun(event, model, clock, last);
    for (const event of model.events)
        if (!event.released && event.more && event.more.waits && model.instructions[event.in].kind === "barrier")
            Object.assign(event, {arrives: true, until: Infinity}); // never released
    model.span = Math.max(1, ...clock);
    model.order = model.events.filter(event => !event.releases)
        .sort((a, b) => a.start - b.start || a.track - b.track || a.id - b.id);
    model.order.forEach((event, place) => { event.place = place; });
    for (const track of model.tracks) {
        track.events = model.order.filter(event => event.track === track.index);
        placeMeetings(track.events, model.instructions);
        track.meets = track.events.filter(event => event.meets);
    }
    placeFlights(model);
}

// How many ticks a warp waited at the barrier, or lanes at the shuffle, after they arrived with this event.
function waited(event, model) {
    return event.arrives || event.meets ? Math.min(event.until, model.span) - event.end : 0;
}
