// One program on the page: source, time, and the instruction under the cursor. The cursor is an event, this.cursor.

class View {
    constructor(page, programs, index) {
        this.page = page;
        this.index = index;
        this.root = document.getElementById("view").content.cloneNode(true).firstElementChild;
        this.launches = programs.launches;
        this.title = programs.title;
        this.note = programs.note;
        page.views.append(this.root);
        this.source = new Source(this);
        this.timeline = new Timeline(this);
        this.shared = new SharedTable(this);
        this.streams = new Streams(this, programs.calls);
        this.listen();
        this.load(programs.first || 0);
    }

    find(selector) { return this.root.querySelector(selector); }

    listen() {
        const actions = {first: () => this.toEnd(-1), last: () => this.toEnd(1), back: () => this.along(-1),
            next: () => this.along(1), play: () => this.page.play(), barrier: () => this.toBarrier(1),
            in: () => this.timeline.zoom(1), out: () => this.timeline.zoom(-1)};
        for (const button of this.root.querySelectorAll("[data-do]"))
            button.addEventListener("click", () => { this.page.active = this; actions[button.dataset.do](); });
        this.root.addEventListener("focusin", () => { this.page.active = this; });
        const choice = this.find(".launch");
        choice.append(...this.launches.map((model, i) => new Option(launchName(model), i)));
        choice.closest("label").hidden = this.launches.length < 2;
        choice.addEventListener("change", () => { this.load(Number(choice.value)); this.page.writePlace(); });
        this.find(".time").addEventListener("change", () => this.setTimes());
        this.find(".legend").append(...COLOURS.map(([key, words]) => legendItem(key, words)), legendItem("waits", "waits"),
            legendItem("idle", "idle lane"));
    }

    load(number) {
        this.number = number;
        this.model = this.launches[number];
        this.find(".launch").value = number;
        this.cursor = null;
        this.chosen = 0;
        setTimes(this.model, this.find(".time").value === "run");
        this.source.load(this.model);
        this.shared.load(this.model);
        this.timeline.load(this.model);
        this.describe();
        this.streams.load(this.model);
        this.showFindings();
        this.showCounters();
        const offence = this.model.findings.map(f => f.events[1] || f.events[0]).find(Boolean);
        this.go(offence || this.model.order[0]);
        if (!offence)
            this.source.showPlace(this.model.findings.flatMap(finding => finding.places).find(Boolean));
    }

    setTimes() {
        const cursor = this.cursor;
        setTimes(this.model, this.find(".time").value === "run");
        this.source.load(this.model);
        this.shared.load(this.model);
        this.timeline.load(this.model);
        this.go(cursor);
    }

    describe() {
        const model = this.model, cut = this.find(".cut");
        this.find("h2").textContent = this.title;
        this.find(".facts").textContent = [launchName(model), `grid ${model.grid}, block ${model.blockSize}`,
            model.sharedBytes ? `${plural(model.sharedBytes, "byte")} of shared memory` : "no shared memory",
            model.blocksShown, this.note].filter(Boolean).join(" · ");
        const leftOut = this.page.embedded ? model.leftOut.filter(words => !words.endsWith("not requested")) :
            [...model.leftOut, ...model.elsewhere];
        cut.hidden = leftOut.length === 0;
        const endless = model.findings.some(finding => finding.words.startsWith("The kernel does not end"));
        const smaller = !endless && leftOut.some(words => words.includes("limit was reached")) ? " A smaller size (--n) shows more." : "";
        cut.textContent = leftOut.length ? `Left out: ${leftOut.join("; ")}.${smaller}` : "";
    }

    // One finding at a time, the most severe first.
    showFindings() {
        const findings = this.model.findings, box = this.find(".findings");
        box.hidden = findings.length === 0;
        if (findings.length === 0)
            return;
        this.chosen = Math.min(this.chosen || 0, findings.length - 1);
        box.replaceChildren(this.findingBox(findings[this.chosen], this.chosen, findings.length));
        this.source.markChosen(this.chosen);
        this.timeline.markChosen(this.chosen);
        this.streams.markChosen(findings[this.chosen]);
    }

    choose(number) {
        const count = this.model.findings.length;
        this.chosen = (number + count) % count;
        const finding = this.model.findings[this.chosen];
        this.showFindings();
        this.go(finding.events[1] || finding.events[0]);
    }

    findingBox(finding, number, count) {
        const box = element("div", "finding"), words = element("p");
        words.append(element("strong", "", `${finding.severity}: `), finding.words);
        box.append(words);
        if (finding.missing)
            box.append(element("p", "missing", finding.missing));
        box.append(this.findingButtons(finding, number, count));
        return box;
    }

    findingButtons(finding, number, count) {
        const row = element("div", "ends");
        const add = (words, act) => {
            const button = element("button", "", words);
            button.type = "button";
            button.addEventListener("click", act);
            row.append(button);
        };
        finding.events.forEach((event, end) => {
            if (event)
                add(finding.events.length < 2 ? "Go there" : `Go to the ${end ? "second" : "first"} access`,
                    () => this.go(event));
        });
        if (count > 1) {
            add("Previous finding", () => this.choose(number - 1));
            add("Next finding", () => this.choose(number + 1));
            row.append(element("span", "", `${number + 1} of ${count}`));
        }
        return row;
    }

    showCounters() {
        const table = element("table"), head = element("tr"), note = element("p", "note", COUNTERS_NOTE);
        for (const words of ["counter", "this launch", this.model.traced ? "on this page" : ""])
            if (words)
                head.append(element("th", "", words));
        table.append(head);
        for (const [name, count] of Object.entries(this.model.counters)) {
            const row = element("tr");
            row.dataset.counter = name;
            row.append(element("td", "", name), element("td", "whole", count));
            if (this.model.traced)
                row.append(element("td", "page", name in this.model.traced ? this.model.traced[name] : ""));
            if (count || this.model.traced && this.model.traced[name])
                table.append(row);
        }
        this.find(".counts .body").replaceChildren(table, note);
    }

    // ---- the cursor

    go(event, quiet) {
        if (!event)
            return;
        this.cursor = event;
        this.source.show(event);
        this.timeline.show(event);
        this.showNow(event);
        if (!quiet)
            this.page.moved(this);
    }

    // The event of a track that has begun at a time: the last one, or the track's first.
    at(track, time) {
        const begun = this.model.tracks[track].events.filter(event => event.start <= time);
        return begun.length ? begun[begun.length - 1] : this.model.tracks[track].events[0];
    }

    along(way) {
        const events = this.model.tracks[this.cursor.track].events;
        this.go(events[events.indexOf(this.cursor) + way]);
    }

    toEnd(way) {
        const events = this.model.tracks[this.cursor.track].events;
        this.go(events[way < 0 ? 0 : events.length - 1]);
    }

    across(way) {
        const track = this.cursor.track + way;
        if (this.model.tracks[track])
            this.go(this.at(track, this.cursor.start));
    }

    through(way) { this.go(this.model.order[this.cursor.place + way]); }

    seek(way, wanted) {
        for (let place = this.cursor.place + way; this.model.order[place]; place += way)
            if (wanted(this.model.order[place]))
                return this.go(this.model.order[place]);
        return undefined;
    }

    toBarrier(way) { this.seek(way, event => event.arrives && event.track === this.cursor.track); }

    toFinding(way) {
        const ends = this.model.findings.flatMap(finding => finding.events).filter(Boolean);
        this.seek(way, event => ends.includes(event));
        const finding = this.model.findings[this.chosen];
        if (finding && !finding.events.includes(this.cursor)) {
            this.chosen = Math.max(0, this.model.findings.findIndex(each => each.events.includes(this.cursor)));
            this.showFindings();
        }
    }

    toSameLine(way) {
        const here = this.model.instructions[this.cursor.in];
        this.seek(way, event => this.isOn(event, here.file, here.line));
    }

    isOn(event, file, line) {
        const code = this.model.instructions[event.in];
        return code.file === file && code.line === line;
    }

    goToLine(file, line) {
        const order = this.model.order, from = this.cursor ? this.cursor.place + 1 : 0;
        this.go(order.slice(from).concat(order.slice(0, from)).find(event => this.isOn(event, file, line)));
    }

    goToTime(time) { this.go(this.at(this.cursor.track, time)); }

    goToPoint(time, track) { this.go(this.at(track, time)); }

    // The cursor's share of the program's time, for the other program's cursor.
    goToShare(share) { this.go(this.at(this.cursor.track, share * this.model.span), true); }

    // One tick of playback. False at the end.
    tick() {
        const next = this.model.order.slice(this.cursor.place + 1).find(event => event.start > this.cursor.start);
        if (!next)
            return false;
        const own = this.at(this.cursor.track, next.start);
        this.go(own.start > this.cursor.start ? own : next);
        return true;
    }

    // ---- the instruction under the cursor

    accused(event) {
        const ends = this.model.findings.flatMap(finding => finding.events.map((e, i) => [e, finding.lanes[i]]));
        return ends.filter(([e, lane]) => e === event && lane !== undefined).map(([, lane]) => lane);
    }

    showNow(event) {
        const model = this.model, code = model.instructions[event.in], track = model.tracks[event.track];
        const accused = this.accused(event);
        const called = (code.called || []).map(each => `, called at ${placeText(model.files, each)}`).join("");
        this.find(".clock").value = `tick ${event.start} of ${model.span}`;
        this.find(".now").textContent = `${placeText(model.files, code)}${called}, warp ${track.warp} of block ` +
            `${track.block}: ${countBits(event.ran)} of ${countBits(track.lanes)} lanes` + this.waitWords(event);
        this.find(".text").textContent = code.text;
        this.find(".flight").textContent = flightWords(event, model);
        this.find(".lanes .body").replaceChildren(...Array.from({length: 32}, (_, lane) =>
            laneCell(model, event, lane, accused)));
        const meet = this.find(".meet"), said = drawMeeting(model, event, meet.querySelector(".body"));
        meet.hidden = !said;
        if (said) {
            const caption = meet.querySelector("figcaption");
            caption.replaceChildren(`${said[0]}. `, element("small", "", said[1]));
            meet.querySelector(".body").setAttribute("aria-label", said.join(": "));
        }
        this.shared.show(event, accused.map(lane => event.at && event.at[lane]));
    }

    waitWords(event) {
        if (!event.arrives && !event.meets)
            return "";
        const whom = event.meets ? " for others of its mask" : "";
        return event.until === Infinity ? `; waits here${whom}, and is never released` :
            waited(event, this.model) === 0 ? "; comes last" : `; waits ${plural(waited(event, this.model), "tick")}${whom}`;
    }
}

const COUNTERS_NOTE = "The first column counts the whole launch, the second what the blocks on this page " +
    "have done of it. docs/counters.md says what each counts.";

function launchName(model) {
    return `${model.kernel}, launch ${model.launch}`;
}

function legendItem(key, words) {
    const item = element("li"), sample = element("i", key);
    if (key !== "waits")
        sample.style.background = `var(--${key})`;
    item.append(sample, words);
    return item;
}
