//! Figures as SVG: violation and energy over time, cost of the methods side by side.

use crate::commands::simulate::Run;
use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// Colours that differ also for most colour-blind readers (Okabe and Ito).
const COLOURS: [&str; 6] = ["#000000", "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#cc79a7"];
/// What is drawn in the place of zero on a logarithmic axis.
const FLOOR: f64 = 1e-34;

/// The figures of some runs: file name and content.
pub fn figures(runs: &[Run]) -> Vec<(&'static str, String)> {
    let line = |run: &Run, of: &dyn Fn(usize) -> f64| Line {
        name: run.name.clone(),
        points: run.motion.times.iter().enumerate().map(|(i, t)| (*t, of(i).max(FLOOR).log10())).collect(),
    };
    let violation: Vec<Line> = runs.iter().map(|r| line(r, &|i| r.motion.records[i].violation)).collect();
    let drift: Vec<Line> = runs.iter().map(|r| line(r, &|i| r.motion.records[i].drift.abs())).collect();
    let mut out = vec![
        ("violation.svg", chart("Constraint violation Phi'Phi", &violation)),
        ("energy.svg", chart("Departure of the energy from its balance, J", &drift)),
    ];
    if runs.len() > 1 {
        let bars: Vec<(String, f64)> = runs.iter().map(|r| (r.name.clone(), r.seconds)).collect();
        out.push(("cost.svg", bar_chart("Computation time relative to the first method", &bars)));
    }
    out
}

struct Line {
    name: String,
    /// Time and decimal logarithm.
    points: Vec<(f64, f64)>,
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn open(title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
        escaped(title)
    )
}

/// Lines over time with a logarithmic axis.
fn chart(title: &str, lines: &[Line]) -> String {
    let all = || lines.iter().flat_map(|l| l.points.iter());
    let range = |of: fn(&(f64, f64)) -> f64| {
        all().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |r, x| (r.0.min(x), r.1.max(x)))
    };
    let ((t0, t1), (low, high)) = (range(|p| p.0), range(|p| p.1));
    let mut svg = open(title);
    if t1 > t0 {
        let (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
        let (wide, tall) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
        let x = |t: f64| LEFT + wide * (t - t0) / (t1 - t0);
        let y = |v: f64| TOP + tall * (high - v) / (high - low);
        let step = ((high - low) / 8.0).ceil();
        let mut decade = low;
        while decade <= high {
            let at = y(decade);
            let _ = writeln!(
                svg,
                "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">1e{decade:.0}</text>",
                LEFT + wide,
                LEFT - 6.0,
                at + 4.0
            );
            decade += step;
        }
        for k in 0..=5 {
            let t = t0 + (t1 - t0) * f64::from(k) / 5.0;
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{t:.4}</text>",
                x(t),
                HEIGHT - BOTTOM + 18.0
            );
        }
        let _ =
            writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">time, s</text>", LEFT + 0.45 * wide, HEIGHT - 12.0);
        for (k, line) in lines.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            let mut path = String::new();
            for (t, v) in &line.points {
                let _ = write!(path, "{:.1},{:.1} ", x(*t), y(*v));
            }
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.3\"/>",
                path.trim_end()
            );
            legend(&mut svg, k, colour, &line.name);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn legend(svg: &mut String, k: usize, colour: &str, name: &str) {
    let (x, y) = (WIDTH - RIGHT + 16.0, TOP + 14.0 + 20.0 * k as f64);
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{colour}\"/>\
         <text x=\"{}\" y=\"{y}\">{}</text>",
        y - 6.0,
        x + 20.0,
        escaped(name)
    );
}

/// Bars relative to the first one.
fn bar_chart(title: &str, bars: &[(String, f64)]) -> String {
    let mut svg = open(title);
    let first = bars.first().map_or(1.0, |b| b.1).max(1e-9);
    let largest = bars.iter().fold(1.0_f64, |m, b| m.max(b.1 / first));
    let row = (HEIGHT - TOP - 20.0) / bars.len() as f64;
    for (k, (name, value)) in bars.iter().enumerate() {
        let (ratio, y) = (value / first, TOP + row * k as f64);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{RIGHT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{ratio:.2}</text>",
            RIGHT - 8.0,
            y + 0.5 * row,
            escaped(name),
            y + 0.2 * row,
            (WIDTH - RIGHT - 80.0) * ratio / largest,
            0.6 * row,
            COLOURS[k % COLOURS.len()],
            RIGHT + (WIDTH - RIGHT - 80.0) * ratio / largest + 6.0,
            y + 0.5 * row
        );
    }
    svg.push_str("</svg>\n");
    svg
}
