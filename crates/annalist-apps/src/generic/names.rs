//! What the names of classes and ids say of a region: the matter itself, or what pages put around it.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use annalist_read::tree::{Element, LocalName, Vocabulary, local_name};

/// What an element says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Says {
    #[default]
    Nothing,
    /// The body of an article.
    Body,
    /// An article, or the main part of a page.
    Matter,
    /// Not what the page is there for.
    Beside,
    /// Answers of readers.
    Comments,
}

/// A part of a name, what it says, and whether it counts only as a word of its own.
type Name = (&'static str, Says, Extent);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Part,
    /// Up to a hyphen or the like.
    Word,
    /// The whole name.
    Whole,
}

use Extent::{Part, Whole, Word};
use Says::{Beside, Body, Comments, Matter};

const NAMES: &[Name] = &[
    ("articlebody", Body, Part),
    ("article-body", Body, Part),
    ("article_body", Body, Part),
    ("article__body", Body, Part),
    ("articletext", Body, Part),
    ("article-text", Body, Part),
    ("article_text", Body, Part),
    ("article__text", Body, Part),
    ("articlecontent", Body, Part),
    ("article-content", Body, Part),
    ("article_content", Body, Part),
    ("article__content", Body, Part),
    ("article-copy", Body, Part),
    ("article-main", Body, Part),
    ("storybody", Body, Part),
    ("story-body", Body, Part),
    ("story_body", Body, Part),
    ("story__body", Body, Part),
    ("storytext", Body, Part),
    ("story-text", Body, Part),
    ("story-content", Body, Part),
    ("entry-content", Body, Part),
    ("entrycontent", Body, Part),
    ("entry-body", Body, Part),
    ("entrytext", Body, Part),
    ("e-content", Body, Word),
    ("post-content", Body, Part),
    ("post_content", Body, Part),
    ("postcontent", Body, Part),
    ("post__content", Body, Part),
    ("post-body", Body, Part),
    ("post-text", Body, Part),
    ("postbody", Body, Part),
    ("news-text", Body, Part),
    ("newstext", Body, Part),
    ("blog-content", Body, Part),
    ("body-copy", Body, Part),
    ("bodycopy", Body, Part),
    ("body-content", Body, Part),
    ("content-body", Body, Part),
    ("content__body", Body, Part),
    ("main-content", Matter, Part),
    ("maincontent", Matter, Part),
    ("content", Matter, Whole),
    ("article", Matter, Whole),
    ("entry", Matter, Whole),
    ("post", Matter, Whole),
    ("story", Matter, Whole),
    ("main", Matter, Whole),
    ("comments", Comments, Word),
    ("comment", Comments, Word),
    ("commentlist", Comments, Part),
    ("comment-list", Comments, Part),
    ("comments-area", Comments, Part),
    ("disqus", Comments, Part),
    ("respond", Comments, Whole),
    ("replies", Comments, Word),
    ("ad", Beside, Word),
    ("ads", Beside, Word),
    ("advert", Beside, Part),
    ("adsense", Beside, Part),
    ("adbox", Beside, Part),
    ("sponsor", Beside, Part),
    ("promo", Beside, Part),
    ("banner", Beside, Word),
    ("share", Beside, Word),
    ("sharing", Beside, Word),
    ("sharebar", Beside, Part),
    ("sharedaddy", Beside, Part),
    ("addthis", Beside, Part),
    ("addtoany", Beside, Part),
    ("social", Beside, Word),
    ("socials", Beside, Word),
    ("follow", Beside, Word),
    ("related", Beside, Word),
    ("relatedposts", Beside, Part),
    ("recommended", Beside, Word),
    ("recommendations", Beside, Word),
    ("recirc", Beside, Part),
    ("outbrain", Beside, Part),
    ("taboola", Beside, Part),
    ("most-read", Beside, Part),
    ("most-popular", Beside, Part),
    ("mostpopular", Beside, Part),
    ("more-stories", Beside, Part),
    ("read-more", Beside, Part),
    ("readmore", Beside, Part),
    ("read-next", Beside, Part),
    ("see-also", Beside, Part),
    ("trending", Beside, Word),
    ("card", Beside, Word),
    ("cards", Beside, Word),
    ("news-list", Beside, Part),
    ("latest", Beside, Word),
    ("teaser", Beside, Word),
    ("teasers", Beside, Word),
    ("newsletter", Beside, Part),
    ("subscribe", Beside, Part),
    ("subscription", Beside, Part),
    ("signup", Beside, Part),
    ("sign-up", Beside, Part),
    ("login", Beside, Part),
    ("donate", Beside, Part),
    ("sidebar", Beside, Part),
    ("side-bar", Beside, Part),
    ("widget", Beside, Word),
    ("nav", Beside, Word),
    ("navbar", Beside, Part),
    ("navigation", Beside, Part),
    ("menu", Beside, Word),
    ("breadcrumb", Beside, Part),
    ("pagination", Beside, Part),
    ("pager", Beside, Word),
    ("toolbar", Beside, Part),
    ("masthead", Beside, Part),
    ("site-header", Beside, Part),
    ("page-header", Beside, Part),
    ("header", Beside, Whole),
    ("footer", Beside, Word),
    ("site-footer", Beside, Part),
    ("copyright", Beside, Word),
    ("legal", Beside, Whole),
    ("disclaimer", Beside, Word),
    ("cookie", Beside, Part),
    ("consent", Beside, Word),
    ("gdpr", Beside, Part),
    ("popup", Beside, Part),
    ("modal", Beside, Word),
    ("overlay", Beside, Word),
    ("tooltip", Beside, Part),
    ("byline", Beside, Part),
    ("dateline", Beside, Part),
    ("timestamp", Beside, Part),
    ("author", Beside, Whole),
    ("author-bio", Beside, Part),
    ("author-info", Beside, Part),
    ("author-box", Beside, Part),
    ("authorbox", Beside, Part),
    ("about-author", Beside, Part),
    ("bio", Beside, Word),
    ("post-meta", Beside, Part),
    ("entry-meta", Beside, Part),
    ("article-meta", Beside, Part),
    ("postmeta", Beside, Part),
    ("meta", Beside, Whole),
    ("metadata", Beside, Word),
    ("tags", Beside, Word),
    ("taglist", Beside, Part),
    ("tag-list", Beside, Part),
    ("keywords", Beside, Word),
    ("categories", Beside, Word),
    ("caption", Beside, Word),
    ("wp-caption-text", Beside, Part),
    ("credit", Beside, Word),
    ("credits", Beside, Word),
    ("gallery", Beside, Word),
    ("slideshow", Beside, Part),
    ("carousel", Beside, Part),
    ("video-player", Beside, Part),
    ("rating", Beside, Word),
    ("print", Beside, Whole),
    ("noprint", Beside, Part),
    ("no-print", Beside, Part),
    ("hidden", Beside, Whole),
    ("visually-hidden", Beside, Part),
    ("visuallyhidden", Beside, Part),
    ("sr-only", Beside, Part),
    ("screen-reader", Beside, Part),
    ("skip-link", Beside, Part),
    ("mw-editsection", Beside, Part),
    ("navbox", Beside, Part),
    ("printfooter", Beside, Part),
    ("catlinks", Beside, Part),
    ("toc", Beside, Whole),
    ("jump-to", Beside, Part),
    ("correction", Says::Nothing, Word),
];

static SEEKER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .ascii_case_insensitive(true)
        .build(NAMES.iter().map(|(name, _, _)| name))
        .ok()
});

/// What the element is, by its name, role, and the names of its class and id.
pub(super) fn says(element: &Element<'_>) -> Says {
    if element.vocabulary() != Vocabulary::Html {
        return Says::Nothing;
    }
    if is_beside(element.name()) {
        return Beside;
    }
    if matches!(*element.name(), local_name!("body") | local_name!("html")) {
        return Says::Nothing;
    }
    let mut said = match *element.name() {
        local_name!("article") | local_name!("main") => Matter,
        _ => Says::Nothing,
    };
    for (name, value) in element.attributes() {
        let by_attribute = match *name {
            local_name!("class") | local_name!("id") => named(value),
            local_name!("role") => of_role(value),
            local_name!("itemprop") if value.eq_ignore_ascii_case("articleBody") => Body,
            local_name!("aria-hidden") if value == "true" => Beside,
            _ => Says::Nothing,
        };
        said = stronger(said, by_attribute);
    }
    said
}

/// Elements that are made for what is not the matter.
pub(super) fn is_beside(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("nav")
            | local_name!("footer")
            | local_name!("aside")
            | local_name!("header")
            | local_name!("form")
            | local_name!("figure")
            | local_name!("figcaption")
            | local_name!("dialog")
            | local_name!("menu")
            | local_name!("button")
            | local_name!("select")
            | local_name!("label")
            | local_name!("legend")
            | local_name!("fieldset")
            | local_name!("object")
            | local_name!("video")
            | local_name!("audio")
    )
}

fn of_role(role: &str) -> Says {
    match role {
        "navigation" | "banner" | "contentinfo" | "complementary" | "dialog" | "menu" | "menubar"
        | "search" => Beside,
        "main" | "article" => Matter,
        _ => Says::Nothing,
    }
}

/// An element that calls itself the body is that, whatever else it is called.
fn stronger(one: Says, other: Says) -> Says {
    let rank = |says: Says| match says {
        Says::Nothing => 0,
        Matter => 1,
        Beside => 2,
        Comments => 3,
        Body => 4,
    };
    if rank(other) > rank(one) { other } else { one }
}

fn named(names: &str) -> Says {
    let Some(seeker) = &*SEEKER else { return Says::Nothing };
    let bytes = names.as_bytes();
    let mut said = Says::Nothing;
    for found in seeker.find_overlapping_iter(names) {
        let Some((_, says, extent)) = NAMES.get(found.pattern().as_usize()) else { continue };
        let before = found.start().checked_sub(1).and_then(|at| bytes.get(at)).copied();
        let after = bytes.get(found.end()).copied();
        let first = bytes.get(found.start()).copied().unwrap_or(b' ');
        let counts = match extent {
            Part => true,
            // `articleShare` has a word that begins in capitals.
            Word => {
                (before.is_none_or(|byte| !byte.is_ascii_alphanumeric())
                    || (first.is_ascii_uppercase() && before.is_some_and(|byte| byte.is_ascii_lowercase())))
                    && after.is_none_or(|byte| !byte.is_ascii_lowercase())
            }
            Whole => {
                before.is_none_or(|byte| byte.is_ascii_whitespace())
                    && after.is_none_or(|byte| byte.is_ascii_whitespace())
            }
        };
        if counts {
            said = stronger(said, *says);
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::{Says, named};

    #[test]
    fn customary_names_tell_the_matter_from_what_is_around_it() {
        for (names, says) in [
            ("entry-content clear", Says::Body),
            ("post-42 post", Says::Matter),
            ("articleShare", Says::Beside),
            ("top-ad", Says::Beside),
            ("shadow header-image", Says::Nothing),
            ("comment-12 even", Says::Comments),
            ("commentary", Says::Nothing),
            ("", Says::Nothing),
        ] {
            assert_eq!(named(names), says, "{names}");
        }
    }
}
