//! Harvest over the pages fetched so far, as a mean over topics and repeats; and all rows, for other programs.

use std::fmt::Write;

use crate::policy::Policy;
use crate::simulate::{Found, Row};

/// One curve for each policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// The harvest ratio after 1, 2, 3… pages besides the seeds.
    pub(crate) of: Vec<(Policy, Vec<f64>)>,
    pub(crate) title: String,
}

impl Curves {
    pub fn of(found: &Found) -> Curves {
        let of = |policy: &Policy| {
            let rows: Vec<&Row> = found.rows.iter().filter(|row| row.policy == *policy).collect();
            (*policy, mean(&rows))
        };
        let topics = match found.topics.as_slice() {
            [one] => one.clone(),
            many => format!("{} topics", many.len()),
        };
        let many = if found.repeats == 1 { "repeat" } else { "repeats" };
        let title = format!("{topics}, {} seeds, {} {many}", found.seeds, found.repeats);
        Curves { of: found.policies.iter().map(of).collect(), title }
    }

    /// How many pages the longest crawl fetched.
    pub(crate) fn pages(&self) -> usize {
        self.of.iter().map(|(_, curve)| curve.len()).max().unwrap_or(0)
    }

    pub fn csv(&self) -> String {
        let mut text = String::from("pages");
        for (policy, _) in &self.of {
            let _ = write!(text, ",{policy}");
        }
        text.push('\n');
        for page in 0..self.pages() {
            let _ = write!(text, "{}", page + 1);
            for (_, curve) in &self.of {
                let _ = match curve.get(page).or(curve.last()) {
                    Some(harvest) => write!(text, ",{harvest:.6}"),
                    None => write!(text, ","),
                };
            }
            text.push('\n');
        }
        text
    }
}

/// A crawl that was over earlier keeps its last ratio.
fn mean(rows: &[&Row]) -> Vec<f64> {
    let longest = rows.iter().map(|row| row.relevant.len()).max().unwrap_or(0);
    let mut sums = vec![0.0; longest];
    for row in rows {
        let mut found = 0.0;
        for (page, sum) in sums.iter_mut().enumerate() {
            found += f64::from(u8::from(row.relevant.get(page).copied().unwrap_or(false)));
            let fetched = (page + 1).min(row.relevant.len());
            *sum += if fetched == 0 { 0.0 } else { found / fetched as f64 };
        }
    }
    sums.iter().map(|sum| sum / rows.len() as f64).collect()
}

/// One line for each crawl.
pub fn rows_csv(found: &Found) -> String {
    let mut text =
        String::from("topic,policy,repeat,harvest,recall,similarity,topics_covered,pages,missing\n");
    for row in &found.rows {
        let covered = row.covered.map_or(String::new(), |covered| format!("{covered:.6}"));
        let _ = writeln!(
            text,
            "\"{}\",{},{},{:.6},{:.6},{:.6},{covered},{},{}",
            row.topic.replace('"', "\"\""),
            row.policy,
            row.repeat,
            row.harvest,
            row.recall,
            row.similarity,
            row.pages,
            row.missing
        );
    }
    text
}
