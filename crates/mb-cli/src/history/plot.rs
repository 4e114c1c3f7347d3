//! Figures as SVG: violation and energy over time, cost of the methods side by side.

use crate::commands::simulate::Run;
use mb_chart::{COLOURS, Chart, Curve, Panel, Scale, escaped};
use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 40.0;
/// Values below this have no place on a logarithmic axis: exact zeros, such as those of the start.
const FLOOR: f64 = 1e-34;

/// The figures of some runs: file name and content.
pub fn figures(runs: &[Run]) -> Vec<(&'static str, String)> {
    let over_time = |title: &str, of: &dyn Fn(&Run, usize) -> f64| {
        let curve = |(k, run): (usize, &Run)| {
            let points = run.motion.times.iter().enumerate().map(|(i, t)| [*t, of(run, i)]);
            Curve::line(&run.name, k, points.filter(|p| p[1] >= FLOOR).collect())
        };
        let curves = runs.iter().enumerate().map(curve).collect();
        let scale = Scale::Logarithmic { floor: FLOOR };
        let panels = vec![Panel { ordinate: String::new(), scale, curves }];
        Chart { title: title.to_owned(), abscissa: "time, s".to_owned(), panels }.svg()
    };
    let violation = |run: &Run, i: usize| run.motion.records[i].violation;
    let drift = |run: &Run, i: usize| run.motion.records[i].drift.abs();
    let mut out = vec![
        ("violation.svg", over_time("Constraint violation Phi'Phi", &violation)),
        ("energy.svg", over_time("Departure of the energy from its balance, J", &drift)),
    ];
    if runs.len() > 1 {
        let bars: Vec<Bar> = runs
            .iter()
            .map(|r| Bar {
                name: r.name.clone(),
                seconds: r.seconds,
                evaluations: r.motion.statistics.evaluations,
            })
            .collect();
        out.push(("cost.svg", bar_chart("Computation time relative to the first method", &bars)));
    }
    out
}

/// One method's cost.
struct Bar {
    name: String,
    seconds: f64,
    evaluations: usize,
}

/// Bars relative to the first one, with the evaluations beside them, which no machine changes.
fn bar_chart(title: &str, bars: &[Bar]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
        escaped(title)
    );
    let first = bars.first().map_or(1.0, |b| b.seconds).max(1e-9);
    let largest = bars.iter().fold(1.0_f64, |m, b| m.max(b.seconds / first));
    let room = WIDTH - RIGHT - 170.0;
    let row = (HEIGHT - TOP - 20.0) / bars.len() as f64;
    for (k, bar) in bars.iter().enumerate() {
        let (ratio, y) = (bar.seconds / first, TOP + row * k as f64);
        let long = room * ratio / largest;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{RIGHT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{ratio:.2}, {} evaluations</text>",
            RIGHT - 8.0,
            y + 0.5 * row + 4.0,
            escaped(&bar.name),
            y + 0.2 * row,
            long,
            0.6 * row,
            COLOURS[k % COLOURS.len()],
            RIGHT + long + 6.0,
            y + 0.5 * row + 4.0,
            bar.evaluations
        );
    }
    svg.push_str("</svg>\n");
    svg
}
