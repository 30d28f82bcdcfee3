//! Which site is next: the ready ones in the order of sites, the others by when they may be asked. What a site would
//! give is not known here.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use annalist_model::Time;
use annalist_model::spec::SiteOrder;

/// A site's place in the agenda. It is void once the site has got another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket {
    pub(crate) site: u64,
    pub(crate) stamp: u32,
}

/// What a site weighs where weight decides; the greater comes first.
pub(crate) type Weight = (u64, u64);

#[derive(Debug)]
pub(crate) struct Agenda {
    order: SiteOrder,
    turns: VecDeque<Ticket>,
    /// By weight; among equals the one that waited longer.
    weighed: BinaryHeap<(Weight, Reverse<u64>, Ticket)>,
    waiting: BinaryHeap<Reverse<(Time, Ticket)>>,
    pushed: u64,
}

impl Agenda {
    pub(crate) fn new(order: SiteOrder) -> Agenda {
        Agenda {
            order,
            turns: VecDeque::new(),
            weighed: BinaryHeap::new(),
            waiting: BinaryHeap::new(),
            pushed: 0,
        }
    }

    pub(crate) fn ready(&mut self, ticket: Ticket, weight: Weight) {
        self.pushed += 1;
        match self.order {
            SiteOrder::RoundRobin => self.turns.push_back(ticket),
            SiteOrder::BestLink | SiteOrder::Largest => {
                self.weighed.push((weight, Reverse(self.pushed), ticket));
            }
        }
    }

    pub(crate) fn wait(&mut self, ticket: Ticket, until: Time) {
        self.waiting.push(Reverse((until, ticket)));
    }

    pub(crate) fn next_ready(&mut self) -> Option<Ticket> {
        self.turns.pop_front().or_else(|| self.weighed.pop().map(|(_, _, ticket)| ticket))
    }

    /// The next site whose waiting is over.
    pub(crate) fn next_due(&mut self, now: Time) -> Option<Ticket> {
        let Reverse((until, _)) = self.waiting.peek()?;
        if *until > now {
            return None;
        }
        self.waiting.pop().map(|Reverse((_, ticket))| ticket)
    }

    pub(crate) fn earliest(&self) -> Option<(Time, Ticket)> {
        self.waiting.peek().map(|Reverse(first)| *first)
    }

    pub(crate) fn drop_earliest(&mut self) {
        self.waiting.pop();
    }

    /// Tickets, void ones included.
    pub(crate) fn len(&self) -> usize {
        self.turns.len() + self.weighed.len() + self.waiting.len()
    }

    /// Throws void tickets away.
    pub(crate) fn keep(&mut self, valid: impl Fn(Ticket) -> bool) {
        self.turns.retain(|ticket| valid(*ticket));
        self.weighed.retain(|(_, _, ticket)| valid(*ticket));
        self.waiting.retain(|Reverse((_, ticket))| valid(*ticket));
    }
}
