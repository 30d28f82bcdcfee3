//! Copies that are in the archive and were never acknowledged: an interrupted extraction left them. They are not made again.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};

use annalist_frontier::{Frontier, Place, State};
use annalist_model::{CanonicalUrl, Time};
use annalist_warc::{CdxLine, index_name};

use crate::job::JobDir;

/// The media type that indexes give revisits.
const REVISIT: &str = "warc/revisit";

/// Where they are, by address and moment.
#[derive(Debug, Default)]
pub struct Left {
    places: HashMap<(String, String), Place>,
}

impl Left {
    /// Reads the indexes of WARC files that were closed after an interruption. What cannot be read is copied again.
    pub fn in_files(names: &[String], job: &JobDir, frontier: &Frontier) -> Left {
        let mut places = HashMap::new();
        for name in names {
            let Ok(index) = File::open(job.indexes().join(index_name(name))) else { continue };
            let lines = BufReader::new(index).lines().map_while(Result::ok);
            let lines: Vec<CdxLine> = lines.filter_map(|line| CdxLine::parse(&line)).collect();
            let revisits = lines.iter().filter(|line| line.mime == REVISIT);
            let behind_revisits: HashSet<(u64, Option<String>)> =
                revisits.map(|line| (line.offset + line.length, line.digest.clone())).collect();
            for line in lines {
                // Right behind a revisit stands its payload, and it was said to be that alone.
                if line.mime != REVISIT && behind_revisits.contains(&(line.offset, line.digest.clone())) {
                    continue;
                }
                let Ok(url) = CanonicalUrl::parse(&line.url) else { continue };
                let known = frontier.lookup(url.key()).ok().flatten();
                if known.is_some_and(|known| matches!(known.state, State::Done { .. })) {
                    continue;
                }
                let place = Place { file: line.filename, offset: line.offset, length: line.length };
                places.insert((url.as_str().to_owned(), line.timestamp), place);
            }
        }
        Left { places }
    }

    /// Where a capture is already.
    pub fn take(&mut self, url: &CanonicalUrl, at: Time) -> Option<Place> {
        if self.places.is_empty() {
            return None;
        }
        self.places.remove(&(url.as_str().to_owned(), at.digits14()))
    }
}
