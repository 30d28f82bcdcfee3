//! What a running crawl takes up at once: another spec, a pause. Who tells it is
//! in `control.rs`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use annalist_model::spec::Spec;

use crate::rounds::Rounds;
use crate::scope::Scope;

/// The spec that counts now, with what is made of it. Who needs it takes it for one decision and never keeps it.
#[derive(Debug)]
pub struct Live {
    rules: RwLock<Rules>,
}

#[derive(Clone, Debug)]
struct Rules {
    spec: Arc<Spec>,
    scope: Arc<Scope>,
    rounds: Arc<Rounds>,
}

impl Live {
    pub fn new(spec: Spec, scope: Scope) -> Live {
        Live { rules: RwLock::new(Rules::of(Arc::new(spec), Arc::new(scope))) }
    }

    pub fn spec(&self) -> Arc<Spec> {
        Arc::clone(&self.rules().spec)
    }

    pub fn scope(&self) -> Arc<Scope> {
        Arc::clone(&self.rules().scope)
    }

    pub fn rounds(&self) -> Arc<Rounds> {
        Arc::clone(&self.rules().rounds)
    }

    pub fn replace(&self, spec: Arc<Spec>, scope: Arc<Scope>) {
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Rules::of(spec, scope);
    }

    fn rules(&self) -> RwLockReadGuard<'_, Rules> {
        self.rules.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rules {
    fn of(spec: Arc<Spec>, scope: Arc<Scope>) -> Rules {
        let rounds = Arc::new(Rounds::of(&spec));
        Rules { spec, scope, rounds }
    }
}

/// What the crawl is told besides.
#[derive(Debug, Default)]
pub struct Told {
    paused: AtomicBool,
    other_scope: AtomicBool,
}

impl Told {
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::SeqCst);
    }

    /// Links may wait that were found when another scope counted.
    pub fn has_other_scope(&self) -> bool {
        self.other_scope.load(Ordering::SeqCst)
    }

    pub fn take_other_scope(&self) {
        self.other_scope.store(true, Ordering::SeqCst);
    }

    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }
}
