//! Addresses in sort-friendly form, host turned round: `com,example)/path`.
//!
//! [`surt_key`] follows the canonicalisation of the wayback machine and pywb to the byte, oddities included: an index
//! is only found by keys that are made the same way. What counts as one URL for the crawl is decided elsewhere.

use std::net::{IpAddr, Ipv4Addr};

use crate::session_ids::{without_path_ids, without_query_ids};

/// The key under which a CDXJ index lists a URL.
pub fn surt_key(url: &str) -> String {
    // Keys are one word on their line, so what is taken as it is must not hold spaces.
    canonical_key(url.as_bytes()).unwrap_or_else(|| url.replace(|c: char| c.is_ascii_whitespace(), "%20"))
}

struct Parts<'a> {
    scheme: &'a [u8],
    authority: Option<&'a [u8]>,
    path: &'a [u8],
    query: &'a [u8],
}

/// `None` for what is no address and is listed as it stands.
fn canonical_key(url: &[u8]) -> Option<String> {
    if url.is_empty() {
        return Some("-".to_owned());
    }
    // The wayback machine takes such names for their own keys.
    if url.starts_with(b"filedesc") {
        return None;
    }
    let url = with_one_scheme(url);
    let parts = split(&url)?;
    let (mut host, port) = parts.authority.map_or(Some((None, None)), host_and_port)?;
    let mut path = parts.path.to_vec();
    if host.is_none() && parts.scheme.starts_with(b"http") && !path.is_empty() {
        let all = path.iter().position(|b| *b != b'/').map_or(&path[path.len()..], |at| &path[at..]);
        let end = all.iter().position(|b| *b == b'/').unwrap_or(all.len());
        host = Some(all[..end].to_vec());
        path = [b"/", all.get(end + 1..).unwrap_or_default()].concat();
    }
    let host = host.filter(|host| !host.is_empty()).map(|host| canonical_host(&host, parts.scheme));
    let mut path = unescape_fully(&path);
    if host.is_some() {
        path = normal_path(&path);
    }
    let mut path = without_path_ids(&escape(&path).to_ascii_lowercase());
    if path.len() > 1 && path.ends_with(b"/") {
        path.pop();
    }
    let query = sorted_query(&without_query_ids(&escape(&unescape_fully(parts.query))).to_ascii_lowercase());

    let mut key = Vec::with_capacity(url.len());
    match host {
        Some(host) => {
            let labels: Vec<&[u8]> = host.split(|b| *b == b'.').rev().collect();
            key.extend_from_slice(&labels.join(&b','));
            if let Some(port) = port.filter(|port| Some(*port) != default_port(parts.scheme)) {
                key.extend_from_slice(format!(":{port}").as_bytes());
            }
            key.push(b')');
        }
        None => {
            key.extend_from_slice(parts.scheme);
            key.push(b':');
        }
    }
    if path.is_empty() && !query.is_empty() {
        path.push(b'/');
    }
    key.extend_from_slice(&path);
    if !query.is_empty() {
        key.push(b'?');
        key.extend_from_slice(&query);
    }
    String::from_utf8(key).ok()
}

/// Without white space around it and line ends inside it, and with exactly one scheme in front.
fn with_one_scheme(url: &[u8]) -> Vec<u8> {
    let is_space = |b: &u8| b.is_ascii_whitespace() || *b == 0x0b;
    let from = url.iter().position(|b| !is_space(b)).unwrap_or(url.len());
    let to = url.iter().rposition(|b| !is_space(b)).map_or(from, |at| at + 1);
    let mut clean: Vec<u8> = url[from..to].iter().copied().filter(|b| !b"\n\r\t".contains(b)).collect();
    if !clean.is_empty() && scheme_end(&clean).is_none() {
        clean.splice(0..0, *b"http://");
    }
    // `http://https://host/` is found in the wild; the last one counts.
    let mut last = 0;
    while let Some(next) = [&b"http://"[..], b"https://"]
        .into_iter()
        .find_map(|scheme| clean[last..].starts_with(scheme).then_some(last + scheme.len()))
    {
        let follows = clean[next..].starts_with(b"http://") || clean[next..].starts_with(b"https://");
        if !follows {
            break;
        }
        last = next;
    }
    clean.drain(..last);
    clean
}

fn scheme_end(url: &[u8]) -> Option<usize> {
    let colon = url.iter().position(|b| *b == b':')?;
    let (first, rest) = url[..colon].split_first()?;
    let is_scheme =
        first.is_ascii_alphabetic() && rest.iter().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b));
    is_scheme.then_some(colon)
}

fn split(url: &[u8]) -> Option<Parts<'_>> {
    let end = scheme_end(url)?;
    let (scheme, rest) = (&url[..end], &url[end + 1..]);
    let hash = rest.iter().position(|b| *b == b'#').unwrap_or(rest.len());
    let rest = &rest[..hash];
    let (authority, rest) = match rest.strip_prefix(b"//") {
        Some(after) => {
            let end = after.iter().position(|b| b"/?".contains(b)).unwrap_or(after.len());
            (Some(&after[..end]), &after[end..])
        }
        None => (None, rest),
    };
    let question = rest.iter().position(|b| *b == b'?').unwrap_or(rest.len());
    let query = rest.get(question + 1..).unwrap_or_default();
    Some(Parts { scheme, authority, path: &rest[..question], query })
}

/// `None` if the port is no number.
fn host_and_port(authority: &[u8]) -> Option<(Option<Vec<u8>>, Option<u16>)> {
    let colons = authority.iter().rev().take_while(|b| **b == b':').count();
    let authority = &authority[..authority.len() - colons];
    let at = authority.iter().rposition(|b| *b == b'@').map_or(0, |at| at + 1);
    let info = &authority[at..];
    let (host, port) = match info.iter().position(|b| *b == b'[') {
        Some(open) => {
            let inner = &info[open + 1..];
            let close = inner.iter().position(|b| *b == b']').unwrap_or(inner.len());
            let after = inner.get(close + 1..).unwrap_or_default();
            let colon = after.iter().position(|b| *b == b':').map_or(after.len(), |at| at + 1);
            (&inner[..close], &after[colon..])
        }
        None => {
            let colon = info.iter().position(|b| *b == b':').unwrap_or(info.len());
            (&info[..colon], info.get(colon + 1..).unwrap_or_default())
        }
    };
    let port = if port.is_empty() {
        None
    } else {
        let digits = std::str::from_utf8(port).ok().filter(|p| p.bytes().all(|b| b.is_ascii_digit()))?;
        Some(digits.parse::<u16>().ok()?).filter(|port| *port != 0)
    };
    Some(((!host.is_empty()).then(|| host.to_vec()), port))
}

fn default_port(scheme: &[u8]) -> Option<u16> {
    match scheme.to_ascii_lowercase().as_slice() {
        b"http" => Some(80),
        b"https" => Some(443),
        _ => None,
    }
}

fn canonical_host(host: &[u8], scheme: &[u8]) -> Vec<u8> {
    // Two dots become one, three become two: as the original does it.
    let mut host = replace_pairs(&in_ascii(unescape_fully(&host.to_ascii_lowercase())));
    while host.first() == Some(&b'.') {
        host.remove(0);
    }
    while host.last() == Some(&b'.') {
        host.pop();
    }
    let host = match loose_ipv4(&host) {
        Some(address) => address.to_string().into_bytes(),
        None => escape(&host.to_ascii_lowercase()).to_ascii_lowercase(),
    };
    if scheme == b"dns" {
        return host;
    }
    let digits =
        host.strip_prefix(b"www").map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count());
    match host.get(3 + digits..) {
        Some([b'.', rest @ ..]) if host.starts_with(b"www") => rest.to_vec(),
        _ => host,
    }
}

/// International names in their ASCII form.
fn in_ascii(host: Vec<u8>) -> Vec<u8> {
    if host.is_ascii() {
        return host;
    }
    match url::Host::parse(&String::from_utf8_lossy(&host)) {
        Ok(url::Host::Domain(name)) => name.into_bytes(),
        _ => host,
    }
}

fn replace_pairs(host: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(host.len());
    let mut rest = host;
    while let Some((first, tail)) = rest.split_first() {
        out.push(*first);
        rest = if *first == b'.' { tail.strip_prefix(b".").unwrap_or(tail) } else { tail };
    }
    out
}

/// Addresses as old C libraries read them: one to four numbers, octal with a leading zero, the last one filling up.
fn loose_ipv4(host: &[u8]) -> Option<Ipv4Addr> {
    let text = std::str::from_utf8(host).ok()?;
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    if !text.contains('.') {
        let number = text.bytes().fold(0_u32, |n, b| n.wrapping_mul(10).wrapping_add(u32::from(b - b'0')));
        return Some(Ipv4Addr::from(number));
    }
    let numbers: Vec<u32> = text.split('.').map(loose_number).collect::<Option<_>>()?;
    let (last, leading) = numbers.split_last()?;
    if leading.len() > 3 || leading.iter().any(|n| *n > 255) {
        return None;
    }
    let room = 32 - 8 * leading.len() as u32;
    if room < 32 && *last >= 1 << room {
        return None;
    }
    let high = leading.iter().enumerate().fold(0, |sum, (at, n)| sum | n << (24 - 8 * at));
    Some(Ipv4Addr::from(high | last))
}

fn loose_number(text: &str) -> Option<u32> {
    match text.strip_prefix('0') {
        Some("") => Some(0),
        Some(octal) => u32::from_str_radix(octal, 8).ok(),
        None => text.parse().ok(),
    }
}

fn normal_path(path: &[u8]) -> Vec<u8> {
    if path.is_empty() {
        return b"/".to_vec();
    }
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|b| *b == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if !kept.is_empty() => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
    }
    let mut normal = b"/".to_vec();
    if let Some((last, leading)) = kept.split_last() {
        for segment in leading.iter().filter(|segment| !segment.is_empty()) {
            normal.extend_from_slice(segment);
            normal.push(b'/');
        }
        normal.extend_from_slice(last);
    }
    normal
}

fn sorted_query(query: &[u8]) -> Vec<u8> {
    if query.len() <= 1 {
        return query.to_vec();
    }
    let mut pairs: Vec<(&[u8], Option<&[u8]>)> = query
        .split(|b| *b == b'&')
        .map(|pair| match pair.iter().position(|b| *b == b'=') {
            Some(at) => (&pair[..at], Some(&pair[at + 1..])),
            None => (pair, None),
        })
        .collect();
    pairs.sort();
    let mut sorted = Vec::with_capacity(query.len());
    for (index, (name, value)) in pairs.into_iter().enumerate() {
        if index > 0 {
            sorted.push(b'&');
        }
        sorted.extend_from_slice(name);
        if let Some(value) = value {
            sorted.push(b'=');
            sorted.extend_from_slice(value);
        }
    }
    sorted
}

/// Percent escapes undone until none is left.
fn unescape_fully(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    loop {
        let shorter = unescape(&text);
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, tail)) = rest.split_first() {
        if let (b'%', [high, low, after @ ..]) = (*first, tail)
            && let (Some(high), Some(low)) = (digit(*high), digit(*low))
        {
            out.push((high * 16 + low) as u8);
            rest = after;
        } else {
            out.push(*first);
            rest = tail;
        }
    }
    out
}

/// Escapes what is not printable ASCII, the space, `#` and `%`.
fn escape(text: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if matches!(byte, b'!'..=b'~') && !b"#%".contains(byte) {
            out.push(*byte);
        } else {
            out.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
    out
}

/// The form that scope rules are written in: `http://(org,example,www,)/path`.
///
/// As in Heritrix, https counts as http, the user is left out, and addresses of machines keep their order. Prefixes of
/// such forms name domains (`http://(org,example,`), hosts (`http://(org,example,)`) and paths.
pub fn surt_prefix_form(url: &str) -> String {
    let Some(parts) = split(url.as_bytes()) else { return url.to_owned() };
    let Some((Some(host), port)) = parts.authority.and_then(host_and_port) else { return url.to_owned() };
    let host = String::from_utf8_lossy(&host).to_ascii_lowercase();
    let scheme = String::from_utf8_lossy(parts.scheme).to_ascii_lowercase();
    let port = port.filter(|port| Some(*port) != default_port(parts.scheme));
    let scheme = if scheme == "https" { "http" } else { &scheme };
    let mut form = format!("{scheme}://(");
    if host.parse::<IpAddr>().is_ok() {
        form.push_str(&host);
    } else {
        for label in host.trim_end_matches('.').rsplit('.') {
            form.push_str(label);
            form.push(',');
        }
    }
    if let Some(port) = port {
        form.push_str(&format!(":{port}"));
    }
    form.push(')');
    form.push_str(if parts.path.is_empty() { "/" } else { std::str::from_utf8(parts.path).unwrap_or("/") });
    if !parts.query.is_empty() {
        form.push('?');
        form.push_str(&String::from_utf8_lossy(parts.query));
    }
    form
}
