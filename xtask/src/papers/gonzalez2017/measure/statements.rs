//! Statements of Secs. 2 to 5.1 on the linkage, measured: sizes, bases, the penalty system and its error.
//!
//! Paper: [gonzalez2017] Secs. 2, 3.1 to 3.3, 4.1, 5.1.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_algebra::{Dense, RankTolerance, dense, norms};
use mb_constraints::{NullSpace, NullSpaceMethod, constraint_rank};
use mb_eigen::descriptor::{DescriptorStructure, Transferred};
use mb_eigen::{Class, Spectrum, SpuriousOrigin};
use mb_linear::formulation::minimal::minimal;
use mb_linear::formulation::unconstrained::{Penalty, penalty_equilibrium, unconstrained};
use mb_linear::linearize;

use super::super::results::{Eigenvalue, Measured};
use super::linkage::{self, Prepared};
use super::spectra::{self, words};
use super::{LOOPS, four_bar, penalty};

/// A statement by its name in the table, and its number.
pub(crate) type Statement = (&'static str, Measured<f64>);

/// Everything that is measured on the undamped linkages.
pub(crate) fn linkages() -> Vec<Statement> {
    let all: Measured<Vec<Prepared>> = LOOPS.iter().map(|n| linkage::prepare(&four_bar(*n, false))).collect();
    let all = all.as_ref().map_err(Clone::clone);
    let alike = |f: &dyn Fn(&Prepared) -> Measured<usize>, less: &dyn Fn(usize) -> usize| {
        common(all.clone()?.iter().zip(LOOPS).map(|(p, n)| Ok(f(p)? as f64 - less(n as usize) as f64)))
    };
    let most = |f: &dyn Fn(&Prepared) -> Measured<f64>| extreme(all.clone()?.iter().map(f), f64::max);
    let least = |f: &dyn Fn(&Prepared) -> Measured<f64>| extreme(all.clone()?.iter().map(f), f64::min);
    let largest_loops = || all.clone()?.last().ok_or_else(|| "no linkage".to_owned());
    vec![
        ("linkage, coordinates less 2N", alike(&|p| Ok(p.model.nq()), &|n| 2 * n)),
        ("linkage, constraints less 2N", alike(&|p| Ok(p.model.nc()), &|n| 2 * n)),
        ("linkage, degrees of freedom", alike(&|p| Ok(p.model.nv() - rank(p)?), &|_| 0)),
        ("MCS, unknowns less (n - m)", most(&|p| Ok(sizes(p)?[0]))),
        ("RCS, unknowns less (2n + m)", most(&|p| Ok(sizes(p)?[1]))),
        ("UCS, unknowns less n", most(&|p| Ok(sizes(p)?[2]))),
        ("linkage, degrees of freedom for each coordinate", {
            largest_loops().map(|p| (p.model.nv() - p.model.nc()) as f64 / p.model.nv() as f64)
        }),
        ("R against the constraints, five ways", most(&off_the_constraints)),
        ("rank that E_q lacks beyond m", least(&|p| Ok(rank_lacking(p)? as f64 - p.model.nc() as f64))),
        ("MCS, eigenvalues for every N", alike(&|p| Ok(p.mcs()?.eigenpairs.len()), &|_| 0)),
        ("violation at the penalty equilibrium", least(&|p| Ok(p.penalty_at.violation))),
        ("penalty forces against the multipliers", most(&|p| Ok(forces_against_multipliers(p)))),
        ("UCS, constraint rates of true eigenvectors", most(&|p| violation(&p.ucs()?, true))),
        ("UCS, constraint rates of spurious eigenvectors", least(&|p| violation(&p.ucs()?, false))),
        ("unknowns, damped less undamped", {
            let damped = |(p, n): (&Prepared, u32)| {
                let other = linkage::prepare(&four_bar(n, true))?;
                let (with, without) = (sizes(&other)?, sizes(p)?);
                extreme((0..3).map(|k| Ok((with[k] - without[k]).abs())), f64::max)
            };
            all.clone().and_then(|all| extreme(all.iter().zip(LOOPS).map(damped), f64::max))
        }),
        ("penalty error, a tenth of alpha", error_over(&Penalty::scalar(1e5, 1.0, 10.0))),
        ("penalty error, doubled omega", error_over(&Penalty::scalar(1e6, 1.0, 20.0)).map(change)),
        ("penalty error, doubled xi", error_over(&Penalty::scalar(1e6, 2.0, 10.0)).map(change)),
    ]
}

fn change(ratio: f64) -> f64 {
    (ratio - 1.0).abs()
}

/// The number that all give; an error where they differ.
pub(super) fn common(found: impl Iterator<Item = Measured<f64>>) -> Measured<f64> {
    let found: Vec<f64> = found.collect::<Measured<_>>()?;
    match found.split_first() {
        Some((first, others)) if others.iter().all(|x| x.to_bits() == first.to_bits()) => Ok(*first),
        _ => Err(format!("the sizes differ: {found:?}")),
    }
}

/// The largest or smallest; a NaN stays one.
pub(super) fn extreme(found: impl Iterator<Item = Measured<f64>>, of: fn(f64, f64) -> f64) -> Measured<f64> {
    let found: Vec<f64> = found.collect::<Measured<_>>()?;
    let kept = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { of(a, b) };
    found.into_iter().reduce(kept).ok_or_else(|| "nothing was measured".to_owned())
}

fn rank(p: &Prepared) -> Measured<usize> {
    let point = p.at.point();
    constraint_rank(&p.model, &point.q, point.t, RankTolerance::default()).map(|r| r.rank()).map_err(words)
}

/// The leading matrix E_q of RCS.
fn leading_of_rcs(p: &Prepared) -> Measured<Dense> {
    let pencil = linearize(&p.model, &p.at).pencil();
    let structure = DescriptorStructure { pencil, transferred: Transferred::default() };
    Ok(structure.to_pencil().map_err(words)?.e)
}

/// How many unknowns MCS, RCS and UCS have beyond n - m, 2n + m and n.
fn sizes(p: &Prepared) -> Measured<[f64; 3]> {
    let (n, m) = (p.model.nv(), p.model.nc());
    let angle = NullSpaceMethod::CoordinateSelection(Some(vec![p.phi]));
    let minimal = minimal(&p.model, &linearize(&p.model, &p.at), &angle).map_err(words)?;
    let penalized = unconstrained(&p.model, &p.penalty_at, &penalty()).map_err(words)?;
    let found = [minimal.m.nrows(), leading_of_rcs(p)?.nrows(), penalized.m.nrows()];
    let expected = [n - m, 2 * n + m, n];
    Ok([0, 1, 2].map(|k| found[k] as f64 - expected[k] as f64))
}

/// Rows of E_q less its rank.
fn rank_lacking(p: &Prepared) -> Measured<usize> {
    let e = leading_of_rcs(p)?;
    let svd = mb_algebra::Svd::new(&e).map_err(words)?;
    let largest = svd.s.first().copied().unwrap_or(0.0);
    Ok(svd.s.iter().filter(|s| **s <= 1e-12 * largest).count())
}

/// |Phi_q R| / (|Phi_q| |R|), the largest over the five ways to find R that the paper names.
fn off_the_constraints(p: &Prepared) -> Measured<f64> {
    let point = p.at.point();
    let phi_q = p.model.phi_q(&point.q, point.t).to_dense();
    let ways = [
        NullSpaceMethod::CoordinateSelection(Some(vec![p.phi])),
        NullSpaceMethod::ZeroEigenvalue,
        NullSpaceMethod::Svd,
        NullSpaceMethod::Qr,
        NullSpaceMethod::GramSchmidt,
    ];
    let off = |way: &NullSpaceMethod| {
        let name = |i: usize| p.model.coordinate_name(i);
        let r = NullSpace::new(&phi_q, way, RankTolerance::default(), name).map_err(words)?.r;
        let size = norms::frobenius(&phi_q) * norms::frobenius(&r);
        Ok(norms::frobenius(&dense::mul(&phi_q, &r)) / size)
    };
    extreme(ways.iter().map(off), f64::max)
}

/// Largest difference of alpha omega^2 Phi at the penalty equilibrium from the multipliers, relative to the largest of those.
fn forces_against_multipliers(p: &Prepared) -> f64 {
    let (forces, exact) = (&p.penalty_at.point.lambda, &p.at.point().lambda);
    let apart: Vec<f64> = forces.iter().zip(exact).map(|(a, b)| a - b).collect();
    norms::max_abs_vec(&apart) / norms::max_abs_vec(exact)
}

/// Of the true eigenvectors the largest |Phi_q v| / (|Phi_q| |v|), of the spurious ones the smallest.
pub(super) fn violation(spectrum: &Spectrum, of_true: bool) -> Measured<f64> {
    let spurious = Class::Spurious { origin: SpuriousOrigin::Penalty };
    let chosen = spectrum.eigenpairs.iter().filter(|p| (p.class == spurious) != of_true);
    let found = chosen.map(|p| Ok(p.constraint_violation));
    extreme(found, if of_true { f64::max } else { f64::min })
}

/// Error of the undamped one-loop linkage's eigenvalue with a penalty, over that with the paper's.
fn error_over(other: &Penalty) -> Measured<f64> {
    let p = linkage::prepare(&four_bar(1, false))?;
    let exact = one(&p.mcs()?)?;
    let error = |penalty: &Penalty| -> Measured<f64> {
        let at = penalty_equilibrium(&p.model, p.at.point(), penalty).map_err(words)?;
        Ok(one(&spectra::ucs(&p.model, &at, penalty)?)?.distance(exact))
    };
    Ok(error(other)? / error(&penalty())?)
}

fn one(spectrum: &Spectrum) -> Measured<Eigenvalue> {
    spectra::pairs(spectrum).first().copied().ok_or_else(|| "no oscillating pair".to_owned())
}
