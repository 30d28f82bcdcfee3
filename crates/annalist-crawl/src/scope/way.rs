//! The pages that led to a link, for expressions that ask for them. Walking up costs a look-up a page, so it is done when
//! the first expression asks, once for all links of a page. Where the pages are known from is the caller's concern.

use std::cell::OnceCell;
use std::fmt;

use annalist_model::{Link, Score, UrlKey};

/// How far back the pages that led to a link are looked up; beyond that nothing is known of them.
const LONGEST_WAY: usize = 200;

/// A page on the way.
#[derive(Clone, Debug)]
pub struct Passed {
    pub link: Link,
    pub score: Score,
}

/// The way as far as it is known.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The nearest first.
    pub pages: Vec<Passed>,
    /// Whether it reaches back to the seed.
    pub is_whole: bool,
}

impl Walked {
    /// The page and those that led to it.
    pub fn up(from: Option<UrlKey>, look_up: impl Fn(UrlKey) -> Option<Passed>) -> Walked {
        let mut walked = Walked::default();
        let mut next = from;
        while let Some(key) = next {
            let Some(page) = look_up(key).filter(|_| walked.pages.len() < LONGEST_WAY) else { return walked };
            next = page.link.via;
            walked.pages.push(page);
        }
        walked.is_whole = true;
        walked
    }
}

pub struct Way<'a> {
    walk: Box<dyn Fn() -> Walked + 'a>,
    walked: OnceCell<Walked>,
}

impl<'a> Way<'a> {
    pub fn new(walk: impl Fn() -> Walked + 'a) -> Way<'a> {
        Way { walk: Box::new(walk), walked: OnceCell::new() }
    }

    pub(super) fn walked(&self) -> &Walked {
        self.walked.get_or_init(&self.walk)
    }
}

impl fmt::Debug for Way<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Way").field(&self.walked.get()).finish()
    }
}
