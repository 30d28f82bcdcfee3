//! Session ids in paths and queries, in the shapes that the wayback machine's canonicalisation takes out.
//! The key of an index line has to leave out exactly these, or other tools do not find it.

/// Looks for one kind of id at the start of the bytes and tells how many are left behind it.
type Shape = fn(&[u8]) -> Option<usize>;

/// Removes the last session id of each known kind. Letters count without case.
pub(crate) fn without_query_ids(query: &[u8]) -> Vec<u8> {
    let kinds: [Shape; 5] = [
        |at| after(at, b"jsessionid=").and_then(|at| run(at, 32, u8::is_ascii_alphanumeric)),
        |at| after(at, b"phpsessid=").and_then(|at| run(at, 32, u8::is_ascii_alphanumeric)),
        |at| after(at, b"sid=").and_then(|at| run(at, 32, u8::is_ascii_alphanumeric)),
        asp_session,
        cold_fusion,
    ];
    let mut query = query.to_vec();
    for kind in kinds {
        if let Some(shorter) = without_last(&query, kind) {
            query = shorter;
        }
    }
    query
}

fn without_last(query: &[u8], id: Shape) -> Option<Vec<u8>> {
    (0..query.len()).rev().find_map(|start| {
        let left = id(&query[start..])?;
        let rest = &query[query.len() - left..];
        let rest = match rest {
            [] => rest,
            [b'&', rest @ ..] => rest,
            _ => return None,
        };
        Some([&query[..start], rest].concat())
    })
}

/// The rest after a prefix, without case.
fn after<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// How many bytes are left after exactly `count` of a class.
fn run(text: &[u8], count: usize, class: fn(&u8) -> bool) -> Option<usize> {
    let (start, rest) = text.split_at_checked(count)?;
    start.iter().all(class).then_some(rest.len())
}

fn asp_session(text: &[u8]) -> Option<usize> {
    let text = after(text, b"aspsessionid")?;
    let left = run(text, 8, u8::is_ascii_alphabetic)?;
    let text = after(&text[text.len() - left..], b"=")?;
    run(text, 24, u8::is_ascii_alphabetic)
}

fn cold_fusion(text: &[u8]) -> Option<usize> {
    let value_end = |text: &[u8]| text.iter().position(|b| *b == b'&').unwrap_or(text.len());
    let text = after(text, b"cfid=")?;
    let end = value_end(text);
    let text = after(&text[end..], b"&cftoken=")?;
    let token_end = value_end(text);
    (end > 0 && token_end > 0).then_some(text.len() - token_end)
}

/// Removes ASP.NET's `/(S(…))/` or `/(…)/` in front of an `.aspx` page.
pub(crate) fn without_path_ids(path: &[u8]) -> Vec<u8> {
    let mut path = path.to_vec();
    for shape in [lettered_segment as Shape, bare_segment] {
        let shorter = (0..path.len()).rev().filter(|at| path[*at] == b'/').find_map(|slash| {
            let left = shape(&path[slash + 1..])?;
            let rest = &path[path.len() - left..];
            names_aspx(rest).then(|| [&path[..=slash], rest].concat())
        });
        if let Some(shorter) = shorter {
            path = shorter;
        }
    }
    path
}

/// `(a(24 characters)b(24 characters))/`
fn lettered_segment(text: &[u8]) -> Option<usize> {
    let mut text = after(text, b"(")?;
    let mut groups = 0;
    while let Some(left) = run(text, 1, u8::is_ascii_alphabetic) {
        let inner = after(&text[text.len() - left..], b"(")?;
        let left = run(inner, 24, u8::is_ascii_alphanumeric)?;
        text = after(&inner[inner.len() - left..], b")")?;
        groups += 1;
    }
    (groups > 0).then(|| after(text, b")/").map(<[u8]>::len)).flatten()
}

/// `(24 characters)/`
fn bare_segment(text: &[u8]) -> Option<usize> {
    let text = after(text, b"(")?;
    let left = run(text, 24, u8::is_ascii_alphanumeric)?;
    after(&text[text.len() - left..], b")/").map(<[u8]>::len)
}

fn names_aspx(rest: &[u8]) -> bool {
    let name_end = rest.iter().position(|b| *b == b'?').unwrap_or(rest.len());
    // At least one byte of a name before the extension, and no question mark before it.
    rest.windows(5).enumerate().any(|(at, w)| at > 0 && at <= name_end && w.eq_ignore_ascii_case(b".aspx"))
}

#[cfg(test)]
mod tests {
    use super::{without_path_ids, without_query_ids};

    #[test]
    fn session_ids_leave_the_query() {
        let id = "0123456789abcdefghijklmnopqrstuv";
        for (query, left) in [
            (format!("a=1&PHPSESSID={id}"), "a=1&"),
            (format!("jsessionid={id}&b=2"), "b=2"),
            (format!("jsessionid={id}x&b=2"), &*format!("jsessionid={id}x&b=2")),
            ("x=1&cfid=3&cftoken=4&y=2".to_owned(), "x=1&y=2"),
            ("aspsessionidABCDEFGH=abcdefghijklmnopqrstuvwx".to_owned(), ""),
        ] {
            assert_eq!(without_query_ids(query.as_bytes()), left.as_bytes(), "{query}");
        }
    }

    #[test]
    fn session_ids_leave_the_path_of_an_aspx_page() {
        let id = "abcdefghijklmnopqrstuvwx";
        for (path, left) in [
            (format!("/a/(s({id}))/page.aspx"), "/a/page.aspx"),
            (format!("/a/({id})/page.aspx?x"), "/a/page.aspx?x"),
            (format!("/a/({id})/page.html"), &*format!("/a/({id})/page.html")),
        ] {
            assert_eq!(without_path_ids(path.as_bytes()), left.as_bytes(), "{path}");
        }
    }
}
