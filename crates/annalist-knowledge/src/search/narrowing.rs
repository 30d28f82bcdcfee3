//! A question as options and forms have it: words, and beside them fields of their own.

use super::gather::FacetField;
use super::query::{How, Label, QueryError, Wanted, When, Within, parse, parse_span, spelled};

/// What a document must be. Of several values of one field any will do; everything else must be true at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    pub words: String,
    pub fields: Vec<(FacetField, String)>,
    /// 2011, 2011-03 or 2011-03-05
    pub from: Option<String>,
    pub until: Option<String>,
    /// The time is that of capture, not of publication.
    pub captured: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NarrowingError {
    #[error("{0}")]
    Words(QueryError),
    #[error("there is no word to look for in {0:?}")]
    NoWord(String),
    #[error("{0}")]
    Time(String),
}

impl Narrowing {
    pub fn wanted(&self) -> Result<Wanted, NarrowingError> {
        let mut wanted = parse(&self.words).map_err(NarrowingError::Words)?;
        if matches!(wanted, Wanted::Everything) && !self.words.trim().is_empty() {
            return Err(NarrowingError::NoWord(self.words.clone()));
        }
        for field in FacetField::ALL {
            let values = self.fields.iter().filter(|(of, _)| *of == field);
            let mut any: Vec<_> = values.map(|(_, value)| one(field, value)).collect();
            wanted = match any.len() {
                0 => wanted,
                1 => any.pop().map_or(Wanted::Everything, |one| wanted.and(one)),
                _ => wanted.and(Wanted::Any(any)),
            };
        }
        if self.from.is_some() || self.until.is_some() {
            let part = |part: &Option<String>| part.clone().unwrap_or_default();
            let span = format!("{}..{}", part(&self.from), part(&self.until));
            let (from, until) = parse_span(&span).map_err(NarrowingError::Time)?;
            let when = if self.captured { When::Captured } else { When::Published };
            wanted = wanted.and(Wanted::Between(when, from, until));
        }
        Ok(wanted)
    }
}

fn one(field: FacetField, value: &str) -> Wanted {
    let label = |label| Wanted::Label(label, spelled(label, value.trim()));
    let words = |within, how| {
        let text = field.label_in(value).to_owned();
        let how = if text.len() < value.len() { How::Whole } else { how };
        Wanted::Words { within, text, how }
    };
    match field {
        FacetField::Site => label(Label::Site),
        FacetField::Host => label(Label::Host),
        FacetField::Language => label(Label::Language),
        FacetField::Type => label(Label::Type),
        FacetField::Application => label(Label::Application),
        FacetField::Mime => label(Label::Mime),
        FacetField::Author => words(Within::Author, How::AnyForm),
        // What a study calls them, word for word.
        FacetField::Topic => words(Within::Topic, How::AsWritten),
        FacetField::Entity => words(Within::Entity, How::AsWritten),
        FacetField::Event => words(Within::Event, How::AsWritten),
    }
}

#[cfg(test)]
mod tests {
    use super::{FacetField, Narrowing, NarrowingError};
    use crate::search::parse;

    #[test]
    fn fields_ask_for_what_the_same_words_of_a_question_ask_for() {
        let field = |field, value: &str| (field, value.to_owned());
        let narrowing = Narrowing {
            words: "crisis".to_owned(),
            fields: vec![
                field(FacetField::Site, "A.test"),
                field(FacetField::Site, "b.test"),
                field(FacetField::Entity, "Jane Doe"),
            ],
            from: Some("2010".to_owned()),
            until: None,
            captured: true,
        };
        let typed = "crisis (site:a.test OR site:b.test) entity:\"Jane Doe\" captured:2010..";
        assert_eq!(narrowing.wanted(), Ok(parse(typed).unwrap()));
        let field = field(FacetField::Entity, &FacetField::Entity.exactly("Jane Doe"));
        let exact = Narrowing { fields: vec![field], ..Narrowing::default() };
        assert_eq!(exact.wanted(), Ok(parse("entity:\"=Jane Doe\"").unwrap()));
        let wrong = Narrowing { words: "...".to_owned(), ..Narrowing::default() };
        assert_eq!(wrong.wanted(), Err(NarrowingError::NoWord("...".to_owned())));
        let wrong = Narrowing { until: Some("soon".to_owned()), ..Narrowing::default() };
        assert!(matches!(wrong.wanted(), Err(NarrowingError::Time(_))));
    }
}
