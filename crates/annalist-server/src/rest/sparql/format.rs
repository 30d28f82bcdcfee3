//! Which format an answer is wanted in: by the parameter `format`, else by `Accept`.

use annalist_knowledge::graph::{Format, Kind};
use axum::http::{HeaderMap, StatusCode, header};

use crate::problem::Problem;

/// What an answer can be written as: short name, names that may be asked for, the first of which it is sent with.
const FORMATS: [(Format, &str, &[&str]); 6] = [
    (Format::Json, "json", &["application/sparql-results+json", "application/json"]),
    (Format::Xml, "xml", &["application/sparql-results+xml", "application/xml", "text/xml"]),
    (Format::Csv, "csv", &["text/csv"]),
    (Format::Tsv, "tsv", &["text/tab-separated-values"]),
    (Format::Turtle, "ttl", &["text/turtle"]),
    (Format::NTriples, "nt", &["application/n-triples", "text/plain"]),
];

fn fits(format: Format, kind: Kind) -> bool {
    matches!(format, Format::Turtle | Format::NTriples) == (kind == Kind::Statements)
}

/// What who asks can read.
#[derive(Clone, Debug)]
pub enum Wish {
    This(Format),
    /// Media types, the dearest first.
    Any(Vec<String>),
}

impl Wish {
    pub fn read(named: Option<&str>, headers: &HeaderMap) -> Result<Wish, Problem> {
        if let Some(named) = named {
            let known = FORMATS.iter().find(|(_, name, _)| *name == named);
            let wrong = || Problem::field("format", "json, xml, csv or tsv; ttl or nt for statements");
            return known.map(|(format, ..)| Wish::This(*format)).ok_or_else(wrong);
        }
        let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let mut wished: Vec<(f32, String)> =
            accepted.flat_map(|value| value.split(',')).map(weighed).collect();
        wished.retain(|(weight, name)| *weight > 0.0 && !name.is_empty());
        // Those that weigh the same stay in their order.
        wished.sort_by(|one, other| other.0.total_cmp(&one.0));
        Ok(Wish::Any(wished.into_iter().map(|(_, name)| name).collect()))
    }

    /// The format for an answer of this kind, and its media type.
    pub fn choose(&self, kind: Kind) -> Result<(Format, &'static str), Problem> {
        let fitting = || FORMATS.iter().filter(|(format, ..)| fits(*format, kind));
        let chosen = match self {
            Wish::This(wanted) => fitting().find(|(format, ..)| format == wanted),
            Wish::Any(names) if names.is_empty() => fitting().next(),
            Wish::Any(names) => names
                .iter()
                .find_map(|name| fitting().find(|(_, _, own)| own.iter().any(|own| is_meant(name, own)))),
        };
        match chosen.and_then(|(format, _, names)| Some((*format, *names.first()?))) {
            Some(chosen) => Ok(chosen),
            None => {
                let names: Vec<&str> = fitting().filter_map(|(_, _, names)| names.first().copied()).collect();
                let why = format!("this answer can be had as {}", names.join(", "));
                Err(Problem::new(StatusCode::NOT_ACCEPTABLE, why))
            }
        }
    }
}

/// A media type with its weight.
fn weighed(part: &str) -> (f32, String) {
    let mut pieces = part.split(';').map(str::trim);
    let name = pieces.next().unwrap_or_default().to_ascii_lowercase();
    let weight = pieces.find_map(|piece| piece.strip_prefix("q=")).and_then(|weight| weight.parse().ok());
    (weight.unwrap_or(1.0), name)
}

fn is_meant(wished: &str, own: &str) -> bool {
    match wished.strip_suffix("/*") {
        Some("*") => true,
        Some(family) => own.split('/').next() == Some(family),
        None => wished == own,
    }
}

#[cfg(test)]
mod tests {
    use annalist_knowledge::graph::{Format, Kind};
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::Wish;

    fn chosen(accept: &str, kind: Kind) -> Option<Format> {
        let mut headers = HeaderMap::new();
        if !accept.is_empty() {
            headers.insert(header::ACCEPT, HeaderValue::from_str(accept).unwrap());
        }
        Wish::read(None, &headers).unwrap().choose(kind).ok().map(|(format, _)| format)
    }

    #[test]
    fn the_dearest_format_that_fits_the_answer_is_chosen() {
        assert_eq!(chosen("", Kind::Rows), Some(Format::Json));
        assert_eq!(chosen("", Kind::Statements), Some(Format::Turtle));
        assert_eq!(chosen("text/html, */*;q=0.1", Kind::Truth), Some(Format::Json));
        assert_eq!(chosen("text/csv;q=0.5, application/xml;q=0.8", Kind::Rows), Some(Format::Xml));
        assert_eq!(chosen("text/*", Kind::Statements), Some(Format::Turtle));
        assert_eq!(chosen("TEXT/PLAIN", Kind::Statements), Some(Format::NTriples));
        assert_eq!(chosen("text/turtle", Kind::Rows), None);
        assert_eq!(chosen("text/csv;q=0, image/png", Kind::Rows), None);
        let csv = Wish::read(Some("csv"), &HeaderMap::new()).unwrap();
        assert_eq!(csv.choose(Kind::Rows).unwrap(), (Format::Csv, "text/csv"));
        assert!(csv.choose(Kind::Statements).is_err());
        assert!(Wish::read(Some("doc"), &HeaderMap::new()).is_err());
    }
}
