//! Panels of lines with a logarithmic axis, and bars, as SVG.

use std::fmt::Write;

/// Colours of the first and second line or bar (Okabe and Ito).
const COLOURS: [&str; 2] = ["#0072b2", "#e69f00"];
const COLUMNS: usize = 3;
const WIDE: f64 = 240.0;
const TALL: f64 = 160.0;
const LEFT: f64 = 52.0;
const TOP: f64 = 34.0;
const HEAD: f64 = 40.0;

/// One line: abscissas and decimal logarithms.
pub(super) struct Line {
    pub(super) name: &'static str,
    pub(super) points: Vec<(f64, f64)>,
}

/// One panel.
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) lines: Vec<Line>,
}

/// The bars of one method.
pub(super) struct Bars {
    pub(super) title: String,
    pub(super) values: Vec<(&'static str, usize)>,
}

fn open(title: &str, width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"20\" font-size=\"14\">{title}</text>\n"
    )
}

fn legend(svg: &mut String, names: &[&str], x: f64, y: f64) {
    for (k, name) in names.iter().enumerate() {
        let at = y + 16.0 * k as f64;
        let _infallible = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{}\"/><text x=\"{}\" y=\"{at}\">{name}</text>",
            at - 6.0,
            COLOURS[k % COLOURS.len()],
            x + 20.0
        );
    }
}

/// Panels side by side, each with its own range of powers of ten.
pub(super) fn panels(title: &str, list: &[Panel]) -> String {
    let rows = list.len().div_ceil(COLUMNS);
    let (step_x, step_y) = (WIDE + LEFT + 16.0, TALL + TOP + 24.0);
    let mut svg = open(title, COLUMNS as f64 * step_x + 10.0, rows as f64 * step_y + HEAD);
    for (k, panel) in list.iter().enumerate() {
        let x = (k % COLUMNS) as f64 * step_x + LEFT;
        let y = (k / COLUMNS) as f64 * step_y + HEAD + TOP;
        one_panel(&mut svg, panel, x, y);
    }
    if let Some(panel) = list.first() {
        let names: Vec<&str> = panel.lines.iter().map(|l| l.name).collect();
        let (free, row) = (list.len() % COLUMNS, list.len() / COLUMNS);
        legend(&mut svg, &names, free as f64 * step_x + LEFT, row as f64 * step_y + HEAD + TOP + 10.0);
    }
    svg.push_str("</svg>\n");
    svg
}

fn one_panel(svg: &mut String, panel: &Panel, x: f64, y: f64) {
    let all = || panel.lines.iter().flat_map(|l| l.points.iter());
    let low = all().map(|p| p.1).fold(f64::INFINITY, f64::min).floor();
    let high = all().map(|p| p.1).fold(low + 1.0, f64::max).ceil();
    let last = all().map(|p| p.0).fold(0.0, f64::max);
    let at = |v: f64| y + TALL * (high - v) / (high - low);
    let _infallible = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{}\" font-size=\"12\">{}</text>\n<rect x=\"{x}\" y=\"{y}\" width=\"{WIDE}\" height=\"{TALL}\" fill=\"none\" stroke=\"gray\"/>",
        y - 8.0,
        panel.title
    );
    let step = ((high - low) / 6.0).ceil();
    let mut decade = low;
    while decade <= high {
        let _infallible = writeln!(
            svg,
            "<path d=\"M{x} {0:.1}h{WIDE}\" stroke=\"#ddd\"/><text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">1e{decade:.0}</text>",
            at(decade),
            x - 5.0,
            at(decade) + 4.0
        );
        decade += step;
    }
    for k in 0..=5 {
        let share = f64::from(k) / 5.0;
        let _infallible = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.0}</text>",
            x + WIDE * share,
            y + TALL + 14.0,
            last * share
        );
    }
    for (k, line) in panel.lines.iter().enumerate() {
        let mut points = String::new();
        for (t, v) in &line.points {
            let _infallible = write!(points, "{:.1},{:.1} ", x + WIDE * t / last, at(*v));
        }
        let _infallible = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"/>",
            points.trim_end(),
            COLOURS[k % COLOURS.len()]
        );
    }
}

/// Groups of horizontal bars with their numbers.
pub(super) fn bars(title: &str, groups: &[Bars]) -> String {
    const NAMES: f64 = 170.0;
    const LENGTH: f64 = 460.0;
    const BAR: f64 = 16.0;
    let most = groups.iter().flat_map(|g| &g.values).map(|v| v.1).max().unwrap_or(1).max(1);
    let rows: usize = groups.iter().map(|g| g.values.len() + 1).sum();
    let mut svg = open(title, NAMES + LENGTH + 190.0, HEAD + BAR * rows as f64 + 10.0);
    let mut y = HEAD;
    for group in groups {
        let _infallible = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-size=\"12\">{}</text>",
            NAMES - 8.0,
            y + BAR,
            group.title
        );
        for (k, (_, value)) in group.values.iter().enumerate() {
            let long = LENGTH * *value as f64 / most as f64;
            let _infallible = writeln!(
                svg,
                "<rect x=\"{NAMES}\" y=\"{}\" width=\"{long:.1}\" height=\"{}\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{}\">{value}</text>",
                y + 2.0,
                BAR - 3.0,
                COLOURS[k % COLOURS.len()],
                NAMES + long + 5.0,
                y + BAR - 3.0
            );
            y += BAR;
        }
        y += BAR;
    }
    if let Some(group) = groups.first() {
        let names: Vec<&str> = group.values.iter().map(|v| v.0).collect();
        legend(&mut svg, &names, NAMES + LENGTH + 80.0, HEAD + 10.0);
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_holds_its_line_inside_its_frame() {
        let points = vec![(0.0, -12.5), (2.5, -11.0), (5.0, -10.2)];
        let svg = panels("t", &[Panel { title: "p".to_owned(), lines: vec![Line { name: "a", points }] }]);
        // From 1e-13 at the bottom to 1e-10 at the top: the middle point is two thirds up.
        let (x, y) = (LEFT + 0.5 * WIDE, HEAD + TOP + TALL * (1.0 / 3.0));
        assert!(svg.contains(&format!("{x:.1},{y:.1} ")), "{svg}");
        assert!(svg.contains(">1e-13<") && svg.contains(">1e-10<") && !svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn bars_are_as_long_as_their_numbers() {
        let group = |n: usize| Bars { title: "m".to_owned(), values: vec![("a", n)] };
        let svg = bars("t", &[group(50), group(100)]);
        assert!(svg.contains("width=\"230.0\"") && svg.contains("width=\"460.0\""), "{svg}");
    }
}
