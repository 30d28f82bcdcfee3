//! A number with a unit, as durations and sizes are written. Which units there are is in `duration.rs` and `size.rs`.

/// The value of `text` in the smallest unit: `1.5h` with an hour of 3,600,000 is 5,400,000. `None` when it is no
/// number with a known unit, does not come out whole, or is too large.
pub(super) fn parse(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let digits_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits_end);
    let unit = unit.trim_start();
    let (_, factor) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    let scale = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let whole: u64 = whole.parse().ok()?;
    let fraction: u64 = fraction.parse().ok()?;
    let scaled = (u128::from(whole) * scale + u128::from(fraction)).checked_mul(u128::from(*factor))?;
    if scaled % scale != 0 {
        return None;
    }
    u64::try_from(scaled / scale).ok()
}

/// `value` in the unit that needs the smallest whole number.
pub(super) fn display(value: u64, units: &[(&str, u64)]) -> String {
    let fits = units.iter().filter(|(name, factor)| !name.is_empty() && value.is_multiple_of(*factor));
    match fits.max_by_key(|(_, factor)| *factor) {
        Some((name, factor)) if value > 0 => format!("{}{name}", value / factor),
        _ => "0".to_owned(),
    }
}
