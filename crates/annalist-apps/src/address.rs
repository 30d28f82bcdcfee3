//! Conditions on addresses, as `<url>`, `<follow>`, `<never>` and `<spare>` state them. Many are asked at once: each is looked up
//! by a piece of text that an address must have to fulfil it, and regular expressions are searched for together.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use regex::{Regex, RegexSet};
use url::Url;

/// What an address must be like. Nothing said: any.
#[derive(Clone, Debug, Default)]
pub struct Address {
    pub host: Option<String>,
    pub path: Option<String>,
    /// Parameters that the query must have, some with a value.
    pub has: Vec<(String, Option<String>)>,
    pub without: Vec<(String, Option<String>)>,
    pub matches: Option<Regex>,
}

impl Address {
    pub fn is_any(&self) -> bool {
        self.host.is_none()
            && self.path.is_none()
            && self.has.is_empty()
            && self.without.is_empty()
            && self.matches.is_none()
    }

    pub fn holds(&self, url: &Url) -> bool {
        self.holds_but_for_expression(url)
            && self.matches.as_ref().is_none_or(|regex| regex.is_match(url.as_str()))
    }

    fn holds_but_for_expression(&self, url: &Url) -> bool {
        let has = |(name, value): &(String, Option<String>)| {
            parameters(url.query().unwrap_or_default())
                .any(|(key, found)| key == name && value.as_ref().is_none_or(|value| found == value))
        };
        self.path.as_ref().is_none_or(|path| glob(path, url.path()))
            && self.host.as_ref().is_none_or(|host| is_host(host, url.host_str().unwrap_or_default()))
            && self.has.iter().all(has)
            && !self.without.iter().any(has)
    }

    /// The longest piece of text that every address has which fulfils it.
    fn needed(&self) -> Option<&str> {
        let of_path = self.path.iter().flat_map(|path| path.split(['*', '#', '?']));
        let of_host = self.host.iter().map(|host| host.trim_start_matches("*."));
        let of_query = self.has.iter().map(|(name, _)| name.as_str());
        // What may be written with escapes in an address is no piece to look for.
        let plain =
            |piece: &&str| piece.bytes().all(|b| b.is_ascii_graphic()) && !piece.contains(['%', '[', ']']);
        of_path
            .chain(of_host)
            .chain(of_query)
            .filter(plain)
            .max_by_key(|piece| piece.len())
            .filter(|p| p.len() > 1)
    }
}

/// The parameters of a query: separated by `&`, or by `;` as some software does.
pub fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> {
    let pairs = query.split(['&', ';']).filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// A query without some of its parameters; none if nothing is left.
pub fn without(query: &str, is_left_out: impl Fn(&str) -> bool) -> Option<String> {
    let mut kept = String::with_capacity(query.len());
    for piece in query.split_inclusive(['&', ';']) {
        let (pair, sign) = match piece.strip_suffix(['&', ';']) {
            Some(pair) => (pair, &piece[pair.len()..]),
            None => (piece, ""),
        };
        let name = pair.split('=').next().unwrap_or_default();
        if !pair.is_empty() && !is_left_out(name) {
            kept.push_str(pair);
            kept.push_str(sign);
        }
    }
    let kept = kept.trim_end_matches(['&', ';']);
    (!kept.is_empty()).then(|| kept.to_owned())
}

fn is_host(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(domain) => host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
        None => host == pattern,
    }
}

/// Whether a text fits a pattern: `*` any characters, `#` digits, `?` one character.
pub fn glob(pattern: &str, text: &str) -> bool {
    const SIGNS: [char; 3] = ['*', '#', '?'];
    // Most texts differ where the pattern says just what must be there.
    let first = pattern.find(SIGNS).unwrap_or(pattern.len());
    let Some(text) = text.strip_prefix(pattern.get(..first).unwrap_or_default()) else { return false };
    let pattern = pattern.get(first..).unwrap_or_default();
    let last = pattern.rfind(SIGNS).map_or(0, |last| last + 1);
    let Some(text) = text.strip_suffix(pattern.get(last..).unwrap_or_default()) else { return false };
    match pattern.get(..last).unwrap_or_default() {
        "" => text.is_empty(),
        "*" => true,
        pattern => fits(pattern.as_bytes(), text.as_bytes()),
    }
}

fn fits(pattern: &[u8], text: &[u8]) -> bool {
    // The places in the pattern that the text so far leads to.
    let mut places = vec![false; pattern.len() + 1];
    let mut next = places.clone();
    let close = |places: &mut [bool]| {
        for at in 0..pattern.len() {
            if places.get(at) == Some(&true) && pattern.get(at) == Some(&b'*') {
                mark(places, at + 1);
            }
        }
    };
    mark(&mut places, 0);
    close(&mut places);
    for byte in text {
        next.fill(false);
        for at in (0..pattern.len()).filter(|at| places.get(*at) == Some(&true)) {
            match pattern.get(at) {
                Some(b'*') => mark(&mut next, at),
                Some(b'#') if byte.is_ascii_digit() => {
                    mark(&mut next, at);
                    mark(&mut next, at + 1);
                }
                Some(b'?') => mark(&mut next, at + 1),
                Some(own) if own == byte && *own != b'#' => mark(&mut next, at + 1),
                _ => {}
            }
        }
        close(&mut next);
        std::mem::swap(&mut places, &mut next);
        if !places.contains(&true) {
            return false;
        }
    }
    places.last() == Some(&true)
}

fn mark(places: &mut [bool], at: usize) {
    if let Some(place) = places.get_mut(at) {
        *place = true;
    }
}

/// Many conditions, asked at once.
#[derive(Debug, Default)]
pub struct Addresses {
    all: Vec<Address>,
    finder: Option<AhoCorasick>,
    /// The condition behind each piece of text.
    of_piece: Vec<usize>,
    /// Those with a regular expression that no piece of text tells.
    expressions: Vec<usize>,
    /// Made when they are first needed: most of a catalogue never is.
    sets: OnceLock<Vec<Set>>,
    /// Those that nothing tells.
    unfound: Vec<usize>,
}

/// Regular expressions that are searched for together, and the conditions behind them.
#[derive(Debug)]
struct Set {
    finder: RegexSet,
    places: Vec<usize>,
}

/// So many together are searched for fast enough; more take much memory.
const AT_ONCE: usize = 40;

impl Addresses {
    pub fn new(all: Vec<Address>) -> Addresses {
        let mut pieces = Vec::new();
        let (mut of_piece, mut expressions, mut unfound) = (Vec::new(), Vec::new(), Vec::new());
        for (place, address) in all.iter().enumerate() {
            match (address.needed(), &address.matches) {
                (Some(piece), _) => {
                    pieces.push(piece);
                    of_piece.push(place);
                }
                (None, Some(_)) => expressions.push(place),
                (None, None) => unfound.push(place),
            }
        }
        let finder = AhoCorasickBuilder::new().match_kind(MatchKind::Standard).build(&pieces).ok();
        if finder.is_none() {
            unfound.append(&mut of_piece);
        }
        Addresses { all, finder, of_piece, expressions, sets: OnceLock::new(), unfound }
    }

    /// The places of those that hold, in their order.
    pub fn holding(&self, url: &Url) -> Vec<usize> {
        let mut holding = self.asked(url);
        holding.retain(|place| self.holds(*place, url));
        holding.extend(self.by_expression(url));
        holding.sort_unstable();
        holding
    }

    /// The place of the first that is wanted and holds. Those behind it are not asked, nor are expressions where all stand behind it.
    pub fn first(&self, url: &Url, is_wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let told = self.asked(url).into_iter().find(|place| is_wanted(*place) && self.holds(*place, url));
        let is_before = |place: usize| told.is_none_or(|told| place < told);
        if !self.expressions.first().is_some_and(|place| is_before(*place)) {
            return told;
        }
        self.by_expression(url).filter(|place| is_before(*place) && is_wanted(*place)).min().or(told)
    }

    fn holds(&self, place: usize, url: &Url) -> bool {
        self.all.get(place).is_some_and(|address| address.holds(url))
    }

    /// Those that may hold, in their order; expressions that nothing else tells are not among them.
    fn asked(&self, url: &Url) -> Vec<usize> {
        let mut asked = Vec::new();
        if let Some(finder) = &self.finder {
            let hits = finder.find_overlapping_iter(url.as_str());
            asked.extend(hits.filter_map(|hit| self.of_piece.get(hit.pattern().as_usize()).copied()));
        }
        asked.extend_from_slice(&self.unfound);
        asked.sort_unstable();
        asked.dedup();
        asked
    }

    /// Those that hold and are found by their expression alone.
    fn by_expression<'u>(&'u self, url: &'u Url) -> impl Iterator<Item = usize> + 'u {
        let rest = |place: &usize| self.all.get(*place).is_some_and(|one| one.holds_but_for_expression(url));
        self.sets.get_or_init(|| self.sets()).iter().flat_map(move |set| {
            let found = set.finder.matches(url.as_str());
            found.into_iter().filter_map(|number| set.places.get(number).copied()).filter(rest)
        })
    }

    fn sets(&self) -> Vec<Set> {
        let text = |place: &usize| self.all.get(*place)?.matches.as_ref().map(Regex::as_str);
        let mut sets = Vec::new();
        let mut waiting: Vec<&[usize]> = self.expressions.chunks(AT_ONCE).collect();
        // Those that are too large together are tried in halves; each alone has been made before.
        while let Some(places) = waiting.pop() {
            match RegexSet::new(places.iter().filter_map(text)) {
                Ok(finder) => sets.push(Set { finder, places: places.to_vec() }),
                Err(_) if places.len() > 1 => {
                    waiting.extend(<[_; 2]>::from(places.split_at(places.len() / 2)));
                }
                Err(_) => {}
            }
        }
        sets
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;
    use url::Url;

    use super::{Address, Addresses, glob};

    #[test]
    fn a_pattern_fits_the_whole_path() {
        for (pattern, text, expected) in [
            ("*/viewtopic.php", "/forum/viewtopic.php", true),
            ("*/viewtopic.php", "/viewtopic.php/x", false),
            ("/#/#/*", "/2011/03/title/", true),
            ("/#/", "//", false),
            ("*/page-#", "/t/x.12/page-12", true),
            ("*/page-#", "/t/page-1b", false),
            ("/a?c", "/abc", true),
            ("*", "", true),
            ("", "/", false),
            ("*a*b*", "/xxaxxbxx", true),
        ] {
            assert_eq!(glob(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_query_can_be_separated_by_semicolons_and_lose_parameters() {
        let url = Url::parse("http://a.test/index.php?PHPSESSID=x&action=profile;u=3;sa=posts").unwrap();
        let has =
            |name: &str| Address { has: vec![(name.to_owned(), None)], ..Address::default() }.holds(&url);
        assert!(has("PHPSESSID") && has("action") && has("u") && has("sa") && !has("x"));
        for (query, left, expected) in [
            ("a=1&sid=2;b=3", "sid", Some("a=1&b=3")),
            ("sid=2", "sid", None),
            ("a;sid", "sid", Some("a")),
            ("sid=1&a=2", "sid", Some("a=2")),
        ] {
            assert_eq!(super::without(query, |name| name == left).as_deref(), expected, "{query}");
        }
    }

    #[test]
    fn many_conditions_are_asked_at_once_and_each_has_its_own_answer() {
        let words = |list: &[&str]| list.iter().map(|word| ((*word).to_owned(), None)).collect::<Vec<_>>();
        let all = vec![
            Address { path: Some("*/viewtopic.php".to_owned()), has: words(&["t"]), ..Address::default() },
            Address { has: vec![("view".to_owned(), Some("print".to_owned()))], ..Address::default() },
            Address { host: Some("*.forum.test".to_owned()), ..Address::default() },
            Address { without: words(&["t"]), ..Address::default() },
            Address { matches: Some(Regex::new("[?&]t=\\d+$").unwrap()), ..Address::default() },
        ];
        let addresses = Addresses::new(all);
        for (url, expected) in [
            ("http://www.forum.test/viewtopic.php?t=1", vec![0, 2, 4]),
            ("http://forum.test/x/viewtopic.php?t=1&view=print", vec![0, 1, 2]),
            ("http://notforum.test/viewtopic.php?f=1&view=x", vec![3]),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(addresses.holding(&url), expected, "{url}");
            for place in 0..6 {
                let first = expected.iter().copied().find(|held| *held >= place);
                assert_eq!(addresses.first(&url, |held| held >= place), first, "{url} from {place}");
            }
        }
    }
}
