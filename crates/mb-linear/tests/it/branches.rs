//! Branches of steady motions from rest, against equations of balance written by hand.

use mb_linear::steady::{Branch, Spin, SteadySearch, spinning, steady_from_rest};
use mb_linear::{Equilibrium, EquilibriumOptions, FrameChoice, OperatingPoint};
use mb_model::{Model, Point};
use std::fmt::Write as _;

const G: f64 = 9.81;

/// An arm of length 0.5 m on a shaft, its pin `e` m from the axis, built turned outwards by 0.6 rad; `more` adds tables.
fn governor(e: f64, arms: usize) -> Model {
    let mut bodies = "{ name = \"shaft\", mass = 1, inertia = [1, 1, 1], at = [0, 0, 0] },".to_owned();
    let mut joints =
        "{ name = \"axle\", type = \"revolute\", a = \"shaft\", b = \"ground\", axis = [0, 0, 1] },"
            .to_owned();
    for k in 0..arms {
        let side = [1.0, -1.0][k];
        let (x, z) = (side * (e + 0.5 * 0.6_f64.sin()), -0.5 * 0.6_f64.cos());
        let pin = format!("[{}, 0, {}]", side * e - x, -z);
        let _ = write!(
            bodies,
            "{{ name = \"arm{k}\", mass = 2, inertia = [1e-3, 1e-3, 1e-3], at = [{x}, 0, {z}], markers = {{ pin = {pin} }} }},"
        );
        let _ = write!(
            joints,
            "{{ name = \"pin{k}\", type = \"revolute\", a = \"arm{k}.pin\", b = \"shaft.eye{k}\", axis = [0, 1, 0] }},"
        );
    }
    let eyes = format!("eye0 = [{e}, 0, 0], eye1 = [-{e}, 0, 0]");
    let bodies = bodies.replacen("at = [0, 0, 0]", &format!("at = [0, 0, 0], markers = {{ {eyes} }}"), 1);
    model(&format!("gravity = [0, 0, -{G}]\nspatial-body = [{bodies}]\njoint = [{joints}]"))
}

fn model(text: &str) -> Model {
    Model::from_toml(&format!("units = \"SI\"\nname = \"test\"\n{text}")).unwrap_or_else(|e| panic!("{e}"))
}

fn followed(m: &Model, joint: &str, speed: f64, grows: Option<bool>) -> (Option<SteadySearch>, Branch) {
    let rest = Equilibrium::solve(m, m.initial(), &EquilibriumOptions::default()).unwrap();
    let mut start = Point { q: rest.q().to_vec(), ..m.initial_point() };
    start.v = spinning(m, &start, &[Spin::behind(joint, speed)]).unwrap().0;
    let told = |_: &OperatingPoint| grows;
    steady_from_rest(m, &start, &FrameChoice::Automatic, m.initial(), &told).unwrap().unwrap()
}

/// Distance of the centre of an arm from the axis, with the sign of x.
fn radius(m: &Model, found: &SteadySearch, arm: &str) -> f64 {
    let at = m.coordinates().blocks().iter().find(|b| b.name == arm).unwrap().q;
    found.at.point().q[at]
}

#[test]
fn an_arm_on_the_axis_leaves_it_where_the_vertical_loses_its_stiffness() {
    let m = governor(0.0, 1);
    let critical = (G / 0.5_f64).sqrt();
    for speed in [2.0, 4.0, 4.5, 5.0, 7.5, 12.0] {
        let (found, branch) = followed(&m, "axle", speed, None);
        let (x, crossings) = (radius(&m, &found.unwrap(), "arm0"), branch.crossings);
        if speed < critical {
            assert!(x.abs() < 1e-9 && crossings.is_empty(), "{speed}: {x}, {crossings:?}");
            continue;
        }
        // W^2 L cos(angle) = g, to the side as built.
        let cos = G / (speed * speed * 0.5);
        let want = 0.5 * (1.0 - cos * cos).sqrt();
        assert!((x - want).abs() < 1e-9, "{speed}: {x}, {want}");
        let [c] = crossings.as_slice() else { panic!("{crossings:?}") };
        assert!((c.share * speed - critical).abs() <= c.error * speed, "{}, {}", c.share * speed, c.error);
        assert!(c.error < 1e-7 && c.left && (c.below, c.above) == (0, 1), "{c:?}");
    }
}

#[test]
fn two_arms_lose_their_stiffness_together_and_rise_both() {
    let m = governor(0.0, 2);
    let speed = 7.5;
    // The sign of the determinant does not change where two eigenvalues pass: that the branch grows has to be said.
    let (found, branch) = followed(&m, "axle", speed, Some(true));
    let found = found.unwrap();
    let cos = G / (speed * speed * 0.5);
    let want = 0.5 * (1.0 - cos * cos).sqrt();
    let (a, b) = (radius(&m, &found, "arm0"), radius(&m, &found, "arm1"));
    assert!((a - want).abs() < 1e-9 && (b + want).abs() < 1e-9, "{a}, {b}, {want}");
    assert!(matches!(branch.crossings.as_slice(), [c] if (c.below, c.above) == (0, 2)), "{branch:?}");
    // A branch of which it is said that nothing grows is kept.
    let (found, branch) = followed(&m, "axle", speed, Some(false));
    assert!(radius(&m, &found.unwrap(), "arm0").abs() < 1e-9 && !branch.has_split());
}

#[test]
fn an_arm_beside_the_axis_rises_without_a_crossing() {
    let m = governor(0.1, 1);
    for speed in [2.0, 7.5, 20.0] {
        let (found, branch) = followed(&m, "axle", speed, None);
        let x = radius(&m, &found.unwrap(), "arm0");
        // Of moments about the pin: W^2 x L cos = g L sin, sin = (x - e) / L.
        let sin = (x - 0.1) / 0.5;
        let off = speed * speed * x * (1.0 - sin * sin).sqrt() - G * sin;
        assert!(off.abs() < 1e-7 * speed * speed && sin > 0.0, "{speed}: {x}, {off}");
        assert!(branch.crossings.is_empty() && branch.watched, "{branch:?}");
    }
}

#[test]
fn a_branch_that_runs_away_ends_at_its_pole() {
    // k (r - l) = m W^2 r: r grows beyond all bounds as W comes near to 10 rad/s.
    let m = model(
        "gravity = [0, 0]\nbody = [{ name = \"disc\", mass = 1, inertia = 10, at = [0, 0] }, { name = \"bead\", mass = 1, inertia = 1, at = [1, 0] }]\n\
         joint = [{ name = \"axle\", type = \"revolute\", a = \"disc\", b = [0, 0] }, { name = \"slot\", type = \"prismatic\", a = \"bead\", b = \"disc\", axis = [1, 0] }]\n\
         spring = [{ name = \"spring\", a = \"disc\", b = \"bead\", stiffness = 100, natural_length = 1 }]",
    );
    let (found, _) = followed(&m, "axle", 6.0, None);
    let at = m.coordinates().blocks().iter().find(|b| b.name == "bead").unwrap().q;
    let r = found.unwrap().at.point().q[at];
    assert!((r - 1.0 / (1.0 - 0.36)).abs() < 1e-9, "{r}");
    let (found, branch) = followed(&m, "axle", 12.0, None);
    let [share, _] = branch.ends.unwrap();
    assert!(found.is_none() && (share * 12.0 - 10.0).abs() < 1e-3, "{branch:?}");
}
