//! What is known of an article, post or thread before it is written: topic, author, date, size, and which other
//! addresses lead to it. All of it is drawn from the seed; nothing is stored.

use crate::dice::Dice;
use crate::layout::{Host, HostKind, RobotsKind};
use crate::prose::capitalise;
use crate::words::{AUTHORS, Language, NICKNAMES, TOPICS, topic_keywords};
use crate::world::World;

/// Pages are from January 2008 to December 2013.
pub(crate) const FIRST_DAY: usize = 13_879;
pub(crate) const DAYS: usize = 2_190;

/// How a list's link leads to an item by way of another address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Detour {
    pub(crate) status: u16,
    /// Redirects until the item is reached.
    pub(crate) hops: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) number: usize,
    pub(crate) topic: usize,
    /// Seconds since 1970.
    pub(crate) published: u64,
    pub(crate) author: &'static str,
    pub(crate) bytes: usize,
    /// Comments of a post, or posts of a thread.
    pub(crate) replies: usize,
    pub(crate) forbidden: bool,
    pub(crate) duplicate: bool,
    pub(crate) detour: Option<Detour>,
    pub(crate) broken_link: bool,
    pub(crate) outside_link: bool,
    slug: [&'static str; 2],
}

/// A comment, or a post of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply {
    pub(crate) number: usize,
    pub(crate) author: &'static str,
    pub(crate) published: u64,
    /// The reply it answers.
    pub(crate) parent: Option<usize>,
}

impl Item {
    pub(crate) fn push_slug(&self, out: &mut String) {
        out.push_str(self.slug[0]);
        out.push('-');
        out.push_str(self.slug[1]);
    }
}

impl World {
    pub(crate) fn item(&self, host: &Host, number: usize) -> Item {
        let config = &self.config;
        let (topic, mut dice) = self.draw_topic(host, number);
        let day = FIRST_DAY + dice.below(DAYS);
        let private = host.robots == RobotsKind::Rules && host.kind != HostKind::Forum;
        let forbidden = dice.chance(config.forbidden) && private;
        let keywords = topic_keywords(topic);
        let mut word = || keywords.get(dice.skewed(keywords.len())).copied().unwrap_or_default();
        let slug = [word(), word()];
        let mut item = Item {
            number,
            topic,
            published: (day * 86_400 + dice.below(86_400)) as u64,
            author: dice.pick(&AUTHORS).copied().unwrap_or_default(),
            bytes: page_size(config.page_bytes, &mut dice),
            replies: self.replies(host, &mut dice),
            forbidden,
            duplicate: dice.chance(config.duplicates) && !forbidden,
            detour: detour(config.redirects, &mut dice),
            broken_link: dice.chance(config.broken_links),
            outside_link: dice.chance(config.outside_links),
            slug,
        };
        if let Some(society) = &self.society {
            society.adapt(host, &mut item);
        }
        item
    }

    /// The topic alone, for choosing among many items.
    pub(crate) fn item_topic(&self, host: &Host, number: usize) -> usize {
        self.draw_topic(host, number).0
    }

    /// An item's dice after their first use.
    fn draw_topic(&self, host: &Host, number: usize) -> (usize, Dice) {
        let mut dice = Dice::new(&[self.config.seed, 0x17e4, host.number as u64, number as u64]);
        let topics = self.config.topics.clamp(1, TOPICS);
        let topic = if dice.chance(0.75) { host.topic } else { dice.below(topics) };
        (topic, dice)
    }

    fn replies(&self, host: &Host, dice: &mut Dice) -> usize {
        let page = self.posts_per_page();
        match host.kind {
            HostKind::Forum => {
                let most = if dice.chance(0.25) { 3 * page } else { page };
                1 + dice.below(most)
            }
            // People who have opinions comment more.
            HostKind::Blog if self.society.is_some() => dice.below(9),
            HostKind::Blog => dice.below((self.config.page_bytes / 1_500).clamp(1, 8) + 1),
            _ => 0,
        }
    }

    /// Posts on one page of a thread: fewer where pages are small.
    pub(crate) fn posts_per_page(&self) -> usize {
        (self.config.page_bytes / 1_000).clamp(3, 10)
    }

    /// Pages of an item: one, except for long threads.
    pub(crate) fn item_pages(&self, host: &Host, item: &Item) -> usize {
        match host.kind {
            HostKind::Forum => item.replies.div_ceil(self.posts_per_page()).max(1),
            _ => 1,
        }
    }

    /// The first post of a thread is by the item's author's nickname; later ones follow within hours.
    pub(crate) fn reply(&self, host: &Host, item: &Item, number: usize) -> Reply {
        let key = [self.config.seed, 0x2e91, host.number as u64, item.number as u64, number as u64];
        let mut dice = Dice::new(&key);
        let hours = number * 5 + dice.below(5);
        let answers = number > 0 && dice.chance(0.5);
        let mut reply = Reply {
            number,
            author: dice.pick(&NICKNAMES).copied().unwrap_or_default(),
            published: item.published + (hours * 3600 + dice.below(3600)) as u64,
            parent: answers.then(|| dice.below(number)),
        };
        if self.society.is_some() {
            self.give_standing(host, item, &mut reply);
        }
        reply
    }

    /// Where there is a society, some write more than others, and some are answered more often.
    fn give_standing(&self, host: &Host, item: &Item, reply: &mut Reply) {
        let author = |number: usize| {
            let key = [self.config.seed, 0xa7b0, host.number as u64, item.number as u64, number as u64];
            Dice::new(&key).skewed(NICKNAMES.len())
        };
        let standing = |number: usize| author(number) * 11 % NICKNAMES.len();
        reply.author = NICKNAMES.get(author(reply.number)).copied().unwrap_or_default();
        if let Some(parent) = reply.parent {
            let key = [self.config.seed, 0xa45e, host.number as u64, item.number as u64, reply.number as u64];
            let other = Dice::new(&key).below(reply.number);
            reply.parent = Some(if standing(other) > standing(parent) { other } else { parent });
        }
    }

    pub(crate) fn push_title(&self, out: &mut String, host: &Host, item: &Item) {
        if let Some(society) = &self.society {
            out.push_str(&society.heading(host, item).text);
            return;
        }
        let mut dice = Dice::new(&[self.config.seed, 0x7171, host.number as u64, item.number as u64]);
        push_heading(out, &mut dice, item.topic, host.language);
    }
}

/// Some words of a topic that read like a heading.
pub(crate) fn push_heading(out: &mut String, dice: &mut Dice, topic: usize, language: Language) {
    let start = out.len();
    let words = language.topic_words(topic);
    let linking = language.function_words();
    let count = 2 + dice.below(3);
    for position in 0..count {
        if position > 0 {
            out.push(' ');
            if dice.below(2) == 0 {
                out.push_str(linking.get(dice.skewed(linking.len())).copied().unwrap_or_default());
                out.push(' ');
            }
        }
        out.push_str(words.get(dice.skewed(words.len())).copied().unwrap_or_default());
    }
    capitalise(out, start);
}

/// Between 0.4 and 1.6 times the mean, values near it more often.
fn page_size(mean: usize, dice: &mut Dice) -> usize {
    let spread = (dice.unit() + dice.unit()) * 0.6;
    (mean as f64 * (0.4 + spread)) as usize
}

fn detour(share: f64, dice: &mut Dice) -> Option<Detour> {
    let hops = [1, 1, 1, 2][dice.below(4)];
    let status = [301, 302, 307, 308][dice.below(4)];
    dice.chance(share).then_some(Detour { status, hops })
}
