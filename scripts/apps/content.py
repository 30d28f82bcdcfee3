"""Words, and the test blog made of them: the same at every run. Loading it is the work of wordpress.py; the wiki is in wikitext.py."""

import random
from datetime import datetime, timedelta, timezone

SEED = 20260101

def phrases(text):
    return [" ".join(phrase.split()) for phrase in text.split("|")]


SUBJECTS = phrases("""the harbour board|our council|the old ferry company|a neighbour of mine|the school on the hill|the water works|
the night train|everybody in the lower town|the new mayor|the farmers' union|my grandmother|the museum|the fishing fleet|
the bus line to the coast|the weather service|a student from Lyon|the choir|the printing house|the volunteers|the bakery at the
corner|the regional court|the lighthouse keeper|the archive|the orchard owners|the second engineer""")
VERBS = phrases("""has postponed|wants to repair|never understood|quietly sold|is proud of|complained about|paid for|painted|measured|
will vote on|forgot|wrote a long letter about|lost interest in|asked twice for|built|photographed|cannot afford|praised|
counted|promised to return|inherited|translated|opposes|keeps talking about|found""")
OBJECTS = phrases("""the stone bridge|a map of 1870|the flood wall|forty wooden chairs|the summer timetable|its annual report|the northern
quay|an unpaid bill|the market hall|two brass instruments|the cable car|the election posters|a recipe for plum cake|the tide
tables|the parish register|a broken pump|the wind park|the reading room|some very old negatives|the playground|the customs
house|a collection of shells|the cattle fair|the new sewer|the town's only cinema""")
ADVERBS = phrases("""since the spring|without saying why|for the third time|in spite of the rain|as nobody had expected|after the long
winter|at last|before the deadline|with borrowed money|against all advice|on a Sunday|in good faith|under protest|by a narrow
majority|during the strike|while we were away|as in 1954|to general applause|in two languages|rather late|from next month on|
behind closed doors|as far as I can tell|much to my surprise|according to the minutes""")
JOINTS = ["and so", "but", "which is why", "although", "because", "while", "and yet", "since"]
AUTHORS = ["Ada Lindqvist", "Bruno Tavares", "Chloé Martin", "Dimitris Pappas", "Eileen O'Hara", "Farid Nasser",
           "Greta Hofmann", "Hana Suzuki", "Igor Petrov"]
READERS = ["Anna", "old sailor", "M. Weber", "Zoë K.", "Paul from the quay", "Σοφία", "curious_cat", "J.P.", "Nadia Rossi",
           "the postman", "Lars-Erik", "Ольга", "teacher42", "Mme Dupont", "T. O'Neill", "gardener & son"]
SECTIONS = ["Harbour", "Council", "Schools", "Railways", "Weather", "Kitchen", "Museums", "Sport", "Courts", "Farming",
            "Letters", "Books", "Walks"]
TAGS = """bridge flood ferry mayor vote budget museum train tide winter summer choir pump cinema market fair cattle orchard plum
cake letter court strike union archive map quay lighthouse fog rain wind snow river lake hill forest path stone wood brass
paper ink""".split()


SYLLABLES = "ka to ri ven mor lis bel dor an ske fa ro nu gar thi es pol mi hul dra sen vi lo per az qui bo jen tar ul".split()


class Words:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.one = self.random.choice

    def name(self):
        return "".join(self.one(SYLLABLES) for _ in range(3)).capitalize()

    def clause(self):
        """Names make each text unlike all others, as those of people are."""
        near = f" {self.one(['of', 'near', 'with', 'for'])} {self.name()}" if self.random.random() < 0.6 else ""
        return f"{self.one(SUBJECTS)} {self.one(VERBS)} {self.one(OBJECTS)}{near} {self.one(ADVERBS)}"

    def sentence(self):
        text = self.clause()
        if self.random.random() < 0.4:
            text += f", {self.one(JOINTS)} {self.clause()}"
        if self.random.random() < 0.1:
            text += f" (see no. {self.random.randrange(1, 999)})"
        return text[0].upper() + text[1:] + self.one("....?!")

    def paragraph(self, least=2, most=6):
        return " ".join(self.sentence() for _ in range(self.random.randint(least, most)))

    def title(self):
        text = f"{self.one(SUBJECTS)} and {self.one(OBJECTS)}"
        return text[0].upper() + text[1:]


def moment(when):
    return when.strftime("%Y-%m-%d %H:%M:%S")


def blog(posts=320):
    """Posts, pages and comments as load-wordpress.php takes them."""
    words = Words(SEED)
    chance = words.random
    start = datetime(2016, 2, 3, 7, 5, tzinfo=timezone.utc)
    result = {"authors": AUTHORS, "categories": SECTIONS, "tags": TAGS, "posts": [], "pages": []}
    for number in range(posts):
        when = start + timedelta(days=number * 11.3, minutes=chance.randrange(600))
        parts = [f"<p>{words.paragraph()}</p>" for _ in range(chance.randint(2, 7))]
        if number % 3 == 0:
            parts.insert(1, f"<blockquote><p>{words.paragraph(1, 3)}</p></blockquote>")
        if number % 4 == 0:
            items = "".join(f"<li>{words.sentence()}</li>" for _ in range(chance.randint(3, 6)))
            parts.insert(2, f"<ul>{items}</ul>")
        if number % 7 == 0:
            parts.insert(2, f"<h3>{words.title()}</h3>")
        if number % 5 == 0 and number > 10:
            parts.append(f'<p>We wrote of it <a href="http://blog.test/?p=%POST{chance.randrange(number)}%">before</a>.</p>')
        result["posts"].append({
            "title": f"{words.title()}, part {number + 1}", "content": "\n\n".join(parts), "author": number % len(AUTHORS),
            "date": moment(when), "categories": chance.sample(range(len(SECTIONS)), chance.randint(1, 2)),
            "tags": chance.sample(range(len(TAGS)), chance.randint(1, 5)), "comments": comments(words, number, when),
        })
    for title in ("About us", "How to reach us", "House rules", "Imprint"):
        result["pages"].append({"title": title, "content": f"<p>{words.paragraph()}</p>\n\n<p>{words.paragraph()}</p>",
                                "author": 0, "date": moment(start)})
    return result


def comments(words, number, when):
    """Up to four levels deep; every thirtieth post has enough of them for several pages, a few have pingbacks."""
    chance = words.random
    first_level = 55 if number % 30 == 7 else chance.choice([0, 0, 1, 2, 3, 5, 8])
    found = []

    def say(parent, depth, moment_of_parent):
        then = moment_of_parent + timedelta(minutes=chance.randrange(3, 900), seconds=chance.randrange(60))
        text = "\n\n".join(words.paragraph(1, 3) for _ in range(chance.randint(1, 3)))
        if chance.random() < 0.1:
            text += f"\n\n<blockquote>{words.sentence()}</blockquote>\n\n{words.sentence()}"
        found.append({"author": chance.choice(READERS), "date": moment(then), "text": text, "parent": parent})
        place = len(found) - 1
        while depth < 4 and chance.random() < 0.35:
            say(place, depth + 1, then)

    for _ in range(first_level):
        say(None, 1, when + timedelta(hours=chance.randrange(1, 200)))
    if number % 25 == 3:
        found.append({"author": "Another blog: " + words.title(), "date": moment(when + timedelta(days=2)), "parent": None,
                      "text": f"[&#8230;] {words.sentence()} [&#8230;]", "pingback": f"http://elsewhere.test/{number}"})
    return found
