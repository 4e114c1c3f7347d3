//! Names of bodies next to the model at rest.

use super::scene::Scene;
use super::svg::{Point, Svg};
use super::view::View;
use mb_model::Stroke;

/// Most names of a picture.
const MOST: usize = 60;
/// Height of a line and width of a letter, about.
const LINE: f64 = 12.0;
const LETTER: f64 = 6.0;
/// Names that would cover others move down by at most so many lines.
const DOWN: usize = 8;

/// Writes the name of each body, rod, beam, solid and point mass near its middle.
pub(super) fn draw(svg: &mut Svg, scene: &Scene<'_>, view: &View, size: Point) {
    let named = middles(scene);
    let mut taken: Vec<(Point, f64)> = Vec::new();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 40 and 120 letters")]
    let most = ((size[0] - 26.0) / LETTER) as usize;
    for (name, middle) in named.iter().take(MOST) {
        let at = view.at(*middle);
        let long = LETTER * name.chars().count().min(most) as f64;
        let x = (at[0] + 6.0).min(size[0] - 14.0 - long).max(12.0);
        let free = |y: f64| {
            let covers = |(p, l): &(Point, f64)| (p[1] - y).abs() < LINE && x < p[0] + l && p[0] < x + long;
            !taken.iter().any(covers)
        };
        let first = at[1] - 6.0;
        let lines = (0..=DOWN).map(|k| first + LINE * k as f64);
        let y = lines.into_iter().find(|y| free(*y)).unwrap_or(first);
        svg.short_text([x, y], "name", name, most);
        taken.push(([x, y], long));
    }
    if named.len() > MOST {
        let told = format!("{MOST} of {} names", named.len());
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
    fn names_are_those_between_the_marks() {
        assert_eq!([bare("rod 'OP'"), bare("body 'it's'"), bare("ground")], ["OP", "it's", "ground"]);
    }
}
