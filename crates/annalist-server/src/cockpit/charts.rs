//! Charts as SVG, drawn on the server. Each says in words what it shows, for who cannot see it.

use maud::{Markup, html};

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 180.0;

/// A line over pairs of numbers, both from 0 on.
pub fn line(points: &[(f64, f64)], highest: f64, label: &str) -> Markup {
    let widest = points.iter().map(|(x, _)| *x).fold(1.0, f64::max);
    let highest = if highest > 0.0 { highest } else { 1.0 };
    let at = |(x, y): &(f64, f64)| {
        let (x, y) = (x / widest * WIDTH, HEIGHT - (y / highest).clamp(0.0, 1.0) * HEIGHT);
        format!("{x:.1},{y:.1}")
    };
    let path: Vec<String> = points.iter().map(at).collect();
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) preserveAspectRatio="none" {
            title { (label) }
            @for step in 1..4 {
                @let y = HEIGHT * f64::from(step) / 4.0;
                line.grid x1="0" x2=(WIDTH) y1=(y) y2=(y) {}
            }
            polyline.line points=(path.join(" ")) {}
        }
    }
}

/// Steps of equal width, from 0 on.
pub fn steps(values: &[f64], label: &str) -> Markup {
    let most = values.iter().copied().fold(0.0, f64::max);
    let most = if most > 0.0 { most } else { 1.0 };
    let wide = WIDTH / values.len().max(1) as f64;
    let mut path = format!("M0,{HEIGHT}");
    for (step, value) in values.iter().enumerate() {
        let (left, top) = (step as f64 * wide, HEIGHT - value / most * HEIGHT);
        path.push_str(&format!(" L{left:.1},{top:.1} L{:.1},{top:.1}", left + wide));
    }
    path.push_str(&format!(" L{WIDTH},{HEIGHT} Z"));
    html! {
        svg.chart.small viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) preserveAspectRatio="none" {
            title { (label) }
            path.area d=(path) {}
        }
    }
}

/// Bars beside their names, the largest first as they are given.
pub fn bars(rows: &[(String, u64)], caption: &str) -> Markup {
    let most = rows.iter().map(|(_, number)| *number).max().unwrap_or(0).max(1);
    html! {
        table.bars {
            caption { (caption) }
            tbody {
                @for (name, number) in rows {
                    tr {
                        th scope="row" { (name) }
                        td.number { (super::words::count(*number)) }
                        td.bar { meter min="0" max=(most) value=(number) { (number) } }
                    }
                }
            }
        }
    }
}
