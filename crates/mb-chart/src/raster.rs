//! Pictures as pixels: the marks that the PDF is made of, drawn with smooth edges.

use crate::letters::{BOLD, Letters};
use crate::marks::{Anchor, Faint, Item, Matrix, Shape, read};
use tiny_skia::{
    Color, FillRule, IntRect, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapPaint, Stroke,
    StrokeDash, Transform,
};

/// Pixels to a unit of the picture.
const SCALE: f64 = 2.0;
/// Most pixels of a picture, 200 megabytes while it is drawn.
const MOST: f64 = 5e7;

/// Why a picture has no pixels.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PixelError {
    /// More pixels than memory should hold.
    #[error("a picture of {width} x {height} pixels is too large: at most {} million are drawn", MOST / 1e6)]
    TooLarge {
        /// Pixels from left to right.
        width: f64,
        /// Pixels from top to bottom.
        height: f64,
    },
    /// The letters that come with the program are damaged.
    #[error("the letters of the picture cannot be read")]
    NoLetters,
}

/// A picture of this workspace, SVG of [`crate::Chart::svg`] or of mode shapes, as PNG with two pixels to a unit.
///
/// # Errors
/// [`PixelError::TooLarge`] beyond 50 million pixels.
pub fn png(svg: &str) -> Result<Vec<u8>, PixelError> {
    let (size, rows) = pixels(svg)?;
    Ok(crate::png::file(size, &rows))
}

/// Width and height, and red, green and blue of every pixel from above.
fn pixels(svg: &str) -> Result<([u32; 2], Vec<u8>), PixelError> {
    let picture = read(svg);
    let [width, height] = picture.size.map(|x| (SCALE * x).ceil().max(1.0));
    if width * height > MOST {
        return Err(PixelError::TooLarge { width, height });
    }
    let letters = Letters::new().ok_or(PixelError::NoLetters)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and the limit")]
    let size = [width as u32, height as u32];
    let mut page = Pixmap::new(size[0], size[1]).ok_or(PixelError::TooLarge { width, height })?;
    page.fill(Color::WHITE);
    let inks: Vec<(Option<Faint>, Ink)> =
        picture.items.iter().filter_map(|item| Some((item.faint, ink(item, &letters)?))).collect();
    for together in inks.chunk_by(|(a, _), (b, _)| a.map(|f| f.group) == b.map(|f| f.group)) {
        match together[0].0 {
            None => together.iter().for_each(|(_, ink)| ink.draw(&mut page, [0, 0])),
            Some(faint) => through(&mut page, together, faint.opacity),
        }
    }
    // On white nothing is left transparent.
    let rows: Vec<u8> = page.data().as_chunks::<4>().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect();
    Ok((size, rows))
}

/// A path with its colours.
struct Ink {
    path: Path,
    fill: Option<Paint<'static>>,
    stroke: Option<(Paint<'static>, Stroke)>,
    at: Transform,
}

impl Ink {
    /// Draws it on a page that begins at a pixel of the picture.
    #[expect(clippy::cast_precision_loss, reason = "pixels")]
    fn draw(&self, page: &mut Pixmap, from: [i32; 2]) {
        let at = self.at.post_translate(-from[0] as f32, -from[1] as f32);
        if let Some(fill) = &self.fill {
            page.fill_path(&self.path, fill, FillRule::Winding, at, None);
        }
        if let Some((stroke, line)) = &self.stroke {
            page.stroke_path(&self.path, stroke, line, at, None);
        }
    }

    /// The pixels that it lies within.
    fn bounds(&self) -> Option<IntRect> {
        let wide = self.stroke.as_ref().map_or(0.0, |(_, line)| line.width) + 1.0;
        self.path.bounds().outset(wide, wide)?.transform(self.at)?.round_out()
    }
}

/// Marks that lie over each other, seen through as one.
fn through(page: &mut Pixmap, inks: &[(Option<Faint>, Ink)], opacity: f64) {
    let whole = IntRect::from_xywh(0, 0, page.width(), page.height());
    let bounds = inks.iter().filter_map(|(_, ink)| ink.bounds()).reduce(around);
    let Some(bounds) = bounds.zip(whole).and_then(|(a, b)| a.intersect(&b)) else { return };
    let Some(mut layer) = Pixmap::new(bounds.width(), bounds.height()) else { return };
    for (_, ink) in inks {
        ink.draw(&mut layer, [bounds.x(), bounds.y()]);
    }
    #[expect(clippy::cast_possible_truncation, reason = "a share of one")]
    let look = PixmapPaint { opacity: opacity as f32, ..PixmapPaint::default() };
    page.draw_pixmap(bounds.x(), bounds.y(), layer.as_ref(), &look, Transform::identity(), None);
}

/// The rectangle around two.
fn around(a: IntRect, b: IntRect) -> IntRect {
    let (left, top) = (a.left().min(b.left()), a.top().min(b.top()));
    let (right, bottom) = (a.right().max(b.right()), a.bottom().max(b.bottom()));
    IntRect::from_ltrb(left, top, right, bottom).unwrap_or(a)
}

fn ink(item: &Item, letters: &Letters) -> Option<Ink> {
    let at = scaled(item.at);
    let fill = item.fill.map(|colour| paint(colour, item.opacity[0]));
    match &item.shape {
        Shape::Path(commands) => {
            let stroke = item.stroke.map(|c| (paint(c, item.opacity[1]), line(item.width, &item.dashes)));
            Some(Ink { path: path(commands)?, fill, stroke, at })
        }
        Shape::Words { text, from, size, bold, anchor } => {
            let share = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => 0.5,
                Anchor::End => 1.0,
            };
            let from = [from[0] - share * size * letters.length(text, *bold), from[1]];
            let path = letters.outline(text, from, *size, *bold)?;
            let stroke = fill.clone().filter(|_| *bold).map(|paint| (paint, line(BOLD * size, &[])));
            Some(Ink { path, fill, stroke, at })
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "places in a picture")]
fn scaled(at: Matrix) -> Transform {
    let [a, b, c, d, e, f] = at.map(|x| (SCALE * x) as f32);
    Transform::from_row(a, b, c, d, e, f)
}

#[expect(clippy::cast_possible_truncation, reason = "shares of one")]
fn paint([r, g, b]: [f64; 3], opacity: f64) -> Paint<'static> {
    let [r, g, b, a] = [r, g, b, opacity].map(|x| x.clamp(0.0, 1.0) as f32);
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(Color::from_rgba(r, g, b, a).unwrap_or(Color::BLACK));
    paint
}

#[expect(clippy::cast_possible_truncation, reason = "lengths in a picture")]
fn line(width: f64, dashes: &[f64]) -> Stroke {
    Stroke {
        width: width as f32,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        dash: StrokeDash::new(dashes.iter().map(|x| *x as f32).collect(), 0.0),
        ..Stroke::default()
    }
}

fn path(commands: &[(char, Vec<f64>)]) -> Option<Path> {
    let mut out = PathBuilder::new();
    for (command, numbers) in commands {
        #[expect(clippy::cast_possible_truncation, reason = "places in a picture")]
        let numbers: Vec<f32> = numbers.iter().map(|x| *x as f32).collect();
        match (command, &numbers[..]) {
            ('M', [x, y]) => out.move_to(*x, *y),
            ('L', [x, y]) => out.line_to(*x, *y),
            ('C', [x1, y1, x2, y2, x, y]) => out.cubic_to(*x1, *y1, *x2, *y2, *x, *y),
            ('Z', _) => out.close(),
            _ => {}
        }
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The colour around a place of the picture, in its units.
    fn seen(svg: &str, at: [u32; 2]) -> [u8; 3] {
        let (size, rows) = pixels(svg).unwrap();
        let start = 3 * (2 * at[1] * size[0] + 2 * at[0]) as usize;
        [rows[start], rows[start + 1], rows[start + 2]]
    }

    #[test]
    fn marks_have_their_colours_where_they_are() {
        let svg = "<svg viewBox=\"0 0 30 20\"><g transform=\"translate(10 0)\"><rect x=\"2\" y=\"2\" width=\"8\" height=\"8\" \
                   fill=\"#ff0000\"/></g><path d=\"M0 16L30 16\" stroke=\"#0000ff\" stroke-width=\"4\" fill=\"none\"/></svg>";
        assert_eq!(pixels(svg).unwrap().0, [60, 40]);
        for (at, colour) in [
            ([15, 5], [255, 0, 0]),
            ([5, 5], [255, 255, 255]),
            ([15, 12], [255, 255, 255]),
            ([20, 16], [0, 0, 255]),
        ] {
            assert_eq!(seen(svg, at), colour, "{at:?}");
        }
    }

    /// A corner of radius 6 leaves out what is further than 6 from its centre, and keeps what is nearer.
    #[test]
    fn corners_are_round() {
        let svg = |rx: &str| {
            format!(
                "<svg viewBox=\"0 0 30 30\"><rect x=\"5\" y=\"5\" width=\"20\" height=\"20\"{rx} fill=\"#000\"/></svg>"
            )
        };
        let (round, sharp) = (svg(" rx=\"6\""), svg(""));
        for corner in [[5, 5], [24, 5], [5, 24], [24, 24]] {
            assert_eq!((seen(&round, corner), seen(&sharp, corner)), ([255; 3], [0; 3]), "{corner:?}");
        }
        for within in [[7, 8], [15, 5], [5, 15], [24, 15], [15, 24], [15, 15]] {
            assert_eq!(seen(&round, within), [0; 3], "{within:?}");
        }
    }

    #[test]
    fn marks_of_a_faint_group_do_not_show_through_each_other() {
        let marks = "<rect x=\"2\" y=\"2\" width=\"8\" height=\"8\" fill=\"#000\"/>\
                     <rect x=\"6\" y=\"2\" width=\"8\" height=\"8\" fill=\"#ff0000\"/>";
        let svg = format!("<svg viewBox=\"0 0 20 20\"><g opacity=\"0.2\">{marks}</g></svg>");
        let near = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 1);
        // A fifth of the colour on white, whether or not there is black below.
        for (at, colour) in [([3, 5], [204, 204, 204]), ([8, 5], [255, 204, 204]), ([12, 5], [255, 204, 204])]
        {
            assert!(near(seen(&svg, at), colour), "{at:?}: {:?}", seen(&svg, at));
        }
    }

    #[test]
    fn words_end_where_they_shall() {
        let dark = |anchor: &str| {
            let svg = format!(
                "<svg viewBox=\"0 0 60 20\"><text x=\"30\" y=\"15\" text-anchor=\"{anchor}\">HH</text></svg>"
            );
            let (size, rows) = pixels(&svg).unwrap();
            let inked =
                (0_u32..).zip(rows.chunks(3)).filter(|(_, p)| p[0] < 100).map(|(i, _)| i % size[0] / 2);
            (inked.clone().min().unwrap(), inked.max().unwrap())
        };
        let ([from, _], [_, to]) = (<[u32; 2]>::from(dark("start")), <[u32; 2]>::from(dark("end")));
        assert!((30..33).contains(&from) && (27..30).contains(&to), "{from} {to}");
        let (from, to) = dark("middle");
        assert!(from < 30 && to > 30 && (from + to).abs_diff(60) <= 2, "{from} {to}");
    }

    #[test]
    fn pictures_without_end_are_refused() {
        let svg = "<svg viewBox=\"0 0 1080 64062\"></svg>";
        let told = png(svg).unwrap_err();
        assert_eq!(told, PixelError::TooLarge { width: 2160.0, height: 128_124.0 });
        assert!(told.to_string().contains("2160 x 128124 pixels is too large: at most 50 million"), "{told}");
        // What lies far outside, and what is not finite, is nothing to see.
        let svg = "<svg viewBox=\"0 0 10 10\"><path d=\"M-1e6 -1e6L1e6 1e6L1e300 NaN\" stroke=\"#000\" fill=\"none\" \
                   stroke-dasharray=\"5 4\"/></svg>";
        assert!(png(svg).is_ok());
    }
}
