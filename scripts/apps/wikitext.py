"""The pages of the test wiki with their revisions, the same at every run. Loading them is the work of mediawiki.py."""

from datetime import datetime, timedelta, timezone
from xml.sax.saxutils import escape

from content import AUTHORS, SECTIONS, SEED, Words

TEMPLATE = '{| class="wikitable"\n! Name\n| {{{name}}}\n|-\n! District\n| {{{district}}}\n|}'


def pages(articles=220):
    """(title, redirect or None, revisions) of each; a revision is (moment, user, comment, text), oldest first."""
    words = Words(SEED + 1)
    chance = words.random
    start = datetime(2017, 3, 1, 9, 0, tzinfo=timezone.utc)
    things = ["Bridge", "Church", "Harbour", "School", "Mill", "Battle", "River", "Station"]
    titles = [f"{thing} of {words.name()}{number}" for number, thing in enumerate(things * (articles // len(things) + 1))][:articles]
    topics = [f"{section} of the district" for section in SECTIONS]
    listed = [f":Category:{topic}|{topic}" for topic in topics] + titles[:10]
    welcome = "'''Welcome''' to the wiki of the district.\n\n" + "".join(f"* [[{name}]]\n" for name in listed)
    # MediaWiki brings a main page of its own; ours has to be the later one.
    found = [("Main Page", None, [(datetime.now(timezone.utc) + timedelta(seconds=1), AUTHORS[0], "welcome", welcome)]),
             ("Template:Place", None, [(start, AUTHORS[0], "new", TEMPLATE)])]
    for topic in topics:
        found.append((f"Category:{topic}", None, [(start, AUTHORS[1], "new", words.paragraph(1, 2))]))
    for number, title in enumerate(titles):
        when = start + timedelta(days=number * 9, minutes=chance.randrange(900))
        revisions = article(words, number, title, titles, topics, when)
        found.append((title, None, revisions))
        if number % 5 == 0:
            found.append((f"Old {title.lower()}", title, [(when, AUTHORS[2], "moved", f"#REDIRECT [[{title}]]")]))
        if number % 4 == 0:
            found.append((f"Talk:{title}", None, [(revisions[-1][0], AUTHORS[3], "talk", talk(words, revisions[-1][0]))]))
    return found


def article(words, number, title, titles, topics, when):
    """Two to six revisions, each with a section more than the one before."""
    chance = words.random
    sections = [f"'''{title}''' is known to {words.name()} for this: {words.paragraph()}"]
    if number % 2:
        sections[0] = f"{{{{Place|name={title}|district={words.name()}}}}}\n{sections[0]}"
    revisions = []
    for edit in range(chance.randint(2, 6)):
        links = " and ".join(f"[[{other}]]" for other in chance.sample(titles, 3))
        sections.append(f"== {words.title()} ==\n{words.paragraph()}\n\n* {words.sentence()}\n* {words.sentence()}\n\n"
                        f"See also {links}.")
        named = "\n".join(f"[[Category:{topic}]]" for topic in chance.sample(topics, 2))
        then = when + timedelta(days=edit * 40 + chance.randrange(30), hours=edit)
        revisions.append((then, chance.choice(AUTHORS), words.clause(), "\n\n".join(sections) + "\n\n" + named))
    return revisions


def talk(words, when):
    said = ""
    for _ in range(words.random.randint(1, 3)):
        who, other = words.random.sample(AUTHORS, 2)
        said += (f"== {words.title()} ==\n{words.paragraph()} --[[User:{who}|{who}]] {when:%H:%M, %d %B %Y} (UTC)\n"
                 f":{words.paragraph()} --[[User:{other}|{other}]] {when:%H:%M, %d %B %Y} (UTC)\n\n")
    return said


def export(found):
    """As MediaWiki's importDump.php takes it."""
    written = []
    for title, redirect, revisions in found:
        inside = f'<redirect title="{escape(redirect)}"/>' if redirect else ""
        for when, user, comment, text in revisions:
            inside += (f"<revision><timestamp>{when:%Y-%m-%dT%H:%M:%SZ}</timestamp><contributor><username>{escape(user)}</username>"
                       f"</contributor><comment>{escape(comment)}</comment><model>wikitext</model><format>text/x-wiki</format>"
                       f'<text xml:space="preserve">{escape(text)}</text></revision>')
        written.append(f"<page><title>{escape(title)}</title>{inside}</page>")
    return ('<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">'
            + "\n".join(written) + "</mediawiki>")
