"""A service that goes away and comes back, as who has its pages open sees it; and one that is called by an address of IPv6.

    comings.py PROGRAM SPEC
"""

import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import urllib.parse

from chrome import Browser


class Service:
    """A service that this program starts and kills."""

    def __init__(self, program, root, listen):
        self.program, self.root, self.listen = program, root, listen
        self.process = None
        self.start()

    def start(self):
        command = [self.program, "serve", self.root, "--listen", self.listen]
        # Without a book: other tests ask the same addresses at the same time.
        env = {**os.environ, "ANNALIST_BOOK": ""}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=env)
        told = ""
        while len(found := re.findall(r"http://([^/\s]+)/", told)) < 2:
            line = self.process.stderr.readline()
            assert line, f"the service ended: {told}"
            told += line
        # The same addresses the next time.
        self.listen, self.replay = found[:2]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()


def is_anew(browser):
    return browser.run("return document.readyState === 'complete' && !window.isOld")


def away_and_back(browser, service, spec):
    """It is said that the service is away; what was not typed into is loaded again, with forms that count."""
    browser.ask("/api/crawls", {"spec": spec, "id": "one", "start": True}, "POST")
    browser.until("its end", lambda: not browser.ask("/api/crawls/one")["is_running"])
    browser.ask("/api/crawls/one/schedule", {"next": "2100-01-01T00:00:00Z"}, "PUT")
    for path, marked in [("/", "[data-every]"), ("/crawls/one", "[data-every]")]:
        browser.go(path)
        assert browser.all(marked), f"{path} is not looked at again"
        browser.run("window.isOld = true")
        service.kill()
        browser.until("it is said", lambda: "The connection to the service is lost" in browser.one("#connection").text)
        assert not is_anew(browser)
        service.start()
        browser.until("the page, made anew", lambda: is_anew(browser))
        assert browser.one("#connection").text == ""
        browser.outside()
    browser.push("Go on")
    assert browser.path == "/crawls/one", "a form of the page that was made anew is taken"
    browser.until("its end", lambda: not browser.ask("/api/crawls/one")["is_running"])


def typed(browser, service):
    """What somebody was typing is not taken away; it is said what may become of it."""
    browser.go("/crawls/one/queue")
    browser.type("#urls", "http://half.a.te")
    browser.run("window.isOld = true; document.activeElement.blur()")
    service.kill()
    browser.until("it is said", lambda: "The connection to the service is lost" in browser.one("#connection").text)
    service.start()
    browser.until("it is back", lambda: "copy what you have typed first" in browser.one("#connection").text)
    assert browser.one("#urls").get_attribute("value") == "http://half.a.te" and not is_anew(browser)
    browser.link("Load the page again").click()
    browser.until("the page, made anew", lambda: is_anew(browser))
    browser.outside()


def by_six(browser):
    """Who calls the service by an address of IPv6 is led to where captured pages can be framed, and sees one."""
    url = next(one["url"] for one in browser.ask("/api/crawls/one/fetched?q=text/html+200")["fetched"])
    browser.go("/crawls/one/page?url=" + urllib.parse.quote(url, safe=""))
    assert browser.driver.current_url.startswith("http://localhost:"), browser.driver.current_url
    browser.driver.switch_to.frame(browser.one("iframe.replay"))
    browser.until("the captured page", lambda: len(browser.one("body").text) > 50)
    browser.driver.switch_to.default_content()
    assert not (found := browser.outside()), found


def has_six():
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True


def main():
    program, spec = sys.argv[1:]
    spec = pathlib.Path(spec).read_text()
    with tempfile.TemporaryDirectory() as root:
        service = Service(program, root, "127.0.0.1:0")
        try:
            with Browser(service.listen, service.replay) as browser:
                away_and_back(browser, service, spec)
                typed(browser, service)
            if not has_six():
                print("this machine has no IPv6: nobody can call the service so")
                return
            service.kill()
            service.listen = "[::1]:0"
            service.start()
            with Browser(service.listen, service.replay, own=["localhost", "::1"]) as browser:
                by_six(browser)
        finally:
            service.kill()


main()
