//! The harvest of policies as a picture.

use annalist_model::spec::RelevanceKind;

use crate::chart::{BLACK, BLUE, Chart, GREEN, GREY, Line, ORANGE, PURPLE, SKY, VERMILION, rounded_up};
use crate::curves::{Curve, Curves};
use crate::policy::{Base, Function, Policy, Scheduling};

/// After a few pages a ratio jumps between 0 and 1: the field is made for what comes after this share of the pages.
const SETTLED: f64 = 0.05;

pub fn drawn(curves: &Curves) -> String {
    let settled = (curves.pages() as f64 * SETTLED) as usize;
    let settled = curves.of.iter().flat_map(|curve| curve.harvest.iter().skip(settled));
    let highest = settled.fold(0.0, |a: f64, b| a.max(*b));
    let line = |curve: &'_ Curve| -> Vec<(f64, f64)> {
        (1..).map(f64::from).zip(curve.harvest.iter().copied()).collect()
    };
    let lines = curves.of.iter().map(|curve| Line {
        name: &curve.name,
        colour: colour(&curve.policy),
        dashes: dashes(&curve.policy),
        value: curve.harvest.last().copied().unwrap_or(0.0),
        points: line(curve),
    });
    let chart = Chart {
        title: "Harvest ratio over pages fetched",
        subtitle: &curves.title,
        across: ("pages fetched besides the seeds", (curves.pages() as f64).max(1.0)),
        up: ("harvest ratio", rounded_up(highest).clamp(0.1, 1.0)),
        lines: lines.collect(),
    };
    chart.drawn()
}

pub(crate) fn colour(policy: &Policy) -> &'static str {
    match policy.base {
        Base::Default => VERMILION,
        Base::Bfs => GREY,
        Base::Oracle => BLACK,
        Base::Event(RelevanceKind::Content) => BLUE,
        Base::Event(RelevanceKind::Time) => GREEN,
        Base::Event(_) => ORANGE,
        Base::Cosine(Function::First) => ORANGE,
        Base::Cosine(Function::Last) => SKY,
        Base::Cosine(Function::Max) => GREEN,
        Base::Cosine(Function::Sum) => PURPLE,
        Base::Cosine(Function::Avg) => BLUE,
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
