//! A capture becomes a page.
//!
//! - `reader`: [`Reader`], the one way in: response head and bytes to [`annalist_model::Page`]
//! - `mime`: what the bytes are, whatever the server calls them
//! - `charset`: bytes to text
//! - `tree`: HTML as one arena tree, shared with whoever reads a page further
//! - `html`: one walk over the tree for links, text, title; `links` knows which attributes are addresses,
//!   `text` which elements are seen, `found` joins the links of a page
//!   (`text::plain` is the text of any place in a tree)
//! - `css`, `srcset`: addresses in style sheets and image lists
//! - `feed`, `sitemap`: lists of addresses in XML, read by `xml`
//! - `directives`: what pages and headers ask of robots, the Link header
//! - `language`: what language a text is in
//!
//! Not here: fetching, scope, scores. Reading never fails: an unreadable page says why.

pub mod charset;
pub mod css;
mod directives;
pub mod feed;
mod found;
mod html;
pub mod language;
mod links;
pub mod mime;
mod parts;
mod reader;
pub mod sitemap;
pub mod srcset;
pub mod text;
pub mod tree;
mod xml;

pub use reader::{Limits, READER_FAULT, Reader};
