// The instruction under the cursor: its 32 lanes, and where they meet: banks, sectors, shuffles, atomics.

function addressText(model, event, lane) {
    const address = event.at[lane];
    const block = event.space === "shared" && model.shared.find(v => address >= v.offset && address < v.offset + v.size);
    if (block)
        return `${block.name}[${Math.floor((address - block.offset) / block.width)}]`;
    if (event.space !== "global")
        return `+${address}`;
    return allocationText(model, address) || "0x" + address.toString(16);
}

// Global memory by allocation: its letter and the byte in it.
function allocationText(model, address) {
    const index = model.allocations.findIndex(a => address >= a.base && address < a.base + a.size);
    return index < 0 ? "" : `${model.allocations[index].name}+${address - model.allocations[index].base}`;
}

function valueOf(model, event, lane) {
    const code = model.instructions[event.in], type = (event.main ? code.type : code.sets) || typeOf(code.text);
    const values = event.value && event.value[lane];
    if (values && type === "pred")
        return Number(values[0]) >>> lane & 1 ? "true" : "false";
    return values ? values.map(bits => valueText(bits, widthOf(type), formOf(type, bits))).join(" ") : "";
}

function laneState(track, event, lane) {
    if (event.ran >>> lane & 1)
        return "";
    if (!(track.lanes >>> lane & 1))
        return "off";
    return "idle";
}

function laneWords(track, event, lane) {
    const states = {"": "at work", off: "not there, the block is not a multiple of 32", idle: "idle"};
    const predicated = event.mask >>> lane & 1 && !(event.ran >>> lane & 1);
    return predicated ? "its predicate is false" : states[laneState(track, event, lane)];
}

function laneCell(model, event, lane, accused) {
    const track = model.tracks[event.track], cell = element("li", `lane ${laneState(track, event, lane)}`);
    const thread = 32 * track.warp + lane, words = laneWords(track, event, lane);
    const at = event.at && event.at[lane] !== null;
    cell.classList.toggle("accused", accused.includes(lane));
    cell.append(element("b", "", `${lane}${event.mask >>> lane & 1 && !(event.ran >>> lane & 1) ? " false" : ""}`));
    if (event.value || event.at) {
        const value = valueOf(model, event, lane) || " ";
        cell.append(element("span", value.length > 8 ? "value long" : "value", value));
        cell.append(element("span", "where", at ? addressText(model, event, lane) : " "));
    }
    cell.title = `lane ${lane}, thread ${thread}: ${words}` + (at ? `; ${addressText(model, event, lane)} ` +
        `(${event.space} 0x${event.at[lane].toString(16)})` : "");
    return cell;
}

// ---- banks

// For each bank the words requested from it: [{word, lanes}].
function banksOf(event, bytes) {
    const banks = Array.from({length: 32}, () => []);
    for (const lane of lanesOf(event.ran))
        for (let byte = 0; event.at[lane] !== null && byte < Math.max(bytes, 1); byte += 4) {
            const word = Math.floor((event.at[lane] + byte) / 4), bank = banks[word % 32];
            const known = bank.find(cell => cell.word === word);
            if (known && known.lanes[known.lanes.length - 1] !== lane)
                known.lanes.push(lane);
            else if (!known)
                bank.push({word, lanes: [lane]});
        }
    return banks;
}

function bankColumn(model, bank, number) {
    const column = element("div", bank.length > 1 ? "bank tall" : "bank");
    column.append(element("span", "name", number));
    for (const {word, lanes} of bank) {
        const cell = element("span", "word", lanes.length > 2 ? `${lanes[0]}…` : lanes.join(" "));
        cell.title = `bank ${number}, word ${word}: lanes ${ranges(lanes)}`;
        column.append(cell);
    }
    return column;
}

function drawBanks(model, event, body) {
    const grid = element("div", "banks");
    banksOf(event, event.bytes).forEach((bank, i) => grid.append(bankColumn(model, bank, i)));
    body.append(grid);
    const passes = event.passes || 0, ideal = event.passesIdeal || 0;
    return ["Banks of shared memory, and the lanes that access them",
        `${passes === 1 ? "1 pass" : `${passes} passes`}, ` +
        (passes > ideal ? `${ideal} without conflicts: a bank serves one word of its stack at a time` : "no conflicts")];
}

// ---- sectors

// The 32-byte sectors that are touched: address -> for each of its 8 words {bytes, lanes}.
function sectorsOf(event, bytes) {
    const sectors = new Map();
    for (const lane of lanesOf(event.ran))
        for (let byte = 0; event.at[lane] !== null && byte < bytes; byte++) {
            const address = event.at[lane] + byte, base = address - address % 32;
            if (!sectors.has(base))
                sectors.set(base, Array.from({length: 8}, () => ({used: new Set(), lanes: new Set()})));
            const word = sectors.get(base)[Math.floor(address % 32 / 4)];
            word.used.add(address);
            word.lanes.add(lane);
        }
    return new Map([...sectors].sort((a, b) => a[0] - b[0]));
}

function sectorBox(model, base, words) {
    const box = element("div", "sector"), row = element("span", "bytes");
    box.append(element("span", "name", allocationText(model, base) || `0x${base.toString(16)}`), row);
    words.forEach((word, i) => {
        const state = word.used.size === 4 ? "byte used" : word.used.size > 0 ? "byte used part" : "byte";
        const lanes = [...word.lanes];
        const cell = element("span", state, lanes.length > 1 ? `${lanes[0]}…` : lanes.join());
        cell.title = `bytes ${4 * i} to ${4 * i + 3}: ` + (lanes.length ? `lanes ${ranges(lanes)}` : "not used");
        row.append(cell);
    });
    return box;
}

function drawSectors(model, event, body) {
    const sectors = sectorsOf(event, event.bytes), grid = element("div", "sectors");
    let used = 0;
    for (const [base, words] of sectors) {
        grid.append(sectorBox(model, base, words));
        used += words.reduce((sum, word) => sum + word.used.size, 0);
    }
    body.append(grid);
    const count = event.sectors || sectors.size, ideal = event.sectorsIdeal || Math.ceil(used / 32); // or it was not counted
    return ["Sectors of global memory, 32 bytes each, and the lanes that access them",
        plural(count, "sector") + 
        (count > ideal ? `, where ${ideal} would hold what is asked` : ", no more than its bytes fill") +
        `; ${used} of ${32 * sectors.size} bytes used`];
}

// ---- shuffles

function drawShuffle(model, event, body) {
    const step = 30, picture = drawn("svg", {width: 32 * step + 8, height: 118, role: "img"});
    picture.setAttribute("aria-label", "Arrows from the source lane to the destination lane");
    for (let lane = 0; lane < 32; lane++)
        for (const [y, mask] of [[26, event.mask], [92, event.ran]]) {
            const x = lane * step + 18, name = drawn("text", {x, y: y < 50 ? 14 : 112});
            picture.append(drawn("circle", {cx: x, cy: y, r: 5, class: mask >>> lane & 1 ? "" : "idle"}));
            name.textContent = lane;
            picture.append(name);
        }
    for (const lane of lanesOf(event.ran))
        if (event.from && event.from[lane] !== null)
            picture.append(...shuffleArrow(event.from[lane] * step + 18, lane * step + 18, event.from[lane] === lane));
    body.append(picture);
    return ["Shuffle: the source lane above, the destination lane below", ""];
}

function shuffleArrow(from, to, itself) {
    const line = drawn("line", {x1: from, y1: 32, x2: to, y2: 84, "stroke-dasharray": itself ? "3 3" : ""});
    return [line, drawn("circle", {cx: to, cy: 84, r: 2.5})];
}

// ---- atomics

function crowds(event) {
    const found = new Map();
    for (const lane of lanesOf(event.ran))
        if (event.at[lane] !== null)
            found.set(event.at[lane], [...(found.get(event.at[lane]) || []), lane]);
    return [...found].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
}

function drawAtomic(model, event, body) {
    const list = element("ul", "met"), all = crowds(event);
    for (const [, lanes] of all) {
        const row = element("li", lanes.length > 4 ? "many" : ""), crowd = element("span", "crowd");
        row.append(element("span", "", `${addressText(model, event, lanes[0])}: ${plural(lanes.length, "lane")}`), crowd);
        crowd.append(...lanes.map(lane => element("i", "", lane)));
        list.append(row);
    }
    body.append(list);
    const most = all.length ? all[0][1].length : 0;
    return ["Atomics: which lanes share a word", `${plural(all.length, "word")}; at most ${plural(most, "lane")} at one of them, ` +
        "served one after another"];
}

// The detail that fits the instruction: [title, words], or null.
function drawMeeting(model, event, body) {
    const code = model.instructions[event.in];
    body.replaceChildren();
    if (code.kind === "shuffle" && event.from)
        return drawShuffle(model, event, body);
    if (!event.at || !event.ran || /^cp\.(reduce\.)?async\.bulk/.test(code.op)) // the bytes move later
        return null;
    if (code.kind === "atomic")
        return drawAtomic(model, event, body);
    if (event.space === "shared")
        return drawBanks(model, event, body);
    return event.space === "global" ? drawSectors(model, event, body) : null;
}
