// The block over time: a track for each warp with a row for each lane, drawn on a canvas the size of the visible part.

const LABEL = 46, HEAD = 18, GAP = 6, BAR = 9, // BAR: a row of asynchronous work
    SCALES = [0.25, 0.5, 1, 2, 3, 5, 8, 12, 18, 26];

// The colour class of an instruction: [key, words].
const COLOURS = [
    ["math", "arithmetic"], ["tensor", "tensor cores"], ["branch", "branches"],
    ["global", "global memory"], ["shared", "shared memory"],
    ["atomic", "atomics"], ["exchange", "shuffles, votes"], ["sync", "barriers, fences"], ["other", "other"],
];

const KINDS = {alu: "math", tensor: "tensor", branch: "branch", exit: "branch", call: "branch", return: "branch",
    atomic: "atomic",
    shuffle: "exchange", vote: "exchange", barrier: "sync", warp_barrier: "sync", fence: "sync"};

function colourOf(event, model) {
    const kind = model.instructions[event.in].kind;
    if (kind !== "load" && kind !== "store" && kind !== "async")
        return KINDS[kind] || "other";
    return event.space === "shared" || event.space === "global" ? event.space : "other";
}

// [first lane, count] of each run of set bits.
function runs(mask) {
    const found = [];
    for (const lane of lanesOf(mask)) {
        const last = found[found.length - 1];
        if (last && last[0] + last[1] === lane)
            last[1]++;
        else
            found.push([lane, 1]);
    }
    return found;
}

class Timeline {
    constructor(view) {
        this.view = view;
        this.box = view.find(".tracks");
        this.room = view.find(".room");
        this.canvas = view.find("canvas");
        this.arrows = view.find(".arrows");
        this.slider = view.find(".slider");
        this.pen = this.canvas.getContext("2d");
        this.box.addEventListener("scroll", () => this.draw());
        this.slider.addEventListener("input", () => view.goToTime(Number(this.slider.value)));
        this.listenToPointer();
        new ResizeObserver(() => this.resize()).observe(this.box);
    }

    listenToPointer() {
        const move = event => {
            const box = this.room.getBoundingClientRect();
            const time = this.timeAt(event.clientX - box.left), bar = this.flightAt(time, event.clientY - box.top);
            if (bar)
                this.view.go(bar.issued);
            else
                this.view.goToPoint(time, this.trackAt(event.clientY - box.top));
        };
        this.box.addEventListener("pointerdown", event => {
            const box = this.box.getBoundingClientRect();
            if (event.clientX > box.left + this.box.clientWidth || event.clientY > box.top + this.box.clientHeight)
                return; // on a scroll bar
            this.dragging = event.pointerType !== "touch";
            if (this.dragging)
                this.box.setPointerCapture(event.pointerId);
            move(event);
        });
        this.box.addEventListener("pointermove", event => this.dragging && move(event));
        for (const end of ["pointerup", "pointercancel"])
            this.box.addEventListener(end, () => { this.dragging = false; });
    }

    load(model) {
        this.model = model;
        this.slider.max = Math.max(0, model.span - 1);
        this.lane = model.tracks.length <= (this.view.page.embedded ? 4 : 8) ? 1 : 0.5;
        this.placeTracks();
        this.resize();
        this.fit();
    }

    placeTracks() {
        let top = GAP, block = -1;
        this.flightTops = [];
        for (const track of this.model.tracks) {
            if (track.blockIndex !== block) {
                block = track.blockIndex;
                track.heading = top;
                top += HEAD;
            } else {
                track.heading = null;
            }
            track.top = top;
            top += 32 * this.lane + GAP;
            const next = this.model.tracks[track.index + 1], rows = this.model.flightRows.get(block) || 0;
            if (next && next.blockIndex === block)
                continue;
            this.flightTops[block] = top;
            top += rows ? rows * BAR + GAP : 0;
        }
        this.height = top;
    }

    resize() {
        const width = this.box.clientWidth, height = Math.min(this.height || 0, 400);
        const ratio = window.devicePixelRatio || 1;
        if (!this.model || width === 0)
            return;
        this.width = width;
        this.canvas.style.width = `${width}px`;
        this.canvas.style.height = `${height}px`;
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        this.setScale(this.fitted === false ? this.scale : this.fitting(), this.fitted !== false);
    }

    fitting() {
        const fits = (this.width - LABEL - 12) / this.model.span;
        return Math.min(26, Math.max(2, fits));
    }

    fit() {
        if (this.width)
            this.setScale(this.fitting(), true);
    }

    // fitted: the scale that fits, which follows the width.
    setScale(scale, fitted = false) {
        this.fitted = fitted;
        this.scale = scale;
        this.room.style.width = `${Math.max(this.width, LABEL + this.model.span * scale + 12)}px`;
        this.room.style.height = `${this.height}px`;
        this.drawArrows();
        this.draw();
    }

    zoom(way) {
        const next = way > 0 ? SCALES.find(s => s > this.scale * 1.01) : SCALES.filter(s => s < this.scale * 0.99).pop();
        if (next) {
            this.setScale(next);
            this.bringIntoView(this.view.cursor);
        }
    }

    x(time) { return LABEL + time * this.scale; }

    timeAt(x) { return Math.max(0, (x - LABEL) / this.scale); }

    trackAt(y) {
        const near = this.model.tracks.filter(track => track.top <= y + GAP / 2);
        return near.length ? near[near.length - 1].index : 0;
    }

    readColours() {
        const style = getComputedStyle(document.documentElement);
        const of = name => style.getPropertyValue(`--${name}`).trim();
        this.colours = {};
        for (const name of ["ink", "faint", "panel", "paper", "idle", "line", "wait", "barrier", "accent",
            ...COLOURS.map(([key]) => key)])
            this.colours[name] = of(name);
    }

    draw() {
        if (!this.width || !this.model)
            return;
        if (!this.colours)
            this.readColours();
        const ratio = this.canvas.width / this.width;
        this.left = this.box.scrollLeft;
        this.top = this.box.scrollTop;
        this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.pen.clearRect(0, 0, this.width, this.canvas.height);
        this.pen.translate(-this.left, -this.top);
        for (const track of this.model.tracks)
            this.drawTrack(track);
        for (const bar of this.model.flights)
            this.drawFlight(bar);
        this.drawBarriers();
        this.drawCursor();
        this.drawLabels();
    }

    // The events of a track that are visible.
    visible(track) {
        const from = this.timeAt(this.left), to = this.timeAt(this.left + this.width), events = track.events;
        let low = 0, high = events.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (events[middle].end <= from)
                low = middle + 1;
            else
                high = middle;
        }
        low = Math.max(0, low - 1); // one whose wait may still be visible
        let end = low;
        while (end < events.length && events[end].start <= to)
            end++;
        return events.slice(low, end);
    }

    drawTrack(track) {
        const seen = track.top + 32 * this.lane > this.top && track.top < this.top + this.canvas.height;
        if (!seen)
            return;
        const events = this.visible(track);
        for (const event of events)
            this.drawEvent(track, event);
        for (const event of this.waits(track, events))
            for (const [lane, count] of event.arrives ? [[0, 32]] : runs(event.ran))
                this.drawWait(track, event, lane, count);
    }

    drawEvent(track, event) {
        const x = this.x(event.start);
        const width = Math.max(1, (event.end - event.start) * this.scale - (this.scale > 4 ? 1 : 0));
        this.pen.fillStyle = this.colours.idle;
        for (const [lane, count] of runs(track.lanes))
            this.pen.fillRect(x, track.top + lane * this.lane, width, count * this.lane);
        this.pen.fillStyle = this.colours[colourOf(event, this.model)];
        for (const [lane, count] of runs(event.ran))
            this.pen.fillRect(x, track.top + lane * this.lane, width, count * this.lane);
    }

    // Events whose waits may be visible: lanes may have waited for a long time while others of their warp ran.
    waits(track, events) {
        const meets = track.meets.filter(event => event.end < this.timeAt(this.left + this.width));
        return events.filter(event => event.arrives).concat(meets);
    }

    drawWait(track, event, lane, count) {
        const from = this.x(event.end), to = this.x(Math.min(event.until, this.model.span));
        const top = track.top + lane * this.lane, height = count * this.lane, step = 6;
        if (to <= from)
            return;
        this.pen.save();
        this.pen.beginPath();
        this.pen.rect(from, top, to - from, height);
        this.pen.clip();
        this.pen.strokeStyle = this.colours.wait;
        this.pen.lineWidth = 2;
        this.pen.beginPath();
        const first = Math.max(from, this.left) - height, last = Math.min(to, this.left + this.width);
        for (let x = Math.floor(first / step) * step; x < last; x += step) {
            this.pen.moveTo(x, top + height);
            this.pen.lineTo(x + height, top);
        }
        this.pen.stroke();
        this.pen.restore();
    }

    flightTop(bar) { return this.flightTops[bar.block] + bar.row * BAR; }

    flightAt(time, y) {
        const hit = bar => time >= bar.start && time < bar.until && y >= this.flightTop(bar) && y < this.flightTop(bar) + BAR;
        return this.model.flights.find(bar => bar.row < FLIGHT_ROWS && hit(bar));
    }

    // In flight, then pale until the wait that covers it. Open at the end if no wait does.
    drawFlight(bar) {
        const top = this.flightTop(bar), from = this.x(bar.start), to = this.x(bar.until), height = BAR - 2;
        const outside = to < this.left || from > this.left + this.width;
        if (outside || bar.row >= FLIGHT_ROWS)
            return;
        this.pen.fillStyle = this.colours[bar.what === "product" ? "tensor" : "global"];
        this.pen.fillRect(from, top, Math.max(2, this.x(bar.arrives) - from), height);
        this.pen.globalAlpha = 0.4;
        this.pen.fillRect(this.x(bar.arrives), top, to - this.x(bar.arrives), height);
        this.pen.globalAlpha = 1;
        this.pen.fillStyle = this.colours.barrier;
        if (bar.waited)
            this.pen.fillRect(to - 1, top - 1, 2, height + 2);
    }

    drawBarriers() {
        this.pen.strokeStyle = this.colours.barrier;
        this.pen.lineWidth = 2;
        this.pen.beginPath();
        for (const event of this.model.releases) {
            const tracks = event.members.map(index => this.model.tracks[index]).filter(Boolean);
            const x = this.x(event.start);
            if (!tracks.length || x < this.left || x > this.left + this.width)
                continue;
            this.pen.moveTo(x, Math.min(...tracks.map(track => track.top)) - 3);
            this.pen.lineTo(x, Math.max(...tracks.map(track => track.top)) + 32 * this.lane + 3);
        }
        this.pen.stroke();
    }

    drawCursor() {
        const event = this.view.cursor;
        if (!event)
            return;
        const track = this.model.tracks[event.track], x = this.x(event.start);
        const width = (event.end - event.start) * this.scale;
        this.pen.fillStyle = this.colours.ink;
        this.pen.fillRect(Math.round(x) - 0.5, this.top, 1, this.canvas.height);
        this.pen.strokeStyle = this.colours.ink;
        this.pen.lineWidth = 2;
        this.pen.strokeRect(x - 1, track.top - 2, Math.max(5, width + 1), 32 * this.lane + 4);
    }

    drawLabels() {
        this.pen.setTransform(this.pen.getTransform().translate(this.left, 0));
        this.pen.fillStyle = this.colours.panel;
        this.pen.fillRect(0, this.top, LABEL - 4, this.canvas.height);
        this.pen.textBaseline = "middle";
        for (const track of this.model.tracks) {
            this.pen.font = "11px system-ui, Helvetica, Arial, sans-serif";
            this.pen.fillStyle = this.colours.ink;
            this.pen.fillText(`warp ${track.warp}`, 5, track.top + 16 * this.lane);
            if (track.heading === null)
                continue;
            this.pen.font = "bold 11px system-ui, Helvetica, Arial, sans-serif";
            this.pen.fillText(`block ${track.block}`, 5, track.heading + HEAD / 2);
        }
        this.pen.font = "11px system-ui, Helvetica, Arial, sans-serif";
        for (const block of this.model.flightRows.keys())
            this.pen.fillText("in flight", 2, this.flightTops[block] + BAR / 2);
    }

    // A finding, from its first access to its second.
    drawArrows() {
        this.arrows.replaceChildren();
        this.arrows.setAttribute("width", this.room.offsetWidth);
        this.arrows.setAttribute("height", this.height);
        this.model.findings.forEach((finding, i) => {
            const [from, to] = finding.events;
            if (from && to)
                this.drawArrow(this.point(from, finding.lanes[0]), this.point(to, finding.lanes[1]), i);
        });
        this.markChosen(this.chosen || 0);
    }

    point(event, lane) {
        return [this.x((event.start + event.end) / 2), this.model.tracks[event.track].top + ((lane || 0) + 0.5) * this.lane];
    }

    drawArrow([x1, y1], [x2, y2], index) {
        const bend = Math.max(12, Math.abs(x2 - x1) / 3), angle = Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI;
        const line = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
        const path = drawn("path", {d: line});
        const turn = Math.abs(y2 - y1) > 3 * Math.abs(x2 - x1) ? angle : 0;
        const parts = [drawn("path", {d: line, class: "halo"}), path,
            drawn("circle", {cx: x1, cy: y1, r: 3, fill: "var(--finding)"}),
            drawn("path", {class: "tip", d: "M0 0l-8 -4v8z", transform: `translate(${x2} ${y2}) rotate(${turn})`})];
        parts.forEach(part => { part.dataset.finding = index; });
        this.arrows.append(...parts);
    }

    markChosen(number) {
        this.chosen = number;
        for (const part of this.arrows.children)
            part.classList.toggle("other", part.dataset.finding !== String(number));
    }

    bringIntoView(event) {
        if (!event || !this.width)
            return;
        const x = this.x(event.start), track = this.model.tracks[event.track];
        const bottom = track.top + 32 * this.lane + GAP;
        if (x < this.box.scrollLeft + LABEL || x > this.box.scrollLeft + this.width - 30)
            this.box.scrollLeft = Math.max(0, x - this.width / 3);
        if (track.top < this.box.scrollTop || bottom > this.box.scrollTop + this.box.clientHeight)
            this.box.scrollTop = Math.max(0, track.top - 2 * HEAD);
    }

    show(event) {
        this.slider.value = Math.floor(event.start);
        this.slider.setAttribute("aria-valuetext",
            `tick ${event.start} of ${this.model.span}, warp ${this.model.tracks[event.track].warp}`);
        this.bringIntoView(event);
        this.draw();
    }
}
