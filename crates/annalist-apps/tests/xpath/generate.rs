//! Small pages and expressions that have a chance to meet.

use annalist_apps::xpath::{Axis, Expression, NodeTest, Operator, Path, Predicate, Step, Test, Value};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const TAGS: [&str; 9] = ["div", "p", "a", "b", "span", "ul", "li", "table", "td"];
/// Among them what the HTML parser adds.
const NAMED: [&str; 12] = ["div", "p", "a", "b", "span", "ul", "li", "td", "tr", "html", "body", "q"];
const ATTRIBUTES: [&str; 3] = ["class", "id", "href"];
const VALUES: [&str; 7] = ["", "x", "y", "x y", "post", "postbody", "y post\tx"];

fn tag() -> impl Strategy<Value = String> {
    let attribute = (select(&ATTRIBUTES[..]), select(&VALUES[..]));
    (select(&TAGS[..]), vec(attribute, 0..3)).prop_map(|(tag, attributes)| {
        let attributes: String =
            attributes.iter().map(|(name, value)| format!(" {name}=\"{value}\"")).collect();
        format!("<{tag}{attributes}>")
    })
}

fn closing() -> impl Strategy<Value = String> {
    select(&TAGS[..]).prop_map(|tag| format!("</{tag}>"))
}

fn text() -> impl Strategy<Value = String> {
    select(&["x", "y", "x y", " ", "post", "<!-- c -->"][..]).prop_map(str::to_owned)
}

/// Well nested: what is opened is closed.
fn nested() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![text(), tag()];
    leaf.prop_recursive(5, 40, 5, |inner| {
        (tag(), vec(inner, 0..5)).prop_map(|(open, inside)| {
            let name = open.trim_start_matches('<').split([' ', '>']).next().unwrap_or_default().to_owned();
            format!("{open}{}</{name}>", inside.concat())
        })
    })
}

/// What is opened is closed sometimes, and what is closed was opened sometimes.
fn tangled() -> impl Strategy<Value = String> {
    vec(prop_oneof![3 => tag(), 2 => closing(), 2 => text()], 0..40).prop_map(|pieces| pieces.concat())
}

pub fn page() -> impl Strategy<Value = String> {
    prop_oneof![vec(nested(), 1..4).prop_map(|parts| parts.concat()), tangled()]
}

fn test() -> impl Strategy<Value = Test> {
    let value = prop_oneof![
        3 => select(&ATTRIBUTES[..]).prop_map(|name| Value::Attribute(name.to_owned())),
        1 => select(&NAMED[..]).prop_map(|name| Value::Child(name.to_owned())),
        1 => Just(Value::Own),
    ];
    let text = || select(&VALUES[..]).prop_map(str::to_owned);
    let operator = prop_oneof![
        Just(Operator::Exists),
        text().prop_map(Operator::Equals),
        text().prop_map(Operator::Contains),
        text().prop_map(Operator::StartsWith),
        text().prop_map(Operator::Has),
    ];
    (value, operator).prop_map(|(value, operator)| Test { value, operator })
}

fn predicate() -> impl Strategy<Value = Predicate> {
    prop_oneof![
        4 => test().prop_map(Predicate::Is),
        2 => test().prop_map(Predicate::IsNot),
        2 => (1u32..4).prop_map(Predicate::Position),
        1 => Just(Predicate::Last),
    ]
}

fn step(test: impl Strategy<Value = NodeTest>) -> impl Strategy<Value = Step> {
    let axis = prop_oneof![Just(Axis::Child), Just(Axis::Below)];
    let predicates = prop_oneof![2 => Just(Vec::new()), 3 => vec(predicate(), 1..4)];
    (axis, test, predicates).prop_map(|(axis, test, predicates)| Step { axis, test, predicates })
}

fn path() -> impl Strategy<Value = Path> {
    let element = prop_oneof![
        3 => select(&NAMED[..]).prop_map(|name| NodeTest::Tag(name.to_owned())),
        1 => Just(NodeTest::AnyTag),
    ];
    let end = prop_oneof![
        2 => select(&ATTRIBUTES[..]).prop_map(|name| NodeTest::Attribute(name.to_owned())),
        1 => Just(NodeTest::AnyAttribute),
        1 => Just(NodeTest::Text),
    ];
    (vec(step(element), 0..5), proptest::option::of(step(end))).prop_map(|(mut steps, end)| {
        steps.extend(end);
        // Most paths begin anywhere; nothing but the page's first element is found otherwise.
        if let Some(first) =
            steps.first_mut().filter(|first| first.test.is_element() && first.predicates.is_empty())
        {
            first.axis = Axis::Below;
        }
        Path { steps }
    })
}

pub fn expression() -> impl Strategy<Value = Expression> {
    prop_oneof![3 => vec(path(), 1..2), 1 => vec(path(), 2..4)].prop_map(|paths| Expression { paths })
}

/// An expression whose texts and names are anything that can be written.
pub fn any_expression() -> impl Strategy<Value = Expression> {
    (expression(), "[a-z_é][a-z0-9_:é-]{0,8}", "[^']{0,8}|[^\"]{0,8}").prop_map(
        |(mut expression, name, text)| {
            for step in expression.paths.iter_mut().flat_map(|path| &mut path.steps) {
                if let NodeTest::Tag(own) | NodeTest::Attribute(own) = &mut step.test {
                    *own = name.clone();
                }
                for predicate in &mut step.predicates {
                    let (Predicate::Is(test) | Predicate::IsNot(test)) = predicate else { continue };
                    if let Value::Attribute(own) | Value::Child(own) = &mut test.value {
                        *own = name.clone();
                    }
                    if let Operator::Equals(own) | Operator::Contains(own) = &mut test.operator {
                        *own = text.clone();
                    }
                }
            }
            expression
        },
    )
}
