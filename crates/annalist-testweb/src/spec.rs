//! A crawl spec for this web, in the crawler's TOML.

use crate::hazards::Hazard;
use crate::layout::HostKind;
use crate::server::TestWeb;

/// Pages that a trap without end may take of a crawl, at least.
const LEAST_SITE_LIMIT: usize = 200;

pub(crate) fn whole(web: &TestWeb) -> String {
    let world = web.world();
    let mut toml =
        format!("name = \"testweb-{}\"\ncontact = \"http://testweb.test/crawler\"\n", world.config().seed);
    for seed in world.seeds() {
        toml.push_str(&format!("\n[[seed]]\nurl = \"{seed}\"\nscope = \"any\"\n"));
    }
    if let Some(limit) = site_limit(web) {
        toml.push_str(&format!("\n[limits]\nsite_pages = {limit}\n"));
    }
    toml.push_str("\n[politeness]\nmin_delay = \"0s\"\nmax_delay = \"0s\"\nmax_crawl_delay = \"0s\"\n\n");
    toml.push_str(&network(web));
    toml
}

pub(crate) fn network(web: &TestWeb) -> String {
    let mut toml = String::from("[network]\nallow = [\"127.0.0.0/8\"]\n\n[network.resolve]\n");
    for (host, address) in web.resolve_table() {
        toml.push_str(&format!("\"{host}\" = \"{address}\"\n"));
    }
    toml
}

/// Only where a trap would go on for ever: twice what the largest healthy site can need.
fn site_limit(web: &TestWeb) -> Option<usize> {
    let world = web.world();
    let unbounded = |hazard: &Hazard| hazard.is_unbounded();
    if !world.config().hazards.iter().any(unbounded) {
        return None;
    }
    let mut largest: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
    for host in world.hosts() {
        // Threads of up to three pages, duplicates, redirects, lists, pictures.
        let per_item = if host.kind == HostKind::Forum { 5 } else { 3 };
        *largest.entry(host.site()).or_default() += host.items * per_item + host.images + 20;
    }
    Some(largest.into_values().max().unwrap_or(0).saturating_mul(2).max(LEAST_SITE_LIMIT))
}
