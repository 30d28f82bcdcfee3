//! Charts of what happened when: months as bars, with opinions below them; small courses for tables; spans on a common scale.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::words;

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 110.0;
const BELOW: f64 = 30.0;
/// A longer course is shown by year.
const MOST_MONTHS: i64 = 96;

/// What was counted in a month, `2011-03`, with the mean of opinions where there are some.
#[derive(Clone, Debug)]
pub struct Month {
    pub month: String,
    pub count: u64,
    pub opinion: Option<f64>,
}

/// A bar: `2011-03`, or `2011` where years are shown.
struct Bar {
    name: String,
    count: u64,
    opinion: Option<f64>,
}

/// Bars over time, each a link to that time; `link` makes it. `what` is counted, by month or by year.
pub fn months(months: &[Month], what: &str, link: impl Fn(&str) -> String) -> Markup {
    let scale = Scale::of(std::iter::once(months));
    let what = format!("{what} by {}", scale.each());
    let (bars, most) = (scale.bars(months), scale.most);
    let width = WIDTH / bars.len().max(1) as f64;
    let has_opinions = bars.iter().any(|bar| bar.opinion.is_some());
    let whole = if has_opinions { HEIGHT + BELOW } else { HEIGHT };
    let middle = HEIGHT + BELOW / 2.0;
    html! {
        figure.course {
            div.plot {
            div.axis.raised[has_opinions] aria-hidden="true" { span { (words::count(most)) } span { "0" } }
            svg.tallies viewBox={ "0 0 " (WIDTH) " " (whole) } role="group" aria-label=(what) preserveAspectRatio="none" {
                line.grid x1="0" x2=(WIDTH) y1=(HEIGHT) y2=(HEIGHT) {}
                @for (place, bar) in bars.iter().enumerate() {
                    @let x = place as f64 * width;
                    @let height = (bar.count as f64 / most as f64 * (HEIGHT - 4.0)).max(if bar.count > 0 { 2.0 } else { 0.0 });
                    @let told = told(bar);
                    @if bar.count > 0 {
                        a href=(link(&bar.name)) aria-label=(told) {
                            title { (told) }
                            rect.reach x=(number(x)) y="0" width=(number(width)) height=(whole) {}
                            rect.tally x=(number(x + width * 0.1)) y=(number(HEIGHT - height)) width=(number(width * 0.8)) height=(number(height)) {}
                            @if let Some(opinion) = bar.opinion {
                                @let length = opinion.abs().min(1.0) * BELOW / 2.0;
                                rect class=(if opinion < 0.0 { "against" } else { "for" }) x=(number(x + width * 0.1)) width=(number(width * 0.8))
                                    y=(number(if opinion < 0.0 { middle } else { middle - length })) height=(number(length.max(1.0))) {}
                            }
                        }
                    }
                }
            }
            }
            figcaption { span { (bars.first().map_or("", |bar| &bar.name)) }
                span { (what) ", at most " (words::count(most)) @if has_opinions { "; below: opinions, up is for, down against" } }
                span { (bars.last().map_or("", |bar| &bar.name)) } }
        }
    }
}

fn told(bar: &Bar) -> String {
    let opinion = bar.opinion.map_or_else(String::new, |opinion| format!(", opinion {opinion:+.2}"));
    format!("{}: {}{opinion}", bar.name, words::count(bar.count))
}

fn number(number: f64) -> String {
    format!("{number:.1}")
}

/// The number of a month.
fn place(month: &str) -> Option<i64> {
    let (year, month) = month.split_once('-')?;
    let (year, month): (i64, i64) = (year.parse().ok()?, month.parse().ok()?);
    (0..10_000).contains(&year).then_some(year * 12 + month - 1)
}

/// From when to when charts go, and how high: the same for all that are compared.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The first month and the last; none where nothing was counted.
    span: Option<(i64, i64)>,
    pub most: u64,
}

impl Scale {
    /// What all of these courses fit into.
    pub fn of<'m>(courses: impl Iterator<Item = &'m [Month]> + Clone) -> Scale {
        let months = courses.clone().flatten().filter_map(|month| place(&month.month));
        let span = months.clone().min().zip(months.max());
        let mut scale = Scale { span, most: 1 };
        let highest = courses.flat_map(|course| scale.bars(course)).map(|bar| bar.count).max();
        scale.most = highest.unwrap_or_default().max(1);
        scale
    }

    /// Longer courses are shown by year.
    fn step(&self) -> i64 {
        self.span.map_or(1, |(first, last)| if last - first >= MOST_MONTHS { 12 } else { 1 })
    }

    /// What a bar is of.
    fn each(&self) -> &'static str {
        if self.step() == 12 { "year" } else { "month" }
    }

    /// In words: `2011-03 to 2012-01, up to 34 a month`.
    pub fn told(&self) -> String {
        let Some((first, last)) = self.span else { return String::new() };
        let name = |at: i64| self.name(at / self.step());
        format!("{} to {}, up to {} a {}", name(first), name(last), words::count(self.most), self.each())
    }

    fn name(&self, at: i64) -> String {
        if self.step() == 12 { at.to_string() } else { format!("{:04}-{:02}", at / 12, at % 12 + 1) }
    }

    /// Every month from the first to the last, or every year where these are too many.
    fn bars(&self, months: &[Month]) -> Vec<Bar> {
        let Some((first, last)) = self.span else { return Vec::new() };
        let step = self.step();
        let mut sums: BTreeMap<i64, (u64, f64, f64)> =
            (first / step..=last / step).map(|at| (at, (0, 0.0, 0.0))).collect();
        for (at, month) in months.iter().filter_map(|month| Some((place(&month.month)?, month))) {
            let Some(sum) = sums.get_mut(&(at / step)) else { continue };
            sum.0 += month.count;
            if let Some(opinion) = month.opinion {
                sum.1 += opinion * month.count as f64;
                sum.2 += month.count as f64;
            }
        }
        let bar = |(at, (count, sum, of)): (i64, (u64, f64, f64))| Bar {
            name: self.name(at),
            count,
            opinion: (of > 0.0).then(|| sum / of),
        };
        sums.into_iter().map(bar).collect()
    }
}

/// A course in the cell of a table, on the scale of all in it.
pub fn small(months: &[Month], scale: &Scale, what: &str) -> Markup {
    let bars = scale.bars(months);
    let width = 120.0 / bars.len().max(1) as f64;
    let own = bars.iter().max_by_key(|bar| bar.count);
    let told = own.map_or_else(
        || what.to_owned(),
        |bar| format!("{what}, most of them in {}: {}", bar.name, words::count(bar.count)),
    );
    html! {
        svg.small viewBox="0 0 120 24" role="img" aria-label=(told) preserveAspectRatio="none" {
            title { (told) }
            line.grid x1="0" x2="120" y1="24" y2="24" {}
            @for (place, bar) in bars.iter().enumerate().filter(|(_, bar)| bar.count > 0) {
                @let height = bar.count as f64 / scale.most as f64 * 22.0;
                rect.tally x=(number(place as f64 * width)) y=(number(24.0 - height)) width=(number((width * 0.85).max(0.4))) height=(number(height)) {}
            }
        }
    }
}

/// Days since the year 0, roughly: only their order and distance count.
pub fn day_number(day: &str) -> Option<f64> {
    let mut parts = day.split('-');
    let (year, month, day): (f64, f64, f64) =
        (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(year * 365.25 + (month - 1.0) * 30.44 + day)
}

/// From when to when something was, on the scale of all.
pub fn span((from, until): (f64, f64), (first, last): (f64, f64), what: &str) -> Markup {
    let whole = (last - first).max(1.0);
    let (left, right) = ((from - first) / whole * 200.0, (until - first) / whole * 200.0);
    html! {
        svg.small.span viewBox="0 0 206 24" role="img" aria-label=(what) preserveAspectRatio="none" {
            title { (what) }
            line.grid x1="0" x2="206" y1="12" y2="12" {}
            rect.tally x=(number(left)) y="5" width=(number((right - left).max(6.0))) height="14" rx="3" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bar, Month, Scale, small};

    fn bars(months: &[Month]) -> Vec<Bar> {
        Scale::of(std::iter::once(months)).bars(months)
    }

    fn month(month: &str, count: u64, opinion: Option<f64>) -> Month {
        Month { month: month.to_owned(), count, opinion }
    }

    #[test]
    fn months_without_anything_are_shown_and_long_courses_are_by_year() {
        let few = bars(&[month("2010-11", 2, Some(0.5)), month("2011-02", 1, None), month("soon", 9, None)]);
        let told: Vec<_> = few.iter().map(|bar| (bar.name.as_str(), bar.count)).collect();
        assert_eq!(told, [("2010-11", 2), ("2010-12", 0), ("2011-01", 0), ("2011-02", 1)]);
        let many = bars(&[
            month("2000-01", 1, Some(1.0)),
            month("2000-05", 3, Some(-1.0)),
            month("2009-01", 1, None),
        ]);
        assert_eq!(many.len(), 10);
        assert_eq!((many[0].name.as_str(), many[0].count, many[0].opinion), ("2000", 4, Some(-0.5)));
        assert!(bars(&[]).is_empty());
        // What is said of them is so, too.
        let drawn = |months: &[Month]| super::months(months, "Published", str::to_owned).into_string();
        let (years, few) =
            ([month("2000-01", 1, None), month("2009-01", 7, None)], [month("2000-01", 1, None)]);
        assert!(drawn(&years).contains("Published by year, at most 7"), "{}", drawn(&years));
        assert!(drawn(&few).contains("Published by month, at most 1"), "{}", drawn(&few));
    }

    #[test]
    fn courses_that_are_compared_have_the_same_axes() {
        let (large, little) =
            ([month("2011-01", 40, None)], [month("2011-04", 10, None), month("2011-02", 1, None)]);
        let scale = Scale::of([large.as_slice(), little.as_slice()].into_iter());
        assert_eq!(scale.told(), "2011-01 to 2011-04, up to 40 a month");
        let drawn = |months: &[Month]| -> Vec<(String, String)> {
            let svg = small(months, &scale, "x").into_string();
            let of = |bar: &str, name: &str| {
                bar.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
            };
            svg.split("<rect").skip(1).map(|bar| (of(bar, "x"), of(bar, "height"))).collect()
        };
        let at = |x: &str, height: &str| (x.to_owned(), height.to_owned());
        assert_eq!(drawn(&large), [at("0.0", "22.0")]);
        assert_eq!(drawn(&little), [at("30.0", "0.6"), at("90.0", "5.5")]);
    }
}
