//! The automaton finds what a slow evaluator finds, and every expression is written as it is read.

#![expect(clippy::indexing_slicing, reason = "a test may fail")]

#[path = "xpath/generate.rs"]
mod generate;
#[path = "xpath/reference.rs"]
mod reference;

use annalist_apps::automaton::{Beside, Builder, Pattern, select};
use annalist_apps::xpath::{Axis, Expression, NodeTest, Predicate, Value};
use annalist_read::tree::{NodeId, Tree, TreeLimits, parse};
use generate::{any_expression, expression, page};
use proptest::collection::vec;
use proptest::prelude::*;
use reference::Reference;

/// One element and what stands at its end, without counts and words of its neighbours: there are none beside a page.
fn is_alone(expression: &Expression) -> bool {
    let is_about_itself = |predicate: &Predicate| match predicate {
        Predicate::Is(test) | Predicate::IsNot(test) => matches!(test.value, Value::Attribute(_)),
        Predicate::Position(_) | Predicate::Last => false,
    };
    expression.paths.iter().all(|path| {
        let [element] = path.split().0 else { return false };
        element.axis == Axis::Below
            && element.test == NodeTest::Tag("span".to_owned())
            && element.predicates.iter().all(is_about_itself)
    })
}

fn tree(html: &str) -> Tree {
    parse(html, &TreeLimits::default()).0
}

/// What one automaton made of all expressions finds for each.
fn found<'t>(tree: &'t Tree, expressions: &[Expression]) -> Vec<Vec<(NodeId, Option<&'t str>)>> {
    let mut builder = Builder::default();
    let patterns: Vec<Pattern> = expressions.iter().map(|expression| builder.add(expression)).collect();
    let matches = builder.build().run(tree, &[]);
    for pattern in &patterns {
        assert_eq!(matches.holds(pattern, tree), !select(tree, &matches, pattern).is_empty());
    }
    let spots =
        |pattern| select(tree, &matches, pattern).iter().map(|spot| (spot.node, spot.attribute)).collect();
    patterns.iter().map(spots).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn all_expressions_at_once_find_what_each_finds_step_by_step(
        html in page(),
        expressions in vec(expression(), 1..30),
    ) {
        let tree = tree(&html);
        let reference = Reference::new(&tree);
        for (found, expression) in found(&tree, &expressions).iter().zip(&expressions) {
            prop_assert_eq!(found, &reference.evaluate(expression), "{} in {}", expression, &html);
        }
    }

    #[test]
    fn an_expression_is_read_as_it_was_written(expression in any_expression()) {
        prop_assert_eq!(Expression::parse(&expression.to_string()), Ok(expression));
    }

    #[test]
    fn any_text_is_an_expression_or_an_error(
        text in "[a-z/@*.|()\\[\\]'\" =,0-9é-]{0,40}",
        any in any::<String>(),
        cut in 0usize..60,
        expression in any_expression(),
    ) {
        let written: String = expression.to_string().chars().take(cut).collect();
        for text in [&text, &any, &written, &format!("{written}{text}")] {
            match Expression::parse(text) {
                Ok(read) => prop_assert_eq!(Expression::parse(&read.to_string()), Ok(read)),
                Err(fault) => prop_assert!((1..=text.chars().count() + 1).contains(&fault.at), "{}", fault),
            }
        }
    }

    #[test]
    fn what_is_beside_the_page_can_be_looked_up(
        expressions in vec(expression(), 1..60),
        class in "x|y|post",
    ) {
        // The same element in a page, where the slow evaluator finds it.
        let as_page = tree(&format!("<span class=\"{class}\" id=\"x y\"></span>"));
        let attributes = vec![("class", class), ("id", "x y".to_owned())];
        let beside = [Beside { tag: "span", attributes }];
        let mut builder = Builder::default();
        let expressions: Vec<_> = expressions.into_iter().filter(is_alone).collect();
        let patterns: Vec<Pattern> = expressions.iter().map(|expression| builder.add(expression)).collect();
        let empty = tree("");
        let matches = builder.build().run(&empty, &beside);
        for (pattern, expression) in patterns.iter().zip(&expressions) {
            let expected = !Reference::new(&as_page).evaluate(expression).is_empty();
            prop_assert_eq!(matches.holds(pattern, &empty), expected, "{}", expression);
        }
    }
}

#[test]
fn the_slow_evaluator_itself_finds_what_xpath_finds() {
    let html = "<div id=1 class='post x'><p>one<b>two</b></p><p>three</p></div><div id=2><p><a href=u>four</a></p></div>";
    let tree = tree(html);
    let reference = Reference::new(&tree);
    for (text, expected) in [
        ("div/@id", vec!["1", "2"]),
        ("div//p[1]", vec!["onetwo", "four"]),
        ("div[1]/p[2]", vec!["three"]),
        ("div[last()]/p", vec!["four"]),
        ("div[2][1]/@id", vec!["2"]),
        ("div[@class][1]/@id | div[not(@class)][1]/@id", vec!["1", "2"]),
        ("p[b='two']/text()", vec!["one"]),
        ("p[contains(.,'our')]//@href", vec!["u"]),
        ("div[has(@class,'post')]//@id", vec!["1"]),
        ("a//@href | a/@*", vec!["u"]),
        ("./html/body/div[starts-with(@class,'po')]/p[.='three']", vec!["three"]),
        ("@id[.='2']", vec!["2"]),
        ("./div", vec![]),
    ] {
        let found = reference.evaluate(&Expression::parse(text).unwrap());
        let shown = found.iter().map(|(node, attribute)| match attribute {
            Some(value) => (*value).to_owned(),
            None => annalist_read::text::plain(&tree, *node, &|_| false),
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{text}");
    }
}
