//! Threads of a forum, in the shape of phpBB's markup.

use super::article::dice;
use super::sheet::Sheet;
use super::told::{self, Text};
use crate::calendar::Moment;
use crate::config::Junk;
use crate::html::{push_escaped, push_number};
use crate::item::{Item, Reply};
use crate::layout::Host;
use crate::route::Route;
use crate::views::View;
use crate::words::NICKNAMES;
use crate::world::World;

/// Bytes of a page beside its posts, and of a post beside its text.
const FRAME: usize = 1_400;
const POST: usize = 620;
/// Links inside of posts go to this share of all links: threads link less than articles.
const LINKED_POSTS: usize = 3;

pub(super) fn thread(world: &World, host: &Host, item: &Item, page: usize) -> String {
    let mut sheet = Sheet::new(world, host);
    let mut title = String::new();
    world.push_title(&mut title, host, item);
    sheet.open(&title, Some(Route::Item { item: item.number, page }));
    sheet.navigation("nojs notouch section-viewtopic ltr");
    sheet.push("<div id=\"page-body\" class=\"page-body\">\n<h2 class=\"topic-title\">");
    sheet.link(Route::Item { item: item.number, page: 1 }, &title);
    sheet.push("</h2>\n");
    let list = item.number % host.lists();
    sheet.push("<p class=\"jumpbox-return\">");
    sheet.link(Route::List { list, page: 1 }, "Return to the board");
    sheet.push("</p>\n");
    pages(&mut sheet, item, page);
    let posts = posts_on_page(world, item, page);
    for number in posts {
        post(&mut sheet, item, &title, number);
    }
    sheet.stray_links(item);
    sheet.push("</div>\n");
    sheet.close()
}

pub(super) fn posts_on_page(world: &World, item: &Item, page: usize) -> std::ops::Range<usize> {
    let first = page.saturating_sub(1) * world.posts_per_page();
    first..(first + world.posts_per_page()).min(item.replies)
}

fn pages(sheet: &mut Sheet<'_>, item: &Item, page: usize) {
    let pages = sheet.world.item_pages(sheet.host, item);
    sheet.push("<div class=\"pagination\"><ul>");
    for other in (1..=pages).filter(|other| *other != page) {
        let mut words = String::new();
        push_number(&mut words, other as u64);
        sheet.push("<li>");
        sheet.link(Route::Item { item: item.number, page: other }, &words);
        sheet.push("</li>");
    }
    sheet.push("</ul></div>\n");
}

fn post(sheet: &mut Sheet<'_>, item: &Item, title: &str, number: usize) {
    let reply = sheet.world.reply(sheet.host, item, number);
    let id = post_id(item, number);
    sheet.push("<div id=\"p");
    push_number(&mut sheet.out, id);
    sheet.push(if number.is_multiple_of(2) {
        "\" class=\"post has-profile bg2\">"
    } else {
        "\" class=\"post has-profile bg1\">"
    });
    sheet.push("<div class=\"inner\"><dl class=\"postprofile\"><dt>");
    profile(sheet, &reply);
    sheet.push("</dt></dl>\n<div class=\"postbody\"><h3><a href=\"#p");
    push_number(&mut sheet.out, id);
    sheet.push(if number == 0 { "\">" } else { "\">Re: " });
    push_escaped(&mut sheet.out, title);
    sheet.push("</a></h3>\n<p class=\"author\">by <strong><span class=\"username\">");
    sheet.push(reply.author);
    sheet.push("</span></strong> » <time datetime=\"");
    Moment::new(reply.published).push_iso(&mut sheet.out);
    sheet.push("\">");
    Moment::new(reply.published).push_forum(&mut sheet.out);
    sheet.push("</time></p>\n<div class=\"content\">");
    text(sheet, item, number);
    sheet.push("</div>\n");
    if sheet.world.config.junk == Junk::On {
        junk_links(sheet, item, number);
    }
    sheet.push("</div></div></div>\n");
}

fn profile(sheet: &mut Sheet<'_>, reply: &Reply) {
    let person = NICKNAMES.iter().position(|name| *name == reply.author);
    match (sheet.world.config.junk, person) {
        (Junk::On, Some(person)) => sheet.link(Route::View(View::Profile(person)), reply.author),
        _ => sheet.push(reply.author),
    }
}

fn junk_links(sheet: &mut Sheet<'_>, item: &Item, reply: usize) {
    sheet.push("<ul class=\"post-buttons\"><li>");
    sheet.link(Route::View(View::Reply { item: item.number, reply }), "Quote");
    sheet.push("</li><li>");
    sheet.link(Route::View(View::ByPost { item: item.number, reply }), "Link to post");
    sheet.push("</li><li>");
    sheet.link(Route::View(View::Report { item: item.number, reply }), "Report this post");
    sheet.push("</li>");
    if reply == 0 {
        sheet.push("<li>");
        sheet.link(Route::View(View::Print(item.number)), "Print view");
        sheet.push("</li><li>");
        sheet.link(Route::View(View::Share(item.number)), "E-mail friend");
        sheet.push("</li>");
    }
    sheet.push("</ul>\n");
}

pub(super) fn post_id(item: &Item, reply: usize) -> u64 {
    (item.number * 100 + reply) as u64
}

/// The text of one post: the truth compares with it.
pub(super) fn text(sheet: &mut Sheet<'_>, item: &Item, reply: usize) {
    if sheet.world.society.is_some() {
        return told::push(sheet, item, Text::Reply(reply));
    }
    let world = sheet.world;
    let page = reply / world.posts_per_page() + 1;
    let posts = posts_on_page(world, item, page).len().max(1);
    let bytes = (item.bytes.saturating_sub(FRAME) / posts).saturating_sub(POST);
    let links = if reply.is_multiple_of(LINKED_POSTS) { (world.config.links_per_page / 4).max(1) } else { 0 };
    let mut dice = dice(world, sheet.host, item, 100 + reply as u64);
    sheet.body(&mut dice, item, bytes, links);
}
