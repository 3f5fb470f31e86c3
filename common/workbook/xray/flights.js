// Asynchronous work: bulk copies and warpgroup products, from the instruction that issues them to the one that has
// waited for them. They lie in rows below the warps of their block.

const FLIGHT_ROWS = 10; // of a block; more work than that at one time is not drawn

// Work that one line issues and one event waits for is one bar.
function flightsOf(launch, events) {
    const bars = new Map();
    for (const raw of launch.flights || []) {
        const issued = events.get(raw.issued);
        if (!issued)
            continue;
        const key = [issued.track, issued.in, raw.what, raw.arrived, raw.waited].join();
        const bar = bars.get(key) || {what: raw.what, to: raw.to, issued, count: 0, bytes: 0,
            arrived: events.get(raw.arrived), read: events.get(raw.read), waited: events.get(raw.waited)};
        bars.set(key, bar);
        bar.count++;
        bar.bytes += raw.bytes || 0;
    }
    return [...bars.values()];
}

// Gives every bar its times and its row.
function placeFlights(model) {
    const ends = new Map();
    for (const bar of model.flights) {
        bar.start = bar.issued.end;
        bar.until = bar.waited ? Math.max(bar.start + 1, bar.waited.end) : Math.max(bar.start + 1, model.span);
        bar.arrives = bar.arrived ? Math.min(bar.until, Math.max(bar.start, bar.arrived.start)) : bar.until;
        bar.block = model.tracks[bar.issued.track].blockIndex;
    }
    model.flights.sort((a, b) => a.start - b.start || a.until - b.until);
    for (const bar of model.flights) {
        const rows = ends.get(bar.block) || [];
        const free = rows.findIndex(end => end <= bar.start);
        bar.row = free >= 0 ? free : rows.length;
        rows[bar.row] = bar.until;
        ends.set(bar.block, rows);
    }
    model.flightRows = new Map([...ends].map(([block, rows]) => [block, Math.min(rows.length, FLIGHT_ROWS)]));
}

function flightName(bar) {
    const what = bar.what === "product" ? "product of matrices" : "bulk copy";
    const many = {"product of matrices": "products of matrices", "bulk copy": "bulk copies"}[what];
    const bytes = bar.bytes ? `, ${plural(bar.bytes, "byte")}` : "";
    return (bar.count > 1 ? `${bar.count} ${many}` : `a ${what}`) + bytes;
}

// The line of the kernel: that of the outermost call, if functions are inlined there.
function eventPlace(event, model) {
    const code = model.instructions[event.in], [place] = [code, ...(code.called || [])].slice(-1);
    return `${placeText(model.files, place)} by warp ${model.tracks[event.track].warp}`;
}

// What the instruction issues, or has waited for.
function flightWords(event, model) {
    const issues = model.flights.filter(bar => bar.issued === event), words = [];
    const ends = model.flights.filter(bar => bar.waited === event);
    for (const bar of issues)
        words.push(`Issues ${flightName(bar)}; in flight until ` + (bar.waited ? `the wait at ${eventPlace(bar.waited, model)}.` :
            bar.read ? `the kernel's end; the wait at ${eventPlace(bar.read, model)} covers what it reads.` :
                "the kernel's end: no wait covers it."));
    for (const bar of ends)
        words.push(`Has waited for ${flightName(bar)}, issued at ${eventPlace(bar.issued, model)}.`);
    return words.join(" ");
}
