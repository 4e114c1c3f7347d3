//! The direction from which a model in space is drawn: parallel projection onto the plane of the drawing.
//!
//! The reader stands in the direction of azimuth a (from x towards y, about z) and elevation e (above x and y):
//!
//! ```text
//! towards the reader  t = ( cos e cos a,  cos e sin a, sin e)
//! to the right        r = (-sin a,        cos a,       0)
//! upwards             u = (-sin e cos a, -sin e sin a, cos e)
//! ```

use std::str::FromStr;

/// The words that `--view` knows.
const KNOWN: &str = "front, side, top, iso, or azimuth and elevation in degrees such as 30,20";

/// A direction of sight.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Components of a place to the right and upwards, and towards the reader.
    axes: [[f64; 3]; 3],
    /// What a legend calls it, and what it adds where there is room.
    words: (String, &'static str),
}

impl Look {
    /// Isometric from x, -y and above, enlarged so that lengths along the axes are true.
    pub(super) fn isometric() -> Self {
        let (sin, cos) = std::f64::consts::FRAC_PI_6.sin_cos();
        Self {
            axes: [[cos, cos, 0.0], [-sin, sin, 1.0], [1.0, -1.0, 1.0]],
            words: ("isometric".to_owned(), " from x, -y and above, z upwards"),
        }
    }

    /// From above, x to the right and y upwards: the plane of planar models.
    pub(super) fn from_above() -> Self {
        Self::from(-90.0, 90.0, "seen from above".to_owned(), ", y upwards")
    }

    /// From an azimuth and an elevation, degrees.
    fn from(azimuth: f64, elevation: f64, name: String, more: &'static str) -> Self {
        let ((sa, ca), (se, ce)) = (sin_cos(azimuth), sin_cos(elevation));
        let axes = [[-sa, ca, 0.0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]];
        Self { axes, words: (name, more) }
    }

    /// A vector as the drawing shows it, to the right and upwards.
    pub(super) fn seen(&self, p: [f64; 3]) -> [f64; 2] {
        [0, 1].map(|k| dot(self.axes[k], p))
    }

    /// How near a place is to the reader: larger is nearer.
    pub(super) fn nearness(&self, p: [f64; 3]) -> f64 {
        dot(self.axes[2], p)
    }

    /// What a legend calls it.
    pub(super) fn words(&self, long: bool) -> String {
        format!("{}{}", self.words.0, if long { self.words.1 } else { "" })
    }
}

impl FromStr for Look {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "front" => return Ok(Self::from(-90.0, 0.0, "seen from -y".to_owned(), ", z upwards")),
            "side" => return Ok(Self::from(0.0, 0.0, "seen from x".to_owned(), ", z upwards")),
            "top" => return Ok(Self::from_above()),
            "iso" => return Ok(Self::isometric()),
            _ => {}
        }
        let Some((azimuth, elevation)) = text.split_once(',') else {
            return Err(format!("there is {KNOWN}"));
        };
        let angle = |word: &str, what: &str, most: f64| {
            let x: Option<f64> = word.trim().parse().ok();
            x.filter(|x| x.abs() <= most)
                .ok_or_else(|| format!("the {what} must be an angle between -{most} and {most} degrees"))
        };
        let (a, e) = (angle(azimuth, "azimuth", 360.0)?, angle(elevation, "elevation", 90.0)?);
        let more = if e.abs() < 90.0 { ", z upwards" } else { "" };
        Ok(Self::from(a, e, format!("seen from azimuth {a} and elevation {e} degrees"), more))
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Sine and cosine of an angle in degrees, exact at quarters of a turn.
fn sin_cos(degrees: f64) -> (f64, f64) {
    let turned = degrees.rem_euclid(360.0);
    match turned {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => turned.to_radians().sin_cos(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(view: &str, p: [f64; 3]) -> [f64; 2] {
        view.parse::<Look>().unwrap().seen(p)
    }

    fn same(a: [f64; 2], b: [f64; 2]) {
        assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 1e-14, "{a:?} {b:?}");
    }

    #[test]
    fn known_points_are_where_each_view_shows_them() {
        let p = [1.0, 2.0, 3.0];
        same(seen("front", p), [1.0, 3.0]);
        same(seen("side", p), [2.0, 3.0]);
        same(seen("top", p), [1.0, 2.0]);
        same(seen("iso", p), [1.5 * 3.0_f64.sqrt(), 3.5]);
        // From the back, by 30 degrees above.
        let half = 0.5 * 3.0_f64.sqrt();
        same(seen("90,30", [1.0, 0.0, 0.0]), [-1.0, 0.0]);
        same(seen("90,30", [0.0, 1.0, 0.0]), [0.0, -0.5]);
        same(seen("90,30", [0.0, 0.0, 1.0]), [0.0, half]);
        // From the direction (1, -1, 1) it is the isometric view, without its factor of the root of 3/2.
        let e = (1.0 / 3.0_f64.sqrt()).asin().to_degrees();
        let iso = seen("iso", p).map(|x| x / 1.5_f64.sqrt());
        same(seen(&format!("-45,{e}"), p), iso);
        // From above the direction of the azimuth points down.
        same(seen("315, 90", [1.0, -1.0, 7.0]), [0.0, -2.0_f64.sqrt()]);
    }

    #[test]
    fn what_lies_on_the_line_of_sight_is_one_point_and_the_nearer_is_nearer() {
        for view in ["front", "side", "top", "iso", "30,20", "-200,-71.5", "12,-90"] {
            let look: Look = view.parse().unwrap();
            let t = look.axes[2];
            same(look.seen(t), [0.0; 2]);
            assert!(look.nearness(t) > look.nearness([0.0; 3]), "{view}");
            // Right, up and towards the reader turn right-handed, so that faces look the right way.
            let [r, u, t] = look.axes;
            let cross = [r[1] * u[2] - r[2] * u[1], r[2] * u[0] - r[0] * u[2], r[0] * u[1] - r[1] * u[0]];
            assert!(dot(cross, t) > 0.9, "{view}");
        }
    }

    #[test]
    fn unknown_words_are_refused_with_those_there_are() {
        let complaint = |text: &str| text.parse::<Look>().unwrap_err();
        for word in ["back", "", "30"] {
            assert!(complaint(word).contains("front, side, top, iso, or azimuth"), "{word}");
        }
        for (text, part) in
            [("x,20", "azimuth"), ("30,91", "elevation"), ("NaN,0", "azimuth"), ("30,1,2", "elevation")]
        {
            assert!(complaint(text).contains(part), "{text}");
        }
    }
}
