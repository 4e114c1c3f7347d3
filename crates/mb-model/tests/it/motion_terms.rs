//! Terms of motion in one pass against the functions that give each of them, and energies.

use crate::rolling;
use crate::workshop::{model, point};
use mb_algebra::{Sparse, dense, to_dense};
use mb_model::system::{MotionTerms, SteppingTerms};
use mb_model::{Model, Point};

fn near(what: &str, a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len(), "{what}");
    let scale = b.iter().fold(1.0_f64, |s, x| s.max(x.abs()));
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() < 1e-13 * scale, "{what} {i}: {a} against {b}");
    }
}

fn negative(x: Vec<f64>) -> Vec<f64> {
    x.into_iter().map(|x| -x).collect()
}

#[test]
fn one_pass_gives_what_each_function_gives() {
    for m in [model(), rolling::model()] {
        one_pass(&m);
    }
}

fn one_pass(m: &Model) {
    let p = point(m);
    let still = Point { a: vec![0.0; m.nv()], ..p.clone() };
    for mut terms in [MotionTerms::dense(m), MotionTerms::sparse(m)] {
        // Twice, so that nothing of the first pass is left in the second.
        m.motion_terms(&m.initial_point().q, &vec![0.0; m.nv()], 0.0, &p.u, &mut terms);
        m.motion_terms(&p.q, &p.v, p.t, &p.u, &mut terms);
        near("force", &terms.force, &negative(m.applied_residual(&still)));
        near("phi", &terms.phi, &m.phi(&p.q, p.t));
        near("phi'", &terms.phi_dot, &m.phi_dot(&p.q, &p.v, p.t));
        near("gamma", &terms.gamma, &negative(m.phi_ddot(&still)));
        let (mass, phi_q) = (m.mass(&p).to_dense(), m.phi_q(&p.q, p.t).to_dense());
        let (ours, our_phi_q) =
            if let (Some(mass), Some(phi_q)) = (terms.mass_pattern(), terms.phi_q_pattern()) {
                (filled(mass, &terms.mass), filled(phi_q, &terms.phi_q))
            } else {
                (by_columns(m.nv(), &terms.mass), by_columns(m.nc(), &terms.phi_q))
            };
        for j in 0..m.nv() {
            near("mass", &dense::column(&ours, j), &dense::column(&mass, j));
            near("phi_q", &dense::column(&our_phi_q, j), &dense::column(&phi_q, j));
        }
    }
}

fn filled(pattern: &Sparse, values: &[f64]) -> mb_algebra::Dense {
    let mut a = pattern.clone();
    a.data_mut().copy_from_slice(values);
    to_dense(&a)
}

fn by_columns(rows: usize, values: &[f64]) -> mb_algebra::Dense {
    let columns: Vec<&[f64]> = values.chunks(rows).collect();
    dense::from_columns(rows, &columns)
}

/// The energy balance holds pointwise: d(T + V)/dt along any motion is the power of the forces
/// without potential and of the residual that the motion leaves.
#[test]
fn energy_balance_along_any_motion() {
    let m = model();
    let p = point(&m);
    let h = 1e-5;
    let along = |h: f64| {
        let d: Vec<f64> = p.v.iter().zip(&p.a).map(|(v, a)| h * v + 0.5 * h * h * a).collect();
        let q = m.coordinates().retract(&p.q, &d);
        let v = p.v.iter().zip(&p.a).map(|(v, a)| v + h * a).collect();
        let at = Point { q, v, t: p.t + h, ..p.clone() };
        m.kinetic_energy(&at) + m.potential_energy(&at)
    };
    let rate = (along(h) - along(-h)) / (2.0 * h);
    let residual = m.applied_residual(&p);
    let work: f64 = residual.iter().zip(&p.v).map(|(r, v)| r * v).sum();
    let expected = m.power(&p) + work;
    assert!((rate - expected).abs() < 1e-7 * rate.abs().max(1.0), "{rate} against {expected}");
    let here = m.energies(&p.q, &p.v, p.t, &p.u, &mut MotionTerms::dense(&m));
    near(
        "energies",
        &[here.kinetic, here.potential, here.power],
        &[m.kinetic_energy(&p), m.potential_energy(&p), m.power(&p)],
    );
    let mass = m.mass(&p).to_dense();
    let kinetic = 0.5 * dense::dot(&p.v, &dense::matvec(&mass, &p.v));
    assert!((m.kinetic_energy(&p) / kinetic - 1.0).abs() < 1e-13);
}

/// A pendulum of gravity and spring has no power from outside; a damper takes c times the
/// square of the rate.
#[test]
fn only_dampers_and_loads_have_power() {
    let text = |damping: f64| {
        format!(
            r#"
            units = "SI"
            name = "spring pendulum"
            gravity = [0, -9.81]
            point = [{{ name = "O", at = [0, 0], fixed = true }}, {{ name = "P", at = [0.6, 0.8], mass = 2 }}]
            spring = [{{ name = "s", a = "O", b = "P", stiffness = 30, natural_length = 0.9, damping = {damping} }}]
            "#
        )
    };
    let power = |damping: f64| {
        let m = Model::from_toml(&text(damping)).unwrap();
        let p = Point { v: vec![0.5, 0.25], ..m.initial_point() };
        (m.power(&p), m.potential_energy(&p))
    };
    let (none, potential) = power(0.0);
    assert!(none.abs() < 1e-14);
    assert!((potential - (2.0 * 9.81 * 0.8 + 0.5 * 30.0 * 0.01)).abs() < 1e-13);
    // The line grows by 0.6 0.5 + 0.8 0.25 = 0.5 m/s.
    assert!((power(4.0).0 + 4.0 * 0.25).abs() < 1e-14);
}

/// In space too weight, springs of hinges and bushings have a potential and take no power.
#[test]
fn bodies_in_space_have_a_potential() {
    let m = Model::from_toml(
        r#"
        units = "SI"
        name = "in space"
        gravity = [0, 0, -9.81]
        spatial-body = [
            { name = "A", mass = 2, inertia = [1, 2, 3], at = [0, 0, 0.5], center_of_mass = [0.1, 0, 0.25] },
            { name = "B", mass = 1, inertia = [1, 1, 1], at = [0, 0, 1] },
        ]
        joint = [{ name = "h", type = "revolute", a = "A", b = [0, 0, 0.5], axis = [1, 0, 0] }]
        torsion-spring = [{ name = "t", joint = "h", stiffness = 8, natural_angle = 0.5 }]
        bushing = [{ name = "b", a = "B", b = [0, 0, 0.8], stiffness = [10, 10, 10, 1, 1, 1] }]
        "#,
    )
    .unwrap();
    let v: Vec<f64> = (0..m.nv()).map(|i| (1.0 + i as f64).cos()).collect();
    let p = Point { v, ..m.initial_point() };
    // Weight at heights 0.75 m and 1 m, the hinge turned by 0.5 rad, the bushing by 0.2 m.
    let potential = 9.81 * (2.0 * 0.75 + 1.0) + 0.5 * 8.0 * 0.25 + 0.5 * 10.0 * 0.04;
    assert!((m.potential_energy(&p) - potential).abs() < 1e-13, "{}", m.potential_energy(&p));
    assert!(m.power(&p).abs() < 1e-13, "{}", m.power(&p));
}

/// Residual, rates and blocks in places found once are those of the functions that find them anew, zeros included.
#[test]
fn stepping_terms_give_what_each_function_gives() {
    let m = model();
    let p = point(&m);
    let mut terms = SteppingTerms::new(&m);
    for at in [&m.initial_point(), &p] {
        m.stepping_residual(at, &mut terms);
        m.stepping_rates(at, &mut terms);
        m.stepping_blocks(at, &mut terms);
    }
    near("residual", &terms.residual, &m.residual(&p));
    near("phi", &terms.phi, &m.phi(&p.q, p.t));
    near("phi'", &terms.phi_dot, &m.phi_dot(&p.q, &p.v, p.t));
    let blocks = m.dense_blocks(&p);
    let square =
        [("mass", &terms.m, &blocks.m), ("damping", &terms.c, &blocks.c), ("k", &terms.k, &blocks.k)];
    for (what, values, expected) in square {
        let ours = filled(terms.pattern(), values);
        for j in 0..m.nv() {
            near(what, &dense::column(&ours, j), &dense::column(expected, j));
        }
    }
    let ours = filled(terms.phi_q_pattern(), &terms.phi_q);
    for j in 0..m.nv() {
        near("phi_q", &dense::column(&ours, j), &dense::column(&blocks.phi_q, j));
    }
    // Each entry knows the one across the diagonal.
    let numbered: Vec<f64> = (0..terms.k.len()).map(|k| k as f64).collect();
    let facing: Vec<f64> = terms.facing().iter().map(|k| *k as f64).collect();
    assert_eq!(filled(terms.pattern(), &numbered), dense::transpose(&filled(terms.pattern(), &facing)));
}
