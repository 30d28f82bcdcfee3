//! Why a page and its links have their scores, down to the words that made them. How it is shown is the program's concern.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use annalist_model::{CanonicalUrl, DocumentTime, Page};

use crate::definition::Definition;
use crate::event::temporal;
use crate::judge::{Judge, RELEVANT, Rules, Said};
use crate::reading::{Analyst, Depth, Reading};
use crate::signals::SIGNALS;
use crate::text::ids::IdMap;
use crate::text::{Language, Stems, words};

/// A page and its links.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// In [0, 1].
    pub score: f32,
    pub is_relevant: bool,
    /// Where the topic is an event: by what it says alone, and when it is from, with how relevant that time is.
    pub timed: Option<Timed>,
    /// How near it is to the topic; 1 is a typical page. The sum of what its words add.
    pub nearness: f32,
    /// What the page says, or what was taken for it.
    pub language: String,
    /// The words of the topic in it, those that add most first.
    pub words: Vec<WordPart>,
    /// Names and how often they stand there, the most frequent first.
    pub names: Vec<(String, u32)>,
    /// The pages it leads to, the best first.
    pub links: Vec<LinkPart>,
}

/// What a page's content and its time are worth each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    pub content: f32,
    /// Where it is known.
    pub time: Option<(DocumentTime, f32)>,
}

/// A word of the topic in the page.
#[derive(Clone, Debug, PartialEq)]
pub struct WordPart {
    /// As the page writes it most often.
    pub word: String,
    /// In the topic, where the strongest has 1.
    pub weight: f32,
    pub times: u32,
    /// What it adds to the nearness.
    pub part: f32,
}

/// A link of the page.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPart {
    pub url: CanonicalUrl,
    pub anchor: String,
    /// What it is worth, in [0, 1].
    pub value: f32,
    pub signals: Vec<SignalPart>,
}

/// What a signal says of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalPart {
    pub name: &'static str,
    pub meaning: &'static str,
    pub said: Said,
}

/// Judges one page as the first of a crawl would be judged. `time`: when it is from, where that is known.
pub fn explain(
    definition: &Definition,
    rules: Rules,
    url: &CanonicalUrl,
    page: &Page,
    time: Option<DocumentTime>,
) -> Explanation {
    let topic = definition.topic();
    let names = definition.names();
    let named: Vec<String> = names.names().iter().map(|name| name.name.clone()).collect();
    let sought = definition.sought();
    let mut analyst = Analyst::new(names, definition.language()).knowing(rules.addresses.clone());
    let reading = Reading { time, ..analyst.read(page, &topic, Depth::Topic) };
    let strongest = topic.terms().first().map_or(1.0, |(_, weight)| *weight);
    let written = written(page, definition.language());
    let mut words: Vec<WordPart> = Vec::new();
    for (id, weight) in reading.vector.terms() {
        let in_topic = topic.weight(*id);
        let (times, word) = written.get(id).cloned().unwrap_or_default();
        if in_topic > 0.0 && times > 0 {
            let part = topic.in_typical(weight * in_topic);
            words.push(WordPart { word, weight: in_topic / strongest, times, part });
        }
    }
    words.sort_by(|one, other| other.part.total_cmp(&one.part).then_with(|| one.word.cmp(&other.word)));
    let mut counted: Vec<(String, u32)> =
        reading.named.iter().filter_map(|(at, times)| Some((named.get(*at)?.clone(), *times))).collect();
    counted.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let nearness = topic.nearness(&reading.vector);
    // Chance and patience say nothing about a link.
    let rules = Rules { exploration: 0.0, greediness: 1, combines: true, ..rules };
    let event = rules.event.clone();
    let mut judge = Judge::of_topic(rules, topic, sought);
    let score = judge.relevance(&reading);
    let timed = event.map(|event| Timed {
        content: judge.content(&reading),
        time: time.map(|time| (time, temporal(&event, time))),
    });
    judge.take(url.key(), &reading);
    Explanation {
        score,
        is_relevant: score >= RELEVANT,
        timed,
        nearness,
        language: page.language.clone().unwrap_or_else(|| definition.language().to_owned()),
        words,
        names: counted,
        links: links(page, &judge),
    }
}

/// Each address once, with all that the page says about it.
fn links(page: &Page, judge: &Judge) -> Vec<LinkPart> {
    let mut links: BTreeMap<&CanonicalUrl, LinkPart> = BTreeMap::new();
    for link in &page.links {
        let key = link.url.key();
        let (Some(value), Some(said)) = (judge.reconsider(key), judge.signals(key)) else { continue };
        let known = links.entry(&link.url).or_insert_with(|| LinkPart {
            url: link.url.clone(),
            anchor: String::new(),
            value,
            signals: SIGNALS
                .iter()
                .zip(said)
                .map(|(signal, said)| SignalPart { name: signal.name, meaning: signal.meaning, said })
                .collect(),
        });
        if known.anchor.is_empty() {
            known.anchor.clone_from(&link.anchor);
        }
    }
    let mut links: Vec<LinkPart> = links.into_values().collect();
    links.sort_by(|one, other| other.value.total_cmp(&one.value).then_with(|| one.url.cmp(&other.url)));
    links
}

/// Of each term how often the page has it, and how it writes it most often.
fn written(page: &Page, language: &str) -> IdMap<(u32, String)> {
    let mut stems = Stems::new(Language::of(page.language.as_deref().unwrap_or(language)));
    let mut forms: IdMap<BTreeMap<&str, u32>> = IdMap::default();
    for text in [page.title.as_deref().unwrap_or_default(), &page.text] {
        words(text, &mut stems, |word| {
            let form = text.get(word.from..word.to).unwrap_or_default();
            *forms.entry(word.id).or_default().entry(form).or_default() += 1;
        });
    }
    let most = |forms: BTreeMap<&str, u32>| {
        let times = forms.values().sum();
        let form = forms.into_iter().max_by_key(|(form, times)| (*times, Reverse(form.len()), *form));
        (times, form.map_or_else(String::new, |(form, _)| form.to_owned()))
    };
    forms.into_iter().map(|(id, forms)| (id, most(forms))).collect()
}
