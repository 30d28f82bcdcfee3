//! ZIP files whose entries are stored as they are, so that a part of an entry can be read where it lies.
//! What the entries of a web archive are called and hold is in `wacz.rs`.

mod read;
mod write;

pub(crate) use read::{Method, ZipEntry, read_entries};
pub(crate) use write::{Room, Stored, ZipWriter};

const LOCAL_HEAD: [u8; 4] = *b"PK\x03\x04";
const CENTRAL_HEAD: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
const END_64: [u8; 4] = *b"PK\x06\x06";
const LOCATOR_64: [u8; 4] = *b"PK\x06\x07";
/// Without its name and what follows that.
const LOCAL_HEAD_BYTES: u64 = 30;
const CENTRAL_HEAD_BYTES: usize = 46;
const END_BYTES: usize = 22;
const LOCATOR_64_BYTES: usize = 20;
/// The extra field that holds lengths and offsets beyond four gigabytes.
const EXTRA_64: u16 = 1;
/// In place of a number that is in the extra field.
const IN_EXTRA: u32 = u32::MAX;
const NAME_IS_UTF8: u16 = 0x800;

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, SeekFrom, Write};

    use super::{CENTRAL_HEAD, LOCAL_HEAD, Method, Room, ZipWriter, read_entries};

    #[test]
    fn what_was_stored_is_found_again_where_it_lies() {
        let mut file = tempfile::tempfile().unwrap();
        let mut zip = ZipWriter::new(file.try_clone().unwrap(), 1_794_776_361_123).unwrap();
        let mut told = Vec::new();
        for (name, bytes) in
            [("archive/a.warc.gz", &b"hello"[..]), ("pages/p\u{e4}ges.jsonl", b""), ("c", b"xyz")]
        {
            zip.begin(name, Room::Small).unwrap();
            zip.write_all(bytes).unwrap();
            told.push((name.to_owned(), bytes.to_vec(), zip.end().unwrap().length));
        }
        zip.finish().unwrap();

        let entries = read_entries(&mut file).unwrap();
        assert_eq!(entries.len(), 3);
        for (entry, (name, bytes, length)) in entries.iter().zip(told) {
            assert_eq!(
                (&entry.name, entry.method, entry.stored, entry.length),
                (&name, Method::Stored, length, length)
            );
            let mut found = vec![0; usize::try_from(length).unwrap()];
            file.seek(SeekFrom::Start(entry.start)).unwrap();
            file.read_exact(&mut found).unwrap();
            assert_eq!(found, bytes);
        }
    }

    #[test]
    fn entries_beyond_four_gigabytes_are_found() {
        const FAR: u64 = 5 << 30;
        // The hole takes no room on the disk.
        let mut file = tempfile::tempfile().unwrap();
        file.seek(SeekFrom::Start(FAR)).unwrap();
        let mut zip = ZipWriter::new(file.try_clone().unwrap(), 0).unwrap();
        for name in ["a", "b"] {
            zip.begin(name, Room::Small).unwrap();
            zip.write_all(name.as_bytes()).unwrap();
            zip.end().unwrap();
        }
        zip.finish().unwrap();
        let entries = read_entries(&mut file).unwrap();
        let mut byte = [0];
        file.seek(SeekFrom::Start(entries[1].start)).unwrap();
        file.read_exact(&mut byte).unwrap();
        assert!(entries[1].start > FAR);
        assert_eq!((entries.len(), &byte), (2, b"b"));
    }

    #[test]
    fn an_entry_has_an_extra_field_where_the_list_has_one_and_only_there() {
        for (room, expected) in [(Room::Small, 0), (Room::Large, 20)] {
            let mut file = tempfile::tempfile().unwrap();
            let mut zip = ZipWriter::new(file.try_clone().unwrap(), 0).unwrap();
            zip.begin("a", room).unwrap();
            zip.write_all(b"hello").unwrap();
            zip.end().unwrap();
            zip.finish().unwrap();
            assert_eq!(read_entries(&mut file).unwrap()[0].length, 5);
            let mut whole = Vec::new();
            file.seek(SeekFrom::Start(0)).unwrap();
            file.read_to_end(&mut whole).unwrap();
            let list = whole.windows(4).position(|four| four == CENTRAL_HEAD).unwrap();
            assert!(whole.starts_with(&LOCAL_HEAD));
            assert_eq!((whole[28], whole[list + 30]), (expected, expected), "{room:?}");
        }
    }

    #[test]
    fn what_is_no_zip_file_is_an_error_whatever_is_wrong_with_it() {
        let mut whole = Vec::new();
        let mut file = tempfile::tempfile().unwrap();
        let mut zip = ZipWriter::new(file.try_clone().unwrap(), 0).unwrap();
        zip.begin("archive/a.warc.gz", Room::Small).unwrap();
        zip.write_all(b"hello").unwrap();
        zip.end().unwrap();
        zip.finish().unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.read_to_end(&mut whole).unwrap();
        for length in 0..whole.len() {
            assert!(read_entries(&mut std::io::Cursor::new(&whole[..length])).is_err(), "cut to {length}");
        }
        // Whatever a byte is changed to, reading ends.
        for place in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = whole.clone();
                changed[place] = value;
                let _ = read_entries(&mut std::io::Cursor::new(changed));
            }
        }
    }
}
