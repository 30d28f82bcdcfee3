"""The test blog: WordPress of Debian's package in the stand, its themes, and what its database holds."""

import json
import re
import shutil
from pathlib import Path

from stand import Failed
import content

HOST = "blog.test"
PACKAGE = Path("/usr/share/wordpress")
HERE = Path(__file__).parent
# With plain addresses nothing is rewritten: whatever else is asked for (a sitemap, robots.txt) is not there.
NGINX = """    location / { try_files $uri $uri/ @blog; }
    location @blog {
      if (-f %(plain)s) { return 404; }
      rewrite ^ /index.php last;
    }"""
PRETTY = "/%year%/%monthnum%/%day%/%postname%/"
PLAIN = ""
USUAL = PRETTY
COMPARED = {}

CONFIGURATION = """<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:%(socket)s');
define('DB_CHARSET', 'utf8mb4');
define('WP_HOME', 'http://%(host)s');
define('WP_SITEURL', 'http://%(host)s');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_POST_REVISIONS', false);
define('AUTH_KEY', 'test'); define('SECURE_AUTH_KEY', 'test'); define('LOGGED_IN_KEY', 'test'); define('NONCE_KEY', 'test');
define('AUTH_SALT', 'test'); define('SECURE_AUTH_SALT', 'test'); define('LOGGED_IN_SALT', 'test'); define('NONCE_SALT', 'test');
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
"""


def root(stand):
    return stand.path("wordpress")


def server(stand):
    """The lines of nginx's configuration. The package is copied: its own wp-config.php wants files in /etc."""
    shutil.copytree(PACKAGE, root(stand), ignore=shutil.ignore_patterns(".htaccess"))
    (root(stand) / "wp-config.php").write_text(CONFIGURATION % {"socket": stand.database_socket, "host": HOST})
    return root(stand), NGINX % {"plain": plain(stand)}


def plain(stand):
    """A file that is there when addresses are plain."""
    return stand.path("plain-addresses")


def load(stand):
    stand.sql("CREATE DATABASE wordpress CHARACTER SET utf8mb4")
    entries = stand.path("blog.json")
    entries.write_text(json.dumps(content.blog()))
    return stand.run(["php", HERE / "load-wordpress.php", root(stand), entries]).strip()


def themes():
    return sorted(folder.name for folder in (PACKAGE / "wp-content/themes").iterdir() if (folder / "style.css").exists())


def looks(theme=None):
    """(theme, permalinks) of each run: every theme, and plain addresses in the first of them."""
    found = [name for name in themes() if theme in (None, name)]
    if not found:
        raise Failed(f"there is no theme {theme}; there are {', '.join(themes())}")
    return [(name, USUAL) for name in found] + [(found[0], PLAIN)]


def switch(stand, theme, permalinks=USUAL):
    stand.run(["php", "-r", """
        $_SERVER['HTTP_HOST'] = 'blog.test';
        require $argv[1] . '/wp-load.php';
        $widgets = get_option('sidebars_widgets');
        switch_theme($argv[2]);
        update_option('sidebars_widgets', $widgets);
        remove_theme_mod('sidebars_widgets');
        $wp_rewrite->set_permalink_structure($argv[3]);
        $wp_rewrite->flush_rules(false);
    """, "--", root(stand), theme, permalinks])
    plain(stand).unlink(missing_ok=True)
    if permalinks == PLAIN:
        plain(stand).touch()
    status, _, body = stand.get(HOST, "/")
    if status != 200 or f"/themes/{theme}/".encode() not in body:
        raise Failed(f"the blog does not show itself in {theme}: status {status}")


def truth(stand):
    """What is published: posts, pages and comments as the database has them, dates in UTC.

    Of the hour that comes twice in autumn WordPress itself shows the second one always: two comments have a wrong date.
    """
    def rows(statement):
        return [json.loads(row[0]) for row in stand.sql(statement, "wordpress")]

    written = rows("""SELECT JSON_OBJECT('id', p.ID, 'type', post_type, 'title', post_title, 'body', post_content,
        'date', post_date_gmt, 'author', u.display_name) FROM wp_posts p JOIN wp_users u ON u.ID = post_author
        WHERE post_status = 'publish' AND post_type IN ('post', 'page')""")
    said = rows("""SELECT JSON_OBJECT('id', comment_ID, 'type', comment_type, 'post', comment_post_ID, 'body', comment_content,
        'date', comment_date_gmt, 'author', comment_author) FROM wp_comments WHERE comment_approved = '1'""")
    for row in written:
        row["title"] = re.sub(r"&amp;", "&", row["title"])
    return written + said


def addresses(stand):
    """id -> address of every post and page, under the permalinks of now."""
    wrote = stand.run(["php", "-r", """
        $_SERVER['HTTP_HOST'] = 'blog.test';
        require $argv[1] . '/wp-load.php';
        foreach (get_posts(['numberposts' => -1, 'post_type' => ['post', 'page']]) as $post) {
            $found[$post->ID] = get_permalink($post);
        }
        echo json_encode($found);
    """, "--", root(stand)])
    return {int(number): address for number, address in json.loads(wrote).items()}


def names_of(stand, _truth):
    return names(addresses(stand))


def names(known):
    """Says which row an object is: by its address, or by the number that WordPress gives it."""
    by_address = {address.rstrip("/"): number for number, address in known.items()}

    def name(thing):
        address, _, place = (thing.get("url") or "").partition("#")
        if thing.get("type") == "comment":
            found = re.fullmatch(r"(?:div-)?comment-(\d+)", place) or re.search(r"comment-(\d+)$", thing.get("id") or "")
            return found and ("comment", int(found[1]))
        number = by_address.get(address.rstrip("/"))
        if number is None and (found := re.search(r"[?&](?:p|page_id)=(\d+)", address)):
            number = int(found[1])
        return number and ("text", number)

    return name


def samples(stand):
    """Name -> address of a page of each kind."""
    post = int(stand.sql("""SELECT comment_post_ID FROM wp_comments WHERE comment_parent = 0 GROUP BY comment_post_ID
        ORDER BY count(*) DESC, comment_post_ID LIMIT 1""", "wordpress")[0][0])
    lonely = int(stand.sql("SELECT min(ID) FROM wp_posts WHERE post_type = 'post' AND comment_count = 0", "wordpress")[0][0])
    pinged = int(stand.sql("SELECT min(comment_post_ID) FROM wp_comments WHERE comment_type = 'pingback'", "wordpress")[0][0])
    page = int(stand.sql("SELECT min(ID) FROM wp_posts WHERE post_type = 'page' AND post_status = 'publish'", "wordpress")[0][0])
    known = {number: address.removeprefix(f"http://{HOST}") for number, address in addresses(stand).items()}
    return {
        "home": "/", "home-2": "/page/2/", "single": known[post], "single-comments-2": known[post] + "comment-page-2/",
        "single-without-comments": known[lonely], "single-with-pingback": known[pinged], "page": known[page],
        "category": "/category/harbour/", "tag": "/tag/bridge/",
        "author": "/author/author1/", "month": "/2018/05/", "search": "/?s=bridge", "not-found": "/nowhere/", "feed": "/feed/",
        "robots": "/robots.txt", "sitemap": "/wp-sitemap.xml",
    }
