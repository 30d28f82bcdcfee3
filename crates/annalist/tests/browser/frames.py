"""Captured pages in their frame, and what stands around it: of the page that is seen, whatever else that page asks for.

    frames.py SERVICE REPLAY ROOT
"""

import pathlib
import sys
import urllib.parse

from chrome import Browser

SITE = "http://a.test"
SPEC = f"""name = "x"
[[seed]]
url = "{SITE}/"
[limits]
pages = 5
[network]
allow = ["127.0.0.0/8"]
[network.resolve]
"a.test" = "127.0.0.1:9"
"""
WORDS = "<p>The council met on Monday and spoke about pensions.</p>"
# What a page asks for besides what is seen of it.
BESIDES = {
    "/fetches-ahead": "<link rel=prefetch href=/c>",
    "/loads-ahead": "<link rel=preload as=font href=/f.woff2 crossorigin><link rel=preload as=image href=/i.png>",
    "/draws": "<svg width=50 height=50><use href='/sprite.svg#a'/></svg>",
    "/relates": "<link rel=next href=/c><link rel=manifest href=/c>",
}


def responses():
    def page(text):
        return "text/html", f"<!doctype html><title>x</title>{text}{WORDS}"

    links = "".join(f"<a href='{path}'>{path}</a> " for path in [*BESIDES, "/frame", "/paper.pdf", "/c"])
    yield "/", page(links)
    for path, text in BESIDES.items():
        yield path, page(text)
    yield "/frame", page("<iframe name=inner src=/inner></iframe><a id=named target=inner href=/c>c in the frame</a>")
    yield "/inner", page("<a id=on href=/c>on</a>")
    yield "/c", page("another page")
    yield "/f.woff2", ("font/woff2", "wOF2")
    yield "/i.png", ("image/png", "no picture")
    yield "/sprite.svg", ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><symbol id='a'><circle r='9'/></symbol></svg>")
    yield "/paper.pdf", ("application/pdf", "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj trailer<</Root 1 0 R>>\n%%EOF")


def record(number, path, kind, body):
    block = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{body}"
    head = [
        "WARC/1.1",
        "WARC-Type: response",
        f"WARC-Target-URI: {SITE}{path}",
        f"WARC-Date: 2026-03-01T10:00:{number:02}Z",
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(block)}",
    ]
    return "\r\n".join(head) + f"\r\n\r\n{block}\r\n\r\n"


def page_of(path):
    return "/crawls/x/page?url=" + urllib.parse.quote(SITE + path, safe="")


def above(browser):
    """What is said to be seen; both places say the same."""
    said = browser.one(".banner .url").text
    assert said == browser.one("#url").get_attribute("value"), said
    return said.removeprefix(SITE)


def follow(browser, css, within=()):
    frames = [browser.one("iframe.replay"), *within]
    browser.driver.switch_to.frame(frames[0])
    for name in within:
        browser.driver.switch_to.frame(browser.one(name))
    browser.until("the link", lambda: browser.all(css))
    browser.one(css).click()
    browser.driver.switch_to.default_content()


def seen(browser):
    browser.driver.switch_to.frame(browser.one("iframe.replay"))
    address = browser.run("return document.readyState === 'complete' ? location.href : ''")
    browser.driver.switch_to.default_content()
    return address.rpartition(SITE)[2]


def what_a_page_loads_is_not_what_is_seen(browser):
    for path in BESIDES:
        browser.go(page_of("/"))
        browser.until("the first page", lambda: seen(browser) == "/")
        follow(browser, f"a[href$='{path}']")
        browser.until("the page", lambda: seen(browser) == path)
        browser.until("what stands above it", lambda: above(browser) != "/")
        assert above(browser) == path, f"{path} is seen, {above(browser)} is told"
        assert browser.one(".followed").get_attribute("hidden")
        # What it asked for at leisure was asked for by now.
        browser.driver.refresh()
        assert above(browser) in ["/", path], above(browser)


def a_frame_of_the_page_is_not_the_page(browser):
    for link, within in [("#on", ["iframe"]), ("#named", [])]:
        browser.go(page_of("/frame"))
        view = browser.one("iframe.replay").get_attribute("data-view")
        follow(browser, link, within)

        def inner():
            browser.driver.switch_to.frame(browser.one("iframe.replay"))
            browser.driver.switch_to.frame(browser.one("iframe"))
            text = browser.one("body").text
            browser.driver.switch_to.default_content()
            return "another page" in text

        browser.until("the other page in the inner frame", inner)
        told = browser.ask_text(f"/crawls/x/page?view={view}")
        assert f'<span class="url">{SITE}/frame</span>' in told, link


def what_no_frame_shows_is_offered_in_its_place(browser):
    browser.go(page_of("/"))
    browser.until("the first page", lambda: seen(browser) == "/")
    follow(browser, "a[href$='/paper.pdf']")
    browser.until("the offer", lambda: browser.all(".unframed a.button"))
    assert above(browser) == "/paper.pdf"
    assert not browser.one("iframe.replay").is_displayed()
    browser.check()
    browser.driver.back()
    browser.until("the frame once more", lambda: browser.one("iframe.replay").is_displayed() and seen(browser) == "/")
    assert above(browser) == "/" and not browser.all(".unframed")
    browser.check()


def an_address_is_read_as_people_write_it(browser):
    for typed in ["a.test/c", f"  {SITE}/c ", "A.test:80/c"]:
        browser.go("/crawls/x/page?url=" + urllib.parse.quote(typed))
        assert browser.one(".banner .url").text == f"{SITE}/c", typed
        browser.until("the page", lambda: seen(browser) == "/c")
        browser.check()


def without_script_it_is_said_that_nothing_follows(browser):
    browser.go(page_of("/"))
    sentence = "after you followed a link in it"
    assert sentence not in browser.text
    browser.script(False)
    browser.go(page_of("/"))
    assert sentence in browser.text, browser.text
    browser.script(True)


JOURNEYS = [
    what_a_page_loads_is_not_what_is_seen,
    a_frame_of_the_page_is_not_the_page,
    what_no_frame_shows_is_offered_in_its_place,
    an_address_is_read_as_people_write_it,
    without_script_it_is_said_that_nothing_follows,
]


def main(service, replay, root):
    with Browser(service, replay) as browser:
        browser.ask("/api/crawls", {"spec": SPEC, "id": "x"}, "POST")
        archive = pathlib.Path(root, "x", "archive")
        archive.mkdir(exist_ok=True)
        records = [record(number, path, *answer) for number, (path, answer) in enumerate(responses())]
        (archive / "a.warc").write_text("".join(records), newline="")
        failed = []
        for journey in JOURNEYS:
            try:
                journey(browser)
                print(f"{journey.__name__}: well")
            except Exception as fault:
                failed.append(f"{journey.__name__}: {fault!r}")
                browser.driver.switch_to.default_content()
        assert not failed, "\n".join(failed)


main(*sys.argv[1:])
