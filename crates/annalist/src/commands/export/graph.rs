//! Who links to whom: as GraphML, with what is known of the pages, or as a table of links. Each address is one node; of an
//! address that was captured several times, the newest capture stands for it. Memory holds a number for each address.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

use super::reading::Seen;
use super::survey::{Chosen, Entry, Kind, Survey, url_hash};
use super::table::{day, row};

const GRAPHML_HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="url" for="node" attr.name="url" attr.type="string"/>
<key id="title" for="node" attr.name="title" attr.type="string"/>
<key id="score" for="node" attr.name="score" attr.type="double"/>
<key id="date" for="node" attr.name="date" attr.type="string"/>
<key id="captured" for="node" attr.name="captured" attr.type="string"/>
<key id="anchor" for="edge" attr.name="anchor" attr.type="string"/>
<key id="kind" for="edge" attr.name="kind" attr.type="string"/>
<graph edgedefault="directed">
"#;
const GRAPHML_END: &str = "</graph>\n</graphml>\n";
const COLUMNS: [&str; 4] = ["source", "target", "anchor", "kind"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    GraphMl,
    Table,
}

impl Form {
    /// By the ending of the name.
    pub fn of(path: &Path) -> Form {
        let is_table = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv"));
        if is_table { Form::Table } else { Form::GraphMl }
    }
}

pub struct Graph<W> {
    out: W,
    form: Form,
    /// The capture that stands for each address: its time and offset.
    stands: HashMap<u64, (bool, u64, u64)>,
    /// Nodes of addresses that were not captured.
    bare: HashSet<u64>,
    pub edges: u64,
}

impl<W: Write> Graph<W> {
    pub fn new(mut out: W, form: Form, survey: &Survey) -> io::Result<Graph<W>> {
        let mut stands = HashMap::new();
        for entry in survey.entries.iter().filter(|entry| entry.chosen == Chosen::Meant) {
            let standing = standing(entry);
            let best = stands.entry(entry.url).or_insert(standing);
            *best = standing.max(*best);
        }
        match form {
            Form::GraphMl => out.write_all(GRAPHML_HEAD.as_bytes())?,
            Form::Table => out.write_all(row(&COLUMNS).as_bytes())?,
        }
        Ok(Graph { out, form, stands, bare: HashSet::new(), edges: 0 })
    }

    pub fn nodes(&self) -> u64 {
        (self.stands.len() + self.bare.len()) as u64
    }

    pub fn add(&mut self, entry: &Entry, seen: &Seen) -> io::Result<()> {
        if self.stands.get(&entry.url) != Some(&standing(entry)) {
            return Ok(());
        }
        if self.form == Form::GraphMl {
            self.node(entry, seen)?;
        }
        let mut told = HashSet::new();
        for (url, kind, anchor) in seen.links() {
            let target = url_hash(url);
            // A page that says the same link twice links once.
            if !told.insert((target, kind, anchor)) {
                continue;
            }
            if !self.stands.contains_key(&target) && self.bare.insert(target) && self.form == Form::GraphMl {
                writeln!(
                    self.out,
                    "<node id=\"n{target:016x}\"><data key=\"url\">{}</data></node>",
                    xml(url)
                )?;
            }
            self.edges += 1;
            match self.form {
                Form::Table => self.out.write_all(row(&[seen.url.as_str(), url, anchor, kind]).as_bytes())?,
                Form::GraphMl => writeln!(
                    self.out,
                    "<edge source=\"n{:016x}\" target=\"n{target:016x}\"><data key=\"anchor\">{}</data><data \
                     key=\"kind\">{kind}</data></edge>",
                    entry.url,
                    xml(anchor)
                )?,
            }
        }
        Ok(())
    }

    fn node(&mut self, entry: &Entry, seen: &Seen) -> io::Result<()> {
        write!(self.out, "<node id=\"n{:016x}\"><data key=\"url\">{}</data>", entry.url, xml(&seen.url))?;
        if let Some(title) = seen.page.as_ref().and_then(|page| page.title.as_deref()) {
            write!(self.out, "<data key=\"title\">{}</data>", xml(title))?;
        }
        if entry.score >= 0.0 {
            write!(self.out, "<data key=\"score\">{:.4}</data>", entry.score)?;
        }
        if entry.published > 0 {
            write!(self.out, "<data key=\"date\">{}</data>", day(entry.published))?;
        }
        writeln!(self.out, "<data key=\"captured\">{}</data></node>", xml(&seen.date))
    }

    pub fn finish(mut self) -> io::Result<W> {
        if self.form == Form::GraphMl {
            self.out.write_all(GRAPHML_END.as_bytes())?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A capture with a body before a revisit, then the newest.
fn standing(entry: &Entry) -> (bool, u64, u64) {
    (entry.kind == Kind::Capture, entry.at, entry.offset)
}

/// Text that XML 1.0 can hold.
fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() && c < '\u{80}' => {}
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::xml;

    #[test]
    fn any_text_can_stand_in_a_graph() {
        assert_eq!(xml("a<b> & \"c\"\u{0}\u{1b}\n\u{ffff}é"), "a&lt;b&gt; &amp; &quot;c&quot; é");
    }
}
