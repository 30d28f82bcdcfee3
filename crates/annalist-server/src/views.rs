//! What frames of the cockpit show. A captured page runs no script and cannot tell the page around it that somebody followed a
//! link; but every request of a frame comes here, under the name that the frame got.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::problem::Problem;

/// So many frames are known; those that nothing happened in for longest are forgotten first.
const MOST: usize = 1000;
/// Behind the name of a crawl, which never has it, and before that of a frame.
const MARK: char = '~';

/// A page that a frame shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The digits of a moment.
    pub at: String,
    pub url: String,
}

#[derive(Debug, Default)]
pub struct Views {
    /// By crawl and frame, as they stand in addresses; what was shown last comes last.
    shown: Mutex<VecDeque<(String, Shown)>>,
}

/// A name for another frame.
pub fn named() -> Result<String, Problem> {
    let mut bytes = [0; 8];
    let none = |fault: getrandom::Error| Problem::internal("no random numbers", &fault);
    getrandom::fill(&mut bytes).map_err(none)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A crawl as the frame of that name calls it.
pub fn place(id: &str, view: &str) -> String {
    format!("{id}{MARK}{view}")
}

/// The crawl, and whether a frame asks.
pub fn parted(place: &str) -> (&str, bool) {
    place.split_once(MARK).map_or((place, false), |(id, view)| (id, !view.is_empty()))
}

/// The page that is asked for as such, not as a part of another one: `20200102030405mp_/http://a.test/`. Links of what a page
/// has in frames of its own lead to parts, too.
pub fn page_of(target: &str) -> Option<Shown> {
    let (at, url) = target.split_once("mp_/")?;
    let is_time = at.bytes().all(|b| b.is_ascii_digit());
    is_time.then(|| Shown { at: at.to_owned(), url: url.to_owned() })
}

impl Views {
    pub fn note(&self, place: &str, page: Shown) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.retain(|(known, _)| known != place);
        shown.push_back((place.to_owned(), page));
        let more = shown.len().saturating_sub(MOST);
        shown.drain(..more);
    }

    pub fn shown(&self, place: &str) -> Option<Shown> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.iter().find(|(known, _)| known == place).map(|(_, page)| page.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Shown, Views, page_of, parted, place};

    #[test]
    fn a_frame_is_known_by_what_it_asked_for_last() {
        let views = Views::default();
        let page = |target: &str| page_of(target).unwrap();
        let frame = place("x", "1a");
        assert_eq!((parted(&frame), parted("x")), (("x", true), ("x", false)));
        views.note(&frame, page("20200102030405mp_/http://a.test/?b=mp_/c"));
        views.note(&place("y", "1a"), page("mp_/http://b.test/"));
        let shown = Shown { at: "20200102030405".to_owned(), url: "http://a.test/?b=mp_/c".to_owned() };
        assert_eq!((views.shown(&frame), views.shown(&place("x", "2"))), (Some(shown), None));
        assert_eq!(parted("x~"), ("x", false));
        // Parts of pages are none.
        assert_eq!(page_of("20200102030405if_/http://a.test/"), None);
        assert_eq!(page_of("20200102030405im_/http://a.test/mp_/"), None);
        for other in 0..MOST {
            views.note(&place("x", &format!("n{other}")), page("mp_/http://c.test/"));
        }
        assert_eq!(views.shown(&frame), None);
    }
}
