//! Free motions at any size: found, named, exact zeros, and no singular matrix on the way.

use crate::support::{Run, mb_with};
use std::fmt::Write as _;

const HEAD: &str = "units = \"SI\"\nname = \"free\"\n";

fn document(run: &Run) -> serde_json::Value {
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    serde_json::from_str(&run.out).unwrap()
}

/// Rollers on pins through their centres: each turns freely.
fn rollers(count: usize) -> String {
    format!(
        "{HEAD}gravity = [0, -9.81]\n[[repeat]]\nindex = \"i\"\nfrom = 1\nto = {count}\n[[repeat.body]]\nname = \"r{{i}}\"\n\
         mass = 1\ninertia = 1\nat = [\"i\", 0]\n[[repeat.joint]]\nname = \"p{{i}}\"\ntype = \"revolute\"\na = \"r{{i}}\"\n\
         b = \"ground\"\n"
    )
}

/// A beam that hangs from a ball joint and carries a wheel on an axle: it swings both ways and turns, as does the wheel.
fn beam_with_wheel(elements: usize) -> String {
    format!(
        "{HEAD}gravity = [0, 0, -9.81]\n[[beam]]\nname = \"b\"\nfrom = [0, 0, 0]\nto = [0, 0, -2]\nelements = {elements}\n\
         density = 7850\nyoungs_modulus = 2.1e11\npoissons_ratio = 0.3\nsection = {{ radius = 0.01 }}\n\
         [[joint]]\nname = \"hook\"\ntype = \"spherical\"\na = \"b.start\"\nb = \"ground\"\n\
         [[spatial-body]]\nname = \"wheel\"\nmass = 1\ninertia = [1, 1, 1]\n\
         [[joint]]\nname = \"axle\"\ntype = \"revolute\"\naxis = [0, 1, 0]\na = \"wheel\"\nb = \"b.end\"\n"
    )
}

#[test]
fn four_hundred_rollers_turn_each_by_itself() {
    let found = document(&mb_with(&["check", "-", "--json"], &rollers(400)));
    let rigid = found["rigid_modes"].as_array().unwrap();
    assert_eq!(rigid.len(), 400);
    for (i, mode) in rigid.iter().enumerate() {
        let dominant = mode["dominant"].as_array().unwrap();
        assert_eq!(dominant.len(), 1, "{mode}");
        assert_eq!(dominant[0]["coordinate"], format!("r{}.angle", i + 1));
    }
    let found = document(&mb_with(&["modes", "-", "--lowest", "5", "--json"], &rollers(120)));
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    assert!(
        pairs.len() >= 5
            && pairs.iter().all(|p| p["class"]["kind"] == "rigid" && p["re"] == 0.0 && p["im"] == 0.0)
    );
}

#[test]
fn of_thousands_of_free_motions_those_asked_for_are_computed_and_the_others_counted() {
    let run = mb_with(&["modes", "-", "--lowest", "5"], &rollers(3000));
    assert!(
        run.code == 0 && run.out.contains("0 Hz has at least 3000 modes, of which 5 are returned"),
        "{run:?}"
    );
}

/// Each stops in its own time, and stays where it is: one zero of every roller, and two of those without a damper.
#[test]
fn of_thousands_of_damped_rollers_those_asked_for_are_computed_and_the_others_counted() {
    let damper = |count: usize, every: usize| {
        format!(
            "[[repeat]]\nindex = \"i\"\nfrom = 1\nto = {}\n[[repeat.torsion-spring]]\nname = \"d{{i}}\"\na = \"r{{i*{every}}}\"\n\
             b = \"ground\"\ndamping = 0.1\n",
            count / every
        )
    };
    for (every, pairs) in [(1, 5), (2, 7)] {
        let text = rollers(3000) + &damper(3000, every);
        let found = document(&mb_with(&["modes", "-", "--lowest", "5", "--json"], &text));
        let [spectrum] = &found["formulations"].as_array().unwrap()[..] else { panic!("{found}") };
        let rigid = spectrum["eigenpairs"].as_array().unwrap();
        assert_eq!(rigid.len(), pairs, "{every}");
        assert!(rigid.iter().all(|p| p["class"]["kind"] == "rigid" && p["re"] == 0.0 && p["im"] == 0.0));
        let run = mb_with(&["modes", "-", "--lowest", "5"], &text);
        assert!(run.out.contains("0 Hz has at least 3000 modes, of which 5 are returned"), "{run:?}");
    }
}

/// The geometry knows the free motions of a beam of any number of elements; a strong damper between its ends leaves them zeros, twice each, and
/// the modes beside them are those of a few elements.
#[test]
fn a_strong_damper_between_the_ends_of_a_fine_beam_leaves_its_free_motions() {
    let lowest = |elements: usize| {
        let text = format!(
            "{HEAD}[[beam]]\nname = \"b\"\nfrom = [0, 0, 0]\nto = [2, 0, 0]\nelements = {elements}\ndensity = 7850\n\
             youngs_modulus = 2.1e11\npoissons_ratio = 0.3\nsection = {{ radius = 0.01 }}\n[[bushing]]\nname = \"d\"\n\
             a = \"b.start\"\nb = \"b.end\"\nstiffness = [0, 0, 0, 0, 0, 0]\ndamping = [1e4, 1e4, 1e4, 0, 0, 0]\n"
        );
        let found = document(&mb_with(&["modes", "-", "--lowest", "10", "--json"], &text));
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap().clone();
        let zeros =
            |p: &&serde_json::Value| p["class"]["kind"] == "rigid" && p["re"] == 0.0 && p["im"] == 0.0;
        let number = |p: &serde_json::Value, key: &str| p[key].as_f64().unwrap();
        let rates: Vec<f64> =
            pairs.iter().filter(|p| number(p, "im") == 0.0 && !zeros(p)).map(|p| number(p, "re")).collect();
        (pairs.iter().filter(zeros).count(), rates)
    };
    let (zeros, coarse) = lowest(10);
    assert_eq!((zeros, coarse.len()), (12, 2));
    let (zeros, fine) = lowest(200);
    assert_eq!((zeros, fine.len()), (12, 2));
    for (a, b) in fine.iter().zip(&coarse) {
        assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
    }
}

#[test]
fn fewer_modes_than_a_chain_of_swivels_has_free_motions_are_determined() {
    let text = format!(
        "{HEAD}gravity = [0, 0, -9.81]\n[[repeat]]\nindex = \"i\"\nfrom = 1\nto = 20\n[[repeat.spatial-body]]\nname = \"l{{i}}\"\n\
         mass = 0.2\ninertia = [1e-3, 1e-3, 1e-4]\nat = [0, 0, \"0.05 - 0.1*i\"]\nmarkers = {{ top = [0, 0, 0.05], low = [0, 0, -0.05] }}\n\
         [[joint]]\nname = \"s1\"\ntype = \"spherical\"\na = \"l1.top\"\nb = \"ground\"\n\
         [[repeat]]\nindex = \"i\"\nfrom = 2\nto = 20\n[[repeat.joint]]\nname = \"s{{i}}\"\ntype = \"spherical\"\n\
         a = \"l{{i}}.top\"\nb = \"l{{i-1}}.low\"\n"
    );
    for count in ["1", "8", "19"] {
        let run = mb_with(&["modes", "-", "--lowest", count], &text);
        assert!(run.code == 0 && run.out.contains("0 Hz has at least 20 modes, of which "), "{run:?}");
    }
}

#[test]
fn a_beam_that_nothing_holds_has_no_equilibrium_under_any_part_of_its_weight() {
    let text = beam_with_wheel(80)
        .replace("gravity = [0, 0, -9.81]", "gravity = [0, -0.01, 0]")
        .replace("[[joint]]\nname = \"hook\"\ntype = \"spherical\"\na = \"b.start\"\nb = \"ground\"\n", "");
    for arguments in [&["equilibrium", "-", "--strategy", "newton"][..], &["equilibrium", "-", "--load-path"]]
    {
        let run = mb_with(arguments, &text);
        assert!(run.code != 0 && run.err.contains("which nothing holds"), "{arguments:?}: {run:?}");
    }
}

#[test]
fn a_wheel_beside_a_beam_is_free_whatever_the_mesh() {
    // 10 elements are solved by dense matrices, 80 by sparse ones.
    for elements in [10, 80] {
        let text = beam_with_wheel(elements);
        let found = document(&mb_with(&["check", "-", "--json"], &text));
        let rigid = found["rigid_modes"].as_array().unwrap();
        assert_eq!(rigid.len(), 2, "{elements}: {rigid:?}");
        let found = document(&mb_with(&["modes", "-", "--lowest", "6", "--json"], &text));
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        let zeros = pairs.iter().filter(|p| p["class"]["kind"] == "rigid").count();
        assert!(zeros >= 2 && pairs.iter().any(|p| p["class"]["kind"] != "rigid"), "{elements}: {pairs:?}");
    }
}

/// A wheel hangs on a beam whose equations have rounding of stiffness: none of it is a moment on the wheel, which would be a stiffness
/// without symmetry and hide what turns freely.
#[test]
fn rounding_of_a_beam_is_no_moment_on_a_wheel() {
    let second = "[[spatial-body]]\nname = \"second\"\nmass = 1\ninertia = [1, 1, 1]\n\
                  [[joint]]\nname = \"other\"\ntype = \"revolute\"\naxis = [1, 2, 3]\na = \"second\"\nb = \"b.end\"\n";
    for elements in [20, 33, 50] {
        let straight = beam_with_wheel(elements);
        let skew = straight.replace("axis = [0, 1, 0]", "axis = [1, 2, 3]");
        let two = format!("{skew}{second}");
        for (text, free) in [(straight, 2), (skew, 2), (two.clone(), 3)] {
            let found = document(&mb_with(&["check", "-", "--json"], &text));
            assert_eq!(found["rigid_modes"].as_array().unwrap().len(), free, "{elements}");
            let found = document(&mb_with(&["modes", "-", "--lowest", "6", "--json"], &text));
            let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
            let zeros = pairs.iter().filter(|p| p["class"]["kind"] == "rigid");
            assert_eq!(zeros.filter(|p| p["re"] == 0.0 && p["im"] == 0.0).count(), 2 * free, "{elements}");
        }
        // A wheel that a damper stops has one zero, the beam that turns with both of them two.
        let brake = |name: &str, joint: &str| {
            format!(
                "[[torsion-spring]]\nname = \"{name}\"\njoint = \"{joint}\"\nstiffness = 0\ndamping = 0.3\n"
            )
        };
        let text = format!("{two}{}{}", brake("first-brake", "axle"), brake("second-brake", "other"));
        let found = document(&mb_with(&["check", "-", "--json"], &text));
        assert_eq!(found["rigid_modes"].as_array().unwrap().len(), 3, "{elements}");
        let found = document(&mb_with(&["modes", "-", "--lowest", "6", "--json"], &text));
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        assert_eq!(pairs.iter().filter(|p| p["class"]["kind"] == "rigid").count(), 4, "{elements}");
    }
}

#[test]
fn bodies_that_touch_nothing_are_as_many_parts() {
    let text = format!(
        "{HEAD}[[repeat]]\nindex = \"i\"\nfrom = 1\nto = 3000\n[[repeat.body]]\nname = \"b{{i}}\"\nmass = 1\ninertia = 1\n\
         at = [\"i\", 0]\nangle = 0\n"
    );
    let found = document(&mb_with(&["check", "-", "--json"], &text));
    assert_eq!(found["rigid_modes"].as_array().unwrap().len(), 9000);
    assert_eq!(found["equilibrium"]["stability"]["kind"], "neutral");
    let words = mb_with(&["check", "-"], &text).out;
    assert!(words.contains("and 8960 more (--json lists all)"), "{words}");
}

#[test]
fn parts_that_fall_are_named_before_any_search_whatever_stands_beside_them() {
    let text = format!(
        "{HEAD}gravity = [0, 0, -9.81]\n[[beam]]\nname = \"boom\"\nfrom = [0, 0, 0]\nto = [1, 0, 0]\nelements = 20\n\
         density = 7850\nyoungs_modulus = 2.1e11\npoissons_ratio = 0.3\nsection = {{ radius = 0.01 }}\n\
         [[joint]]\nname = \"clamp\"\ntype = \"fixed\"\na = \"boom.start\"\nb = \"ground\"\n\
         [[repeat]]\nindex = \"i\"\nfrom = 1\nto = 2000\n[[repeat.spatial-body]]\nname = \"b{{i}}\"\nmass = 1\n\
         inertia = [1, 1, 1]\nat = [\"i\", 0, 0]\n"
    );
    let found: serde_json::Value =
        serde_json::from_str(&mb_with(&["check", "-", "--json"], &text).out).unwrap();
    assert_eq!(found["rigid_modes"].as_array().unwrap().len(), 12_000);
    assert!(found["equilibrium"].is_null() && found["usable"] == false);
    let run = mb_with(&["check", "-"], &text);
    let told = "b5.z (1.00), b6.z (1.00) and 1994 more, which nothing holds in any configuration";
    assert!(run.code == 2 && run.out.contains(told), "{run:?}");
    assert!(run.out.contains("and 11960 more (--json lists all)"), "{run:?}");
}

/// A strip of triangles of springs whose stiffnesses and masses are many powers of ten apart: each point turns by itself, and all move as one.
#[test]
fn a_floating_truss_has_its_free_motions_whatever_its_stiffnesses() {
    for n in [20, 60, 250_usize] {
        let power = |i: usize, most: usize| 10.0_f64.powf((i * 7919 % 1000) as f64 / 1000.0 * most as f64);
        let mut text = HEAD.to_owned();
        for i in 0..n {
            let _ = write!(
                text,
                "[[body]]\nname = \"m{i}\"\nmass = {}\ninertia = 1\nat = [{i}, {}]\n",
                1e-3 * power(i + 3, 6),
                0.3 * (i % 2) as f64
            );
            for (step, length) in [(1, 1.09_f64.sqrt()), (2, 2.0)] {
                if i + step < n {
                    let _ = write!(
                        text,
                        "[[spring]]\nname = \"s{i}_{step}\"\na = \"m{i}\"\nb = \"m{}\"\nstiffness = {}\nnatural_length = {length:?}\n",
                        i + step,
                        power(2 * i + step, 12)
                    );
                }
            }
        }
        let run = mb_with(&["check", "-"], &text);
        assert!(
            run.code == 0 && run.out.contains(&format!("free motions (s = 0): {}\n", n + 3)),
            "{n}: {run:?}"
        );
        assert!(run.out.contains(&format!("neutral in {} directions", n + 3)), "{n}: {run:?}");
    }
}

#[test]
fn loads_that_push_a_free_motion_are_the_reason_reported_first() {
    let box_on_rail = |k: f64| {
        format!(
            "{HEAD}gravity = [1, -9.81]\n[[body]]\nname = \"box\"\nmass = 1\ninertia = 1\nat = [0, 0]\nangle = 0\n\
             [[joint]]\nname = \"rail\"\ntype = \"prismatic\"\naxis = [1, 0]\na = \"box\"\nb = [0, 0]\n\
             [[spring]]\nname = \"s\"\na = \"box\"\nb = [-1, 0]\nstiffness = {k}\nnatural_length = 1\n"
        )
    };
    assert_eq!(mb_with(&["equilibrium", "-"], &box_on_rail(10.0)).code, 0);
    let run = mb_with(&["equilibrium", "-"], &box_on_rail(0.0));
    assert_eq!(run.code, 2, "{run:?}");
    let told = run.err.replace("\n  | ", " ");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.starts_with("error: The loads push box.x (1.00), which nothing holds in any configuration:"),
        "{told}"
    );
}

#[test]
fn a_mechanism_that_its_motor_turns_forever_has_no_equilibrium_and_says_so_soon() {
    let text = crate::support::right(&["generate", "andrews-squeezer"]);
    let run = mb_with(&["check", "-", "--set", "k=0"], &text);
    assert_eq!(run.code, 2, "{run:?}");
    let verdict = run.out.split_once("verdict: ").unwrap().1;
    assert!(verdict.starts_with("nothing to linearize at. The loads push K1.angle (1.00)"), "{verdict}");
    assert!(!verdict.contains("long dynamic relaxation"), "{verdict}");
}

/// The chain of bodies on vertical hinges, straight below each other or at the offsets of an arm that works in a plane.
fn on_vertical_hinges(offsets: &[[f64; 3]]) -> String {
    let mut parts = vec![format!("{HEAD}gravity = [0, 0, -9.81]\n")];
    let mut from = [0.0; 3];
    for (i, d) in offsets.iter().enumerate() {
        let [half, minus] = [0.5, -0.5].map(|by| d.map(|x| by * x));
        let at: Vec<f64> = from.iter().zip(half).map(|(x, h)| x + h).collect();
        let before = if i == 0 { "ground".to_owned() } else { format!("b{}.end", i - 1) };
        parts.push(format!(
            "[[spatial-body]]\nname = 'b{i}'\nmass = {}\ninertia = [0.02, 0.03, 0.025]\nat = {at:?}\n\
             markers = {{ start = {minus:?}, end = {half:?} }}\n\
             [[joint]]\nname = 'h{i}'\ntype = 'revolute'\na = 'b{i}.start'\nb = '{before}'\naxis = [0, 0, 1]\n",
            1.3 + 0.37 * i as f64
        ));
        from = [0, 1, 2].map(|k| from[k] + d[k]);
    }
    parts.concat()
}

#[test]
fn arms_on_vertical_hinges_move_freely_under_their_weight() {
    let straight = |n: usize| vec![[0.0, 0.0, -1.0]; n];
    let arm = |n: usize| -> Vec<[f64; 3]> {
        (0..n).map(|i| [0.31, -0.17, 0.0433].map(|x| x * (1.0 + i as f64).cos() + 0.05)).collect()
    };
    for (offsets, case) in [
        (straight(5), "straight"),
        (straight(40), "long"),
        (arm(2), "two"),
        (arm(5), "arm"),
        (arm(9), "long arm"),
    ] {
        let (model, n) = (on_vertical_hinges(&offsets), offsets.len());
        let run = mb_with(&["check", "-"], &model);
        assert!(run.out.contains(&format!("free motions (s = 0): {n}\n")), "{case}: {}", run.out);
        let modes = document(&mb_with(&["modes", "-", "--json"], &model));
        let pairs = modes["formulations"][0]["eigenpairs"].as_array().unwrap();
        assert!(
            pairs.len() == 2 * n && pairs.iter().all(|p| p["class"]["kind"] == "rigid"),
            "{case}: {pairs:?}"
        );
    }
}

/// w^2 = k / (I + m r^2), however soft the spring is beside the weight.
#[test]
fn a_soft_spring_on_the_last_hinge_of_an_arm_keeps_its_frequency() {
    let offsets = [[0.31, -0.17, 0.0433], [0.2, 0.24, -0.11]];
    for stiffness in [1e-6, 1e-3, 1.0] {
        let spring = format!("[[torsion-spring]]\nname = 's'\njoint = 'h1'\nstiffness = {stiffness}\n");
        let modes = document(&mb_with(&["modes", "-", "--json"], &(on_vertical_hinges(&offsets) + &spring)));
        let pairs = modes["formulations"][0]["eigenpairs"].as_array().unwrap();
        let found: Vec<f64> = pairs.iter().map(|p| p["im"].as_f64().unwrap()).filter(|w| *w > 0.0).collect();
        // Both bodies by their angles: M of the arm at rest, K = k [1 -1; -1 1].
        let (m, i) = ([1.3, 1.67], 0.025);
        let [a, b] = offsets.map(|d| [d[0], d[1]]);
        let dot = |x: [f64; 2], y: [f64; 2]| x[0] * y[0] + x[1] * y[1];
        let m11 = i + m[0] * dot(a, a) / 4.0 + m[1] * dot(a, a);
        let (m12, m22) = (m[1] * dot(a, b) / 2.0, i + m[1] * dot(b, b) / 4.0);
        let w = (stiffness * (m11 + m22 + 2.0 * m12) / (m11 * m22 - m12 * m12)).sqrt();
        assert_eq!(found.len(), 1, "{pairs:?}");
        assert!((found[0] / w - 1.0).abs() < 1e-6, "{stiffness}: {} {w}", found[0]);
    }
}

/// Doors on upright hinges under their weight: each swings freely, and `check` finds it as `modes` does. What rounding leaves of the balance of
/// weight and reactions at the hinges is no stiffness.
#[test]
fn doors_under_their_weight_swing_freely_each_by_itself() {
    let doors = format!(
        "{HEAD}gravity = [0, 0, -9.81]\n[[repeat]]\nindex = \"i\"\nfrom = 1\nto = 3\n[[repeat.spatial-body]]\nname = \"d{{i}}\"\n\
         mass = 20\ninertia = [1.1, 2.2, 1.3]\nat = [\"i\", 0.4, 1]\nmarkers = {{ h = [0, -0.4, 0] }}\n[[repeat.joint]]\n\
         name = \"h{{i}}\"\ntype = \"revolute\"\na = \"d{{i}}.h\"\nb = \"ground\"\naxis = [0, 0, 1]\n"
    );
    let run = mb_with(&["check", "-"], &doors);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("free motions (s = 0): 3"), "{}", run.out);
    let modes = document(&mb_with(&["modes", "-", "--json"], &doors));
    let pairs = modes["formulations"][0]["eigenpairs"].as_array().unwrap();
    assert!(pairs.len() == 6 && pairs.iter().all(|p| p["class"]["kind"] == "rigid"), "{pairs:?}");
}

/// Wheels of a milligram on a wire of half a millimetre, whose rounding of K is far above what a shift shows: exact zeros, whatever is asked
/// for.
#[test]
fn wheels_on_a_thin_wire_are_free() {
    let wire = format!(
        "{HEAD}[[beam]]\nname = \"b\"\nfrom = [0, 0, 0]\nto = [0.05, 0, 0]\nelements = 200\ndensity = 7850\n\
         youngs_modulus = 2.1e11\npoissons_ratio = 0.3\nsection = {{ radius = 0.0005 }}\n\
         [[joint]]\nname = \"clamp\"\ntype = \"fixed\"\na = \"b.start\"\nb = \"ground\"\n"
    );
    let wheel = |(i, axis): (usize, &str)| {
        format!(
            "[[spatial-body]]\nname = \"w{i}\"\nmass = 8e-6\ninertia = [4e-12, 4e-12, 4e-12]\n\
             [[joint]]\nname = \"axle{i}\"\ntype = \"revolute\"\naxis = {axis}\na = \"w{i}\"\nb = \"b.end\"\n"
        )
    };
    let wheels: String = ["[0, 1, 0]", "[1, 2, 3]"].into_iter().enumerate().map(wheel).collect();
    let model = format!("{wire}{wheels}");
    for request in [&["--lowest", "4"], &["--lowest", "2"], &["--near", "1"]] {
        let command = [&["modes", "-", "--json"][..], request].concat();
        let found = document(&mb_with(&command, &model));
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        let rigid: Vec<_> = pairs.iter().filter(|pair| pair["class"]["kind"] == "rigid").collect();
        assert!(rigid.iter().all(|pair| pair["error_bound"].as_f64() == Some(0.0)), "{request:?}");
        assert_eq!((rigid.len(), found["usable"].as_bool()), (4, Some(true)), "{request:?}");
    }
}

/// Bodies on a line between springs of k turn by themselves and move across without stiffness: with the shift along the line 2 n + 1 zeros.
/// The others are w_j = 2 sqrt(k / m) sin(j pi / (2 n)).
#[test]
fn more_modes_than_there_are_zeros_are_found_beside_a_thousand_of_them() {
    let (n, k, m) = (500, 1e6, 0.25);
    let mut text = HEAD.to_owned();
    for i in 0..n {
        let _ = write!(text, "[[body]]\nname = \"m{i}\"\nmass = {m}\ninertia = 1e-3\nat = [{i}, 0]\n");
    }
    for i in 1..n {
        let _ = write!(
            text,
            "[[spring]]\nname = \"s{i}\"\na = \"m{}\"\nb = \"m{i}\"\nstiffness = {k}\nnatural_length = 1\n",
            i - 1
        );
    }
    let zeros = 2 * n + 1;
    let count = (zeros + 9).to_string();
    let found = document(&mb_with(&["modes", "-", "--lowest", &count, "--json"], &text));
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    let (rigid, others): (Vec<_>, Vec<_>) = pairs.iter().partition(|p| p["class"]["kind"] == "rigid");
    assert_eq!((rigid.len(), others.len()), (2 * zeros, 18));
    assert!(rigid.iter().all(|p| p["error_bound"].as_f64() == Some(0.0)));
    for j in 1..=9 {
        let exact = 2.0 * f64::sqrt(k / m) * (f64::from(j) * std::f64::consts::PI / (2.0 * n as f64)).sin();
        let near = |p: &&&serde_json::Value| {
            let [s, bound] = [&p["im"], &p["error_bound"]].map(|v| v.as_f64().unwrap());
            (s - exact).abs() <= bound + 1e-12 * exact
        };
        assert_eq!(others.iter().filter(near).count(), 1, "{j}: {exact} {others:?}");
    }
}

/// Rollers on pins of a frame on a spring, more modes asked for than there are: one vibration, sqrt(k / (M + n m)), beside their zeros.
#[test]
fn all_modes_of_rollers_on_a_frame_are_found() {
    let n = 400;
    let mut text = format!("{HEAD}[[body]]\nname = \"frame\"\nmass = 100\ninertia = 1000\nat = [0, 0]\n");
    for i in 0..n {
        let _ = writeln!(text, "markers.m{i} = [{i}, 0]");
    }
    text += "[[joint]]\nname = \"rail\"\ntype = \"prismatic\"\naxis = [1, 0]\na = \"frame\"\nb = [0, 0]\n\
             [[spring]]\nname = \"s\"\na = \"frame\"\nb = [-1, 0]\nstiffness = 2000\nnatural_length = 1\n";
    for i in 0..n {
        let _ = write!(
            text,
            "[[body]]\nname = \"r{i}\"\nmass = 1\ninertia = 0.1\nat = [{i}, 0]\n\
             [[joint]]\nname = \"p{i}\"\ntype = \"revolute\"\na = \"r{i}\"\nb = \"frame.m{i}\"\n"
        );
    }
    let found = document(&mb_with(&["modes", "-", "--lowest", "420", "--json"], &text));
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    let others: Vec<_> = pairs.iter().filter(|p| p["class"]["kind"] != "rigid").collect();
    assert_eq!((pairs.len(), others.len(), found["usable"].as_bool()), (802, 2, Some(true)));
    // 100 kg and 400 rollers of 1 kg: sqrt(2000 / 500) = 2 rad/s.
    let [s, bound] = [&others[0]["im"], &others[0]["error_bound"]].map(|v| v.as_f64().unwrap());
    assert!((s.abs() - 2.0).abs() <= bound + 1e-12, "{others:?}");
}

#[test]
fn a_torque_that_turns_a_part_for_ever_is_the_reason_before_any_search() {
    let rod = |more: &str| {
        format!(
            "{HEAD}gravity = [0, -10]\n[[body]]\nname = \"rod\"\nmass = 2\ninertia = 1\nat = [0.5, 0]\nmarkers.o = [-0.5, 0]\n\
             [[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"rod.o\"\nb = [0, 0]\n\
             [[torque]]\nname = \"drive\"\non = \"rod\"\nmagnitude = {more}\n"
        )
    };
    // The weight balances up to 10 N m.
    assert_eq!(mb_with(&["equilibrium", "-"], &rod("9.9")).code, 0);
    for command in ["equilibrium", "modes"] {
        let run = mb_with(&[command, "-"], &rod("10.1"));
        let told = run.err.replace("\n  | ", " ").split_whitespace().collect::<Vec<_>>().join(" ");
        let words = "The torque 'drive' turns rod.angle (1.00), rod.y (0.50), which nothing holds in any configuration: 1.010e1 N m";
        assert!(run.code == 2 && told.contains(words), "{run:?}");
    }
    let check = mb_with(&["check", "-"], &rod("10.1"));
    assert!(
        check.code == 2 && check.out.contains("verdict: nothing to linearize at. The torque 'drive'"),
        "{check:?}"
    );
}

/// Damping by mass brakes the turn of the beam about its own axis, hardly, and leaves that of the wheel: one zero and a pair of them.
#[test]
fn a_beam_that_damping_brakes_beside_a_wheel_has_three_zeros() {
    for elements in [10, 40] {
        let text = beam_with_wheel(elements)
            .replace("[[joint]]\nname = \"hook\"", "damping = { alpha = 0.1 }\n[[joint]]\nname = \"hook\"");
        let found = document(&mb_with(&["modes", "-", "--lowest", "6", "--json"], &text));
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        let rigid = || pairs.iter().filter(|p| p["class"]["kind"] == "rigid");
        assert!(
            rigid().count() == 3 && rigid().all(|p| p["re"] == 0.0 && p["im"] == 0.0),
            "{elements}: {pairs:?}"
        );
    }
}
