//! The generalized fallback: QZ with alpha and beta kept apart.
//!
//! ```text
//! beta A z = alpha B z,   beta w^H A = alpha w^H B
//! ```
//!
//! Used when, after everything known by structure is deflated, B is still singular to working precision: chains at
//! infinity longer than two, or a singular pencil. Then magnitude is all there is to go by, and the finding
//! [`Finding::ClassifiedByMagnitude`] says how clear the gap was. Sizes: A, B d x d.

use mb_algebra::{Dense, Qz, dense, norms};

use super::raw::{Kind, Raw};
use crate::error::at;
use crate::{EigenError, Finding};

/// |beta| / |alpha| (scaled) below this is infinite: the square root of rounding, where chains of two end up.
const INFINITE: f64 = 1e-8;
/// Both below this are indeterminate.
const NOTHING: f64 = 1e-13;

/// Roots of A z = s B z, one of each conjugate pair; singular B allowed.
pub(crate) fn solve(a: &Dense, b: &Dense, findings: &mut Vec<Finding>) -> Result<Vec<Raw>, EigenError> {
    let (size_a, size_b) = (norms::frobenius(a), norms::frobenius(b));
    let unit = |a: &Dense, size: f64| if size > 0.0 { dense::scale(size.recip(), a) } else { a.clone() };
    let qz = Qz::new(&unit(a, size_a), &unit(b, size_b), true).map_err(at("QZ of the deflated pencil"))?;
    let (mut largest_infinite, mut smallest_finite) = (0.0_f64, f64::INFINITY);
    let mut out = Vec::new();
    for (j, (&alpha, &beta)) in qz.alpha.iter().zip(&qz.beta).enumerate() {
        if alpha.im < 0.0 {
            continue;
        }
        let kind = if alpha.norm().max(beta) < NOTHING {
            Kind::Indeterminate
        } else if beta <= INFINITE * alpha.norm() {
            largest_infinite = largest_infinite.max(beta / alpha.norm());
            Kind::Infinite
        } else {
            smallest_finite = smallest_finite.min(beta / alpha.norm().max(f64::MIN_POSITIVE));
            Kind::Ordinary
        };
        let right = qz.right.col_as_slice(j).to_vec();
        let left = qz.left.as_ref().map(|left| left.col_as_slice(j).to_vec());
        let mirror = alpha.im > 0.0;
        let mut raw = match kind {
            Kind::Ordinary => Raw::finite(alpha / beta * (size_a / size_b), right, left, mirror),
            _ => Raw { right, left, mirror: false, ..Raw::structural(kind, &[], None, 1, 0.0) },
        };
        raw.kind = kind;
        let double = mirror && kind != Kind::Ordinary;
        out.push(raw.clone());
        if double {
            out.push(raw);
        }
    }
    if largest_infinite > 0.0 || out.iter().any(|raw| raw.kind == Kind::Infinite) {
        findings.push(Finding::ClassifiedByMagnitude { largest_infinite, smallest_finite });
    }
    let indeterminate = out.iter().filter(|raw| raw.kind == Kind::Indeterminate).count();
    if indeterminate > 0 {
        findings.push(Finding::SingularPencil { indeterminate });
    }
    Ok(out)
}
