//! Which links of a page are followed: the first rule that fits a link decides.

use std::collections::HashSet;

use annalist_model::{CanonicalUrl, FoundLink, Hop, UrlKey};
use url::Url;

use crate::address::{self, parameters};
use crate::automaton::{Matches, Spot, select};
use crate::catalogue::{Application, Level, LinkRule, Links, Others, Paging, Ruling};
use crate::helper::Input;
use crate::place::{Base, base_of};

/// What becomes of a link.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// The application has nothing to say: it leads elsewhere, or is part of the page.
    Untouched,
    Follow {
        score: f32,
        action: String,
        /// Without what changes nothing, where there was any of it.
        instead: Option<CanonicalUrl>,
    },
    /// Followed where nothing better is known.
    Spare {
        score: f32,
        action: String,
        instead: Option<CanonicalUrl>,
    },
    Never {
        reason: String,
    },
}

/// What was chosen on a page.
#[derive(Debug, Default)]
pub(crate) struct Navigation {
    pub choices: Vec<Choice>,
    pub next: Option<String>,
}

pub(crate) fn choose(
    application: &Application,
    level: Option<&Level>,
    matches: &Matches,
    input: &Input<'_>,
) -> Navigation {
    let links = level.map_or(&application.links, |level| &level.links);
    let paging = level.map_or(application.paging.as_slice(), |level| &level.paging);
    let others = level.map_or(application.others, |level| level.others);
    let base = base_of(input);
    let places = Places::of(links, matches, input, &base);
    let own = paged(input.url.as_url(), paging);
    let mut next: Option<(u64, String)> = None;
    let mut choices = Vec::with_capacity(input.page.links.len());
    for found in &input.page.links {
        let is_inside = found.url.host() == input.url.host();
        if !is_inside || is_part(found) {
            let barred = is_inside.then(|| links.for_embed(&found.url)).flatten();
            choices.push(match barred {
                Some(rule) => Choice::Never { reason: rule.name.clone() },
                None => Choice::Untouched,
            });
            continue;
        }
        let instead = without(&found.url, &application.drops);
        let url = instead.as_ref().unwrap_or(&found.url);
        let other = may_be_page(&own, url.as_url(), paging).then(|| paged(url.as_url(), paging));
        let other = other.filter(|other| {
            same_thread(&own.thread, &other.thread) && (own.number.is_some() || other.number.is_some())
        });
        let is_page = other.is_some();
        if let Some(number) = other.map(|other| other.number())
            && number > own.number()
            && next.as_ref().is_none_or(|(best, _)| number < *best)
        {
            next = Some((number, url.as_str().to_owned()));
        }
        choices.push(rule(links, &places, found, instead.clone()).unwrap_or_else(|| match others {
            _ if is_page => Choice::Follow { score: 1.0, action: "page".to_owned(), instead },
            Others::Follow => Choice::Follow { score: 1.0, action: "link".to_owned(), instead },
            Others::Skip => Choice::Never { reason: "no rule of its application leads there".to_owned() },
        }));
    }
    let named = level.iter().flat_map(|level| &level.next).find_map(|at| {
        let spots = select(input.tree, matches, at);
        let href = spots.first().and_then(|spot| address_at(input, spot))?;
        base.join(href).map(|url| url.as_str().to_owned())
    });
    Navigation { choices, next: named.or(next.map(|(_, url)| url)) }
}

/// The first rule that fits.
fn rule(links: &Links, places: &Places, found: &FoundLink, instead: Option<CanonicalUrl>) -> Option<Choice> {
    let here = found.url.key();
    let fits = |place: usize, rule: &LinkRule| match places.of_rule.get(place) {
        Some(Some(keys)) => keys.contains(&here),
        _ => !rule.is_for_embeds,
    };
    // Whether it may be followed is asked of the address as it stands on the page: what is dropped may be the reason.
    let rule = links.first(&found.url, fits)?;
    Some(match rule.ruling {
        Ruling::Follow { score } => Choice::Follow { score, action: rule.name.clone(), instead },
        Ruling::Spare { score } => Choice::Spare { score, action: rule.name.clone(), instead },
        Ruling::Never => Choice::Never { reason: rule.name.clone() },
    })
}

/// Pictures, styles, frames, and what a redirect or a sitemap says.
fn is_part(found: &FoundLink) -> bool {
    !matches!(found.kind.hop(), Hop::Link | Hop::Submit | Hop::Manifest)
}

/// The links that each rule with a place has found.
struct Places {
    of_rule: Vec<Option<HashSet<UrlKey>>>,
}

impl Places {
    fn of(links: &Links, matches: &Matches, input: &Input<'_>, base: &Base) -> Places {
        let found = |at| {
            let spots = select(input.tree, matches, at);
            let raw = spots.iter().filter_map(|spot| address_at(input, spot));
            raw.filter_map(|raw| Some(base.canonical(raw)?.key())).collect()
        };
        Places { of_rule: links.rules.iter().map(|rule| rule.at.as_ref().map(found)).collect() }
    }
}

/// The attribute that was found, or the address of the link that was.
fn address_at<'p>(input: &Input<'p>, spot: &Spot<'p>) -> Option<&'p str> {
    spot.attribute.or_else(|| input.tree.element(spot.node)?.attribute("href"))
}

/// An address without parameters that change nothing; none where it has none of them.
pub(crate) fn without(url: &CanonicalUrl, drops: &[String]) -> Option<CanonicalUrl> {
    let query = url.query()?;
    let is_dropped = |name: &str| drops.iter().any(|drop| drop == name);
    parameters(query).any(|(name, _)| is_dropped(name)).then_some(())?;
    let mut changed = url.as_url().clone();
    changed.set_query(address::without(query, is_dropped).as_deref());
    CanonicalUrl::parse(changed.as_str()).ok()
}

/// An address as a page of something.
#[derive(Debug)]
pub(crate) struct Paged {
    /// The address of the first page.
    pub thread: Url,
    /// As written; there is none on most first pages.
    pub number: Option<u64>,
}

impl Paged {
    fn number(&self) -> u64 {
        self.number.unwrap_or(0)
    }
}

pub(crate) fn paged(url: &Url, paging: &[Paging]) -> Paged {
    let mut thread = url.clone();
    thread.set_fragment(None);
    let mut number = None;
    for way in paging {
        match way {
            Paging::Parameter(name) => {
                let query = thread.query().unwrap_or_default().to_owned();
                if let Some((_, value)) = parameters(&query).find(|(other, _)| other == name) {
                    number = number.or(value.parse().ok());
                    thread.set_query(address::without(&query, |other| other == name).as_deref());
                }
            }
            Paging::Path(regex) => {
                let path = thread.path().to_owned();
                if let Some(found) = regex.captures(&path) {
                    number = number.or_else(|| found.get(1)?.as_str().parse().ok());
                    let from = found.get(0).map_or(path.len(), |whole| whole.start());
                    let (kept, left) = path.split_at_checked(from).unwrap_or((&path, ""));
                    let mut kept = kept.to_owned();
                    // A folder of its own stands in a folder.
                    if left.starts_with('/') && !kept.ends_with('/') {
                        kept.push('/');
                    }
                    thread.set_path(&kept);
                }
            }
            Paging::Number { at, first } => {
                let text = thread.as_str().to_owned();
                if let Some(group) = at.captures(&text).and_then(|found| found.get(1)) {
                    let digits: String = group.as_str().chars().filter(char::is_ascii_digit).collect();
                    number = number.or(digits.parse().ok());
                    let of_first = format!("{}{first}{}", &text[..group.start()], &text[group.end()..]);
                    if let Ok(url) = Url::parse(&of_first) {
                        thread = url;
                    }
                }
            }
        }
    }
    Paged { thread, number }
}

/// Whether it is worth the effort to look closer: where only parameters count pages, the path stays the same.
fn may_be_page(own: &Paged, url: &Url, paging: &[Paging]) -> bool {
    let is_elsewhere = |way: &Paging| !matches!(way, Paging::Parameter(_));
    !paging.is_empty() && (paging.iter().any(is_elsewhere) || same_path(&own.thread, url))
}

fn same_thread(one: &Url, other: &Url) -> bool {
    one.host_str() == other.host_str() && one.query() == other.query() && same_path(one, other)
}

fn same_path(one: &Url, other: &Url) -> bool {
    one.path().trim_end_matches('/') == other.path().trim_end_matches('/')
}
