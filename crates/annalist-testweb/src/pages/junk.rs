//! What the views of a blog or forum show: the same content once more, forms, lists in other orders.

use super::sheet::{Anchor, Sheet};
use super::{article, blog, forum, page_response};
use crate::answer::Response;
use crate::item::Item;
use crate::layout::{Host, HostKind};
use crate::views::{View, month_of, tags_of};
use crate::words::{AUTHORS, topic_name};
use crate::world::World;

/// Items that a view lists at most.
const LISTED: usize = 20;

pub(super) fn view(world: &World, host: &Host, view: View) -> Response {
    let mut sheet = Sheet::new(world, host);
    match view {
        View::Print(item) | View::Share(item) => plain(&mut sheet, &world.item(host, item)),
        View::ByPost { item, reply } => {
            let item = world.item(host, item);
            return page_response(
                host,
                forum::thread(world, host, &item, reply / world.posts_per_page() + 1),
            );
        }
        View::CommentFeed(item) => return comment_feed(world, host, &world.item(host, item)),
        View::Reply { item, .. } | View::Report { item, .. } => form(&mut sheet, &world.item(host, item)),
        View::Login => login(&mut sheet),
        View::Sorted { list, .. } => listed(&mut sheet, "Sorted", |item| item.number % host.lists() == list),
        View::Month(month) => listed(&mut sheet, "Archive", |item| month_of(item.published) == month),
        View::Category(topic) => listed(&mut sheet, topic_name(topic), |item| item.topic == topic),
        View::Tag(tag) => listed(&mut sheet, "Tag", |item| tags_of(item.number).contains(&tag)),
        View::Profile(person) => {
            let name = AUTHORS.get(person).copied().unwrap_or_default();
            listed(&mut sheet, "Posts", |item| host.kind == HostKind::Blog && item.author == name);
        }
    }
    page_response(host, sheet.close())
}

/// The content without anything around it.
fn plain(sheet: &mut Sheet<'_>, item: &Item) {
    let mut title = String::new();
    sheet.world.push_title(&mut title, sheet.host, item);
    sheet.open(&title, None);
    sheet.navigation("print");
    sheet.push("<h1>");
    sheet.push(&title);
    sheet.push("</h1>\n");
    match sheet.host.kind {
        HostKind::Blog => blog::text(sheet, item),
        HostKind::Forum => {
            for reply in forum::posts_on_page(sheet.world, item, 1) {
                forum::text(sheet, item, reply);
            }
        }
        _ => article::text(sheet, item),
    }
}

fn form(sheet: &mut Sheet<'_>, item: &Item) {
    sheet.open("Leave a reply", None);
    sheet.navigation("posting");
    sheet.push("<h1>Reply to ");
    sheet.item_link(sheet.host, item, Anchor::Title);
    sheet.push(
        "</h1><form method=\"post\"><textarea name=\"message\"></textarea><input type=\"submit\"></form>\n",
    );
}

fn login(sheet: &mut Sheet<'_>) {
    sheet.open("Log in", None);
    sheet.navigation("login");
    sheet.push(
        "<form method=\"post\"><input name=\"user\"><input name=\"password\" type=\"password\"></form>\n",
    );
}

fn listed(sheet: &mut Sheet<'_>, heading: &str, chosen: impl Fn(&Item) -> bool) {
    sheet.open(heading, None);
    sheet.navigation("archive");
    sheet.push("<h1>");
    sheet.push(heading);
    sheet.push("</h1><ul>\n");
    let items = (0..sheet.host.items).map(|number| sheet.world.item(sheet.host, number));
    for item in items.filter(|item| chosen(item)).take(LISTED) {
        sheet.push("<li>");
        sheet.item_link(sheet.host, &item, Anchor::Title);
        sheet.push("</li>\n");
    }
    sheet.push("</ul>\n");
}

fn comment_feed(world: &World, host: &Host, item: &Item) -> Response {
    let mut sheet = Sheet::new(world, host);
    sheet.push(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel><title>Comments</title>\n",
    );
    for reply in 0..item.replies {
        sheet.push("<item><title>");
        sheet.push(world.reply(host, item, reply).author);
        sheet.push("</title><description>");
        blog::comment_text(&mut sheet, item, reply);
        sheet.push("</description></item>\n");
    }
    sheet.push("</channel></rss>\n");
    Response::new(200, "application/rss+xml; charset=utf-8", sheet.out)
}
