//! A whole web as an archive: every page that may be fetched, once, with what is true about it. For analyses that need pages
//! and no crawl. A web over years is in `past/`.

use std::io;
use std::path::Path;
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_warc::{DigestKind, Exchange, Record, RecordId, Writer, WriterSettings};
use uuid::Uuid;

use crate::answer::{Framing, Request};
use crate::calendar::seconds_at;
use crate::dice::Dice;
use crate::world::World;

const LEVEL: u8 = 1;

impl World {
    /// Writes `archive/*.warc.gz`, `indexes/*.cdxj`, `truth.json`, and `spec.toml`, by which `annalist extract` takes all of
    /// it. Says how many captures there are; the same files for the same configuration.
    pub fn write(&self, dir: &Path) -> io::Result<usize> {
        let mut settings = WriterSettings::new(&dir.join("archive"), &dir.join("indexes"), "kept", "testweb");
        settings.level = LEVEL;
        settings.warcinfo = vec![("software".to_owned(), "annalist-testweb".to_owned())];
        let mut dice = Dice::new(&[self.config.seed, 0xfe11]);
        let mut names = dice.clone();
        let id = move || Uuid::from_u64_pair(names.next() ^ 1, names.next());
        let mut writer = Writer::new(Arc::new(RealDisk), settings, id);
        // After the last page was written, a second for each.
        let mut at = seconds_at(2014, 3, 1) * 1000;
        let mut captures = 0;
        for page in self.truth().allowed_pages() {
            let answer = self.answer(&Request::get(&page.host, &page.path));
            let Some(response) = answer.response() else { continue };
            // As a client keeps it: chunks put together.
            let response = crate::Response { framing: Framing::Length, ..response.clone() };
            let mut block = Vec::new();
            response.push_head(&mut block);
            block.extend_from_slice(&response.body);
            let digest = DigestKind::Sha1.of(&response.body).to_string();
            let exchange = Exchange { target_uri: &page.url, started_ms: at, server: None };
            let id = RecordId::new(Uuid::from_u64_pair(dice.next(), dice.next()));
            writer
                .append(&[Record::response(id, &exchange, &digest, block)], at)
                .map_err(io::Error::other)?;
            at += 1000;
            captures += 1;
        }
        writer.close().map_err(io::Error::other)?;
        std::fs::write(dir.join("truth.json"), self.truth().to_json()?)?;
        std::fs::write(dir.join("spec.toml"), self.spec())?;
        Ok(captures)
    }

    /// All of it, out of the archive beside it.
    fn spec(&self) -> String {
        let mut toml = format!("name = \"kept-{}\"\n", self.config.seed);
        for host in self.truth().healthy_hosts() {
            toml.push_str(&format!("\n[[seed]]\nurl = \"http://{}/\"\nscope = \"any\"\n", host.name));
        }
        toml
    }
}
