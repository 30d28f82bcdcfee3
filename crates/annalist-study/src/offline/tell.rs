//! What was found, said in the graph's words, and as facets for search. Statements about a writing stand in the graph of the
//! capture it was taken from; statements about what was found as a whole in graphs of the study. See `docs/vocabulary.md`.

use std::collections::HashMap;

use annalist_knowledge::search::Annotations;
use annalist_knowledge::vocabulary as v;
use annalist_knowledge::{Speaker, decimal, person_iri, url_iri};
use oxrdf::vocab::xsd;
use oxrdf::{GraphName, Literal, NamedNode, NamedNodeRef, Quad};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use xxhash_rust::xxh3::xxh3_64;

use super::entities::{Entities, Entity, Kind, Mention, Source};
use super::happenings::Happening;
use super::images::Images;
use super::opinions::{Opinion, Opinions};
use super::social::Social;
use super::topics::{Topic, Topics};
use super::{Corpus, CorpusError, StudyWatch};

/// Everything that a study may have found.
#[derive(Debug, Default)]
pub struct Found {
    pub entities: Entities,
    pub opinions: Opinions,
    pub topics: Topics,
    pub happenings: Vec<Happening>,
    pub social: Social,
    pub images: Images,
}

/// Says everything: statements to `say`, and to `annotate` the name of each writing with what was found about it. Where it is
/// stopped on the way, that is an error.
pub fn tell(
    corpus: &Corpus,
    found: &Found,
    say: &mut dyn FnMut(Quad),
    annotate: &mut dyn FnMut(String, Annotations),
    watch: &dyn StudyWatch,
) -> Result<(), CorpusError> {
    let mut teller = Teller { speaker: Speaker { graph: GraphName::DefaultGraph, say } };
    let names = Names::of(found);
    teller.entities(&found.entities, &names);
    teller.topics(&found.topics, &names);
    teller.happenings(found, &names);
    teller.social(&found.social);
    teller.sites(&found.social);
    teller.images(&found.images);
    let mut about = About::of(found);
    let mut writings: Vec<(String, String)> = Vec::new();
    corpus.fold(
        Vec::new,
        |some: &mut Vec<(String, String)>, writing| some.push((writing.id, writing.record)),
        |some| writings.extend(some),
        &(),
    )?;
    watch.begin("telling", corpus.len());
    for (number, (id, record)) in (0..).zip(writings) {
        if watch.is_stopped() {
            return Err(CorpusError::Stopped);
        }
        watch.done(1);
        let notes = about.take(number);
        if let (Some(writing), Some(capture)) = (url_iri(&id), url_iri(&record)) {
            teller.speaker.graph = GraphName::NamedNode(capture.clone());
            teller.notes(&writing, &capture, &notes, &names);
        }
        // Also where nothing was found: something may have been before.
        annotate(id, notes.annotations(found));
    }
    Ok(())
}

/// What was found about one writing.
#[derive(Debug, Default)]
struct Notes {
    /// With what is thought of the entity.
    mentions: Vec<(Mention, Option<Opinion>)>,
    topics: Vec<(u32, f32)>,
    happenings: Vec<(u32, f32)>,
    opinion: Option<Opinion>,
}

impl Notes {
    fn annotations(&self, found: &Found) -> Annotations {
        let entity = |place: u32| Some(found.entities.entities.get(place as usize)?.name.clone());
        let topic = |place: u32| Some(found.topics.topics.get(place as usize)?.label.clone());
        let event = |place: u32| Some(found.happenings.get(place as usize)?.title.clone());
        Annotations {
            entities: self.mentions.iter().filter_map(|(mention, _)| entity(mention.entity)).collect(),
            topics: self.topics.iter().filter_map(|(place, _)| topic(*place)).collect(),
            events: self.happenings.iter().filter_map(|(place, _)| event(*place)).collect(),
            sentiment: self.opinion.map(|opinion| opinion.value),
        }
    }
}

/// What was found, by writing.
#[derive(Debug)]
struct About {
    notes: HashMap<u32, Notes>,
}

impl About {
    fn of(found: &Found) -> About {
        let mut notes: HashMap<u32, Notes> = HashMap::new();
        let said: HashMap<(u32, u32), Opinion> = found
            .opinions
            .entities
            .iter()
            .map(|(writing, entity, opinion)| ((*writing, *entity), *opinion))
            .collect();
        for mention in &found.entities.mentions {
            let opinion = said.get(&(mention.writing, mention.entity)).copied();
            notes.entry(mention.writing).or_default().mentions.push((*mention, opinion));
        }
        for (writing, topic, weight) in &found.topics.memberships {
            notes.entry(*writing).or_default().topics.push((*topic, *weight));
        }
        for (number, happening) in (0..).zip(&found.happenings) {
            for (writing, weight) in &happening.writings {
                notes.entry(*writing).or_default().happenings.push((number, *weight));
            }
        }
        for (writing, opinion) in &found.opinions.writings {
            notes.entry(*writing).or_default().opinion = Some(*opinion);
        }
        About { notes }
    }

    fn take(&mut self, writing: u32) -> Notes {
        self.notes.remove(&writing).unwrap_or_default()
    }
}

/// What things that were found are called in the graph.
#[derive(Debug)]
struct Names {
    entities: Vec<NamedNode>,
    topics: Vec<NamedNode>,
    happenings: Vec<NamedNode>,
    /// What the model that was asked is called.
    model: Option<String>,
}

impl Names {
    fn of(found: &Found) -> Names {
        let entity = |one: &Entity| named(&format!("entity:{}", kind_word(one.kind)), &one.name);
        let topic = |one: &Topic| named("topic", &format!("{}:{}", one.language, one.label));
        let happening = |one: &Happening| named("event", &format!("{}:{}", one.from, one.title));
        Names {
            entities: found.entities.entities.iter().map(entity).collect(),
            topics: found.topics.topics.iter().map(topic).collect(),
            happenings: found.happenings.iter().map(happening).collect(),
            model: found.entities.model.as_ref().map(|name| format!("model:{name}")),
        }
    }
}

fn named(kind: &str, name: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{}{kind}:{}", v::ANNALIST, utf8_percent_encode(name, NON_ALPHANUMERIC)))
}

fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Person => "person",
        Kind::Place => "place",
        Kind::Organisation => "organisation",
        Kind::Other => "other",
    }
}

fn kind_class(kind: Kind) -> NamedNodeRef<'static> {
    match kind {
        Kind::Person => v::SCHEMA_PERSON,
        Kind::Place => v::PLACE,
        Kind::Organisation => v::ORGANISATION,
        Kind::Other => v::THING,
    }
}

struct Teller<'a> {
    speaker: Speaker<'a>,
}

impl Teller<'_> {
    fn part(&mut self, study: &str) {
        self.speaker.graph =
            GraphName::NamedNode(NamedNode::new_unchecked(format!("{}study:{study}", v::ANNALIST)));
    }

    fn entities(&mut self, found: &Entities, names: &Names) {
        self.part("entities");
        for (entity, name) in found.entities.iter().zip(&names.entities) {
            self.speaker.say(name, v::TYPE, kind_class(entity.kind).into_owned());
            self.speaker.text(name, v::NAME, Some(&entity.name));
            entity.aliases.iter().for_each(|alias| self.speaker.text(name, v::ALTERNATE_NAME, Some(alias)));
            self.speaker.number(name, v::WRITINGS, entity.writings);
            self.speaker.number(name, v::COUNT, entity.mentions);
            self.speaker.say(name, v::CONFIDENCE, decimal(entity.confidence));
            self.found_by(name, entity.source, names);
        }
        for pair in &found.together {
            if let (Some(one), Some(other)) =
                (names.entities.get(pair.one as usize), names.entities.get(pair.other as usize))
            {
                let tie = named("together", &format!("{} {}", one.as_str(), other.as_str()));
                self.speaker.say(&tie, v::TYPE, v::TOGETHER.into_owned());
                self.speaker.say(&tie, v::ONE, one.clone());
                self.speaker.say(&tie, v::ONE, other.clone());
                self.speaker.number(&tie, v::WRITINGS, pair.writings);
                // That both are what they are taken for; that they are in the same writings can be counted.
                let of = |entity: u32| found.entities.get(entity as usize).map_or(0.0, |one| one.confidence);
                self.speaker.say(&tie, v::CONFIDENCE, decimal(of(pair.one) * of(pair.other)));
            }
        }
    }

    /// Where a model was asked: who says so, words or the model.
    fn found_by(&mut self, subject: &NamedNode, source: Source, names: &Names) {
        let Some(model) = &names.model else { return };
        if source != Source::Model {
            self.speaker.text(subject, v::FOUND_BY, Some("words"));
        }
        if source != Source::Words {
            self.speaker.text(subject, v::FOUND_BY, Some(model));
        }
    }

    fn topics(&mut self, found: &Topics, names: &Names) {
        self.part("topics");
        for (topic, name) in found.topics.iter().zip(&names.topics) {
            self.speaker.say(name, v::TYPE, v::CONCEPT.into_owned());
            self.speaker.text(name, v::PREF_LABEL, Some(&topic.label));
            topic.terms.iter().for_each(|(term, _)| self.speaker.text(name, v::KEYWORDS, Some(term)));
            self.speaker.text(name, v::LANGUAGE, Some(&topic.language));
            self.speaker.number(name, v::WRITINGS, topic.writings);
            self.speaker.say(name, v::CONFIDENCE, decimal(topic.confidence));
        }
    }

    fn happenings(&mut self, found: &Found, names: &Names) {
        self.part("events");
        for (happening, name) in found.happenings.iter().zip(&names.happenings) {
            let date = |day: super::Day| Literal::new_typed_literal(day.to_string(), xsd::DATE);
            self.speaker.say(name, v::TYPE, v::EVENT.into_owned());
            self.speaker.text(name, v::NAME, Some(&happening.title));
            self.speaker.say(name, v::START, date(happening.from));
            self.speaker.say(name, v::END, date(happening.until));
            let part = |what: &str| NamedNode::new_unchecked(format!("{}:{what}", name.as_str()));
            let (time, from, until) = (part("time"), part("from"), part("until"));
            self.speaker.say(name, v::HAS_TIME, time.clone());
            self.speaker.say(&time, v::TYPE, v::INTERVAL.into_owned());
            self.speaker.say(&time, v::BEGINNING, from.clone());
            self.speaker.say(&time, v::ENDING, until.clone());
            self.speaker.say(&from, v::IN_DATE, date(happening.from));
            self.speaker.say(&until, v::IN_DATE, date(happening.until));
            happening.terms.iter().for_each(|(term, _)| self.speaker.text(name, v::KEYWORDS, Some(term)));
            for (entity, _) in &happening.names {
                let kind = found.entities.entities.get(*entity as usize).map(|entity| entity.kind);
                if let (Some(kind), Some(entity)) = (kind, names.entities.get(*entity as usize)) {
                    let word = if kind == Kind::Place { v::LOCATION } else { v::INVOLVES };
                    self.speaker.say(name, word, entity.clone());
                }
            }
            self.speaker.number(name, v::WRITINGS, happening.writings.len() as u64);
            self.speaker.say(name, v::CONFIDENCE, decimal(happening.confidence));
        }
    }

    fn social(&mut self, found: &Social) {
        self.part("social");
        let people: Vec<NamedNode> =
            found.authors.iter().map(|author| person_iri(&author.site, &author.name)).collect();
        for (author, person) in found.authors.iter().zip(&people) {
            self.speaker.number(person, v::WRITINGS, author.writings);
            self.speaker.say(person, v::INFLUENCE, Literal::from(author.influence));
            self.speaker.say(person, v::CONFIDENCE, decimal(author.confidence));
        }
        for tie in &found.ties {
            let (Some(from), Some(to)) = (people.get(tie.from), people.get(tie.to)) else { continue };
            let counts = [
                (v::REPLIED, tie.counts.replies),
                (v::QUOTED, tie.counts.quotes),
                (v::CITED, tie.counts.links),
                (v::NAMED, tie.counts.mentions),
            ];
            let name = named("tie", &format!("{} {}", from.as_str(), to.as_str()));
            self.speaker.say(&name, v::TYPE, v::TIE.into_owned());
            self.speaker.say(&name, v::FROM, from.clone());
            self.speaker.say(&name, v::TO, to.clone());
            self.speaker.say(&name, v::CONFIDENCE, decimal(tie.confidence));
            if let Some(capture) = url_iri(&tie.source) {
                self.speaker.say(&name, v::DERIVED, capture);
            }
            for (word, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
                self.speaker.say(from, word, to.clone());
                self.speaker.number(&name, word, count);
            }
        }
    }

    /// What the archive's sites are to each other.
    fn sites(&mut self, found: &Social) {
        for site in &found.sites {
            let name = named("site", &site.site);
            self.speaker.say(&name, v::TYPE, v::SITE_CLASS.into_owned());
            self.speaker.text(&name, v::SITE, Some(&site.site));
            self.speaker.number(&name, v::WRITINGS, site.writings);
            self.speaker.number(&name, v::CITES, site.cites);
            self.speaker.number(&name, v::CITATIONS, site.cited);
            self.speaker.number(&name, v::CITING_SITES, site.cited_by);
            self.speaker.say(&name, v::INFLUENCE, Literal::from(site.influence));
        }
    }

    fn images(&mut self, found: &Images) {
        for image in &found.images {
            let (Some(url), Some(capture)) = (url_iri(&image.url), url_iri(&image.record)) else { continue };
            self.speaker.graph = GraphName::NamedNode(capture);
            self.speaker.text(&url, v::ENCODING, Some(&image.facts.mime));
            image.facts.width.into_iter().for_each(|width| self.speaker.number(&url, v::WIDTH, width));
            image.facts.height.into_iter().for_each(|height| self.speaker.number(&url, v::HEIGHT, height));
            self.speaker.text(&url, v::CONDITION, Some(image.facts.condition.word()));
            if image.facts.animated {
                self.speaker.say(&url, v::ANIMATED, Literal::from(true));
            }
            if let Some(hash) = image.facts.perceptual_hash {
                self.speaker.text(&url, v::PERCEPTUAL_HASH, Some(&format!("{hash:016x}")));
            }
        }
        self.part("images");
        for group in &found.groups {
            let Some(first) = found.images.get(group.first).and_then(|image| url_iri(&image.url)) else {
                continue;
            };
            for repeat in &group.repeats {
                let Some(image) = found.images.get(repeat.image) else { continue };
                let Some(other) = url_iri(&image.url).filter(|other| *other != first) else { continue };
                self.speaker.say(&other, v::LOOKS_LIKE, first.clone());
                if let Some(capture) = url_iri(&image.record) {
                    self.annotation(&other, &first, repeat.confidence, &capture);
                }
            }
        }
    }

    /// What was found about one writing: short statements to ask for, and each as an annotation with its confidence.
    fn notes(&mut self, writing: &NamedNode, capture: &NamedNode, notes: &Notes, names: &Names) {
        if let Some(opinion) = notes.opinion {
            self.speaker.say(writing, v::SENTIMENT, decimal(opinion.value));
            self.speaker.say(writing, v::SENTIMENT_CONFIDENCE, decimal(opinion.confidence));
        }
        for (mention, opinion) in &notes.mentions {
            let Some(entity) = names.entities.get(mention.entity as usize) else { continue };
            self.speaker.say(writing, v::MENTIONS, entity.clone());
            let note = self.annotation(writing, entity, mention.confidence, capture);
            self.speaker.number(&note, v::COUNT, mention.count);
            self.found_by(&note, mention.source, names);
            if let Some(opinion) = opinion {
                self.speaker.say(&note, v::SENTIMENT, decimal(opinion.value));
                self.speaker.say(&note, v::SENTIMENT_CONFIDENCE, decimal(opinion.confidence));
            }
        }
        let topics =
            notes.topics.iter().filter_map(|(n, weight)| Some((names.topics.get(*n as usize)?, *weight)));
        let happenings = notes
            .happenings
            .iter()
            .filter_map(|(n, weight)| Some((names.happenings.get(*n as usize)?, *weight)));
        for (thing, weight) in topics.chain(happenings) {
            self.speaker.say(writing, v::ABOUT, thing.clone());
            self.annotation(writing, thing, weight, capture);
        }
    }

    fn annotation(
        &mut self,
        writing: &NamedNode,
        body: &NamedNode,
        confidence: f32,
        capture: &NamedNode,
    ) -> NamedNode {
        let of = format!("{}\n{}\n{}", capture.as_str(), writing.as_str(), body.as_str());
        let name =
            NamedNode::new_unchecked(format!("{}annotation:{:016x}", v::ANNALIST, xxh3_64(of.as_bytes())));
        self.speaker.say(&name, v::TYPE, v::ANNOTATION.into_owned());
        self.speaker.say(&name, v::TARGET, writing.clone());
        self.speaker.say(&name, v::BODY, body.clone());
        self.speaker.say(&name, v::CONFIDENCE, decimal(confidence));
        self.speaker.say(&name, v::DERIVED, capture.clone());
        name
    }
}
