//! Tables in which people judge pages, one for each person: read, filled in, written. They are the tables that votes are read
//! from.

use std::fmt::Write as _;

use super::votes::records;

/// What people can say of a page, as it is written, and what it means.
pub const GRADES: [(&str, &str); 5] = [
    ("HighlyRelevant", "the topic is what the page is mainly about"),
    ("Relevant", "some part of the page is about the topic"),
    ("NotRelevant", "the page is about something else"),
    ("Junk", "spam, or text that was made by a machine"),
    ("Unknown", "it cannot be said: the page cannot be read, for instance"),
];

const HEADING: [&str; 7] =
    ["campaign", "url", "timestamp", "contentRelevance", "timeRelevance", "vote", "comment"];

/// A page that somebody judges, or will.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotated {
    /// The event or topic.
    pub event: String,
    pub url: String,
    /// When it was captured.
    pub timestamp: String,
    /// What the program thinks, in [0, 1].
    pub content: f32,
    pub time: f32,
    /// One of the grades; nothing yet where it is empty.
    pub vote: String,
    pub comment: String,
}

impl Annotated {
    /// Reads a table.
    pub fn read(text: &str) -> Result<Vec<Annotated>, String> {
        let mut lines = records(text).into_iter();
        let (_, heading) = lines.next().ok_or("it is empty")?;
        let places = HEADING.map(|name| heading.iter().position(|column| column == name));
        let mut pages = Vec::new();
        for (line, fields) in lines {
            let [event, url, timestamp, content, time, vote, comment] =
                places.map(|place| place.and_then(|place| fields.get(place)).map_or("", String::as_str));
            let number = |text: &str| {
                let read = text.trim().parse::<f32>().ok().filter(|number| number.is_finite());
                read.ok_or_else(|| format!("line {line}: {text:?} is no number"))
            };
            let owned = |text: &str| text.trim().to_owned();
            pages.push(Annotated {
                event: owned(event),
                url: owned(url),
                timestamp: owned(timestamp),
                content: number(content)?,
                time: number(time)?,
                vote: owned(vote),
                comment: owned(comment),
            });
        }
        Ok(pages)
    }

    /// Writes one.
    pub fn write(pages: &[Annotated]) -> String {
        let mut text = HEADING.join(",");
        text.push('\n');
        for page in pages {
            let _ = writeln!(
                text,
                "{},{},{},{:.6},{:.6},{},{}",
                quoted(&page.event),
                quoted(&page.url),
                quoted(&page.timestamp),
                page.content,
                page.time,
                page.vote,
                quoted(&page.comment)
            );
        }
        text
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// How far two people agree on the pages that both have judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Between {
    pub one: String,
    pub other: String,
    pub pages: usize,
    /// The share of them that both call relevant, or both not.
    pub same: f64,
    /// The same beyond what chance would bring (Cohen's kappa); none where both say the same of all pages.
    pub kappa: Option<f64>,
}

/// For all pairs of people who have judged the same pages.
pub fn between(people: &[(String, Vec<Annotated>)]) -> Vec<Between> {
    let mut pairs = Vec::new();
    for (number, (one, first)) in people.iter().enumerate() {
        for (other, second) in people.iter().skip(number + 1) {
            let both: Vec<(bool, bool)> = first
                .iter()
                .filter_map(|page| {
                    let twin = second.iter().find(|twin| twin.url == page.url && twin.event == page.event)?;
                    Some((relevant(page)?, relevant(twin)?))
                })
                .collect();
            if !both.is_empty() {
                let (same, kappa) = agreed(&both);
                pairs.push(Between {
                    one: one.clone(),
                    other: other.clone(),
                    pages: both.len(),
                    same,
                    kappa,
                });
            }
        }
    }
    pairs
}

fn relevant(page: &Annotated) -> Option<bool> {
    let is_relevant = matches!(page.vote.as_str(), "HighlyRelevant" | "Relevant");
    (!page.vote.is_empty()).then_some(is_relevant)
}

fn agreed(both: &[(bool, bool)]) -> (f64, Option<f64>) {
    let share = |holds: &dyn Fn(&(bool, bool)) -> bool| {
        both.iter().filter(|pair| holds(pair)).count() as f64 / both.len().max(1) as f64
    };
    let same = share(&|(one, other)| one == other);
    let (one, other) = (share(&|pair| pair.0), share(&|pair| pair.1));
    let by_chance = one * other + (1.0 - one) * (1.0 - other);
    (same, (by_chance < 1.0).then(|| (same - by_chance) / (1.0 - by_chance)))
}

#[cfg(test)]
mod tests {
    use super::{Annotated, between};
    use crate::Votes;

    fn page(url: &str, vote: &str) -> Annotated {
        let comment = "two\nlines, \"quoted\"".to_owned();
        let (event, timestamp) = ("e".to_owned(), "2026-01-02T03:04:05".to_owned());
        Annotated {
            event,
            url: url.to_owned(),
            timestamp,
            content: 0.25,
            time: 1.0,
            vote: vote.to_owned(),
            comment,
        }
    }

    #[test]
    fn a_table_is_read_as_it_was_written_and_votes_are_read_from_it() {
        let pages = [page("http://a.test/?a=1,2", "Relevant"), page("http://b.test/", "")];
        let text = Annotated::write(&pages);
        assert_eq!(Annotated::read(&text).unwrap(), pages);
        let mut votes = Votes::default();
        votes.add(&text).unwrap();
        assert_eq!((votes.rows.len(), votes.open), (1, 1));
        assert!(Annotated::read("").is_err() && Annotated::read("url\nx\n").is_err());
    }

    #[test]
    fn agreement_between_people_is_counted_beyond_chance() {
        let votes = |votes: [&str; 4]| -> Vec<Annotated> {
            votes
                .iter()
                .enumerate()
                .map(|(number, vote)| page(&format!("http://a.test/{number}"), vote))
                .collect()
        };
        let people = [
            ("ann".to_owned(), votes(["HighlyRelevant", "Relevant", "Junk", "NotRelevant"])),
            ("bob".to_owned(), votes(["Relevant", "NotRelevant", "Unknown", "NotRelevant"])),
            ("cat".to_owned(), votes(["Relevant", "", "", ""])),
        ];
        let found = between(&people);
        let told: Vec<_> = found
            .iter()
            .map(|pair| (pair.one.as_str(), pair.other.as_str(), pair.pages, pair.same))
            .collect();
        assert_eq!(told, [("ann", "bob", 4, 0.75), ("ann", "cat", 1, 1.0), ("bob", "cat", 1, 1.0)]);
        assert_eq!((found[0].kappa, found[1].kappa), (Some(0.5), None));
    }
}
