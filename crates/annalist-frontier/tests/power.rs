//! Power cuts, full disks and failing syncs, at every point of a life full of merges.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

mod reference;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annalist_disk::{Dice, Fault, SimDisk};
use annalist_frontier::{
    Change, Frontier, FrontierError, Journal, Merging, Purpose, Settings, Transaction, Urgency, host_key,
    open,
};
use annalist_model::spec::{Order, Update};
use annalist_model::{Link, Outcome, SkipReason, Time};
use reference::{Reference, found, url};

const DIR: &str = "/frontier";

fn settings() -> Settings {
    Settings {
        memory_bytes: 16 << 10,
        update: Update::Sum,
        default_delay: Duration::ZERO,
        merging: Merging::Inline,
        ..Settings::default()
    }
}

fn now() -> Time {
    Time::from_millis(1_700_000_000_000)
}

fn opened(disk: &SimDisk) -> Result<(Frontier, Journal), FrontierError> {
    open(Arc::new(disk.clone()), Path::new(DIR), settings(), now())
}

/// Transactions that touch the same links again and again.
fn transactions(seed: u64, count: usize) -> Vec<Transaction> {
    let mut dice = Dice::new(seed);
    let mut pick = move |bound: u64| dice.below(bound) as usize;
    (0..count)
        .map(|n| {
            let changes = (0..1 + pick(12)).map(|_| change(n, &mut pick)).collect();
            Transaction { changes }
        })
        .collect()
}

fn change(n: usize, pick: &mut dyn FnMut(u64) -> usize) -> Change {
    let link = url(pick(8), pick(2), pick(12));
    let key = link.key();
    match pick(14) {
        13 if pick(2) == 0 => Change::SiteOpened { site: key.site },
        13 => Change::SiteClosed { site: key.site, reason: SkipReason::SiteBudget },
        0 => Change::Refused {
            link: Link::seed(link, 0),
            reason: SkipReason::OutOfScope,
            detail: String::new(),
        },
        1 | 2 => Change::Done {
            key,
            outcome: Outcome::Captured { status: 200 },
            place: None,
            digest: Some(format!("sha1:{}", pick(20))),
            at: now(),
            bytes: 1,
            purpose: if pick(4) == 0 { Purpose::Prerequisite } else { Purpose::Page },
        },
        3 => Change::Retry { key, not_before: now(), tries: pick(4) as u16, reason: "reset".to_owned() },
        4 => Change::Note { name: format!("note{}", pick(3)), value: n.to_le_bytes().to_vec() },
        5 => Change::Valued { key, value: pick(8) as f32 / 8.0 },
        6 => Change::HostRests { site: key.site, host: host_key(link.host()), until: now() },
        7 => Change::SiteRests { site: key.site, until: now(), delay: Duration::from_secs(1) },
        8 | 12 => Change::Again { key, not_before: now(), reason: "news".to_owned() },
        _ => found(link, pick(8) as f32 / 8.0, Urgency::Normal, 0),
    }
}

/// Done links that were never discovered have no URL: the reference does not know them either.
fn known_only(reference: &Reference, transaction: &Transaction) -> Transaction {
    let mut so_far = reference.clone();
    let mut changes = Vec::new();
    for change in &transaction.changes {
        let skip = matches!(change, Change::Done { key, .. } if !so_far.rows.contains_key(key));
        if !skip {
            so_far.apply(std::slice::from_ref(change));
            changes.push(change.clone());
        }
    }
    Transaction { changes }
}

fn nothing() -> Reference {
    Reference::new(Order::BestFirst, Update::Sum)
}

/// Commits until something fails. What must be there, and what may be there if the last commit came through after all.
fn run_until_failure(
    disk: &SimDisk,
    mut sure: Reference,
    transactions: &[Transaction],
) -> (Reference, Reference) {
    let Ok((mut frontier, mut journal)) = opened(disk) else { return (sure.clone(), sure) };
    for transaction in transactions {
        let transaction = known_only(&sure, transaction);
        let mut perhaps = sure.clone();
        perhaps.apply(&transaction.changes);
        let Ok(committed) = journal.commit(&transaction) else { return (sure, perhaps) };
        sure = perhaps;
        if frontier.apply(committed).is_err() || frontier.next(now()).is_err() {
            break;
        }
    }
    (sure.clone(), sure)
}

fn assert_one_of(frontier: &Frontier, sure: &Reference, perhaps: &Reference, what: &str) {
    if let Some(difference) = sure.difference(frontier)
        && let Some(other) = perhaps.difference(frontier)
    {
        panic!("{what}: {difference}; {other}");
    }
}

#[test]
fn what_was_committed_outlives_a_thousand_power_cuts() {
    const LIVES: u64 = 4;
    let transactions = transactions(1, 60);
    let whole = SimDisk::new();
    run_until_failure(&whole, nothing(), &transactions);
    let mut dice = Dice::new(2);
    let mut cuts = 0;
    for life in 0..150 * LIVES {
        let (mut disk, mut sure) = (SimDisk::new(), nothing());
        // Each life begins with what the last cut left, and the power may go while it is being opened.
        for cut in 0..1 + life % LIVES {
            let at = dice.below(whole.operations() / LIVES + 40);
            disk.set_faults(&[Fault::CutAt(disk.operations() + at)]);
            let from = dice.below(transactions.len() as u64 / 2) as usize;
            let (before, perhaps) = run_until_failure(&disk, sure, &transactions[from..]);
            disk = disk.after_power_cut(&mut dice);
            cuts += 1;
            let (frontier, _) = opened(&disk).unwrap_or_else(|e| panic!("life {life}, cut {cut}: {e}"));
            let what = format!("life {life}, cut {cut} at {at}");
            assert_one_of(&frontier, &before, &perhaps, &what);
            // The one that says more comes first: a difference is only seen in what is expected.
            sure = if perhaps.difference(&frontier).is_none() { perhaps } else { before };
        }
    }
    assert!(cuts >= 1_000, "only {cuts} cuts");
}

#[test]
fn a_full_disk_is_told_and_loses_nothing_once_there_is_room() {
    let transactions = transactions(3, 60);
    let mut refused = 0;
    for room in (1_000..120_000).step_by(1_500) {
        let disk = SimDisk::new();
        let (mut frontier, mut journal) = opened(&disk).unwrap();
        let mut sure = nothing();
        disk.set_faults(&[Fault::Room(room)]);
        for transaction in &transactions {
            let transaction = known_only(&sure, transaction);
            let committed = match journal.commit(&transaction) {
                Ok(committed) => committed,
                Err(FrontierError::Full) => {
                    refused += 1;
                    disk.set_faults(&[]);
                    let committed = journal.commit(&transaction).unwrap();
                    disk.set_faults(&[Fault::Room(room)]);
                    committed
                }
                Err(other) => panic!("room {room}: {other}"),
            };
            frontier.apply(committed).unwrap();
            frontier.next(now()).unwrap();
            sure.apply(&transaction.changes);
        }
        assert_one_of(&frontier, &sure, &sure, &format!("room {room}"));
        disk.set_faults(&[]);
        frontier.checkpoint().unwrap();
        assert_one_of(&frontier, &sure, &sure, &format!("room {room}, merged"));
        let (frontier, _) = opened(&disk).unwrap();
        assert_one_of(&frontier, &sure, &sure, &format!("room {room}, opened"));
    }
    assert!(refused > 100, "the disk was full only {refused} times");
}

#[test]
fn a_failing_sync_at_any_point_loses_nothing() {
    let transactions = transactions(4, 40);
    let whole = SimDisk::new();
    run_until_failure(&whole, nothing(), &transactions);
    let mut dice = Dice::new(5);
    for at in 0..whole.operations() {
        let disk = SimDisk::new();
        let (mut frontier, mut journal) = opened(&disk).unwrap();
        disk.set_faults(&[Fault::SyncFailsAt(at)]);
        let mut sure = nothing();
        for transaction in &transactions {
            let transaction = known_only(&sure, transaction);
            // The second attempt stands for the caller who tries again.
            let committed = journal.commit(&transaction).or_else(|_| journal.commit(&transaction)).unwrap();
            frontier.apply(committed).unwrap();
            frontier.next(now()).unwrap();
            sure.apply(&transaction.changes);
        }
        assert_one_of(&frontier, &sure, &sure, &format!("sync {at}"));
        let (frontier, _) = opened(&disk.after_power_cut(&mut dice)).unwrap();
        assert_one_of(&frontier, &sure, &sure, &format!("sync {at}, after a cut"));
    }
}
