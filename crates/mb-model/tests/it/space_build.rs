//! Models in space made from descriptions: that each kind of table means what it says.

use mb_model::element::Locked;
use mb_model::spec::{
    BushingSpec, JointKind, JointSpec, MotionSpec, OrientationSpec, PlaceRef, SpatialBodySpec,
};
use mb_model::{Element, Model, ModelSpec, Point};

fn body(name: &str) -> SpatialBodySpec {
    SpatialBodySpec::new(name, 2.0, [0.3, 0.4, 0.5])
}
fn rank(model: &Model) -> usize {
    let phi_q = model.phi_q(model.initial(), 0.0).to_dense();
    let rows: Vec<Vec<f64>> =
        (0..phi_q.nrows()).map(|i| (0..phi_q.ncols()).map(|j| phi_q[(i, j)]).collect()).collect();
    // Elimination with the largest pivot.
    let mut rows = rows;
    let mut rank = 0;
    for j in 0..phi_q.ncols() {
        let Some(k) = (rank..rows.len()).max_by(|a, b| rows[*a][j].abs().total_cmp(&rows[*b][j].abs()))
        else {
            break;
        };
        if rows[k][j].abs() < 1e-9 {
            continue;
        }
        rows.swap(rank, k);
        let pivot = rows[rank].clone();
        for row in rows.iter_mut().skip(rank + 1) {
            let factor = row[j] / pivot[j];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
        rank += 1;
    }
    rank
}

/// Every kind holds at the start, has its rows by name, and full rank.
#[test]
fn joints_hold_at_the_start_and_have_full_rank() {
    use JointKind::{Cylindrical, Fixed, Planar, PointOnLine, Prismatic, Revolute, Spherical, Universal};
    for (kind, names) in [
        (Spherical, vec!["x", "y", "z"]),
        (Revolute, vec!["x", "y", "z", "rotation x", "rotation y"]),
        (Prismatic, vec!["x", "y", "rotation x", "rotation y", "rotation z"]),
        (Cylindrical, vec!["x", "y", "rotation x", "rotation y"]),
        (Universal, vec!["x", "y", "z", "rotation z"]),
        (Planar, vec!["z", "rotation x", "rotation y"]),
        (PointOnLine, vec!["x", "y"]),
        (Fixed, vec!["x", "y", "z", "rotation x", "rotation y", "rotation z"]),
    ] {
        let mut spec = ModelSpec::new("t");
        let turn = OrientationSpec { cardan: Some([0.3, -0.4, 0.9].map(Into::into)), ..Default::default() };
        spec.spatial_bodies.push(body("a").starting([0.1, 0.2, 0.3]).turned(turn.clone()));
        spec.spatial_bodies.push(
            body("b").starting([0.1, 0.2, 0.3]).turned(OrientationSpec::rotation([0.0, 1.0, 1.0], 0.7)),
        );
        let mut joint = JointSpec::new(kind, "j", "a", "b");
        if !matches!(kind, Spherical | Fixed) {
            joint.axis = Some([0.0, 0.6, 0.8].into());
        }
        if kind == Universal {
            // Perpendicular to the pin of b, in the axes of a.
            spec.spatial_bodies[1].orientation = Some(turn);
            joint.axis_a = Some([1.0, 0.0, 0.0].into());
        }
        spec.joints.push(joint);
        let model: Model = spec.build().unwrap();
        let rows: Vec<String> = (0..model.nc()).map(|i| model.row_name(i)).collect();
        // Rows of translation lie along the ground's axes where all are locked, else along those of the turned body b.
        let own = !names.starts_with(&["x", "y", "z"]);
        let words = |name: &str| match name.strip_prefix("rotation ") {
            Some(axis) => format!("rotation about its {axis}"),
            None if own => format!("along its {name}"),
            None => name.to_owned(),
        };
        let expected: Vec<String> = names.iter().map(|n| format!("joint 'j' ({})", words(n))).collect();
        assert_eq!(rows, expected);
        let worst = model.phi(model.initial(), 0.0).into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(worst < 1e-15, "{kind:?} {worst}");
        assert_eq!(rank(&model), names.len(), "{kind:?}");
        // The length of the Euler parameters is no violation.
        let mut q = model.initial().to_vec();
        q[3..7].iter_mut().for_each(|x| *x *= 1.7);
        let worst = model.phi(&q, 0.0).into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(worst < 1e-15, "{kind:?} {worst}");
        // And back through the file.
        assert_eq!(ModelSpec::from_toml(&spec.to_toml().unwrap()).unwrap(), spec);
    }
}

#[test]
fn masks_lock_and_free_the_same() {
    use MotionSpec::{RotationX, RotationY, RotationZ, X, Y, Z};
    let build = |locked: Option<Vec<MotionSpec>>, free: Option<Vec<MotionSpec>>| {
        let mut spec = ModelSpec::new("t");
        spec.spatial_bodies.push(body("a"));
        let place = PlaceRef::from([0.0, 0.0, 0.0]);
        spec.joints.push(JointSpec { locked, free, ..JointSpec::new(JointKind::Generic, "j", "a", place) });
        let model: Model = spec.build().unwrap();
        match &model.members()[1].element {
            Element::Joint(joint) => joint.locked,
            other => panic!("{other:?}"),
        }
    };
    let one = build(Some(vec![Z, RotationX]), None);
    assert_eq!(one, Locked { translation: [false, false, true], rotation: [true, false, false] });
    assert_eq!(one, build(None, Some(vec![X, Y, RotationY, RotationZ])));
}

/// A body without a position is put where its joints are, one after the other.
#[test]
fn joints_place_bodies() {
    let mut spec = ModelSpec::new("t");
    for name in ["a", "b", "c"] {
        let turn = OrientationSpec::rotation([1.0, 0.0, 0.0], "pi/2");
        spec.spatial_bodies.push(body(name).with_marker("end", [0.0, 1.0, 0.0]).turned(turn));
    }
    spec.joints.push(JointSpec::new(JointKind::Spherical, "3", "c", "b.end"));
    spec.joints.push(JointSpec::new(JointKind::Spherical, "2", "b", "a.end"));
    spec.joints.push(JointSpec::new(JointKind::Spherical, "1", "a", [0.5, 0.0, 0.0]));
    let model: Model = spec.build().unwrap();
    for (k, z) in [0.0, 1.0, 2.0].into_iter().enumerate() {
        let at = &model.initial()[7 * k..7 * k + 3];
        assert!((at[0] - 0.5).abs() < 1e-15 && at[1].abs() < 1e-15 && (at[2] - z).abs() < 1e-15, "{at:?}");
    }
}

/// Angular velocities are given in ground axes and kept in body axes.
#[test]
fn velocities_at_the_start() {
    let mut spec = ModelSpec::new("t");
    let mut a = body("a").turned(OrientationSpec::rotation([0.0, 0.0, 1.0], "pi/2"));
    a.velocity = Some([1.0, 2.0, 3.0].map(Into::into));
    a.angular_velocity = Some([4.0, 5.0, 6.0].map(Into::into));
    spec.spatial_bodies.push(a);
    let model: Model = spec.build().unwrap();
    for (v, expected) in model.initial_velocity().iter().zip([1.0, 2.0, 3.0, 5.0, -4.0, 6.0]) {
        assert!((v - expected).abs() < 1e-14);
    }
}

/// The weight of a tilted body, a dead and a follower force, by hand.
#[test]
fn loads_in_space() {
    let text = r#"
        units = "SI"
        name = "t"
        gravity = [0, 0, -10]
        spatial-body = [{ name = "b", mass = 2, inertia = [1, 1, 1], center_of_mass = [0, 1, 0],
            orientation = { axis = [0, 0, 1], angle = "pi/2" }, markers = { p = [0, 0, 1] } }]
        force = [
            { name = "dead", at = "b.p", vector = [3, 0, 0] },
            { name = "follower", at = "b.p", vector = [3, 0, 0], frame = "follower" },
        ]
        torque = [{ name = "turn", on = "b", direction = [2, 0, 0], magnitude = 7 }]
    "#;
    let model = Model::from_toml(text).unwrap();
    let at: Point = model.initial_point();
    // Body x is ground y: force (3, 3, -20); moments in body axes.
    let expected = [
        3.0,
        3.0,
        -20.0,
        // weight: (0, 1, 0) x (0, 0, -20); dead force (0, -3, 0) at (0, 0, 1); moment along -y.
        -20.0 + 3.0,
        // follower (3, 0, 0) at (0, 0, 1); the moment 7 along ground x is body -y.
        3.0 - 7.0,
        0.0,
    ];
    for (r, e) in model.residual(&at).iter().zip(expected) {
        assert!((-r - e).abs() < 1e-13, "{r} {e}");
    }
}

/// A bushing between parallel frames pulls back by its diagonal and balances on both bodies.
#[test]
fn bushing_pulls_back() {
    let mut spec = ModelSpec::new("t");
    spec.spatial_bodies.push(body("a").starting([0.01, 0.0, 0.02]));
    spec.spatial_bodies.push(body("b").starting([0.0, 0.0, 0.0]));
    spec.bushings.push(BushingSpec::new("k", "a", "b", [100.0, 200.0, 300.0, 1.0, 2.0, 3.0]));
    let model: Model = spec.build().unwrap();
    // The frames coincide at the start only in their axes; the displacement stretches it.
    let r = model.residual(&model.initial_point());
    for (r, e) in r.iter().zip([1.0, 0.0, 6.0, 0.0, 0.0, 0.0, -1.0, 0.0, -6.0]) {
        assert!((r - e).abs() < 1e-14);
    }
    // Moments of the pair about the origin: a at (0.01, 0, 0.02) with (-1, 0, -6).
    let moment_y = -0.02 + 0.01 * 6.0;
    assert!((moment_y - r[10]).abs() < 1e-14, "{r:?}");
}

/// Power of the inertia forces is the rate of the kinetic energy, and a free body keeps its
/// momentum and its moment of momentum.
#[test]
fn energy_and_momentum_of_a_body_in_space() {
    let text = r#"
        units = "SI"
        name = "t"
        spatial-body = [{ name = "b", mass = 1.3, inertia = [0.4, 0.5, 0.3], products_of_inertia = [0.02, -0.03, 0.05],
            center_of_mass = [0.1, -0.2, 0.3], at = [0.4, 0.1, -0.2], orientation = { cardan = [0.3, 0.7, -0.5] },
            velocity = [0.3, -0.4, 0.6], angular_velocity = [1.1, -0.7, 0.9] }]
    "#;
    let model = Model::from_toml(text).unwrap();
    let here = Point { v: model.initial_velocity().to_vec(), ..model.initial_point() };
    let acceleration = [0.5, -0.2, 0.8, -0.6, 1.2, 0.4];
    let moved = |h: f64, a: &[f64]| {
        let d: Vec<f64> = here.v.iter().zip(a).map(|(v, a)| v * h + 0.5 * a * h * h).collect();
        let v: Vec<f64> = here.v.iter().zip(a).map(|(v, a)| v + a * h).collect();
        Point { q: model.coordinates().retract(&here.q, &d), v, ..here.clone() }
    };
    let momentum = |p: &Point| -> Vec<f64> {
        model.mass(p).iter().fold(vec![0.0; 6], |mut s, (i, j, m)| {
            s[i] += m * p.v[j];
            s
        })
    };
    let energy = |p: &Point| 0.5 * momentum(p).iter().zip(&p.v).map(|(p, v)| p * v).sum::<f64>();
    let h = 1e-4;
    let rate = (energy(&moved(h, &acceleration)) - energy(&moved(-h, &acceleration))) / (2.0 * h);
    let point = Point { a: acceleration.to_vec(), ..here.clone() };
    let power: f64 = model.residual(&point).iter().zip(&here.v).map(|(r, v)| r * v).sum();
    assert!((rate - power).abs() < 1e-7, "{rate} {power}");
    // Free: M a = -(residual at a = 0); momentum about the origin in ground axes stays.
    let mass = model.mass(&here).to_dense();
    let rest = model.residual(&Point { a: vec![0.0; 6], ..here.clone() });
    let free = mb_algebra::Lu::new(&mass).unwrap().solve(&rest.iter().map(|r| -r).collect::<Vec<_>>());
    let total = |p: &Point| -> Vec<f64> {
        let m = momentum(p);
        let x: Vec<f64> = (0..3)
            .map(|k| {
                // Column k of R from a step along one body axis: turn the unit vectors by hand.
                let e = &p.q[3..7];
                let r = [
                    [
                        1.0 - 2.0 * (e[2] * e[2] + e[3] * e[3]),
                        2.0 * (e[1] * e[2] - e[0] * e[3]),
                        2.0 * (e[1] * e[3] + e[0] * e[2]),
                    ],
                    [
                        2.0 * (e[1] * e[2] + e[0] * e[3]),
                        1.0 - 2.0 * (e[1] * e[1] + e[3] * e[3]),
                        2.0 * (e[2] * e[3] - e[0] * e[1]),
                    ],
                    [
                        2.0 * (e[1] * e[3] - e[0] * e[2]),
                        2.0 * (e[2] * e[3] + e[0] * e[1]),
                        1.0 - 2.0 * (e[1] * e[1] + e[2] * e[2]),
                    ],
                ];
                (0..3).map(|i| r[k][i] * m[3 + i]).sum::<f64>() + p.q[(k + 1) % 3] * m[(k + 2) % 3]
                    - p.q[(k + 2) % 3] * m[(k + 1) % 3]
            })
            .collect();
        m[..3].iter().copied().chain(x).collect()
    };
    let (plus, less) = (total(&moved(h, &free)), total(&moved(-h, &free)));
    for (a, b) in plus.iter().zip(&less) {
        assert!(((a - b) / (2.0 * h)).abs() < 1e-7, "{a} {b}");
    }
}

/// The rows of a hinge are met where its axis points the other way, which is no place that a motion leads to.
#[test]
fn a_hinge_met_the_other_way_round_is_turned_over() {
    let text = "units = 'SI'\nname = 'door'\n[[spatial-body]]\nname = 'leaf'\nmass = 1\ninertia = [1, 2, 3]\nat = [0, 0, 0]\n\
                [[joint]]\nname = 'hinge'\ntype = 'revolute'\na = 'leaf'\nb = 'ground'\naxis = [0, 0, 1]\n";
    let model = Model::from_toml(text).unwrap();
    let turned = |euler: [f64; 4]| {
        let mut point = model.initial_point();
        point.q[3..7].copy_from_slice(&euler);
        let met = model.phi(&point.q, 0.0).iter().all(|row| row.abs() < 1e-15);
        (met, model.turned_over(&point).len())
    };
    assert_eq!(turned([1.0, 0.0, 0.0, 0.0]), (true, 0));
    // Half a turn about the axis of the hinge, and about one across it.
    assert_eq!(turned([0.0, 0.0, 0.0, 1.0]), (true, 0));
    assert_eq!(turned([0.0, 1.0, 0.0, 0.0]), (true, 1));
    assert_eq!(
        model
            .turned_over(&Point { q: vec![0.0, 0.0, 0.0, 0.0, 0.6, 0.8, 0.0], ..model.initial_point() })
            .len(),
        1
    );
}
