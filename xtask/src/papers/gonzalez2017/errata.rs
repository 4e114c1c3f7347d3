//! What of the paper cannot stand as printed, each by a computation with the printed form.
//!
//! ```text
//! Eq. (16) as printed:   C_r = -R^T df/dz        belongs: C_r = -R^T df/dz'
//! singular point:        Phi_q^T n = 0,  a motion q(t) through it needs n^T Phi_qq(v, v) = 0
//! ```
//!
//! Paper: [gonzalez2017] Secs. 3.3, 5, 5.1, 5.3, Eqs. (11), (16).
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_algebra::{QuadraticPencil, dense};
use mb_constraints::NullSpaceMethod;
use mb_eigen::descriptor::Transferred;
use mb_eigen::{DenseOptions, Spectrum};
use mb_gallery::Computed;
use mb_gallery::models::singular_four_bar;
use mb_linear::formulation::minimal::minimal;
use mb_linear::formulation::unconstrained::unconstrained;
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize};
use mb_model::Model;

use super::measure::linkage;
use super::measure::sparsity;
use super::measure::spectra::{self, words};
use super::measure::{four_bar, penalty};
use super::results::Measured;
use crate::answers::{Answers, count};

/// Null vector of Phi_q^T at the singular point, over the rods A0B0, A1B1, B0B1 and the angle.
const NULL: [f64; 4] = [1.0, -1.0, 1.0, 0.0];

/// The answers to the table of errata.
pub(crate) fn answers() -> Answers {
    let mut answers = Answers::default();
    let mut put =
        |place: &str, value: Measured<Computed>| answers.put(&format!("place={place}"), "value", value);
    put("Eq. (11), Sec. 5", rows_of_xi().map(count));
    put("Eq. (16)", with_printed_damping().map(Computed::Real));
    let singular = Singular::prepare();
    let of = |f: fn(&Singular) -> Measured<f64>| {
        singular.as_ref().map_err(Clone::clone).and_then(f).map(Computed::Real)
    };
    put("Sec. 5.1, s_1 = 3.4310i", of(|s| s.bend_along(0)));
    put("Sec. 5.1, s_2 = 4.4294i", of(|s| s.bend_along(1)));
    put("Sec. 5.3", sparsity::outside_of_links().map(|o| count(o[1])));
    answers
}

/// How far s_2 moves at the singular point when the null vector is added to the multipliers, rad/s.
pub(super) fn change_by_multipliers() -> Measured<f64> {
    Singular::prepare()?.change_by_multipliers()
}

/// Rows of Xi, as the penalty formulation uses it.
fn rows_of_xi() -> Measured<usize> {
    let p = linkage::prepare(&four_bar(1, false))?;
    Ok(unconstrained(&p.model, &p.penalty_at, &penalty()).map_err(words)?.xi.nrows())
}

/// Real part of the oscillation of the damped one-loop linkage with C_r by the positions, 1/s.
fn with_printed_damping() -> Measured<f64> {
    let p = linkage::prepare(&four_bar(1, true))?;
    let angle = NullSpaceMethod::CoordinateSelection(Some(vec![p.phi]));
    let system = minimal(&p.model, &linearize(&p.model, &p.at), &angle).map_err(words)?;
    let by_positions = p.model.applied_stiffness(p.at.point()).to_dense();
    let r = &system.basis.r;
    let printed =
        QuadraticPencil { c: dense::mul_transpose(r, &dense::mul(&by_positions, r)), ..system.pencil() };
    let spectrum = mb_eigen::dense::solve(&printed, &DenseOptions::default()).map_err(words)?;
    let values = spectrum.motion_values();
    values.first().map(|s| s.re).ok_or_else(|| "no eigenvalue".to_owned())
}

/// The one-loop linkage where the Jacobian loses rank.
struct Singular {
    model: Model,
    rest: Equilibrium,
    spectrum: Spectrum,
}

impl Singular {
    fn prepare() -> Measured<Self> {
        let model = singular_four_bar().and_then(|(spec, _)| spec.build()).map_err(words)?;
        let rest =
            Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).map_err(words)?;
        let spectrum = spectra::rcs(&model, &OperatingPoint::from(&rest), Transferred::default())?;
        Ok(Self { model, rest, spectrum })
    }

    fn change_by_multipliers(&self) -> Measured<f64> {
        let mut point = self.rest.point().clone();
        point.lambda.iter_mut().zip(NULL).for_each(|(l, n)| *l += n);
        let tolerance = EquilibriumOptions::default().tolerance;
        let other = Equilibrium::with_multipliers(&self.model, point, tolerance).map_err(words)?;
        let moved = spectra::rcs(&self.model, &OperatingPoint::from(&other), Transferred::default())?;
        let second = |spectrum: &Spectrum| {
            spectra::pairs(spectrum).get(1).copied().ok_or_else(|| "no second pair".to_owned())
        };
        Ok(second(&moved)?.distance(second(&self.spectrum)?))
    }

    /// n^T Phi_qq(v, v) along an eigenvector v with y_0 = 1.
    fn bend_along(&self, which: usize) -> Measured<f64> {
        let mut upper = self.spectrum.motion().filter(|p| p.alpha.im > 0.0);
        let shape = upper.nth(which).ok_or("no such pair")?.right.to_vec();
        let y0 = shape.get(1).copied().filter(|y| y.norm() > 0.0).ok_or("the vector leaves y_0 at rest")?;
        let v: Vec<f64> = shape.iter().map(|x| (x / y0).re).collect();
        let point = self.rest.point();
        let bend = self.model.reaction_stiffness(&point.q, point.t, &NULL).to_dense();
        Ok(dense::dot(&v, &dense::matvec(&bend, &v)))
    }
}
