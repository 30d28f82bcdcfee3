"""The test wiki: MediaWiki of Debian's package in the stand, its skins, and what its database holds."""

import functools
import json
import re
from pathlib import Path
from urllib.parse import quote, unquote

from stand import Failed
import content
import wikitext

HOST = "wiki.test"
PACKAGE = Path("/usr/share/mediawiki")
PLAIN = "/index.php?title=$1"
PRETTY = "/wiki/$1"
USUAL = PLAIN
# Pages show the minute of the last edit, and may have more in their text (a table of contents) than what was written.
COMPARED = {"both_ways": False, "to_the_minute": True}
NGINX = """    location /wiki/ { rewrite ^/wiki/(.*)$ /index.php last; }
    location ~ ^/(cache|includes|languages|maintenance|vendor)/ { deny all; }"""

SETTINGS = """
$wgJobRunRate = 0;
$wgShowExceptionDetails = true;
$wgCacheDirectory = '%(cache)s';
$wgDefaultSkin = '%(skin)s';
$wgArticlePath = '%(articles)s';
"""


def settings(stand):
    return stand.path("wiki/LocalSettings.php")


def environment(stand):
    """Where MediaWiki finds its settings, so that the package's own folders stay as they are."""
    return {"MW_CONFIG_FILE": str(settings(stand))}


def server(stand):
    stand.make_folder("wiki")
    return PACKAGE, NGINX


def maintain(stand, script, *arguments, **more):
    return stand.run(["php", PACKAGE / "maintenance" / script, *arguments], env=environment(stand), **more)


def load(stand):
    stand.run(["php", PACKAGE / "maintenance/install.php", f"--dbserver=localhost:{stand.database_socket}", "--dbname=wiki",
               "--dbuser=root", "--dbpass=", f"--server=http://{HOST}", "--scriptpath=", "--pass=quay 1870 stone",
               f"--confpath={stand.path('wiki')}", "--skins=" + ",".join(folders()), "Wiki of the district", "Admin"])
    settings(stand).with_name("Installed.php").write_text(settings(stand).read_text())
    switch(stand, skins()[0])
    for user in content.AUTHORS:
        maintain(stand, "createAndPromote.php", user, "quay 1870 stone")
    dump = stand.path("wiki.xml")
    pages = wikitext.pages()
    dump.write_text(wikitext.export(pages))
    maintain(stand, "importDump.php", "--no-updates", "--username-prefix=", dump)
    maintain(stand, "rebuildall.php")
    maintain(stand, "initSiteStats.php", "--update")
    maintain(stand, "runJobs.php")
    return f"{len(pages)} pages"


def folders():
    return sorted(folder.name for folder in (PACKAGE / "skins").iterdir() if (folder / "skin.json").exists())


def skins():
    """The names that a reader may choose; one package can bring several."""
    found = []
    for folder in folders():
        said = json.loads((PACKAGE / "skins" / folder / "skin.json").read_text())
        found += said["ValidSkinNames"]
    return sorted(found)


def looks(skin=None):
    """(skin, addresses) of each run: every skin, and pretty addresses in the first of them."""
    found = [name for name in skins() if skin in (None, name)]
    if not found:
        raise Failed(f"there is no skin {skin}; there are {', '.join(skins())}")
    return [(name, USUAL) for name in found] + [(found[0], PRETTY)]


def switch(stand, skin, articles=USUAL):
    installed = settings(stand).with_name("Installed.php").read_text()
    cache = stand.make_folder("wiki/cache")
    settings(stand).write_text(installed + SETTINGS % {"cache": cache, "skin": skin, "articles": articles})
    status, _, body = stand.get(HOST, "/index.php?title=Main_Page")
    if status != 200 or f" skin-{skin} action-view".encode() not in body:
        raise Failed(f"the wiki does not show itself in {skin}: status {status}")


def names_of(_stand, truth):
    return names(truth)


def names(articles):
    """Says which article an object is: by the title in its address, or the one above it."""
    numbers = {article["title"]: article["id"] for article in articles}

    def name(thing):
        address = thing.get("url") or ""
        found = re.search(r"[?&]title=([^&#]*)", address) or re.search(r"/(?:wiki|index\.php)/([^?#]+)", address)
        titles = [unquote(found[1]).replace("_", " ")] if found else []
        number = next((numbers[title] for title in [*titles, thing.get("title")] if title in numbers), None)
        return number and ("text", number)

    return name


def samples(stand):
    """Name -> address of a page of each kind."""
    pages = wikitext.pages()
    article = next(under(name.removeprefix("Talk:")) for name, _, _ in pages if name.startswith("Talk:"))
    moved = next(under(name) for name, redirect, _ in pages if redirect)
    return {
        "main": "/index.php?title=Main_Page", "article": f"/index.php?title={article}", "talk": f"/index.php?title=Talk:{article}",
        "all-pages": "/index.php?title=Special:AllPages", "history": f"/index.php?title={article}&action=history",
        "category": "/index.php?title=Category:Harbour_of_the_district", "recent": "/index.php?title=Special:RecentChanges",
        "edit": f"/index.php?title={article}&action=edit", "info": f"/index.php?title={article}&action=info",
        "what-links-here": f"/index.php?title=Special:WhatLinksHere/{article}", "no-page": "/index.php?title=Nowhere_at_all",
        "search": "/index.php?title=Special:Search&search=bridge", "redirect": f"/index.php?title={moved}",
    }


def under(title):
    """A title as it stands in an address."""
    return quote(title.replace(" ", "_"))


@functools.cache  # the same in all skins
def truth(stand):
    """Every article of the main namespace that is no redirect: title, text as it is rendered, last edit."""
    rows = stand.sql("""SELECT JSON_OBJECT('id', page_id, 'title', page_title, 'date', rev_timestamp, 'author', actor_name)
        FROM page JOIN revision ON rev_id = page_latest JOIN actor ON actor_id = rev_actor
        WHERE page_namespace = 0 AND page_is_redirect = 0""", "wiki")
    found = []
    for row in rows:
        article = {**json.loads(row[0]), "type": "article"}
        status, _, body = stand.get(HOST, "/index.php?action=render&title=" + quote(article["title"]))
        if status != 200:
            raise Failed(f"the wiki does not render {article['title']}: status {status}")
        article["body"] = re.sub(r'<span class="mw-editsection">.*?</span></span>', "", body.decode(), flags=re.S)
        article["title"] = article["title"].replace("_", " ")
        article["date"] = re.sub(r"(....)(..)(..)(..)(..)(..)", r"\1-\2-\3 \4:\5:\6", article["date"])
        found.append(article)
    return found
