"""A site in one look: crawled blindly and with the helper, compared with its database, held against the aims."""

import json
import shutil

import compare as comparing
import objects
from crawl import crawl, knows_the_helper

LIMIT = 20_000  # captures of a crawl with the helper: one that needs them has failed
WHOLE = ("body", "author", "date")
AIMS = {
    "wordpress": {"fewer": 5, "post": (99, WHOLE), "comment": (99, WHOLE)},
    "mediawiki": {"fewer": 10, "article": (100, ("body", "title"))},
}


def compare(stand, asked, name, site, look, addresses):
    """Figures of one look: requests, what was found, and the aims that were missed."""
    print(f"test-apps: {name} {look} {addresses}", flush=True)
    truth = site.truth(stand)
    found = comparing.Comparison(truth, site.names_of(stand, truth), **site.COMPARED)
    written = set().union(*(objects.grams(objects.words(row["body"]), 2) for row in truth))
    result = {"application": name, "look": look, "addresses": addresses}
    pairs = {}
    helper = knows_the_helper(asked.annalist, stand.folder)
    ways = [("helper", "", LIMIT)] if helper else []
    if asked.blind_limit:
        ways.append(("blind", "apps = false\n" if helper else "", asked.blind_limit))
    for way, apps, limit in ways:
        done = crawl(stand, asked.annalist, site.HOST, f"{look}-{way}", apps, limit)
        pairs[way] = pairs_of_words(done.job)
        if way == "helper":
            found.add(objects.objects_of(objects.records(done.job)))
        result[way] = {
            "requests": len(done.requests), "pages": done.pages(), "complete": done.complete,
            "seconds": round(done.seconds), "kinds": done.kinds(),
            "failed": sum(1 for line in done.requests if line.startswith("5")),
            "pairs_of_database_percent": comparing.coverage(written, pairs[way]),
        }
        print(f"test-apps:   {way}: {len(done.requests)} requests in {done.seconds:.0f} s"
              f"{'' if done.complete else ', not at its end'}", flush=True)
        shutil.rmtree(done.job)
    if len(ways) == 2:
        result["pairs_of_blind_percent"] = comparing.coverage(pairs["blind"], pairs["helper"])
        result["fewer"] = round(result["blind"]["requests"] / max(1, result["helper"]["requests"]), 2)
    kinds = sorted({row["type"] for row in truth})
    result["found"] = {kind: found.of(kind, AIMS[name].get(kind, (0, WHOLE))[1]) for kind in kinds}
    result["strangers"] = {"objects": len(found.strangers), "examples": [
        {**thing, "body": thing.get("body", "")[:80]} for thing in list(found.strangers.values())[:comparing.EXAMPLES]]}
    result["missed"] = missed(name, result)
    return result


def pairs_of_words(job):
    pairs = set()
    for _, markup in objects.pages_of(objects.records(job)):
        pairs |= objects.grams(objects.words(objects.main_text(markup)), 2)
    return pairs


def missed(name, result):
    """The aims that were missed, each with what was wrong."""
    found = []
    if "helper" not in result:
        return ["this program has no helper"]
    for way in ("helper", "blind"):
        if way in result and result[way]["failed"]:
            found.append(f"{result[way]['failed']} requests of the {way} crawl failed at the server")
    if not result["helper"]["complete"]:
        found.append("the crawl with the helper did not come to its end")
    aims = dict(AIMS[name])
    fewer = aims.pop("fewer")
    if "fewer" in result and result["fewer"] < fewer:
        cut = "" if result["blind"]["complete"] else " (the blind crawl was cut short: a higher --blind-limit may show more)"
        found.append(f"{result['fewer']} times fewer requests, not {fewer}{cut}")
    for kind, (share, needed) in aims.items():
        figures = result["found"][kind]
        if figures["right_percent"] < share:
            found.append(f"{figures['right_percent']} % of {kind}s with {', '.join(needed)}, not {share} %: "
                         + "; ".join(figures["missed"]))
        if comparing.percent(figures["under_several_ids"], figures["in_database"]) > 1:
            found.append(f"{figures['under_several_ids']} {kind}s are there under several ids, such as "
                         f"{figures['several_ids'][0]}")
    return found


def report(results, file):
    """Prints the table, writes the figures; gives all that was missed."""
    print(f"\n{'application':11} {'theme or skin':18} {'addresses':20} {'blind':>8} {'helper':>7} {'fewer':>7}  "
          f"{'kind':8} {'in db':>6} {'right %':>7} {'author':>7} {'date':>7} {'body':>7} {'title':>7}")
    for result in results:
        blind, helper = result.get("blind", {}), result.get("helper", {})
        at_least = "" if blind.get("complete", True) else ">"
        start = (f"{result['application']:11} {result['look']:18} {result['addresses'][:20]:20} "
                 f"{at_least + str(blind.get('requests', '-')):>8} {helper.get('requests', '-'):>7} "
                 f"{at_least + str(result.get('fewer', '-')):>7}  ")
        for kind, figures in result["found"].items():
            print(f"{start:77}{kind:8} {figures['in_database']:6} {figures['right_percent']:7} {figures['author_percent']:7} "
                  f"{figures['date_percent']:7} {figures['body_percent']:7} {figures['title_percent']:7}")
            start = ""
        print(f"{'':12}without what pages embed: {blind.get('pages', '-')} blind, {helper.get('pages', '-')} with the helper")
        print(f"{'':12}pairs of words in main texts: {result.get('pairs_of_blind_percent', '-')} % of the blind crawl's, "
              f"{helper.get('pairs_of_database_percent', '-')} % of the database's (blind: "
              f"{blind.get('pairs_of_database_percent', '-')} %); objects in no row: {result['strangers']['objects']}")
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    wrong = [(result, what) for result in results for what in result["missed"]]
    print(f"\nfigures: {file}")
    for result, what in wrong:
        print(f"missed: {result['application']} {result['look']} {result['addresses']}: {what}")
    return wrong
