//! robots.txt of healthy hosts, in the spellings one meets. What it forbids is known to `item.rs`.

use crate::answer::Response;
use crate::layout::{Host, RobotsKind, SitemapKind};

pub(super) fn robots(host: &Host) -> Response {
    let mut text = String::new();
    if host.number % 7 == 3 {
        text.push('\u{feff}');
    }
    text.push_str("# robots.txt\nUser-agent: BadBot\nDisallow: /\n\nUser-Agent: *\n");
    if host.robots == RobotsKind::Rules {
        text.push_str(match host.number % 3 {
            0 => "Disallow: /private/\n",
            1 => "disallow:/private # not for robots\nAllow: /private-but-open/\n",
            _ => "Disallow: /*rivate/\nAllow: /\nDisallow: /*.cgi$\n",
        });
    } else {
        text.push_str("Disallow:\n");
    }
    if let Some(seconds) = host.crawl_delay {
        text.push_str(&format!("Crawl-delay: {seconds}\n"));
    }
    if host.sitemap != SitemapKind::Absent {
        text.push_str(&format!("\nSitemap: http://{}/sitemap.xml\n", host.name));
    }
    if host.number % 5 == 2 {
        text = text.replace('\n', "\r\n");
    }
    Response::new(200, "text/plain", text)
}
