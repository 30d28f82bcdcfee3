//! Articles of a news host, with the data that news pages carry for machines.

use super::sheet::Sheet;
use super::told::{self, Text};
use crate::calendar::Moment;
use crate::dice::Dice;
use crate::html::push_escaped;
use crate::item::Item;
use crate::layout::Host;
use crate::route::Route;
use crate::world::World;

/// Bytes of a page beside its text and chosen links, and of one link beside its place in the text.
const FRAME: usize = 1_550;
const LINK: usize = 105;

pub(super) fn article(world: &World, host: &Host, item: &Item) -> String {
    let mut sheet = Sheet::new(world, host);
    let mut title = String::new();
    world.push_title(&mut title, host, item);
    sheet.open(&title, Some(Route::Item { item: item.number, page: 1 }));
    machine_data(&mut sheet, item, &title);
    sheet.navigation("article");
    sheet.push("<div id=\"main\"><article>\n<h1 class=\"headline\">");
    push_escaped(&mut sheet.out, &title);
    sheet.push("</h1>\n<p class=\"byline\">By <span class=\"author\">");
    sheet.push(item.author);
    sheet.push("</span>, <time datetime=\"");
    Moment::new(item.published).push_iso(&mut sheet.out);
    sheet.push("\">");
    Moment::new(item.published).push_words(&mut sheet.out);
    sheet.push("</time></p>\n<div class=\"body\">\n");
    text(&mut sheet, item);
    sheet.push("</div>\n");
    sheet.picture(item);
    sheet.push("</article>\n");
    sheet.related(&mut dice(world, host, item, 1), item, world.config.links_per_page.div_ceil(2));
    sheet.stray_links(item);
    sheet.push("</div>\n");
    sheet.close()
}

/// The running text alone: the truth compares with it.
pub(super) fn text(sheet: &mut Sheet<'_>, item: &Item) {
    if sheet.world.society.is_some() {
        return told::push(sheet, item, Text::Matter);
    }
    let config = &sheet.world.config;
    let bytes = text_bytes(sheet.world, item);
    let mut dice = dice(sheet.world, sheet.host, item, 0);
    sheet.body(&mut dice, item, bytes, config.links_per_page / 2);
}

pub(super) fn text_bytes(world: &World, item: &Item) -> usize {
    item.bytes.saturating_sub(FRAME + world.config.links_per_page.div_ceil(2) * LINK)
}

pub(super) fn dice(world: &World, host: &Host, item: &Item, part: u64) -> Dice {
    Dice::new(&[world.config.seed, 0xb0d7, host.number as u64, item.number as u64, part])
}

/// Open Graph on half of the hosts, JSON-LD on the others.
fn machine_data(sheet: &mut Sheet<'_>, item: &Item, title: &str) {
    let mut date = String::with_capacity(25);
    Moment::new(item.published).push_iso(&mut date);
    if sheet.host.number.is_multiple_of(2) {
        for (property, content) in [
            ("og:type", "article"),
            ("og:title", title),
            ("article:published_time", &date),
            ("article:author", item.author),
        ] {
            sheet.push("<meta property=\"");
            sheet.push(property);
            sheet.push("\" content=\"");
            sheet.push(content);
            sheet.push("\">\n");
        }
    } else {
        sheet.push("<script type=\"application/ld+json\">{\"@context\":\"http://schema.org\",\"@type\":\"NewsArticle\",");
        sheet.push("\"headline\":\"");
        sheet.push(title);
        sheet.push("\",\"datePublished\":\"");
        sheet.push(&date);
        sheet.push("\",\"author\":{\"@type\":\"Person\",\"name\":\"");
        sheet.push(item.author);
        sheet.push("\"}}</script>\n");
    }
}
