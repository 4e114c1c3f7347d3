//! Parts that turn for ever, and parts of which that is not known.

use super::*;

/// The torque that turns a part for ever and its moment.
fn turning(gravity: &str, rest: &str) -> Option<(String, f64)> {
    let text = format!("units = \"SI\"\nname = \"parts\"\ngravity = {gravity}\n{rest}");
    let model = Model::from_toml(&text).expect("a model");
    model.turns(&model.initial_point()).map(|turn| (turn.torque, turn.moment))
}

fn assert_turns(found: Option<(String, f64)>, torque: &str, moment: f64) {
    let (name, found) = found.expect("a part that turns");
    assert_eq!(name, format!("torque '{torque}'"));
    assert!((found - moment).abs() < 1e-12 * moment.abs(), "{found}");
}

/// A rod of 2 kg on a pin at the origin, 0.5 m from its middle, and a torque.
fn rod(magnitude: f64, more: &str) -> String {
    format!(
        "[[body]]\nname = \"rod\"\nmass = 2\ninertia = 1\nat = [0.5, 0]\nmarkers.o = [-0.5, 0]\nmarkers.tip = [0.5, 0]\n\
         [[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"rod.o\"\nb = [0, 0]\n\
         [[torque]]\nname = \"drive\"\non = \"rod\"\nmagnitude = {magnitude}\n{more}"
    )
}

#[test]
fn a_torque_larger_than_the_weight_can_balance_turns_a_rod_for_ever() {
    // m g r = 2 * 10 * 0.5 = 10 N m.
    assert_turns(turning("[0, -10]", &rod(10.5, "")), "drive", 10.5);
    assert!(turning("[0, -10]", &rod(9.5, "")).is_none());
    assert!(turning("[0, 0]", &rod(0.0, "")).is_none());
    assert_turns(turning("[0, 0]", &rod(-1e-6, "")), "drive", -1e-6);
    // A force of 3 N at the tip, 1 m from the pin: dead it balances 3 N m, in the axes of the body it adds them.
    let force = |frame: &str| {
        format!(
            "[[force]]\nname = \"f\"\nat = \"rod.tip\"\ndirection = [0, 1]\nmagnitude = 3\nframe = \"{frame}\"\n"
        )
    };
    assert!(turning("[0, 0]", &rod(2.9, &force("ground"))).is_none());
    assert_turns(turning("[0, 0]", &rod(3.1, &force("ground"))), "drive", 3.1);
    assert_turns(turning("[0, 0]", &rod(2.0, &force("follower"))), "drive", 5.0);
}

#[test]
fn a_spring_to_the_ground_and_a_closed_loop_leave_the_question_open_and_a_damper_does_not() {
    let spring = |k: i32| {
        format!(
            "[[spring]]\nname = \"s\"\na = \"rod.tip\"\nb = [3, 0]\nstiffness = {k}\ndamping = 1\nnatural_length = 1\n"
        )
    };
    assert!(turning("[0, 0]", &rod(100.0, &spring(1))).is_none());
    assert_turns(turning("[0, 0]", &rod(100.0, &spring(0))), "drive", 100.0);
    let twist = "[[torsion-spring]]\nname = \"t\"\na = \"rod\"\nb = \"ground\"\nstiffness = 1\n";
    assert!(turning("[0, 0]", &rod(100.0, twist)).is_none());
    let slider = "[[body]]\nname = \"c\"\nmass = 1\ninertia = 1\nat = [2, 0]\nmarkers.o = [-1, 0]\nmarkers.tip = [1, 0]\n\
                  [[joint]]\nname = \"elbow\"\ntype = \"revolute\"\na = \"rod.tip\"\nb = \"c.o\"\n";
    // A chain turns as a whole, and not on a rail.
    assert_turns(turning("[0, 0]", &rod(1.0, slider)), "drive", 1.0);
    assert!(turning("[0, -10]", &rod(100.0, slider)).is_none());
    let rail =
        "[[joint]]\nname = \"rail\"\ntype = \"point-on-line\"\na = \"c.tip\"\nb = [0, 0]\naxis = [1, 0]\n";
    assert!(turning("[0, 0]", &rod(1.0, &(slider.to_owned() + rail))).is_none());
}

/// A rotor on a carrier that is held, in space, both about the same or another axis.
fn rotor(axis: &str, more: &str) -> String {
    format!(
        "[[spatial-body]]\nname = \"carrier\"\nmass = 2\ninertia = [1, 1, 1]\nat = [0, 0, 0]\nmarkers.front = [0, 0, 1]\n\
         [[joint]]\nname = \"clamp\"\ntype = \"fixed\"\na = \"carrier\"\nb = \"ground\"\n\
         [[spatial-body]]\nname = \"rotor\"\nmass = 2\ninertia = [1, 1, 1]\nat = [0, 0, 0]\nmarkers.front = [0, 0, 1]\n\
         [[joint]]\nname = \"hinge\"\ntype = \"revolute\"\na = \"rotor\"\nb = \"carrier\"\naxis = {axis}\n\
         [[torque]]\nname = \"motor\"\non = \"hinge\"\nmagnitude = 4\n{more}"
    )
}

#[test]
fn a_motor_turns_a_rotor_in_its_carrier_and_a_second_bearing_must_have_the_same_axis() {
    assert_turns(turning("[0, 0, 0]", &rotor("[0, 0, 1]", "")), "motor", 4.0);
    assert_turns(turning("[0, 0, 0]", &rotor("[0, 0.6, 0.8]", "")), "motor", 4.0);
    // Weight whose sum of moments may depend on where the carrier is.
    assert!(turning("[0, 0, -10]", &rotor("[0, 0, 1]", "")).is_none());
    let second = |at: &str, axis: &str| {
        format!(
            "[[joint]]\nname = \"second\"\ntype = \"revolute\"\na = \"{at}\"\nb = \"carrier.front\"\naxis = {axis}\n"
        )
    };
    assert_turns(
        turning("[0, 0, 0]", &rotor("[0, 0, 1]", &second("rotor.front", "[0, 0, 1]"))),
        "motor",
        4.0,
    );
    assert!(turning("[0, 0, 0]", &rotor("[0, 0.6, 0.8]", &second("rotor.front", "[0, 0.6, 0.8]"))).is_none());
}

#[test]
fn a_dead_moment_turns_what_is_free_about_its_direction() {
    let moment = |direction: &str| {
        format!(
            "[[spatial-body]]\nname = \"top\"\nmass = 2\ninertia = [1, 1, 1]\nat = [0, 0, 1]\nmarkers.o = [0, 0, -1]\n\
             [[joint]]\nname = \"ball\"\ntype = \"spherical\"\na = \"top.o\"\nb = [0, 0, 0]\n\
             [[torque]]\nname = \"m\"\non = \"top\"\ndirection = {direction}\nmagnitude = 5\n"
        )
    };
    // The weight has no moment about the vertical; that about the horizontal depends on where the top points.
    assert_turns(turning("[0, 0, -10]", &moment("[0, 0, 1]")), "m", 5.0);
    assert_turns(turning("[0, 0, 0]", &moment("[1, 0, 0]")), "m", 5.0);
    assert!(turning("[0, 0, -1]", &moment("[1, 0, 0]")).is_none());
}
