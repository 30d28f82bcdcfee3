"""What schemathesis sends, steered a little: most of it to crawls that there are, some of it with specs that are good.

Without this nearly every request would end at "there is no such crawl". The specs lead to this machine only.
"""

import json
import os
import zlib

import schemathesis

CRAWLS = ["runs", "rests"]
SPEC = os.environ["ANNALIST_SPEC"]


@schemathesis.serializer("application/toml")
def toml(_context, value):
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else json.dumps(value).encode()


@schemathesis.hook
def before_call(_context, case, _kwargs):
    # By what was made up, not by chance: the same case is sent the same way again.
    drawn = zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode())
    is_removal = case.method == "DELETE" and case.path == "/api/crawls/{id}"
    if "id" in (case.path_parameters or {}):
        if is_removal and case.path_parameters["id"] in CRAWLS:
            # They are needed until the end.
            case.path_parameters["id"] = "none"
        elif not is_removal and drawn % 8:
            case.path_parameters["id"] = CRAWLS[drawn % 2]
    if isinstance(case.body, dict) and "spec" in case.body and drawn % 3:
        case.body["spec"] = SPEC
    elif case.path.endswith("/spec") and case.method == "PUT" and drawn % 3:
        case.body = SPEC
