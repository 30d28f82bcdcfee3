//! What is lifted out of a page: posts, comments, articles, with who wrote them and when. How they are found is in `annalist-apps`.

use serde::{Deserialize, Serialize};

/// One thing that somebody wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Object {
    /// `post`, `comment`, `article`, `page`, or what a catalogue calls it.
    #[serde(rename = "type")]
    pub kind: String,
    /// The same for the same thing, under whatever address it is seen.
    pub id: String,
    /// Its own address: of the page, or of its place in it.
    pub url: Option<String>,
    pub author: Option<String>,
    /// RFC 3339
    pub date: Option<String>,
    pub title: Option<String>,
    /// Plain text, a line for each block.
    pub body: String,
    /// The id of the object it answers or belongs to.
    pub parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_url: Option<String>,
    /// RFC 3339
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// The address of the thread's first page: what the posts of many pages have in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_title: Option<String>,
    /// The board or section it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forum: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<String>,
    /// What it quotes from others; also part of the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
    /// Addresses of pictures and files that belong to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}
