//! Estimated against true errors on random ways: every kind of variable, several models, orders 1 to 5.
//!
//! A way leads from the expansion point in a random direction to at most half of the estimated reach. Judged is the largest
//! estimate along it against the largest true error, which is that against a pair improved to rounding with the exact
//! matrices. What lies near rounding says nothing and is passed over.

use crate::erls;
use crate::motion;
use crate::systems::{random_system, solve};
use mb_gallery::models::ErlsArm;
use mb_model::{ModelSource, ModelSpec};
use mb_parametric::{
    EigenpairSeries, ExpandOptions, MovingModel, MultiIndexSet, PointRule, PolishOptions, SeriesSource,
    StartingEigenpair, Variable, balanced_point, expand, polish,
};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// Degrees expanded beyond the highest order that is judged.
const AHEAD: usize = 3;
/// Highest order that is judged.
const MOST: usize = 5;
/// Ways for each set of variables.
const WAYS: usize = 12;
/// Shares of a way at which errors are compared.
const SHARES: [f64; 8] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
/// Relative error below which rounding may show.
const ROUNDING: f64 = 1e-10;

/// Largest estimate over largest error of a mode along one way, for orders 1 to 5; none near rounding.
fn along_a_way<S: SeriesSource>(source: &S, modes: &[EigenpairSeries], way: &[f64]) -> Vec<(usize, f64)> {
    let mut worst = vec![[[0.0_f64; 2]; MOST + 1]; modes.len()];
    let mut sizes = vec![0.0_f64; modes.len()];
    for share in SHARES {
        let d: Vec<f64> = way.iter().map(|x| share * x).collect();
        let matrices = source.matrices(&d).unwrap();
        for (k, mode) in modes.iter().enumerate() {
            let best = mode.evaluate(&d, mode.order()).unwrap();
            assert!(best.trusted, "{d:?}: {best:?}");
            let guess = StartingEigenpair { s: best.s, vector: best.vector };
            let s = polish(&matrices, &guess, &PolishOptions::default()).unwrap().s;
            sizes[k] = sizes[k].max(s.norm());
            for (order, [told, error]) in worst[k].iter_mut().enumerate().skip(1) {
                let at = mode.evaluate(&d, order).unwrap();
                *told = told.max(at.error);
                *error = error.max((at.s - s).norm());
            }
        }
    }
    let mut out = Vec::new();
    for (list, size) in worst.iter().zip(&sizes) {
        for (order, [told, error]) in list.iter().enumerate().skip(1) {
            if *error > ROUNDING * size && *size > 0.0 {
                out.push((order, told / error));
            }
        }
    }
    out
}

/// Random ways, no variable moving further than its widest.
fn on_random_ways<S: SeriesSource>(name: &str, source: &S, starts: &[StartingEigenpair], widest: &[f64]) {
    let p = source.parameters();
    let set = MultiIndexSet::total(p, MOST + AHEAD).unwrap();
    let pencil = source.series(&vec![0.0; p], &set).unwrap();
    let modes: Vec<EigenpairSeries> =
        starts.iter().map(|start| expand(&pencil, start, &set, &ExpandOptions::default()).unwrap()).collect();
    let mut runner = TestRunner::deterministic();
    let directions = proptest::collection::vec(-1.0..1.0_f64, p);
    let mut judged = 0;
    for _ in 0..WAYS {
        let direction = directions.new_tree(&mut runner).unwrap().current();
        let longest = direction.iter().map(|x: &f64| x.abs()).fold(0.0, f64::max);
        let far: Vec<f64> = direction.iter().zip(widest).map(|(x, w)| x / longest * w).collect();
        let reach = |mode: &EigenpairSeries| {
            let radius = mode.radius(&far).unwrap();
            [radius.eigenvalue, radius.vector].into_iter().flatten().fold(f64::INFINITY, f64::min)
        };
        let half = 0.5 * modes.iter().map(reach).fold(2.0, f64::min);
        let way: Vec<f64> = far.iter().map(|x| half * x).collect();
        for (order, effectivity) in along_a_way(source, &modes, &way) {
            assert!((0.3..3.0).contains(&effectivity), "{name}, order {order}: {effectivity} on {way:?}");
            judged += 1;
        }
    }
    assert!(judged >= 2 * WAYS, "{name}: {judged}");
}

/// The oscillations of a source at its reference point, lowest first.
fn oscillations<S: SeriesSource<Matrix = mb_algebra::Dense>>(
    source: &S,
    count: usize,
) -> Vec<StartingEigenpair> {
    let mut all = solve(&source.matrices(&vec![0.0; source.parameters()]).unwrap());
    all.retain(|pair| pair.s.im > 0.1);
    all.sort_by(|a, b| a.s.im.total_cmp(&b.s.im));
    all.truncate(count);
    all
}

fn parameter(name: &str) -> Variable {
    Variable::Parameter(name.into())
}

#[test]
fn of_the_arm() {
    let arm = ErlsArm { payload: 0.3, ..ErlsArm::recovered() };
    let [a, b, v, w] = <[Variable; 4]>::try_from(erls::angles_and_speeds(&arm)).unwrap();
    for (name, variables) in [
        ("angles", vec![(a.clone(), 0.4), (b, 0.4)]),
        ("angle and speed", vec![(a.clone(), 0.4), (w, 2.0)]),
        ("speed and length", vec![(v, 2.0), (parameter("L2"), 0.1)]),
        ("lengths", vec![(parameter("L1"), 0.1), (parameter("L2"), 0.1)]),
        ("payload and stiffness", vec![(parameter("mE"), 0.2), (parameter("E"), 2e10)]),
        ("density", vec![(parameter("rho_l"), 1.0)]),
        ("angle and payload", vec![(a, 0.4), (parameter("mE"), 0.2)]),
    ] {
        let (variables, widest): (Vec<_>, Vec<_>) = variables.into_iter().unzip();
        let source = erls::moving(&arm, &variables);
        on_random_ways(name, &source, &erls::elastic(&source), &widest);
    }
}

#[test]
fn of_an_arm_that_carries_masses_on_springs() {
    let spec = ModelSpec::from_toml(mb_gallery::files::SPRING_ARM).unwrap();
    let model = spec.build().unwrap();
    let crank = model.coordinates().names().iter().position(|n| n == "crank.angle").unwrap();
    let point = balanced_point(&model, &model.initial_point(), &[crank], &[0]).unwrap();
    let (k, m) = (|| (parameter("k"), 200.0), || (parameter("m"), 0.2));
    for (name, variables, rule) in [
        ("k, m", vec![k(), m()], PointRule::default()),
        ("c, L", vec![(parameter("c"), 0.5), (parameter("L"), 0.1)], PointRule::default()),
        ("stay, k, c", vec![(parameter("stay"), 400.0), k(), (parameter("c"), 0.5)], PointRule::default()),
        ("torque, m", vec![(Variable::Input(0), 20.0), m()], PointRule::default()),
        ("frozen k", vec![k()], PointRule::Frozen),
    ] {
        let (variables, widest): (Vec<_>, Vec<_>) = variables.into_iter().unzip();
        let source = MovingModel::new(&spec, &point, &variables, rule);
        on_random_ways(name, &source, &oscillations(&source, 6), &widest);
    }
}

#[test]
fn of_a_slider_crank_in_motion() {
    let spec = motion::slider_crank();
    let point = motion::turning(&spec, 3.0, 2.0);
    let model = spec.model::<f64>(&std::collections::BTreeMap::new()).unwrap();
    let [angle, speed, k, m] = motion::variables(&model);
    for (name, variables) in [
        ("angle, speed", vec![(angle.clone(), 0.3), (speed.clone(), 2.0)]),
        ("speed, k", vec![(speed, 2.0), (k, 100.0)]),
        ("angle, m", vec![(angle, 0.3), (m, 0.15)]),
        ("r", vec![(parameter("r"), 0.05)]),
    ] {
        let (variables, widest): (Vec<_>, Vec<_>) = variables.into_iter().unzip();
        let source = MovingModel::new(&spec, &point, &variables, motion::rule(&variables));
        on_random_ways(name, &source, &oscillations(&source, 6), &widest);
    }
}

#[test]
fn of_random_systems() {
    let mut runner = TestRunner::deterministic();
    for case in 0..12 {
        let pencil = random_system().new_tree(&mut runner).unwrap().current();
        let name = format!("random {case}");
        let starts = oscillations(&pencil, 2);
        if !starts.is_empty() {
            on_random_ways(&name, &pencil, &starts, &[1.0, 1.0]);
        }
    }
}
