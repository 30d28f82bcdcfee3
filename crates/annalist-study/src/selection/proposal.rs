//! What is proposed for every page, and why: a person's decision, else a rule, else what was learned from decisions, else the
//! relevance that the crawl gave.

use annalist_model::spec::Event;

use super::alike::originals;
use super::candidate::Candidate;
use super::decisions::{Choice, Decisions};
use super::features::{Days, Feature, Spread, features};
use super::learner::{Example, Lesson, RELEVANCE, Reason, probability};
use super::rules::Rules;

/// Between these, a person should look.
const DOUBT: (f64, f64) = (0.4, 0.6);
/// Reasons that are told, for and against together.
const MOST_REASONS: usize = 4;
/// What adds less is no reason.
const SLIGHT: f64 = 0.05;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    Keep,
    Drop,
    Review,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Keep => "keep",
            Verdict::Drop => "drop",
            Verdict::Review => "review",
        }
    }
}

impl From<Choice> for Verdict {
    fn from(choice: Choice) -> Verdict {
        match choice {
            Choice::Keep => Verdict::Keep,
            Choice::Drop => Verdict::Drop,
        }
    }
}

/// Who says so, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Basis {
    Decision,
    Rule,
    Learned,
    Relevance,
}

impl Basis {
    pub const ALL: [Basis; 4] = [Basis::Decision, Basis::Rule, Basis::Learned, Basis::Relevance];

    pub fn word(self) -> &'static str {
        match self {
            Basis::Decision => "decision",
            Basis::Rule => "rule",
            Basis::Learned => "learned",
            Basis::Relevance => "relevance",
        }
    }
}

/// What is proposed for a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    pub verdict: Verdict,
    pub basis: Basis,
    /// That a person would keep it.
    pub probability: f64,
    /// In words.
    pub why: String,
}

/// What is proposed for all of them.
#[derive(Debug)]
pub struct Proposals {
    /// One for each candidate, in their order.
    pub list: Vec<Proposal>,
    /// For each candidate the first one that it is nearly the same as.
    pub originals: Vec<Option<usize>>,
    /// Where enough was decided.
    pub lesson: Option<Lesson>,
    /// Decisions about pages that are no candidates.
    pub elsewhere: usize,
}

pub fn propose(
    candidates: &[Candidate],
    rules: &Rules,
    decisions: &Decisions,
    event: Option<&Event>,
) -> Proposals {
    let originals = originals(candidates);
    let event = event.map(|event| Days { from: event.from.to_string(), until: event.until.to_string() });
    let is_duplicate = |place: usize| originals.get(place).is_some_and(Option::is_some);
    let decided: Vec<(usize, &Candidate, Choice)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(place, page)| Some((place, page, decisions.of(&page.url)?)))
        .collect();
    let spread = Spread::of(decided.iter().map(|(_, page, _)| *page), candidates);
    let examples: Vec<Example<'_>> = decided
        .iter()
        .map(|(place, page, choice)| Example {
            features: features(page, is_duplicate(*place), event.as_ref(), &spread),
            is_kept: *choice == Choice::Keep,
        })
        .collect();
    let lesson = Lesson::learn(&examples);
    let propose = |(place, page): (usize, &Candidate)| {
        let settled = |choice: Choice, basis: Basis, why: String| Proposal {
            verdict: choice.into(),
            basis,
            probability: if choice == Choice::Keep { 1.0 } else { 0.0 },
            why,
        };
        if let Some(decision) = decisions.by_url.get(&page.url) {
            let by = decision.by.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
            let day: String = decision.when.chars().take(10).collect();
            return settled(decision.decision, Basis::Decision, format!("decided{by} on {day}"));
        }
        if let Some((choice, text)) = rules.of(page, is_duplicate(place)) {
            return settled(choice, Basis::Rule, text.to_owned());
        }
        match &lesson {
            Some(lesson) => {
                let features = features(page, is_duplicate(place), event.as_ref(), &spread);
                let parts: Vec<(&Feature<'_>, f64)> = lesson.parts(&features).collect();
                let sum = parts.iter().map(|(_, part)| part).sum();
                let reasons =
                    parts.iter().map(|(feature, part)| Reason { text: feature.told(page), part: *part });
                doubted(probability(sum), Basis::Learned, told(reasons.collect()))
            }
            None => {
                let sum =
                    page.relevance.map_or(0.0, |relevance| RELEVANCE * (2.0 * f64::from(relevance) - 1.0));
                let why = match page.relevance {
                    Some(relevance) => format!("relevance {relevance:.2}"),
                    None => "its relevance is not known".to_owned(),
                };
                doubted(probability(sum), Basis::Relevance, why)
            }
        }
    };
    let list = candidates.iter().enumerate().map(propose).collect();
    let elsewhere = decisions.by_url.len() - decided.len();
    Proposals { list, originals, lesson, elsewhere }
}

fn doubted(probability: f64, basis: Basis, why: String) -> Proposal {
    let verdict = match probability {
        p if p >= DOUBT.1 => Verdict::Keep,
        p if p <= DOUBT.0 => Verdict::Drop,
        _ => Verdict::Review,
    };
    Proposal { verdict, basis, probability, why }
}

/// The strongest reasons, those for it before those against it.
fn told(mut reasons: Vec<Reason>) -> String {
    reasons.retain(|reason| reason.part.abs() >= SLIGHT);
    reasons.sort_by(|one, other| other.part.abs().total_cmp(&one.part.abs()));
    reasons.truncate(MOST_REASONS);
    let side = |name: &str, is_for: bool| {
        let texts: Vec<&str> = reasons
            .iter()
            .filter(|reason| (reason.part > 0.0) == is_for)
            .map(|reason| reason.text.as_str())
            .collect();
        (!texts.is_empty()).then(|| format!("{name}: {}", texts.join(", ")))
    };
    let sides: Vec<String> = [side("for", true), side("against", false)].into_iter().flatten().collect();
    if sides.is_empty() { "nothing speaks for it or against it".to_owned() } else { sides.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::{Basis, Verdict, propose};
    use crate::selection::{Candidate, Choice, Decision, Decisions, Rules};

    fn page(number: usize, relevance: Option<f32>) -> Candidate {
        let is_about = number.is_multiple_of(2);
        Candidate {
            url: format!("http://a{}.test/{number}", number % 5),
            site: format!("a{}.test", number % 5),
            terms: if is_about { "strike union home" } else { "bread wine home" }.to_owned(),
            relevance,
            ..Candidate::default()
        }
    }

    fn decisions(pages: &[Candidate]) -> Decisions {
        let mut decisions = Decisions::default();
        for (number, page) in pages.iter().enumerate() {
            let decision = if number.is_multiple_of(2) { Choice::Keep } else { Choice::Drop };
            let when = "2026-01-02T03:04:05.000Z".to_owned();
            let decision =
                Decision { url: page.url.clone(), record: None, decision, when, by: None, note: None };
            decisions.by_url.insert(page.url.clone(), decision);
        }
        decisions
    }

    #[test]
    fn without_decisions_the_relevance_counts_and_what_is_in_doubt_is_reviewed() {
        let pages: Vec<Candidate> =
            [Some(0.9), Some(0.5), Some(0.1), None].into_iter().map(|relevance| page(0, relevance)).collect();
        let proposals = propose(&pages, &Rules::default(), &Decisions::default(), None);
        let verdicts: Vec<Verdict> = proposals.list.iter().map(|proposal| proposal.verdict).collect();
        assert_eq!(verdicts, [Verdict::Keep, Verdict::Review, Verdict::Drop, Verdict::Review]);
        assert!(proposals.lesson.is_none() && proposals.list[3].why.contains("not known"));
    }

    #[test]
    fn a_decision_counts_more_than_a_rule_and_a_rule_more_than_what_was_learned() {
        let pages: Vec<Candidate> = (0..40).map(|number| page(number, Some(0.5))).collect();
        let dir = tempfile::tempdir().unwrap();
        let mut rules = Rules::default();
        rules.add(&dir.path().join("rules"), &[(Choice::Drop, "site == \"a0.test\"".to_owned())]).unwrap();
        let proposals = propose(&pages, &rules, &decisions(&pages[..20]), None);
        let of = |number: usize| (proposals.list[number].basis, proposals.list[number].verdict);
        assert_eq!(of(0), (Basis::Decision, Verdict::Keep), "though a rule drops its site");
        assert_eq!(of(1), (Basis::Decision, Verdict::Drop));
        assert_eq!(of(20), (Basis::Rule, Verdict::Drop), "though it is like what was kept");
        assert_eq!((of(22), of(23)), ((Basis::Learned, Verdict::Keep), (Basis::Learned, Verdict::Drop)));
        let why = &proposals.list[22].why;
        assert!(why.starts_with("for: ") && why.contains("\"strike\"") && !why.contains("home"), "{why}");
    }

    #[test]
    fn what_was_decided_about_other_archives_is_counted_and_left_alone() {
        let pages: Vec<Candidate> = (0..20).map(|number| page(number, Some(0.5))).collect();
        let proposals = propose(&pages[..4], &Rules::default(), &decisions(&pages), None);
        assert_eq!((proposals.elsewhere, proposals.lesson.is_none()), (16, true));
    }
}
