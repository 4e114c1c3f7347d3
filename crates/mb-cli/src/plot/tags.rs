//! Names of bodies next to the model at rest.

use super::scene::Scene;
use super::svg::{Point, Svg};
use super::view::View;
use mb_model::Stroke;

/// Most names of a picture.
const MOST: usize = 60;
/// Distance of lines, height of letters, its part below their foot, and the width of a letter, about.
const LINE: f64 = 13.0;
const TALL: f64 = 12.0;
const BELOW: f64 = 3.0;
const LETTER: f64 = 6.0;
/// Lines by which a name moves up (negative) or down where it would lie on another; the page (mb-report/assets/marks.js) has the same.
const AWAY: [f64; 5] = [0.0, -1.0, 1.0, -2.0, 2.0];
/// Names begin this far from the left side and below the words of the picture, and end this far from the right side and the bottom.
const EDGES: [Point; 2] = [[12.0, 60.0], [14.0, 12.0]];
/// Width and height of the corners of the bar of scale and of the axes.
const BAR: Point = [165.0, 46.0];
const AXES: Point = [86.0, 78.0];

/// Room for names: the picture without what is written there.
struct Room {
    /// Upper left and lower right corner.
    frame: [Point; 2],
    /// Corners of what is taken.
    taken: Vec<[Point; 2]>,
}

impl Room {
    fn new(size: Point, planar: bool) -> Self {
        let frame = [EDGES[0], [size[0] - EDGES[1][0], size[1] - EDGES[1][1]]];
        let mut taken = vec![[[0.0, size[1] - BAR[1]], [BAR[0], size[1]]]];
        if !planar {
            taken.push([[size[0] - AXES[0], size[1] - AXES[1]], size]);
        }
        Self { frame, taken }
    }

    /// Takes a place for words of a length near a point and gives the foot of their first letter: right of and above the point, inside
    /// the picture, moved by the first of some lines that leads to nothing that is taken; none where all of them do.
    fn place(&mut self, near: Point, long: f64) -> Option<Point> {
        let [low, high] = self.frame;
        let x = (near[0] + 6.0).min(high[0] - long).max(low[0]);
        let first = (near[1] - 6.0).min(high[1] - BELOW).max(low[1] + TALL - BELOW);
        let covers = |y: f64| [[x, y + BELOW - TALL], [x + long, y + BELOW]];
        let free = |y: f64| {
            let [a, b] = covers(y);
            let apart = |[c, d]: &[Point; 2]| (0..2).any(|k| b[k] <= c[k] || d[k] <= a[k]);
            a[1] >= low[1] && b[1] <= high[1] && self.taken.iter().all(apart)
        };
        let y = AWAY.into_iter().map(|lines| first + LINE * lines).find(|y| free(*y))?;
        self.taken.push(covers(y));
        Some([x, y])
    }
}

/// Writes the name of each body, rod, beam, solid and point mass near its middle where there is room.
pub(super) fn draw(svg: &mut Svg, scene: &Scene<'_>, view: &View, size: Point) {
    let named = middles(scene);
    let mut room = Room::new(size, scene.planar);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 40 and 120 letters")]
    let most = ((size[0] - EDGES[0][0] - EDGES[1][0]) / LETTER) as usize;
    let placed: Vec<(&str, f64, Point)> = named
        .iter()
        .take(MOST)
        .filter_map(|(name, middle)| {
            let long = LETTER * name.chars().count().min(most) as f64;
            Some((name.as_str(), long, room.place(view.at(*middle), long)?))
        })
        .collect();
    // Grounds before names, so that none hides a name.
    for (_, long, [x, y]) in &placed {
        svg.plate([x - 1.0, y + BELOW - TALL], [long + 2.0, TALL]);
    }
    for (name, _, at) in &placed {
        svg.short_text(*at, "name", name, most);
    }
    if placed.len() < named.len() {
        let told = format!("{} of {} names", placed.len(), named.len());
        svg.text([18.0, size[1] - 34.0], "small", &told);
    }
}

/// Names with the middle of what is drawn of each, in the drawing, m.
fn middles(scene: &Scene<'_>) -> Vec<(String, Point)> {
    let mut sums: Vec<(&str, Point, f64)> = Vec::new();
    let mut index = std::collections::HashMap::new();
    for (stroke, rest) in scene.strokes.iter().zip(&scene.rest.at) {
        // Of a body only its centre of mass is its own; the other places belong to what is attached.
        let own = match stroke.stroke {
            Stroke::Body => &rest[..rest.len().min(1)],
            Stroke::Bar | Stroke::Curve | Stroke::Faces | Stroke::Mass => &rest[..],
            _ => continue,
        };
        let at = *index.entry(stroke.owner.as_str()).or_insert_with(|| {
            sums.push((&stroke.owner, [0.0; 2], 0.0));
            sums.len() - 1
        });
        for p in own {
            let (_, sum, count) = &mut sums[at];
            *sum = [sum[0] + p[0], sum[1] + p[1]];
            *count += 1.0;
        }
    }
    let told = sums.into_iter().filter(|(_, _, count)| *count > 0.0);
    told.map(|(owner, sum, count)| (bare(owner).to_owned(), sum.map(|x| x / count))).collect()
}

/// The name in `rod 'OP'`.
fn bare(owner: &str) -> &str {
    let inside = owner.split_once('\'').and_then(|(_, rest)| rest.rsplit_once('\''));
    inside.map_or(owner, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lie_inside_the_picture_and_on_no_other() {
        let size = [360.0, 320.0];
        let mut room = Room::new(size, false);
        // Bodies at one place, at the sides, where scale and axes are, and many everywhere.
        let at_one_place = (0..9).map(|_| [150.0, 150.0]);
        let sides =
            [[355.0, 160.0], [-5.0, 200.0], [180.0, 3.0], [180.0, 318.0], [350.0, 310.0], [5.0, 310.0]];
        let many = (0..200).map(|k| [f64::from(k % 20) * 18.0, f64::from(k) * 1.6]);
        let tries: Vec<Point> = at_one_place.chain(sides).chain(many).collect();
        let found: Vec<Option<Point>> = tries.iter().map(|at| room.place(*at, 60.0)).collect();
        assert_eq!(found[..9].iter().flatten().count(), AWAY.len());
        assert_eq!(found[0].zip(found[1]).map(|(a, b)| [a[0] - b[0], a[1] - b[1]]), Some([0.0, LINE]));
        let written = &room.taken[2..];
        assert!(found[9..13].iter().all(Option::is_some) && written.len() > 40, "{found:?}");
        for (i, [a, b]) in written.iter().enumerate() {
            assert!(
                a[0] >= 6.0 && a[1] >= 50.0 && b[0] <= size[0] - 6.0 && b[1] <= size[1] - 10.0,
                "{a:?} {b:?}"
            );
            for [c, d] in &room.taken[..i + 2] {
                assert!((0..2).any(|k| b[k] <= c[k] || d[k] <= a[k]), "{a:?} {c:?}");
            }
        }
    }

    #[test]
    fn names_are_those_between_the_marks() {
        assert_eq!([bare("rod 'OP'"), bare("body 'it's'"), bare("ground")], ["OP", "it's", "ground"]);
    }
}
