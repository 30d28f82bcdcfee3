//! A captured page and what stands above it: when it was captured, of which address, and the way to earlier and later captures.
//! The banner is the cockpit's; the page is in a frame of another origin and knows nothing of it. What the frame shows after a
//! link was followed in it, the service knows (`views.rs`).

use annalist_replay::{Listed, Moment};
use maud::{Markup, html};

use super::words;
use crate::access::Frames;
use crate::views;

/// So many captures are listed; the others are reached by time.
const LISTED: usize = 200;

/// One capture, as it is looked at.
pub struct Looked<'l> {
    pub id: &'l str,
    pub url: &'l str,
    /// The digits of the time that was asked for.
    pub at: &'l str,
    pub listed: &'l Listed,
    pub frames: &'l Frames,
    /// The name of the frame, where it is followed what it shows.
    pub view: Option<&'l str>,
}

impl Looked<'_> {
    fn shown(&self) -> Option<(usize, &Moment)> {
        let place = self.listed.shown.as_ref()?.place;
        Some((place, self.listed.captures.get(place)?))
    }

    /// What the server answered with, where that is worth a word.
    fn status(&self) -> Option<&str> {
        self.listed
            .shown
            .as_ref()
            .map(|shown| shown.status.as_str())
            .filter(|status| !matches!(*status, "" | "200"))
    }

    /// Where it is by itself.
    fn address(&self) -> String {
        self.address_in(self.id)
    }

    fn address_in(&self, place: &str) -> String {
        let at = self.shown().map_or(self.at, |(_, shown)| &shown.timestamp);
        // Where on the page one looks is no part of what was captured.
        let fragment = self.url.find('#').and_then(|at| self.url.get(at..)).unwrap_or_default();
        let (url, _) = self.captured_url().split_once('#').unwrap_or((self.captured_url(), ""));
        self.frames.address(&format!("{place}/{at}mp_/{url}{fragment}"))
    }

    /// As it was captured, however it was asked for.
    fn captured_url(&self) -> &str {
        self.shown().map_or(self.url, |(_, shown)| &shown.url)
    }

    /// The cockpit's page with another capture of it.
    fn at(&self, moment: &Moment) -> String {
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("url", self.url), ("at", &moment.timestamp)])
            .finish();
        format!("/crawls/{}/page?{query}", self.id)
    }

    pub fn banner(&self) -> Markup {
        let all = &self.listed.captures;
        html! {
            div.banner {
                p { strong { "Archived page" } " " span.url { (self.captured_url()) } }
                @if let Some((place, shown)) = self.shown() {
                    p { "Captured " strong { (time(shown)) }
                        @if let Some(status) = self.status() {
                            ", answered with " (status) @if status.starts_with('3') { ": the server sent on to another address, and the frame follows" }
                        } }
                    nav.times aria-label="Captures of this address" {
                        @if let Some(earlier) = place.checked_sub(1).and_then(|before| all.get(before)) {
                            a rel="prev" href=(self.at(earlier)) { "← Earlier: " (time(earlier)) }
                        }
                        @if let Some(later) = all.get(place + 1) { a rel="next" href=(self.at(later)) { "Later: " (time(later)) " →" } }
                        @if all.len() > 1 {
                            details { summary { "Capture " (words::count(place as u64 + 1)) " of " (words::count(all.len() as u64)) }
                                ol { @for (number, one) in all.iter().enumerate().take(LISTED) { li {
                                    a href=(self.at(one)) aria-current=[(number == place).then_some("true")] { (time(one)) }
                                } } }
                                @if all.len() > LISTED { p.hint { "The first " (LISTED) " are listed. Type a time above for the others." } }
                            }
                        } @else { span.hint { "The only capture of this address" } }
                        a href=(self.address()) rel="noreferrer" { "Without this frame" }
                    }
                } @else { p { "No capture of this address is in the archive." } }
                p.followed.hint hidden role="status" { "The frame may show another page by now: you followed a link in it, or went back. The lines above are of the address that stands there." }
                // What says so else is shown by script.
                noscript { p.hint { "What stands around the page is of this address, also after you followed a link in it." } }
            }
        }
    }

    /// The page in a frame; what browsers show in no frame is offered in a tab of its own.
    pub fn frame(&self) -> Markup {
        let place = self.view.map_or_else(|| self.id.to_owned(), |view| views::place(self.id, view));
        let media = self.listed.shown.as_ref().map_or("", |shown| &shown.media);
        html! {
            @if is_framed(media) {
                iframe.replay title={ "The archived page " (self.captured_url()) } data-view=[self.view] src=(self.address_in(&place)) sandbox="allow-same-origin allow-forms allow-popups allow-downloads" referrerpolicy="no-referrer" {}
            } @else {
                section.empty.unframed {
                    h2 { (kind_of(media)) }
                    p { "Browsers do not show this in a locked frame, and captured pages stay locked. It opens from the archive in a tab of its own, where it can be saved, too." }
                    p { a.button href=(self.address()) target="_blank" rel="noreferrer noopener" { "Open in a new tab" } }
                }
            }
        }
    }
}

/// Whether browsers show it within the sandbox. PDF is shown by a part of them that does not start there, and what they save
/// leaves the frame empty.
fn is_framed(media: &str) -> bool {
    let is_text =
        |media: &str| media.starts_with("text/") || media.ends_with("+xml") || media.ends_with("+json");
    let is_shown = ["image/", "audio/", "video/"].iter().any(|kind| media.starts_with(kind));
    media.is_empty()
        || is_text(media)
        || is_shown
        || matches!(media, "application/xml" | "application/json" | "application/javascript")
}

fn kind_of(media: &str) -> String {
    match media {
        "application/pdf" => "A PDF document".to_owned(),
        other => format!("A file of the type {other}"),
    }
}

/// When it was captured, to the second: pages change within minutes.
fn time(moment: &Moment) -> Markup {
    let stamp = &moment.timestamp;
    html! { time datetime=(words::moment(stamp, "T", "Z")) { (words::moment(stamp, " ", " UTC")) } }
}

#[cfg(test)]
mod tests {
    use super::is_framed;

    #[test]
    fn only_what_browsers_show_in_a_sandbox_is_framed() {
        for media in ["text/html", "application/xhtml+xml", "image/png", "text/plain", "video/mp4", ""] {
            assert!(is_framed(media), "{media}");
        }
        for media in ["application/pdf", "application/zip", "application/msword", "application/octet-stream"]
        {
            assert!(!is_framed(media), "{media}");
        }
    }
}
