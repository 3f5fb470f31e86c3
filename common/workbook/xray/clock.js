// When things happen on the page. The machine runs a block's warps in turn; here they run beside one another: each has
// a clock, a barrier sets those it joins to the latest, and an access to a word comes after those accesses to it that
// it followed in the run. So every value on the page is the run's.

const WORD = 4;

// Ticks of an event: one, or one for each pass through the banks.
function ticks(event) {
    return Math.max(1, event.passes || 0);
}

// The words that an access touches, as keys: shared words are apart from global ones, and from other blocks'.
function wordsOf(access, blockIndex) {
    const keys = new Set(), base = access.space === "shared" ? -(blockIndex + 1) * 2 ** 32 : 0;
    for (const address of access.at)
        for (let byte = 0; address !== null && byte < access.bytes; byte += WORD)
            keys.add(base + Math.floor((address + byte) / WORD));
    return keys;
}

// The earliest tick at which the words allow the access. last: word -> the ends of its last store and load.
function afterConflicts(keys, stores, last) {
    let time = 0;
    for (const key of keys) {
        const before = last.get(key);
        if (before)
            time = Math.max(time, before.written, stores ? before.read : 0);
    }
    return time;
}

function noteAccess(keys, stores, end, last) {
    for (const key of keys) {
        const before = last.get(key) || {written: 0, read: 0}, what = stores ? "written" : "read";
        before[what] = Math.max(before[what], end);
        last.set(key, before);
    }
}

function placeRelease(event, clock) {
    event.start = event.end = Math.max(0, ...event.members.map(track => clock[track]));
    for (const arrival of event.arrivals)
        arrival.until = event.start;
    for (const track of event.members)
        clock[track] = event.start;
}

function placeRun(event, model, clock, last) {
    const block = model.tracks[event.track].blockIndex;
    const touched = event.accesses.filter(access => access.space !== "local")
        .map(access => [wordsOf(access, block), access.stores]);
    event.start = Math.max(clock[event.track], ...touched.map(([keys, stores]) => afterConflicts(keys, stores, last)));
    event.end = event.start + ticks(event);
    touched.forEach(([keys, stores]) => noteAccess(keys, stores, event.end, last));
    clock[event.track] = event.end;
}

// Gives every event start and end, and model.order, the events as the cursor goes through them.
function setTimes(model) {
    const clock = model.tracks.map(() => 0), last = new Map();
    for (const event of model.events)
        if (event.releases)
            placeRelease(event, clock);
        else
            placeRun(event, model, clock, last);
    for (const event of model.events)
        if (event.until === undefined && event.more && event.more.waits && model.instructions[event.in].kind === "barrier")
            Object.assign(event, {arrives: true, until: Infinity}); // never released
    model.span = Math.max(1, ...clock);
    model.order = model.events.filter(event => !event.releases)
        .sort((a, b) => a.start - b.start || a.track - b.track || a.id - b.id);
    model.order.forEach((event, place) => { event.place = place; });
    for (const track of model.tracks)
        track.events = model.order.filter(event => event.track === track.index);
}

// How many ticks a warp waited at the barrier where it arrived with this event.
function waited(event, model) {
    return event.arrives ? Math.min(event.until, model.span) - event.end : 0;
}
