//! What stands under each route of a healthy host. Hazard hosts are in `hazards/`.

mod article;
mod blog;
mod feed;
mod forum;
mod images;
mod junk;
mod list;
mod objects;
mod robots;
mod sheet;
mod sitemap;
mod told;

pub(crate) use objects::{objects, post_anchor};
pub(crate) use told::{matter, text_links};

use crate::answer::Response;
use crate::layout::{Host, HostKind};
use crate::route::Route;
use crate::world::World;

pub(crate) fn answer(world: &World, host: &Host, route: Route) -> Response {
    match route {
        Route::Home => list::home(world, host),
        Route::List { list, page } => list::list(world, host, list, page),
        Route::Item { item, page } => item_page(world, host, item, page),
        Route::Duplicate(item) => item_page(world, host, item, 1),
        Route::Detour { item, hops } => detour(world, host, item, hops),
        Route::Feed => feed::feed(world, host),
        Route::Style => style(world, host),
        Route::Icon => images::icon(host),
        Route::Image(image) => match &world.society {
            Some(society) => society.picture(host, image),
            None => images::image(host, image),
        },
        Route::Robots => robots::robots(host),
        Route::Sitemap => sitemap::sitemap(world, host),
        Route::SitemapPart(part) => sitemap::part(world, host, part),
        Route::View(view) => junk::view(world, host, view),
    }
}

pub(crate) fn missing(host: &Host) -> Response {
    let body = format!(
        "<!DOCTYPE html><html><head><title>Not found</title></head><body><h1>Not found</h1>\
         <p>This page is not on {}. <a href=\"/\">Home</a></p></body></html>",
        host.name
    );
    Response { status: 404, ..Response::html(body) }
}

fn item_page(world: &World, host: &Host, item: usize, page: usize) -> Response {
    let item = world.item(host, item);
    let markup = match host.kind {
        HostKind::Blog => blog::post(world, host, &item),
        HostKind::Forum => forum::thread(world, host, &item, page),
        HostKind::News | HostKind::Hazard(_) => article::article(world, host, &item),
    };
    page_response(host, markup)
}

/// A page in the host's charset.
fn page_response(host: &Host, markup: String) -> Response {
    Response::new(200, host.charset.content_type(), host.charset.encode(markup))
}

fn detour(world: &World, host: &Host, item: usize, hops: usize) -> Response {
    let status = world.item(host, item).detour.map_or(302, |detour| detour.status);
    let next = match hops {
        0 | 1 => Route::Item { item, page: 1 },
        more => Route::Detour { item, hops: more - 1 },
    };
    let mut location = format!("http://{}", host.name);
    world.push_path(&mut location, host, next);
    Response::redirect(status, &location)
}

fn style(world: &World, host: &Host) -> Response {
    let mut css =
        String::from("@charset \"utf-8\";\nbody { margin: 0 auto; max-width: 60em; font-family: serif }\n");
    for image in 0..host.images {
        css.push_str(".picture { background: url(\"");
        world.push_path(&mut css, host, Route::Image(image));
        css.push_str("\") no-repeat }\n");
    }
    css.push_str("a:hover { text-decoration: underline }\n");
    Response::new(200, "text/css", css)
}
