// The whole page: its programs, keys and theme, and the cursor's position in its address.

class Page {
    constructor(start) {
        this.views = document.getElementById("views");
        this.list = [];
        this.start = start;
        this.embedded = window.parent !== window;
        if (this.embedded)
            this.embed();
        document.getElementById("what").textContent = start.what || "";
        document.getElementById("missed").textContent = !start.missed ? "" :
            `Bound not met: ${start.missed}. This page shows a smaller run, whose figures may differ.`;
        this.setTheme(this.keptTheme());
        document.getElementById("theme").addEventListener("click", () => this.switchTheme());
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme(this.keptTheme()));
        document.addEventListener("keydown", event => this.key(event));
        window.addEventListener("hashchange", () => this.readPlace());
        let narrow = this.columns(1);
        window.addEventListener("resize", () => {
            if (narrow !== this.columns(1))
                this.list.forEach(view => view.shared.show(view.cursor));
            narrow = this.columns(1);
        });
    }

    // The number of words in a table row.
    columns(wide) {
        const all = matchMedia("(max-width: 760px)").matches ? 8 : this.list.length > 1 || this.two ? 16 : 32;
        return all / wide;
    }

    open(programs) {
        this.two = programs.length > 1;
        this.views.classList.toggle("two", this.two);
        document.getElementById("rule").hidden = !this.two;
        programs.forEach((program, i) => this.list.push(new View(this, program, i)));
        this.active = this.list[0];
        document.title = `X-ray: ${programs.map(program => program.title).join(" and ")}`;
        if (location.hash.length > 1)
            this.readPlace();
        else
            this.goToStart();
        if (this.two)
            this.sameScale();
        if (this.start.failed && programs[0].launches.every(model => model.findings.length === 0))
            document.getElementById("missed").textContent =
                `The last run failed: ${this.start.failed}. The run on this page shows nothing of it.`;
    }

    // Where a check or a lesson failed, if the runner knows.
    goToStart() {
        const {heat, line, file} = this.start, view = this.list[0];
        this.list.forEach(each => each.source.chooseHeat(heat));
        const ends = (long, short) => long === short || long.endsWith(`/${short}`); // relative to different folders
        const isIt = known => ends(known.name, file) || ends(file, known.name);
        const on = model => {
            const index = line ? model.files.findIndex(isIt) : -1;
            return index < 0 ? [] : model.order.filter(event => model.instructions[event.in].file === index &&
                model.instructions[event.in].line === line);
        };
        const other = on(view.model).length ? -1 : view.launches.findIndex(model => on(model).length);
        if (other >= 0 && view.launches.every(model => model.findings.length === 0))
            view.load(other);
        const there = on(view.model);
        if (there.length > 0 && view.model.findings.length === 0)
            view.go(view.source.hottest(there));
        else if (line && there.length === 0 && view.model.findings.length === 0)
            view.source.showPlace({file: view.model.files.findIndex(isIt), line});
        else
            this.moved(view);
    }

    sameScale() {
        const scale = Math.min(...this.list.map(view => view.timeline.fitting()));
        this.list.forEach(view => view.timeline.setScale(scale));
    }

    // A view's cursor has moved: the other view follows.
    moved(view) {
        if (this.list.length > 1 && !this.following) {
            this.following = true;
            for (const other of this.list.filter(each => each !== view))
                other.goToShare(view.cursor.start / view.model.span);
            this.following = false;
        }
        this.writePlace();
    }

    // ---- the address: #at=EVENT&launch=N&heat=NAME, for the current program: &program=N. A link may also have
    // #line=WORDS, the first instruction of the first line with these words, or #most, the one with the highest heat.

    writePlace() {
        const view = this.active;
        if (!view || !view.cursor || this.reading)
            return;
        const parts = [`at=${view.cursor.id}`, `launch=${view.number}`, `heat=${view.source.heat.value}`];
        if (view.index > 0)
            parts.push(`program=${view.index}`);
        this.written = `#${parts.join("&")}`;
        history.replaceState(null, "", this.written);
    }

    readPlace() {
        if (location.hash === this.written)
            return;
        const parts = new URLSearchParams(location.hash.slice(1));
        const view = this.list[Number(parts.get("program"))] || this.list[0];
        this.reading = true;
        this.active = view;
        const launch = Number(parts.get("launch") || view.number);
        if (view.launches[launch] && launch !== view.number)
            view.load(launch);
        view.source.chooseHeat(parts.get("heat"));
        const event = this.wanted(view, parts);
        this.reading = false;
        view.go(event || view.cursor);
    }

    // The event that an address names: by its number, by words of its source line, or as the one with the highest heat.
    wanted(view, parts) {
        if (parts.has("at"))
            return view.model.order.find(event => event.id === Number(parts.get("at")));
        return parts.has("line") || parts.has("most") ? view.source.find(parts.get("line") || "", parts.has("most")) : null;
    }

    // ---- in a frame of another page: only the current view; the other page receives the height and sets the theme

    embed() {
        const root = document.documentElement;
        root.classList.add("embedded");
        root.classList.toggle("with-source", /[#&]source/.test(location.hash));
        let most = 0; // while the reader steps, the frame only grows; before, it follows the content
        let used = false;
        const tell = () => {
            most = Math.max(used ? most : 0, document.body.offsetHeight);
            window.parent.postMessage({xray: most}, "*");
        };
        for (const kind of ["pointerdown", "keydown"])
            window.addEventListener(kind, () => { used = true; }, true);
        new ResizeObserver(tell).observe(document.body);
        window.addEventListener("message", ({source, data}) => {
            if (source !== window.parent || !data || !["light", "dark"].includes(data.theme))
                return;
            this.chosen = data.theme;
            this.setTheme(data.theme);
            tell();
        });
        let width = window.innerWidth; // a new width redraws everything; the height changes with every message
        window.addEventListener("resize", () => {
            used = used && window.innerWidth === width;
            width = window.innerWidth;
        });
    }

    // ---- keys

    key(event) {
        const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
        const pressed = /^(BUTTON|SUMMARY|A)$/.test(event.target.tagName);
        if (typing || event.ctrlKey || event.metaKey || event.altKey || (pressed && [" ", "Enter"].includes(event.key)))
            return;
        const view = this.active, act = {
            ArrowRight: () => view.along(1), ArrowLeft: () => view.along(-1), ArrowDown: () => view.across(1),
            ArrowUp: () => view.across(-1), ".": () => view.through(1), ",": () => view.through(-1), " ": () => this.play(),
            b: () => view.toBarrier(1), B: () => view.toBarrier(-1), f: () => view.toFinding(1), F: () => view.toFinding(-1),
            l: () => view.toSameLine(1), L: () => view.toSameLine(-1), Home: () => view.toEnd(-1), End: () => view.toEnd(1),
            "+": () => view.timeline.zoom(1), "-": () => view.timeline.zoom(-1), t: () => this.switchTheme(),
        }[event.key];
        if (!act || this.scrolls(event))
            return;
        event.preventDefault();
        act();
    }

    // Arrows and Home scroll if the focus is in a scrolling box other than a track.
    scrolls(event) {
        return /^(ArrowUp|ArrowDown|Home|End)/.test(event.key) && event.target.closest(".source, .box .body") !== null;
    }

    // ---- playing

    play() {
        if (this.timer) {
            this.pause();
            return;
        }
        const slow = matchMedia("(prefers-reduced-motion: reduce)").matches ? 600 : 90;
        if (!this.active.tick())
            this.active.toEnd(-1);
        this.timer = setInterval(() => this.active.tick() || this.pause(), slow);
        this.showPlaying("Pause");
    }

    pause() {
        clearInterval(this.timer);
        this.timer = null;
        this.showPlaying("Play");
    }

    showPlaying(name) {
        for (const button of document.querySelectorAll('[data-do="play"]')) {
            button.textContent = name;
            button.setAttribute("aria-label", name);
        }
    }

    // ---- light and dark

    keptTheme() {
        return this.chosen || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    }

    setTheme(theme) {
        document.documentElement.dataset.theme = theme;
        document.getElementById("theme").textContent = theme === "dark" ? "Light" : "Dark";
        for (const view of this.list) {
            view.timeline.colours = null;
            view.timeline.draw();
        }
    }

    switchTheme() {
        this.chosen = this.keptTheme() === "dark" ? "light" : "dark";
        this.setTheme(this.chosen);
    }
}

// What the runner wrote into the page.
function written(id) {
    const script = document.getElementById(id);
    return script ? JSON.parse(script.textContent) : null;
}

function openPage() {
    const start = written("start"), page = new Page(start), programs = [];
    for (let i = 0; written(`program-${i}`); i++)
        programs.push(readProgram(written(`program-${i}`), start.programs[i]));
    page.open(programs);
    window.xray = page; // for tests and the console
}

try {
    openPage();
} catch (problem) {
    document.getElementById("views").textContent = `This page cannot show its trace: ${problem.message}`;
    throw problem;
}
