//! Letters as outlines: a subset of DejaVu Sans Condensed, so that a picture is the same on every computer.
//!
//! The subset has the letters of European languages in Latin, Greek and Cyrillic script, and signs of mathematics; others
//! become question marks. The font has no bold letters here: they are the same ones, drawn with a line around them.

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

const FONT: &[u8] = include_bytes!("../assets/DejaVuSansCondensed-subset.ttf");
/// Width of the line around bold letters, and how much wider they are, as shares of the size.
pub(crate) const BOLD: f64 = 0.045;

/// The font, ready to be asked.
pub(crate) struct Letters {
    face: Face<'static>,
}

impl Letters {
    /// The font; none if it could not be read.
    pub(crate) fn new() -> Option<Self> {
        Some(Self { face: Face::parse(FONT, 0).ok()? })
    }

    fn glyph(&self, c: char) -> Option<GlyphId> {
        self.face.glyph_index(c).or_else(|| self.face.glyph_index('?'))
    }

    /// Units of the font in words of size one.
    fn unit(&self) -> f64 {
        1.0 / f64::from(self.face.units_per_em())
    }

    /// How far each letter leads, for words of size one.
    fn advances(&self, text: &str, bold: bool) -> Vec<f64> {
        let wider = if bold { BOLD } else { 0.0 };
        let of = |c| self.glyph(c).and_then(|g| self.face.glyph_hor_advance(g)).unwrap_or(0);
        text.chars().map(|c| f64::from(of(c)) * self.unit() + wider).collect()
    }

    /// Length of words of size one.
    pub(crate) fn length(&self, text: &str, bold: bool) -> f64 {
        self.advances(text, bold).iter().sum()
    }

    /// The outlines of words of `size` from the point `from` on, y downwards; none where nothing is to be seen.
    pub(crate) fn outline(&self, text: &str, from: [f64; 2], size: f64, bold: bool) -> Option<Path> {
        let mut pen = Pen { path: PathBuilder::new(), from, scale: size * self.unit() };
        for (c, advance) in text.chars().zip(self.advances(text, bold)) {
            if let Some(glyph) = self.glyph(c) {
                self.face.outline_glyph(glyph, &mut pen);
            }
            pen.from[0] += size * advance;
        }
        pen.path.finish()
    }
}

/// Outlines of letters, of which y points up, as a path of a picture.
struct Pen {
    path: PathBuilder,
    from: [f64; 2],
    scale: f64,
}

impl Pen {
    #[expect(clippy::cast_possible_truncation, reason = "places in a picture")]
    fn at(&self, x: f32, y: f32) -> [f32; 2] {
        [self.from[0] + self.scale * f64::from(x), self.from[1] - self.scale * f64::from(y)].map(|x| x as f32)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let [x, y] = self.at(x, y);
        self.path.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let [x, y] = self.at(x, y);
        self.path.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ([x1, y1], [x, y]) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ([x1, y1], [x2, y2], [x, y]) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_on_the_line_and_within_their_length() {
        let letters = Letters::new().unwrap();
        let path = letters.outline("HE", [10.0, 50.0], 20.0, false).unwrap().bounds();
        let end = 10.0 + 20.0 * letters.length("HE", false);
        assert!(path.left() >= 10.0 && f64::from(path.right()) <= end, "{path:?}");
        // Capitals stand on the line and are lower than the size.
        assert!((path.bottom() - 50.0).abs() < 1e-3 && path.top() > 30.0 && path.top() < 40.0, "{path:?}");
        assert!(letters.outline("  ", [0.0, 0.0], 20.0, false).is_none());
        // What the font has not is a question mark, as long as one.
        assert!((letters.length("\u{4e2d}", false) - letters.length("?", false)).abs() < 1e-12);
        assert!(letters.length("ωζ²√", false) > 1.5);
        assert!(letters.length("HE", true) > letters.length("HE", false));
    }
}
