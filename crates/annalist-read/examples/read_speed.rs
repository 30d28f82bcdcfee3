//! Reads the files given as arguments as pages and prints what one costs: `read_speed page1.html page2.html …`
#![expect(clippy::print_stdout, reason = "a program for people at a terminal")]

use std::time::Instant;

use annalist_model::{CanonicalUrl, Canonicaliser, ResponseHead};
use annalist_read::Reader;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pages = std::env::args().skip(1).map(std::fs::read).collect::<Result<Vec<_>, _>>()?;
    let reader = Reader::new(Canonicaliser::default());
    let url = CanonicalUrl::parse("http://page.test/wp/a/page.htm")?;
    let head = ResponseHead { status: 200, fields: vec![("content-type".into(), b"text/html".to_vec())] };
    let started = Instant::now();
    let (mut links, mut text, mut partial) = (0, 0, Vec::new());
    for page in &pages {
        let page = reader.read(&url, &head, page);
        links += page.links.len();
        text += page.text.len();
        partial.push(page.readability);
    }
    let seconds = started.elapsed().as_secs_f64();
    partial.dedup();
    let count = pages.len().max(1) as f64;
    let bytes: usize = pages.iter().map(Vec::len).sum();
    println!(
        "{} pages of {:.0} bytes: {:.3} ms, {:.1} links, {:.0} bytes of text each; {partial:?}",
        pages.len(),
        bytes as f64 / count,
        seconds * 1000.0 / count,
        links as f64 / count,
        text as f64 / count,
    );
    Ok(())
}
