//! Power cuts, full disks and failing syncs at every point of a layer's life: mark and statements agree afterwards.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::{Dice, Fault, SimDisk};
use annalist_knowledge::graph::{Graph, GraphError, Layer, LayerSettings, Merging};
use oxrdf::{GraphName, Literal, NamedNode, Quad};

const DIR: &str = "/graph";
const COMMITS: u32 = 8;

fn settings() -> LayerSettings {
    // Some commits write several runs, and runs are merged all the time.
    LayerSettings { memory_bytes: 3_000, fan: 3, merging: Merging::Inline }
}

fn open(disk: &SimDisk) -> Result<Layer, GraphError> {
    Layer::open(Arc::new(disk.clone()), Path::new(DIR), settings())
}

/// Each commit adds statements of its own and some that were there before.
fn statements(commit: u32) -> Vec<Quad> {
    let node = |number: u32| NamedNode::new_unchecked(format!("http://a.example/{number}"));
    let own = (0..10 + commit * 3).map(|number| commit * 100 + number);
    let old = (0..5).map(|number| commit.saturating_sub(1) * 100 + number);
    own.chain(old)
        .map(|number| {
            let object = Literal::from(format!("a text of some length, number {number}"));
            Quad::new(node(number), node(number % 3), object, GraphName::from(node(number / 100)))
        })
        .collect()
}

fn expected(commits: u32) -> Vec<String> {
    let mut all: Vec<String> = (1..=commits).flat_map(statements).map(|quad| quad.to_string()).collect();
    all.sort();
    all.dedup();
    all
}

fn told(disk: &SimDisk) -> Vec<String> {
    let graph = Graph::open_on(disk, &[PathBuf::from(DIR)], 1 << 20).unwrap();
    let mut all: Vec<String> = graph.quads().unwrap().map(|quad| quad.unwrap().to_string()).collect();
    all.sort();
    all
}

fn mark(layer: &Layer) -> u32 {
    layer.mark().first().copied().unwrap_or_default().into()
}

/// Commits from where the mark is until something fails or all is done.
fn live(disk: &SimDisk) -> Result<(), GraphError> {
    let mut layer = open(disk)?;
    for commit in mark(&layer) + 1..=COMMITS {
        statements(commit).iter().try_for_each(|quad| layer.insert(quad))?;
        layer.commit(&[commit as u8])?;
    }
    Ok(())
}

fn check(disk: &SimDisk, what: &str) -> u32 {
    let layer = open(disk).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(told(disk), expected(mark(&layer)), "{what}: the mark says {}", mark(&layer));
    mark(&layer)
}

#[test]
fn after_a_power_cut_at_any_point_mark_and_statements_agree() {
    let whole = SimDisk::new();
    live(&whole).unwrap();
    assert_eq!(check(&whole, "all"), COMMITS);
    let mut dice = Dice::new(7);
    let mut unfinished = 0;
    for at in 0..whole.operations() {
        let mut disk = SimDisk::new().with_faults(&[Fault::CutAt(at)]);
        let _ = live(&disk);
        // The power goes again while what was left is being taken up.
        for again in 0..3 {
            disk = disk.after_power_cut(&mut dice);
            let reached = check(&disk, &format!("cut at {at}, life {again}"));
            unfinished += u32::from(reached < COMMITS);
            disk.set_faults(&[Fault::CutAt(disk.operations() + dice.below(120))]);
            let _ = live(&disk);
        }
        let disk = disk.after_power_cut(&mut dice);
        live(&disk).unwrap();
        assert_eq!(check(&disk, &format!("cut at {at}, in the end")), COMMITS);
    }
    assert!(unfinished > 100, "only {unfinished} lives were cut short");
}

#[test]
fn a_commit_that_failed_for_want_of_room_or_of_a_sync_can_be_tried_again() {
    let whole = SimDisk::new();
    live(&whole).unwrap();
    let mut dice = Dice::new(8);
    let rooms = (500..20_000).step_by(700).map(|room| vec![Fault::Room(room)]);
    let syncs = (0..whole.operations()).map(|at| vec![Fault::SyncFailsAt(at)]);
    for faults in rooms.chain(syncs) {
        let disk = SimDisk::new();
        let mut layer = open(&disk).unwrap();
        disk.set_faults(&faults);
        for commit in 1..=COMMITS {
            for quad in &statements(commit) {
                if layer.insert(quad).is_err() {
                    disk.set_faults(&[]);
                    layer.insert(quad).unwrap();
                }
            }
            if layer.commit(&[commit as u8]).is_err() {
                disk.set_faults(&[]);
                layer.commit(&[commit as u8]).unwrap();
            }
        }
        drop(layer);
        assert_eq!(check(&disk, &format!("{faults:?}")), COMMITS);
        assert_eq!(check(&disk.after_power_cut(&mut dice), &format!("{faults:?}, cut")), COMMITS);
    }
}
