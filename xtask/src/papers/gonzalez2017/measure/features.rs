//! Measurements for the table of features: an explicit run of each linear system, sparsity, and a model with many more
//! coordinates than constraints.
//!
//! Paper: [gonzalez2017] Table 6.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_algebra::{Dense, DescriptorPencil, c64};
use mb_constraints::NullSpaceMethod;
use mb_eigen::Spectrum;
use mb_eigen::descriptor::{DescriptorStructure, Transferred};
use mb_gallery::models::FourBar;
use mb_linear::formulation::minimal::minimal;
use mb_linear::formulation::unconstrained::{
    penalty_equilibrium, penalty_motion, unconstrained, unconstrained_instant,
};
use mb_linear::{
    Equilibrium, EquilibriumOptions, Instant, OperatingPoint, linearize, linearize_instant,
    minimal_of_instant,
};
use mb_model::spec::{PointSpec, RepeatSpec, RodSpec, SpringSpec};
use mb_model::{Model, ModelSpec};

use super::super::results::{Density, Features, Measured};
use super::explicit_run::FirstOrder;
use super::linkage::{self, Prepared};
use super::penalty;
use super::spectra::{self, words};
use crate::papers::timing::timed;

/// Rods of the chain whose sparsity is measured.
const CHAIN: usize = 20;
/// Rounds in which the families are timed in turn, so that a busy spell of the machine does not fall on one of them alone.
const ROUNDS: usize = 5;
/// Masses of the net that has many more coordinates than constraints.
const MASSES: usize = 60;
/// Entries below this share of the largest one count as zeros.
const ZERO_BELOW: f64 = 1e-12;

/// Measures all features.
pub(super) fn measure(bar: &FourBar) -> Features {
    let explicit_run = match linkage::prepare(bar) {
        Ok(prepared) => [mcs_run(&prepared), rcs_run(&prepared), ucs_run(&prepared)],
        Err(why) => [Err(why.clone()), Err(why.clone()), Err(why)],
    };
    Features { explicit_run, density: density(), many_coordinates_ms: many_coordinates() }
}

/// The physical eigenvalue with its vector.
fn mode(spectrum: &Spectrum) -> Measured<(c64, Vec<c64>)> {
    let pair = spectrum.motion().find(|p| p.alpha.im > 0.0).ok_or("no oscillating mode")?;
    Ok((pair.value().ok_or("the mode has no finite eigenvalue")?, pair.right.to_vec()))
}

/// (z, s z).
fn with_rates(s: c64, z: &[c64]) -> Vec<c64> {
    z.iter().copied().chain(z.iter().map(|z| s * z)).collect()
}

fn mcs_run(prepared: &Prepared) -> Measured<Option<f64>> {
    let angle = NullSpaceMethod::CoordinateSelection(Some(vec![prepared.phi]));
    let lin = linearize(&prepared.model, &prepared.at);
    let system = minimal(&prepared.model, &lin, &angle).map_err(words)?;
    let (s, z) = mode(&spectra::of_minimal(&system)?)?;
    Ok(FirstOrder::of_second_order(&system.m, &system.c, &system.k).run(&with_rates(s, &z), s))
}

fn rcs_run(prepared: &Prepared) -> Measured<Option<f64>> {
    let (s, q) = mode(&prepared.rcs(Transferred::default())?)?;
    let pencil = linearize(&prepared.model, &prepared.at).pencil();
    let structure = DescriptorStructure { pencil, transferred: Transferred::default() };
    let DescriptorPencil { e, a } = structure.to_pencil().map_err(words)?;
    let mut state = with_rates(s, &q);
    state.resize(e.nrows(), c64::new(0.0, 0.0));
    Ok(FirstOrder { e, a }.run(&state, s))
}

fn ucs_run(prepared: &Prepared) -> Measured<Option<f64>> {
    let (s, q) = mode(&prepared.ucs()?)?;
    let system = unconstrained(&prepared.model, &prepared.penalty_at, &penalty()).map_err(words)?;
    Ok(FirstOrder::of_second_order(&system.m, &system.c, &system.k).run(&with_rates(s, &q), s))
}

/// Rods end to end along an arc, so that no two are parallel, released from rest.
fn chain() -> ModelSpec {
    let mut spec = ModelSpec::new("chain on an arc");
    spec.gravity = vec![0.0.into(), (-9.81).into()];
    let origin = PointSpec {
        name: "P0".into(),
        at: Some([0.0.into(), 0.0.into()]),
        fixed: true,
        ..PointSpec::default()
    };
    spec.points.push(origin);
    let point = PointSpec {
        name: "P{i}".into(),
        at: Some(["20*sin(i/20)".into(), "20*cos(i/20) - 20".into()]),
        ..PointSpec::default()
    };
    let rod = RodSpec {
        name: "R{i}".into(),
        ends: ["P{i-1}".into(), "P{i}".into()],
        mass: 1.0.into(),
        ..RodSpec::default()
    };
    spec.repeats.push(RepeatSpec {
        index: "i".into(),
        from: 1.into(),
        to: (CHAIN as f64).into(),
        points: vec![point],
        rods: vec![rod],
        ..RepeatSpec::default()
    });
    spec
}

fn density() -> Measured<Density> {
    let model = chain().build().map_err(words)?;
    let rest = vec![0.0; model.nv()];
    let at =
        Instant::of_motion(&model, model.initial().to_vec(), rest, 0.0, Vec::new(), 1e-9).map_err(words)?;
    let lin = linearize_instant(&model, &at);
    let minimal =
        minimal_of_instant(&model, &lin, &NullSpaceMethod::CoordinateSelection(None)).map_err(words)?;
    let penalty_at = penalty_motion(&model, at.point(), &penalty()).map_err(words)?;
    let penalized = unconstrained_instant(&model, &penalty_at, &penalty()).map_err(words)?;
    let model_share = share(&lin.m);
    Ok(Density { model: model_share, families: [share(&minimal.m), model_share, share(&penalized.m)] })
}

/// Share of entries that are not zero.
fn share(a: &Dense) -> f64 {
    let limit = ZERO_BELOW * mb_algebra::norms::max_abs(a);
    let nonzero =
        (0..a.ncols()).map(|j| a.col_as_slice(j).iter().filter(|x| x.abs() > limit).count()).sum::<usize>();
    nonzero as f64 / (a.nrows() * a.ncols()) as f64
}

/// Masses on a line, each held by two crossing springs, and one rod: n = 2 MASSES, m = 1.
fn net() -> ModelSpec {
    let mut spec = ModelSpec::new("net of masses");
    let point = |name: &str, x: &str, y: f64, fixed: bool| PointSpec {
        name: name.into(),
        at: Some([x.into(), y.into()]),
        fixed,
        mass: (!fixed).then(|| 1.0.into()),
        ..PointSpec::default()
    };
    let spring = |name: &str, a: &str, b: &str, natural: &str| SpringSpec {
        name: name.into(),
        a: a.into(),
        b: b.into(),
        stiffness: Some(100.0.into()),
        natural_length: Some(natural.into()),
        ..SpringSpec::default()
    };
    spec.repeats.push(RepeatSpec {
        index: "i".into(),
        from: 0.into(),
        to: (MASSES as f64).into(),
        points: vec![point("G{i}", "i", 0.0, true), point("P{i}", "i", 1.0, false)],
        springs: vec![spring("column{i}", "P{i}", "G{i}", "1")],
        ..RepeatSpec::default()
    });
    spec.repeats.push(RepeatSpec {
        index: "i".into(),
        from: 1.into(),
        to: (MASSES as f64).into(),
        springs: vec![
            spring("row{i}", "P{i}", "P{i-1}", "1"),
            spring("diagonal{i}", "P{i}", "G{i-1}", "sqrt(2)"),
        ],
        ..RepeatSpec::default()
    });
    spec.rods.push(RodSpec {
        name: "rod".into(),
        ends: ["P0".into(), "G0".into()],
        mass: 1.0.into(),
        ..RodSpec::default()
    });
    spec
}

fn many_coordinates() -> Measured<[f64; 3]> {
    let model: Model = net().build().map_err(words)?;
    let found = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).map_err(words)?;
    let at = OperatingPoint::from(&found);
    let penalty_at = penalty_equilibrium(&model, found.point(), &penalty()).map_err(words)?;
    let mut fastest = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        let (_, mcs) = timed(|| spectra::mcs(&model, &at, &NullSpaceMethod::CoordinateSelection(None)))?;
        let (_, rcs) = timed(|| spectra::rcs(&model, &at, Transferred::default()))?;
        let (_, ucs) = timed(|| spectra::ucs(&model, &penalty_at, &penalty()))?;
        for (best, time) in fastest.iter_mut().zip([mcs, rcs, ucs]) {
            *best = best.min(time);
        }
    }
    Ok(fastest)
}
