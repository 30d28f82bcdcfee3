"""The journeys of an archivist through the cockpit, from a blank root to what is exported, in a real browser.

    journeys.py SERVICE REPLAY SPEC SCREENSHOTS
"""

import pathlib
import sys
import tempfile
import time
import tomllib
import urllib.parse

from selenium.webdriver.common.keys import Keys

import desk
from chrome import NAME, Browser

# A browser has so many connections for all its tabs of one host.
CONNECTIONS = 6

def views(browser):
    """Every page of a crawl that one gets to by its tabs, with their parts, and those around it."""
    paths = ["/", "/new"]
    browser.go("/crawls/first")
    tabs = browser.run("return [...document.querySelectorAll('.tabs a')].map((a) => a.getAttribute('href'))")
    for tab in tabs:
        browser.go(tab)
        parts = browser.run("return [...document.querySelectorAll('.subtabs a')].map((a) => a.getAttribute('href'))")
        paths += [tab, *(part for part in parts if part != tab)]
    return paths


def named(path):
    """What its picture is called."""
    return path.replace("/crawls/first", "first").strip("/").replace("/", "-").replace("?", "-").replace("=", "-") or "home"


def blank_root(browser):
    browser.go("/")
    assert "Nothing is archived here yet" in browser.text
    browser.check()
    shoot(browser, "blank")
    browser.link("Write the first one").click()
    assert browser.path == "/new"


def new_crawl(browser, spec):
    """Checked as it is typed, begun with an example, taken from a file, started."""
    browser.go("/new?as=toml")
    browser.link("An event, with its dates").click()
    assert "cooldown" in browser.one("#spec").get_attribute("value")
    browser.check()
    area = browser.one("#spec")
    area.send_keys(Keys.CONTROL, Keys.END)
    area.send_keys('\n[limits_]\nx = "1"\n')
    browser.until("a verdict on what is typed", lambda: "limits_" in browser.one("#verdict").text)
    browser.check()
    shoot(browser, "new-mistake")
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(spec)
        file.flush()
        browser.one("input[type=file]").send_keys(file.name)
        browser.until("the file's text", lambda: "testweb" in browser.one("#spec").get_attribute("value"))
        browser.until("a good verdict", lambda: "There is nothing wrong with it" in browser.one("#verdict").text)
    shoot(browser, "new")
    browser.type("#id", "first")
    browser.push("Keep and start")
    assert browser.path == "/crawls/first", browser.path


def by_form(browser, spec):
    """From a blank form to a crawl that runs. What is of this machine only, which no form asks for, comes from a file."""
    given = tomllib.loads(spec)
    browser.go("/new")
    assert browser.one("#field-contact").get_attribute("value") == ""
    for name, value in [("name", "by form"), ("seeds", "https://www.bl.uk/"), ("contact", "https://library.example/")]:
        browser.type(f"#field-{name}", value)
    browser.push("Keep and start")
    assert "this is an example" in browser.one("#field-contact-error").text, browser.text
    # Who sent it begins with what is wrong, and is led there.
    assert browser.driver.title.startswith("Error: ") and browser.driver.switch_to.active_element.get_attribute("id") == "summary"
    browser.one("#summary a").click()
    assert browser.driver.switch_to.active_element.get_attribute("id") == "field-contact"
    browser.check()
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write("[network]" + spec.split("[network]", 1)[1])
        file.flush()
        browser.run("window.isOld = true")
        browser.one("input[type=file]").send_keys(file.name)
        browser.until("the form of the file", lambda: browser.run("return document.readyState === 'complete' && !window.isOld"))
    assert browser.one("#field-name-error").text, "it has no name yet"
    browser.type("#field-name", "by form")
    browser.type("#field-seeds", given["seed"][0]["url"])
    browser.one("#field-scope option[value=any]").click()
    browser.type("#field-keywords", "pension\nausterity")
    browser.type("#field-limit_pages", "5")
    browser.type("#field-delay", "0s")
    browser.one(".folded summary").click()
    browser.type("#field-weight_anchor", "much")
    browser.until("what is wrong beside its field", lambda: "expected" in browser.one("#field-weight_anchor-error").text)
    shoot(browser, "new-form")
    browser.type("#field-weight_anchor", "2")
    browser.until("a good verdict", lambda: "There is nothing wrong with it" in browser.one("#verdict").text)
    browser.check()
    browser.push("Keep and start")
    assert browser.path == "/crawls/by-form", browser.path
    seen = lambda: browser.ask("/api/crawls/by-form")
    browser.until("its limit", lambda: seen()["state"] == "pagelimit" and not seen()["is_running"])
    assert "anchor = 2.0" in browser.ask_text("/api/crawls/by-form/spec")
    browser.ask_text("/api/crawls/by-form", method="DELETE")


def watch(browser):
    """Numbers move without anything being pressed."""
    captures = lambda: int(browser.one("[data-live=captures]").text.replace(",", ""))
    browser.until("the first captures", lambda: captures() > 3)
    before = captures()
    browser.until("more of them, by themselves", lambda: captures() > before)
    browser.until("charts, which were not there at the start", lambda: browser.all("[data-fresh] table.bars"))
    browser.check()


def pause_and_go_on(browser):
    browser.push("Pause")
    browser.until("it is paused", lambda: browser.one(".badge").text == "paused" and browser.has_button("Go on"))
    browser.until("nothing is under way", lambda: browser.ask("/api/crawls/first")["visits_in_flight"] == 0)
    many_tabs(browser)
    asked = browser.ask("/api/crawls/first")["captures"]
    browser.go("/crawls/first")
    shoot(browser, "overview-paused")
    assert browser.ask("/api/crawls/first")["captures"] == asked
    browser.push("Go on")
    browser.until("it goes on", lambda: browser.ask("/api/crawls/first")["captures"] > asked)
    # A page that loads itself again would cut short the way to the next one.
    browser.until("the page says so", lambda: browser.has_button("Pause"))


def many_tabs(browser):
    """As many tabs of a crawl that runs as a browser has connections, and one more: it loads as well."""
    first = browser.driver.current_window_handle
    for _ in range(CONNECTIONS + 1):
        browser.driver.switch_to.new_window("tab")
        browser.go("/crawls/first")
        assert browser.one("[data-live-source]") and browser.ask("/api/crawls/first")["is_running"]
    # It is live once more for who comes back.
    browser.driver.switch_to.window(first)
    browser.go("/crawls/first/log")
    browser.until("the log", lambda: browser.all("tbody tr"))
    browser.run("window.isOld = true")
    lines = len(browser.all("tbody tr"))
    for handle in browser.driver.window_handles:
        if handle != first:
            browser.driver.switch_to.window(handle)
            browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.ask("/api/crawls/first/start", {}, "POST")
    browser.until("a line that came by itself", lambda: len(browser.all("tbody tr")) > lines)
    assert browser.run("return window.isOld"), "the page was not loaded again"
    browser.ask("/api/crawls/first/pause", {}, "POST")
    browser.until("the next", lambda: len(browser.all("tbody tr")) > lines + 1)
    browser.check()


def steer(browser):
    """A site is blocked and allowed again, seeds are added, delays, weights and budgets change while it runs."""
    browser.go("/crawls/first/queue")
    browser.reload_until("sites that wait", lambda: browser.has_button("Block"))
    shoot(browser, "queue")
    browser.check()
    # The list is made anew by itself, but not while one of its buttons has the focus.
    site = browser.run("const first = document.querySelector('input[name=site]'); first.form.querySelector('button').focus(); return first.value")
    browser.push("Block")
    assert site in tomllib.loads(browser.ask_text("/api/crawls/first/spec"))["scope"]["block"]
    browser.until("it is told", lambda: browser.has_button("Allow again"))
    browser.check()
    shoot(browser, "queue-blocked")
    browser.push("Allow again")
    assert not browser.has_button("Allow again"), site
    seed = "http://added.test/"
    browser.type("#urls", seed)
    browser.push("Add")
    assert "1 seed was added." in browser.text
    assert seed in browser.ask_text("/api/crawls/first/spec")
    browser.type("#urls", "mailto:nobody")
    browser.push("Add")
    assert "mailto:nobody: " in browser.text and browser.one("a.button[href='/crawls/first']")
    browser.check()
    shoot(browser, "refused")

    browser.go("/crawls/first/settings?as=toml")
    changed = browser.one("#spec").get_attribute("value")
    for was, now in [
        ('min_delay = "0s"\nmax_delay = "0s"', 'min_delay = "1ms"\nmax_delay = "2ms"'),
        ("[limits]\n# pages is not set", "[limits]\npages = 100000"),
        ("# weights is not set", "weights = { anchor = 0.5 }"),
    ]:
        assert was in changed, changed
        changed = changed.replace(was, now, 1)
    browser.fill("#spec", changed)
    browser.until("a good verdict", lambda: "There is nothing wrong with it" in browser.one("#verdict").text)
    browser.push("Change")
    browser.until("it is kept", lambda: "Kept." in browser.text)
    kept = browser.ask_text("/api/crawls/first/spec")
    assert "100000" in kept and "anchor" in kept and "1ms" in kept, kept
    browser.check()
    shoot(browser, "settings")


def looked_up(browser):
    """What was fetched, a captured page in its frame, why, what was skipped, and the log with its filters."""
    browser.go("/crawls/first/fetched")
    browser.type("#q", "text/html 200")
    browser.press(Keys.ENTER)
    browser.until("a list of pages", lambda: browser.all("td.url a"))
    browser.check()
    shoot(browser, "fetched")
    first = browser.one("td.url a")
    address = first.text
    first.click()
    frame = browser.one("iframe.replay")
    banner = browser.one(".banner").text
    assert address in banner and " UTC" in banner and "Captured 20" in banner, banner
    browser.check()
    browser.driver.switch_to.frame(frame)
    browser.until("the captured page", lambda: len(browser.one("body").text) > 50)
    browser.driver.switch_to.default_content()
    shoot(browser, "page")
    followed(browser, address)
    browser.go("/crawls/first/log")
    browser.type("#q", "begins")
    browser.one("#severity option[value=info]").click()
    browser.push("Show")
    browser.until("the event", lambda: "the crawl begins" in browser.text)
    assert "severity=info" in browser.path
    browser.check()
    shoot(browser, "log")
    browser.one("#severity option[value=error]").click()
    browser.push("Show")
    assert "Nothing that fits has happened" in browser.text
    browser.go("/crawls/first/skipped")
    browser.check()
    shoot(browser, "skipped")


def to_the_end(browser):
    browser.go("/crawls/first")
    browser.until("its end", lambda: browser.one(".badge").text == "complete")
    browser.check()
    shoot(browser, "overview")


def studied(browser):
    """A study is asked for where its results will be, and they are read: people, topics, events, who writes."""
    browser.go("/crawls/first/knowledge")
    assert "Nobody has studied this archive yet" in browser.text
    browser.check()
    shoot(browser, "knowledge-empty")
    browser.push("Run a study")
    done = lambda: all(task["state"] not in ("queued", "running") for task in browser.ask("/api/crawls/first/tasks")["tasks"])
    browser.check()
    shoot(browser, "study-runs")
    browser.until("the end of the study", done, 0.5)
    browser.go("/crawls/first/knowledge")
    browser.until("people", lambda: browser.all("table tbody tr"))
    wrong = []
    for path in views(browser):
        browser.go(path)
        wrong += [f"{path}: {what}" for what in browser.wrongs()]
        shoot(browser, named(path))
    assert not wrong, "\n".join(wrong)
    browser.go("/crawls/first/knowledge?kind=person")
    browser.one("tbody a").click()
    browser.until("a person", lambda: "/knowledge/name" in browser.path)
    browser.check()
    shoot(browser, "knowledge-name")


def searched(browser):
    """Words are found, narrowed by a facet, and lead to the captured page."""
    browser.go("/crawls/first/search")
    browser.type("#q", "pension")
    browser.press(Keys.ENTER)
    browser.until("what was found", lambda: browser.all("mark"))
    browser.check()
    shoot(browser, "search-found")
    facet = browser.one(".facets a, aside a")
    facet.click()
    browser.until("it is narrowed", lambda: "&" in browser.path)
    browser.check()
    shoot(browser, "search-narrowed")
    browser.one("a[href*='/page?url=']").click()
    assert browser.one("iframe.replay")
    browser.check()
    shoot(browser, "page-with-objects")
    browser.go("/crawls/first/search?q=%22")
    browser.check()
    browser.go("/crawls/first/search?q=thereisnosuchword")
    browser.check()
    shoot(browser, "search-nothing")


def asked(browser):
    """A question in SPARQL, from an example to a table; a wrong one is told."""
    browser.go("/crawls/first/ask")
    browser.push("Ask")
    browser.until("an answer", lambda: browser.all("table tbody tr"))
    browser.check()
    shoot(browser, "ask-answered")
    browser.fill("textarea", "SELECT nonsense")
    browser.push("Ask")
    browser.check()
    shoot(browser, "ask-wrong")


def stopped(browser, spec):
    """A second crawl is kept, started from the list and stopped."""
    browser.go("/new?as=toml")
    browser.fill("#spec", spec)
    browser.type("#id", "second")
    browser.push("Keep")
    assert browser.path == "/crawls/second" and "not started" in browser.text
    shoot(browser, "overview-new")
    browser.go("/")
    browser.check()
    shoot(browser, "home")
    browser.push("Start")
    assert browser.path == "/crawls/second"
    browser.push("Stop")
    browser.until("it has stopped", lambda: browser.one(".badge").text == "stopped")
    browser.go("/crawls/second/settings")
    browser.push("Remove…")
    assert "Remove second for good?" in browser.text
    browser.check()
    shoot(browser, "question-remove")
    browser.link("No, go back").click()
    browser.push("Remove…")
    browser.push("Remove for good")
    assert browser.path == "/" and not browser.all("a[href='/crawls/second']"), browser.text


def reviewed(browser):
    desk.reviewed(browser, shoot)


def annotated(browser):
    desk.annotated(browser, shoot)


def exported(browser):
    desk.exported(browser, shoot)


def followed(browser, address):
    """What stands above a captured page is of the page that is seen, after a link and after the way back."""
    def shown():
        return browser.one(".banner .url").text

    browser.driver.switch_to.frame(browser.one("iframe.replay"))
    here = browser.one("body").text
    next(link for link in browser.all("a[href*='mp_/']") if not link.get_attribute("href").endswith("/" + address)).click()
    browser.driver.switch_to.default_content()
    browser.until("the lines of the other page", lambda: shown() != address)
    assert browser.one(".followed").get_attribute("hidden"), browser.text
    shoot(browser, "page-followed")
    browser.driver.back()
    browser.until("the lines of the first page again", lambda: shown() == address)
    browser.driver.switch_to.frame(browser.one("iframe.replay"))
    browser.until("the first page", lambda: browser.one("body").text == here)
    browser.driver.switch_to.default_content()


def by_another_name(browser):
    """Who calls the service by another of its names sees the same, captured pages in their frames too."""
    url = next(one["url"] for one in browser.ask("/api/crawls/first/fetched?q=text/html+200")["fetched"])
    own = browser.service, browser.replay
    browser.service, browser.replay = (f"{NAME}:{address.rsplit(':', 1)[1]}" for address in own)
    browser.go("/crawls/first/page?url=" + urllib.parse.quote(url, safe=""))
    browser.check()
    browser.driver.switch_to.frame(browser.one("iframe.replay"))
    browser.until("the captured page", lambda: len(browser.one("body").text) > 50)
    browser.driver.switch_to.default_content()
    browser.go("/crawls/first")
    browser.push("Go on")
    assert browser.path == "/crawls/first", "its forms are its own"
    browser.service, browser.replay = own
    browser.until("its end", lambda: not browser.ask("/api/crawls/first")["is_running"])


def by_keyboard(browser):
    """All that can be used is reached with the tab key, in the order one reads, and it is seen where one is."""
    for path in views(browser):
        browser.go(path)
        # A page may begin where one will type.
        wanted = browser.run(
            "const first = document.querySelector('[autofocus]');"
            "return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex=\"0\"]')]"
            ".filter((e) => e.checkVisibility() || e.className === 'skip')"
            ".filter((e) => !first || first.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING).slice(0, 40).map((e) => e.outerHTML)"
        )
        for place, html in enumerate(wanted):
            browser.press(Keys.TAB)
            # In one question: there are a thousand of these.
            reached, tag, outline = browser.run(
                "const at = document.activeElement; return [at.outerHTML, at.tagName, getComputedStyle(at).outlineStyle]")
            assert reached == html, f"{path}, {place}: {html} is not next, but {reached}"
            if tag == "IFRAME":
                break
            assert outline != "none", f"{path}: it cannot be seen that one is at {html}"
    browser.go("/")
    assert browser.tab().text == "Skip to content"
    browser.press(Keys.ENTER)
    browser.tab()
    inside = browser.run("return document.getElementById('main').contains(document.activeElement)")
    assert inside, "the way around the menu leads nowhere"


def without_script(browser, spec):
    """The same pages, whole; what is sent is sent by forms."""
    browser.script(False)
    browser.go("/new?as=toml")
    field = browser.one("#spec")
    # Typed, as there is nobody to paste: the first lines are enough for a mistake.
    field.clear()
    field.send_keys('name = "plain"\nnonsense = 1\n')
    browser.push("Check only")
    browser.until("a verdict", lambda: "nonsense" in browser.one("#verdict").text)
    for path in views(browser):
        browser.go(path)
        browser.check()
    browser.go("/crawls/first/log?q=begins")
    assert "the crawl begins" in browser.text
    browser.go("/crawls/first")
    browser.push("Go on")
    browser.reload_until("it ran again", lambda: browser.one(".badge").text == "complete")
    browser.script(True)


def on_a_small_screen(browser):
    """Nothing has to be moved sideways to be read, but tables."""
    browser.width(375)
    for path in views(browser):
        browser.go(path)
        wide = browser.run("return document.documentElement.scrollWidth")
        shoot(browser, "small-" + named(path))
        assert wide <= 375, f"{path} is {wide} pixels wide on a screen of 375"
        narrow = browser.run(
            "return [...document.querySelectorAll('table:has(tr > :nth-child(4)) td.url')].map((e) => e.offsetWidth).filter((width) => width < 200)")
        assert not narrow, f"{path}: nobody can read addresses in {narrow[0]} pixels"
    browser.width(1280)


def shoot(browser, name):
    for theme in ["light", "dark"]:
        browser.theme(theme)
        browser.screenshot(browser.shots / f"{name}-{theme}.png")
    browser.theme("light")


def main():
    service, replay, spec, shots = sys.argv[1:]
    spec = pathlib.Path(spec).read_text()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as downloads, Browser(service, replay, downloads=downloads) as browser:
        browser.downloads = pathlib.Path(downloads)
        browser.shots = pathlib.Path(shots)
        browser.shots.mkdir(parents=True, exist_ok=True)
        steps = [blank_root, by_form, new_crawl, watch, pause_and_go_on, steer, looked_up, to_the_end, studied, searched]
        steps += [asked, reviewed, annotated, exported, stopped, by_another_name]
        steps += [by_keyboard, without_script, on_a_small_screen]
        for step in steps:
            step(browser, *([spec] if "spec" in step.__code__.co_varnames[:step.__code__.co_argcount] else []))
            print(f"{step.__name__}: fine after {time.monotonic() - begun:.0f} s", flush=True)


main()
