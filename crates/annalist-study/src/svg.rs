//! The curves as a picture that any browser shows.

use std::fmt::Write;

use crate::curves::{Curve, Curves};
use crate::policy::{Base, Function, Policy, Scheduling};

const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 500.0;
/// The field of the curves.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 690.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 440.0;
const LEGEND: f64 = RIGHT + 24.0;

/// After a few pages a ratio jumps between 0 and 1: the field is made for what comes after this share of the pages.
const SETTLED: f64 = 0.05;

pub fn drawn(curves: &Curves) -> String {
    let field = Field::of(curves);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222\">\n\
         <title>Harvest ratio over pages fetched</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <clipPath id=\"field\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/></clipPath>\n\
         <text x=\"{LEFT}\" y=\"28\" font-size=\"18\" font-weight=\"bold\">Harvest ratio over pages fetched</text>\n\
         <text x=\"{LEFT}\" y=\"48\" fill=\"#555\">{}</text>\n",
        RIGHT - LEFT,
        BOTTOM - TOP,
        escaped(&curves.title)
    );
    axes(&mut svg, &field);
    for Curve { policy, harvest, .. } in &curves.of {
        let points: Vec<String> = (1..)
            .zip(harvest)
            .map(|(page, harvest)| format!("{:.1},{:.1}", field.x(f64::from(page)), field.y(*harvest)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline clip-path=\"url(#field)\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{} points=\"{}\"/>",
            colour(policy),
            dashes(policy),
            points.join(" ")
        );
    }
    legend(&mut svg, curves);
    svg.push_str("</svg>\n");
    svg
}

/// What the axes show.
struct Field {
    pages: f64,
    harvest: f64,
}

impl Field {
    fn of(curves: &Curves) -> Field {
        let settled = (curves.pages() as f64 * SETTLED) as usize;
        let highest = curves
            .of
            .iter()
            .flat_map(|curve| curve.harvest.iter().skip(settled))
            .fold(0.0, |a: f64, b| a.max(*b));
        let step = step(highest);
        let harvest = ((highest / step).ceil() * step).clamp(0.1, 1.0);
        Field { pages: (curves.pages() as f64).max(1.0), harvest }
    }

    fn x(&self, page: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * page / self.pages
    }

    fn y(&self, harvest: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * harvest / self.harvest
    }
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

fn axes(svg: &mut String, field: &Field) {
    let grid = |svg: &mut String, y: f64| {
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{RIGHT}\" y2=\"{y:.1}\" stroke=\"#e3e3e3\"/>"
        );
    };
    let by = step(field.harvest);
    for tick in 0..=(field.harvest / by).round() as u32 {
        let harvest = f64::from(tick) * by;
        let y = field.y(harvest);
        grid(svg, y);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{harvest:.2}</text>",
            LEFT - 8.0,
            y + 4.5
        );
    }
    let by = step(field.pages).max(1.0);
    for tick in 0..=(field.pages / by).floor() as u32 {
        let page = f64::from(tick) * by;
        let x = field.x(page);
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{BOTTOM}\" x2=\"{x:.1}\" y2=\"{}\" stroke=\"#444\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{page}</text>",
            BOTTOM + 5.0,
            BOTTOM + 20.0
        );
    }
    let (middle, centre) = ((LEFT + RIGHT) / 2.0, (TOP + BOTTOM) / 2.0);
    let _ = writeln!(
        svg,
        "<path d=\"M{LEFT},{TOP} V{BOTTOM} H{RIGHT}\" fill=\"none\" stroke=\"#444\"/>\n\
         <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">pages fetched besides the seeds</text>\n\
         <text transform=\"translate(22,{centre}) rotate(-90)\" text-anchor=\"middle\">harvest ratio</text>",
        BOTTOM + 44.0
    );
}

/// The best at the end comes first, with what it came to.
fn legend(svg: &mut String, curves: &Curves) {
    let mut entries: Vec<(&Curve, f64)> =
        curves.of.iter().map(|curve| (curve, curve.harvest.last().copied().unwrap_or(0.0))).collect();
    entries.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut y = TOP + 8.0;
    for (Curve { policy, name, .. }, harvest) in entries {
        let name = escaped(name);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEGEND}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{}\" stroke-width=\"2\"{}/>\
             <text x=\"{}\" y=\"{}\">{name}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{harvest:.3}</text>",
            LEGEND + 28.0,
            colour(policy),
            dashes(policy),
            LEGEND + 36.0,
            y + 4.5,
            WIDTH - 14.0,
            y + 4.5
        );
        y += 21.0;
    }
}

/// Colours that can be told apart by nearly everyone (Okabe and Ito).
fn colour(policy: &Policy) -> &'static str {
    match policy.base {
        Base::Default => "#d55e00",
        Base::Bfs => "#777777",
        Base::Oracle => "#000000",
        Base::Cosine(Function::First) => "#e69f00",
        Base::Cosine(Function::Last) => "#56b4e9",
        Base::Cosine(Function::Max) => "#009e73",
        Base::Cosine(Function::Sum) => "#cc79a7",
        Base::Cosine(Function::Avg) => "#0072b2",
    }
}

/// Variants of a policy have its colour.
fn dashes(policy: &Policy) -> &'static str {
    match (policy.scheduling, policy.links_per_turn) {
        (Scheduling::AtOnce, 1) => "",
        (Scheduling::AtOnce, _) => " stroke-dasharray=\"8 4\"",
        (Scheduling::InBatches, 1) => " stroke-dasharray=\"2 3\"",
        (Scheduling::InBatches, _) => " stroke-dasharray=\"8 3 2 3\"",
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::step;

    #[test]
    fn an_axis_has_a_few_round_steps() {
        for (whole, expected) in [(0.4, 0.05), (1.0, 0.2), (0.07, 0.01), (490.0, 50.0), (5.0, 1.0)] {
            assert!((step(whole) - expected).abs() < 1e-12, "{whole}: {}", step(whole));
        }
    }
}
