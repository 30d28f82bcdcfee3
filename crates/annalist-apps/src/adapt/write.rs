//! What was learned of a site as a catalogue file, with notes for people.

use std::fmt::Write as _;

use super::{Changed, Lesson};
use crate::catalogue::{Description, FieldRule, LevelDescription, ObjectRule, Sign};
use crate::dates::Order;

/// The file of a site.
pub fn to_xml(site: &Description, lessons: &[&Lesson]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let extends = site.extends.as_deref().map(|id| format!(" extends={}", quoted(id))).unwrap_or_default();
    let _ = writeln!(out, "<application id={} name={}{extends}>", quoted(&site.id), quoted(&site.name));
    let _ =
        writeln!(out, "  <note>Learned while crawling; what is here comes before what it extends.</note>");
    for change in lessons.iter().flat_map(|lesson| &lesson.changes) {
        let _ = writeln!(out, "  <note>{}</note>", escaped(&sentence(change)));
    }
    let _ = writeln!(out, "  <detect>");
    site.signs.iter().for_each(|sign| write_sign(&mut out, sign, 4));
    let _ = writeln!(out, "  </detect>");
    site.levels.iter().for_each(|level| write_level(&mut out, level));
    out.push_str("</application>\n");
    out
}

fn sentence(change: &Changed) -> String {
    let Changed { what, before, now, how, example } = change;
    let example = if example.is_empty() { String::new() } else { format!("; finds: {example}") };
    let before = if before.is_empty() { "nothing" } else { before };
    format!("{what}: {now} ({how}){example}. Before: {before}")
}

fn write_level(out: &mut String, level: &LevelDescription) {
    let _ = writeln!(out, "  <level id={}>", quoted(&level.id));
    if let Some(signs) = &level.signs {
        let _ = writeln!(out, "    <detect>");
        signs.iter().for_each(|sign| write_sign(out, sign, 6));
        let _ = writeln!(out, "    </detect>");
    }
    level.objects.iter().for_each(|object| write_object(out, object));
    let _ = writeln!(out, "  </level>");
}

fn write_sign(out: &mut String, sign: &Sign, indent: usize) {
    let pad = " ".repeat(indent);
    let group = |out: &mut String, name: &str, signs: &[Sign]| {
        let _ = writeln!(out, "{pad}<{name}>");
        signs.iter().for_each(|sign| write_sign(out, sign, indent + 2));
        let _ = writeln!(out, "{pad}</{name}>");
    };
    match sign {
        Sign::Markup(at) => {
            let _ = writeln!(out, "{pad}<markup at={}/>", quoted(&at.to_string()));
        }
        Sign::Text(text) => {
            let _ = writeln!(out, "{pad}<text contains={}/>", quoted(text));
        }
        Sign::Inherited => {
            let _ = writeln!(out, "{pad}<inherited/>");
        }
        Sign::All(signs) => group(out, "all", signs),
        Sign::Any(signs) => group(out, "any", signs),
        Sign::None(signs) => group(out, "none", signs),
        Sign::Address(address) => {
            let pairs = |list: &[(String, Option<String>)]| {
                let words = list.iter().map(|(name, value)| match value {
                    Some(value) => format!("{name}={value}"),
                    None => name.clone(),
                });
                words.collect::<Vec<_>>().join(" ")
            };
            let _ = write!(out, "{pad}<url");
            for (name, value) in [
                ("host", address.host.clone().unwrap_or_default()),
                ("path", address.path.clone().unwrap_or_default()),
                ("has", pairs(&address.has)),
                ("without", pairs(&address.without)),
                (
                    "matches",
                    address.matches.as_ref().map(|regex| regex.as_str().to_owned()).unwrap_or_default(),
                ),
            ] {
                if !value.is_empty() {
                    let _ = write!(out, " {name}={}", quoted(&value));
                }
            }
            out.push_str("/>\n");
        }
    }
}

fn write_object(out: &mut String, object: &ObjectRule) {
    let extent = if object.is_run { " extent=\"run\"" } else { "" };
    let parent = object.parent.as_deref().map(|kind| format!(" parent={}", quoted(kind))).unwrap_or_default();
    let at = quoted(&object.at.to_string());
    let only = if object.is_only { " only=\"yes\"" } else { "" };
    let _ = writeln!(out, "    <object type={} at={at}{extent}{parent}{only}>", quoted(&object.kind));
    object.fields.iter().for_each(|field| write_field(out, field));
    let _ = writeln!(out, "    </object>");
}

fn write_field(out: &mut String, rule: &FieldRule) {
    let name = rule.field.name();
    let _ = write!(out, "      <{name}");
    let order = rule.hints.order.map(|order| match order {
        Order::Dmy => "dmy",
        Order::Mdy | Order::English => "mdy",
        Order::Ymd => "ymd",
    });
    for (name, value) in [
        ("at", rule.at.as_ref().map(ToString::to_string)),
        ("value", rule.value.clone()),
        ("match", rule.matches.as_ref().map(|regex| regex.as_str().to_owned())),
        ("format", rule.hints.format.clone()),
        ("order", order.map(str::to_owned)),
        ("zone", rule.hints.zone.clone()),
    ] {
        if let Some(value) = value {
            let _ = write!(out, " {name}={}", quoted(&value));
        }
    }
    if rule.is_local {
        out.push_str(" within=\"thread\"");
    }
    if rule.leave_out.is_empty() {
        out.push_str("/>\n");
        return;
    }
    out.push('>');
    for at in &rule.leave_out {
        let _ = write!(out, "<leave-out at={}/>", quoted(&at.to_string()));
    }
    let _ = writeln!(out, "</{name}>");
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text).replace('"', "&quot;"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
