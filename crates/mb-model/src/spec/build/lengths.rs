//! Lengths that contradict each other, as far as that is seen without solving anything.

use super::expand::{Entry, Table};
use super::spots::Spot;
use super::{Builder, Outcome};
use crate::element::Data;
use crate::spec::Fault;
use std::collections::HashMap;

/// Relative difference below which two lengths count as one.
const TOLERANCE: f64 = 1e-9;

/// Most anchors of one place that are compared with each other.
const ANCHORS: usize = 16;

/// A place as a key: what it is on, and where there, bit by bit.
type SpotKey = (u8, usize, [u64; 2]);

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
    at: [f64; 2],
    length: f64,
    owner: String,
}

impl<P: Data> Builder<P> {
    fn key(&self, spot: Spot<P>) -> SpotKey {
        let bits = |p: [P; 2]| p.map(|x| (x.value() + 0.0).to_bits());
        match spot {
            _ if self.block_of(spot).is_none() => (0, 0, bits(self.start_of(spot))),
            Spot::Point(i) => (1, i, [0; 2]),
            Spot::Body(i, local) => (2, i, bits(local)),
            Spot::Somewhere | Spot::Ground(_) => (0, 0, [0; 2]),
        }
    }
    /// Checks a constraint of constant distance against those seen before.
    pub(super) fn check_length<T: Table>(
        &mut self,
        e: &Entry<'_, T>,
        a: Spot<P>,
        b: Spot<P>,
        length: P,
    ) -> Outcome<()> {
        if !self.lengths.sound {
            return Ok(());
        }
        let length = length.value();
        let differs = |x: f64, y: f64| (x - y).abs() > TOLERANCE * x.abs().max(y.abs());
        let at = |p: [P; 2]| p.map(P::value);
        let fixed = [a, b].map(|s| self.block_of(s).is_none());
        let (pa, pb) = (at(self.start_of(a)), at(self.start_of(b)));
        if fixed == [true, true] {
            let distance = (pb[0] - pa[0]).hypot(pb[1] - pa[1]);
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
            let distance = (anchor[0] - other.at[0]).hypot(anchor[1] - other.at[1]);
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
    pub(super) fn check_coincidence<T: Table>(
        &self,
        e: &Entry<'_, T>,
        a: Spot<P>,
        b: Spot<P>,
    ) -> Outcome<()> {
        if !self.lengths.sound || [a, b].iter().any(|s| self.block_of(*s).is_some()) {
            return Ok(());
        }
        let [pa, pb] = [a, b].map(|s| self.start_of(s).map(P::value));
        let distance = (pb[0] - pa[0]).hypot(pb[1] - pa[1]);
        let size = pa.iter().chain(&pb).fold(0.0_f64, |m, x| m.max(x.abs()));
        if distance > TOLERANCE * size {
            return Err(e.problem("", Fault::Contradiction { distance, required: 0.0 }));
        }
        Ok(())
    }
}
