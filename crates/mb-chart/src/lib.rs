//! Curves over one quantity as SVG: panels that share the abscissa, lines, points, bands.
//!
#![doc = include_str!("../README.md")]

mod letters;
mod marks;
mod pdf;
mod png;
mod raster;

pub use pdf::pdf;
pub use raster::{PixelError, png};

use std::fmt::Write as _;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 84.0;
/// Room to the right for the names of curves, and without any.
const RIGHT: [f64; 2] = [210.0, 24.0];
const TOP: f64 = 44.0;
const BOTTOM: f64 = 48.0;
/// Height of one panel, and between two.
const PANEL: f64 = 220.0;
const GAP: f64 = 22.0;
/// Colours that differ also for most colour-blind readers (Okabe and Ito).
pub const COLOURS: [&str; 7] = ["#000000", "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#cc79a7", "#0072b2"];

/// How values become heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// In proportion.
    Linear,
    /// Decimal logarithms; smaller values than this are drawn there.
    Logarithmic {
        /// Smallest value drawn, positive.
        floor: f64,
    },
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line through the points.
    Line,
    /// A circle at every point.
    Points,
    /// A broken line through the points.
    Dashes,
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend; none when empty.
    pub name: String,
    /// Which of the [`COLOURS`], from 0; they repeat.
    pub colour: usize,
    /// Abscissa and value; where a number is not finite the line is broken.
    pub points: Vec<[f64; 2]>,
    /// Line or points.
    pub mark: Mark,
    /// Half the width of a band around the line, one number for each point; empty for none.
    pub band: Vec<f64>,
}

impl Curve {
    /// A line.
    pub fn line(name: &str, colour: usize, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.to_owned(), colour, points, mark: Mark::Line, band: Vec::new() }
    }
    /// A broken line.
    pub fn dashes(name: &str, colour: usize, points: Vec<[f64; 2]>) -> Self {
        Self { mark: Mark::Dashes, ..Self::line(name, colour, points) }
    }
    /// Points.
    pub fn dots(name: &str, colour: usize, points: Vec<[f64; 2]>) -> Self {
        Self { mark: Mark::Points, ..Self::line(name, colour, points) }
    }
}

/// Curves over a common ordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What the ordinate is, with its unit.
    pub ordinate: String,
    /// Proportional or logarithmic.
    pub scale: Scale,
    /// The curves, drawn in this order.
    pub curves: Vec<Curve>,
}

/// Panels one above the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Its title.
    pub title: String,
    /// What the abscissa is, with its unit.
    pub abscissa: String,
    /// The panels from above.
    pub panels: Vec<Panel>,
}

impl Chart {
    /// The chart as SVG. Numbers are rounded to a tenth of a unit, so that round-off of the values does not show.
    pub fn svg(&self) -> String {
        let count = self.panels.len() as f64;
        let height = TOP + PANEL * count + GAP * (count - 1.0).max(0.0) + BOTTOM;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
            escaped(&self.title)
        );
        let all = self.panels.iter().flat_map(|p| &p.curves).flat_map(|c| &c.points).map(|p| p[0]);
        let named = self.panels.iter().flat_map(|p| &p.curves).any(|c| !c.name.is_empty());
        let right = WIDTH - RIGHT[usize::from(!named)];
        let across = Axis::linear(range(all), false, [LEFT, right]);
        for (k, panel) in self.panels.iter().enumerate() {
            let top = TOP + (PANEL + GAP) * k as f64;
            draw(&mut svg, panel, across, right, top);
        }
        let foot = height - BOTTOM;
        for x in across.ticks() {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                place(across.at(x)),
                place(foot + 16.0),
                across.word(x)
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            place(0.5 * (LEFT + right)),
            place(foot + 36.0),
            escaped(&self.abscissa)
        );
        svg.push_str("</svg>\n");
        svg
    }
}

/// Text as it stands inside SVG.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Far outside every picture.
const FURTHEST: f64 = 1e6;

/// A coordinate to a tenth, without minus zero; always finite.
fn place(x: f64) -> String {
    let x = if x.is_finite() { x.clamp(-FURTHEST, FURTHEST) } else { 0.0 };
    format!("{:.1}", (x * 10.0).round() / 10.0 + 0.0)
}

/// Values beyond this are drawn there.
const LARGEST: f64 = 1e300;

/// Least and largest of the finite numbers; 0 and 1 when there are none.
fn range(list: impl Iterator<Item = f64>) -> [f64; 2] {
    let start = [f64::INFINITY, f64::NEG_INFINITY];
    // The difference of two numbers of this size is finite.
    let [low, high] = list
        .filter(|x| x.is_finite())
        .map(|x| x.clamp(-LARGEST, LARGEST))
        .fold(start, |[a, b], x| [a.min(x), b.max(x)]);
    if low <= high { [low, high] } else { [0.0, 1.0] }
}

/// From values to places.
#[derive(Clone, Copy, Debug)]
struct Axis {
    from: f64,
    to: f64,
    step: f64,
    logarithmic: bool,
    places: [f64; 2],
}

impl Axis {
    /// Steps of 1, 2 or 5 times a power of ten; `round` ends the axis at a step.
    fn linear([low, high]: [f64; 2], round: bool, places: [f64; 2]) -> Self {
        let size = low.abs().max(high.abs());
        if size < f64::MIN_POSITIVE / 1e-9 {
            // Zero throughout has no unit of its own: the one tick is at zero.
            return Self { from: -1.0, to: 1.0, step: 2.0, logarithmic: false, places };
        }
        // A constant gets room in proportion around it.
        let (low, high) =
            if high - low > 1e-9 * size { (low, high) } else { (low - 0.5 * size, high + 0.5 * size) };
        let rough = (high - low) / 5.0;
        let unit = 10.0_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * unit).into_iter().find(|s| *s >= rough).unwrap_or(unit);
        let (from, to) =
            if round { ((low / step).floor() * step, (high / step).ceil() * step) } else { (low, high) };
        Self { from, to, step, logarithmic: false, places }
    }
    /// Whole decades.
    fn decades([low, high]: [f64; 2], floor: f64, places: [f64; 2]) -> Self {
        let from = low.max(floor).log10().floor();
        let to = high.max(floor).log10().ceil().max(from + 1.0);
        Self { from, to, step: ((to - from) / 8.0).ceil(), logarithmic: true, places }
    }
    fn at(&self, x: f64) -> f64 {
        let x = x.clamp(-LARGEST, LARGEST);
        self.places[0] + (self.places[1] - self.places[0]) * (x - self.from) / (self.to - self.from)
    }
    /// The place of a value, inside the axis.
    fn inside(&self, x: f64) -> f64 {
        let x = if self.logarithmic { x.max(f64::MIN_POSITIVE).log10() } else { x };
        self.at(x.clamp(self.from, self.to))
    }
    fn ticks(&self) -> Vec<f64> {
        let first = (self.from / self.step - 1e-9).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a dozen steps")]
        let count = ((self.to - first * self.step) / self.step + 1e-9).floor().clamp(0.0, 20.0) as usize;
        (0..=count).map(|k| (first + k as f64) * self.step).collect()
    }
    fn word(&self, x: f64) -> String {
        if self.logarithmic {
            return format!("1e{x:.0}");
        }
        let largest = self.from.abs().max(self.to.abs());
        if !(1e-3..1e6).contains(&largest) {
            return format!("{:.2e}", x + 0.0);
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 17")]
        let decimals = (-self.step.log10().floor()).clamp(0.0, 17.0) as usize;
        let rounded = if x.abs() < 1e-9 * self.step { 0.0 } else { x };
        format!("{rounded:.decimals$}")
    }
}

/// One panel with its legend.
fn draw(svg: &mut String, panel: &Panel, across: Axis, right: f64, top: f64) {
    let places = [top + PANEL, top];
    let bounds = panel.curves.iter().flat_map(|c| {
        c.points.iter().enumerate().flat_map(|(i, p)| {
            let half = c.band.get(i).copied().filter(|h| h.is_finite()).unwrap_or(0.0);
            [p[1] - half, p[1] + half]
        })
    });
    let up = match panel.scale {
        Scale::Linear => Axis::linear(range(bounds), true, places),
        Scale::Logarithmic { floor } => Axis::decades(range(bounds.filter(|y| *y > 0.0)), floor, places),
    };
    let line = |svg: &mut String, x: [f64; 2], y: [f64; 2], colour: &str| {
        let _ = writeln!(
            svg,
            "<path d=\"M{} {}L{} {}\" stroke=\"{colour}\" fill=\"none\"/>",
            place(x[0]),
            place(y[0]),
            place(x[1]),
            place(y[1])
        );
    };
    let values = panel.curves.iter().flat_map(|c| &c.points).map(|p| p[1]).filter(|y| !y.is_nan());
    let logarithmic = panel.scale != Scale::Linear;
    let empty = !values.clone().any(|y| !logarithmic || y > 0.0);
    if empty {
        let words = if logarithmic { "zero throughout" } else { "no values" };
        let [x, y] = [0.5 * (LEFT + right), top + 0.5 * PANEL].map(place);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{words}</text>");
    }
    for y in up.ticks().into_iter().filter(|_| !empty) {
        let at = up.at(y);
        line(svg, [LEFT, right], [at; 2], "#dddddd");
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            place(LEFT - 6.0),
            place(at + 4.0),
            up.word(y)
        );
    }
    for x in across.ticks() {
        line(svg, [across.at(x); 2], [top + PANEL - 4.0, top + PANEL], "#888888");
    }
    line(svg, [LEFT, right], [top + PANEL; 2], "#888888");
    let middle = top + 0.5 * PANEL;
    let _ = writeln!(
        svg,
        "<text x=\"18\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {0})\">{1}</text>",
        place(middle),
        escaped(&panel.ordinate)
    );
    for curve in &panel.curves {
        draw_curve(svg, curve, across, up);
    }
    let named = panel.curves.iter().filter(|c| !c.name.is_empty());
    for (k, curve) in named.enumerate() {
        let (x, y) = (right + 16.0, top + 12.0 + 17.0 * k as f64);
        let colour = COLOURS[curve.colour % COLOURS.len()];
        match curve.mark {
            Mark::Line | Mark::Dashes => line(svg, [x, x + 14.0], [y - 4.0; 2], colour),
            Mark::Points => circle(svg, [x + 7.0, y - 4.0], colour),
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            place(x + 20.0),
            place(y),
            escaped(&curve.name)
        );
    }
}

fn circle(svg: &mut String, at: [f64; 2], colour: &str) {
    let [x, y] = at.map(place);
    let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"2.4\" fill=\"none\" stroke=\"{colour}\"/>");
}

fn draw_curve(svg: &mut String, curve: &Curve, across: Axis, up: Axis) {
    let colour = COLOURS[curve.colour % COLOURS.len()];
    let at = |x: f64, y: f64| [across.at(x), up.inside(y)];
    // Where nothing is known the band covers everything.
    let edge = |i: usize, side: f64| {
        let [x, y] = curve.points[i];
        let half = curve.band[i];
        let value = if half.is_nan() { side * f64::INFINITY } else { y + side * half };
        at(x, value)
    };
    for run in runs(&curve.points) {
        if curve.mark == Mark::Points {
            for i in run {
                circle(svg, at(curve.points[i][0], curve.points[i][1]), colour);
            }
            continue;
        }
        if curve.band.len() == curve.points.len() {
            let above = run.clone().map(|i| edge(i, 1.0));
            let outline: Vec<[f64; 2]> = above.chain(run.clone().rev().map(|i| edge(i, -1.0))).collect();
            let _ =
                writeln!(svg, "<path d=\"{}Z\" fill=\"{colour}\" fill-opacity=\"0.15\"/>", path(&outline));
        }
        let points: Vec<[f64; 2]> = run.map(|i| at(curve.points[i][0], curve.points[i][1])).collect();
        let _ = writeln!(
            svg,
            "<path d=\"{}\" fill=\"none\" stroke=\"{colour}\" {}/>",
            path(&points),
            if curve.mark == Mark::Dashes {
                "stroke-width=\"0.8\" stroke-dasharray=\"5 4\""
            } else {
                "stroke-width=\"1.3\""
            }
        );
    }
}

/// Stretches of finite points.
fn runs(points: &[[f64; 2]]) -> Vec<std::ops::Range<usize>> {
    let mut out = Vec::new();
    let mut start = None;
    for (i, p) in points.iter().enumerate() {
        match (start, p.iter().all(|x| x.is_finite())) {
            (None, true) => start = Some(i),
            (Some(from), false) => {
                out.push(from..i);
                start = None;
            }
            _ => {}
        }
    }
    out.extend(start.map(|from| from..points.len()));
    out
}

fn path(points: &[[f64; 2]]) -> String {
    let mut out = String::new();
    for (k, [x, y]) in points.iter().enumerate() {
        let _ = write!(out, "{}{} {}", if k == 0 { 'M' } else { 'L' }, place(*x), place(*y));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(scale: Scale, points: Vec<[f64; 2]>) -> String {
        let curves = vec![Curve::line("a < b", 0, points)];
        let panels = vec![Panel { ordinate: "f, Hz".into(), scale, curves }];
        Chart { title: "t".into(), abscissa: "k, N/m".into(), panels }.svg()
    }

    #[test]
    fn axes_have_round_steps() {
        let axis = Axis::linear([0.3, 9.7], true, [0.0, 1.0]);
        assert_eq!((axis.from, axis.to, axis.step), (0.0, 10.0, 2.0));
        assert_eq!(axis.ticks().len(), 6);
        assert_eq!(Axis::linear([-0.1, 0.1], true, [0.0, 1.0]).word(-0.05), "-0.05");
        let decades = Axis::decades([2e-7, 3.0], 1e-5, [0.0, 1.0]);
        assert_eq!((decades.from, decades.to, decades.word(-5.0).as_str()), (-5.0, 1.0, "1e-5"));
    }

    #[test]
    fn curves_without_names_leave_no_room_for_them() {
        let chart = |name: &str| {
            let curve = Curve::line(name, 0, vec![[0.0, 0.0], [1.0, 1.0]]);
            let panel = Panel { ordinate: "y".into(), scale: Scale::Linear, curves: vec![curve] };
            Chart { title: "t".into(), abscissa: "x".into(), panels: vec![panel] }.svg()
        };
        for (name, right) in [("tip", RIGHT[0]), ("", RIGHT[1])] {
            assert!(chart(name).contains(&format!("L{} ", place(WIDTH - right))), "{name}");
        }
    }

    #[test]
    fn what_is_zero_or_constant_has_no_axis_of_another_size() {
        let labels = |text: &str| text.matches("text-anchor=\"end\"").count();
        let zero = chart(Scale::Linear, vec![[0.0, 0.0], [1.0, 0.0]]);
        assert!(labels(&zero) == 1 && zero.contains("text-anchor=\"end\">0</text>"), "{zero}");
        let none = chart(Scale::Logarithmic { floor: 1e-6 }, vec![[0.0, 0.0], [1.0, f64::NAN]]);
        assert!(labels(&none) == 0 && none.contains("zero throughout"), "{none}");
        let constant = Axis::linear([2e-6, 2e-6], true, [0.0, 1.0]);
        assert!(constant.from >= 0.0 && constant.to <= 4e-6, "{constant:?}");
        // Time begins where the first value is, drawn or not.
        let late = chart(Scale::Logarithmic { floor: 1e-6 }, vec![[0.0, f64::NAN], [0.4, 1.0], [1.0, 2.0]]);
        assert!(late.contains("text-anchor=\"middle\">0.0</text>"), "{late}");
    }

    #[test]
    fn nothing_that_is_not_a_number_is_drawn() {
        let broken = vec![[0.0, 1.0], [1.0, 2.0], [2.0, f64::NAN], [3.0, 1.0], [4.0, f64::INFINITY]];
        for scale in [Scale::Linear, Scale::Logarithmic { floor: 1e-6 }] {
            let text = chart(scale, broken.clone());
            assert!(!text.contains("NaN") && !text.contains("inf") && text.contains("a &lt; b"), "{text}");
            assert_eq!(text.matches("stroke-width").count(), 2, "two stretches");
        }
        for few in [vec![], vec![[1.0, 5.0]], vec![[0.0, 0.0], [1.0, 0.0]]] {
            let text = chart(Scale::Linear, few);
            assert!(text.ends_with("</svg>\n") && !text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }

    #[test]
    fn a_band_has_the_width_of_the_error() {
        let mut curve = Curve::line("", 0, vec![[0.0, 1.0], [1.0, 1.0]]);
        curve.band = vec![1.0, f64::INFINITY];
        let panels = vec![Panel { ordinate: String::new(), scale: Scale::Linear, curves: vec![curve] }];
        let text = Chart { title: String::new(), abscissa: String::new(), panels }.svg();
        assert!(text.contains("fill-opacity") && !text.contains("inf"), "{text}");
    }
}
