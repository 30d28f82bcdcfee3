//! Who has logged in, and what browsers show to prove it: an id and a signature, which only this process can make. Who logs
//! out is forgotten, and so is everything that was signed for it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

/// More are not remembered; the oldest is logged out.
const MOST_SESSIONS: usize = 10_000;
/// How long one may take from a page of the service to the captured pages it shows.
const TICKET: Duration = Duration::from_secs(300);

/// What a signature is good for. One that was made for one thing says nothing about another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A form of our own.
    Form,
    /// Everything.
    Cookie,
    /// To look at captured pages.
    ReplayCookie,
    /// To be let in to captured pages, until so many seconds after the start.
    Ticket { until: u64 },
}

#[derive(Debug)]
pub struct Sessions {
    /// Of this process; what it signs ends with it.
    secret: [u8; 32],
    begun: Instant,
    /// When each of them logged in.
    open: Mutex<HashMap<String, Instant>>,
}

impl Sessions {
    pub fn new() -> Result<Sessions, String> {
        Ok(Sessions { secret: random()?, begun: Instant::now(), open: Mutex::default() })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody logged in.
    pub fn begin(&self) -> Result<String, String> {
        let id = hex(&random::<16>()?);
        let mut open = self.open();
        if open.len() >= MOST_SESSIONS
            && let Some(oldest) = open.iter().min_by_key(|(_, since)| **since).map(|(id, _)| id.clone())
        {
            open.remove(&oldest);
        }
        open.insert(id.clone(), Instant::now());
        Ok(id)
    }

    pub fn end(&self, id: &str) {
        self.open().remove(id);
    }

    /// `id.signature`
    pub fn signed(&self, purpose: Purpose, id: &str) -> String {
        format!("{id}.{}", self.signature(purpose, id))
    }

    /// Whose it is, where it was signed here for that purpose and nobody has logged out since.
    pub fn id_of<'a>(&self, purpose: Purpose, given: &'a str) -> Option<&'a str> {
        let (id, signature) = given.split_once('.')?;
        let is_good = same(signature, &self.signature(purpose, id)) && self.open().contains_key(id);
        is_good.then_some(id)
    }

    /// Lets who has it in to captured pages on another host, where cookies of the service do not go.
    pub fn ticket(&self, id: &str) -> String {
        let until = self.begun.elapsed().saturating_add(TICKET).as_secs();
        format!("{until}.{}", self.signed(Purpose::Ticket { until }, id))
    }

    /// Whose ticket it is, where it is not too old.
    pub fn id_of_ticket<'a>(&self, given: &'a str) -> Option<&'a str> {
        let (until, signed) = given.split_once('.')?;
        let until = until.parse().ok().filter(|until| self.begun.elapsed().as_secs() <= *until)?;
        self.id_of(Purpose::Ticket { until }, signed)
    }

    pub fn signature(&self, purpose: Purpose, id: &str) -> String {
        let inner = Sha256::new().chain_update(self.secret).chain_update(format!("{purpose:?} {id}"));
        // Twice: of a hash alone one could make that of a longer text.
        hex(&Sha256::new().chain_update(self.secret).chain_update(inner.finalize()).finalize())
    }
}

fn random<const N: usize>() -> Result<[u8; N], String> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|fault| format!("no random numbers: {fault}"))?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Takes the same time wherever they differ.
pub fn same(given: &str, expected: &str) -> bool {
    let (given, expected) = (Sha256::digest(given.as_bytes()), Sha256::digest(expected.as_bytes()));
    given.iter().zip(expected.iter()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::{Purpose, Sessions};

    #[test]
    fn what_was_signed_for_one_thing_says_nothing_about_another() {
        let sessions = Sessions::new().unwrap();
        let id = sessions.begin().unwrap();
        let (cookie, ticket) = (sessions.signed(Purpose::Cookie, &id), sessions.ticket(&id));
        assert_eq!(sessions.id_of(Purpose::Cookie, &cookie), Some(id.as_str()));
        assert_eq!(sessions.id_of(Purpose::ReplayCookie, &cookie), None);
        assert_eq!(sessions.id_of_ticket(&cookie), None);
        assert_eq!(sessions.id_of_ticket(&ticket), Some(id.as_str()));
        assert_eq!(sessions.id_of(Purpose::Cookie, &ticket), None);
        // Nobody makes it last longer.
        let (_, signed) = ticket.split_once('.').unwrap();
        assert_eq!(sessions.id_of_ticket(&format!("99999999.{signed}")), None);
        for nothing in ["", ".", "x", "x.y", &id] {
            assert_eq!(sessions.id_of(Purpose::Cookie, nothing), None);
            assert_eq!(sessions.id_of_ticket(nothing), None);
        }
        assert_eq!(Sessions::new().unwrap().id_of(Purpose::Cookie, &cookie), None, "another process");
    }

    #[test]
    fn who_logs_out_takes_everything_along_that_was_signed_for_it() {
        let sessions = Sessions::new().unwrap();
        let (id, other) = (sessions.begin().unwrap(), sessions.begin().unwrap());
        let signed = |id: &str| (sessions.signed(Purpose::ReplayCookie, id), sessions.ticket(id));
        let (cookie, ticket) = signed(&id);
        sessions.end(&id);
        assert_eq!(sessions.id_of(Purpose::ReplayCookie, &cookie), None);
        assert_eq!(sessions.id_of_ticket(&ticket), None);
        let (cookie, ticket) = signed(&other);
        assert!(sessions.id_of(Purpose::ReplayCookie, &cookie).is_some(), "others stay");
        assert!(sessions.id_of_ticket(&ticket).is_some());
    }
}
