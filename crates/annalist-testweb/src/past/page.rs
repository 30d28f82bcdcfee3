//! What a page looks like at a moment.

use super::document::{DateIn, Document};
use super::festival::NAME;
use super::{Past, SITES};
use crate::calendar::{DAY, Moment};
use crate::dice::Dice;
use crate::html::push_escaped;
use crate::words::{AUTHORS, Language};

const LATEST: usize = 15;
const IN_FEED: usize = 20;

/// A body and its type.
pub(crate) struct Body {
    pub(crate) mime: &'static str,
    pub(crate) text: String,
}

fn html(text: String) -> Body {
    Body { mime: "text/html; charset=utf-8", text }
}

impl Past {
    /// How often a site had changed its design by then, and when it last did: about once a year, each on its own day.
    fn design(&self, site: usize, at: u64) -> (u64, u64) {
        let shift = Dice::new(&[self.config.seed, 0xde51, site as u64]).below(365) as u64 * DAY;
        let number = (at + shift) / (365 * DAY);
        (number, (number * 365 * DAY).saturating_sub(shift))
    }

    pub(crate) fn document_page(&self, document: &Document, at: u64) -> Body {
        let mut dice = Dice::new(&[self.config.seed, 0x9a6e, document.number]);
        let published = Moment::new(document.published);
        let author = dice.pick(&AUTHORS).copied().unwrap_or_default();
        let head = match document.date_in {
            DateIn::Meta => {
                format!("<meta property=\"article:published_time\" content=\"{}\">", published.iso())
            }
            DateIn::JsonLd => format!(
                "<script type=\"application/ld+json\">{{\"@context\":\"https://schema.org\",\
                 \"@type\":\"NewsArticle\",\"datePublished\":\"{}\"}}</script>",
                published.iso()
            ),
            _ => String::new(),
        };
        let byline = match document.date_in {
            DateIn::TimeElement => {
                format!(
                    "By {author}, <time datetime=\"{}\">{}</time>",
                    published.iso(),
                    published.day_words()
                )
            }
            DateIn::Byline => format!("By {author}, {}", published.day_words()),
            _ => format!("By {author}"),
        };
        let mut main =
            format!("<article><h1>{}</h1><p class=\"byline\">{byline}</p>", escaped(&document.title));
        let mut links = document.links.iter().filter_map(|place| self.documents.get(*place));
        for _ in 0..5 + dice.below(4) {
            main.push_str("<p>");
            for _ in 0..3 {
                match document.year.and_then(|year| self.festival(year)) {
                    Some(festival) if dice.below(3) > 0 => main.push_str(&festival.sentence(&mut dice)),
                    _ => main.push_str(self.prose.passage(&mut dice, document.topic, Language::English, 1)),
                }
            }
            if let Some(target) = links.next() {
                push_link(&mut main, target);
            }
            main.push_str("</p>");
        }
        if document.edited.is_some_and(|edited| edited <= at) {
            main.push_str("<p><b>Update:</b> ");
            main.push_str(self.prose.passage(&mut dice, document.topic, Language::English, 200));
            main.push_str("</p>");
        }
        let rest: Vec<&Document> = links.collect();
        if !rest.is_empty() {
            main.push_str("<h2>More</h2><ul>");
            for target in rest {
                main.push_str("<li>");
                push_link(&mut main, target);
                main.push_str("</li>");
            }
            main.push_str("</ul>");
        }
        main.push_str("</article>");
        self.page(document.site, at, &document.title, &head, &main)
    }

    /// The newest pages of a site; on the festival's own site, what it is about this year.
    pub(crate) fn home(&self, site: usize, at: u64) -> Body {
        let mut main = String::new();
        let year = self.hub_year(site, at);
        if let Some(festival) = year.and_then(|year| self.festival(year)) {
            let mut dice = Dice::new(&[self.config.seed, 0x40b, u64::from(festival.year)]);
            main.push_str(&format!("<h1>{NAME}</h1><p>"));
            (0..14).for_each(|_| main.push_str(&festival.sentence(&mut dice)));
            main.push_str("</p>");
        }
        main.push_str("<h2>Latest</h2><ul>");
        for document in self.latest(site, at).take(LATEST) {
            main.push_str("<li>");
            push_link(&mut main, document);
            main.push_str("</li>");
        }
        main.push_str("</ul>");
        self.page(site, at, SITES[site], "", &main)
    }

    /// Of the festival that the start page of its site is about.
    pub(crate) fn hub_year(&self, site: usize, at: u64) -> Option<u16> {
        // The page is made anew in February.
        let year = u16::try_from(Moment::new(at.saturating_sub(31 * DAY)).year).ok()?;
        (site == 0 && self.festival(year).is_some()).then_some(year)
    }

    pub(crate) fn list(&self, site: usize, month: u64, at: u64) -> Body {
        let title = format!("All of {}", Moment::new(month).month_words());
        let mut main = format!("<h1>{title}</h1><ul>");
        let of_month = |seconds| (Moment::new(seconds).year, Moment::new(seconds).month);
        let listed = self.documents.iter().filter(|document| {
            document.site == site
                && of_month(document.published) == of_month(month)
                && document.published <= at
        });
        for document in listed {
            main.push_str("<li>");
            push_link(&mut main, document);
            main.push_str("</li>");
        }
        main.push_str("</ul>");
        self.page(site, at, &title, "", &main)
    }

    pub(crate) fn feed(&self, site: usize, at: u64) -> Body {
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\"><channel><title>{0}</title><link>http://{0}/</link>\n",
            SITES[site]
        );
        for document in self.latest(site, at).take(IN_FEED) {
            let mut date = String::new();
            Moment::new(document.published).push_http(&mut date);
            text.push_str(&format!(
                "<item><title>{}</title><link>{}</link><pubDate>{date}</pubDate></item>\n",
                escaped(&document.title),
                document.url()
            ));
        }
        text.push_str("</channel></rss>\n");
        Body { mime: "application/rss+xml; charset=utf-8", text }
    }

    pub(crate) fn not_found(&self, site: usize, at: u64) -> Body {
        self.page(site, at, "Not found", "", "<h1>Not found</h1><p>This page is no longer there.</p>")
    }

    fn latest(&self, site: usize, at: u64) -> impl Iterator<Item = &Document> {
        let published = self.documents.partition_point(|document| document.published <= at);
        let before = self.documents.get(..published).unwrap_or_default();
        before.iter().rev().filter(move |document| {
            document.site == site && document.vanished.is_none_or(|vanished| vanished > at)
        })
    }

    /// What is around every page of a site, which is another with each design.
    fn page(&self, site: usize, at: u64, title: &str, head: &str, main: &str) -> Body {
        let (design, made) = self.design(site, at);
        let mut dice = Dice::new(&[self.config.seed, 0xaa5, site as u64, design]);
        let name = SITES[site];
        let month = Moment::new(at).month_path();
        let mut nav = String::from("<a href=\"/\">Home</a> <a href=\"/feed.xml\">Feed</a>");
        for _ in 0..3 {
            let other = SITES[dice.below(SITES.len())];
            nav.push_str(&format!(" <a href=\"http://{other}/\">{other}</a>"));
        }
        // On what was there when the design was made: a page changes with it, and not every day.
        let side: String = self.latest(site, made).take(4).fold(String::new(), |mut side, document| {
            side.push_str("<li>");
            push_link(&mut side, document);
            side.push_str("</li>");
            side
        });
        let archive = if main.starts_with("<article") {
            String::new()
        } else {
            format!("<p><a href=\"/archive/{month}/\">This month</a></p>")
        };
        let words = self.prose.passage(&mut dice, site, Language::English, 1).to_owned();
        html(format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n\
             <link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\">{head}</head>\n\
             <body class=\"design-{design}\"><header><p>{name}</p><nav>{nav}</nav></header>\n<main>{main}</main>\n\
             <aside><h2>Read also</h2><ul>{side}</ul>{archive}</aside>\n<footer><p>{words}</p></footer></body></html>\n",
            escaped(title)
        ))
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_escaped(&mut out, text);
    out
}

fn push_link(out: &mut String, document: &Document) {
    out.push_str("<a href=\"");
    out.push_str(&document.url());
    out.push_str("\">");
    push_escaped(out, &document.title);
    out.push_str("</a>");
}
