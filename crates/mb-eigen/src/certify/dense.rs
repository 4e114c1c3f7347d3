//! What is claimed of every eigenvalue: backward error, condition number, error bound, constraint violation.
//!
//! ```text
//! residual         r   = (alpha^2 M + alpha beta C + beta^2 K) x + Phi_q^T l
//! backward error   eta = |r| / ((|alpha|^2 |M| + |alpha| beta |C| + beta^2 |K|) |x|)
//! sensitivity      d   = |y^H (2 s M + C) x|,   a = |y^H M x|
//! error bound      2 rho / d,  or 4 sqrt(rho / a) where the eigenvalue is close to a double one,
//!                  rho = |y|^T (|r| + u g) + |mu|^T (|Phi_q x| + u |Phi_q| |x|)  (in terms of s)
//! condition        sqrt((|alpha|^2 |M|)^2 + (|alpha| beta |C|)^2 + (beta^2 |K|)^2) |x| |y|
//!                  / |y^H (beta dP/dalpha - conj(alpha) dP/dbeta) x|
//! ```
//!
//! All of it on the matrices as given. The multiplier term balances the others and is left out of the denominator
//! of eta, which makes eta larger. Tisseur, Linear Algebra Appl. 309 (2000), sections 2-3 (backward error);
//! Dedieu and Tisseur, Linear Algebra Appl. 358 (2003), Theorem 4.2 (condition in homogeneous form), with s in
//! units of sqrt(|K| / |M|). g holds the magnitudes of all terms of the residual, u a few roundings: without it
//! the bound would not cover the rounding of the residual itself. rho takes magnitudes, not y^H r, which the Rayleigh
//! quotient has made zero. Norms are bounds of the 2-norm. Sizes: x, y n; l, mu m.
//! In unconstrained symmetric problems with definite M an eigenpair that leaves more than rounding has at least the bound
//!
//! ```text
//! 2 eps / d,  or 4 sqrt(eps) close to a double eigenvalue,   eps = |r|_(M^-1) / |x|_M,   d = |y^H (2 s M + C) x| / (|x|_M |y|_M)
//! ```
//!
//! with |r|_(M^-1)^2 = r^H M^-1 r: without damping, and with damping in proportion, some |s_j^2 + c_j s_j + w_j| <= eps whatever x
//! (Parlett, The Symmetric Eigenvalue Problem, section 15.9, for K - w M).
//! First-order in r: eigenvalues that lie together are bounded together ([`super::error_bound`]).

mod clusters;

use mb_algebra::{Cholesky, Dense, QuadraticPencil, c64, dense, norms};

use super::error_bound::{Measured, condition, in_metric};
use crate::dense::constraint_basis::ConstraintBasis;
use crate::dense::{Kind, Matrices, Raw};
use crate::numeric::check;
use crate::numeric::operator::Operator;
use crate::numeric::rayleigh::rayleigh;
use crate::numeric::vectors;
use crate::numeric::vectors::{Block, ZERO, abs, inner};
use crate::options::Refinement;
use crate::{Class, Eigenpair, tuning};

/// The matrices as given with their norms and magnitudes.
pub(crate) struct Certifier<'a> {
    pencil: &'a QuadraticPencil,
    basis: &'a ConstraintBasis,
    norm_m: f64,
    norm_c: f64,
    norm_k: f64,
    m: Operator<'a>,
    c: Option<Operator<'a>>,
    k: Operator<'a>,
    size_m: Operator<'static>,
    size_c: Option<Operator<'static>>,
    size_k: Operator<'static>,
    size_phi: Option<Dense>,
    symmetric: bool,
    /// Reference frequency, rad/s.
    gamma: f64,
    /// A few roundings.
    rounding: f64,
}

/// M X, C X, K X.
struct Products {
    m: Block,
    c: Option<Block>,
    k: Block,
}

impl Products {
    /// alpha^2 M x + alpha beta C x + beta^2 K x for vector j.
    fn combine(&self, n: usize, j: usize, alpha: c64, beta: f64) -> Vec<c64> {
        (0..n)
            .map(|i| {
                let c = self.c.as_ref().map_or(ZERO, |c| c.get(i, j));
                alpha * (alpha * self.m.get(i, j) + c * beta) + self.k.get(i, j) * (beta * beta)
            })
            .collect()
    }
}

/// y^H M x, y^H C x, y^H K x.
#[derive(Clone, Copy)]
pub(crate) struct Forms {
    pub(crate) m: c64,
    pub(crate) c: c64,
    pub(crate) k: c64,
}

impl<'a> Certifier<'a> {
    pub(crate) fn new(pencil: &'a QuadraticPencil, basis: &'a ConstraintBasis) -> Self {
        let damped = norms::max_abs(&pencil.c) > 0.0;
        // What rounding of its assembly leaves of the asymmetry of a matrix is rounding of its entries.
        let symmetric = [&pencil.m, &pencil.c, &pencil.k].iter().all(|a| check::is_symmetric_to_rounding(a));
        let (norm_m, norm_k) = (vectors::norm_bound(&pencil.m), vectors::norm_bound(&pencil.k));
        let norm_c = if damped { vectors::norm_bound(&pencil.c) } else { 0.0 };
        let (m, k) = (Operator::new(&pencil.m), Operator::new(&pencil.k));
        let c = damped.then(|| Operator::new(&pencil.c));
        Self {
            pencil,
            basis,
            norm_m,
            norm_c,
            norm_k,
            size_m: m.magnitudes(),
            size_c: c.as_ref().map(Operator::magnitudes),
            size_k: k.magnitudes(),
            m,
            c,
            k,
            size_phi: basis.unit_rows().map(vectors::magnitudes),
            symmetric,
            gamma: Matrices::frequency(norm_m, norm_c, norm_k),
            rounding: f64::EPSILON * (4.0 + (basis.n() as f64).sqrt()),
        }
    }

    /// Certifies eigenvalues with vectors in the given coordinates; conjugates are added.
    pub(crate) fn certify(&self, mut raws: Vec<Raw>, refinement: Refinement) -> Vec<Eigenpair> {
        let n = self.basis.n();
        let lefts: Vec<Vec<c64>> = raws.iter_mut().map(prepare).collect();
        let rights: Vec<Vec<c64>> = raws.iter().map(|raw| raw.right.clone()).collect();
        let x = Block::new(n, &rights);
        let products = self.products(&x, false);
        let terms = self.terms(&x);
        let mut forms: Vec<Forms> =
            lefts.iter().enumerate().map(|(j, y)| forms(&products, n, j, y)).collect();
        if refinement != Refinement::None {
            for (j, (raw, forms)) in raws.iter_mut().zip(&mut forms).enumerate() {
                if raw.bound.is_some() {
                    continue;
                }
                if blurred(raw, &lefts[j], *forms, &terms, j) {
                    *forms = self.sharp(&lefts[j], &raw.right);
                }
                rayleigh(raw, *forms);
            }
        }
        let forces: Vec<Vec<c64>> =
            raws.iter().enumerate().map(|(j, raw)| products.combine(n, j, raw.alpha, raw.beta)).collect();
        let multipliers = self.basis.multipliers(&Block::new(n, &forces), raws.len());
        let left_multipliers = self.left_multipliers(&raws, &lefts, &multipliers);
        let mut pairs = Vec::with_capacity(raws.len());
        for (j, (raw, left)) in raws.iter().zip(&lefts).enumerate() {
            let evidence = Evidence {
                raw,
                left,
                forms: forms[j],
                force: &forces[j],
                multipliers: &multipliers[j],
                left_multipliers: &left_multipliers[j],
                column: j,
            };
            pairs.push(self.pair(&evidence, &terms));
        }
        self.widen_poor(&raws, &lefts, &forms, &forces, &mut pairs);
        self.bound_together(&raws, &lefts, &forms, &terms, &mut pairs);
        for (pair, raw) in pairs.iter_mut().zip(&raws) {
            pair.error_bound = raw.bound.unwrap_or(pair.error_bound);
        }
        let mut out = Vec::with_capacity(2 * pairs.len());
        for (pair, raw) in pairs.into_iter().zip(&raws) {
            let conjugate = raw.mirror.then(|| pair.conjugate());
            out.push(pair);
            out.extend(conjugate);
        }
        out
    }

    /// Bounds of eigenpairs that leave more than rounding, in the metric of the mass.
    ///
    /// rho weighs the residual with the eigenvalue's own vector: first order, as good as that is. With penalties of
    /// 1e11 times the mechanism's own matrices a residual of 1e-13 of their size is an error of the vector, and
    /// reaches the light directions.
    fn widen_poor(
        &self,
        raws: &[Raw],
        lefts: &[Vec<c64>],
        forms: &[Forms],
        forces: &[Vec<c64>],
        pairs: &mut [Eigenpair],
    ) {
        let poor = |j: &usize| {
            let finite = raws[*j].beta > 0.0 && matches!(raws[*j].kind, Kind::Ordinary | Kind::Zero);
            // Backward error over that of rounding from which on an eigenpair was not solved to rounding.
            finite
                && pairs[*j].backward_error > tuning::TWICE * self.rounding
                && pairs[*j].error_bound.is_finite()
        };
        let poor: Vec<usize> = (0..pairs.len()).filter(poor).collect();
        // With constraints the mass is to be that on what they leave free; without a definite one there is no metric.
        if poor.is_empty() || !self.symmetric || self.basis.m() > 0 {
            return;
        }
        let Ok(metric) = Cholesky::new(&self.pencil.m) else { return };
        for j in poor {
            let energy = |z: &[c64]| inner(z, &dense::matvec_complex(&self.pencil.m, z)).re.sqrt();
            let part = |of: fn(&c64) -> f64| -> Vec<f64> { forces[j].iter().map(of).collect() };
            let square = |r: Vec<f64>| -> f64 { r.iter().zip(metric.solve(&r)).map(|(r, x)| r * x).sum() };
            let beta = raws[j].beta;
            let rest = (square(part(|z| z.re)) + square(part(|z| z.im))).sqrt() / (beta * beta);
            let (x, y) = (energy(&raws[j].right), energy(&lefts[j]));
            let slope = raws[j].alpha / beta * forms[j].m * 2.0 + forms[j].c;
            let bound = in_metric(rest / x, slope.norm() / (x * y));
            let bound = if bound.is_nan() { f64::INFINITY } else { bound };
            pairs[j].error_bound = pairs[j].error_bound.max(bound);
        }
    }

    fn products(&self, x: &Block, transposed: bool) -> Products {
        let apply = |a: &Operator<'_>| {
            if transposed { x.through(|x| a.apply_transpose(x)) } else { x.through(|x| a.apply(x)) }
        };
        Products { m: apply(&self.m), c: self.c.as_ref().map(apply), k: apply(&self.k) }
    }

    /// The forms of one eigenvalue as if in double-double precision.
    fn sharp(&self, y: &[c64], x: &[c64]) -> Forms {
        let y = vectors::conjugate(y);
        let form = |a: &Operator<'_>| a.form(&y, x);
        Forms { m: form(&self.m), c: self.c.as_ref().map_or(ZERO, form), k: form(&self.k) }
    }

    /// mu of every left vector, homogeneous as the l.
    fn left_multipliers(&self, raws: &[Raw], lefts: &[Vec<c64>], multipliers: &[Vec<c64>]) -> Vec<Vec<c64>> {
        if self.basis.m() == 0 {
            return vec![Vec::new(); raws.len()];
        }
        if self.symmetric && raws.iter().all(|raw| raw.left.is_none()) {
            return multipliers.iter().map(|l| vectors::conjugate(l)).collect();
        }
        let n = self.basis.n();
        let products = self.products(&Block::new(n, lefts), true);
        let forces: Vec<Vec<c64>> = raws
            .iter()
            .enumerate()
            .map(|(j, raw)| products.combine(n, j, raw.alpha.conj(), raw.beta))
            .collect();
        self.basis.multipliers(&Block::new(n, &forces), raws.len())
    }

    /// |M| |x|, |C| |x|, |K| |x|, Phi_q x and |Phi_q| |x| (unit rows).
    fn terms(&self, x: &Block) -> Terms {
        let size = x.magnitudes();
        Terms {
            m: self.size_m.apply(&size),
            c: self.size_c.as_ref().map(|c| c.apply(&size)),
            k: self.size_k.apply(&size),
            phi_x: self.basis.unit_rows().map(|phi| x.apply(phi)),
            phi: self.size_phi.as_ref().map(|phi| dense::mul(phi, &size)),
        }
    }

    fn pair(&self, e: &Evidence<'_>, terms: &Terms) -> Eigenpair {
        let (alpha, beta) = (e.raw.alpha, e.raw.beta);
        let residual = self.residual(e);
        let size =
            alpha.norm_sqr() * self.norm_m + alpha.norm() * beta * self.norm_c + beta * beta * self.norm_k;
        let rest = norms::two_complex(&residual);
        let violation = terms.phi_x.as_ref().map_or(0.0, |phi_x| norms::two_complex(&phi_x.column(e.column)));
        let rho = self.weighted_residual(e, terms, &residual);
        let measured = e.measured(rho);
        let defective = if beta > 0.0 { measured.is_defective() } else { e.raw.chain > 1 };
        let scale = if beta > 0.0 { measured.left_scale() } else { c64::new(1.0, 0.0) };
        let unbounded = beta == 0.0 || e.raw.kind == Kind::Indeterminate;
        let to_finite = if beta > 0.0 { (beta * beta).recip() } else { 1.0 };
        let scaled = |v: &[c64], by: c64| v.iter().map(|z| z * by).collect();
        Eigenpair {
            alpha,
            beta,
            right: e.raw.right.clone().into(),
            multipliers: scaled(e.multipliers, c64::new(to_finite, 0.0)),
            left: scaled(e.left, scale),
            left_multipliers: scaled(e.left_multipliers, scale * to_finite),
            backward_error: if rest > 0.0 { rest / size.max(f64::MIN_POSITIVE) } else { 0.0 },
            constraint_violation: if violation > 0.0 { violation / self.basis.unit_norm() } else { 0.0 },
            condition: if defective || e.raw.chain > 1 {
                f64::INFINITY
            } else {
                condition((alpha, beta), self.gamma, e.forms, [self.norm_m, self.norm_c, self.norm_k])
            },
            error_bound: if unbounded { f64::INFINITY } else { measured.alone() },
            chain: e.raw.chain,
            penalty_share: None,
            class: match e.raw.kind {
                Kind::Ordinary => Class::Physical,
                Kind::Zero => Class::Rigid,
                Kind::Infinite => Class::Infinite,
                Kind::Indeterminate => Class::Indeterminate,
            },
        }
    }

    /// (alpha^2 M + alpha beta C + beta^2 K) x + Phi_q^T l.
    fn residual(&self, e: &Evidence<'_>) -> Vec<c64> {
        let mut out = e.force.to_vec();
        if self.basis.m() > 0 {
            for (j, o) in out.iter_mut().enumerate() {
                let column = self.pencil.phi_q.col_as_slice(j);
                *o += column.iter().zip(e.multipliers).map(|(phi, l)| l * phi).sum::<c64>();
            }
        }
        out
    }

    /// rho in homogeneous form.
    fn weighted_residual(&self, e: &Evidence<'_>, terms: &Terms, residual: &[c64]) -> f64 {
        let (a, b) = (e.raw.alpha.norm(), e.raw.beta);
        let j = e.column;
        let reactions: Vec<f64> = e.multipliers.iter().map(|l| abs(*l)).collect();
        let mut rho = 0.0;
        for (i, r) in residual.iter().enumerate() {
            let c = terms.c.as_ref().map_or(0.0, |c| c[(i, j)]);
            let mut g = a * a * terms.m[(i, j)] + a * b * c + b * b * terms.k[(i, j)];
            if self.basis.m() > 0 {
                let column = self.pencil.phi_q.col_as_slice(i);
                g += column.iter().zip(&reactions).map(|(phi, l)| phi.abs() * l).sum::<f64>();
            }
            rho += abs(e.left[i]) * (abs(*r) + self.rounding * g);
        }
        if let (Some(phi_x), Some(phi)) = (&terms.phi_x, &terms.phi) {
            let mu = self.basis.to_unit_rows(e.left_multipliers);
            for (i, mu) in mu.iter().enumerate() {
                rho += abs(*mu) * (abs(phi_x.get(i, j)) + self.rounding * phi[(i, j)]);
            }
        }
        rho
    }
}

/// Whether rounding of the forms shows in their Rayleigh quotient.
fn blurred(raw: &Raw, left: &[c64], forms: Forms, terms: &Terms, j: usize) -> bool {
    if raw.kind != Kind::Ordinary || raw.beta == 0.0 {
        return false;
    }
    let s = raw.value();
    let size = s.norm();
    let terms_of = |i: usize| {
        size * (size * terms.m[(i, j)] + terms.c.as_ref().map_or(0.0, |c| c[(i, j)])) + terms.k[(i, j)]
    };
    let rounding: f64 = left.iter().enumerate().map(|(i, y)| abs(*y) * terms_of(i)).sum();
    // Relative rounding of a Rayleigh quotient from which on its forms are computed in double-double precision.
    f64::EPSILON * rounding > tuning::MANY_ROUNDINGS * (s * forms.m * 2.0 + forms.c).norm() * size
}

/// Everything known of one eigenvalue.
pub(crate) struct Evidence<'a> {
    pub(crate) raw: &'a Raw,
    left: &'a [c64],
    pub(crate) forms: Forms,
    force: &'a [c64],
    multipliers: &'a [c64],
    left_multipliers: &'a [c64],
    column: usize,
}

impl Evidence<'_> {
    /// In terms of s; `rho` homogeneous.
    fn measured(&self, rho: f64) -> Measured {
        let beta = self.raw.beta;
        let rho = if beta > 0.0 { rho / (beta * beta) } else { rho };
        let (m, c) = (self.forms.m, self.forms.c);
        Measured { s: self.raw.value(), rho, m, c, chain: self.raw.chain, curvature: self.raw.curvature }
    }
}

/// Magnitudes of the terms of residuals, one column for every eigenvalue.
struct Terms {
    m: Dense,
    c: Option<Dense>,
    k: Dense,
    phi_x: Option<Block>,
    phi: Option<Dense>,
}

/// Brings both vectors to length one; returns the left one.
fn prepare(raw: &mut Raw) -> Vec<c64> {
    let size = norms::two_complex(&raw.right);
    vectors::normalize(&mut raw.right);
    let mut left = raw.left.clone().unwrap_or_else(|| vectors::conjugate(&raw.right));
    let left_size = if raw.left.is_some() { norms::two_complex(&left) } else { size };
    vectors::normalize(&mut left);
    if size > 0.0 && left_size > 0.0 {
        raw.curvature /= size * left_size;
    }
    left
}

fn forms(products: &Products, n: usize, j: usize, y: &[c64]) -> Forms {
    let form = |b: &Block| (0..n).map(|i| y[i].conj() * b.get(i, j)).sum();
    Forms { m: form(&products.m), c: products.c.as_ref().map_or(ZERO, form), k: form(&products.k) }
}
