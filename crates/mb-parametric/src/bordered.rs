//! The bordered system of an eigenpair.
//!
//! ```text
//! [ A(s)   Phi_q^T  A'(s) phi ] [ x ]   [ f ]      A(s)  = s^2 M + s C + K
//! [ Phi_q  0        0         ] [ l ] = [ h ]      A'(s) = 2 s M + C
//! [ c^H    0        0         ] [ t ]   [ g ]
//! ```
//!
//! It is the Jacobian of (A(s) phi + Phi_q^T l, Phi_q phi, c^H phi - 1) in (phi, l, s): Newton's
//! method solves with it, and so does every degree of the series. It is regular exactly when s
//! is a simple eigenvalue, Phi_q has full row rank and c^H phi is not zero.
//!
//! Rows and columns are scaled so that stiffness, multipliers and the border are of the size of
//! one; each solve is refined once. Size n + m + 1, dense.

use crate::vectors::zeros;
use mb_algebra::{AlgebraError, Dense, DenseC, LuComplex, QuadraticPencil, c64, norms};

/// A vector of the bordered system: unknowns (x, l, t) or right-hand side (f, h, g).
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// Length n.
    pub(crate) x: Vec<c64>,
    /// Length m.
    pub(crate) l: Vec<c64>,
    pub(crate) t: c64,
}

/// The factored bordered system.
pub(crate) struct Bordered {
    n: usize,
    nc: usize,
    matrix: DenseC,
    lu: LuComplex,
    /// A'(s), for the distance to the next eigenvalue.
    slope: DenseC,
    /// Magnitudes of A(s), Phi_q and A'(s) phi.
    size: [f64; 3],
}

/// A(s) = s^2 M + s C + K.
pub(crate) fn pencil_at(p: &QuadraticPencil<Dense>, s: c64) -> DenseC {
    DenseC::from_fn(p.m.nrows(), p.m.ncols(), |i, j| s * s * p.m[(i, j)] + s * p.c[(i, j)] + p.k[(i, j)])
}

/// A'(s) = 2 s M + C.
pub(crate) fn slope_at(p: &QuadraticPencil<Dense>, s: c64) -> DenseC {
    DenseC::from_fn(p.m.nrows(), p.m.ncols(), |i, j| 2.0 * s * p.m[(i, j)] + p.c[(i, j)])
}

/// A x.
pub(crate) fn product(a: &DenseC, x: &[c64]) -> Vec<c64> {
    let mut out = zeros(a.nrows());
    for (j, xj) in x.iter().enumerate() {
        for (o, v) in out.iter_mut().zip(a.col_as_slice(j)) {
            *o += v * xj;
        }
    }
    out
}

/// |s|^2 |M| + |s| |C| + |K| for some norm.
pub(crate) fn size_of(p: &QuadraticPencil<Dense>, s: c64, norm: impl Fn(&Dense) -> f64) -> f64 {
    s.norm_sqr() * norm(&p.m) + s.norm() * norm(&p.c) + norm(&p.k)
}

impl Bordered {
    /// Factors the system at `s` and `phi` with the gauge row `c` (both vectors of unit size).
    ///
    /// Errors: [`AlgebraError::Singular`] for an eigenvalue that is not simple.
    pub(crate) fn new(
        p: &QuadraticPencil<Dense>,
        s: c64,
        phi: &[c64],
        c: &[c64],
    ) -> Result<Self, AlgebraError> {
        let (n, nc) = (p.m.nrows(), p.phi_q.nrows());
        let slope = slope_at(p, s);
        let b = product(&slope, phi);
        let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
        let largest = b.iter().map(|z| z.norm()).fold(0.0, f64::max);
        let size =
            [positive(size_of(p, s, norms::max_abs)), positive(norms::max_abs(&p.phi_q)), positive(largest)];
        let a = pencil_at(p, s);
        let mut matrix = DenseC::zeros(n + nc + 1, n + nc + 1);
        for j in 0..n {
            for i in 0..n {
                matrix[(i, j)] = a[(i, j)] / size[0];
            }
            for i in 0..nc {
                let entry = c64::from(p.phi_q[(i, j)] / size[1]);
                matrix[(n + i, j)] = entry;
                matrix[(j, n + i)] = entry;
            }
            matrix[(j, n + nc)] = b[j] / size[2];
            matrix[(n + nc, j)] = c[j].conj();
        }
        let lu = LuComplex::new(&matrix)?;
        Ok(Self { n, nc, matrix, lu, slope, size })
    }

    /// The solution for a right-hand side.
    pub(crate) fn solve(&self, rhs: &Parts) -> Parts {
        let [a, p, _] = self.size;
        let mut b = Vec::with_capacity(self.n + self.nc + 1);
        b.extend(rhs.x.iter().map(|z| z / a));
        b.extend(rhs.l.iter().map(|z| z / p));
        b.push(rhs.t);
        self.unknowns(&self.refined(&b))
    }

    /// z and mu with z^T A + mu^T Phi_q = 0, Phi_q z = 0 and z^T A' phi = 1 (z is the
    /// conjugated left eigenvector) when `s` is an eigenvalue.
    pub(crate) fn left(&self) -> (Vec<c64>, Vec<c64>) {
        let [a, p, b] = self.size;
        let last = self.n + self.nc;
        // With the scaled matrix: B^T (row scales)^-1 (z, mu, .) = (column scales) e_last.
        let mut rhs = zeros(last + 1);
        rhs[last] = c64::from(a / b);
        let u = self.lu.solve_transpose(&rhs);
        let z = u[..self.n].iter().map(|x| x / a).collect();
        let mu = u[self.n..last].iter().map(|x| x / p).collect();
        (z, mu)
    }

    /// Estimated distance from `s` to the next eigenvalue: the smallest root t of
    /// det(B + t B') = 0, with B' = A'(s) in the leading block, by inverse iteration.
    ///
    /// The linearization is good when the distance is small against |s|, which is when it
    /// matters. Infinite when there is none.
    pub(crate) fn gap(&self) -> f64 {
        // Some vector without symmetry.
        let mut v: Vec<c64> = (0..self.n).map(|i| c64::cis(1.7 * (i * i) as f64 + 0.3)).collect();
        let mut growth = 0.0;
        for _ in 0..12 {
            let size = norms::two_complex(&v);
            if size == 0.0 || !size.is_finite() {
                break;
            }
            for z in &mut v {
                *z /= size;
            }
            let rhs = Parts { x: product(&self.slope, &v), l: zeros(self.nc), t: c64::ZERO };
            v = self.solve(&rhs).x;
            growth = norms::two_complex(&v);
        }
        if growth.is_nan() { 0.0 } else { growth.recip() }
    }

    /// Solves and corrects once with the residual.
    fn refined(&self, b: &[c64]) -> Vec<c64> {
        let mut x = self.lu.solve(b);
        let residual: Vec<c64> = b.iter().zip(product(&self.matrix, &x)).map(|(b, y)| b - y).collect();
        for (x, d) in x.iter_mut().zip(self.lu.solve(&residual)) {
            *x += d;
        }
        x
    }

    /// Takes the column scales off.
    fn unknowns(&self, scaled: &[c64]) -> Parts {
        let [a, p, b] = self.size;
        let last = self.n + self.nc;
        Parts {
            x: scaled[..self.n].to_vec(),
            l: scaled[self.n..last].iter().map(|z| z * (a / p)).collect(),
            t: scaled[last] * (a / b),
        }
    }
}

/// The right-hand side of a Newton step: minus the residual.
pub(crate) fn newton_rhs(p: &QuadraticPencil<Dense>, s: c64, phi: &[c64], l: &[c64]) -> Parts {
    let residual = residual(p, s, phi, l);
    Parts {
        x: residual.x.iter().map(|z| -z).collect(),
        l: residual.l.iter().map(|z| -z).collect(),
        t: c64::ZERO,
    }
}

/// (A(s) phi + Phi_q^T l, Phi_q phi).
pub(crate) fn residual(p: &QuadraticPencil<Dense>, s: c64, phi: &[c64], l: &[c64]) -> Parts {
    let mut x = product(&pencil_at(p, s), phi);
    for (j, xj) in x.iter_mut().enumerate() {
        *xj += p.phi_q.col_as_slice(j).iter().zip(l).map(|(v, l)| l * *v).sum::<c64>();
    }
    Parts { x, l: mb_algebra::dense::matvec_complex(&p.phi_q, phi), t: c64::ZERO }
}
