"""Checks figures in headless Chromium: no text leaves the picture or its box, no two texts lie on one another, and every text can be
read on what is behind it, in the light theme and in the dark one.

    python3 tests/docs/figures.py docs/figures...

Exits with 77 without chromedriver.
"""
import os
import shutil
import sys

sys.dont_write_bytecode = True
from browser import Browser, serve  # noqa: E402

MEASURE = r"""
const edge = 3, names = arguments[0], done = arguments[1];
// The contrast of two colours, as WCAG defines it.
const parts = color => color.match(/[\d.]+/g).slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const light = color => parts(color).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
const meet = (a, b) => Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 1 &&
    Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 4;
(async () => {
    const wrong = [];
    for (const name of names) {
        document.body.innerHTML = await (await fetch(name)).text();
        const svg = document.querySelector('svg'), view = svg.viewBox.baseVal;
        const texts = [...svg.querySelectorAll('text')].map(e => ({e, box: e.getBBox(), words: e.textContent}));
        const plates = [...svg.querySelectorAll('rect')].map(e => ({e, box: e.getBBox()}));
        for (const {e, box, words} of texts) {
            if (box.x < edge || box.y < 0 || box.x + box.width > view.width - edge || box.y + box.height > view.height)
                wrong.push(`${name}: '${words}' leaves the picture: ${Math.round(box.x)} to ` +
                    `${Math.round(box.x + box.width)} of ${view.width}, ${Math.round(box.y)} to ` +
                    `${Math.round(box.y + box.height)} of ${view.height}`);
            const x = box.x + box.width / 2, y = box.y + box.height / 2;
            const behind = plates.filter(p => p.e.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING &&
                x >= p.box.x && x <= p.box.x + p.box.width && y >= p.box.y && y <= p.box.y + p.box.height).pop();
            const plate = behind?.box;
            if (plate && plate.width < view.width && Math.abs(plate.x + plate.width / 2 - x) < 1 && box.width > plate.width)
                wrong.push(`${name}: '${words}' is wider than its box`);
            const tone = getComputedStyle(e).fill;
            const ground = behind ? getComputedStyle(behind.e).fill : 'rgb(255, 255, 255)';
            if (contrast(tone, ground) < 4.5)
                wrong.push(`${name}: '${words}' has a contrast of ${contrast(tone, ground).toFixed(1)}, wanted 4.5`);
        }
        texts.forEach((a, i) => texts.slice(i + 1).forEach(b => {
            if (meet(a.box, b.box))
                wrong.push(`${name}: '${a.words}' lies on '${b.words}'`);
        }));
    }
    done(wrong);
})().catch(error => done([String(error)]));
"""


def check(folder, browser):
    names = sorted(os.path.relpath(os.path.join(place, name), folder) for place, _, files in os.walk(folder)
                   for name in files if name.endswith(".svg"))
    root = serve(folder)
    for theme in "light", "dark":
        browser.media(theme)
        browser.ask("/url", {"url": root})  # the folder's listing: a page from which the figures may be fetched
        for line in browser.ask("/execute/async", {"script": MEASURE, "args": [names]}):
            yield f"{theme}: {line}"
    print(f"{len(names)} figures")


def main():
    if not shutil.which("chromedriver"):
        print("skipped: no chromedriver; sudo apt-get install chromium chromium-driver")
        return 77
    browser, faults = Browser(), 0
    try:
        for folder in sys.argv[1:]:
            print(f"== {folder}")
            wrong = list(check(folder, browser))
            print("\n".join(wrong) or "all good", flush=True)
            faults += len(wrong)
    finally:
        browser.close()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
