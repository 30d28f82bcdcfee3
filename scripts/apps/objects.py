"""What a crawl brought, read from its WARC files: the objects it lifted out of pages, and the pages' main text."""

import gzip
import html
import json
import re
import unicodedata
import zlib


def records(job):
    """(type, target URI, block) of every record of a job."""
    for file in sorted((job / "archive").glob("*.warc.gz*")):
        with gzip.open(file) as stream:
            yield from read(stream)


def read(stream):
    while True:
        line = stream.readline()
        if not line:
            return
        if not line.startswith(b"WARC/"):
            continue
        fields = {}
        while (line := stream.readline().strip()):
            name, _, value = line.decode("utf-8", "replace").partition(":")
            fields[name.lower()] = value.strip()
        block = stream.read(int(fields["content-length"]))
        yield fields["warc-type"], fields.get("warc-target-uri", "").strip("<>"), block


def objects_of(found):
    """The objects among the records, each with the address of its page as `page`; one a page and id."""
    for kind, uri, block in found:
        if kind == "resource" and uri.startswith("urn:objects:"):
            for thing in json.loads(block)["objects"]:
                yield {**thing, "page": uri.removeprefix("urn:objects:")}


def pages_of(found):
    """(address, markup) of every page in HTML that the server gave with status 200."""
    for kind, uri, block in found:
        if kind != "response":
            continue
        head, _, body = block.partition(b"\r\n\r\n")
        status, _, fields = head.decode("latin-1").partition("\r\n")
        fields = fields.lower()
        if " 200" not in status or "content-type: text/html" not in fields:
            continue
        if "transfer-encoding: chunked" in fields:
            body = without_chunks(body)
        if "content-encoding: gzip" in fields:
            body = zlib.decompress(body, wbits=31)
        yield uri, body.decode("utf-8", "replace")


def without_chunks(body):
    whole, at = [], 0
    while (end := body.find(b"\r\n", at)) > 0:
        size = int(body[at:end].split(b";")[0], 16)
        whole.append(body[end + 2:end + 2 + size])
        at = end + 2 + size + 2
    return b"".join(whole)


MAIN = re.compile(r"<main\b.*?</main>|<div[^>]*\brole=[\"']main[\"'].*", re.S | re.I)
UNSEEN = re.compile(r"<(script|style|nav|aside|form|noscript)\b.*?</\1>|<!--.*?-->", re.S | re.I)
TAG = re.compile(r"<[^>]*>")
WORD = re.compile(r"\w+")


def main_text(markup):
    """What a page says in its middle: in <main> where the theme has one, as all of Debian's have."""
    found = MAIN.search(markup)
    return UNSEEN.sub(" ", found.group(0) if found else markup)


def words(markup):
    """Lower-case words of a text with or without tags. Quotes and dashes that a theme made typographic make no difference."""
    text = html.unescape(TAG.sub(" ", markup))
    return WORD.findall(unicodedata.normalize("NFKC", text).lower())


def grams(found, length):
    """All sequences of so many words; a shorter text is one sequence."""
    if len(found) < length:
        return {tuple(found)} if found else set()
    return set(zip(*(found[start:] for start in range(length))))
