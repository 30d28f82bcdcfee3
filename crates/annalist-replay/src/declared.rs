//! The type that a server declares, read as browsers read it: they may be given several, and take the last that is one.

/// A media type with what is needed of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    /// `text/html`: lower case, nothing but the characters of a type.
    pub(crate) media: String,
    charset: Option<String>,
}

impl Declared {
    /// Of all values of `Content-Type`; `None` where there is no type among them.
    pub(crate) fn of<'v>(values: impl Iterator<Item = &'v str>) -> Option<Declared> {
        let mut last: Option<Declared> = None;
        for part in values.flat_map(parts) {
            let mut parameters = part.split(';');
            // Even where the semicolon before its parameters is missing.
            let media = parameters.next().unwrap_or_default().split_ascii_whitespace().next();
            let media = media.unwrap_or_default().to_ascii_lowercase();
            if media == "*/*" || !is_type(&media) {
                continue;
            }
            let mut charset = parameters.find_map(charset_of);
            // Who says the same type again, without one, has not taken it back.
            if charset.is_none() {
                charset = last.filter(|last| last.media == media).and_then(|last| last.charset);
            }
            last = Some(Declared { media, charset });
        }
        last
    }

    /// As it is sent. Of PDF nothing but its type: what is shown without a sandbox must be nothing else.
    pub(crate) fn header(&self) -> String {
        match &self.charset {
            Some(charset) if self.media != crate::wall::PDF => format!("{}; charset={charset}", self.media),
            _ => self.media.clone(),
        }
    }

    /// Whether browsers follow links in it, or may be led elsewhere by it.
    pub(crate) fn is_markup(&self) -> bool {
        self.media == "text/html" || is_xml(&self.media) || self.media.starts_with("multipart/")
    }
}

pub(crate) fn is_xml(media: &str) -> bool {
    media.ends_with("+xml") || matches!(media, "text/xml" | "application/xml" | "text/xsl")
}

/// What commas outside of quotes part.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    value.split(move |c| {
        let is_plain = !std::mem::take(&mut is_escaped);
        match c {
            '"' if is_plain => is_quoted = !is_quoted,
            '\\' if is_plain && is_quoted => is_escaped = true,
            _ => {}
        }
        c == ',' && !is_quoted
    })
}

fn is_type(media: &str) -> bool {
    media.split_once('/').is_some_and(|(kind, name)| is_token(kind) && is_token(name))
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn charset_of(parameter: &str) -> Option<String> {
    let (name, value) = parameter.split_once('=')?;
    let value = value.trim().trim_matches(['"', '\'']);
    (name.trim().eq_ignore_ascii_case("charset") && is_token(value)).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::Declared;

    fn header(values: &[&str]) -> Option<String> {
        Declared::of(values.iter().copied()).map(|declared| declared.header())
    }

    #[test]
    fn of_several_types_the_last_counts() {
        assert_eq!(header(&["application/pdf;, text/html"]).as_deref(), Some("text/html"));
        assert_eq!(header(&["text/plain", "text/html"]).as_deref(), Some("text/html"));
        assert_eq!(header(&["text/html, */*, nonsense, "]).as_deref(), Some("text/html"));
        assert_eq!(header(&["text/plain; x=\"a, text/html\""]).as_deref(), Some("text/plain"));
        assert_eq!(header(&["text/plain; x=\"a\\\", text/html\""]).as_deref(), Some("text/plain"));
        assert_eq!(header(&["text/html charset=utf-8"]).as_deref(), Some("text/html"));
        assert_eq!(header(&["nonsense"]), None);
        assert_eq!(header(&[]), None);
    }

    #[test]
    fn a_charset_stays_with_its_type() {
        assert_eq!(
            header(&["Text/HTML; Charset='koi8-r'; x=y"]).as_deref(),
            Some("text/html; charset=koi8-r")
        );
        assert_eq!(
            header(&["text/html; charset=big5, text/html"]).as_deref(),
            Some("text/html; charset=big5")
        );
        assert_eq!(header(&["text/plain; charset=big5, text/html"]).as_deref(), Some("text/html"));
        assert_eq!(header(&["text/html; charset=\"a b\""]).as_deref(), Some("text/html"));
        assert_eq!(header(&["application/pdf; charset=utf-8"]).as_deref(), Some("application/pdf"));
    }
}
