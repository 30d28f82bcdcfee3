//! Expressions, step by step and one by one, as XPath 1.0 says: slow, and written without a look at the automaton.
//!
//! Where `docs/catalogue.md` differs from XPath it counts: a condition needs a value that is there (XPath takes a missing one for
//! empty), one on a child holds if any child of that name fulfils it (XPath asks the first), and white space in texts is folded.

use std::collections::BTreeSet;

use annalist_apps::xpath::{Axis, Expression, NodeTest, Path, Predicate, Step, Test, Value};
use annalist_read::tree::{self, NodeId, Tree};

/// What an expression can find: a node, or one of its attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// In the page's order.
    position: usize,
    /// Its number among the attributes of the node, counted from 1; 0 is the node itself.
    attribute: usize,
}

/// Nodes by their place in the page.
pub struct Reference<'t> {
    tree: &'t Tree,
    nodes: Vec<NodeId>,
}

impl<'t> Reference<'t> {
    pub fn new(tree: &'t Tree) -> Reference<'t> {
        let below = tree.walk(NodeId::ROOT).filter_map(|step| match step {
            tree::Step::Enter(node) => Some(node),
            tree::Step::Leave(_) => None,
        });
        Reference { tree, nodes: std::iter::once(NodeId::ROOT).chain(below).collect() }
    }

    /// All that an expression finds, in the page's order: the node, and the value if it is an attribute.
    pub fn evaluate(&self, expression: &Expression) -> Vec<(NodeId, Option<&'t str>)> {
        let found: BTreeSet<Place> = expression.paths.iter().flat_map(|path| self.path(path)).collect();
        found.into_iter().map(|place| (self.node(place), self.attribute(place).map(|(_, v)| v))).collect()
    }

    fn path(&self, path: &Path) -> BTreeSet<Place> {
        let mut context = BTreeSet::from([Place { position: 0, attribute: 0 }]);
        for step in &path.steps {
            context = context.iter().flat_map(|place| self.step(*place, step)).collect();
        }
        context
    }

    /// `//x` is short for `/descendant-or-self::node()/x`: places are counted below each parent.
    fn step(&self, context: Place, step: &Step) -> Vec<Place> {
        let parents = match step.axis {
            Axis::Child => vec![context],
            Axis::Below => self.with_all_below(context),
        };
        parents.into_iter().flat_map(|parent| self.fitting(parent, step)).collect()
    }

    fn fitting(&self, parent: Place, step: &Step) -> Vec<Place> {
        let mut found: Vec<Place> = match &step.test {
            NodeTest::Attribute(_) | NodeTest::AnyAttribute => self.attributes(parent),
            _ => self.children(parent),
        };
        found.retain(|place| self.is_of(*place, &step.test));
        for predicate in &step.predicates {
            let size = found.len();
            let holds = |(index, place): &(usize, Place)| match predicate {
                Predicate::Is(test) => self.holds(*place, test),
                Predicate::IsNot(test) => !self.holds(*place, test),
                Predicate::Position(number) => index + 1 == *number as usize,
                Predicate::Last => index + 1 == size,
            };
            found = found.into_iter().enumerate().filter(holds).map(|(_, place)| place).collect();
        }
        found
    }

    fn is_of(&self, place: Place, test: &NodeTest) -> bool {
        let tag = self.tree.element(self.node(place)).map(|element| element.name().to_string());
        match test {
            NodeTest::Tag(name) => tag.as_ref() == Some(name),
            NodeTest::AnyTag => tag.is_some(),
            NodeTest::Attribute(name) => self.attribute(place).is_some_and(|(own, _)| own == *name),
            NodeTest::AnyAttribute => true,
            NodeTest::Text => self.tree.text(self.node(place)).is_some(),
        }
    }

    fn holds(&self, place: Place, test: &Test) -> bool {
        let values: Vec<String> = match &test.value {
            Value::Own => vec![self.string(place)],
            Value::Attribute(name) => {
                let named = |place: &Place| self.attribute(*place).filter(|(own, _)| own == name);
                self.attributes(place).iter().filter_map(named).map(|(_, value)| value.to_owned()).collect()
            }
            Value::Child(name) => {
                let test = NodeTest::Tag(name.clone());
                let children = self.children(place).into_iter().filter(|child| self.is_of(*child, &test));
                children.map(|child| self.string(child)).collect()
            }
        };
        values.iter().any(|value| test.operator.holds(value))
    }

    /// XPath's string-value, white space folded unless it is an attribute's.
    fn string(&self, place: Place) -> String {
        if let Some((_, value)) = self.attribute(place) {
            return value.to_owned();
        }
        let all = self.with_all_below(place);
        let text: String = all.iter().filter_map(|place| self.tree.text(self.node(*place))).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn node(&self, place: Place) -> NodeId {
        self.nodes[place.position]
    }

    fn attribute(&self, place: Place) -> Option<(String, &'t str)> {
        let mut all = self.tree.element(self.node(place))?.attributes();
        all.nth(place.attribute.checked_sub(1)?).map(|(name, value)| (name.to_string(), value))
    }

    fn attributes(&self, place: Place) -> Vec<Place> {
        let element = self.tree.element(self.node(place)).filter(|_| place.attribute == 0);
        let count = element.map_or(0, |element| element.attributes().count());
        (1..=count).map(|attribute| Place { attribute, ..place }).collect()
    }

    fn children(&self, place: Place) -> Vec<Place> {
        let node = Some(self.node(place)).filter(|_| place.attribute == 0);
        let is_child = |position: &usize| node.is_some() && self.tree.parent(self.nodes[*position]) == node;
        (1..self.nodes.len()).filter(is_child).map(|position| Place { position, attribute: 0 }).collect()
    }

    fn with_all_below(&self, place: Place) -> Vec<Place> {
        let below = self.children(place).into_iter().flat_map(|child| self.with_all_below(child));
        std::iter::once(place).chain(below).collect()
    }
}
