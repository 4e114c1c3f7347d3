//! Damped, gyroscopic and unsymmetric problems: first companion form.
//!
//! ```text
//! A z = sigma B z,   A = [0 I; -K -C],   B = [I 0; 0 M],   z = (x, sigma x),   w = (.., y)
//! ```
//!
//! in units of time in which |M| = |K| (Fan, Lin, Van Dooren, SIAM J. Matrix Anal. 26, 2004), after x is scaled so
//! that M = I when M is positive definite. Exact zeros and infinities known from the structure are deflated:
//! with Z and W orthonormal bases of their right and left deflating subspaces, the rest of the spectrum belongs to
//! W_c^T (A - sigma B) Z_c on the complements. What remains is a standard problem when B is regular; when it is
//! not, QZ gives alpha and beta and nothing is divided. gonzalez2017, Eq. (6); palomba2019, Eqs. (12)-(16).
//! Sizes: M, C, K k x k, the companion 2k x 2k.

use mb_algebra::{
    AlgebraError, Cholesky, Dense, DenseC, GeneralEigen, Lu, LuComplex, Qz, RankQr, RankTolerance, c64,
    dense, norms,
};

use super::chains::Chains;
use super::raw::{Kind, Raw};
use crate::error::at;
use crate::vectors;
use crate::{EigenError, Finding};

/// Quadratic problem with real k x k matrices in any coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Matrices {
    pub(crate) m: Dense,
    pub(crate) c: Dense,
    pub(crate) k: Dense,
}

impl Matrices {
    fn size(&self) -> usize {
        self.m.nrows()
    }

    /// The unit of frequency that makes |M| = |K|; a substitute where some of the three norms vanish.
    pub(crate) fn frequency(m: f64, c: f64, k: f64) -> f64 {
        let gamma = match (m > 0.0, k > 0.0) {
            (true, true) => (k / m).sqrt(),
            (true, false) => c / m,
            (false, true) => k / c,
            (false, false) => 1.0,
        };
        if gamma > 0.0 && gamma.is_finite() { gamma } else { 1.0 }
    }

    /// The problem in delta = (s - s_0) / spread, for M = I: delta^2 I + delta (C + 2 s_0 I) / spread + Q(s_0) / spread^2.
    ///
    /// spread^2 is the geometric mean of the magnitudes of the eigenvalues of Q(s_0): a group of roots around s_0 then
    /// comes out spread over order one, whatever the others are.
    fn about(self, origin: f64) -> (Self, f64) {
        if origin == 0.0 {
            return (self, 1.0);
        }
        let one = dense::identity(self.size());
        let damping = dense::add(1.0, &self.c, 2.0 * origin, &one);
        let stiffness = dense::add(1.0, &dense::add(1.0, &self.k, origin, &self.c), origin * origin, &one);
        let log = Lu::new(&stiffness).map_or(0.0, |lu| lu.sign_and_log_determinant().1);
        let spread = (0.5 * log / self.size() as f64).exp();
        if !(spread > 0.0 && spread.is_finite()) {
            return (self, 1.0);
        }
        let moved = Self {
            m: one,
            c: dense::scale(spread.recip(), &damping),
            k: dense::scale(spread.powi(-2), &stiffness),
        };
        (moved, spread)
    }

    /// gamma^2 M, gamma C, K over their largest norm.
    fn scaled(&self, gamma: f64) -> Self {
        let (m, c) = (dense::scale(gamma * gamma, &self.m), dense::scale(gamma, &self.c));
        let size = norms::frobenius(&m).max(norms::frobenius(&c)).max(norms::frobenius(&self.k));
        let by = if size > 0.0 { size.recip() } else { 1.0 };
        Self { m: dense::scale(by, &m), c: dense::scale(by, &c), k: dense::scale(by, &self.k) }
    }
}

/// Which of the three matrices are symmetric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symmetry {
    /// M is not.
    None,
    /// M is, but C or K is not.
    Mass,
    /// M, C and K.
    All,
}

/// Distance in scaled units below which roots count as coincident.
const COINCIDENT: f64 = 1e-10;

/// Growth of S^-1 over its size for independent vectors from which on coincident roots count as defective.
const DEPENDENT: f64 = 1e5;

/// Roots of the reduced problem with the findings of the way.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    pub(crate) raws: Vec<Raw>,
    pub(crate) findings: Vec<Finding>,
}

/// Solves a quadratic problem whose zero and infinite roots are known as chains.
///
/// `shift` is a real number, rad/s, around which many roots cluster, 0 when none is known: the eigensolver then works on
/// distances from it, which resolves the cluster and takes fewer iterations. It has no effect where roots are known.
pub(crate) fn solve(
    given: &Matrices,
    zeros: &Chains,
    massless: &Chains,
    symmetry: Symmetry,
    shift: f64,
) -> Result<Roots, EigenError> {
    let k = given.size();
    let norm = norms::frobenius::<Dense>;
    let gamma = Matrices::frequency(norm(&given.m), norm(&given.c), norm(&given.k));
    let scaled = given.scaled(gamma);
    let factor = if symmetry != Symmetry::None && massless.roots() == 0 {
        Cholesky::new(&scaled.m).ok()
    } else {
        None
    };
    let mut roots = Roots::default();
    roots.raws.extend(zeros.raws(Kind::Zero));
    roots.raws.extend(massless.raws(Kind::Infinite));
    let problem = match &factor {
        Some(factor) => whitened(&scaled, factor),
        None => scaled,
    };
    let (mut origin, mut unit) = (0.0, gamma);
    let mut complex_symmetric = None;
    let rest = if roots.raws.is_empty() && (factor.is_some() || k == 0) {
        let (moved, spread) = problem.about(shift / gamma);
        (origin, unit) = (shift, gamma * spread);
        let all = symmetry == Symmetry::All;
        let raws = interleaved(&companion(&moved), !all)?;
        complex_symmetric = all.then_some(moved);
        raws
    } else {
        let (a, b) = pencil(&problem);
        let (right, left) = deflating(&problem, zeros, massless, factor.as_ref(), gamma);
        deflated(&a, &b, &right, &left, factor.is_some(), &mut roots.findings)?
    };
    // x is the better half of z = (x, sigma x), y the second half of w.
    let halves: Vec<Vec<c64>> = rest
        .iter()
        .map(
            |raw| {
                if raw.alpha.norm() <= raw.beta { raw.right[..k].to_vec() } else { raw.right[k..].to_vec() }
            },
        )
        .collect();
    let mut rest = rest;
    match &complex_symmetric {
        Some(problem) => conjugate_lefts(problem, &mut rest, &halves),
        None => rest.iter_mut().for_each(|raw| raw.left = raw.left.as_ref().map(|w| w[k..].to_vec())),
    }
    let lefts: Vec<Vec<c64>> = rest.iter().filter_map(|raw| raw.left.clone()).collect();
    let rights = back(k, &halves, factor.as_ref());
    let mut lefts = back(k, &lefts, factor.as_ref()).into_iter();
    for (raw, right) in rest.into_iter().zip(rights) {
        let left = raw.left.as_ref().and_then(|_| lefts.next());
        roots.raws.push(if raw.kind == Kind::Ordinary {
            Raw::finite(raw.value() * unit + origin, right, left, raw.mirror)
        } else {
            Raw { right, left, ..raw }
        });
    }
    Ok(roots)
}

/// Left vectors of a symmetric problem with M = I: y = conj(x), which an absent one stands for.
///
/// Where roots coincide to rounding the eigensolver may return any basis X of their space, even one with
/// x^T (2 s M + C) x = 0. Then Y = conj(X S^-1), S = X^T (2 s M + C) X, pairs with it; a singular S is a defective root.
fn conjugate_lefts(problem: &Matrices, raws: &mut [Raw], rights: &[Vec<c64>]) {
    let values: Vec<c64> = raws.iter().map(Raw::value).collect();
    let mut seen = vec![false; raws.len()];
    for i in 0..raws.len() {
        let close = |j: usize| (values[i] - values[j]).norm() <= COINCIDENT * values[i].norm().max(1.0);
        let group: Vec<usize> = (i..raws.len()).filter(|&j| !seen[j] && close(j)).collect();
        if group.len() < 2 {
            continue;
        }
        group.iter().for_each(|&j| seen[j] = true);
        let slopes: Vec<Vec<c64>> = group
            .iter()
            .map(|&j| {
                let damping = dense::matvec_complex(&problem.c, &rights[j]);
                damping.iter().zip(&rights[j]).map(|(c, x)| c + x * values[i] * 2.0).collect()
            })
            .collect();
        let form = |a: usize, b: usize| rights[group[a]].iter().zip(&slopes[b]).map(|(x, q)| x * q).sum();
        let gram = DenseC::from_fn(group.len(), group.len(), form);
        let Ok(lu) = LuComplex::new(&gram) else { continue };
        let size = 2.0 * values[i].norm() + norms::frobenius(&problem.c);
        for (column, &j) in group.iter().enumerate() {
            let mut unit = crate::constraints::zeros(group.len());
            unit[column] = c64::new(1.0, 0.0);
            let weights = lu.solve(&unit);
            if !(norms::two_complex(&weights) * size < DEPENDENT) {
                continue;
            }
            let y: Vec<c64> = (0..problem.size())
                .map(|row| group.iter().zip(&weights).map(|(&k, w)| rights[k][row] * w).sum::<c64>().conj())
                .collect();
            raws[j].left = Some(y);
        }
    }
}

/// x = L^-T z for a list of vectors.
fn back(k: usize, list: &[Vec<c64>], factor: Option<&Cholesky>) -> Vec<Vec<c64>> {
    let Some(factor) = factor else { return list.to_vec() };
    let block = vectors::Block::new(k, list).through(|z| factor.solve_lower_transpose(z));
    (0..list.len()).map(|j| block.column(j)).collect()
}

/// L^-1 (M, C, K) L^-T, M = I.
fn whitened(problem: &Matrices, factor: &Cholesky) -> Matrices {
    let both = |a: &Dense| {
        let half = factor.solve_lower(a);
        dense::transpose(&factor.solve_lower(&dense::transpose(&half)))
    };
    Matrices { m: dense::identity(problem.size()), c: both(&problem.c), k: both(&problem.k) }
}

/// [0 I; -K -C] for M = I.
fn companion(problem: &Matrices) -> Dense {
    let k = problem.size();
    let mut a = Dense::zeros(2 * k, 2 * k);
    for j in 0..k {
        a[(j, k + j)] = 1.0;
        for i in 0..k {
            a[(k + i, j)] = -problem.k[(i, j)];
            a[(k + i, k + j)] = -problem.c[(i, j)];
        }
    }
    a
}

/// A = [0 I; -K -C], B = [I 0; 0 M].
fn pencil(problem: &Matrices) -> (Dense, Dense) {
    let k = problem.size();
    let mut b = Dense::identity(2 * k, 2 * k);
    for j in 0..k {
        b.col_as_slice_mut(k + j)[k..].copy_from_slice(problem.m.col_as_slice(j));
    }
    (companion(problem), b)
}

/// Bases of the right deflating subspace Z and the left one W = [B Z_0, A Z_inf] of the known roots.
fn deflating(
    problem: &Matrices,
    zeros: &Chains,
    massless: &Chains,
    factor: Option<&Cholesky>,
    gamma: f64,
) -> (Dense, Dense) {
    let k = problem.size();
    let carry = |a: &Dense| factor.map_or_else(|| a.clone(), |f| dense::mul_transpose(f.l(), a));
    let stack = |top: &Dense, bottom: &Dense| dense::vstack(&[top, bottom]);
    let nothing = |a: &Dense| Dense::zeros(k, a.ncols());
    // Generalized vectors scale with the unit of frequency: x_1 belongs to s, gamma x_1 to sigma.
    let (s, d, g) =
        (carry(&zeros.simple), carry(&zeros.double), dense::scale(gamma, &carry(&zeros.generalized)));
    let z0 = dense::hstack(&[&stack(&s, &nothing(&s)), &stack(&d, &nothing(&d)), &stack(&g, &d)]);
    let w0 = dense::hstack(&[
        &stack(&s, &nothing(&s)),
        &stack(&d, &nothing(&d)),
        &stack(&g, &dense::mul(&problem.m, &d)),
    ]);
    let (s, d, g) = (&massless.simple, &massless.double, dense::scale(gamma.recip(), &massless.generalized));
    let z1 = dense::hstack(&[&stack(&nothing(s), s), &stack(&nothing(d), d), &stack(d, &g)]);
    let w1 = dense::mul(&companion(problem), &z1);
    (dense::hstack(&[&z0, &z1]), dense::hstack(&[&w0, &w1]))
}

/// Roots of A z = sigma B z apart from those of the given deflating subspaces.
fn deflated(
    a: &Dense,
    b: &Dense,
    right: &Dense,
    left: &Dense,
    identity: bool,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Raw>, EigenError> {
    let (z, z_c) = complement(right)?;
    let (w, w_c) = complement(left)?;
    let between = |l: &Dense, x: &Dense, r: &Dense| dense::mul_transpose(l, &dense::mul(x, r));
    let (a_c, b_c) = (between(&w_c, a, &z_c), between(&w_c, b, &z_c));
    let inner = if identity && z.ncols() == w.ncols() {
        // B = I: the complements coincide up to a rotation.
        regular(&a_c, &b_c)?
    } else {
        match well_conditioned(&b_c) {
            true => regular(&a_c, &b_c)?,
            false => super::qz::solve(&a_c, &b_c, findings)?,
        }
    };
    let coupling = Coupling {
        a: between(&w, a, &z),
        b: between(&w, b, &z),
        a_c: between(&w, a, &z_c),
        b_c: between(&w, b, &z_c),
    };
    let to_complex = dense::to_complex;
    let (z, z_c, w_c) = (to_complex(&z), to_complex(&z_c), to_complex(&w_c));
    inner
        .into_iter()
        .map(|mut raw| {
            let known = coupling.part(&raw);
            raw.right = combine(&z_c, &raw.right, Some((&z, &known)));
            raw.left = raw.left.map(|y| combine(&w_c, &y, None));
            Ok(raw)
        })
        .collect()
}

/// Blocks that tie the known subspace to the rest.
struct Coupling {
    a: Dense,
    b: Dense,
    a_c: Dense,
    b_c: Dense,
}

impl Coupling {
    /// Part of the vector in the known subspace: (beta A - alpha B) p = -(beta A_c - alpha B_c) z.
    fn part(&self, raw: &Raw) -> Vec<c64> {
        let d = self.a.nrows();
        let rhs: Vec<c64> = (0..d)
            .map(|i| {
                (0..raw.right.len())
                    .map(|j| -(self.a_c[(i, j)] * raw.beta - raw.alpha * self.b_c[(i, j)]) * raw.right[j])
                    .sum()
            })
            .collect();
        let matrix = DenseC::from_fn(d, d, |i, j| self.a[(i, j)] * raw.beta - raw.alpha * self.b[(i, j)]);
        match LuComplex::new(&matrix) {
            Ok(lu) => lu.solve(&rhs),
            // The root coincides with a known one: its own part is the vector.
            Err(_) => crate::constraints::zeros(d),
        }
    }
}

fn combine(basis: &DenseC, x: &[c64], more: Option<(&DenseC, &[c64])>) -> Vec<c64> {
    let mut out = crate::constraints::zeros(basis.nrows());
    let mut add = |basis: &DenseC, x: &[c64]| {
        for (j, &xj) in x.iter().enumerate() {
            for (o, b) in out.iter_mut().zip(basis.col_as_slice(j)) {
                *o += b * xj;
            }
        }
    };
    add(basis, x);
    if let Some((basis, x)) = more {
        add(basis, x);
    }
    out
}

/// Orthonormal bases of a column space and of its complement.
fn complement(a: &Dense) -> Result<(Dense, Dense), EigenError> {
    let qr = RankQr::new(&dense::transpose(a), RankTolerance { relative: 1e-12 })
        .map_err(at("Deflating zero and infinite roots"))?;
    Ok((qr.row_space(), qr.null_space()))
}

/// Whether elimination with B leaves digits to a standard problem.
fn well_conditioned(b: &Dense) -> bool {
    Lu::new(b).map_or(b.nrows() == 0, |lu| lu.rcond() > 1e-13)
}

/// B^-1 A z = sigma z.
fn regular(a: &Dense, b: &Dense) -> Result<Vec<Raw>, EigenError> {
    if a.nrows() == 0 {
        return Ok(Vec::new());
    }
    let lu = Lu::new(b).map_err(at("Reduction to a standard eigenvalue problem"))?;
    let mut raws = standard(&lu.solve_mat(a), true)?;
    for raw in &mut raws {
        if let Some(w) = &mut raw.left {
            let part = |f: fn(&c64) -> f64| lu.solve_transpose(&w.iter().map(f).collect::<Vec<_>>());
            let (re, im) = (part(|z| z.re), part(|z| z.im));
            *w = re.into_iter().zip(im).map(|(re, im)| c64::new(re, im)).collect();
        }
    }
    Ok(raws)
}

/// Roots of a companion matrix, unknowns taken in the order x_1, v_1, x_2, v_2, ..: the QR iteration deflates a tenth
/// sooner than with x before v.
fn interleaved(a: &Dense, left: bool) -> Result<Vec<Raw>, EigenError> {
    let k = a.nrows() / 2;
    let place = |i: usize| i / 2 + (i % 2) * k;
    let mixed = Dense::from_fn(2 * k, 2 * k, |i, j| a[(place(i), place(j))]);
    let mut raws = standard(&mixed, left)?;
    let unmix = |v: &[c64]| (0..2 * k).map(|i| v[if i < k { 2 * i } else { 2 * (i - k) + 1 }]).collect();
    for raw in &mut raws {
        raw.right = unmix(&raw.right);
        raw.left = raw.left.as_deref().map(unmix);
    }
    Ok(raws)
}

/// Roots of a standard problem, one of each conjugate pair.
///
/// Coincident complex pairs and exactly defective ones can leave the QR iteration or its back substitution without an
/// answer; QZ with B = I then gives it.
fn standard(a: &Dense, left: bool) -> Result<Vec<Raw>, EigenError> {
    let column = |v: &DenseC, j: usize| v.col_as_slice(j).to_vec();
    let (values, right, left) = match GeneralEigen::new(a, left) {
        Ok(eigen) => (eigen.values, eigen.right, eigen.left),
        Err(AlgebraError::NoConvergence { .. } | AlgebraError::NonFiniteResult { .. }) => {
            let qz = Qz::new(a, &dense::identity(a.nrows()), left)
                .map_err(at("Eigenvalues of the companion matrix"))?;
            let values = qz.alpha.iter().zip(&qz.beta).map(|(alpha, beta)| alpha / beta).collect();
            (values, qz.right, qz.left)
        }
        Err(source) => return Err(at("Eigenvalues of the companion matrix")(source)),
    };
    let kept = (0..values.len()).filter(|&j| values[j].im >= 0.0);
    Ok(kept
        .map(|j| {
            let left = left.as_ref().map(|left| column(left, j));
            Raw::finite(values[j], column(&right, j), left, values[j].im > 0.0)
        })
        .collect())
}
