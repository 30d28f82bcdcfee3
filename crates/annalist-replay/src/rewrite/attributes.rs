//! Which attributes hold addresses, of what kind, and which have to go.

use super::{Rewriting, Rewritten};
use crate::target::Kind;

/// What becomes of an attribute.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Edit {
    Keep,
    Set(String),
    Remove,
}

impl From<Rewritten> for Edit {
    fn from(rewritten: Rewritten) -> Edit {
        match rewritten {
            Rewritten::Same => Edit::Keep,
            Rewritten::To(url) => Edit::Set(url),
            Rewritten::Gone => Edit::Remove,
        }
    }
}

/// An element as far as it matters to its attributes.
pub(super) struct Element<'a> {
    /// In lower case, without a prefix.
    pub(super) tag: &'a str,
    /// The decoded value of another of its attributes.
    pub(super) other: &'a dyn Fn(&str) -> Option<String>,
}

impl Element<'_> {
    fn says(&self, name: &str, word: &str) -> bool {
        (self.other)(name)
            .is_some_and(|value| value.split_ascii_whitespace().any(|w| w.eq_ignore_ascii_case(word)))
    }

    /// Whether it is better away: it opens connections, sets rules that would fight with replay's own, or is no part of what is seen.
    pub(super) fn must_go(&self) -> bool {
        let rules = [
            "content-security-policy",
            "content-security-policy-report-only",
            "set-cookie",
            "x-dns-prefetch-control",
        ];
        match self.tag {
            "link" => ["preconnect", "dns-prefetch", "prerender"].iter().any(|rel| self.says("rel", rel)),
            "meta" => (self.other)("http-equiv")
                .is_some_and(|value| rules.iter().any(|rule| value.trim().eq_ignore_ascii_case(rule))),
            _ => false,
        }
    }

    fn kind(&self, rewriting: &Rewriting) -> Kind {
        match self.tag {
            "img" | "image" | "input" | "picture" | "source" | "feimage" | "body" | "table" | "td" | "th"
            | "tr"
            // Parts of SVG that are taken from elsewhere.
            | "use" | "pattern" | "lineargradient" | "radialgradient" | "filter" | "textpath" | "mpath"
            | "tref" | "cursor" => Kind::Image,
            "script" => Kind::Script,
            "link" => self.linked(),
            "iframe" | "frame" | "portal" | "fencedframe" => Kind::Frame,
            "object" | "embed" | "applet" | "audio" | "video" | "track" | "bgsound" | "param" => Kind::Object,
            _ => self.followed(rewriting),
        }
    }

    /// What browsers load by themselves is never asked for as a page.
    fn linked(&self) -> Kind {
        let is_for = |kinds: &[&str]| kinds.iter().any(|kind| self.says("as", kind));
        if self.says("rel", "stylesheet") || is_for(&["style"]) {
            Kind::Style
        } else if self.says("rel", "icon") || is_for(&["image", "font"]) {
            // Style sheets ask for fonts as for pictures.
            Kind::Image
        } else if self.says("rel", "modulepreload") || is_for(&["script", "worker"]) {
            Kind::Script
        } else {
            Kind::Object
        }
    }

    /// A link or a form, by where it opens.
    fn followed(&self, rewriting: &Rewriting) -> Kind {
        let target = (self.other)("formtarget").or_else(|| (self.other)("target"));
        rewriting.page(target.as_deref())
    }

    /// `name` is in lower case, `value` is decoded.
    pub(super) fn edit(&self, name: &str, value: &str, rewriting: &Rewriting) -> Edit {
        match name {
            "href" if self.tag == "base" => Edit::from(rewriting.base_address(value)),
            // A picture may send a form.
            "formaction" => rewriting.url(value, self.followed(rewriting)).into(),
            "href" | "src" | "action" | "cite" | "longdesc" | "manifest" | "codebase" | "profile"
            | "xlink:href" | "xml:base" | "data" | "classid" | "usemap" | "icon" | "itemid" | "itemtype"
            | "resource"
                if is_address(name, self.tag) =>
            {
                rewriting.url(value, self.kind(rewriting)).into()
            }
            "poster" | "background" | "lowsrc" | "dynsrc" => rewriting.url(value, Kind::Image).into(),
            "srcset" | "imagesrcset" => Edit::Set(rewriting.srcset(value)),
            "archive" if matches!(self.tag, "applet" | "object") => {
                let all = value.split([',', ' ']).filter(|one| !one.is_empty());
                Edit::Set(
                    all.filter_map(|one| rewriting.or_same(one, Kind::Object)).collect::<Vec<_>>().join(","),
                )
            }
            "value" if self.tag == "param" && self.names_address() => {
                rewriting.url(value, Kind::Object).into()
            }
            "content" if self.tag == "meta" && self.says("http-equiv", "refresh") => {
                refreshed(value, rewriting)
            }
            "style" => Edit::Set(rewriting.css(value)),
            // Told to others, or checked against bytes that are not the same any more.
            "ping" | "attributionsrc" | "integrity" | "nonce" | "crossorigin" | "csp" => Edit::Remove,
            "target" | "formtarget" if is_outer(value) => Edit::Set("_self".to_owned()),
            _ if is_presentation(name) => presented(value, rewriting),
            _ => Edit::Keep,
        }
    }

    fn names_address(&self) -> bool {
        ["movie", "src", "url", "data", "filename", "href", "code", "archive", "codebase"]
            .iter()
            .any(|name| self.says("name", name))
    }
}

impl Rewriting {
    /// What the header `Refresh` says.
    pub(crate) fn refresh(&self, value: &str) -> Option<String> {
        match refreshed(value, self) {
            Edit::Keep => Some(value.to_owned()),
            Edit::Set(value) => Some(value),
            Edit::Remove => None,
        }
    }

    /// An address that is rewritten where it has to be; `None` for a script.
    fn or_same(&self, value: &str, kind: Kind) -> Option<String> {
        match self.url(value, kind) {
            Rewritten::Same => Some(value.to_owned()),
            Rewritten::To(url) => Some(url),
            Rewritten::Gone => None,
        }
    }

    fn srcset(&self, value: &str) -> String {
        let (mut out, mut copied) = (String::with_capacity(value.len() + 64), 0);
        for candidate in annalist_read::srcset::candidates(value) {
            // A candidate is a piece of the value.
            let start = candidate.as_ptr() as usize - value.as_ptr() as usize;
            out.push_str(value.get(copied..start).unwrap_or_default());
            out.push_str(&self.or_same(candidate, Kind::Image).unwrap_or_else(|| "about:blank".to_owned()));
            copied = start + candidate.len();
        }
        out.push_str(value.get(copied..).unwrap_or_default());
        out
    }
}

/// Names that mean an address on some elements only.
fn is_address(name: &str, tag: &str) -> bool {
    match name {
        "data" => tag == "object",
        "classid" => matches!(tag, "object" | "applet"),
        "usemap" => true,
        "icon" => matches!(tag, "command" | "menuitem"),
        // Names of things, never fetched.
        "itemid" | "itemtype" | "resource" => false,
        _ => true,
    }
}

/// SVG takes references to paint and filters as attributes, in the words of CSS.
fn is_presentation(name: &str) -> bool {
    matches!(
        name,
        "fill"
            | "stroke"
            | "filter"
            | "mask"
            | "clip-path"
            | "cursor"
            | "marker"
            | "marker-start"
            | "marker-mid"
            | "marker-end"
    )
}

fn presented(value: &str, rewriting: &Rewriting) -> Edit {
    if value.contains('(') { Edit::Set(rewriting.css(value)) } else { Edit::Keep }
}

pub(super) fn is_outer(value: &str) -> bool {
    ["_top", "_parent"].iter().any(|outer| value.trim().eq_ignore_ascii_case(outer))
}

/// `5; url=http://…`, with and without the word and the quotes, as the HTML standard reads it.
fn refreshed(value: &str, rewriting: &Rewriting) -> Edit {
    let white = |c: char| c.is_ascii_whitespace();
    let bare = value.trim_start_matches(white);
    let time = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (time, rest) = bare.split_at(time);
    let rest = rest.trim_start_matches(white);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start_matches(white);
    if rest.is_empty() {
        return Edit::Keep;
    }
    let named = rest.get(..3).filter(|word| word.eq_ignore_ascii_case("url")).and_then(|_| rest.get(3..));
    let named = named.map(|rest| rest.trim_start_matches(white)).and_then(|rest| rest.strip_prefix('='));
    let url = named.map_or(rest, |rest| rest.trim_start_matches(white));
    let url = match url.chars().next() {
        Some(quote @ ('"' | '\'')) => url[1..].split(quote).next().unwrap_or_default(),
        _ => url,
    };
    match rewriting.url(url, rewriting.own_pages()) {
        Rewritten::Same => Edit::Keep,
        Rewritten::To(url) => Edit::Set(format!("{time};url={url}")),
        Rewritten::Gone => Edit::Remove,
    }
}

#[cfg(test)]
mod tests {
    use super::{Edit, Element, Rewriting};

    fn edit(tag: &str, others: &[(&str, &str)], name: &str, value: &str) -> Edit {
        let rewriting = Rewriting::new("http://r/", "1", "http://a.test/d/");
        let other = |sought: &str| others.iter().find(|(n, _)| *n == sought).map(|(_, v)| (*v).to_owned());
        Element { tag, other: &other }.edit(name, value, &rewriting)
    }

    fn set(value: &str) -> Edit {
        Edit::Set(value.to_owned())
    }

    #[test]
    fn every_attribute_that_holds_an_address_leads_into_the_archive() {
        let stylesheet = [("rel", "alternate StyleSheet")];
        let refresh = [("http-equiv", "Refresh")];
        let movie = [("name", "Movie")];
        let preload = |kind| [("rel", "preload"), ("as", kind)];
        for (tag, others, name, value, expected) in [
            ("a", &[][..], "href", "x", set("http://r/1mp_/http://a.test/d/x")),
            ("img", &[], "src", "x", set("http://r/1im_/http://a.test/d/x")),
            ("script", &[], "src", "x", set("http://r/1js_/http://a.test/d/x")),
            ("link", &stylesheet, "href", "x", set("http://r/1cs_/http://a.test/d/x")),
            ("link", &[], "imagesrcset", "x 2x", set("http://r/1im_/http://a.test/d/x 2x")),
            ("iframe", &[], "src", "x", set("http://r/1if_/http://a.test/d/x")),
            ("frame", &[], "longdesc", "x", set("http://r/1if_/http://a.test/d/x")),
            ("object", &[], "data", "x", set("http://r/1oe_/http://a.test/d/x")),
            ("embed", &[], "src", "x", set("http://r/1oe_/http://a.test/d/x")),
            (
                "applet",
                &[],
                "archive",
                "x,y",
                set("http://r/1oe_/http://a.test/d/x,http://r/1oe_/http://a.test/d/y"),
            ),
            ("applet", &[], "codebase", "x", set("http://r/1oe_/http://a.test/d/x")),
            ("video", &[], "poster", "x", set("http://r/1im_/http://a.test/d/x")),
            ("form", &[], "action", "x", set("http://r/1mp_/http://a.test/d/x")),
            ("button", &[], "formaction", "x", set("http://r/1mp_/http://a.test/d/x")),
            ("td", &[], "background", "x", set("http://r/1im_/http://a.test/d/x")),
            ("q", &[], "cite", "x", set("http://r/1mp_/http://a.test/d/x")),
            ("html", &[], "manifest", "x", set("http://r/1mp_/http://a.test/d/x")),
            ("use", &[], "xlink:href", "x#y", set("http://r/1im_/http://a.test/d/x#y")),
            ("link", &[("rel", "prefetch")], "href", "x", set("http://r/1oe_/http://a.test/d/x")),
            ("link", &preload("font"), "href", "x", set("http://r/1im_/http://a.test/d/x")),
            ("link", &preload("Style"), "href", "x", set("http://r/1cs_/http://a.test/d/x")),
            ("link", &preload("script"), "href", "x", set("http://r/1js_/http://a.test/d/x")),
            ("link", &preload("fetch"), "href", "x", set("http://r/1oe_/http://a.test/d/x")),
            ("input", &[], "formaction", "x", set("http://r/1mp_/http://a.test/d/x")),
            ("a", &[("target", "_Self")], "href", "x", set("http://r/1mp_/http://a.test/d/x")),
            ("a", &[("target", "_parent")], "href", "x", set("http://r/1mp_/http://a.test/d/x")),
            ("a", &[("target", "_blank")], "href", "x", set("http://r/1if_/http://a.test/d/x")),
            ("form", &[("target", "main")], "action", "x", set("http://r/1if_/http://a.test/d/x")),
            ("image", &[], "href", "x", set("http://r/1im_/http://a.test/d/x")),
            ("rect", &[], "fill", "url(x#y)", set("url(\"http://r/1im_/http://a.test/d/x#y\")")),
            ("p", &[], "style", "a:url(x)", set("a:url(\"http://r/1im_/http://a.test/d/x\")")),
            ("param", &movie, "value", "x", set("http://r/1oe_/http://a.test/d/x")),
            ("meta", &refresh, "content", " 5 ; URL = 'x' ", set("5;url=http://r/1mp_/http://a.test/d/x")),
            ("meta", &refresh, "content", "0,x", set("0;url=http://r/1mp_/http://a.test/d/x")),
            ("meta", &refresh, "content", "url=x", set(";url=http://r/1mp_/http://a.test/d/x")),
            ("meta", &refresh, "content", "0;url=javascript:x", Edit::Remove),
            ("meta", &refresh, "content", "30", Edit::Keep),
            (
                "img",
                &[],
                "srcset",
                "x 1x, data:,y 2x,//z.test/q 3x",
                set("http://r/1im_/http://a.test/d/x 1x, data:,y 2x,http://r/1im_/http://z.test/q 3x"),
            ),
            ("a", &[], "ping", "x", Edit::Remove),
            ("script", &[], "integrity", "x", Edit::Remove),
            ("a", &[], "target", " _TOP", set("_self")),
            ("a", &[], "target", "_blank", Edit::Keep),
            ("a", &[], "href", "javascript:x", Edit::Remove),
            ("a", &[], "title", "http://live.test/", Edit::Keep),
            ("div", &[], "data", "x", Edit::Keep),
        ] {
            assert_eq!(edit(tag, others, name, value), expected, "{tag} {name}={value}");
        }
    }
}
