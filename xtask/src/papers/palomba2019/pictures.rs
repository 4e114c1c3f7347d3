//! Figs. 2 to 5 as pictures and data.
//!
//! The data files hold what the pictures show: exact frequency and damping along the path, and the errors of every order
//! for the two readings of the operating point. What is below the noise of the eigenvalues is written as zero.
//!
//! Paper: [palomba2019] Figs. 2-5.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use std::f64::consts::TAU;
use std::fmt::Write;

use mb_chart::{Chart, Curve, Panel, Scale};

use super::arm::PAIRS;
use super::figures::{ByOrder, Errors, Measures, ORDERS};

/// Errors below these (frequency, damping, 1 - MAC) are rounding of the eigenpairs.
const NOISE: [f64; 3] = [1e-8, 1e-7, 1e-11];
/// Names of the errors, in percent but for the last.
const QUANTITIES: [(&str, f64); 3] = [("eps_f, %", 100.0), ("eps_xi, %", 100.0), ("1 - MAC", 1.0)];

/// The files: names and contents.
pub(super) fn files(measures: &Measures, length: [f64; 2]) -> Vec<(String, String)> {
    let mut out = vec![
        ("palomba2019-figure-2.svg".to_owned(), trajectory(measures)),
        ("palomba2019-arm.svg".to_owned(), arm(measures, length)),
    ];
    for (k, pair) in PAIRS.iter().enumerate() {
        let figure = k + 3;
        out.push((
            format!("palomba2019-figure-{figure}.svg"),
            chart(measures, k, pair, &measures.literal, LITERAL),
        ));
        let balanced = chart(measures, k, pair, &measures.balanced, BALANCED);
        out.push((format!("palomba2019-figure-{figure}-balanced.svg"), balanced));
        out.push((format!("palomba2019-figure-{figure}.csv"), data(measures, k)));
    }
    out
}

const LITERAL: &str = "deflections frozen";
const BALANCED: &str = "equilibrium in the expansion";

fn times(measures: &Measures) -> impl Iterator<Item = f64> + '_ {
    measures.path.iter().map(|s| s.t)
}

/// Fig. 2: angles and speeds of the joints over time.
fn trajectory(measures: &Measures) -> String {
    let curves = |of: &dyn Fn(usize, usize) -> f64, name: &str| -> Vec<Curve> {
        let one = |i: usize| {
            let points = times(measures).enumerate().map(|(k, t)| [t, of(k, i)]).collect();
            Curve::line(&format!("{name}{}", i + 1), [6, 4][i], points)
        };
        (0..2).map(one).collect()
    };
    let panel =
        |ordinate: &str, curves| Panel { ordinate: ordinate.to_owned(), scale: Scale::Linear, curves };
    let path = &measures.path;
    let panels = vec![
        panel("angle, rad", curves(&|k, i| path[k].q[i], "q")),
        panel("speed, rad/s", curves(&|k, i| path[k].qd[i], "qd")),
    ];
    let title = "Joint trajectory (adopted time law)".to_owned();
    Chart { title, abscissa: "time, s".to_owned(), panels, equal: false }.svg()
}

/// The rigid links at every tenth sample, and the line of the tip.
fn arm(measures: &Measures, [l1, l2]: [f64; 2]) -> String {
    const SCALE: f64 = 420.0;
    let place = |[x, y]: [f64; 2]| format!("{:.1} {:.1}", 60.0 + SCALE * x, 300.0 - SCALE * y);
    let mut svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 420 340\" font-family=\"sans-serif\" \
                   font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
                   <text x=\"16\" y=\"22\" font-size=\"14\">Arm at every tenth sample; path of the tip</text>\n"
        .to_owned();
    let joints = |q: [f64; 2]| {
        let elbow = [l1 * q[0].cos(), l1 * q[0].sin()];
        [[0.0; 2], elbow, [elbow[0] + l2 * q[1].cos(), elbow[1] + l2 * q[1].sin()]]
    };
    for sample in measures.path.iter().step_by(10) {
        let [base, elbow, tip] = joints(sample.q).map(place);
        let _infallible = writeln!(
            svg,
            "<path d=\"M{base}L{elbow}L{tip}\" fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\" stroke-opacity=\"0.6\"/>"
        );
    }
    let tips: Vec<String> = measures.path.iter().map(|s| place(joints(s.q)[2])).collect();
    let _infallible = writeln!(
        svg,
        "<path d=\"M{}\" fill=\"none\" stroke=\"#d55e00\" stroke-width=\"2\"/>\n</svg>",
        tips.join("L")
    );
    svg
}

/// The errors by quantity, with rounding as zero.
fn errors(errors: &Errors) -> [Vec<f64>; 3] {
    let clean = |list: &[f64], noise: f64| list.iter().map(|x| if *x < noise { 0.0 } else { *x }).collect();
    [clean(&errors.frequency, NOISE[0]), clean(&errors.damping, NOISE[1]), clean(&errors.mac, NOISE[2])]
}

/// Figs. 3-5: exact values, and the errors of all orders.
fn chart(measures: &Measures, k: usize, pair: &str, by_order: &ByOrder, reading: &str) -> String {
    let exact = |of: &dyn Fn(mb_algebra::c64) -> f64| {
        let points = times(measures).zip(&measures.exact).map(|(t, pairs)| [t, of(pairs[k])]);
        vec![Curve::line("exact", 0, points.collect())]
    };
    let panel = |ordinate: &str, scale, curves| Panel { ordinate: ordinate.to_owned(), scale, curves };
    let mut panels = vec![
        panel("f, Hz", Scale::Linear, exact(&|s| s.norm() / TAU)),
        panel("xi", Scale::Linear, exact(&|s| -s.re / s.norm())),
    ];
    for (quantity, (name, factor)) in QUANTITIES.into_iter().enumerate() {
        let curve = |(order, row): (usize, &[Errors; 3])| {
            let list = &errors(&row[k])[quantity];
            let points = times(measures).zip(list).map(|(t, x)| [t, factor * x]).collect();
            Curve::line(&format!("order {}", order + 1), order + 1, points)
        };
        let curves = by_order.iter().enumerate().map(curve).collect();
        panels.push(panel(name, Scale::Logarithmic { floor: factor * NOISE[quantity] }, curves));
    }
    let title = format!("The {pair} pair along the path: {reading}");
    Chart { title, abscissa: "time, s".to_owned(), panels, equal: false }.svg()
}

/// The numbers behind Figs. 3-5 for one pair.
fn data(measures: &Measures, k: usize) -> String {
    let mut text = "time,frequency_hz,damping_ratio".to_owned();
    let readings = [("frozen", &measures.literal), ("balanced", &measures.balanced)];
    for (name, _) in readings {
        for order in 1..=ORDERS {
            for what in ["eps_f", "eps_xi", "1-MAC"] {
                let _infallible = write!(text, ",{what} {name} order {order}");
            }
        }
    }
    text.push('\n');
    let columns: Vec<Vec<f64>> =
        readings.iter().flat_map(|(_, by_order)| by_order.iter()).flat_map(|row| errors(&row[k])).collect();
    for (i, t) in times(measures).enumerate() {
        let s = measures.exact[i][k];
        let _infallible = write!(text, "{t:.2},{:.4},{:.7}", s.norm() / TAU, -s.re / s.norm());
        for column in &columns {
            let _infallible = write!(text, ",{:.2e}", column[i]);
        }
        text.push('\n');
    }
    text
}
