//! What is refused, and how it is said: always all of it, with line and key.

use super::{LEAST, mistakes, parsed};
use proptest::prelude::*;

/// The mistakes of a spec that is fine but for these lines.
fn mistakes_in(lines: &str) -> Vec<String> {
    mistakes(&format!("{LEAST}{lines}"))
}

#[test]
fn a_remote_store_needs_an_address_and_keeps_no_password() {
    let remote = |lines: &str| mistakes_in(&format!("[knowledge.remote]\n{lines}"));
    assert_eq!(remote("update = \"https://store.example/update\"\n"), [""; 0]);
    let told = |lines: &str| remote(lines).join("; ");
    assert!(told("").contains("knowledge.remote.update: missing: where does the server take statements?"));
    assert!(told("updat = \"https://a.example/\"\n").contains("did you mean \"update\"?"));
    assert!(told("update = \"https://me:secret@a.example/\"\n").contains("without a password, found"));
    assert!(told("update = \"file:///etc\"\n").contains("expected an address"));
    let update = "update = \"https://a.example/\"\n";
    assert!(
        told(&format!("{update}user = \"me\"\n"))
            .contains("remote.secret_env: missing: where is the password?")
    );
    let twice = "secret_env = \"A\"\nsecret_file = \"/b\"\n";
    assert!(told(&format!("{update}{twice}")).contains("remote.secret_file: expected one secret"));
    let warned = |address: &str| {
        let lines = format!("[knowledge.remote]\nupdate = \"{address}\"\nsecret_env = \"A\"\n");
        parsed(&format!("{LEAST}{lines}"))
            .warnings
            .iter()
            .any(|warning| warning.message.contains("in the clear"))
    };
    assert!(warned("http://a.example/"));
    assert!(!warned("https://a.example/") && !warned("http://127.0.0.1:3030/ds"));
}

#[test]
fn every_mistake_is_told_at_once_with_line_key_and_what_was_expected() {
    let found = mistakes(
        "nam = \"x\"\ncontact = \"nobody\"\n[[seed]]\nurl = \"ftp://example.org/\"\nscope = \"hots\"\n[limits]\npages = 0\n\
         size = \"50 apples\"\ntime = 3\n[politeness]\nmin_delay = \"5s\"\nmax_delay = \"1s\"\nrobots = true\n\
         [network]\nallow = [\"127.0.0.0/8\", \"local\"]\n",
    );
    assert_eq!(
        found,
        [
            "line 1: nam: unknown key, did you mean \"name\"?",
            "line 1: name: missing: what is the collection called?",
            "line 2: contact: expected a URL or a mail address, found \"nobody\"",
            "line 4: seed[0].url: expected a URL such as \"https://www.example.org/\", found \"ftp://example.org/\": \
             scheme \"ftp\" cannot be crawled, only http and https",
            "line 5: seed[0].scope: expected one of \"page\", \"prefix\", \"host\", \"domain\", \"any\", \"custom\", found \
             \"hots\", did you mean \"host\"?",
            "line 7: limits.pages: expected a whole number of at least 1, found 0",
            "line 8: limits.size: expected a size such as \"800\", \"10MiB\" or \"50GB\", at least 1B, found \
             \"50 apples\"",
            "line 9: limits.time: expected a duration such as \"500ms\", \"2s\", \"12h\" or \"30d\", at least 1ms, \
             found 3",
            "line 11: politeness.min_delay: expected at most max_delay, found more",
            "line 13: politeness.robots: expected one of \"obey\", \"robots-only\", \"ignore\", found true",
            "line 15: network.allow[1]: expected a network such as \"127.0.0.0/8\" or an address, found \"local\"",
        ]
    );
}

#[test]
fn an_empty_spec_lacks_name_and_seeds() {
    assert_eq!(
        mistakes(""),
        [
            "line 1: name: missing: what is the collection called?",
            "line 1: seed: missing: a crawl needs at least one [[seed]]"
        ]
    );
    assert_eq!(
        mistakes("name = \"a\"\nseed = []\n"),
        ["line 2: seed: expected at least one seed, found none"]
    );
}

#[test]
fn broken_syntax_is_told_with_its_line_beside_the_other_mistakes() {
    let found = mistakes("name = \"a\"\nlimits.pages = \n[[seed]]\nurl = \"http://a.test/\"\ndepth = -1\n");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("line 2: TOML: "), "{found:?}");
    assert_eq!(found[1], "line 5: seed[0].depth: expected a whole number from 0 to 65535, found -1");
    let twice = mistakes_in("[limits]\npages = 1\npages = 2\n");
    assert_eq!(twice.len(), 1);
    assert!(twice[0].starts_with("line 6: TOML: duplicate key"), "{twice:?}");
}

#[test]
fn a_key_in_the_wrong_table_is_told_where_it_belongs() {
    assert_eq!(
        mistakes_in("[limits]\ndelay_factor = 2.0\n"),
        ["line 5: limits.delay_factor: unknown key, it belongs in [politeness]"]
    );
    assert_eq!(
        mistakes_in("[limits]\noperator = \"me\"\n"),
        ["line 5: limits.operator: unknown key, it belongs at the top, before any [table]"]
    );
}

#[test]
fn a_table_of_the_wrong_kind_is_told() {
    assert_eq!(mistakes_in("[[limits]]\n").len(), 1);
    let single = mistakes("name = \"a\"\n[seed]\nurl = \"http://a.test/\"\n");
    assert_eq!(
        single,
        ["line 2: seed: expected tables written with double brackets as [[name]], found a table"]
    );
    assert!(mistakes("name = \"a\"\nseed = 3\n")[0].contains("double brackets"));
}

#[test]
fn numbers_out_of_range_are_refused() {
    for lines in [
        "[frontier]\nlinks_per_turn = 0",
        "[frontier]\nlinks_per_turn = 1001",
        "[frontier]\nvisits = 10001",
        "[frontier]\nmemory = \"1MiB\"",
        "[archive]\ncompression = 13",
        "[fetch]\nmax_redirects = 41",
        "[fetch]\ntries = 0",
        "[politeness]\ndelay_factor = -1",
        "[politeness]\ndelay_factor = nan",
        "[politeness]\ndelay_factor = inf",
        "[scope]\ndepth = 65536",
        "[limits]\npages = 99999999999999999999",
        "[limits]\npages = 1.5",
        "[limits]\ntime = \"0s\"",
    ] {
        assert_eq!(mistakes_in(lines).len(), 1, "{lines}");
    }
}

#[test]
fn an_event_has_two_days_in_order() {
    assert_eq!(
        mistakes_in("[event]\nfrom = 2010-02-01\nuntil = 2010-01-01\n"),
        ["line 6: event.until: expected a day not before 2010-02-01 (event.from), found 2010-01-01"]
    );
    assert_eq!(
        mistakes_in("[event]\nfrom = \"2010\"\n"),
        [
            "line 4: event.until: missing: an event has a first and a last day",
            "line 5: event.from: expected a date without quotes such as 2009-10-01, found \"2010\""
        ]
    );
    assert_eq!(mistakes_in("[event]\nfrom = 2010-01-01T00:00:00\nuntil = 2010-01-01\n").len(), 1);
}

#[test]
fn nothing_that_ends_a_header_gets_into_the_user_agent() {
    assert_eq!(mistakes(&format!("user_agent = \"a\\r\\nHost: b\"\n{LEAST}")).len(), 1);
    assert_eq!(mistakes(&format!("contact = \"http://a.test/\\n\"\n{LEAST}")).len(), 1);
    assert_eq!(mistakes(&format!("user_agent = \"\"\n{LEAST}")).len(), 1);
}

#[test]
fn names_of_hosts_and_networks_are_checked() {
    for lines in [
        "[network.resolve]\n\"blog.test\" = \"127.0.0.1\"",
        "[network.resolve]\n\"blog.test/x\" = \"127.0.0.1:80\"",
        "[network.resolve]\n\"blog.test\" = \"127.0.0.1:80\"\n\"BLOG.test\" = \"127.0.0.1:81\"",
        "[network]\nallow = [\"300.0.0.0/8\"]",
        "[network]\ndns_servers = [\"dns.test\"]",
        "[scope]\nblock = [\"http://a.test/\"]",
        "[scope]\nblock = [\"a test\"]",
        "[scope]\nsurts = [\"org,example\"]",
        "[[site]]\npages = 3",
        "[[site]]\nsite = \"exa..mple\"",
        "[scope]\nblock = [\".test\"]",
        "[[site]]\nsite = \"a.test\"\n[[site]]\nsite = \"A.test\"",
        "[[site]]\nsite = \"a.test\"\nmin_delay = \"2s\"\nmax_delay = \"1s\"",
        "[topic]\nlanguages = [\"English\"]",
        "[topic]\nreferences = [\"missing.txt\"]",
        "[topic]\nreferences = [\"http://\"]",
        "[[topic.entity]]\naliases = [\"a\"]",
        "[judge]\nexploration = 1.5",
        "[judge.weights]\nanchors = 1.0",
        "[judge.weights]\nanchor = -1.0",
        "[[judge.pattern]]\nurl = \"*/forum/*\"",
    ] {
        assert_eq!(mistakes_in(lines).len(), 1, "{lines}: {:?}", mistakes_in(lines));
    }
}

#[test]
fn deeply_nested_text_is_a_mistake_and_no_crash() {
    let deep = format!("name = {}", "[".repeat(100_000));
    assert!(!mistakes(&deep).is_empty());
    let dotted = format!("{} = 1", vec!["a"; 50_000].join("."));
    assert!(!mistakes(&dotted).is_empty());
}

proptest! {
    #[test]
    fn any_text_is_a_spec_or_mistakes(text in "(\\PC|\n){0,200}") {
        let parsed = parsed(&text);
        prop_assert_eq!(parsed.spec.is_none(), !parsed.mistakes.is_empty());
    }

    #[test]
    fn a_damaged_spec_is_a_spec_or_mistakes_on_its_lines(at in 0usize..2000, with in "\\PC{0,4}|\n|\\[|=|\"") {
        let mut text = super::super::Spec::named("whole").to_toml();
        let at = (0..=at % (text.len() + 1)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.insert_str(at, &with);
        let lines = text.matches('\n').count() + 1;
        for mistake in parsed(&text).mistakes {
            prop_assert!(mistake.line <= lines);
        }
    }
}

#[test]
fn weights_that_leave_nothing_to_judge_by_are_a_mistake() {
    let none: String = super::super::SIGNALS.iter().map(|signal| format!("{signal} = 0.0\n")).collect();
    let found = mistakes_in(&format!("[judge.weights]\n{none}"));
    assert!(found.len() == 1 && found[0].contains("every signal"), "{found:?}");
}
