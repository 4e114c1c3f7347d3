//! Lengths that contradict each other, as far as that is seen without solving anything.

use super::expand::Head;
use super::spots::Spot;
use super::{Builder, Outcome};
use crate::element::Data;
use crate::link::LinkStation;
use crate::spec::Fault;
use std::collections::HashMap;

/// Relative difference below which two lengths count as one.
const TOLERANCE: f64 = 1e-9;

/// Most anchors of one place that are compared with each other.
const ANCHORS: usize = 16;

/// A place as a key: what it is on, and where there, bit by bit.
type SpotKey = (u8, usize, [u64; 3]);

/// Lengths kept so far.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    /// False when positions are wrong already, so that nothing can be concluded from them.
    pub(super) sound: bool,
    between: HashMap<[SpotKey; 2], (f64, String)>,
    /// For a moving place: the fixed places it keeps its distance from.
    anchors: HashMap<SpotKey, Vec<Anchor>>,
}

#[derive(Debug)]
struct Anchor {
    at: [f64; 3],
    length: f64,
    owner: String,
}

impl<P: Data> Builder<P> {
    fn key(&self, spot: Spot<P>) -> SpotKey {
        let bits = |p: [P; 3]| p.map(|x| (x.value() + 0.0).to_bits());
        match spot {
            _ if self.block_of(spot).is_none() => (0, 0, bits(self.position_of(spot))),
            Spot::Point(i) => (1, i, [0; 3]),
            Spot::Body(i, [x, y]) => (2, i, bits([x, y, P::zero()])),
            Spot::Solid(i, local) => (3, i, bits(local)),
            Spot::Link(k, LinkStation::Frame) => (4, k, [0; 3]),
            Spot::Link(k, station) => (5, k, bits([self.arc(k, station), P::zero(), P::zero()])),
            Spot::Node(k, node) => (6, k, [node as u64, 0, 0]),
            Spot::Somewhere | Spot::Ground(_) => (0, 0, [0; 3]),
        }
    }
    /// Checks a constraint of constant distance against those seen before.
    pub(super) fn check_length(&mut self, e: &Head, a: Spot<P>, b: Spot<P>, length: P) -> Outcome<()> {
        if !self.lengths.sound {
            return Ok(());
        }
        let length = length.value();
        let differs = |x: f64, y: f64| (x - y).abs() > TOLERANCE * x.abs().max(y.abs());
        let at = |p: [P; 3]| p.map(P::value);
        let fixed = [a, b].map(|s| self.block_of(s).is_none());
        let (pa, pb) = (at(self.position_of(a)), at(self.position_of(b)));
        if fixed == [true, true] {
            let distance = apart(pa, pb);
            let fault = if differs(distance, length) {
                Fault::Contradiction { distance, required: length }
            } else {
                Fault::NothingMoves
            };
            return Err(e.problem("", fault));
        }
        let mut pair = [self.key(a), self.key(b)];
        pair.sort_unstable();
        if let Some((other_length, other)) = self.lengths.between.get(&pair) {
            if differs(*other_length, length) {
                let (other, other_length) = (other.clone(), *other_length);
                return Err(e.problem("", Fault::ConflictingLengths { length, other, other_length }));
            }
            return Ok(());
        }
        self.lengths.between.insert(pair, (length, e.owner()));
        let (moving, anchor) = match fixed {
            [true, false] => (b, pa),
            [false, true] => (a, pb),
            _ => return Ok(()),
        };
        let anchors = self.key(moving);
        let anchors = self.lengths.anchors.entry(anchors).or_default();
        for other in anchors.iter() {
            let distance = apart(anchor, other.at);
            let slack = TOLERANCE * (length + other.length);
            if distance > length + other.length + slack || distance < (length - other.length).abs() - slack {
                let (other, other_length) = (other.owner.clone(), other.length);
                return Err(e.problem("", Fault::OutOfReach { length, other, other_length, distance }));
            }
        }
        if anchors.len() < ANCHORS {
            anchors.push(Anchor { at: anchor, length, owner: e.owner() });
        }
        Ok(())
    }
    /// Checks two fixed places that a joint wants to coincide.
    pub(super) fn check_coincidence(&self, e: &Head, a: Spot<P>, b: Spot<P>) -> Outcome<()> {
        if !self.lengths.sound || [a, b].iter().any(|s| self.block_of(*s).is_some()) {
            return Ok(());
        }
        let [pa, pb] = [a, b].map(|s| self.position_of(s).map(P::value));
        let distance = apart(pa, pb);
        let size = pa.iter().chain(&pb).fold(0.0_f64, |m, x| m.max(x.abs()));
        if distance > TOLERANCE * size {
            return Err(e.problem("", Fault::Contradiction { distance, required: 0.0 }));
        }
        Ok(())
    }
}

/// Distance of two positions, m.
fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    (b[0] - a[0]).hypot(b[1] - a[1]).hypot(b[2] - a[2])
}
