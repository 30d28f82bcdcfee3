use annalist_model::Time;
use proptest::prelude::*;

use super::words::MONTHS;
use super::{Hints, Order, parse};

fn read(text: &str) -> Option<String> {
    parse(text, &Hints::default())
}

/// Friday, 8 March 2013, noon.
fn at_noon() -> Hints {
    Hints { now: Some(Time::from_millis(1_362_744_000_000)), ..Hints::default() }
}

#[test]
fn dates_of_machines_are_read() {
    for (text, expected) in [
        ("2013-03-05T16:12:33Z", "2013-03-05T16:12:33Z"),
        ("2013-03-05T16:12:33+01:00", "2013-03-05T16:12:33+01:00"),
        ("2013-03-05T16:12:33-0500", "2013-03-05T16:12:33-05:00"),
        ("2013-03-05T16:12:33.250Z", "2013-03-05T16:12:33.25Z"),
        ("2013-03-05T16:12+05:30", "2013-03-05T16:12:00+05:30"),
        ("2013-03-05 16:12:33", "2013-03-05T16:12:33Z"),
        ("2013-03-05 16:12", "2013-03-05T16:12:00Z"),
        ("2013-03-05", "2013-03-05T00:00:00Z"),
        ("20130305", "2013-03-05T00:00:00Z"),
        ("20130305T161233Z", "2013-03-05T16:12:33Z"),
        ("20130305161233", "2013-03-05T16:12:33Z"),
        ("Tue, 05 Mar 2013 16:12:33 +0100", "2013-03-05T16:12:33+01:00"),
        ("Tue, 05 Mar 2013 16:12:33 GMT", "2013-03-05T16:12:33Z"),
        ("Tue Mar  5 16:12:33 2013", "2013-03-05T16:12:33Z"),
        ("Tue Mar 05 16:12:33 +0000 2013", "2013-03-05T16:12:33Z"),
        ("1362499953", "2013-03-05T16:12:33Z"),
        ("1362499953000", "2013-03-05T16:12:33Z"),
    ] {
        assert_eq!(read(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn dates_of_people_are_read() {
    for (text, expected) in [
        ("05.03.2013", "2013-03-05T00:00:00Z"),
        ("5.3.13, 16:12", "2013-03-05T16:12:00Z"),
        ("03/05/13", "2013-03-05T00:00:00Z"),
        ("25/03/2013 4:12 PM", "2013-03-25T16:12:00Z"),
        ("2013/03/05", "2013-03-05T00:00:00Z"),
        ("03-05-2013, 04:12 PM", "2013-05-03T16:12:00Z"),
        ("2013年3月5日", "2013-03-05T00:00:00Z"),
        ("2013年3月5日星期二下午4:12", "2013-03-05T16:12:00Z"),
        ("2013年03月05日 16時12分", "2013-03-05T16:12:00Z"),
        ("2013년 3월 5일 (화) 오후 4:12", "2013-03-05T16:12:00Z"),
        ("2013. 3. 5. 오후 4:12", "2013-03-05T16:12:00Z"),
        ("March 5, 2013 at 4:12 pm", "2013-03-05T16:12:00Z"),
        ("Tuesday, March 5th, 2013 4:12 p.m. EST", "2013-03-05T16:12:00-05:00"),
        ("4:12 pm Tue Mar 05, 2013", "2013-03-05T16:12:00Z"),
        ("16:12, 5 March 2013 (UTC)", "2013-03-05T16:12:00Z"),
        ("16:12, 5. März 2013 (CET)", "2013-03-05T16:12:00+01:00"),
        ("5 mars 2013 à 16:12 (CET)", "2013-03-05T16:12:00+01:00"),
        ("16:12, 5 March 2013 +5", "2013-03-05T16:12:00Z"),
        ("12:30 AM, 5-Mar-13", "2013-03-05T00:30:00Z"),
        ("Mar 5 '13 at 16:12", "2013-03-05T16:12:00Z"),
        ("5. März 2013 um 16:12 Uhr", "2013-03-05T16:12:00Z"),
        ("Dienstag, den 5. Maerz 2013, 16.12 Uhr", "2013-03-05T16:12:00Z"),
        ("mardi 5 mars 2013 à 16h12", "2013-03-05T16:12:00Z"),
        ("1er août 2013", "2013-08-01T00:00:00Z"),
        ("martes, 5 de marzo de 2013, 16:12", "2013-03-05T16:12:00Z"),
        ("5 de março de 2013 às 16h12", "2013-03-05T16:12:00Z"),
        ("martedì 5 marzo 2013 alle 16.12", "2013-03-05T16:12:00Z"),
        ("dinsdag 5 maart 2013 om 16:12 uur", "2013-03-05T16:12:00Z"),
        ("5 marca 2013 o 16:12", "2013-03-05T16:12:00Z"),
        ("5 марта 2013 г. в 16:12", "2013-03-05T16:12:00Z"),
        ("Τρίτη, 5 Μαρτίου 2013 4:12 μ.μ.", "2013-03-05T16:12:00Z"),
        ("tisdag 5 mars 2013 kl. 16.12", "2013-03-05T16:12:00Z"),
        ("5 Mart 2013 Salı, 16:12", "2013-03-05T16:12:00Z"),
        ("úterý 5. března 2013 v 16:12", "2013-03-05T16:12:00Z"),
        ("5. maaliskuuta 2013 klo 16.12", "2013-03-05T16:12:00Z"),
        ("2013. március 5., 16:12", "2013-03-05T16:12:00Z"),
        ("5 tháng 3 năm 2013", "2013-03-05T00:00:00Z"),
        ("Posted on March 5, 2013, by Foo", "2013-03-05T00:00:00Z"),
        ("on March 5, 2013 at 4:12 pm said:", "2013-03-05T16:12:00Z"),
        ("By Ann Example | 3 comments | 5 Mar 2013 10:00-12:00", "2013-03-05T10:00:00Z"),
        ("March 2013", "2013-03-01T00:00:00Z"),
    ] {
        assert_eq!(read(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn what_is_no_date_is_none() {
    for text in [
        "",
        "yesterday",
        "5 March",
        "may 2 people",
        "31.02.2013",
        "32/13/2013",
        "version 1.2.3.4",
        "10.10.2013.4",
        "13:45",
        "1,234,567",
        "99999999999999999999999",
        "call 555-1234",
        "2013",
        "in March 2013 there was nothing",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn the_present_gives_what_is_missing() {
    for (text, expected) in [
        ("Today, 04:12 AM", "2013-03-08T04:12:00Z"),
        ("Gestern, 16:12", "2013-03-07T16:12:00Z"),
        ("3 hours ago", "2013-03-08T09:00:00Z"),
        ("an hour ago", "2013-03-08T11:00:00Z"),
        ("vor 2 Tagen", "2013-03-06T12:00:00Z"),
        ("vor einer Stunde", "2013-03-08T11:00:00Z"),
        ("il y a 3 heures", "2013-03-08T09:00:00Z"),
        ("hace 3 días", "2013-03-05T12:00:00Z"),
        ("3 часа назад", "2013-03-08T09:00:00Z"),
        ("2 dni temu", "2013-03-06T12:00:00Z"),
        ("för 3 timmar sedan", "2013-03-08T09:00:00Z"),
        ("3 saat önce", "2013-03-08T09:00:00Z"),
        ("3時間前", "2013-03-08T09:00:00Z"),
        ("3小时前", "2013-03-08T09:00:00Z"),
        ("2 일 전", "2013-03-06T12:00:00Z"),
        ("2 months ago", "2013-01-08T12:00:00Z"),
        ("5m", "2013-03-08T11:55:00Z"),
        ("just now", "2013-03-08T12:00:00Z"),
        ("Tuesday at 4:12 PM", "2013-03-05T16:12:00Z"),
        ("5 March", "2013-03-05T00:00:00Z"),
        ("24. Dezember, 16:12", "2012-12-24T16:12:00Z"),
        ("3月5日", "2013-03-05T00:00:00Z"),
    ] {
        assert_eq!(parse(text, &at_noon()).as_deref(), Some(expected), "{text}");
    }
    assert_eq!(parse("nothing of the kind, 3 times", &at_noon()), None);
}

#[test]
fn hints_decide_where_a_text_leaves_it_open() {
    let order = |order| Hints { order: Some(order), ..Hints::default() };
    assert_eq!(parse("03/05/2013", &order(Order::Dmy)).as_deref(), Some("2013-05-03T00:00:00Z"));
    assert_eq!(parse("03.05.2013", &order(Order::Mdy)).as_deref(), Some("2013-03-05T00:00:00Z"));
    assert_eq!(parse("13/03/05", &order(Order::Ymd)).as_deref(), Some("2013-03-05T00:00:00Z"));
    let zone = |zone: &str| Hints { zone: Some(zone.to_owned()), ..Hints::default() };
    assert_eq!(parse("2013-03-05 16:12", &zone("+02:00")).as_deref(), Some("2013-03-05T16:12:00+02:00"));
    assert_eq!(parse("2013-03-05 16:12 UTC", &zone("+02:00")).as_deref(), Some("2013-03-05T16:12:00Z"));
    assert_eq!(parse("1362499953", &zone("-05:00")).as_deref(), Some("2013-03-05T11:12:33-05:00"));
    let format = |format: &str| Hints { format: Some(format.to_owned()), ..Hints::default() };
    for (text, hint) in [
        ("05.03.2013, 16:12", "%d.%m.%Y, %H:%M"),
        ("Posted: 05/03/2013 16:12", "%d/%m/%Y %H:%M"),
        ("0305-2013 1612", "%m%d-%Y %H%M"),
    ] {
        assert_eq!(parse(text, &format(hint)).as_deref(), Some("2013-03-05T16:12:00Z"), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_and_every_moment_is_one(text in "\\PC{0,60}|[0-9./: -]{0,30}|([0-9]{1,4}[ ./:年月日時-]?(am|pm|mar|ago|vor|Uhr|T|Z|\\+)?){1,8}") {
        for hints in [Hints::default(), at_noon()] {
            if let Some(found) = parse(&text, &hints) {
                prop_assert!(found.parse::<jiff::Timestamp>().is_ok(), "{text:?} gave {found}");
            }
        }
    }

    #[test]
    fn a_written_date_is_read_back_in_every_language(
        language in 0..MONTHS.len(),
        spelling in 0..4_usize,
        shape in 0..4,
        year in 1970..2069_i16,
        month in 1..=12_i8,
        day in 1..=28_i8,
        hour in 0..24_i8,
        minute in 0..60_i8,
    ) {
        let (code, names) = MONTHS[language];
        let spellings: Vec<&str> = names.split(' ').nth(month as usize - 1).unwrap().split('|').collect();
        let name = spellings[spelling % spellings.len()];
        // October in Croatia is November in Poland.
        prop_assume!(name != "-" && (code, month) != ("hr", 10) && super::words::month(name) == Some(month));
        let written = match shape {
            0 => format!("{day} {name} {year} {hour}:{minute:02}"),
            1 => format!("{name} {day}, {year} at {hour}:{minute:02}"),
            2 => format!("{day}. {} {year}, {hour:02}:{minute:02}:00", name.to_uppercase()),
            _ => format!("x {year} {name} {day} {hour:02}:{minute:02} y"),
        };
        let expected = format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z");
        prop_assert_eq!(read(&written), Some(expected), "{} {}", code, written);
    }
}

#[test]
fn every_month_has_its_name_in_every_language() {
    for (code, names) in MONTHS {
        assert_eq!(names.split(' ').count(), 12, "{code}");
        for (month, spellings) in (1..).zip(names.split(' ')) {
            let first = spellings.split('|').next().unwrap();
            let known = super::words::month(first);
            assert!(known == Some(month) || (code, month) == ("hr", 10), "{code} {first} {known:?}");
        }
    }
}
