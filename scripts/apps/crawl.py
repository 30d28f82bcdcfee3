"""One crawl of a site of the stand by Annalist, and what the server says of it. What the crawl brought is read in objects.py."""

import collections
import json
import os
import re
import shutil
import subprocess
import time

from stand import Failed

TIME_LIMIT = "40m"
EMBED = re.compile(r"/load\.php\?|\.(css|js|png|svg|gif|jpe?g|ico|woff2?|ttf|eot)(\?|$)")

SPEC = """{apps}name = "{name}"
[[seed]]
url = "http://{host}/"
scope = "host"
[politeness]
min_delay = "0s"
max_delay = "0s"
robots = "obey"
[network]
allow = ["127.0.0.0/8"]
resolve = {{ "{host}" = "127.0.0.1:{port}", "elsewhere.test" = "127.0.0.1:1" }}
"""


class Crawl:
    """What came of a crawl: its job directory, and the requests as the server counted them."""

    def __init__(self, job, requests, seconds, complete, report):
        self.job = job
        self.requests = requests
        self.seconds = seconds
        self.complete = complete
        self.report = report

    def pages(self):
        """How many requests were for pages and feeds, not for what pages embed."""
        return sum(1 for line in self.requests if not EMBED.search(line))

    def kinds(self):
        """How many requests of each shape of address: numbers and names left out."""
        return dict(collections.Counter(shape(line.split(" ", 2)[2]) for line in self.requests).most_common(40))


def shape(address):
    path, _, query = address.partition("?")
    path = re.sub(r"[0-9]+", "N", path)
    path = re.sub(r"(?<=/)[^/.]*-[^/.]*-[^/.]*(?=/|$)", "NAME", path)
    names = sorted({re.sub(r"=.*", "", part) for part in query.split("&") if part})
    return path + ("?" + "&".join(names) if names else "")


def knows_the_helper(annalist, folder):
    """Whether the program has the key that turns the helper off; one without has no helper."""
    spec = folder / "probe.toml"
    spec.write_text(SPEC.format(apps="apps = false\n", name="probe", host="blog.test", port=80))
    return subprocess.run([annalist, "check", spec], capture_output=True, check=False).returncode == 0


def crawl(stand, annalist, host, name, apps, limit):
    """`apps`: the line of the spec about the helper, or nothing."""
    job = stand.path("crawls") / name
    shutil.rmtree(job, ignore_errors=True)
    job.parent.mkdir(exist_ok=True)
    spec = job.parent / f"{name}.toml"
    spec.write_text(SPEC.format(apps=apps, name=name, host=host, port=stand.sites[host]))
    before = len(stand.requests(host))
    start = time.monotonic()
    # An empty book: these servers are ours alone, and no other crawl of this machine has to wait for them.
    done = subprocess.run(
        [annalist, "crawl", spec, "--job", job, "--json", "--quiet", "--limit", str(limit), "--time-limit", TIME_LIMIT],
        capture_output=True, text=True, check=False, env={**os.environ, "ANNALIST_BOOK": ""})
    if done.returncode not in (0, 15):
        raise Failed(f"annalist crawl ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    report = json.loads(done.stdout.strip().splitlines()[-1])
    requests = stand.requests(host)[before:]
    complete = done.returncode == 0 and len(requests) < limit
    return Crawl(job, requests, time.monotonic() - start, complete, report)
