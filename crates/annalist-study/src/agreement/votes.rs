//! Pages of events as people judged them, with what a program thought of their content and their time: tables of one event
//! each, beside a table of the events.

use std::collections::{BTreeMap, BTreeSet};

use annalist_model::Score;

/// A page that somebody judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub event: String,
    /// In [0, 1].
    pub content: f32,
    pub time: f32,
    pub relevant: bool,
}

/// All pages that were judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Votes {
    pub rows: Vec<Judged>,
    /// Rows that nobody gave a vote.
    pub open: usize,
}

const COLUMNS: [&str; 4] = ["campaign", "contentRelevance", "timeRelevance", "vote"];
const VOTES: [(&str, bool); 5] = [
    ("HighlyRelevant", true),
    ("Relevant", true),
    ("NotRelevant", false),
    ("Junk", false),
    // The page could not be seen: nothing that belongs into a collection.
    ("Unknown", false),
];

impl Votes {
    /// Takes in a table with a heading: commas between columns, any order.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let mut lines = records(text).into_iter();
        let (_, heading) = lines.next().ok_or("it is empty")?;
        let place = |name: &str| heading.iter().position(|column| column == name);
        let [Some(event), Some(content), Some(time), Some(vote)] = COLUMNS.map(place) else {
            return Err(format!("line 1: the columns {} are needed", COLUMNS.join(", ")));
        };
        for (line, fields) in lines {
            let field = |place: usize| fields.get(place).map_or("", |field| field.trim());
            let number = |place: usize| {
                let read = field(place).parse::<f32>().ok().filter(|number| number.is_finite());
                let told = || format!("line {line}: {:?} is no number", field(place));
                read.map(|number| Score::new(number).get()).ok_or_else(told)
            };
            if field(vote).is_empty() {
                self.open += 1;
                continue;
            }
            let Some((_, relevant)) = VOTES.iter().find(|(name, _)| *name == field(vote)) else {
                let known: Vec<&str> = VOTES.iter().map(|(name, _)| *name).collect();
                let known = known.join(", ");
                return Err(format!("line {line}: {:?} is no vote; those are {known}", field(vote)));
            };
            self.rows.push(Judged {
                event: field(event).to_owned(),
                content: number(content)?,
                time: number(time)?,
                relevant: *relevant,
            });
        }
        Ok(())
    }

    /// The events, each once.
    pub fn events(&self) -> BTreeSet<&str> {
        self.rows.iter().map(|row| row.event.as_str()).collect()
    }
}

/// Of a table of events, with tabs between columns, the codes of those that come again: another event has the same
/// description but for the year.
pub fn recurring(text: &str) -> Result<BTreeSet<String>, String> {
    let mut lines = text.lines();
    let heading: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let place = |name: &str| heading.iter().position(|column| *column == name);
    let (Some(code), Some(description)) = (place("Code"), place("Description")) else {
        return Err("line 1: the columns Code and Description are needed".to_owned());
    };
    let mut kinds: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        if let (Some(code), Some(description)) = (fields.get(code), fields.get(description)) {
            kinds.entry(without_years(description)).or_default().insert(code);
        }
    }
    Ok(kinds.into_values().filter(|codes| codes.len() > 1).flatten().map(str::to_owned).collect())
}

fn without_years(text: &str) -> String {
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && !is_year(word));
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Lines of a table with the number of the line each begins on; what is quoted may have commas and line ends in it.
pub(super) fn records(text: &str) -> Vec<(usize, Vec<String>)> {
    let (mut records, mut fields, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut begins, mut quoted) = (1, 1, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        line += usize::from(letter == '\n');
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                fields.push(std::mem::take(&mut field));
                records.push((begins, std::mem::take(&mut fields)));
                begins = line;
            }
            other => field.push(other),
        }
    }
    if !field.is_empty() || !fields.is_empty() {
        fields.push(field);
        records.push((begins, fields));
    }
    records.retain(|(_, fields)| fields.iter().any(|field| !field.is_empty()));
    records
}

#[cfg(test)]
mod tests {
    use super::{Votes, recurring};

    const HEADING: &str = "campaign,url,timestamp,contentRelevance,timeRelevance,vote,comment\n";

    fn votes(rows: &str) -> Result<Votes, String> {
        let mut votes = Votes::default();
        votes.add(&format!("{HEADING}{rows}")).map(|()| votes)
    }

    #[test]
    fn a_vote_is_read_whatever_was_commented() {
        let read = votes(
            "\"wahl\",\"http://a.test/?a=1,2\",2008-01-09T12:47:10,0.25,4.5,HighlyRelevant,\"two\nlines, \"\"quoted\"\"\"\r\n\
             \"wahl\",\"http://b.test/\",2008-01-09T12:47:10,0.5,0.000000,Unknown,\n\
             wahl,http://c.test/,2008-01-09T12:47:10,0.5,0,,\n",
        );
        let read = read.unwrap();
        let told: Vec<_> = read.rows.iter().map(|row| (row.content, row.time, row.relevant)).collect();
        assert_eq!(told, [(0.25, 1.0, true), (0.5, 0.0, false)], "a relevance is never more than 1");
        assert_eq!((read.open, read.events().into_iter().collect::<Vec<_>>()), (1, vec!["wahl"]));
    }

    #[test]
    fn what_is_wrong_with_a_table_of_votes_is_told_with_its_line() {
        let fault = |rows: &str| votes(rows).unwrap_err();
        assert_eq!(fault("e,u,t,0.1,much,Relevant,\n"), "line 2: \"much\" is no number");
        assert!(
            fault("e,u,t,0.1,0.1,Relevant,\"a\nb\"\ne,u,t,0,0,Maybe,\n")
                .starts_with("line 4: \"Maybe\" is no vote")
        );
        assert!(Votes::default().add("a,b\n").unwrap_err().contains("the columns campaign,"));
        assert_eq!(Votes::default().add("").unwrap_err(), "it is empty");
    }

    #[test]
    fn events_recur_that_differ_in_nothing_but_the_year() {
        let table = "Code\tFrom\tDescription\nw02\t2002\tBundestagswahl 2002\npope05\t2005\tWahl von Papst Benedikt\n\
            w05\t2005\tBundestagswahl 2005\npope13\t2013\tPapstwechsel\nflood\t2013\tHochwasser 2013\n";
        assert_eq!(recurring(table).unwrap().into_iter().collect::<Vec<_>>(), ["w02", "w05"]);
        assert!(recurring("Code,Description\n").is_err());
    }
}
