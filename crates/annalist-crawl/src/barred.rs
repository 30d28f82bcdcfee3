//! Addresses that somebody has just put on the blacklist of a running crawl: nobody asks for them from the moment on at which
//! that is acknowledged. They are here until the frontier knows of them (`intake.rs`), which is the truth.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use annalist_model::UrlKey;

#[derive(Debug, Default)]
pub struct Barred {
    keys: Mutex<HashSet<UrlKey>>,
}

impl Barred {
    pub fn add(&self, keys: &[UrlKey]) {
        self.keys().extend(keys);
    }

    /// The frontier knows of them, or they were not kept.
    pub fn forget(&self, keys: &[UrlKey]) {
        let mut all = self.keys();
        for key in keys {
            all.remove(key);
        }
        if all.is_empty() {
            // There may have been very many.
            *all = HashSet::new();
        }
    }

    pub fn has(&self, key: UrlKey) -> bool {
        self.keys().contains(&key)
    }

    fn keys(&self) -> MutexGuard<'_, HashSet<UrlKey>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
