//! The live web as a source: `locate` finds the address of a link, `fetch` makes one exchange with it. Redirects are
//! not followed, robots.txt is not consulted and no delay is kept here: the engine does that between the two.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annalist_model::spec::{DigestKind, FetchRules, Network};
use annalist_model::{CanonicalUrl, Capture, Time};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use crate::connection::{Connection, Open, Wire};
use crate::cookies::Jar;
use crate::dns::{Lookup, Resolver};
use crate::error::{FetchError, SetupError, Waiting};
use crate::exchange::{After, Exchanged, Terms, exchange};
use crate::guard::{Guard, Refused};
use crate::lane::SlowLane;
use crate::request::{self, Wanted};
use crate::spool::Spool;
use crate::tls::Tls;

#[derive(Clone, Debug)]
pub struct WebSettings {
    /// With the contact in it; printable ASCII.
    pub user_agent: String,
    /// The mail address of who crawls.
    pub from: Option<String>,
    pub rules: FetchRules,
    pub network: Network,
    pub digest: DigestKind,
    /// Where large responses are kept until they are recorded. Made if absent.
    pub spool: PathBuf,
    /// Where large responses are dealt with.
    pub lane: SlowLane,
}

/// The live web. Clones share everything.
#[derive(Clone, Debug)]
pub struct WebSource {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// The fields of a request that say who asks.
    introduction: String,
    rules: FetchRules,
    digest: DigestKind,
    guard: Guard,
    resolver: Resolver,
    tls: Tls,
    jar: Mutex<Jar>,
    spool: Arc<Spool>,
    lane: SlowLane,
}

/// Where a link's host is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The one address to dial, or why none may be.
    pub address: Result<SocketAddr, Refused>,
    /// The lookup, when there was one just now: it is archived.
    pub dns: Option<Lookup>,
}

impl WebSource {
    pub fn new(settings: WebSettings) -> Result<WebSource, SetupError> {
        for text in [Some(&settings.user_agent), settings.from.as_ref()].into_iter().flatten() {
            if !request::is_field_text(text) {
                return Err(SetupError::FieldText(text.clone()));
            }
        }
        let inner = Inner {
            guard: Guard::new(&settings.network.allow),
            resolver: Resolver::new(&settings.network, settings.rules.connect_timeout),
            tls: Tls::new(settings.rules.bad_certificates)?,
            jar: Mutex::default(),
            spool: Arc::new(Spool::open(settings.spool).map_err(SetupError::Spool)?),
            lane: settings.lane,
            introduction: request::introduction(&settings.user_agent, settings.from.as_deref()),
            rules: settings.rules,
            digest: settings.digest,
        };
        Ok(WebSource { inner: Arc::new(inner) })
    }

    /// The address that `fetch` is to dial, so that the engine can wait for that server's turn before.
    pub async fn locate(&self, url: &CanonicalUrl, now: Time) -> Result<Located, FetchError> {
        let resolved = self.inner.resolver.resolve(url, now).await?;
        let vet = |address: SocketAddr| self.inner.guard.vet(address.ip()).map(|()| address);
        let mut vetted = resolved.addresses.into_iter().map(vet);
        let first = vetted.next().ok_or_else(|| FetchError::NoSuchName(url.host_name().to_owned()))?;
        let address = first.or_else(|refused| vetted.find_map(Result::ok).ok_or(refused));
        Ok(Located { address, dns: resolved.lookup })
    }

    /// One exchange over `connection`, which is opened, or opened again, as needed. `via` is the page that named the
    /// link. `started` is the capture's date.
    pub async fn fetch(
        &self,
        url: &CanonicalUrl,
        at: SocketAddr,
        connection: &mut Connection,
        via: Option<&str>,
        started: Time,
    ) -> Result<Capture, FetchError> {
        self.ask(url, at, connection, Wanted::Whole { via }, started).await
    }

    /// The same, for whoever wants a part.
    pub(crate) async fn ask(
        &self,
        url: &CanonicalUrl,
        at: SocketAddr,
        connection: &mut Connection,
        wanted: Wanted<'_>,
        started: Time,
    ) -> Result<Capture, FetchError> {
        let begun = Instant::now();
        let inner = &*self.inner;
        // Instants beyond any calendar are no limit; a day is longer than any fetch.
        let a_day = std::time::Duration::from_secs(24 * 3600);
        let deadline = begun + inner.rules.max_time.min(a_day);
        let cookies = inner.jar().and_then(|jar| jar.field(url, started));
        let request = request::request(url, &inner.introduction, wanted, cookies.as_deref());
        let Inner { rules, digest, spool, lane, .. } = inner;
        let terms = Terms { rules, digest: *digest, spool, lane, deadline };

        connection.settled();
        let kept = connection.take(url, at).await;
        let was_kept = kept.is_some();
        let mut open = match kept {
            Some(open) => open,
            None => inner.dial(url, at, deadline, started).await?,
        };
        let mut exchanged = exchange(&mut open.wire, &request, &terms).await.map_err(|failed| {
            // Nobody knows whether the server saw the request: the engine asks again when the server has rested.
            if was_kept && failed.unanswered { FetchError::Stale } else { failed.error }
        })?;

        if let Some(mut jar) = inner.jar() {
            jar.take(url, exchanged.head.all("set-cookie"), started);
        }
        let certificate_fault = open.certificate_fault.clone();
        connection.place = exchanged.place.take();
        if exchanged.after == After::KeepOpen {
            connection.give_back(open);
        }
        Ok(capture(url, at, request, exchanged, certificate_fault, started, begun))
    }
}

fn capture(
    url: &CanonicalUrl,
    at: SocketAddr,
    request: Vec<u8>,
    exchanged: Exchanged,
    certificate_fault: Option<String>,
    started: Time,
    begun: Instant,
) -> Capture {
    Capture {
        url: url.clone(),
        started,
        elapsed: begun.elapsed(),
        server: at.ip(),
        request,
        response: exchanged.response,
        head: exchanged.head,
        payload_digest: exchanged.payload_digest,
        payload_length: exchanged.payload_length,
        body: exchanged.body,
        truncated: exchanged.truncated,
        certificate_fault,
    }
}

impl Inner {
    /// The only place where a connection is opened, so the only place where the address must be vetted.
    async fn dial(
        &self,
        url: &CanonicalUrl,
        at: SocketAddr,
        deadline: Instant,
        now: Time,
    ) -> Result<Open, FetchError> {
        self.guard.vet(at.ip())?;
        let until =
            Instant::now().checked_add(self.rules.connect_timeout).map_or(deadline, |t| t.min(deadline));
        let dialled = timeout_at(until, self.open(url, at)).await;
        let opened = dialled.unwrap_or(Err(FetchError::Timeout(Waiting::Connecting)));
        if let Err(FetchError::Connect(_) | FetchError::Timeout(_)) = &opened {
            self.resolver.demote(url, at.ip(), now);
        }
        opened
    }

    async fn open(&self, url: &CanonicalUrl, at: SocketAddr) -> Result<Open, FetchError> {
        let tcp = TcpStream::connect(at).await.map_err(FetchError::Connect)?;
        tcp.set_nodelay(true).map_err(FetchError::Connect)?;
        let (wire, certificate_fault) = if url.is_https() {
            let (tls, fault) = self.tls.connect(url.host_name(), tcp).await?;
            (Wire::Tls(Box::new(tls)), fault)
        } else {
            (Wire::Plain(tcp), None)
        };
        Ok(Open { wire, address: at, host: url.host().to_owned(), certificate_fault })
    }

    /// `None` when the spec wants no cookies.
    fn jar(&self) -> Option<MutexGuard<'_, Jar>> {
        self.rules.cookies.then(|| self.jar.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
