//! The whole web as one value: a request goes in, an answer comes out, and nothing is remembered. Sockets, delays
//! and logs are in `server/`.

use bytes::Bytes;

use crate::answer::{Answer, Breakage, Compression, End, Framing, Request, Response};
use crate::calendar::Moment;
use crate::config::WorldConfig;
use crate::dice::Dice;
use crate::hazards::{self, Hazard};
use crate::item::Item;
use crate::layout::{Host, HostKind, Layout};
use crate::pages;
use crate::prose::Prose;
use crate::route::Route;
use crate::society::Society;
use crate::truth::Truth;

/// A synthetic web. Its tables hold hosts and sentences, never pages.
pub struct World {
    pub(crate) config: WorldConfig,
    pub(crate) layout: Layout,
    pub(crate) prose: Prose,
    /// Made beforehand, so that nobody waits for it later; empty in worlds without bombs.
    pub(crate) bomb: Bytes,
    pub(crate) society: Option<Society>,
}

impl World {
    pub fn new(config: WorldConfig) -> World {
        let layout = Layout::new(&config);
        let prose = Prose::new(config.seed);
        let bombs = config.hazards.contains(&Hazard::Bomb);
        let bomb = if bombs { hazards::make_bomb() } else { Bytes::new() };
        let society = config.society.then(|| Society::new(config.seed, &layout));
        World { config, layout, prose, bomb, society }
    }

    pub fn config(&self) -> &WorldConfig {
        &self.config
    }

    /// All hosts, healthy ones first.
    pub fn hosts(&self) -> &[Host] {
        &self.layout.hosts
    }

    /// The host of a name, with or without port.
    pub fn host(&self, name: &str) -> Option<&Host> {
        self.layout.find(name)
    }

    /// Where a crawl starts: some healthy home pages, which lead to all others, and every hazard host's.
    pub fn seeds(&self) -> Vec<String> {
        let healthy = self.layout.hosts.iter().take(self.layout.seeds);
        let hazards = self.layout.hosts.iter().skip(self.layout.healthy);
        healthy.chain(hazards).map(|host| format!("http://{}/", host.name)).collect()
    }

    pub fn truth(&self) -> Truth<'_> {
        Truth::new(self)
    }

    /// What the web answers. Equal requests get equal answers.
    pub fn answer(&self, request: &Request<'_>) -> Answer {
        let Some(host) = self.layout.find(request.host) else {
            return Response::new(400, "text/plain", "no such host\n").into();
        };
        if let HostKind::Hazard(hazard) = host.kind {
            return hazards::answer(self, host, hazard, request);
        }
        let Some(route) = self.route(host, request.target) else {
            return pages::missing(host).into();
        };
        if let Some(failure) = self.first_failure(host, route, request) {
            return failure;
        }
        let response = pages::answer(self, host, route);
        self.dress(host, route, request, response).into()
    }

    /// Flaky hosts fail for a quarter of their items, and recover.
    fn first_failure(&self, host: &Host, route: Route, request: &Request<'_>) -> Option<Answer> {
        let Route::Item { item, .. } = route else { return None };
        if !host.flaky {
            return None;
        }
        let mut dice = Dice::new(&[self.config.seed, 0xf1a4, host.number as u64, item as u64]);
        match (dice.below(8), request.attempt) {
            (0, 0..2) => {
                Some(Response::new(503, "text/plain", "overloaded\n").with("Retry-After", "1").into())
            }
            (1, 0) => Some(Answer::Broken(Breakage::Bytes { bytes: Vec::new(), end: End::Reset })),
            _ => None,
        }
    }

    /// What a web server adds to a page: validators, compression, framing.
    fn dress(&self, host: &Host, route: Route, request: &Request<'_>, response: Response) -> Response {
        if response.status != 200 {
            return response;
        }
        let modified = match route {
            Route::Item { item, .. } | Route::Duplicate(item) => self.item(host, item).published,
            _ => 1_388_534_400,
        };
        let (tag, date) = validators(host, route, modified);
        if request.if_none_match == Some(tag.as_str())
            || (request.if_none_match.is_none() && request.if_modified_since == Some(date.as_str()))
        {
            return Response { status: 304, ..Response::default() }.with("ETag", &tag);
        }
        let mut response = response.with("Last-Modified", &date).with("ETag", &tag);
        if is_text(route) {
            if host.gzip && request.compression == Compression::Gzip {
                response.body = gzip(&response.body);
                response = response.with("Content-Encoding", "gzip").with("Vary", "Accept-Encoding");
            }
            if Dice::new(&[self.config.seed, 0xc409, tag_key(host, route)]).chance(self.config.chunked) {
                response.framing = Framing::Chunked;
            }
        }
        response
    }

    /// A link from a page to another: most stay with the topic, many on the host.
    pub(crate) fn choose_link(&self, dice: &mut Dice, host: &Host, item: &Item) -> (&Host, usize) {
        let topical = dice.chance(self.config.topical_locality);
        let near = dice.below(2) == 0 && host.items > 1;
        let other = match (near, topical) {
            (true, _) => host.number,
            (false, true) => dice.pick(self.layout.of_topic(item.topic)).copied().unwrap_or(host.number),
            (false, false) => dice.below(self.layout.healthy),
        };
        let target = self.layout.hosts.get(other).unwrap_or(&self.layout.hosts[0]);
        let mut number = dice.below(target.items);
        // A few tries to stay with the topic: hosts have pages of other topics too.
        for _ in 0..3 {
            if !topical || self.item_topic(target, number) == item.topic {
                break;
            }
            number = dice.below(target.items);
        }
        (target, number)
    }
}

fn is_text(route: Route) -> bool {
    !matches!(route, Route::Image(_) | Route::Icon | Route::SitemapPart(_))
}

fn tag_key(host: &Host, route: Route) -> u64 {
    let (kind, number, page) = match route {
        Route::Home => (0, 0, 0),
        Route::List { list, page } => (1, list, page),
        Route::Item { item, page } => (2, item, page),
        Route::Duplicate(item) => (3, item, 0),
        Route::Detour { item, hops } => (4, item, hops),
        Route::Feed => (5, 0, 0),
        Route::Style => (6, 0, 0),
        Route::Icon => (7, 0, 0),
        Route::Image(image) => (8, image, 0),
        Route::Robots => (9, 0, 0),
        Route::Sitemap => (10, 0, 0),
        Route::SitemapPart(part) => (11, part, 0),
        Route::View(_) => (12, 0, 0),
    };
    Dice::new(&[host.number as u64, kind, number as u64, page as u64]).next()
}

fn validators(host: &Host, route: Route, modified: u64) -> (String, String) {
    let tag = format!("\"{:x}\"", tag_key(host, route));
    let mut date = String::with_capacity(29);
    Moment::new(modified).push_http(&mut date);
    (tag, date)
}

/// The fastest level that compresses: the server shares its cores with the crawler that is measured.
const LEVEL: i32 = 1;

pub(crate) fn gzip(body: &[u8]) -> Bytes {
    let mut compressor =
        libdeflater::Compressor::new(libdeflater::CompressionLvl::new(LEVEL).unwrap_or_default());
    let mut packed = vec![0; compressor.gzip_compress_bound(body.len())];
    // The bound makes room for every outcome; an empty body is what a failure would leave.
    let length = compressor.gzip_compress(body, &mut packed).unwrap_or(0);
    packed.truncate(length);
    Bytes::from(packed)
}
