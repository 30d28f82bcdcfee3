//! Which fields the form has, with the words that explain them.

use super::{Field, Shape};

/// Where the weights of signals stand.
pub(super) const WEIGHTS: &str = "judge.weights";

/// Fields that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    pub title: &'static str,
    /// What is said above them; empty where their titles say it all.
    pub hint: &'static str,
    /// Shown when it is asked for, or when something is set in it: few need it.
    pub is_folded: bool,
    pub fields: &'static [Field],
}

const fn group(title: &'static str, fields: &'static [Field]) -> Group {
    Group { title, hint: "", is_folded: false, fields }
}

const fn field(
    name: &'static str,
    key: &'static str,
    shape: Shape,
    label: &'static str,
    hint: &'static str,
    example: &'static str,
) -> Field {
    Field { name, key, shape, label, hint, example }
}

const fn weight(name: &'static str, key: &'static str, label: &'static str, hint: &'static str) -> Field {
    field(name, key, Shape::Decimal, label, hint, "1")
}

/// The fields, in groups.
pub const GROUPS: &[Group] = &[
    group(
        "The collection",
        &[
            field(
                "name",
                "name",
                Shape::Text,
                "Name",
                "What it is called; its files begin with it.",
                "euro crisis",
            ),
            field(
                "contact",
                "contact",
                Shape::Text,
                "Contact",
                "A page or mail address of your own where webmasters find out who asks them. The live web is not asked without one.",
                "https://library.example/crawler",
            ),
            field(
                "description",
                "description",
                Shape::Text,
                "Description",
                "A sentence about it, kept in every archive file.",
                "",
            ),
        ],
    ),
    group(
        "Where it begins",
        &[
            field(
                "seeds",
                "seed",
                Shape::Seeds,
                "Seeds",
                "Addresses to begin with, one a line.",
                "https://www.example.org/",
            ),
            field(
                "scope",
                "seed.scope",
                Shape::Scope,
                "How far from them",
                "What else may be fetched: with a topic, “anywhere” lets it follow the best links.",
                "",
            ),
        ],
    ),
    group(
        "What it is about",
        &[
            field(
                "keywords",
                "topic.keywords",
                Shape::Lines,
                "Words of the topic",
                "Words and phrases, one a line. Pages with them, and links that lead to such pages, come first.",
                "austerity",
            ),
            field(
                "references",
                "topic.references",
                Shape::Lines,
                "Pages about it",
                "Addresses of documents that are about the topic, one a line; the crawl learns from them.",
                "https://en.wikipedia.org/wiki/…",
            ),
            field(
                "languages",
                "topic.languages",
                Shape::Words,
                "Languages",
                "Two-letter codes; all where none is given.",
                "en de",
            ),
            field(
                "event_from",
                "event.from",
                Shape::Date,
                "Event from",
                "If it is about an event: its first day, as 2026-09-01. Pages of that time count more.",
                "2026-09-01",
            ),
            field("event_until", "event.until", Shape::Date, "Event until", "Its last day.", "2026-09-30"),
        ],
    ),
    group(
        "When it ends",
        &[
            field(
                "limit_pages",
                "limits.pages",
                Shape::Number,
                "Pages",
                "Pages and what they show, over all starts; robots.txt does not count. Without limit where nothing is given.",
                "such as 10000",
            ),
            field(
                "limit_size",
                "limits.size",
                Shape::Text,
                "Bytes",
                "What is received, over all starts.",
                "such as 50GB",
            ),
            field("limit_time", "limits.time", Shape::Text, "Time", "Of each start.", "such as 12h or 7d"),
            field(
                "site_pages",
                "limits.site_pages",
                Shape::Number,
                "Pages of one site",
                "So that no site takes all.",
                "such as 1000",
            ),
        ],
    ),
    group(
        "Where it may go",
        &[
            field(
                "allowed",
                "scope.surts",
                Shape::Sites,
                "Sites that belong to it",
                "With everything on them, wherever they are linked; one a line.",
                "example.org",
            ),
            field(
                "blocked",
                "scope.block",
                Shape::Lines,
                "Sites that are never asked",
                "One a line.",
                "ads.example.net",
            ),
            field(
                "delay",
                "politeness.min_delay",
                Shape::Text,
                "Pause between two requests",
                "To one server, at least; 3s where nothing is given.",
                "3s",
            ),
        ],
    ),
    Group {
        title: "How links are weighed",
        hint: "How much each signal counts when the crawl says how promising a link is: 1 as usual, 0 not at all, 2 twice as much. \
               Leave a field empty for 1. It is taken up at once, also while the crawl runs.",
        is_folded: true,
        fields: &[
            weight(
                "weight_siblings",
                "judge.weights.siblings",
                "Neighbours",
                "What became of other links on the pages that mention it, above all of those beside it.",
            ),
            weight(
                "weight_best_siblings",
                "judge.weights.best_siblings",
                "Best neighbours",
                "The one mention whose neighbours did best: one good list outweighs many menus.",
            ),
            weight(
                "weight_words",
                "judge.weights.words",
                "Words that did well",
                "What pages were like whose links had the same words; learned while crawling.",
            ),
            weight(
                "weight_context",
                "judge.weights.context",
                "Text around the link",
                "How near the sentence or list it stands in is to the topic.",
            ),
            weight(
                "weight_anchor",
                "judge.weights.anchor",
                "Words of the link",
                "How near the link's own text is to the topic.",
            ),
            weight(
                "weight_address",
                "judge.weights.address",
                "Words of the address",
                "How near the words in its address are to the topic.",
            ),
            weight(
                "weight_part",
                "judge.weights.part",
                "Part of the page",
                "How near the section, menu or footer it stands in is to the topic.",
            ),
            weight(
                "weight_page",
                "judge.weights.page",
                "Pages that mention it",
                "How relevant these pages are as a whole.",
            ),
            weight(
                "weight_entities",
                "judge.weights.entities",
                "Names",
                "People, places and things of the topic that are named at the link.",
            ),
            weight(
                "weight_pattern",
                "judge.weights.pattern",
                "Shape of the address",
                "What you say of such addresses, else how pages of the same host and folder did.",
            ),
            weight("weight_site", "judge.weights.site", "Its site", "How the site has done so far."),
            weight(
                "weight_in_links",
                "judge.weights.in_links",
                "How often it is linked",
                "How many relevant pages mention it; those of late count more.",
            ),
            weight(
                "weight_distance",
                "judge.weights.distance",
                "Distance",
                "How many irrelevant pages lie between it and the last relevant one.",
            ),
        ],
    },
];
