//! Indexes that are there already, whoever made them: CDXJ, CDX and ZipNum. An ordered file is searched where it lies;
//! anything else is put in order first.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::cdx::{CdxColumns, CdxLine};
use crate::keys::{KeyOrder, lookup_keys};
use crate::sorted::Sorted;
use crate::sorter::Sorter;
use crate::zipnum::ZipNum;

/// Files up to this length are looked through when they are opened; of longer ones a sample is.
const CHECK_BYTES: u64 = 64 << 20;
/// Lines to see how keys are written.
const FIRST_LINES: usize = 1_000;
/// What is put in order first is held in memory up to this.
const MEMORY_BYTES: usize = 64 << 20;

/// One index.
#[derive(Debug)]
pub struct Index {
    lines: Lines,
    columns: Option<CdxColumns>,
    order: KeyOrder,
    notes: Vec<String>,
}

#[derive(Debug)]
enum Lines {
    Sorted(Sorted),
    ZipNum(ZipNum),
}

/// What was seen of a file's lines.
#[derive(Default)]
struct Seen {
    /// In this order they are searched; the first line that is not is told.
    disorder: Option<u64>,
    damaged: u64,
    first_damaged: Option<u64>,
    before: Vec<u8>,
    count: u64,
}

impl Index {
    /// Opens a CDXJ or CDX file, or the summary of a ZipNum index. What is not in order is sorted, in memory or in a
    /// file in `scratch`.
    pub fn open(path: &Path, scratch: &Path) -> io::Result<Index> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if name.ends_with(".idx") || name.ends_with(".summary") {
            let index = ZipNum::open(path)?;
            let order = key_order(index.summary())?;
            return Ok(Index { lines: Lines::ZipNum(index), columns: None, order, notes: Vec::new() });
        }
        if name.ends_with(".gz") {
            let input = BufReader::new(MultiGzDecoder::new(BufReader::new(File::open(path)?)));
            return Index::in_order(input, scratch, Vec::new());
        }
        let sorted = Sorted::of_file(File::open(path)?)?;
        let columns = header(&sorted)?;
        let mut notes = Vec::new();
        let mut is_ordered = sorted.is_ordered() && columns.as_ref().is_none_or(CdxColumns::begin_with_key);
        if std::fs::metadata(path)?.len() <= CHECK_BYTES {
            let mut seen = Seen::default();
            sorted.each(&mut |line| {
                seen.take(line, columns.as_ref());
                true
            })?;
            is_ordered &= seen.disorder.is_none();
            notes = seen.notes();
        }
        if !is_ordered {
            notes.push("it is not in bytewise order, so it is sorted first".to_owned());
            return Index::in_order(BufReader::new(File::open(path)?), scratch, notes);
        }
        let order = key_order(&sorted)?;
        Ok(Index { lines: Lines::Sorted(sorted), columns, order, notes })
    }

    fn in_order(mut input: impl BufRead, scratch: &Path, notes: Vec<String>) -> io::Result<Index> {
        let mut sorter = Sorter::new(scratch, MEMORY_BYTES);
        let (mut columns, mut line) = (None, Vec::new());
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&line);
            if columns.is_none() {
                columns = CdxColumns::parse(&text);
            }
            if let Some(line) = CdxLine::parse_with(&text, columns.as_ref()) {
                sorter.push(&line)?;
            }
        }
        let sorted = Sorter::searchable(vec![sorter])?;
        let order = key_order(&sorted)?;
        Ok(Index { lines: Lines::Sorted(sorted), columns: None, order, notes })
    }

    /// What it has of an address, under the keys of any tool.
    pub fn captures(&self, url: &str) -> io::Result<Vec<CdxLine>> {
        let mut found = Vec::new();
        for key in lookup_keys(url, self.order) {
            let start = format!("{key} ");
            let mut take = |line: &[u8]| found.extend(self.parse(line));
            match &self.lines {
                Lines::Sorted(lines) => lines.starting_with(start.as_bytes(), &mut take)?,
                Lines::ZipNum(index) => index.starting_with(start.as_bytes(), &mut take)?,
            }
        }
        Ok(found)
    }

    /// Hands over the captures whose lines begin so, in the order of the index.
    pub fn starting_with(&self, start: &str, take: &mut dyn FnMut(CdxLine)) -> io::Result<()> {
        let mut take = |line: &[u8]| self.parse(line).into_iter().for_each(&mut *take);
        match &self.lines {
            Lines::Sorted(lines) => lines.starting_with(start.as_bytes(), &mut take),
            Lines::ZipNum(index) => index.starting_with(start.as_bytes(), &mut take),
        }
    }

    /// Every capture, in the order of the index.
    pub fn each(&self, take: &mut dyn FnMut(CdxLine)) -> io::Result<()> {
        let mut take = |line: &[u8]| self.parse(line).into_iter().for_each(&mut *take);
        match &self.lines {
            Lines::Sorted(lines) => lines.each(&mut |line| {
                take(line);
                true
            }),
            Lines::ZipNum(index) => index.each(&mut take),
        }
    }

    /// What is not as it should be with the index, and does no harm.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn parse(&self, line: &[u8]) -> Option<CdxLine> {
        CdxLine::parse_with(&String::from_utf8_lossy(line), self.columns.as_ref())
    }
}

impl Seen {
    fn take(&mut self, line: &[u8], columns: Option<&CdxColumns>) {
        self.count += 1;
        if line < self.before.as_slice() && self.disorder.is_none() {
            self.disorder = Some(self.count);
        }
        self.before.clear();
        self.before.extend_from_slice(line);
        let is_header = matches!(line.first(), None | Some(b' ' | b'!'));
        if !is_header && CdxLine::parse_with(&String::from_utf8_lossy(line), columns).is_none() {
            self.damaged += 1;
            self.first_damaged.get_or_insert(self.count);
        }
    }

    fn notes(&self) -> Vec<String> {
        let damaged = self.first_damaged.map(|first| match self.damaged {
            1 => format!("line {first} says of no capture where it is"),
            more => format!("{more} lines, the first of them line {first}, say of no capture where it is"),
        });
        damaged.into_iter().collect()
    }
}

fn header(lines: &Sorted) -> io::Result<Option<CdxColumns>> {
    let mut columns = None;
    lines.each(&mut |line| {
        columns = CdxColumns::parse(&String::from_utf8_lossy(line));
        false
    })?;
    Ok(columns)
}

/// By the first lines; an index of no lines has any order.
fn key_order(lines: &Sorted) -> io::Result<KeyOrder> {
    let (mut left, mut keys, mut surt) = (FIRST_LINES, 0, false);
    lines.each(&mut |line| {
        left -= 1;
        if !matches!(line.first(), None | Some(b' ' | b'!')) {
            keys += 1;
            let key = line.split(|b| *b == b' ').next().unwrap_or_default();
            surt |= key.contains(&b')');
        }
        left > 0 && !surt
    })?;
    Ok(if surt || keys == 0 { KeyOrder::Surt } else { KeyOrder::Address })
}

/// Whether a file is an index by its name.
pub fn is_index_name(name: &str) -> bool {
    let name = name.to_lowercase();
    [".cdxj", ".cdx", ".cdxj.gz", ".cdx.gz", ".idx", ".summary"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::Index;
    use crate::zipnum::ZipNumWriter;

    fn cdxj(key: &str, at: u32, url: &str) -> String {
        format!("{key} {at} {{\"url\": \"{url}\", \"offset\": \"{at}\", \"filename\": \"a.warc\"}}")
    }

    fn offsets(index: &Index, url: &str) -> Vec<u64> {
        index.captures(url).unwrap().into_iter().map(|line| line.offset).collect()
    }

    fn opened(dir: &std::path::Path, name: &str, text: &str) -> Index {
        let path = dir.join(name);
        std::fs::write(&path, text).unwrap();
        Index::open(&path, dir).unwrap()
    }

    #[test]
    fn indexes_of_every_form_give_the_captures_of_an_address() {
        let dir = tempfile::tempdir().unwrap();
        let url = "http://www.a.test/x";
        let columns = " CDX N b a m s k r V g\ntest,a)/x 2001 http://a.test/x - - - - 2001 a.arc\ntest,a)/x 2002 http://a.test/x - - - - 2002 a.arc\n";
        let address = "a.test/x 2001 http://a.test/x - - - - - 5 2001 a.arc\na.test/x 2002 http://a.test/x - - - - - 5 2002 a.arc\n";
        let lines = [
            cdxj("test,a)/", 7, "http://a.test/"),
            cdxj("test,a)/x", 2001, url),
            cdxj("test,a)/x", 2002, url),
        ];
        let shuffled = [&lines[2], &lines[0], &lines[1]].map(|line| format!("{line}\n")).concat();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(shuffled.as_bytes()).unwrap();
        std::fs::write(dir.path().join("p.cdxj.gz"), packed.finish().unwrap()).unwrap();
        let mut zipnum = ZipNumWriter::create(&dir.path().join("zip"), "index").unwrap();
        lines.iter().for_each(|line| zipnum.push(&format!("{line}\n")).unwrap());
        zipnum.finish().unwrap();
        let open = |name: &str| Index::open(&dir.path().join(name), dir.path()).unwrap();
        for (name, index) in [
            ("cdxj", opened(dir.path(), "a.cdxj", &lines.join("\r\n"))),
            ("shuffled", opened(dir.path(), "b.cdxj", &shuffled)),
            ("columns", opened(dir.path(), "c.cdx", columns)),
            ("addresses", opened(dir.path(), "d.cdx", address)),
            ("packed", open("p.cdxj.gz")),
            ("zipnum", open("zip/index.idx")),
        ] {
            assert_eq!(offsets(&index, url), [2001, 2002], "{name}");
            assert_eq!(offsets(&index, "https://a.test/X/"), [2001, 2002], "{name}");
            assert!(offsets(&index, "http://a.test/y").is_empty(), "{name}");
            let mut all = 0;
            index.each(&mut |_| all += 1).unwrap();
            assert!(all >= 2, "{name}");
            let (mut begun, start) = (0, if name == "addresses" { "a.test/x" } else { "test,a)/x" });
            index.starting_with(start, &mut |_| begun += 1).unwrap();
            assert_eq!(begun, 2, "{name}");
        }
    }

    #[test]
    fn keys_that_keep_www_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let index = opened(dir.path(), "a.cdxj", &cdxj("test,a,www)/x", 3, "http://www.a.test/x"));
        assert_eq!(offsets(&index, "http://www.a.test/x"), [3]);
        assert_eq!(offsets(&index, "http://a.test/x"), [3]);
    }

    #[test]
    fn damaged_and_disordered_lines_are_told_and_the_others_found() {
        let dir = tempfile::tempdir().unwrap();
        let good = [cdxj("test,a)/", 1, "http://a.test/"), cdxj("test,b)/", 2, "http://b.test/")];
        let index = opened(dir.path(), "a.cdxj", &format!("{}\ntest,a)/b garbage\n{}\n", good[0], good[1]));
        assert_eq!(index.notes(), ["line 2 says of no capture where it is"]);
        assert_eq!(offsets(&index, "http://b.test/"), [2]);
        let index = opened(dir.path(), "b.cdxj", &format!("{}\n{}\n", good[1], good[0]));
        assert_eq!(index.notes(), ["it is not in bytewise order, so it is sorted first"]);
        assert_eq!(offsets(&index, "http://a.test/"), [1]);
        assert!(offsets(&opened(dir.path(), "c.cdx", ""), "http://a.test/").is_empty());
        assert!(offsets(&opened(dir.path(), "d.cdx", "\u{0}\u{1}nonsense\n"), "http://a.test/").is_empty());
    }
}
