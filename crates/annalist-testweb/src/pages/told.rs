//! Texts about the society as markup. What they say is in `society/`.

use super::sheet::{Anchor, Sheet};
use super::{article, blog, forum};
use crate::dice::Dice;
use crate::html::push_escaped;
use crate::item::Item;
use crate::layout::{Host, HostKind};
use crate::route::Route;
use crate::society::{PARAGRAPH, Sentence, Society};
use crate::world::World;

/// Of the posts of a thread, one in so many has a link.
const LINKED_POSTS: usize = 3;

/// Which text of an item.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    Matter,
    Reply(usize),
}

/// What an article or blog post says; nothing where there is no society.
pub(crate) fn matter(world: &World, host: &Host, item: &Item) -> Vec<Sentence> {
    let bytes = match host.kind {
        HostKind::Blog => blog::text_bytes(world, item),
        _ => article::text_bytes(world, item),
    };
    world.society.as_ref().map(|society| society.matter(host, item, bytes)).unwrap_or_default()
}

/// Where the texts on a page link to, in the order of the page.
pub(crate) fn text_links(world: &World, host: &Host, item: &Item, page: usize) -> Vec<Vec<String>> {
    let of = |text| {
        let address = |(target, number): (&Host, usize)| {
            let mut url = format!("http://{}", target.name);
            world.push_path(&mut url, target, Route::Item { item: number, page: 1 });
            url
        };
        links(world, host, item, text).into_iter().map(address).collect()
    };
    match host.kind {
        HostKind::Forum => forum::posts_on_page(world, item, page).map(|n| of(Text::Reply(n))).collect(),
        HostKind::Blog => {
            std::iter::once(of(Text::Matter)).chain((0..item.replies).map(|n| of(Text::Reply(n)))).collect()
        }
        HostKind::News | HostKind::Hazard(_) => vec![of(Text::Matter)],
    }
}

fn links<'w>(world: &'w World, host: &'w Host, item: &Item, text: Text) -> Vec<(&'w Host, usize)> {
    let (key, count) = match text {
        Text::Matter => (0, matter(world, host, item).len().div_ceil(PARAGRAPH)),
        Text::Reply(number) if host.kind == HostKind::Forum && number.is_multiple_of(LINKED_POSTS) => {
            (1 + number as u64, 1)
        }
        Text::Reply(_) => return Vec::new(),
    };
    let mut dice = article::dice(world, host, item, 0x11_0000 + key);
    let most = world.config.links_per_page / 2;
    (0..count.min(most)).map(|_| world.choose_link(&mut dice, host, item)).collect()
}

/// All of a text: what it quotes, then paragraphs with a link at the end of each.
pub(super) fn push(sheet: &mut Sheet<'_>, item: &Item, text: Text) {
    let (world, host) = (sheet.world, sheet.host);
    let Some(society) = &world.society else { return };
    let sentences = match text {
        Text::Matter => matter(world, host, item),
        Text::Reply(number) => {
            if let Some(quote) = society.quote(world, host, item, number) {
                sheet.push("<blockquote><div><cite>");
                sheet.push(quote.author);
                sheet.push(Society::wrote(host.language));
                sheet.push("</cite>\n");
                push_escaped(&mut sheet.out, &quote.sentence.text);
                sheet.push("</div></blockquote>\n");
            }
            society.reply(world, host, item, number)
        }
    };
    let mut links = links(world, host, item, text).into_iter();
    let mut anchors = Dice::new(&[world.config.seed, 0xa4c, item.number as u64]);
    // Comments stand in a paragraph already.
    let (open, close) = match (text, host.kind) {
        (Text::Reply(_), HostKind::Blog) => ("", " "),
        _ => ("<p>", "</p>\n"),
    };
    for paragraph in sentences.chunks(PARAGRAPH) {
        sheet.push(open);
        for (place, sentence) in paragraph.iter().enumerate() {
            sheet.push(if place == 0 { "" } else { " " });
            push_escaped(&mut sheet.out, &sentence.text);
        }
        if let Some((target, number)) = links.next() {
            sheet.push(" ");
            // A title would name people whom the text does not.
            let words = anchors.pick(host.language.vague_anchors()).copied().unwrap_or_default();
            let target_item = world.item(target, number);
            sheet.item_link(target, &target_item, Anchor::Words(words));
        }
        sheet.push(close);
    }
}
