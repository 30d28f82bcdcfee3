//! Bytes that nobody meant: every parser that reads what strangers wrote, and what must hold whatever they wrote.
//!
//! - `targets/`: one parser a file. A target panics when something that must hold does not.
//! - `corpus/`: a folder of seeds for each target. An input that once broke a target becomes a file there: seeds are
//!   tried first and unchanged.
//! - `dictionaries/`: the words of each format, in libFuzzer's own syntax.
//! - [`seeds`], [`mutate`], [`hunt`]: seeds become inputs, the same ones for the same number, and one that breaks a
//!   target is made small. This is what runs on the stable compiler, in `tests/stable.rs`.
//! - `cargo-fuzz/`: the same targets under libFuzzer, for `make fuzz`.
//!
//! Not here: properties of well-formed values. They are tested beside the code.

pub mod hunt;
pub mod mutate;
pub mod seeds;
mod targets {
    pub(crate) mod catalogue;
    pub(crate) mod cdx;
    pub(crate) mod chunks;
    pub(crate) mod cookies;
    pub(crate) mod css;
    pub(crate) mod expression;
    pub(crate) mod feed;
    pub(crate) mod frequencies;
    pub(crate) mod html;
    pub(crate) mod http_head;
    pub(crate) mod page;
    pub(crate) mod replay;
    pub(crate) mod response;
    pub(crate) mod robots;
    pub(crate) mod scope;
    pub(crate) mod seed_file;
    pub(crate) mod sitemap;
    pub(crate) mod spec;
    pub(crate) mod srcset;
    pub(crate) mod surt;
    pub(crate) mod terms;
    pub(crate) mod url;
    pub(crate) mod wacz;
    pub(crate) mod warc;
}

/// A parser under test.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Also the name of its folder in `corpus/`, of its dictionary and of its cargo-fuzz binary.
    pub name: &'static str,
    /// Panics when something that must hold for any bytes does not.
    pub run: fn(&[u8]),
    /// Seeds that are easier made than written, beside those in the folder.
    pub made: fn() -> Vec<Vec<u8>>,
}

impl Target {
    const fn new(name: &'static str, run: fn(&[u8])) -> Target {
        Target { name, run, made: Vec::new }
    }
}

pub const TARGETS: &[Target] = &[
    Target { made: targets::warc::made, ..Target::new("warc", targets::warc::run) },
    Target { made: targets::wacz::made, ..Target::new("wacz", targets::wacz::run) },
    Target::new("http_head", targets::http_head::run),
    Target::new("chunks", targets::chunks::run),
    Target::new("response", targets::response::run),
    Target::new("cookies", targets::cookies::run),
    Target::new("robots", targets::robots::run),
    Target::new("page", targets::page::run),
    Target::new("html", targets::html::run),
    Target::new("feed", targets::feed::run),
    Target { made: targets::sitemap::made, ..Target::new("sitemap", targets::sitemap::run) },
    Target::new("css", targets::css::run),
    Target::new("srcset", targets::srcset::run),
    Target::new("replay", targets::replay::run),
    Target::new("spec", targets::spec::run),
    Target::new("seed_file", targets::seed_file::run),
    Target::new("scope", targets::scope::run),
    Target::new("url", targets::url::run),
    Target::new("surt", targets::surt::run),
    Target::new("cdx", targets::cdx::run),
    Target::new("terms", targets::terms::run),
    Target::new("frequencies", targets::frequencies::run),
    Target { made: targets::catalogue::made, ..Target::new("catalogue", targets::catalogue::run) },
    Target { made: targets::expression::made, ..Target::new("expression", targets::expression::run) },
];

/// The target of that name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Runs a target by its name, as the cargo-fuzz binaries do.
///
/// # Panics
/// When there is no such target, and when something that must hold does not.
pub fn run(name: &str, input: &[u8]) {
    let target = target(name);
    assert!(target.is_some(), "no target is called {name}");
    if let Some(target) = target {
        (target.run)(input);
    }
}
