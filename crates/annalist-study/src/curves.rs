//! Harvest over the pages fetched so far, as a mean over topics and repeats; and all rows, for other programs.

use std::fmt::Write;

use crate::policy::Policy;
use crate::simulate::{Found, Row};

/// One curve for each policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    pub(crate) of: Vec<Curve>,
    pub(crate) title: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    pub policy: Policy,
    pub name: String,
    /// The harvest ratio after 1, 2, 3… pages besides the seeds.
    pub harvest: Vec<f64>,
}

impl Curves {
    pub fn of(found: &Found) -> Curves {
        let of = |policy: &Policy| {
            let rows: Vec<&Row> = found.rows.iter().filter(|row| row.policy == *policy).collect();
            let crawls: Vec<&[bool]> = rows.iter().map(|row| row.relevant.as_slice()).collect();
            Curve { policy: *policy, name: policy.to_string(), harvest: mean(&crawls) }
        };
        let topics = match found.topics.as_slice() {
            [one] => one.clone(),
            many => format!("{} topics", many.len()),
        };
        let many = if found.repeats == 1 { "repeat" } else { "repeats" };
        let title = format!("{topics}, {} seeds, {} {many}", found.seeds, found.repeats);
        Curves { of: found.policies.iter().map(of).collect(), title }
    }

    /// Curves of crawls that were not simulated: how each chose its links, its name, and of each page besides the seeds,
    /// in the order they came, whether it was relevant.
    pub fn of_crawls(title: &str, crawls: &[(Policy, &str, &[bool])]) -> Curves {
        let of = |(policy, name, relevant): &(Policy, &str, &[bool])| Curve {
            policy: *policy,
            name: (*name).to_owned(),
            harvest: mean(&[relevant]),
        };
        Curves { of: crawls.iter().map(of).collect(), title: title.to_owned() }
    }

    /// How many pages the longest crawl fetched.
    pub(crate) fn pages(&self) -> usize {
        self.of.iter().map(|curve| curve.harvest.len()).max().unwrap_or(0)
    }

    pub fn csv(&self) -> String {
        let mut text = String::from("pages");
        for curve in &self.of {
            let _ = write!(text, ",{}", curve.name);
        }
        text.push('\n');
        for page in 0..self.pages() {
            let _ = write!(text, "{}", page + 1);
            for Curve { harvest, .. } in &self.of {
                let _ = match harvest.get(page).or(harvest.last()) {
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
fn mean(crawls: &[&[bool]]) -> Vec<f64> {
    let longest = crawls.iter().map(|relevant| relevant.len()).max().unwrap_or(0);
    let mut sums = vec![0.0; longest];
    for relevant in crawls {
        let mut found = 0.0;
        for (page, sum) in sums.iter_mut().enumerate() {
            found += f64::from(u8::from(relevant.get(page).copied().unwrap_or(false)));
            let fetched = (page + 1).min(relevant.len());
            *sum += if fetched == 0 { 0.0 } else { found / fetched as f64 };
        }
    }
    sums.iter().map(|sum| sum / crawls.len() as f64).collect()
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

#[cfg(test)]
mod tests {
    use super::Curves;
    use crate::policy::Policy;

    #[test]
    fn crawls_of_any_origin_become_named_curves() {
        let (topical, other) = (Policy::default(), Policy::breadth_first());
        let (good, bad) = ([true, true, false, true], [false, true]);
        let curves = Curves::of_crawls("a topic", &[(topical, "topical", &good), (other, "the other", &bad)]);
        let csv = curves.csv();
        assert_eq!(csv.lines().next(), Some("pages,topical,the other"));
        assert_eq!(csv.lines().last(), Some("4,0.750000,0.500000"), "who ended earlier keeps the last ratio");
        let svg = crate::svg::drawn(&curves);
        assert!(svg.contains(">topical</text>") && svg.contains("a topic") && svg.contains("0.750"), "{svg}");
    }
}
