//! What keeps archived pages in the archive, whatever is in them: headers that browsers enforce.
//!
//! No script runs, so nothing reads the address it is at, navigates by itself or talks to anybody; everything a page loads has to
//! come from replay's own origin. The reasons are in `docs/adr/0008-replay.md`.

use crate::asked::Answer;

/// Tokens of the sandbox: links may open windows, forms may be sent, things may be saved. The origin stays replay's own, since
/// fonts are asked for with it; without scripts it gives nothing away.
const SANDBOX: &str = "allow-same-origin allow-forms allow-popups allow-downloads";

/// The one type that is shown without a sandbox.
pub(crate) const PDF: &str = "application/pdf";

impl Answer {
    /// `framed_by` are the origins whose pages may show it in a frame, besides replay itself.
    pub(crate) fn wall(&mut self, framed_by: &[String]) {
        let framed_by = framed_by.iter().fold("'self'".to_owned(), |all, one| all + " " + one);
        // Browsers show PDF by a part of themselves that does not start in a sandbox. Nothing takes it for markup: types are not
        // guessed, and this one says nothing else.
        let is_pdf = self.header("Content-Type") == Some(PDF);
        let sandbox = if is_pdf { String::new() } else { format!("sandbox {SANDBOX}; ") };
        let policy = format!(
            "{sandbox}default-src 'self' data: blob:; script-src 'none'; style-src 'self' 'unsafe-inline' data: blob:; \
             connect-src 'none'; worker-src 'none'; frame-src 'self'; object-src 'self'; form-action 'self'; base-uri 'self'; \
             frame-ancestors {framed_by}"
        );
        self.push("Content-Security-Policy", &policy);
        self.push("X-Content-Type-Options", "nosniff");
        self.push("Referrer-Policy", "no-referrer");
        // Links are not looked up before they are followed.
        self.push("X-DNS-Prefetch-Control", "off");
        self.push("Cross-Origin-Resource-Policy", "same-site");
        self.push(
            "Permissions-Policy",
            "camera=(), display-capture=(), geolocation=(), microphone=(), payment=()",
        );
    }
}

/// Text as markup.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}
