//! RFC 9309 read plainly and without haste: what the real reader is compared with. Only rules, nothing beside them.

/// `(allows, pattern)`: the pattern in one spelling of percent-encoding, its `*` and final `$` kept.
pub(super) type Rule = (bool, Vec<Symbol>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Anything,
    End,
    Literal(u8),
}

/// The rules of the groups for `token`, or of those for everyone when there is none for it.
pub(super) fn rules(file: &[u8], token: &str) -> Vec<Rule> {
    let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
    let groups = groups(file);
    let of = |wanted: &dyn Fn(&str) -> bool| -> Option<Vec<Rule>> {
        let mine: Vec<&Group> =
            groups.iter().filter(|group| group.agents.iter().any(|agent| wanted(agent))).collect();
        (!mine.is_empty()).then(|| mine.into_iter().flat_map(|group| group.rules.clone()).collect())
    };
    of(&|agent| agent == token).or_else(|| of(&|agent| agent == "*")).unwrap_or_default()
}

pub(super) fn allowed(rules: &[Rule], target: &str) -> bool {
    if target == "/robots.txt" {
        return true;
    }
    let target = spelled(target.split('#').next().unwrap_or(target).as_bytes());
    let matching = rules.iter().filter(|(_, pattern)| matches(pattern, &target));
    let most = matching.max_by_key(|(allows, pattern)| (pattern.len(), *allows));
    most.is_none_or(|(allows, _)| *allows)
}

#[derive(Default)]
struct Group {
    agents: Vec<String>,
    rules: Vec<Rule>,
    closed: bool,
}

fn groups(file: &[u8]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for line in file.split(|b| b"\r\n".contains(b)) {
        let line = line.split(|b| *b == b'#').next().unwrap_or_default();
        let mut halves = line.splitn(2, |b| *b == b':');
        let (Some(key), Some(value)) = (halves.next(), halves.next()) else { continue };
        let value = value.trim_ascii();
        match key.trim_ascii().to_ascii_lowercase().as_slice() {
            b"user-agent" => {
                if groups.last().is_none_or(|group| group.closed) {
                    groups.push(Group::default());
                }
                let agents = groups.last_mut().map(|group| &mut group.agents);
                agents.into_iter().for_each(|agents| agents.push(agent(value)));
            }
            kind @ (b"allow" | b"disallow") => {
                // Rules before the first user-agent line are nobody's.
                let Some(group) = groups.last_mut() else { continue };
                group.closed = true;
                if !value.is_empty() {
                    group.rules.push((kind == b"allow", pattern(value)));
                }
            }
            _ => {}
        }
    }
    groups
}

/// `*`, or the product token that the value begins with.
fn agent(value: &[u8]) -> String {
    if value.starts_with(b"*") {
        return "*".to_owned();
    }
    let token = value.iter().take_while(|b| b.is_ascii_alphabetic() || b"-_".contains(b));
    token.map(|b| char::from(b.to_ascii_lowercase())).collect()
}

fn pattern(value: &[u8]) -> Vec<Symbol> {
    let (body, end) = match value.strip_suffix(b"$") {
        Some(body) => (body, Some(Symbol::End)),
        None => (value, None),
    };
    let mut symbols = Vec::new();
    for (index, piece) in body.split(|b| *b == b'*').enumerate() {
        if index > 0 && symbols.last() != Some(&Symbol::Anything) {
            symbols.push(Symbol::Anything);
        }
        symbols.extend(spelled(piece).into_iter().map(Symbol::Literal));
    }
    symbols.extend(end);
    symbols
}

/// Which symbols could be next, after every byte of the target.
fn matches(pattern: &[Symbol], target: &[u8]) -> bool {
    let mut open = vec![false; pattern.len() + 1];
    open[0] = true;
    skip_anything(pattern, &mut open);
    for byte in target {
        if open[pattern.len()] {
            return true;
        }
        let mut next = vec![false; pattern.len() + 1];
        for (at, symbol) in pattern.iter().enumerate().filter(|(at, _)| open[*at]) {
            match symbol {
                Symbol::Anything => next[at] = true,
                Symbol::Literal(literal) if literal == byte => next[at + 1] = true,
                Symbol::Literal(_) | Symbol::End => {}
            }
        }
        skip_anything(pattern, &mut next);
        open = next;
    }
    open[pattern.len()] || pattern.last() == Some(&Symbol::End) && open[pattern.len() - 1]
}

/// A star may stand for nothing.
fn skip_anything(pattern: &[Symbol], open: &mut [bool]) {
    for (at, symbol) in pattern.iter().enumerate() {
        if open[at] && *symbol == Symbol::Anything {
            open[at + 1] = true;
        }
    }
}

/// Unreserved characters plain, everything else that is not visible ASCII escaped, and so the two special characters.
fn spelled(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((first, tail)) = rest.split_first() {
        let escaped = (*first == b'%').then(|| tail.get(..2)).flatten();
        let value = escaped.and_then(|digits| {
            let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
            u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
        });
        let plain = match value {
            Some(byte) => byte.is_ascii_alphanumeric() || b"-._~".contains(&byte),
            None => first.is_ascii_graphic() && !b"*$".contains(first),
        };
        let byte = value.unwrap_or(*first);
        match plain {
            true => out.push(byte),
            false => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
        rest = if value.is_some() { &tail[2..] } else { tail };
    }
    out
}
