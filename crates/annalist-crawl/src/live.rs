//! What a running crawl takes up at once: another spec, a pause. Who tells it is
//! in `control.rs`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use annalist_model::spec::Spec;

use crate::scope::Scope;

/// The spec that counts now, with its scope. Who needs it takes it for one decision and never keeps it.
#[derive(Debug)]
pub struct Live {
    rules: RwLock<(Arc<Spec>, Arc<Scope>)>,
}

impl Live {
    pub fn new(spec: Spec, scope: Scope) -> Live {
        Live { rules: RwLock::new((Arc::new(spec), Arc::new(scope))) }
    }

    pub fn spec(&self) -> Arc<Spec> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner).0)
    }

    pub fn scope(&self) -> Arc<Scope> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner).1)
    }

    pub fn replace(&self, spec: Arc<Spec>, scope: Arc<Scope>) {
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = (spec, scope);
    }
}

/// What the crawl is told besides.
#[derive(Debug, Default)]
pub struct Told {
    paused: AtomicBool,
}

impl Told {
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::SeqCst);
    }

    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }
}
