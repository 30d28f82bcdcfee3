//! Pages that lead to others: home pages, sections, boards and blog indexes with their paging. Together they link to
//! every item of their host, and home pages to every host.

use super::page_response;
use super::sheet::Sheet;
use crate::answer::Response;
use crate::calendar::Moment;
use crate::config::Junk;
use crate::dice::Dice;
use crate::html::push_number;
use crate::item::Item;
use crate::layout::{Host, HostKind};
use crate::route::{Route, section};
use crate::views::{ORDERS, View};
use crate::world::World;

/// Bytes of text that a blog's index shows of each post.
const EXCERPT: usize = 200;
/// Page numbers shown on either side of the one a reader is on.
const NEIGHBOURS: usize = 3;

pub(super) fn home(world: &World, host: &Host) -> Response {
    let mut sheet = Sheet::new(world, host);
    sheet.open(host.site(), None);
    sheet.navigation("home");
    sheet.push("<div id=\"main\"><h1>");
    sheet.push(host.site());
    sheet.push("</h1>\n");
    introduction(&mut sheet);
    match host.kind {
        HostKind::Blog => list_content(&mut sheet, 0, 1),
        HostKind::Forum => boards(&mut sheet),
        _ => latest(&mut sheet),
    }
    pictures(&mut sheet);
    partners(&mut sheet);
    sheet.push("</div>\n");
    page_response(host, sheet.close())
}

pub(super) fn list(world: &World, host: &Host, list: usize, page: usize) -> Response {
    let mut sheet = Sheet::new(world, host);
    sheet.open(section(host, list), Some(Route::List { list, page }));
    sheet.navigation(if host.kind == HostKind::Forum { "section-viewforum ltr" } else { "archive" });
    sheet.push("<div id=\"main\"><h1>");
    sheet.push(section(host, list));
    sheet.push("</h1>\n");
    list_content(&mut sheet, list, page);
    if host.kind == HostKind::Forum && world.config.junk == Junk::On {
        sort_links(&mut sheet, list);
    }
    sheet.push("</div>\n");
    page_response(host, sheet.close())
}

fn introduction(sheet: &mut Sheet<'_>) {
    let mut dice = Dice::new(&[sheet.world.config.seed, 0x1470, sheet.host.number as u64]);
    sheet.push("<p class=\"intro\">");
    sheet.sentences(&mut dice, sheet.host.topic, 300);
    sheet.push("</p>\n");
}

/// The items of a list's page, and its pager.
fn list_content(sheet: &mut Sheet<'_>, list: usize, page: usize) {
    let host = sheet.host;
    let per_page = host.items_per_list_page();
    let first = page.saturating_sub(1) * per_page;
    sheet.push(if host.kind == HostKind::Forum {
        "<ul class=\"topiclist topics\">\n"
    } else {
        "<ul class=\"items\">\n"
    });
    for position in first..(first + per_page).min(host.list_length(list)) {
        let item = sheet.world.item(host, position * host.lists() + list);
        entry(sheet, &item);
    }
    sheet.push("</ul>\n");
    pager(sheet, list, page);
}

fn entry(sheet: &mut Sheet<'_>, item: &Item) {
    match sheet.host.kind {
        HostKind::Blog => {
            sheet.push("<li class=\"hentry\"><h2 class=\"entry-title\">");
            sheet.listed_link(item);
            sheet.push("</h2><div class=\"entry-summary\"><p>");
            let mut dice = super::article::dice(sheet.world, sheet.host, item, 0);
            sheet.sentences(&mut dice, item.topic, EXCERPT);
            sheet.push("</p></div>");
        }
        HostKind::Forum => {
            sheet.push("<li class=\"row\"><dl><dt>");
            sheet.listed_link(item);
            sheet.push("</dt><dd class=\"posts\">");
            push_number(&mut sheet.out, item.replies as u64);
            sheet.push("</dd></dl>");
        }
        _ => {
            sheet.push("<li class=\"teaser\">");
            sheet.listed_link(item);
        }
    }
    sheet.push(" <time datetime=\"");
    Moment::new(item.published).push_iso(&mut sheet.out);
    sheet.push("\">");
    Moment::new(item.published).push_words(&mut sheet.out);
    sheet.push("</time></li>\n");
}

/// First, last, and the pages around this one: enough to reach them all.
fn pager(sheet: &mut Sheet<'_>, list: usize, page: usize) {
    let pages = sheet.host.list_pages(list);
    if pages < 2 {
        return;
    }
    sheet.push("<div class=\"pagination\">");
    for other in 1..=pages {
        let shown = other == 1 || other == pages || other.abs_diff(page) <= NEIGHBOURS;
        if !shown || other == page {
            continue;
        }
        let mut words = String::new();
        push_number(&mut words, other as u64);
        sheet.link(Route::List { list, page: other }, &words);
        sheet.push(" ");
    }
    sheet.push("</div>\n");
}

fn boards(sheet: &mut Sheet<'_>) {
    sheet.push("<ul class=\"topiclist forums\">\n");
    for list in 0..sheet.host.lists() {
        sheet.push("<li class=\"row\">");
        sheet.link(Route::List { list, page: 1 }, section(sheet.host, list));
        sheet.push("</li>\n");
    }
    sheet.push("</ul>\n");
    if sheet.world.config.junk == Junk::On {
        sheet.link(Route::View(View::Login), "Login");
    }
}

fn latest(sheet: &mut Sheet<'_>) {
    sheet.push("<ul class=\"latest\">\n");
    for number in 0..sheet.host.items.min(12) {
        let item = sheet.world.item(sheet.host, number);
        entry(sheet, &item);
    }
    sheet.push("</ul>\n");
}

fn sort_links(sheet: &mut Sheet<'_>, list: usize) {
    sheet.push("<div class=\"sort\">");
    for order in 0..ORDERS {
        sheet.link(Route::View(View::Sorted { list, order }), "Sort");
        sheet.push(" ");
    }
    sheet.push("</div>\n");
}

/// Every picture of the host, so that each is found; two of them in a srcset.
fn pictures(sheet: &mut Sheet<'_>) {
    for image in 0..sheet.host.images {
        sheet.push("<img alt=\"picture\" src=\"");
        sheet.address(sheet.host, Route::Image(image));
        if image == 0 && sheet.host.images > 1 {
            sheet.push("\" srcset=\"");
            sheet.address(sheet.host, Route::Image(0));
            sheet.push(" 1x, ");
            sheet.address(sheet.host, Route::Image(1));
            sheet.push(" 2x");
        }
        sheet.push("\">\n");
    }
}

fn partners(sheet: &mut Sheet<'_>) {
    let children = sheet.world.layout.children(sheet.host);
    if children.is_empty() {
        return;
    }
    sheet.push("<ul class=\"blogroll\">\n");
    for child in children {
        sheet.push("<li><a href=\"");
        sheet.address(child, Route::Home);
        sheet.push("\">");
        sheet.push(section(child, 0));
        sheet.push(" at ");
        sheet.push(&child.name);
        sheet.push("</a></li>\n");
    }
    sheet.push("</ul>\n");
}
