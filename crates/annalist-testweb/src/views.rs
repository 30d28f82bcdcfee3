//! Views of the same content that blog and forum software links to: print, reply, share, sort, profiles, archives,
//! sessions. They are junk to an archive. What they show is in `pages/junk.rs`.

use crate::calendar::{Moment, push_two};
use crate::html::push_number;
use crate::layout::{Host, HostKind};
use crate::route::{Route, between, number, numbered, parameter};
use crate::words::{AUTHORS, NICKNAMES, TOPICS, topic_name};
use crate::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Print(usize),
    /// The reply form of a comment or post.
    Reply {
        item: usize,
        reply: usize,
    },
    Share(usize),
    /// The form with which a post of a forum is reported to its moderators.
    Report {
        item: usize,
        reply: usize,
    },
    /// The feed of a post's comments.
    CommentFeed(usize),
    /// A thread by the number of one of its posts.
    ByPost {
        item: usize,
        reply: usize,
    },
    /// A list in another order.
    Sorted {
        list: usize,
        order: usize,
    },
    /// The posts of a month: months since 1970.
    Month(usize),
    Category(usize),
    /// The posts of a blog that have a tag.
    Tag(usize),
    Profile(usize),
    Login,
}

/// Tags that the posts of a blog have.
pub(crate) const TAGS: usize = 30;
/// Ways a list can be sorted.
pub(crate) const ORDERS: usize = 4;
const ORDER_KEYS: [&str; ORDERS] = ["sk=t&sd=a", "sk=a&sd=d", "sk=r&sd=d", "sk=v&sd=a"];

pub(crate) fn push_path(out: &mut String, world: &World, host: &Host, view: View) {
    match view {
        View::Print(item) => item_with(out, world, host, item, "print=1", "view=print"),
        View::Share(item) => item_with(out, world, host, item, "share=mail", "view=email"),
        View::Reply { item, reply } if host.kind == HostKind::Forum => {
            numbered(out, "/posting.php?mode=reply&t=", item, "");
            numbered(out, "&p=", reply, "");
        }
        View::Reply { item, reply } => {
            world.push_path(out, host, Route::Item { item, page: 1 });
            numbered(out, "?replytocom=", reply, "");
        }
        View::CommentFeed(item) => {
            world.push_path(out, host, Route::Item { item, page: 1 });
            out.push_str("feed/");
        }
        View::ByPost { item, reply } => {
            numbered(out, "/viewtopic.php?t=", item, "");
            numbered(out, "&p=", reply, "");
        }
        View::Sorted { list, order } => {
            numbered(out, "/viewforum.php?f=", list + 1, "&");
            out.push_str(ORDER_KEYS.get(order).copied().unwrap_or_default());
        }
        View::Month(month) => {
            numbered(out, "/", 1970 + month / 12, "/");
            push_two(out, (month % 12 + 1) as u64);
            out.push('/');
        }
        View::Category(topic) => {
            out.push_str("/category/");
            out.push_str(topic_name(topic));
            out.push('/');
        }
        View::Tag(tag) => numbered(out, "/tag/word-", tag, "/"),
        View::Report { item, reply } => {
            numbered(out, "/report.php?t=", item, "");
            numbered(out, "&p=", reply, "");
        }
        View::Profile(person) if host.kind == HostKind::Forum => {
            numbered(out, "/memberlist.php?mode=viewprofile&u=", person, "");
        }
        View::Profile(person) => numbered(out, "/author/", person, "/"),
        View::Login if host.kind == HostKind::Forum => out.push_str("/ucp.php?mode=login"),
        View::Login => out.push_str("/wp-login.php"),
    }
}

fn item_with(out: &mut String, world: &World, host: &Host, item: usize, blog: &str, forum: &str) {
    world.push_path(out, host, Route::Item { item, page: 1 });
    if host.kind == HostKind::Forum {
        out.push('&');
        out.push_str(forum);
    } else {
        out.push('?');
        out.push_str(blog);
    }
}

/// The view an address asks for, or none where it is a page of its own or nothing at all.
pub(crate) fn parse(world: &World, host: &Host, path: &str, query: &str) -> Option<View> {
    let view = match host.kind {
        HostKind::Blog => parse_blog(world, host, path, query),
        HostKind::Forum => parse_forum(path, query),
        _ => None,
    }?;
    exists(world, host, view).then_some(view)
}

fn parse_blog(world: &World, host: &Host, path: &str, query: &str) -> Option<View> {
    if path == "/wp-login.php" {
        return Some(View::Login);
    }
    if let Some(person) = between(path, "/author/", "/") {
        return Some(View::Profile(person));
    }
    if let Some(tag) = between(path, "/tag/word-", "/") {
        return Some(View::Tag(tag));
    }
    if let Some(name) = path.strip_prefix("/category/").and_then(|rest| rest.strip_suffix('/')) {
        return (0..TOPICS).find(|topic| topic_name(*topic) == name).map(View::Category);
    }
    if let Some(post) = path.strip_suffix("feed/")
        && let Some(item) = blog_item(world, host, post)
    {
        return Some(View::CommentFeed(item));
    }
    if let Some(month) = month_path(path) {
        return Some(View::Month(month));
    }
    let item = blog_item(world, host, path)?;
    if let Some(reply) = parameter(query, "replytocom").and_then(number) {
        return Some(View::Reply { item, reply });
    }
    parameter(query, "share")
        .map(|_| View::Share(item))
        .or(parameter(query, "print").map(|_| View::Print(item)))
}

/// `/2011/03/`, as months since 1970.
fn month_path(path: &str) -> Option<usize> {
    let (year, month) = path.strip_prefix('/')?.strip_suffix('/')?.split_once('/')?;
    let month = number(month.strip_prefix('0').unwrap_or(month))?;
    (number(year)?.checked_sub(1970)? * 12 + month).checked_sub(1)
}

fn blog_item(world: &World, host: &Host, path: &str) -> Option<usize> {
    let item = number(path.strip_suffix('/')?.rsplit_once('-')?.1)?;
    let mut expected = String::with_capacity(path.len());
    world.push_path(&mut expected, host, Route::Item { item, page: 1 });
    (expected == path).then_some(item)
}

fn parse_forum(path: &str, query: &str) -> Option<View> {
    let item = parameter(query, "t").and_then(number);
    let reply = parameter(query, "p").and_then(number);
    match path {
        "/ucp.php" => Some(View::Login),
        "/memberlist.php" => parameter(query, "u").and_then(number).map(View::Profile),
        "/report.php" => Some(View::Report { item: item?, reply: reply? }),
        "/posting.php" => Some(View::Reply { item: item?, reply: reply? }),
        "/viewtopic.php" => match (parameter(query, "view"), reply) {
            (Some("print"), _) => item.map(View::Print),
            (Some(_), _) => item.map(View::Share),
            (None, Some(reply)) => Some(View::ByPost { item: item?, reply }),
            (None, None) => None,
        },
        "/viewforum.php" => {
            let list = parameter(query, "f").and_then(number)?.checked_sub(1)?;
            let order = ORDER_KEYS.iter().position(|key| query.contains(key))?;
            Some(View::Sorted { list, order })
        }
        _ => None,
    }
}

fn exists(world: &World, host: &Host, view: View) -> bool {
    let has_reply = |item: usize, reply: usize| item < host.items && reply < world.item(host, item).replies;
    match view {
        View::Print(item) | View::Share(item) | View::CommentFeed(item) => item < host.items,
        View::Reply { item, reply } | View::ByPost { item, reply } | View::Report { item, reply } => {
            has_reply(item, reply)
        }
        View::Tag(tag) => tag < TAGS,
        View::Sorted { list, order } => list < host.lists() && order < ORDERS,
        View::Profile(person) if host.kind == HostKind::Forum => person < NICKNAMES.len(),
        View::Profile(person) => person < AUTHORS.len(),
        View::Category(_) | View::Login => true,
        View::Month(month) => (0..host.items).any(|item| month_of(world.item(host, item).published) == month),
    }
}

/// Months since 1970.
pub(crate) fn month_of(seconds: u64) -> usize {
    let moment = Moment::new(seconds);
    ((moment.year - 1970) * 12 + moment.month - 1) as usize
}

/// The id that a forum hangs on its links: one per host, so that it adds no addresses without end.
pub(crate) fn push_session(out: &mut String, host: &Host) {
    out.push_str("sid=");
    push_number(out, 0x5e55_0000 + host.number as u64);
}

/// The three tags of a post.
pub(crate) fn tags_of(item: usize) -> [usize; 3] {
    [item % TAGS, (item * 7 + 3) % TAGS, (item * 13 + 5) % TAGS]
}
