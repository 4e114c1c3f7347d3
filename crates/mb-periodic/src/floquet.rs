//! Floquet multipliers and exponents of a periodic motion, with estimates of their errors.
//!
//! ```text
//! M x = mu x,   y^H M = mu y^H,   s = ln(mu) / T  (principal branch, |Im s| <= pi / T)
//! |d mu| about kappa (|E| + rounding + gap),   kappa = |x| |y| / |y^H x|
//! ```
//!
//! E is what doubling the steps changed last in the monodromy matrix M, which is about five hundred times the error of the finer
//! one where the method has its order, with what M misses its known vectors by: of what keeps its energy the trivial multiplier has
//! a partner at one, and since their product is one it is off by as much. These are estimates to first order, no bounds; near multiple multipliers, where first
//! order says too much, the root of a double one is taken, sqrt(|M| |E|). A motion of a model that does not depend on time has the multiplier 1 with the direction of
//! the motion: it is taken out by an orthogonal change of basis, so that the others have their own condition, not that of a
//! double multiplier. So are those of what is ignorable.

use crate::decayed::Decayed;
use crate::error::PeriodicError;
use crate::known::Known;
use crate::orbit::Orbit;
use mb_algebra::{DenseC, GeneralEigen, c64, dense, norms};

/// What a multiplier says of disturbances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One, because a model that does not depend on time has the same motion at any later time.
    Trivial,
    /// Of magnitude one, because the model is the same elsewhere: what rolls does not know its place, its heading or how far its
    /// wheels have turned. Only of models with velocity rows.
    Ignorable,
    /// Outside the unit circle by more than its error.
    Growing,
    /// On the unit circle within its error.
    Neutral,
    /// Inside the unit circle by more than its error.
    Decaying,
    /// Not told from the unit circle by an error of one or more, or of a vibration so fast that the most steps allowed do not resolve it: its
    /// value says nothing.
    Unresolved,
}

impl std::fmt::Display for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Trivial => "trivial",
            Self::Ignorable => "ignorable",
            Self::Growing => "growing",
            Self::Neutral => "neutral",
            Self::Decaying => "decaying",
            Self::Unresolved => "unresolved",
        })
    }
}

/// A multiplier of a periodic motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Multiplier {
    /// mu.
    pub value: c64,
    /// Estimate of its error; infinite where the steps do not resolve it.
    pub error: f64,
    /// Condition kappa of the eigenvalue.
    pub condition: f64,
    /// Exponent ln(mu) / T on the principal branch, 1/s; none where mu is zero within its error, and where the steps do not resolve it.
    pub exponent: Option<c64>,
    /// Its class.
    pub class: Class,
    /// Its vector in the coordinates of states, of length one; of an ignorable one a member of their common subspace.
    pub vector: Vec<c64>,
}

impl Multiplier {
    /// Estimate of the error of the exponent, 1/s, of a motion of period `period`, s: that of ln(mu) / T, error / (|mu| T).
    pub fn exponent_error(&self, period: f64) -> f64 {
        self.error / (self.value.norm() * period)
    }
}

/// Verdict on a periodic motion, to first order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// All multipliers but trivial and ignorable ones inside the unit circle.
    Stable,
    /// One outside.
    Unstable,
    /// None outside, some on it within their errors: first order does not decide.
    Undecided,
    /// None of those resolved outside, others unresolved.
    Unresolved,
}

impl std::fmt::Display for Stability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Stable => "stable",
            Self::Unstable => "unstable",
            Self::Undecided => "neutral to first order",
            Self::Unresolved => "not determined",
        })
    }
}

/// The multipliers of a periodic motion.
#[derive(Clone, Debug)]
pub struct Floquet {
    /// Period, s.
    pub period: f64,
    /// All multipliers, as many as a state has coordinates, the largest magnitude first; complex pairs together, positive imaginary part first.
    pub multipliers: Vec<Multiplier>,
    /// Residual of the trivial multiplier, |M f - f| / |f|, where there is one.
    pub trivial_residual: Option<f64>,
    /// What M takes out of the subspace of the ignorable multipliers, where there are some.
    pub ignorable_residual: Option<f64>,
    /// Relative change of the monodromy matrix by doubling the steps.
    pub change: f64,
    /// The verdict.
    pub stability: Stability,
}

/// Rounding of one step, relative to the norm of the product of all: it adds up.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

fn column(a: &DenseC, j: usize) -> Vec<c64> {
    (0..a.nrows()).map(|i| a[(i, j)]).collect()
}

/// Condition |x| |y| / |y^H x| of an eigenvalue.
pub(crate) fn condition(eigen: &GeneralEigen, j: usize) -> f64 {
    let x = column(&eigen.right, j);
    let y = eigen.left.as_ref().map_or_else(|| x.clone(), |left| column(left, j));
    let angle = y.iter().zip(&x).map(|(y, x)| y.conj() * x).sum::<c64>().norm();
    if angle > 0.0 { norms::two_complex(&x) * norms::two_complex(&y) / angle } else { f64::INFINITY }
}

/// The class of a multiplier that is not known beforehand.
fn class(size: f64, error: f64) -> Class {
    let off = size - 1.0;
    if off > error {
        Class::Growing
    } else if off < -error {
        Class::Decaying
    } else if error >= 1.0 {
        Class::Unresolved
    } else {
        Class::Neutral
    }
}

/// The largest first. Of a conjugate pair both have the same magnitude to the last bit.
fn sort(multipliers: &mut [Multiplier]) {
    multipliers.sort_by(|a, b| {
        let order = b.value.norm().total_cmp(&a.value.norm());
        order.then(b.value.im.abs().total_cmp(&a.value.im.abs())).then(b.value.im.total_cmp(&a.value.im))
    });
}

/// Puts multipliers that have been resolved apart in the place of the smallest ones; both lists have the largest first.
fn resolve(multipliers: &mut [Multiplier], resolved: &[Decayed], period: f64) {
    let (known, mut others): (Vec<&mut Multiplier>, Vec<&mut Multiplier>) =
        multipliers.iter_mut().partition(|m| matches!(m.class, Class::Trivial | Class::Ignorable));
    // Known ones may be among the smallest, too.
    let mut resolved = resolved.to_vec();
    let last = resolved.first().map_or(f64::NEG_INFINITY, |d| d.logarithm.re);
    for m in known.iter().filter(|m| m.value.norm().ln() <= last + 1.0) {
        let off = |d: &Decayed| (d.logarithm.exp() - m.value).norm();
        if let Some(nearest) =
            (0..resolved.len()).min_by(|a, b| off(&resolved[*a]).total_cmp(&off(&resolved[*b])))
            && off(&resolved[nearest]) < 0.1
        {
            resolved.remove(nearest);
        }
    }
    let few = resolved.len().min(others.len());
    let (from, skipped) = (others.len() - few, resolved.len() - few);
    // Without a digit of the logarithm there is no more than before.
    for (m, d) in others[from..].iter_mut().zip(&resolved[skipped..]).filter(|(_, d)| d.error < 1.0) {
        let value = d.value();
        (m.value, m.error) = (value, value.norm() * d.error);
        m.class = class(value.norm(), m.error);
        m.exponent = Some(d.logarithm / period);
    }
}

/// Multipliers of an orbit.
///
/// # Errors
/// Entries that are not finite, eigenvalues that do not converge.
pub fn floquet(orbit: &Orbit) -> Result<Floquet, PeriodicError> {
    let (m, size) = (&orbit.monodromy, orbit.monodromy.nrows());
    let whole = norms::frobenius(m).max(1.0);
    let change = norms::frobenius(&orbit.change);
    // A gap of the motion changes the matrices along it about as much as it is large against the motion.
    let motion = norms::two(&orbit.flow).max(1e-3 * orbit.frame.rate) / orbit.frame.rate;
    let noise = whole * (ROUNDING * (orbit.steps + 8) as f64 + orbit.defect / motion.max(1e-300));
    let mut multipliers: Vec<Multiplier> = Vec::with_capacity(size);
    let known = Known::new(orbit);
    let of_flow = known.flow.as_ref().map(|f| {
        let off: Vec<f64> = dense::matvec(m, f).iter().zip(f).map(|(a, b)| a - b).collect();
        norms::two(&off)
    });
    // The motion itself may be ignorable: rolling straight on.
    let trivial_residual = of_flow.filter(|_| !known.flow_is_ignorable);
    let ignorable_residual = known.ignorable_residual(m);
    let mut add = |value: c64, residual: f64, class: Class, x: &[f64]| {
        multipliers.push(Multiplier {
            value,
            error: residual + change + noise,
            condition: 1.0,
            exponent: Some(value.ln() / orbit.period),
            class,
            vector: x.iter().map(|x| c64::new(*x, 0.0)).collect(),
        });
    };
    if let (Some(residual), Some(f)) = (trivial_residual, &known.flow) {
        add(c64::new(1.0, 0.0), residual, Class::Trivial, f);
    }
    if let Some(residual) = ignorable_residual {
        for (j, value) in orbit.ignorable_multipliers.iter().enumerate() {
            add(*value, residual, Class::Ignorable, &dense::column(&known.ignorable, j));
        }
    }
    // What M misses its known vectors by is of its error, too: where areas are kept it comes back in a partner at one.
    let off = change + noise + trivial_residual.unwrap_or(0.0) + ignorable_residual.unwrap_or(0.0);
    let basis = known.others(size)?;
    let rest = dense::mul_transpose(&basis, &dense::mul(m, &basis));
    if rest.nrows() > 0 {
        let eigen = GeneralEigen::new(&rest, true)?;
        for j in 0..rest.nrows() {
            let x = column(&eigen.right, j);
            let lx = norms::two_complex(&x);
            let condition = condition(&eigen, j);
            let first = condition * off;
            // Where first order says more than a double multiplier allows.
            let double = (whole * off).sqrt();
            let error = if first.is_finite() { first.min(double) } else { double };
            let value = eigen.values[j];
            let class = class(value.norm(), error);
            let exponent = (value.norm() > error).then(|| value.ln() / orbit.period);
            let full = dense::matvec_complex(&basis, &x);
            let vector = full.iter().map(|v| v / lx).collect();
            multipliers.push(Multiplier { value, error, condition, exponent, class, vector });
        }
    }
    sort(&mut multipliers);
    if !orbit.decayed.is_empty() {
        resolve(&mut multipliers, &orbit.decayed, orbit.period);
        sort(&mut multipliers);
    }
    let others = multipliers.iter_mut().filter(|m| !matches!(m.class, Class::Trivial | Class::Ignorable));
    for m in others.rev().take(orbit.unresolved) {
        (m.class, m.error, m.exponent) = (Class::Unresolved, f64::INFINITY, None);
    }
    let any = |class: Class| multipliers.iter().any(|m| m.class == class);
    let stability = if any(Class::Growing) {
        Stability::Unstable
    } else if any(Class::Unresolved) {
        Stability::Unresolved
    } else if any(Class::Neutral) {
        Stability::Undecided
    } else {
        Stability::Stable
    };
    let (period, change) = (orbit.period, change / whole);
    Ok(Floquet { period, multipliers, trivial_residual, ignorable_residual, change, stability })
}
