//! A question to search as it stands in an address: for programs, and in the links of our own pages.

use annalist_knowledge::search::{FacetField, Narrowing, NarrowingError, Question, SearchError, Sort};

use crate::problem::{FieldError, Problem};

/// Results on one page at most.
const MOST: usize = 100;
/// Results on a page of the cockpit.
pub const SHOWN: usize = 20;
const LABELS: usize = 10;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Of several crawls.
    pub crawls: Vec<String>,
    pub narrowing: Narrowing,
    pub sort: Sort,
    pub page: usize,
    pub limit: Option<usize>,
    pub facets: bool,
    pub over_time: bool,
    /// Near duplicates stand for themselves.
    pub all: bool,
}

impl Asked {
    /// What a page of search asks before anything is typed.
    pub fn everything() -> Asked {
        Asked { page: 1, ..Asked::default() }.of_page()
    }

    /// With all that a page of search shows.
    pub fn of_page(self) -> Asked {
        Asked { facets: true, over_time: true, limit: Some(SHOWN), ..self }
    }

    /// What cannot be read is told by its name.
    pub fn read(query: &str) -> Result<Asked, Problem> {
        let mut asked = Asked { page: 1, ..Asked::default() };
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let value = value.into_owned();
            let given = || Some(value.clone()).filter(|value| !value.is_empty());
            match &*name {
                "q" => asked.narrowing.words = value,
                "crawl" => asked.crawls.push(value),
                "from" => asked.narrowing.from = given(),
                "until" => asked.narrowing.until = given(),
                "captured" => asked.narrowing.captured = yes(&name, &value)?,
                "facets" => asked.facets = yes(&name, &value)?,
                "over_time" => asked.over_time = yes(&name, &value)?,
                "all" => asked.all = yes(&name, &value)?,
                "page" => asked.page = number(&name, &value, 1, 10_000)?,
                "limit" => asked.limit = Some(number(&name, &value, 0, MOST)?),
                "sort" => {
                    asked.sort = match value.as_str() {
                        "" | "relevance" => Sort::Relevance,
                        "newest" => Sort::Newest,
                        "oldest" => Sort::Oldest,
                        _ => return Err(Problem::field("sort", "relevance, newest or oldest")),
                    }
                }
                name => match FacetField::named(name) {
                    // A field of a form that was left empty.
                    Some(_) if value.is_empty() => {}
                    Some(field) => asked.narrowing.fields.push((field, value)),
                    None => return Err(Problem::field(name, "there is no such parameter")),
                },
            }
        }
        Ok(asked)
    }

    /// The same as it stands in an address.
    pub fn query(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let Narrowing { words, fields, from, until, captured } = &self.narrowing;
        if !words.is_empty() {
            query.append_pair("q", words);
        }
        for (field, value) in fields {
            query.append_pair(field.name(), value);
        }
        for (name, value) in [("from", from), ("until", until)] {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        for (name, is_set) in [("captured", *captured), ("all", self.all)] {
            if is_set {
                query.append_pair(name, "true");
            }
        }
        if self.sort != Sort::Relevance {
            query.append_pair("sort", if self.sort == Sort::Newest { "newest" } else { "oldest" });
        }
        if self.page > 1 {
            query.append_pair("page", &self.page.to_string());
        }
        query.finish()
    }

    pub fn question(&self) -> Result<Question, Problem> {
        let defaults = Question::default();
        Ok(Question {
            wanted: self.narrowing.wanted().map_err(|fault| self.wrong(fault))?,
            sort: self.sort,
            limit: self.limit.unwrap_or(defaults.limit),
            page: self.page.max(1),
            facets: if self.facets { FacetField::ALL.to_vec() } else { Vec::new() },
            labels: LABELS,
            over_time: self.over_time,
            fold: !self.all,
        })
    }

    fn wrong(&self, fault: NarrowingError) -> Problem {
        match fault {
            NarrowingError::Words(fault) => {
                let from: String = self.narrowing.words.chars().skip(fault.at).take(20).collect();
                let place = if from.is_empty() { "at its end".to_owned() } else { format!("at {from:?}") };
                Problem::field("q", format!("{fault} ({place})"))
            }
            NarrowingError::NoWord(_) => Problem::field("q", fault.to_string()),
            NarrowingError::Time(why) => {
                let Narrowing { from, until, .. } = &self.narrowing;
                let is_wrong = |from: &Option<String>, until: &Option<String>| {
                    let alone =
                        Narrowing { from: from.clone(), until: until.clone(), ..Narrowing::default() };
                    alone.wanted().is_err()
                };
                let mut wrong = vec![("from", is_wrong(from, &None)), ("until", is_wrong(&None, until))];
                // Each by itself is a time: they do not go together.
                let apart = wrong.iter().all(|(_, is_wrong)| !is_wrong);
                wrong.retain(|(_, is_wrong)| *is_wrong || apart);
                let errors = wrong.iter().map(|(field, _)| FieldError {
                    field: (*field).to_owned(),
                    line: None,
                    detail: why.clone(),
                });
                let named = wrong.first().map_or("from", |(field, _)| field);
                Problem { errors: errors.collect(), ..Problem::field(named, why.clone()) }
            }
        }
    }
}

impl From<SearchError> for Problem {
    fn from(fault: SearchError) -> Problem {
        match fault {
            SearchError::Query(fault) => Problem::field("q", fault.to_string()),
            SearchError::TooDeep { .. } => Problem::field("page", fault.to_string()),
            other => Problem::internal("the search failed", &other),
        }
    }
}

fn yes(name: &str, value: &str) -> Result<bool, Problem> {
    match value {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "" => Ok(false),
        _ => Err(Problem::field(name, "true or false")),
    }
}

fn number(name: &str, value: &str, least: usize, most: usize) -> Result<usize, Problem> {
    let wrong = || Problem::field(name, format!("give a number from {least} to {most}"));
    value.parse().ok().filter(|number| (least..=most).contains(number)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::Asked;

    #[test]
    fn a_question_in_an_address_is_the_same_again_when_it_is_written_into_one() {
        let query = "q=debt+%22a+b%22&site=a.test&site=b.test&entity=J%C3%A4ne&from=2010&captured=true&all=true&sort=newest&page=3";
        let asked = Asked::read(query).unwrap();
        assert_eq!(asked.query(), query);
        assert!(asked.question().is_ok());
    }

    #[test]
    fn what_is_wrong_is_told_with_the_name_of_the_parameter() {
        for (query, field) in [
            ("colour=red", "colour"),
            ("limit=1000", "limit"),
            ("page=0", "page"),
            ("sort=best", "sort"),
            ("facets=perhaps", "facets"),
        ] {
            assert_eq!(Asked::read(query).unwrap_err().errors[0].field, field, "{query}");
        }
        for (query, field) in [("q=%28debt", "q"), ("q=---", "q"), ("from=soon", "from")] {
            let asked = Asked::read(query).unwrap();
            assert_eq!(asked.question().unwrap_err().errors[0].field, field, "{query}");
        }
        for (query, fields) in [
            ("from=soon", vec!["from"]),
            ("from=2011&until=late", vec!["until"]),
            ("from=soon&until=late", vec!["from", "until"]),
        ] {
            let wrong = Asked::read(query).unwrap().question().unwrap_err();
            let named: Vec<_> = wrong.errors.iter().map(|error| error.field.as_str()).collect();
            assert_eq!(named, fields, "{query}");
        }
    }
}
