//! What a study found, for people: on the terminal, as JSON, and as tables.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use annalist_study::offline::entities::Kind;
use annalist_study::offline::images::{Condition, ImageSeen};
use annalist_study::offline::social::{Counts, Tie};
use annalist_study::offline::topics::Course;
use annalist_study::offline::{Day, Found, Month};
use serde_json::{Value, json};

use crate::commands::export::table::row;
use crate::show;

/// Columns of a course over time.
const WIDTH: usize = 24;
const LONGEST_TITLE: usize = 70;

/// A page for the terminal, `limit` lines of each.
pub fn report(found: &Found, writings: u64, limit: usize) -> String {
    let mut page = format!("{} writings\n", show::count(writings));
    // Writing to a string cannot fail.
    let _ = entities(found, limit, &mut page);
    let _ = topics(found, limit, &mut page);
    let _ = events(found, limit, &mut page);
    let _ = social(found, limit, &mut page);
    let _ = sites(found, limit, &mut page);
    let _ = images(found, &mut page);
    page
}

fn entities(found: &Found, limit: usize, page: &mut String) -> std::fmt::Result {
    let opinions = mean_opinions(found);
    for (kind, heading) in [
        (Kind::Person, "People"),
        (Kind::Organisation, "Organisations"),
        (Kind::Place, "Places"),
        (Kind::Other, "Other names"),
    ] {
        let of_kind: Vec<_> =
            found.entities.entities.iter().enumerate().filter(|(_, entity)| entity.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        writeln!(page, "\n{heading} ({})", show::count(of_kind.len() as u64))?;
        for (place, entity) in of_kind.into_iter().take(limit) {
            let opinion =
                opinions.get(&place).map(|(mean, count)| format!("  opinion {mean:+.2} in {count}"));
            let aliases = if entity.aliases.is_empty() {
                String::new()
            } else {
                format!(" ({})", entity.aliases.join(", "))
            };
            writeln!(
                page,
                "  {:>7} writings  {}{aliases}{}",
                show::count(u64::from(entity.writings)),
                entity.name,
                opinion.unwrap_or_default()
            )?;
        }
    }
    Ok(())
}

/// Of each entity that somebody has an opinion of: the mean, and in how many writings.
fn mean_opinions(found: &Found) -> HashMap<usize, (f32, usize)> {
    let mut sums: HashMap<usize, (f32, usize)> = HashMap::new();
    for (_, entity, opinion) in &found.opinions.entities {
        let sum = sums.entry(*entity as usize).or_default();
        *sum = (sum.0 + opinion.value, sum.1 + 1);
    }
    sums.into_iter().map(|(entity, (sum, count))| (entity, (sum / count as f32, count))).collect()
}

fn topics(found: &Found, limit: usize, page: &mut String) -> std::fmt::Result {
    let topics = &found.topics.topics;
    if topics.is_empty() {
        return Ok(());
    }
    writeln!(page, "\nTopics ({})", show::count(topics.len() as u64))?;
    for topic in topics.iter().take(limit) {
        let months: Vec<(i32, u32)> =
            topic.months.iter().map(|(month, count)| (month.number(), *count)).collect();
        let course = match topic.course {
            Course::Rising => "rising",
            Course::Falling => "falling",
            Course::Steady => "",
        };
        let writings = show::count(u64::from(topic.writings));
        writeln!(page, "  {writings:>7} writings  {}  {} {course}", topic.label, over_time(&months))?;
    }
    Ok(())
}

/// Counts by month as bars, from the first month to the last.
fn over_time(months: &[(i32, u32)]) -> String {
    let (Some(first), Some(last)) =
        (months.iter().map(|(month, _)| *month).min(), months.iter().map(|(month, _)| *month).max())
    else {
        return String::new();
    };
    let span = usize::try_from(last - first).unwrap_or_default() + 1;
    let columns = span.min(WIDTH);
    let mut sums = vec![0u64; columns];
    for (month, count) in months {
        let column = usize::try_from(month - first).unwrap_or_default() * columns / span;
        if let Some(sum) = sums.get_mut(column) {
            *sum += u64::from(*count);
        }
    }
    let most = sums.iter().copied().max().unwrap_or_default().max(1);
    sums.iter().map(|sum| show::bar(*sum as f64 / most as f64)).collect()
}

fn events(found: &Found, limit: usize, page: &mut String) -> std::fmt::Result {
    if found.happenings.is_empty() {
        return Ok(());
    }
    writeln!(page, "\nEvents ({}), the best reported", show::count(found.happenings.len() as u64))?;
    let mut best: Vec<_> = found.happenings.iter().collect();
    best.sort_by_key(|one| std::cmp::Reverse(one.writings.len()));
    best.truncate(limit);
    best.sort_by_key(|one| one.from);
    for one in best {
        let span = if one.from == one.until {
            one.from.to_string()
        } else {
            format!("{} to {}", one.from, one.until)
        };
        let title: String = one.title.chars().take(LONGEST_TITLE).collect();
        writeln!(page, "  {span:<24}  {title}  ({} writings on {} sites)", one.writings.len(), one.sites)?;
    }
    Ok(())
}

fn images(found: &Found, page: &mut String) -> std::fmt::Result {
    let images = &found.images;
    if images.images.is_empty() {
        return Ok(());
    }
    let repeats: usize = images.groups.iter().map(|group| group.repeats.len()).sum();
    writeln!(
        page,
        "\nImages: {}, of which {} show what others show, in {} groups; {} are not of the type their server says, {} move, {} are damaged",
        show::count(those(found, ImageSeen::is_image)),
        show::count(repeats as u64),
        show::count(images.groups.len() as u64),
        show::count(those(found, |image| image.is_image() && is_miscalled(image))),
        show::count(those(found, |image| image.facts.animated)),
        show::count(those(found, is_damaged)),
    )?;
    match those(found, |image| !image.is_image()) {
        0 => Ok(()),
        others => writeln!(page, "Called images by their servers and none: {}", show::count(others)),
    }
}

fn those(found: &Found, is_meant: impl Fn(&ImageSeen) -> bool) -> u64 {
    found.images.images.iter().filter(|image| is_meant(image)).count() as u64
}

fn is_miscalled(image: &ImageSeen) -> bool {
    image.facts.contradicts(&image.declared)
}

fn is_damaged(image: &ImageSeen) -> bool {
    image.facts.condition == Condition::Damaged
}

/// Those that others link to.
fn sites(found: &Found, limit: usize, page: &mut String) -> std::fmt::Result {
    let mut cited: Vec<_> = found.social.sites.iter().filter(|site| site.cited > 0).collect();
    if cited.is_empty() {
        return Ok(());
    }
    cited.sort_by_key(|site| std::cmp::Reverse((site.cited_by, site.cited)));
    writeln!(page, "\nSites that others cite ({})", show::count(cited.len() as u64))?;
    for site in cited.into_iter().take(limit) {
        writeln!(
            page,
            "  {:>6.2} %  {}: {} links from {} sites",
            100.0 * site.influence,
            site.site,
            show::count(site.cited),
            show::count(site.cited_by)
        )?;
    }
    Ok(())
}

fn social(found: &Found, limit: usize, page: &mut String) -> std::fmt::Result {
    let authors = &found.social.authors;
    if authors.is_empty() {
        return Ok(());
    }
    writeln!(page, "\nWho writes ({}), by influence", show::count(authors.len() as u64))?;
    for author in authors.iter().take(limit) {
        let received = author.received;
        writeln!(
            page,
            "  {:>6.2} %  {} on {}: {} writings, {} replies, {} quotes, {} links received",
            100.0 * author.influence,
            author.name,
            author.site,
            show::count(author.writings),
            show::count(received.replies),
            show::count(received.quotes),
            show::count(received.links)
        )?;
    }
    Ok(())
}

/// Name and text of each table.
pub fn tables(found: &Found) -> Vec<(&'static str, String)> {
    let opinions = mean_opinions(found);
    let number = |number: f64| format!("{number:.4}");
    let mut entities = row(&[
        "name",
        "kind",
        "aliases",
        "writings",
        "mentions",
        "first",
        "last",
        "undated",
        "confidence",
        "opinion",
        "opinions",
    ]);
    for (place, entity) in found.entities.entities.iter().enumerate() {
        let day = |day: Option<Day>| day.map(|day| day.to_string()).unwrap_or_default();
        let (mean, count) = opinions.get(&place).copied().unwrap_or_default();
        entities.push_str(&row(&[
            entity.name.clone(),
            format!("{:?}", entity.kind).to_lowercase(),
            entity.aliases.join("; "),
            entity.writings.to_string(),
            entity.mentions.to_string(),
            day(entity.first),
            day(entity.last),
            entity.undated.to_string(),
            number(entity.confidence.into()),
            if count > 0 { number(mean.into()) } else { String::new() },
            count.to_string(),
        ]));
    }
    let name = |entity: u32| found.entities.entities.get(entity as usize).map(|entity| entity.name.as_str());
    // What has no date stands in a row without a month.
    let shown = |month: Option<Month>| month.map(|month| month.to_string()).unwrap_or_default();
    let mut months = row(&["entity", "month", "opinion", "writings"]);
    for month in &found.opinions.months {
        let cells = [
            name(month.entity).unwrap_or_default().to_owned(),
            shown(month.month),
            number(month.mean.into()),
            month.count.to_string(),
        ];
        months.push_str(&row(&cells));
    }
    let mut together = row(&["one", "other", "writings"]);
    for pair in &found.entities.together {
        let cells = [
            name(pair.one).unwrap_or_default(),
            name(pair.other).unwrap_or_default(),
            &pair.writings.to_string(),
        ];
        together.push_str(&row(&cells));
    }
    let (mut topics, mut courses) = (
        row(&["topic", "language", "writings", "course", "confidence", "terms"]),
        row(&["topic", "month", "writings"]),
    );
    for topic in &found.topics.topics {
        let terms: Vec<&str> = topic.terms.iter().map(|(term, _)| term.as_str()).collect();
        topics.push_str(&row(&[
            topic.label.clone(),
            topic.language.clone(),
            topic.writings.to_string(),
            format!("{:?}", topic.course).to_lowercase(),
            number(topic.confidence.into()),
            terms.join("; "),
        ]));
        let undated = Some((None, topic.undated())).filter(|(_, count)| *count > 0);
        let dated = topic.months.iter().map(|(month, count)| (Some(*month), *count));
        for (month, count) in undated.into_iter().chain(dated) {
            courses.push_str(&row(&[topic.label.clone(), shown(month), count.to_string()]));
        }
    }
    let mut events = row(&["title", "from", "until", "writings", "sites", "confidence", "names", "terms"]);
    for one in &found.happenings {
        let names: Vec<&str> = one.names.iter().filter_map(|(entity, _)| name(*entity)).collect();
        let terms: Vec<&str> = one.terms.iter().map(|(term, _)| term.as_str()).collect();
        events.push_str(&row(&[
            one.title.clone(),
            one.from.to_string(),
            one.until.to_string(),
            one.writings.len().to_string(),
            one.sites.to_string(),
            number(one.confidence.into()),
            names.join("; "),
            terms.join("; "),
        ]));
    }
    let mut authors = row(&[
        "name",
        "site",
        "url",
        "writings",
        "influence",
        "replies received",
        "quotes received",
        "links received",
        "confidence",
    ]);
    for author in &found.social.authors {
        authors.push_str(&row(&[
            author.name.clone(),
            author.site.clone(),
            author.url.clone().unwrap_or_default(),
            author.writings.to_string(),
            format!("{:.8}", author.influence),
            author.received.replies.to_string(),
            author.received.quotes.to_string(),
            author.received.links.to_string(),
            number(author.confidence.into()),
        ]));
    }
    let mut ties =
        row(&["from", "from site", "to", "to site", "replies", "quotes", "links", "mentions", "confidence"]);
    let often = |tie: &&Tie| {
        let Counts { replies, quotes, links, mentions } = tie.counts;
        std::cmp::Reverse(replies + quotes + links + mentions)
    };
    let mut most: Vec<&Tie> = found.social.ties.iter().collect();
    most.sort_by_key(often);
    for tie in most {
        let author = |place: usize| found.social.authors.get(place);
        let (Some(from), Some(to)) = (author(tie.from), author(tie.to)) else { continue };
        ties.push_str(&row(&[
            from.name.clone(),
            from.site.clone(),
            to.name.clone(),
            to.site.clone(),
            tie.counts.replies.to_string(),
            tie.counts.quotes.to_string(),
            tie.counts.links.to_string(),
            tie.counts.mentions.to_string(),
            number(tie.confidence.into()),
        ]));
    }
    let mut sites = row(&["site", "writings", "authors", "cites", "cited", "cited by", "influence"]);
    for site in &found.social.sites {
        sites.push_str(&row(&[
            site.site.clone(),
            site.writings.to_string(),
            site.authors.to_string(),
            site.cites.to_string(),
            site.cited.to_string(),
            site.cited_by.to_string(),
            format!("{:.8}", site.influence),
        ]));
    }
    let mut images = row(&[
        "url",
        "type",
        "declared",
        "width",
        "height",
        "looks like",
        "same bytes",
        "condition",
        "animated",
    ]);
    let mut like: HashMap<usize, (usize, bool)> = HashMap::new();
    for group in &found.images.groups {
        like.extend(group.repeats.iter().map(|repeat| (repeat.image, (group.first, repeat.same_bytes))));
    }
    for (place, image) in found.images.images.iter().enumerate() {
        let side = |side: Option<u32>| side.map(|side| side.to_string()).unwrap_or_default();
        let first = like.get(&place).and_then(|(first, _)| found.images.images.get(*first));
        images.push_str(&row(&[
            image.url.clone(),
            image.facts.mime.clone(),
            image.declared.clone(),
            side(image.facts.width),
            side(image.facts.height),
            first.map(|first| first.url.clone()).unwrap_or_default(),
            like.get(&place).map(|(_, same)| same.to_string()).unwrap_or_default(),
            image.facts.condition.word().to_owned(),
            image.facts.animated.to_string(),
        ]));
    }
    vec![
        ("entities.csv", entities),
        ("opinions.csv", months),
        ("together.csv", together),
        ("topics.csv", topics),
        ("topics-over-time.csv", courses),
        ("events.csv", events),
        ("authors.csv", authors),
        ("ties.csv", ties),
        ("sites.csv", sites),
        ("images.csv", images),
    ]
}

/// Everything that is shown, and how much there is of it.
pub fn json(found: &Found, writings: u64, limit: usize, job: &Path) -> Value {
    let entities: Vec<_> = found.entities.entities.iter().take(limit).collect();
    let topics: Vec<_> = found.topics.topics.iter().take(limit).collect();
    let authors: Vec<_> = found.social.authors.iter().take(limit).collect();
    json!({
        "writings": writings,
        "entities": found.entities.entities.len(),
        "mentions": found.entities.mentions.len(),
        "opinions": found.opinions.writings.len(),
        "topics": found.topics.topics.len(),
        "events": found.happenings.len(),
        "authors": found.social.authors.len(),
        "sites": found.social.sites.len(),
        "images": those(found, ImageSeen::is_image),
        "images_damaged": those(found, is_damaged),
        "images_animated": those(found, |image| image.facts.animated),
        "images_miscalled": those(found, is_miscalled),
        "image_groups": found.images.groups.len(),
        "first_entities": entities,
        "first_topics": topics,
        "first_authors": authors,
        "first_sites": found.social.sites.iter().take(limit).collect::<Vec<_>>(),
        "first_events": found.happenings.iter().take(limit).map(|one| json!({
            "title": one.title, "from": one.from, "until": one.until, "writings": one.writings.len(),
            "sites": one.sites, "confidence": one.confidence,
        })).collect::<Vec<_>>(),
        "job": job,
    })
}
