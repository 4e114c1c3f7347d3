//! Curves over one quantity as SVG: panels that share the abscissa, lines, points, bands.
//!
#![doc = include_str!("../README.md")]

mod axis;
mod letters;
mod marks;
mod pdf;
mod png;
mod raster;
#[cfg(test)]
mod tests;

pub use pdf::pdf;
pub use raster::{PixelError, png};

use axis::{Axis, range};
use std::borrow::Cow;
use std::fmt::Write as _;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 84.0;
/// Room to the right for the names of curves, and without any.
const RIGHT: [f64; 2] = [210.0, 24.0];
/// Height of a name there.
const LINE: f64 = 17.0;
/// Letters of a name that fit there, and of a title.
const LEGEND: usize = 29;
const TITLE: usize = 88;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 48.0;
/// Height of one panel, the most of one with equal axes, and between two.
const PANEL: f64 = 220.0;
const TALL: f64 = 640.0;
const GAP: f64 = 22.0;
/// Colours that differ also for most colour-blind readers (Okabe and Ito).
pub const COLOURS: [&str; 7] = ["#000000", "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#cc79a7", "#0072b2"];

const GREY: &str = "#666666";

/// How values become heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// In proportion.
    Linear,
    /// In proportion from zero on: of magnitudes, which are never negative.
    FromZero,
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
    /// True where the name stands at the right end of the curve, and not in the legend.
    pub named_at_end: bool,
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
        let (name, mark, band) = (name.to_owned(), Mark::Line, Vec::new());
        Self { name, named_at_end: false, colour, points, mark, band }
    }
    /// A broken line.
    pub fn dashes(name: &str, colour: usize, points: Vec<[f64; 2]>) -> Self {
        Self { mark: Mark::Dashes, ..Self::line(name, colour, points) }
    }
    /// With its name at its end.
    #[must_use]
    pub fn named_at_end(self) -> Self {
        Self { named_at_end: true, ..self }
    }
    /// Broken lines are references, in grey.
    fn ink(&self) -> &'static str {
        if self.mark == Mark::Dashes { GREY } else { COLOURS[self.colour % COLOURS.len()] }
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
    /// True where a unit is as long across as up, as in the complex plane.
    pub equal: bool,
}

impl Chart {
    /// The chart as SVG. Numbers are rounded to a tenth of a unit, so that round-off of the values does not show.
    pub fn svg(&self) -> String {
        let all = self.panels.iter().flat_map(|p| &p.curves).flat_map(|c| &c.points).map(|p| p[0]);
        let extent = range(all);
        let named = self.panels.iter().any(|panel| panel.named().next().is_some());
        let right = WIDTH - RIGHT[usize::from(!named)];
        let high = if self.equal { self.tall(extent, right - LEFT) } else { PANEL };
        let highs: Vec<f64> = self.panels.iter().map(|panel| high.max(panel.legend())).collect();
        let height = TOP + highs.iter().sum::<f64>() + GAP * (highs.len().max(1) - 1) as f64 + BOTTOM;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
            told(&self.title, TITLE)
        );
        let mut across = Axis::linear(extent, false, [LEFT, right]);
        let mut top = TOP;
        for (panel, high) in self.panels.iter().zip(highs) {
            let up = if self.equal {
                let both = Axis::equal([extent, panel.extent()], [LEFT, right], [top + high, top]);
                across = both[0];
                both[1]
            } else {
                panel.axis([top + high, top])
            };
            draw(&mut svg, panel, [across, up], right, [top, top + high]);
            top += high + GAP;
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

    /// Height of panels with equal axes: as the widest range asks for, within bounds.
    fn tall(&self, [from, to]: [f64; 2], wide: f64) -> f64 {
        let high = self.panels.iter().map(Panel::extent).map(|[low, high]| high - low).fold(0.0, f64::max);
        if to > from { (wide * high / (to - from)).clamp(PANEL, TALL) } else { TALL }
    }
}

impl Panel {
    /// Least and largest value drawn, bands among them.
    fn extent(&self) -> [f64; 2] {
        range(self.values())
    }
    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.curves.iter().flat_map(|c| {
            c.points.iter().enumerate().flat_map(|(i, p)| {
                let half = c.band.get(i).copied().filter(|h| h.is_finite()).unwrap_or(0.0);
                [p[1] - half, p[1] + half]
            })
        })
    }
    /// Curves whose names stand in the legend.
    fn named(&self) -> impl Iterator<Item = &Curve> {
        self.curves.iter().filter(|c| !c.name.is_empty() && !c.named_at_end)
    }
    /// Height of the legend.
    fn legend(&self) -> f64 {
        LINE * self.named().count() as f64
    }
    fn axis(&self, places: [f64; 2]) -> Axis {
        match self.scale {
            Scale::Linear => Axis::linear(self.extent(), true, places),
            Scale::FromZero => Axis::linear([0.0, self.extent()[1].max(0.0)], true, places),
            Scale::Logarithmic { floor } => {
                Axis::decades(range(self.values().filter(|y| *y > 0.0)), floor, places)
            }
        }
    }
}

/// Text as it stands inside SVG.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The words; where they are longer than `most` letters, without their middle: names of a kind differ at their ends.
pub fn shortened(words: &str, most: usize) -> String {
    let count = words.chars().count();
    if count <= most {
        return words.to_owned();
    }
    let kept = most.saturating_sub(1);
    let (head, tail) = (kept.div_ceil(2), kept / 2);
    words.chars().take(head).chain(['…']).chain(words.chars().skip(count - tail)).collect()
}

/// Text inside SVG of at most `most` letters, with the whole for readers who point at it.
fn told(words: &str, most: usize) -> String {
    let short = shortened(words, most);
    if short == words {
        return escaped(words);
    }
    format!("{}<title>{}</title>", escaped(&short), escaped(words))
}

/// Far outside every picture.
const FURTHEST: f64 = 1e6;

/// A coordinate to a tenth, without minus zero; always finite.
fn place(x: f64) -> String {
    let x = if x.is_finite() { x.clamp(-FURTHEST, FURTHEST) } else { 0.0 };
    format!("{:.1}", (x * 10.0).round() / 10.0 + 0.0)
}

/// One panel with its legend.
fn draw(svg: &mut String, panel: &Panel, [across, up]: [Axis; 2], right: f64, [top, foot]: [f64; 2]) {
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
    let logarithmic = matches!(panel.scale, Scale::Logarithmic { .. });
    let empty = !values.clone().any(|y| !logarithmic || y > 0.0);
    if empty {
        let words = if logarithmic { "zero throughout" } else { "no values" };
        let [x, y] = [0.5 * (LEFT + right), 0.5 * (top + foot)].map(place);
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
        line(svg, [across.at(x); 2], [foot - 4.0, foot], "#888888");
    }
    line(svg, [LEFT, right], [foot; 2], "#888888");
    let middle = 0.5 * (top + foot);
    let _ = writeln!(
        svg,
        "<text x=\"18\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {0})\">{1}</text>",
        place(middle),
        escaped(&panel.ordinate)
    );
    for curve in &panel.curves {
        draw_curve(svg, curve, across, up);
    }
    let ends = panel.curves.iter().filter(|c| c.named_at_end);
    for (curve, [x, y]) in ends.filter_map(|c| Some((c, *c.points.iter().rev().find(|p| p[1].is_finite())?)))
    {
        // Left of and above the end, inside the panel.
        let (x, y) = (across.at(x).min(right) - 3.0, (up.inside(y) - 4.0).max(top + 10.0));
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"{}\">{}</text>",
            place(x),
            place(y),
            curve.ink(),
            escaped(&curve.name)
        );
    }
    for (k, curve) in panel.named().enumerate() {
        let (x, y) = (right + 16.0, top + 12.0 + LINE * k as f64);
        let colour = curve.ink();
        match curve.mark {
            Mark::Line => line(svg, [x, x + 14.0], [y - 4.0; 2], colour),
            Mark::Dashes => {
                // Two dashes with the gap between.
                line(svg, [x, x + 5.0], [y - 4.0; 2], colour);
                line(svg, [x + 9.0, x + 14.0], [y - 4.0; 2], colour);
            }
            Mark::Points => circle(svg, [x + 7.0, y - 4.0], colour),
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            place(x + 20.0),
            place(y),
            told(&curve.name, LEGEND)
        );
    }
}

fn circle(svg: &mut String, at: [f64; 2], colour: &str) {
    let [x, y] = at.map(place);
    let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"2.4\" fill=\"none\" stroke=\"{colour}\"/>");
}

fn draw_curve(svg: &mut String, curve: &Curve, across: Axis, up: Axis) {
    let colour = curve.ink();
    let at = |x: f64, y: f64| [across.at(x), up.inside(y)];
    // Where nothing is known the band covers everything.
    let edge = |i: usize, side: f64| {
        let [x, y] = curve.points[i];
        let half = curve.band[i];
        let value = if half.is_nan() { side * f64::INFINITY } else { y + side * half };
        at(x, value)
    };
    let is_plain = curve.mark != Mark::Points && curve.band.is_empty();
    let drawn = if is_plain { thinned(&curve.points, across) } else { Cow::Borrowed(&curve.points[..]) };
    for run in runs(&drawn) {
        if curve.mark == Mark::Points {
            for i in run {
                circle(svg, at(drawn[i][0], drawn[i][1]), colour);
            }
            continue;
        }
        if curve.band.len() == curve.points.len() {
            let above = run.clone().map(|i| edge(i, 1.0));
            let outline: Vec<[f64; 2]> = above.chain(run.clone().rev().map(|i| edge(i, -1.0))).collect();
            let _ =
                writeln!(svg, "<path d=\"{}Z\" fill=\"{colour}\" fill-opacity=\"0.15\"/>", path(&outline));
        }
        let points: Vec<[f64; 2]> = run.map(|i| at(drawn[i][0], drawn[i][1])).collect();
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

/// A line of more points than this is drawn with at most four in a column of half a unit.
const MANY: usize = 10_000;

/// The points of a line that can be told apart: of neighbours in one column the first, the lowest, the highest and the last. Where some of
/// them are no numbers the line goes on through the others.
fn thinned(points: &[[f64; 2]], across: Axis) -> Cow<'_, [[f64; 2]]> {
    if points.len() <= MANY {
        return Cow::Borrowed(points);
    }
    let column = |p: &[f64; 2]| (2.0 * across.at(p[0])).floor();
    let mut out = Vec::new();
    for all in points.chunk_by(|a, b| column(a).total_cmp(&column(b)).is_eq()) {
        let finite = || all.iter().enumerate().filter(|(_, p)| p[1].is_finite());
        let by_height = |a: &(usize, &[f64; 2]), b: &(usize, &[f64; 2])| a.1[1].total_cmp(&b.1[1]);
        let ends =
            [finite().next(), finite().min_by(by_height), finite().max_by(by_height), finite().next_back()];
        let mut kept: Vec<usize> = ends.into_iter().flatten().map(|(i, _)| i).collect();
        kept.sort_unstable();
        kept.dedup();
        if kept.is_empty() {
            kept.push(0);
        }
        out.extend(kept.into_iter().map(|i| all[i]));
    }
    Cow::Owned(out)
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
