"""What the crawl's objects are worth against what the database holds."""

from datetime import datetime, timezone

from objects import grams, words

SAME_TEXT = 0.95  # this share of the sequences of four words of each is in the other
EXAMPLES = 5


def contained(inner, outer):
    """The share of a text's sequences that another text has."""
    return len(inner & outer) / len(inner) if inner else 1.0


def moment(text):
    """A moment of RFC 3339 or of the database (UTC, without zone); None when it is neither."""
    try:
        found = datetime.fromisoformat((text or "").replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)


class Row:
    """What the database says, and the best of the objects that claim to be it."""

    def __init__(self, said, both_ways=True, to_the_minute=False):
        self.said = said
        self.both_ways = both_ways
        self.to_the_minute = to_the_minute
        self.text = grams(words(said["body"]), 4)
        self.ids = set()
        self.best = {}  # field -> whether it is right, of the best object

    def offer(self, thing):
        self.ids.add(thing.get("id"))
        if all(self.best.get(field) for field in ("author", "date", "title", "body")):
            return
        fields = self.compare(thing)
        if not self.best or (fields["body"], sum(fields.values())) > (self.best["body"], sum(self.best.values())):
            self.best = fields

    def compare(self, thing):
        text = grams(words(thing.get("body") or ""), 4)
        body = contained(self.text, text) >= SAME_TEXT and (not self.both_ways or contained(text, self.text) >= SAME_TEXT)
        ours, theirs = moment(thing.get("date")), moment(self.said["date"])
        if self.to_the_minute and ours and theirs:
            theirs = theirs.replace(second=0)
            ours = ours.replace(second=0)
        title = self.said.get("title")
        return {
            "body": body,
            "author": words(thing.get("author") or "") == words(self.said["author"]),
            "date": ours is not None and ours == theirs,
            "title": title is None or words(thing.get("title") or "") == words(title),
        }


class Comparison:
    """Rows of the database under the names that objects have for them."""

    def __init__(self, truth, name_of, **how):
        self.rows = {row_name(said): Row(said, **how) for said in truth}
        self.name_of = name_of  # object -> name of a row, or None
        self.by_text = {}
        for name, row in self.rows.items():
            self.by_text.setdefault(" ".join(words(row.said["body"])), name)
        self.strangers = {}  # id -> object that is no row

    def add(self, things):
        for thing in things:
            name = self.name_of(thing)
            if name not in self.rows:
                name = self.by_text.get(" ".join(words(thing.get("body") or "")))
            if name in self.rows:
                self.rows[name].offer(thing)
            else:
                self.strangers.setdefault(thing.get("id"), thing)

    def of(self, kind, needed):
        """Figures of the rows of a type; a row counts as right when all needed fields are."""
        rows = [row for row in self.rows.values() if row.said["type"] == kind]
        right = [row for row in rows if row.best and all(row.best[field] for field in needed)]
        missed = [row for row in rows if row not in right]
        share = {field: percent(sum(1 for row in rows if row.best.get(field)), len(rows))
                 for field in ("author", "date", "title", "body")}
        return {
            "in_database": len(rows), "found": sum(1 for row in rows if row.best), "right": len(right),
            "right_percent": percent(len(right), len(rows)), **{f"{field}_percent": value for field, value in share.items()},
            "under_several_ids": sum(1 for row in rows if len(row.ids) > 1),
            "several_ids": [sorted(map(str, row.ids)) for row in rows if len(row.ids) > 1][:EXAMPLES],
            "missed": [describe(row, needed) for row in missed[:EXAMPLES]],
        }


def row_name(said):
    """Comments and all that is not one have numbers of their own."""
    return ("comment" if said["type"] in ("comment", "pingback") else "text", said["id"])


def describe(row, needed):
    wrong = [field for field in needed if not row.best.get(field)]
    what = "not found" if not row.best else "wrong " + ", ".join(wrong)
    said = row.said
    return f"{said['type']} {said['id']} by {said['author']}, {said.get('title') or said['body'][:60]!r}: {what}"


def percent(part, whole):
    return round(100 * part / whole, 2) if whole else 100.0


def coverage(wanted, had):
    """The share of sequences of words of one text that stand in the other, in percent."""
    return round(100 * contained(wanted, had), 2)
