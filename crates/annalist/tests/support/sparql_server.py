"""A SPARQL 1.1 server over pyoxigraph for tests: /update, /store (Graph Store Protocol) and /dump (N-Quads).

    sparql_server.py PORT-FILE DATA [--port N] [--login FIELD] [--pages]

With --pages it answers updates with HTML, as some servers do. DATA keeps what was told over a kill -9. The port that was given by the system stands in PORT-FILE.
"""

import argparse
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pyoxigraph as ox

parser = argparse.ArgumentParser()
parser.add_argument("port_file")
parser.add_argument("data")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--login")
parser.add_argument("--pages", action="store_true")
options = parser.parse_args()
store = ox.Store(options.data)


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", kind="text/plain"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path != "/dump":
            return self.answer(404)
        self.answer(200, ox.serialize(store, format=ox.RdfFormat.N_QUADS), "application/n-quads")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if options.login and self.headers.get("Authorization") != options.login:
            # As some do: what they were told, and what a terminal would obey.
            return self.answer(401, b"who are you? \x1b[2J" + (self.headers.get("Authorization") or "").encode())
        url = urlsplit(self.path)
        kind = self.headers.get("Content-Type")
        try:
            if url.path == "/update" and kind == "application/sparql-update":
                store.update(body.decode())
            elif url.path == "/store" and kind == "application/n-triples":
                asked = parse_qs(url.query, keep_blank_values=True)
                graph = ox.DefaultGraph() if "default" in asked else ox.NamedNode(asked["graph"][0])
                store.load(body, format=ox.RdfFormat.N_TRIPLES, to_graph=graph)
            else:
                return self.answer(404)
        except (SyntaxError, ValueError) as fault:
            return self.answer(400, str(fault).encode())
        store.flush()
        if options.pages:
            return self.answer(200, b"<html><p>COMMIT: mutationCount=1</p></html>", "text/html; charset=UTF-8")
        self.answer(204)

    def log_message(self, *_):
        pass


class Calm(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # who asked was killed


server = Calm(("127.0.0.1", options.port), Server)
with open(options.port_file + ".new", "w") as out:
    out.write(str(server.server_address[1]))
os.rename(options.port_file + ".new", options.port_file)
server.serve_forever()
