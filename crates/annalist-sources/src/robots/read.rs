//! The lines of robots.txt: groups, rules and what stands beside them. Anything else is passed over.

use std::time::Duration;

use super::path::Pattern;
use super::{Kind, MOST_BYTES, Robots, Rule};

/// Longer waits are somebody's mistake, and a float could hold more than a duration can.
const LONGEST_DELAY_SECONDS: f64 = 7.0 * 24.0 * 3600.0;
/// A file of sitemap lines only is no reason to hold a million addresses.
const MOST_SITEMAPS: usize = 1000;

/// Whom the lines of a group are for.
#[derive(Clone, Copy, Default)]
struct Addressees {
    us: bool,
    everyone: bool,
}

/// The rules of one addressee, from all its groups.
#[derive(Default)]
struct Share {
    mentioned: bool,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

#[derive(Default)]
struct Reader {
    ours: Share,
    everyones: Share,
    sitemaps: Vec<String>,
    group: Addressees,
    /// A user-agent line after a rule begins a new group; one after another user-agent line adds to the group.
    rule_seen: bool,
}

pub(super) fn read(bytes: &[u8], product_token: &str) -> Robots {
    let token = token_of(product_token.as_bytes());
    let mut reader = Reader::default();
    for line in whole_lines(bytes) {
        reader.take(line, token);
    }
    let share = if reader.ours.mentioned { reader.ours } else { reader.everyones };
    Robots { rules: share.rules, crawl_delay: share.crawl_delay, sitemaps: reader.sitemaps }
}

/// The lines within the size limit. One that the limit cuts is left out: its start could forbid more than it says.
fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let is_end = |b: &u8| matches!(b, b'\n' | b'\r');
    let kept = match bytes.get(..MOST_BYTES) {
        Some(start) if bytes.len() > MOST_BYTES && !is_end(&bytes[MOST_BYTES]) => {
            &start[..start.iter().rposition(is_end).unwrap_or(0)]
        }
        Some(start) => start,
        None => bytes,
    };
    kept.split(is_end)
}

impl Reader {
    fn take(&mut self, line: &[u8], token: &[u8]) {
        let line = line.split(|b| *b == b'#').next().unwrap_or_default();
        let Some(colon) = line.iter().position(|b| *b == b':') else { return };
        let (key, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        if key.eq_ignore_ascii_case(b"user-agent") {
            self.user_agent(value, token);
        } else if key.eq_ignore_ascii_case(b"allow") {
            self.rule(Kind::Allow, value);
        } else if key.eq_ignore_ascii_case(b"disallow") {
            self.rule(Kind::Disallow, value);
        } else if key.eq_ignore_ascii_case(b"crawl-delay") {
            self.crawl_delay(value);
        } else if key.eq_ignore_ascii_case(b"sitemap") {
            self.sitemap(value);
        }
    }

    fn user_agent(&mut self, value: &[u8], token: &[u8]) {
        if self.rule_seen {
            self.group = Addressees::default();
            self.rule_seen = false;
        }
        if value.first() == Some(&b'*') {
            self.group.everyone = true;
            self.everyones.mentioned = true;
        } else if !token.is_empty() && token_of(value).eq_ignore_ascii_case(token) {
            self.group.us = true;
            self.ours.mentioned = true;
        }
    }

    fn rule(&mut self, kind: Kind, value: &[u8]) {
        self.rule_seen = true;
        // An empty pattern matches nothing: the customary way to allow everything.
        if value.is_empty() {
            return;
        }
        for share in self.shares() {
            let written = String::from_utf8_lossy(value).into_owned().into_boxed_str();
            share.rules.push(Rule { kind, pattern: Pattern::parse(value), written });
        }
    }

    /// Of several delays the longest counts.
    fn crawl_delay(&mut self, value: &[u8]) {
        let seconds: Option<f64> = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
        let Some(seconds) = seconds.filter(|s| s.is_finite() && *s >= 0.0) else { return };
        let delay = Duration::from_secs_f64(seconds.min(LONGEST_DELAY_SECONDS));
        for share in self.shares() {
            share.crawl_delay = share.crawl_delay.max(Some(delay));
        }
    }

    fn sitemap(&mut self, value: &[u8]) {
        if let Ok(url) = std::str::from_utf8(value)
            && !url.is_empty()
            && self.sitemaps.len() < MOST_SITEMAPS
        {
            self.sitemaps.push(url.to_owned());
        }
    }

    fn shares(&mut self) -> impl Iterator<Item = &mut Share> {
        let ours = self.group.us.then_some(&mut self.ours);
        let everyones = self.group.everyone.then_some(&mut self.everyones);
        ours.into_iter().chain(everyones)
    }
}

/// The product token that a name begins with: `annalist` of `Annalist/1.0`.
fn token_of(name: &[u8]) -> &[u8] {
    let end = name.iter().position(|b| !(b.is_ascii_alphabetic() || matches!(b, b'-' | b'_')));
    &name[..end.unwrap_or(name.len())]
}
