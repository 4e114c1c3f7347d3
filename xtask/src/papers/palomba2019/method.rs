//! What Secs. 2 and 3 say of matrices, eigenpairs and the expansion, on the arm at its printed operating point.
//!
//! ```text
//! A = [-K 0; 0 N],   B = [C M; N 0],   w = (phi, s phi),   z = (psi, conj(s) psi) for N = M      (Eqs. 14 to 18)
//! ```
//!
//! Paper: [palomba2019] Secs. 2.1, 2.3, 3.1, 3.2.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use std::collections::BTreeMap;

use mb_algebra::dense::{hstack, identity, matvec_complex, scale, transpose, vstack, zeros};
use mb_algebra::{Dense, QuadraticPencil, Qz, SymmetricEigen, c64, norms};
use mb_eigen::{DenseOptions, Eigenpair};
use mb_gallery::Computed;
use mb_gallery::models::ErlsArm;
use mb_model::{Model, ModelSource};
use mb_parametric::{
    EigenpairSeries, ExpandOptions, Gauge, ModelSeries, MultiIndexSet, StartingEigenpair, expand,
};

use super::exact::literal;
use super::{arm, figures, timing};
use crate::answers::{Answers, count};

type Measured<T> = Result<T, String>;

/// The answers to the table.
pub(super) fn answers() -> Answers {
    let mut answers = Answers::default();
    let mut put = |claim: &str, value: Measured<f64>| {
        answers.put(&format!("claim={claim}"), "value", value.map(Computed::Real));
    };
    let arm = ErlsArm::recovered();
    let matrices = arm.model::<f64>(&BTreeMap::new()).map_err(|e| e.to_string()).and_then(|model| {
        let point = arm::printed_point(&arm)?;
        Ok((figures::matrices(&model, &point), elastic_stiffness(&model, &point.q)))
    });
    let pencil = matrices.as_ref().map(|(pencil, _)| pencil).map_err(Clone::clone);
    put("mass matrix, asymmetry", pencil.clone().map(|p| asymmetry(&p.m)));
    put("mass matrix, least eigenvalue", pencil.clone().and_then(|p| Ok(ends(&p.m)?[0])));
    let stiffness = matrices.as_ref().map(|(_, k)| k).map_err(Clone::clone);
    put(
        "stiffness matrix, least eigenvalue",
        stiffness.clone().and_then(|k| ends(k).map(|[low, high]| low / high)),
    );
    put("stiffness matrix, zeros", stiffness.and_then(zero_eigenvalues));
    put("change of K with the angles", turned(&arm, &|model, q| elastic_stiffness(model, q)));
    put("change of K in floating frames", floating_turned(&arm));
    let linear = pencil.clone().and_then(Linear::of);
    let of = |f: &dyn Fn(&Linear) -> Measured<f64>| linear.as_ref().map_err(Clone::clone).and_then(f);
    put("eigenvalues of the first-order form", of(&|l| l.distance(&l.by_mass)));
    put("eigenvalues for another N", of(&|l| l.distance(&l.by_identity)));
    put("eigenvectors of the first-order form", of(&|l| Ok(l.residual())));
    put("biorthonormality", of(&|l| Ok(l.biorthonormality())));
    put("combinations of an order", combinations());
    let series = literal(&arm, timing::ORDER);
    let of = |f: &dyn Fn(&ModelSeries) -> Measured<f64>| series.as_ref().map_err(Clone::clone).and_then(f);
    put("pseudo-inverse", of(&pseudo_inverse));
    put("eigenvalues by the transposed matrices", of(&transposed));
    put("one pair alone", of(&alone));
    answers
}

/// Stiffness of the displacements of the nodes without motion: what K q_f of Eq. (1) holds.
fn elastic_stiffness(model: &Model, q: &[f64]) -> Dense {
    let mut still = model.initial_point();
    still.q.copy_from_slice(q);
    let k = model.dense_blocks(&still).k;
    let n = q.len();
    let elastic = n - 2;
    // The columns of the angles hold derivatives of K q_f and of gravity, which are no part of K.
    Dense::from_fn(n, n, |i, j| if j < elastic { k[(i, j)] } else { 0.0 })
}

fn asymmetry(a: &Dense) -> f64 {
    norms::max_abs(&mb_algebra::dense::add(1.0, a, -1.0, &transpose(a))) / norms::max_abs(a)
}

/// The least and the largest eigenvalue.
fn ends(a: &Dense) -> Measured<[f64; 2]> {
    let values = SymmetricEigen::new(a).map_err(|e| e.to_string())?.values;
    let [Some(low), Some(high)] = [values.first(), values.last()] else { return Err("no eigenvalue".into()) };
    Ok([*low, *high])
}

/// How many eigenvalues are zero to rounding.
fn zero_eigenvalues(k: &Dense) -> Measured<f64> {
    let values = SymmetricEigen::new(k).map_err(|e| e.to_string())?.values;
    let largest = values.last().copied().unwrap_or(f64::NAN);
    Ok(values.iter().filter(|w| w.abs() < 1e-12 * largest).count() as f64)
}

/// Largest change of a matrix when both angles turn by a radian, over its largest entry.
fn turned(arm: &ErlsArm, of: &dyn Fn(&Model, &[f64]) -> Dense) -> Measured<f64> {
    let model = arm.model::<f64>(&BTreeMap::new()).map_err(|e| e.to_string())?;
    let mut q = vec![0.0; model.initial_point().q.len()];
    let before = of(&model, &q);
    let [first, second] = arm::angles(arm);
    (q[first], q[second]) = (1.0, 1.0);
    Ok(norms::max_abs(&mb_algebra::dense::add(1.0, &of(&model, &q), -1.0, &before)) / norms::max_abs(&before))
}

/// The same for the displacements of the nodes of the arm in floating frames, undeflected and without gravity.
fn floating_turned(arm: &ErlsArm) -> Measured<f64> {
    let mut spec = arm.floating().map_err(|e| e.to_string())?;
    spec.set_parameter("g", 0.0).map_err(|e| e.to_string())?;
    let at = |turn: f64| -> Measured<Dense> {
        let mut spec = spec.clone();
        for name in ["q1", "q2"] {
            spec.set_parameter(name, turn).map_err(|e| e.to_string())?;
        }
        let model = spec.build().map_err(|e| e.to_string())?;
        let names = model.coordinates().names();
        let nodes: Vec<usize> = (0..names.len()).filter(|i| names[*i].contains("].")).collect();
        if nodes.is_empty() {
            return Err("no displacements of nodes".to_owned());
        }
        let k = model.dense_blocks(&model.initial_point()).k;
        Ok(Dense::from_fn(nodes.len(), nodes.len(), |i, j| k[(nodes[i], nodes[j])]))
    };
    let (before, after) = (at(0.0)?, at(1.0)?);
    Ok(norms::max_abs(&mb_algebra::dense::add(1.0, &after, -1.0, &before)) / norms::max_abs(&before))
}

/// Unit of eigenvalues in which the three matrices are of one size, rad/s.
const UNIT: f64 = 1e4;

/// The same problem in other units of displacements and of time, with ones on the diagonal of M.
fn scaled(pencil: &QuadraticPencil<Dense>) -> QuadraticPencil<Dense> {
    let m = &pencil.m;
    let by = |a: &Dense, factor: f64| {
        Dense::from_fn(m.nrows(), m.nrows(), |i, j| factor * a[(i, j)] / (m[(i, i)] * m[(j, j)]).sqrt())
    };
    QuadraticPencil {
        m: by(m, 1.0),
        c: by(&pencil.c, UNIT.recip()),
        k: by(&pencil.k, UNIT.powi(-2)),
        phi_q: pencil.phi_q.clone(),
    }
}

/// A and B of the first-order form with N.
fn first_order(pencil: &QuadraticPencil<Dense>, other: &Dense) -> (Dense, Dense) {
    let o = zeros(other.nrows(), other.nrows());
    let a = vstack(&[&hstack(&[&scale(-1.0, &pencil.k), &o]), &hstack(&[&o, other])]);
    (a, vstack(&[&hstack(&[&pencil.c, &pencil.m]), &hstack(&[other, &o])]))
}

/// The first-order form and the pairs of the quadratic problem.
struct Linear {
    a: Dense,
    b: Dense,
    by_mass: Vec<c64>,
    by_identity: Vec<c64>,
    pairs: Vec<Eigenpair>,
}

impl Linear {
    fn of(pencil: &QuadraticPencil<Dense>) -> Measured<Self> {
        let scaled = scaled(pencil);
        let values = |(a, b): &(Dense, Dense)| -> Measured<Vec<c64>> {
            let qz = Qz::new(a, b, false).map_err(|e| e.to_string())?;
            Ok(qz.alpha.iter().zip(&qz.beta).map(|(x, y)| UNIT * x / *y).collect())
        };
        let (a, b) = first_order(pencil, &pencil.m);
        let spectrum = mb_eigen::dense::solve(pencil, &DenseOptions::default()).map_err(|e| e.to_string())?;
        Ok(Self {
            by_identity: values(&first_order(&scaled, &identity(scaled.m.nrows())))?,
            by_mass: values(&first_order(&scaled, &scaled.m))?,
            a,
            b,
            pairs: spectrum.eigenpairs,
        })
    }

    /// Largest distance of the eigenvalues of the quadratic problem from the nearest of a list, over the largest: errors of
    /// the QZ iteration are in proportion to the norms of the matrices.
    fn distance(&self, list: &[c64]) -> Measured<f64> {
        if list.len() != self.pairs.len() {
            return Err(format!("{} eigenvalues of one form, {} of the other", list.len(), self.pairs.len()));
        }
        let miss = |s: c64| list.iter().map(|t| (s - t).norm()).fold(f64::INFINITY, f64::min);
        let size = list.iter().map(|t| t.norm()).fold(0.0, f64::max);
        Ok(self.pairs.iter().filter_map(Eigenpair::value).map(miss).fold(0.0, f64::max) / size)
    }

    /// (phi, s phi) and (psi, conj(s) psi).
    fn vectors(pair: &Eigenpair) -> Option<[Vec<c64>; 2]> {
        let s = pair.value()?;
        let double = |x: &[c64], s: c64| [x.to_vec(), x.iter().map(|x| x * s).collect()].concat();
        Some([double(pair.right.as_slice(), s), double(pair.left.as_slice(), s.conj())])
    }

    /// Largest residual of both vectors of all pairs, over the sizes of matrices and vectors.
    fn residual(&self) -> f64 {
        let mut largest = 0.0_f64;
        let transposed = [transpose(&self.a), transpose(&self.b)];
        let sizes = [norms::frobenius(&self.a), norms::frobenius(&self.b)];
        for (pair, [w, z]) in self.pairs.iter().filter_map(|p| Some((p, Self::vectors(p)?))) {
            let Some(s) = pair.value() else { continue };
            for (a, b, x, s) in [(&self.a, &self.b, &w, s), (&transposed[0], &transposed[1], &z, s.conj())] {
                let (ax, bx) = (matvec_complex(a, x), matvec_complex(b, x));
                let rest = length(&ax.iter().zip(&bx).map(|(p, q)| p - s * q).collect::<Vec<_>>());
                largest = largest.max(rest / (sizes[0] + s.norm() * sizes[1]) / length(x));
            }
        }
        largest
    }

    /// Largest |z_i* B w_j| of two pairs, over the products of lengths in the size of their own z* B w; of equal ones, the
    /// largest distance from one.
    fn biorthonormality(&self) -> f64 {
        let vectors: Vec<_> = self.pairs.iter().filter_map(Self::vectors).collect();
        let own: Vec<c64> = vectors.iter().map(|[w, z]| form(z, &self.b, w)).collect();
        let mut largest = 0.0_f64;
        for (i, [_, z]) in vectors.iter().enumerate() {
            for (j, [w, _]) in vectors.iter().enumerate() {
                let size = (own[i].norm() * own[j].norm()).sqrt();
                let value = form(z, &self.b, w) / size;
                let wanted = if i == j { own[i] / size } else { c64::new(0.0, 0.0) };
                largest = largest.max((value - wanted).norm());
            }
        }
        largest
    }
}

fn length(x: &[c64]) -> f64 {
    x.iter().map(c64::norm_sqr).sum::<f64>().sqrt()
}

/// z* B w.
fn form(z: &[c64], b: &Dense, w: &[c64]) -> c64 {
    z.iter().zip(matvec_complex(b, w)).map(|(z, x)| z.conj() * x).sum()
}

/// For how many p = 1 to 10 and |sigma| = 0 to 5 the formula of Sec. 3.1 differs from the terms of that degree.
fn combinations() -> Measured<f64> {
    let mut differ = 0.0;
    for p in 1..=10_usize {
        let set = MultiIndexSet::total(p, 5).map_err(|e| e.to_string())?;
        for order in 0..=5_usize {
            let factorial = |n: usize| (1..=n).product::<usize>();
            let formula = factorial(p + order - 1) / (factorial(order) * factorial(p - 1));
            if count(set.homogeneous(order).len()) != count(formula) {
                differ += 1.0;
            }
        }
    }
    Ok(differ)
}

/// The three pairs of a series of matrices.
fn pairs(
    series: &ModelSeries,
    transposed: bool,
    gauge: Gauge,
    which: &[usize],
) -> Measured<Vec<EigenpairSeries>> {
    let pencil = if transposed { series.pencil.transpose() } else { series.pencil.clone() };
    let centre = pencil.evaluate(&vec![0.0; series.variables.len()]).map_err(|e| e.to_string())?;
    let starts = arm::elastic_pairs(&centre)?;
    let one = |k: &usize| {
        let start = StartingEigenpair { s: starts[*k].s, vector: starts[*k].vector.clone() };
        let options = ExpandOptions { gauge, ..ExpandOptions::default() };
        expand(&pencil, &start, pencil.set(), &options).map_err(|e| e.to_string())
    };
    which.iter().map(one).collect()
}

/// Largest difference of the coefficients of eigenvalues, over the eigenvalue.
fn apart(a: &[EigenpairSeries], b: &[EigenpairSeries]) -> f64 {
    let of = |(a, b): (&EigenpairSeries, &EigenpairSeries)| {
        let lists = a.eigenvalue_coefficients().iter().zip(b.eigenvalue_coefficients());
        lists.map(|(x, y)| (x - y).norm()).fold(0.0, f64::max) / a.eigenvalue_coefficients()[0].norm()
    };
    a.iter().zip(b).map(of).fold(0.0, f64::max)
}

const ALL: [usize; 3] = [0, 1, 2];

/// Eq. (28) by its pseudo-inverse against a bordered system.
fn pseudo_inverse(series: &ModelSeries) -> Measured<f64> {
    let by = |gauge| pairs(series, false, gauge, &ALL);
    Ok(apart(&by(Gauge::Projection)?, &by(Gauge::PseudoInverse)?))
}

/// Eq. (29): the same procedure with transposed matrices.
fn transposed(series: &ModelSeries) -> Measured<f64> {
    let by = |transposed| pairs(series, transposed, Gauge::Projection, &ALL);
    Ok(apart(&by(false)?, &by(true)?))
}

/// One pair expanded alone against the same among three.
fn alone(series: &ModelSeries) -> Measured<f64> {
    let three = pairs(series, false, Gauge::Projection, &ALL)?;
    Ok(apart(&pairs(series, false, Gauge::Projection, &[1])?, &three[1..2]))
}
