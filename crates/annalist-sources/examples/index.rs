//! What indexing costs: an archive of the test web's pages of 26 KB, one gzip member a record, request and response, with
//! payload digests and without, is indexed on one thread. Compressed bytes count. Prints one line of JSON.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use annalist_testweb::{Request, World, WorldConfig};
use annalist_warc::{DigestKind, Reader, Sorter, index_path, index_reader};
use flate2::Compression;
use flate2::write::GzEncoder;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const PAGES: usize = 4_000;
const ROUNDS: usize = 3;

fn main() -> Outcome<()> {
    let dir = Path::new("target/bench-index");
    std::fs::create_dir_all(dir)?;
    let (with, without) = (dir.join("with.warc.gz"), dir.join("without.warc.gz"));
    write_archive(&with, Digests::Given)?;
    write_archive(&without, Digests::Missing)?;
    let size = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
    let rate = |path: &Path, index: &dyn Fn(&Path) -> Outcome<usize>| -> Outcome<f64> {
        let mut best: f64 = 0.0;
        for _ in 0..ROUNDS {
            let before = thread_cpu();
            if index(path)? != PAGES {
                return Err("captures are missing in the index".into());
            }
            best = best.max(size(path) as f64 / 1e6 / thread_cpu().saturating_sub(before).as_secs_f64());
        }
        Ok(best)
    };
    writeln!(
        std::io::stdout(),
        "{{\"mb_per_cpu_s\":{:.1},\"mb_per_cpu_s_without_digests\":{:.1},\"mb_per_cpu_s_streamed\":{:.1},\"mb\":{:.1},\
         \"unpacked_over_packed\":{:.2}}}",
        rate(&with, &sorted)?,
        rate(&without, &sorted)?,
        rate(&with, &streamed)?,
        size(&with) as f64 / 1e6,
        unpacked(&with)? as f64 / size(&with) as f64,
    )?;
    Ok(std::fs::remove_dir_all(dir)?)
}

/// As `annalist index` does it: every line is made, sorted and written.
fn sorted(path: &Path) -> Outcome<usize> {
    let mut sorter = Sorter::new(Path::new("target"), 64 << 20);
    let mut pushed = Ok(());
    index_path(
        path,
        "f.warc.gz",
        &mut |line| {
            if pushed.is_ok() {
                pushed = sorter.push(&line);
            }
        },
        &mut |_| (),
    )?;
    pushed?;
    let (mut out, mut count) = (BufWriter::new(File::create("target/bench-index/out.cdxj")?), 0);
    Sorter::merge(vec![sorter], &mut |line| {
        count += 1;
        out.write_all(line.as_bytes())
    })?;
    out.flush()?;
    Ok(count)
}

/// As files are read that are not as they should be.
fn streamed(path: &Path) -> Outcome<usize> {
    let mut count = 0;
    index_reader(&mut Reader::open(path)?, "f.warc.gz", &mut |_| count += 1);
    Ok(count)
}

fn unpacked(path: &Path) -> Outcome<u64> {
    let mut decoder = flate2::read::MultiGzDecoder::new(File::open(path)?);
    Ok(std::io::copy(&mut decoder, &mut std::io::sink())?)
}

#[derive(Clone, Copy)]
enum Digests {
    Given,
    Missing,
}

fn write_archive(path: &Path, digests: Digests) -> Outcome<()> {
    let world = World::new(WorldConfig {
        hosts: 200,
        pages: PAGES + 1_000,
        page_bytes: 26_000,
        links_per_page: 60,
        gzip: 0.0,
        chunked: 0.0,
        ..WorldConfig::default()
    });
    let pages = world.truth().allowed_pages().filter(|page| page.kind.is_content()).take(PAGES);
    let mut out = BufWriter::new(File::create(path)?);
    for page in pages {
        let answer = world.answer(&Request::get(&page.host, &page.path));
        let response = answer.response().ok_or("no response")?;
        let digest = match digests {
            Digests::Given => {
                format!("WARC-Payload-Digest: {}\r\n", DigestKind::Sha1.of(&response.body))
            }
            Digests::Missing => String::new(),
        };
        let head = format!("HTTP/1.1 {} OK\r\n{}\r\n", response.status, response.fields);
        let block = [head.as_bytes(), &response.body].concat();
        out.write_all(&record("response", &page.url, &digest, &block)?)?;
        let request = format!("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", page.path, page.host);
        out.write_all(&record("request", &page.url, "", request.as_bytes())?)?;
    }
    Ok(out.flush()?)
}

fn record(kind: &str, url: &str, more: &str, block: &[u8]) -> Outcome<Vec<u8>> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n\
         WARC-Date: 2010-06-11T12:00:00Z\r\nWARC-Target-URI: {url}\r\nWARC-IP-Address: 127.0.0.1\r\n{more}\
         Content-Type: application/http; msgtype={kind}\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(head.as_bytes())?;
    gzip.write_all(block)?;
    gzip.write_all(b"\r\n\r\n")?;
    Ok(gzip.finish()?)
}

/// What this thread has used: on a busy machine the clock says more about the others.
fn thread_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0))
}
