//! How well functions agree with people: as a table to read, as tables for other programs, as pictures.

use std::fmt::Write;

use super::{Agreement, FUNCTIONS, Group, Ranked};
use crate::chart::{BLUE, Chart, GREEN, GREY, Line, ORANGE, VERMILION};

const VALIDATED: &str = "validated";
/// Those of the functions, then that of the default as it was validated.
const COLOURS: [&str; 5] = [BLUE, GREEN, GREY, VERMILION, ORANGE];

impl Group {
    /// The functions with their names, and the default as it was validated.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &Ranked)> {
        let names = FUNCTIONS.iter().map(|(name, _)| *name);
        names.zip(&self.functions).chain(self.validated.iter().map(|ranked| (VALIDATED, ranked)))
    }
}

impl Agreement {
    pub fn table(&self) -> String {
        let (pages, relevant) = (self.all.pages, self.all.relevant);
        let mut text = format!(
            "{pages} pages of {} events, {relevant} of them relevant (Relevant or HighlyRelevant); {} rows without a vote are \
             left out, Unknown and Junk are not relevant\n\nbreak-even point  pages  relevant",
            self.events.len(),
            self.open
        );
        for (name, _) in self.all.named() {
            let _ = write!(text, "  {name:>9}");
        }
        text.push('\n');
        for (place, group) in self.groups().enumerate() {
            if place == 3 {
                text.push('\n');
            }
            let _ = write!(text, "{:16}  {:>5}  {:>8}", group.name, group.pages, group.relevant);
            for (_, ranked) in group.named() {
                let _ = match ranked.break_even {
                    Some(value) => write!(text, "  {value:>9.3}"),
                    None => write!(text, "  {:>9}", "-"),
                };
            }
            text.push('\n');
        }
        text.push_str("\nprecision at recall (all)");
        let recalls: Vec<f64> = (1..=10).map(|tenth| f64::from(tenth) / 10.0).collect();
        for recall in &recalls {
            let _ = write!(text, "  {recall:>5.1}");
        }
        text.push('\n');
        for (name, ranked) in self.all.named() {
            let _ = write!(text, "{name:25}");
            for recall in &recalls {
                let _ = write!(text, "  {:>5.3}", precision_at(ranked, *recall));
            }
            text.push('\n');
        }
        if self.chosen.is_empty() {
            text.push_str("\nOne event alone cannot be validated on others.\n");
            return text;
        }
        let _ = writeln!(
            text,
            "\nvalidated: the default's numbers chosen for each event on the votes of the others"
        );
        let mut tally: Vec<(f32, f32, usize)> = Vec::new();
        for (_, damping) in &self.chosen {
            match tally
                .iter_mut()
                .find(|(floor, power, _)| (*floor, *power) == (damping.floor, damping.power))
            {
                Some((_, _, times)) => *times += 1,
                None => tally.push((damping.floor, damping.power, 1)),
            }
        }
        for (floor, power, times) in tally {
            let _ = writeln!(text, "  floor {floor}, power {power}: for {times} of {}", self.chosen.len());
        }
        text
    }

    /// All, by kind, one by one.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        [&self.all, &self.recurring, &self.other].into_iter().chain(&self.events)
    }

    pub fn break_even_csv(&self) -> String {
        let mut text = String::from("group,pages,relevant");
        for (name, _) in self.all.named() {
            let _ = write!(text, ",{name}");
        }
        text.push('\n');
        for group in self.groups() {
            let _ =
                write!(text, "\"{}\",{},{}", group.name.replace('"', "\"\""), group.pages, group.relevant);
            for (_, ranked) in group.named() {
                let _ = match ranked.break_even {
                    Some(value) => write!(text, ",{value:.6}"),
                    None => write!(text, ","),
                };
            }
            text.push('\n');
        }
        text
    }

    /// Precision over recall, of all events and by kind.
    pub fn curves_csv(&self) -> String {
        let mut text = String::from("group,function,recall,precision\n");
        for group in self.groups().take(3) {
            for (name, ranked) in group.named() {
                for point in &ranked.curve {
                    let _ =
                        writeln!(text, "{},{name},{:.6},{:.6}", group.name, point.recall, point.precision);
                }
            }
        }
        text
    }

    pub fn curves_svg(&self, group: &Group) -> String {
        let lines = group.named().zip(COLOURS).map(|((name, ranked), colour)| Line {
            name,
            colour,
            dashes: if name == VALIDATED { " stroke-dasharray=\"8 4\"" } else { "" },
            value: ranked.break_even.unwrap_or(0.0),
            points: from_nothing(ranked.curve.iter().map(|point| (point.recall, point.precision)).collect()),
        });
        let subtitle = format!(
            "{} events: {} pages, {} of them relevant; beside the names the break-even points",
            group.name, group.pages, group.relevant
        );
        let chart = Chart {
            title: "Precision over recall",
            subtitle: &subtitle,
            across: ("recall", 1.0),
            up: ("precision", 1.0),
            lines: lines.collect(),
        };
        chart.drawn()
    }
}

/// A curve of one point is level up to it: a line needs two to be seen.
fn from_nothing(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    match points.as_slice() {
        [(recall, precision)] => vec![(0.0, *precision), (*recall, *precision)],
        _ => points,
    }
}

/// The best precision with which that much is found.
fn precision_at(ranked: &Ranked, recall: f64) -> f64 {
    let far = ranked.curve.iter().filter(|point| point.recall >= recall - 1e-9);
    far.map(|point| point.precision).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::from_nothing;

    #[test]
    fn a_curve_of_one_point_is_drawn_level_up_to_it() {
        assert_eq!(from_nothing(vec![(1.0, 0.4)]), [(0.0, 0.4), (1.0, 0.4)]);
        let two = vec![(0.5, 1.0), (1.0, 0.4)];
        assert_eq!(from_nothing(two.clone()), two);
        assert!(from_nothing(Vec::new()).is_empty());
    }
}
