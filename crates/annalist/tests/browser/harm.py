"""A web site that means harm: each of its pages says one of the strings wherever a page can say something."""

import http.server
import json
import threading
import urllib.parse
from html import escape

WORDS = "The council met on Monday and spoke about pensions, wages and the harbour. Anna Keller said that it was time. "


def in_header(text):
    """As much of it as a header can carry."""
    return "".join(c for c in text if c.isprintable()).encode("latin-1", "replace").decode("latin-1")


class Site:
    def __init__(self, strings):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                parts = self.path.split("/", 3)
                number = int(parts[2]) if len(parts) > 2 and parts[2].isdigit() else 0
                text = strings[number % len(strings)]
                status, kind, body, more, reason = 200, "text/html; charset=utf-8", "", {}, "OK"
                match parts[1]:
                    case "":
                        body = "<title>All</title>" + "".join(f"<a href=/p/{n}>{n}</a> " for n in range(len(strings)))
                    case "robots.txt":
                        kind, body = "text/plain", f"User-agent: *\nDisallow: /never/{text}\nSitemap: {text}\n"
                    case "p":
                        body = page(number, text)
                    case "t":
                        kind, body = "text/" + in_header(text), text
                        more = {"Server": text, "X-Powered-By": text, "Set-Cookie": f"a={text}", "Content-Language": text}
                    case "r":
                        status, reason, more = 302, text, {"Location": f"/u/{number}/{text}"}
                    case "e":
                        status, reason, body = 500, text, text
                    case "i":
                        kind, body = "image/svg+xml", f"<svg xmlns='http://www.w3.org/2000/svg'><title>{text}</title></svg>"
                    case _:
                        body = f"<title>{escape(text)}</title>{text}"
                body = body.encode("utf-8", "replace")
                self.send_response(status, in_header(reason))
                for name, value in {"Content-Type": kind, "Content-Length": len(body), **more}.items():
                    self.send_header(name, in_header(str(value)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.2", 0), Handler)
        self.address = f"127.0.0.2:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()


def page(number, text):
    said, part = escape(text), urllib.parse.quote(text, safe="")
    told = json.dumps({"@context": "https://schema.org", "@type": "NewsArticle", "headline": text,
                       "author": {"@type": "Person", "name": text}, "datePublished": "2024-03-01"}).replace("<", "\\u003c")
    further = "tre"[number % 3]
    return f"""<!DOCTYPE html><html lang=en><head><title>{said}</title>
<meta name=author content="{said}"><meta name=description content="{said}"><meta property=og:title content="{said}">
<link rel=alternate hreflang="{said}" href="/u/{number}/{part}">
<script type=application/ld+json>{told}</script></head>
<body><article><h1>{said}</h1><p class=byline>By <a rel=author href="/u/{number}/?by={part}">{said}</a>, 1 March 2024</p>
<p>{WORDS * 3} {said}</p><p>{WORDS * 2}</p><img src="/i/{number}/{part}.svg" alt="{said}" title="{said}">
<p><a href="/{further}/{number}" title="{said}">{said}</a> <a href="{said}">{said}</a></p></article>
<section class=comments><div class=comment><b class=author>{said}</b><p>{said}</p></div></section>
{text}</body></html>"""
