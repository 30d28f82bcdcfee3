//! Which captures are meant: what was typed, checked, and asked of one capture after the other.

use std::collections::HashSet;

use annalist_crawl::scope::{Facts, Query, link_of};
use annalist_model::{CanonicalUrl, HopPath, Score};

use super::survey::url_hash;
use crate::cli::ExportArgs;
use crate::exit::BadConfiguration;

/// Everything that a capture has to satisfy.
#[derive(Debug, Default)]
pub struct Selection {
    score: Option<f32>,
    from: Option<u64>,
    until: Option<u64>,
    of_publication: bool,
    sites: Vec<String>,
    hosts: Vec<String>,
    prefixes: Vec<String>,
    mimes: Vec<String>,
    statuses: Vec<(u16, u16)>,
    query: Option<Query>,
    /// Hashes of the only addresses that are meant.
    pub selected: Option<HashSet<u64>>,
    pub limit: Option<u64>,
}

/// A capture, as far as it can be asked about.
#[derive(Clone, Debug)]
pub struct Subject {
    pub url: String,
    /// `None` for what is not of the web.
    pub canonical: Option<CanonicalUrl>,
    /// Fourteen digits.
    pub at: u64,
    pub status: Option<u16>,
    pub mime: String,
    pub known: Known,
}

/// What its metadata record says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    pub score: Option<f32>,
    pub language: Option<String>,
    pub hops: Option<HopPath>,
    pub via: Option<String>,
    /// Fourteen digits.
    pub published: Option<u64>,
}

impl Selection {
    pub fn new(args: &ExportArgs) -> Result<Selection, BadConfiguration> {
        let bad = BadConfiguration;
        if let Some(score) = args.score.filter(|score| !(0.0..=1.0).contains(score)) {
            return Err(bad(format!("--score {score}: expected a number from 0 to 1")));
        }
        let moment = |name: &str, text: &Option<String>, end: End| {
            let read = text.as_deref().map(|text| {
                digits(text, end).ok_or_else(|| {
                    bad(format!(
                        "{name} {text}: expected a date such as 2011, 2011-03-05 or 2011-03-05T10:30:00Z"
                    ))
                })
            });
            read.transpose()
        };
        let (from, until) =
            (moment("--from", &args.from, End::First)?, moment("--until", &args.until, End::Last)?);
        if let (Some(from), Some(until)) = (from, until)
            && from > until
        {
            return Err(bad("--from is later than --until".to_owned()));
        }
        let lower = |texts: &[String]| texts.iter().map(|text| text.to_ascii_lowercase()).collect();
        let query =
            args.query.as_deref().map(|text| Query::compile("--query", text)).transpose().map_err(bad)?;
        Ok(Selection {
            score: args.score,
            from,
            until,
            of_publication: args.published,
            sites: lower(&args.site),
            hosts: lower(&args.host),
            prefixes: args.url_prefix.clone(),
            mimes: lower(&args.mime),
            statuses: args.status.iter().map(|text| statuses(text)).collect::<Result<_, _>>()?,
            query,
            selected: None,
            limit: args.limit,
        })
    }

    /// Whether nothing was asked for in particular, so that every record is meant.
    pub fn is_everything(&self) -> bool {
        let Selection {
            score,
            from,
            until,
            of_publication,
            sites,
            hosts,
            prefixes,
            mimes,
            statuses,
            query,
            selected,
            limit,
        } = self;
        let lists = [sites, hosts, prefixes, mimes];
        lists.iter().all(|list| list.is_empty())
            && !of_publication
            && (score.is_none() && from.is_none() && until.is_none())
            && (statuses.is_empty() && query.is_none() && selected.is_none() && limit.is_none())
    }

    /// Whether the answer may depend on a capture's metadata record.
    pub fn needs_metadata(&self) -> bool {
        self.score.is_some() || self.query.is_some() || self.of_publication
    }

    pub fn holds(&self, subject: &Subject) -> bool {
        let at = if self.of_publication { subject.known.published } else { Some(subject.at) };
        let early = self.from.is_none_or(|from| at.is_some_and(|at| at >= from));
        let late = self.until.is_none_or(|until| at.is_some_and(|at| at <= until));
        let good = self.score.is_none_or(|least| subject.known.score.is_some_and(|score| score >= least));
        let has_day = !self.of_publication || at.is_some();
        has_day
            && early
            && late
            && good
            && self.selected.as_ref().is_none_or(|pages| pages.contains(&url_hash(&subject.url)))
            && self.has_place(subject)
            && self.has_kind(subject)
            && self.is_asked_for(subject)
    }

    fn has_place(&self, subject: &Subject) -> bool {
        let url = subject.canonical.as_ref();
        let named = |names: &[String], name: fn(&CanonicalUrl) -> &str| {
            names.is_empty() || url.is_some_and(|url| names.iter().any(|wanted| wanted == name(url)))
        };
        let begins = |prefix: &String| {
            subject.url.starts_with(prefix.as_str())
                || url.is_some_and(|url| url.as_str().starts_with(prefix.as_str()))
        };
        named(&self.sites, CanonicalUrl::site)
            && named(&self.hosts, CanonicalUrl::host_name)
            && (self.prefixes.is_empty() || self.prefixes.iter().any(begins))
    }

    fn has_kind(&self, subject: &Subject) -> bool {
        let is_mime = |wanted: &String| match wanted.strip_suffix('*') {
            Some(start) => subject.mime.starts_with(start),
            None => subject.mime == *wanted,
        };
        let is_status =
            |status: u16| self.statuses.iter().any(|(least, most)| (least..=most).contains(&&status));
        (self.mimes.is_empty() || self.mimes.iter().any(is_mime))
            && (self.statuses.is_empty() || subject.status.is_some_and(is_status))
    }

    fn is_asked_for(&self, subject: &Subject) -> bool {
        let Some(query) = &self.query else { return true };
        let Some(url) = &subject.canonical else { return false };
        let Known { score, language, hops, via, .. } = &subject.known;
        let link = link_of(url, hops.clone().unwrap_or_default(), via.as_deref());
        let facts = Facts {
            via_url: via.as_deref(),
            mime: Some(&subject.mime),
            language: language.as_deref(),
            score: score.map(Score::new),
            ..Facts::default()
        };
        query.holds(&link, &facts)
    }
}

impl Known {
    /// Reads the block of a metadata record. Fields that others write are left alone.
    pub fn read(block: &str) -> Known {
        let mut known = Known::default();
        let mut value_of_link = None;
        for (name, value) in block.lines().filter_map(|line| line.split_once(": ")) {
            match name {
                "relevance" => known.score = value.parse().ok(),
                "score" => value_of_link = value.parse().ok(),
                "language" => known.language = Some(value.to_owned()),
                "hopsFromSeed" => known.hops = Some(HopPath::parse(value)),
                "via" => known.via = Some(value.to_owned()),
                "published" => known.published = digits(value, End::First),
                _ => {}
            }
        }
        // What was not judged is worth what its link was.
        known.score = known.score.or(value_of_link);
        known
    }

    /// Whether it was fetched because a page shows it.
    pub fn is_embed(&self) -> bool {
        self.hops.as_ref().is_some_and(|hops| hops.embeds_in_a_row() > 0)
    }

    /// Whether it was named by no page, or is where such a one led.
    pub fn is_seed(&self) -> bool {
        self.hops.as_ref().is_some_and(|hops| hops.as_str().chars().all(|hop| hop == 'R'))
    }
}

/// Which end of a time is meant that is told in part: 2011 begins on its first of January.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    First,
    Last,
}

/// A date in whatever precision as the fourteen digits of archives.
pub fn digits(text: &str, end: End) -> Option<u64> {
    let text = text.trim();
    let (day, clock) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    // Parts of a second do not count, nor does the zone: a page has the day that it says.
    let clock = clock.split(['.', '+', '-', 'Z']).next().unwrap_or_default();
    let whole = format!("{day}{clock}");
    if !whole.chars().all(|c| c.is_ascii_digit() || "-:".contains(c)) {
        return None;
    }
    let mut digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    if !(4..=14).contains(&digits.len()) || !digits.len().is_multiple_of(2) {
        return None;
    }
    let filling = match end {
        End::First => "00000101000000",
        End::Last => "99991231235959",
    };
    digits.push_str(filling.get(digits.len()..)?);
    let part = |from: usize| digits.get(from..from + 2).and_then(|part| part.parse::<u8>().ok());
    let within = |from, least, most| part(from).is_some_and(|part| (least..=most).contains(&part));
    let is_moment =
        within(4, 1, 12) && within(6, 1, 31) && within(8, 0, 23) && within(10, 0, 59) && within(12, 0, 60);
    digits.parse().ok().filter(|_| is_moment)
}

/// `200`, `2xx` or `200-299`.
fn statuses(text: &str) -> Result<(u16, u16), BadConfiguration> {
    let number = |text: &str| text.parse::<u16>().ok();
    let read = match text.split_once('-') {
        Some((least, most)) => number(least).zip(number(most)),
        None if text.len() == 3 && text.ends_with("xx") => {
            number(&text[..1]).map(|class| (class * 100, class * 100 + 99))
        }
        None => number(text).map(|status| (status, status)),
    };
    read.ok_or_else(|| BadConfiguration(format!("--status {text}: expected a number, 2xx or 200-299")))
}

#[cfg(test)]
mod tests {
    use annalist_model::CanonicalUrl;

    use super::{End, Known, Selection, Subject, digits};
    use crate::cli::ExportArgs;

    fn subject() -> Subject {
        let url = "http://www.a.test/dir/page?x=1";
        Subject {
            url: url.to_owned(),
            canonical: CanonicalUrl::parse(url).ok(),
            at: 20_110_305_120_000,
            status: Some(200),
            mime: "text/html".to_owned(),
            known: Known::read(
                "via: http://a.test/\r\nhopsFromSeed: LL\r\nscore: 0.9\r\nrelevance: 0.4\r\nlanguage: el\r\n",
            ),
        }
    }

    fn holds(change: impl FnOnce(&mut ExportArgs)) -> bool {
        let mut args = ExportArgs::default();
        change(&mut args);
        Selection::new(&args).unwrap().holds(&subject())
    }

    #[test]
    fn a_capture_is_meant_when_all_conditions_hold() {
        let one = |text: &str| vec![text.to_owned()];
        assert!(holds(|_| {}));
        assert!(holds(|args| args.score = Some(0.4)) && !holds(|args| args.score = Some(0.5)));
        assert!(holds(|args| args.site = one("a.test")) && !holds(|args| args.site = one("b.test")));
        assert!(holds(|args| args.host = one("WWW.a.test")) && !holds(|args| args.host = one("a.test")));
        assert!(holds(|args| args.url_prefix = one("http://www.a.test/dir/")));
        assert!(!holds(|args| args.url_prefix = one("http://www.a.test/other/")));
        assert!(holds(|args| args.mime = one("text/*")) && !holds(|args| args.mime = one("image/*")));
        assert!(holds(|args| args.status = one("2xx")) && !holds(|args| args.status = one("300-399")));
        assert!(
            holds(|args| args.query = Some("depth == 2 && language == \"el\" && score < 0.5".to_owned()))
        );
        assert!(!holds(|args| args.query = Some("path.contains(\"print\")".to_owned())));
        assert!(!holds(|args| {
            args.host = one("www.a.test");
            args.status = one("404");
        }));
    }

    #[test]
    fn a_day_is_meant_from_its_first_second_to_its_last() {
        assert!(holds(|args| args.from = Some("2011-03-05".to_owned())));
        assert!(holds(|args| args.until = Some("2011-03-05".to_owned())));
        assert!(!holds(|args| args.from = Some("20110306".to_owned())));
        assert!(!holds(|args| args.until = Some("2010".to_owned())));
        // Nobody knows when it was published.
        assert!(!holds(|args| args.published = true));
        assert!(!holds(|args| {
            args.published = true;
            args.from = Some("2011".to_owned());
        }));
        assert_eq!(digits("2011-03-05T10:30:00.123Z", End::First), Some(20_110_305_103_000));
        assert_eq!(digits("2011-03-05T10:30:00-05:00", End::First), Some(20_110_305_103_000));
        assert_eq!(digits("2011", End::Last), Some(20_111_231_235_959));
        for nonsense in
            ["", "x", "201", "2011-13", "2011-00", "2011-03-05T25", "123456789012345", "2011-03-05x"]
        {
            assert_eq!(digits(nonsense, End::First), None, "{nonsense}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_a_mistake() {
        for change in [
            (|args: &mut ExportArgs| args.score = Some(2.0)) as fn(&mut ExportArgs),
            |args| args.from = Some("yesterday".to_owned()),
            |args| args.status = vec!["ok".to_owned()],
            |args| args.query = Some("host".to_owned()),
            |args| (args.from, args.until) = (Some("2012".to_owned()), Some("2011".to_owned())),
        ] {
            let mut args = ExportArgs::default();
            change(&mut args);
            assert!(Selection::new(&args).is_err(), "{args:?}");
        }
    }
}
