"""What a Scrapy user would write to keep the pages of a web: follow every link, store every body."""
import hashlib
import pathlib

import scrapy


class Keeper(scrapy.Spider):
    name = "keeper"
    custom_settings = {
        "ROBOTSTXT_OBEY": False,
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOAD_DELAY": 0,
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, seeds="", folder=".", **kwargs):
        super().__init__(**kwargs)
        self.start_urls = seeds.split(",")
        self.folder = pathlib.Path(folder)

    def parse(self, response):
        name = hashlib.sha1(response.url.encode()).hexdigest()
        (self.folder / name).write_bytes(response.body)
        if b"html" in response.headers.get("Content-Type", b""):
            yield from response.follow_all(css="a::attr(href), img::attr(src), link::attr(href)", callback=self.parse)
