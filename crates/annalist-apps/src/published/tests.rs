//! Pages in the shape of real ones: for each kind of evidence, each language, and each trap.

use annalist_model::{CanonicalUrl, Canonicaliser, Evidence, Precision, Published, ResponseHead, Time};
use annalist_read::Reader;
use jiff::civil::date;
use jiff::tz::Offset;

use super::{Captured, Dates, dates};

/// Long enough that nothing below it is near the headline.
const PROSE: &str =
    "The council met for hours and talked of the bridge, of money, and of who will pay for it in the end. ";

fn found_at(url: &str, html: &str, fields: &[(&str, &str)], captured: Captured) -> Dates {
    let url = CanonicalUrl::parse(url).unwrap();
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
    let head = ResponseHead { status: 200, fields };
    let (page, tree) = Reader::new(Canonicaliser::default()).read_with_tree(&url, &head, html.as_bytes());
    dates(&tree.unwrap(), &page, &url, &head, captured)
}

/// The moment by which all these pages are there.
fn late() -> Captured {
    Captured::Before(Time::of(date(2023, 6, 1).at(12, 0, 0, 0), Offset::UTC))
}

fn found(html: &str) -> Option<Published> {
    found_at("http://news.example/story", html, &[], late()).published
}

fn day(html: &str) -> Option<String> {
    found(html).map(|found| found.day.to_string())
}

/// An article of a language, with something between its headline and its text.
fn article(language: &str, byline: &str) -> String {
    format!(
        "<html lang={language}><title>The bridge is built | News</title><body><nav><a href=/>Home</a></nav>
         <main><h1>The bridge is built</h1>{byline}<p>{}</p></main><footer>© 1999-2022 News</footer>",
        PROSE.repeat(20)
    )
}

fn with_head(head: &str) -> String {
    format!("<html lang=en><head>{head}</head><body><h1>The bridge is built</h1><p>{PROSE}</p>")
}

#[test]
fn what_is_said_to_machines_is_heard() {
    for (head, evidence) in [
        (
            r#"<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2014-05-17T08:00:00+02:00"}</script>"#,
            Evidence::JsonLd,
        ),
        (
            r#"<script type="application/ld+json">{"@graph":[{"@type":"WebSite"},{"@type":["Article"],"datePublished":"2014-05-17"}]}</script>"#,
            Evidence::JsonLd,
        ),
        (
            r#"<script type="application/ld+json">[{"@type":"VideoObject","uploadDate":"2014-05-17"}]</script>"#,
            Evidence::JsonLd,
        ),
        (
            "<script type=\"application/ld+json\">{\"@type\":\"Article\", \"datePublished\": \"2014-05-17\", broken }</script>",
            Evidence::JsonLd,
        ),
        (r#"<meta property="article:published_time" content="2014-05-17T08:00:00Z">"#, Evidence::OpenGraph),
        (r#"<meta name="DC.date.issued" content="2014-05-17">"#, Evidence::Meta),
        (r#"<meta name="dcterms.created" content="20140517">"#, Evidence::Meta),
        (r#"<meta name="pubdate" content="Sat, 17 May 2014 08:00:00 GMT">"#, Evidence::Meta),
        (r#"<meta name="sailthru.date" content="2014-05-17 08:00:00">"#, Evidence::Meta),
        (r#"<meta name="parsely-pub-date" content="1400313600">"#, Evidence::Meta),
        (r#"<meta name="citation_publication_date" content="2014/05/17">"#, Evidence::Meta),
        (r#"<meta property="cXenseParse:recs:publishtime" content="2014-05-17T08:00">"#, Evidence::Meta),
        (r#"<meta property="OG:DatePublished" content="2014-05-17">"#, Evidence::OpenGraph),
        (r#"<meta pubdate="pubDate" content="2014-05-17">"#, Evidence::Meta),
        (r#"<meta http-equiv="date" content="2014-05-17">"#, Evidence::Meta),
        (r#"<meta itemprop="datePublished" content="2014-05-17">"#, Evidence::Microdata),
        (r#"<link rel=canonical href="http://news.example/2014/05/17/the-bridge">"#, Evidence::Url),
        (r#"<meta property="og:url" content="http://news.example/story-20140517.html">"#, Evidence::Url),
        (
            r#"<script>var page = {"id": 7, "publishedAt": "2014-05-17T08:00:00Z"};</script>"#,
            Evidence::Script,
        ),
        (r#"<title>The bridge is built - 17 May 2014 - News</title>"#, Evidence::Text),
    ] {
        let found = found(&with_head(head)).unwrap_or_else(|| panic!("nothing in {head}"));
        assert_eq!((found.day.to_string().as_str(), found.evidence), ("2014-05-17", evidence), "{head}");
        assert_eq!(found.precision, Precision::Day);
    }
}

#[test]
fn what_stands_at_the_headline_is_seen() {
    for (byline, evidence) in [
        (r#"<time datetime="2014-05-17T08:00">last Saturday</time>"#, Evidence::TimeElement),
        (
            r#"<abbr class="published" title="2014-05-17T08:00:00+0200">Saturday</abbr>"#,
            Evidence::TimeElement,
        ),
        (r#"<abbr class="timestamp" data-utime="1400313600">Saturday</abbr>"#, Evidence::TimeElement),
        (r#"<span itemprop="datePublished">May 17, 2014</span>"#, Evidence::Microdata),
        (
            r#"<span property="dc:date dc:created" content="2014-05-17T08:00:00+02:00">Saturday</span>"#,
            Evidence::Microdata,
        ),
        (r#"<p class="entry-date">May 17, 2014</p>"#, Evidence::Byline),
        (r#"<aside class="details"><a class="entry-date">May 17, 2014</a></aside>"#, Evidence::Byline),
        (r#"<article><p class="entry-date">May 17, 2014</p></article>"#, Evidence::Byline),
        (r#"<p class="articleDate">17.05.2014</p>"#, Evidence::Byline),
        (
            r#"<time class="updated" datetime="2015-01-02"></time><time class="entry-date" datetime="2014-05-17"></time>"#,
            Evidence::TimeElement,
        ),
        (r#"<p class="date">17 May 14</p>"#, Evidence::Byline),
        ("<p>By Ann Example, posted on May 17th, 2014</p>", Evidence::Words),
        ("<p>Ann Example | 17 May 2014 | 3 min</p>", Evidence::Text),
        ("<div><div>17</div><div>May</div><div>2014</div></div>", Evidence::Text),
        ("<p><b>Ann Example</b><i>May 17, 2014</i></p>", Evidence::Text),
        (r#"<p id="publication-date" hidden>2014-05-17</p>"#, Evidence::TimeElement),
    ] {
        let found = found(&article("en", byline)).unwrap_or_else(|| panic!("nothing in {byline}"));
        assert_eq!((found.day.to_string().as_str(), found.evidence), ("2014-05-17", evidence), "{byline}");
    }
}

#[test]
fn dates_are_read_in_many_languages() {
    for (language, byline) in [
        ("en", "Published on 17 May 2014"),
        ("en-US", "05/17/2014"),
        ("en-US", "05.17.14"),
        ("en-GB", "17/05/2014"),
        ("de", "Veröffentlicht am 17. Mai 2014 um 8:00 Uhr"),
        ("de-AT", "17.5.14"),
        ("fr", "17 mai 14"),
        ("fr", "Publié le 17 mai 2014 à 08h00"),
        ("es", "Publicado el 17 de mayo de 2014"),
        ("it", "Pubblicato sabato 17 maggio 2014"),
        ("pt", "Publicado em 17 de maio de 2014"),
        ("nl", "Geplaatst op zaterdag 17 mei 2014"),
        ("pl", "Opublikowano: 17 maja 2014"),
        ("ru", "Опубликовано 17 мая 2014 г."),
        ("uk", "Опубліковано 17 травня 2014"),
        ("tr", "Yayınlanma: 17 Mayıs 2014 Cumartesi"),
        ("el", "Δημοσιεύτηκε: 17 Μαΐου 2014"),
        ("sv", "Publicerad 17 maj 2014"),
        ("da", "Offentliggjort 17. maj 2014"),
        ("no", "Publisert 17. mai 2014"),
        ("fi", "Julkaistu 17. toukokuuta 2014"),
        ("cs", "Publikováno 17. května 2014"),
        ("hu", "Közzétéve: 2014. május 17."),
        ("ro", "Publicat la 17 mai 2014"),
        ("ja", "2014年5月17日 公開"),
        ("zh", "发布时间：2014-05-17 08:00"),
        ("ko", "입력 2014년 5월 17일"),
        ("ar", "نشر في ١٧ مايو ٢٠١٤"),
        ("id", "Diterbitkan 17 Mei 2014"),
        ("vi", "Đăng ngày 17 tháng 5 năm 2014"),
    ] {
        let found = day(&article(language, &format!("<p>{byline}</p>")));
        assert_eq!(found.as_deref(), Some("2014-05-17"), "{language}: {byline}");
    }
}

#[test]
fn a_change_is_no_publication() {
    let both = article(
        "en",
        "<p>Published May 17, 2014</p><p>Last updated: <time datetime=2015-01-02>January 2, 2015</time></p>",
    );
    let found = found_at("http://news.example/story", &both, &[], late());
    assert_eq!(found.published.unwrap().day, date(2014, 5, 17));
    assert_eq!(found.modified.unwrap().day(), date(2015, 1, 2));
    let said = with_head(
        r#"<meta property="article:modified_time" content="2015-01-02T08:00:00Z"><meta name=date content="2014-05-17">"#,
    );
    assert_eq!(day(&said).as_deref(), Some("2014-05-17"));
    // Where nothing else is known, it tells that the page is at least as old.
    let only = with_head(r#"<meta property="og:updated_time" content="2015-01-02T08:00:00Z">"#);
    let found = super::tests::found(&only).unwrap();
    assert_eq!((found.day, found.evidence), (date(2015, 1, 2), Evidence::Modified));
    assert!(found.confidence < 0.6, "{}", found.confidence);
}

#[test]
fn dates_of_other_things_do_not_win() {
    let own = r#"<p class="byline">By Ann Example, 17 May 2014</p>"#;
    for (other, what) in [
        ("<aside><time datetime=2015-01-02>2 January 2015</time></aside>", "an aside"),
        ("<div class=related-posts><p class=date>January 2, 2015</p></div>", "related posts"),
        (
            "<ul class=teasers><li><a href=/x>Another thing that happened here today</a> <span class=date>2 January 2015</span></li></ul>",
            "teasers",
        ),
        (
            "<article><h2>Another thing</h2><time datetime=2015-01-02>2 January 2015</time></article>",
            "another article",
        ),
        ("<div id=comments><p>Bo: <time datetime=2014-05-16>May 16, 2014</time> good</p></div>", "comments"),
        (
            "<p>The bridge will be opened on 2 January 2015, the mayor said, and all are asked to come and see.</p>",
            "an event",
        ),
        ("<p>Open until January 2, 2015</p>", "an end"),
        ("<footer><p>Copyright 2 January 2015</p></footer>", "a copyright"),
        ("<figure><figcaption>2 January 2015</figcaption></figure>", "a picture"),
    ] {
        let page = article("en", own).replace("</main>", &format!("{other}</main>"));
        assert_eq!(day(&page).as_deref(), Some("2014-05-17"), "{what}");
    }
    // Newspapers show the present day above everything.
    let present = article("en", own).replace("<nav>", "<div class=date>Friday, 2 January 2015</div><nav>");
    assert_eq!(day(&present).as_deref(), Some("2014-05-17"));
}

#[test]
fn a_property_of_the_article_counts_wherever_it_stands() {
    let page = format!(
        r#"<html lang=en><body itemscope itemtype="http://schema.org/Article"><h1>The bridge is built</h1><p>{}</p>
        <div class=sidebar><time itemprop="datePublished" datetime="2014-05-17">May</time></div>
        <div itemscope itemtype="http://schema.org/Article"><h2>Another</h2>
        <time itemprop="datePublished" datetime="2015-01-02">January</time></div>"#,
        PROSE.repeat(20)
    );
    assert_eq!(day(&page).as_deref(), Some("2014-05-17"));
}

#[test]
fn dates_of_one_kind_are_a_list() {
    let list =
        "<div>One of them<p class=date>1 June 2015</p></div><div>Two<p class=date>2 June 2015</p></div>
        <div>Three<p class=date>3 June 2015</p></div>";
    let page = format!("<html lang=en><body>{list}<p>{}</p><p>17 May 2014</p>", PROSE.repeat(5));
    assert_eq!(day(&page).as_deref(), Some("2014-05-17"));
}

#[test]
fn nothing_is_published_after_its_capture() {
    let captured = Captured::At(Time::of(date(2014, 5, 17).at(23, 0, 0, 0), Offset::UTC));
    let of = |head: &str| {
        found_at("http://news.example/story", &with_head(head), &[], captured)
            .published
            .map(|found| found.day)
    };
    assert_eq!(of(r#"<meta name=pubdate content="2014-05-19">"#), None);
    // In Auckland it is tomorrow already.
    assert_eq!(of(r#"<meta name=pubdate content="2014-05-18T09:00:00+12:00">"#), Some(date(2014, 5, 18)));
    assert_eq!(of(r#"<meta name=pubdate content="1970-01-01">"#), None);
    // A digitised newspaper may say so; a text that names a year of the past is about it.
    assert_eq!(of(r#"<meta name=pubdate content="1912-04-16">"#), Some(date(1912, 4, 16)));
    assert_eq!(
        day(&article("en", "<p>16 April 1912</p>")).as_deref(),
        Some("2022-01-01"),
        "the copyright's year"
    );
}

#[test]
fn day_and_month_are_told_apart_by_what_else_is_said() {
    // No month has the number 17, and one of the two ways lies in the future.
    assert_eq!(day(&article("en-US", "<p class=date>17/05/2014</p>")).as_deref(), Some("2014-05-17"));
    let captured = Captured::At(Time::of(date(2014, 6, 1).at(0, 0, 0, 0), Offset::UTC));
    let page = article("en-US", "<p class=date>07/05/2014</p>");
    let found = found_at("http://news.example/story", &page, &[], captured).published;
    assert_eq!(found.unwrap().day, date(2014, 5, 7));
    // Dots are of Europe, in English too, unless the year is short.
    for (written, day) in [("07.05.2014", date(2014, 5, 7)), ("07.05.14", date(2014, 7, 5))] {
        let page = article("en", &format!("<p class=date>{written}</p>"));
        assert_eq!(super::tests::found(&page).unwrap().day, day, "{written}");
    }
    // The address knows.
    let found = found_at("http://news.example/2014/05/07/story", &page, &[], late()).published;
    assert_eq!(found.unwrap().day, date(2014, 5, 7));
}

#[test]
fn the_day_is_that_of_the_writer() {
    // At four in the morning in Greenwich it is still yesterday in New York, and people are told so.
    let page = article("en", "<p class=date>May 16, 2014</p>").replace(
        "<body>",
        r#"<meta property="article:published_time" content="2014-05-17T03:42:00Z"><body>"#,
    );
    let found = found(&page).unwrap();
    assert_eq!((found.day, found.evidence), (date(2014, 5, 16), Evidence::OpenGraph));
    let said = r#"<meta property="article:published_time" content="2014-05-17T00:30:00+02:00">"#;
    let found = super::tests::found(&with_head(said)).unwrap();
    assert_eq!(found.day, date(2014, 5, 17));
    assert_eq!(found.time().rfc3339(), "2014-05-16T22:30:00.000Z");
    assert_eq!(found.rfc3339(), "2014-05-17T00:30:00+02:00");
}

#[test]
fn the_hour_is_that_of_what_says_the_day() {
    let clock = |byline: &str, comment: &str| {
        let comments =
            format!(r#"<ol class="commentlist"><li class="comment">{comment}<p>Well.</p></li></ol></main>"#);
        let found = found(&article("en", byline).replace("</main>", &comments)).unwrap();
        assert_eq!(found.day, date(2014, 5, 17), "{byline}");
        found.clock.map(|_| found.rfc3339())
    };
    let comment = r#"<time datetime="2014-05-17T10:21:51+00:00">May 17, 2014 at 10:21</time>"#;
    let post = r#"<footer class="entry-meta"><time datetime="2014-05-17T05:38:31+00:00">May 17, 2014</time></footer>"#;
    assert_eq!(clock(post, comment).as_deref(), Some("2014-05-17T05:38:31Z"));
    let local = r#"<time class="entry-date" datetime="2014-05-17T05:38:31">May 17, 2014</time>"#;
    assert_eq!(clock(local, comment).as_deref(), Some("2014-05-17T05:38:31Z"));
    // Neither who answered nor who changed something knows when it was written.
    assert_eq!(clock(r#"<p class="entry-date">May 17, 2014</p>"#, comment), None);
    // What says the same with the offset is the better word.
    let both = r#"<meta itemprop="datePublished" content="2014-05-17T08:30"><p class="entry-date" title="2014-05-17T08:30:00+02:00">May 17, 2014</p><abbr class="published" title="2014-05-17T08:30:00+02:00">May 17</abbr>"#;
    assert_eq!(clock(both, comment).as_deref(), Some("2014-05-17T08:30:00+02:00"));
}

#[test]
fn what_counts_from_now_needs_to_know_when_that_was() {
    let page = article("en", "<time>2 days ago</time>");
    assert_eq!(found(&page).map(|found| found.evidence), Some(Evidence::Copyright));
    let captured = Captured::At(Time::of(date(2014, 5, 19).at(12, 0, 0, 0), Offset::UTC));
    let found = found_at("http://news.example/story", &page, &[], captured).published.unwrap();
    assert_eq!((found.day, found.evidence), (date(2014, 5, 17), Evidence::TimeElement));
}

#[test]
fn the_address_may_know_the_month_alone() {
    let found = found_at("http://news.example/2014/05/story", &with_head(""), &[], late()).published.unwrap();
    assert_eq!(
        (found.day, found.precision, found.evidence),
        (date(2014, 5, 1), Precision::Month, Evidence::Url)
    );
    assert!(found.confidence < 0.5);
    // It speaks for the days in it.
    let page = article("en", "<p>17 May 2014</p><p class=date>2 January 2015</p>");
    let found = found_at("http://news.example/2014/05/story", &page, &[], late()).published.unwrap();
    assert_eq!(found.day, date(2014, 5, 17));
}

#[test]
fn the_address_in_an_archive_is_that_of_the_page() {
    let page = with_head(
        r#"<link rel=canonical href="https://web.archive.example/web/20210916080000/http://news.example/2014/05/17/x">"#,
    );
    assert_eq!(day(&page).as_deref(), Some("2014-05-17"));
}

#[test]
fn what_agrees_is_surer_than_what_stands_alone_or_against_another() {
    let sure = |html: &str| found(html).unwrap().confidence;
    let byline = sure(&article("en", "<p>17 May 2014</p>"));
    let linked =
        r#"<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2014-05-17"}</script>"#;
    let with = |byline: &str| sure(&article("en", byline).replace("<body>", &format!("{linked}<body>")));
    assert!(byline < with(""), "{byline}");
    assert!(with("") < with("<p>17 May 2014</p>"));
    assert!(with("<p class=published>Published 2 January 2015</p>") < with(""));
}

#[test]
fn the_server_may_know_the_last_change() {
    let fields = [("Last-Modified", "Fri, 02 Jan 2015 08:00:00 GMT")];
    let found = found_at("http://news.example/story", &with_head(""), &fields, late());
    assert_eq!(found.modified.unwrap().rfc3339(), "2015-01-02T08:00:00.000Z");
    assert_eq!(found.published, None);
    let later = [("Last-Modified", "Fri, 02 Jan 2032 08:00:00 GMT")];
    assert_eq!(found_at("http://news.example/story", &with_head(""), &later, late()).modified, None);
}

#[test]
fn no_page_is_too_odd() {
    for html in [
        "",
        "<time>",
        "<time datetime=''></time>",
        "<meta name=date content=99999999999999999999>",
        "<script type='application/ld+json'>{\"datePublished\": {\"@value\": 5}}</script>",
        "<p>99.99.9999 2014-13-45 0/0/00 ２０１４ ٢٠١٤ 20 14</p>",
        "<h1>é2014é</h1><p>é.é.14 1.1.14é</p>",
    ] {
        found(&format!("<html>{html}"));
    }
    for piece in [
        "17.05.14 ",
        "<i>17 May 2014 ",
        "a",
        "<time datetime=2014-05-17>",
        "<div class=date><article itemscope>",
    ] {
        found(&format!("<html><h1>{}", piece.repeat(5000)));
    }
    let many = "<p class=date>17 May 2014</p>".repeat(2000);
    assert_eq!(day(&article("en", &many)).as_deref(), Some("2014-05-17"));
}
