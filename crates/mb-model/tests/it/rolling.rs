//! Velocity rows: rolling wheels, knife edges, and one from outside the crate.

use mb_model::coordinates::BlockKind;
use mb_model::element::{ElementLaw, Local};
use mb_model::{Element, Model, Wiring};
use mb_scalar::Lift;

/// A row whose coefficients and given part depend on configuration and time: (cos t + x) x' + y y' - sin(3 t) y = 0.
#[derive(Debug)]
struct Belt;

impl ElementLaw<f64> for Belt {
    fn rows(&self) -> usize {
        1
    }
    fn velocity_rows(&self) -> usize {
        1
    }
    fn rates<S: Lift<f64>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let (x, y) = (at.q[0], at.q[1]);
        out[0] = (at.t.sin_cos().1 + x) * at.v[0] + y * at.v[1] - (at.t * S::cst(3.0)).sin_cos().0 * y;
    }
}

/// A wheel on a plate that moves, a ball on a slope, edges in space and in the plane, and a belt; nothing vanishes by chance.
pub(crate) fn model() -> Model {
    let text = r#"
        units = "SI"
        name = "rolling"
        gravity = [0.3, -0.2, -9.81]
        spatial-body = [
            { name = "plate", mass = 2, inertia = [0.3, 0.4, 0.5], at = [0.1, 0.2, -0.1], orientation = { axis = [1, 2, 3], angle = 0.4 } },
            { name = "wheel", mass = 1, inertia = [0.1, 0.2, 0.1], at = [0.5, -0.3, 0.6], orientation = { axis = [2, -1, 1], angle = 0.9 }, center_of_mass = [0.01, 0.02, 0.03] },
            { name = "hoop", mass = 1, inertia = [0.1, 0.2, 0.1], at = [0.2, 0.3, 0.5], orientation = { axis = [1, -3, 2], angle = 0.7 } },
        ]
        body = [{ name = "sled", mass = 1, inertia = 0.2, at = [0.4, 0.7], angle = 0.3 }]
        point = [{ name = "P", at = [0.3, 0.8], mass = 1 }]
        rolling = [
            { name = "disc", wheel = "wheel", plane = "plate", axle = [0.1, 1, 0.2], radius = 0.3, tread = 0.05, normal = [0.1, 0, 1] },
            { name = "ball", wheel = "wheel", normal = [0.2, 0, 1], radius = 0.4 },
            { name = "hill", wheel = "hoop", plane = "plate", axle = [0.1, 1, 0.3], radius = 0.3, tread = 0.04, normal = [0.1, 0, 1], profile = "0.1*cos(2*x) + 0.05*x", ahead = [1, 0.4, 0.3] },
            { name = "dale", wheel = "hoop", radius = 0.2, profile = "0.1*x^2 - 0.05*sin(x)" },
        ]
        knife-edge = [
            { name = "skate", edge = "wheel", heading = [1, 0.2, 0.1] },
            { name = "keel", edge = "sled", heading = [1, 0.3] },
        ]
        output = [
            { name = "slip", quantity = "violation", of = "disc", axis = "no slip across" },
            { name = "friction", quantity = "multiplier", of = "disc", axis = "no slip along" },
        ]
    "#;
    let mut m = Model::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    let id = m.add_block("more", BlockKind::PlanarPoint, &[0.2, -0.5]);
    let mut wiring = Wiring::default();
    let _ = m.place(&mut wiring, id, [0.0; 2]);
    m.add_element("belt", Element::custom(Belt), wiring.into_blocks(), Vec::new());
    m
}

#[test]
fn rows_are_named_and_known_as_velocity_rows() {
    let m = model();
    let names: Vec<String> = (0..m.nc()).map(|i| m.row_name(i)).collect();
    let rows = m.velocity_rows();
    assert_eq!(rows.iter().filter(|x| **x).count(), 11);
    for (name, velocity) in names.iter().zip(&rows) {
        assert_eq!(*velocity, !name.contains("touch"), "{name}");
    }
}

/// A thin disc with heading, lean and spin: its centre has v = w x (c - p) and its rows are zero; a tread moves the contact.
#[test]
fn a_rolling_disc_has_the_velocity_of_the_closed_form() {
    for tread in [0.0, 0.04] {
        let (radius, lean, heading) = (0.3, 0.35_f64, 0.8_f64);
        let text = format!(
            r#"
            units = "SI"
            name = "disc"
            spatial-body = [{{ name = "d", mass = 1, inertia = [1, 1, 1], at = [0, 0, 1] }}]
            rolling = [{{ name = "contact", wheel = "d", axle = [0, 1, 0], radius = {radius}, tread = {tread} }}]
        "#
        );
        let m = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
        // Turned about z by the heading, then about the new x by the lean.
        let (sh, ch) = (0.5 * heading).sin_cos();
        let (sl, cl) = (0.5 * lean).sin_cos();
        let height = radius * lean.cos() + tread;
        let q = [0.7, -0.2, height, ch * cl, ch * sl, sh * sl, sh * cl];
        assert!(m.phi(&q, 0.0)[0].abs() < 1e-15);
        // Angular velocity in body axes; the contact is below the centre in the plane of the disc, and below the tread.
        let w = [0.4, -2.0, 0.9];
        let body_arm = [0.0, -tread * lean.sin(), -radius - tread * lean.cos()];
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let v = cross(w, body_arm).map(|x| -x);
        // To the ground: lean about x, then heading about z.
        let leaned = [v[0], lean.cos() * v[1] - lean.sin() * v[2], lean.sin() * v[1] + lean.cos() * v[2]];
        let (s, c) = heading.sin_cos();
        let ground = [c * leaned[0] - s * leaned[1], s * leaned[0] + c * leaned[1], leaned[2]];
        let all = [ground[0], ground[1], ground[2], w[0], w[1], w[2]];
        for x in m.phi_dot(&q, &all, 0.0) {
            assert!(x.abs() < 1e-14, "{x}");
        }
    }
}

/// Where a ball, and an upright disc with a heading and a thin or rounded tread, touch a profile is known beforehand from the contact: the centre is a radius away
/// along the normal of the curve in their plane. There the touch is zero, farther off it is the distance, and what turns by w about the contact
/// does not slip.
#[test]
fn what_rolls_on_a_profile_touches_it_along_its_normal() {
    let radius = 0.2;
    let disc = "axle = [0, 1, 0],";
    let rounded = "axle = [0, 1, 0], tread = 0.05,";
    for (axle, heading, tread) in
        [("", 0.0_f64, 0.0), (disc, 0.0, 0.0), (disc, 0.7, 0.0), (rounded, 0.0, 0.05), (rounded, 0.7, 0.05)]
    {
        let text = format!(
            r#"
            units = "SI"
            name = "hills"
            spatial-body = [{{ name = "d", mass = 1, inertia = [1, 1, 1], at = [0, 0, 1] }}]
            rolling = [{{ name = "contact", wheel = "d", radius = {radius}, {axle} profile = "0.2*sin(1.5*x) + 0.1*x" }}]
        "#
        );
        let m = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
        let (sin, cos) = heading.sin_cos();
        for x in [-1.3_f64, -0.4, 0.0, 0.6, 2.1] {
            let (h, slope) = (0.2 * (1.5 * x).sin() + 0.1 * x, 0.3 * (1.5 * x).cos() + 0.1);
            let ahead = slope * cos;
            let length = ahead.hypot(1.0);
            let steep = slope.hypot(1.0);
            let normal = [-slope / steep, 0.0, 1.0 / steep];
            // To the circle in the plane of the disc, and on to its tread along the normal.
            let circle = [-ahead * cos, -ahead * sin, 1.0].map(|c| -radius * c / length);
            let arm: [f64; 3] = std::array::from_fn(|i| circle[i] - tread * normal[i]);
            let (s2, c2) = (0.5 * heading).sin_cos();
            let at = |off: f64| {
                let c: [f64; 3] = std::array::from_fn(|i| [x, 0.3, h][i] - arm[i] + off * normal[i]);
                [c[0], c[1], c[2], c2, 0.0, 0.0, s2]
            };
            assert!(m.phi(&at(0.0), 0.0)[0].abs() < 1e-14, "{axle} {heading} {x}");
            let h = 1e-6;
            let slope = (m.phi(&at(h), 0.0)[0] - m.phi(&at(-h), 0.0)[0]) / (2.0 * h);
            assert!((slope - 1.0).abs() < 1e-8, "{axle} {heading} {x}: {slope}");
            // Angular velocity in body axes, and in the ground's.
            let w = [0.4, -2.0, 0.9];
            let g = [cos * w[0] - sin * w[1], sin * w[0] + cos * w[1], w[2]];
            let v =
                [arm[1] * g[2] - arm[2] * g[1], arm[2] * g[0] - arm[0] * g[2], arm[0] * g[1] - arm[1] * g[0]];
            for x in m.phi_dot(&at(0.0), &[v[0], v[1], v[2], w[0], w[1], w[2]], 0.0) {
                assert!(x.abs() < 1e-13, "{axle} {heading}: {x}");
            }
        }
    }
}

#[test]
fn messages_name_what_is_wrong() {
    let with = |rolling: &str| {
        let text = format!(
            r#"
            units = "SI"
            name = "t"
            spatial-body = [{{ name = "d", mass = 1, inertia = [1, 1, 1], at = [0, 0, 1] }}]
            body = [{{ name = "b", mass = 1, inertia = 1, at = [0, 0] }}]
            {rolling}
        "#
        );
        Model::from_toml(&text).err().map_or_else(String::new, |e| e.to_string())
    };
    for (table, words) in [
        (r#"rolling = [{ name = "r", wheel = "d", axle = [0, 0, 1], radius = 1 }]"#, "lies flat"),
        (r#"rolling = [{ name = "r", wheel = "d", axle = [0, 1, 0], radius = 0 }]"#, "radius"),
        (r#"rolling = [{ name = "r", wheel = "d", axle = [0, 1, 0], radius = 1, tread = -1 }]"#, "tread"),
        (r#"rolling = [{ name = "r", wheel = "d", radius = 1, tread = 1 }]"#, "axle"),
        (r#"rolling = [{ name = "r", wheel = "b", radius = 1 }]"#, "spatial"),
        (r#"rolling = [{ name = "r", wheel = "d", radius = 1, plane = "d" }]"#, "'d'"),
        (r#"rolling = [{ name = "r", wheel = "d", radius = 1, profile = "sin(y)" }]"#, "y"),
        (r#"rolling = [{ name = "r", wheel = "d", radius = 1, profile = "sin(t)" }]"#, "t"),
        (r#"rolling = [{ name = "r", wheel = "d", radius = 1, profile = "x", ahead = [0, 0, 1] }]"#, "ahead"),
        (r#"rolling = [{ name = "r", wheel = "d", radius = 1, ahead = [1, 0, 0] }]"#, "profile"),
        (r#"knife-edge = [{ name = "k", edge = "d", heading = [0, 0, 1] }]"#, "heading"),
        (r#"knife-edge = [{ name = "k", edge = [0, 0], heading = [1, 0] }]"#, "moves"),
    ] {
        let found = with(table);
        assert!(found.contains(words), "{table}: {found}");
    }
    assert_eq!(with(r#"knife-edge = [{ name = "k", edge = "b", heading = [1, 0] }]"#), "");
}
