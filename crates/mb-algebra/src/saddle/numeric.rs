//! Numeric factorization by the multifrontal method (Duff and Reid, ACM Trans. Math. Softw. 9, 1983).
//!
//! Each supernode assembles its columns of the scaled, augmented matrix and the update matrices of its children,
//! eliminates its pivots ([`super::front`]) and leaves the Schur complement of the rows below on a stack, by its
//! lower triangle. Panels and stack share one array whose size is known beforehand, the largest sum in use at a time:
//!
//! ```text
//! | panels of L, packed | front's panel | ... | front's Schur complement | stack of update matrices |
//! ```
//!
//! Panels grow from the left, the stack from the right.

use pulp::{Arch, Simd, WithSimd};

use super::front::{Eliminator, Oddity};
use super::half::Half;
use super::number::Number;
use super::panel::pack;
use super::pattern::Csr;
use super::scaling::Scaling;
use super::symbolic::{Supernode, Symbolic};
use super::trapezoid;

/// The matrix to factor: S [A + g G^T G, G^T; G, 0] S.
pub(super) struct Source<'a, T> {
    pub(super) a: &'a Half<T>,
    pub(super) g_cols: &'a Csr,
    pub(super) g_rows: &'a Csr,
    pub(super) scaling: &'a Scaling,
    /// Whether each row of G enters g G^T G.
    pub(super) augmented: &'a [bool],
    /// Rows of G left out.
    pub(super) dropped: &'a [bool],
    /// g, after scaling.
    pub(super) weight: f64,
}

/// Factors in the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct Numeric<T> {
    /// All panels, packed; each holds the unit lower triangle of its pivots and the rows below.
    pub(super) panels: Vec<T>,
    /// D^-1: diagonal by place, zero at null pivots.
    pub(super) inverse: Vec<T>,
    /// Pairs of D^-1: first place and entry off the diagonal.
    pub(super) pairs: Vec<(u32, T)>,
    /// Place each row of the pivots of an exchanged supernode came from; empty when nothing was exchanged.
    pub(super) perm: Vec<u32>,
    /// Supernodes whose pivots were exchanged.
    pub(super) moved: Vec<bool>,
    pub(super) summary: Summary,
}

/// What was met on the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    /// Multipliers (n + r) whose row of G depends on others.
    pub(super) null: Vec<u32>,
    /// Unknowns whose pivot was zero.
    pub(super) singular: Vec<u32>,
    /// Multipliers whose pivot was replaced.
    pub(super) weak: Vec<u32>,
    /// Unknowns and multipliers with a pivot made by cancellation, and how small it was.
    pub(super) doubtful: Vec<(u32, f64)>,
    pub(super) positive: usize,
    pub(super) negative: usize,
    /// Pivots of two rows.
    pub(super) pairs: usize,
    /// Largest magnitude in L.
    pub(super) growth: f64,
}

/// Why the elimination stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stop {
    /// Memory was refused.
    Memory,
    /// An entry of this unknown's column lies outside the analysed pattern.
    Pattern(u32),
    /// A pivot of this supernode's first unknown is not finite.
    NonFinite(u32),
}

impl<T: Number> Numeric<T> {
    pub(super) fn new(symbolic: &Symbolic, source: &Source<'_, T>) -> Result<Self, Stop> {
        let mut out = Self::empty(symbolic, symbolic.work_entries)?;
        let mut work = Work::new(symbolic, out.panels.len());
        for (s, node) in symbolic.supernodes.iter().enumerate() {
            let kept = out.eliminate(symbolic, s, node.panel, source, &mut work)?;
            debug_assert_eq!(kept, node.entries());
        }
        out.panels.truncate(symbolic.panel_entries);
        out.panels.shrink_to_fit();
        out.summary.growth = work.eliminator.growth;
        Ok(out)
    }

    /// Eliminates without keeping L; `x` holds `width` right-hand sides in the order of elimination, row by row, and
    /// is carried through the forward substitution.
    pub(super) fn without_factors(
        symbolic: &Symbolic,
        source: &Source<'_, T>,
        x: &mut [T],
        width: usize,
    ) -> Result<Self, Stop> {
        let mut out = Self::empty(symbolic, symbolic.work_without_panels)?;
        let mut work = Work::new(symbolic, out.panels.len());
        let mut front = vec![T::default(); symbolic.max_rows * width];
        for s in 0..symbolic.supernodes.len() {
            let kept = out.eliminate(symbolic, s, 0, source, &mut work)?;
            out.down(symbolic, s, &out.panels[..kept], x, &mut front, width);
        }
        out.panels = Vec::new();
        out.summary.growth = work.eliminator.growth;
        Ok(out)
    }

    fn empty(symbolic: &Symbolic, panels: usize) -> Result<Self, Stop> {
        let size = symbolic.order.len();
        Ok(Self {
            panels: zeros(panels)?,
            inverse: vec![T::default(); size],
            pairs: Vec::new(),
            perm: Vec::new(),
            moved: vec![false; symbolic.supernodes.len()],
            summary: Summary::default(),
        })
    }

    /// Eliminates one supernode; its packed panel is left at `start`. Returns the number of entries.
    fn eliminate(
        &mut self,
        symbolic: &Symbolic,
        s: usize,
        start: usize,
        source: &Source<'_, T>,
        work: &mut Work<T>,
    ) -> Result<usize, Stop> {
        let node = &symbolic.supernodes[s];
        let (rows, cols, below) = (node.rows(), node.cols, node.below);
        let own = work.top - trapezoid::entries(below);
        let (left, right) = self.panels.split_at_mut(own);
        let panel = &mut left[start..start + rows * cols];
        let (schur, stack) = right.split_at_mut(trapezoid::entries(below));
        panel.fill(T::default());
        schur.fill(T::default());
        work.start(symbolic, node);
        work.assemble(symbolic, node, source, panel)?;
        let Work { local, stack_sums, sums, .. } = &mut *work;
        let onto = Onto { local, panel, schur, sums, rows, cols, below };
        let taken = Arch::new().dispatch(ExtendAdd { symbolic, s, onto, stack, stack_sums });
        work.eliminator.eliminate(panel, rows, &work.multiplier, &mut work.sums);
        work.eliminator.update_below(panel, rows, cols, schur);
        let kept = pack(panel, rows, cols);
        // In the place of the children's update matrices.
        let end = work.top + taken;
        work.top = end - trapezoid::push(&mut self.panels[own..end], below);
        work.stack_sums.extend_from_slice(&work.sums[cols..]);
        self.record(symbolic, s, &work.eliminator)?;
        Ok(kept)
    }

    fn record(&mut self, symbolic: &Symbolic, s: usize, done: &Eliminator<T>) -> Result<(), Stop> {
        let node = &symbolic.supernodes[s];
        if done.moved {
            self.moved[s] = true;
            if self.perm.is_empty() {
                self.perm = (0..symbolic.order.len() as u32).collect();
            }
            for (k, &p) in done.perm.iter().enumerate() {
                self.perm[node.first + k] = node.first as u32 + p;
            }
        }
        let unknown = |k: usize| symbolic.order[node.first + done.perm[k] as usize];
        for &(k, oddity) in &done.odd {
            match oddity {
                Oddity::Null => self.summary.null.push(unknown(k)),
                Oddity::Singular => self.summary.singular.push(unknown(k)),
                Oddity::Weak => self.summary.weak.push(unknown(k)),
            }
        }
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

/// So many zeros, whose memory the system gives when it is first written to.
fn zeros<T: Number>(length: usize) -> Result<Vec<T>, Stop> {
    // A request that is refused is told; the one that follows would end the program.
    Vec::<T>::new().try_reserve_exact(length).map_err(|_| Stop::Memory)?;
    Ok(vec![T::default(); length])
}

/// Memory of the front in work, and the stack.
struct Work<T> {
    eliminator: Eliminator<T>,
    /// Index in the front of each place; valid where `places` agrees.
    local: Vec<u32>,
    /// Places of the front's rows.
    places: Vec<u32>,
    /// Whether each pivot is a multiplier.
    multiplier: Vec<bool>,
    /// Magnitudes summed into the diagonal of each row.
    sums: Vec<f64>,
    /// Where the stack begins in the array of panels; the update matrix pushed last comes first.
    top: usize,
    /// `sums` of the update matrices, the one pushed last at the end.
    stack_sums: Vec<f64>,
}

impl<T: Number> Work<T> {
    fn new(symbolic: &Symbolic, top: usize) -> Self {
        Self {
            eliminator: Eliminator::default(),
            local: vec![0; symbolic.order.len()],
            places: Vec::new(),
            multiplier: Vec::new(),
            sums: Vec::new(),
            top,
            stack_sums: Vec::new(),
        }
    }

    fn start(&mut self, symbolic: &Symbolic, node: &Supernode) {
        self.places.clear();
        self.places.extend(node.first as u32..(node.first + node.cols) as u32);
        for &(first, length) in &symbolic.runs[node.runs.clone()] {
            self.places.extend(first..first + length);
        }
        for (k, &place) in self.places.iter().enumerate() {
            self.local[place as usize] = k as u32;
        }
        self.sums.clear();
        self.sums.resize(self.places.len(), 0.0);
    }

    /// Adds the pivots' columns of the matrix.
    fn assemble(
        &mut self,
        symbolic: &Symbolic,
        node: &Supernode,
        source: &Source<'_, T>,
        panel: &mut [T],
    ) -> Result<(), Stop> {
        let rows = node.rows();
        let n = source.a.size();
        let pivots = &symbolic.order[node.first..node.first + node.cols];
        self.multiplier.clear();
        self.multiplier.extend(pivots.iter().map(|&u| u as usize >= n));
        let scale = &source.scaling.unknowns;
        let (g_start, _) = source.g_cols.parts();
        let (row_start, _) = source.g_rows.parts();
        for k in 0..node.cols {
            let place = node.first + k;
            let unknown = pivots[k] as usize;
            if unknown >= n {
                continue;
            }
            let column = &mut panel[k * rows..(k + 1) * rows];
            let find = |other: usize| {
                let at = self.local[other] as usize;
                if self.places.get(at) == Some(&(other as u32)) {
                    Ok(at)
                } else {
                    Err(Stop::Pattern(unknown as u32))
                }
            };
            let (indices, values) = source.a.column(unknown);
            for (&i, &value) in indices.iter().zip(values) {
                let at = find(symbolic.place[i as usize] as usize)?;
                column[at] += value.scaled(scale[unknown] * scale[i as usize]);
            }
            self.sums[k] += column[k].size();
            for (at, &r) in source.g_cols.row(unknown).iter().enumerate() {
                let r = r as usize;
                if source.dropped[r] {
                    continue;
                }
                let value = source.scaling.by_col[g_start[unknown] + at];
                column[find(symbolic.place[n + r] as usize)?] += T::from_real(value);
                if source.augmented[r] && source.weight != 0.0 {
                    for (at, &j) in source.g_rows.row(r).iter().enumerate() {
                        let other = symbolic.place[j as usize] as usize;
                        if other >= place {
                            let product = source.weight * value * source.scaling.by_row[row_start[r] + at];
                            column[find(other)?] += T::from_real(product);
                        }
                    }
                    self.sums[k] += source.weight * value * value;
                }
            }
        }
        Ok(())
    }
}

/// Where update matrices are added: the front's panel, its Schur complement, the sums of its rows.
struct Onto<'a, T> {
    local: &'a [u32],
    panel: &'a mut [T],
    schur: &'a mut [T],
    sums: &'a mut [f64],
    rows: usize,
    cols: usize,
    below: usize,
}

/// Adds the update matrices of the children of a supernode; returns how many entries of the stack they take.
struct ExtendAdd<'a, T> {
    symbolic: &'a Symbolic,
    s: usize,
    onto: Onto<'a, T>,
    /// From its top on.
    stack: &'a [T],
    stack_sums: &'a mut Vec<f64>,
}

impl<T: Number> WithSimd for ExtendAdd<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        let Self { symbolic, s, mut onto, stack, stack_sums } = self;
        let node = &symbolic.supernodes[s];
        let mut taken = 0;
        for &child in &symbolic.children[node.children.clone()] {
            let child = &symbolic.supernodes[child as usize];
            let below = child.below;
            let sums_base = stack_sums.len() - below;
            let runs = &symbolic.runs[child.runs.clone()];
            onto.add(runs, &stack[taken..], &stack_sums[sums_base..]);
            taken += below * (below + 1) / 2;
            stack_sums.truncate(sums_base);
        }
        taken
    }
}

impl<T: Number> Onto<'_, T> {
    /// Adds one update matrix, the lower triangle by columns, whose rows are these runs.
    #[inline(always)]
    fn add(&mut self, runs: &[(u32, u32)], mut from: &[T], mut sums: &[f64]) {
        for (at, &(first, length)) in runs.iter().enumerate() {
            for inside in 0..length {
                // Runs stay together in the parent.
                let column = (self.local[first as usize] + inside) as usize;
                self.sums[column] += sums[0];
                sums = &sums[1..];
                let (target, offset) = if column < self.cols {
                    (&mut self.panel[column * self.rows..(column + 1) * self.rows], 0)
                } else {
                    let (start, row) = trapezoid::column(self.below, column - self.cols);
                    (&mut self.schur[start..start + self.below - row], self.cols + row)
                };
                let rest = (length - inside) as usize;
                add(&mut target[column - offset..column - offset + rest], &from[..rest]);
                from = &from[rest..];
                for &(first, length) in &runs[at + 1..] {
                    let row = self.local[first as usize] as usize - offset;
                    add(&mut target[row..row + length as usize], &from[..length as usize]);
                    from = &from[length as usize..];
                }
            }
        }
    }
}

#[inline(always)]
fn add<T: Number>(target: &mut [T], source: &[T]) {
    for (t, &s) in target.iter_mut().zip(source) {
        *t += s;
    }
}
