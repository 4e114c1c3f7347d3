//! Series of steady motions against closed forms and against the motion solved for anew.

use super::super::{Choice, Expansion, Origin, SeriesError, Setting, Wanted};
use crate::settle::StartOptions;
use crate::site::{MotionOptions, State, site};
use crate::spectrum;
use mb_algebra::c64;
use mb_constraints::NullSpaceMethod;
use mb_linear::Formulation;
use mb_linear::steady::Spin;
use mb_model::spec::{ModelSpec, Value};
use mb_parametric::{NoJournal, Variable};

/// A disc on two isotropic bearings in different distances.
const ROTOR: &str = r#"
units = "SI"
name = "disc"
parameters = { W = 300.0, k = 1e6, skew = 0.0, c = 0.0 }
spatial-body = [{ name = "disc", mass = 10, inertia = [0.2, 0.2, 0.35], markers = { a = [0, 0, -0.2], b = [0, 0, 0.1] } }]
bushing = [
    { name = "lower", a = "disc.a", b = [0, 0, -0.2], stiffness = ["k", "k + skew", 1e6, 0, 0, 0], damping = ["c", "c", "c", 0, 0, 0] },
    { name = "upper", a = "disc.b", b = [0, 0, 0.1], stiffness = ["k", "k + skew", 0, 0, 0, 0] },
]
steady-rotation = [{ name = "spin", bodies = ["disc"], axis = [0, 0, 1], speed = "W" }]
"#;

/// The same disc of which the section is not round, so that it is seen from its own frame.
fn uneven() -> String {
    ROTOR.replace("[0.2, 0.2, 0.35]", "[0.2, 0.25, 0.35]")
}

/// A mass on springs along two axes of a turntable.
const TURNTABLE: &str = r#"
units = "SI"
name = "turntable"
parameters = { W = 5.0, k = 1000.0 }
body = [{ name = "table", mass = 1, inertia = 1000, at = [0, 0], markers = { e = [1, 0], w = [-1, 0], n = [0, 1], s = [0, -1] } }]
joint = [{ name = "axle", type = "revolute", a = "table", b = [0, 0] }]
point = [{ name = "m", at = [0, 0], mass = 1 }]
spring = [
    { name = "east", a = "table.e", b = "m", stiffness = "k", natural_length = 1 },
    { name = "west", a = "table.w", b = "m", stiffness = "k", natural_length = 1 },
    { name = "north", a = "table.n", b = "m", stiffness = 800, natural_length = 1 },
    { name = "south", a = "table.s", b = "m", stiffness = 800, natural_length = 1 },
]
steady-rotation = [{ name = "turn", joint = "axle", speed = "W" }]
"#;

/// A bead on a spring in a slot that a drive turns.
const BEAD: &str = r#"
units = "SI"
name = "bead"
parameters = { w = 6.0, k = 100.0, L = 1.0 }
body = [{ name = "arm", mass = 1, inertia = 1, at = [0, 0] }, { name = "bead", mass = 1, inertia = 0.1, at = [1, 0] }]
joint = [
    { name = "O", type = "revolute", a = "arm", b = [0, 0] },
    { name = "slot", type = "prismatic", a = "bead", b = "arm", axis = [1, 0] },
]
spring = [{ name = "s", a = "arm", b = "bead", stiffness = "k", natural_length = "L" }]
drive = [{ name = "turn", quantity = "angle", of = "arm", law = "w*t" }]
"#;

/// Two arms on hinges that a shaft carries round, with a mass at each end, under gravity.
const GOVERNOR: &str = r#"
units = "SI"
name = "governor"
gravity = [0, 0, -9.81]
parameters = { W = 6.0, L = 0.5, k = 3.0, b = 0.2 }
spatial-body = [
    { name = "shaft", mass = 2, inertia = [0.1, 0.1, 0.05], markers = { r = [0.1, 0, 0], l = [-0.1, 0, 0] } },
    { name = "right", mass = 1, inertia = [0.02, 0.021, 0.001], at = ["0.1 + L*sin(0.8)", 0, "-L*cos(0.8)"], orientation = { x = ["cos(0.8)", 0, "sin(0.8)"], y = [0, 1, 0] }, markers.hinge = [0, 0, "L"] },
    { name = "left", mass = 1, inertia = [0.02, 0.021, 0.001], at = ["-0.1 - L*sin(0.8)", 0, "-L*cos(0.8)"], orientation = { x = ["cos(0.8)", 0, "-sin(0.8)"], y = [0, 1, 0] }, markers.hinge = [0, 0, "L"] },
]
joint = [
    { name = "axle", type = "revolute", a = "shaft", b = [0, 0, 0], axis = [0, 0, 1] },
    { name = "hinge-r", type = "revolute", a = "right.hinge", b = "shaft.r", axis = [0, 1, 0] },
    { name = "hinge-l", type = "revolute", a = "left.hinge", b = "shaft.l", axis = [0, 1, 0] },
]
spring = [{ name = "across", a = "right", b = "left", stiffness = "k", natural_length = 0.2, damping = "b" }]
steady-rotation = [{ name = "spin", joint = "axle", speed = "W" }]
"#;

fn spec(text: &str) -> ModelSpec {
    ModelSpec::from_toml(text).unwrap()
}

/// The expansion of all modes that oscillate.
fn expand(
    spec: &ModelSpec,
    steady: Option<MotionOptions>,
    variables: &[&str],
    order: usize,
) -> Result<Expansion, SeriesError> {
    let model = spec.build().unwrap();
    let setting = Setting { steady, ..Setting::default() };
    let origin = Origin { spec, model: &model, setting: &setting };
    let variables = variables.iter().map(|name| Variable::Parameter((*name).to_owned())).collect();
    let about = Expansion::about(&origin, variables, origin.centre()?)?;
    let choose = |spectrum: &mb_eigen::Spectrum| {
        let of = |(_, p): &(usize, &mb_eigen::Eigenpair)| {
            p.class.is_motion() && p.value().is_some_and(|s| s.im > 1e-3)
        };
        let single = spectrum.eigenpairs.iter().enumerate().filter(of).map(|(i, _)| (i, i)).collect();
        Ok(Choice { single, groups: Vec::new() })
    };
    about.to_order(&origin, order, &Wanted { lowest: 0, all: true, choose: &choose }, &mut NoJournal)
}

/// The eigenvalues with Im s > 0 at other values, solved for anew.
fn anew(spec: &ModelSpec, steady: Option<&MotionOptions>, values: &[(&str, f64)]) -> Vec<c64> {
    let mut spec = spec.clone();
    for (name, value) in values {
        spec.set_parameter(name, Value::Number(*value)).unwrap();
    }
    let model = spec.build().unwrap();
    let found = site(&model, &StartOptions::default(), steady).unwrap();
    let State::Lasting(at) = found.state() else { panic!("an instant") };
    let found = spectrum(&model, &at, &Formulation::Minimal(NullSpaceMethod::Qr)).unwrap();
    found.spectrum.motion_values().into_iter().filter(|s| s.im > 1e-3).collect()
}

/// The largest distance of a value from the nearest of others, relative to it.
fn off(values: &[c64], exact: &[c64]) -> f64 {
    let nearest = |s: &c64| exact.iter().map(|e| (s - e).norm() / e.norm()).fold(f64::INFINITY, f64::min);
    values.iter().map(nearest).fold(0.0, f64::max)
}

fn values(expansion: &Expansion, d: &[f64]) -> Vec<c64> {
    expansion.evaluate(d).unwrap().iter().map(|v| v.s).collect()
}

/// Checks that the error falls with the power order + 1 of the distance, against what `exact` gives at distances.
fn falls(
    spec: &ModelSpec,
    steady: Option<&MotionOptions>,
    variables: &[&str],
    step: &[f64],
    exact: &dyn Fn(&[f64]) -> Vec<c64>,
) {
    for order in [1, 3, 5] {
        let expansion = expand(spec, steady.cloned(), variables, order).unwrap();
        assert!(off(&values(&expansion, &vec![0.0; step.len()]), &exact(&vec![0.0; step.len()])) < 1e-9);
        let half: Vec<f64> = step.iter().map(|x| 0.5 * x).collect();
        let [far, near] = [step, &half].map(|d| off(&values(&expansion, d), &exact(d)));
        let rate = (far / near).log2();
        let expected = (order + 1) as f64;
        let rounded = near < 1e-11;
        // Terms of the next order may cancel each other, so that it falls faster.
        assert!(
            rounded || (expected - 0.35..expected + 1.0).contains(&rate),
            "{variables:?} order {order}: {far:e} {near:e} {rate}"
        );
    }
}

fn against_anew(text: &str, steady: Option<&MotionOptions>, variables: &[&str], step: &[f64]) {
    let spec = spec(text);
    let at = spec.parameter_values().unwrap();
    let exact = |d: &[f64]| {
        let list: Vec<(&str, f64)> =
            variables.iter().zip(d).map(|(name, d)| (*name, at[*name] + d)).collect();
        anew(&spec, steady, &list)
    };
    falls(&spec, steady, variables, step, &exact);
}

/// Roots x of the whirl of a symmetric disc: x = Im s, seen from the ground,
/// det [2 k - m x^2, k e; k e, k f - I x^2 + J W x] = 0, e and f the sums of the arms and of their squares.
fn whirl(w: f64, k: f64) -> Vec<f64> {
    let det = |x: f64| {
        let (e, f) = (-0.1, 0.05);
        (2.0 * k - 10.0 * x * x) * (k * f - 0.2 * x * x + 0.35 * w * x) - k * k * e * e
    };
    // Sign changes by bisection.
    let mut out = Vec::new();
    let grid = |i: i32| f64::from(i) + 0.25;
    for i in -1500..1500 {
        let (mut a, mut b) = (grid(i), grid(i + 1));
        if det(a) * det(b) < 0.0 {
            for _ in 0..80 {
                let middle = 0.5 * (a + b);
                if det(a) * det(middle) <= 0.0 { b = middle } else { a = middle }
            }
            out.push(0.5 * (a + b).abs());
        }
    }
    out
}

#[test]
fn a_disc_whirls_as_the_closed_form_says_over_speed_and_stiffness() {
    let spec = spec(ROTOR);
    let axial = |x: Vec<f64>| -> Vec<c64> {
        x.into_iter().chain([(1e6_f64 / 10.0).sqrt()]).map(|x| c64::new(0.0, x)).collect()
    };
    let expansion = expand(&spec, None, &["W"], 5).unwrap();
    assert_eq!(expansion.seen_from(), ", seen from the ground's frame");
    assert_eq!(expansion.pieces[0].modes.len(), 5);
    falls(&spec, None, &["W"], &[60.0], &|d| axial(whirl(300.0 + d[0], 1e6)));
    falls(&spec, None, &["W", "k"], &[40.0, 1e5], &|d| axial(whirl(300.0 + d[0], 1e6 + d[1])));
}

#[test]
fn a_disc_that_is_not_round_is_seen_from_its_own_frame() {
    let spec = spec(&uneven());
    let expansion = expand(&spec, None, &["W"], 2).unwrap();
    assert!(expansion.seen_from().contains("the frame of 'disc'"), "{}", expansion.seen_from());
    against_anew(&uneven(), None, &["W"], &[30.0]);
}

#[test]
fn springs_of_a_turntable_follow_the_closed_form() {
    // (k1 - W^2 + s^2)(k2 - W^2 + s^2) + 4 W^2 s^2 = 0, k1 = 2 k, k2 = 1600.
    let exact = |d: &[f64]| -> Vec<c64> {
        let w2 = (5.0 + d[0]).powi(2);
        let (a, b) = (2.0 * (1000.0 + d.get(1).unwrap_or(&0.0)) - w2, 1600.0 - w2);
        let half = 0.5 * (a + b + 4.0 * w2);
        let root = (half * half - a * b).sqrt();
        [half + root, half - root].map(|x| c64::new(0.0, x.sqrt())).to_vec()
    };
    falls(&spec(TURNTABLE), None, &["W"], &[1.0], &exact);
    falls(&spec(TURNTABLE), None, &["W", "k"], &[1.0, 60.0], &exact);
}

#[test]
fn a_bead_moves_out_with_the_speed_of_a_drive() {
    let moving = MotionOptions::default();
    let spec = spec(BEAD);
    // Im s = sqrt(k - w^2), at k L / (k - w^2).
    let exact = |d: &[f64]| vec![c64::new(0.0, (100.0 - (6.0 + d[0]).powi(2)).sqrt())];
    falls(&spec, Some(&moving), &["w"], &[0.4], &exact);
    let expansion = expand(&spec, Some(moving), &["w"], 8).unwrap();
    let point = expansion.pieces[0].point.evaluate(&[0.5]).unwrap();
    let bead = point.q[3].hypot(point.q[4]);
    let place = 100.0 / (100.0 - 6.5_f64.powi(2));
    assert!((bead - place).abs() < 1e-5 * place, "{bead} {place}");
    assert!((point.v[4] - 6.5 * point.q[3]).abs() < 1e-9, "{:?}", point.v);
}

#[test]
fn arms_of_a_governor_rise() {
    against_anew(GOVERNOR, None, &["W"], &[0.3]);
    against_anew(GOVERNOR, None, &["L", "k"], &[0.02, 0.3]);
    let spins = vec![Spin::behind("axle", 5.0)];
    let options = MotionOptions { spins, ..MotionOptions::default() };
    against_anew(GOVERNOR, Some(&options), &["k"], &[0.6]);
}

#[test]
fn what_makes_the_model_unsymmetric_is_refused() {
    let uneven_bearings = expand(&spec(&uneven()), None, &["skew"], 3).err().unwrap().to_string();
    assert!(uneven_bearings.contains("does not stay steady"), "{uneven_bearings}");
    // A round disc stays steady in the ground's frame.
    against_anew(ROTOR, None, &["skew"], &[3e4]);
}

#[test]
fn speeds_of_which_one_changes_are_refused_and_tables_say_which() {
    let two = |tables: &str, first: &str, second: &str| {
        format!(
            r#"
            units = "SI"
            name = "two rotors"
            parameters = {{ W = 200.0, V = 300.0 }}
            spatial-body = [
                {{ name = "one", mass = 1, inertia = [0.1, 0.1, 0.15], markers = {{ a = [0, 0, -0.1], b = [0, 0, 0.2] }}{first} }},
                {{ name = "two", mass = 1, inertia = [0.1, 0.1, 0.15], at = [0, 0, 1], markers = {{ a = [0, 0, -0.1], b = [0, 0, 0.2] }}{second} }},
            ]
            bushing = [
                {{ name = "a", a = "one.a", b = [0, 0, -0.1], stiffness = [1e5, 1.3e5, 1.6e5, 0, 0, 0] }},
                {{ name = "b", a = "one.b", b = [0, 0, 0.2], stiffness = [1e5, 1.5e5, 0, 0, 0, 0] }},
                {{ name = "c", a = "two.a", b = [0, 0, 0.9], stiffness = [2e5, 2.6e5, 3e5, 0, 0, 0] }},
                {{ name = "d", a = "two.b", b = [0, 0, 1.2], stiffness = [2e5, 2.4e5, 0, 0, 0, 0] }},
            ]
            {tables}
            "#
        )
    };
    let spin = |rate: &str| format!(", angular_velocity = [0, 0, \"{rate}\"]");
    let own = two("", &spin("W"), &spin("V"));
    let moving = MotionOptions::default();
    let error = expand(&spec(&own), Some(moving), &["W"], 2).err().unwrap().to_string();
    assert!(error.contains("different factors"), "{error}");
    let tables = r#"steady-rotation = [
        { name = "first", bodies = ["one"], axis = [0, 0, 1], speed = "W" },
        { name = "second", bodies = ["two"], axis = [0, 0, 1], speed = "V" },
    ]"#;
    against_anew(&two(tables, "", ""), None, &["W", "V"], &[6.0, 9.0]);
}

#[test]
fn drag_that_no_torque_balances_elsewhere_is_refused() {
    let dragged = |torque: &str| {
        TURNTABLE
            .replace(
                "steady-rotation",
                &format!(
                    r#"torque = [{{ name = "motor", on = "table", magnitude = "{torque}" }}]
torsion-spring = [{{ name = "drag", a = "ground", b = "table", stiffness = 0, damping = "d" }}]
steady-rotation"#
                ),
            )
            .replace("parameters = {", "parameters = { d = 0.1,")
    };
    let error = expand(&spec(&dragged("0.5")), None, &["W"], 2).err().unwrap().to_string();
    assert!(error.contains("steady") && error.contains("table.angle"), "{error}");
    against_anew(&dragged("d*W"), None, &["W", "d"], &[0.5, 0.02]);
}
