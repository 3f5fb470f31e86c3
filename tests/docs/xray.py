"""Checks x-ray pages in headless Chromium, in the light theme at 1280 pixels and in the dark one at 390, and fails on an error
of a script, a page that scrolls sideways, text that can hardly be read, a control without a name, keys that do not move the
cursor, a place that the address does not keep, or a number that is not the counters':

    python3 tests/docs/xray.py PAGE...
    python3 tests/docs/xray.py --race PAGE FROM TO      and an arrow from line FROM to line TO, on which the page opens
    python3 tests/docs/xray.py --meet PAGE FROM TO      and an arrow from one operation of the host's lanes to another, which it joins
    python3 tests/docs/xray.py --opens PAGE LINE        whether it opens at the instruction of LINE with the most bank passes
    python3 tests/docs/xray.py --wrong PAGE LINE        whether it opens at the store of LINE that left a wrong answer
    python3 tests/docs/xray.py --endless PAGE LINE WORDS    whether it opens at LINE, where a kernel does not end, and says these WORDS
    python3 tests/docs/xray.py --flights PAGE WORDS   asynchronous work in its rows, described by these words
    python3 tests/docs/xray.py --picture PAGE PNG HEIGHT [SCRIPT]   a picture of its upper part, after SCRIPT
"""
import base64
import os
import sys
import time

sys.dont_write_bytecode = True
from browser import FAINT, Browser  # noqa: E402, as above: no byte code in the tree

# Compares the totals of the events with the counters of the traced blocks, and these with the whole launch's.
SUMS = r"""
const wrong = [];
for (const view of window.xray.list)
    view.launches.forEach((model, number) => {
        const want = model.traced, got = {}, kinds = {load: 'load', store: 'store', atomic: 'atomic'};
        const add = (name, count) => { got[name] = (got[name] || 0) + count; };
        if (!want || model.leftOut.some(words => /event/.test(words))) return;
        for (const name of ['global_load_sectors', 'global_store_sectors', 'shared_load_wavefronts', 'shared_store_wavefronts',
            'shared_load_requests', 'shared_store_requests', 'barriers', 'warp_instructions', 'thread_instructions']) got[name] = 0;
        for (const event of model.order) {
            const counted = model.instructions[event.in].kind !== 'async'; // an mbarrier is no word of the program
            const kind = counted && event.main && event.main.kind;
            if (event.meets) continue; // lanes that wait: the event in which they meet is counted
            add('warp_instructions', 1);
            add('thread_instructions', event.ran.toString(2).replace(/0/g, '').length);
            if (kind === 'load' || kind === 'store') {
                if (event.space === 'global') add(`global_${kind}_sectors`, event.sectors);
                if (event.space === 'shared' && event.cost.requests !== undefined) { // else accesses were not counted
                    add(`shared_${kind}_requests`, 1);
                    add(`shared_${kind}_wavefronts`, event.passes);
                }
            }
        }
        got.barriers = model.releases.length;
        for (const [name, count] of Object.entries(got))
            if (name in want && want[name] !== count)
                wrong.push(`${model.kernel} launch ${model.launch}: ${name} is ${count} on the page, ${want[name]} counted`);
        for (const name of Object.keys(model.counters))
            if (model.blocksShown === 'all blocks are shown' && name in want && want[name] !== model.counters[name])
                wrong.push(`${model.kernel} launch ${model.launch}: ${name} is ${want[name]} traced, ${model.counters[name]} counted`);
    });
return wrong;"""

# Compares the heat column and the table of counters with the model shown.
SHOWN = r"""
const wrong = [], view = window.xray.list[0], model = view.model;
for (const row of view.root.querySelectorAll('.counts tr[data-counter]')) {
    const name = row.dataset.counter;
    if (Number(row.querySelector('.whole').textContent) !== model.counters[name]) wrong.push(`counter ${name} is shown wrong`);
}
if (!document.querySelector('.counts tr[data-counter]')) wrong.push('no counters are shown');
let sum = 0;
for (let file = 0; file < model.files.length; file++) {
    view.source.showFile(file);
    view.source.heat.value = 'instructions';
    view.source.showHeat();
    for (const cell of view.root.querySelectorAll('.hot')) sum += Number(cell.textContent || 0);
}
const counted = model.order.filter(e => !e.meets);
const unplaced = counted.filter(e => !model.files[model.instructions[e.in].file] || !model.instructions[e.in].line).length;
if (sum + unplaced !== counted.length) wrong.push(`the heat column adds up to ${sum}, not ${counted.length - unplaced}`);
view.source.show(view.cursor);
return wrong;"""

NAMELESS = r"""
return [...document.querySelectorAll('button, select, input, [tabindex], summary')].filter(e => e.checkVisibility() &&
    !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label'))).map(e => e.outerHTML.slice(0, 80));"""

CURSOR = "const v = window.xray.active; return [v.cursor.id, v.cursor.track, v.cursor.start, location.hash];"

RACE = r"""
const view = window.xray.list[0], [from, to] = [String(arguments[0]), String(arguments[1])], wrong = [];
const joins = [...view.root.querySelectorAll('.joins path[data-from]')];
const join = joins.find(path => path.dataset.from === from && path.dataset.to === to);
if (!join) return [`no arrow from line ${from} to ${to}, but ${joins.map(p => `${p.dataset.from} to ${p.dataset.to}`)}`];
const ends = join.getBoundingClientRect(), rows = [from, to].map(line => view.source.rows[line].getBoundingClientRect());
const [high, low] = rows.sort((a, b) => a.top - b.top);
if (ends.top < high.top - 2 || ends.top > high.bottom + 2) wrong.push(`the arrow begins at ${ends.top}, its line is at ${high.top}`);
if (ends.bottom < low.top - 2 || ends.bottom > low.bottom + 2) wrong.push(`the arrow ends at ${ends.bottom}, its line is at ${low.top}`);
for (const line of [from, to])
    if (!view.source.rows[line].classList.contains('end')) wrong.push(`line ${line} is not marked`);
if (!view.root.querySelector('.arrows path[data-finding]')) wrong.push('no arrow over the tracks');
const finding = view.model.findings.find(f => f.events.includes(view.cursor));
if (!finding) wrong.push('the page does not open at the finding');
else if (!document.querySelector('.finding').textContent.includes(finding.words)) wrong.push('its sentence is not shown');
if (!document.querySelector('.finding .missing')) wrong.push('what is missing between the two is not said');
return wrong;"""


MEET = r"""
const view = window.xray.list[0], [from, to] = arguments, wrong = [], svg = view.root.querySelector('.calls svg');
const named = item => item.call === 'touch' ? 'host' : `${item.name}@${item.where}`.replace(/ /g, '');
const meeting = view.streams.calls.meetings.find(each => named(each.first) === from && named(each.second) === to);
if (!meeting) return [`no arrow from ${from} to ${to}, but ${view.streams.calls.meetings.map(m => `${named(m.first)} to ${named(m.second)}`)}`];
const {first, second} = meeting, box = item => item.group.querySelector('.bar-of, .touch').getBoundingClientRect();
if (first.end <= second.start || second.end <= first.start) wrong.push('the two do not meet in time');
const [line] = meeting.parts, ends = line.getBoundingClientRect(), [a, b] = [box(first), box(second)];
if (ends.left < Math.max(a.left, b.left) - 3 || ends.right > Math.min(a.right, b.right) + 3) wrong.push('the arrow is beside what it joins');
if (ends.top > Math.min(a.bottom, b.bottom) + 3 || ends.bottom < Math.max(a.top, b.top) - 3) wrong.push('the arrow does not reach what it joins');
if (!view.root.querySelector('.streams').open) wrong.push('the lanes are closed');
const finding = view.model.findings.find(each => each.meeting === meeting);
if (!finding || !/cuda(StreamWaitEvent|StreamSynchronize)/.test(finding.missing)) wrong.push('the missing wait is not named');
if (!document.querySelector('.finding')) wrong.push('no finding is shown');
const lanes = [...view.root.querySelectorAll('.names div')].map(name => name.textContent);
if (lanes[0] !== 'the host' || !lanes.includes('stream 1')) wrong.push(`lanes: ${lanes}`);
const before = view.streams.chosen;
view.streams.box.focus();
view.streams.box.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', bubbles: true}));
if (view.streams.chosen === before) wrong.push('the key left chooses no other call');
return wrong;"""


def open_page(browser, page, fragment=""):
    browser.ask("/url", {"url": "about:blank"})  # so that a change of the fragment alone loads the page, too
    browser.ask("/url", {"url": f"file://{os.path.abspath(page)}{fragment}"})
    time.sleep(0.2)


def keys(browser):
    """Whether keys move the cursor, and whether the address leads back to where they led."""
    found, start = [], browser.run(CURSOR)
    if browser.run("return window.xray.active.model.order.length") < 3:
        return found
    browser.run("document.activeElement.blur()")
    for key, what in (("\ue010", "End"), ("\ue011", "Home"), ("\ue014", "right"), (".", "."), ("l", "l"), ("\ue014", "right")):
        before = browser.run(CURSOR)
        browser.key(key)
        if what in ("right", ".", "l") and browser.run(CURSOR)[0] == before[0]:
            found.append(f"the key {what} does not move the cursor from {before}")
    if browser.run("return window.xray.active.model.tracks.length") > 1:
        browser.key("\ue011")
        before = browser.run(CURSOR)
        browser.key("\ue015" if before[1] == 0 else "\ue013")
        if browser.run(CURSOR)[1] == before[1]:
            found.append("up and down do not move the cursor to another warp")
    last = browser.run(CURSOR)
    if f"at={last[0]}&" not in last[3]:
        found.append(f"the address {last[3]} does not name the cursor's event {last[0]}")
    return found + kept(browser, last, start)


def kept(browser, last, start):
    url = browser.run("return location.href").split("#")[0].removeprefix("file://")
    open_page(browser, url, last[3])
    again = browser.run(CURSOR)
    open_page(browser, url)
    found = [] if again[:2] == last[:2] else [f"the address {last[3]} leads to event {again[0]}"]
    return found if browser.run(CURSOR)[0] == start[0] else found + ["the page opens elsewhere the second time"]


def plays(browser):
    if browser.run("const view = window.xray.active; view.go(view.model.order[0]); return view.model.span") < 60:
        return []  # it ends before it can be inspected
    browser.click('[data-do="play"]')
    before = browser.run("return document.querySelector('[data-do=\"play\"]').textContent")
    time.sleep(0.4)
    browser.key(" ") if before != "Pause" else browser.click('[data-do="play"]')
    after = browser.run("return document.querySelector('[data-do=\"play\"]').textContent")
    return [] if (before, after) == ("Pause", "Play") else [f"play and pause say {before}, {after}"]


def look(browser, page, race, meet, theme, width):
    browser.media(theme)
    browser.width(width)
    open_page(browser, page)
    found = [] if browser.run("return !!window.xray") else ["the page has not opened"]
    if not found:
        wide = browser.run("return document.scrollingElement.scrollWidth - document.documentElement.clientWidth")
        found += [f"scrolls sideways by {wide} pixels"] if wide > 0 else []
        found += browser.run(RACE, *race) if race else []
        found += browser.run(MEET, *meet) if meet else []
        browser.run("for (const more of document.querySelectorAll('details')) more.open = true;")
        found += [f"hard to read: {words}" for words in browser.run(FAINT)]
        found += [f"a control without a name: {control}" for control in browser.run(NAMELESS)]
        found += browser.run(SUMS) + browser.run(SHOWN) + keys(browser) + plays(browser)
    log = browser.ask("/se/log", {"type": "browser"})
    found += [f"console: {entry['message']}" for entry in log if entry["level"] in ("SEVERE", "WARNING")]
    return [f"{theme}, {width}: {os.path.basename(page)}: {words}" for words in found]


def picture(page, path, height, script=""):
    browser = Browser()
    try:
        browser.media("light")
        browser.devtools("Emulation.setDeviceMetricsOverride", width=1280, height=int(height), deviceScaleFactor=1, mobile=False)
        open_page(browser, page)
        browser.run(script)
        time.sleep(0.3)
        with open(path, "wb") as file:
            file.write(base64.b64decode(browser.devtools("Page.captureScreenshot", format="png")["data"]))
    finally:
        browser.close()


OPENS = r"""
const {model, cursor} = window.xray.list[0], line = model.instructions[cursor.in].line;
const there = model.order.filter(event => model.instructions[event.in].line === Number(arguments[0]));
const most = Math.max(...there.map(event => event.passes));
return line === Number(arguments[0]) && cursor.passes === most ? 'all good' :
    `opens at line ${line} with ${cursor.passes} passes, not at ${arguments[0]} with ${most}`;"""


WRONG = r"""
const {model, cursor} = window.xray.list[0], code = model.instructions[cursor.in], [finding] = model.findings;
if (!finding || finding.kind !== 'wrong') return 'no wrong answer is marked';
if (!document.querySelector('.finding').textContent.includes('The last store to it is by thread')) return 'its store is not named';
if (!finding.events[0]) {
    const [place] = finding.places, row = window.xray.list[0].source.rows[place.line].getBoundingClientRect();
    const box = window.xray.list[0].source.box.getBoundingClientRect(), seen = row.top >= box.top && row.bottom <= box.bottom;
    return `its store at line ${place.line} is not on the page; the line is ${seen ? 'in view' : 'out of view'}`;
}
return code.line === Number(arguments[0]) && code.kind === 'store' ? 'all good' : `opens at line ${code.line}, a ${code.kind}`;"""


ENDLESS = r"""
const {model, cursor} = window.xray.list[0], code = model.instructions[cursor.in], [finding] = model.findings;
if (!finding || !finding.words.startsWith('The kernel does not end')) return 'no endless kernel is found';
if (!finding.events.includes(cursor) || code.line !== Number(arguments[0])) return `opens at line ${code.line}`;
const cut = document.querySelector('.cut');
if (/A smaller size/.test(cut.textContent)) return 'a smaller size is no help';
return finding.missing === arguments[1] ? 'all good' : `says: ${finding.missing}`;"""


# Asynchronous work lies in its rows, and the cursor on what issues it says where it ends.
FLIGHTS = r"""
const [view] = window.xray.list, {flights, span} = view.model, said = [];
for (const bar of flights) {
    if (!(bar.start <= bar.arrives && bar.arrives <= bar.until && bar.until <= span + 1)) return 'a bar is out of order';
    if (flights.some(other => other !== bar && other.block === bar.block && other.row === bar.row &&
        other.start < bar.until && bar.start < other.until)) return 'two bars overlap';
    view.go(bar.issued);
    said.push(document.querySelector('.flight').textContent);
    const top = view.timeline.flightTop(bar) + 2;
    if (view.timeline.flightAt((bar.start + bar.until) / 2, top) !== bar) return 'a click would not find its bar';
}
return said.some(words => new RegExp(arguments[0]).test(words)) ? 'all good' : `of ${flights.length} bars: ${said[0]}`;"""


def opens(script, page, *words):
    browser = Browser()
    try:
        open_page(browser, page)
        said = browser.run(script, *words)
    finally:
        browser.close()
    print(said)
    return said != "all good"


def main(words):
    race, meet = (words[2:4] if words[0] == option else None for option in ("--race", "--meet"))
    pages = [words[1]] if race or meet else words
    browser, found = Browser(), []
    try:
        for page in pages:
            for theme, width in (("light", 1280), ("dark", 390)):
                found += look(browser, page, race, meet, theme, width)
    finally:
        browser.close()
    print("\n".join(found) if found else f"{len(pages)} pages: all good")
    return bool(found)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--picture"]:
        picture(*sys.argv[2:])
    elif sys.argv[1:2] == ["--opens"]:
        sys.exit(opens(OPENS, *sys.argv[2:]))
    elif sys.argv[1:2] == ["--wrong"]:
        sys.exit(opens(WRONG, *sys.argv[2:]))
    elif sys.argv[1:2] == ["--flights"]:
        sys.exit(opens(FLIGHTS, *sys.argv[2:]))
    elif sys.argv[1:2] == ["--endless"]:
        sys.exit(opens(ENDLESS, *sys.argv[2:]))
    else:
        sys.exit(main(sys.argv[1:]))
