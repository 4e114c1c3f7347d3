//! Zero (and, reversed, infinite) eigenvalues of a quadratic pencil: their number, vectors and chains.
//!
//! ```text
//! simple    x in N, L^T C N regular on it                one zero with a vector of its own
//! double    L^T C N = 0 on it: K x_1 = -C x              two zeros that share the vector x
//!           regular when L^T (M x + C x_1) is
//! ```
//!
//! N and L are the right and left null directions of K. A free body without damping to the ground is the double
//! case: one vector, two zeros (uniform motion grows linearly). With a damper to the ground it is simple.
//! Reversing the roles of K and M gives the infinite eigenvalues. Sizes: k x p. Gohberg, Lancaster, Rodman, Matrix
//! Polynomials, section 1.4 (Jordan chains). Chains longer than two are reported, not followed.

use mb_algebra::{Dense, Lu, RankQr, RankTolerance, Svd, dense, norms};

use super::kernel::{Given, Kernel};
use super::raw::{Kind, Raw};
use crate::error::at;
use crate::numeric::vectors::{column_range, magnitudes};
use crate::{EigenError, Finding, tuning};

/// Which end of the spectrum null directions belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Null directions of K. Free motions of a linearization are null directions of C but for the rounding of its sums, so a small
    /// L^T C N counts as zero: the eigenvalue is a zero of a chain of two.
    Zero,
    /// Null directions of M. The entries as written decide, since a small L^T C N stands for an eigenvalue of any size.
    Infinity,
}

/// The eigenvalues that belong to one set of null directions.
#[derive(Clone, Debug)]
pub(crate) struct Chains {
    /// Right vectors of simple eigenvalues, k x p_1.
    pub(crate) simple: Dense,
    /// Left vectors of simple eigenvalues.
    simple_left: Dense,
    /// Right vectors of double eigenvalues, k x p_2.
    pub(crate) double: Dense,
    /// Left vectors of double eigenvalues.
    double_left: Dense,
    /// x_1 of the double eigenvalues.
    pub(crate) generalized: Dense,
    /// |y^T (M x + C x_1)| of every double eigenvalue.
    curvatures: Vec<f64>,
    /// Whether no chain is longer than two.
    pub(crate) regular: bool,
    /// What the digits of C leave open.
    pub(crate) open: Option<Open>,
}

/// Null directions on which L^T C N is zero but for the last digits of C: those digits may make one of each two eigenvalues another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Open {
    /// How many.
    pub(crate) directions: usize,
    /// The relative change of the entries of C that decides.
    pub(crate) relative: f64,
    /// The smallest singular value of L^T C N that counts, as a fraction of its terms, where one does.
    pub(crate) kept: Option<f64>,
    /// |L^T (M x + C x_1)| over what C and its last digits can be there, the least: with K for M the slowest rate, rad/s.
    pub(crate) ratio: f64,
}

impl Chains {
    /// No eigenvalues, for k unknowns.
    pub(crate) fn none(k: usize) -> Self {
        let none = || Dense::zeros(k, 0);
        Self {
            simple: none(),
            simple_left: none(),
            double: none(),
            double_left: none(),
            generalized: none(),
            curvatures: Vec::new(),
            regular: true,
            open: None,
        }
    }

    /// Splits the null directions of `base`; `first` multiplies s and `second` s^2 (for zero: K, C, M).
    ///
    /// `given`: the first as given, before any reduction; `second_size`: the Frobenius norm of the other; `tolerance` of null directions.
    pub(crate) fn split(
        kernel: &Kernel,
        base: &Dense,
        [first, second]: [&Dense; 2],
        given: Given<'_>,
        second_size: f64,
        tolerance: f64,
        end: End,
    ) -> Result<Self, EigenError> {
        let (k, p) = (kernel.right.nrows(), kernel.dim());
        if p == 0 {
            return Ok(Self::none(k));
        }
        let Aligned { right, left, regular: p1, decided: null, rates } =
            aligned(kernel, first, given, tolerance, end)?;
        let simple = column_range(&right, 0, p1);
        let simple_left = column_range(&left, 0, p1);
        let (double, double_left) = (column_range(&right, p1, p), column_range(&left, p1, p));
        let generalized = generalized(base, first, &double, kernel)?;
        let moved = dense::add(1.0, &dense::mul(second, &double), 1.0, &dense::mul(first, &generalized));
        let gram = dense::mul_transpose(&double_left, &moved);
        let svd = Svd::new(&gram).map_err(at("Jordan chains of zero eigenvalues"))?;
        let cut = threshold(&double_left, second, &double, second_size);
        let regular = svd.s.iter().all(|&s| s > cut);
        let open = (null.open > 0).then(|| {
            let terms = |left: &Dense, right: &Dense| {
                norms::frobenius(&bilinear(&magnitudes(left), &magnitudes(first), &magnitudes(right)))
            };
            let rest = norms::frobenius(&bilinear(&double_left, first, &double))
                // How far rounding of one unit in the last place of every entry may go, with the roundings of a product.
                + tuning::FEW_ROUNDINGS * terms(&double_left, &double);
            let kept = rates.iter().copied().reduce(f64::min).map(|s| s / terms(&simple_left, &simple));
            let least = svd.s.iter().copied().fold(f64::INFINITY, f64::min);
            Open { directions: null.open, relative: null.worst, kept, ratio: least / rest }
        });
        Ok(Self {
            simple,
            simple_left,
            generalized: dense::mul(&generalized, &svd.v),
            double: dense::mul(&double, &svd.v),
            double_left: dense::mul(&double_left, &svd.u),
            curvatures: svd.s,
            regular,
            open,
        })
    }

    /// What is to be said of infinite eigenvalues that the digits of C leave open.
    pub(crate) fn by_rounding(&self) -> Option<Finding> {
        let Open { directions, relative, kept, ratio } = self.open?;
        let (dropped, beyond) = (Some(relative), Some(ratio));
        Some(Finding::InfiniteByRounding { eigenvalues: directions, dropped, kept, beyond })
    }

    /// Number of eigenvalues, with multiplicity.
    pub(crate) fn eigenvalues(&self) -> usize {
        self.simple.ncols() + 2 * self.double.ncols()
    }

    /// [C N_1, M N_2 + C X_1]: what the rate terms do to the chains' last vectors, k x p; regular against L.
    pub(crate) fn border(&self, first: &Dense, second: &Dense) -> Dense {
        let double =
            dense::add(1.0, &dense::mul(second, &self.double), 1.0, &dense::mul(first, &self.generalized));
        dense::hstack(&[&dense::mul(first, &self.simple), &double])
    }

    /// All null directions, k x p, in the order of [`Chains::border`].
    pub(crate) fn directions(&self) -> Dense {
        dense::hstack(&[&self.simple, &self.double])
    }

    /// The eigenvalues as eigenpairs.
    pub(crate) fn raws(&self, kind: Kind) -> Vec<Raw> {
        let mut out = Vec::with_capacity(self.eigenvalues());
        for j in 0..self.simple.ncols() {
            let (x, y) = (self.simple.col_as_slice(j), self.simple_left.col_as_slice(j));
            out.push(Raw::structural(kind, x, Some(y), 1, 0.0));
        }
        for j in 0..self.double.ncols() {
            let (x, y) = (self.double.col_as_slice(j), self.double_left.col_as_slice(j));
            let raw = Raw::structural(kind, x, Some(y), 2, self.curvatures[j]);
            out.extend([raw.clone(), raw]);
        }
        out
    }
}

/// Null directions of K with those first on which L^T C N is regular and diagonal, largest first.
struct Aligned {
    right: Dense,
    left: Dense,
    /// How many of them.
    regular: usize,
    /// The null directions of L^T C N.
    decided: Kernel,
    /// Singular values of L^T C N on the others.
    rates: Vec<f64>,
}

/// The directions of `kernel` on which C vanishes are the null directions of L^T C N, found by the rule of all matrices in whatever
/// units.
fn aligned(
    kernel: &Kernel,
    c: &Dense,
    given: Given<'_>,
    tolerance: f64,
    end: End,
) -> Result<Aligned, EigenError> {
    let step = at("Jordan chains of zero eigenvalues");
    let (right, left) = (&kernel.right, &kernel.left);
    // In all directions the coordinates themselves are taken.
    let everything = kernel.dim() == c.nrows();
    let through =
        |lift: Option<&Dense>, of: &Dense| lift.map_or_else(|| of.clone(), |lift| dense::mul(lift, of));
    let (lift, lift_left) = (through(given.lift, right), through(given.lift_left.or(given.lift), left));
    let on_null = Given { a: given.a, lift: Some(&lift), lift_left: Some(&lift_left) };
    let (gram, seen) = if everything {
        (c.clone(), given)
    } else {
        (on_null.cleaned(&bilinear(left, c, right), tolerance).0, on_null)
    };
    let null = Kernel::find(&gram, seen, tolerance)?;
    let complement = |a: &Dense| -> Result<Dense, EigenError> {
        if a.ncols() == 0 {
            return Ok(dense::identity(a.nrows()));
        }
        let qr = RankQr::new(&dense::transpose(a), RankTolerance { relative: 0.0 });
        Ok(qr.map_err(&step)?.null_space())
    };
    let (others, others_left) = (complement(&null.right)?, complement(&null.left)?);
    let svd = Svd::new(&bilinear(&others_left, &gram, &others)).map_err(&step)?;
    let least = match end {
        End::Zero => threshold(left, c, right, norms::frobenius(given.a)),
        End::Infinity => 0.0,
    };
    let regular = svd.s.iter().take_while(|&&s| s > least).count();
    let back = |of: &Dense, regular: &Dense, null: &Dense| {
        let all = dense::hstack(&[regular, null]);
        if everything { all } else { dense::mul(of, &all) }
    };
    Ok(Aligned {
        right: back(right, &dense::mul(&others, &svd.v), &null.right),
        left: back(left, &dense::mul(&others_left, &svd.u), &null.left),
        regular,
        rates: svd.s[..regular].to_vec(),
        decided: null,
    })
}

/// L^T A R.
fn bilinear(left: &Dense, a: &Dense, right: &Dense) -> Dense {
    dense::mul_transpose(left, &dense::mul(a, right))
}

/// What counts as zero in L^T M x: a fraction of |L|^T |M| |x|, and at least the rounding of L and x times the size of M as
/// given.
fn threshold(left: &Dense, m: &Dense, right: &Dense, size: f64) -> f64 {
    let terms = norms::max_abs(&bilinear(&magnitudes(left), &magnitudes(m), &magnitudes(right)));
    // Rounding of null directions of length one.
    // A singular value of L^T (M x + C x_1) at or below this fraction of |L|^T |M| |x| counts as zero.
    (tuning::EPS_3_4 * terms).max(tuning::MANY_ROUNDINGS * size)
}

/// X_1 with K X_1 = -C X, orthogonal to the null directions.
fn generalized(k: &Dense, c: &Dense, double: &Dense, kernel: &Kernel) -> Result<Dense, EigenError> {
    let (size, p) = (k.nrows(), kernel.dim());
    let force = dense::mul(c, double);
    if norms::max_abs(&force) == 0.0 || p == size {
        return Ok(Dense::zeros(size, double.ncols()));
    }
    let scale = norms::max_abs(k).max(f64::MIN_POSITIVE);
    let mut bordered = Dense::zeros(size + p, size + p);
    for j in 0..size {
        bordered.col_as_slice_mut(j)[..size].copy_from_slice(k.col_as_slice(j));
        for i in 0..p {
            bordered[(size + i, j)] = scale * kernel.right[(j, i)];
            bordered[(j, size + i)] = scale * kernel.left[(j, i)];
        }
    }
    let rhs = Dense::from_fn(size + p, double.ncols(), |i, j| if i < size { -force[(i, j)] } else { 0.0 });
    let lu = Lu::new(&bordered).map_err(at("Generalized vectors of zero eigenvalues"))?;
    let solution = lu.solve_mat(&rhs);
    Ok(Dense::from_fn(size, double.ncols(), |i, j| solution[(i, j)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    fn chains(k: &Dense, c: &Dense, m: &Dense) -> Chains {
        let given = |a| Given { a, lift: None, lift_left: None };
        let kernel = Kernel::find(k, given(k), 1e-12).unwrap();
        Chains::split(&kernel, k, [c, m], given(c), norms::frobenius(m), 1e-12, End::Zero).unwrap()
    }

    #[test]
    fn a_free_mass_has_a_double_zero_and_a_damped_one_a_simple_zero() {
        let (zero, one) = (dense::zeros(1, 1), dense::identity(1));
        let free = chains(&zero, &zero, &one);
        assert_eq!((free.simple.ncols(), free.double.ncols(), free.eigenvalues()), (0, 1, 2));
        let damped = chains(&zero, &one, &one);
        assert_eq!((damped.simple.ncols(), damped.eigenvalues()), (1, 1));
        assert!(free.regular && damped.regular);
    }

    #[test]
    fn one_damped_and_one_free_direction_are_distinguished() {
        // Two masses, one damped to the ground.
        let zero = dense::zeros(2, 2);
        let chains = chains(&zero, &dense::diagonal(&[0.0, 3.0]), &dense::identity(2));
        assert_eq!((chains.simple.ncols(), chains.double.ncols()), (1, 1));
        assert!(chains.double[(1, 0)].abs() < 1e-15 && chains.simple[(0, 0)].abs() < 1e-15);
    }

    #[test]
    fn a_gyroscopic_coupling_enters_the_generalized_vector() {
        // x is free, y stands on a spring k; C = [0 g; -g 0]: x_1 = (0, g / k), curvature m + g^2 / k.
        let (g, k, m) = (2.0, 5.0, 3.0);
        let c = dense::from_rows(&[&[0.0, g], &[-g, 0.0]]);
        let chains = chains(&dense::diagonal(&[0.0, k]), &c, &dense::diagonal(&[m, m]));
        assert_eq!(chains.eigenvalues(), 2);
        assert!((chains.generalized[(1, 0)].abs() - g / k).abs() < 1e-15);
        assert!((chains.curvatures[0] - (m + g * g / k)).abs() < 1e-14);
    }

    #[test]
    fn a_longer_chain_is_noticed() {
        // As above with k = -g^2 / m: curvature zero.
        let c = dense::from_rows(&[&[0.0, 2.0], &[-2.0, 0.0]]);
        assert!(!chains(&dense::diagonal(&[0.0, -4.0]), &c, &dense::identity(2)).regular);
    }
}
