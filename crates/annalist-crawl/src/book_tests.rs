use std::cell::Cell;
use std::fs::Permissions;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use annalist_model::Time;

use super::{Book, Entry, LONGEST_REST, Lock, Look, Looks, SHORTEST_PAUSE, lock};
use crate::clock;

const ONE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const TWO: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));
const REST: Duration = Duration::from_secs(3);
const NO_REST: Duration = Duration::ZERO;
/// What crawls of today call now.
const START: u64 = 1_794_776_361_000;

fn at(millis: u64) -> Time {
    Time::from_millis(START + millis)
}

/// Two crawls that share a book.
fn two(folder: &Path) -> (Book, Book) {
    (Book::in_folder(folder.join("deep/book")), Book::in_folder(folder.join("deep/book")))
}

fn first_look(book: &Book, rest: Duration, now: Time) -> Result<Entry, Time> {
    look(book, rest, &mut Looks::default(), now)
}

fn look(book: &Book, rest: Duration, looks: &mut Looks, now: Time) -> Result<Entry, Time> {
    match book.look(ONE, rest, looks, || now).unwrap() {
        Look::Yours(entry) => Ok(entry),
        Look::NotBefore(until) => Err(until),
    }
}

#[test]
fn a_server_is_asked_by_one_crawl_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let (mine, yours) = two(dir.path());
    let entry = first_look(&mine, NO_REST, at(0)).unwrap();
    let mut looks = Looks::default();
    assert_eq!(look(&yours, NO_REST, &mut looks, at(0)).unwrap_err(), at(0).plus(SHORTEST_PAUSE));
    assert!(matches!(yours.look(TWO, NO_REST, &mut Looks::default(), || at(0)).unwrap(), Look::Yours(_)));
    // The longer the wait, the longer the pauses; at last they grow no more.
    assert_eq!(look(&yours, NO_REST, &mut looks, at(200)).unwrap_err(), at(250));
    assert_eq!(look(&yours, NO_REST, &mut looks, at(9000)).unwrap_err(), at(9100));
    entry.close(at(9010), NO_REST).unwrap();
    assert!(look(&yours, NO_REST, &mut looks, at(9100)).is_ok());
}

#[test]
fn a_rest_is_not_shortened_by_who_looks_in_the_millisecond_in_which_it_began() {
    let dir = tempfile::tempdir().unwrap();
    let (mine, yours) = two(dir.path());
    let over = clock::rested_from(at(0), REST);
    first_look(&mine, REST, at(0)).unwrap().close(over, REST).unwrap();
    assert_eq!(first_look(&yours, REST, at(0)).unwrap_err(), over);
    assert!(first_look(&yours, REST, at(3000)).is_err(), "a part of a millisecond is missing");
    assert!(look(&yours, REST, &mut Looks { first: Some(at(0)) }, over).is_ok());
}

#[test]
fn a_rest_is_not_shortened_by_who_read_the_clock_before_it_began() {
    let dir = tempfile::tempdir().unwrap();
    let (mine, yours) = two(dir.path());
    let over = clock::rested_from(at(50), REST);
    let read = Cell::new(0);
    // Between two looks at the clock, another crawl asks the server.
    let clock = || {
        read.set(read.get() + 1);
        if read.get() == 1 {
            first_look(&mine, REST, at(40)).unwrap().close(over, REST).unwrap();
            return at(0);
        }
        at(60)
    };
    let Look::NotBefore(until) = yours.look(ONE, REST, &mut Looks::default(), clock).unwrap() else {
        panic!("the server rests")
    };
    assert_eq!(until, over);
    assert_eq!(first_look(&yours, REST, at(70)).unwrap_err(), over, "nor in the book");
}

#[test]
fn who_sweeps_reads_the_clock_while_nobody_can_write() {
    let dir = tempfile::tempdir().unwrap();
    let (mine, yours) = two(dir.path());
    first_look(&mine, REST, at(0)).unwrap().close(at(10), REST).unwrap();
    // A rest that began after it was read would seem too long by it, and would be cut.
    yours.sweep(|| {
        assert!(first_look(&mine, REST, at(20)).is_err(), "the server could be asked meanwhile");
        at(20)
    });
    assert!(first_look(&mine, REST, at(30)).is_ok());
}

#[test]
fn a_rest_is_kept_by_all_crawls_and_by_those_that_come_later() {
    let dir = tempfile::tempdir().unwrap();
    let (mine, yours) = two(dir.path());
    first_look(&mine, REST, at(0)).unwrap().close(at(4000), REST).unwrap();
    drop(mine);
    assert_eq!(first_look(&yours, NO_REST, at(3000)).unwrap_err(), at(4000));
    yours.lengthen(ONE, at(5000), at(3500)).unwrap();
    yours.lengthen(ONE, at(4500), at(3500)).unwrap();
    assert_eq!(first_look(&yours, NO_REST, at(4000)).unwrap_err(), at(5000));
    assert!(look(&yours, NO_REST, &mut Looks { first: Some(at(4000)) }, at(5000)).is_ok());
}

#[test]
fn a_rest_that_became_shorter_is_shorter_for_all_and_one_that_others_owe_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let (mine, yours) = two(dir.path());
    let asks = |book: &Book, now: Time, until: Time| {
        let rest = until.since(now);
        look(book, rest, &mut Looks { first: Some(now) }, now).unwrap().close(until, rest).unwrap();
        book.owe(ONE, until, now);
    };
    asks(&mine, at(0), at(9000));
    assert!(!yours.shorten(ONE, at(100)).unwrap());
    assert_eq!(first_look(&yours, NO_REST, at(200)).unwrap_err(), at(9000));
    assert!(mine.shorten(ONE, at(500)).unwrap());
    assert!(!mine.shorten(ONE, at(500)).unwrap(), "that is written");
    assert_eq!(first_look(&yours, NO_REST, at(200)).unwrap_err(), at(500));
    // Since then another crawl has asked the server.
    asks(&yours, at(600), at(8000));
    assert!(!mine.shorten(ONE, at(550)).unwrap());
    assert_eq!(first_look(&mine, NO_REST, at(700)).unwrap_err(), at(8000));
    // What it owes besides is hidden behind a longer rest, and is kept when that becomes shorter.
    asks(&mine, at(8100), at(20_000));
    yours.lengthen(ONE, at(12_000), at(8200)).unwrap();
    assert!(!mine.shorten(ONE, at(9000)).unwrap());
    assert!(first_look(&mine, NO_REST, at(11_000)).is_err());
}

#[test]
fn a_server_rests_from_the_moment_its_asker_is_found_dead() {
    let dir = tempfile::tempdir().unwrap();
    let (mine, yours) = two(dir.path());
    drop(first_look(&mine, REST, at(0)).unwrap());
    let mut looks = Looks::default();
    assert_eq!(
        look(&yours, NO_REST, &mut looks, at(10_000)).unwrap_err(),
        clock::rested_from(at(10_000), REST)
    );
    assert_eq!(
        look(&yours, NO_REST, &mut looks, at(11_000)).unwrap_err(),
        clock::rested_from(at(10_000), REST)
    );
    assert!(look(&yours, NO_REST, &mut looks, at(13_001)).is_ok());
}

#[test]
fn a_clock_that_was_wrong_delays_a_crawl_by_one_rest() {
    let dir = tempfile::tempdir().unwrap();
    let (mine, yours) = two(dir.path());
    let a_year = Duration::from_secs(365 * 86_400);
    first_look(&mine, REST, at(0).plus(a_year)).unwrap().close(at(0).plus(a_year + REST), REST).unwrap();
    let mut looks = Looks::default();
    assert_eq!(look(&yours, NO_REST, &mut looks, at(0)).unwrap_err(), clock::rested_from(at(0), REST));
    look(&yours, NO_REST, &mut looks, at(1).plus(REST)).unwrap().close(at(0).plus(a_year), a_year).unwrap();
    assert_eq!(first_look(&yours, NO_REST, at(0)).unwrap_err(), clock::rested_from(at(0), LONGEST_REST));
}

#[test]
fn what_is_no_page_of_the_book_makes_nobody_wait() {
    let dir = tempfile::tempdir().unwrap();
    for text in [&b""[..], b"ANN", &[0xff; 32], &[0; 4000]] {
        let (mine, _) = two(dir.path());
        std::fs::create_dir_all(dir.path().join("deep/book")).unwrap();
        std::fs::write(dir.path().join("deep/book/192.0.2.1"), text).unwrap();
        first_look(&mine, REST, at(0)).unwrap().close(at(100), REST).unwrap();
        assert_eq!(first_look(&mine, REST, at(50)).unwrap_err(), at(100));
    }
}

#[test]
fn who_has_waited_goes_before_who_comes_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (busy, patient) = two(dir.path());
    let entry = first_look(&busy, NO_REST, at(0)).unwrap();
    let mut looks = Looks::default();
    let again = look(&patient, NO_REST, &mut looks, at(1)).unwrap_err();
    entry.close(at(2), NO_REST).unwrap();
    let stepped_back = first_look(&busy, NO_REST, at(2)).unwrap_err();
    assert!(stepped_back > again, "{stepped_back:?} {again:?}");
    look(&patient, NO_REST, &mut looks, again).unwrap().close(again, NO_REST).unwrap();
    // Nobody waits any more.
    assert!(first_look(&busy, NO_REST, again).is_ok());
    // One who waited and never came again is not waited for for ever.
    look(&patient, NO_REST, &mut Looks { first: Some(at(0)) }, again).unwrap_or_else(|_| panic!("free"));
}

#[test]
fn files_that_say_nothing_any_more_are_swept_away_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let (mine, yours) = two(dir.path());
    let folder = dir.path().join("deep/book");
    let names = || {
        let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert!(!mine.is_untidy());
    first_look(&mine, REST, at(0)).unwrap().close(at(3000), REST).unwrap();
    assert!(mine.is_untidy());
    std::fs::write(folder.join("letter.txt"), "").unwrap();
    mine.sweep(|| at(2999));
    assert!(!mine.is_untidy());
    assert_eq!(names(), ["192.0.2.1", "letter.txt"]);
    let entry = first_look(&mine, NO_REST, at(3000)).unwrap();
    yours.sweep(|| at(3001));
    assert_eq!(names(), ["192.0.2.1", "letter.txt"], "it is being asked");
    entry.close(at(3002), NO_REST).unwrap();
    let opened = std::fs::File::open(folder.join("192.0.2.1")).unwrap();
    yours.sweep(|| at(3003));
    assert_eq!(names(), ["letter.txt"]);
    assert_eq!(
        lock(&opened).unwrap(),
        Lock::Gone,
        "who opened it before must not believe to have the server"
    );
    assert!(first_look(&yours, NO_REST, at(3004)).is_ok());
}

#[test]
fn people_who_share_a_folder_share_its_files_and_links_lead_nowhere() {
    let dir = tempfile::tempdir().unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let (mine, _) = two(dir.path());
    first_look(&mine, NO_REST, at(0)).unwrap();
    assert_eq!(mode(&dir.path().join("deep/book")), 0o700);
    assert_eq!(mode(&dir.path().join("deep/book/192.0.2.1")), 0o600);
    std::fs::set_permissions(dir.path(), Permissions::from_mode(0o770)).unwrap();
    let shared = Book::in_folder(dir.path().to_owned());
    first_look(&shared, NO_REST, at(0)).unwrap();
    assert_eq!(mode(&dir.path().join("192.0.2.1")), 0o660);
    std::fs::write(dir.path().join("diary"), "mine").unwrap();
    std::os::unix::fs::symlink(dir.path().join("diary"), dir.path().join("192.0.2.2")).unwrap();
    assert!(shared.look(TWO, REST, &mut Looks::default(), || at(0)).is_err());
    assert_eq!(std::fs::read_to_string(dir.path().join("diary")).unwrap(), "mine");
}

#[test]
fn a_fault_is_told_once_and_a_mapped_address_is_the_server_it_leads_to() {
    let dir = tempfile::tempdir().unwrap();
    let (mine, _) = two(dir.path());
    assert!(mine.complaint(&io::Error::other("broken")).unwrap().contains("broken"));
    assert_eq!(mine.complaint(&io::Error::other("broken")), None);
    assert!(Book::none().complaint(&io::Error::other("broken")).is_none());
    let _entry = first_look(&mine, NO_REST, at(0)).unwrap();
    let mapped = IpAddr::V6(Ipv4Addr::new(192, 0, 2, 1).to_ipv6_mapped());
    assert!(matches!(mine.look(mapped, NO_REST, &mut Looks::default(), || at(0)), Ok(Look::NotBefore(_))));
}
