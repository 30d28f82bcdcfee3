//! Texts about the society, sentence by sentence, with what each of them says: who is named, and what is thought of
//! them. The same call gives the same text, so that pages and truth agree.

use std::ops::Range;

use super::Scene;
use super::cast::{BODY, Member, OF_A_CIRCLE, PLACE, Role, oblique};
use crate::calendar::{DAY, Moment};
use crate::dice::Dice;
use crate::prose::capitalise;
use crate::words::Language;

/// From its new name on, people add the old one for so long.
const NEWS: u64 = 60 * DAY;

#[derive(Clone, Debug, Default)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    /// Who is named, and where in the text.
    pub(crate) mentions: Vec<(usize, Range<usize>)>,
    /// Whom it is about, and whether it praises (1), blames (-1) or neither.
    pub(crate) opinion: Option<(usize, i8)>,
    /// What it feels like, where it is about nobody.
    pub(crate) mood: i8,
}

/// How much readers are taken to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Everybody is introduced by the whole name.
    Formal,
    /// Comments may begin with a family name.
    Terse,
    /// Whole names without title or acronym.
    Heading,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Subject,
    Object,
}

/// Somebody who writes one text.
pub(crate) struct Teller<'s> {
    scene: Scene<'s>,
    manner: Manner,
    pub(crate) dice: Dice,
    /// Who was named before.
    known: Vec<usize>,
}

impl<'s> Teller<'s> {
    pub(crate) fn new(scene: Scene<'s>, manner: Manner, dice: Dice) -> Teller<'s> {
        Teller { scene, manner, dice, known: Vec::new() }
    }

    /// A heading: what happened, or who is talking about what.
    pub(crate) fn heading(&mut self) -> Sentence {
        let Some(happening) = self.scene.happening else {
            let templates =
                if self.scene.peopled { self.scene.tongue.headings } else { &["{t}, {u}, {v}", "{t} / {u}"] };
            let template = self.dice.pick(templates).copied().unwrap_or_default();
            return self.say(template, None);
        };
        self.say(happening.occasion.title, None)
    }

    /// A report or an article, of about so many bytes.
    pub(crate) fn matter(&mut self, bytes: usize) -> Vec<Sentence> {
        let tongue = self.scene.tongue;
        let mut told: Vec<Sentence> = Vec::new();
        if let Some(happening) = self.scene.happening {
            let sentences = happening.occasion.sentences;
            // The first one has place and day; some of the others are left out.
            for (number, template) in sentences.iter().enumerate() {
                if number == 0 || self.dice.below(4) > 0 {
                    told.push(self.say(template, None));
                }
            }
        }
        if self.scene.peopled && self.dice.below(3) == 0 && self.is_news() {
            told.push(self.say(tongue.formerly, None));
        }
        while told.iter().map(|sentence| sentence.text.len() + 1).sum::<usize>() < bytes || told.is_empty() {
            let template = match self.dice.below(10) {
                0..4 if self.scene.peopled => self.dice.pick(tongue.about),
                0..8 => self.dice.pick(tongue.topical),
                _ => self.dice.pick(tongue.plain),
            };
            told.push(self.ramble(template.copied().unwrap_or_default()));
        }
        told
    }

    /// A neutral sentence, one in two with something behind it.
    fn ramble(&mut self, template: &str) -> Sentence {
        let mut sentence = self.say(template, None);
        if self.dice.below(2) == 0
            && let Some(tail) = self.dice.pick(self.scene.tongue.tails)
            && sentence.text.ends_with('.')
        {
            sentence.text.pop();
            sentence.text.push_str(tail);
            sentence.text.push('.');
        }
        sentence
    }

    /// One to three sentences that praise or blame somebody, or do neither.
    pub(crate) fn opinion(&mut self, about: usize) -> Vec<Sentence> {
        let favour = self.scene.cast.member(about).map_or(0.5, |member| member.favour_at(self.scene.at));
        let polarity = match (self.dice.below(10), self.dice.chance(favour)) {
            (0..3, _) => 0,
            (_, true) => 1,
            (_, false) => -1,
        };
        let mut told = self.opinions(about, polarity);
        // Some see it both ways.
        if polarity != 0 && self.dice.below(10) == 0 {
            let other = self.scene.first + (about - self.scene.first + 1) % (BODY + 1);
            let templates =
                if polarity > 0 { self.scene.tongue.negative } else { self.scene.tongue.positive };
            told.push(self.opine(templates, other, -polarity));
        }
        told
    }

    fn opinions(&mut self, about: usize, polarity: i8) -> Vec<Sentence> {
        let tongue = self.scene.tongue;
        let templates = match polarity {
            1 => tongue.positive,
            -1 => tongue.negative,
            _ => tongue.neutral,
        };
        let count = 1 + self.dice.skewed(3);
        let mut told: Vec<Sentence> = (0..count).map(|_| self.opine(templates, about, polarity)).collect();
        let moods = if polarity > 0 { tongue.glad } else { tongue.sad };
        if polarity != 0 && self.dice.below(4) == 0 {
            let template = self.dice.pick(moods).copied().unwrap_or_default();
            told.push(Sentence { mood: polarity, ..self.say(template, None) });
        }
        told
    }

    fn opine(&mut self, templates: &[&str], about: usize, polarity: i8) -> Sentence {
        let template = self.dice.pick(templates).copied().unwrap_or_default();
        Sentence { opinion: Some((about, polarity)), ..self.say(template, Some(about)) }
    }

    /// A sentence or two of small talk.
    pub(crate) fn aside(&mut self) -> Vec<Sentence> {
        let tongue = self.scene.tongue;
        (0..self.dice.below(3))
            .map(|_| {
                let templates = if self.dice.below(3) == 0 { tongue.plain } else { tongue.topical };
                let template = self.dice.pick(templates).copied().unwrap_or_default();
                self.ramble(template)
            })
            .collect()
    }

    /// A sentence that is glad, sad or neither, about nobody.
    pub(crate) fn mood(&mut self) -> Sentence {
        let tongue = self.scene.tongue;
        let (mood, templates) = match self.dice.below(3) {
            0 => (1, tongue.glad),
            1 => (-1, tongue.sad),
            _ => (0, tongue.topical),
        };
        let template = self.dice.pick(templates).copied().unwrap_or_default();
        Sentence { mood, ..self.say(template, None) }
    }

    /// Whether the circle's organisation has just changed its name.
    fn is_news(&self) -> bool {
        self.scene.cast.member(self.scene.first + BODY).is_some_and(|member| {
            member.is_renamed() && (member.renamed..member.renamed + NEWS).contains(&self.scene.at)
        })
    }

    fn say(&mut self, template: &str, about: Option<usize>) -> Sentence {
        let mut sentence = Sentence::default();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            sentence.text.push_str(before);
            let (slot, after) = after.split_once('}').unwrap_or((after, ""));
            self.fill(&mut sentence, slot, about);
            rest = after;
        }
        sentence.text.push_str(rest);
        let length = sentence.text.len();
        capitalise(&mut sentence.text, 0);
        // No first letter of ours changes its length as a capital.
        debug_assert_eq!(length, sentence.text.len());
        sentence
    }

    fn fill(&mut self, sentence: &mut Sentence, slot: &str, about: Option<usize>) {
        let first = self.scene.first;
        let case = if slot.starts_with(char::is_uppercase) { Case::Object } else { Case::Subject };
        match slot {
            "a" | "A" => self.name(sentence, first + self.scene.turn % BODY, case),
            "b" | "B" => self.name(sentence, first + (self.scene.turn + 1) % BODY, case),
            "c" | "C" => self.name(sentence, first + (self.scene.turn + 2) % BODY, case),
            "o" | "O" => self.name(sentence, first + BODY, case),
            "x" | "X" => self.name(sentence, about.unwrap_or(first), case),
            "p" => self.name(sentence, first + PLACE, case),
            "q" => self.name(sentence, first + OF_A_CIRCLE - 1, case),
            "t" | "u" | "v" => {
                let words = self.scene.language.topic_words(self.scene.topic);
                let mut draw = || words.get(self.dice.skewed(words.len())).copied().unwrap_or_default();
                let drawn = [draw(), draw(), draw()];
                // Rarely a word twice in one sentence.
                let new = drawn.iter().find(|word| !sentence.text.contains(**word));
                sentence.text.push_str(new.unwrap_or(&drawn[0]));
            }
            "d" | "D" => {
                let day = self.scene.happening.map_or(self.scene.at, |happening| happening.from);
                self.push_day(&mut sentence.text, day, case);
            }
            "g" => self.push_value(&mut sentence.text, self.scene.tongue.praise, about),
            "h" => self.push_value(&mut sentence.text, self.scene.tongue.blame, about),
            "old" => {
                let number = first + BODY;
                let name = self.scene.cast.member(number).map(|member| member.name(0)).unwrap_or_default();
                push_mention(sentence, number, &name);
            }
            _ => {}
        }
    }

    fn push_day(&mut self, out: &mut String, seconds: u64, case: Case) {
        let (moment, tongue) = (Moment::new(seconds), self.scene.tongue);
        crate::html::push_number(out, moment.day);
        out.push_str(tongue.day_mark);
        out.push(' ');
        out.push_str(tongue.months[moment.month.saturating_sub(1) as usize % 12]);
        if case == Case::Object && self.dice.below(3) > 0 {
            out.push(' ');
            crate::html::push_number(out, moment.year);
        }
    }

    /// A word of praise or blame in the form that fits whom it is about.
    fn push_value(&mut self, out: &mut String, words: &[&'static str], about: Option<usize>) {
        let word = self.dice.pick(words).copied().unwrap_or_default();
        let member = about.and_then(|about| self.scene.cast.member(about));
        let feminine = member.is_some_and(Member::is_feminine);
        out.push_str(match word.split_once('/') {
            Some((_, of_a_woman)) if feminine => of_a_woman,
            Some((of_a_man, _)) => of_a_man,
            None => word,
        });
    }

    fn name(&mut self, sentence: &mut Sentence, number: usize, case: Case) {
        let Some(member) = self.scene.cast.member(number).copied() else { return };
        let known = self.known.contains(&number);
        self.known.push(number);
        match member.role {
            Role::Place(name) => push_mention(sentence, number, name),
            Role::Organisation(body) => {
                if body.article {
                    sentence.text.push_str(article(self.scene.language, true, case));
                }
                let (name, acronym) = member.body_names(body, self.scene.at);
                let short = !acronym.is_empty()
                    && match self.manner {
                        Manner::Heading => false,
                        _ if known => self.dice.below(5) > 1,
                        Manner::Terse => self.dice.below(2) == 0,
                        Manner::Formal => false,
                    };
                push_mention(sentence, number, if short { acronym } else { name });
                if !known && !short && !acronym.is_empty() && self.manner == Manner::Formal {
                    sentence.text.push_str(" (");
                    push_mention(sentence, number, acronym);
                    sentence.text.push(')');
                }
            }
            Role::Person(figure) => {
                if self.scene.language == Language::Greek {
                    sentence.text.push_str(article(self.scene.language, figure.woman, case));
                }
                let style = match (self.manner, known) {
                    (Manner::Heading, _) => 0,
                    (Manner::Formal, false) => 1,
                    (Manner::Terse, false) => [1, 1, 2, 3][self.dice.below(4)],
                    (_, true) => [2, 2, 2, 2, 3, 3, 0, 4][self.dice.below(8)],
                };
                self.push_person(sentence, number, &member, style, case);
            }
        }
    }

    /// Styles: the whole name, with a title, the family name, with Mr or Mrs, what friends say.
    fn push_person(
        &mut self,
        sentence: &mut Sentence,
        number: usize,
        member: &Member,
        style: usize,
        case: Case,
    ) {
        let Role::Person(figure) = member.role else { return };
        let (mut given, mut family) = (figure.given, member.family(self.scene.at));
        if case == Case::Object && !figure.woman {
            (given, family) = (oblique(given, member.language), oblique(family, member.language));
        }
        match style {
            1 if !figure.title.is_empty() => {
                sentence.text.push_str(figure.title);
                sentence.text.push(' ');
                push_mention(sentence, number, &format!("{given} {family}"));
            }
            2 => push_mention(sentence, number, family),
            3 => {
                let [man, woman] = self.scene.tongue.manners;
                sentence.text.push_str(match (self.scene.language, case, figure.woman) {
                    (Language::German, Case::Object, false) => "Herrn",
                    (_, _, true) => woman,
                    (_, _, false) => man,
                });
                sentence.text.push(' ');
                push_mention(sentence, number, family);
            }
            4 if !figure.alias.is_empty() => push_mention(sentence, number, figure.alias),
            4 => push_mention(sentence, number, family),
            _ => push_mention(sentence, number, &format!("{given} {family}")),
        }
    }
}

fn push_mention(sentence: &mut Sentence, number: usize, name: &str) {
    let start = sentence.text.len();
    sentence.text.push_str(name);
    sentence.mentions.push((number, start..sentence.text.len()));
}

/// With a space behind it.
fn article(language: Language, feminine: bool, case: Case) -> &'static str {
    match (language, feminine, case) {
        (Language::English, _, _) => "the ",
        (Language::German, _, _) => "die ",
        (Language::French, _, _) => "la ",
        (Language::Greek, true, Case::Subject) => "η ",
        (Language::Greek, true, Case::Object) => "την ",
        (Language::Greek, false, Case::Subject) => "ο ",
        (Language::Greek, false, Case::Object) => "τον ",
    }
}
