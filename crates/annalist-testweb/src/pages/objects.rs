//! The posts and comments that a page holds, as an extractor should find them.

use super::sheet::Sheet;
use super::{article, blog, forum};
use crate::calendar::Moment;
use crate::html::plain_text;
use crate::item::Item;
use crate::layout::{Host, HostKind};
use crate::route::numbered;
use crate::truth::{ObjectKind, ObjectTruth};
use crate::world::World;

pub(crate) fn objects(world: &World, host: &Host, item: &Item, page: usize) -> Vec<ObjectTruth> {
    match host.kind {
        HostKind::Forum => forum::posts_on_page(world, item, page)
            .map(|number| forum_post(world, host, item, number))
            .collect(),
        HostKind::Blog => {
            let comments = (0..item.replies).map(|number| comment(world, host, item, number));
            std::iter::once(first(world, host, item, blog::text)).chain(comments).collect()
        }
        HostKind::News | HostKind::Hazard(_) => vec![first(world, host, item, article::text)],
    }
}

/// The article or post itself.
fn first(world: &World, host: &Host, item: &Item, write: fn(&mut Sheet<'_>, &Item)) -> ObjectTruth {
    let mut title = String::new();
    world.push_title(&mut title, host, item);
    ObjectTruth {
        kind: ObjectKind::Post,
        anchor: None,
        author: item.author.to_owned(),
        published: iso(item.published),
        title: Some(title),
        text: written(world, host, |sheet| write(sheet, item)),
        parent: None,
    }
}

fn comment(world: &World, host: &Host, item: &Item, number: usize) -> ObjectTruth {
    let reply = world.reply(host, item, number);
    let anchor = |number| fragment("comment-", blog::comment_id(item, number));
    ObjectTruth {
        kind: ObjectKind::Comment,
        anchor: Some(anchor(number)),
        author: reply.author.to_owned(),
        published: iso(reply.published),
        title: None,
        text: written(world, host, |sheet| blog::comment_text(sheet, item, number)),
        parent: reply.parent.map(anchor),
    }
}

fn forum_post(world: &World, host: &Host, item: &Item, number: usize) -> ObjectTruth {
    let reply = world.reply(host, item, number);
    let mut title = String::from(if number == 0 { "" } else { "Re: " });
    world.push_title(&mut title, host, item);
    ObjectTruth {
        kind: ObjectKind::Post,
        anchor: Some(post_anchor(item, number)),
        author: reply.author.to_owned(),
        published: iso(reply.published),
        title: Some(title),
        text: written(world, host, |sheet| forum::text(sheet, item, number)),
        parent: None,
    }
}

pub(crate) fn post_anchor(item: &Item, number: usize) -> String {
    fragment("p", forum::post_id(item, number))
}

fn written(world: &World, host: &Host, write: impl FnOnce(&mut Sheet<'_>)) -> String {
    let mut sheet = Sheet::new(world, host);
    write(&mut sheet);
    plain_text(&sheet.out)
}

fn fragment(prefix: &str, id: u64) -> String {
    let mut anchor = String::new();
    numbered(&mut anchor, prefix, id as usize, "");
    anchor
}

fn iso(seconds: u64) -> String {
    let mut date = String::with_capacity(25);
    Moment::new(seconds).push_iso(&mut date);
    date
}
