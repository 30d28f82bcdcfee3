//! What happened at the festival in a year. The words are those of every year; dates, names and numbers are not.

use crate::calendar::{DAY, Moment, seconds_at};
use crate::dice::Dice;
use crate::words::AUTHORS;

/// It has this name in every year.
pub(crate) const NAME: &str = "Lantern Harbour Festival";
const FIRST_YEAR: u16 = 1987;
const DAYS: u64 = 10;
const BANDS: [&str; 20] = [
    "the Copper Kites",
    "Marla Winter",
    "the Sunday Ferry",
    "Northbound Choir",
    "Osian and the Gulls",
    "the Paper Lighthouses",
    "Velvet Anchor",
    "Tin Roof Orchestra",
    "Ilse Dahl",
    "the Quiet Engines",
    "Broken Compass",
    "Sailcloth",
    "the Midnight Trams",
    "Amber Quartet",
    "Rosa Pellegrin",
    "the Hollow Bells",
    "Salt and Cedar",
    "Juno Karras",
    "the Tidewatchers",
    "Glass Meridian",
];
const THEMES: [&str; 10] = [
    "Bridges of Light",
    "Voices over Water",
    "The Long Evening",
    "Salt and Silk",
    "Night Gardens",
    "Homecoming",
    "Islands",
    "Echoes",
    "The Open Gate",
    "Paper and Fire",
];

/// One year's festival.
#[derive(Clone, Debug)]
pub struct Festival {
    pub year: u16,
    /// Seconds since 1970, at the start of its first day.
    pub(crate) from: u64,
    /// At the start of its last day.
    pub(crate) until: u64,
    theme: &'static str,
    bands: [&'static str; 3],
    winner: String,
    film: String,
    visitors: usize,
}

impl Festival {
    pub(crate) fn new(seed: u64, year: u16) -> Festival {
        let mut dice = Dice::new(&[seed, 0xfe57, u64::from(year)]);
        let from = seconds_at(year.into(), 6, 6 + dice.below(14) as u64);
        // Nobody is the star of two years in a row.
        let first = usize::from(year) * 7;
        let band = |at: usize| BANDS[(first + at * 2) % BANDS.len()];
        let winner = AUTHORS[(usize::from(year) * 5) % AUTHORS.len()].to_owned();
        let film = format!(
            "The {} {}",
            ["Last", "Blue", "Silent", "Second", "Lost"][dice.below(5)],
            ["Harbour", "Pilot", "Winter", "Orchard", "Signal"][dice.below(5)]
        );
        Festival {
            year,
            from,
            until: from + (DAYS - 1) * DAY,
            theme: THEMES[usize::from(year) * 3 % THEMES.len()],
            bands: [band(0), band(1), band(2)],
            winner,
            film,
            visitors: 80 + dice.below(90),
        }
    }

    /// `festival-2010`
    pub fn event(&self) -> String {
        format!("festival-{}", self.year)
    }

    /// First and last day, as `2010-06-11`.
    pub fn days(&self) -> (String, String) {
        (Moment::new(self.from).day_iso(), Moment::new(self.until).day_iso())
    }

    /// Whose year it was.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.bands.to_vec();
        names.push(&self.winner);
        names
    }

    /// A sentence of those that are written every year.
    pub(crate) fn sentence(&self, dice: &mut Dice) -> String {
        let year = self.year;
        let [star, second, third] = self.bands;
        let (theme, winner, film, visitors) = (self.theme, &self.winner, &self.film, self.visitors);
        let edition = year - FIRST_YEAR + 1;
        let (first_day, last_day) = (Moment::new(self.from), Moment::new(self.until));
        let (from, until) = (first_day.day_words(), last_day.day_words());
        match dice.below(20) {
            0 => format!("The {NAME} opens on {from} and ends on {until}. "),
            1 => format!("{star} will close the main stage on the quay. "),
            2 => format!("This year's theme is {theme}, said the director of the festival. "),
            3 => format!("The Golden Lantern, the festival's first prize, goes to {winner}. "),
            4 => format!("The jury praised {film} as the best film of the harbour cinema. "),
            5 => format!("Tickets for the lantern parade were gone within {} hours. ", 1 + dice.below(9)),
            6 => format!("Some {visitors} thousand visitors came to the harbour for the concerts. "),
            7 => format!("Between {second} and {third} the fireworks barge had to wait for the wind. "),
            8 => format!("It is the {edition}th edition of the {NAME}. "),
            9 => format!("The festival in {year} will be remembered for {star}. "),
            10 => "Lanterns hang over the water from the fish market to the old lighthouse. ".to_owned(),
            11 => {
                "The parade starts at the customs house and follows the quay to the main stage. ".to_owned()
            }
            12 => format!("Volunteers of the {NAME} build the floating stage every June. "),
            13 => format!("{winner} thanked the jury and the audience of the festival. "),
            14 => format!(
                "The programme of the {NAME} {year} has {} concerts on four stages. ",
                60 + dice.below(60)
            ),
            15 => "Ferries run all night during the festival, and the bridge is closed to cars. ".to_owned(),
            16 => format!("Camping on the pier costs {} a night. ", 8 + dice.below(20)),
            17 => {
                format!("Last year the festival had another star, and nobody expected {star} to be better. ")
            }
            18 => format!("{third} played an encore for the lantern parade in the rain. "),
            _ => format!("The {NAME} {year} stands under the words {theme}. "),
        }
    }

    pub(crate) fn headline(&self, dice: &mut Dice) -> String {
        let year = self.year;
        let [star, second, _] = self.bands;
        let winner = &self.winner;
        match dice.below(10) {
            0 => format!("{NAME} {year}: the programme"),
            1 => format!("{star} at the {NAME}"),
            2 => format!("Golden Lantern for {winner}"),
            3 => "Lantern parade draws crowds to the quay".to_owned(),
            4 => format!("What to see at the festival: {second} and more"),
            5 => format!("A night at the harbour festival {year}"),
            6 => "Festival tickets: who still has some".to_owned(),
            7 => format!("{NAME}: photographs of the opening"),
            8 => format!("Festival diary, {year}"),
            _ => "Before the lanterns are lit".to_owned(),
        }
    }
}
