"""The comparison, tried on records that we wrote ourselves."""

import gzip
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import compare  # noqa: E402
import crawl  # noqa: E402
import mediawiki  # noqa: E402
import objects  # noqa: E402
import wordpress  # noqa: E402

POST = {"id": 7, "type": "post", "title": "Tea & cake", "author": "Ada O'Hara", "date": "2020-05-01 10:00:00",
        "body": "<p>The harbour board sold the bridge.</p>\n<ul><li>It's \"true\" -- they did so on Sunday</li></ul>"}
COMMENT = {"id": 3, "type": "comment", "post": 7, "author": "Zoë", "date": "2020-05-02 08:30:15",
           "body": "I was there and saw nothing of the kind"}
ADDRESSES = {7: "http://blog.test/2020/05/01/tea/"}
POST_OBJECT = {"type": "post", "id": "post-7", "url": "http://blog.test/2020/05/01/tea/", "author": "Ada O’Hara",
               "date": "2020-05-01T13:00:00+03:00", "title": "Tea & cake",
               "body": "The harbour board sold the bridge.\nIt’s “true” — they did so on Sunday"}
COMMENT_OBJECT = {"type": "comment", "id": "comment-3", "url": "http://blog.test/2020/05/01/tea/comment-page-1/#comment-3",
                  "author": "Zoë", "date": "2020-05-02T08:30:15Z", "body": "I was there and saw nothing of the kind"}
ALL = ("body", "author", "date")


def compared(*things):
    found = compare.Comparison([POST, COMMENT], wordpress.names(ADDRESSES))
    found.add(things)
    return found


class TheComparison(unittest.TestCase):
    def test_takes_an_object_for_its_row_whatever_the_theme_made_of_quotes_and_zones(self):
        found = compared(POST_OBJECT, COMMENT_OBJECT)
        self.assertEqual(found.of("post", ALL)["right_percent"], 100)
        self.assertEqual(found.of("comment", ALL)["right_percent"], 100)
        self.assertEqual(found.strangers, {})

    def test_misses_what_is_not_there_and_says_its_name(self):
        figures = compared(POST_OBJECT).of("comment", ALL)
        self.assertEqual((figures["found"], figures["right_percent"]), (0, 0))
        self.assertIn("comment 3 by Zoë", figures["missed"][0])

    def test_counts_each_wrong_field(self):
        for field, value in (("author", "Bob"), ("date", "2020-05-02T08:30:15+03:00"), ("date", None), ("body", "I was there")):
            figures = compared({**COMMENT_OBJECT, field: value}).of("comment", ALL)
            self.assertEqual((figures["right"], figures[f"{field}_percent"]), (0, 0), field)
            self.assertIn(f"wrong {field}", figures["missed"][0])

    def test_a_body_with_the_sidebar_in_it_is_wrong(self):
        longer = COMMENT_OBJECT["body"] + " and Recent posts Archives Categories Meta Log in Entries feed"
        self.assertEqual(compared({**COMMENT_OBJECT, "body": longer}).of("comment", ALL)["right"], 0)

    def test_takes_the_best_of_several_sightings(self):
        excerpt = {**POST_OBJECT, "body": "The harbour board", "author": None}
        for order in ((excerpt, POST_OBJECT), (POST_OBJECT, excerpt)):
            figures = compared(*order).of("post", ALL)
            self.assertEqual((figures["right"], figures["under_several_ids"]), (1, 0))

    def test_one_thing_under_two_ids_is_told(self):
        self.assertEqual(compared(COMMENT_OBJECT, {**COMMENT_OBJECT, "id": "other"}).of("comment", ALL)["under_several_ids"], 1)

    def test_an_object_that_is_in_no_row_is_a_stranger(self):
        menu = {"type": "comment", "id": "x", "url": "http://blog.test/", "body": "Recent posts"}
        self.assertEqual(list(compared(menu).strangers), ["x"])

    def test_an_object_without_address_is_known_by_its_text(self):
        self.assertEqual(compared({**COMMENT_OBJECT, "url": None, "id": "hash"}).of("comment", ALL)["right"], 1)

    def test_an_article_is_known_by_its_title_in_the_address_or_above_it(self):
        article = {"id": 5, "type": "article", "title": "Bridge of Lo", "author": "Ada", "date": "2019-02-05 17:53:40",
                   "body": "<p>It is a very long bridge</p>"}
        thing = {"type": "article", "id": "a", "title": "Bridge of Lo", "date": "2019-02-05T17:53:00Z",
                 "body": "Contents 1 Name\nIt is a very long bridge"}
        for address in ("http://wiki.test/index.php?title=Bridge_of_Lo", "http://wiki.test/wiki/Bridge_of_Lo", None):
            found = compare.Comparison([article], mediawiki.names([article]), both_ways=False, to_the_minute=True)
            found.add([{**thing, "url": address}])
            self.assertEqual(found.of("article", ("body", "title", "date"))["right"], 1, address)


class TheReader(unittest.TestCase):
    def test_finds_objects_and_pages_in_a_job(self):
        said = json.dumps({"application": "wordpress", "objects": [COMMENT_OBJECT]}).encode()
        page = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=UTF-8\r\nTransfer-Encoding: chunked\r\n\r\n"
                b"1a\r\n<nav>x</nav><main>one <b>t\r\n9\r\nwo</main>\r\n0\r\n\r\n")
        with tempfile.TemporaryDirectory() as folder:
            job = Path(folder)
            (job / "archive").mkdir()
            (job / "archive/a.warc.gz").write_bytes(
                record("resource", "urn:objects:http://blog.test/a", said) + record("response", "http://blog.test/a", page))
            self.assertEqual(list(objects.objects_of(objects.records(job))), [{**COMMENT_OBJECT, "page": "http://blog.test/a"}])
            (address, markup), = objects.pages_of(objects.records(job))
        self.assertEqual(address, "http://blog.test/a")
        self.assertEqual(objects.words(objects.main_text(markup)), ["one", "two"])

    def test_texts_are_covered_by_the_share_of_their_pairs_of_words(self):
        pairs = [objects.grams(objects.words(text), 2) for text in ("one two three", "One, two four")]
        self.assertEqual(compare.coverage(*pairs), 50)


class TheServersCount(unittest.TestCase):
    def test_what_pages_embed_is_no_page(self):
        lines = ["200 GET /index.php?title=A.css_and_more", "200 GET /load.php?modules=x", "200 GET /a/style.css?ver=6", "200 GET /feed/"]
        self.assertEqual(crawl.Crawl(None, lines, 0, True, {}).pages(), 2)

    def test_addresses_of_one_shape_are_counted_together(self):
        self.assertEqual(crawl.shape("/2016/04/22/the-old-ferry-part-8/feed/"), "/N/N/N/NAME/feed/")
        self.assertEqual(crawl.shape("/index.php?title=A&action=edit"), "/index.php?action&title")


def record(kind, uri, block):
    head = f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nContent-Length: {len(block)}\r\n\r\n"
    return gzip.compress(head.encode() + block + b"\r\n\r\n")


if __name__ == "__main__":
    unittest.main()
