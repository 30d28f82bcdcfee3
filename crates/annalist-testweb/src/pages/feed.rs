//! Feeds of a host's newest items: RSS with CDATA, or Atom.

use crate::answer::Response;
use crate::calendar::Moment;
use crate::html::push_escaped;
use crate::item::Item;
use crate::layout::{FeedKind, Host, HostKind};
use crate::prose::Prose;
use crate::route::Route;
use crate::world::World;

/// Items in a feed.
const NEWEST: usize = 10;
const SUMMARY_BYTES: usize = 180;

pub(super) fn feed(world: &World, host: &Host) -> Response {
    let items = (0..host.items.min(NEWEST)).map(|number| world.item(host, number));
    match (host.kind, host.feed) {
        (HostKind::Blog, _) | (HostKind::News, FeedKind::Rss) => rss(world, host, items),
        _ => atom(world, host, items),
    }
}

fn rss(world: &World, host: &Host, items: impl Iterator<Item = Item>) -> Response {
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" \
         xmlns:content=\"http://purl.org/rss/1.0/modules/content/\"><channel><title>{0}</title>\
         <link>http://{1}/</link><description>{0}</description>\n",
        host.site(),
        host.name
    );
    for item in items {
        xml.push_str("<item><title>");
        world.push_title(&mut xml, host, &item);
        xml.push_str("</title><link>");
        push_item_url(&mut xml, world, host, &item);
        xml.push_str("</link><guid isPermaLink=\"true\">");
        push_item_url(&mut xml, world, host, &item);
        xml.push_str("</guid><pubDate>");
        Moment::new(item.published).push_http(&mut xml);
        xml.push_str("</pubDate><content:encoded><![CDATA[<p>");
        push_summary(&mut xml, &world.prose, world, host, &item);
        xml.push_str("<a href=\"");
        push_item_url(&mut xml, world, host, &item);
        xml.push_str("\">more</a></p>]]></content:encoded></item>\n");
    }
    xml.push_str("</channel></rss>\n");
    Response::new(200, "application/rss+xml; charset=utf-8", xml)
}

fn atom(world: &World, host: &Host, items: impl Iterator<Item = Item>) -> Response {
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\
         <title>{}</title><id>http://{1}/</id><link href=\"http://{1}/\"/>\n",
        host.site(),
        host.name
    );
    for item in items {
        xml.push_str("<entry><title>");
        world.push_title(&mut xml, host, &item);
        xml.push_str("</title><link rel=\"alternate\" href=\"");
        push_item_url(&mut xml, world, host, &item);
        xml.push_str("\"/><id>");
        push_item_url(&mut xml, world, host, &item);
        xml.push_str("</id><updated>");
        Moment::new(item.published).push_iso(&mut xml);
        xml.push_str("</updated><author><name>");
        xml.push_str(item.author);
        xml.push_str("</name></author><summary>");
        push_summary(&mut xml, &world.prose, world, host, &item);
        xml.push_str("</summary></entry>\n");
    }
    xml.push_str("</feed>\n");
    Response::new(200, "application/atom+xml", xml)
}

pub(super) fn push_item_url(xml: &mut String, world: &World, host: &Host, item: &Item) {
    let mut url = format!("http://{}", host.name);
    world.push_path(&mut url, host, Route::Item { item: item.number, page: 1 });
    push_escaped(xml, &url);
}

fn push_summary(xml: &mut String, prose: &Prose, world: &World, host: &Host, item: &Item) {
    let mut dice = super::article::dice(world, host, item, 0);
    if let Some(society) = &world.society {
        xml.push_str(&society.neutral(&mut dice, item.topic, host.language, SUMMARY_BYTES));
        return;
    }
    xml.push_str(prose.passage(&mut dice, item.topic, host.language, SUMMARY_BYTES));
}
