//! Posts of a blog with their comments, in the shape of WordPress's markup.

use super::article::dice;
use super::sheet::Sheet;
use super::told::{self, Text};
use crate::calendar::Moment;
use crate::config::Junk;
use crate::html::{push_escaped, push_number};
use crate::item::{Item, Reply};
use crate::layout::Host;
use crate::route::Route;
use crate::views::{View, month_of, tags_of};
use crate::words::{AUTHORS, topic_name};
use crate::world::World;

/// Bytes of a page beside its text; of a chosen link; and of a comment with its text.
const FRAME: usize = 1_700;
const LINK: usize = 105;
const COMMENT: usize = 750;
const COMMENT_TEXT: usize = 220;

pub(super) fn post(world: &World, host: &Host, item: &Item) -> String {
    let mut sheet = Sheet::new(world, host);
    let mut title = String::new();
    world.push_title(&mut title, host, item);
    sheet.open(&title, Some(Route::Item { item: item.number, page: 1 }));
    sheet.navigation("single single-post");
    sheet.push(
        "<div id=\"page\" class=\"hfeed site\"><div id=\"content\" class=\"site-content\" role=\"main\">\n",
    );
    entry(&mut sheet, item, &title);
    comments(&mut sheet, item);
    sheet.related(&mut dice(world, host, item, 1), item, world.config.links_per_page.div_ceil(2));
    sheet.stray_links(item);
    sheet.push("</div></div>\n");
    sheet.close()
}

fn entry(sheet: &mut Sheet<'_>, item: &Item, title: &str) {
    sheet.push("<article id=\"post-");
    push_number(&mut sheet.out, item.number as u64);
    sheet.push("\" class=\"post type-post status-publish hentry category-");
    sheet.push(topic_name(item.topic));
    sheet.push("\">\n<header class=\"entry-header\"><h1 class=\"entry-title\">");
    push_escaped(&mut sheet.out, title);
    sheet.push("</h1></header>\n<div class=\"entry-content\">\n");
    text(sheet, item);
    sheet.picture(item);
    sheet.push("</div>\n<footer class=\"entry-meta\">Posted on <a href=\"");
    sheet.address(sheet.host, Route::Item { item: item.number, page: 1 });
    sheet.push("\" rel=\"bookmark\"><time class=\"entry-date\" datetime=\"");
    Moment::new(item.published).push_iso(&mut sheet.out);
    sheet.push("\">");
    Moment::new(item.published).push_words(&mut sheet.out);
    sheet.push("</time></a> by <span class=\"author vcard\"><span class=\"fn n\">");
    sheet.push(item.author);
    sheet.push("</span></span></footer>\n");
    if sheet.world.config.junk == Junk::On {
        junk_links(sheet, item);
    }
    sheet.push("</article>\n");
}

fn junk_links(sheet: &mut Sheet<'_>, item: &Item) {
    let person = AUTHORS.iter().position(|author| *author == item.author).unwrap_or(0);
    let views = [
        (View::Print(item.number), "Print"),
        (View::Share(item.number), "Share by mail"),
        (View::CommentFeed(item.number), "Comments feed"),
        (View::Month(month_of(item.published)), "Archive"),
        (View::Category(item.topic), "Category"),
        (View::Profile(person), "All posts by this author"),
        (View::Login, "Log in"),
    ];
    sheet.push("<div class=\"sharedaddy\">");
    for (view, words) in views {
        sheet.link(Route::View(view), words);
        sheet.push(" ");
    }
    for tag in tags_of(item.number) {
        sheet.link(Route::View(View::Tag(tag)), "Tag");
        sheet.push(" ");
    }
    sheet.push("</div>\n");
}

/// The running text alone: the truth compares with it.
pub(super) fn text(sheet: &mut Sheet<'_>, item: &Item) {
    if sheet.world.society.is_some() {
        return told::push(sheet, item, Text::Matter);
    }
    let mut dice = dice(sheet.world, sheet.host, item, 0);
    let bytes = text_bytes(sheet.world, item);
    sheet.body(&mut dice, item, bytes, sheet.world.config.links_per_page / 2);
}

pub(super) fn text_bytes(world: &World, item: &Item) -> usize {
    let around = FRAME + world.config.links_per_page.div_ceil(2) * LINK + item.replies * COMMENT;
    item.bytes.saturating_sub(around)
}

fn comments(sheet: &mut Sheet<'_>, item: &Item) {
    if item.replies == 0 {
        return;
    }
    let replies: Vec<Reply> =
        (0..item.replies).map(|number| sheet.world.reply(sheet.host, item, number)).collect();
    sheet.push("<div id=\"comments\" class=\"comments-area\"><h2 class=\"comments-title\">Comments</h2>\n");
    sheet.push("<ol class=\"commentlist\">\n");
    for reply in replies.iter().filter(|reply| reply.parent.is_none()) {
        comment(sheet, item, &replies, reply, 1);
    }
    sheet.push("</ol></div>\n");
}

/// A comment and, inside it, its answers. Parents come before their answers, so this ends.
fn comment(sheet: &mut Sheet<'_>, item: &Item, replies: &[Reply], reply: &Reply, depth: usize) {
    let id = comment_id(item, reply.number);
    sheet.push("<li class=\"comment depth-");
    push_number(&mut sheet.out, depth as u64);
    sheet.push("\" id=\"comment-");
    push_number(&mut sheet.out, id);
    sheet.push("\"><article class=\"comment-body\"><header class=\"comment-meta\"><cite class=\"fn\">");
    sheet.push(reply.author);
    sheet.push("</cite> <a href=\"");
    sheet.address(sheet.host, Route::Item { item: item.number, page: 1 });
    sheet.push("#comment-");
    push_number(&mut sheet.out, id);
    sheet.push("\"><time datetime=\"");
    Moment::new(reply.published).push_iso(&mut sheet.out);
    sheet.push("\">");
    Moment::new(reply.published).push_blog(&mut sheet.out);
    sheet.push("</time></a></header>\n<section class=\"comment-content\"><p>");
    comment_text(sheet, item, reply.number);
    sheet.push("</p></section>\n");
    if sheet.world.config.junk == Junk::On {
        sheet.push("<div class=\"reply\">");
        sheet.link(Route::View(View::Reply { item: item.number, reply: reply.number }), "Reply");
        sheet.push("</div>\n");
    }
    sheet.push("</article>");
    let answers = || replies.iter().filter(|other| other.parent == Some(reply.number));
    if answers().next().is_some() {
        sheet.push("<ol class=\"children\">\n");
        for answer in answers() {
            comment(sheet, item, replies, answer, depth + 1);
        }
        sheet.push("</ol>");
    }
    sheet.push("</li>\n");
}

pub(super) fn comment_id(item: &Item, reply: usize) -> u64 {
    (item.number * 100 + reply) as u64
}

pub(super) fn comment_text(sheet: &mut Sheet<'_>, item: &Item, reply: usize) {
    if sheet.world.society.is_some() {
        return told::push(sheet, item, Text::Reply(reply));
    }
    let mut dice = dice(sheet.world, sheet.host, item, 100 + reply as u64);
    let bytes = COMMENT_TEXT / 2 + dice.below(COMMENT_TEXT);
    sheet.sentences(&mut dice, item.topic, bytes);
}
