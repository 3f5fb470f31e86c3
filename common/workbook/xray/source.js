// The source: coloured words, the heat of each line, the lines of a finding and the arrow between them.

const C_WORDS = new Set(("if else for while do return switch case break continue default static const struct union enum " +
    "void int unsigned signed char short long float double bool sizeof typedef extern inline volatile goto true false " +
    "template typename class using namespace auto constexpr").split(" "));
const CUDA_WORDS = /^(__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|atomic\w+|dim3|u?int[234]|float[234]|double2)$/;
const C_TOKENS = /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\b\d[\w.]*|[A-Za-z_]\w*|^\s*#\s*\w+|./g;

function tokenClass(token) {
    if (/^\/[/*]/.test(token))
        return "c-comment";
    if (/^["']/.test(token))
        return "c-string";
    if (/^\s*#/.test(token))
        return "c-pre";
    if (/^\d/.test(token))
        return "c-number";
    return C_WORDS.has(token) ? "c-word" : CUDA_WORDS.test(token) ? "c-cuda" : "";
}

// Appends the words of a line to `to`. inside: the line begins within a comment. Returns whether the next one does.
function appendCode(to, line, inside) {
    const end = inside ? line.indexOf("*/") : -1;
    if (inside) {
        to.append(element("span", "c-comment", end < 0 ? line : line.slice(0, end + 2)));
        if (end < 0)
            return true;
        line = line.slice(end + 2);
    }
    for (const token of line.match(C_TOKENS) || []) {
        const name = tokenClass(token);
        to.append(name ? element("span", name, token) : token);
        inside = token.startsWith("/*") && !token.endsWith("*/");
        if (inside)
            return true;
    }
    return false;
}

// What the heat column can show. of(line): {number, most, words}: the value, the end of its scale, and its text.
const HEATS = {
    instructions: {
        name: "instructions", of: cost => cost.instructions,
        text: n => String(n), words: cost => `${plural(cost.instructions, "warp instruction")}`,
    },
    idle: {
        name: "idle lanes", of: cost => cost.idle, text: (n, cost) => percent(n, 32 * cost.instructions),
        words: cost => `${cost.idle} of ${32 * cost.instructions} lanes idle`,
    },
    sectors: {
        name: "sectors per request", of: cost => cost.sectors, text: (n, cost) => ratio(n, cost.requests),
        words: cost => `${cost.sectors} sectors in ${plural(cost.requests, "request")}, ideal ${cost.sectorsIdeal}`,
    },
    passes: {
        name: "bank passes", of: cost => cost.passes - cost.passesIdeal, shown: cost => cost.passes > 0,
        text: (n, cost) => ratio(cost.passes, cost.banked),
        words: cost => `${plural(cost.passes, "pass").replace("passs", "passes")} for ${plural(cost.banked, "request")}, ` +
            `ideal ${cost.passesIdeal}`,
    },
    waits: {
        name: "waits", of: cost => cost.waits, text: n => String(n), shown: cost => cost.arrivals > 0,
        words: cost => `${cost.waits} ticks of waiting, summed over ${plural(cost.arrivals, "arrival")}`,
    },
};

function percent(part, whole) {
    return whole ? `${Math.round(100 * part / whole)}%` : "";
}

function ratio(part, whole) {
    const value = whole ? part / whole : 0;
    return whole ? String(Number(value.toFixed(value < 10 ? 1 : 0))) : "";
}

const NO_COST = {instructions: 0, idle: 0, sectors: 0, sectorsIdeal: 0, requests: 0, passes: 0, passesIdeal: 0, banked: 0,
    arrivals: 0, waits: 0};

function addCost(cost, event, model) {
    cost.arrivals += event.arrives || event.meets ? 1 : 0;
    cost.waits += waited(event, model);
    if (event.meets)
        return;
    cost.instructions++;
    cost.idle += 32 - countBits(event.ran);
    cost.sectors += event.sectors || 0;
    cost.sectorsIdeal += event.sectorsIdeal || 0;
    cost.requests += event.sectors ? 1 : 0;
    cost.passes += event.passes || 0;
    cost.passesIdeal += event.passesIdeal || 0;
    cost.banked += event.passes ? 1 : 0;
}

// The costs of each line, by "file:line", and their total under "".
function lineCosts(model) {
    const costs = new Map([["", {...NO_COST}]]);
    for (const event of model.order) {
        const code = model.instructions[event.in], key = `${code.file}:${code.line}`;
        if (!costs.has(key))
            costs.set(key, {...NO_COST});
        addCost(costs.get(key), event, model);
        addCost(costs.get(""), event, model);
    }
    return costs;
}

class Source {
    constructor(view) {
        this.view = view;
        this.box = view.find(".source");
        this.list = view.find(".lines");
        this.joins = view.find(".joins");
        this.files = view.find(".file");
        this.heat = view.find(".heat");
        for (const [key, heat] of Object.entries(HEATS))
            this.heat.append(new Option(heat.name, key));
        this.files.addEventListener("change", () => this.showFile(Number(this.files.value)));
        this.heat.addEventListener("change", () => { this.showHeat(); view.page.writePlace(); });
        new ResizeObserver(() => this.drawJoins()).observe(this.list);
    }

    load(model) {
        this.model = model;
        this.costs = lineCosts(model);
        this.files.replaceChildren(...model.files.map((file, i) => new Option(file.name, i)));
        this.shownFile = -1;
        this.showFile(model.instructions.length ? model.instructions[model.order.length ? model.order[0].in : 0].file : 0);
    }

    showFile(file) {
        if (file === this.shownFile || !this.model.files[file])
            return;
        this.shownFile = file;
        this.files.value = file;
        this.rows = [];
        this.list.replaceChildren();
        let inside = false;
        this.model.files[file].lines.forEach((text, i) => {
            inside = this.addLine(text, i + 1, inside);
        });
        this.showHeat();
        this.markFindings();
    }

    addLine(text, number, inside) {
        const row = element("div", "code-line"), code = element("span", "code");
        row.setAttribute("role", "listitem");
        row.append(element("span", "hot"), element("span", "number", number), element("span"), code);
        inside = appendCode(code, text, inside);
        if (this.costs.has(`${this.shownFile}:${number}`)) {
            row.classList.add("runs");
            row.addEventListener("click", () => this.view.goToLine(this.shownFile, number));
        }
        row.dataset.line = number;
        this.rows[number] = row;
        this.list.append(row);
        return inside;
    }

    chooseHeat(name) {
        if (HEATS[name])
            this.heat.value = name;
        this.showHeat();
    }

    // The first event of the first executed line with these words; most: the one with the highest heat.
    find(words, most) {
        const {order, instructions, files} = this.model;
        const line = event => files[instructions[event.in].file]?.lines[instructions[event.in].line - 1] || "";
        const found = order.filter(event => line(event).includes(words));
        return most ? this.hottest(found) : found[0];
    }

    // The first of those with the highest heat.
    hottest(events) {
        const heat = HEATS[this.heat.value];
        const cost = event => {
            const one = {...NO_COST};
            addCost(one, event, this.model);
            return heat.of(one);
        };
        return events.reduce((best, event) => (!best || cost(event) > cost(best) ? event : best), null);
    }

    showHeat() {
        const heat = HEATS[this.heat.value];
        const all = [...this.costs].filter(([key]) => key).map(([, cost]) => heat.of(cost));
        const most = Math.max(1, ...all);
        for (const [number, row] of Object.entries(this.rows)) {
            const cost = this.costs.get(`${this.shownFile}:${number}`), cell = row.firstChild;
            const shown = cost && (heat.shown ? heat.shown(cost) : heat.of(cost) > 0);
            cell.textContent = shown ? heat.text(heat.of(cost), cost) : "";
            cell.title = shown ? heat.words(cost) : "";
            cell.style.background = shown ? `rgba(var(--heat), ${(0.5 * heat.of(cost) / most).toFixed(3)})` : "";
        }
    }

    // Lines at the ends of findings.
    markFindings() {
        for (const finding of this.model.findings)
            for (const place of finding.places)
                if (place && place.file === this.shownFile && this.rows[place.line])
                    this.rows[place.line].classList.add("end");
        this.drawJoins();
    }

    markChosen(number) {
        this.chosen = number;
        for (const path of this.joins.children)
            path.classList.toggle("other", path.dataset.finding !== String(number));
    }

    drawJoins() {
        this.joins.replaceChildren();
        this.joins.setAttribute("height", this.list.offsetHeight);
        this.model.findings.forEach((finding, i) => {
            const [from, to] = finding.places;
            if (from && to && from.file === this.shownFile && to.file === this.shownFile)
                this.drawJoin(this.rows[from.line], this.rows[to.line], i);
        });
        this.markChosen(this.chosen || 0);
    }

    // An arrow in the margin, from the line of the first access to that of the second; a loop if they are the same.
    drawJoin(from, to, index) {
        if (!from || !to)
            return;
        const code = from.lastChild.offsetLeft, far = code - 22 + 4 * (index % 3), same = from === to;
        const middle = row => row.offsetTop + row.offsetHeight / 2, gap = same ? 4 : 0;
        const a = middle(from) - gap, b = middle(to) + gap;
        const path = drawn("path", {d: `M${code - 3} ${a}H${far}V${b}H${code - 8}`});
        path.dataset.from = from.dataset.line;
        path.dataset.to = to.dataset.line;
        const tip = drawn("path", {class: "tip", d: `M${code - 9} ${b - 4}l7 4l-7 4z`});
        path.dataset.finding = tip.dataset.finding = index;
        this.joins.append(path, tip);
    }

    show(event) {
        const code = this.model.instructions[event.in];
        this.showFile(code.file);
        if (this.here)
            this.here.classList.remove("here");
        this.here = this.rows[code.line];
        if (!this.here)
            return;
        this.here.classList.add("here");
        this.bringIntoView(this.rowsToSee(event, this.here));
    }

    // A line of a finding that has no instruction on the page.
    showPlace(place) {
        if (!place)
            return;
        this.showFile(place.file);
        if (this.rows[place.line])
            this.bringIntoView([this.rows[place.line]]);
    }

    // The cursor's line, and the lines of a finding that it is an end of, if all of these fit.
    rowsToSee(event, here) {
        const shown = this.model.findings[this.chosen || 0];
        const finding = shown && shown.events.includes(event) ? shown : null;
        const ends = finding ? finding.places.filter(place => place && place.file === this.shownFile) : [];
        const rows = [here, ...ends.map(place => this.rows[place.line]).filter(Boolean)]
            .sort((a, b) => a.offsetTop - b.offsetTop);
        const height = rows[rows.length - 1].offsetTop - rows[0].offsetTop;
        return height < this.box.clientHeight - 4 * here.offsetHeight ? rows : [here];
    }

    bringIntoView(rows) {
        const last = rows[rows.length - 1], top = rows[0].offsetTop, bottom = last.offsetTop + last.offsetHeight;
        const margin = 1.5 * last.offsetHeight, spare = this.box.clientHeight - (bottom - top);
        if (top < this.box.scrollTop + margin || bottom > this.box.scrollTop + this.box.clientHeight - margin)
            this.box.scrollTop = Math.max(0, top - spare / 3);
    }
}
