//! Sitemaps: all items that robots.txt allows, in one file or as an index of parts.

use super::feed::push_item_url;
use crate::answer::Response;
use crate::calendar::Moment;
use crate::layout::{Host, SitemapKind};
use crate::route::{Route, SITEMAP_PART};
use crate::world::{World, gzip};

const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

pub(super) fn sitemap(world: &World, host: &Host) -> Response {
    let xml = match host.sitemap {
        SitemapKind::Index => index(world, host),
        SitemapKind::Single | SitemapKind::Absent => urls(world, host, 0..host.items),
    };
    Response::new(200, "application/xml", xml)
}

/// Every second part is a gzip file, as its name says.
pub(super) fn part(world: &World, host: &Host, part: usize) -> Response {
    let first = part * SITEMAP_PART;
    let xml = urls(world, host, first..(first + SITEMAP_PART).min(host.items));
    if part.is_multiple_of(2) {
        Response::new(200, "application/xml", xml)
    } else {
        Response::new(200, "application/gzip", gzip(xml.as_bytes()))
    }
}

fn index(world: &World, host: &Host) -> String {
    let mut xml =
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"{NAMESPACE}\">\n");
    for part in 0..host.items.div_ceil(SITEMAP_PART) {
        xml.push_str("<sitemap><loc>http://");
        xml.push_str(&host.name);
        world.push_path(&mut xml, host, Route::SitemapPart(part));
        xml.push_str("</loc></sitemap>\n");
    }
    xml.push_str("</sitemapindex>\n");
    xml
}

fn urls(world: &World, host: &Host, items: std::ops::Range<usize>) -> String {
    let mut xml = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"{NAMESPACE}\">\n");
    for number in items {
        let item = world.item(host, number);
        if item.forbidden {
            continue;
        }
        xml.push_str("<url><loc>");
        push_item_url(&mut xml, world, host, &item);
        xml.push_str("</loc><lastmod>");
        Moment::new(item.published).push_iso(&mut xml);
        xml.push_str("</lastmod></url>\n");
    }
    xml.push_str("</urlset>\n");
    xml
}
