//! Steady motions whose speeds and driving forces are unknown, against closed forms.

use mb_linear::steady::{Sought, Spin, SteadySearch, spinning, steady_near, steady_sought};
use mb_linear::{FrameChoice, LinearError};
use mb_model::{Held, Model, Point};

fn model(text: &str) -> Model {
    Model::from_toml(&format!("units = \"SI\"\nname = \"test\"\n{text}")).unwrap_or_else(|e| panic!("{e}"))
}

/// The coordinate of this name.
fn coordinate(m: &Model, name: &str) -> Held {
    let v = m.coordinates().names().iter().position(|n| n == name).unwrap();
    let block = m.coordinates().blocks().iter().rev().find(|b| b.v <= v).unwrap();
    Held::Coordinate { q: block.q + v - block.v, v }
}

fn found(m: &Model, spin: (&str, f64), sought: &Sought) -> Result<(SteadySearch, Vec<Spin>), LinearError> {
    steady_sought(m, &m.initial_point(), &[Spin::behind(spin.0, spin.1)], sought, &FrameChoice::Automatic)
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} {expected}");
}

/// The shaft of a governor with a motor and drag c, and an arm of L = 0.5 m whose moments of inertia are equal: its turn adds nothing, so that
/// W^2 = g / h, h being how far the mass is below the pin.
fn governor(drag: f64) -> Model {
    model(&format!(
        "gravity = [0, 0, -9.81]
         spatial-body = [
           {{ name = 'shaft', mass = 1, inertia = [1, 1, 1], at = [0, 0, 0] }},
           {{ name = 'arm', mass = 2, inertia = [1e-3, 1e-3, 1e-3], at = [0.3, 0, -0.4], markers = {{ pin = [-0.3, 0, 0.4] }} }} ]
         joint = [
           {{ name = 'axle', type = 'revolute', a = 'shaft', b = 'ground', axis = [0, 0, 1] }},
           {{ name = 'pin', type = 'revolute', a = 'arm.pin', b = 'shaft', axis = [0, 1, 0] }} ]
         torsion-spring = [{{ name = 'drag', joint = 'axle', stiffness = 0, damping = {drag} }}]
         torque = [{{ name = 'motor', on = 'axle', magnitude = 0, input = 'motor' }}]
         output = [{{ name = 'height', quantity = 'z', of = 'arm' }}]"
    ))
}

#[test]
fn the_speed_of_a_governor_follows_from_where_its_arm_stands() {
    let m = governor(0.0);
    for below in [0.45_f64, 0.3, 0.1, 0.499] {
        for held in [coordinate(&m, "arm.z"), Held::Output(0)] {
            let sought = Sought { spins: vec![0], holds: vec![(held, -below)], ..Sought::default() };
            let (search, spins) =
                found(&m, ("axle", 3.0), &sought).unwrap_or_else(|e| panic!("{below}: {e}"));
            near(spins[0].speed, (9.81 / below).sqrt());
            let point = search.at.point();
            near(point.q[9], -below);
            assert!(search.at.steady().is_some());
            let left = mb_algebra::norms::max_abs_vec(&m.residual(point));
            assert!(left <= 1e-9, "{left}");
        }
    }
}

/// Against drag c W the arm stands so with the torque c W only: two unknowns for one value.
#[test]
fn torque_and_speed_follow_from_where_the_arm_stands() {
    let m = governor(0.3);
    let holds = vec![(coordinate(&m, "arm.z"), -0.3)];
    let sought = Sought { spins: vec![0], inputs: vec![0], holds };
    let (search, spins) = found(&m, ("axle", 3.0), &sought).unwrap_or_else(|e| panic!("{e}"));
    let speed = (9.81_f64 / 0.3).sqrt();
    near(spins[0].speed, speed);
    near(search.at.point().u[0], 0.3 * speed);
}

/// T = c W: the torque at a speed, and the speed at a torque; backwards too.
#[test]
fn a_torque_keeps_a_speed_against_drag() {
    let m = governor(0.3);
    for speed in [7.0, -6.0] {
        let sought = Sought { inputs: vec![0], ..Sought::default() };
        let (search, _) = found(&m, ("axle", speed), &sought).unwrap_or_else(|e| panic!("{e}"));
        near(search.at.point().u[0], 0.3 * speed);
        near(search.at.point().q[9], -9.81 / (speed * speed));
    }
    let start = Point { u: vec![1.8], ..m.initial_point() };
    let sought = Sought { spins: vec![0], ..Sought::default() };
    let (search, spins) =
        steady_sought(&m, &start, &[Spin::behind("axle", 5.0)], &sought, &FrameChoice::Automatic)
            .unwrap_or_else(|e| panic!("{e}"));
    near(spins[0].speed, 6.0);
    near(search.at.point().q[9], -9.81 / 36.0);
}

/// m W^2 r = k (r - l) of a bead in a turning slot.
#[test]
fn the_speed_of_a_bead_follows_from_its_place() {
    let m = model(
        "gravity = [0, 0]
         body = [
           { name = 'arm', mass = 1, inertia = 10, at = [0, 0] },
           { name = 'bead', mass = 0.5, inertia = 0.1, at = [1, 0] } ]
         joint = [
           { name = 'axle', type = 'revolute', a = 'arm', b = [0, 0] },
           { name = 'slot', type = 'prismatic', a = 'bead', b = 'arm', axis = [1, 0] } ]
         spring = [{ name = 's', a = 'arm', b = 'bead', stiffness = 50, natural_length = 1 }]
         output = [{ name = 'reach', quantity = 'distance', of = 'bead', from = 'arm' }]",
    );
    for reach in [1.1_f64, 1.5, 3.0] {
        let sought = Sought { spins: vec![0], holds: vec![(Held::Output(0), reach)], ..Sought::default() };
        let (_, spins) = found(&m, ("axle", 2.0), &sought).unwrap_or_else(|e| panic!("{reach}: {e}"));
        near(spins[0].speed, (50.0 * (reach - 1.0) / (0.5 * reach)).sqrt());
    }
}

/// What is refused, with the words of the reason.
#[test]
fn unknowns_that_nothing_determines_are_named() {
    let refused = |m: &Model, sought: &Sought, words: &str| match found(m, ("axle", 5.0), sought) {
        Err(e @ LinearError::NotSought { .. }) => assert!(e.to_string().contains(words), "{e}"),
        other => panic!("{other:?}"),
    };
    let m = governor(0.0);
    // Without drag every speed is steady.
    let any = Sought { spins: vec![0], ..Sought::default() };
    refused(&m, &any, "speed of joint 'axle' is not determined");
    // Straight down the arm hangs at every speed.
    let down = Sought { spins: vec![0], holds: vec![(coordinate(&m, "arm.z"), -0.5)], ..Sought::default() };
    refused(&m, &down, "speed of joint 'axle' is not determined");
    let many = Sought { holds: vec![(coordinate(&m, "arm.z"), -0.4)], ..Sought::default() };
    refused(&m, &many, "have to be unknown");
    // With drag and no torque there is no steady motion.
    let none = Sought { spins: vec![0], holds: vec![(coordinate(&m, "arm.z"), -0.4)], ..Sought::default() };
    assert!(matches!(found(&governor(0.3), ("axle", 5.0), &none), Err(LinearError::NoSteadyMotion { .. })));
}

/// Drag about the axle takes its power from the motion, and no configuration changes that.
#[test]
fn a_motion_that_drag_brakes_says_how_much_it_takes() {
    let text = "units = 'SI'
        name = 'arm with drag'
        body = [{ name = 'arm', mass = 1, inertia = 0.1, at = [0.5, 0], markers = { pin = [-0.5, 0] } }]
        joint = [{ name = 'axle', type = 'revolute', a = 'arm.pin', b = [0, 0] }]
        torsion-spring = [{ name = 'drag', a = 'arm', b = 'ground', damping = 0.3 }]";
    let m = Model::from_toml(text).unwrap();
    let spins = [Spin::behind("axle", 10.0)];
    let v = spinning(&m, &m.initial_point(), &spins).unwrap().0;
    let start = Point { v, ..m.initial_point() };
    let error = steady_near(&m, &start, &FrameChoice::Automatic).unwrap_err();
    // c w^2.
    let LinearError::NoSteadyMotion { power: Some(power), .. } = error else { panic!("{error}") };
    assert!((power + 30.0).abs() < 1e-9, "{power}");
    assert!(error.to_string().contains("take 3.000e1 W from it, so that it slows down"), "{error}");
}
