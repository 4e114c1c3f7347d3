//! The mode table, the counts and findings below it, the mode shapes.

use super::{Column, Style, Table, six, tiny};
use crate::flow::FormulationSpectrum;
use crate::flow::moving::whirl_word;
use crate::names;
use mb_algebra::c64;
use mb_eigen::sparse::{Completeness, Proof, Region, SparseFinding};
use mb_eigen::{Eigenpair, Finding, Spectrum};
use std::fmt::Write as _;

/// Most coordinates of a mode shape that are shown.
const SHAPE: usize = 16;

/// A line of the table: one eigenvalue, or a conjugate pair.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Number of the line, from 1.
    pub number: usize,
    /// Index of the (first) eigenpair in the spectrum.
    pub index: usize,
    /// The eigenpair, the one with Im s > 0 of two.
    pub pair: &'a Eigenpair,
    /// True when the conjugate is the next eigenpair of the spectrum.
    pub conjugate: bool,
}

/// The lines of a spectrum: motion only, or everything.
pub fn lines(spectrum: &Spectrum, all: bool) -> Vec<Line<'_>> {
    let mut out: Vec<Line<'_>> = Vec::new();
    let mut index = 0;
    while let Some(pair) = spectrum.eigenpairs.get(index) {
        let next = spectrum.eigenpairs.get(index + 1);
        let conjugate = pair.alpha.im > 0.0
            && next.is_some_and(|n| n.alpha == pair.alpha.conj() && n.class == pair.class);
        if all || pair.class.is_motion() {
            out.push(Line { number: out.len() + 1, index, pair, conjugate });
        }
        index += if conjugate { 2 } else { 1 };
    }
    out
}

impl Line<'_> {
    /// The imaginary part, with both signs for a conjugate pair.
    pub fn imaginary(&self, s: c64) -> String {
        if self.conjugate { format!("±{}", six(s.im)) } else { six(s.im) }
    }
}

/// The value as the tables show it: a part that drowns in the error bound of the eigenpair, and is below
/// 1e-9 of the whole, is zero.
pub fn shown(pair: &Eigenpair) -> Option<c64> {
    let s = pair.value()?;
    let cut = pair.error_bound.min(1e-9 * s.norm());
    let part = |x: f64| if x.abs() <= cut { 0.0 } else { x };
    Some(c64::new(part(s.re), part(s.im)))
}

/// The table of one formulation.
pub fn table(result: &FormulationSpectrum, all: bool, style: Style) -> String {
    let whirls = !result.whirl.is_empty();
    let mut columns = vec![
        Column::number("mode", ""),
        Column::number("re", "1/s"),
        Column::number("im", "rad/s"),
        Column::number("f_d", "Hz"),
        Column::number("f_n", "Hz"),
        Column::number("zeta", ""),
        Column::words("class"),
        Column::number("residual", ""),
        Column::number("error", "rad/s"),
    ];
    if whirls {
        columns.push(Column::words("whirl"));
    }
    let mut table = Table::new(columns);
    for line in lines(&result.spectrum, all) {
        let pair = line.pair;
        let value = |f: Option<f64>| f.map_or_else(|| "-".to_owned(), six);
        let s = shown(pair);
        let (re, im) = s.map_or_else(|| ("-".to_owned(), "-".to_owned()), |s| (six(s.re), line.imaginary(s)));
        // What is shown as undamped has no damping ratio of the size of rounding.
        let zeta = pair.damping_ratio().map(|zeta| if s.is_some_and(|s| s.re == 0.0) { 0.0 } else { zeta });
        let mut row = vec![
            line.number.to_string(),
            re,
            im,
            value(pair.frequency_hz()),
            value(pair.natural_frequency_hz()),
            value(zeta),
            class(pair),
            tiny(pair.backward_error),
            if pair.error_bound.is_finite() { tiny(pair.error_bound) } else { "-".to_owned() },
        ];
        if whirls {
            row.push(whirl_word(result.whirl_of(line.index)).to_owned());
        }
        table.row(row);
    }
    if table.is_empty() {
        return "  no modes\n".to_owned();
    }
    table.render(style)
}

/// The class, with a word when the mode grows or its error bound is as large as the eigenvalue.
pub fn class(pair: &Eigenpair) -> String {
    let grows = pair.class.is_motion() && pair.value().is_some_and(|s| s.re > pair.error_bound);
    match (grows, pair.is_determined()) {
        (true, _) => format!("{}, growing", pair.class),
        (false, false) => format!("{}, not determined", pair.class),
        (false, true) => pair.class.to_string(),
    }
}

/// Eigenvalues found and expected, by class.
pub fn counts(result: &FormulationSpectrum) -> String {
    let spectrum = &result.spectrum;
    let (f, e) = (&spectrum.counts.found, &spectrum.counts.expected);
    let rigid = if f.rigid > 0 { format!(" ({} rigid)", f.rigid) } else { String::new() };
    if result.request.is_some() {
        let of =
            if e.motion > 0 { format!(", of the {} that theory counts", e.motion) } else { String::new() };
        return format!("eigenvalues: {} of the motion{rigid}{of}\n", f.motion());
    }
    let parts: Vec<String> = [
        ("of the motion", f.motion(), e.motion, rigid.as_str()),
        ("spurious by penalty", f.spurious_penalty, e.spurious_penalty, ""),
        ("spurious by transferred Jacobian", f.spurious_transferred, e.spurious_transferred, ""),
        ("infinite", f.infinite, e.infinite, ""),
        ("indeterminate", f.indeterminate, e.indeterminate, ""),
    ]
    .into_iter()
    .filter(|(_, found, expected, _)| found + expected > 0)
    .map(|(what, found, expected, more)| {
        // Of a descriptor pair without known structure theory says nothing.
        let differs = if found == expected || e.total() == 0 {
            String::new()
        } else {
            format!(" (expected {expected})")
        };
        format!("{found} {what}{more}{differs}")
    })
    .collect();
    let agrees = if spectrum.counts.mismatches().is_empty() { ", as theory counts" } else { "" };
    if parts.is_empty() {
        return "eigenvalues: none\n".to_owned();
    }
    format!("eigenvalues: {}{agrees}\n", parts.join(", "))
}

/// Findings of a formulation in words. Redundant constraints are reported once for the model.
pub fn findings(result: &FormulationSpectrum, all: bool) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(why) = &result.reselected {
        out.push(format!("the selection was replaced by an automatic one. {why}"));
    }
    let lines = lines(&result.spectrum, all);
    let is_moved =
        |finding: &&Finding| matches!(finding, Finding::Sparse { detail: SparseFinding::ShiftMoved { .. } });
    let mut moved = result.spectrum.findings.iter().filter(is_moved).count();
    for finding in &result.spectrum.findings {
        match finding {
            // A cluster moves each of the shifts that are tried in it: one stands for all.
            Finding::Sparse { detail: detail @ SparseFinding::ShiftMoved { .. } } => {
                match std::mem::take(&mut moved) {
                    0 => {}
                    1 => out.push(detail.to_string()),
                    all => {
                        let others = names::count(all - 1, "other shift was", "other shifts were");
                        out.push(format!("{detail} {others} moved likewise."));
                    }
                }
            }
            Finding::RedundantConstraints { .. } | Finding::UncertainConstraintRank { .. } => {}
            Finding::Sparse { detail } => out.extend(sparse(detail, left_out(&result.spectrum.findings))),
            Finding::PoorAccuracy { pair, backward_error } => {
                let number = lines.iter().find(|l| l.index == *pair).map(|l| l.number);
                let which =
                    number.map_or_else(|| "a mode that is not shown".to_owned(), |n| format!("mode {n}"));
                out.push(format!(
                    "{which} has a backward error of {}, far above rounding",
                    tiny(*backward_error)
                ));
            }
            other => out.push(other.to_string()),
        }
    }
    out
}

/// The eigenvalues of an instant: values alone, since bounds, classes and damping ratios are those of vibrations.
pub fn eigenvalues(result: &FormulationSpectrum, style: Style) -> String {
    let mut table = Table::new(vec![
        Column::number("eigenvalue", ""),
        Column::number("re", "1/s"),
        Column::number("im", "rad/s"),
    ]);
    for line in lines(&result.spectrum, false) {
        let Some(s) = line.pair.value() else { continue };
        table.row(vec![line.number.to_string(), six(s.re), line.imaginary(s)]);
    }
    if table.is_empty() { "  no eigenvalues\n".to_owned() } else { table.render(style) }
}

/// What a sparse analysis found, in the units of the table; figures of the method are left to JSON.
fn sparse(finding: &SparseFinding, cut: usize) -> Option<String> {
    let modes = |n: usize| names::count(n, "mode", "modes");
    match *finding {
        SparseFinding::Shift { .. } => None,
        SparseFinding::Completeness(ref count) => Some(completeness(count, cut)),
        SparseFinding::MultipleCut { re, im, found, returned } => Some(format!(
            "the eigenvalue {} has at least {}, of which {} returned: ask for {} more to see those",
            if re == 0.0 { format!("at {}", hz(im * im)) } else { format!("s = {}", point(re, im)) },
            modes(found),
            names::count(returned, "is", "are"),
            found.saturating_sub(returned)
        )),
        ref other => Some(other.to_string()),
    }
}

/// `w` = omega^2 as a frequency.
fn hz(w: f64) -> String {
    format!("{} Hz", six(w.max(0.0).sqrt() / std::f64::consts::TAU))
}

/// Modes of multiple eigenvalues that were found and not asked for.
fn left_out(findings: &[Finding]) -> usize {
    let cut = |finding: &Finding| match finding {
        Finding::Sparse { detail: SparseFinding::MultipleCut { found, returned, .. } } => {
            found.saturating_sub(*returned)
        }
        _ => 0,
    };
    findings.iter().map(cut).sum()
}

/// What a count of a region shows; `cut` of those found are not returned.
fn completeness(count: &Completeness, cut: usize) -> String {
    let Completeness { region, found, counted, by } = *count;
    let (of, what) = match region {
        Region::Interval { from, to } if to > 0.0 && from > 0.0 => {
            ("mode", format!("between {} and {}", hz(from), hz(to)))
        }
        Region::Interval { to, .. } if to > 0.0 => ("mode", format!("below {}", hz(to))),
        Region::Undamped { from, to } if to > 0.0 => {
            let ends = if from > 0.0 {
                format!("between {} and {}", hz(from), hz(to))
            } else {
                format!("below {}", hz(to))
            };
            ("mode", format!("with a frequency without damping {ends}"))
        }
        Region::Inside { re, im, radius, squared } => {
            ("eigenvalue", format!("with {}", inside(re, im, radius, squared)))
        }
        _ => return count.to_string(),
    };
    let all = names::count(counted, of, &format!("{of}s"));
    let shown = match by {
        Proof::RandomVectors { chance } => {
            format!("random vectors show {all} and no other, but for a chance of {chance:.0e}")
        }
        Proof::DeterminantPhase => format!("the phase of the determinant counts {all}"),
        _ => format!("the inertia of the factors counts {all}"),
    };
    if count.is_complete() && cut > 0 {
        let are = if cut == 1 { "is" } else { "are" };
        format!("all {found} {of}s {what} were found, {cut} of which {are} left out: {shown}")
    } else if count.is_complete() {
        format!("no {of} is missing {what}: {shown}")
    } else {
        format!("{}S ARE MISSING {what}: {shown}, {found} were found", of.to_uppercase())
    }
}

/// The inside of a circle in the plane of s or s^2.
fn inside(re: f64, im: f64, radius: f64, squared: bool) -> String {
    let (what, unit) = if squared { ("s^2", "(rad/s)^2") } else { ("s", "rad/s") };
    format!("{what} within {} {unit} of {}", six(radius), point(re, im))
}

/// A point of the complex plane.
fn point(re: f64, im: f64) -> String {
    if im == 0.0 {
        return six(re);
    }
    format!("{} {} {}i", six(re), if im < 0.0 { "-" } else { "+" }, six(im.abs()))
}

/// The mode shapes: amplitude and phase by coordinate; `left` ones too when asked for.
pub fn shapes(
    coordinate: &dyn Fn(usize) -> String,
    result: &FormulationSpectrum,
    all: bool,
    left: bool,
    style: Style,
) -> String {
    let mut out = String::new();
    for line in lines(&result.spectrum, all) {
        let value = shown(line.pair).map_or_else(
            || line.pair.class.to_string(),
            |s| format!("s = {} {}i", six(s.re), line.imaginary(s)),
        );
        let _ = writeln!(out, "\n{}", style.bold(&format!("mode {}: {value}", line.number)));
        out.push_str(&shape(coordinate, &line.pair.right, style));
        if left {
            let _ = writeln!(out, "  left vector");
            out.push_str(&shape(coordinate, &line.pair.left, style));
        }
    }
    out
}

fn shape(coordinate: &dyn Fn(usize) -> String, x: &[c64], style: Style) -> String {
    let largest = x.iter().map(|z| z.norm()).fold(0.0, f64::max);
    if largest == 0.0 {
        return "  no displacement\n".to_owned();
    }
    let mut shown: Vec<usize> = (0..x.len()).filter(|i| x[*i].norm() > 1e-9 * largest).collect();
    let hidden = shown.len().saturating_sub(SHAPE);
    if hidden > 0 {
        shown.sort_by(|a, b| x[*b].norm().total_cmp(&x[*a].norm()));
        shown.truncate(SHAPE);
        shown.sort_unstable();
    }
    let mut table = Table::new(vec![
        Column::words("coordinate"),
        Column::number("amplitude", ""),
        Column::number("phase", "deg"),
    ]);
    for i in shown {
        // Rounding turns 180 into -180, and 0 into -0, at will.
        let degrees = (x[i].arg().to_degrees() * 100.0).round() / 100.0;
        let degrees = if degrees <= -180.0 { degrees + 360.0 } else { degrees };
        table.row(vec![coordinate(i), six(x[i].norm() / largest), format!("{:.2}", degrees + 0.0)]);
    }
    let mut out = table.render(style);
    if hidden > 0 {
        let _ =
            writeln!(out, "  and {} (--shapes has all)", names::count(hidden, "smaller one", "smaller ones"));
    }
    out
}
