"""A real browser on this machine that can reach nothing else: Debian's Chromium, led through its driver.

Every name but 127.0.0.1 (or what else is given as one's own) leads to a server of our own that remembers what was asked of it: a request there is a leak.
"""

import base64
import http.server
import json
import os
import pathlib
import shutil
import signal
import tempfile
import threading
import time
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException, StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# Nothing that is waited for takes this long, on whatever machine.
PATIENCE = 60

# Another name of the service than its address.
NAME = "archive.test"

# What the browser asks of those who make it, of its own accord; none of our pages names them.
MAKER = (".google.com", ".googleapis.com", ".gstatic.com", ".gvt1.com")

# In every document before its own script: what the policy refused is remembered, and what strangers' scripts would set.
WATCH = """
window.refused = [];
addEventListener('securitypolicyviolation', (e) => refused.push(e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sample));
"""

# What every page of ours keeps to. `arguments[0]`: the origin of captured pages.
RULES = pathlib.Path(__file__).with_name("rules.js").read_text()


class Refused(Exception):
    """The service said no: code and body."""


class Missing(AssertionError):
    """Something is not on the page, or not yet."""


class Elsewhere:
    """Where all names but 127.0.0.1 lead."""

    def __init__(self):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                host = self.headers.get("host", "")
                if not host.endswith(MAKER):
                    asked.append(f"{self.command} {host} {self.path}")
                self.send_response(204)
                self.end_headers()

            do_POST = do_HEAD = do_OPTIONS = do_CONNECT = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()


class Browser:
    """`with Browser(service, replay) as browser:`; the browser is gone when the block ends, however it ends."""

    def __init__(self, service, replay, seconds=1800, downloads=None, own=("127.0.0.1",)):
        # A test that hangs ends all the same, and takes its browser along.
        signal.signal(signal.SIGALRM, self.too_long)
        signal.signal(signal.SIGTERM, self.too_long)
        signal.alarm(seconds)
        self.service, self.replay = service, replay
        self.elsewhere = Elsewhere()
        self.profile = tempfile.mkdtemp(prefix="annalist-browser-")
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        arguments = ["--headless=new", f"--user-data-dir={self.profile}", "--no-first-run", "--disable-gpu"]
        arguments += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        arguments += ["--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1280,1000", "--lang=en"]
        # Nothing else opens windows of its own accord.
        arguments += ["--no-default-browser-check", "--disable-extensions", "--disable-search-engine-choice-screen"]
        rules = [f"MAP {NAME} 127.0.0.1", f"MAP * 127.0.0.1:{self.elsewhere.port}", *(f"EXCLUDE {name}" for name in own)]
        arguments.append(f"--host-resolver-rules={', '.join(rules)}")
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        for argument in arguments:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        if downloads:
            options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
        driver = webdriver.ChromeService(shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=driver)
        self.driver.set_page_load_timeout(PATIENCE)
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        signal.alarm(0)
        try:
            self.driver.quit()
        finally:
            self.elsewhere.close()
            shutil.rmtree(self.profile, ignore_errors=True)

    @staticmethod
    def too_long(number, _frame):
        raise TimeoutError(f"the browser's journey takes too long (signal {number})")

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    # Where one is, and what one sees.

    def go(self, path):
        self.driver.get(path if "://" in path else f"http://{self.service}{path}")

    @property
    def path(self):
        return self.driver.current_url.removeprefix(f"http://{self.service}")

    @property
    def text(self):
        return self.one("body").text

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        if found := self.all(css):
            return found[0]
        raise Missing(f"there is no {css} at {self.driver.current_url}: {self.source()[:600]}")

    def source(self):
        """The page's text as it stands, be it half there."""
        return self.run("return document.body ? document.body.innerText : ''")

    def link(self, words):
        return self.driver.find_element(By.LINK_TEXT, words)

    def push(self, words, within=""):
        """Presses the button that says so, and waits for the page it leads to."""
        def pushed():
            for button in self.all(f"{within} button"):
                if button.text == words:
                    self.run("window.isOld = true")
                    button.click()
                    return True
            return False
        self.until(f"a button {words!r}", pushed)
        is_new = "return document.readyState === 'complete' && !window.isOld"
        self.until(f"the page after {words!r}", lambda: self.run(is_new))

    def has_button(self, words):
        # In one question: buttons may be made anew while they are read.
        texts = "return [...document.querySelectorAll('button')].filter((e) => e.checkVisibility()).map((e) => e.innerText.trim())"
        return words in self.run(texts)

    def type(self, css, text):
        field = self.one(css)
        field.clear()
        field.send_keys(text)
        return field

    def fill(self, css, text):
        """A long text at once, as if it was pasted."""
        self.run("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))", self.one(css), text)

    def until(self, what, reached, every=0.1):
        begun = time.monotonic()
        while True:
            try:
                if seen := reached():
                    return seen
            except (StaleElementReferenceException, Missing):
                # The page was made anew while it was read, or is only half there.
                pass
            if time.monotonic() - begun > PATIENCE:
                text = self.source()
                raise AssertionError(f"never came: {what}, at {self.driver.current_url}: {text[:300]} … {text[-500:]}")
            time.sleep(every)

    def reload_until(self, what, reached):
        def looked():
            if reached():
                return True
            self.driver.refresh()
            return False
        self.until(what, looked, 0.5)

    # What must hold on each page.

    def wrongs(self):
        """What is wrong with the page: rules it breaks, what the policy refused, what ran, what was asked elsewhere."""
        try:
            said = self.driver.switch_to.alert.text
            self.driver.switch_to.alert.accept()
            return [f"a dialog says {said!r}"]
        except NoAlertPresentException:
            pass
        return self.run(RULES, f"http://{self.replay}") + self.outside()

    def wrongs_of_captured(self):
        """A captured page by itself is not ours: its markup is its own, but nothing in it runs or asks for anything."""
        ran = self.run("return window.canary")
        return ([] if ran is None else [f"a canary ran: {ran}"]) + self.outside()

    def outside(self):
        """What was asked elsewhere, and what the console says."""
        found = [f"asked elsewhere: {asked}" for asked in self.elsewhere.asked]
        self.elsewhere.asked.clear()
        own = f"http://{self.service}"
        for line in self.driver.get_log("browser"):
            # An answer that says no is not a fault of the page; captured pages may ask for what is not there. By a name that is not
            # this machine's, without TLS, browsers leave out one of the walls and say so.
            is_usual = any(part in line["message"] for part in ["status of 4", "Cross-Origin-Opener-Policy header has been ignored"])
            if line["level"] == "SEVERE" and line["message"].startswith(own) and not is_usual:
                found.append(f"the console says {line['message']}")
        return found

    def check(self):
        found = self.wrongs()
        assert not found, f"{self.driver.current_url}: {json.dumps(found, indent=1)}"

    def theme(self, name):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def script(self, is_on):
        self.cdp("Emulation.setScriptExecutionDisabled", value=not is_on)

    def width(self, pixels):
        self.cdp("Emulation.setDeviceMetricsOverride", width=pixels, height=1000, deviceScaleFactor=1, mobile=False)

    def press(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def tab(self):
        self.press(Keys.TAB)
        return self.driver.switch_to.active_element

    def screenshot(self, path):
        size = self.cdp("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 3000), "scale": 1}
        shot = self.cdp("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    # The service, as a program asks it.

    def ask(self, path, body=None, method=None):
        return json.loads(self.ask_text(path, body, method) or "null")

    def ask_text(self, path, body=None, method=None):
        return self.ask_bytes(f"http://{self.service}{path}", body, method).decode()

    @staticmethod
    def ask_bytes(address, body=None, method=None):
        body = None if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"content-type": "application/json"}
        request = urllib.request.Request(address, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.read()
        except urllib.error.HTTPError as refusal:
            raise Refused(refusal.code, refusal.read().decode()) from None
