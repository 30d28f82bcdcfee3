//! Cookies, and the dates in them: whatever a server sets, what goes back is one header field of bounded length that
//! holds nothing the server did not send.

use std::time::Duration;

use annalist_model::{CanonicalUrl, Time};
use annalist_sources::{Jar, parse_http_date, retry_after};

/// 2026-01-01T00:00:00Z
const NOW: Time = Time::from_millis(1_767_225_600_000);
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Each line is a Set-Cookie field.
pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let urls = [
        "https://a.blog.test/dir/page",
        "https://b.blog.test/",
        "http://a.blog.test/dir/page",
        "https://else.test/",
    ];
    let [setter, _, plain, elsewhere] = urls.map(CanonicalUrl::parse);
    let (Ok(setter), Ok(plain), Ok(elsewhere)) = (setter, plain, elsewhere) else { return };
    let mut jar = Jar::default();
    jar.take(&setter, text.lines(), NOW);
    assert_eq!(jar.field(&elsewhere, NOW), None, "a cookie went to another site");
    for url in [&setter, &plain] {
        if let Some(field) = jar.field(url, NOW) {
            check(&field, &text);
        }
    }
    for line in text.lines() {
        assert!(retry_after(line, NOW, LONGEST_WAIT).is_none_or(|wait| wait <= LONGEST_WAIT));
        if let Some(date) = parse_http_date(line) {
            assert_eq!(parse_http_date(&http_date(date)), Some(seconds(date)), "a date is read in two ways");
        }
    }
}

fn check(field: &str, sent: &str) {
    assert!(field.len() <= 8192, "a Cookie field that servers refuse");
    assert!(!field.bytes().any(|b| b.is_ascii_control()), "a cookie breaks out of its field");
    for pair in field.split("; ") {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        assert!(sent.contains(name) && sent.contains(value), "nobody set {pair:?}");
    }
}

/// The form that RFC 9110 prefers.
fn http_date(date: Time) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let digits = date.digits14();
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or("");
    let month = part(4, 6).parse::<usize>().ok().and_then(|month| MONTHS.get(month.wrapping_sub(1)));
    let (year, month, day) = (part(0, 4), month.copied().unwrap_or(""), part(6, 8));
    format!("Thu, {day} {month} {year} {}:{}:{} GMT", part(8, 10), part(10, 12), part(12, 14))
}

fn seconds(date: Time) -> Time {
    Time::from_millis(date.millis() / 1000 * 1000)
}
