//! Figures as SVG: outputs, violation and energy over time, cost of the methods side by side.

use crate::commands::simulate::Run;
use crate::names;
use mb_chart::{COLOURS, Chart, Curve, Panel, Scale, escaped};
use mb_constraints::simulate::Record;
use mb_model::Model;
use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 40.0;
/// Values below this have no place on a logarithmic axis: exact zeros, such as those of the start.
const FLOOR: f64 = 1e-34;

/// Most panels of a figure.
const PANELS: usize = 12;

/// The figures of some runs as SVG, each with the name of its file without ending.
pub fn figures(model: &Model, runs: &[Run]) -> Vec<(&'static str, String)> {
    let over_time = |title: &str, of: &dyn Fn(&Run, usize) -> f64| {
        let curve = |(k, run): (usize, &Run)| {
            // What has no place is not drawn, but the axis of the time has its own beginning.
            let drawn = |x: f64| if x >= FLOOR { x } else { f64::NAN };
            let points = run.motion.times.iter().enumerate().map(|(i, t)| [*t, drawn(of(run, i))]);
            Curve::line(&run.name, k, points.collect())
        };
        let curves = runs.iter().enumerate().map(curve).collect();
        let scale = Scale::Logarithmic { floor: FLOOR };
        let panels = vec![Panel { ordinate: String::new(), scale, curves }];
        Chart { title: title.to_owned(), abscissa: "time, s".to_owned(), panels, equal: false }.svg()
    };
    let violation = |run: &Run, i: usize| run.motion.records[i].violation;
    let mut out: Vec<(&'static str, String)> = shown(model, runs).into_iter().collect();
    out.extend([
        ("violation", over_time("Constraint violation Phi'Phi", &violation)),
        ("energy", energy(runs)),
    ]);
    if runs.len() > 1 {
        let bars: Vec<Bar> = runs
            .iter()
            .map(|r| Bar {
                name: r.name.clone(),
                seconds: r.seconds,
                evaluations: r.motion.statistics.evaluations,
            })
            .collect();
        out.push(("cost", bar_chart("Computation time relative to the first method", &bars)));
    }
    out
}

fn with_unit(name: String, unit: &str) -> String {
    if unit.is_empty() { name } else { format!("{name}, {unit}") }
}

/// Outputs over time, one panel each; of a model without outputs its coordinates.
fn shown(model: &Model, runs: &[Run]) -> Option<(&'static str, String)> {
    let outputs = !model.sensors().is_empty();
    let ordinates: Vec<String> = if outputs {
        model.sensors().iter().map(|s| with_unit(s.name.clone(), s.reading.unit())).collect()
    } else {
        let heads = names::configuration(model).into_iter().zip(names::units(model));
        heads.map(|(name, unit)| with_unit(name, unit)).collect()
    };
    let (file, word) = if outputs { ("outputs", "Outputs") } else { ("coordinates", "Coordinates") };
    let count = ordinates.len();
    let title = if count > PANELS {
        format!("{word} over time, {PANELS} of {count}")
    } else {
        format!("{word} over time")
    };
    let values: Vec<Vec<Vec<f64>>> = runs
        .iter()
        .map(|run| {
            if outputs {
                run.motion.outputs(model)
            } else {
                (0..run.motion.len()).map(|i| run.motion.q_at(i).to_vec()).collect()
            }
        })
        .collect();
    let several = runs.len() > 1;
    let panel = |(k, ordinate): (usize, String)| {
        let curve = |(r, run): (usize, &Run)| {
            let points = run.motion.times.iter().zip(&values[r]).map(|(t, row)| [*t, row[k]]).collect();
            Curve::line(if several { &run.name } else { "" }, r, points)
        };
        Panel { ordinate, scale: Scale::Linear, curves: runs.iter().enumerate().map(curve).collect() }
    };
    let panels: Vec<Panel> = ordinates.into_iter().enumerate().take(PANELS).map(panel).collect();
    (count > 0).then(|| (file, Chart { title, abscissa: "time, s".to_owned(), panels, equal: false }.svg()))
}

/// Kinetic and potential energy of the first run, and how far each run's balance is off.
fn energy(runs: &[Run]) -> String {
    let curve = |name: &str, colour, run: &Run, of: &dyn Fn(&Record) -> f64| {
        let points = run.motion.times.iter().zip(&run.motion.records).map(|(t, r)| [*t, of(r)]);
        Curve::line(name, colour, points.collect())
    };
    let first = runs.first().map_or_else(Vec::new, |run| {
        vec![curve("kinetic", 6, run, &|r| r.kinetic), curve("potential", 4, run, &|r| r.potential)]
    });
    let off = runs.iter().enumerate().map(|(k, run)| {
        let mut curve = curve(&run.name, k, run, &|r| r.drift.abs());
        for point in curve.points.iter_mut().filter(|p| p[1] < FLOOR) {
            point[1] = f64::NAN;
        }
        curve
    });
    let panels = vec![
        Panel { ordinate: "energy, J".to_owned(), scale: Scale::Linear, curves: first },
        Panel {
            ordinate: "departure from the balance, J".to_owned(),
            scale: Scale::Logarithmic { floor: FLOOR },
            curves: off.collect(),
        },
    ];
    Chart { title: "Energy over time".to_owned(), abscissa: "time, s".to_owned(), panels, equal: false }.svg()
}

/// One method's cost.
struct Bar {
    name: String,
    seconds: f64,
    evaluations: usize,
}

/// Bars relative to the first one, with the evaluations next to them, which no machine changes.
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
