//! The benchmark bicycle in any size and between any samples [Meijaard et al., Proc. R. Soc. A 463 (2007)], and what is no steady rolling.

use crate::support::{mb_with, right};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn document(args: &[&str], model: &str) -> Value {
    let run = mb_with(args, model);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}");
    serde_json::from_str(&run.out).unwrap()
}

/// The bicycle with all lengths times `size` and all densities as they are, at the speed of the same Froude number as 5 m/s.
fn bicycle(size: f64) -> String {
    let (l, m, i) = (size, size.powi(3), size.powi(5));
    let [about_x, about_y, about_z] = [9.2, 11.0, 2.8].map(|x| x * i);
    let [fork_x, fork_y, fork_z] = [0.05892, 0.06, 0.00708].map(|x| x * i);
    let ([rear_x, rear_y], [front_x, front_y]) =
        ([0.0603, 0.12].map(|x| x * i), [0.1405, 0.28].map(|x| x * i));
    let [of_rear, of_frame, of_fork, of_front] = [2.0, 85.0, 4.0, 3.0].map(|x| x * m);
    let [product, fork_product] = [-2.4, 0.00756].map(|x| x * i);
    format!(
        r#"
    units = "SI"
    name = "bicycle"
    gravity = [0, 0, -9.81]
    spatial-body = [
        {{ name = "rear", mass = {of_rear}, inertia = [{rear_x}, {rear_y}, {rear_x}], at = [0, 0, "r"], velocity = ["v", 0, 0], angular_velocity = [0, "v/r", 0] }},
        {{ name = "frame", mass = {of_frame}, inertia = [{about_x}, {about_y}, {about_z}], products_of_inertia = [0, {product}, 0], at = ["0.3*L", 0, "0.9*L"], velocity = ["v", 0, 0],
           markers = {{ hub = ["-0.3*L", 0, "r-0.9*L"], head = ["w+c-0.3*L", 0, "-0.9*L"] }} }},
        {{ name = "fork", mass = {of_fork}, inertia = [{fork_x}, {fork_y}, {fork_z}], products_of_inertia = [0, {fork_product}, 0], at = ["0.9*L", 0, "0.7*L"], velocity = ["v", 0, 0],
           markers = {{ head = ["w+c-0.9*L", 0, "-0.7*L"], hub = ["w-0.9*L", 0, "R-0.7*L"] }} }},
        {{ name = "front", mass = {of_front}, inertia = [{front_x}, {front_y}, {front_x}], at = ["w", 0, "R"], velocity = ["v", 0, 0], angular_velocity = [0, "v/R", 0] }},
    ]
    joint = [
        {{ name = "rear-hub", type = "revolute", a = "rear", b = "frame.hub", axis = [0, 1, 0] }},
        {{ name = "steering", type = "revolute", a = "fork.head", b = "frame.head", axis = ["-sin(pi/10)", 0, "cos(pi/10)"] }},
        {{ name = "front-hub", type = "revolute", a = "front", b = "fork.hub", axis = [0, 1, 0] }},
    ]
    rolling = [
        {{ name = "rear-contact", wheel = "rear", axle = [0, 1, 0], radius = "r" }},
        {{ name = "front-contact", wheel = "front", axle = [0, 1, 0], radius = "R" }},
    ]
    [parameters]
    L = {l}
    v = "5*sqrt(L)"
    w = "1.02*L"
    c = "0.08*L"
    r = "0.3*L"
    R = "0.35*L"
    "#
    )
}

/// s sqrt(L) is the same in all sizes, and six zeros are exact: two shifts, the turns of both wheels, the course and the speed.
#[test]
fn a_bicycle_of_any_size_has_the_same_modes_and_exact_zeros() {
    let modes = |size: f64| -> Vec<[f64; 3]> {
        let found = document(&["modes", "-", "--moving", "--json"], &bicycle(size));
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        let rigid = pairs.iter().filter(|p| p["class"]["kind"] == "rigid");
        let bounds: Vec<f64> = rigid.map(|p| number(&p["error_bound"])).collect();
        assert_eq!(bounds, [0.0; 6], "{size}");
        let scaled = size.sqrt();
        let own = pairs.iter().filter(|p| p["class"]["kind"] == "physical");
        own.map(|p| ["re", "im", "error_bound"].map(|key| scaled * number(&p[key]))).collect()
    };
    let whole = modes(1.0);
    assert_eq!(whole.len(), 4);
    for size in [0.01, 0.03, 0.07, 0.1, 0.2, 3.0, 10.0] {
        let other = modes(size);
        assert_eq!(other.len(), 4, "{size}");
        for [re, im, bound] in &whole {
            let off = |o: &[f64; 3]| (re - o[0]).hypot(im - o[1]) - bound - o[2];
            // The data of both are rounded.
            let least = other.iter().map(off).fold(f64::INFINITY, f64::min);
            assert!(least <= 1e-12 * re.hypot(*im), "{size}: {re} {im}, off by {least:e}");
        }
    }
}

/// However slowly it rolls, the bicycle rolls steadily, and its eigenvalues go to those of the inverted pendulum with a steering.
#[test]
fn a_bicycle_that_creeps_is_in_steady_motion() {
    let model = right(&["generate", "bicycle"]);
    let modes = |v: &str| -> Vec<f64> {
        let found = document(&["modes", "-", "--moving", "--set", v, "--json"], &model);
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        let of_class = |kind: &'static str| pairs.iter().filter(move |p| p["class"]["kind"] == kind);
        assert!(of_class("rigid").all(|p| number(&p["error_bound"]) < 1e-14), "{v}");
        assert_eq!(of_class("rigid").count(), 6, "{v}");
        let own = of_class("physical").map(|p| {
            assert!(number(&p["im"]) == 0.0 && number(&p["error_bound"]) < 1e-6, "{v}: {p}");
            number(&p["re"])
        });
        let mut own: Vec<f64> = own.collect();
        own.sort_by(f64::total_cmp);
        own
    };
    // The published equations at speed zero, M q'' + g K0 q = 0, have pairs +-s; a speed changes them in proportion, by no more than 10 v.
    let slowest = modes("v=1e-6");
    assert_eq!(slowest.len(), 4);
    for (i, s) in slowest.iter().enumerate() {
        assert!((s + slowest[3 - i]).abs() < 2e-5, "{slowest:?}");
    }
    for (text, v) in [("v=1e-5", 1e-5), ("v=1e-4", 1e-4), ("v=1e-3", 1e-3)] {
        for (s, least) in modes(text).iter().zip(&slowest) {
            assert!((s - least).abs() < 10.0 * v, "{text}: {s} {least}");
        }
    }
}

/// A sled with its mass centre hardly off the blade and next to no moment of inertia: one rate m a v / (J + m a^2) and four zeros.
#[test]
fn a_skate_with_masses_far_apart_has_its_rate_and_four_zeros() {
    let model = right(&["generate", "skate"]);
    for (m, j, a, v) in [
        (66.4, 1.9e-3, -5.2e-5, 3.0),
        (1e3, 1e-6, 1e-7, 0.3),
        (1e-4, 10.0, 0.02, 9.0),
        (5.0, 1e-8, 1e-2, 1.0),
        (0.0165, 4.54, 1.2e-6, 0.5),
    ] {
        let sets = [format!("m={m:e}"), format!("J={j:e}"), format!("a={a:e}"), format!("v={v:e}")];
        let mut args = vec!["modes", "-", "--moving", "--json"];
        for set in &sets {
            args.extend(["--set", set.as_str()]);
        }
        let found = document(&args, &model);
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        let of_class = |kind: &'static str| pairs.iter().filter(move |p| p["class"]["kind"] == kind);
        assert_eq!((of_class("rigid").count(), of_class("physical").count()), (4, 1), "{sets:?}");
        let (own, exact) = (of_class("physical").next().unwrap(), -m * a * v / (j + m * a * a));
        let (off, bound) = ((number(&own["re"]) - exact).abs(), number(&own["error_bound"]));
        assert!(off <= bound + 1e-14 * exact.abs() && bound < 1e-6, "{sets:?}: {own} {exact}");
    }
}

/// The ends of the stable range, printed in section 5 of the paper.
const STABLE: [&str; 2] = ["4.29238253634111", "6.02426201538837"];

/// Samples that fall near the capsize speed, where its mode lies among six zeros, make no gap of the range in which it grows; and where none
/// falls into the stable range, that is found between two at which different modes grow.
#[test]
fn the_stable_range_of_a_bicycle_does_not_depend_on_the_samples() {
    let model = right(&["generate", "bicycle"]);
    for (from, to, samples) in
        [("4", "7", "37"), ("4", "7", "50"), ("4", "7", "73"), ("1", "10", "100"), ("1", "10", "4")]
    {
        let args = ["track", "-", "--parameter", "v", "--from", from, "--to", to, "--samples", samples];
        let found = document(&[&args[..], &["--campbell", "--json"]].concat(), &model);
        let ranges = found["unstable"].as_array().unwrap();
        assert_eq!(ranges.len(), 2, "{from} {to} {samples}: {ranges:?}");
        assert!(ranges[0]["from"].is_null() && ranges[1]["to"].is_null(), "{ranges:?}");
        for (range, end, printed) in [(&ranges[0], "to", STABLE[0]), (&ranges[1], "from", STABLE[1])] {
            let (at, error) = (number(&range[end]), number(&range[format!("{end}_error")]));
            let published: f64 = printed.parse().unwrap();
            assert!(
                (at - published).abs() <= error + 1e-13 && error < 1e-8,
                "{samples} {end}: {at} {error:e}"
            );
        }
    }
}

#[test]
fn a_bicycle_at_rest_is_no_motion_and_says_what_to_leave_out() {
    let model = right(&["generate", "bicycle"]);
    let run = mb_with(&["modes", "-", "--moving", "--set", "v=0"], &model);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("it is at rest") && run.err.contains("leave out --moving"), "{}", run.err);
}

/// What comes is not what has been: a bump that the ball meets after four seconds.
#[test]
fn a_ball_on_its_way_to_a_bump_is_not_in_steady_motion() {
    let ball = |profile: &str, velocity: &str, spin: &str| {
        format!(
            "units = 'SI'\nname = 'ball'\ngravity = [0, 0, -9.81]\n[[spatial-body]]\nname = 'ball'\nmass = 1\n\
             inertia = [0.004, 0.004, 0.004]\nat = [0, 0, 0.1]\nvelocity = {velocity}\nangular_velocity = {spin}\n\
             [[rolling]]\nname = 'contact'\nwheel = 'ball'\nradius = 0.1\n{profile}"
        )
    };
    let bump = "profile = 'if(x - 4, 0.01*(x - 4)^2, 0)'";
    let run = mb_with(&["modes", "-", "--moving"], &ball(bump, "[1, 0, 0]", "[0, 10, 0]"));
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("not straight along the way"), "{}", run.err);
    // Across the profile, and on a plane.
    for (profile, velocity, spin) in [(bump, "[0, 1, 0]", "[-10, 0, 0]"), ("", "[1, 0, 0]", "[0, 10, 0]")] {
        let run = mb_with(&["modes", "-", "--moving"], &ball(profile, velocity, spin));
        assert_eq!(run.code, 0, "{profile} {velocity}: {run:?}");
    }
}

/// Values of the first response in a document.
fn values(document: &Value) -> Vec<[f64; 2]> {
    let list = document["responses"][0]["value"].as_array().unwrap();
    list.iter().map(|z| [number(&z[0]), number(&z[1])]).collect()
}

/// A wheel that rolls against a spring: (m + I / r^2) x'' + c x' + k x = f, and -m a in the place of f where the ground moves.
#[test]
fn a_rolling_wheel_answers_forces_and_a_moving_ground() {
    let model = r#"
    units = "SI"
    name = "wheel on a spring"
    gravity = [0, 0, -10]
    spatial-body = [{ name = "wheel", mass = 3, inertia = [0.15, 0.25, 0.15], at = [0, 0, 0.5] }]
    rolling = [{ name = "contact", wheel = "wheel", axle = [0, 1, 0], radius = 0.5 }]
    bushing = [{ name = "spring", a = "wheel", b = [0, 0, 0.5], stiffness = [64, 0, 0, 0, 0, 0], damping = [2, 0, 0, 0, 0, 0] }]
    force = [{ name = "push", at = "wheel", direction = [1, 0, 0], input = "f" }]
    output = [{ name = "x", quantity = "x", of = "wheel" }]
    "#;
    let frequencies = [0.1, 0.7, 2.0];
    for (options, order, force) in [
        (&["--from", "f"][..], 0, 1.0),
        (&["--from", "f", "--quantity", "mobility"], 1, 1.0),
        (&["--base", "x"], 0, -3.0),
    ] {
        let args = [&["response", "-", "--at-hz", "0.1,0.7,2", "--json"], options].concat();
        let found = document(&args, model);
        for ([re, im], hz) in values(&found).into_iter().zip(frequencies) {
            let omega = std::f64::consts::TAU * hz;
            let (stiffness, damping) = (64.0 - (3.0 + 0.25 / 0.25) * omega * omega, 2.0 * omega);
            let size = stiffness * stiffness + damping * damping;
            let [a, b] = [force * stiffness / size, -force * damping / size];
            let [a, b] = if order == 1 { [-omega * b, omega * a] } else { [a, b] };
            assert!((re - a).hypot(im - b) < 1e-10 * a.hypot(b), "{options:?} {hz}: {re} {im}, {a} {b}");
        }
    }
    let run = mb_with(&["response", "-", "--from", "f", "--band", "0", "1", "--loss", "0.1"], model);
    assert!(run.code == 1 && run.err.contains("velocity rows") && run.err.contains("--loss"), "{run:?}");
}

/// The response of the bicycle to a steering torque is that of its state space.
#[test]
fn a_bicycle_answers_the_steering_torque_as_its_state_space_does() {
    let model = right(&["generate", "bicycle"])
        + r#"
[[torque]]
name = "steer"
on = "fork"
from = "frame"
direction = ["-sin(tilt)", 0, "cos(tilt)"]
input = "T"

[[output]]
name = "aside"
quantity = "y"
of = "frame"
"#;
    let system = document(&["state-space", "-", "--moving", "--minimal", "--json"], &model);
    let matrix = |name: &str| -> Vec<Vec<f64>> {
        let rows = system["state_space"][name].as_array().or(system[name].as_array()).unwrap();
        rows.iter().map(|row| row.as_array().unwrap().iter().map(number).collect()).collect()
    };
    let [a, b, c, d] = ["a", "b", "c", "d"].map(matrix);
    let n = a.len();
    let found = document(&["response", "-", "--moving", "--at-hz", "0.2,1,4", "--json"], &model);
    for ([re, im], hz) in values(&found).into_iter().zip([0.2, 1.0, 4.0]) {
        let s = mb_algebra::c64::new(0.0, std::f64::consts::TAU * hz);
        let shifted = mb_algebra::DenseC::from_fn(n, n, |i, j| if i == j { s } else { 0.0.into() } - a[i][j]);
        let x = mb_algebra::LuComplex::new(&shifted).unwrap();
        let x = x.solve(&b.iter().map(|row| row[0].into()).collect::<Vec<_>>());
        let h: mb_algebra::c64 = (0..n).map(|k| c[0][k] * x[k]).sum::<mb_algebra::c64>() + d[0][0];
        assert!((re - h.re).hypot(im - h.im) < 1e-10 * h.norm(), "{hz}: {re} {im}, {h}");
    }
}

/// With M u'' + v C1 u' + (g K0 + v^2 K2) u = (T_lean, T_steer) of the benchmark, whose numbers are printed there to 14 digits, the zeros of
/// the steering angle are those of the lean alone for a steering torque, and of minus the entry between both for a torque about x.
/// Torques, angles and axes of this model have another sign about the steering axis. Motions that no torque reaches are cancelled.
#[test]
fn a_bicycle_has_the_zeros_of_the_benchmark() {
    let model = right(&["generate", "bicycle"])
        + r#"
[[torque]]
name = "steer"
on = "fork"
from = "frame"
direction = ["-sin(tilt)", 0, "cos(tilt)"]
input = "steer"

[[torque]]
name = "tilter"
on = "frame"
direction = [1, 0, 0]
input = "lean"

[[output]]
name = "turn"
quantity = "angle"
of = "steering"
"#;
    let numbers = |text: &str| -> Vec<f64> { text.split(' ').map(|x| x.parse().unwrap()).collect() };
    let m = numbers("80.81722 2.31941332208709 0.29784188199686");
    let (v, g, c) = (5.0, 9.81, numbers("-0.85035641456978")[0]);
    let k = numbers("-80.95 -2.59951685249872");
    let determinant = m[0] * m[2] - m[1] * m[1];
    let roots = |[a, b, c]: [f64; 3]| {
        let root = (b * b - 4.0 * a * c).sqrt();
        [(-b - root) / (2.0 * a), (-b + root) / (2.0 * a)]
    };
    let found = document(&["response", "-", "--moving", "--band", "0", "1", "--zeros", "--json"], &model);
    for (input, quadratic) in [("steer", [m[0], 0.0, g * k[0]]), ("lean", [m[1], v * c, g * k[1]])] {
        let list = found["responses"].as_array().unwrap();
        let zeros = &list.iter().find(|r| r["input"] == input).unwrap()["zeros"];
        let of = |kind: &str| -> Vec<f64> {
            zeros[kind].as_array().unwrap().iter().map(|s| number(&s[0])).collect()
        };
        let mut own = of("zeros");
        own.sort_by(f64::total_cmp);
        for (s, exact) in own.iter().zip(roots(quadratic)) {
            assert!((s - exact).abs() < 1e-11 * exact.abs(), "{input}: {own:?} {exact}");
        }
        assert_eq!((own.len(), of("poles").len()), (2, 4), "{zeros}");
        assert!(of("cancelled").len() == 6 && of("cancelled").iter().all(|s| *s == 0.0), "{zeros}");
        let gain = quadratic[0] / determinant;
        assert!((number(&zeros["gain"]) / gain - 1.0).abs() < 1e-11, "{input}: {zeros} {gain}");
        assert!(number(&zeros["relative_error"]) < 1e-10, "{zeros}");
    }
}

/// A disc that a torque T about its axle and a force F ahead drive: r T / (J + m r^2) is its acceleration for the torque alone, which friction
/// causes, and F - m F r^2 / (J + m r^2) is what friction takes of the force.
#[test]
fn the_friction_that_rolls_a_disc_is_known() {
    let model = |rate: &str| {
        format!(
            r#"
    units = "SI"
    name = "disc"
    gravity = [0, 0, -10]
    spatial-body = [{{ name = "disc", mass = 1, inertia = [0.01, 0.02, 0.01], at = [0, 0, 0.2], velocity = ["{rate}*0.2", 0, 0], angular_velocity = [0, "{rate}", 0] }}]
    rolling = [{{ name = "contact", wheel = "disc", axle = [0, 1, 0], radius = 0.2 }}]
    torque = [{{ name = "motor", on = "disc", direction = [0, 1, 0], input = "T" }}]
    force = [{{ name = "push", at = "disc", direction = [1, 0, 0], input = "F" }}]
    output = [{{ name = "friction", quantity = "multiplier", of = "contact", axis = "no slip along" }}, {{ name = "a", quantity = "x", of = "disc", derivative = 2 }}]
    "#
        )
    };
    for (rate, moving) in [("3", true), ("0", false)] {
        let mut args = vec!["response", "-", "--at-hz", "1,2", "--json"];
        args.extend(moving.then_some("--moving"));
        let found = document(&args, &model(rate));
        let of = |output: &str, input: &str| -> f64 {
            let list = found["responses"].as_array().unwrap();
            let own = list.iter().find(|r| r["output"] == output && r["input"] == input).unwrap();
            number(&own["value"][0][0]).hypot(number(&own["value"][0][1]))
        };
        let (inertia, r) = (0.02 + 0.2 * 0.2, 0.2);
        for (output, input, exact) in [
            ("friction", "T", r / inertia),
            ("a", "T", r / inertia),
            ("friction", "F", 1.0 - r * r / inertia),
            ("a", "F", r * r / inertia),
        ] {
            let h = of(output, input);
            assert!((h - exact).abs() < 1e-10 * exact, "{rate}: {output} / {input} {h} {exact}");
        }
    }
}
