//! Where stability changes between neighbouring cases of a grid, solved for by further cases in between.

use super::case::{Case, Verdict};
use super::design::Design;

/// Width, as a share of the edge, at which a crossing is known well enough.
const SHARP: f64 = 1e-9;
/// Cases that one crossing may take: bisection needs log2(1/SHARP) = 30.
const MOST: usize = 40;

/// A place between two neighbouring cases where a disturbance begins to grow.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// The two cases: the one that does not grow, and the one that does.
    pub between: [usize; 2],
    /// Values of the parameters there.
    pub at: Vec<f64>,
    /// The crossing lies within this distance of `at` in every parameter, as a share of the edge: what the search and, to
    /// first order, the error bound of the eigenvalue leave open.
    pub within: f64,
    /// Frequency at which the disturbance grows, Hz; zero where it does not oscillate (divergence).
    pub frequency_hz: f64,
    /// Cases solved on the way.
    pub cases: usize,
}

/// All crossings of a grid, and the lines that join them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boundary {
    /// The crossings.
    pub crossings: Vec<Crossing>,
    /// Pairs of crossings on the same cell of a grid of two parameters, by index.
    pub segments: Vec<[usize; 2]>,
}

/// Solves for every crossing of a grid of one or two parameters; other designs have no neighbours and so none.
///
/// `cases` are the grid's, none where one failed; `solve` gives the case at other values. A crossing stays as wide as it is
/// known when a case on the way fails.
pub fn boundaries<E>(
    design: &Design,
    cases: &[Option<Case>],
    mut solve: impl FnMut(&[f64]) -> Result<Case, E>,
) -> Boundary {
    let mut crossings = Vec::new();
    for [a, b] in design.edges() {
        let (Some(first), Some(second)) = (&cases[a], &cases[b]) else { continue };
        let grows = |case: &Case| case.verdict == Verdict::Unstable;
        if grows(first) != grows(second) {
            let (between, ends) =
                if grows(first) { ([b, a], [second, first]) } else { ([a, b], [first, second]) };
            crossings.push(crossing(design, between, ends, &mut solve));
        }
    }
    let segments = segments(design, &crossings);
    Boundary { crossings, segments }
}

/// Negative where nothing grows, positive where something does; the size is the rate of growth.
fn growth(case: &Case) -> f64 {
    let rate = case.rightmost.map_or(0.0, |mode| mode.re);
    if case.verdict == Verdict::Unstable { rate.max(f64::MIN_POSITIVE) } else { rate.min(-f64::MIN_POSITIVE) }
}

/// ITP (I. F. D. Oliveira, R. H. C. Takahashi, ACM Trans. Math. Softw. 47 (2021) 5): the secant of the rate of growth,
/// moved towards the middle and kept so close to it that no more steps are needed than by bisection plus one.
fn crossing<E>(
    design: &Design,
    between: [usize; 2],
    ends: [&Case; 2],
    solve: &mut impl FnMut(&[f64]) -> Result<Case, E>,
) -> Crossing {
    let [from, to] = between.map(|k| &design.points[k]);
    let place = |x: f64| -> Vec<f64> { from.iter().zip(to).map(|(p, q)| p + x * (q - p)).collect() };
    let (mut a, mut b) = (0.0, 1.0);
    let (mut fa, mut fb) = (growth(ends[0]), growth(ends[1]));
    let mut grown = ends[1].clone();
    let mut growing = vec![(1.0, ends[1].clone())];
    let mut cases = 0;
    let steps = (1.0 / SHARP).log2().ceil();
    while b - a > SHARP && cases < MOST {
        let middle = 0.5 * (a + b);
        let secant = (fb * a - fa * b) / (fb - fa);
        let truncation = 0.2 * (b - a) * (b - a);
        let towards = (middle - secant).signum();
        let truncated =
            if truncation <= (middle - secant).abs() { secant + towards * truncation } else { middle };
        let reach = 0.5 * SHARP * (steps + 1.0 - cases as f64).exp2() - 0.5 * (b - a);
        let x =
            if (truncated - middle).abs() <= reach { truncated } else { middle - towards * reach.max(0.0) };
        let Ok(case) = solve(&place(x)) else { break };
        cases += 1;
        let f = growth(&case);
        if f > 0.0 {
            growing.push((x, case.clone()));
            (b, fb, grown) = (x, f, case);
        } else {
            (a, fa) = (x, f);
        }
    }
    let frequency_hz = grown.rightmost.map_or(0.0, |mode| mode.im.abs() / std::f64::consts::TAU);
    let a = a.min(earliest(&growing, b));
    Crossing { between, at: place(0.5 * (a + b)), within: 0.5 * (b - a), frequency_hz, cases }
}

/// Where the real part may be zero at the earliest. A case counts as growing once the real part is above its error bound, so
/// zero lies before `b`, by as much as the real part and its bound over the slope; the slope is that to the nearest growing
/// case whose real part differs by ten times the bounds. Zero, the other end of the edge, where there is none.
fn earliest(growing: &[(f64, Case)], b: f64) -> f64 {
    let rates: Vec<(f64, f64, f64)> =
        growing.iter().filter_map(|(x, case)| case.rightmost.map(|m| (*x, m.re, m.error))).collect();
    let Some((_, re, error)) = rates.iter().find(|(x, ..)| x.total_cmp(&b).is_eq()).copied() else {
        return b;
    };
    if re <= error {
        // What grows is not among the modes that were computed: only the verdict is known.
        return b;
    }
    let clear = |r: &&(f64, f64, f64)| r.0 > b && r.1 - re > 10.0 * (r.2 + error);
    let nearest = rates.iter().filter(clear).min_by(|p, q| p.0.total_cmp(&q.0));
    nearest.map_or(0.0, |(x, higher, _)| (b - (re + error) * (x - b) / (higher - re)).max(0.0))
}

/// Joins the crossings on the edges of each cell; of four on one cell those that share a case which grows.
fn segments(design: &Design, crossings: &[Crossing]) -> Vec<[usize; 2]> {
    let [rows, columns] = *design.shape.as_slice() else { return Vec::new() };
    let on = |a: usize, b: usize| crossings.iter().position(|c| c.between == [a, b] || c.between == [b, a]);
    let mut out = Vec::new();
    for i in 1..rows {
        for j in 1..columns {
            let corner = |k: usize, l: usize| (i - 1 + k) * columns + j - 1 + l;
            let [p, q, r, s] = [corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0)];
            let found: Vec<usize> =
                [[p, q], [q, r], [r, s], [s, p]].into_iter().filter_map(|[a, b]| on(a, b)).collect();
            match *found.as_slice() {
                [a, b] => out.push([a, b]),
                [a, b, c, d] => {
                    let joined = crossings[a].between[1] == crossings[b].between[1];
                    out.extend(if joined { [[a, b], [c, d]] } else { [[b, c], [d, a]] });
                }
                _ => {}
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::case::CaseMode;
    use super::super::design::Range;
    use super::*;

    /// A wide error bound shifts the verdict, not what is said of the crossing.
    #[test]
    fn the_error_bound_of_the_eigenvalue_widens_the_crossing() {
        let range = Range { name: "p".to_owned(), from: 0.0, to: 2.0, count: 2 };
        let design = Design::grid(&[range]).unwrap();
        let with_bound = |p: f64, error: f64| {
            let re = 0.5 * (p - 0.6) + 0.1 * (p - 0.6) * (p - 0.6);
            let mode = CaseMode { re, im: 0.0, error, rigid: false };
            let verdict = if re > error { Verdict::Unstable } else { Verdict::Marginal };
            Case { modes: vec![mode], rightmost: Some(mode), verdict, complete: true, whole: true }
        };
        for error in [1e-13, 1e-6, 1e-3, 0.02] {
            let solve = |values: &[f64]| -> Result<Case, String> { Ok(with_bound(values[0], error)) };
            let cases: Vec<_> = design.points.iter().map(|p| solve(p).ok()).collect();
            let found = boundaries(&design, &cases, solve);
            let [crossing] = found.crossings.as_slice() else { panic!("{found:?}") };
            let within = 2.0 * crossing.within;
            assert!((crossing.at[0] - 0.6).abs() <= within, "{error:e}: {crossing:?}");
            assert!(within <= 2e-9 + 3.0 * error, "{error:e}: {crossing:?}");
        }
    }

    /// A mode whose rate of growth is known at every place.
    fn with_growth(re: f64) -> Case {
        let mode = CaseMode { re, im: 3.0, error: 1e-12, rigid: false };
        let verdict = if re > 1e-12 { Verdict::Unstable } else { Verdict::Stable };
        Case { modes: vec![mode], rightmost: Some(mode), verdict, complete: true, whole: true }
    }

    fn grid(counts: [usize; 2]) -> Design {
        let range = |name: &str, count| Range { name: name.to_owned(), from: -2.0, to: 2.0, count };
        Design::grid(&[range("x", counts[0]), range("y", counts[1])]).unwrap()
    }

    #[test]
    fn crossings_lie_on_the_circle_that_bounds_growth() {
        let design = grid([9, 12]);
        let inside = |p: &[f64]| with_growth(1.0 - p[0].hypot(p[1]));
        let cases: Vec<_> = design.points.iter().map(|p| Some(inside(p))).collect();
        let found = boundaries(&design, &cases, |p| Ok::<_, ()>(inside(p)));
        assert!(found.crossings.len() >= 12);
        for crossing in &found.crossings {
            assert!((crossing.at[0].hypot(crossing.at[1]) - 1.0).abs() < 1e-8, "{crossing:?}");
            // No more than bisection takes, and one.
            assert!(crossing.cases <= 31, "{crossing:?}");
            assert!((crossing.frequency_hz - 3.0 / std::f64::consts::TAU).abs() < 1e-14, "{crossing:?}");
        }
        // The boundary is one closed line: every crossing is the end of two segments.
        for k in 0..found.crossings.len() {
            assert_eq!(found.segments.iter().flatten().filter(|j| **j == k).count(), 2);
        }
    }

    #[test]
    fn growth_that_sets_in_at_once_is_found_by_halving() {
        let range = Range { name: "x".to_owned(), from: 0.0, to: 1.0, count: 2 };
        let design = Design::grid(&[range]).unwrap();
        // Undamped flutter: nothing decays below the limit, and above it the rate grows as a square root.
        let at = |p: &[f64]| with_growth((p[0] - std::f64::consts::FRAC_1_SQRT_2).max(0.0).sqrt());
        let cases: Vec<_> = design.points.iter().map(|p| Some(at(p))).collect();
        let found = boundaries(&design, &cases, |p| Ok::<_, ()>(at(p)));
        let [crossing] = found.crossings.as_slice() else { panic!("{found:?}") };
        assert!((crossing.at[0] - std::f64::consts::FRAC_1_SQRT_2).abs() <= 1e-9 && crossing.cases <= 32);
    }

    #[test]
    fn a_case_that_fails_leaves_the_crossing_wide() {
        let design = grid([2, 2]);
        let cases: Vec<_> = design.points.iter().map(|p| Some(with_growth(p[0]))).collect();
        let found = boundaries(&design, &cases, |_| Err(()));
        assert!(found.crossings.iter().all(|c| c.within > 0.49 && c.cases == 0));
        assert_eq!(found.crossings.len(), 2);
    }
}
