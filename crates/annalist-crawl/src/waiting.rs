//! What a crawl waits for that has nothing to do: which link is next, when, and why not sooner.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use annalist_frontier::{Frontier, FrontierError, Known, State};
use annalist_model::Time;
use annalist_model::spec::{Spec, duration};

use crate::book::Book;

/// With more links than this waiting, looking for the next one would cost too much.
const FEW_LINKS: u64 = 10_000;

/// A shorter wait is not worth a word: sites rest that long while visits are acknowledged.
const SHORT: Duration = Duration::from_millis(1500);

/// The last answer, good for as long as the frontier names the same time.
#[derive(Debug, Default)]
pub struct Waiting {
    told: Mutex<Option<(Time, String)>>,
}

impl Waiting {
    /// `None` when nothing has to wait.
    pub fn reason(&self, frontier: &Frontier, spec: &Spec, now: Time) -> Option<String> {
        let at = frontier.next_ready_at().filter(|at| at.since(now) >= SHORT)?;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, reason)) = told.as_ref().filter(|(of, _)| *of == at) {
            return Some(reason.clone());
        }
        let queued = frontier.counts().queued;
        let next = if queued <= FEW_LINKS { next_link(frontier, now).ok().flatten() } else { None };
        let reason = match next {
            Some((time, known)) => sentence(time, &known, queued, spec),
            None => format!("{queued} links rest until {}", at.rfc3339()),
        };
        *told = Some((at, reason.clone()));
        Some(reason)
    }
}

/// `None` when nothing has to wait for long.
pub fn for_another_crawl(book: &Book, now: Time) -> Option<String> {
    let (server, _) = book.waited_for().filter(|(_, since)| now.since(*since) >= SHORT)?;
    Some(format!("the server {server}, which another crawl on this machine is asking"))
}

/// The link whose own time, or whose site's, comes first. Those that wait for their host only come after the one
/// that made it rest.
fn next_link(frontier: &Frontier, now: Time) -> Result<Option<(Time, Known)>, FrontierError> {
    let mut next: Option<(Time, Known)> = None;
    frontier.each_waiting(&mut |known| {
        let time = ready_at(known);
        if known.site.closed.is_none() && time > now && next.as_ref().is_none_or(|(first, _)| time < *first) {
            next = Some((time, known.clone()));
        }
    })?;
    Ok(next)
}

fn own_time(known: &Known) -> Time {
    match known.state {
        State::Queued { not_before } => not_before.unwrap_or_default(),
        _ => Time::default(),
    }
}

fn ready_at(known: &Known) -> Time {
    own_time(known).max(known.site.rests_until)
}

fn sentence(time: Time, known: &Known, queued: u64, spec: &Spec) -> String {
    let url = known.link.as_ref().map_or("a link", |link| link.url.as_str());
    let at = time.rfc3339();
    let why = known.retries.first().map_or("", String::as_str);
    let delay = duration::display(known.site.delay);
    let told = if own_time(known) < known.site.rests_until {
        let whose =
            if known.site.delay > spec.politeness.max_delay { "its robots.txt asks for" } else { "is" };
        format!("the rest of the site of {url} until {at} (the delay {whose} {delay})")
    } else if known.earlier.is_some() {
        format!("the next visit to {url} at {at} ({why})")
    } else {
        format!("the next try of {url} at {at} (the last one: {why})")
    };
    if queued > 1 { format!("{told}; {queued} links are queued") } else { told }
}
