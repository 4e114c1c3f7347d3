//! One sparse factorization, and small corrections to the whole bordered system.
//!
//! A dense row or column would fill the factors. In their place stand numbers at k places (J_i, K_i), where left and right vectors
//! are large, mostly on the diagonal, so that all modes of a model, at all values of its parameters, share one pattern:
//!
//! ```text
//! Q = P + E_J H E_K^T,   P = [ A  Phi_q^T; Phi_q  0 ],  singular at an eigenvalue,   H = diag(h)
//! ```
//!
//! With U = Q^-1 (B; 0) and W = Q^-1 E_J the whole system follows from the border's own rows and from what was added: 2k equations
//! in the border's unknown t and in kappa = H E_K^T u:
//!
//! ```text
//! u = u_0 - U t + W kappa,   H E_K^T (u_0 - U t + W kappa) = kappa,   G u_0 + (D - G U) t + G W kappa = g
//! ```

use super::{Core, Frame};
use crate::storage::Backend;
use crate::vectors::{axpy, dot, zeros};
use mb_algebra::{AlgebraError, DenseC, LuComplex, Scatter, Sparse, SparseLuComplex, Triplets, c64, norms};

/// The factors of Q and of the small systems, for right-hand sides and transposed ones.
pub struct Eliminated {
    lu: SparseLuComplex,
    forward: Side,
    backward: Side,
}

/// What takes Q (or its transpose) to the whole system (or its transpose).
struct Side {
    /// Where kappa reads u, and h.
    places: Vec<(usize, f64)>,
    /// Q^-1 (B; 0), length n + m each.
    columns: Vec<Vec<c64>>,
    /// Q^-1 E_J.
    units: Vec<Vec<c64>>,
    /// G, length n.
    rows: Vec<Vec<c64>>,
    /// None for an empty border.
    small: Option<LuComplex>,
}

/// A place is good where the vector has this share of its largest entry.
const LARGE: f64 = 0.01;

/// Factors the sparse part, trying other rows where the first choice is poor.
pub(crate) fn sparse_core(frame: &Frame<'_, Sparse>) -> Result<Core, AlgebraError> {
    let k = frame.columns.len();
    let (rows, cols) = if let ([right], Some(left)) = (frame.vectors, frame.left) {
        places(right, left)
    } else {
        let cols = pivots(frame.vectors, k);
        (cols.clone(), cols)
    };
    let first = Eliminated::new(frame, &rows, &cols)?;
    if let ([right], None) = (frame.vectors, frame.left) {
        let left = &first.backward.units[0][..right.len()];
        // A row where the left vector is almost zero leaves the matrix almost singular.
        if left[rows[0]].norm() < LARGE * largest(left) {
            let (rows, cols) = places(right, left);
            return Ok(Core::Sparse(Box::new(Eliminated::new(frame, &rows, &cols)?)));
        }
    }
    Ok(Core::Sparse(Box::new(first)))
}

/// Where a right and a left vector are large, in one place if they can be.
fn places(right: &[c64], left: &[c64]) -> (Vec<usize>, Vec<usize>) {
    let most = |size: &dyn Fn(usize) -> f64| {
        (0..right.len()).max_by(|&i, &j| size(i).total_cmp(&size(j))).unwrap_or(0)
    };
    let both = most(&|i| right[i].norm() * left[i].norm());
    if right[both].norm() >= LARGE * largest(right) && left[both].norm() >= LARGE * largest(left) {
        return (vec![both], vec![both]);
    }
    (vec![most(&|i| left[i].norm())], vec![most(&|i| right[i].norm())])
}

fn largest(x: &[c64]) -> f64 {
    x.iter().map(|z| z.norm()).fold(0.0, f64::max)
}

impl Eliminated {
    fn new(frame: &Frame<'_, Sparse>, rows: &[usize], cols: &[usize]) -> Result<Self, AlgebraError> {
        let (n, nc) = (frame.p.m.size().0, frame.p.phi_q.size().0);
        let size = n + nc;
        let mut entries = Triplets::new(size, size);
        frame.scatter_pencil(&mut entries);
        // All diagonals are in the pattern, wherever the numbers go.
        (0..n).for_each(|i| entries.add(i, i, c64::ZERO));
        let mut added = Vec::with_capacity(rows.len());
        for (i, (&row, &col)) in rows.iter().zip(cols).enumerate() {
            let h = frame.vectors.get(i).map_or(1.0, |vector| strength(vector, col));
            entries.add(row, col, c64::from(h));
            added.push(h);
        }
        let lu = SparseLuComplex::new(&entries.to_sparse_complex())?;
        let unit = |place: usize| {
            let mut out = zeros(size);
            out[place] = c64::ONE;
            out
        };
        let side = |read: &[usize], units: Vec<Vec<c64>>| Side {
            places: read.iter().copied().zip(added.iter().copied()).collect(),
            columns: Vec::new(),
            units,
            rows: Vec::new(),
            small: None,
        };
        let forward = side(cols, rows.iter().map(|&j| lu.solve(&unit(j))).collect());
        let backward = side(rows, cols.iter().map(|&j| lu.solve_transpose(&unit(j))).collect());
        Self { lu, forward, backward }.rebordered(frame.columns, frame.rows, frame.corner, frame.size)
    }

    /// The same factors with another border: B by columns, G by rows, D by rows, scaled by the sizes
    /// of the frame they were made for.
    pub(super) fn rebordered(
        self,
        columns: &[Vec<c64>],
        rows: &[Vec<c64>],
        corner: &[Vec<c64>],
        [a, _, b]: [f64; 3],
    ) -> Result<Self, AlgebraError> {
        let Self { lu, forward, backward } = self;
        let columns: Vec<Vec<c64>> = columns.iter().map(|c| c.iter().map(|z| z / b).collect()).collect();
        let corner = |i: usize, j: usize| corner[i][j] * (a / b);
        let forward = forward.bordered(lu.size(), &columns, rows, corner, &|x| lu.solve(x))?;
        // The transposed whole has B^T for rows and G^T for columns.
        let transposed = |i: usize, j: usize| corner(j, i);
        let solve = |x: &[c64]| lu.solve_transpose(x);
        let backward = backward.bordered(lu.size(), rows, &columns, transposed, &solve)?;
        Ok(Self { lu, forward, backward })
    }

    /// (x, l, t) for a scaled right-hand side (f, h, g).
    pub(super) fn solve(&self, rhs: &[c64]) -> Vec<c64> {
        self.forward.finish(rhs, self.lu.size(), |x| self.lu.solve(x))
    }

    /// As [`Eliminated::solve`] with the transposed matrix.
    pub(super) fn solve_transpose(&self, rhs: &[c64]) -> Vec<c64> {
        self.backward.finish(rhs, self.lu.size(), |x| self.lu.solve_transpose(x))
    }
}

/// h for a vector that is to be seen at a place: it counts there as much as all of the matrix, of entries up to one, does elsewhere.
fn strength(vector: &[c64], place: usize) -> f64 {
    let share = vector[place].norm() / norms::two_complex(vector);
    if share > 0.0 { share.powi(-2).min(1e12) } else { 1.0 }
}

impl Side {
    /// With another border.
    fn bordered(
        self,
        size: usize,
        columns: &[Vec<c64>],
        rows: &[Vec<c64>],
        corner: impl Fn(usize, usize) -> c64,
        solve: &dyn Fn(&[c64]) -> Vec<c64>,
    ) -> Result<Self, AlgebraError> {
        let k = columns.len();
        let Self { places, units, .. } = self;
        let padded = |column: &Vec<c64>| {
            let mut out = column.clone();
            out.resize(size, c64::ZERO);
            solve(&out)
        };
        let columns: Vec<Vec<c64>> = columns.iter().map(padded).collect();
        let small = DenseC::from_fn(2 * k, 2 * k, |i, j| match (i < k, j < k) {
            (true, true) => -columns[j][places[i].0] * places[i].1,
            (true, false) => {
                let own = if i == j - k { c64::ONE } else { c64::ZERO };
                units[j - k][places[i].0] * places[i].1 - own
            }
            (false, true) => corner(i - k, j) - dot(&rows[i - k], &columns[j]),
            (false, false) => dot(&rows[i - k], &units[j - k]),
        });
        let small = if k == 0 { None } else { Some(LuComplex::new(&finite(small)?)?) };
        Ok(Self { places, columns, units, rows: rows.to_vec(), small })
    }

    fn finish(&self, rhs: &[c64], size: usize, solve: impl Fn(&[c64]) -> Vec<c64>) -> Vec<c64> {
        let k = self.places.len();
        let mut u = solve(&rhs[..size]);
        let Some(factors) = &self.small else { return u };
        let mut small = zeros(2 * k);
        for (i, (place, h)) in self.places.iter().enumerate() {
            small[i] = -u[*place] * *h;
            small[k + i] = rhs[size + i] - dot(&self.rows[i], &u);
        }
        let found = factors.solve(&small);
        for i in 0..k {
            axpy(&mut u, -found[i], &self.columns[i]);
            axpy(&mut u, found[k + i], &self.units[i]);
        }
        u.extend_from_slice(&found[..k]);
        u
    }
}

/// The matrix, refused when an entry is not finite.
fn finite(a: DenseC) -> Result<DenseC, AlgebraError> {
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            if !(a[(i, j)].re.is_finite() && a[(i, j)].im.is_finite()) {
                return Err(AlgebraError::Singular { index: j, pivot: 0.0 });
            }
        }
    }
    Ok(a)
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
