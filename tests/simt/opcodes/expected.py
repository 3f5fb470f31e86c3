#!/usr/bin/env python3
"""Writes the tables of opcode tests whose values follow from a formula: integer, bits, float, half, rounded,
compare, convert.

The rules below were written from the text of the PTX ISA 9.0 (chapter "Instruction Set"), with exact integers and
fractions, and know nothing of the SIMT machine; gpu.c compares the tables with a GPU. The build writes them into
tests/simt/opcodes of the build tree. By hand:

    python3 tests/simt/opcodes/expected.py FOLDER
"""
import math
import sys
from fractions import Fraction

SIZES = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "pred": 1}


def bits_of(t):
    return SIZES.get(t) or int(t.lstrip("busf").split("x")[0]) * (2 if "x2" in t else 1)


def wrap(v, t):
    return v & ((1 << bits_of(t)) - 1)


def number(v, t):
    """The value of the low bits of v as type t."""
    v = wrap(v, t)
    return v - (1 << bits_of(t)) if t[0] == "s" and v >> (bits_of(t) - 1) else v


def lowest(t):
    return -(1 << (bits_of(t) - 1)) if t[0] == "s" else 0


def highest(t):
    return (1 << (bits_of(t) - (t[0] == "s"))) - 1


def clamp(v, t):
    return max(lowest(t), min(highest(t), v))


# ---- writing

class Table:
    def __init__(self, path, title):
        self.file = open(path, "w")
        self.file.write(f"# {title}\n# Written by expected.py; see table.h for the form of a line.\n")

    def section(self, title):
        self.file.write(f"\n# ---- {title}\n")

    def put(self, op, examples):
        """examples: (inputs, outputs), each a list of integers or strings."""
        rows, row, width = [], [], 0
        for ins, outs in examples:
            a, b = " ".join(map(show, ins)), " ".join(map(show, outs))
            if row and width + len(a) + len(b) + 4 > 113 - max(len(op), 16):
                rows.append(row)
                row, width = [], 0
            row.append((a, b))
            width += len(a) + len(b) + 4
        rows.append(row)
        for i, row in enumerate(rows):
            first = op if i == 0 else ""
            self.file.write(f"{first:<16} | {', '.join(a for a, _ in row)} | {', '.join(b for _, b in row)}\n")


def show(v):
    return v if isinstance(v, str) else str(v) if -10 < v < 100 else hex(v)


# ---- integers

def edges(t):
    n = bits_of(t)
    top = 1 << (n - 1)
    return [0, 1, wrap(-1, t), top - 1, top, 7, wrap(-7, t), 0x1234567890ABCDEF & ((1 << n) - 1)]


def pairs(t):
    e = edges(t)
    return [(e[5], e[1]), (e[3], e[1]), (e[4], e[1]), (e[4], e[2]), (e[2], e[2]), (e[0], e[4]), (e[7], e[5]), (e[7],
        e[6]),
            (e[3], e[3]), (e[4], e[4]), (e[1], e[7]), (e[6], e[0])]


def quotient(a, b, t):
    if b == 0:
        return -1  # not specified; what an H200 gives
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def remainder(a, b, t):
    return -1 if b == 0 else a - b * quotient(a, b, t)  # likewise


def binary(table, op, t, f, cases=None, out=None):
    out = out or t
    table.put(op, [((a, b), (wrap(f(number(a, t), number(b, t)), out),)) for a, b in cases or pairs(t)])


def ternary(table, op, t, f, ct=None, out=None):
    ct, out = ct or t, out or t
    third = edges(ct)
    table.put(op, [((a, b, third[i % 8]), (wrap(f(number(a, t), number(b, t), number(third[i % 8], ct)), out),))
                   for i, (a, b) in enumerate(pairs(t))])


def integer_types(table, n):
    for s in "us":
        t = f"{s}{n}"
        binary(table, f"add.{t}", t, lambda a, b: a + b)
        binary(table, f"sub.{t}", t, lambda a, b: a - b)
        binary(table, f"mul.lo.{t}", t, lambda a, b: a * b)
        binary(table, f"mul.hi.{t}", t, lambda a, b: a * b >> n)
        binary(table, f"div.{t}", t, lambda a, b: quotient(a, b, t))
        binary(table, f"rem.{t}", t, lambda a, b: remainder(a, b, t))
        binary(table, f"min.{t}", t, min)
        binary(table, f"max.{t}", t, max)
        ternary(table, f"mad.lo.{t}", t, lambda a, b, c: a * b + c)
        ternary(table, f"mad.hi.{t}", t, lambda a, b, c: (a * b >> n) + c)
        ternary(table, f"sad.{t}", t, lambda a, b, c: c + abs(a - b))
    table.put(f"abs.s{n}", [((a,), (wrap(abs(number(a, t)), t),)) for a in edges(t)])
    table.put(f"neg.s{n}", [((a,), (wrap(-number(a, t), t),)) for a in edges(t)])


def low24(v, t):
    return (v & 0xFFFFFF) - ((v & 0x800000) << 1 if t == "s32" else 0)


def dp4a(a, b, c, ta, tb):
    parts = lambda v, t: [number(v >> s, t[0] + "8") for s in (0, 8, 16, 24)]
    return c + sum(x * y for x, y in zip(parts(a, ta), parts(b, tb)))


def dp2a(a, b, c, ta, tb, high):
    b >>= 16 if high else 0
    return c + sum(number(a >> 16 * i, ta[0] + "16") * number(b >> 8 * i, tb[0] + "8") for i in (0, 1))


def halves(f, t):
    return lambda a, b: sum(wrap(f(number(a >> s, t), number(b >> s, t)), t) << s for s in (0, 16))


def integer(path):
    table = Table(path, "Integer arithmetic.")
    for n in (16, 32, 64):
        table.section(f"{n} bits")
        integer_types(table, n)
    table.section("saturating, wide, 24 bits, dot products, pairs")
    binary(table, "add.sat.s32", "s32", lambda a, b: clamp(a + b, "s32"))
    binary(table, "sub.sat.s32", "s32", lambda a, b: clamp(a - b, "s32"))
    ternary(table, "mad.hi.sat.s32", "s32", lambda a, b, c: clamp((a * b >> 32) + c, "s32"))
    binary(table, "min.relu.s32", "s32", lambda a, b: max(min(a, b), 0))
    binary(table, "max.relu.s32", "s32", lambda a, b: max(a, b, 0))
    for t in ("u16", "s16", "u32", "s32"):
        twice = t[0] + str(2 * int(t[1:]))
        binary(table, f"mul.wide.{t}", t, lambda a, b: a * b, out=twice)
        ternary(table, f"mad.wide.{t}", t, lambda a, b, c: a * b + c, ct=twice, out=twice)
    narrow = [(0xFFFFFF, 2), (0x800000, 3), (0x7FFFFF, 0x7FFFFF), (0xFF000001, 5), (0xFFFFFFFF, 0xFFFFFFFF),
        (0x123456, 0xABCDEF)]
    for t in ("u32", "s32"):
        product = lambda a, b: low24(wrap(a, "u32"), t) * low24(wrap(b, "u32"), t)
        binary(table, f"mul24.lo.{t}", t, product, narrow)
        binary(table, f"mul24.hi.{t}", t, lambda a, b: product(a, b) >> 16, narrow)
        for part, shift in (("lo", 0), ("hi", 16)):
            table.put(f"mad24.{part}.{t}", [((a, b, c), (wrap((product(a, b) >> shift) + c, t),))
                                           for (a, b), c in zip(narrow, edges("u32"))])
    for ta in ("u32", "s32"):
        for tb in ("u32", "s32"):
            table.put(f"dp4a.{ta}.{tb}", [((a, b, c), (wrap(dp4a(a, b, c, ta, tb), "u32"),)) for a, b, c in
                      [(0x01020304, 0x05060708, 0), (0xFF80FF7F, 0x7F8080FF, 5), (0xFFFFFFFF, 0xFFFFFFFF, 0x7FFFFFFF)]])
            for part in ("lo", "hi"):
                table.put(f"dp2a.{part}.{ta}.{tb} %d.b32, %a.b32, %b.b32, %c.b32", [
                    ((a, b, c), (wrap(dp2a(a, b, c, ta, tb, part == "hi"), "u32"),)) for a, b, c in
                    [(0x01020304, 0x05060708, 0), (0xFF80FF7F, 0x7F8080FF, 5), (0xFFFFFFFF, 0xFFFFFFFF, 0x7FFFFFFF)]])
    two = [(0x00010002, 0x00030004), (0xFFFF8000, 0x00018000), (0x7FFFFFFF, 0x80000001), (0x80007FFF, 0x7FFF8000)]
    for t in ("u16", "s16"):
        for op, f in (("add", lambda a, b: a + b), ("min", min), ("max", max)):
            table.put(f"{op}.{t}x2", [((a, b), (halves(f, t)(a, b),)) for a, b in two])


# ---- bits

def shifted(a, b, t, left):
    n = bits_of(t)
    b = min(b, n)
    return wrap(a << b, t) if left else wrap(number(a, t) >> b, t)


def permuted(a, b, c, mode):
    modes = {"f4e": ["3210", "4321", "5432", "6543"], "b4e": ["5670", "6701", "7012", "0123"],
             "rc8": ["0000", "1111", "2222", "3333"], "ecl": ["3210", "3211", "3222", "3333"],
             "ecr": ["0000", "1110", "2210", "3210"], "rc16": ["1010", "3232", "1010", "3232"]}
    whole = [(b << 32 | a) >> 8 * i & 0xFF for i in range(8)]
    result = 0
    for i in range(4):
        if mode:
            byte = whole[int(modes[mode][c & 3][3 - i])]
        else:
            s = c >> 4 * i & 15
            byte = whole[s & 7]
            byte = (0xFF if byte & 0x80 else 0) if s & 8 else byte
        result |= byte << 8 * i
    return result


def extract(a, pos, length, t):
    n, pos, length = bits_of(t), pos & 0xFF, length & 0xFF
    sign = 0 if t[0] == "u" or length == 0 else a >> min(pos + length - 1, n - 1) & 1
    return sum((a >> pos + i & 1 if i < length and pos + i < n else sign) << i for i in range(n))


def insert(a, b, pos, length, n):
    pos, length = pos & 0xFF, length & 0xFF
    for i in range(length):
        if pos + i < n:
            b = b & ~(1 << pos + i) | (a >> i & 1) << pos + i
    return b


def found(a, t):
    v = number(a, t)
    v = ~v if v < 0 else v
    return v.bit_length() - 1


def bit_mask(a, b, clamped):
    mask0, mask1 = 0xFFFFFFFF << (a & 31), 0xFFFFFFFF << (a & 31) + (b & 31)
    if clamped and a >= 32:
        mask0 = 0
    if (a & 31) + (b & 31) >= 32 or clamped and (a >= 32 or b >= 32):
        mask1 = 0
    return mask0 & ~mask1 & 0xFFFFFFFF


def extend(a, b, t, clamped):
    large = clamped and b >= 32
    mask = 0 if large else 0xFFFFFFFF << (b & 31) & 0xFFFFFFFF
    sign = t == "s32" and not large and b & 31 and a >> (b & 31) - 1 & 1
    return a & ~mask | (mask if sign else 0)


def nth_set(mask, base, offset):
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    pos, count = base, abs(offset) - 1
    while 0 <= pos < 32:
        if mask >> pos & 1:
            if count == 0:
                return pos
            count -= 1
        pos += 1 if offset > 0 else -1
    return 0xFFFFFFFF


def words(table, n):
    u = f"b{n}"
    for op, f in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)):
        binary(table, f"{op}.{u}", u, f)
    table.put(f"not.{u}", [((a,), (wrap(~a, u),)) for a in edges(u)])
    table.put(f"cnot.{u}", [((a,), (int(a == 0),)) for a in edges(u)])
    amounts = [0, 1, n - 1, n, n + 1, 31, 32, 33, 255, 256, 0x80000000, 0xFFFFFFFF]
    odd = edges(u)[7] | 1 << (n - 1) | 1
    table.put(f"shl.{u}", [((a, b), (shifted(a, b, u, True),)) for b in amounts for a in (odd,)])
    for t in (f"u{n}", f"b{n}", f"s{n}"):
        table.put(f"shr.{t}", [((a, b), (shifted(a, b, t, False),)) for b in amounts for a in (odd, odd >> 1)])
    for t in (f"b{n}", f"u{n}", f"s{n}"):
        table.put(f"mov.{t}", [((a,), (a,)) for a in edges(u)[:4]])


def bits(path):
    table = Table(path, "Logic, shifts and fields of bits.")
    for n in (16, 32, 64):
        table.section(f"{n} bits")
        words(table, n)
    table.section("funnel shifts and permutations")
    a, b = 0x89ABCDEF, 0x01234567
    for way in "lr":
        for mode in ("wrap", "clamp"):
            def funnel(c):
                c = c & 31 if mode == "wrap" else min(c, 32)
                whole = b << 32 | a
                return (whole << c >> 32 if way == "l" else whole >> c) & 0xFFFFFFFF
            table.put(f"shf.{way}.{mode}.b32", [((a, b, c), (funnel(c),)) for c in (0, 1, 8, 31, 32, 33, 255,
                0xFFFFFFFF)])
    a, b = 0x83828180, 0x07060504
    table.put("prmt.b32", [((a, b, c), (permuted(a, b, c, None),)) for c in
              (0x3210, 0x7654, 0x0123, 0xFEDC, 0x89AB, 0x4567, 0x5410, 0x77778888, 0)])
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        table.put(f"prmt.b32.{mode}", [((a, b, c), (permuted(a, b, c, mode),)) for c in (0, 1, 2, 3, 4, 7)])
    table.section("every truth table of lop3 (the columns of 0xf0, 0xcc, 0xaa are the table itself)")
    for lut in range(256):
        table.put(f"lop3.b32 %d.b32, %a.b32, %b.b32, %c.b32, {lut}", [((0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA),
            (lut * 0x01010101,))])
    table.section("counting, finding, reversing")
    for n in (32, 64):
        e = edges(f"b{n}") + [1 << n // 2, 3 << n - 2]
        table.put(f"popc.b{n}", [((a,), (bin(a).count("1"),)) for a in e])
        table.put(f"clz.b{n}", [((a,), (n - a.bit_length(),)) for a in e])
        table.put(f"brev.b{n}", [((a,), (int(f"{a:0{n}b}"[::-1], 2),)) for a in e])
        for t in (f"u{n}", f"s{n}"):
            table.put(f"bfind.{t}", [((a,), (wrap(found(a, t), "u32"),)) for a in e])
            table.put(f"bfind.shiftamt.{t}", [((a,), (wrap(-1 if found(a, t) < 0 else n - 1 - found(a, t),
                "u32"),)) for a in e])
    table.section("fields")
    places = [(0, 0), (0, 1), (0, 8), (4, 8), (0, 32), (31, 1), (28, 8), (32, 4), (40, 33), (0, 64), (60, 8), (63, 1),
        (64, 8),
              (255, 255), (5, 0)]
    for n in (32, 64):
        v = 0xF23456789ABCDEF8 & (1 << n) - 1
        for t in (f"u{n}", f"s{n}"):
            table.put(f"bfe.{t}", [((v, p, l), (extract(v, p, l, t),)) for p, l in places])
        table.put(f"bfi.b{n} %d.b{n}, %a.b{n}, %b.b{n}, %c.b32, %e.b32",
                  [((v, ~v & (1 << n) - 1, p, l), (insert(v, ~v & (1 << n) - 1, p, l, n),)) for p, l in places])
    spots = [(0, 0), (0, 1), (4, 8), (0, 32), (31, 1), (31, 2), (32, 1), (1, 31), (1, 32), (33, 33), (255, 255)]
    for mode in ("clamp", "wrap"):
        table.put(f"bmsk.{mode}.b32", [((a, b), (bit_mask(a, b, mode == "clamp"),)) for a, b in spots])
        for t in ("u32", "s32"):
            table.put(f"szext.{mode}.{t}", [((0x89ABCDEF, b), (extend(0x89ABCDEF, b, t, mode == "clamp"),))
                                            for b in (0, 1, 5, 8, 31, 32, 33, 40, 255)])
    table.put("fns.b32", [((m, p, wrap(o, "u32")), (nth_set(m, p, o),)) for m, p, o in
              [(0xA, 0, 1), (0xA, 0, 2), (0xA, 0, 3), (0xA, 3, -1), (0xA, 3, -2), (0xA, 1, 0), (0xA, 2, 0), (0, 0, 1),
               (0xFFFFFFFF, 31, 1), (0xFFFFFFFF, 31, 2), (0xFFFFFFFF, 31, -32), (0xFFFFFFFF, 31, -33), (0x80000001, 0,
                   2)]])


# ---- floating point: (kind, sign, magnitude) with kind nan, inf or num

class Format:
    def __init__(self, name, digits, least, most, width):
        self.name, self.digits, self.least, self.most, self.width = name, digits, least, most, width

    def value(self, b):
        sign = b >> (self.width - 1)
        field, fraction = b >> (self.digits - 1) & (1 << self.width - self.digits) - 1, b & (1 << self.digits - 1) - 1
        if field == (1 << self.width - self.digits) - 1:
            return ("nan", 0, 0) if fraction else ("inf", sign, 0)
        exponent = (field or 1) - 1 + self.least
        return ("num", sign, (Fraction(fraction) + (1 << self.digits - 1 if field
            else 0)) * Fraction(2) ** (exponent - self.digits + 1))

    def tiny(self, m, mode, sign):
        """Below the normal numbers when rounded as if the exponent had no limit: what an H200 flushes."""
        if not 0 < m < Fraction(2) ** self.least:
            return False
        exponent = self.least
        while m < Fraction(2) ** exponent:
            exponent -= 1
        unit = Fraction(2) ** (exponent - self.digits + 1)
        return nearest(m / unit, mode, sign) * unit < Fraction(2) ** self.least

    def bits(self, v, mode="rn", ftz=False):
        kind, sign, m = v
        top = sign << (self.width - 1)
        infinite = (1 << self.width - self.digits) - 1 << self.digits - 1
        if kind == "nan":
            return "nan"
        if ftz and self.tiny(m, mode, sign):
            return top
        if kind == "inf":
            return top | infinite
        exponent = self.least
        while m >= Fraction(2) ** (exponent + 1):
            exponent += 1
        unit = Fraction(2) ** (exponent - self.digits + 1)
        whole = nearest(m / unit, mode, sign)
        if whole >> self.digits:
            whole >>= 1
            exponent += 1
        if exponent > self.most:
            stays = mode == "rz" or mode == ("rp" if sign else "rm")
            return top | infinite - stays
        if not whole >> self.digits - 1:  # subnormal
            return top | whole
        return top | (exponent - self.least + 1 << self.digits - 1) + whole - (1 << self.digits - 1)


def nearest(q, mode, sign):
    low = q.numerator // q.denominator
    rest = q - low
    up = {"rn": rest > Fraction(1, 2) or rest == Fraction(1, 2) and low & 1, "rz": False, "rm": bool(rest) and sign,
          "rp": bool(rest) and not sign}[mode]
    return low + bool(up)


FORMATS = {"f16": Format("f16", 11, -14, 15, 16), "bf16": Format("bf16", 8, -126, 127, 16),
           "f32": Format("f32", 24, -126, 127, 32), "f64": Format("f64", 53, -1022, 1023, 64)}


def flush(v, t):
    return ("num", v[1], Fraction(0)) if v[0] == "num" and 0 < v[2] < Fraction(2) ** FORMATS[t].least else v


def signed(v):
    return -v[2] if v[1] else v[2]


def from_sum(x, zero_sign):
    return ("num", int(x < 0), abs(x)) if x else ("num", zero_sign, Fraction(0))


def f_add(a, b, mode):
    if "nan" in (a[0], b[0]) or a[0] == b[0] == "inf" and a[1] != b[1]:
        return ("nan", 0, 0)
    if a[0] == "inf" or b[0] == "inf":
        return a if a[0] == "inf" else b
    return from_sum(signed(a) + signed(b), a[1] if a[1] == b[1] else int(mode == "rm"))


def f_neg(a):
    return (a[0], 1 - a[1], a[2]) if a[0] != "nan" else a


def f_mul(a, b, mode):
    s = a[1] ^ b[1]
    if "nan" in (a[0], b[0]) or "inf" in (a[0], b[0]) and ("num", Fraction(0)) in ((a[0], a[2]), (b[0], b[2])):
        return ("nan", 0, 0)
    return ("inf", s, 0) if "inf" in (a[0], b[0]) else ("num", s, a[2] * b[2])


def f_div(a, b, mode):
    s = a[1] ^ b[1]
    if "nan" in (a[0], b[0]) or a[0] == b[0] == "inf" or a[0] == b[0] == "num" and a[2] == b[2] == 0:
        return ("nan", 0, 0)
    if a[0] == "inf" or b[0] == "num" and b[2] == 0:
        return ("inf", s, 0)
    return ("num", s, Fraction(0)) if b[0] == "inf" else ("num", s, a[2] / b[2])


def f_fma(a, b, c, mode):
    return f_add(f_mul(a, b, mode), c, mode)


def f_sqrt(a, mode):
    if a[0] == "nan" or a[1] and (a[0] == "inf" or a[2]):
        return ("nan", 0, 0)
    if a[0] == "inf" or a[2] == 0:
        return a
    scale = 4 ** 700  # enough digits that what is cut off is seen as "more than"
    whole = math.isqrt(a[2].numerator * a[2].denominator * scale)
    root = Fraction(whole, a[2].denominator * 2 ** 700)
    return ("num", 0, root if root * root == a[2] else root + Fraction(1, 2 ** 5000))


def f_rcp(a, mode):
    return f_div(("num", 0, Fraction(1)), a, mode)


def saturated(v):
    if v[0] == "nan" or v[1] or v[0] == "num" and v[2] == 0:
        return ("num", 0, Fraction(0))
    return ("num", 0, Fraction(1)) if v[0] == "inf" or v[2] > 1 else v


EDGES = {"f32": {"one": 0x3F800000, "third": 0x3EAAAAAB, "big": 0x7F7FFFFF, "least": 0x00800000, "sub": 0x00000001,
                 "subs": 0x007FFFFF, "inf": 0x7F800000, "nan": 0x7FC12345, "three": 0x40400000, "next": 0x3F800001,
                 "eps": 0x33800000, "half": 0x3F000000, "odd": 0x4B7FFFFF, "hair": 0x33800001},
         "f64": {"one": 0x3FF0000000000000, "third": 0x3FD5555555555555, "big": 0x7FEFFFFFFFFFFFFF,
                 "least": 0x0010000000000000, "sub": 1, "subs": 0x000FFFFFFFFFFFFF, "inf": 0x7FF0000000000000,
                 "nan": 0x7FF8000012345678, "three": 0x4008000000000000, "next": 0x3FF0000000000001,
                 "eps": 0x3CA0000000000000, "half": 0x3FE0000000000000, "odd": 0x433FFFFFFFFFFFFF,
                     "hair": 0x3CA0000000000001}}


EDGES["f16"] = {"one": 0x3C00, "third": 0x3555, "big": 0x7BFF, "least": 0x0400, "sub": 1, "subs": 0x03FF, "inf": 0x7C00,
                "nan": 0x7E12, "three": 0x4200, "next": 0x3C01, "eps": 0x1000, "half": 0x3800, "odd": 0x67FF,
                "hair": 0x1001}
EDGES["bf16"] = {"one": 0x3F80, "third": 0x3EAB, "big": 0x7F7F, "least": 0x0080, "sub": 1, "subs": 0x007F,
                 "inf": 0x7F80, "nan": 0x7FC1, "three": 0x4040, "next": 0x3F81, "eps": 0x3B80, "half": 0x3F00,
                 "odd": 0x437F, "hair": 0x3B81}


def edge(t, name):
    if name == "zero":
        return 0
    if name[0] == "-":
        return edge(t, name[1:]) | 1 << FORMATS[t].width - 1
    return EDGES[t][name]


TWO = ["one third", "one eps", "one hair", "-one -eps", "next eps", "big big", "big -big", "-big -big", "inf -inf",
    "inf one", "nan one",
       "one nan", "zero -zero", "-zero -zero", "zero zero", "sub sub", "subs sub", "least half", "least -subs",
           "three third",
       "-three third", "odd half", "inf zero", "one zero", "-one zero", "zero inf", "least three", "third third"]
ONE = ["one", "-one", "three", "third", "big", "least", "sub", "subs", "inf", "-inf", "zero", "-zero", "nan", "next",
    "half"]
THREE = ["one one eps", "next next -one", "third three -one", "big big -inf", "inf zero one", "zero one -zero",
    "-zero one -zero",
         "sub half sub", "least half zero", "subs one sub", "nan one one", "one one nan", "inf one -inf",
             "-one one one", "eps eps one",
         "-eps eps one", "odd next half", "third third hair"]


def float_rule(t, f, cases, mode, ftz, sat=False):
    for case in cases:
        ins = [edge(t, n) for n in case.split()]
        values = [FORMATS[t].value(b) for b in ins]
        values = [flush(v, t) for v in values] if ftz else values
        r = f(*values, mode)
        yield ins, (FORMATS[t].bits(saturated(r) if sat else r, mode, ftz),)


def float_ops(table, t, mode, ftz, sat=False):
    z = (".ftz" if ftz else "") + (".sat" if sat else "")
    ops = [("add", f_add, TWO), ("sub", lambda a, b, m: f_add(a, f_neg(b), m), TWO), ("mul", f_mul, TWO), ("fma",
        f_fma, THREE)]
    if not sat:
        ops += [("div", f_div, TWO), ("rcp", f_rcp, ONE), ("sqrt", f_sqrt, ONE)]
    for op, f, cases in ops:
        table.put(f"{op}.{mode}{z}.{t}", float_rule(t, f, cases, mode, ftz, sat))
        if mode == "rn" and op in ("add", "sub", "mul"):  # .rn may be left out
            table.put(f"{op}{z}.{t}", float_rule(t, f, cases[:8], mode, ftz, sat))
        if op == "fma":
            table.put(f"mad.{mode}{z}.{t}", float_rule(t, f, cases[:8], mode, ftz, sat))


def f_min(a, b, larger, nan):
    if a[0] == "nan" or b[0] == "nan":
        return ("nan", 0, 0) if nan or a[0] == b[0] else b if a[0] == "nan" else a
    key = lambda v: (signed(v) if v[0] == "num" else math.inf * (-1 if v[1] else 1), -v[1])
    return (max if larger else min)(a, b, key=key)


def choices(table, t, ftz):
    z = ".ftz" if ftz else ""
    for op, larger in (("min", False), ("max", True)):
        for nan in (False, True):
            if nan and t == "f64":
                continue
            rule = float_rule(t, lambda a, b, m: f_min(a, b, larger, nan), TWO + ["nan nan", "-zero zero",
                "sub zero"], "rn", ftz)
            table.put(f"{op}{z}{'.NaN' if nan else ''}.{t}", rule)
    numbers = [c for c in ONE if "nan" not in c]  # which NaN is not specified
    table.put(f"abs{z}.{t}", float_rule(t, lambda a, m: (a[0], 0, a[2]), numbers, "rn", ftz))
    table.put(f"neg{z}.{t}", float_rule(t, lambda a, m: f_neg(a), numbers, "rn", ftz))


def floats(path):
    table = Table(path, "Floating point, rounded to nearest even, and what does not round.")
    for t, ftz in (("f32", False), ("f32", True), ("f64", False)):
        table.section(t + (" with subnormals flushed to zero" if ftz else ""))
        float_ops(table, t, "rn", ftz)
        choices(table, t, ftz)
        if t == "f32":
            float_ops(table, t, "rn", ftz, sat=True)
    for t in ("f32", "f64"):
        top = 1 << FORMATS[t].width - 1
        table.put(f"copysign.{t}", [((a, b), (a & top | b & ~top,)) for a, b in
                  [(edge(t, x), edge(t, y)) for x, y in (("one", "-third"), ("-zero", "inf"), ("-one", "sub"),
                      ("three", "-zero"))]])


def paired(examples):
    """Of examples of one number: examples of two, each beside its successor."""
    word = lambda high, low: (0x7FFF if high == "nan" else high) << 16 | (0x7FFF if low == "nan" else low)
    examples = list(examples)
    return [([word(y, x) for x, y in zip(a, b)], (word(q[0], p[0]),))
            for (a, p), (b, q) in zip(examples, examples[1:] + examples[:1])]


def half_ops(table, t, ftz):
    z = ".ftz" if ftz else ""
    relu = lambda v: ("num", 0, Fraction(0)) if v[0] != "nan" and (v[1] or v[0] == "num" and v[2] == 0) else v

    def put(op, f, cases, change=None):
        changed = (lambda *v: change(f(*v))) if change else f
        examples = list(float_rule(t, changed, cases, "rn", ftz))
        table.put(f"{op}.{t}", examples)
        table.put(f"{op}.{t}x2", paired(examples))
    sums = [("add", f_add), ("sub", lambda a, b, m: f_add(a, f_neg(b), m)), ("mul", f_mul)]
    wide = ["one eps", "big least"] + TWO
    hidden = ["next next sub", "third third sub", "three third -sub"] + THREE  # what a third rounding would lose
    for op, f in sums:
        put(f"{op}{z}", f, wide)
        put(f"{op}.rn{z}", f, wide[:6])
        if t == "f16":
            put(f"{op}{z}.sat", f, wide, saturated)
    put(f"fma.rn{z}", f_fma, hidden)
    put(f"fma.rn{z}.relu", f_fma, hidden, relu)
    if t == "f16":
        put(f"fma.rn{z}.sat", f_fma, hidden, saturated)
    for op, larger in (("min", False), ("max", True)):
        for nan in (False, True):
            put(f"{op}{z}{'.NaN' if nan else ''}", lambda a, b, m: f_min(a, b, larger, nan),
                TWO + ["nan nan", "-zero zero", "sub zero"])
    numbers = [c for c in ONE if "nan" not in c]
    put(f"abs{z}", lambda a, m: (a[0], 0, a[2]), numbers)
    put(f"neg{z}", lambda a, m: f_neg(a), numbers)


def half(path):
    table = Table(path, "Half precision: one number, and two in a word.")
    for t, ftz in (("f16", False), ("f16", True), ("bf16", False)):
        table.section(t + (" with subnormals flushed to zero" if ftz else ""))
        half_ops(table, t, ftz)
    table.section("two numbers into one word")
    for d in ("f16", "bf16"):
        for mode in ("rn", "rz"):
            values = NARROW_IN["f32", d]
            words = paired([((b,), (cast(b, "f32", d, mode),)) for b in values])
            table.put(f"cvt.{mode}.{d}x2.f32 %d.b32, %a.f32, %b.f32",
                      [((y, x), out) for x, y, (_, out) in zip(values, values[1:] + values[:1], words)])


def rounded(path):
    table = Table(path, "Floating point, rounded towards zero, down and up.")
    for mode in ("rz", "rm", "rp"):
        for t, ftz in (("f32", False), ("f32", True), ("f64", False)):
            table.section(f"{mode} {t}" + (" ftz" if ftz else ""))
            float_ops(table, t, mode, ftz)


# ---- comparisons

def order(a, b):
    return lambda op: {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[op]


def compare(path):
    table = Table(path, "Comparisons: setp of every kind and type.")
    plain = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
    for n in (16, 32, 64):
        table.section(f"{n} bits")
        for s in "bus":
            t = f"{s}{n}"
            ops = ["eq", "ne"] + (["lt", "le", "gt", "ge"] if s != "b" else []) + (list(plain) if s == "u" else [])
            for op in ops:
                table.put(f"setp.{op}.{t}", [((a, b), (int(order(number(a, t), number(b, t))(plain.get(op,
                    op))),)) for a, b in
                                             pairs(t) + [(5, 5)]])
    cases = ["one three", "three one", "one one", "zero -zero", "inf big", "-inf -big", "nan one", "one nan",
        "nan nan", "sub zero",
             "-sub sub", "subs least", "-one one"]
    for t, ftz in (("f32", False), ("f32", True), ("f64", False), ("f16", False), ("f16", True), ("bf16", False)):
        table.section(t + (" ftz" if ftz else ""))
        for op in "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split():
            examples = []
            for case in cases:
                ins = [edge(t, n) for n in case.split()]
                v = [FORMATS[t].value(b) for b in ins]
                v = [flush(x, t) for x in v] if ftz else v
                unordered = "nan" in (v[0][0], v[1][0])
                x, y = [0 if k[0] == "nan" else signed(k) if k[0] == "num" else (-1) ** k[1] * Fraction(2) ** 2000
                    for k in v]
                if unordered:
                    holds = op == "nan" or op[-1] == "u" and op != "num"
                else:
                    holds = op == "num" or op != "nan" and order(x, y)(op[:2])
                examples.append((ins, (int(holds),)))
            table.put(f"setp.{op}{'.ftz' if ftz else ''}.{t}", examples)


# ---- conversions

INTS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]


def int_values(t):
    n = bits_of(t)
    top = 1 << (n - 1)
    vs = [0, 1, top - 1, top, 2 * top - 1, 0x12B4A6789 % (2 * top)]
    return vs + [v % (2 * top) for v in (0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF8000, 0x7FFFFFFF80)] if n > 16 else vs


def in_register(v, t):
    """An integer result as it stands in a register of at least 16 bits."""
    return v & ((1 << max(16, bits_of(t))) - 1)


def to_integer(v, t, mode, source):
    n = bits_of(t)
    if v[0] == "nan":
        return number(1 << (n - 1), t) if source == "f64" or n == 64 else 0
    if v[0] == "inf":
        return highest(t) if not v[1] else lowest(t)
    m = nearest(v[2], mode[:2], v[1])
    return clamp(-m if v[1] else m, t)


FLOAT_IN = {
    "f32": [0, 0x80000000, 0x3F000000, 0xBF000000, 0x3FC00000, 0x40200000, 0xBFC00000, 0x42FF0000, 0xC3008000,
        0x477FFF00, 0xC7000100,
            0x4EFFFFFF, 0x4F000000, 0xCF000000, 0xCF000001, 0x4F7FFFFF, 0x5EFFFFFF, 0x5F000000, 0xDF000000,
                0x5F7FFFFF, 0x7F800000,
            0xFF800000, 0x7FC00000, 1, 0x807FFFFF, 0xBF7FFFFF],
    "f64": [0, 1 << 63, 0x3FE0000000000000, 0xBFE0000000000000, 0x3FF8000000000000, 0x4004000000000000,
        0xC06FE00000000000,
            0x40EFFFF000000000, 0x41DFFFFFFFC00000, 0x41DFFFFFFFE00000, 0xC1E0000000000000, 0xC1E0000000200000,
                0x41EFFFFFFFE00000,
            0x43DFFFFFFFFFFFFF, 0x43E0000000000000, 0xC3E0000000000000, 0x43EFFFFFFFFFFFFF, 0x7FF0000000000000,
                0xFFF0000000000000,
            0x7FF8000000000000, 1, 0xBFEFFFFFFFFFFFFF],
    "f16": [0, 0x8000, 0x3800, 0xB800, 0x3E00, 0x4100, 0x57F8, 0xDA00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 1,
        0x83FF],
    "bf16": [0, 0x8000, 0x3F00, 0x3FC0, 0xBFC0, 0x42FF, 0xC301, 0x7F7F, 0x7F80, 0xFF80, 0x7FC0, 1]}

NARROW_IN = {
    ("f32", "f16"): [0, 0x80000000, 0x3F800000, 0x3F801000, 0x3F801001, 0x3F803000, 0x477FE000, 0x477FEFFF,
        0x477FF000, 0xC77FF000,
                     0x38800000, 0x387FC000, 0x33800000, 0x33000000, 0x33000001, 0x32FFFFFF, 0x7F7FFFFF, 0x7F800000,
                         0xFF800000, 0x7FC00000,
                     0xB8801FFF, 1],
    ("f32", "bf16"): [0, 0x80000000, 0x3F808000, 0x3F818000, 0x3F808001, 0x7F7F8000, 0x7F7F7FFF, 0x7F800000,
        0xFF800000, 0x7FC00000, 1,
                      0x8000, 0x18000, 0xBF80FFFF],
    ("f64", "f32"): [0, 1 << 63, 0x3FF0000000000000, 0x3FF0000010000000, 0x3FF0000010000001, 0x3FF0000030000000,
        0x47EFFFFFE0000000,
                     0x47EFFFFFEFFFFFFF, 0x47EFFFFFF0000000, 0xC7F0000000000000, 0x3810000000000000, 0x380FFFFFE0000000,
                     0x36A0000000000000, 0x3690000000000000, 0x3690000000000001, 0x7FF0000000000000,
                         0x7FF8000000000000, 1,
                     0x7FF0000000000001, 0xFFF4567812345678, 0x380FFFFFFFFFFFFF, 0xBFF0000000000001],
    ("f64", "f16"): [0, 0x3FF0000000000000, 0x3FF0020000000000, 0x3FF0020000000001, 0x3FF0060000000000,
        0x40EFFDFFFFFFFFFF,
                     0x40EFFE0000000000, 0x3E60000000000000, 0x3E60000000000001, 0x7FF0000000000000,
                         0xFFF8000000000000, 0x7FFC000000000000,
                     0x7FF0000000000001, 0xBFF0000000000001]}


def convert_integers(table):
    for s in INTS:
        for d in INTS:
            values = int_values(s)
            table.put(f"cvt.{d}.{s}", [((v,), (in_register(number(v, s), d) if bits_of(d) >= 16
                else in_register(number(number(v, s), d), d),))
                                       for v in values])
            if lowest(s) < lowest(d) or highest(s) > highest(d):  # elsewhere .sat is refused
                table.put(f"cvt.sat.{d}.{s}", [((v,), (in_register(clamp(number(v, s), d), d),)) for v in values])


def convert_mixed(table):
    for f in ("f32", "f64", "f16"):
        for s in INTS:
            for mode in ("rn", "rz", "rm", "rp"):
                table.put(f"cvt.{mode}.{f}.{s}", [((v,), (FORMATS[f].bits(("num", int(number(v, s) < 0),
                    Fraction(abs(number(v, s)))), mode),))
                                                  for v in int_values(s) + ([0x1000001, 0x1000003]
                                                      if bits_of(s) > 16 else [])])
    for f in ("f32", "f64", "f16"):
        for d in INTS:
            for mode in ("rni", "rzi", "rmi", "rpi"):
                for ftz in (False, True) if f == "f32" and mode != "rni" else (False,):
                    read = lambda b: flush(FORMATS[f].value(b), f) if ftz else FORMATS[f].value(b)
                    table.put(f"cvt.{mode}{'.ftz' if ftz else ''}.{d}.{f}",
                              [((b,), (in_register(to_integer(read(b), d, mode, f), d),)) for b in FLOAT_IN[f]])


def cast(b, s, d, mode="rn", ftz=False):
    """A conversion. PTX leaves NaNs open: an H200 keeps the bits that fit, made quiet, where f64 is involved."""
    v = FORMATS[s].value(b)
    if v[0] != "nan" or "f64" not in (s, d) and s != "bf16":
        return FORMATS[d].bits(v, mode, ftz)
    f, t = FORMATS[s], FORMATS[d]
    fraction = (b & (1 << f.digits - 1) - 1) << 64 >> f.digits - 1 >> 64 - (t.digits - 1) | 1 << t.digits - 2
    return b >> f.width - 1 << t.width - 1 | (1 << t.width - t.digits) - 1 << t.digits - 1 | fraction


def convert_floats(table):
    for s, d in (("f16", "f32"), ("f16", "f64"), ("f32", "f64"), ("bf16", "f32")):
        table.put(f"cvt.{d}.{s}", [((b,), (cast(b, s, d),)) for b in FLOAT_IN[s]])
    for (s, d), values in NARROW_IN.items():
        for mode in ("rn", "rz") if d == "bf16" else ("rn", "rz", "rm", "rp"):
            for ftz in (False, True) if d == "f32" else (False,):
                table.put(f"cvt.{mode}{'.ftz' if ftz else ''}.{d}.{s}", [((b,), (cast(b, s, d, mode, ftz),))
                    for b in values])
        if d != "bf16":
            table.put(f"cvt.rn.sat.{d}.{s}", [((b,), (FORMATS[d].bits(saturated(FORMATS[s].value(b))),))
                for b in values])
        elif s == "f32":
            relu = lambda v: ("num", 0, Fraction(0)) if v[1] and v[0] != "nan" else v
            table.put(f"cvt.rn.relu.{d}.{s}", [((b,), (FORMATS[d].bits(relu(FORMATS[s].value(b))),)) for b in values])
    for t in ("f32", "f64", "f16"):
        for mode in ("rni", "rzi", "rmi", "rpi"):
            def whole(b):
                v = FORMATS[t].value(b)
                return ("num", v[1], Fraction(nearest(v[2], mode[:2], v[1]))) if v[0] == "num" else v
            table.put(f"cvt.{mode}.{t}.{t}", [((b,), (FORMATS[t].bits(whole(b)),)) for b in FLOAT_IN[t]])
    for t in ("f32", "f64"):
        table.put(f"cvt.sat.{t}.{t}", [((b,), (FORMATS[t].bits(saturated(FORMATS[t].value(b))),)) for b in FLOAT_IN[t]])
    table.put("cvt.ftz.f32.f32", [((b,), (FORMATS["f32"].bits(flush(FORMATS["f32"].value(b), "f32")),))
        for b in FLOAT_IN["f32"]])


def convert(path):
    table = Table(path, "Conversions.")
    table.section("integer to integer")
    convert_integers(table)
    table.section("integer and floating point")
    convert_mixed(table)
    table.section("floating point to floating point")
    convert_floats(table)


if __name__ == "__main__":
    folder = sys.argv[1]
    for make, name in ((integer, "integer"), (bits, "bits"), (floats, "float"), (rounded, "rounded"), (compare,
        "compare"), (half, "half"),
                       (convert, "convert")):
        make(f"{folder}/{name}.txt")
