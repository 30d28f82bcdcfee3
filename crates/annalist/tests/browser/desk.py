"""What people do with an archive that is there: review its pages, judge them, and take it home in every format."""

import io
import zipfile

from selenium.webdriver.common.keys import Keys

from warcio.archiveiterator import ArchiveIterator


def tasks_over(browser):
    tasks = browser.ask("/api/crawls/first/tasks")["tasks"]
    return all(task["state"] not in ("queued", "running") for task in tasks)


def reviewed(browser, shoot):
    """Pages are proposed; one is kept, one dropped, two at once, a rule is made and taken back after a question."""
    browser.go("/crawls/first/review")
    assert "Which pages enter the final collection?" in browser.text
    browser.push("Read the archive")
    browser.until("the archive is read", lambda: tasks_over(browser), 0.5)
    browser.go("/crawls/first/review")
    browser.until("pages", lambda: browser.all(".review li"))
    browser.check()
    decided = lambda: browser.ask("/api/crawls/first/review?basis=decision&limit=10")["total"]
    assert decided() == 0
    browser.push("Keep", within=".decide")
    browser.push("Drop", within=".decide")
    for box in browser.all(".review input[type=checkbox]")[:2]:
        box.click()
    browser.push("Drop", within=".bulk")
    browser.until("four decisions", lambda: decided() == 4)
    browser.link("Decided").click()
    browser.until("what was decided", lambda: len(browser.all(".review li")) == 4)
    assert len(browser.all(".review .badge.good")) == 1, browser.text
    shoot(browser, "review-decided")
    browser.type("#expression", "words < 5")
    browser.push("Drop such pages")
    browser.push("Remove…")
    assert "Remove this rule?" in browser.text and "words < 5" in browser.text
    browser.check()
    shoot(browser, "question")
    browser.push("Remove the rule")
    assert not browser.has_button("Remove…")


def annotated(browser, shoot):
    """Pages are drawn and judged by keys; then it is told how well the program agrees."""
    browser.go("/crawls/first/annotate")
    browser.push("Draw pages")
    browser.until("they are drawn", lambda: tasks_over(browser), 0.5)
    browser.go("/crawls/first/annotate")
    browser.type("#by", "ann")
    browser.press(Keys.ENTER)
    browser.until("the first page", lambda: browser.all("button.grade"))
    # The one link out of the archive, which says so.
    wrong = [wrong for wrong in browser.wrongs() if "today's page on the live web" not in wrong]
    assert not wrong, wrong
    shoot(browser, "annotate-page")
    judged = "return document.readyState === 'complete' ? document.querySelector('.panel progress')?.value : -1"
    for number in range(12):
        browser.until(f"page {number + 1}", lambda: browser.run(judged) == number)
        # The key that judged the last page is still held down: it says nothing about this one.
        for _ in range(3):
            browser.cdp("Input.dispatchKeyEvent", type="keyDown", text="1", key="1", autoRepeat=True)
        assert browser.run(judged) == number, "a held key judges one page"
        browser.press("14"[number % 2])
    browser.until("the last one", lambda: browser.run(judged) == 12)
    browser.go("/crawls/first/annotate")
    text = browser.text
    for part in ["12 judgements, 6 of them relevant", "Break-even point", "Average precision", "12 of "]:
        assert part in text, f"{part}: {text}"
    points = [float(cell.text) for cell in browser.all("tbody td.number") if cell.text.startswith("0.")]
    assert points and all(0 <= point <= 1 for point in points), text
    assert browser.run("return document.querySelector('.curves').naturalWidth") > 0
    browser.check()
    shoot(browser, "annotate-figures")


def exported(browser, shoot):
    """Files of every kind are made, one taken home by the browser, and all read by others."""
    formats = ["WACZ", "WARC", "CSV", "N-Quads"]
    for number, name in enumerate(formats):
        browser.go("/crawls/first/export")
        browser.push(f"Make {name}")
    browser.until("all files", lambda: tasks_over(browser), 0.5)
    browser.go("/crawls/first/export")
    browser.check()
    shoot(browser, "export")
    links = [link.get_attribute("href") for link in browser.all("td.url a[download]")]
    of = lambda ending: next(link for link in links if link.endswith(ending))
    browser.one(f"td.url a[href$='{of('.wacz').rsplit('/', 1)[1]}']").click()
    whole = lambda: [path for path in browser.downloads.iterdir() if path.suffix == ".wacz"]
    browser.until("the download", whole)
    [path] = whole()
    with zipfile.ZipFile(path) as wacz:
        names = wacz.namelist()
        assert wacz.testzip() is None and "datapackage.json" in names and "pages/pages.jsonl" in names, names
        [archive, *_] = [name for name in names if name.endswith(".warc.gz")]
        with wacz.open(archive) as warc:
            records = responses(warc)
    captures = browser.ask("/api/crawls/first")["captures"]
    assert 0 < records <= captures, (records, captures)
    fetched = lambda ending: browser.ask_bytes(of(ending))
    assert responses(io.BytesIO(fetched(".warc.gz"))) == records
    head, *rows = fetched(".csv").decode().splitlines()
    assert "url" in head and len(rows) > 0, head
    statements = fetched(".nq").decode().splitlines()
    assert len(statements) > records and all(line.endswith(" .") for line in statements[:1000])


def responses(warc):
    return sum(record.rec_type == "response" for record in ArchiveIterator(warc))
