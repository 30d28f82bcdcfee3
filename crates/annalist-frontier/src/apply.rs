//! What each change does to memory, in the order of the journal. Replay goes the same way.

use annalist_model::spec::Update;
use annalist_model::{Outcome, Time, UrlKey};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::bucket::Reading;
use crate::change::{Spelt, Text};
use crate::entry::{Entry, Kind, SiteRow, overlay};
use crate::error::FrontierError;
use crate::frontier::Frontier;
use crate::head::Head;
use crate::journal::Committed;
use crate::record::{self, Ending, Original, Record};
use crate::settings::{Purpose, Urgency, bucket_of};

impl Frontier {
    /// Takes in what was committed, in the order it was. Reads from disk at most to check some mentions; never waits for
    /// a sync or a merge. After an error the frontier has to be opened again.
    pub fn apply(&mut self, committed: Committed) -> Result<(), FrontierError> {
        if self.broken {
            return Err(FrontierError::Broken);
        }
        let applied = self.apply_all(&committed).and_then(|()| self.attend());
        self.broken |= applied.is_err();
        applied
    }

    /// As `apply`, for what the journal had when it was opened.
    pub(crate) fn replay(&mut self, committed: &Committed) -> Result<(), FrontierError> {
        self.apply_all(committed)?;
        self.attend_merges()?;
        self.make_room()
    }

    fn apply_all(&mut self, committed: &Committed) -> Result<(), FrontierError> {
        self.lookups_left = 64 + committed.batch.count / 32;
        let mut sequence = committed.sequence;
        for change in committed.batch.changes() {
            let change = change.map_err(FrontierError::malformed("journal"))?;
            self.apply_change(committed, sequence, change)?;
            sequence += 1;
        }
        self.position = committed.position;
        self.sequence = sequence;
        Ok(())
    }

    /// A bucket whose run includes this change already is left alone.
    fn is_news(&mut self, site: u64, position: u64) -> bool {
        let bucket = &mut self.buckets[bucket_of(site)];
        if position <= bucket.mark {
            return false;
        }
        if bucket.pending.is_empty() {
            bucket.pending.since = self.position;
        }
        true
    }

    fn apply_change(
        &mut self,
        committed: &Committed,
        sequence: u64,
        change: Spelt<'_>,
    ) -> Result<(), FrontierError> {
        let position = committed.position;
        match change {
            Spelt::Discovered { key, value, urgency, depth, text } => {
                let mut mention = Entry::new(key, Kind::Queued).unchecked();
                (mention.value, mention.depth) = (value, depth);
                (mention.count, mention.turn) = (1, sequence);
                if urgency == Urgency::Urgent {
                    mention = mention.urgent();
                }
                let text = Text { offset: committed.start() + text.offset, ..text };
                if self.is_news(key.site, position) { self.mentioned(mention, text) } else { Ok(()) }
            }
            Spelt::Refused { key, depth, text } => {
                let mut mention = Entry::new(key, Kind::Refused).unchecked();
                (mention.count, mention.turn, mention.depth) = (1, sequence, depth);
                let text = Text { offset: committed.start() + text.offset, ..text };
                if self.is_news(key.site, position) { self.mentioned(mention, text) } else { Ok(()) }
            }
            Spelt::Done { key, purpose, body } => self.done(position, key, purpose, body),
            Spelt::Retry { key, not_before, tries, body } => {
                if self.is_news(key.site, position) {
                    self.retry(key, not_before, tries, body)
                } else {
                    Ok(())
                }
            }
            Spelt::Again { key, not_before, body } => {
                if self.is_news(key.site, position) {
                    self.again(key, not_before, body)
                } else {
                    Ok(())
                }
            }
            Spelt::Valued { key, value } => {
                if self.is_news(key.site, position) {
                    self.valued(key, value)
                } else {
                    Ok(())
                }
            }
            Spelt::SiteRests { site, until, delay_millis } => {
                if self.is_news(site, position) {
                    self.site_rests(site, until, delay_millis)
                } else {
                    Ok(())
                }
            }
            Spelt::SiteRestsAnew { site, until, delay_millis } => {
                if self.is_news(site, position) {
                    self.site_rests_anew(site, until, delay_millis)
                } else {
                    Ok(())
                }
            }
            Spelt::HostRests { site, host, until } => {
                if self.is_news(site, position) {
                    self.host_rests(site, host, until)
                } else {
                    Ok(())
                }
            }
            Spelt::SiteClosed { site, reason } => {
                if self.is_news(site, position) {
                    self.change_site(site, |row| row.closed = Some(reason))?;
                    self.wake(site);
                }
                Ok(())
            }
            Spelt::SiteOpened { site } => {
                if self.is_news(site, position) {
                    self.site_opened(site)
                } else {
                    Ok(())
                }
            }
            Spelt::Note { name, value } => {
                self.notes.insert(name.to_owned(), value.to_owned());
                Ok(())
            }
        }
    }

    /// A link was discovered or refused; the text's offset is its position in the journal.
    fn mentioned(&mut self, mention: Entry, text: Text<'_>) -> Result<(), FrontierError> {
        let update = self.update;
        let bucket = &mut self.buckets[bucket_of(mention.key.site)];
        let Some(place) = bucket.pending.find(mention.key) else {
            return self.mentioned_first(mention, text);
        };
        let Some(before) = bucket.pending.at(place).copied() else { return Ok(()) };
        let overlaid = overlay(update, Some(&before), &mention.with_text(1));
        let mut after = overlaid.entry;
        if overlaid.adds_text {
            after.text = bucket.pending.add_text(before.text, text.body);
        }
        if before.is_unchecked() {
            bucket.pending.put_at(place, after.unchecked());
            // What could come of it was considered when it was mentioned before.
            let same = self.ranking.rank(&before) == self.ranking.rank(&after);
            let considered = same && before.is_queued() && update != Update::Avg;
            return if considered { Ok(()) } else { self.doubt(&after) };
        }
        bucket.pending.put_at(place, after);
        bucket.pending.tally.take_away(&before);
        bucket.pending.tally.add(&after);
        self.moved(&before, &after)
    }

    /// The first mention since the last merge.
    fn mentioned_first(&mut self, mention: Entry, text: Text<'_>) -> Result<(), FrontierError> {
        let bucket = &mut self.buckets[bucket_of(mention.key.site)];
        if !bucket.is_certainly_new(mention.key) {
            let mention = mention.with_text(bucket.pending.mention_text(text.offset, text.body));
            bucket.pending.insert(mention);
            return self.doubt(&mention);
        }
        let entry = mention.with_text(bucket.pending.add_text(0, text.body)).checked();
        bucket.pending.insert(entry);
        bucket.pending.tally.add(&entry);
        if entry.is_queued() { self.arrived(&entry) } else { Ok(()) }
    }

    /// A link that was not queued before: to its place in memory.
    pub(crate) fn arrived(&mut self, entry: &Entry) -> Result<(), FrontierError> {
        if self.load(entry.key.site)?
            && let Some(site) = self.site_mut(entry.key.site)
        {
            site.queued += 1;
        }
        self.offer(entry)
    }

    /// A checked row changed by a mention or a new value.
    fn moved(&mut self, before: &Entry, after: &Entry) -> Result<(), FrontierError> {
        if !after.is_queued() {
            return Ok(());
        }
        if !before.is_queued() {
            return self.arrived(after);
        }
        let (old, new) = (self.ranking.rank(before), self.ranking.rank(after));
        if old == new {
            return Ok(());
        }
        if let Some(site) = self.site_mut(after.key.site) {
            site.head.remove(&old);
        }
        self.offer(after)
    }

    fn valued(&mut self, key: UrlKey, value: f32) -> Result<(), FrontierError> {
        let update = self.update;
        let bucket = &mut self.buckets[bucket_of(key.site)];
        let Some(before) = bucket.resolve(update, key)? else { return Ok(()) };
        if !before.is_queued() {
            return Ok(());
        }
        let mut after = before;
        after.value = value;
        bucket.replace(Some(&before), after, None);
        self.moved(&before, &after)
    }

    fn done(
        &mut self,
        position: u64,
        key: UrlKey,
        purpose: Purpose,
        body: &[u8],
    ) -> Result<(), FrontierError> {
        let record = record::read(body).map_err(FrontierError::malformed("journal"))?;
        let Record::Ending(ending) = record else {
            return Err(FrontierError::damaged("journal", "an outcome is something else"));
        };
        if self.is_news(key.site, position) {
            self.settle(key);
            let update = self.update;
            let bucket = &mut self.buckets[bucket_of(key.site)];
            let before = bucket.resolve(update, key)?;
            let mut after = before.unwrap_or(Entry::new(key, Kind::Done));
            after.set_kind(Kind::Done);
            bucket.replace(before.as_ref(), after, Some(body));
            self.left_queue(key, before.as_ref());
            let kept = purpose == Purpose::Page && !matches!(ending.outcome, Outcome::Skipped { .. });
            self.change_site(key.site, |row| {
                row.captures = row.captures.saturating_add(u32::from(kept));
                row.bytes = row.bytes.saturating_add(ending.bytes);
            })?;
            self.wake(key.site);
        }
        self.keep_digest(position, key, &ending)
    }

    /// The first capture of a payload is what later ones refer to.
    fn keep_digest(&mut self, position: u64, key: UrlKey, ending: &Ending) -> Result<(), FrontierError> {
        let (Outcome::Captured { .. }, Some(digest)) = (&ending.outcome, &ending.digest) else {
            return Ok(());
        };
        let digest_key = digest_key(digest);
        if !self.is_news(digest_key.site, position) {
            return Ok(());
        }
        let update = self.update;
        if self.buckets[bucket_of(digest_key.site)].peek(update, digest_key)?.is_some() {
            return Ok(());
        }
        let original = Original {
            digest: digest.clone(),
            place: ending.place.clone(),
            url: self.url_of(key)?.unwrap_or_default(),
            at: ending.at,
        };
        let mut body = Vec::new();
        record::put_original(&mut body, &original);
        let bucket = &mut self.buckets[bucket_of(digest_key.site)];
        bucket.replace(None, Entry::new(digest_key, Kind::Digest), Some(&body));
        Ok(())
    }

    fn url_of(&self, key: UrlKey) -> Result<Option<String>, FrontierError> {
        let mut url = None;
        self.buckets[bucket_of(key.site)].examine(
            self.update,
            key,
            &mut |body| match record::read(body) {
                Ok(Record::Link(link) | Record::Refused { link, .. }) => {
                    url = Some(link.url);
                    Reading::Enough
                }
                _ => Reading::Further,
            },
        )?;
        Ok(url)
    }

    fn retry(&mut self, key: UrlKey, not_before: Time, tries: u16, body: &[u8]) -> Result<(), FrontierError> {
        self.settle(key);
        let update = self.update;
        let bucket = &mut self.buckets[bucket_of(key.site)];
        let Some(before) = bucket.resolve(update, key)?.filter(Entry::is_queued) else { return Ok(()) };
        let after = before.retried(not_before, tries);
        bucket.replace(Some(&before), after, Some(body));
        let rank = self.ranking.rank(&after);
        if let Some(site) = self.site_mut(key.site) {
            site.remove(key.url);
            // Whether its time has come is seen when the site has its next turn.
            site.set_aside(rank.not_before(), rank);
        }
        self.wake(key.site);
        Ok(())
    }

    /// Back into the queue; its outcomes so far stay in its texts. No other way leads from an outcome back there, so what
    /// was blacklisted once stays out, also where the visit that was under way then ended later.
    fn again(&mut self, key: UrlKey, not_before: Time, body: &[u8]) -> Result<(), FrontierError> {
        if self.is_blacklisted(key)? {
            return Ok(());
        }
        let update = self.update;
        let bucket = &mut self.buckets[bucket_of(key.site)];
        let is_done = |entry: &Entry| entry.kind() == Kind::Done;
        let Some(before) = bucket.resolve(update, key)?.filter(is_done) else { return Ok(()) };
        let mut after = before.retried(not_before, 0);
        after.set_kind(Kind::Queued);
        bucket.replace(Some(&before), after, Some(body));
        self.arrived(&after)
    }

    /// A link's outcome is known: it is no longer anyone's to visit.
    fn settle(&mut self, key: UrlKey) {
        if self.announced.remove(&key)
            && let Some(site) = self.site_mut(key.site)
        {
            site.announced = site.announced.saturating_sub(1);
        }
        if let Some(held) = self.leases.get_mut(&key.site) {
            held.urls.retain(|url| *url != key.url);
        }
    }

    fn left_queue(&mut self, key: UrlKey, before: Option<&Entry>) {
        if let Some(site) = self.site_mut(key.site) {
            site.remove(key.url);
            if before.is_some_and(Entry::is_queued) {
                site.queued = site.queued.saturating_sub(1);
            }
        }
    }

    fn site_opened(&mut self, site: u64) -> Result<(), FrontierError> {
        self.change_site(site, |row| row.closed = None)?;
        if self.load(site)? {
            // While it was closed nobody kept its head right: the next turn fills it anew.
            self.forget_doubts(site);
            if let Some(loaded) = self.site_mut(site) {
                (loaded.head, loaded.more) = (Head::default(), true);
            }
            self.wake(site);
        }
        Ok(())
    }

    fn site_rests(&mut self, site: u64, until: Time, delay_millis: u32) -> Result<(), FrontierError> {
        self.change_site(site, |row| {
            // Committed late, an earlier rest must not shorten a later one.
            row.until = row.until.max(until);
            row.delay_millis = delay_millis;
        })?;
        let delayed = self.site_row(site)?.map_or(until, |row| self.rest_of(&row));
        if let Some(loaded) = self.site_mut(site) {
            loaded.rest = loaded.rest.max(delayed);
        }
        self.wake(site);
        Ok(())
    }

    fn site_rests_anew(&mut self, site: u64, until: Time, delay_millis: u32) -> Result<(), FrontierError> {
        self.change_site(site, |row| (row.until, row.delay_millis) = (until, delay_millis))?;
        let rest = self.site_row(site)?.map_or(until, |row| self.rest_of(&row));
        if let Some(loaded) = self.site_mut(site) {
            loaded.rest = rest;
        }
        self.wake(site);
        Ok(())
    }

    fn host_rests(&mut self, site: u64, host: u64, until: Time) -> Result<(), FrontierError> {
        let update = self.update;
        let bucket = &mut self.buckets[bucket_of(site)];
        let key = UrlKey { site, url: host };
        let before = bucket.resolve(update, key)?.filter(|entry| entry.kind() == Kind::Host);
        let mut after = Entry::new(key, Kind::Host);
        after.turn = until.millis().max(before.map_or(0, |entry| entry.turn));
        bucket.replace(before.as_ref(), after, None);
        Ok(())
    }

    pub(crate) fn change_site(
        &mut self,
        site: u64,
        change: impl FnOnce(&mut SiteRow),
    ) -> Result<(), FrontierError> {
        let update = self.update;
        let bucket = &mut self.buckets[bucket_of(site)];
        let before = bucket.resolve(update, SiteRow::key(site))?;
        let mut row = before.as_ref().map(SiteRow::of).unwrap_or_default();
        change(&mut row);
        bucket.replace(before.as_ref(), row.entry(site), None);
        if let Some(loaded) = bucket.sites.get_mut(&site) {
            loaded.row = row;
        }
        Ok(())
    }
}

/// Where the first capture of a payload is kept: spread over all buckets, under two hashes of its digest.
pub(crate) fn digest_key(digest: &str) -> UrlKey {
    let second = xxh3_64_with_seed(digest.as_bytes(), 1);
    UrlKey { site: xxh3_64(digest.as_bytes()), url: second.max(1) }
}
