// Shared memory as a table of words, after the instruction under the cursor.

const MOST_WORDS = 2048;
const FORMS = {auto: "as their type", int: "integers", unsigned: "unsigned", float: "floats", hex: "hexadecimal"};

class SharedTable {
    constructor(view) {
        this.view = view;
        this.box = view.find(".words");
        this.body = this.box.querySelector(".body");
        this.variables = view.find(".variable");
        this.form = view.find(".form");
        for (const [key, name] of Object.entries(FORMS))
            this.form.append(new Option(name, key));
        this.variables.addEventListener("change", () => this.show(view.cursor));
        this.form.addEventListener("change", () => this.show(view.cursor));
    }

    load(model) {
        this.model = model;
        this.box.hidden = model.shared.length === 0;
        this.variables.replaceChildren(...model.shared.map((variable, i) => new Option(variable.name, i)));
        this.stores = model.order.filter(event => event.accesses.some(access => access.space === "shared" && access.stores));
    }

    // Bytes of a block's shared memory after all stores up to the cursor, and the event that wrote each, -1: none.
    // Stores of concurrent warps count in the order of the run. The result is cached, so a cursor that moves forward
    // only adds new stores.
    memoryAt(cursor) {
        const block = this.model.tracks[cursor.track].blockIndex, kept = this.kept;
        if (!kept || kept.order !== this.model.order || kept.block !== block || kept.place > cursor.place)
            this.kept = this.nothing(block);
        for (; this.kept.next < this.stores.length && this.stores[this.kept.next].place <= cursor.place; this.kept.next++) {
            const event = this.stores[this.kept.next];
            if (this.model.tracks[event.track].blockIndex === block)
                this.apply(event, this.kept);
        }
        this.kept.place = cursor.place;
        return this.kept;
    }

    nothing(block) {
        const size = Math.max(0, ...this.model.shared.map(variable => variable.offset + variable.size)) + 64;
        return {order: this.model.order, block, place: -1, next: 0,
            bytes: new Uint8Array(size), by: new Int32Array(size).fill(-1)};
    }

    apply(event, memory) {
        for (const access of event.accesses.filter(each => each.space === "shared" && each.stores)) {
            const values = access.left;
            for (const lane of lanesOf(access.mask))
                if (values && access.at[lane] !== null)
                    this.put(access.at[lane], values[lane], access.bytes / values[lane].length, memory, event.id);
        }
    }

    put(address, elements, size, memory, id) {
        elements.forEach((bits, k) => {
            for (let byte = 0, at = address + k * size; byte < size; byte++, at++) {
                if (id < memory.by[at])
                    continue;
                memory.bytes[at] = Number(bits >> BigInt(8 * byte) & 255n);
                memory.by[at] = id;
            }
        });
    }

    touched(event) {
        return event.accesses.filter(access => access.space === "shared").flatMap(access =>
            lanesOf(access.mask).flatMap(lane => this.elementsAt(access.at[lane], access.bytes)));
    }

    // The start of each word that an access of some bytes touches.
    elementsAt(address, bytes) {
        const variable = this.model.shared.find(v => address >= v.offset && address < v.offset + v.size), found = [];
        const width = variable ? variable.width : 4;
        const from = address - (address - (variable ? variable.offset : 0)) % width;
        for (let at = from; at < address + bytes; at += width)
            found.push(at);
        return found;
    }

    // The variable that the cursor's instruction touches, else the current one.
    choose(event) {
        const first = this.touched(event)[0];
        const index = this.model.shared.findIndex(v => first >= v.offset && first < v.offset + v.size);
        if (index >= 0)
            this.variables.value = index;
        return this.model.shared[Number(this.variables.value) || 0];
    }

    show(event, accused = []) {
        if (!event || this.box.hidden)
            return;
        const variable = event === this.shownFor ? this.model.shared[this.variables.value] : this.choose(event);
        const touched = this.touched(event), count = Math.floor(variable.size / variable.width);
        const from = this.firstShown(variable, count, touched), to = Math.min(count, from + MOST_WORDS);
        this.shownFor = event;
        this.body.replaceChildren(this.table(variable, from, to, this.cells(event, variable, from, to, touched, accused)));
        this.caption(event, variable, from, to, count);
    }

    cells(event, variable, from, to, touched, accused) {
        const memory = this.memoryAt(event), marked = new Set(touched), cells = [];
        const stores = event.accesses.some(access => access.space === "shared" && access.stores);
        for (let i = from; i < to; i++) {
            const offset = variable.offset + i * variable.width;
            cells.push(this.cell(variable, i, memory, marked.has(offset) && (stores ? "written" : "read"),
                accused.includes(offset)));
        }
        return cells;
    }

    // One row for each pass over the banks, if the page is wide enough.
    table(variable, from, to, cells) {
        const columns = Math.min(cells.length, this.view.page.columns(variable.width > 4 ? 2 : 1));
        const table = element("div", "table");
        const longest = Math.max(...cells.map(cell => cell.textContent.length));
        const least = Math.max(1.6, (longest * 5.9 + 6) / 16);
        table.style.gridTemplateColumns = `2.4rem repeat(${columns}, minmax(${least}rem, 1fr))`;
        table.style.minWidth = columns < 16 ? "0" : "";
        cells.forEach((cell, i) => {
            if (i % columns === 0)
                table.append(element("span", "row", from + i));
            table.append(cell);
        });
        return table;
    }

    firstShown(variable, count, touched) {
        if (count <= MOST_WORDS || touched.length === 0)
            return 0;
        const first = Math.floor((Math.min(...touched) - variable.offset) / variable.width);
        return Math.min(Math.max(0, first - first % 32), count - MOST_WORDS);
    }

    caption(event, variable, from, to, count) {
        const track = this.model.tracks[event.track], words = `block ${track.block}, after this instruction`;
        const caption = this.box.querySelector("figcaption");
        const cut = to - from < count ? `; ${from} to ${to - 1} of ${count} are shown` : "";
        caption.replaceChildren(`Shared memory: ${variable.name} `, element("small", "", `${words}${cut}; · was never written`));
    }

    cell(variable, index, memory, state, accused) {
        const offset = variable.offset + index * variable.width, cell = element("span", `word-cell ${state || ""}`);
        let bits = 0n, known = false;
        for (let byte = variable.width - 1; byte >= 0; byte--) {
            known = known || memory.by[offset + byte] >= 0;
            bits = bits << 8n | BigInt(memory.bytes[offset + byte]);
        }
        const form = this.form.value === "auto" ? formOf(variable.type, bits) : this.form.value;
        cell.textContent = known ? valueText(bits, 8 * variable.width, form) : "·";
        cell.classList.toggle("unset", !known);
        cell.classList.toggle("accused", accused);
        cell.title = `${variable.name}[${index}], bank ${Math.floor(offset / 4) % 32}`;
        return cell;
    }
}
