//! What is returned of the eigenvalues found: those nearest to what a request asks for, or those inside its band.
//!
//! One mode is a conjugate pair, +-s of an undamped problem, the double zero of a chain, or one real eigenvalue; near a point
//! of the plane each eigenvalue counts for itself. Modes of one eigenvalue on both sides of the last one returned are reported.

use mb_algebra::c64;
use mb_algebra::sorted::ascending;

use crate::dense::{Kind, Raw};
use crate::finding::{Completeness, Region, SparseFinding};
use crate::problem::uncertified::Uncertified;
use crate::request::Request;
use crate::{Class, Eigenpair, Finding, Spectrum, tuning};

/// Distance, relative to |s|, within which modes count as those of one eigenvalue: 1e-6 of w = -s^2, as where modes are counted.
const SAME: f64 = 5e-7;

fn same(a: c64, b: c64) -> bool {
    (a - b).norm() <= SAME * a.norm().max(b.norm())
}

/// What there is to say of eigenvalues that are among those returned and among those left out; one s stands for each mode.
fn told(returned: &[c64], left_out: &[c64]) -> Vec<Finding> {
    let mut seen: Vec<c64> = Vec::new();
    for &s in left_out {
        if returned.iter().any(|other| same(s, *other)) && !seen.iter().any(|other| same(s, *other)) {
            seen.push(s);
        }
    }
    let count = |list: &[c64], s: c64| list.iter().filter(|other| same(s, **other)).count();
    let finding = |s: c64| {
        let returned = count(returned, s);
        let found = returned + count(left_out, s);
        SparseFinding::MultipleCut { re: s.re, im: s.im, found, returned }.into()
    };
    seen.into_iter().map(finding).collect()
}

/// The same of modes of undamped problems by w = -s^2, the first `count` of which are returned.
pub(crate) fn reported_of_squares(w: &[f64], count: usize) -> Vec<Finding> {
    let s: Vec<c64> = w.iter().map(|&w| Uncertified::of_square(w)).collect();
    let (returned, left_out) = s.split_at(count.min(s.len()));
    told(returned, left_out)
}

/// Counts those modes at zero that are known to be there among those left out.
pub(crate) fn count_known_zeros(findings: &mut [Finding], least: usize) {
    for finding in findings {
        if let Finding::Sparse { detail: SparseFinding::MultipleCut { re, im, found, .. } } = finding
            && re.hypot(*im) == 0.0
        {
            *found = least.max(*found);
        }
    }
}

/// How far an eigenvalue is from what a request asks for: the order in which eigenvalues are returned.
pub(crate) fn distance(request: &Request, s: c64) -> f64 {
    match *request {
        Request::NearFrequency { hz, .. } => (s - c64::new(0.0, std::f64::consts::TAU * hz)).norm(),
        Request::NearPoint { s: point, .. } => (s - point).norm(),
        Request::Largest { .. } => -s.norm(),
        Request::Lowest { .. } | Request::Band { .. } | Request::All => s.norm(),
    }
}

/// Keeps the first `count` of some values in the order of a key, and those whose keys are beyond the last one by no more than their margins:
/// before they are certified nobody knows which of these come first.
pub(crate) fn about_first<T>(
    found: &mut Vec<T>,
    count: usize,
    key: impl Fn(&T) -> f64,
    margin: impl Fn(&T) -> f64,
) {
    ascending(found, &key);
    let Some(last) = count.checked_sub(1).and_then(|last| found.get(last)).map(&key) else { return };
    let mut index = 0;
    found.retain(|value| {
        index += 1;
        index <= count || key(value) <= last + margin(value)
    });
}

/// One mode, or one eigenvalue where each counts for itself.
struct Group {
    s: c64,
    /// Its eigenpairs.
    members: Vec<usize>,
    /// Whether its bound says where it is: only then is it known to be the same as another.
    sure: bool,
}

/// The other eigenpair of the mode of the i-th one, s, of which none is left alone: a conjugate and the second zero of a chain stand behind it,
/// -s of an undamped problem behind all that are as large. `free`: those that belong to no other mode.
fn partner(
    pairs: &[Eigenpair],
    i: usize,
    s: c64,
    undamped: bool,
    free: impl Fn(usize) -> bool,
) -> Option<usize> {
    let next = pairs.get(i + 1).and_then(Eigenpair::value);
    let is_neighbour = match pairs[i].class {
        Class::Rigid => pairs[i].chain == 2 && next == Some(s),
        _ => s.im > 0.0 && next == Some(s.conj()),
    };
    if is_neighbour || !undamped || s.im != 0.0 || pairs[i].class == Class::Rigid {
        return is_neighbour.then_some(i + 1);
    }
    let off = |j: &usize| pairs[*j].value().map_or(f64::INFINITY, |other| (other + s).norm());
    let opposite = (i + 1..pairs.len()).filter(|j| free(*j) && off(j) <= tuning::SQRT_EPS * s.norm());
    opposite.min_by(|a, b| off(a).total_cmp(&off(b)))
}

/// Marks the eigenpairs a request asks for; the number of modes among them, and what there is to say of those left out.
fn choose(pairs: &[Eigenpair], request: &Request, undamped: bool) -> (Vec<bool>, usize, Vec<Finding>) {
    let each = matches!(request, Request::NearPoint { .. });
    let mut groups: Vec<Group> = Vec::new();
    let mut grouped = vec![false; pairs.len()];
    for (i, pair) in pairs.iter().enumerate() {
        let (Some(s), true) = (pair.value().filter(|_| !grouped[i]), pair.class.is_motion()) else {
            continue;
        };
        let alone = each && !(undamped && pair.class == Class::Rigid);
        let other = if alone { None } else { partner(pairs, i, s, undamped, |j| !grouped[j]) };
        let members: Vec<usize> = std::iter::once(i).chain(other).collect();
        for j in &members {
            grouped[*j] = true;
        }
        groups.push(Group { s, members, sure: is_sure(pair) });
    }
    ascending(&mut groups, |a| distance(request, a.s));
    let weight = |group: &Group| if each { group.members.len() } else { 1 };
    let (mut taken, count) = (0, request.count().unwrap_or(usize::MAX));
    let modes = groups.iter().take_while(|group| {
        let keep = taken < count;
        taken += weight(group);
        keep
    });
    let modes = modes.count();
    let (returned, left_out) = groups.split_at(modes);
    let values =
        |part: &[Group]| part.iter().filter(|group| group.sure).map(|group| group.s).collect::<Vec<_>>();
    let cut = told(&values(returned), &values(left_out));
    let mut kept = vec![false; pairs.len()];
    returned.iter().flat_map(|group| &group.members).for_each(|i| kept[*i] = true);
    (kept, returned.iter().map(weight).sum(), cut)
}

/// Whether a bound says where an eigenvalue is; what counts as zero is said to be open where it is.
fn is_sure(pair: &Eigenpair) -> bool {
    // Bound of a mode near a band, relative to its width, from which on it is open what the band holds: what a plot of it would show.
    pair.class == Class::Rigid || pair.value().is_some_and(|s| pair.error_bound <= tuning::SLIGHT * s.norm())
}

/// Marks the eigenvalues that have a chance to be asked for, one mode more than are, where all eigenvalues are
/// conjugate pairs on the imaginary axis and double zeros, `expected` in all; none where a request or the eigenvalues
/// are of another kind.
pub(crate) fn oscillations(raws: &[Raw], request: &Request, expected: usize) -> Option<Vec<bool>> {
    if matches!(request, Request::NearPoint { .. }) {
        return None;
    }
    let count = request.count()?;
    let zero = |raw: &Raw| raw.kind == Kind::Zero && raw.chain == 2;
    let found: usize = raws.iter().map(|raw| if raw.mirror { 2 } else { 1 }).sum();
    // Of unsymmetric matrices eigenvalues leave the axis in fours: +-a +- i b.
    let on_axis = |raw: &Raw| raw.mirror && raw.alpha.re == 0.0;
    if found != expected || !raws.iter().all(|raw| on_axis(raw) || zero(raw)) {
        return None;
    }
    let key = |raw: &Raw| distance(request, c64::new(0.0, raw.value().im.abs()));
    let mut order: Vec<usize> = (0..raws.len()).collect();
    ascending(&mut order, |&i| key(&raws[i]));
    // A double zero stands as two eigenvalues behind each other.
    let (mut left, mut chosen) = (2 * (count + 1), vec![false; raws.len()]);
    for i in order {
        if left == 0 {
            break;
        }
        chosen[i] = true;
        left = left.saturating_sub(if raws[i].mirror { 2 } else { 1 });
    }
    Some(chosen)
}

/// Whether a request for a band asks for an eigenvalue: one whose damped frequency is in the band, or may be for all that its error bound
/// says, and whose damping ratio is no larger than asked for. All are in the band of other requests.
fn in_band(s: c64, error: f64, request: &Request) -> bool {
    let Request::Band { from_hz, to_hz, max_damping_ratio } = *request else { return true };
    let tau = std::f64::consts::TAU;
    // The ends are given in Hz, whose product with 2 pi is rounded.
    // Distance from an end of a band, relative to its upper end, at which an eigenvalue lies on it: rounding of the end and of 2 pi.
    let slack = tuning::FEW_ROUNDINGS * tau * to_hz + if error.is_finite() { error } else { 0.0 };
    // An eigenvalue that only grows or decays has no frequency.
    if s.im == 0.0 && s.re != 0.0 {
        return false;
    }
    let omega = s.im.abs();
    let light = max_damping_ratio.is_none_or(|most| -s.re <= most * s.norm());
    omega >= tau * from_hz - slack && omega <= tau * to_hz + slack && light
}

/// Keeps what a request asks for once all eigenvalues have all their digits, and says what was lost.
pub(crate) fn keep(spectrum: &mut Spectrum, request: &Request, undamped: bool) {
    keep_asked(spectrum, request, undamped);
    report_lost(spectrum, request);
}

/// Keeps what a request asks for; how many modes where it asks for a number of them.
pub(crate) fn keep_asked(spectrum: &mut Spectrum, request: &Request, undamped: bool) -> Option<usize> {
    let modes = match request {
        Request::All => None,
        Request::Band { .. } => {
            keep_band(spectrum, request);
            None
        }
        _ => Some(keep_nearest(spectrum, request, undamped)),
    };
    spectrum.report_poor_accuracy();
    modes
}

/// Keeps the modes nearest to what is asked for; how many.
fn keep_nearest(spectrum: &mut Spectrum, request: &Request, undamped: bool) -> usize {
    compare_again(spectrum);
    let (kept, modes, cut) = choose(&spectrum.eigenpairs, request, undamped);
    // What was said before they were certified is said anew, or was not true.
    let value = |finding: &Finding| match finding {
        Finding::Sparse { detail: SparseFinding::MultipleCut { re, im, .. } } => Some(c64::new(*re, *im)),
        _ => None,
    };
    let returned = |s: c64| {
        let some = spectrum.eigenpairs.iter().zip(&kept).filter(|(_, kept)| **kept);
        some.filter_map(|(pair, _)| pair.value()).any(|other| same(s, other))
    };
    spectrum.findings.retain(|finding| value(finding).is_none_or(returned));
    spectrum.findings.extend(cut);
    // Directions whose stiffnesses are zero by rounding alone may be as many different eigenvalues.
    let by_rounding =
        spectrum.findings.iter().any(|finding| matches!(finding, Finding::ZeroByRounding { .. }));
    let at_zero = |finding: &Finding| value(finding).is_some_and(|s| s == c64::new(0.0, 0.0));
    let cut_at_zero = |finding: &Finding| match finding {
        Finding::Sparse { detail: SparseFinding::MultipleCut { found, returned, .. } } => {
            Some(found - returned)
        }
        _ => None,
    };
    if by_rounding && let Some(more) = spectrum.findings.iter().filter(|f| at_zero(f)).find_map(cut_at_zero) {
        spectrum.findings.retain(|finding| !at_zero(finding));
        let reason = format!(
            "of the directions that count as zero because of rounding not all were asked for, and others may be nearer; \
             ask for {more} more to see all of them"
        );
        spectrum.findings.push(SparseFinding::Undecided { reason }.into());
    } else if by_rounding && is_other_open(spectrum, &kept, request) {
        let reason = "a direction that counts as zero because of rounding has a second eigenvalue, which the digits of K do not determine \
             either and which may be nearer than some of those returned";
        spectrum.findings.push(SparseFinding::Undecided { reason: reason.to_owned() }.into());
    } else if is_cut_open(&spectrum.eigenpairs, &kept, request) {
        let reason = "error bounds of some modes are wider than the distance between the last one returned and the next, which may be nearer";
        spectrum.findings.push(SparseFinding::Undecided { reason: reason.to_owned() }.into());
    }
    let mut kept = kept.into_iter();
    spectrum.eigenpairs.retain(|_| kept.next() == Some(true));
    spectrum.counts.found = crate::ClassCounts::of(&spectrum.eigenpairs);
    modes
}

/// Whether the other eigenvalue of a direction that is a single zero by rounding may be anywhere among those returned: with damping
/// m s^2 + c s + d has two, and what the zero's bound says of d holds for both.
fn is_other_open(spectrum: &Spectrum, kept: &[bool], request: &Request) -> bool {
    let returned = || {
        let some = spectrum.eigenpairs.iter().zip(kept).filter(|(_, kept)| **kept);
        some.map(|(pair, _)| pair).filter(|pair| pair.class.is_motion())
    };
    if returned().count() >= spectrum.counts.expected.motion {
        return false;
    }
    let furthest = returned().filter_map(Eigenpair::value).map(|s| distance(request, s)).fold(0.0, f64::max);
    // The search errs by more than the certified bound, which is that of the better vectors.
    let reach = |zero: &Eigenpair| distance(request, c64::new(0.0, 0.0)) + zero.error_bound / tuning::CLEAR;
    let mut zeros = returned().filter(|pair| pair.class == Class::Rigid && pair.chain == 1);
    zeros.any(|zero| reach(zero) > furthest)
}

/// Whether an eigenvalue that is left out may be nearer to what is asked for than one that is returned, for all that their bounds say,
/// and is another one than that.
fn is_cut_open(pairs: &[Eigenpair], kept: &[bool], request: &Request) -> bool {
    let each = matches!(request, Request::NearPoint { .. });
    let value = |pair: &Eigenpair| {
        let s = pair.value().filter(|_| pair.class.is_motion())?;
        Some(if each { s } else { c64::new(s.re, s.im.abs()) })
    };
    let of = |wanted: bool| {
        let some = pairs.iter().zip(kept).filter(move |(_, kept)| **kept == wanted);
        some.filter_map(|(pair, _)| value(pair).map(|s| (s, pair)))
    };
    of(false).any(|(s, left_out)| {
        of(true).any(|(t, returned)| {
            let width = left_out.error_bound + returned.error_bound;
            let blurred = width > SAME * s.norm().max(t.norm());
            let told = same(s, t) && is_sure(left_out) && is_sure(returned);
            // Nothing is nearer than what lies there without an error.
            let there = distance(request, t) == 0.0 && returned.error_bound == 0.0;
            blurred && !told && !there && distance(request, s) - distance(request, t) < width
        })
    })
}

/// Compares counts of an undamped problem with the modes that are where they were counted, now that these have all their digits: a value of the
/// search may have been that of another mode, or of one that it had found already.
fn compare_again(spectrum: &mut Spectrum) {
    let squares: Vec<(f64, f64)> = spectrum
        .of_class(Class::Physical)
        .chain(spectrum.of_class(Class::Rigid))
        .filter_map(|pair| pair.value().map(|s| (-(s * s).re, 2.0 * s.norm() * pair.error_bound)))
        .collect();
    // A mode has two eigenvalues.
    let within = |from: f64, to: f64| {
        squares.iter().filter(|(w, off)| w + off > from && w - off < to).count().div_ceil(2)
    };
    let held = squares.len().div_ceil(2);
    for finding in &mut spectrum.findings {
        let Some(said) = finding.completeness() else { continue };
        let Region::Interval { from, to } = said.region else { continue };
        // Of modes that are not asked for some may have been left out before they were certified.
        let found = within(from, to);
        if found < said.found.min(held) {
            *finding = Completeness { found, ..*said }.into();
        }
    }
}

/// Whether a band may hold an eigenvalue that its value is outside of, for all that the error bounds say.
fn may_enter(pairs: &[Eigenpair], at: usize, request: &Request) -> bool {
    let Request::Band { from_hz, to_hz, .. } = *request else { return false };
    // Width of a band relative to its upper end that counts at least.
    let width = std::f64::consts::TAU * (to_hz - from_hz).max(tuning::CBRT_EPS * to_hz);
    let (pair, error) = (&pairs[at], pairs[at].error_bound);
    let Some(s) = pair.value().filter(|s| !in_band(*s, 0.0, request) && error > tuning::SLIGHT * width)
    else {
        return false;
    };
    if s.im != 0.0 || pair.class != Class::Physical {
        return in_band(s, error, request);
    }
    // Two real values whose bounds meet may be two conjugate eigenvalues, with any damping.
    let meets = |other: &Eigenpair| {
        let real = other.value().filter(|t| t.im == 0.0 && other.class.is_motion());
        real.is_some_and(|t| (s - t).norm() <= error + other.error_bound)
    };
    let others = pairs.iter().enumerate().filter(|(j, _)| *j != at);
    error >= std::f64::consts::TAU * from_hz && others.map(|(_, other)| other).any(meets)
}

/// Takes out what is outside a band once its eigenvalues have all their digits.
fn keep_band(spectrum: &mut Spectrum, request: &Request) {
    let Request::Band { from_hz, to_hz, max_damping_ratio } = *request else { return };
    compare_again(spectrum);
    let open = (0..spectrum.eigenpairs.len()).any(|i| may_enter(&spectrum.eigenpairs, i, request));
    let inside = |pair: &Eigenpair| pair.value().is_none_or(|s| in_band(s, pair.error_bound, request));
    spectrum.eigenpairs.retain(inside);
    spectrum.counts.found = crate::ClassCounts::of(&spectrum.eigenpairs);
    if open {
        let reason = "error bounds of some modes reach across the ends of the band";
        spectrum.findings.push(SparseFinding::Undecided { reason: reason.to_owned() }.into());
    }
    // Said already, or open where zeros are.
    let empty = |f: &Finding| {
        let said = matches!(f, Finding::Sparse { detail: SparseFinding::EmptyBand { .. } });
        said || matches!(f, Finding::ZeroByRounding { .. })
    };
    if spectrum.eigenpairs.is_empty() && !open && !spectrum.findings.iter().any(empty) {
        // Without a limit the search has its own, beyond which nothing is known.
        let covered = spectrum.findings.iter().find_map(|finding| match finding {
            Finding::Sparse { detail: SparseFinding::BandCovered { damping_ratio } } => Some(*damping_ratio),
            _ => None,
        });
        let max_damping_ratio = max_damping_ratio.or(covered);
        spectrum.findings.push(SparseFinding::EmptyBand { from_hz, to_hz, max_damping_ratio }.into());
    }
}

/// Where eigenpairs were left out that were counted among those asked for, fewer converged; what was said of their number is not true of
/// what is there.
pub(crate) fn report_lost(spectrum: &mut Spectrum, request: &Request) {
    let left_out = |finding: &Finding| match finding {
        Finding::Sparse { detail: SparseFinding::Dropped { eigenvalues, .. } } => *eigenvalues,
        Finding::Sparse { detail: SparseFinding::Repeated { modes } } => *modes,
        _ => 0,
    };
    let dropped: usize = spectrum.findings.iter().map(left_out).sum();
    if dropped == 0 {
        return;
    }
    // What was counted as found was not, whatever stands in its place.
    spectrum.findings.retain(|finding| {
        let fewer = matches!(
            finding,
            Finding::Sparse { detail: SparseFinding::FewerExist { .. } | SparseFinding::EmptyBand { .. } }
        );
        !fewer && !finding.completeness().is_some_and(Completeness::is_complete)
    });
    let each = matches!(request, Request::NearPoint { .. });
    // One of two conjugates, of two opposite eigenvalues and of a double zero.
    let second = |i: usize, pair: &Eigenpair| {
        let mut before = spectrum.eigenpairs[..i].iter().rev();
        if pair.alpha.im < 0.0 {
            return before.next().is_some_and(|other| pair.alpha == other.alpha.conj());
        }
        pair.alpha.re < 0.0 && before.any(|other| pair.alpha == -other.alpha)
    };
    let chained =
        spectrum.eigenpairs.iter().filter(|pair| pair.class == Class::Rigid && pair.chain == 2).count();
    let modes = spectrum.eigenpairs.iter().enumerate().filter(|(i, pair)| each || !second(*i, pair)).count();
    let found = if each { modes } else { modes - chained / 2 };
    let wanted = request.count().unwrap_or(found + dropped);
    spectrum.findings.push(if found < wanted {
        SparseFinding::Lost { lost: dropped, found, wanted }.into()
    } else {
        let reason = "what the search found includes values that are no eigenvalues or stand there twice: others as near may be missing";
        SparseFinding::Unproved { reason: reason.to_owned() }.into()
    });
}

#[cfg(test)]
mod tests;
