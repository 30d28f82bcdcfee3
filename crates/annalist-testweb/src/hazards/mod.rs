//! Hosts that hurt a careless crawler. Each hazard host does one thing wrong; `broken.rs` has those that break HTTP,
//! `traps.rs` those that keep to it and never end.

mod broken;
mod traps;

pub(crate) use traps::make_bomb;

use std::str::FromStr;

use serde::Serialize;

use crate::answer::{Answer, Request, Response};
use crate::dice::Dice;
use crate::layout::Host;
use crate::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hazard {
    /// A byte every now and then, for ever.
    Tarpit,
    /// A body without end.
    EndlessBody,
    /// Content-Length too short, too long, twice, negative; broken chunks.
    WrongLength,
    /// A small gzip body that becomes a huge one.
    Bomb,
    /// Hundreds of cookies with every page.
    CookieFlood,
    /// Redirects in circles, and ever onwards.
    RedirectLoop,
    /// A month after every month.
    Calendar,
    /// Relative links that make addresses grow.
    GrowingPath,
    /// New session ids in the links of every visit.
    SessionIds,
    /// 256 KB of nested lists.
    DeepNesting,
    /// Labels and bytes that contradict each other.
    BrokenCharset,
    /// 429 and 503 with Retry-After, now and then.
    TooMany,
    /// Connections reset before, in and after the head.
    Reset,
    /// A head without end, and one with thousands of fields.
    HeaderFlood,
    /// robots.txt answers 503: nothing may be fetched.
    DeadRobots,
    /// Accepts and never answers.
    Silent,
    /// robots.txt is behind redirects, and forbids a page.
    RobotsRedirect,
    /// robots.txt of more than 500 KiB with its rule at the start.
    HugeRobots,
}

impl Hazard {
    pub const ALL: [Hazard; 18] = [
        Hazard::Tarpit,
        Hazard::EndlessBody,
        Hazard::WrongLength,
        Hazard::Bomb,
        Hazard::CookieFlood,
        Hazard::RedirectLoop,
        Hazard::Calendar,
        Hazard::GrowingPath,
        Hazard::SessionIds,
        Hazard::DeepNesting,
        Hazard::BrokenCharset,
        Hazard::TooMany,
        Hazard::Reset,
        Hazard::HeaderFlood,
        Hazard::DeadRobots,
        Hazard::Silent,
        Hazard::RobotsRedirect,
        Hazard::HugeRobots,
    ];

    /// As host names and the command line have it.
    pub fn name(self) -> &'static str {
        match self {
            Hazard::Tarpit => "tarpit",
            Hazard::EndlessBody => "endless-body",
            Hazard::WrongLength => "wrong-length",
            Hazard::Bomb => "bomb",
            Hazard::CookieFlood => "cookie-flood",
            Hazard::RedirectLoop => "redirect-loop",
            Hazard::Calendar => "calendar",
            Hazard::GrowingPath => "growing-path",
            Hazard::SessionIds => "session-ids",
            Hazard::DeepNesting => "deep-nesting",
            Hazard::BrokenCharset => "broken-charset",
            Hazard::TooMany => "too-many",
            Hazard::Reset => "reset",
            Hazard::HeaderFlood => "header-flood",
            Hazard::DeadRobots => "dead-robots",
            Hazard::Silent => "silent",
            Hazard::RobotsRedirect => "robots-redirect",
            Hazard::HugeRobots => "huge-robots",
        }
    }

    /// Whether it offers new addresses for ever: a crawl of it needs a limit or an eye for traps.
    pub fn is_unbounded(self) -> bool {
        matches!(self, Hazard::RedirectLoop | Hazard::Calendar | Hazard::GrowingPath | Hazard::SessionIds)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no hazard is called {name:?}; known ones: {}", Hazard::ALL.map(Hazard::name).join(", "))]
pub struct UnknownHazard {
    name: String,
}

impl FromStr for Hazard {
    type Err = UnknownHazard;

    fn from_str(name: &str) -> Result<Hazard, UnknownHazard> {
        let found = Hazard::ALL.into_iter().find(|hazard| hazard.name() == name);
        found.ok_or_else(|| UnknownHazard { name: name.to_owned() })
    }
}

pub(crate) fn answer(world: &World, host: &Host, hazard: Hazard, request: &Request<'_>) -> Answer {
    let target = request.target;
    if target == "/robots.txt"
        && let Some(answer) = robots(host, hazard)
    {
        return answer;
    }
    match hazard {
        Hazard::Tarpit => broken::tarpit(),
        Hazard::EndlessBody => broken::endless_body(),
        Hazard::WrongLength => broken::wrong_length(host, target),
        Hazard::Reset => broken::reset(host, target),
        Hazard::HeaderFlood => broken::header_flood(host, target),
        Hazard::Silent => broken::silent(),
        Hazard::BrokenCharset => broken::charset(host, target),
        Hazard::Bomb => traps::bomb(world, host, target),
        Hazard::CookieFlood => traps::cookie_flood(host, request),
        Hazard::RedirectLoop => traps::redirect_loop(host, target),
        Hazard::Calendar => traps::calendar(host, target),
        Hazard::GrowingPath => traps::growing_path(host, target),
        Hazard::SessionIds => traps::session_ids(host, request),
        Hazard::DeepNesting => traps::deep_nesting(host, target),
        Hazard::TooMany => traps::too_many(host, request),
        Hazard::DeadRobots | Hazard::RobotsRedirect | Hazard::HugeRobots => traps::plain(host, target),
    }
}

/// Most hazard hosts have no robots.txt; some hazards are about it, and on every second host of those that break
/// connections it is as broken as the rest.
fn robots(host: &Host, hazard: Hazard) -> Option<Answer> {
    let answer = match hazard {
        Hazard::DeadRobots => Response::new(503, "text/plain", "try again\n"),
        Hazard::RobotsRedirect => Response::redirect(301, "/robots/1"),
        Hazard::HugeRobots => traps::huge_robots(),
        Hazard::Tarpit | Hazard::EndlessBody | Hazard::Silent | Hazard::Reset if breaks_robots(host) => {
            return None;
        }
        _ => Response::new(404, "text/plain", "no rules\n"),
    };
    Some(answer.into())
}

/// Drawn, because hazards take turns: the number's parity would be the same for all hosts of a hazard.
fn breaks_robots(host: &Host) -> bool {
    Dice::new(&[0x0b07, host.number as u64]).below(2) == 0
}

/// A page with links to the given targets, all on this host.
fn page_with_links(host: &Host, heading: &str, targets: &[String]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><title>{heading}</title></head>\n<body><h1>{heading} of {}</h1>\n",
        host.name
    );
    for target in targets {
        page.push_str("<p><a href=\"");
        page.push_str(target);
        page.push_str("\">one more page</a> of the same kind.</p>\n");
    }
    page.push_str("</body></html>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::Hazard;

    #[test]
    fn every_hazard_is_found_by_its_name() {
        for hazard in Hazard::ALL {
            assert_eq!(hazard.name().parse(), Ok(hazard));
        }
        let mistake = "tarpits".parse::<Hazard>().unwrap_err().to_string();
        assert!(mistake.contains("tarpits") && mistake.contains("wrong-length"), "{mistake}");
    }
}
