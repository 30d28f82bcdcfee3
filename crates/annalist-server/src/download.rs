//! A file on its way to whoever asked for it: as a stream, whole or one range of it (RFC 9110), never shown by a browser.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::problem::Problem;

const PIECE: usize = 128 << 10;
/// Pieces on their way to a slow reader.
const PIECES: usize = 4;

/// What part of a file is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    /// First and last byte.
    From(u64, u64),
    Outside,
}

/// Has to be called in a runtime.
pub fn file(
    path: &Path,
    name: &str,
    range: Option<&str>,
    if_range: Option<&str>,
) -> Result<Response, Problem> {
    let unreadable = |fault: io::Error| Problem::internal("the file cannot be read", &fault);
    let mut file = File::open(path).map_err(unreadable)?;
    let about = file.metadata().map_err(unreadable)?;
    let changed = about.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let tag = format!("\"{:x}-{:x}\"", about.len(), changed.unwrap_or_default().as_millis());
    let is_same = if_range.is_none_or(|wanted| wanted == tag);
    let part = range.filter(|_| is_same).map_or(Part::Whole, |range| part_of(range, about.len()));
    let (status, first, length) = match part {
        Part::Whole => (StatusCode::OK, 0, about.len()),
        Part::From(first, last) => (StatusCode::PARTIAL_CONTENT, first, last - first + 1),
        Part::Outside => {
            let why = format!("the file has {} bytes", about.len());
            let mut refused = Problem::new(StatusCode::RANGE_NOT_SATISFIABLE, why).into_response();
            set(&mut refused, header::CONTENT_RANGE, &format!("bytes */{}", about.len()));
            return Ok(refused);
        }
    };
    file.seek(SeekFrom::Start(first)).map_err(unreadable)?;
    let mut response = Response::new(flowing(file.take(length)));
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, kind_of(name));
    set(&mut response, header::CONTENT_LENGTH, &length.to_string());
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    set(&mut response, header::ETAG, &tag);
    set(&mut response, header::CONTENT_DISPOSITION, &format!("attachment; filename=\"{name}\""));
    if status == StatusCode::PARTIAL_CONTENT {
        let last = first + length - 1;
        set(&mut response, header::CONTENT_RANGE, &format!("bytes {first}-{last}/{}", about.len()));
    }
    Ok(response)
}

fn set(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// One range; several at once, or what cannot be read, are answered with the whole.
fn part_of(range: &str, length: u64) -> Part {
    let Some((first, last)) = range.trim().strip_prefix("bytes=").and_then(|range| range.split_once('-'))
    else {
        return Part::Whole;
    };
    let (first, last) = (first.trim(), last.trim());
    let number = |text: &str| text.parse::<u64>().ok();
    let wanted = match (first.is_empty(), last.is_empty()) {
        (true, false) => number(last).map(|last| (length.saturating_sub(last), length.saturating_sub(1))),
        (false, true) => number(first).map(|first| (first, length.saturating_sub(1))),
        (false, false) => number(first).zip(number(last)).filter(|(first, last)| first <= last),
        (true, true) => None,
    };
    match wanted {
        None => Part::Whole,
        Some((first, last)) if first < length => Part::From(first, last.min(length - 1)),
        Some(_) => Part::Outside,
    }
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("wacz") => "application/wacz",
        Some("gz") if name.ends_with(".warc.gz") => "application/warc",
        Some("csv") => "text/csv; charset=utf-8",
        Some("nq") => "application/n-quads",
        Some("parquet") => "application/vnd.apache.parquet",
        _ => "application/octet-stream",
    }
}

/// Read while it is sent. One that breaks off ends the connection: nobody takes it for whole. Who takes little keeps no thread
/// waiting: all that the service does on others' behalf is done by the same few.
fn flowing(mut file: io::Take<File>) -> Body {
    let (pieces, flow) = mpsc::channel::<io::Result<Bytes>>(PIECES);
    tokio::spawn(async move {
        loop {
            // Nothing is read before there is room for it.
            let Ok(room) = pieces.reserve().await else { return };
            let reading = tokio::task::spawn_blocking(move || {
                let piece = next_piece(&mut file);
                (file, piece)
            });
            let (back, piece) = match reading.await {
                Ok(read) => read,
                Err(fault) => return room.send(Err(fault.into())),
            };
            match piece.transpose() {
                Some(piece) => {
                    let is_over = piece.is_err();
                    room.send(piece);
                    if is_over {
                        return;
                    }
                }
                None => return,
            }
            file = back;
        }
    });
    Body::from_stream(ReceiverStream::new(flow))
}

fn next_piece(file: &mut io::Take<File>) -> io::Result<Option<Bytes>> {
    let mut piece = vec![0; PIECE];
    let read = file.read(&mut piece)?;
    if read == 0 && file.limit() > 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    piece.truncate(read);
    Ok((read > 0).then(|| piece.into()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::body::to_bytes;
    use tokio::runtime::Builder;
    use tokio::time::timeout;

    use super::{Part, file, part_of};

    #[test]
    fn who_takes_nothing_of_a_file_keeps_nobody_waiting() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.csv");
        let whole: Vec<u8> = (0..5_000_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        std::fs::write(&path, &whole).unwrap();
        let runtime = Builder::new_multi_thread().max_blocking_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let get = |range| file(&path, "x.csv", range, None).unwrap().into_body();
            let _idle: Vec<_> = (0..8).map(|_| get(None)).collect();
            let taken = async { to_bytes(get(None), usize::MAX).await.unwrap() };
            assert!(timeout(Duration::from_secs(60), taken).await.unwrap() == whole);
            let taken = to_bytes(get(Some("bytes=1000000-2000000")), usize::MAX).await.unwrap();
            assert!(taken == whole[1_000_000..=2_000_000]);
            std::fs::File::options().write(true).open(&path).unwrap().set_len(3_000_000).unwrap();
            let cut = get(None);
            std::fs::File::options().write(true).open(&path).unwrap().set_len(1_000_000).unwrap();
            assert!(to_bytes(cut, usize::MAX).await.is_err(), "nobody takes it for whole");
        });
    }

    #[test]
    fn a_range_is_read_as_browsers_write_it() {
        let parts =
            ["bytes=0-3", "bytes=4-", "bytes=-2", "bytes=3-99", "bytes=-99"].map(|range| part_of(range, 10));
        let expected = [(0, 3), (4, 9), (8, 9), (3, 9), (0, 9)].map(|(first, last)| Part::From(first, last));
        assert_eq!(parts, expected);
        for outside in ["bytes=10-", "bytes=99-100"] {
            assert_eq!(part_of(outside, 10), Part::Outside);
        }
        for odd in ["bytes=3-1", "bytes=-", "bytes=0-1,3-4", "lines=1-2", "bytes=x-", ""] {
            assert_eq!(part_of(odd, 10), Part::Whole, "{odd}");
        }
        assert_eq!(part_of("bytes=0-", 0), Part::Outside);
        assert_eq!(part_of("bytes=-5", 0), Part::Outside);
    }
}
