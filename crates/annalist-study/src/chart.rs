//! Lines over two axes, as a picture that any browser shows.

use std::fmt::Write;

const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 500.0;
/// The field of the lines.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 690.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 440.0;
const LEGEND: f64 = RIGHT + 24.0;

/// Where people look at dark pages the picture is dark, too; a program that does not know of it draws the light one.
const DARK: &str = "@media (prefers-color-scheme: dark) { svg { fill: #e8ebec; } .ground { fill: #1d2326; } .soft { fill: #a3adb2; } \
    .grid { stroke: #364045; } .axis { stroke: #a3adb2; } [stroke='#000000'] { stroke: #e8ebec; } [stroke='#0072b2'] { stroke: #4aa8de; } }";
/// How wide a line is, and how much wider one that another lies on.
const STROKE: usize = 2;
const WIDER: usize = 3;

/// Colours that can be told apart by nearly everyone (Okabe and Ito).
pub(crate) const VERMILION: &str = "#d55e00";
pub(crate) const GREY: &str = "#777777";
pub(crate) const BLACK: &str = "#000000";
pub(crate) const ORANGE: &str = "#e69f00";
pub(crate) const SKY: &str = "#56b4e9";
pub(crate) const GREEN: &str = "#009e73";
pub(crate) const PURPLE: &str = "#cc79a7";
pub(crate) const BLUE: &str = "#0072b2";

pub(crate) struct Chart<'a> {
    pub(crate) title: &'a str,
    pub(crate) subtitle: &'a str,
    /// What the axes show, and up to where.
    pub(crate) across: (&'a str, f64),
    pub(crate) up: (&'a str, f64),
    pub(crate) lines: Vec<Line<'a>>,
}

pub(crate) struct Line<'a> {
    pub(crate) name: &'a str,
    pub(crate) colour: &'static str,
    /// An attribute of its own, or nothing.
    pub(crate) dashes: &'static str,
    /// Beside the name.
    pub(crate) value: f64,
    pub(crate) points: Vec<(f64, f64)>,
}

impl Chart<'_> {
    pub(crate) fn drawn(&self) -> String {
        let title = escaped(self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222\">\n\
             <title>{title}</title>\n\
             <style>{DARK}</style>\n\
             <rect class=\"ground\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
             <clipPath id=\"field\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/></clipPath>\n\
             <text x=\"{LEFT}\" y=\"28\" font-size=\"18\" font-weight=\"bold\">{title}</text>\n\
             <text class=\"soft\" x=\"{LEFT}\" y=\"48\" fill=\"#555\">{}</text>\n",
            RIGHT - LEFT,
            BOTTOM - TOP,
            escaped(self.subtitle)
        );
        self.axes(&mut svg);
        for (place, Line { colour, dashes, points, .. }) in self.lines.iter().enumerate() {
            // All of those that are the same are seen.
            let above = self
                .lines
                .iter()
                .skip(place + 1)
                .filter(|other| shape(&other.points) == shape(points))
                .count();
            let width = STROKE + WIDER * above;
            let points: Vec<String> =
                points.iter().map(|(x, y)| format!("{:.1},{:.1}", self.x(*x), self.y(*y))).collect();
            let _ = writeln!(
                svg,
                "<polyline clip-path=\"url(#field)\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes} points=\"{}\"/>",
                points.join(" ")
            );
        }
        self.legend(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    fn x(&self, across: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * across / self.across.1
    }

    fn y(&self, up: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * up / self.up.1
    }

    fn axes(&self, svg: &mut String) {
        let by = step(self.up.1);
        for tick in 0..=(self.up.1 / by).round() as u32 {
            let up = f64::from(tick) * by;
            let y = self.y(up);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{RIGHT}\" y2=\"{y:.1}\" stroke=\"#e3e3e3\"/>\n\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                y + 4.5,
                shown(up, by)
            );
        }
        // Of what is counted there are no fractions.
        let by = if self.across.1 > 1.0 { step(self.across.1).max(1.0) } else { step(self.across.1) };
        for tick in 0..=(self.across.1 / by + 1e-9).floor() as u32 {
            let across = f64::from(tick) * by;
            let x = self.x(across);
            let _ = writeln!(
                svg,
                "<line class=\"axis\" x1=\"{x:.1}\" y1=\"{BOTTOM}\" x2=\"{x:.1}\" y2=\"{}\" stroke=\"#444\"/>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                BOTTOM + 5.0,
                BOTTOM + 20.0,
                shown(across, by)
            );
        }
        let (middle, centre) = ((LEFT + RIGHT) / 2.0, (TOP + BOTTOM) / 2.0);
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{LEFT},{TOP} V{BOTTOM} H{RIGHT}\" fill=\"none\" stroke=\"#444\"/>\n\
             <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(22,{centre}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            BOTTOM + 44.0,
            escaped(self.across.0),
            escaped(self.up.0)
        );
    }

    /// The best comes first, with what it came to.
    fn legend(&self, svg: &mut String) {
        let mut lines: Vec<&Line<'_>> = self.lines.iter().collect();
        lines.sort_by(|one, other| other.value.total_cmp(&one.value));
        let mut y = TOP + 8.0;
        for Line { name, colour, dashes, value, .. } in lines {
            let _ = writeln!(
                svg,
                "<line x1=\"{LEGEND}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"{STROKE}\"{dashes}/>\
                 <text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                LEGEND + 28.0,
                LEGEND + 36.0,
                y + 4.5,
                escaped(name),
                WIDTH - 14.0,
                y + 4.5,
                if *value < 10.0 { format!("{value:.3}") } else { format!("{value:.0}") }
            );
            y += 21.0;
        }
        for part in self.hidden_words() {
            let _ = writeln!(
                svg,
                "<text class=\"soft\" x=\"{LEGEND}\" y=\"{}\" fill=\"#555\">{part}</text>",
                y + 12.0
            );
            y += 17.0;
        }
    }

    /// What is to be said where lines lie on each other.
    fn hidden_words(&self) -> &'static [&'static str] {
        let mut rest = self.lines.as_slice();
        while let [first, others @ ..] = rest {
            if others.iter().any(|other| shape(&other.points) == shape(&first.points)) {
                return &["Lines that are the same", "are drawn within each other."];
            }
            rest = others;
        }
        &[]
    }
}

/// Where a line bends, as exactly as it can be seen: points on the straight way between others draw nothing of their own.
fn shape(points: &[(f64, f64)]) -> Vec<(i64, i64)> {
    const FINE: f64 = 1000.0;
    let mut bends: Vec<(i64, i64)> = Vec::new();
    for (x, y) in points {
        let next = ((x * FINE).round() as i64, (y * FINE).round() as i64);
        while let [.., (x0, y0), (x1, y1)] = bends.as_slice() {
            let turn = (x1 - x0) * (next.1 - y0) - (y1 - y0) * (next.0 - x0);
            // What was rounded is not quite straight.
            let slack = (next.0 - x0).abs() + (next.1 - y0).abs();
            if turn.abs() > slack {
                break;
            }
            bends.pop();
        }
        bends.push(next);
    }
    bends.dedup();
    bends
}

/// The next round number at which an axis may end.
pub(crate) fn rounded_up(highest: f64) -> f64 {
    let step = step(highest);
    (highest / step).ceil() * step
}

/// A round number of which four to ten make up the whole.
fn step(whole: f64) -> f64 {
    let power = 10_f64.powf(whole.max(1e-9).log10().floor());
    match whole / power {
        part if part < 2.0 => power / 5.0,
        part if part < 5.0 => power / 2.0,
        _ => power,
    }
}

/// A number on an axis with that much between two.
fn shown(number: f64, by: f64) -> String {
    if by < 1.0 { format!("{number:.2}") } else { format!("{number:.0}") }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{BLUE, Chart, GREEN, GREY, Line, rounded_up, step};

    #[test]
    fn lines_that_are_the_same_are_all_seen_on_light_and_on_dark() {
        let line = |name, colour, points: &[(f64, f64)]| Line {
            name,
            colour,
            dashes: "",
            value: 0.5,
            points: points.to_vec(),
        };
        let drawn = |lines| {
            let (across, up) = (("x", 1.0), ("y", 1.0));
            Chart { title: "t", subtitle: "s", across, up, lines }.drawn()
        };
        let (one, other) = ([(0.0, 1.0), (1.0, 0.5)], [(0.0, 1.0), (1.0, 0.0)]);
        // The same line, by way of points on it.
        let again = [(0.0, 1.0), (1.0 / 3.0, 5.0 / 6.0), (0.5, 0.75), (1.0, 0.5)];
        let svg = drawn(vec![line("a", BLUE, &one), line("b", GREEN, &other), line("c", GREY, &again)]);
        let widths: Vec<&str> = svg
            .split("<polyline")
            .skip(1)
            .filter_map(|line| line.split("stroke-width=\"").nth(1)?.split('"').next())
            .collect();
        assert_eq!(widths, ["5", "2", "2"]);
        assert!(svg.contains("Lines that are the same") && svg.contains("prefers-color-scheme: dark"));
        assert!(!drawn(vec![line("a", BLUE, &one), line("b", GREEN, &other)]).contains("Lines that are"));
    }

    #[test]
    fn an_axis_has_a_few_round_steps() {
        for (whole, expected) in [(0.4, 0.05), (1.0, 0.2), (0.07, 0.01), (490.0, 50.0), (5.0, 1.0)] {
            assert!((step(whole) - expected).abs() < 1e-12, "{whole}: {}", step(whole));
        }
        assert!((rounded_up(0.37) - 0.4).abs() < 1e-12 && rounded_up(490.0) == 500.0);
    }
}
