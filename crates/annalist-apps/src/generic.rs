//! Main text, title, author, date and comments of pages that no catalogue describes.
