//! Which part of a body is asked for.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// No range, several, or one that is not understood: the whole is the answer.
    Whole,
    Part {
        from: u64,
        length: u64,
    },
    Unsatisfiable,
}

impl Range {
    pub(crate) fn of(header: &str, total: u64) -> Range {
        let Some((unit, spec)) = header.split_once('=') else { return Range::Whole };
        let Some((first, last)) = spec.trim().split_once('-') else { return Range::Whole };
        if !unit.trim().eq_ignore_ascii_case("bytes") {
            return Range::Whole;
        }
        let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let (first, last) = (first.trim(), last.trim());
        if !is_number(first) || !is_number(last) || (first.is_empty() && last.is_empty()) {
            return Range::Whole;
        }
        // Numbers beyond all bounds are just large.
        let number = |text: &str| text.parse::<u64>().unwrap_or(u64::MAX);
        let (from, to) = match (first.is_empty(), last.is_empty()) {
            (true, _) => (total.saturating_sub(number(last)), total),
            (_, true) => (number(first), total),
            _ if number(last) < number(first) => return Range::Whole,
            _ => (number(first), number(last).saturating_add(1).min(total)),
        };
        if from >= to { Range::Unsatisfiable } else { Range::Part { from, length: to - from } }
    }
}

#[cfg(test)]
mod tests {
    use super::Range;

    #[test]
    fn ranges_are_read_as_http_says() {
        let part = |from, length| Range::Part { from, length };
        for (header, expected) in [
            ("bytes=0-", part(0, 10)),
            ("bytes=2-3", part(2, 2)),
            ("Bytes = 2-300", part(2, 8)),
            ("bytes=-3", part(7, 3)),
            ("bytes=-300", part(0, 10)),
            ("bytes=9-99999999999999999999999", part(9, 1)),
            ("bytes=10-", Range::Unsatisfiable),
            ("bytes=-0", Range::Unsatisfiable),
            ("bytes=3-2", Range::Whole),
            ("bytes=-", Range::Whole),
            ("bytes=0-1,3-4", Range::Whole),
            ("lines=0-1", Range::Whole),
            ("bytes=+1-2", Range::Whole),
            ("", Range::Whole),
        ] {
            assert_eq!(Range::of(header, 10), expected, "{header}");
        }
        assert_eq!(Range::of("bytes=0-", 0), Range::Unsatisfiable);
    }
}
