//! Everybody who is written about: who they are, how they are called at a moment, and what is thought of them.

use super::tongue::{Body, Figure, Tongue};
use crate::calendar::DAY;
use crate::dice::Dice;
use crate::item::{DAYS, FIRST_DAY};
use crate::words::Language;

/// Three people, an organisation and two places.
pub(crate) const OF_A_CIRCLE: usize = 6;
/// Of a circle: where its organisation stands, and its first place.
pub(crate) const BODY: usize = 3;
pub(crate) const PLACE: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    Person(Figure),
    Organisation(Body),
    Place(&'static str),
}

/// A person, place or organisation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) language: Language,
    pub(crate) role: Role,
    /// From when on it has its later name, if it has one. Seconds since 1970.
    pub(crate) renamed: u64,
    /// Share of praise among opinions: before and from `turned` on.
    pub(crate) favour: [f64; 2],
    pub(crate) turned: u64,
}

/// All of them; the members of a circle stand together.
pub(crate) struct Cast {
    pub(crate) members: Vec<Member>,
    /// The first member of each language's first circle.
    first: [usize; 4],
}

impl Cast {
    pub(crate) fn new(seed: u64) -> Cast {
        let mut members = Vec::new();
        let first = Language::ALL.map(|language| {
            let first = members.len();
            for (number, circle) in Tongue::of(language).circles.iter().enumerate() {
                let mut dice = Dice::new(&[seed, 0xca57, language as u64, number as u64]);
                // In the middle third, so that there is a before and an after.
                let mut day = || (FIRST_DAY + DAYS / 3 + dice.below(DAYS / 3)) as u64 * DAY;
                let (renamed, turned) = (day(), day());
                let change = if number.is_multiple_of(2) { [0.85, 0.15] } else { [0.15, 0.85] };
                let favours = [change, [0.75, 0.75], [0.25, 0.25], [0.5, 0.5]];
                let roles = circle
                    .people
                    .map(Role::Person)
                    .into_iter()
                    .chain([Role::Organisation(circle.body)])
                    .chain(circle.places.map(Role::Place));
                members.extend(roles.enumerate().map(|(place, role)| Member {
                    language,
                    role,
                    renamed,
                    favour: favours.get(place).copied().unwrap_or([0.5, 0.5]),
                    turned,
                }));
            }
            first
        });
        Cast { members, first }
    }

    /// The first member of a language's circle.
    pub(crate) fn circle(&self, language: Language, number: usize) -> usize {
        self.first[language as usize] + number * OF_A_CIRCLE
    }

    pub(crate) fn member(&self, number: usize) -> Option<&Member> {
        self.members.get(number)
    }
}

impl Member {
    /// The name that stands for it at a moment.
    pub(crate) fn name(&self, at: u64) -> String {
        match self.role {
            Role::Person(figure) => format!("{} {}", figure.given, self.family(at)),
            Role::Organisation(body) => self.body_names(body, at).0.to_owned(),
            Role::Place(name) => name.to_owned(),
        }
    }

    /// The family name of a person.
    pub(crate) fn family(&self, at: u64) -> &'static str {
        match self.role {
            Role::Person(figure) if !figure.later.is_empty() && at >= self.renamed => figure.later,
            Role::Person(figure) => figure.family,
            _ => "",
        }
    }

    pub(crate) fn body_names(&self, body: Body, at: u64) -> (&'static str, &'static str) {
        if !body.later.0.is_empty() && at >= self.renamed { body.later } else { (body.name, body.acronym) }
    }

    pub(crate) fn is_renamed(&self) -> bool {
        match self.role {
            Role::Person(figure) => !figure.later.is_empty(),
            Role::Organisation(body) => !body.later.0.is_empty(),
            Role::Place(_) => false,
        }
    }

    /// Whether words about it take the woman's form.
    pub(crate) fn is_feminine(&self) -> bool {
        match self.role {
            Role::Person(figure) => figure.woman,
            Role::Organisation(_) | Role::Place(_) => true,
        }
    }

    pub(crate) fn favour_at(&self, at: u64) -> f64 {
        self.favour[usize::from(at >= self.turned)]
    }

    /// All the ways it is written, the main one first.
    pub(crate) fn spellings(&self) -> Vec<String> {
        let mut all = vec![self.name(0)];
        let mut add = |text: String| {
            if !text.is_empty() && !all.contains(&text) {
                all.push(text);
            }
        };
        for at in [0, u64::MAX].into_iter().take(1 + usize::from(self.is_renamed())) {
            add(self.name(at));
            match self.role {
                Role::Person(figure) => {
                    add(self.family(at).to_owned());
                    add(figure.alias.to_owned());
                    let (given, family) =
                        (oblique(figure.given, self.language), oblique(self.family(at), self.language));
                    add(format!("{given} {family}"));
                    add(family.to_owned());
                }
                Role::Organisation(body) => add(self.body_names(body, at).1.to_owned()),
                Role::Place(_) => {}
            }
        }
        all
    }
}

/// A name as an object: Greek men lose their last letter.
pub(crate) fn oblique(name: &str, language: Language) -> &str {
    match language {
        Language::Greek => name.strip_suffix('ς').unwrap_or(name),
        _ => name,
    }
}
