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

/// A chart beside its axis, from what stands at the top to what stands at the bottom.
pub fn plot(chart: &Markup, top: &str, bottom: &str) -> Markup {
    html! { div.plot { div.axis aria-hidden="true" { span { (top) } span { (bottom) } } (chart) } }
}

/// The end of an axis that has room for a number: 1, 2 or 5 with noughts.
pub fn round_up(most: f64) -> f64 {
    if most <= 0.0 || !most.is_finite() {
        return 1.0;
    }
    let unit = 10f64.powf(most.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].map(|step| step * unit);
    round.into_iter().find(|end| *end >= most * 0.999_999).unwrap_or(most)
}

/// Steps of equal width, from 0 to `most`.
pub fn steps(values: &[f64], most: f64, label: &str) -> Markup {
    let wide = WIDTH / values.len().max(1) as f64;
    let mut path = format!("M0,{HEIGHT}");
    for (step, value) in values.iter().enumerate() {
        let (left, top) = (step as f64 * wide, HEIGHT - (value / most).clamp(0.0, 1.0) * HEIGHT);
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

#[cfg(test)]
mod tests {
    use super::{bars, line, round_up, steps};

    /// What stands behind each of these in the markup.
    fn values<'a>(markup: &'a str, attribute: &str) -> Vec<&'a str> {
        let before = format!("{attribute}=\"");
        markup.split(before.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }

    #[test]
    fn a_line_goes_through_its_points_and_leaves_no_chart() {
        let drawn = line(&[(0.0, 0.0), (50.0, 0.5), (100.0, 3.0)], 1.0, "harvest").into_string();
        assert_eq!(values(&drawn, " points"), ["0.0,180.0 300.0,90.0 600.0,0.0"]);
        assert_eq!(values(&drawn, "aria-label"), ["harvest"]);
    }

    #[test]
    fn steps_are_as_wide_as_each_other_and_as_high_as_their_numbers() {
        let drawn = steps(&[0.0, 5.0, 20.0], 10.0, "pages").into_string();
        let path = "M0,180 L0.0,180.0 L200.0,180.0 L200.0,90.0 L400.0,90.0 L400.0,0.0 L600.0,0.0 L600,180 Z";
        assert_eq!(values(&drawn, " d"), [path]);
    }

    #[test]
    fn bars_are_measured_by_the_longest() {
        let drawn =
            bars(&[("text/html".to_owned(), 1200), ("image/png".to_owned(), 3)], "Types").into_string();
        assert_eq!((values(&drawn, "max"), values(&drawn, "value")), (vec!["1200"; 2], vec!["1200", "3"]));
        assert!(drawn.contains("<td class=\"number\">1,200</td>"), "{drawn}");
    }

    #[test]
    fn an_axis_ends_with_a_round_number_above_all_others() {
        let ends: Vec<f64> = [0.0, 0.3, 1.0, 1.1, 4.9, 5.0, 700.0, 12_345.0].map(round_up).to_vec();
        assert_eq!(ends, [1.0, 0.5, 1.0, 2.0, 5.0, 5.0, 1000.0, 20_000.0]);
    }
}
