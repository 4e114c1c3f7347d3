//! What is claimed of an eigenvalue of a sparse problem; the measures of [`crate::Eigenpair`], computed without dense
//! matrices.
//!
//! ```text
//! r = (s^2 M + s C + K) x + Phi_q^T l,   eta = |r| / ((|s|^2 |M| + |s| |C| + |K|) |x|)
//! d = |y^H (2 s M + C) x|,  a = |y^H M x|
//! bound = 2 rho / d, or 4 sqrt(rho / a) close to a double eigenvalue
//! rho = |y|^T (|r| + u g) + |mu|^T (|Phi_q x| + u |Phi_q| |x|)
//! ```
//!
//! as in the dense analysis (`certify::dense`), on the matrices as given: not scaled, not shifted. g holds the
//! magnitudes of all terms of r and u a few roundings, here by the longest row. Residuals are kept by block: r in eta,
//! Phi_q x in the constraint violation. Symmetric eigenpairs with poor bounds are refined and certified again in
//! double-double precision (refine), where u g becomes u |r| + u^2 g but for inertia, which keeps u. Where K is known as a sum whose
//! large part is exact, u (|K_rounded| |x| + |Phi_q^T| |l|) is added: what rounding of the entries of the model's matrices
//! can do is then inside the bound.

mod batch;
mod clusters;
mod refined;

pub(crate) use self::clusters::SparsePoint;
pub(crate) use self::refined::{Aid, First};

use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, OnceLock};

use faer::Mat;
use mb_algebra::{DenseC, Stopped, c64, norms};

use super::dense::Forms;
use super::error_bound::{Measured, condition};
use crate::dense::Raw;
use crate::krylov::scalar::norm;
use crate::numeric::double_double::bilinear_sparse;
use crate::numeric::rayleigh::rayleigh;
use crate::numeric::vectors::{ZERO, abs, inner};
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::problem::uncertified::Uncertified;
use crate::refine::Doubled;
use crate::{Class, Eigenpair, Shape};

/// Error of an entry of a model's matrix relative to its size: the operations of one element and the sum of some. What all
/// entries of an element share, as the error of its axial force, is that of the force.
const ENTRY: f64 = 2.0 * f64::EPSILON;

/// What an eigenvalue leaves of the equations, with the magnitudes of their terms.
struct Terms<'a> {
    /// |x|.
    x: &'a [f64],
    /// |M| |x|, |C| |x| and |K| |x|.
    magnitudes: [Vec<f64>; 3],
    residual: &'a [c64],
    violation: &'a [c64],
}

/// What an eigenvalue leaves of the equations.
struct Measures {
    /// |r|.
    rest: f64,
    /// |Phi_q x|, rows at length one.
    violated: f64,
    rho: f64,
    forms: Forms,
}

/// The norms and magnitudes of one problem.
pub(crate) struct Certifier<'a> {
    problem: &'a Problem<'a>,
    rounding: f64,
    gamma: f64,
    /// Whether eigenpairs keep their left vectors.
    keeps_left: bool,
    /// Phi_q^T by rows, made when first needed.
    reactions: OnceLock<Matrix<'static>>,
    /// |s| and the change that rounding of K could make, of the eigenpair of double-double precision most sensitive to it.
    felt: Mutex<Option<(f64, f64)>>,
    /// Conjugate pairs that turned out to be one real eigenvalue each.
    real: AtomicUsize,
    /// Why refinement ended before it was done.
    ended: OnceLock<Stopped>,
}

impl<'a> Certifier<'a> {
    pub(crate) fn new(problem: &'a Problem<'a>, keeps_left: bool) -> Self {
        Self {
            problem,
            rounding: problem.rounding(),
            gamma: problem.frequency_squared().sqrt(),
            keeps_left,
            reactions: OnceLock::new(),
            felt: Mutex::new(None),
            real: AtomicUsize::new(0),
            ended: OnceLock::new(),
        }
    }

    /// Certifies eigenvalues; conjugates and opposites are added behind their partners.
    pub(crate) fn certify(&self, uncertified: Vec<Uncertified>) -> Vec<Eigenpair> {
        self.certify_with(uncertified, Aid::Nothing)
    }

    /// The same, with what the search for the eigenvalues has left.
    pub(crate) fn certify_with(&self, uncertified: Vec<Uncertified>, aid: Aid) -> Vec<Eigenpair> {
        let kinds = uncertified.iter().map(kind).collect();
        self.together(kinds, self.eigenpairs(uncertified, aid))
    }

    /// An eigenvalue that double-double precision led to another one, measured there.
    pub(crate) fn certify_found(&self, approx: &Uncertified, found: &Doubled) -> Eigenpair {
        let (right, multipliers) = (found.x.clone(), found.l.clone());
        let approx = Uncertified {
            s: found.s,
            right,
            multipliers,
            left: None,
            curvature: approx.curvature,
            ..*approx
        };
        let mut pair = self.measured(approx, Some(found));
        self.feel(found.s, &mut pair);
        pair
    }

    /// Eigenvalues for themselves, without conjugates and opposites.
    pub(crate) fn certify_alone(&self, uncertified: Vec<Uncertified>) -> Vec<Eigenpair> {
        self.eigenpairs(uncertified, Aid::Nothing).into_iter().map(|pair| self.kept(pair)).collect()
    }

    /// Phi_q^T by rows.
    fn reactions(&self) -> &Matrix<'static> {
        self.reactions.get_or_init(|| self.problem.rows.given.transposed())
    }

    /// An eigenpair with what is asked for.
    fn kept(&self, pair: Eigenpair) -> Eigenpair {
        if self.keeps_left { pair } else { pair.without_left() }
    }

    /// The same, of eigenvalues some of which have been certified.
    pub(crate) fn certify_others(
        &self,
        uncertified: Vec<Uncertified>,
        known: Vec<Option<Eigenpair>>,
    ) -> Vec<Eigenpair> {
        let kinds = uncertified.iter().map(kind).collect();
        let open = uncertified
            .into_iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none())
            .map(|(approx, _)| approx);
        let mut found = self.eigenpairs(open.collect(), Aid::Nothing).into_iter();
        self.together(kinds, known.into_iter().filter_map(|known| known.or_else(|| found.next())).collect())
    }

    /// Measures an eigenvalue, with a residual in double-double precision where there is one.
    fn measured(&self, approx: Uncertified, doubled: Option<&Doubled>) -> Eigenpair {
        let length = norms::two_complex(&approx.right);
        let mut approx = self.at_length_one(approx);
        let symmetric = approx.left.is_none();
        let (mut y, mut mu) = approx.left.take().unwrap_or_else(|| mirrored(&approx));
        if !symmetric {
            unit(&mut y, &mut mu);
        }
        if doubled.is_none() {
            approx.s = self.quotient(&approx, &y);
        }
        let measures = doubled.and_then(|found| self.doubled_measures(&approx, found, length));
        let measures =
            measures.unwrap_or_else(|| self.measures(&approx, &y, &mu, doubled.map(|found| (found, length))));
        self.pair(approx, (y, mu), &measures)
    }

    /// The eigenvalue with a right vector of length one.
    fn at_length_one(&self, mut approx: Uncertified) -> Uncertified {
        if approx.rigid && self.problem.k.is_zero() {
            // Nothing resists: what a solve leaves of the multipliers is rounding.
            approx.multipliers = nothing(&approx.multipliers);
            if let Some((_, mu)) = &mut approx.left {
                *mu = nothing(mu);
            }
        }
        unit(&mut approx.right, &mut approx.multipliers);
        approx
    }

    /// What is claimed of an eigenvalue with left vectors y and mu.
    fn pair(&self, approx: Uncertified, (mut y, mut mu): (Shape, Shape), measures: &Measures) -> Eigenpair {
        let (p, s) = (self.problem, approx.s);
        let Measures { rest, violated, rho, forms } = measures;
        let size = s.norm();
        let scale = size * size * p.m.norm + size * p.c.norm + p.k.norm;
        let beta = size.hypot(1.0).recip();
        let (chain, curvature) = (approx.chain, approx.curvature);
        let measured = Measured { s, rho: *rho, m: forms.m, c: forms.c, chain, curvature };
        let by = measured.left_scale();
        y.scale(by);
        mu.scale(by);
        Eigenpair {
            alpha: s * beta,
            beta,
            backward_error: if *rest > 0.0 { rest / scale.max(f64::MIN_POSITIVE) } else { 0.0 },
            constraint_violation: if *violated > 0.0 { violated / p.rows.unit.norm } else { 0.0 },
            condition: if measured.is_defective() {
                f64::INFINITY
            } else {
                condition((s, 1.0), self.gamma, *forms, [p.m.norm, p.c.norm, p.k.norm])
            },
            error_bound: measured.alone(),
            right: approx.right,
            multipliers: approx.multipliers,
            left: y,
            left_multipliers: mu,
            chain: approx.chain,
            penalty_share: None,
            class: if approx.rigid { Class::Rigid } else { Class::Physical },
        }
    }

    /// What an eigenvalue leaves of the equations; the residual in double-double precision, of a vector of another
    /// length, where there is one.
    fn measures(
        &self,
        approx: &Uncertified,
        y: &[c64],
        mu: &[c64],
        doubled: Option<(&Doubled, f64)>,
    ) -> Measures {
        let p = self.problem;
        let (x, l, s) = (&approx.right, &approx.multipliers, approx.s);
        let sizes: Vec<f64> = x.iter().map(|x| abs(*x)).collect();
        let [(mx, m), (cx, c), (kx, k)] = [&p.m, &p.c, &p.k].map(|a| a.with_magnitude(x, &sizes));
        let react = p.rows.given.mul_transpose(&column(l));
        let force = |i: usize| s * (s * mx[i] + cx[i]) + kx[i] + react[(i, 0)];
        // Phase and length of x change no size of what it leaves.
        let residual: Vec<c64> = match doubled {
            None => (0..p.n).map(force).collect(),
            Some((found, length)) => found.residual.iter().map(|r| r / length).collect(),
        };
        let rounding = if doubled.is_some() { self.rounding * self.rounding } else { self.rounding };
        let forms = Forms { m: inner(y, &mx), c: inner(y, &cx), k: inner(y, &kx) };
        let violation = p.rows.unit.mul(&column(x));
        let magnitudes = [m, c, k];
        let left_over =
            Terms { x: &sizes, magnitudes, residual: &residual, violation: violation.col_as_slice(0) };
        let rho = self.weighted_residual(y, mu, l, s, &left_over, rounding);
        Measures {
            rest: norms::two_complex(&residual),
            violated: norm(violation.col_as_slice(0)),
            rho,
            forms,
        }
    }

    /// The Rayleigh quotient on the matrices as given, in double-double precision: the factors' error enters it
    /// squared.
    fn quotient(&self, approx: &Uncertified, y: &[c64]) -> c64 {
        if approx.stays() {
            return approx.s;
        }
        let conjugate = crate::numeric::vectors::conjugate(y);
        let form = |a: &Matrix| bilinear_sparse(a.sparse(), &approx.right, &conjugate);
        let p = self.problem;
        let k = p.stiffness().iter().map(form).sum();
        step(approx, Forms { m: form(&p.m), c: form(&p.c), k })
    }

    fn weighted_residual(
        &self,
        y: &[c64],
        mu: &[c64],
        l: &[c64],
        s: c64,
        terms: &Terms<'_>,
        rounding: f64,
    ) -> f64 {
        let p = self.problem;
        let l: Vec<f64> = l.iter().map(|l| abs(*l)).collect();
        let react = p.rows.given.magnitude_transpose(&l);
        let [m, c, k] = &terms.magnitudes;
        let size = s.norm();
        // With K in parts the bound holds for the model, of whose matrices every entry has its own rounding.
        let own = p.rounded_stiffness().filter(|_| rounding < self.rounding);
        let own = own.map(|a| a.magnitude(terms.x));
        let mut rho = 0.0;
        for i in 0..p.n {
            let entries = own.as_ref().map_or(0.0, |own| own[i] + react[i]);
            let g = rounding * (size * c[i] + k[i] + react[i])
                + self.rounding * size * size * m[i]
                + ENTRY * entries;
            rho += abs(y[i]) * (abs(terms.residual[i]) * (1.0 + self.rounding) + g);
        }
        let mu = p.rows.to_unit(mu);
        let phi = p.rows.unit.magnitude(terms.x);
        for i in 0..mu.len() {
            rho += abs(mu[i]) * (abs(terms.violation[i]) + self.rounding * phi[i]);
        }
        rho
    }
}

/// y and mu of an eigenvalue whose left vectors are the conjugates of the right ones.
fn mirrored(approx: &Uncertified) -> (Shape, Shape) {
    (approx.right.conjugate(), approx.multipliers.conjugate())
}

/// s of an eigenvalue by its Rayleigh quotient.
fn step(approx: &Uncertified, forms: Forms) -> c64 {
    let mut raw = Raw::finite(approx.s, Vec::new(), None, approx.mirror);
    rayleigh(&mut raw, forms);
    raw.value()
}

/// A x of a complex vector; skips matrices without entries.
fn apply(a: &Matrix, x: &[c64]) -> Vec<c64> {
    if a.is_zero() {
        return vec![ZERO; x.len()];
    }
    a.mul(&column(x)).col_as_slice(0).to_vec()
}

fn column(x: &[c64]) -> DenseC {
    Mat::from_fn(x.len(), 1, |i, _| x[i])
}

/// Brings x to length one with its largest entry real and positive, and l along.
fn unit(x: &mut Shape, l: &mut Shape) {
    if let Some(by) = x.real().map(to_unit) {
        x.scale(by);
        l.scale(by);
        return;
    }
    let (mut at, mut largest) = (0, 0.0);
    for (i, z) in x.iter().enumerate() {
        let size = if z.im == 0.0 { z.re.abs() } else { z.norm() };
        // Among entries of nearly equal size the first one sets the phase.
        if size > 1.001 * largest {
            (at, largest) = (i, size);
        }
    }
    let size = norms::two_complex(x);
    if size == 0.0 {
        return;
    }
    let by = x[at].conj() / (x[at].norm() * size);
    let by = if x[at].im == 0.0 { c64::new(x[at].re.signum() / size, 0.0) } else { by };
    x.scale(by);
    l.scale(by);
}

/// What brings a real vector to length one with its largest entry positive; one for zero.
fn to_unit(x: &[f64]) -> c64 {
    let mut largest = 0.0_f64;
    let mut sign = 1.0;
    for &x in x {
        // Among entries of nearly equal size the first one sets the phase.
        if x.abs() > 1.001 * largest {
            (largest, sign) = (x.abs(), x.signum());
        }
    }
    let size = norms::two(x);
    if size == 0.0 { c64::new(1.0, 0.0) } else { c64::new(sign / size, 0.0) }
}

/// As many zeros.
fn nothing(x: &Shape) -> Shape {
    Shape::of_real(vec![0.0; x.length()])
}

/// Whether the conjugate and the opposite of an eigenvalue are eigenvalues, and whether it is rigid.
#[derive(Clone, Copy)]
struct Kinds {
    mirror: bool,
    opposite: bool,
    rigid: bool,
}

fn kind(approx: &Uncertified) -> Kinds {
    Kinds { mirror: approx.mirror, opposite: approx.opposite, rigid: approx.rigid }
}

/// Eigenpairs with conjugates and opposites behind their partners.
fn with_partners(kinds: Vec<Kinds>, pairs: Vec<Eigenpair>) -> Vec<Eigenpair> {
    let mut out = Vec::with_capacity(2 * pairs.len());
    for (pair, Kinds { mirror, opposite, rigid }) in pairs.into_iter().zip(kinds) {
        let partner = if mirror {
            Some(pair.conjugate())
        } else if opposite {
            Some(Eigenpair {
                alpha: -pair.alpha,
                left: pair.left.iter().map(|z| -z).collect(),
                left_multipliers: pair.left_multipliers.iter().map(|z| -z).collect(),
                ..pair.clone()
            })
        } else if rigid && pair.chain == 2 {
            Some(pair.clone())
        } else {
            None
        };
        out.push(pair);
        out.extend(partner);
    }
    out
}
