//! SVG elements as text: numbers to a hundredth of a unit, text escaped.

use std::fmt::Write as _;

/// Classes that the elements refer to.
const STYLE: &str = "\
text{font-family:system-ui,'Helvetica Neue',Arial,sans-serif;fill:#1f2933}\
.heading{font-size:16px;font-weight:600}.title{font-size:13px;font-weight:600}.small{font-size:11px;fill:#52606d}\
.name{font-size:11px;fill:#8a3b12}\
.frame{fill:#fff;stroke:#d9dee5}.plate{fill:#fff;fill-opacity:.65}\
path,line,circle,rect,polygon{vector-effect:non-scaling-stroke;stroke-linecap:round;stroke-linejoin:round}\
.rest *{fill:none;stroke:#aab4c0;stroke-width:1.5}.rest .dot{fill:#aab4c0;stroke:none}.rest .body{fill:#eef1f4}\
.rest .rail{stroke-dasharray:5 4;stroke-width:1}.rest .joint{fill:#fff}.rest .face{stroke-width:.6;fill:#f4f6f8}\
.ground{fill:none;stroke:#7b8794;stroke-width:1.2}.wall{stroke-width:2}\
.path{fill:none;stroke:#e8833a;stroke-width:1}\
.moved *{fill:none;stroke:#1f5fbf;stroke-width:2.4}.moved .thin{stroke:#2a8f6d;stroke-width:1.5}.moved .face{stroke-width:.8;fill:#dce8f8;fill-opacity:.9}\
.moved .dot{fill:#1f5fbf;stroke:none}.moved .body{fill:#1f5fbf;fill-opacity:.12}.moved .joint{fill:#fff;stroke-width:1.6}\
.ghost{opacity:.3}.faint{opacity:.14}";

/// A drawing under construction.
#[derive(Clone, Debug)]
pub(super) struct Svg {
    text: String,
    open: usize,
}

/// A point of the drawing, y downwards.
pub(super) type Point = [f64; 2];

/// A coordinate as text.
fn number(x: f64) -> String {
    let rounded = (x * 100.0).round() / 100.0;
    // Minus zero is zero.
    format!("{}", rounded + 0.0)
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 has no other control characters.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

impl Svg {
    /// An empty drawing with a title for readers that do not see it.
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        let (w, h) = (number(width), number(height));
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n"
        );
        let _ = writeln!(text, "<title>{}</title>\n<style>{STYLE}</style>", escaped(title));
        let _ = writeln!(text, "<rect width=\"{w}\" height=\"{h}\" fill=\"#fff\"/>");
        Self { text, open: 0 }
    }

    /// Begins a group that is moved.
    pub(super) fn begin_at(&mut self, at: Point) {
        let _ = writeln!(self.text, "<g transform=\"translate({} {})\">", number(at[0]), number(at[1]));
        self.open += 1;
    }

    /// Begins a group of a class.
    pub(super) fn begin(&mut self, class: &str) {
        let _ = writeln!(self.text, "<g class=\"{class}\">");
        self.open += 1;
    }

    /// Ends a group.
    pub(super) fn end(&mut self) {
        self.text.push_str("</g>\n");
        self.open -= 1;
    }

    /// A line of words.
    pub(super) fn text(&mut self, at: Point, class: &str, words: &str) {
        let (x, y) = (number(at[0]), number(at[1]));
        let _ = writeln!(self.text, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}</text>", escaped(words));
    }

    /// A line of at most `most` letters: longer words lose their middle, and a reader who points at them is told the whole.
    pub(super) fn short_text(&mut self, at: Point, class: &str, words: &str, most: usize) {
        let short = mb_chart::shortened(words, most);
        if short == words {
            return self.text(at, class, words);
        }
        let (x, y) = (number(at[0]), number(at[1]));
        let (short, whole) = (escaped(&short), escaped(words));
        let _ = writeln!(
            self.text,
            "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{short}<title>{whole}</title></text>"
        );
    }

    /// A circle.
    pub(super) fn circle(&mut self, at: Point, radius: f64, class: &str) {
        let (x, y, r) = (number(at[0]), number(at[1]), number(radius));
        let _ = writeln!(self.text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" class=\"{class}\"/>");
    }

    /// A frame.
    pub(super) fn frame(&mut self, from: Point, size: Point) {
        let [x, y, w, h] = [from[0], from[1], size[0], size[1]].map(number);
        let _ = writeln!(
            self.text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"6\" class=\"frame\"/>"
        );
    }

    /// A ground that lets little of what is behind words through.
    pub(super) fn plate(&mut self, from: Point, size: Point) {
        let [x, y, w, h] = [from[0], from[1], size[0], size[1]].map(number);
        let _ =
            writeln!(self.text, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" class=\"plate\"/>");
    }

    /// Straight lines through points.
    pub(super) fn polyline(&mut self, points: &[Point], closed: bool, class: &str) {
        let Some((first, rest)) = points.split_first() else { return };
        let mut d = format!("M{} {}", number(first[0]), number(first[1]));
        for p in rest {
            let _ = write!(d, "L{} {}", number(p[0]), number(p[1]));
        }
        self.path(&d, closed, class);
    }

    /// A smooth curve through points: cubic pieces whose slopes at a point are those of its neighbours' chord
    /// (Catmull and Rom, 1974).
    pub(super) fn curve(&mut self, points: &[Point], class: &str) {
        let Some(first) = points.first() else { return };
        let mut d = format!("M{} {}", number(first[0]), number(first[1]));
        let last = points.len() - 1;
        for i in 0..last {
            let (before, after) = (points[i.saturating_sub(1)], points[(i + 2).min(last)]);
            let (a, b) = (points[i], points[i + 1]);
            let handle = |from: Point, chord: [Point; 2], sign: f64| {
                [0, 1].map(|k| number(from[k] + sign * (chord[1][k] - chord[0][k]) / 6.0))
            };
            let [x1, y1] = handle(a, [before, b], 1.0);
            let [x2, y2] = handle(b, [a, after], -1.0);
            let _ = write!(d, "C{x1} {y1} {x2} {y2} {} {}", number(b[0]), number(b[1]));
        }
        self.path(&d, false, class);
    }

    fn path(&mut self, d: &str, closed: bool, class: &str) {
        let close = if closed { "Z" } else { "" };
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let _ = writeln!(self.text, "<path d=\"{d}{close}\"{class}/>");
    }

    /// The text of the drawing.
    pub(super) fn finish(mut self) -> String {
        for _ in 0..self.open {
            self.text.push_str("</g>\n");
        }
        self.text.push_str("</svg>\n");
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_numbers_are_short() {
        let mut svg = Svg::new(10.0, 20.0, "a < b & c");
        svg.begin("moved");
        svg.polyline(&[[0.1234, -0.0001], [1.0, 2.5]], true, "body");
        let text = svg.finish();
        assert!(text.contains("<title>a &lt; b &amp; c</title>"), "{text}");
        assert!(text.contains("d=\"M0.12 0L1 2.5Z\"") && text.ends_with("</g>\n</svg>\n"), "{text}");
    }

    #[test]
    fn a_curve_through_points_of_a_line_is_that_line() {
        let mut svg = Svg::new(1.0, 1.0, "");
        svg.curve(&[[0.0, 0.0], [3.0, 0.0], [6.0, 0.0]], "");
        assert!(svg.finish().contains("M0 0C0.5 0 2 0 3 0C4 0 5.5 0 6 0"));
    }
}
