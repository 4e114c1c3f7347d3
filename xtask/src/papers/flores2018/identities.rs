//! What must hold between the methods, whatever the paper prints.
//!
//! ```text
//! augmented Lagrangian = Baumgarte with alpha = mu omega, beta = omega, in the accelerations
//! penalty: Phi'' + 2 mu omega Phi' + omega^2 Phi = lambda / alpha, hence Phi is lambda / alpha filtered
//! penalty: error of the energy ~ 1 / alpha
//! ```
//!
//! Paper: [flores2018] Eqs. (2), (6), (9).
//!
//! [flores2018]: ../../../../docs/references.bib

use mb_constraints::method::{AugmentedLagrangian, Baumgarte, CoordinatePartitioning, Penalty};
use mb_constraints::{ConstraintMethod, ForwardDynamics};
use mb_gallery::models::SpatialFourBar;
use mb_model::Model;

use super::runs::{Measured, TIGHT, largest, model, motion, options, words};

/// Distance of the accelerations of the two methods in a state off the constraints, relative to them.
pub(super) fn iterated_is_feedback(bar: &SpatialFourBar) -> Measured<f64> {
    let model = model(bar)?;
    let mut q = model.initial().to_vec();
    let step: Vec<f64> = (0..model.nv()).map(|i| 1e-4 * ((7 * i) % 5) as f64 - 2e-4).collect();
    model.coordinates().retract_in_place(&mut q, &step);
    let penalty = Penalty::default();
    let iterated = AugmentedLagrangian { penalty, ..AugmentedLagrangian::default() };
    let feedback = Baumgarte { alpha: penalty.mu * penalty.omega, beta: penalty.omega };
    let a = accelerations(&model, &ConstraintMethod::AugmentedLagrangian(iterated), &q)?;
    let b = accelerations(&model, &ConstraintMethod::Baumgarte(feedback), &q)?;
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    Ok(norm(&mut a.iter().zip(&b).map(|(a, b)| a - b)) / norm(&mut b.iter().copied()))
}

fn accelerations(model: &Model, method: &ConstraintMethod, q: &[f64]) -> Measured<Vec<f64>> {
    let mut dynamics = ForwardDynamics::new(model, method, &[]).map_err(words)?;
    dynamics.evaluate(0.0, q, model.initial_velocity()).map_err(words)?;
    Ok(dynamics.acceleration().to_vec())
}

/// Distance of the penalty method's Phi from the filtered multipliers of the exact motion over alpha, relative to Phi:
/// largest over a second and over all rows.
pub(super) fn filter(bar: &SpatialFourBar) -> Measured<f64> {
    const STEP: f64 = 1e-3;
    let model = model(bar)?;
    let partitioning = ConstraintMethod::CoordinatePartitioning(CoordinatePartitioning::default());
    let exact = motion(&model, &options(1.0, STEP, partitioning, TIGHT))?;
    let penalty = Penalty::default();
    let bent = motion(&model, &options(1.0, STEP, ConstraintMethod::Penalty(penalty), TIGHT))?;
    let m = model.nc();
    let (mut z, mut w) = (vec![0.0; m], vec![0.0; m]);
    let (mut apart, mut size) = (0.0_f64, 0.0_f64);
    let h = 2.0 * STEP;
    for i in (2..exact.len()).step_by(2) {
        let phi = model.phi(bent.q_at(i), bent.times[i]);
        for row in 0..m {
            let force = |k: usize| exact.lambda[k * m + row] / penalty.alpha;
            let a = |f: f64, z: f64, w: f64| {
                f - 2.0 * penalty.mu * penalty.omega * w - penalty.omega * penalty.omega * z
            };
            let (z0, w0) = (z[row], w[row]);
            let l1 = a(force(i - 2), z0, w0);
            let (k2, l2) = (w0 + 0.5 * h * l1, a(force(i - 1), z0 + 0.5 * h * w0, w0 + 0.5 * h * l1));
            let (k3, l3) = (w0 + 0.5 * h * l2, a(force(i - 1), z0 + 0.5 * h * k2, w0 + 0.5 * h * l2));
            let (k4, l4) = (w0 + h * l3, a(force(i), z0 + h * k3, w0 + h * l3));
            z[row] += h / 6.0 * (w0 + 2.0 * k2 + 2.0 * k3 + k4);
            w[row] += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
            apart = apart.max((phi[row] - z[row]).abs());
            size = size.max(phi[row].abs());
        }
    }
    Ok(apart / size)
}

/// Exponent p of the energy's departure ~ alpha^-p, between alpha = 1e5 and 1e7, in a second.
pub(super) fn energy_exponent(bar: &SpatialFourBar) -> Measured<f64> {
    let model = model(bar)?;
    let drift = |alpha: f64| -> Measured<f64> {
        let method = ConstraintMethod::Penalty(Penalty { alpha, ..Penalty::default() });
        Ok(motion(&model, &options(1.0, 0.02, method, TIGHT))?.energy_drift())
    };
    Ok((drift(1e5)? / drift(1e7)?).log10() / 2.0)
}

/// The crank length beyond which the linkage no longer turns fully, all other data as they are, by bisection.
pub(super) fn limit_of_rotation(bar: &SpatialFourBar) -> f64 {
    let turns = |crank: f64| {
        let bar = with_crank(bar, crank);
        (0..20_000).all(|i| bar.tips(std::f64::consts::TAU * f64::from(i) / 20_000.0).is_some())
    };
    let (mut yes, mut no) = (bar.crank, 3.0 * bar.crank);
    while no - yes > 1e-9 {
        let middle = f64::midpoint(yes, no);
        if turns(middle) { yes = middle } else { no = middle }
    }
    yes
}

fn with_crank(bar: &SpatialFourBar, crank: f64) -> SpatialFourBar {
    SpatialFourBar { crank, ..*bar }
}

/// Energy that a method loses in the paper's run, relative to that at the start, with the crank so far below
/// the limit.
pub(super) fn loss_near_the_limit(
    bar: &SpatialFourBar,
    distance: f64,
    method: &ConstraintMethod,
) -> Measured<f64> {
    let bar = with_crank(bar, limit_of_rotation(bar) - distance);
    let model = model(&bar)?;
    let mut options = options(5.0, 0.02, method.clone(), mb_constraints::simulate::StepControl::default());
    options.energy_limit = f64::INFINITY;
    let motion = motion(&model, &options)?;
    Ok(largest(motion.records.iter().map(|r| r.drift.abs())) / super::runs::energy(&motion))
}
