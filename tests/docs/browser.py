"""Loads every page of one or more sites in headless Chromium, in the light theme at 1280 pixels and in the dark one at 390 (of sources
and x-rays, which are all alike, those of two chapters), and fails on a missing image, an internal link that lands nowhere or on its
own page, an error on the console, a page that scrolls sideways, code or a table that is cut off in print, text that can hardly be read,
a figure that is not enlarged, code without a button that copies it or under one, a formula that is not set, a search that finds nothing,
or an x-ray in a frame that does not open, opens elsewhere, or does not fit:

    python3 tests/docs/browser.py build/site [--find=WORD] [--sample] ...

--find: what the search must find. --sample: a few pages of each kind stand for all, and the links of all are looked at. A hash of the
page draws them, so each edit draws others.

Speaks to chromedriver itself, so that nothing but Python and chromium-driver is needed. Exits with 77 without them.
"""
import functools
import hashlib
import html.parser
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

LOOK = r"""
const here = location.href.split('#')[0];
return {
    images: [...document.images].filter(i => { i.loading = 'eager'; return i.getAttribute('src') && i.complete && !i.naturalWidth; })
        .map(i => i.getAttribute('src')),
    waiting: [...document.images].filter(i => !i.complete).length,
    ids: [...document.querySelectorAll('[id],a[name]')].map(e => e.id || e.name),
    links: [...document.links].map(a => a.href).filter(h => h.startsWith(location.origin)),
    own: [...document.querySelectorAll('article a[href]')].filter(a => a.href.split('?')[0] === here &&
        a.getAttribute('href') !== '#').map(a => a.textContent),
    found: document.querySelectorAll('ul.search li').length,
    figures: document.querySelectorAll('article img.enlarges').length,
    sessions: [...document.querySelectorAll('article pre')].filter(p => p.textContent.startsWith('$ ')).length,
    sources: document.querySelectorAll('.source .linenos').length,
    wide: document.scrollingElement.scrollWidth - document.documentElement.clientWidth,
    still: [...document.querySelectorAll('article img:not(a img, button img)')].filter(i => !i.matches('.enlarges[tabindex]'))
        .map(i => i.getAttribute('src')),
    small: [...document.querySelectorAll('article p > img[src$=".svg"]')].filter(i => i.getBoundingClientRect().width <
        Math.min(i.naturalWidth, 560)).map(i => i.getAttribute('src')),
    bare: [...document.querySelectorAll('article pre')].filter(p => !p.parentElement.querySelector('button.copybtn'))
        .map(p => p.textContent.slice(0, 40)),
    covered: [...document.querySelectorAll('article pre')].filter(p => {
        const button = p.parentElement.querySelector('button.copybtn');
        if (!button || !button.checkVisibility({opacityProperty: true})) return false;
        const plate = button.getBoundingClientRect(), words = document.createRange(), seen = p.getBoundingClientRect();
        words.selectNodeContents(p);
        return [...words.getClientRects()].some(box => Math.min(box.right, seen.right) > plate.left + 1 && box.left < plate.right &&
            box.bottom > plate.top && box.top < plate.bottom);
    }).map(p => p.textContent.slice(0, 40)),
    unset: [...document.querySelectorAll('article .math')].filter(m => !m.querySelector('.katex'))
        .concat([...document.querySelectorAll('article p')].filter(p => [...p.childNodes].some(n => n.nodeType === 3 &&
            n.data.includes('$')))).map(m => m.textContent),
    marks: [...document.querySelectorAll('.source .hll')].filter(l => getComputedStyle(l).backgroundColor ===
        getComputedStyle(l.closest('.highlight')).backgroundColor).length,
};"""

# Text with less contrast to its background than WCAG requires (AA): 4.5, large text 3.
FAINT = r"""
const parts = color => { const v = color.match(/[\d.]+/g).map(Number); return v.length > 3 ? v : [...v, 1]; };
const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
const light = color => [0.2126, 0.7152, 0.0722].reduce((sum, share, i) => {
    const v = color[i] / 255;
    return sum + share * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
}, 0);
const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
const behind = e => {
    const plates = [];
    for (; e; e = e.parentElement) plates.unshift(parts(getComputedStyle(e).backgroundColor));
    return plates.reduce((under, top) => over(top, under), [255, 255, 255, 1]);
};
const faint = new Map(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
    const e = walk.currentNode.parentElement, words = walk.currentNode.textContent.trim();
    if (!words || e.closest('script,style,noscript,svg,button,dialog,.headerlink,.katex-mathml,.visually-hidden') ||
        !e.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    const style = getComputedStyle(e), ground = behind(e), tone = over(parts(style.color), ground);
    const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.6 && style.fontWeight >= 700;
    const got = contrast(tone, ground);
    if (got < (large ? 3 : 4.5))
        faint.set(`${e.tagName}.${e.className}`, `'${words.slice(0, 30)}' (${e.tagName}.${e.className}), ` +
            `${style.color} on ${ground.slice(0, 3)}: ${got.toFixed(1)}`);
}
return [...faint.values()];"""


# X-rays in frames. null: not all of them have opened yet.
FRAMES = r"""
const limit = 1390, frames = [...document.querySelectorAll('figure.xray iframe')];
return frames.map(frame => {
    frame.loading = 'eager';
    const inner = frame.contentWindow, page = inner.document, name = frame.getAttribute('src');
    if (!inner.xray) return `${name} has not opened`;
    const {model, cursor} = inner.xray.active, code = model.instructions[cursor.in], root = page.documentElement;
    const words = new URLSearchParams(name.split('#')[1]).get('line') || '', line = model.files[code.file].lines[code.line - 1];
    const wide = root.scrollWidth - root.clientWidth, missing = page.body.offsetHeight - frame.clientHeight;
    const faults = [];
    if (!line.includes(words)) faults.push(`opens at '${line.trim()}', not at '${words}'`);
    if (wide > 0) faults.push(`scrolls sideways by ${wide} pixels`);
    const lost = {passes: cursor.passes - cursor.passesIdeal, sectors: cursor.sectors}[inner.xray.active.source.heat.value];
    if (/[#&]most/.test(name) && lost === 0) faults.push('opens where nothing is lost');
    const cut = [...page.querySelectorAll('.lane')].filter(lane => lane.scrollHeight > lane.clientHeight + 1).length;
    if (cut) faults.push(`cuts off what ${cut} lanes hold`);
    if (missing > 0 && frame.clientHeight < limit) faults.push(`is cut off by ${missing} pixels`);
    if (missing < -20) faults.push(`is too tall by ${-missing} pixels`);
    if (root.dataset.theme !== arguments[0]) faults.push(`is ${root.dataset.theme}`);
    if (page.querySelector('.top').checkVisibility()) faults.push('has the head of a page');
    return faults.length ? `${name} ${faults.join(', ')}` : '';
}).filter(Boolean);"""

# A reader steps through them: a frame may grow, but the content below it must not move up.
STEP = r"""
for (const frame of document.querySelectorAll('figure.xray iframe')) {
    const inner = frame.contentWindow;
    frame.before = frame.clientHeight;
    if (!inner.xray) continue;
    inner.dispatchEvent(new inner.PointerEvent('pointerdown'));
    for (let i = 0; i < 10; i++) inner.xray.active.along(1);
}"""
SHRUNK = r"""
return [...document.querySelectorAll('figure.xray iframe')].filter(frame => frame.clientHeight < frame.before).map(frame =>
    `${frame.getAttribute('src')} shrinks by ${frame.before - frame.clientHeight} pixels in 10 steps`);"""


# Paper does not scroll: the page cuts off an element that is wider than its box or the page.
CUT = r"""
return [...document.querySelectorAll('article pre, article .wide-table, article div.math, article img, article table')].filter(e =>
    e.checkVisibility() && (e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > innerWidth + 1))
    .map(e => `${e.tagName} '${(e.textContent.trim() || e.getAttribute('src')).slice(0, 40)}'`);"""
PAPER = 688  # pixels between the margins of A4, as in docs/site/static/warpbook.css


LONG = 600  # seconds that a busy computer may take for a page or a script


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def serve(folder):
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


class Browser:
    def __init__(self):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self.driver.stdout:
            if "successfully on port" in line:
                break
        self.root = f"http://127.0.0.1:{line.strip().rstrip('.').split()[-1]}"
        options = {
            "goog:chromeOptions": {"args": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]},
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"script": LONG * 1000, "pageLoad": LONG * 1000},
        }
        self.session = None
        answer = self.ask("/session", {"capabilities": {"alwaysMatch": options}})
        self.session = "/session/" + answer["sessionId"]

    def ask(self, path, body, method="POST"):
        url = self.root + (self.session or "") + path
        data = json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=LONG) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {json.load(error)['value']['message']}") from None

    def devtools(self, command, **parameters):
        return self.ask("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def media(self, theme):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def printed(self):
        """Elements that would be cut off if the open page were printed."""
        self.devtools("Emulation.setEmulatedMedia", media="print")
        self.width(PAPER)
        cut = self.run(CUT)
        self.devtools("Emulation.setEmulatedMedia", media="")
        return cut

    def width(self, pixels):
        self.devtools("Emulation.setDeviceMetricsOverride", width=pixels, height=900, deviceScaleFactor=1, mobile=pixels < 800)

    def run(self, script, *words):
        return self.ask("/execute/sync", {"script": script, "args": words})

    def click(self, selector):
        """As a reader does: scripts alone may not copy. Chromedriver does not wait for a page that scrolls smoothly."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({behavior: 'instant', block: 'center'})", selector)
        found = self.ask("/element", {"using": "css selector", "value": selector})
        self.ask(f"/element/{next(iter(found.values()))}/click", {})

    def key(self, key):
        keys = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self.ask("/actions", {"actions": [{"type": "key", "id": "keys", "actions": keys}]})

    def open(self, url):
        self.ask("/url", {"url": url})
        for _ in range(50):
            seen = self.ask("/execute/sync", {"script": LOOK, "args": []})
            if not seen["waiting"]:
                break
            time.sleep(0.1)
        seen["faint"] = self.run(FAINT)
        seen["frames"] = self.frames()
        seen["errors"] = [
            entry["message"] for entry in self.ask("/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"
        ]
        return seen

    def frames(self):
        theme = self.run("return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
        for _ in range(50):
            wrong = self.run(FRAMES, theme)
            if not wrong:
                break
            time.sleep(0.1)
        if not wrong and theme == "light" and self.run("return document.querySelector('figure.xray iframe') !== null"):
            self.run(STEP)
            time.sleep(0.3)
            wrong = self.run(SHRUNK)
        return wrong

    def close(self):
        if self.session:
            self.ask("", {}, "DELETE")  # ends the browser; chromedriver's own end does not
        self.driver.terminate()
        self.driver.wait()


def pages_of(folder):
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("_"))
        for name in sorted(files):
            if name.endswith(".html"):
                yield os.path.relpath(os.path.join(place, name), folder)


class Anchors(html.parser.HTMLParser):
    """The ids and the links of a page that no browser has opened."""

    def __init__(self, folder, page, root):
        super().__init__()
        self.here, self.root, self.ids, self.links = root + page, root, [], []
        with open(os.path.join(folder, page), encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids += [attrs[name] for name in ("id", "name") if attrs.get(name) and (name == "id" or tag == "a")]
        if tag == "a" and attrs.get("href") is not None:
            link = urllib.parse.urljoin(self.here, attrs["href"])
            self.links += [link] if link.startswith(self.root) else []


def check_links(folder, root, seen, pages):
    seen = dict(seen)
    for page in pages:
        if page not in seen:
            anchors = Anchors(folder, page, root)
            seen[page] = {"ids": anchors.ids, "links": anchors.links}
    for page, what in seen.items():
        for link in sorted(set(what["links"])):
            target, _, anchor = link[len(root):].partition("#")
            target, anchor = (urllib.parse.unquote(word) for word in (target.split("?")[0] or "index.html", anchor))
            if not os.path.isfile(os.path.join(folder, target)):
                yield f"{page}: {link} is not there"
            elif anchor and target in seen and not target.startswith("xrays/") and anchor not in seen[target]["ids"]:
                yield f"{page}: no #{anchor} in {target}"


def complaints(page, what, width):
    """The faults of a page at a width."""
    yield from (f"{page}: image {source} is missing" for source in what["images"])
    if what["waiting"]:
        yield f"{page}: images do not load"
    yield from (f"{page}: console: {message}" for message in what["errors"])
    yield from (f"{page}: the link '{words}' leads to the page itself" for words in what["own"])
    yield from (f"{page}: the x-ray {words}" for words in what["frames"])
    if what["wide"] > 0:
        yield f"{page}: scrolls sideways by {what['wide']} pixels at {width}"
    yield from (f"{page}: figure {source} is not enlarged" for source in what["still"])
    yield from (f"{page}: the words of figure {source} are too small at {width}" for source in what["small"])
    yield from (f"{page}: no button copies '{words}'" for words in what["bare"])
    yield from (f"{page}: the button that copies covers '{words}' at {width}" for words in what["covered"])
    yield from (f"{page}: a formula is not set: {words}" for words in what["unset"])
    if what["marks"]:
        yield f"{page}: {what['marks']} lines of the TODO are not marked"
    yield from (f"{page}: hard to read at {width}: {words}" for words in what["faint"])


def check_enlarging(browser, root, seen):
    """A click and a key enlarge a figure; Escape and a click close it."""
    page = next((page for page, what in seen.items() if what["figures"]), None)
    if page is None:
        return
    browser.open(root + page)
    size = "const view = document.querySelector('dialog'); return view && view.open ? view.firstChild.clientWidth : 0;"
    figure = "document.querySelector('article img.enlarges')"
    enter, escape = "\ue007", "\ue00c"
    small = browser.run(f"return {figure}.clientWidth")
    for way, opens, closes in (
        ("a click", lambda: browser.click("article img.enlarges"), lambda: browser.key(escape)),
        ("Enter", lambda: (browser.run(f"{figure}.focus()"), browser.key(enter)), lambda: browser.click("dialog.enlarged")),
    ):
        opens()
        if browser.run(size) <= small:
            yield f"{page}: {way} does not enlarge a figure"
            continue
        closes()
        if browser.run(size):
            yield f"{page}: the figure that {way} has enlarged does not close"


def copied_from(browser, address, find):
    """Opens a page, finds a piece of code by a script, and clicks its button: what the page shows, and what was copied."""
    browser.open(address)
    browser.run("document.addEventListener('copy', event => { window.copied = event.target.value; })")
    shown = browser.run(f"const code = {find}; code.parentElement.querySelector('button.copybtn').classList.add('clicked');"
                        "return code.textContent")
    browser.click("button.clicked")
    return shown, str(browser.run("return window.copied")).strip()


def check_copying(browser, root, seen):
    """The button beside a piece of code copies it, without the numbers of the lines; of a session the commands alone."""
    page = next((page for page, what in seen.items() if what["sources"]), None)
    if page is not None:
        text, copied = copied_from(browser, root + page, "document.querySelector('article pre')")
        if copied != text.strip() or any(line.lstrip()[:1].isdigit() for line in text.splitlines()[:3]):
            yield f"{page}: the button copies '{copied[:40]}', not '{text[:40]}'"
    page = next((page for page, what in seen.items() if what["sessions"]), None)
    if page is not None:
        text, copied = copied_from(browser, root + page, "[...document.querySelectorAll('article pre')]"
                                   ".find(p => p.textContent.startsWith('$ '))")
        commands = "\n".join(line[2:] for line in text.splitlines() if line.startswith("$ "))
        if copied != commands:
            yield f"{page}: the button copies '{copied[:40]}' of a session, not '{commands[:40]}'"


def alike(page):
    """Sources and x-rays differ only in their content: those of two chapters represent all in the second theme."""
    return page.startswith(("sources/", "xrays/")) and not page.split("/")[1].startswith(("01-", "07-"))


def sample(folder, pages):
    """Of each kind of page the few with the least hashes: a chapter, two other pages, a source, an x-ray; and the first one
    with a figure, a formula, a table, a session."""
    texts = {}
    for page in pages:
        with open(os.path.join(folder, page), encoding="utf-8") as file:
            texts[page] = file.read()
    hashes = {page: hashlib.sha256(text.encode()).hexdigest() for page, text in texts.items()}
    drawn = set()
    for count, kind in (1, r"\d\d-[^/]*$"), (2, r"[A-Za-z][^/]*$"), (1, "sources/"), (1, "xrays/"):
        alike = [page for page in pages if re.match(kind, page)]
        drawn.update(sorted(alike, key=hashes.get)[:count])
    for mark in "<img alt", 'class="math', "<table", 'class="gp">$':
        alike = [page for page in pages if mark in texts[page]]
        drawn.update([] if drawn & set(alike) else sorted(alike, key=hashes.get)[:1])
    return sorted(drawn)


def check(folder, browser, word, few):
    root = serve(folder)
    pages = list(pages_of(folder))
    opened = sample(folder, pages) if few else pages
    seen = {}
    for theme, width in ("light", 1280), ("dark", 390):
        browser.media(theme)
        browser.width(width)
        looked = {page: browser.open(root + page) for page in opened if theme == "light" or few or not alike(page)}
        seen.update((page, what) for page, what in looked.items() if page not in seen)
        for page, what in looked.items():
            yield from (f"{theme}: {line}" for line in complaints(page, what, width))
    for page in seen:
        if not page.startswith("xrays/"):
            browser.open(root + page)
            yield from (f"{page}: printed, {words} is cut off" for words in browser.printed())
    yield from check_links(folder, root, seen, pages)
    browser.width(1280)
    yield from check_enlarging(browser, root, seen)
    yield from check_copying(browser, root, seen)
    if word:
        found = 0
        for _ in range(20):
            found = found or browser.open(root + "search.html?q=" + word)["found"]
            if found:
                break
            time.sleep(0.2)
        if not found:
            yield f"the search does not find '{word}'"
    print(f"{len(seen)} of {len(pages)} pages opened: {' '.join(opened) if few else 'all'}")


def main():
    if not shutil.which("chromedriver"):
        print("skipped: no chromedriver; sudo apt-get install chromium chromium-driver")
        return 77
    sites = []
    for word in sys.argv[1:]:
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            sites[-1][name] = value or True
        else:
            sites.append({"folder": word})
    browser, faults = Browser(), 0
    try:
        for site in sites:
            print(f"== {site['folder']}")
            wrong = list(check(site["folder"], browser, site.get("find"), site.get("sample")))
            print("\n".join(wrong) or "all good", flush=True)
            faults += len(wrong)
    finally:
        browser.close()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
