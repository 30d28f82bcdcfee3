//! Answers that keep to HTTP but lead a crawler nowhere, for ever, or to its knees.

use bytes::Bytes;

use super::page_with_links;
use crate::answer::{Answer, Request, Response};
use crate::dice::Dice;
use crate::layout::Host;
use crate::route::number;
use crate::world::{World, gzip};

/// What a bomb becomes: far more than any page, at a thousandth of it on the wire.
const BOMB_BYTES: usize = 256 << 20;
const COOKIES: usize = 200;
const NESTED_BYTES: usize = 256 << 10;
/// RFC 9309 asks for 500 KiB to be read.
const HUGE_ROBOTS_BYTES: usize = 640 << 10;
const SMALL_SITE_PAGES: usize = 12;

/// The body of a bomb. Zero pages are not touched before they are read, so this costs little memory.
pub(crate) fn make_bomb() -> Bytes {
    gzip(&vec![0; BOMB_BYTES])
}

pub(super) fn bomb(world: &World, host: &Host, target: &str) -> Answer {
    if target != "/bomb.html" {
        return Response::html(page_with_links(host, "Bombs", &["/bomb.html".to_owned()])).into();
    }
    Response::new(200, "text/html", world.bomb.clone()).with("Content-Encoding", "gzip").into()
}

pub(super) fn cookie_flood(host: &Host, request: &Request<'_>) -> Answer {
    let Some(page) = small_site(host, "Cookies", request.target) else { return nothing() };
    let mut response = Response::html(page);
    for cookie in 0..COOKIES {
        let value = format!("c{}x{cookie}={:040}; Path=/", request.visit, cookie);
        response = response.with("Set-Cookie", &value);
    }
    let wide = format!("everywhere={}; Domain=test; Path=/", request.visit);
    response.with("Set-Cookie", &wide).with("Set-Cookie", &format!("big={}", "x".repeat(20_000))).into()
}

pub(super) fn redirect_loop(host: &Host, target: &str) -> Answer {
    match target {
        "/a" => Response::redirect(302, "/b").into(),
        "/b" => Response::redirect(301, "/a").into(),
        "/self" => Response::redirect(302, "/self").into(),
        "/nowhere" => Response::redirect(302, "").into(),
        "/mail" => Response::redirect(302, "mailto:somebody@example.test").into(),
        _ => match target.strip_prefix("/hop/").map(number) {
            Some(Some(hop)) => Response::redirect(307, &format!("/hop/{}", hop.saturating_add(1))).into(),
            Some(None) => nothing(),
            None => {
                let targets = ["/a", "/self", "/nowhere", "/mail", "/hop/1"].map(str::to_owned);
                Response::html(page_with_links(host, "Redirects", &targets)).into()
            }
        },
    }
}

pub(super) fn calendar(host: &Host, target: &str) -> Answer {
    if target == "/" {
        return Response::html(page_with_links(host, "Calendar", &["/calendar/2010/5/".to_owned()])).into();
    }
    let month = target.strip_prefix("/calendar/").and_then(|rest| rest.strip_suffix('/')).and_then(|rest| {
        let (year, month) = rest.split_once('/')?;
        Some(number(year)? * 12 + number(month)?.checked_sub(1)?)
    });
    let Some(month) = month else { return nothing() };
    let address = |month: usize| format!("/calendar/{}/{}/", month / 12, month % 12 + 1);
    let targets = [address(month + 1), address(month.saturating_sub(1)), address(month + 12)];
    Response::html(page_with_links(host, "Nothing happens this month", &targets)).into()
}

/// Every path is a page, and its links are longer by a step.
pub(super) fn growing_path(host: &Host, target: &str) -> Answer {
    let targets = ["more/", "./deeper/", "more/more/", "?again=1"].map(str::to_owned);
    let heading = format!("Level {}", target.matches('/').count());
    Response::html(page_with_links(host, &heading, &targets)).into()
}

pub(super) fn session_ids(host: &Host, request: &Request<'_>) -> Answer {
    let path = request.target.split(['?', ';']).next().unwrap_or_default();
    let page = match path {
        "/" => 0,
        _ => match path.strip_prefix("/page/").and_then(number) {
            Some(page) if page < SMALL_SITE_PAGES => page,
            _ => return nothing(),
        },
    };
    let mut dice = Dice::new(&[host.number as u64, 0x5e55, request.visit]);
    let targets: Vec<String> = (0..SMALL_SITE_PAGES)
        .map(|other| match other % 3 {
            0 => format!("/page/{other}?visit={:016x}", dice.next()),
            1 => format!("/page/{other};jsessionid={:016X}", dice.next()),
            _ => format!("/page/{other}?PHPSESSID={:016x}&amp;show=all", dice.next()),
        })
        .collect();
    Response::html(page_with_links(host, &format!("Page {page}"), &targets)).into()
}

pub(super) fn deep_nesting(host: &Host, target: &str) -> Answer {
    let unit = match target {
        "/lists.html" => "<ul><li>",
        "/boxes.html" => "<div>",
        "/bold.html" => "<b><i><p>",
        "/tables.html" => "<table><tr><td>",
        _ => {
            let targets = ["lists", "boxes", "bold", "tables"].map(|name| format!("/{name}.html"));
            return Response::html(page_with_links(host, "Nesting", &targets)).into();
        }
    };
    let mut page = String::from("<!DOCTYPE html><html><body>");
    page.push_str(&unit.repeat(NESTED_BYTES / unit.len()));
    page.push_str("<a href=\"/\">the bottom</a>");
    Response::html(page).into()
}

/// Two answers in four are refused, so that patience gets everything.
pub(super) fn too_many(host: &Host, request: &Request<'_>) -> Answer {
    match request.visit % 4 {
        1 => Response::new(429, "text/plain", "too many requests\n").with("Retry-After", "1").into(),
        2 => Response::new(503, "text/plain", "busy\n").with("Retry-After", "2").into(),
        _ => small_site(host, "Patience", request.target)
            .map_or_else(nothing, |page| Response::html(page).into()),
    }
}

/// Pages of the hosts whose hazard is their robots.txt.
pub(super) fn plain(host: &Host, target: &str) -> Answer {
    match target.strip_prefix("/robots/").map(number) {
        Some(Some(hop @ 1..4)) => Response::redirect(302, &format!("/robots/{}", hop + 1)).into(),
        Some(Some(4)) => Response::new(200, "text/plain", "User-agent: *\nDisallow: /page-3\n").into(),
        _ => small_site(host, "Rules", target).map_or_else(nothing, |page| Response::html(page).into()),
    }
}

pub(super) fn huge_robots() -> Response {
    let line = "# a comment that nobody will ever read, repeated until the file is far too long\n";
    let mut text = String::from("User-agent: *\nDisallow: /page-3\n");
    text.push_str(&line.repeat(HUGE_ROBOTS_BYTES / line.len()));
    text.push_str("Disallow: /\n");
    Response::new(200, "text/plain", text)
}

/// A home page and a dozen others that it links to.
fn small_site(host: &Host, heading: &str, target: &str) -> Option<String> {
    let known = target == "/"
        || target.strip_prefix("/page-").and_then(number).is_some_and(|page| page < SMALL_SITE_PAGES);
    let targets: Vec<String> = (0..SMALL_SITE_PAGES).map(|page| format!("/page-{page}")).collect();
    known.then(|| page_with_links(host, &format!("{heading} {target}"), &targets))
}

fn nothing() -> Answer {
    Response::new(404, "text/plain", "nothing here\n").into()
}
