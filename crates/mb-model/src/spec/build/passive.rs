//! Whether loops give the angles of passive equivalent rigid links.
//!
//! A passive link has an elastic rotation at its base. Where nothing gives the angle of its rigid link, the two describe one
//! turn twice, and M and K are singular in the same direction. An angle is given by the rows of a loop of rigid links: a
//! joint between two ends, or an end and the ground, has two, and each fixes one angle of those that lead to the joint.

use super::Builder;
use super::expand::Entries;
use crate::element::Data;
use crate::spec::Fault;
use crate::spec::error::Problems;

/// A joint that closes a loop of rigid links, by the numbers of the links that move its two sides; none for the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closure {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
}

/// Rows of the ideal mechanism that a closure has.
const ROWS: usize = 2;

impl<P: Data> Builder<P> {
    /// Reports every passive link that is left when each row has fixed one angle.
    pub(super) fn check_passive(&self, entries: &Entries<'_>, problems: &mut Problems) {
        let loops: Vec<Vec<usize>> = self.closures.iter().map(|c| self.opened_by(*c)).collect();
        let mut fixed = vec![Vec::new(); loops.len()];
        for (k, part) in self.erls.iter().enumerate() {
            if part.as_ref().is_some_and(|p| p.passive) {
                let mut seen = vec![false; loops.len()];
                if !assign(k, &loops, &mut fixed, &mut seen) {
                    let e = &entries.erls_links[k];
                    let fault = Fault::PassiveWithoutLoop { link: e.name.clone() };
                    problems.keep::<()>(Err(e.problem("passive", fault)));
                }
            }
        }
    }

    /// The links on one of the two ways from a closure to the ground: those on both move its two sides alike.
    fn opened_by(&self, closure: Closure) -> Vec<usize> {
        let (a, b) = (self.way_down(closure.a), self.way_down(closure.b));
        let only = |from: &[usize], other: &[usize]| -> Vec<usize> {
            from.iter().copied().filter(|k| !other.contains(k)).collect()
        };
        [only(&a, &b), only(&b, &a)].concat()
    }
    fn way_down(&self, from: Option<usize>) -> Vec<usize> {
        let below = |k: &usize| self.erls[*k].as_ref().and_then(|p| p.parent);
        std::iter::successors(from, below).take(self.erls.len()).collect()
    }
}

/// Gives a link a row of a loop that it turns in, if need be by giving another link one of another loop (augmenting paths).
fn assign(link: usize, loops: &[Vec<usize>], fixed: &mut [Vec<usize>], seen: &mut [bool]) -> bool {
    for (k, turning) in loops.iter().enumerate() {
        if seen[k] || !turning.contains(&link) {
            continue;
        }
        seen[k] = true;
        if fixed[k].len() < ROWS {
            fixed[k].push(link);
            return true;
        }
        for place in 0..ROWS {
            if assign(fixed[k][place], loops, fixed, seen) {
                fixed[k][place] = link;
                return true;
            }
        }
    }
    false
}
