use super::{MOST_BYTES, Robots, RobotsReply, RobotsRules};
use proptest::prelude::*;
use std::time::Duration;

fn robots(text: &str) -> Robots {
    Robots::parse(text.as_bytes(), "ExampleBot")
}

fn allowed(text: &str, target: &str) -> bool {
    robots(text).allowed(target).allowed
}

const RFC_EXAMPLE: &str = "User-Agent: *\n\
    Disallow: *.gif$\n\
    Disallow: /example/\n\
    Allow: /publications/\n\
    \n\
    User-Agent: foobot\n\
    Disallow:/\n\
    Allow:/example/page.html\n\
    Allow:/example/allowed.gif\n\
    \n\
    User-Agent: barbot\n\
    User-Agent: bazbot\n\
    Disallow: /example/page.html\n\
    \n\
    User-Agent: quxbot\n\
    \n\
    EOF\n";

#[test]
fn the_rfcs_simple_example_is_read_as_it_says() {
    let verdict =
        |bot: &str, target: &str| Robots::parse(RFC_EXAMPLE.as_bytes(), bot).allowed(target).allowed;
    assert!(!verdict("anybot", "/a/picture.gif"));
    assert!(!verdict("anybot", "/example/x"));
    assert!(verdict("anybot", "/publications/x"));
    assert!(verdict("anybot", "/other"));
    assert!(!verdict("foobot", "/publications/"));
    assert!(verdict("foobot", "/example/page.html"));
    assert!(verdict("foobot", "/example/allowed.gif"));
    for bot in ["barbot", "bazbot"] {
        assert!(!verdict(bot, "/example/page.html"));
        assert!(verdict(bot, "/example/picture.gif"));
    }
    assert!(verdict("quxbot", "/example/picture.gif"));
}

#[test]
fn the_rfcs_longest_match_decides() {
    let text = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
    let robots = Robots::parse(text.as_bytes(), "foobot");
    assert!(robots.allowed("/example/page/").allowed);
    let verdict = robots.allowed("/example/page/disallowed.gif");
    assert!(!verdict.allowed);
    assert_eq!(verdict.rule.as_deref(), Some("Disallow: /example/page/disallowed.gif"));
}

#[test]
fn allow_wins_a_tie_in_either_order() {
    assert!(allowed("User-agent: *\nDisallow: /page\nAllow: /page\n", "/page"));
    assert!(allowed("User-agent: *\nAllow: /page\nDisallow: /page\n", "/page"));
}

#[test]
fn groups_of_one_crawler_are_merged() {
    let text = "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\n\
        user-agent: other\ndisallow: /all\n\nuser-agent: ExampleBot\ndisallow: /baz\n";
    assert!(!allowed(text, "/foo") && !allowed(text, "/bar") && !allowed(text, "/baz"));
    assert!(allowed(text, "/all"));
}

#[test]
fn groups_for_everyone_are_merged_too() {
    let text = "user-agent: *\ndisallow: /foo\nuser-agent: x\ndisallow: /x\nuser-agent: *\ndisallow: /baz\n";
    assert!(!allowed(text, "/foo") && !allowed(text, "/baz") && allowed(text, "/x"));
}

#[test]
fn the_token_is_matched_whatever_its_case_and_what_follows_it() {
    for agent in ["EXAMPLEBOT", "examplebot/2.1", "ExampleBot (compatible)"] {
        assert!(!allowed(&format!("User-agent: {agent}\nDisallow: /"), "/a"), "{agent}");
    }
    for agent in ["ExampleBot-News", "Example", "My ExampleBot", "Exampleb\u{f6}t", ""] {
        assert!(allowed(&format!("User-agent: {agent}\nDisallow: /"), "/a"), "{agent}");
    }
}

#[test]
fn the_group_for_everyone_counts_only_without_a_group_of_our_own() {
    let text = "User-agent: *\nDisallow: /\nUser-agent: ExampleBot\nDisallow: /only\n";
    assert!(allowed(text, "/a") && !allowed(text, "/only"));
    assert!(allowed("User-agent: *\nDisallow: /\nUser-agent: ExampleBot\n", "/a"));
    assert!(!allowed("User-agent: *\nDisallow: /\nUser-agent: other\nAllow: /\n", "/a"));
}

#[test]
fn no_group_that_concerns_us_allows_everything() {
    let robots = robots("User-agent: other\nDisallow: /\n");
    let verdict = robots.allowed("/a");
    assert!(verdict.allowed);
    assert_eq!(verdict.rule, None);
}

#[test]
fn a_rule_before_any_user_agent_is_nobodys() {
    assert!(allowed("Disallow: /\nUser-agent: *\nDisallow: /b\n", "/a"));
}

#[test]
fn an_empty_disallow_forbids_nothing() {
    assert!(allowed("User-agent: *\nDisallow:\n", "/a"));
    assert!(allowed("User-agent: *\nDisallow: # nothing\n", "/a"));
}

#[test]
fn lines_that_are_no_rules_do_not_split_a_group() {
    let text = "User-agent: ExampleBot\nSitemap: http://a.test/s.xml\nNoise\nFoo: bar\n\
        User-agent: other\nDisallow: /\n";
    assert!(!allowed(text, "/a"));
}

#[test]
fn every_kind_of_line_end_ends_a_line() {
    for end in ["\n", "\r", "\r\n"] {
        let text = ["User-agent: *", "Disallow: /a", "Allow: /a/b"].join(end);
        assert!(!allowed(&text, "/a") && allowed(&text, "/a/b"), "{end:?}");
    }
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    assert!(!allowed("\u{feff}User-agent: *\nDisallow: /a\n", "/a"));
}

#[test]
fn comments_and_blanks_are_passed_over() {
    let text = "# robots\n  USER-AGENT :  *  # all\n\t disallow\t:\t/a # not this\n";
    assert!(!allowed(text, "/a") && allowed(text, "/b"));
}

#[test]
fn the_file_itself_is_always_allowed() {
    assert!(allowed("User-agent: *\nDisallow: /\n", "/robots.txt"));
    assert!(!allowed("User-agent: *\nDisallow: /\n", "/robots.txt.bak"));
    assert!(RobotsRules::DisallowAll.allowed("/robots.txt").allowed);
}

#[test]
fn queries_are_part_of_what_is_matched() {
    let text = "User-agent: *\nDisallow: /*?print=\nDisallow: /search?\n";
    assert!(!allowed(text, "/page?print=1") && !allowed(text, "/search?q=a"));
    assert!(allowed(text, "/page") && allowed(text, "/search"));
}

#[test]
fn the_first_500_kib_are_read_and_no_more() {
    let line = "Disallow: /x/0123456789012345678901234567890123456789\n";
    let mut text = String::from("User-agent: *\n");
    while text.len() + line.len() < MOST_BYTES - 20 {
        text.push_str(line);
    }
    while text.len() < MOST_BYTES - "Disallow: /last".len() {
        text.push('\n');
    }
    text.push_str("Disallow: /last");
    assert_eq!(text.len(), MOST_BYTES);
    assert!(!allowed(&text, "/last"));
    assert!(allowed(&(text.clone() + "-and-on\nDisallow: /beyond"), "/last"));
    assert!(!allowed(&(text.clone() + "\nDisallow: /beyond"), "/last"));
    assert!(allowed(&(text + "\nDisallow: /beyond"), "/beyond"));
}

#[test]
fn the_delay_is_that_of_the_group() {
    let text = "User-agent: *\nCrawl-delay: 10\nUser-agent: ExampleBot\nCrawl-delay: 2.5\nDisallow: /a\n\
        User-agent: other\nCrawl-delay: 99\n";
    // The first two lines of user agents are one group: a Crawl-delay is no rule, so it ends no group.
    assert_eq!(robots(text).crawl_delay(), Some(Duration::from_millis(2500)));
    assert_eq!(
        robots("User-agent: *\nCrawl-delay: 10\nDisallow:\n").crawl_delay(),
        Some(Duration::from_secs(10))
    );
}

#[test]
fn a_senseless_delay_is_none_or_cut() {
    for value in ["-1", "NaN", "inf", "soon", ""] {
        assert_eq!(robots(&format!("User-agent: *\nCrawl-delay: {value}\n")).crawl_delay(), None, "{value}");
    }
    let long = robots("User-agent: *\nCrawl-delay: 1e300\n").crawl_delay();
    assert_eq!(long, Some(Duration::from_secs(7 * 24 * 3600)));
}

#[test]
fn sitemaps_are_for_everyone_wherever_they_stand() {
    let robots = robots(
        "Sitemap: http://a.test/1.xml\nUser-agent: other\nDisallow: /\nsitemap:http://a.test/2.xml\nSitemap:\n",
    );
    assert_eq!(robots.sitemaps(), ["http://a.test/1.xml", "http://a.test/2.xml"]);
}

#[test]
fn how_the_request_ended_decides_where_there_are_no_rules() {
    let status = |status| {
        RobotsRules::from_reply(
            RobotsReply::Status { status, body: b"User-agent: *\nDisallow: /a" },
            "ExampleBot",
        )
    };
    assert!(!status(200).allowed("/a").allowed && status(200).allowed("/b").allowed);
    for unavailable in [301, 400, 401, 403, 404, 410, 429, 451, 499] {
        assert_eq!(status(unavailable), RobotsRules::AllowAll, "{unavailable}");
    }
    for unreachable in [500, 502, 503, 599, 0, 999] {
        assert_eq!(status(unreachable), RobotsRules::DisallowAll, "{unreachable}");
        assert!(!status(unreachable).allowed("/a").allowed);
    }
    assert_eq!(RobotsRules::from_reply(RobotsReply::LostInRedirects, "x"), RobotsRules::AllowAll);
    assert_eq!(RobotsRules::from_reply(RobotsReply::Unreachable, "x"), RobotsRules::DisallowAll);
}

#[test]
fn no_rules_are_relied_upon_for_more_than_a_day() {
    for rules in [RobotsRules::Rules(robots("")), RobotsRules::AllowAll, RobotsRules::DisallowAll] {
        assert!(rules.lifetime() <= Duration::from_secs(24 * 3600));
    }
}

#[test]
fn a_page_in_place_of_robots_txt_forbids_nothing() {
    let html = "<!DOCTYPE html><html><head><title>Not found: /</title></head><body>User-agent</body></html>";
    assert!(allowed(html, "/a"));
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in any::<Vec<u8>>(), target in "/\\PC{0,40}") {
        let _ = Robots::parse(&bytes, "ExampleBot").allowed(&target);
    }

    #[test]
    fn the_verdict_is_that_of_the_longest_matching_rule(
        rules in proptest::collection::vec((any::<bool>(), "/[ab]{0,4}"), 0..8),
        target in "/[ab]{0,5}",
    ) {
        let mut text = String::from("User-agent: *\n");
        for (allow, path) in &rules {
            text.push_str(&format!("{}: {path}\n", if *allow { "Allow" } else { "Disallow" }));
        }
        let best = rules.iter().filter(|(_, path)| target.starts_with(path)).max_by_key(|(allow, path)| (path.len(), *allow));
        prop_assert_eq!(allowed(&text, &target), best.is_none_or(|(allow, _)| *allow));
    }
}
