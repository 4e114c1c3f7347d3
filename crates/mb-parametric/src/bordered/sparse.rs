//! One sparse factorization, and small corrections to the whole bordered system.
//!
//! A dense row or column would fill the factors. In their place stand unit vectors, which take
//! away the rows J and columns K of the pencil where the left and right vectors are large:
//!
//! ```text
//! Q = [ P      E_J ]      P = [ A  Phi_q^T; Phi_q  0 ],  singular at an eigenvalue
//!     [ E_K^T  0   ]
//! ```
//!
//! With U = Q^-1 (B; 0), W = Q^-1 (0; I) and the parts u, tau of each, the whole system follows
//! from tau = 0 and the border's own rows: 2k equations in the border's unknown t and in kappa,
//! the value of E_K^T u:
//!
//! ```text
//! u = u_0 - U t + W kappa,   tau_0 - tau_U t + tau_W kappa = 0,   G u_0 + (D - G U) t + G W kappa = g
//! ```

use super::{Core, Frame};
use crate::storage::Backend;
use crate::vectors::{axpy, dot, zeros};
use mb_algebra::{AlgebraError, DenseC, LuComplex, Scatter, Sparse, SparseLuComplex, Triplets, c64};

/// The factors of Q and of the small systems, for right-hand sides and transposed ones.
pub struct Eliminated {
    lu: SparseLuComplex,
    size: usize,
    k: usize,
    forward: Side,
    backward: Side,
}

/// What takes Q (or its transpose) to the whole system (or its transpose).
struct Side {
    /// Q^-1 (B; 0), length n + m + k each.
    columns: Vec<Vec<c64>>,
    /// Q^-1 (0; I).
    units: Vec<Vec<c64>>,
    /// G, length n.
    rows: Vec<Vec<c64>>,
    /// None for an empty border.
    small: Option<LuComplex>,
}

/// Factors the sparse part, trying other rows where the first choice is poor.
pub(crate) fn sparse_core(frame: &Frame<'_, Sparse>) -> Result<Core, AlgebraError> {
    let k = frame.columns.len();
    let cols = pivots(frame.vectors, k);
    let rows = frame.left.map_or_else(|| cols.clone(), |z| pivots(&[z.to_vec()], k));
    let (first, left) = eliminated(frame, &rows, &cols)?;
    let size = |i: usize| left[i].norm();
    let largest = (0..left.len()).max_by(|&i, &j| size(i).total_cmp(&size(j))).unwrap_or(0);
    // A row where the left vector is almost zero leaves the matrix almost singular.
    if k == 1 && size(rows[0]) < 0.01 * size(largest) {
        let (second, _) = eliminated(frame, &[largest], &cols)?;
        return Ok(Core::Sparse(Box::new(second)));
    }
    Ok(Core::Sparse(Box::new(first)))
}

/// The factors, and the left vector of the first border row.
fn eliminated(
    frame: &Frame<'_, Sparse>,
    rows: &[usize],
    cols: &[usize],
) -> Result<(Eliminated, Vec<c64>), AlgebraError> {
    let (n, nc) = (frame.p.m.size().0, frame.p.phi_q.size().0);
    let (k, last) = (rows.len(), n + nc);
    let mut entries = Triplets::new(last + k, last + k);
    frame.scatter_pencil(&mut entries);
    for i in 0..k {
        entries.add(rows[i], last + i, c64::ONE);
        entries.add(last + i, cols[i], c64::ONE);
    }
    let lu = SparseLuComplex::new(&entries.to_sparse_complex())?;
    let [a, _, b] = frame.size;
    let columns: Vec<Vec<c64>> = frame.columns.iter().map(|c| c.iter().map(|z| z / b).collect()).collect();
    let corner = |i: usize, j: usize| frame.corner[i][j] * (a / b);
    let solve = |x: &[c64]| lu.solve(x);
    let units = (0..k).map(|i| solve(&unit(last + k, last + i))).collect();
    let forward = side(last, &columns, frame.rows, corner, units, &solve)?;
    // The transposed whole has B^T for rows and G^T for columns.
    let solve = |x: &[c64]| lu.solve_transpose(x);
    let units = (0..k).map(|i| solve(&unit(last + k, last + i))).collect();
    let backward = side(last, frame.rows, &columns, |i, j| corner(j, i), units, &solve)?;
    let left = if k == 0 { Vec::new() } else { lu.solve_transpose(&unit(last + k, last)) };
    Ok((Eliminated { lu, size: last, k, forward, backward }, left.into_iter().take(n).collect()))
}

fn side(
    size: usize,
    columns: &[Vec<c64>],
    rows: &[Vec<c64>],
    corner: impl Fn(usize, usize) -> c64,
    units: Vec<Vec<c64>>,
    solve: &dyn Fn(&[c64]) -> Vec<c64>,
) -> Result<Side, AlgebraError> {
    let k = columns.len();
    let padded = |column: &Vec<c64>| {
        let mut out = column.clone();
        out.resize(size + k, c64::ZERO);
        solve(&out)
    };
    let columns: Vec<Vec<c64>> = columns.iter().map(padded).collect();
    let small = DenseC::from_fn(2 * k, 2 * k, |i, j| match (i < k, j < k) {
        (true, true) => -columns[j][size + i],
        (true, false) => units[j - k][size + i],
        (false, true) => corner(i - k, j) - dot(&rows[i - k], &columns[j]),
        (false, false) => dot(&rows[i - k], &units[j - k]),
    });
    let small = if k == 0 { None } else { Some(LuComplex::new(&balanced(&small)?)?) };
    Ok(Side { columns, units, rows: rows.to_vec(), small })
}

/// The matrix itself when all its entries are finite.
fn balanced(a: &DenseC) -> Result<DenseC, AlgebraError> {
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            if !(a[(i, j)].re.is_finite() && a[(i, j)].im.is_finite()) {
                return Err(AlgebraError::Singular { index: j, pivot: 0.0 });
            }
        }
    }
    Ok(a.clone())
}

impl Eliminated {
    /// The same factors with another border: B by columns, G by rows, D by rows, scaled by the sizes
    /// of the frame they were made for.
    pub(super) fn rebordered(
        self,
        columns: &[Vec<c64>],
        rows: &[Vec<c64>],
        corner: &[Vec<c64>],
        [a, _, b]: [f64; 3],
    ) -> Result<Self, AlgebraError> {
        let Self { lu, size, k, forward, backward } = self;
        let columns: Vec<Vec<c64>> = columns.iter().map(|c| c.iter().map(|z| z / b).collect()).collect();
        let corner = |i: usize, j: usize| corner[i][j] * (a / b);
        let forward = side(size, &columns, rows, corner, forward.units, &|x| lu.solve(x))?;
        let transposed = |i: usize, j: usize| corner(j, i);
        let backward = side(size, rows, &columns, transposed, backward.units, &|x| lu.solve_transpose(x))?;
        Ok(Self { lu, size, k, forward, backward })
    }

    /// (x, l, t) for a scaled right-hand side (f, h, g).
    pub(super) fn solve(&self, rhs: &[c64]) -> Vec<c64> {
        self.finish(&self.forward, rhs, |x| self.lu.solve(x))
    }

    /// As [`Eliminated::solve`] with the transposed matrix.
    pub(super) fn solve_transpose(&self, rhs: &[c64]) -> Vec<c64> {
        self.finish(&self.backward, rhs, |x| self.lu.solve_transpose(x))
    }

    fn finish(&self, side: &Side, rhs: &[c64], solve: impl Fn(&[c64]) -> Vec<c64>) -> Vec<c64> {
        let (size, k) = (self.size, self.k);
        let mut start = rhs.to_vec();
        start[size..].fill(c64::ZERO);
        let mut u = solve(&start);
        let mut small = zeros(2 * k);
        for i in 0..k {
            small[i] = -u[size + i];
            small[k + i] = rhs[size + i] - dot(&side.rows[i], &u);
        }
        let Some(factors) = &side.small else { return u };
        let found = factors.solve(&small);
        u.truncate(size);
        for i in 0..k {
            axpy(&mut u, -found[i], &side.columns[i]);
            axpy(&mut u, found[k + i], &side.units[i]);
        }
        u.extend_from_slice(&found[..k]);
        u
    }
}

fn unit(size: usize, i: usize) -> Vec<c64> {
    let mut out = zeros(size);
    out[i] = c64::ONE;
    out
}

/// `k` different places where the vectors are large, by elimination with exchanges; where they
/// depend on each other, the largest places left.
fn pivots(vectors: &[Vec<c64>], k: usize) -> Vec<usize> {
    let mut work: Vec<Vec<c64>> = vectors.to_vec();
    let mut found: Vec<usize> = Vec::with_capacity(k);
    let largest = |v: &[c64], taken: &[usize]| {
        (0..v.len())
            .filter(|i| !taken.contains(i))
            .max_by(|&i, &j| v[i].norm().total_cmp(&v[j].norm()))
            .unwrap_or(0)
    };
    for i in 0..k.min(work.len()) {
        let size = vectors[i].iter().map(|z| z.norm()).fold(0.0, f64::max);
        let place = largest(&work[i], &found);
        let place = if work[i][place].norm() > 1e-6 * size { place } else { largest(&vectors[i], &found) };
        let (before, after) = work.split_at_mut(i + 1);
        let pivot = before[i][place];
        if pivot.norm() > 1e-6 * size {
            for v in after {
                let factor = -v[place] / pivot;
                axpy(v, factor, &before[i]);
            }
        }
        found.push(place);
    }
    while found.len() < k {
        found.push(largest(&vectors[0], &found));
    }
    found
}
