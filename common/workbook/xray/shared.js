// Shared memory as a table of words, as it is when the instruction under the cursor has ended.

const MOST_WORDS = 2048;
const FORMS = {auto: "as their type", int: "integers", float: "floats", hex: "hexadecimal"};

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

    // Bytes of a block's shared memory after all stores up to the cursor: offset -> byte.
    bytesAt(cursor) {
        const bytes = new Map(), block = this.model.tracks[cursor.track].blockIndex;
        for (const event of this.stores) {
            if (event.place > cursor.place)
                break;
            if (this.model.tracks[event.track].blockIndex === block)
                this.apply(event, bytes);
        }
        return bytes;
    }

    apply(event, bytes) {
        for (const access of event.accesses.filter(each => each.space === "shared" && each.stores)) {
            const values = access.left;
            for (const lane of lanesOf(access.mask))
                if (values && access.at[lane] !== null)
                    this.put(access.at[lane], values[lane], access.bytes / values[lane].length, bytes);
        }
    }

    put(address, elements, size, bytes) {
        elements.forEach((bits, k) => {
            for (let byte = 0; byte < size; byte++)
                bytes.set(address + k * size + byte, Number(bits >> BigInt(8 * byte) & 255n));
        });
    }

    touched(event) {
        return event.accesses.filter(access => access.space === "shared").flatMap(access =>
            lanesOf(access.mask).flatMap(lane => this.elementsAt(access.at[lane], access.bytes)));
    }

    // Where the words begin that an access of some bytes touches.
    elementsAt(address, bytes) {
        const variable = this.model.shared.find(v => address >= v.offset && address < v.offset + v.size), found = [];
        const width = variable ? variable.width : 4, from = address - (address - (variable ? variable.offset : 0)) % width;
        for (let at = from; at < address + bytes; at += width)
            found.push(at);
        return found;
    }

    // The variable that the cursor's instruction touches, else the one shown.
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
        this.shownFor = event;
        const bytes = this.bytesAt(event), touched = new Set(this.touched(event));
        const writes = event.accesses.some(access => access.space === "shared" && access.stores), count = Math.floor(variable.size / variable.width);
        const from = this.firstShown(variable, count, [...touched]), to = Math.min(count, from + MOST_WORDS);
        const columns = this.view.page.columns(variable.width > 4 ? 2 : 1), table = element("div", "table");
        const narrow = columns === 32 ? 2.1 : 1.7, least = variable.width > 4 ? 4.2 : narrow;
        table.style.gridTemplateColumns = `2.4rem repeat(${columns}, minmax(${least}rem, 1fr))`;
        for (let i = from; i < to; i++) {
            const offset = variable.offset + i * variable.width;
            if ((i - from) % columns === 0)
                table.append(element("span", "row", i));
            table.append(this.cell(variable, i, bytes, touched.has(offset) && (writes ? "written" : "read"),
                accused.includes(offset)));
        }
        this.body.replaceChildren(table);
        this.caption(event, variable, from, to, count);
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

    cell(variable, index, bytes, state, accused) {
        const offset = variable.offset + index * variable.width, cell = element("span", `word-cell ${state || ""}`);
        let bits = 0n, known = false;
        for (let byte = variable.width - 1; byte >= 0; byte--) {
            known = known || bytes.has(offset + byte);
            bits = bits << 8n | BigInt(bytes.get(offset + byte) || 0);
        }
        const form = this.form.value === "auto" ? formOf(variable.type, bits) : this.form.value;
        cell.textContent = known ? valueText(bits, 8 * variable.width, form) : "·";
        cell.classList.toggle("unset", !known);
        cell.classList.toggle("accused", accused);
        cell.title = `${variable.name}[${index}], bank ${Math.floor(offset / 4) % 32}`;
        return cell;
    }
}
