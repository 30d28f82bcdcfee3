//! What a page costs the server, without sockets: `cargo run --release --example cost`.

use std::io::Write;
use std::time::Instant;

use annalist_testweb::{Compression, PageKind, Request, World, WorldConfig};

fn main() -> std::io::Result<()> {
    let config = WorldConfig {
        hosts: 2_000,
        pages: 50_000,
        page_bytes: 20_000,
        links_per_page: 40,
        gzip: 1.0,
        ..WorldConfig::default()
    };
    let world = World::new(config);
    let mut out = std::io::stdout();
    for kind in [PageKind::Article, PageKind::BlogPost, PageKind::Thread, PageKind::List] {
        let pages: Vec<_> = world.truth().pages().filter(|page| page.kind == kind).take(5_000).collect();
        for compression in [Compression::Refused, Compression::Gzip] {
            let start = Instant::now();
            let mut bytes = 0;
            for page in &pages {
                let request = Request { compression, ..Request::get(&page.host, &page.path) };
                bytes += world.answer(&request).response().map_or(0, |response| response.body.len());
            }
            let micros = start.elapsed().as_micros() as f64 / pages.len() as f64;
            let mean = bytes / pages.len().max(1);
            writeln!(out, "{kind:?} {compression:?}: {micros:.1} µs, {mean} bytes, {} pages", pages.len())?;
        }
    }
    Ok(())
}
