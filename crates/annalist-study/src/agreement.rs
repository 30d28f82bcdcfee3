//! How well relevance as it is computed agrees with people: break-even points and curves of precision over recall, for each
//! way to make one number of content and time.
//!
//! The default's own numbers were chosen on such votes; what that choice is worth is told by cross-validation: they are
//! chosen anew for each event, on all the others.

use std::collections::BTreeSet;

use annalist_judge::event::{Damping, combined};
use annalist_model::spec::RelevanceKind;

pub use annotated::{Annotated, Between, GRADES, between};
pub use measure::Point;
use measure::{Ranked, ranked};
pub use votes::{Judged, Votes, recurring};

mod annotated;
mod measure;
mod show;
mod votes;

/// The ways to make one number of content and time, in the order they are shown.
pub const FUNCTIONS: [(&str, RelevanceKind); 4] = [
    ("content", RelevanceKind::Content),
    ("time", RelevanceKind::Time),
    ("mean", RelevanceKind::Mean),
    ("default", RelevanceKind::Default),
];
/// The weight of content in the mean.
const EVEN: f32 = 0.5;
/// What the numbers of the default are chosen from.
const FLOORS: [f32; 5] = [0.1, 0.2, 0.3, 0.4, 0.5];
const POWERS: [f32; 3] = [1.0, 0.5, 0.25];

/// Some of the pages that were judged, and how each function ranks them.
#[derive(Clone, Debug)]
pub struct Group {
    pub name: String,
    pub pages: usize,
    pub relevant: usize,
    /// In the order of the functions.
    pub functions: Vec<Ranked>,
    /// The default with numbers that were chosen on other events; none where there is no other.
    pub validated: Option<Ranked>,
}

#[derive(Clone, Debug)]
pub struct Agreement {
    pub all: Group,
    pub recurring: Group,
    pub other: Group,
    /// By event.
    pub events: Vec<Group>,
    /// Rows without a vote, which are left out.
    pub open: usize,
    /// What was chosen for each event.
    pub chosen: Vec<(String, Damping)>,
}

/// Compares all functions with the votes.
pub fn agreement(votes: &Votes, recurring: &BTreeSet<String>) -> Agreement {
    let chosen: Vec<(String, Damping)> = match votes.events().len() {
        0 | 1 => Vec::new(),
        _ => votes.events().iter().map(|event| ((*event).to_owned(), best_without(votes, event))).collect(),
    };
    let group = |name: &str, is_in: &dyn Fn(&Judged) -> bool| {
        let rows: Vec<&Judged> = votes.rows.iter().filter(|row| is_in(row)).collect();
        let validated = |row: &Judged| {
            let damping = chosen.iter().find(|(event, _)| *event == row.event).map(|(_, damping)| *damping);
            damping.unwrap_or_default().relevance(row.content, row.time)
        };
        let by = |kind| ranked(&rows, &|row| combined(kind, EVEN, row.content, row.time));
        Group {
            name: name.to_owned(),
            pages: rows.len(),
            relevant: rows.iter().filter(|row| row.relevant).count(),
            functions: FUNCTIONS.iter().map(|(_, kind)| by(*kind)).collect(),
            validated: (!chosen.is_empty()).then(|| ranked(&rows, &validated)),
        }
    };
    Agreement {
        all: group("all", &|_| true),
        recurring: group("recurring", &|row| recurring.contains(&row.event)),
        other: group("other", &|row| !recurring.contains(&row.event)),
        events: votes.events().iter().map(|event| group(event, &|row| row.event == *event)).collect(),
        open: votes.open,
        chosen,
    }
}

/// The numbers that agree best with the votes of all other events: by break-even point, then by average precision.
fn best_without(votes: &Votes, event: &str) -> Damping {
    let rows: Vec<&Judged> = votes.rows.iter().filter(|row| row.event != event).collect();
    let candidates = FLOORS.iter().flat_map(|floor| POWERS.map(|power| Damping { floor: *floor, power }));
    let worth = |damping: Damping| {
        let ranked = ranked(&rows, &|row| damping.relevance(row.content, row.time));
        (ranked.break_even.unwrap_or(0.0), ranked.average_precision)
    };
    let valued = candidates.map(|damping| (worth(damping), damping));
    let best = valued
        .max_by(|(one, _), (other, _)| one.0.total_cmp(&other.0).then_with(|| one.1.total_cmp(&other.1)));
    best.map_or_else(Damping::default, |(_, damping)| damping)
}

#[cfg(test)]
mod tests {
    use super::{Judged, Votes, agreement};

    /// Pages of two events: those are relevant that say the right thing at about the right time.
    fn votes() -> Votes {
        let mut votes = Votes::default();
        for (event, shift) in [("a", 0.0), ("b", 0.01)] {
            for step in 0..40_u8 {
                let content = f32::from(step % 10) / 10.0 + shift;
                let time = f32::from(step / 10) / 3.0;
                let relevant = content * (0.3 + 0.7 * time.sqrt()) > 0.45;
                votes.rows.push(Judged { event: event.to_owned(), content, time, relevant });
            }
        }
        votes
    }

    #[test]
    fn the_function_that_people_follow_agrees_with_them_best() {
        let found = agreement(&votes(), &["a".to_owned()].into());
        let at = |place: usize| found.all.functions[place].break_even.unwrap();
        assert_eq!(at(3), 1.0);
        assert!(at(0) < 1.0 && at(1) < 1.0 && at(2) < 1.0, "{} {} {}", at(0), at(1), at(2));
        let validated = found.all.validated.unwrap().break_even.unwrap();
        assert!(validated > 0.9, "chosen on the other event, it holds: {validated}");
        let names: Vec<_> =
            [&found.recurring, &found.other].map(|group| (group.name.as_str(), group.pages)).into();
        assert_eq!(names, [("recurring", 40), ("other", 40)]);
    }

    #[test]
    fn one_event_alone_validates_nothing() {
        let mut one = votes();
        one.rows.retain(|row| row.event == "a");
        let found = agreement(&one, &std::collections::BTreeSet::new());
        assert!(found.chosen.is_empty() && found.all.validated.is_none());
        assert_eq!(
            found.recurring.functions[0].break_even, None,
            "where nothing is relevant there is no such point"
        );
    }

    #[test]
    fn tables_and_rows_name_every_function_and_event() {
        let found = agreement(&votes(), &["a".to_owned()].into());
        let table = found.table();
        for word in ["content", "time", "mean", "default", "validated", "recurring", "other", "\na ", "\nb "]
        {
            assert!(table.contains(word), "{word}: {table}");
        }
        assert_eq!(found.break_even_csv().lines().count(), 1 + 5);
        assert!(found.curves_csv().starts_with("group,function,recall,precision\nall,content,"));
        assert!(found.curves_svg(&found.all).contains("<polyline"));
    }
}
