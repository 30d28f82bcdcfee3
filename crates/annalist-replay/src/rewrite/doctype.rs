//! What a document type says in XML, as far as replay lets it: entities that stand for plain text. Others could hold elements, and
//! declarations could give elements attributes, both of which nobody sees who reads the markup.

use std::borrow::Cow;

use super::entities::decoded;

/// A longer one is no document type.
const MOST_BYTES: usize = 64 << 10;

/// The names that stand for a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Entities(Vec<(String, String)>);

impl Entities {
    /// A value as browsers read it. What is not known stays as it is written.
    pub(super) fn decoded<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains('&') {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut pieces = text.split('&');
        out.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            match piece.split_once(';') {
                Some((name, rest)) => {
                    out.push_str(&self.one(name));
                    out.push_str(rest);
                }
                None => {
                    out.push('&');
                    out.push_str(piece);
                }
            }
        }
        Cow::Owned(out)
    }

    fn one(&self, name: &str) -> String {
        let own = self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let whole = format!("&{name};");
        own.unwrap_or_else(|| decoded(&whole).into_owned())
    }
}

/// A document type that was read.
#[derive(Debug)]
pub(super) struct Doctype<'t> {
    /// All before the declarations: `<!DOCTYPE html PUBLIC "…" "…"`.
    head: &'t str,
    pub(super) entities: Entities,
}

impl<'t> Doctype<'t> {
    /// Where it ends.
    pub(super) fn end(bytes: &[u8]) -> Option<usize> {
        let text = bytes.get(..bytes.len().min(MOST_BYTES))?;
        Scan { text, at: 0 }.whole().map(|(end, _)| end)
    }

    pub(super) fn read(text: &'t str) -> Option<Doctype<'t>> {
        let (end, inside) = Scan { text: text.as_bytes(), at: 0 }.whole()?;
        let head = text.get(..inside.map_or(end - 1, |(from, _)| from - 1))?.trim_end();
        let declared = inside.and_then(|(from, to)| text.get(from..to)).unwrap_or_default();
        Some(Doctype { head, entities: Entities(entities(declared)) })
    }

    pub(super) fn written(&self) -> String {
        let kept = &self.entities.0;
        if kept.is_empty() {
            return format!("{}>", self.head);
        }
        let declared = kept.iter().map(|(name, value)| {
            let quote = if value.contains('"') { '\'' } else { '"' };
            format!("<!ENTITY {name} {quote}{value}{quote}>")
        });
        format!("{} [{}]>", self.head, declared.collect::<String>())
    }
}

/// The declarations of plain text.
fn entities(declared: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut scan = Scan { text: declared.as_bytes(), at: 0 };
    while let Some((from, to)) = scan.declaration() {
        let Some(said) = declared.get(from..to).and_then(|whole| whole.strip_prefix("<!ENTITY")) else {
            continue;
        };
        let said = said.trim_end_matches('>').trim();
        let Some((name, value)) = said.split_once(|c: char| c.is_ascii_whitespace()) else { continue };
        let value = value.trim();
        let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
        // Of two with one name the first counts, whatever it says: one that does not stay is missed, and not replaced.
        let is_new = found.iter().all(|(known, _)| known != name);
        if let Some(value) = quoted.filter(|_| is_new && name != "%") {
            found.push((name.to_owned(), value.to_owned()));
        }
    }
    let is_plain =
        |value: &str| !(value.contains(['<', '&', '%', '>']) || value.contains('"') && value.contains('\''));
    found.retain(|(name, value)| {
        is_plain(value) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
    });
    found
}

/// A place in a document type.
struct Scan<'b> {
    text: &'b [u8],
    at: usize,
}

impl Scan<'_> {
    fn sees(&self, word: &[u8]) -> bool {
        self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word))
    }

    /// Behind the next of these.
    fn pass(&mut self, word: &[u8]) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.windows(word.len()).position(|window| window == word)? + word.len();
        Some(())
    }

    /// Where it ends, and from where to where its declarations stand.
    fn whole(mut self) -> Option<(usize, Option<(usize, usize)>)> {
        let mut inside = None;
        loop {
            match *self.text.get(self.at)? {
                quote @ (b'"' | b'\'') => {
                    self.at += 1;
                    self.pass(&[quote])?;
                }
                b'[' if inside.is_none() => {
                    self.at += 1;
                    let from = self.at;
                    while self.declaration().is_some() {}
                    self.pass_white();
                    if !self.sees(b"]") {
                        return None;
                    }
                    inside = Some((from, self.at));
                    self.at += 1;
                }
                b'>' => return Some((self.at + 1, inside)),
                _ => self.at += 1,
            }
        }
    }

    fn pass_white(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// From where to where the next declaration stands, whatever it declares; nothing where there is none that is whole.
    fn declaration(&mut self) -> Option<(usize, usize)> {
        self.pass_white();
        let from = self.at;
        if self.pass_declaration().is_none() {
            // One that is cut is not passed by half: what stands in it would count as outside.
            self.at = from;
            return None;
        }
        Some((from, self.at))
    }

    fn pass_declaration(&mut self) -> Option<()> {
        if self.sees(b"<!--") {
            self.at += 4;
            self.pass(b"-->")?;
        } else if self.sees(b"<?") {
            self.pass(b"?>")?;
        } else if self.sees(b"%") {
            self.pass(b";")?;
        } else if self.sees(b"<!") {
            loop {
                match *self.text.get(self.at)? {
                    quote @ (b'"' | b'\'') => {
                        self.at += 1;
                        self.pass(&[quote])?;
                    }
                    b'>' => break,
                    _ => self.at += 1,
                }
            }
            self.at += 1;
        } else {
            return None;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::Doctype;

    fn read(text: &str) -> (String, String) {
        let more = format!("{text}<rest>");
        assert_eq!(Doctype::end(more.as_bytes()), Some(text.len()), "{text}");
        let read = Doctype::read(text).unwrap();
        (read.written(), read.entities.decoded("&a;&b;&lt;&#65;&x").into_owned())
    }

    #[test]
    fn plain_text_stays_and_nothing_that_could_hold_markup() {
        for (text, written, value) in [
            ("<!DOCTYPE html>", "<!DOCTYPE html>", "&a;&b;<A&x"),
            ("<!DOCTYPE html PUBLIC \"-//[>\" 'x>'>", "<!DOCTYPE html PUBLIC \"-//[>\" 'x>'>", "&a;&b;<A&x"),
            (
                "<!DOCTYPE svg [ <!ENTITY a \"fill:#fff;\">\n<!ENTITY b 'y\"z'> ]>",
                "<!DOCTYPE svg [<!ENTITY a \"fill:#fff;\"><!ENTITY b 'y\"z'>]>",
                "fill:#fff;y\"z<A&x",
            ),
            ("<!DOCTYPE svg [<!ENTITY a \"<a href='x'/>\">]>", "<!DOCTYPE svg>", "&a;&b;<A&x"),
            ("<!DOCTYPE svg [<!ENTITY a \"&#60;a/>\"><!ENTITY a \"x\">]>", "<!DOCTYPE svg>", "&a;&b;<A&x"),
            (
                "<!DOCTYPE svg [<!ENTITY % a \"x\"> %a; <!ENTITY b SYSTEM \"x\">]>",
                "<!DOCTYPE svg>",
                "&a;&b;<A&x",
            ),
            (
                "<!DOCTYPE svg [<!ATTLIST a href CDATA \"x\"><!-- ' ]> --><?x ]> ?>]>",
                "<!DOCTYPE svg>",
                "&a;&b;<A&x",
            ),
        ] {
            assert_eq!(read(text), (written.to_owned(), value.to_owned()), "{text}");
        }
        for cut in ["<!DOCTYPE svg [<!ENTITY a \"x\">", "<!DOCTYPE svg 'x>", "<!DOCTYPE svg [<!-- ]>"] {
            assert_eq!(Doctype::end(cut.as_bytes()), None, "{cut}");
        }
    }
}
