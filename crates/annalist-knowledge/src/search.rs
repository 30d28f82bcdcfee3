//! Full-text search over pages and what was written on them.
