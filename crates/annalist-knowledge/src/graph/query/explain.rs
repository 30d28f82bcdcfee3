//! The steps of an answer as people read them: one a line, what it is made of below it.

use std::fmt::Write;

use serde_json::Value;

pub fn write(json: &[u8], text: &mut String) {
    if let Ok(value) = serde_json::from_slice::<Value>(json) {
        step(&value["plan"], 0, text);
    }
}

fn step(plan: &Value, depth: usize, text: &mut String) {
    let name = plan["name"].as_str().unwrap_or("step");
    let rows = plan["number of results"].as_u64();
    let rows = rows.map_or_else(String::new, |rows| format!("{rows} rows"));
    let _ = writeln!(text, "{rows:>14}  {}{name}", "  ".repeat(depth));
    for child in plan["children"].as_array().into_iter().flatten() {
        step(child, depth + 1, text);
    }
}
