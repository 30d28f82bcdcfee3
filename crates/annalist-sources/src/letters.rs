//! Letters to a server that is told something: POST, by the program's own exchange with its guard. One try each, no
//! redirects: whoever writes decides what an answer means, and secrets go to nobody but the one they are for.

use std::time::Duration;

use annalist_model::{CanonicalUrl, Time};

use crate::connection::Connection;
use crate::error::FetchError;
use crate::request::{Wanted, is_field_text};
use crate::retry_after::retry_after;
use crate::web::WebSource;

/// How often it is looked whether somebody wants an end.
const GLANCE: Duration = Duration::from_millis(50);
/// What is told of an answer's text.
const MOST_TOLD: usize = 300;
/// A server that asks for more is asked another time.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// What is sent.
#[derive(Clone, Copy)]
pub struct Letter<'a> {
    pub content_type: &'a str,
    /// The value of the Authorization field.
    pub authorization: Option<&'a str>,
    pub body: &'a [u8],
}

/// Not what is in it: that is long, or secret.
impl std::fmt::Debug for Letter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes of {}", self.body.len(), self.content_type)
    }
}

/// What the server said to a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    /// The beginning of its text, on one line, without secrets and control characters.
    pub told: String,
    /// It says that this is HTML.
    pub is_page: bool,
    pub retry_after: Option<Duration>,
    pub location: Option<String>,
}

/// The line to one server.
#[derive(Debug)]
pub struct Letters {
    web: WebSource,
    connection: Connection,
    now: fn() -> Time,
}

impl Letters {
    pub fn new(web: WebSource, now: fn() -> Time) -> Letters {
        Letters { web, connection: Connection::default(), now }
    }

    /// Sends a letter and waits for the answer, for as long as nobody wants an end: `None` then.
    pub async fn send(
        &mut self,
        url: &CanonicalUrl,
        letter: Letter<'_>,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Option<Result<Reply, FetchError>> {
        let stopped = async {
            while !is_stopped() {
                tokio::time::sleep(GLANCE).await;
            }
        };
        tokio::select! {
            biased;
            () = stopped => None,
            reply = self.exchange(url, letter) => Some(reply),
        }
    }

    async fn exchange(&mut self, url: &CanonicalUrl, letter: Letter<'_>) -> Result<Reply, FetchError> {
        let now = (self.now)();
        let at = self.web.locate(url, now).await?.address?;
        let wanted = Wanted::Taken(letter);
        let capture = match self.web.ask(url, at, &mut self.connection, wanted, now).await {
            // The server gave the kept connection up: that is no answer yet.
            Err(FetchError::Stale) => self.web.ask(url, at, &mut self.connection, wanted, now).await?,
            answer => answer?,
        };
        let asked = capture.head.field("retry-after");
        let told = String::from_utf8_lossy(&capture.body);
        let kept = |text: &str| harmless(text, letter.authorization);
        let reply = Reply {
            status: capture.head.status,
            told: kept(&told),
            is_page: capture.head.field("content-type").is_some_and(is_html),
            retry_after: asked.and_then(|value| retry_after(value, (self.now)(), LONGEST_WAIT)),
            location: capture.head.location().as_deref().map(kept),
        };
        crate::archive::drop_block(capture);
        Ok(reply)
    }
}

fn is_html(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(kind.as_str(), "text/html" | "application/xhtml+xml")
}

/// The Authorization field: a password where there is a user, else a token. `None` for a token that fits no field.
pub fn authorization(user: Option<&str>, secret: &str) -> Option<String> {
    let field = match user {
        Some(user) => {
            format!("Basic {}", data_encoding::BASE64.encode(format!("{user}:{secret}").as_bytes()))
        }
        None => format!("Bearer {secret}"),
    };
    is_field_text(&field).then_some(field)
}

/// The beginning of what a server said, as it may be kept and printed: servers say again what they were told, secrets too.
fn harmless(text: &str, authorization: Option<&str>) -> String {
    let mut text = text.to_owned();
    for form in authorization.map(forms_of).unwrap_or_default() {
        text = text.replace(&form, "***");
    }
    let words = text.split(|c: char| c.is_whitespace() || steers(c)).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    annalist_model::link::shortened(&line, MOST_TOLD).to_owned()
}

/// Whether a terminal does something else with it than show it: control characters, and those that turn text around.
fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// How the secret of an Authorization field may be written, the longest form first.
fn forms_of(authorization: &str) -> Vec<String> {
    let credentials = authorization.split_once(' ').map_or(authorization, |(_, credentials)| credentials);
    let mut secrets = vec![credentials.to_owned()];
    if authorization.starts_with("Basic ") {
        let decoded = data_encoding::BASE64.decode(credentials.as_bytes()).unwrap_or_default();
        let login = String::from_utf8_lossy(&decoded);
        secrets.extend(login.split_once(':').map(|(_, password)| password.to_owned()));
        secrets.push(login.into_owned());
    }
    let mut forms = Vec::new();
    for secret in secrets {
        forms.push(data_encoding::BASE64_NOPAD.encode(secret.as_bytes()));
        forms.push(data_encoding::BASE64URL_NOPAD.encode(secret.as_bytes()));
        // As JSON has it.
        forms.push(secret.replace('\\', "\\\\").replace('"', "\\\""));
        forms.push(secret);
    }
    forms.retain(|form| !form.is_empty());
    forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
    forms
}

#[cfg(test)]
mod tests {
    use super::{Letter, authorization, harmless};

    #[test]
    fn a_secret_that_a_server_says_again_is_not_kept() {
        let login = authorization(Some("me"), "pä \"ss").unwrap();
        let kept = |text: &str| harmless(text, Some(&login));
        assert_eq!(kept(&format!("you said\n{login}!")), "you said Basic ***!");
        assert_eq!(kept("me:pä \"ss, pä \"ss, {\"pä \\\"ss\"}"), "***, ***, {\"***\"}");
        assert_eq!(kept(login.trim_start_matches("Basic ").trim_end_matches('=')), "***");
        let token = authorization(None, "t0ken?>").unwrap();
        let kept = |text: &str| harmless(text, Some(&token));
        assert_eq!(kept("https://a.test/?t0ken?>"), "https://a.test/?***");
        assert_eq!(kept("dDBrZW4/Pg== dDBrZW4_Pg"), "***== ***");
        // Where it would be cut in two, nothing of it is left.
        let long = "x".repeat(296);
        assert_eq!(kept(&format!("{long}t0ken?>")), format!("{long}***"));
        let empty = authorization(Some("me"), "").unwrap();
        assert_eq!(harmless("who are you?", Some(&empty)), "who are you?");
        assert_eq!(harmless("who are you?", None), "who are you?");
    }

    #[test]
    fn a_secret_is_a_password_or_a_token_and_never_ends_a_line() {
        assert_eq!(authorization(Some("me"), "pä:ss").unwrap(), "Basic bWU6cMOkOnNz");
        assert_eq!(authorization(None, "abc").unwrap(), "Bearer abc");
        assert_eq!(authorization(None, "a\r\nHost: b"), None);
    }

    #[test]
    fn what_a_server_says_cannot_steer_a_terminal() {
        let told = "\u{1b}]0;title\u{7}\u{1b}[2Jdone\u{9b}31m\0\u{7f} \u{202e}ko";
        assert_eq!(harmless(told, None), "]0;title [2Jdone 31m ko");
    }

    #[test]
    fn a_letter_shows_nothing_of_what_is_in_it() {
        let letter =
            Letter { content_type: "text/plain", authorization: Some("Bearer secret"), body: b"private" };
        assert_eq!(format!("{letter:?}"), "7 bytes of text/plain");
    }
}
