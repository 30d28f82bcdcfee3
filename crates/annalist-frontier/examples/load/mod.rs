//! What the benchmarks of the URL store have in common: made-up links of sites by Zipf's law.

use std::time::Duration;

use annalist_disk::Dice;
use annalist_frontier::LinkRecord;
use annalist_model::{LinkKind, UrlKey, url};
use xxhash_rust::xxh3::xxh3_64;

pub struct SiteName {
    host: String,
    pub key: u64,
    pub pages: u64,
}

pub fn sites(count: u64) -> Vec<SiteName> {
    let name = |n: u64| {
        let host = format!("https://www.site-{n:06}.example");
        SiteName { key: url::site_key(url::site_of(&host["https://".len()..])), host, pages: 0 }
    };
    (0..count).map(name).collect()
}

/// Writes the URL of a page, about 70 bytes as on the web.
pub fn page_url(text: &mut String, site: &SiteName, page: u64) -> UrlKey {
    text.clear();
    text.push_str(&site.host);
    text.push_str("/archive/section/");
    let mut buffer = [0; 16];
    text.push_str(hex(&mut buffer, xxh3_64(&page.to_le_bytes())));
    text.push_str("/page.html");
    UrlKey { site: site.key, url: xxh3_64(text.as_bytes()) }
}

pub fn link(key: UrlKey, url: &str, via: u64) -> LinkRecord<'_> {
    LinkRecord {
        key,
        url,
        via: Some(UrlKey { site: key.site, url: via }),
        kind: LinkKind::Anchor,
        hops: "LLL",
        depth: 3,
        seed: 0,
        anchor: "next page",
    }
}

fn hex(buffer: &mut [u8; 16], number: u64) -> &str {
    for (place, letter) in buffer.iter_mut().enumerate() {
        *letter = b"0123456789abcdef"[(number >> (4 * place)) as usize & 15];
    }
    std::str::from_utf8(buffer).unwrap_or_default()
}

/// Sites by Zipf's law, drawn from a table.
pub struct Zipf {
    sums: Vec<f64>,
    /// Where to begin looking for each 65,536th of the sum.
    starts: Vec<u32>,
}

impl Zipf {
    pub fn new(sites: u64) -> Zipf {
        let mut sum = 0.0;
        let mut sums: Vec<f64> = (1..=sites)
            .map(|n| {
                sum += 1.0 / n as f64;
                sum
            })
            .collect();
        for value in &mut sums {
            *value /= sum;
        }
        let start = |n: u32| sums.partition_point(|s| *s < f64::from(n) / 65_536.0) as u32;
        Zipf { starts: (0..65_536).map(start).collect(), sums }
    }

    pub fn pick(&self, dice: &mut Dice) -> usize {
        let roll = dice.roll();
        let point = (roll >> 11) as f64 / (1u64 << 53) as f64;
        let slot = (roll >> 48) as usize;
        let from = self.starts.get(slot).map_or(0, |s| *s as usize);
        let to = self.starts.get(slot + 1).map_or(self.sums.len() - 1, |s| *s as usize + 1);
        let piece = self.sums.get(from..to).unwrap_or_default();
        (from + piece.partition_point(|s| *s < point)).min(self.sums.len() - 1)
    }
}

/// What this thread has used: on a busy machine the clock says more about the others.
pub fn thread_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0))
}
