//! HTML: a page comes out, all its links can be fetched, and the tree is one.

use annalist_read::tree::{NodeId, Step, TreeLimits, parse};

use super::page::read_as;

pub(crate) fn run(data: &[u8]) {
    read_as("text/html", data);
    check_tree(&String::from_utf8_lossy(data));
}

/// Every node is walked once, inside its parent. What a tag reopens comes on top of the limits.
fn check_tree(html: &str) {
    let limits = TreeLimits { depth: 40, nodes: 2000, ..TreeLimits::default() };
    let (tree, _) = parse(html, &limits);
    assert!(tree.len() <= limits.nodes + 2 * limits.depth, "{} nodes", tree.len());
    let mut open: Vec<NodeId> = Vec::new();
    let mut walked = 0;
    for step in tree.walk(NodeId::ROOT) {
        match step {
            Step::Enter(node) => {
                assert!(
                    open.is_empty() || tree.parent(node) == open.last().copied(),
                    "a node outside its parent"
                );
                open.push(node);
                walked += 1;
            }
            Step::Leave(node) => assert_eq!(open.pop(), Some(node), "a node is left that was not open"),
        }
        assert!(walked <= tree.len(), "a node is walked twice");
        assert!(open.len() <= 3 * limits.depth, "nested {} deep", open.len());
    }
    assert!(open.is_empty(), "a node stays open");
}
