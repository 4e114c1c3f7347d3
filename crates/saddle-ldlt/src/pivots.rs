//! D of the factors, and what was met on the way to it.

use std::ops::Range;

use super::front::Eliminator;
use super::number::Number;
use super::numeric::Stop;
use super::substitute::Exchanges;
use super::symbolic::Symbolic;

/// Pivots in the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct Pivots<T> {
    /// D^-1: diagonal by place, zero at null pivots.
    pub(super) inverse: Vec<T>,
    /// Pairs of D^-1: first place and entry off the diagonal.
    pub(super) pairs: Vec<(u32, T)>,
    pub(super) exchanges: Exchanges,
    pub(super) summary: Summary,
}

/// What was met on the way.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Summary {
    /// Multipliers (n + r) whose row of G depends on others.
    pub(super) null: Vec<u32>,
    /// Unknowns whose pivot was zero, or replaced in L U.
    pub(super) singular: Vec<u32>,
    /// Multipliers whose pivot was replaced in L U.
    pub(super) weak: Vec<u32>,
    /// Unknowns and multipliers with a pivot made by cancellation, and how small it was.
    pub(super) doubtful: Vec<(u32, f64)>,
    pub(super) positive: usize,
    pub(super) negative: usize,
    /// Pivots of two rows.
    pub(super) pairs: usize,
    /// Candidates that moved to the parent's front, counted in each.
    pub(super) delayed: usize,
    /// Largest magnitude in L.
    pub(super) growth: f64,
}

impl Summary {
    /// Adds what was met after this, in another part of the tree.
    fn append(&mut self, other: Self) {
        self.null.extend(other.null);
        self.singular.extend(other.singular);
        self.weak.extend(other.weak);
        self.doubtful.extend(other.doubtful);
        self.positive += other.positive;
        self.negative += other.negative;
        self.pairs += other.pairs;
        self.delayed += other.delayed;
        self.growth = self.growth.max(other.growth);
    }

    /// Forgets everything.
    fn clear(&mut self) {
        for list in [&mut self.null, &mut self.singular, &mut self.weak] {
            list.clear();
        }
        self.doubtful.clear();
        (self.positive, self.negative, self.pairs, self.delayed, self.growth) = (0, 0, 0, 0, 0.0);
    }
}

impl<T: Number> Pivots<T> {
    /// None yet.
    pub(super) fn none(symbolic: &Symbolic) -> Self {
        Self {
            inverse: vec![T::default(); symbolic.order.len()],
            pairs: Vec::new(),
            exchanges: Exchanges::none(symbolic),
            summary: Summary::default(),
        }
    }

    /// Forgets everything, with room for any matrix.
    pub(super) fn clear(&mut self, symbolic: &Symbolic) {
        self.pairs.clear();
        // Another matrix may have more pairs and exchanges.
        self.pairs.reserve(symbolic.order.len() / 2);
        self.exchanges.clear(symbolic);
        self.summary.clear();
    }

    /// Takes up those of the supernodes `part`, which follow the ones here.
    pub(super) fn append(&mut self, symbolic: &Symbolic, part: Range<usize>, other: Self) {
        let nodes = &symbolic.supernodes;
        let own = nodes[part.start].first..nodes[part.end - 1].first + nodes[part.end - 1].cols;
        self.inverse[own.clone()].copy_from_slice(&other.inverse[own]);
        self.pairs.extend(other.pairs);
        self.exchanges.append(symbolic, part, &other.exchanges);
        self.summary.append(other.summary);
    }

    /// Takes up the pivots of supernode s.
    pub(super) fn record(&mut self, symbolic: &Symbolic, s: usize, done: &Eliminator<T>) -> Result<(), Stop> {
        let node = &symbolic.supernodes[s];
        if done.moved {
            self.exchanges.record(symbolic, s, &done.perm);
        }
        let unknown = |k: usize| symbolic.order[node.first + done.perm[k] as usize];
        if let Some(k) = done.lost {
            return Err(Stop::Lost(unknown(k)));
        }
        self.summary.null.extend(done.null.iter().map(|&k| unknown(k)));
        self.summary.doubtful.extend(done.doubtful.iter().map(|&(k, ratio)| (unknown(k), ratio)));
        let mut k = 0;
        while k < node.cols {
            self.inverse[node.first + k] = done.inverse[k];
            if !done.inverse[k].size().is_finite() {
                return Err(Stop::NonFinite(unknown(k)));
            }
            if done.e[k] == T::default() {
                self.summary.positive += usize::from(done.inverse[k] != T::default());
                self.summary.negative += usize::from(done.inverse[k].is_negative());
                k += 1;
            } else {
                // Bunch and Kaufman take pairs with negative determinant only: one eigenvalue of each sign.
                self.pairs.push((node.first as u32 + k as u32, done.inverse_e[k]));
                self.inverse[node.first + k + 1] = done.inverse[k + 1];
                if !done.inverse_e[k].size().is_finite() {
                    return Err(Stop::NonFinite(unknown(k)));
                }
                self.summary.positive += 2;
                self.summary.negative += 1;
                self.summary.pairs += 1;
                k += 2;
            }
        }
        Ok(())
    }
}
