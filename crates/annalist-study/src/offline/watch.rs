//! Who looks on at a study, and may end it.

use annalist_knowledge::Watch;

/// Who looks on. Every way through the writings tells of each of them, and asks at each whether it is to end there.
pub trait StudyWatch: Watch {
    /// A new part of the work, of so many writings.
    fn begin(&self, what: &'static str, writings: u64);
    /// A new part of the work, of so many bytes of the archive.
    fn begin_bytes(&self, what: &'static str, bytes: u64);
    fn done(&self, writings: u64);
}

/// Nobody looks on.
impl StudyWatch for () {
    fn begin(&self, _: &'static str, _: u64) {}
    fn begin_bytes(&self, _: &'static str, _: u64) {}
    fn done(&self, _: u64) {}
}
