//! Reactions as forces and moments: against Phi_q^T lambda, by statics, and from a file.

use crate::{space, workshop};
use mb_model::{BlockKind, Model, ModelSpec, Point};

/// What all joints do to each body, put together at its reference point, is -Phi_q^T lambda of
/// their rows.
fn sums_agree(m: &Model) {
    let p = workshop::point(m);
    let reactions = m.reactions();
    assert!(reactions.len() > 2);
    for reaction in reactions {
        // Only the rows of this one.
        let mut lambda = vec![0.0; m.nc()];
        for member in m.members().iter().filter(|k| k.owner == reaction.owner && k.rows > 0) {
            lambda[member.row..member.row + member.rows]
                .copy_from_slice(&p.lambda[member.row..member.row + member.rows]);
        }
        let q = m.reaction(&p.q, p.t, &lambda);
        let w = m.wrench(&reaction, &Point { lambda, ..p.clone() });
        let scale = 1.0 + q.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        // The two bodies of a joint feel opposite forces; one of them feels w.
        let mut found = 0;
        for b in m.coordinates().blocks() {
            let f = &q[b.v..b.v + b.kind.nv()];
            if f.iter().all(|x| *x == 0.0) {
                continue;
            }
            let force = match b.kind {
                BlockKind::Pose => [-f[0], -f[1], -f[2]],
                BlockKind::PlanarPose | BlockKind::PlanarPoint => [-f[0], -f[1], 0.0],
                _ => continue,
            };
            let near = |sign: f64| (0..3).all(|i| (force[i] - sign * w.force[i]).abs() < 1e-12 * scale);
            let in_space = b.kind == BlockKind::Pose;
            assert!(!in_space || near(1.0) || near(-1.0), "{}: {force:?} {:?}", reaction.owner, w.force);
            let planar = |sign: f64| (0..2).all(|i| (force[i] - sign * w.force[i]).abs() < 1e-12 * scale);
            assert!(planar(1.0) || planar(-1.0), "{}: {force:?} {:?}", reaction.owner, w.force);
            found += 1;
        }
        assert!(found > 0, "{}", reaction.owner);
    }
}

#[test]
fn wrenches_are_the_reactions_on_the_bodies() {
    sums_agree(&workshop::model());
    sums_agree(&space::model());
}

/// A beam clamped in the ground with a load at its tip: force and moment at the clamp, read off on
/// either side, in the axes of the ground and of the joint.
#[test]
fn a_clamped_beam_in_space_and_in_the_plane() {
    let text = |a: &str, b: &str| {
        format!(
            r#"
            units = "SI"
            name = "beam"
            gravity = [0, 0, -10]
            spatial-body = [{{ name = "beam", mass = 2, inertia = [1, 1, 1], at = [3, 0, 0],
                              markers = {{ root = [-3, 0, 0] }} }}]
            joint = [{{ name = "clamp", type = "fixed", a = {a}, b = {b} }}]
            output = [
                {{ name = "fz", quantity = "force", of = "clamp", axis = "z" }},
                {{ name = "fx", quantity = "force", of = "clamp", axis = "x" }},
                {{ name = "my", quantity = "moment", of = "clamp", axis = "y" }},
            ]
            "#
        )
    };
    for (a, b, sign) in [("\"beam.root\"", "[0, 0, 0]", 1.0), ("[0, 0, 0]", "\"beam.root\"", -1.0)] {
        let m = Model::from_toml(&text(a, b)).unwrap();
        let mut p = m.initial_point();
        // Multipliers of rest: Phi_q^T lambda = f, by six equations with six unknowns.
        p.lambda = solved(&m, &p);
        let y = m.outputs(&p);
        // 20 N upwards at the clamp and 60 N m that hold the beam up, about -y.
        for (y, expected) in y.iter().zip([20.0, 0.0, -60.0]) {
            assert!((y - sign * expected).abs() < 1e-9, "{y} {expected} {sign}");
        }
        assert_eq!(m.sensors().iter().map(|s| s.reading.unit()).collect::<Vec<_>>(), ["N", "N", "N m"]);
    }
}

/// Solves Phi_q^T lambda = f for a square Jacobian by elimination.
fn solved(m: &Model, p: &Point) -> Vec<f64> {
    let n = m.nv();
    let jacobian = m.phi_q(&p.q, p.t).to_dense();
    let force = m.applied_residual(p);
    let mut rows: Vec<Vec<f64>> =
        (0..n).map(|j| (0..n).map(|i| jacobian[(i, j)]).chain([-force[j]]).collect()).collect();
    for k in 0..n {
        let best = (k..n).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs())).expect("a row");
        rows.swap(k, best);
        for i in 0..n {
            if i != k {
                let factor = rows[i][k] / rows[k][k];
                for j in k..=n {
                    rows[i][j] -= factor * rows[k][j];
                }
            }
        }
    }
    (0..n).map(|k| rows[k][n] / rows[k][k]).collect()
}

/// A slider pressed against a wall that is turned by 30 degrees: in the axes of the joint the
/// force is across the line only.
#[test]
fn axes_of_the_joint_turn_with_its_body() {
    let text = r#"
        units = "SI"
        name = "slider"
        gravity = [0, -10]
        body = [
            { name = "wall", fixed = true, at = [0, 0], angle = "deg(30)" },
            { name = "block", mass = 2, inertia = 1, at = [0, 0], angle = "deg(30)" },
        ]
        joint = [{ name = "rail", type = "prismatic", a = "block", b = "wall", axis = [1, 0] }]
        output = [
            { name = "along", quantity = "force", of = "rail", axis = "x", frame = "joint" },
            { name = "up", quantity = "force", of = "rail", axis = "y" },
            { name = "moment", quantity = "moment", of = "rail" },
            { name = "off", quantity = "violation", of = "rail", axis = "perpendicular" },
            { name = "energy", quantity = "energy" },
        ]
    "#;
    let m = Model::from_toml(text).unwrap();
    let mut p = m.initial_point();
    p.lambda = vec![0.3, 0.8];
    let y = m.outputs(&p);
    // Nothing along the rail; what is across it has cos 30 deg of its length upwards.
    assert!(y[0].abs() < 1e-15, "{y:?}");
    let across = y[1] / (core::f64::consts::PI / 6.0).cos();
    assert!((across.abs() - 0.8).abs() < 1e-14, "{y:?}");
    assert!((y[2].abs() - 0.3).abs() < 1e-14 && y[3].abs() < 1e-15 && y[4].abs() < 1e-15, "{y:?}");
}

#[test]
fn faulty_outputs_of_reactions_are_named() {
    let text = |output: &str| {
        format!(
            r#"
            units = "SI"
            name = "pendulum"
            body = [{{ name = "bob", mass = 1, inertia = 1, at = [0, -1], markers = {{ top = [0, 1] }} }}]
            joint = [{{ name = "pin", type = "revolute", a = "bob.top", b = [0, 0] }}]
            drive = [{{ name = "motor", quantity = "angle", of = "bob", law = "t" }}]
            output = [{{ name = "y", {output} }}]
            "#
        )
    };
    for (output, words) in [
        ("quantity = \"force\", of = \"pin\"", "axis"),
        ("quantity = \"force\", of = \"pin\", axis = \"z\"", "no component `z`"),
        ("quantity = \"moment\", of = \"motor\"", "no such reaction"),
        ("quantity = \"energy\", of = \"pin\"", "`of`"),
        ("quantity = \"x\"", "`of`"),
        ("quantity = \"force\", of = \"pin\", axis = \"x\", derivative = 1", "`derivative`"),
        ("quantity = \"x\", of = \"bob\", frame = \"joint\"", "`frame`"),
    ] {
        let found = ModelSpec::from_toml(&text(output)).and_then(|s| s.build()).unwrap_err().to_string();
        assert!(found.contains(words), "{output}: {found}");
    }
}
