//! Every joint in space at a node of a beam: against the ground, a rigid body and another beam, from model files.
//!
//! A bar on a joint at one end and a bushing at the other, under its weight; made of one stiff beam element, or a rigid
//! body with the same mass and moments of inertia. What the joint hangs on is the ground, or a second member of the same
//! kind with a bushing at its far end.

use crate::support::frequencies;
use mb_constraints::NullSpaceMethod;
use mb_eigen::DenseOptions;
use mb_linear::formulation::minimal::minimal;
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize};
use mb_model::Model;

/// Gravity, m/s^2; no direction is special.
const GRAVITY: [f64; 3] = [1.0, -2.0, -9.0];
/// Side of the square section, m; all members are 1 m long.
const SIDE: f64 = 0.1;
const DENSITY: f64 = 8000.0;
/// Stiffness of the bushings along the axes, N/m, and about them, N m/rad.
const STIFFNESS: [f64; 2] = [1e5, 2e4];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Beam,
    Body,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Partner {
    Ground,
    Member(Kind),
}

/// A joint: what its table says, which place of the partner it takes, and the number of rows.
struct Case {
    says: &'static str,
    far: bool,
    rows: usize,
}

const CASES: [Case; 10] = [
    Case { says: "type = \"spherical\"", far: false, rows: 3 },
    Case { says: "type = \"revolute\"\naxis = [0.2, 1, 0.3]", far: false, rows: 5 },
    Case { says: "type = \"prismatic\"\naxis = [1, 0.4, 0.2]", far: false, rows: 5 },
    Case { says: "type = \"cylindrical\"\naxis = [1, 0.4, 0.2]", far: false, rows: 4 },
    Case { says: "type = \"universal\"\naxis = [0, 1, 0]\naxis_a = [0, 0, 1]", far: false, rows: 4 },
    Case { says: "type = \"planar\"\naxis = [0, 0.3, 1]", far: false, rows: 3 },
    Case { says: "type = \"fixed\"", far: false, rows: 6 },
    Case { says: "type = \"point-on-line\"\naxis = [1, 0, 0.5]", far: false, rows: 2 },
    Case { says: "type = \"distance\"", far: true, rows: 1 },
    Case {
        says: "type = \"generic\"\nlocked = [\"x\", \"z\", \"rotation y\"]\naxis = [0.1, 0.2, 1]",
        far: false,
        rows: 3,
    },
];

/// A member from `x` to `x + 1` on the x-axis.
fn member(name: &str, x: f64, kind: Kind, modulus: f64) -> String {
    let mass = DENSITY * SIDE * SIDE;
    let slice = DENSITY * SIDE.powi(4) / 12.0;
    match kind {
        Kind::Beam => format!(
            "[[beam]]
            name = \"{name}\"
            from = [{x:?}, 0, 0]
            to = [{:?}, 0, 0]
            y = [0, 1, 0]
            elements = 1
            density = {DENSITY:?}
            youngs_modulus = {modulus:?}
            poissons_ratio = 0.25
            section = {{ width = {SIDE}, height = {SIDE} }}
            ",
            x + 1.0
        ),
        Kind::Body => {
            let across = mass / 12.0 + slice;
            format!(
                "[[spatial-body]]
                name = \"{name}\"
                mass = {mass:?}
                inertia = [{:?}, {across:?}, {across:?}]
                at = [{:?}, 0, 0]
                markers = {{ start = [-0.5, 0, 0], end = [0.5, 0, 0] }}
                ",
                2.0 * slice,
                x + 0.5
            )
        }
    }
}

fn model(case: &Case, bar: Kind, partner: Partner, modulus: f64) -> Model {
    let bushing = |name: &str, at: &str| {
        let [k, c] = STIFFNESS;
        format!(
            "[[bushing]]
            name = \"{name}\"
            a = \"{at}\"
            b = \"ground\"
            stiffness = [{k:?}, {k:?}, {k:?}, {c:?}, {c:?}, {c:?}]
            "
        )
    };
    let mut text = format!("units = \"SI\"\nname = \"bar\"\ngravity = {GRAVITY:?}\n");
    text += &member("bar", 0.0, bar, modulus);
    text += &bushing("far-end", "bar.end");
    let b = match (partner, case.far) {
        (Partner::Ground, false) => "[0, 0, 0]",
        (Partner::Ground, true) => "[-1, 0.2, 0.1]",
        (Partner::Member(_), false) => "\"block.end\"",
        (Partner::Member(_), true) => "\"block.start\"",
    };
    if let Partner::Member(kind) = partner {
        text += &member("block", -1.0, kind, modulus);
        text += &bushing("support", "block.start");
    }
    let joint = format!("[[joint]]\nname = \"joint\"\na = \"bar.start\"\nb = {b}\n{}\n", case.says);
    text += &joint;
    Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What is found of a model at rest.
struct Found {
    frequencies: Vec<f64>,
    /// Force and moment of the joint on the bar.
    joint: [[f64; 3]; 2],
    /// How far the end with the bushing went, m.
    moved: [f64; 3],
}

/// Solves for the rest, and checks what holds for any model.
fn solve(case: &Case, bar: Kind, partner: Partner, modulus: f64) -> Found {
    let model = model(case, bar, partner, modulus);
    let what = format!("{} of {bar:?} to {partner:?}", case.says);
    let rest = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default())
        .unwrap_or_else(|e| panic!("{what}: {e}"));
    let blocks = |kind| if kind == Kind::Beam { 3 } else { 1 };
    let coordinates = 6 * (blocks(bar) + if let Partner::Member(kind) = partner { blocks(kind) } else { 0 });
    assert_eq!((model.nv(), model.nc()), (coordinates, case.rows), "{what}");
    let lin = linearize(&model, &OperatingPoint::from(&rest));
    // All eigenvalues of the descriptor form, counted by class.
    let spectrum = mb_eigen::dense::solve(&lin.pencil(), &DenseOptions::default()).unwrap();
    assert_eq!(spectrum.counts.found.motion(), 2 * (coordinates - case.rows), "{what}");
    assert_eq!(spectrum.counts.found.rigid, 0, "{what}");
    let system = minimal(&model, &lin, &NullSpaceMethod::Qr).unwrap();
    let reaction = &model.reactions()[0];
    let wrench = model.wrench(reaction, rest.point());
    let end = |q: &[f64]| {
        let strokes = model.outline();
        let bushing = strokes.iter().find(|s| s.owner.contains("far-end")).unwrap();
        model.place_at(&bushing.places[0], q)
    };
    let (before, after) = (end(model.initial()), end(rest.q()));
    Found {
        frequencies: frequencies(&system.k, &system.m),
        joint: [wrench.force, wrench.moment],
        moved: [0, 1, 2].map(|k| after[k] - before[k]),
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |a, x| a.max(x.abs()))
}

/// The joint and the bushing carry the weight of the bar.
fn carries_its_weight(found: &Found, what: &str) {
    let mass = DENSITY * SIDE * SIDE;
    let left = [0, 1, 2].map(|k| found.joint[0][k] - STIFFNESS[0] * found.moved[k] + mass * GRAVITY[k]);
    assert!(largest(&left) < 1e-6 * mass * largest(&GRAVITY), "{what}: {left:?}");
}

#[test]
fn every_joint_takes_the_nodes_of_a_beam() {
    use Kind::{Beam, Body};
    // Stiff enough that bending is 1e-4 of what the bushings give.
    let modulus = 2e14;
    for case in &CASES {
        for (partner, rigid) in [
            (Partner::Ground, Partner::Ground),
            (Partner::Member(Body), Partner::Member(Body)),
            (Partner::Member(Beam), Partner::Member(Body)),
        ] {
            let what = format!("{}, {partner:?}", case.says);
            let (beam, body) = (solve(case, Beam, partner, modulus), solve(case, Body, rigid, modulus));
            carries_its_weight(&beam, &what);
            carries_its_weight(&body, &what);
            for (beam, body) in beam.joint.iter().zip(&body.joint) {
                let off = [0, 1, 2].map(|k| beam[k] - body[k]);
                assert!(largest(&off) < 1e-3 * (1.0 + largest(body)), "{what}: {beam:?} {body:?}");
            }
            for (a, b) in beam.frequencies.iter().zip(&body.frequencies) {
                assert!((a / b - 1.0).abs() < 1e-3, "{what}: {:?} {:?}", beam.frequencies, body.frequencies);
            }
        }
    }
}

/// What the stiff beam leaves of the difference goes with 1/E.
#[test]
fn a_joint_at_a_beam_becomes_that_of_a_rigid_body_as_one_over_the_modulus() {
    let partner = Partner::Member(Kind::Beam);
    for case in CASES.iter().step_by(3) {
        let rigid = solve(case, Kind::Body, Partner::Member(Kind::Body), 0.0).frequencies[0];
        let off =
            [2e11, 2e12].map(|e| (solve(case, Kind::Beam, partner, e).frequencies[0] / rigid - 1.0).abs());
        assert!((off[0] / off[1] / 10.0 - 1.0).abs() < 0.1, "{}: {off:?}", case.says);
    }
}
