"""A thousand strings that mean harm are crawled, handed over, typed and logged; then every view that leads to another is
opened in a real browser. Nothing of it may run, load, or be more than text.

    hostile.py SERVICE REPLAY ROOT [whole]
"""

import json
import pathlib
import re
import sys
import time
import urllib.parse

from selenium.common.exceptions import UnexpectedAlertPresentException

from chrome import PATIENCE, Browser, Refused
from harm import Site
from strings import strings

# How many pages of one kind are opened, and how many of the strings are typed into a form at once.
FEW, MANY = 12, 1100
BATCH = {False: 50, True: 5}
# Buttons that would end what is looked at.
LEFT_ALONE = re.compile(r"/do/(start|stop|pause|remove)$|/login$")


# A canary's number, however often it was escaped.
SHOWN = re.compile(r"canary(?:[.]test)?(?:/|=|%2F|%3D|%252F|%253D)(\d{4})")


def spec(address, said, whole):
    # A word of a topic has no control characters.
    keywords = json.dumps(["".join(c for c in text if c >= " ") for text in said[::20]])
    return f"""name = "hostile {said[1].replace('"', "'").replace("/", "")[:60]}"
description = {json.dumps(said[0])}
[[seed]]
url = "http://hostile.test/"
[topic]
keywords = {keywords}
[limits]
pages = {100_000 if whole else 2500}
[frontier]
order = "breadth-first"
update = "first"
[politeness]
min_delay = "0s"
max_delay = "0s"
[fetch]
tries = 1
connect_timeout = "1s"
[network]
allow = ["127.0.0.2/32"]
[network.resolve]
"hostile.test" = "{address}"
"canary.test" = "127.0.0.2:1"
"""


def tried(browser, path, body, method="POST"):
    """Sends it; a refusal is an answer like any other, a failure of the service is not."""
    try:
        return browser.ask(path, body, method)
    except Refused as refusal:
        assert refusal.args[0] < 500, f"{path}: {refusal}"
        return None


def crawl(browser, site, said, root, whole):
    browser.ask("/api/crawls", {"spec": spec(site.address, said, whole), "id": "h", "start": True})
    addresses = [{"url": f"http://hostile.test/u/{n}/?{text}"} for n, text in enumerate(said)]
    addresses += [{"url": text} for text in said]
    print(browser.ask("/api/crawls/h/urls", addresses)["accepted"], "addresses handed over")
    for n, text in enumerate(said[::20]):
        part = urllib.parse.quote(text, safe="")
        tried(browser, f"/api/crawls/h/sites/{part}", {"blocked": True}, "PUT")
        tried(browser, f"/api/crawls/h/sites/{n}.test", {"min_delay": text}, "PUT")
        tried(browser, "/api/crawls", {"spec": f"name = {json.dumps(text)}\n[[seed]]\nurl = {json.dumps(text)}\n", "id": text})
    # As it runs: live numbers and the queue.
    browser.go("/crawls/h")
    begun = time.monotonic()
    seen = {}
    while (seen := browser.ask("/api/crawls/h"))["is_running"]:
        for path in ["/crawls/h", "/crawls/h/queue"]:
            browser.go(path)
            browser.check()
        assert time.monotonic() - begun < 10 * PATIENCE, seen
        time.sleep(1)
    assert seen["captures"] > 2 * len(said), seen
    # Lines that nothing of today writes.
    with open(pathlib.Path(root) / "h/logs/events.jsonl", "a") as log:
        for text in said:
            event = {"time": text, "severity": text, "subsystem": text, "message": text}
            log.write(json.dumps(event) + "\n")
    if tried(browser, "/api/crawls/h/tasks", {"kind": "study"}):
        while any(task["state"] in ("queued", "running") for task in browser.ask("/api/crawls/h/tasks")["tasks"]):
            assert time.monotonic() - begun < 20 * PATIENCE
            time.sleep(1)
    print(seen["captures"], "captures in", round(time.monotonic() - begun), "s")


class Walk:
    """From view to view by every link and every form, a few of each kind."""

    def __init__(self, browser, said, whole):
        self.browser, self.said, self.whole = browser, said, whole
        self.waiting, self.known, self.of_kind = [], set(), {}
        self.forms, self.wrong, self.shown, self.opened = set(), [], {}, 0

    def see(self, address):
        address = address.split("#")[0]
        parts = urllib.parse.urlsplit(address)
        own = parts.netloc == self.browser.service
        if not own and parts.netloc != self.browser.replay or address in self.known:
            return
        if own and re.match(r"/(api|static|metrics|login)", parts.path):
            return
        # Captured pages are all of one kind; of ours, each view is one.
        kind = parts.path if own else "captured"
        most = MANY if self.whole else FEW * 3 if re.search("offset=|before=", address) else FEW
        if self.of_kind.get(kind, 0) < most:
            self.known.add(address)
            self.of_kind[kind] = self.of_kind.get(kind, 0) + 1
            self.waiting.append(address)

    def open(self, address):
        try:
            self.browser.go(address)
            self.look(address)
        except UnexpectedAlertPresentException as said:
            self.wrong.append(f"{address[:300]}: a dialog says {said.alert_text!r}")
            self.browser.driver.switch_to.alert.accept()

    def look(self, address):
        """What is wrong here, what it shows, and where it leads."""
        self.opened += 1
        own = f"http://{self.browser.service}"
        wrongs = self.browser.wrongs() if address.startswith(own) else self.browser.wrongs_of_captured()
        self.wrong += [f"{address[:300]}: {wrong[:500]}" for wrong in wrongs]
        if not address.startswith(own):
            return
        text = self.browser.run("return document.documentElement.outerHTML")
        view = re.sub(r"\?.*", "", address.removeprefix(own))
        self.shown.setdefault(view, set()).update(re.findall(SHOWN, text))
        for link in self.browser.run("return [...document.querySelectorAll('a[href]')].map((a) => a.href)"):
            self.see(link)
        self.fill_forms(address)

    def fill_forms(self, address):
        """Whatever can be typed is typed into every form, once for each form there is."""
        found = self.browser.run("""return [...document.forms].map((form, place) => ({
            place, method: form.method, action: form.action,
            typed: [...form.elements].filter((e) => e.matches('textarea, input:not([type]), input[type=text], input[type=search]')).map((e) => e.name),
            sent: new URLSearchParams(new FormData(form)).toString() }))""")
        for form in found:
            # What slipped through may have forms of its own: it is told, and nothing is pressed.
            if self.wrong:
                return
            if form["method"] == "get" and not form["typed"]:
                self.see(form["action"].split("?")[0] + "?" + form["sent"])
                continue
            name = (form["action"].split("?")[0], form["method"], tuple(form["typed"]))
            if not form["typed"] or name in self.forms or LEFT_ALONE.search(form["action"]):
                continue
            self.forms.add(name)
            step = BATCH[self.whole]
            batches = [self.said[at:at + step] for at in range(0, len(self.said), step)]
            for batch in batches:
                self.browser.go(address)
                self.send(form, batch)
                self.look(address)

    def send(self, form, batch):
        before = self.browser.run("window.isOld = true; return location.href")
        self.browser.run("""const [place, batch] = arguments;
            const form = document.forms[place];
            for (const field of form.elements) {
              if (!field.matches('textarea, input:not([type]), input[type=text], input[type=search]')) continue;
              field.value = field.tagName === 'TEXTAREA' ? batch.map((text) => JSON.stringify(text) + ' = 1').join('\\n') : batch.join(' ');
            }
            HTMLFormElement.prototype.submit.call(form);""", form["place"], batch)
        is_new = "return document.readyState === 'complete' && !window.isOld"
        self.browser.until(f"the page after a form of {before}", lambda: self.browser.run(is_new), 0.02)

    def go_on(self):
        while self.waiting and len(self.wrong) < 5:
            self.open(self.waiting.pop(0))


def main():
    service, replay, root, *more = sys.argv[1:]
    said, whole = strings(), more == ["whole"]
    site = Site(said)
    with Browser(service, replay, seconds=7200 if whole else 1800) as browser:
        crawl(browser, site, said, root, whole)
        walk = Walk(browser, said, whole)
        begun = time.monotonic()
        own = f"http://{service}"
        walk.see(own + "/")
        for text in said if whole else said[::50]:
            part = urllib.parse.quote(text, safe="")
            for path in [f"/{part}", f"/crawls/{part}", f"/new?example={part}", f"/crawls/h/page?url={part}&at={part}"]:
                walk.open(own + path)
            number = said.index(text)
            walk.open(own + f"/crawls/h/page?url=http://hostile.test/p/{number}")
            walk.open(own + "/crawls/h/page?url=" + urllib.parse.quote(f"http://hostile.test/u/{number}/?{text}", safe=""))
        walk.go_on()
    site.close()
    everywhere = set()
    for view, numbers in sorted(walk.shown.items()):
        everywhere |= numbers
        if len(numbers) > 1:
            print(f"{view[:60]}: {len(numbers)} of the strings")
    print(f"{walk.opened} pages opened in {time.monotonic() - begun:.0f} s, {len(walk.forms)} forms, {len(everywhere)} of 1000 strings shown")
    assert not walk.wrong, "\n".join(walk.wrong[:20])
    assert len(everywhere) >= 990, "strings that are not shown anywhere prove nothing"


main()
