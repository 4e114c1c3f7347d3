//! Statements of Secs. 2 to 5.2 on the flexible double pendulum, measured: sizes, rest, leading matrices, penalty.
//!
//! Paper: [gonzalez2017] Secs. 3.1, 3.3, 4.2, 5.2.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_algebra::{Dense, SymmetricEigen, dense, norms};
use mb_constraints::NullSpaceMethod;
use mb_eigen::DenseOptions;
use mb_eigen::penalty::{self, PenaltyPencil};
use mb_linear::formulation::minimal::minimal;
use mb_linear::formulation::unconstrained::{
    Penalty, UnconstrainedSystem, penalty_equilibrium, unconstrained,
};
use mb_linear::{Equilibrium, EquilibriumOptions};
use mb_model::{BlockKind, Model};

use super::super::results::{Eigenvalue, Measured};
use super::pendulum::{FIRST, Pendulum, Prepared, factors, independent, prepare};
use super::sparsity::FEW;
use super::spectra::words;
use super::statements::{Statement, common, extreme, violation};

/// Everything that is measured on pendulums of several numbers of elements, whose spectra are at hand.
pub(crate) fn pendulums(solved: &[&Pendulum]) -> Vec<Statement> {
    let prepared: Measured<Vec<Prepared>> = solved.iter().map(|p| prepare(p.elements, false)).collect();
    let prepared = prepared.as_ref().map_err(Clone::clone);
    let alike = |f: &dyn Fn(&Model) -> usize, each: u32| {
        let all = prepared.clone()?.iter().zip(solved);
        common(all.map(|(p, s)| Ok(f(&p.model) as f64 - f64::from(each * s.elements))))
    };
    let rows =
        |model: &Model, words: &str| (0..model.nc()).filter(|i| model.row_name(*i).contains(words)).count();
    let per_frame = || -> Measured<f64> {
        let links = ["upper", "lower"].map(|link| alike(&|m| rows(m, &format!("flexible-link '{link}'")), 0));
        common(links.into_iter())
    };
    let eigenvalues = |family: usize, which: usize, each: u32| {
        let found = |p: &&Pendulum| -> Measured<f64> {
            Ok(p.eigenvalues[family].clone()?[which] as f64 - f64::from(each * p.elements))
        };
        common(solved.iter().map(found))
    };
    let real = |family: usize, of: fn(f64, f64) -> f64| {
        let share = |s: Eigenvalue| s.re.abs() / s.re.hypot(s.im);
        let found = |p: &&Pendulum| -> Measured<f64> {
            extreme(p.s[family].clone()?.into_iter().map(|s| Ok(share(s))), of)
        };
        extreme(solved.iter().map(found), of)
    };
    let few = prepare(FEW, false);
    let few = few.as_ref().map_err(Clone::clone);
    let leading = few.clone().and_then(leading);
    let leading = leading.as_ref().map_err(Clone::clone);
    let rest = turned_rest();
    vec![
        ("coordinates less 6 n_p", alike(&Model::nv, 6)),
        ("constraints", alike(&Model::nc, 0)),
        ("constraints of the joints", alike(&|m| rows(m, "joint"), 0)),
        ("constraints of the frame of each link", per_frame()),
        ("degrees of freedom for each coordinate", {
            prepare(50, false).map(|p| (p.model.nv() - p.model.nc()) as f64 / p.model.nv() as f64)
        }),
        ("equilibrium, theta_1", rest.clone().map(|r| r[0])),
        ("equilibrium, theta_2", rest.map(|r| r[1])),
        ("eigenvalues of the motion less 12 n_p, MCS", eigenvalues(0, 0, 12)),
        ("eigenvalues of the motion less 12 n_p, RCS", eigenvalues(1, 0, 12)),
        ("eigenvalues of the motion less 12 n_p, UCS", eigenvalues(2, 0, 12)),
        ("spurious eigenvalues, MCS", eigenvalues(0, 1, 0)),
        ("spurious eigenvalues, RCS", eigenvalues(1, 1, 0)),
        ("spurious eigenvalues, UCS", eigenvalues(2, 1, 0)),
        ("M_r, smallest over largest eigenvalue", leading.clone().and_then(|m| definite(&m[0]))),
        ("M_r, asymmetry", leading.clone().map(|m| asymmetry(&m[0]))),
        ("M_p, smallest over largest eigenvalue", leading.clone().and_then(|m| definite(&m[1]))),
        ("M_p, asymmetry", leading.map(|m| asymmetry(&m[1]))),
        ("UCS, constraint rates of true eigenvectors", few.clone().and_then(|p| rates(p, true))),
        ("UCS, constraint rates of spurious eigenvectors", few.and_then(|p| rates(p, false))),
        ("RCS, largest real part", real(1, f64::max)),
        ("UCS, largest real part", real(2, f64::max)),
        ("UCS, smallest real part", real(2, f64::min)),
        ("UCS error, tenfold alpha", error_over(&Penalty::scalar(1e8, 1.0, 10.0))),
    ]
}

/// Angles of the links at the rest that is found from turned links, rad.
fn turned_rest() -> Measured<[f64; 2]> {
    let Prepared { model, .. } = prepare(10, false)?;
    let blocks = model.coordinates().blocks();
    let angles: Vec<usize> =
        blocks.iter().filter(|b| b.kind == BlockKind::PlanarPose).map(|b| b.q + 2).collect();
    let &[first, second] = angles.as_slice() else {
        return Err(format!("{} links where there are two", angles.len()));
    };
    let mut start = model.initial().to_vec();
    start[first] += 0.3;
    start[second] -= 0.2;
    let found = Equilibrium::solve(&model, &start, &EquilibriumOptions::default()).map_err(words)?;
    Ok([first, second].map(|k| found.q()[k]))
}

/// M_r and M_p.
fn leading(p: &Prepared) -> Measured<[Dense; 2]> {
    let chosen = NullSpaceMethod::CoordinateSelection(Some(independent(&p.model)));
    let reduced = minimal(&p.model, &p.linear(), &chosen).map_err(words)?;
    Ok([reduced.m, penalized(p, &factors())?.m])
}

fn penalized(p: &Prepared, factors: &Penalty) -> Measured<UnconstrainedSystem> {
    let at = penalty_equilibrium(&p.model, p.rest.point(), factors).map_err(words)?;
    unconstrained(&p.model, &at, factors).map_err(words)
}

/// Smallest over largest eigenvalue.
fn definite(m: &Dense) -> Measured<f64> {
    let values = SymmetricEigen::new(m).map_err(words)?.values;
    match (values.first(), values.last()) {
        (Some(least), Some(most)) => Ok(least / most),
        _ => Err("the matrix is empty".to_owned()),
    }
}

/// Largest |M - M^T| over the largest entry.
fn asymmetry(m: &Dense) -> f64 {
    norms::max_abs(&dense::add(1.0, m, -1.0, &dense::transpose(m))) / norms::max_abs(m)
}

/// How far the eigenvectors of the penalty system are from the constraints.
fn rates(p: &Prepared, of_true: bool) -> Measured<f64> {
    let UnconstrainedSystem { m, c, k, phi_q, xi, .. } = penalized(p, &factors())?;
    let spectrum =
        penalty::solve(&PenaltyPencil { m, c, k, phi_q, xi }, &DenseOptions::default()).map_err(words)?;
    violation(&spectrum, of_true)
}

/// Largest difference from MCS with a penalty, over that with the paper's.
fn error_over(other: &Penalty) -> Measured<f64> {
    let p = prepare(10, false)?;
    let exact = p.first_of_mcs()?;
    let error = |factors: &Penalty| -> Measured<f64> {
        let found = p.first_of_ucs(factors)?;
        extreme((0..FIRST).map(|k| Ok(found[k].distance(exact[k]))), f64::max)
    };
    Ok(error(other)? / error(&factors())?)
}
