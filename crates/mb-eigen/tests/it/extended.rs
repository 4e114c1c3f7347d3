//! Error bounds against eigenvalues in extended precision, for random constrained problems of every kind.
//!
//! Newton's method on F(x, l, s) = ((s^2 M + s C + K) x + Phi_q^T l, Phi_q x, c^H x - 1) with residuals in double-double
//! numbers (about 32 digits; Dekker, Numer. Math. 18, 1971) and corrections from factors in double: every step gains the
//! digits the factors have, so the eigenvalue of the matrices as given comes out far beyond double precision.

use std::ops::{Add, Mul, Neg, Sub};

use mb_algebra::{Dense, DenseC, LuComplex, QuadraticPencil, Sparse, c64, dense, to_sparse};
use mb_eigen::direct::{self, DirectOptions};
use mb_eigen::sparse::{self, Request};
use mb_eigen::{Class, DenseOptions, Eigenpair, Refinement};

use crate::sparse::agreement::krylov;
use crate::sparse::random::{KINDS, Kind, problem};

/// hi + lo with |lo| at most half a unit in the last place of hi.
#[derive(Clone, Copy, Debug, Default)]
struct Double {
    hi: f64,
    lo: f64,
}

impl Double {
    fn new(x: f64) -> Self {
        Self { hi: x, lo: 0.0 }
    }

    /// a + b exactly.
    fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        let from_b = hi - a;
        Self { hi, lo: (a - (hi - from_b)) + (b - from_b) }
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (hi, lo) = (Self::sum(self.hi, other.hi), Self::sum(self.lo, other.lo));
        let next = Self::sum(hi.hi, hi.lo + lo.hi);
        Self::sum(next.hi, next.lo + lo.lo)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let hi = self.hi * other.hi;
        let lo = self.hi.mul_add(other.hi, -hi);
        Self::sum(hi, lo + (self.hi * other.lo + self.lo * other.hi))
    }
}

/// A complex number of two of them.
#[derive(Clone, Copy, Debug, Default)]
struct Complex {
    re: Double,
    im: Double,
}

impl Complex {
    fn new(z: c64) -> Self {
        Self { re: Double::new(z.re), im: Double::new(z.im) }
    }

    fn rounded(self) -> c64 {
        c64::new(self.re.hi, self.im.hi)
    }

    fn times(self, by: f64) -> Self {
        Self { re: self.re * Double::new(by), im: self.im * Double::new(by) }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// A x.
fn product(a: &Dense, x: &[Complex]) -> Vec<Complex> {
    (0..a.nrows())
        .map(|i| {
            (0..a.ncols())
                .filter(|&j| a[(i, j)] != 0.0)
                .fold(Complex::default(), |sum, j| sum + x[j].times(a[(i, j)]))
        })
        .collect()
}

/// The problem with independent constraint rows.
struct Exact {
    pencil: QuadraticPencil,
    transposed: Dense,
}

impl Exact {
    fn new(pencil: &QuadraticPencil) -> Self {
        Self { transposed: dense::transpose(&pencil.phi_q), pencil: pencil.clone() }
    }

    /// The eigenvalue next to a pair, to at least 25 digits; none where the eigenvalue is not simple enough for
    /// Newton's method.
    fn eigenvalue(&self, pair: &Eigenpair) -> Option<Complex> {
        let (n, m) = (self.pencil.m.nrows(), self.pencil.phi_q.nrows());
        let start = pair.value()?;
        let c: Vec<c64> = pair.right.to_vec();
        let mut s = Complex::new(start);
        let mut x: Vec<Complex> = pair.right.iter().map(|z| Complex::new(*z)).collect();
        let mut l: Vec<Complex> = vec![Complex::default(); m];
        for _ in 0..12 {
            let jacobian = self.jacobian(s.rounded(), &x, &c);
            let lu = LuComplex::new(&jacobian).ok()?;
            let [mx, cx, kx] = [&self.pencil.m, &self.pencil.c, &self.pencil.k].map(|a| product(a, &x));
            let force = product(&self.transposed, &l);
            let mut rest: Vec<c64> =
                (0..n).map(|i| (s * (s * mx[i] + cx[i]) + kx[i] + force[i]).rounded()).collect();
            rest.extend(product(&self.pencil.phi_q, &x).iter().map(|z| z.rounded()));
            let length =
                c.iter().zip(&x).fold(Complex::default(), |sum, (c, x)| sum + Complex::new(c.conj()) * *x);
            rest.push((length - Complex::new(c64::new(1.0, 0.0))).rounded());
            let step = lu.solve(&rest);
            for i in 0..n {
                x[i] = x[i] - Complex::new(step[i]);
            }
            for i in 0..m {
                l[i] = l[i] - Complex::new(step[n + i]);
            }
            s = s - Complex::new(step[n + m]);
            if step[n + m].norm() <= 1e-25 * s.rounded().norm() {
                return Some(s);
            }
        }
        None
    }

    fn jacobian(&self, s: c64, x: &[Complex], c: &[c64]) -> DenseC {
        let (n, m) = (self.pencil.m.nrows(), self.pencil.phi_q.nrows());
        let x: Vec<c64> = x.iter().map(|z| z.rounded()).collect();
        let p = &self.pencil;
        let (mx, cx) = (dense::matvec_complex(&p.m, &x), dense::matvec_complex(&p.c, &x));
        DenseC::from_fn(n + m + 1, n + m + 1, |i, j| match (i, j) {
            (i, j) if i < n && j < n => s * (s * p.m[(i, j)] + p.c[(i, j)]) + p.k[(i, j)],
            (i, j) if i < n && j < n + m => c64::new(p.phi_q[(j - n, i)], 0.0),
            (i, _) if i < n => s * mx[i] * 2.0 + cx[i],
            (i, j) if i < n + m && j < n => c64::new(p.phi_q[(i - n, j)], 0.0),
            (i, j) if i == n + m && j < n => c[j].conj(),
            _ => c64::new(0.0, 0.0),
        })
    }
}

/// Every finite nonzero eigenvalue within its bound; how many were checked, and the largest bound over its error's
/// floor.
fn assert_covered(exact: &Exact, pairs: &[Eigenpair], what: &str) -> usize {
    let mut checked = 0;
    for pair in pairs.iter().filter(|pair| pair.class == Class::Physical && pair.alpha.im >= 0.0) {
        let Some(eigenvalue) = exact.eigenvalue(pair) else { continue };
        let s = pair.value().unwrap();
        let error = (eigenvalue - Complex::new(s)).rounded().norm();
        assert!(
            error <= pair.error_bound,
            "{what}: {s} has the error {error:e}, bound {:e}, condition {:e}",
            pair.error_bound,
            pair.condition
        );
        assert!(
            pair.error_bound <= 1e-6 * s.norm(),
            "{what}: the bound {:e} of {s} is not tight",
            pair.error_bound
        );
        checked += 1;
    }
    checked
}

fn with_redundant_rows(pencil: &QuadraticPencil<Sparse>) -> QuadraticPencil<Sparse> {
    // Twice the first row and half the last one: exact in any binary arithmetic.
    let phi = mb_algebra::to_dense(&pencil.phi_q);
    let m = phi.nrows();
    let extra =
        Dense::from_fn(2, phi.ncols(), |i, j| if i == 0 { 2.0 * phi[(0, j)] } else { 0.5 * phi[(m - 1, j)] });
    QuadraticPencil { phi_q: to_sparse(&dense::vstack(&[&phi, &extra])), ..pencil.clone() }
}

#[test]
fn error_bounds_cover_the_errors_of_every_kind_of_problem_and_solver() {
    for kind in KINDS {
        for seed in 1..4 {
            let (n, m) = (20 + usize::try_from(seed).unwrap(), 4);
            let pencil = problem(kind, n, m, seed);
            let exact = Exact::new(&pencil.to_dense());
            for given in [pencil.clone(), with_redundant_rows(&pencil)] {
                let what = |solver: &str| format!("{kind:?} seed {seed} m = {} {solver}", given.phi_q.rows());
                for refinement in [Refinement::None, Refinement::RayleighQuotient] {
                    let options = DenseOptions { refinement, ..DenseOptions::default() };
                    let all = mb_eigen::dense::solve(&given.to_dense(), &options).unwrap();
                    let checked = assert_covered(&exact, &all.eigenpairs, &what("dense"));
                    assert!(checked >= n - m - 8, "{}: {checked}", what("dense"));
                }
                let request = Request::Lowest { count: 6 };
                let lowest = sparse::solve(&given, &request, &krylov()).unwrap();
                assert!(assert_covered(&exact, &lowest.eigenpairs, &what("sparse")) >= 4);
                let direct = direct::solve(&given, 6, &DirectOptions::default()).unwrap();
                assert!(assert_covered(&exact, &direct.spectrum.eigenpairs, &what("direct")) >= 4);
            }
        }
    }
}

/// x^T A y in extended precision.
fn form(a: &Dense, x: &[f64]) -> f64 {
    let x: Vec<Complex> = x.iter().map(|v| Complex::new(c64::new(*v, 0.0))).collect();
    product(a, &x).iter().zip(&x).fold(Complex::default(), |sum, (a, x)| sum + *a * *x).re.hi
}

#[test]
fn error_bounds_of_zeros_cover_the_eigenvalue_that_rounding_leaves() {
    for kind in [Kind::FreeFree, Kind::FreeDamped] {
        for seed in 1..6 {
            let n = 22;
            let pencil = problem(kind, n, 4, seed);
            // The sums of rows of K, C and Phi_q are rounding, not zero: the exact eigenvalues are those of
            // k + c s + m s^2 with the forms of the rigid motion, up to squares of rounding.
            let given = pencil.to_dense();
            let ones = vec![1.0; n];
            let [m, c, k] = [&given.m, &given.c, &given.k].map(|a| form(a, &ones));
            let eigenvalue = (c64::new(c * c - 4.0 * m * k, 0.0).sqrt() + c.abs()) / (2.0 * m);
            let solvers = [
                mb_eigen::dense::solve(&given, &DenseOptions::default()).unwrap(),
                sparse::solve(&pencil, &Request::Lowest { count: 3 }, &krylov()).unwrap(),
                direct::solve(&pencil, 3, &DirectOptions::default()).unwrap().spectrum,
            ];
            for spectrum in solvers {
                let rigid: Vec<&Eigenpair> = spectrum.of_class(Class::Rigid).collect();
                assert_eq!(rigid.len(), 2, "{kind:?} seed {seed}");
                for pair in rigid {
                    assert!(
                        eigenvalue.norm() <= pair.error_bound,
                        "{kind:?} seed {seed}: {eigenvalue} bound {:e}",
                        pair.error_bound
                    );
                    assert!(pair.error_bound < 1e-4, "{:e}", pair.error_bound);
                }
            }
        }
    }
}
