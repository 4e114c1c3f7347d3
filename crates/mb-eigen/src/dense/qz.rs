//! The generalized fallback: QZ with alpha and beta kept apart.
//!
//! ```text
//! beta A z = alpha B z,   beta w^H A = alpha w^H B
//! ```
//!
//! Used when, after everything known by structure is deflated, B is still singular to working precision. Chains at infinity of any
//! length are taken out first ([`Staircase`]). What is left, a singular pencil, has nothing but magnitude to go by, and the findings
//! [`Finding::LongChain`] and [`Finding::ClassifiedByMagnitude`] say so and how clear the gap was. Sizes: A, B d x d.

use mb_algebra::{Dense, Lu, Qz, dense, norms};

use super::raw::{Kind, Raw};
use super::staircase::Staircase;
use super::standard::regular;
use crate::error::at;
use crate::finding::SparseFinding;
use crate::{EigenError, Finding, tuning};

/// Eigenvalues of A z = s B z, one of each conjugate pair; singular B allowed.
pub(crate) fn solve(a: &Dense, b: &Dense, findings: &mut Vec<Finding>) -> Result<Vec<Raw>, EigenError> {
    if let Some(raws) = followed(a, b, findings)? {
        return Ok(raws);
    }
    findings.push(Finding::LongChain { at_infinity: true });
    by_magnitude(a, b, findings)
}

/// The same with the infinite eigenvalues taken out as chains; none where the pencil is singular.
fn followed(a: &Dense, b: &Dense, findings: &mut Vec<Finding>) -> Result<Option<Vec<Raw>>, EigenError> {
    let Some(stairs) = Staircase::new(a, b)? else { return Ok(None) };
    if stairs.infinite() == 0 {
        return Ok(Some(by_magnitude(a, b, findings)?));
    }
    let Some(across) = Staircase::new(&dense::transpose(a), &dense::transpose(b))? else { return Ok(None) };
    let (rights, lefts) = (stairs.chains(), across.chains());
    let lengths = |chains: &[(Vec<_>, usize)]| chains.iter().map(|(_, length)| *length).collect::<Vec<_>>();
    if lengths(&rights) != lengths(&lefts) {
        return Ok(None);
    }
    // Reciprocal condition from which on B may be divided by.
    let divides = stairs.b.nrows() == 0 || Lu::new(&stairs.b).is_ok_and(|lu| lu.rcond() > tuning::CBRT_EPS);
    let mut raws =
        if divides { regular(&stairs.a, &stairs.b)? } else { by_magnitude(&stairs.a, &stairs.b, findings)? };
    for raw in &mut raws {
        let right = stairs.right(&raw.right, raw.value());
        let left = raw.left.as_ref().map(|left| stairs.left(left));
        *raw = match raw.kind {
            Kind::Ordinary => Raw::finite(raw.value() * stairs.unit, right, left, raw.mirror),
            _ => Raw { right, left, ..raw.clone() },
        };
    }
    for ((right, length), (left, _)) in rights.into_iter().zip(lefts) {
        let known = Raw::structural(Kind::Infinite, &[], None, length, 0.0);
        let raw = Raw { right, left: Some(left), ..known };
        raws.extend(std::iter::repeat_n(raw, length));
    }
    Ok(Some(raws))
}

/// Eigenvalues of a pencil of which nothing is known, infinite ones by their magnitude.
fn by_magnitude(a: &Dense, b: &Dense, findings: &mut Vec<Finding>) -> Result<Vec<Raw>, EigenError> {
    if a.nrows() == 0 {
        return Ok(Vec::new());
    }
    let (size_a, size_b) = (norms::frobenius(a), norms::frobenius(b));
    let unit = |a: &Dense, size: f64| if size > 0.0 { dense::scale(size.recip(), a) } else { a.clone() };
    let qz = Qz::new(&unit(a, size_a), &unit(b, size_b), true).map_err(at("QZ of the deflated pencil"))?;
    let (mut largest_infinite, mut smallest_finite) = (0.0_f64, f64::INFINITY);
    let mut out = Vec::new();
    for (j, (&alpha, &beta)) in qz.alpha.iter().zip(&qz.beta).enumerate() {
        if alpha.im < 0.0 {
            continue;
        }
        // Both below rounding are indeterminate; |beta| / |alpha| (scaled) below its square root is infinite, where chains of two end up.
        let kind = if alpha.norm().max(beta) < tuning::SOLVE_ROUNDINGS {
            Kind::Indeterminate
        } else if beta <= tuning::SQRT_EPS * alpha.norm() {
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
        let reason = "the pencil is singular as far as rounding shows, and which of its eigenvalues are finite is decided by magnitude";
        findings.push(SparseFinding::Unproved { reason: reason.to_owned() }.into());
    }
    Ok(out)
}
