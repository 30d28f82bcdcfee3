//! What a path asks for, in the shape of pywb's: links that people have keep working.

use annalist_warc::millis_of_digits;

/// How a capture is to be shown. Named by the two letters that stand behind the timestamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A page, rewritten.
    #[default]
    Page,
    /// As it was sent.
    Identity,
    Script,
    Style,
    Image,
    Frame,
    Object,
}

impl Kind {
    pub(crate) fn letters(self) -> &'static str {
        match self {
            Kind::Page => "mp_",
            Kind::Identity => "id_",
            Kind::Script => "js_",
            Kind::Style => "cs_",
            Kind::Image => "im_",
            Kind::Frame => "if_",
            Kind::Object => "oe_",
        }
    }

    fn named(letters: &str) -> Option<Kind> {
        use Kind::{Frame, Identity, Image, Object, Page, Script, Style};
        let known = [Page, Identity, Script, Style, Image, Frame, Object].into_iter();
        let known = known.map(|kind| (kind.letters(), kind));
        // What other tools have beside these: shown as what is nearest.
        let others = [("tf_", Page), ("fw_", Page), ("wkr_", Script), ("sw_", Script), ("vi_", Object)];
        known.chain(others).find(|(name, _)| *name == letters).map(|(_, kind)| kind)
    }

    /// What a page loads by itself is served at once: a redirect for each picture makes pages slow.
    pub(crate) fn is_embedded(self) -> bool {
        !matches!(self, Kind::Page | Kind::Identity)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target<'a> {
    /// The capture nearest to a time; the newest without one.
    Capture {
        timestamp: Option<&'a str>,
        kind: Kind,
        url: String,
    },
    /// Which capture it is, is settled by `Accept-Datetime`.
    TimeGate {
        url: String,
    },
    TimeMap {
        url: String,
    },
    Cdx {
        query: &'a str,
    },
    Captures {
        query: &'a str,
    },
    Nothing,
}

impl<'a> Target<'a> {
    pub(crate) fn parse(target: &'a str) -> Target<'a> {
        let target = target.strip_prefix('/').unwrap_or(target);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        match path {
            "" => return Target::Nothing,
            "cdx" | "cdx/" => return Target::Cdx { query },
            "captures" | "captures/" => return Target::Captures { query },
            _ => {}
        }
        if let Some(url) = target.strip_prefix("timemap/link/") {
            return Target::TimeMap { url: asked_url(url) };
        }
        let (first, rest) = target.split_once('/').unwrap_or((target, ""));
        let digits = first.bytes().take_while(u8::is_ascii_digit).count();
        let (timestamp, letters) = first.split_at(digits);
        let kind = if letters.is_empty() { Some(Kind::Page) } else { Kind::named(letters) };
        match kind.filter(|_| !rest.is_empty() && !first.is_empty() && digits <= 17) {
            Some(kind) => {
                let timestamp = Some(timestamp).filter(|timestamp| !timestamp.is_empty());
                Target::Capture { timestamp, kind, url: asked_url(rest) }
            }
            None => Target::TimeGate { url: asked_url(target) },
        }
    }
}

/// The moment that digits name: of a year, a month or a day that is its end, as in pywb.
pub(crate) fn moment(digits: &str) -> Option<u64> {
    let end = "99991231235959".get(digits.len()..).unwrap_or_default();
    millis_of_digits(&format!("{digits}{end}"))
}

/// Some servers and clients make one slash of two, and people leave the scheme out.
pub(crate) fn asked_url(text: &str) -> String {
    let scheme = text.find(':').filter(|end| {
        text[..*end].bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            // `host:8080/path` has no scheme.
            && !text[end + 1..].starts_with(|c: char| c.is_ascii_digit())
    });
    let Some(end) = scheme else { return format!("http://{}", text.trim_start_matches('/')) };
    let (scheme, rest) = text.split_at(end + 1);
    let is_web = scheme.eq_ignore_ascii_case("http:") || scheme.eq_ignore_ascii_case("https:");
    if is_web { format!("{scheme}//{}", rest.trim_start_matches('/')) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use annalist_warc::digits14;

    use super::{Kind, Target, moment};

    #[test]
    fn a_time_that_stops_early_is_the_end_of_what_it_names() {
        for (digits, end) in [
            ("2012", "20121231235959"),
            ("201202", "20120229235959"),
            ("20120203", "20120203235959"),
            ("20120203040506", "20120203040506"),
            ("20120203040506789", "20120203040506"),
        ] {
            assert_eq!(moment(digits).map(digits14).as_deref(), Some(end), "{digits}");
        }
        assert_eq!(moment("x"), None);
    }

    fn capture(timestamp: Option<&'static str>, kind: Kind, url: &str) -> Target<'static> {
        Target::Capture { timestamp, kind, url: url.to_owned() }
    }

    #[test]
    fn paths_are_read_as_pywb_reads_them() {
        for (path, expected) in [
            (
                "20200102030405mp_/http://a.test/?x=1",
                capture(Some("20200102030405"), Kind::Page, "http://a.test/?x=1"),
            ),
            (
                "/20200102030405id_/http://a.test/",
                capture(Some("20200102030405"), Kind::Identity, "http://a.test/"),
            ),
            ("2020/http:/a.test/b", capture(Some("2020"), Kind::Page, "http://a.test/b")),
            ("2020cs_/https://a.test", capture(Some("2020"), Kind::Style, "https://a.test")),
            ("im_/a.test/x.png", capture(None, Kind::Image, "http://a.test/x.png")),
            ("2020/a.test:8080/b", capture(Some("2020"), Kind::Page, "http://a.test:8080/b")),
            ("2020/urn:text:x", capture(Some("2020"), Kind::Page, "urn:text:x")),
            ("http://a.test/2020/", Target::TimeGate { url: "http://a.test/2020/".to_owned() }),
            ("a.test/x", Target::TimeGate { url: "http://a.test/x".to_owned() }),
            ("2020xx_/http://a.test/", Target::TimeGate { url: "http://2020xx_/http://a.test/".to_owned() }),
            ("timemap/link/http://a.test/?b", Target::TimeMap { url: "http://a.test/?b".to_owned() }),
            ("cdx?url=a.test", Target::Cdx { query: "url=a.test" }),
            ("captures?url=a.test", Target::Captures { query: "url=a.test" }),
            ("", Target::Nothing),
            ("/", Target::Nothing),
        ] {
            assert_eq!(Target::parse(path), expected, "{path}");
        }
    }
}
