//! The keys under which the indexes of other tools may list an address. Our own is made in `surt.rs`.

use url::Url;

use crate::surt::surt_key;

/// How an index orders its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyOrder {
    /// `com,example)/path`
    Surt,
    /// `example.com/path`, as the oldest indexes have it.
    Address,
}

/// Every key to look under, the likeliest first.
pub(crate) fn lookup_keys(url: &str, order: KeyOrder) -> Vec<String> {
    let key = surt_key(url);
    let Some((host, rest)) = key.split_once(')') else { return vec![key] };
    let (labels, port) = host.split_once(':').map_or((host, None), |(labels, port)| (labels, Some(port)));
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    let www = www_of(url).unwrap_or_else(|| "www".to_owned());
    let mut keys = match order {
        KeyOrder::Surt => vec![key.clone(), format!("{labels},{www}{port}){rest}")],
        KeyOrder::Address => {
            let name = labels.rsplit(',').collect::<Vec<_>>().join(".");
            vec![format!("{name}{port}{rest}"), format!("{www}.{name}{port}{rest}")]
        }
    };
    if order == KeyOrder::Surt
        && let Some(plain) = plain_rest(url).filter(|plain| plain != rest)
    {
        keys.push(format!("{host}){plain}"));
    }
    keys
}

/// The first label of the host, if it is one that most tools leave out.
fn www_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let first = url.host_str()?.split('.').next()?;
    first
        .strip_prefix("www")
        .filter(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
        .map(|_| first.to_owned())
}

/// Path and query as tools that run in browsers leave them: in lower case and with the query sorted, but with session
/// ids, escapes and a slash at the end.
fn plain_rest(url: &str) -> Option<String> {
    let mut url = Url::parse(&url.to_lowercase()).ok()?;
    if url.query().is_some_and(|query| !query.is_empty()) {
        let mut pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        url.query_pairs_mut().clear().extend_pairs(pairs);
    }
    let query = url.query().filter(|query| !query.is_empty()).map(|query| format!("?{query}"));
    Some(format!("{}{}", url.path(), query.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::{KeyOrder, lookup_keys};

    #[test]
    fn an_address_is_looked_for_under_the_keys_of_every_tool() {
        for (url, keys) in [
            ("http://example.com/", vec!["com,example)/", "com,example,www)/"]),
            ("https://www.example.com/A/", vec!["com,example)/a", "com,example,www)/a", "com,example)/a/"]),
            ("http://www2.example.com:8080/a", vec!["com,example:8080)/a", "com,example,www2:8080)/a"]),
            (
                "http://a.test/x?PHPSESSID=0123456789abcdef0123456789abcdef&b=1&a=2",
                vec![
                    "test,a)/x?a=2&b=1",
                    "test,a,www)/x?a=2&b=1",
                    "test,a)/x?a=2&b=1&phpsessid=0123456789abcdef0123456789abcdef",
                ],
            ),
        ] {
            assert_eq!(lookup_keys(url, KeyOrder::Surt), keys, "{url}");
        }
        assert_eq!(
            lookup_keys("http://www.example.com:81/a/?B", KeyOrder::Address),
            ["example.com:81/a?b", "www.example.com:81/a?b"]
        );
        assert_eq!(lookup_keys("mailto:a@b", KeyOrder::Surt).len(), 1);
    }
}
