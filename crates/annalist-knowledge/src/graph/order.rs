//! The four orders in which statements are kept. Whatever part of a statement is known, one of them has all that fit in
//! one place.

/// Subject, predicate, object, graph.
pub type Quad<T> = [T; 4];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    Spog,
    Posg,
    Ospg,
    Gspo,
}

impl Order {
    pub const ALL: [Order; 4] = [Order::Spog, Order::Posg, Order::Ospg, Order::Gspo];

    /// The place of the predicate.
    pub fn predicate(self) -> usize {
        match self {
            Order::Spog => 1,
            Order::Posg => 0,
            Order::Ospg | Order::Gspo => 2,
        }
    }

    pub fn arrange<T: Copy>(self, [s, p, o, g]: Quad<T>) -> [T; 4] {
        match self {
            Order::Spog => [s, p, o, g],
            Order::Posg => [p, o, s, g],
            Order::Ospg => [o, s, p, g],
            Order::Gspo => [g, s, p, o],
        }
    }

    pub fn restore<T: Copy>(self, [a, b, c, d]: [T; 4]) -> Quad<T> {
        match self {
            Order::Spog => [a, b, c, d],
            Order::Posg => [c, a, b, d],
            Order::Ospg => [b, c, a, d],
            Order::Gspo => [b, c, d, a],
        }
    }

    /// How many places from the left on are known.
    pub fn known<T: Copy>(self, pattern: Quad<Option<T>>) -> usize {
        self.arrange(pattern).iter().take_while(|part| part.is_some()).count()
    }
}
