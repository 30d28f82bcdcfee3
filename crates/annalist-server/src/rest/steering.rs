//! A crawl is steered: started, paused, stopped, and its spec changed while it runs.

use std::collections::HashSet;
use std::time::Duration;

use annalist_crawl::clock;
use annalist_model::UrlError;
use annalist_model::spec::{SIGNALS, Seed, SiteRules, Spec, duration, host_name};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::crawls::{CrawlView, blocking};
use super::reading::{Body, Place};
use crate::problem::Problem;
use crate::serve::App;
use crate::wanted::Schedule;

/// Starts a crawl, lets a paused one go on, or takes up one that was stopped.
#[utoipa::path(post, path = "/api/crawls/{id}/start", params(("id" = String, Path)), responses(
    (status = 202, body = CrawlView), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn start(State(app): State<App>, Place(id): Place<String>) -> Answer {
    steer(app, id, |app, id| app.service.start(id)).await
}

/// Nobody is asked until it goes on; what is under way is finished.
#[utoipa::path(post, path = "/api/crawls/{id}/pause", params(("id" = String, Path)), responses(
    (status = 202, body = CrawlView), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn pause(State(app): State<App>, Place(id): Place<String>) -> Answer {
    steer(app, id, |app, id| app.service.pause(id)).await
}

/// Finishes the pages under way and ends; asked again, it ends at once.
#[utoipa::path(post, path = "/api/crawls/{id}/stop", params(("id" = String, Path)), responses(
    (status = 202, body = CrawlView), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn stop(State(app): State<App>, Place(id): Place<String>) -> Answer {
    steer(app, id, |app, id| app.service.stop(id)).await
}

type Answer = Result<(StatusCode, Json<CrawlView>), Problem>;

async fn steer(
    app: App,
    id: String,
    act: impl FnOnce(&App, &str) -> Result<(), Problem> + Send + 'static,
) -> Answer {
    let seen = blocking(move || {
        act(&app, &id)?;
        app.service.see(&id)
    });
    Ok((StatusCode::ACCEPTED, Json(CrawlView::of(seen.await?))))
}

/// What a spec is known by, as `ETag` says it: another for every change.
fn tag_of(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{hex}\"")
}

/// Whether `If-Match` allows to change what is known by this tag.
fn is_meant(headers: &HeaderMap, tag: &str) -> bool {
    let mut wanted = headers.get_all(header::IF_MATCH).iter().peekable();
    let is_it = |given: &str| given.split(',').map(str::trim).any(|one| one == "*" || one == tag);
    wanted.peek().is_none() || wanted.any(|given| given.to_str().is_ok_and(is_it))
}

/// The spec of a crawl, in TOML. One that cannot be used is given as it stands in its file, to be repaired. `ETag` names this
/// very text: send it as `If-Match` with a change, and nobody else's change is undone.
#[utoipa::path(get, path = "/api/crawls/{id}/spec", params(("id" = String, Path)), responses(
    (status = 200, body = String, content_type = "application/toml", headers(("ETag" = String))), (status = 404, body = Problem)))]
pub async fn spec(State(app): State<App>, Place(id): Place<String>) -> Result<impl IntoResponse, Problem> {
    let text = blocking(move || app.service.spec_text(&id)).await?;
    let kind = HeaderValue::from_static("application/toml");
    let tag = HeaderValue::from_str(&tag_of(&text)).map_err(|fault| Problem::internal("no tag", &fault))?;
    Ok(([(header::CONTENT_TYPE, kind), (header::ETAG, tag)], text))
}

/// What a change came to.
#[derive(Debug, Serialize, ToSchema)]
pub struct Changed {
    /// Parts of the spec that are taken up by the next start only.
    pub later: Vec<String>,
    /// Why pages are judged by another topic than the spec names, also after the next start: `POST …/learn-again` changes that.
    pub judged_apart: Option<String>,
}

impl Changed {
    fn of(app: &App, id: &str, later: Vec<&'static str>) -> Json<Changed> {
        let later = later.into_iter().map(str::to_owned).collect();
        Json(Changed { later, judged_apart: app.service.judged_apart(id) })
    }
}

/// Sets the definition of the topic aside, corrected or not, as `definition.toml.before`: the next start learns from the spec.
#[utoipa::path(post, path = "/api/crawls/{id}/learn-again", params(("id" = String, Path)), responses(
    (status = 202, body = CrawlView), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn learn_again(State(app): State<App>, Place(id): Place<String>) -> Answer {
    steer(app, id, |app, id| app.service.learn_again(id)).await
}

/// Another spec, in TOML; a running crawl takes it up at once. Seeds of a crawl that was started can be added, not taken away.
/// With `If-Match` only if nobody has changed it since it was read.
#[utoipa::path(put, path = "/api/crawls/{id}/spec", params(("id" = String, Path), ("If-Match" = Option<String>, Header, description = "`ETag` of the spec that this one was made of")),
    request_body(content = String, content_type = "application/toml"),
    responses((status = 200, body = Changed), (status = 404, body = Problem), (status = 412, body = Problem), (status = 422, body = Problem)))]
pub async fn change(
    State(app): State<App>,
    Place(id): Place<String>,
    headers: HeaderMap,
    text: String,
) -> Result<Json<Changed>, Problem> {
    let rewrite = move |now: &str| match is_meant(&headers, &tag_of(now)) {
        true => Ok(text),
        false => {
            let why = "the spec was changed since you read it: read it again, and change that";
            Err(Problem::new(StatusCode::PRECONDITION_FAILED, why))
        }
    };
    blocking(move || Ok(Changed::of(&app, &id, app.service.rewrite(&id, rewrite)?))).await
}

async fn amend(
    app: App,
    id: String,
    amend: impl FnOnce(&mut Spec) -> Result<(), Problem> + Send + 'static,
) -> Result<Json<Changed>, Problem> {
    blocking(move || Ok(Changed::of(&app, &id, app.service.amend(&id, amend).map_err(as_sent)?))).await
}

/// Names what is wrong as it was sent: who changes one thing has not sent the spec, nor its lines.
fn as_sent(mut problem: Problem) -> Problem {
    for error in &mut problem.errors {
        let own = ["judge.weights.", "limits.", "site["].iter().any(|part| error.field.starts_with(part));
        if let Some((_, name)) = error.field.rsplit_once('.').filter(|_| own) {
            error.field = if name.ends_with("size") { format!("{name}_bytes") } else { name.to_owned() };
        }
        error.line = None;
    }
    if let [only] = problem.errors.as_slice() {
        problem.detail = format!("{}: {}", only.field, only.detail);
    }
    problem
}

/// Addresses that the crawl begins with, too.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSeeds {
    pub urls: Vec<String>,
}

/// Adds seeds; `http://` where one has no scheme. They keep the scope that seeds have where nothing else is said: their host.
/// Where one is wrong, none is added, and all that are wrong are named.
#[utoipa::path(post, path = "/api/crawls/{id}/seeds", params(("id" = String, Path)), request_body = NewSeeds,
    responses((status = 200, body = Changed), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn add_seeds(
    State(app): State<App>,
    Place(id): Place<String>,
    Body(new): Body<NewSeeds>,
) -> Result<Json<Changed>, Problem> {
    blocking(move || Ok(Changed::of(&app, &id, amend_seeds(&app, &id, &new.urls)?.1))).await
}

/// Adds seeds to a crawl's spec. Says how many of them are new, and which parts wait for its next start.
pub fn amend_seeds(app: &App, id: &str, urls: &[String]) -> Result<(usize, Vec<&'static str>), Problem> {
    let mut added = 0;
    let later = app.service.amend(id, |spec| {
        let typed = urls.iter().map(|url| spec.canonical.parse_typed(url));
        let (good, bad): (Vec<_>, Vec<_>) = typed.enumerate().partition(|(_, parsed)| parsed.is_ok());
        // All that is wrong is named: who gives a list does not mend it line by line.
        let fault = |(place, parsed): (usize, Result<_, UrlError>)| Some((place, parsed.err()?.to_string()));
        let faults = bad.into_iter().filter_map(fault);
        Problem::fields(faults.map(|(place, why)| (format!("urls[{place}]"), why)))?;
        let mut known: HashSet<String> = spec.seeds.iter().map(|seed| seed.url.as_str().to_owned()).collect();
        for url in good.into_iter().filter_map(|(_, parsed)| parsed.ok()) {
            if known.insert(url.as_str().to_owned()) {
                spec.seeds.push(Seed::new(url));
                added += 1;
            }
        }
        Ok(())
    })?;
    Ok((added, later))
}

/// The rules of a site in a spec; made where there are none.
fn rules_of(spec: &mut Spec, site: String) -> Option<&mut SiteRules> {
    let place = spec.sites.iter().position(|rules| rules.site == site);
    let place = place.unwrap_or_else(|| {
        spec.sites.push(SiteRules { site, ..SiteRules::default() });
        spec.sites.len() - 1
    });
    spec.sites.get_mut(place)
}

/// Blocks a site, or allows it again.
pub fn block_site(app: &App, id: &str, site: &str, blocked: bool) -> Result<Vec<&'static str>, Problem> {
    let site = named(site)?;
    app.service.amend(id, |spec| {
        block(spec, &site, blocked);
        Ok(())
    })
}

/// In one place of the spec, where its form shows it, too.
fn block(spec: &mut Spec, site: &str, blocked: bool) {
    spec.scope.blocked_sites.retain(|name| name != site);
    spec.sites.iter_mut().filter(|rules| rules.site == site).for_each(|rules| rules.blocked = false);
    let bare = SiteRules { site: site.to_owned(), ..SiteRules::default() };
    spec.sites.retain(|rules| *rules != bare);
    if blocked {
        spec.scope.blocked_sites.push(site.to_owned());
    }
}

/// A site as the spec calls it, however it was spelled.
fn named(site: &str) -> Result<String, Problem> {
    host_name(site).ok_or_else(|| Problem::field("site", "expected the name of a site, such as example.org"))
}

/// A time as people write it, where one was written.
pub fn read_duration(name: &str, text: Option<&str>) -> Result<Option<Duration>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let read = duration::parse(text).map(Some);
    read.ok_or_else(|| Problem::field(name, "expected a time such as \"500ms\", \"2s\" or \"12h\""))
}

/// What is different for one site. What is left out stays as it is; `null` takes away what was set.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SiteChange {
    /// `true`: it is not asked any more.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<bool>)]
    pub blocked: Option<Option<bool>>,
    /// `"2s"`
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub min_delay: Option<Option<String>>,
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub max_delay: Option<Option<String>>,
    /// Pages of it at most.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<u64>)]
    pub pages: Option<Option<u64>>,
    /// Bytes received of it at most.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<u64>)]
    pub size_bytes: Option<Option<u64>>,
}

/// Tells `null` from what is left out.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// Blocks a site, or changes its delays and its budget; running fetchers take it up at once.
#[utoipa::path(put, path = "/api/crawls/{id}/sites/{site}", params(("id" = String, Path), ("site" = String, Path)), request_body = SiteChange,
    responses((status = 200, body = Changed), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn site(
    State(app): State<App>,
    Place((id, site)): Place<(String, String)>,
    Body(change): Body<SiteChange>,
) -> Result<Json<Changed>, Problem> {
    blocking(move || Ok(Changed::of(&app, &id, amend_site(&app, &id, &site, change)?))).await
}

/// Changes what is different for one site.
pub fn amend_site(app: &App, id: &str, site: &str, change: SiteChange) -> Result<Vec<&'static str>, Problem> {
    let delay = |name: &str, given: Option<Option<String>>| {
        given.map(|text| read_duration(name, text.as_deref())).transpose()
    };
    let site = named(site)?;
    let min_delay = delay("min_delay", change.min_delay)?;
    let max_delay = delay("max_delay", change.max_delay)?;
    let amended = app.service.amend(id, |spec| {
        if let Some(blocked) = change.blocked {
            block(spec, &site, blocked.unwrap_or_default());
        }
        let is_budget = change.pages.is_some() || change.size_bytes.is_some();
        if min_delay.is_none() && max_delay.is_none() && !is_budget {
            return Ok(());
        }
        if let Some(rules) = rules_of(spec, site) {
            rules.min_delay = min_delay.unwrap_or(rules.min_delay);
            rules.max_delay = max_delay.unwrap_or(rules.max_delay);
            rules.pages = change.pages.unwrap_or(rules.pages);
            rules.size_bytes = change.size_bytes.unwrap_or(rules.size_bytes);
        }
        Ok(())
    });
    amended.map_err(as_sent)
}

/// When the crawl ends. All of them are replaced; what is left out is without limit.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NewLimits {
    pub pages: Option<u64>,
    pub size_bytes: Option<u64>,
    /// `"12h"`
    pub time: Option<String>,
    /// Of each site.
    pub site_pages: Option<u64>,
    pub site_size_bytes: Option<u64>,
}

/// Other limits. What was skipped for a limit that is higher now waits again.
#[utoipa::path(put, path = "/api/crawls/{id}/limits", params(("id" = String, Path)), request_body = NewLimits,
    responses((status = 200, body = Changed), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn limits(
    State(app): State<App>,
    Place(id): Place<String>,
    Body(new): Body<NewLimits>,
) -> Result<Json<Changed>, Problem> {
    let time = read_duration("time", new.time.as_deref())?;
    amend(app, id, move |spec| {
        let limits = &mut spec.limits;
        (limits.pages, limits.size_bytes, limits.time) = (new.pages, new.size_bytes, time);
        (limits.site_pages, limits.site_size_bytes) = (new.site_pages, new.site_size_bytes);
        Ok(())
    })
    .await
}

/// How much each signal counts: 1 leaves it as it is, 0 turns it off.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Weights(pub std::collections::BTreeMap<String, f64>);

/// Other weights of the judge. What it has learned stays; waiting links are put into a new order.
#[utoipa::path(put, path = "/api/crawls/{id}/weights", params(("id" = String, Path)), request_body = Weights,
    responses((status = 200, body = Changed), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn weights(
    State(app): State<App>,
    Place(id): Place<String>,
    Body(Weights(weights)): Body<Weights>,
) -> Result<Json<Changed>, Problem> {
    if let Some(name) = weights.keys().find(|name| !SIGNALS.contains(&name.as_str())) {
        let why = format!("there is no such signal; there are {}", SIGNALS.join(", "));
        return Err(Problem::field(name, why));
    }
    amend(app, id, move |spec| {
        for (name, weight) in weights {
            spec.judge.weights.retain(|(known, _)| *known != name);
            spec.judge.weights.push((name, weight));
        }
        Ok(())
    })
    .await
}

/// Starts the crawl by itself: once, or again and again.
#[utoipa::path(put, path = "/api/crawls/{id}/schedule", params(("id" = String, Path)), request_body = Schedule,
    responses((status = 200, body = Schedule), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn schedule(
    State(app): State<App>,
    Place(id): Place<String>,
    Body(schedule): Body<Schedule>,
) -> Result<Json<Schedule>, Problem> {
    let schedule = schedule.checked(clock::now())?;
    let kept = schedule.clone();
    blocking(move || app.service.set_schedule(&id, Some(kept))).await?;
    Ok(Json(schedule))
}

/// Starts the crawl only when somebody does.
#[utoipa::path(delete, path = "/api/crawls/{id}/schedule", params(("id" = String, Path)), responses((status = 204), (status = 404, body = Problem)))]
pub async fn unschedule(State(app): State<App>, Place(id): Place<String>) -> Result<StatusCode, Problem> {
    blocking(move || app.service.set_schedule(&id, None)).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_name_that_can_be_no_host_is_refused() {
        for good in ["Example.org", "example.org.", "127.0.0.1", "[::1]", "bücher.test"] {
            assert!(named(good).is_ok(), "{good}");
        }
        let long = format!("{}.test", "a".repeat(64));
        for bad in ["exa..mple", ".example", "a b", "", "example.org/x", long.as_str()] {
            let problem = named(bad).unwrap_err();
            assert_eq!(problem.status, 422, "{bad}");
        }
    }
}
