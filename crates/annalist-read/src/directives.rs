//! What pages and headers ask of robots, and the Link header. robots.txt is read elsewhere: it speaks of whole
//! sites before anything is fetched.

use annalist_model::LinkKind;
use annalist_model::ResponseHead;
use annalist_model::page::RobotsMeta;

use crate::links::Relation;

/// Adds the words of one `<meta name=robots>`.
pub(crate) fn add_robots(content: &str, robots: &mut RobotsMeta) {
    for word in content.split([',', ' ', ';']).map(str::trim) {
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        robots.noindex |= is("noindex") || is("none");
        robots.nofollow |= is("nofollow") || is("none");
        robots.noarchive |= is("noarchive") || is("nocache");
    }
}

/// What X-Robots-Tag asks of every robot; lines for a robot of another name are not for us.
pub(crate) fn header_robots(head: &ResponseHead) -> RobotsMeta {
    let mut robots = RobotsMeta::default();
    for value in head.all("x-robots-tag") {
        let first = value.split(',').next().unwrap_or("");
        match first.split_once(':') {
            Some((name, words)) if name.trim() == "*" => {
                add_robots(&value[value.len() - words.len()..], &mut robots);
            }
            Some((name, _)) if !is_rule_with_value(name) => {}
            _ => add_robots(value, &mut robots),
        }
    }
    robots
}

fn is_rule_with_value(name: &str) -> bool {
    ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"]
        .iter()
        .any(|rule| name.trim().eq_ignore_ascii_case(rule))
}

/// A link named in the response head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderLink<'h> {
    pub(crate) raw: &'h str,
    pub(crate) kind: LinkKind,
    pub(crate) is_canonical: bool,
}

/// The links of all Link headers (RFC 8288) that lead anywhere.
pub(crate) fn header_links(head: &ResponseHead) -> Vec<HeaderLink<'_>> {
    head.all("link").flat_map(split_links).filter_map(header_link).collect()
}

fn header_link(value: &str) -> Option<HeaderLink<'_>> {
    let (raw, parameters) = value.trim().strip_prefix('<')?.split_once('>')?;
    let mut relation = Relation { rel: "", destination: "" };
    for parameter in split_outside_quotes(parameters, b';') {
        let Some((name, value)) = parameter.split_once('=') else { continue };
        let value = value.trim().trim_matches('"');
        match name.trim().to_ascii_lowercase().as_str() {
            "rel" if relation.rel.is_empty() => relation.rel = value,
            "as" => relation.destination = value,
            _ => {}
        }
    }
    let kind = match relation.kind()? {
        LinkKind::Relation => LinkKind::LinkHeader,
        embed => embed,
    };
    Some(HeaderLink { raw, kind, is_canonical: relation.has("canonical") })
}

/// Links stand behind commas; addresses and quoted words may have commas of their own.
fn split_links(value: &str) -> Vec<&str> {
    split_outside_quotes(value, b',')
}

fn split_outside_quotes(value: &str, separator: u8) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut in_quotes, mut in_address) = (0, false, false);
    for (at, byte) in value.bytes().enumerate() {
        match byte {
            b'"' if !in_address => in_quotes = !in_quotes,
            b'<' if !in_quotes => in_address = true,
            b'>' if !in_quotes => in_address = false,
            _ if byte == separator && !in_quotes && !in_address => {
                parts.push(&value[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&value[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::{add_robots, header_links, header_robots};
    use annalist_model::page::RobotsMeta;
    use annalist_model::{LinkKind, ResponseHead};

    fn head(name: &str, values: &[&str]) -> ResponseHead {
        let fields = values.iter().map(|v| (name.to_owned(), v.as_bytes().to_vec())).collect();
        ResponseHead { status: 200, fields }
    }

    #[test]
    fn robots_words_are_understood_in_any_case() {
        let mut robots = RobotsMeta::default();
        add_robots("Index, NoFollow,noarchive", &mut robots);
        assert_eq!(robots, RobotsMeta { noindex: false, nofollow: true, noarchive: true });
        add_robots("none", &mut robots);
        assert!(robots.noindex);
    }

    #[test]
    fn a_header_for_another_robot_is_not_for_us() {
        let robots = header_robots(&head("X-Robots-Tag", &["googlebot: noindex", "*: nofollow"]));
        assert_eq!(robots, RobotsMeta { nofollow: true, ..RobotsMeta::default() });
        let robots = header_robots(&head("X-Robots-Tag", &["unavailable_after: 1 Jan 2030, noindex"]));
        assert!(robots.noindex);
    }

    #[test]
    fn links_in_the_header_are_split_and_sorted_by_relation() {
        let head = head(
            "Link",
            &[
                "</a,b>; rel=\"canonical\", </s.css>; rel=stylesheet; title=\"x, y; rel=next\"",
                "<http://b.test/>; rel=\"next\"",
                "</x>; rel=preconnect, </y>; title=none, broken",
            ],
        );
        let links: Vec<_> = header_links(&head).iter().map(|l| (l.raw, l.kind, l.is_canonical)).collect();
        assert_eq!(
            links,
            [
                ("/a,b", LinkKind::LinkHeader, true),
                ("/s.css", LinkKind::Style, false),
                ("http://b.test/", LinkKind::LinkHeader, false),
            ]
        );
    }
}
