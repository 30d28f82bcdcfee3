//! The words of the society, a file for each language. All people, organisations and most places are made up.

mod english;
mod french;
mod german;
mod greek;

pub(super) use english::ENGLISH;
pub(super) use french::FRENCH;
pub(super) use german::GERMAN;
pub(super) use greek::GREEK;
