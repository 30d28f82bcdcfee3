//! The results as tables to read: policies as such, the same with batches and longer turns, topics one by one.

use std::fmt::Write;

use crate::measures::{Mean, Means};
use crate::policy::{Policy, Scheduling};
use crate::simulate::Found;

const MEASURES: [&str; 4] = ["harvest ratio", "recall", "similarity", "topics covered"];
const COLUMN: usize = 17;

pub fn tables(found: &Found) -> String {
    let mut text = String::new();
    let topics = match found.topics.as_slice() {
        [one] => one.clone(),
        many => format!("{} topics", many.len()),
    };
    let _ = writeln!(
        text,
        "{topics}, {} with {} seeds each, {} pages a crawl; \u{b1} is the standard error over repeats",
        counted(found.repeats as usize, "repeat"),
        found.seeds,
        found.pages
    );
    let plain: Vec<Policy> = found.policies.iter().copied().filter(Policy::is_plain).collect();
    if !plain.is_empty() {
        text.push('\n');
        let width = width(plain.iter().map(|policy| policy.base_name().len()), "policy");
        heading(&mut text, &format!("{:width$}", "policy"), found);
        for policy in &plain {
            line(&mut text, &format!("{:width$}", policy.base_name()), &found.means(*policy));
        }
    }
    if plain.len() < found.policies.len() {
        text.push('\n');
        heading(&mut text, "batch  bl  function", found);
        for policy in in_pairs(&found.policies) {
            let batch = if policy.scheduling == Scheduling::InBatches { "yes" } else { "no" };
            let start = format!("{batch:5}  {:>2}  {:8}", policy.links_per_turn, policy.base_name());
            line(&mut text, &start, &found.means(policy));
        }
    }
    if found.topics.len() > 1 {
        text.push('\n');
        by_topic(&mut text, found);
    }
    let _ = writeln!(
        text,
        "\nNo crawl can harvest more than {:.3}: there are no more relevant pages than that to find.",
        found.bound()
    );
    text
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn width(lengths: impl Iterator<Item = usize>, title: &str) -> usize {
    lengths.max().unwrap_or(0).max(title.len())
}

fn heading(text: &mut String, start: &str, found: &Found) {
    let shown = if found.labelled { MEASURES.len() } else { MEASURES.len() - 1 };
    let columns = MEASURES.iter().take(shown).map(|name| format!("  {name:COLUMN$}")).collect::<String>();
    let _ = writeln!(text, "{}", format!("{start}{columns}").trim_end());
}

fn line(text: &mut String, start: &str, means: &Means) {
    let all = [Some(means.harvest), Some(means.recall), Some(means.similarity), means.covered];
    let columns = all.iter().flatten().map(|mean| format!("  {:COLUMN$}", shown(mean))).collect::<String>();
    let _ = writeln!(text, "{}", format!("{start}{columns}").trim_end());
}

fn shown(mean: &Mean) -> String {
    match mean.error {
        Some(error) => format!("{:.4} \u{b1} {error:.4}", mean.value),
        None => format!("{:.4}", mean.value),
    }
}

/// Those with a variant, each followed by its variants.
fn in_pairs(policies: &[Policy]) -> Vec<Policy> {
    let mut bases: Vec<_> =
        policies.iter().filter(|policy| !policy.is_plain()).map(|policy| policy.base).collect();
    let mut seen = Vec::new();
    bases.retain(|base| {
        !seen.contains(base) && {
            seen.push(*base);
            true
        }
    });
    let of = |base| {
        let mut variants: Vec<Policy> =
            policies.iter().copied().filter(|policy| policy.base == base).collect();
        variants.sort_by_key(|policy| (policy.scheduling == Scheduling::InBatches, policy.links_per_turn));
        variants
    };
    bases.into_iter().flat_map(of).collect()
}

fn by_topic(text: &mut String, found: &Found) {
    const TITLE: &str = "harvest by topic";
    let wide = width(found.topics.iter().map(|topic| topic.chars().count()), TITLE);
    let names: Vec<String> = found.policies.iter().map(Policy::to_string).collect();
    let columns: String = names.iter().map(|name| format!("  {name:>6}")).collect();
    let _ = writeln!(text, "{TITLE:wide$}{columns}");
    for topic in &found.topics {
        let _ = write!(text, "{topic:wide$}");
        for (policy, name) in found.policies.iter().zip(&names) {
            let _ = write!(text, "  {:>1$.3}", found.harvest_of(*policy, topic), name.len().max(6));
        }
        text.push('\n');
    }
}
