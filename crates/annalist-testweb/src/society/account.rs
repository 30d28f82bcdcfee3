//! The truth about the society, computed when asked for.

use std::collections::BTreeMap;

use super::cast::{Member, OF_A_CIRCLE, PLACE, Role};
use super::compose::{Manner, Sentence, Teller};
use super::happening::Happening;
use super::pictures::PictureTruth;
use super::tongue::Tongue;
use super::truth::{
    BondTruth, EntityKind, EntityTruth, FavourTruth, HappeningTruth, MentionPlace, MentionTruth,
    OpinionTruth, QuoteTruth, RenameTruth, SaidTruth, SocietyTruth,
};
use super::{Scene, Society};
use crate::dice::Dice;
use crate::item::Item;
use crate::layout::{Host, HostKind};
use crate::pages;
use crate::route::Route;
use crate::truth::{ObjectTruth, Truth};
use crate::world::World;

/// All of it is empty in worlds without a society.
impl<'w> Truth<'w> {
    pub fn entities(self) -> Vec<EntityTruth> {
        let members = self.society().map(|society| society.cast.members.as_slice()).unwrap_or_default();
        members.iter().enumerate().map(|(id, member)| entity(id, member)).collect()
    }

    pub fn people(self) -> Vec<EntityTruth> {
        self.of_kind(EntityKind::Person)
    }

    pub fn places(self) -> Vec<EntityTruth> {
        self.of_kind(EntityKind::Place)
    }

    pub fn organisations(self) -> Vec<EntityTruth> {
        self.of_kind(EntityKind::Organisation)
    }

    fn of_kind(self, kind: EntityKind) -> Vec<EntityTruth> {
        self.entities().into_iter().filter(|entity| entity.kind == kind).collect()
    }

    pub fn renames(self) -> Vec<RenameTruth> {
        let members = self.society().map(|society| society.cast.members.as_slice()).unwrap_or_default();
        let renamed = members.iter().enumerate().filter(|(_, member)| member.is_renamed());
        renamed
            .map(|(entity, member)| RenameTruth {
                entity,
                from: member.name(0),
                to: member.name(u64::MAX),
                at: member.renamed,
            })
            .collect()
    }

    /// What is thought of people and organisations, and when it changes.
    pub fn favours(self) -> Vec<FavourTruth> {
        let members = self.society().map(|society| society.cast.members.as_slice()).unwrap_or_default();
        let judged = members.iter().enumerate().filter(|(_, member)| !matches!(member.role, Role::Place(_)));
        judged
            .map(|(entity, member)| {
                let [before, after] = member.favour;
                FavourTruth { entity, before, after, turned: member.turned }
            })
            .collect()
    }

    /// Those that at least one page reports.
    pub fn happenings(self) -> Vec<HappeningTruth> {
        let Some(society) = self.society() else { return Vec::new() };
        let mut pages: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for host in self.healthy_hosts() {
            for item in 0..host.items {
                if let Some((number, _)) = society.schedule.of_item(host, item) {
                    pages.entry(number).or_default().push(self.url(host, Route::Item { item, page: 1 }));
                }
            }
        }
        let happenings = society.schedule.happenings.iter().enumerate();
        happenings
            .filter_map(|(id, happening)| Some(society.happening_truth(id, happening, pages.remove(&id)?)))
            .collect()
    }

    /// Everything that was written, duplicates once and forbidden pages too, with what it says.
    pub fn said(self) -> impl Iterator<Item = SaidTruth> + 'w {
        let society = self.society().is_some();
        let hosts = self.healthy_hosts().iter().take(if society { usize::MAX } else { 0 });
        hosts.flat_map(move |host| {
            (0..host.items).flat_map(move |number| {
                let item = self.world().item(host, number);
                let pages = 1..=self.world().item_pages(host, &item);
                pages.flat_map(move |page| {
                    let route = Route::Item { item: number, page };
                    self.said_on(host, &item, page, self.url(host, route))
                })
            })
        })
    }

    /// Every image but icons.
    pub fn pictures(self) -> Vec<PictureTruth> {
        let Some(society) = self.society() else { return Vec::new() };
        let images =
            self.healthy_hosts().iter().flat_map(|host| (0..host.images).map(move |image| (host, image)));
        images
            .map(|(host, image)| {
                let print = society.print(host, image);
                PictureTruth {
                    url: self.url(host, Route::Image(image)),
                    picture: print.picture,
                    mime: print.mime(),
                    declared: print.declared(image),
                    width: print.width,
                    height: print.height,
                }
            })
            .collect()
    }

    /// Who answers whom in comments.
    pub fn replies(self) -> Vec<BondTruth> {
        self.bonds(|said| said.answers.clone())
    }

    /// Who quotes whom in threads.
    pub fn quotes(self) -> Vec<BondTruth> {
        self.bonds(|said| said.quote.as_ref().map(|quote| quote.author.clone()))
    }

    fn bonds(self, to: impl Fn(&SaidTruth) -> Option<String>) -> Vec<BondTruth> {
        let mut bonds: BTreeMap<(String, String, String), usize> = BTreeMap::new();
        for said in self.said() {
            if let Some(to) = to(&said) {
                *bonds.entry((said.site, said.object.author, to)).or_default() += 1;
            }
        }
        bonds.into_iter().map(|((site, from, to), times)| BondTruth { site, from, to, times }).collect()
    }

    pub(crate) fn society_truth(self) -> Option<SocietyTruth> {
        self.society()?;
        Some(SocietyTruth {
            entities: self.entities(),
            renames: self.renames(),
            favours: self.favours(),
            happenings: self.happenings(),
            replies: self.replies(),
            quotes: self.quotes(),
            pictures: self.pictures(),
            said: self.said().collect(),
        })
    }

    fn society(self) -> Option<&'w Society> {
        self.world().society.as_ref()
    }

    fn said_on(self, host: &Host, item: &Item, page: usize, url: String) -> Vec<SaidTruth> {
        let world = self.world();
        let Some(society) = &world.society else { return Vec::new() };
        let told = pages::objects(world, host, item, page);
        let links = pages::text_links(world, host, item, page);
        let objects = told.iter().zip(links).enumerate();
        objects
            .map(|(place, (object, links))| {
                let part = Part::new(world, host, page, place);
                let mut said = society.said(world, host, item, part);
                said.url.clone_from(&url);
                said.answers = object.parent.as_ref().and_then(|parent| {
                    let answered = told.iter().find(|other| other.anchor.as_ref() == Some(parent));
                    answered.map(|answered| answered.author.clone())
                });
                said.object = object.clone();
                said.links = links;
                said
            })
            .collect()
    }
}

/// Which text of an item.
#[derive(Clone, Copy)]
enum Part {
    Matter,
    Reply(usize),
}

impl Part {
    fn new(world: &World, host: &Host, page: usize, place: usize) -> Part {
        match (host.kind, place.checked_sub(1)) {
            (HostKind::Forum, _) => Part::Reply((page - 1) * world.posts_per_page() + place),
            (_, None) => Part::Matter,
            (_, Some(number)) => Part::Reply(number),
        }
    }
}

impl Society {
    /// All but what the object itself knows.
    fn said(&self, world: &World, host: &Host, item: &Item, part: Part) -> SaidTruth {
        let (at, sentences, quote) = match part {
            Part::Matter => (item.published, pages::matter(world, host, item), None),
            Part::Reply(number) => (
                world.reply(host, item, number).published,
                self.reply(world, host, item, number),
                self.quote(world, host, item, number),
            ),
        };
        let titled = matches!(part, Part::Matter) || host.kind == HostKind::Forum;
        let heading = titled.then(|| self.heading(host, item));
        let heading = heading.iter().flat_map(|sentence| mentions(sentence, MentionPlace::Title));
        let quoted = quote.iter().flat_map(|quote| mentions(&quote.sentence, MentionPlace::Quote));
        let own = sentences.iter().flat_map(|sentence| mentions(sentence, MentionPlace::Text));
        let opinions: Vec<OpinionTruth> = sentences
            .iter()
            .filter_map(|sentence| sentence.opinion)
            .map(|(entity, polarity)| OpinionTruth { entity, polarity })
            .collect();
        let sum = opinions.iter().map(|opinion| i32::from(opinion.polarity)).sum::<i32>()
            + sentences.iter().map(|sentence| i32::from(sentence.mood)).sum::<i32>();
        SaidTruth {
            url: String::new(),
            site: host.site().to_owned(),
            object: ObjectTruth::default(),
            at,
            language: host.language,
            topic: item.topic,
            mentions: heading.chain(quoted).chain(own).collect(),
            attitude: sum.signum() as i8,
            opinions,
            quote: quote.map(|quote| QuoteTruth {
                author: quote.author.to_owned(),
                anchor: Some(pages::post_anchor(item, quote.number)),
                text: quote.sentence.text,
            }),
            answers: None,
            happening: self.schedule.of_item(host, item.number).map(|(number, _)| number),
            links: Vec::new(),
        }
    }

    fn happening_truth(&self, id: usize, happening: &Happening, pages: Vec<String>) -> HappeningTruth {
        let scene = Scene {
            cast: &self.cast,
            tongue: Tongue::of(happening.language),
            language: happening.language,
            first: happening.first,
            turn: happening.turn,
            topic: happening.topic,
            at: happening.from,
            happening: Some(happening),
            peopled: true,
        };
        let title = Teller::new(scene, Manner::Heading, Dice::new(&[0])).heading().text;
        let second = happening.occasion.title.contains("{q}");
        HappeningTruth {
            id,
            title,
            language: happening.language,
            from: happening.from,
            until: happening.until,
            place: happening.first + PLACE + usize::from(second),
            entities: (happening.first..happening.first + OF_A_CIRCLE).collect(),
            pages,
        }
    }
}

fn mentions(sentence: &Sentence, place: MentionPlace) -> impl Iterator<Item = MentionTruth> {
    sentence.mentions.iter().map(move |(entity, range)| {
        let text = sentence.text.get(range.clone()).unwrap_or_default().to_owned();
        MentionTruth { entity: *entity, text, place }
    })
}

fn entity(id: usize, member: &Member) -> EntityTruth {
    EntityTruth {
        id,
        kind: match member.role {
            Role::Person(_) => EntityKind::Person,
            Role::Organisation(_) => EntityKind::Organisation,
            Role::Place(_) => EntityKind::Place,
        },
        language: member.language,
        name: member.name(0),
        spellings: member.spellings(),
    }
}
