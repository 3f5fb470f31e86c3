"""Loads every page of a site in headless Chromium and fails on a missing image, an internal link that lands nowhere, an
error on the console, or a search that finds nothing:

    python3 tests/docs/browser.py build/site [WORD]      WORD: what the search must find; none: it is not tried

Speaks to chromedriver itself, so that nothing but Python and chromium-driver is needed. Exits with 77 without them.
"""
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

LOOK = """
const here = location.href.split('#')[0];
return {
    images: [...document.images].filter(i => { i.loading = 'eager'; return i.complete && !i.naturalWidth; })
        .map(i => i.getAttribute('src')),
    waiting: [...document.images].filter(i => !i.complete).length,
    ids: [...document.querySelectorAll('[id],a[name]')].map(e => e.id || e.name),
    links: [...document.links].map(a => a.href).filter(h => h.startsWith(location.origin)),
    found: document.querySelectorAll('ul.search li').length,
};"""


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
        }
        self.session = None
        answer = self.ask("/session", {"capabilities": {"alwaysMatch": options}})
        self.session = "/session/" + answer["sessionId"]

    def ask(self, path, body, method="POST"):
        url = self.root + (self.session or "") + path
        data = json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def devtools(self, command, **parameters):
        return self.ask("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def media(self, theme):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def open(self, url):
        self.ask("/url", {"url": url})
        for _ in range(50):
            seen = self.ask("/execute/sync", {"script": LOOK, "args": []})
            if not seen["waiting"]:
                break
            time.sleep(0.1)
        seen["errors"] = [
            entry["message"] for entry in self.ask("/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"
        ]
        return seen

    def close(self):
        if self.session:
            self.ask("", {}, "DELETE")  # ends the browser; chromedriver's own end does not
        self.driver.terminate()
        self.driver.wait()


def pages_of(folder):
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith("_")]
        for name in sorted(files):
            if name.endswith(".html"):
                yield os.path.relpath(os.path.join(place, name), folder)


def check_links(folder, root, seen):
    for page, what in seen.items():
        for link in sorted(set(what["links"])):
            target, _, anchor = link[len(root):].partition("#")
            target, anchor = (urllib.parse.unquote(word) for word in (target.split("?")[0] or "index.html", anchor))
            if not os.path.isfile(os.path.join(folder, target)):
                yield f"{page}: {link} is not there"
            elif anchor and target in seen and anchor not in seen[target]["ids"]:
                yield f"{page}: no #{anchor} in {target}"


def check(folder, browser, word):
    root = serve(folder)
    seen = {page: browser.open(root + page) for page in pages_of(folder)}
    for page, what in seen.items():
        yield from (f"{page}: image {source} is missing" for source in what["images"])
        if what["waiting"]:
            yield f"{page}: images do not load"
        yield from (f"{page}: console: {message}" for message in what["errors"])
    yield from check_links(folder, root, seen)
    if word:
        found = 0
        for _ in range(50):
            found = found or browser.open(root + "search.html?q=" + word)["found"]
            if found:
                break
            time.sleep(0.2)
        if not found:
            yield f"the search does not find '{word}'"
    print(f"{len(seen)} pages, {sum(len(set(what['links'])) for what in seen.values())} links")


def main():
    if not shutil.which("chromedriver"):
        print("skipped: no chromedriver; sudo apt-get install chromium chromium-driver")
        return 77
    browser = Browser()
    try:
        wrong = list(check(sys.argv[1], browser, sys.argv[2] if len(sys.argv) > 2 else ""))
    finally:
        browser.close()
    print("\n".join(wrong) or "all good")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
