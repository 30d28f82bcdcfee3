//! People, places and organisations that the pages write about, what is thought of them, and what happens to them: a
//! part of the world that is switched on by its configuration, so that an analysis can be measured against it.
//!
//! `tongues/` has the names and sentences of each language, `cast.rs` who there is, `compose.rs` makes texts of both,
//! `happening.rs` says what happens when, `pictures.rs` what the images show, `truth.rs` and `account.rs` what an analysis should find.

mod account;
mod cast;
mod compose;
mod happening;
mod pictures;
mod tongue;
mod tongues;
mod truth;

use crate::dice::Dice;
use crate::item::Item;
use crate::layout::{Host, HostKind, Layout};
use crate::words::Language;
use crate::world::World;

use cast::{BODY, Cast};
pub(crate) use compose::Sentence;
use compose::{Manner, Teller};
use happening::{Happening, Schedule};
pub use pictures::PictureTruth;
use tongue::Tongue;
pub(crate) use truth::SocietyTruth;
pub use truth::{
    BondTruth, EntityKind, EntityTruth, FavourTruth, HappeningTruth, MentionPlace, MentionTruth,
    OpinionTruth, QuoteTruth, RenameTruth, SaidTruth,
};

/// Items that nobody in particular appears on, in ten.
const UNPEOPLED: usize = 3;

pub(crate) struct Society {
    seed: u64,
    cast: Cast,
    schedule: Schedule,
    /// How many images the hosts have together.
    images: usize,
}

/// What a text is about.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'s> {
    cast: &'s Cast,
    tongue: &'static Tongue,
    language: Language,
    /// The first member of the circle.
    first: usize,
    /// Who of the circle comes first.
    turn: usize,
    topic: usize,
    /// When it is written.
    at: u64,
    happening: Option<&'s Happening>,
    /// Whether anybody is named at all.
    peopled: bool,
}

/// A paragraph has so many sentences.
pub(crate) const PARAGRAPH: usize = 4;

/// What a post of a forum quotes.
pub(crate) struct Quote {
    pub(crate) author: &'static str,
    /// The reply that is quoted.
    pub(crate) number: usize,
    pub(crate) sentence: Sentence,
}

impl Society {
    pub(crate) fn new(seed: u64, layout: &Layout) -> Society {
        let cast = Cast::new(seed);
        let schedule = Schedule::new(seed, layout, &cast);
        let images = layout.healthy_hosts().iter().map(|host| host.images).sum();
        Society { seed, cast, schedule, images }
    }

    /// Items that report what happened are from those days, and may be read.
    pub(crate) fn adapt(&self, host: &Host, item: &mut Item) {
        let Some((number, happening)) = self.schedule.of_item(host, item.number) else { return };
        let mut dice = Dice::new(&[self.seed, 0xada9, host.number as u64, item.number as u64, number as u64]);
        item.topic = happening.topic;
        item.published = happening.reported(&mut dice);
        item.forbidden = false;
    }

    fn scene(&self, host: &Host, item: &Item, at: u64) -> Scene<'_> {
        let mut dice = Dice::new(&[self.seed, 0x5ce4e, host.number as u64, item.number as u64]);
        let (language, tongue) = (host.language, Tongue::of(host.language));
        let happening = self.schedule.of_item(host, item.number).map(|(_, happening)| happening);
        let circle = dice.below(tongue.circles.len());
        let own = tongue.circles.iter().position(|circle| circle.topic == item.topic).unwrap_or(circle);
        let turn = dice.below(BODY);
        let peopled = dice.below(10) >= UNPEOPLED;
        Scene {
            cast: &self.cast,
            tongue,
            language,
            first: happening.map_or(self.cast.circle(language, own), |happening| happening.first),
            turn: happening.map_or(turn, |happening| happening.turn),
            topic: item.topic,
            at,
            happening,
            peopled: peopled || happening.is_some(),
        }
    }

    fn dice(&self, host: &Host, item: &Item, part: u64) -> Dice {
        Dice::new(&[self.seed, 0x7e11, host.number as u64, item.number as u64, part])
    }

    pub(crate) fn heading(&self, host: &Host, item: &Item) -> Sentence {
        let scene = self.scene(host, item, item.published);
        let mut teller = Teller::new(scene, Manner::Heading, self.dice(host, item, 0));
        teller.heading()
    }

    /// The text of an article or blog post; bloggers have opinions.
    pub(crate) fn matter(&self, host: &Host, item: &Item, bytes: usize) -> Vec<Sentence> {
        let scene = self.scene(host, item, item.published);
        let mut teller = Teller::new(scene, Manner::Formal, self.dice(host, item, 1));
        let mut told = teller.matter(bytes.min(4_000));
        if scene.peopled && host.kind == HostKind::Blog {
            told.extend(teller.opinion(self.target(&scene, &mut self.dice(host, item, 2))));
        }
        told
    }

    /// The text of a comment, or of a post in a thread.
    pub(crate) fn reply(&self, world: &World, host: &Host, item: &Item, number: usize) -> Vec<Sentence> {
        let at = world.reply(host, item, number).published;
        let mut scene = self.scene(host, item, at);
        let opening = number == 0 && host.kind == HostKind::Forum;
        if !opening {
            scene.happening = None;
        }
        let manner = if opening { Manner::Formal } else { Manner::Terse };
        let mut teller = Teller::new(scene, manner, self.dice(host, item, 100 + number as u64));
        let mut told = if opening { teller.matter(500) } else { teller.aside() };
        if scene.peopled {
            let about = self.target(&scene, &mut self.dice(host, item, 10_000 + number as u64));
            told.extend(teller.opinion(about));
        } else {
            told.push(teller.mood());
        }
        told.extend(teller.aside());
        told
    }

    /// Whom an opinion is about: mostly the one who is written about, sometimes the organisation.
    fn target(&self, scene: &Scene<'_>, dice: &mut Dice) -> usize {
        let place = [scene.turn, scene.turn, scene.turn, scene.turn + 1, scene.turn + 2, BODY];
        match place[dice.below(place.len())] {
            BODY => scene.first + BODY,
            person => scene.first + person % BODY,
        }
    }

    /// What a post of a thread quotes: the first words of the one it answers.
    pub(crate) fn quote(&self, world: &World, host: &Host, item: &Item, number: usize) -> Option<Quote> {
        let parent = world.reply(host, item, number).parent.filter(|_| host.kind == HostKind::Forum)?;
        let sentence = self.reply(world, host, item, parent).into_iter().next()?;
        Some(Quote { author: world.reply(host, item, parent).author, number: parent, sentence })
    }

    pub(crate) fn wrote(language: Language) -> &'static str {
        Tongue::of(language).wrote
    }

    /// Sentences that name nobody, of about so many bytes, at least one.
    pub(crate) fn neutral(&self, dice: &mut Dice, topic: usize, language: Language, bytes: usize) -> String {
        let scene = Scene {
            cast: &self.cast,
            tongue: Tongue::of(language),
            language,
            first: self.cast.circle(language, 0),
            turn: 0,
            topic,
            at: 0,
            happening: None,
            peopled: false,
        };
        let mut teller = Teller::new(scene, Manner::Formal, Dice::new(&[dice.next()]));
        teller.matter(bytes).into_iter().map(|sentence| sentence.text).collect::<Vec<_>>().join(" ")
    }
}
