//! Expressions: any text is one or a mistake, what is read is read again as it was, and many at once find what each finds alone.

use std::collections::HashSet;

use annalist_apps::automaton::{Builder, Pattern, Spot, select};
use annalist_apps::catalogue::BUILT_IN;
use annalist_apps::xpath::Expression;
use annalist_read::tree::{Tree, TreeLimits, parse};

const MOST_LINES: usize = 8;

/// With markup that is repaired: the table's text moves before it, the formatting is opened again.
const PAGE: &str = "<title>x</title><body id=b class='x post'><div class='post x' id=p1><a href=/1 title=x>x</a><p>a<p>b</div>\
    <div class=post id=p2>x<div class='post' id=p3><b>y<p>z</b>w</div></div><table>moved<tr><td class=x>1<td>2</table>\
    <ul><li>1<li class=post>2<ul><li>3</ul></ul><svg><a href=q></svg>";

/// The expressions of the catalogue, some in a seed.
pub(crate) fn made() -> Vec<Vec<u8>> {
    let all = BUILT_IN.iter().flat_map(|(_, text)| text.split(" at=\"").skip(1));
    let read = |rest: &str| {
        rest.split('"').next().unwrap_or_default().replace("&apos;", "'").replace("&quot;", "\"")
    };
    let lines: Vec<String> = all.map(read).collect();
    lines.chunks(3).map(|lines| lines.join("\n").into_bytes()).collect()
}

/// Each line is an expression.
pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut all = Vec::new();
    for line in text.lines().take(MOST_LINES) {
        match Expression::parse(line) {
            Ok(expression) => {
                let written = expression.to_string();
                assert_eq!(
                    Expression::parse(&written).as_ref(),
                    Ok(&expression),
                    "{line} is written {written}"
                );
                all.push(expression);
            }
            Err(fault) => assert!((1..=line.chars().count() + 1).contains(&fault.at), "{fault}"),
        }
    }
    let (tree, _) = parse(PAGE, &TreeLimits::default());
    let together = found(&tree, &all);
    for (expression, together) in all.iter().zip(together) {
        let alone = found(&tree, std::slice::from_ref(expression)).pop().unwrap_or_default();
        assert_eq!(alone, together, "{expression} among others");
        let nodes: HashSet<_> =
            together.iter().filter(|spot| spot.attribute.is_none()).map(|s| s.node).collect();
        let count = together.iter().filter(|spot| spot.attribute.is_none()).count();
        assert_eq!(nodes.len(), count, "{expression} finds a node twice");
    }
}

fn found<'t>(tree: &'t Tree, expressions: &[Expression]) -> Vec<Vec<Spot<'t>>> {
    let mut builder = Builder::default();
    let patterns: Vec<Pattern> = expressions.iter().map(|expression| builder.add(expression)).collect();
    let matches = builder.build().run(tree, &[]);
    let spots = |pattern: &Pattern| {
        let spots = select(tree, &matches, pattern);
        assert_eq!(matches.holds(pattern, tree), !spots.is_empty());
        spots
    };
    patterns.iter().map(spots).collect()
}
