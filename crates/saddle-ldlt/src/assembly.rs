//! Assembly of one front of the multifrontal method: entries of the matrix and update matrices of the children.
//!
//! Update matrices lie on a stack by their lower triangle, without the columns' upper parts; the one pushed last comes first
//! in memory. The same serves both sides of an LU factorization, where the upper triangle is held transposed.

use pulp::{Arch, Simd, WithSimd};

use super::SaddleAnalysis;
use super::number::Number;
use super::numeric::Stop;
use super::packed_lower;
use super::pattern::Csr;
use super::scaling::Scaling;
use super::symbolic::{Supernode, Symbolic};
use super::symmetric_storage::Half;

/// The matrix to factor but for A, which goes with it: S [A + g G^T G, G^T; G, 0] S.
pub(super) struct Source<'a> {
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

impl<'a> Source<'a> {
    /// The constraints as analysed, scaled, but for the rows left out.
    pub(super) fn of(analysis: &'a SaddleAnalysis, scaling: &'a Scaling, dropped: &'a [bool]) -> Self {
        Self {
            g_cols: &analysis.g_cols,
            g_rows: &analysis.g_rows,
            scaling,
            augmented: &analysis.augmented,
            dropped,
            weight: analysis.options.augmentation,
        }
    }
}

/// Memory of the front in work, and the stack.
#[derive(Clone, Debug)]
pub(super) struct Work {
    /// Index in the front of each place; valid where `places` agrees.
    local: Vec<u32>,
    /// Places of the front's rows.
    places: Vec<u32>,
    /// Whether each pivot is a multiplier.
    pub(super) multiplier: Vec<bool>,
    /// Magnitudes summed into the diagonal of each row.
    pub(super) sums: Vec<f64>,
    /// Entries on the stack, which ends where its memory ends; the update matrix pushed last comes first.
    pub(super) held: usize,
    /// `sums` of the update matrices, the one pushed last at the end.
    stack_sums: Vec<f64>,
    /// Runs of a child's rows in the front: first row and length.
    placed: Vec<(u32, u32)>,
    /// Rows of the front before those of its supernode: candidates delayed by its children.
    delayed: usize,
}

impl Work {
    pub(super) fn new(symbolic: &Symbolic) -> Self {
        Self {
            local: vec![0; symbolic.order.len()],
            places: Vec::new(),
            multiplier: Vec::new(),
            sums: Vec::new(),
            held: 0,
            stack_sums: Vec::new(),
            placed: Vec::new(),
            delayed: 0,
        }
    }

    /// Begins a matrix.
    pub(super) fn restart(&mut self) {
        self.held = 0;
        self.stack_sums.clear();
    }

    /// Takes up the stack of another part of the tree, on top of this one.
    pub(super) fn append(&mut self, other: &Self) {
        self.held += other.held;
        self.stack_sums.extend_from_slice(&other.stack_sums);
    }

    /// Begins with a front: its places, and the sums its children left.
    pub(super) fn start(&mut self, symbolic: &Symbolic, node: &Supernode, unknowns: usize) {
        self.place(symbolic, node, &[]);
        for &child in &symbolic.children[node.children.clone()] {
            let child = &symbolic.supernodes[child as usize];
            let base = self.stack_sums.len() - child.below;
            let mut own = self.stack_sums[base..].iter();
            for &(first, length) in &symbolic.runs[child.runs.clone()] {
                // Runs stay together in the parent.
                let at = self.local[first as usize] as usize;
                let (length, own) = (length as usize, &mut own);
                self.sums[at..at + length].iter_mut().zip(own).for_each(|(sum, s)| *sum += s);
            }
            self.stack_sums.truncate(base);
        }
        let pivots = &symbolic.order[node.first..node.first + node.cols];
        self.multiplier.clear();
        self.multiplier.extend(pivots.iter().map(|&u| u as usize >= unknowns));
    }

    /// Begins with a front that has the candidates at the places `delayed` before its own.
    pub(super) fn start_delayed(&mut self, symbolic: &Symbolic, node: &Supernode, delayed: &[u32]) {
        self.place(symbolic, node, delayed);
        self.delayed = delayed.len();
    }

    /// Lists the rows of a front, with the candidates at the places `delayed` before its own, and clears their sums.
    fn place(&mut self, symbolic: &Symbolic, node: &Supernode, delayed: &[u32]) {
        self.places.clear();
        self.places.extend_from_slice(delayed);
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

    /// Places and sums of the rows of the front.
    pub(super) fn front(&mut self) -> (&mut [u32], &mut [f64]) {
        (&mut self.places, &mut self.sums)
    }

    /// Adds an update matrix whose rows are these runs to the candidates' columns and to the rows below.
    pub(super) fn add_update<T: Number>(
        &mut self,
        runs: &[(u32, u32)],
        (sums, values): (&[f64], &[T]),
        (panel, cols): (&mut [T], usize),
        (schur, below): (&mut [T], usize),
    ) {
        let rows = runs.iter().flat_map(|&(first, length)| first..first + length);
        for (place, sum) in rows.zip(sums) {
            self.sums[self.local[place as usize] as usize] += sum;
        }
        let rows = cols + below;
        Onto { local: &self.local, placed: &mut self.placed, panel, schur, rows, cols, below }
            .add(runs, values);
    }

    /// Keeps the sums of the rows below the pivots for the parent.
    pub(super) fn leave_sums(&mut self, cols: usize) {
        self.stack_sums.extend_from_slice(&self.sums[cols..]);
    }

    /// Adds the pivots' columns of the matrix to `panel`; their magnitudes to the sums where `summed`.
    pub(super) fn assemble<T: Number>(
        &mut self,
        symbolic: &Symbolic,
        node: &Supernode,
        a: &Half<T>,
        source: &Source<'_>,
        panel: &mut [T],
        summed: bool,
    ) -> Result<(), Stop> {
        let (rows, n) = (self.places.len(), a.size());
        let pivots = &symbolic.order[node.first..node.first + node.cols];
        let scale = &source.scaling.unknowns;
        let (g_start, _) = source.g_cols.parts();
        let (row_start, _) = source.g_rows.parts();
        for k in 0..node.cols {
            let place = node.first + k;
            let unknown = pivots[k] as usize;
            if unknown >= n {
                continue;
            }
            let own = self.delayed + k;
            let column = &mut panel[own * rows..(own + 1) * rows];
            let find = |other: usize| {
                let at = self.local[other] as usize;
                if self.places.get(at) == Some(&(other as u32)) {
                    Ok(at)
                } else {
                    Err(Stop::Pattern(unknown as u32))
                }
            };
            let (indices, values) = a.column(unknown);
            for (&i, &value) in indices.iter().zip(values) {
                let at = find(symbolic.place[i as usize] as usize)?;
                column[at] += value.scaled(scale[unknown] * scale[i as usize]);
            }
            let mut sum = column[own].size();
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
                    sum += source.weight * value * value;
                }
            }
            if summed {
                self.sums[own] += sum;
            }
        }
        Ok(())
    }
}

impl Work {
    /// Adds the children's update matrices from the top of the stack to `panel` and `schur`; returns how many entries of
    /// the stack they take.
    pub(super) fn extend_add<T: Number>(
        &mut self,
        symbolic: &Symbolic,
        node: &Supernode,
        panel: &mut [T],
        schur: &mut [T],
        stack: &[T],
    ) -> usize {
        let (rows, cols, below) = (node.rows(), node.cols, node.below);
        let onto = Onto { local: &self.local, placed: &mut self.placed, panel, schur, rows, cols, below };
        Arch::new().dispatch(ExtendAdd { symbolic, node, onto, stack })
    }
}

/// Where update matrices are added: the front's panel and its Schur complement.
struct Onto<'a, T> {
    local: &'a [u32],
    placed: &'a mut Vec<(u32, u32)>,
    panel: &'a mut [T],
    schur: &'a mut [T],
    rows: usize,
    cols: usize,
    below: usize,
}

/// Adds the update matrices of the children of a supernode.
struct ExtendAdd<'a, T> {
    symbolic: &'a Symbolic,
    node: &'a Supernode,
    onto: Onto<'a, T>,
    /// From its top on.
    stack: &'a [T],
}

impl<T: Number> WithSimd for ExtendAdd<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        let Self { symbolic, node, mut onto, stack } = self;
        let mut taken = 0;
        for &child in &symbolic.children[node.children.clone()] {
            let child = &symbolic.supernodes[child as usize];
            onto.add(&symbolic.runs[child.runs.clone()], &stack[taken..]);
            taken += child.below * (child.below + 1) / 2;
        }
        taken
    }
}

impl<T: Number> Onto<'_, T> {
    /// Adds one update matrix, the lower triangle by columns, whose rows are these runs.
    #[inline(always)]
    fn add(&mut self, runs: &[(u32, u32)], mut from: &[T]) {
        // Runs stay together in the parent, and those whose gaps it does not have either come together there.
        self.placed.clear();
        for &(first, length) in runs {
            let at = self.local[first as usize];
            match self.placed.last_mut() {
                Some((before, grown)) if *before + *grown == at => *grown += length,
                _ => self.placed.push((at, length)),
            }
        }
        for (at, &(first, length)) in self.placed.iter().enumerate() {
            for inside in 0..length {
                let column = (first + inside) as usize;
                let (target, offset) = if column < self.cols {
                    (&mut self.panel[column * self.rows..(column + 1) * self.rows], 0)
                } else {
                    let (start, row) = packed_lower::column(self.below, column - self.cols);
                    (&mut self.schur[start..start + self.below - row], self.cols + row)
                };
                let rest = (length - inside) as usize;
                add(&mut target[column - offset..column - offset + rest], &from[..rest]);
                from = &from[rest..];
                for &(first, length) in &self.placed[at + 1..] {
                    let row = first as usize - offset;
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
