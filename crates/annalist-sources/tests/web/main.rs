//! The web source against servers on loopback that send scripted bytes.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its server has failed")]

mod limits;
mod server;
mod tls;
mod verbatim;
