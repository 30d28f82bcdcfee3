//! What people write for a date, as a moment.
