//! Searches for equilibria take the same way in every unit of length.

use mb_linear::equilibrium::{SearchOptions, find_equilibria};
use mb_linear::{Equilibrium, EquilibriumOptions, Strategy};
use mb_model::Model;
use std::fmt::Write;

/// A chain of bars in space on ball joints, held by soft springs to fixed points, with `unit` units of length in a metre.
fn chain(count: u32, unit: f64) -> String {
    let mut text = format!("units = \"SI\"\nname = \"chain\"\ngravity = [0.0, 0.0, {}]\n", -9.81 * unit);
    let length = 0.4 * unit;
    for k in 0..count {
        let x = length * (f64::from(k) + 0.5);
        let half = 0.5 * length;
        let inertia = 0.02 * unit * unit;
        let a = if k == 0 { "[0.0, 0.0, 0.0]".to_owned() } else { format!("\"b{}.end\"", k - 1) };
        let _ = write!(
            text,
            "[[spatial-body]]\nname = \"b{k}\"\nmass = {}\ninertia = [{}, {inertia}, {inertia}]\nat = [{x}, 0.0, 0.0]\n\
             markers = {{ start = [{}, 0.0, 0.0], end = [{half}, 0.0, 0.0], side = [{half}, {}, {}] }}\n\
             [[joint]]\nname = \"j{k}\"\ntype = \"spherical\"\na = {a}\nb = \"b{k}.start\"\n\
             [[spring]]\nname = \"s{k}\"\na = \"b{k}.side\"\nb = [{}, {}, {}]\nstiffness = {}\nnatural_length = {}\n",
            1.0 + 0.3 * f64::from(k),
            0.1 * inertia,
            -half,
            0.1 * unit,
            0.05 * unit,
            0.3 * unit,
            (0.5 - 0.3 * f64::from(k)) * unit,
            (0.9 - 0.2 * f64::from(k)) * unit,
            30.0 + 7.0 * f64::from(k),
            0.2 * unit,
        );
    }
    text
}

/// What is reached, and in how many iterations, in millimetres, metres and kilometres.
#[test]
fn a_search_takes_the_same_way_in_every_unit_of_length() {
    for count in [1, 2, 4] {
        for strategy in [Strategy::Automatic, Strategy::Relaxation] {
            let found: Vec<(Vec<f64>, &str, usize)> = [1e-3, 1.0, 1e3]
                .iter()
                .map(|unit| {
                    let model = Model::from_toml(&chain(count, *unit)).expect("a model");
                    let options = EquilibriumOptions { strategy, ..EquilibriumOptions::default() };
                    let at = Equilibrium::solve(&model, model.initial(), &options).expect("an equilibrium");
                    let q = model.coordinates().blocks().iter().flat_map(|b| {
                        let own = &at.q()[b.q..b.q + b.kind.nq()];
                        own.iter()
                            .enumerate()
                            .map(|(i, x)| if i < 3 { x / unit } else { *x })
                            .collect::<Vec<_>>()
                    });
                    (q.collect(), at.found_by, at.iterations)
                })
                .collect();
            for other in &found[1..] {
                let off = found[0].0.iter().zip(&other.0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < 1e-8, "{count} bars, {strategy:?}: {off}");
                assert_eq!(found[0].1, other.1, "{count} bars, {strategy:?}");
                let (few, many) = (found[0].2.min(other.2), found[0].2.max(other.2));
                // Relaxation assembles after every step, which turns and shifts by the numbers as they are.
                let free = if strategy == Strategy::Relaxation { few } else { few / 4 + 2 };
                assert!(many <= few + free, "{count} bars, {strategy:?}: {few} and {many} iterations");
            }
        }
    }
}

/// Scattered starts reach as far in millimetres as in metres.
#[test]
fn a_search_from_many_starts_reaches_as_far_in_every_unit_of_length() {
    let counts: Vec<usize> = [1e-3, 1.0, 1e3]
        .iter()
        .map(|unit| {
            let model = Model::from_toml(&chain(2, *unit)).expect("a model");
            find_equilibria(&model, &SearchOptions { starts: 8, ..SearchOptions::default() })
                .expect("equilibria")
                .found
                .len()
        })
        .collect();
    // Assembly turns and shifts by the numbers as they are, so that the ways differ a little.
    assert!(counts.iter().all(|n| *n >= 4), "{counts:?}");
}
