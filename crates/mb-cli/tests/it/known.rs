//! Eigenvalues of steady motions that are known beforehand: zeros of what can be ignored, and what goes round in the frame of a free body.

use crate::support::mb_with;
use serde_json::Value;

/// s and error bound of every eigenvalue.
fn eigenvalues(text: &str, args: &[&str]) -> Vec<[f64; 3]> {
    let all = ["modes", "-", "--json"].iter().chain(args);
    let run = mb_with(&all.copied().collect::<Vec<_>>(), text);
    assert_eq!(run.code, 0, "{run:?}");
    let found: Value = serde_json::from_str(&run.out).unwrap();
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap().clone();
    let number = |p: &Value, key: &str| p[key].as_f64().unwrap_or(f64::INFINITY);
    pairs.iter().map(|p| ["re", "im", "error_bound"].map(|key| number(p, key))).collect()
}

/// A top in steady precession P about the vertical at an angle, with lengths in `per_metre` and masses in `per_kilogram`, and the
/// frequency of its nutation: A w^2 = V'' of the effective potential with both momenta kept,
///
/// ```text
/// V = N^2 / (2 A) + m g h cos,   N = (L_z - L_3 cos) / sin,   N' = L_3 - N cot,   V'' = (N'^2 + N N'') / A - m g h cos
/// ```
fn top(angle: f64, p: f64, [per_metre, per_kilogram]: [f64; 2]) -> (String, f64) {
    let (m, h, axial, across, g) = (0.5, 0.06, 5e-4, 4e-4, 9.81);
    let a = across + m * h * h;
    let (sin, cos) = angle.sin_cos();
    let n = (m * g * h + a * p * p * cos) / (axial * p);
    let (l3, own) = (axial * n, n - p * cos);
    let momentum = (a * p * sin * sin + l3 * cos - l3 * cos) / sin;
    let first = l3 - momentum * cos / sin;
    let second = momentum / (sin * sin) - first * cos / sin;
    let nutation = (((first * first + momentum * second) / a - m * g * h * cos) / a).sqrt();
    let inertia = per_kilogram * per_metre * per_metre;
    let text = format!(
        "units = 'SI'\nname = 'top'\ngravity = [0, 0, {}]
        spatial-body = [{{ name = 'top', mass = {}, inertia = [{across}*{inertia}, {across}*{inertia}, {axial}*{inertia}],
            center_of_mass = [0, 0, {}], at = [0, 0, 0], orientation = {{ axis = [0, 1, 0], angle = {angle} }},
            angular_velocity = [{}, 0, {}] }}]
        joint = [{{ name = 'tip', type = 'spherical', a = 'top', b = [0, 0, 0] }}]",
        -g * per_metre,
        m * per_kilogram,
        h * per_metre,
        own * sin,
        p + own * cos
    )
    .replace('\'', "\"")
    .replacen(&format!("{across}*{inertia}"), &format!("\"{across}*{inertia}\""), 2)
    .replace(&format!("{axial}*{inertia}"), &format!("\"{axial}*{inertia}\""));
    (text, nutation)
}

/// With part of the spectrum asked for, too, the turns of a top are four exact zeros, in any units, and nutation is that of the closed form.
#[test]
fn zeros_of_a_precessing_top_are_exact_whatever_is_asked_for() {
    for units in [[1.0, 1.0], [1e3, 1e-3]] {
        for (degrees, p) in [(5.0_f64, 10.0), (30.0, 10.0), (60.0, 60.0), (90.0, 2.0), (120.0, -30.0)] {
            let (text, nutation) = top(degrees.to_radians(), p, units);
            for args in [&["--moving"][..], &["--moving", "--lowest", "6"]] {
                let found = eigenvalues(&text, args);
                let case = format!("{units:?} {degrees} {p} {args:?}: {found:?}");
                assert_eq!(found.len(), 6, "{case}");
                assert_eq!(found.iter().filter(|s| s[0] == 0.0 && s[1] == 0.0).count(), 4, "{case}");
                for s in &found[4..] {
                    let off = s[0].hypot(s[1].abs() - nutation);
                    assert!(off <= s[2] + 1e-11 * nutation && s[2] < 1e-6, "{case} {nutation}");
                }
            }
        }
    }
}

/// A free hub with two elastic booms that turns with W: seen from it, shifts and tilts go round with W, and drifts too. Their
/// bounds are those of rounding, not those of a chain of stiff entries.
#[test]
fn a_free_satellite_with_booms_has_tight_bounds_in_its_own_frame() {
    let text = r#"
        units = "SI"
        name = "satellite"
        gravity = [0, 0, 0]
        parameters = { W = 1.0 }
        spatial-body = [{ name = "hub", mass = 100, inertia = [20, 25, 30], at = [0, 0, 0], markers = { p = [0.5, 0, 0], m = [-0.5, 0, 0] } }]
        beam = [
            { name = "right", from = [0.5, 0, 0], to = [4.5, 0, 0], elements = 2, density = 2700, youngs_modulus = 7e10, poissons_ratio = 0.3, section = { radius = 0.02 } },
            { name = "left", from = [-0.5, 0, 0], to = [-4.5, 0, 0], elements = 2, density = 2700, youngs_modulus = 7e10, poissons_ratio = 0.3, section = { radius = 0.02 } },
        ]
        joint = [
            { name = "jr", type = "fixed", a = "hub.p", b = "right.start" },
            { name = "jl", type = "fixed", a = "hub.m", b = "left.start" },
        ]
        steady-rotation = [{ name = "spin", bodies = ["hub", "right", "left"], axis = [0, 0, 1], through = [0, 0, 0], speed = "W" }]
    "#;
    let found = eigenvalues(text, &[]);
    assert_eq!(found.len(), 108);
    let rigid: Vec<&[f64; 3]> = found.iter().filter(|s| s[0] == 0.0 && s[1] == 0.0).collect();
    let round: Vec<&[f64; 3]> =
        found.iter().filter(|s| s[0].hypot(s[1].abs() - 1.0) <= s[2] + 1e-9).collect();
    // The shift along the axis and the turn about it, with their drifts; shifts and tilts across, with the drifts of the shifts.
    assert_eq!((rigid.len(), round.len()), (4, 6), "{rigid:?} {round:?}");
    assert!(rigid.iter().chain(&round).all(|s| s[2] < 1e-9), "{rigid:?} {round:?}");
}

/// A free unsymmetric body that turns about its axis of the largest moment: w_n = W sqrt((C - A) (C - B) / (A B)), in any frame speed.
#[test]
fn a_free_body_nutates_beside_what_goes_round() {
    let (a, b, c) = (2.0_f64, 3.0, 4.0);
    for w in [0.01, 1.0, 50.0] {
        let text = format!(
            "units = \"SI\"\nname = \"body\"\ngravity = [0, 0, 0]
            spatial-body = [{{ name = \"b\", mass = 5, inertia = [{a}, {b}, {c}], at = [0.3, -0.2, 0.1], angular_velocity = [0, 0, {w}] }}]"
        );
        let nutation = w * ((c - a) * (c - b) / (a * b)).sqrt();
        for args in [&["--moving"][..], &["--moving", "--lowest", "6"]] {
            let found = eigenvalues(&text, args);
            let near = |x: f64| {
                found
                    .iter()
                    .filter(|s| s[0].hypot(s[1].abs() - x) <= s[2] + 1e-13 * x && s[2] <= 1e-11 * w)
                    .count()
            };
            assert_eq!((near(0.0), near(w), near(nutation)), (4, 6, 2), "{w} {args:?}: {found:?}");
        }
    }
}
