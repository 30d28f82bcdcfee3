//! Every target on the stable compiler: the seeds, and inputs made from them by the same dice every time.
//!
//! Rounds are sized for two to four seconds each. `ANNALIST_FUZZ_ROUNDS` multiplies them, `ANNALIST_FUZZ_SEED` rolls
//! other dice.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::path::Path;

use annalist_fuzz::seeds::{Seeds, corpus_dir, dictionary_path};
use annalist_fuzz::{TARGETS, target};

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is to be a number, not {text:?}")))
}

fn hunt(name: &str, rounds: u64) {
    let target = target(name).unwrap();
    let seed = number("ANNALIST_FUZZ_SEED").unwrap_or(1);
    let rounds = rounds * number("ANNALIST_FUZZ_ROUNDS").unwrap_or(1);
    if let Some(find) = annalist_fuzz::hunt::hunt(target, &Seeds::of(target).unwrap(), seed, rounds) {
        panic!("{find}");
    }
}

#[test]
fn any_bytes_are_records_or_faults_and_what_is_written_is_read_back() {
    hunt("warc", 4_000);
}

#[test]
fn any_bytes_have_one_http_head_however_they_are_buffered() {
    hunt("http_head", 150_000);
}

#[test]
fn any_body_in_chunks_gives_no_more_than_it_holds() {
    hunt("chunks", 120_000);
}

#[test]
fn any_response_is_received_the_same_in_any_pieces_and_recorded_as_it_is_read() {
    hunt("response", 60_000);
}

#[test]
fn no_cookie_breaks_out_of_its_field_or_its_site() {
    hunt("cookies", 40_000);
}

#[test]
fn every_verdict_about_any_robots_txt_is_the_one_a_plain_reading_gives() {
    hunt("robots", 5_000);
}

#[test]
fn any_response_becomes_a_page_whose_links_can_be_fetched() {
    hunt("page", 80_000);
}

#[test]
fn any_html_becomes_a_page_whose_links_can_be_fetched() {
    hunt("html", 8_000);
}

#[test]
fn any_feed_becomes_a_page_whose_links_can_be_fetched() {
    hunt("feed", 30_000);
}

#[test]
fn any_sitemap_gives_addresses_that_stand_in_it() {
    hunt("sitemap", 30_000);
}

#[test]
fn any_style_sheet_gives_addresses_that_can_be_written_again() {
    hunt("css", 80_000);
}

#[test]
fn any_image_list_gives_candidates_that_make_the_same_list() {
    hunt("srcset", 300_000);
}

#[test]
fn any_question_about_any_capture_gets_an_answer_that_leads_nowhere_else() {
    hunt("replay", 2_000);
}

#[test]
fn any_text_is_a_spec_that_survives_being_written_or_a_list_of_mistakes() {
    hunt("spec", 12_000);
}

#[test]
fn every_line_of_any_file_of_seeds_is_a_seed_or_a_mistake() {
    hunt("seed_file", 40_000);
}

#[test]
fn any_scope_expression_is_a_condition_or_a_mistake() {
    hunt("scope", 9_000);
}

#[test]
fn any_address_has_one_spelling_that_stays() {
    hunt("url", 100_000);
}

#[test]
fn any_text_has_an_index_key_of_one_word() {
    hunt("surt", 50_000);
}

#[test]
fn any_index_line_is_written_as_it_was_read() {
    hunt("cdx", 12_000);
}

#[test]
fn any_wacz_file_is_judged_to_its_end() {
    hunt("wacz", 1_500);
}

#[test]
fn any_text_has_terms_that_can_be_counted_written_and_weighed() {
    hunt("terms", 8_000);
}

#[test]
fn any_file_of_frequencies_gives_weights_or_the_line_that_is_wrong() {
    hunt("frequencies", 80_000);
}

#[test]
fn any_catalogue_file_is_a_description_that_can_be_looked_for_or_a_list_of_mistakes() {
    hunt("catalogue", 1_500);
}

#[test]
fn any_expression_is_written_as_it_was_read_and_finds_the_same_among_others() {
    hunt("expression", 8_000);
}

#[test]
fn every_target_has_seeds_words_a_test_and_a_cargo_fuzz_binary() {
    let binaries = Path::new(env!("CARGO_MANIFEST_DIR")).join("cargo-fuzz/fuzz_targets");
    for target in TARGETS {
        let name = target.name;
        assert!(corpus_dir(target).read_dir().unwrap().count() >= 3, "{name} needs more seeds");
        assert!(dictionary_path(target).is_file(), "{name} has no dictionary");
        assert!(!Seeds::of(target).unwrap().words.is_empty(), "{name} has no words");
        assert!(include_str!("stable.rs").contains(&format!("hunt(\"{name}\", ")), "{name} has no test");
        let binary = std::fs::read_to_string(binaries.join(format!("{name}.rs"))).unwrap();
        assert!(binary.contains(&format!("\"{name}\"")), "the binary {name} runs another target");
    }
}
