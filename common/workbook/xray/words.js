// How values look: what the bits of a load or a store mean, by the type in its PTX.

const BITS = new DataView(new ArrayBuffer(8));

// The type in an instruction's text: f32 of `@%p1 ld.shared.f32 %f1, [%r2]`.
function typeOf(text) {
    const opcode = text.replace(/^@\S+\s+/, "").split(/\s/)[0];
    const found = opcode.split(".").filter(part => /^([bsuf](8|16|32|64)|f16x2|bf16|b128)$/.test(part));
    return found.length ? found[found.length - 1] : "b32";
}

function floatText(number) {
    if (Number.isNaN(number))
        return "NaN";
    if (Number.isInteger(number) && Math.abs(number) < 1e6)
        return String(number);
    return String(Number(number.toPrecision(4))).replace("Infinity", "∞");
}

function signed(bits, width) {
    return BigInt.asIntN(width, bits);
}

// bits, a BigInt of width bits, as a number of the given form: int, unsigned, float, hex.
function valueText(bits, width, form) {
    if (form === "float" && width === 32) {
        BITS.setUint32(0, Number(BigInt.asUintN(32, bits)));
        return floatText(BITS.getFloat32(0));
    }
    if (form === "float" && width === 64) {
        BITS.setBigUint64(0, BigInt.asUintN(64, bits));
        return floatText(BITS.getFloat64(0));
    }
    if (form === "int")
        return signed(bits, width).toString();
    if (form === "unsigned")
        return BigInt.asUintN(width, bits).toString();
    return "0x" + BigInt.asUintN(width, bits).toString(16);
}

function widthOf(type) {
    return Number((type.match(/\d+/) || ["32"])[0]);
}

// b32 may be anything: an int if the sign or a small magnitude suggests it, a float if the exponent is a float's.
function guessForm(bits) {
    const low = Number(BigInt.asUintN(32, bits)), exponent = (low >>> 23) & 255;
    const small = low < 2 ** 24 || low > 2 ** 32 - 2 ** 24;
    return !small && exponent > 87 && exponent < 167 ? "float" : "int";
}

// nvcc loads int as u32, too: a value near 2^32 is a small negative number.
function formOf(type, bits) {
    if (type === "u32")
        return Number(BigInt.asUintN(32, bits)) > 2 ** 32 - 2 ** 24 ? "int" : "unsigned";
    const forms = {f: "float", s: "int", u: "unsigned"};
    return forms[type[0]] || (widthOf(type) === 32 ? guessForm(bits) : "hex");
}

function plural(count, word) {
    return `${count} ${word}${count === 1 ? "" : "s"}`;
}

// 0, 1, 2, 5 as "0-2, 5".
function ranges(numbers) {
    const parts = [];
    for (const n of numbers) {
        const last = parts[parts.length - 1];
        if (last && last[1] === n - 1)
            last[1] = n;
        else
            parts.push([n, n]);
    }
    return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}

function lanesOf(mask) {
    const lanes = [];
    for (let lane = 0; lane < 32; lane++)
        if (mask >>> lane & 1)
            lanes.push(lane);
    return lanes;
}

function countBits(mask) {
    return lanesOf(mask).length;
}

function element(name, className, text) {
    const made = document.createElement(name);
    if (className)
        made.className = className;
    if (text !== undefined)
        made.textContent = text;
    return made;
}

function drawn(name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes))
        made.setAttribute(key, value);
    return made;
}
