//! What markup says to machines of a page's date: meta tags, microdata, RDFa, microformats, `<time>`, attributes with dates.
//! One walk over the tree, which notes on its way what the others need: headings, scripts, and where text stands.

use annalist_model::Evidence;
use annalist_read::text::beginning;
use annalist_read::tree::{Element, NodeId, Step, local_name};

use super::labels::Label;
use super::place::{Landmarks, Named, Places, Region};
use super::{Clues, FIRST_SAID, Says, address};
use crate::dates;

const MOST_SCRIPTS: usize = 100;
const MOST_HEADINGS: usize = 40;
/// A page with more places for dates has no one date.
const MOST_PLACES: usize = 120;
/// So many nodes make a date.
const LONGEST: usize = 20;

/// What a walk finds that is weighed when the headline is known.
#[derive(Default)]
struct Walked {
    landmarks: Landmarks,
    /// Elements with a date in an attribute or made for one, and what it says.
    dated: Vec<(NodeId, Kind)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Microdata,
    Time,
    Attribute,
    /// Named for its date, and hidden.
    Hidden,
}

pub(super) fn read(clues: &mut Clues<'_>) {
    let tree = clues.tree;
    let mut walked = Walked::default();
    for step in tree.walk(NodeId::ROOT) {
        let Step::Enter(node) = step else { continue };
        let Some(element) = tree.element(node) else {
            if tree.text(node).is_some()
                && let Some(stands) = tree.stands_at(node).filter(|stands| !stands.is_empty())
            {
                clues.texts.push((stands.start, node));
            }
            continue;
        };
        match *element.name() {
            local_name!("meta") if !is_item(&element) => meta(clues, &element),
            local_name!("img") if clues.pictures.len() < MOST_HEADINGS => clues.pictures.push(node),
            local_name!("article") if walked.landmarks.articles.len() < MOST_HEADINGS => {
                walked.landmarks.articles.push(node);
            }
            local_name!("script") if clues.scripts.len() < MOST_SCRIPTS => clues.scripts.push(node),
            local_name!("h1") | local_name!("h2") | local_name!("h3") | local_name!("h4")
                if walked.landmarks.headings.len() < MOST_HEADINGS =>
            {
                walked.landmarks.headings.push(node);
            }
            _ => {}
        }
        if walked.dated.len() < MOST_PLACES
            && let Some(kind) = kind(&element).or_else(|| hidden(clues, node, &element))
        {
            walked.dated.push((node, kind));
        }
    }
    clues.places = Places::of(tree, clues.page, &walked.landmarks, &clues.texts);
    for (node, kind) in walked.dated {
        if let Some(element) = tree.element(node) {
            dated(clues, node, &element, kind);
        }
    }
}

/// Whether an element says a date to machines.
fn kind(element: &Element<'_>) -> Option<Kind> {
    if *element.name() == local_name!("meta") {
        return is_item(element).then_some(Kind::Microdata);
    }
    let mut found = (*element.name() == local_name!("time")).then_some(Kind::Time);
    for (name, value) in element.attributes() {
        match *name {
            local_name!("itemprop") | local_name!("property") if is_dated(value) => {
                return Some(Kind::Microdata);
            }
            local_name!("title") | local_name!("datetime") if found.is_none() && begins_a_date(value) => {
                found = Some(Kind::Attribute);
            }
            _ if found.is_none() && name.starts_with("data-") && is_stamp(name, value) => {
                found = Some(Kind::Attribute);
            }
            _ => {}
        }
    }
    found
}

/// Dates that nobody sees are for machines.
fn hidden(clues: &Clues<'_>, node: NodeId, element: &Element<'_>) -> Option<Kind> {
    let is_unseen = clues.tree.stands_at(node).is_none_or(|stands| stands.is_empty());
    let names = element.attribute("id").into_iter().chain(element.attribute("class"));
    let says =
        |name: &str| ["ublish", "ubdate", "pdated", "ublication"].iter().any(|part| name.contains(part));
    (is_unseen && clues.tree.first_child(node).is_some() && names.into_iter().any(says))
        .then_some(Kind::Hidden)
}

/// A property of something on the page, perhaps of the page.
fn is_item(element: &Element<'_>) -> bool {
    element.attribute("itemprop").is_some_and(is_dated)
        && element.attribute("property").is_none()
        && element.attribute("name").is_none()
}

fn is_dated(property: &str) -> bool {
    let lower = |name: &str| {
        let name = name.rsplit(':').next().unwrap_or(name);
        [
            "datePublished",
            "dateCreated",
            "dateModified",
            "created",
            "issued",
            "modified",
            "date",
            "pubDate",
            "published",
            "uploadDate",
        ]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
    };
    property.split_ascii_whitespace().any(lower)
}

/// Digits and as long as a date: the cheap test that all titles of links have to pass.
fn begins_a_date(value: &str) -> bool {
    (8..=60).contains(&value.len()) && value.bytes().filter(u8::is_ascii_digit).count() >= 5
}

fn is_stamp(name: &str, value: &str) -> bool {
    let says = ["time", "date", "stamp", "publi"].iter().any(|word| name.contains(word));
    says && (8..=40).contains(&value.len()) && value.starts_with(|c: char| c.is_ascii_digit())
}

/// What one element says, weighed by where it stands.
fn dated(clues: &mut Clues<'_>, node: NodeId, element: &Element<'_>, kind: Kind) {
    let said = value(element).map(str::to_owned);
    // What only people read is found where the text is read.
    let is_attribute = said.is_some();
    let Some(said) = said.or_else(|| (kind != Kind::Attribute).then(|| beginning(clues.tree, node, LONGEST)))
    else {
        return;
    };
    let Some(moment) = dates::moment(&said, &clues.hints()) else { return };
    let place = clues.places.look(node);
    let property = element.attribute("itemprop").or_else(|| element.attribute("property")).unwrap_or("");
    let label = clues.label(node);
    let is_modified = property.contains("odified")
        || (property.is_empty()
            && (label == Some(Label::Modified) || (label.is_none() && place.named == Named::Modified)));
    let weight = match (kind, place.named) {
        (Kind::Microdata, _) if property.contains("ublish") || property.contains("created") => 8.0,
        (Kind::Microdata, _) => 6.0,
        (Kind::Time, Named::Published) => 7.0,
        (Kind::Time, _) if element.attribute("pubdate").is_some() => 7.0,
        (Kind::Time, _) => 5.5,
        (Kind::Attribute, Named::Published) => 6.5,
        (Kind::Hidden, _) => 5.0,
        (Kind::Attribute, Named::Date) => 5.0,
        (Kind::Attribute, _) => 1.5,
    };
    let is_own = kind == Kind::Microdata && clues.places.is_own(node);
    let near = if is_own { 1.0 } else { clues.near(node, &place) };
    let weight = weight * if is_attribute { 1.0 } else { 0.9 } * near;
    let evidence = match kind {
        Kind::Microdata => Evidence::Microdata,
        Kind::Time | Kind::Attribute | Kind::Hidden => Evidence::TimeElement,
    };
    let says = match place.region {
        Region::Comments if !is_own => Says::Answered,
        _ if is_modified => Says::Modified,
        _ => Says::Published,
    };
    clues.add(evidence, says, weight, moment, FIRST_SAID);
}

/// What an element says in its attributes.
fn value<'e>(element: &Element<'e>) -> Option<&'e str> {
    let said = ["content", "datetime", "value"].iter().find_map(|name| element.attribute(name));
    let said = said.or_else(|| {
        element
            .attributes()
            .find(|(name, value)| name.starts_with("data-") && is_stamp(name, value))
            .map(|(_, value)| value)
    });
    let said = said.or_else(|| element.attribute("title").filter(|title| begins_a_date(title)));
    said.filter(|said| said.bytes().any(|byte| byte.is_ascii_digit()))
}

fn meta(clues: &mut Clues<'_>, element: &Element<'_>) {
    let content = ["content", "value", "datetime"].iter().find_map(|name| element.attribute(name));
    let Some(content) = content.filter(|content| !content.trim().is_empty()) else { return };
    for attribute in ["property", "name", "itemprop", "http-equiv", "pubdate"] {
        let Some(name) = element.attribute(attribute) else { continue };
        let name = name.trim().to_ascii_lowercase();
        if name == "og:url" {
            address::tell(clues, content, 7.0);
        } else if name == "og:image" {
            clues.picture = clues.picture.take().or_else(|| Some(content.to_owned()));
        }
        let Some((says, weight)) = of_name(&name) else { continue };
        let evidence = match attribute {
            "property" if name.starts_with("article:") || name.starts_with("og:") => Evidence::OpenGraph,
            "itemprop" => Evidence::Microdata,
            _ => Evidence::Meta,
        };
        clues.say(evidence, says, weight, content);
        return;
    }
}

/// What a meta tag of that name says, and how often it is right.
fn of_name(name: &str) -> Option<(Says, f32)> {
    let bare: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let bare = bare.strip_prefix("og").unwrap_or(&bare);
    Some(match bare {
        "articlepublishedtime" | "articlepublished" => (Says::Published, 9.0),
        "datepublished"
        | "publisheddate"
        | "publishdate"
        | "pubdate"
        | "publicationdate"
        | "parselypubdate"
        | "sailthrudate"
        | "citationpublicationdate"
        | "citationdate"
        | "citationonlinedate"
        | "dcdateissued"
        | "dctermsissued"
        | "dcissued"
        | "dcdatecreated"
        | "dctermscreated"
        | "dccreated"
        | "datecreated"
        | "originalpublicationdate"
        | "articleoriginaldate"
        | "articledateoriginal"
        | "cxenseparserecspublishtime"
        | "cxenseparsepublishtime"
        | "btpubdate"
        | "rnewsdatepublished"
        | "publishtime"
        | "publishedtime"
        | "publishedattime"
        | "firstpublished"
        | "displaydate"
        | "pubdatetime"
        | "publicationtime"
        | "articlepubdate"
        | "dcdatepublished"
        | "gentime"
        | "ptime"
        | "publishedat"
        | "postdate"
        | "entrydate"
        | "articledate"
        | "creationdate"
        | "created"
        | "createdate"
        | "dateoriginal"
        | "prismpublicationdate"
        | "shareaholicarticlepublishedtime"
        | "articlecreated"
        | "originaldate"
        | "analyticsdate"
        | "doctime"
        | "pdate"
        | "videoreleasedate"
        | "vrpubdate"
        | "newsdate"
        | "blogdate"
        | "dateissued"
        | "wcpubdate"
        | "lpubdate"
        | "datefirstpublished"
        | "eomportaldatepublished"
        | "eprintsdatestamp"
        | "bepresscitationdate"
        | "bepresscitationonlinedate" => (Says::Published, 8.0),
        "date" | "dcdate" | "dctermsdate" | "dctermsavailable" | "time" | "timestamp" | "releasedate"
        | "uploaddate" | "citationyear" | "articletime" | "pagedate" | "issuedate" | "dateavailable"
        | "prismcoverdate" => (Says::Published, 5.5),
        "articlemodifiedtime"
        | "articleupdatedtime"
        | "dctermsmodified"
        | "dcmodified"
        | "dcdatemodified"
        | "lastmodified"
        | "lastmod"
        | "modified"
        | "updated"
        | "updatedtime"
        | "datemodified"
        | "modifieddate"
        | "moddate"
        | "revised"
        | "dateupdate"
        | "lastupdate"
        | "lastupdated"
        | "modificationdate"
        | "dateupdated"
        | "revisiondate"
        | "articlemodified"
        | "shareaholicarticlemodifiedtime"
        | "datemodify"
        | "utime"
        | "changed" => (Says::Modified, 5.0),
        _ => return None,
    })
}
