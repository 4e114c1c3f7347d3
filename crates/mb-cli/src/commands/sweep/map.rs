//! Stability over a grid of one or two parameters as a picture.

use super::{Row, Sweep};
use mb_analysis::sweep::Verdict;
use mb_chart::{Chart, Curve, Panel, Scale};

/// What is drawn of a case, with its colour.
const MARKS: [(&str, usize, Option<Verdict>); 4] = [
    ("stable", 3, Some(Verdict::Stable)),
    ("neither grows nor decays", 2, Some(Verdict::Marginal)),
    ("unstable", 4, Some(Verdict::Unstable)),
    ("failed", 5, None),
];

/// Over two parameters every case as a point and the boundaries as lines; over one the rate of growth.
pub(super) fn picture(found: &Sweep) -> String {
    let title = format!("{}: stability", found.model[0]);
    let (abscissa, panel) = match found.design.names.as_slice() {
        [only] => (only.clone(), over_one(found)),
        [second, first, ..] => (first.clone(), over_two(found, second)),
        [] => (String::new(), Panel { ordinate: String::new(), scale: Scale::Linear, curves: Vec::new() }),
    };
    Chart { title, abscissa, panels: vec![panel], equal: false }.svg()
}

/// The rate of growth of the eigenvalue furthest to the right; where it passes zero stability changes.
fn over_one(found: &Sweep) -> Panel {
    let rate = |row: &Option<Row>| {
        let mode = row.as_ref().and_then(Row::case).and_then(|case| case.rightmost);
        mode.map_or(f64::NAN, |mode| mode.re)
    };
    let points = found.design.points.iter().zip(&found.rows).map(|(p, row)| [p[0], rate(row)]).collect();
    let limits = found.boundary.crossings.iter().map(|c| [c.at[0], 0.0]).collect();
    Panel {
        ordinate: "largest rate of growth, 1/s".to_owned(),
        scale: Scale::Linear,
        curves: vec![Curve::line("growth", 0, points), Curve::dots("stability changes", 4, limits)],
    }
}

fn over_two(found: &Sweep, ordinate: &str) -> Panel {
    // The second parameter runs along the abscissa, the first along the ordinate.
    let place = |values: &[f64]| [values[1], values[0]];
    let mut curves = Vec::new();
    for (name, colour, verdict) in MARKS {
        let of = |row: &Row| row.case().map(|case| case.verdict) == verdict;
        let cases = found.design.points.iter().zip(&found.rows);
        let points: Vec<[f64; 2]> =
            cases.filter(|(_, row)| row.as_ref().is_some_and(of)).map(|(p, _)| place(p)).collect();
        if !points.is_empty() {
            curves.push(Curve::dots(name, colour, points));
        }
    }
    // One broken line: a number that is not finite parts the segments.
    let ends = |pair: &[usize; 2]| {
        let [a, b] = pair.map(|k| place(&found.boundary.crossings[k].at));
        [a, b, [f64::NAN; 2]]
    };
    let line: Vec<[f64; 2]> = found.boundary.segments.iter().flat_map(ends).collect();
    if !line.is_empty() {
        curves.push(Curve::line("boundary", 0, line));
    }
    Panel { ordinate: ordinate.to_owned(), scale: Scale::Linear, curves }
}
