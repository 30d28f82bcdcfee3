//! Which attributes of which elements name addresses, and what kind of link each makes. Resolving and joining
//! them is done in `found.rs`; style sheets are read in `css.rs`, candidate lists in `srcset.rs`.

use annalist_model::LinkKind;

use crate::found::Mention;
use crate::tree::{Element, LocalName, Vocabulary, local_name};
use crate::{css, srcset};

/// Attributes in which pages keep an image's address until it is scrolled to.
const LAZY_SOURCES: [&str; 9] = [
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-lazy",
    "data-hi-res-src",
    "data-full-src",
    "data-bg",
    "data-background-image",
    "data-poster",
];
const LAZY_SRCSETS: [&str; 3] = ["data-srcset", "data-lazy-srcset", "data-original-set"];

/// Calls `each` with every address the element's own attributes name.
pub(crate) fn mentions(element: &Element<'_>, mut each: impl FnMut(Mention<'_>)) {
    match element.vocabulary() {
        Vocabulary::Html => html_mentions(element, &mut each),
        Vocabulary::Svg => svg_mentions(element, &mut each),
        Vocabulary::Other => {}
    }
    for (name, value) in element.attributes() {
        match *name {
            local_name!("style") => style_mentions(value, &mut each),
            local_name!("background") => each(Mention::new(value, LinkKind::Image)),
            ref name if name.starts_with("data-") => lazy_mentions(element, name, value, &mut each),
            _ => {}
        }
    }
}

/// Addresses in a style sheet or `style` attribute.
pub(crate) fn style_mentions(css: &str, each: &mut impl FnMut(Mention<'_>)) {
    // Nearly every style names none: this is much quicker than reading it.
    if !css.contains('(') && !css.contains('@') {
        return;
    }
    for (usage, url) in css::urls(css) {
        let kind = match usage {
            css::Use::Import => LinkKind::Style,
            css::Use::Url => LinkKind::CssUrl,
        };
        each(Mention::new(&url, kind));
    }
}

fn html_mentions(element: &Element<'_>, each: &mut impl FnMut(Mention<'_>)) {
    let mut attribute = |name: &str, kind: LinkKind| {
        if let Some(raw) = element.attribute(name) {
            each(Mention::new(raw, kind));
        }
    };
    match *element.name() {
        local_name!("a") => clickable(element, LinkKind::Anchor, each),
        local_name!("area") => clickable(element, LinkKind::Area, each),
        local_name!("link") => {
            let relation = Relation::of(element);
            if let (Some(raw), Some(kind)) = (element.attribute("href"), relation.kind()) {
                each(Mention::new(raw, kind));
            }
            if let (Some(set), Some(LinkKind::Image)) = (element.attribute("imagesrcset"), relation.kind()) {
                candidates(set, each);
            }
        }
        local_name!("img") => {
            attribute("src", LinkKind::Image);
            attribute("lowsrc", LinkKind::Image);
            source_set(element, each);
        }
        local_name!("source") => {
            let in_picture = element.attribute("srcset").is_some();
            attribute("src", if in_picture { LinkKind::Image } else { LinkKind::Media });
            source_set(element, each);
        }
        local_name!("video") => {
            attribute("src", LinkKind::Media);
            attribute("poster", LinkKind::Image);
        }
        local_name!("audio") | local_name!("track") | local_name!("embed") | local_name!("bgsound") => {
            attribute("src", LinkKind::Media);
        }
        local_name!("object") => attribute("data", LinkKind::Media),
        local_name!("applet") => {
            attribute("code", LinkKind::Media);
            attribute("archive", LinkKind::Media);
        }
        local_name!("input") if is(element, "type", "image") => attribute("src", LinkKind::Image),
        local_name!("script") => attribute("src", LinkKind::Script),
        local_name!("iframe") | local_name!("frame") => attribute("src", LinkKind::Frame),
        local_name!("meta") if is(element, "http-equiv", "refresh") => {
            if let Some(raw) = element.attribute("content").and_then(refresh_target) {
                each(Mention::new(raw, LinkKind::MetaRefresh));
            }
        }
        _ => {}
    }
}

fn svg_mentions(element: &Element<'_>, each: &mut impl FnMut(Mention<'_>)) {
    let kind = match &**element.name() {
        "a" => return clickable(element, LinkKind::Anchor, each),
        "image" | "feImage" => LinkKind::Image,
        "use" => LinkKind::Media,
        "script" => LinkKind::Script,
        _ => return,
    };
    if let Some(raw) = element.attribute("href").or_else(|| element.attribute("xlink:href")) {
        each(Mention::new(raw, kind));
    }
}

fn clickable(element: &Element<'_>, kind: LinkKind, each: &mut impl FnMut(Mention<'_>)) {
    if let Some(raw) = element.attribute("href") {
        each(Mention { raw, kind, nofollow: asks_nofollow(element.attribute("rel")) });
    }
}

fn source_set(element: &Element<'_>, each: &mut impl FnMut(Mention<'_>)) {
    if let Some(set) = element.attribute("srcset") {
        candidates(set, each);
    }
}

fn candidates(set: &str, each: &mut impl FnMut(Mention<'_>)) {
    for raw in srcset::candidates(set) {
        each(Mention::new(raw, LinkKind::Image));
    }
}

fn lazy_mentions(element: &Element<'_>, name: &LocalName, value: &str, each: &mut impl FnMut(Mention<'_>)) {
    if LAZY_SRCSETS.contains(&&**name) {
        candidates(value, each);
    } else if LAZY_SOURCES.contains(&&**name) {
        let kind = match *element.name() {
            local_name!("iframe") => LinkKind::Frame,
            local_name!("video") | local_name!("audio") if &**name == "data-src" => LinkKind::Media,
            local_name!("script") => LinkKind::Script,
            _ => LinkKind::Image,
        };
        if value.trim_ascii_start().starts_with("url(") {
            style_mentions(value, each);
        } else if looks_like_address(value) {
            each(Mention::new(value, kind));
        }
    }
}

/// Scripts keep other things in attributes of these names, too: `true`, `3`, JSON.
fn looks_like_address(value: &str) -> bool {
    value.contains(['/', '.']) && !value.trim_ascii().contains([' ', '{', '[', '<'])
}

fn is(element: &Element<'_>, attribute: &str, value: &str) -> bool {
    element.attribute(attribute).is_some_and(|found| found.trim_ascii().eq_ignore_ascii_case(value))
}

fn asks_nofollow(rel: Option<&str>) -> bool {
    rel.is_some_and(|rel| {
        rel.split_ascii_whitespace()
            .any(|word| ["nofollow", "ugc", "sponsored"].iter().any(|asks| word.eq_ignore_ascii_case(asks)))
    })
}

/// What a `<link>` or a Link header relates to, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relation<'e> {
    pub(crate) rel: &'e str,
    /// The `as` attribute of a preload.
    pub(crate) destination: &'e str,
}

/// Relations that are hints to browsers, or endpoints for programs: nothing an archive would show.
const IGNORED_RELATIONS: [&str; 12] = [
    "dns-prefetch",
    "preconnect",
    "pingback",
    "edituri",
    "wlwmanifest",
    "profile",
    "openid.server",
    "openid.delegate",
    "openid2.provider",
    "webmention",
    "micropub",
    "https://api.w.org/",
];

impl<'e> Relation<'e> {
    fn of(element: &Element<'e>) -> Relation<'e> {
        Relation {
            rel: element.attribute("rel").unwrap_or(""),
            destination: element.attribute("as").unwrap_or(""),
        }
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case(word))
    }

    /// The kind of link, or `None` where there is nothing to fetch.
    pub(crate) fn kind(&self) -> Option<LinkKind> {
        let mut words = self.rel.split_ascii_whitespace().peekable();
        words.peek()?;
        if self.has("stylesheet") {
            return Some(LinkKind::Style);
        }
        for word in words {
            match word.to_ascii_lowercase().as_str() {
                "icon"
                | "apple-touch-icon"
                | "apple-touch-icon-precomposed"
                | "mask-icon"
                | "image_src"
                | "apple-touch-startup-image"
                | "fluid-icon" => return Some(LinkKind::Image),
                "modulepreload" => return Some(LinkKind::Script),
                "preload" | "prefetch" => return self.preloaded(),
                ignored if IGNORED_RELATIONS.contains(&ignored) => return None,
                _ => {}
            }
        }
        Some(LinkKind::Relation)
    }

    fn preloaded(&self) -> Option<LinkKind> {
        Some(match self.destination.to_ascii_lowercase().as_str() {
            "script" | "worker" => LinkKind::Script,
            "style" => LinkKind::Style,
            "image" => LinkKind::Image,
            "font" => LinkKind::CssUrl,
            "audio" | "video" | "track" => LinkKind::Media,
            "document" | "" if !self.has("preload") => LinkKind::Relation,
            _ => return None,
        })
    }
}

/// The address in `5; url=/next`.
fn refresh_target(content: &str) -> Option<&str> {
    let rest = content.trim_ascii_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start();
    let is_named = rest.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("url"));
    let named = rest.get(3..).filter(|_| is_named).and_then(|v| v.trim_ascii_start().strip_prefix('='));
    let target = named.unwrap_or(rest).trim_ascii();
    let target = match target.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(['"', '\'']).next().unwrap_or(""),
        None => target,
    };
    (!target.is_empty()).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::{Relation, mentions, refresh_target};
    use crate::tree::{NodeId, Step, TreeLimits, parse};
    use annalist_model::LinkKind::{self, *};

    fn found(html: &str) -> Vec<(LinkKind, String)> {
        let (tree, _) = parse(html, &TreeLimits::default());
        let mut found = Vec::new();
        for step in tree.walk(NodeId::ROOT) {
            if let Step::Enter(node) = step
                && let Some(element) = tree.element(node)
            {
                mentions(&element, |mention| found.push((mention.kind, mention.raw.to_owned())));
            }
        }
        found
    }

    #[test]
    fn every_kind_of_mention_is_found() {
        for (html, kind, raw) in [
            ("<a href=x>", Anchor, "x"),
            ("<map><area href=x></map>", Area, "x"),
            ("<link rel='Stylesheet' href=x>", Style, "x"),
            ("<link rel='alternate stylesheet' href=x>", Style, "x"),
            ("<link rel='shortcut icon' href=x>", Image, "x"),
            ("<link rel=canonical href=x>", Relation, "x"),
            ("<link rel=next href=x>", Relation, "x"),
            ("<link rel=alternate type=application/rss+xml href=x>", Relation, "x"),
            ("<link rel=preload as=font href=x>", CssUrl, "x"),
            ("<link rel=preload as=script href=x>", Script, "x"),
            ("<link rel=modulepreload href=x>", Script, "x"),
            ("<img src=x>", Image, "x"),
            ("<img data-src=/x>", Image, "/x"),
            ("<img data-original=/x>", Image, "/x"),
            ("<img data-lazy-src=x.png>", Image, "x.png"),
            ("<img data-lazy=x.png>", Image, "x.png"),
            ("<img srcset='x 2x'>", Image, "x"),
            ("<img data-srcset='x 2x'>", Image, "x"),
            ("<picture><source srcset=x></picture>", Image, "x"),
            ("<div data-bg='url(x)'>", CssUrl, "x"),
            ("<video><source src=x></video>", Media, "x"),
            ("<video src=x></video>", Media, "x"),
            ("<video poster=x></video>", Image, "x"),
            ("<audio src=x></audio>", Media, "x"),
            ("<video><track src=x></video>", Media, "x"),
            ("<embed src=x>", Media, "x"),
            ("<object data=x></object>", Media, "x"),
            ("<applet code=x></applet>", Media, "x"),
            ("<input type=IMAGE src=x>", Image, "x"),
            ("<body background=x>", Image, "x"),
            ("<table><tr><td background=x>", Image, "x"),
            ("<script src=x></script>", Script, "x"),
            ("<iframe src=x></iframe>", Frame, "x"),
            ("<iframe data-src=/x></iframe>", Frame, "/x"),
            ("<frameset><frame src=x></frameset>", Frame, "x"),
            ("<p style='background:url(x)'>", CssUrl, "x"),
            ("<meta http-equiv=Refresh content='0;url=x'>", MetaRefresh, "x"),
            ("<svg><image href=x /></svg>", Image, "x"),
            ("<svg><image xlink:href=x /></svg>", Image, "x"),
            ("<svg><use xlink:href='x#y' /></svg>", Media, "x#y"),
            ("<svg><a xlink:href=x></a></svg>", Anchor, "x"),
            ("<noscript><img src=x></noscript>", Image, "x"),
            ("<template><a href=x></a></template>", Anchor, "x"),
        ] {
            assert_eq!(found(html), [(kind, raw.to_owned())], "{html}");
        }
    }

    #[test]
    fn what_is_no_page_is_not_followed() {
        for html in [
            "<link rel=dns-prefetch href=x>",
            "<link rel='preconnect' href=x>",
            "<link rel=pingback href=x>",
            "<link href=x>",
            "<form action=x><input type=text src=y></form>",
            "<img data-lazy=true>",
            "<img data-src='{{ picture.url }}'>",
            "<input src=x>",
            "<meta http-equiv=refresh content=5>",
        ] {
            assert_eq!(found(html), [], "{html}");
        }
    }

    #[test]
    fn a_refresh_may_be_written_in_many_ways() {
        for content in ["0;url=/x", "5; URL='/x'", "0 , /x", "3;url = \"/x\" ", ";/x", "0.5;/x"] {
            assert_eq!(refresh_target(content), Some("/x"), "{content}");
        }
        assert_eq!(refresh_target("30"), None);
        assert_eq!(refresh_target("0;url="), None);
    }

    #[test]
    fn a_prefetched_page_is_related_and_a_preloaded_answer_is_nothing() {
        let relation = |rel, destination| Relation { rel, destination }.kind();
        assert_eq!(relation("prefetch", ""), Some(LinkKind::Relation));
        assert_eq!(relation("preload", "fetch"), None);
        assert_eq!(relation("", ""), None);
    }
}
