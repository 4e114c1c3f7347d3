//! Small problems whose eigenvalues double precision leaves without bounds: zeros of the determinant in double-double precision.
//!
//! ```text
//! z_i <- z_i - 1 / (p'(z_i) / p(z_i) - sum_(j != i) 1 / (z_i - z_j)),   p = det [s^2 M + s C + K, Phi^T; Phi, 0]
//! ```
//!
//! Springs 1e14 times as stiff as others, or masses 1e-21 of others, leave a companion matrix with eigenvalues so far apart that its
//! rounding reaches the small ones, in double-double precision too: their squares stand side by side in it. The determinant is
//! equilibrated for each s by itself, so that every eigenvalue has its own digits (function.rs). Ehrlich and Aberth's iteration
//! finds all zeros at once, which repel each other (Bini and Noferini, Linear Algebra Appl. 439, 2013). Eigenvalues that double
//! precision knows are kept, those it knows roughly start there, and the others where p'/p counts them (starts.rs). What is claimed rests on none of
//! this: discs around the values hold all zeros of p, whatever the values are (discs.rs). An elimination and an inverse of n + r rows for
//! each value and step. How many eigenvalues are finite is counted without rounding (finite_count.rs). Sizes: M, C, K n x n, Phi r x n, N finite
//! eigenvalues.

mod discs;
mod factors;
mod function;
mod starts;

use mb_algebra::sorted::ascending;
use mb_algebra::{QuadraticPencil, c64, interrupt, norms};

use super::constraint_basis::ConstraintBasis;
use super::finite_count::FiniteCount;
use super::raw::Raw;
use crate::certify::dense::Certifier;
use crate::numeric::check;
use crate::{Class, Eigenpair, Refinement, tuning};
use discs::Disc;
use function::{Function, Point};

/// A value on its way.
#[derive(Clone, Copy, Debug)]
struct Value {
    z: c64,
    /// The eigenpair it starts from.
    pair: Option<usize>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Known well enough, or a zero by structure.
    Kept,
    Moving,
    Converged,
}

/// All eigenpairs, physical ones anew with proved bounds, where some of the present ones are poor or missing; none where all are good, or no
/// better are found.
///
/// `pairs`: all eigenpairs, of each two conjugate ones both, behind each other.
pub(super) fn solve(
    pencil: &QuadraticPencil,
    basis: &ConstraintBasis,
    theory: &FiniteCount,
    pairs: &[Eigenpair],
) -> Option<Vec<Eigenpair>> {
    let found = pairs.iter().filter(|pair| pair.class.is_motion()).count();
    let missing = theory.roots.checked_sub(found).filter(|_| theory.open.is_none())?;
    let before = if missing > 0 { f64::INFINITY } else { pairs.iter().map(relative).fold(0.0, f64::max) };
    // Bound relative to |s| from which on an eigenvalue is solved anew.
    if basis.n() + basis.rank() > tuning::TINY || before <= tuning::CBRT_EPS {
        return None;
    }
    // Undamped symmetric problems have congruences with real squares (congruence.rs).
    let symmetric = [&pencil.m, &pencil.k].iter().all(|a| check::is_symmetric_to_rounding(a));
    if symmetric && norms::max_abs(&pencil.c) == 0.0 {
        return None;
    }
    let function = Function::new(pencil, basis);
    let mut values = first_values(&function, pairs, missing)?;
    iterate(&function, &mut values);
    pair_up(&mut values);
    let mut points: Vec<Option<Point>> = Vec::with_capacity(values.len());
    for i in 0..values.len() {
        interrupt::check();
        let above = |other: &Value| other.z == values[i].z.conj() && values[i].z.im < 0.0;
        // Of two conjugates one, and that of a zero by structure where it stands.
        let known = values.iter().any(above);
        points.push(if known { None } else { Some(at_or_beside(&function, &mut values, i)?) });
    }
    let z: Vec<c64> = values.iter().map(|value| value.z).collect();
    let log = |i: usize| {
        let conjugate = || z.iter().zip(&points).find(|(other, at)| at.is_some() && **other == z[i].conj());
        points[i].as_ref().or_else(|| conjugate().and_then(|(_, at)| at.as_ref())).map(|at| at.most)
    };
    let logs: Option<Vec<f64>> = (0..z.len()).map(log).collect();
    let beyond = c64::i() * (tuning::TWICE * z.iter().map(|z| z.norm()).fold(0.0, f64::max));
    let discs = discs::of(&z, &logs?, (beyond, function.at(beyond)?.least));
    let physical = |value: &Value| value.pair.is_none_or(|i| pairs[i].class == Class::Physical);
    let new = |value: &Value, disc: &Disc| match (value.state, value.pair) {
        (State::Kept, Some(i)) => relative(&pairs[i]),
        _ => disc.bound / value.z.norm(),
    };
    let after = values.iter().zip(&discs).map(|(value, disc)| new(value, disc)).fold(0.0, f64::max);
    if after >= before {
        return None;
    }
    let mut out = Vec::with_capacity(values.len());
    for (i, (value, disc)) in values.iter().zip(&discs).enumerate() {
        if !physical(value) || value.z.im < 0.0 {
            continue;
        }
        if let (State::Kept, Some(pair)) = (value.state, value.pair) {
            let (pair, s) = (&pairs[pair], pairs[pair].value()?);
            let raw = Raw::finite(s, pair.right.to_vec(), Some(pair.left.to_vec()), s.im > 0.0);
            out.push(Raw { bound: Some(pair.error_bound), ..raw });
            continue;
        }
        // Several zeros in one disc may have a vector each.
        let near = |j: &&usize| **j < i && (z[**j] - value.z).norm() <= tuning::SQRT_EPS * value.z.norm();
        let [x, y] = function.vectors(points[i].as_ref()?, disc.group.iter().filter(near).count());
        out.push(Raw { bound: Some(disc.bound), ..Raw::finite(value.z, x, Some(y), value.z.im > 0.0) });
    }
    let mut others: Vec<&Eigenpair> = pairs.iter().filter(|pair| pair.class != Class::Physical).collect();
    // Infinite ones that stand for what was missing are no eigenpairs.
    ascending(&mut others, |pair| if pair.class == Class::Rigid { 0.0 } else { pair.backward_error });
    others.truncate(others.len().saturating_sub(missing));
    let mut all = Certifier::new(pencil, basis).certify(out, Refinement::None);
    all.extend(others.into_iter().cloned());
    Some(all)
}

/// The bound of a physical eigenvalue relative to it.
fn relative(pair: &Eigenpair) -> f64 {
    let Some(s) = pair.value().filter(|_| pair.class == Class::Physical) else { return 0.0 };
    let relative = pair.error_bound / s.norm();
    if relative.is_nan() { f64::INFINITY } else { relative }
}

/// Values of all eigenvalues to start from; `missing`: how many have no eigenpair.
fn first_values(function: &Function, pairs: &[Eigenpair], missing: usize) -> Option<Vec<Value>> {
    let mut values = Vec::with_capacity(pairs.len());
    let (mut lost, mut zeros) = (missing, 0);
    for (i, pair) in pairs.iter().enumerate() {
        if !pair.class.is_motion() {
            continue;
        }
        let (s, relative) = (pair.value()?, relative(pair));
        let mut value = Value { z: s, pair: Some(i), state: State::Moving };
        if pair.class == Class::Rigid {
            zeros += 1;
            continue;
        }
        if relative <= tuning::CBRT_EPS {
            value.state = State::Kept;
        } else if relative <= tuning::MINOR {
            // Two real values may be those of a pair, and the other way round: off the axis, each by itself.
            value.z += c64::from_polar(tuning::PARTLY * pair.error_bound, 0.5 + i as f64);
        } else {
            lost += 1;
            continue;
        }
        values.push(value);
    }
    if lost > 0 {
        let mut known: Vec<c64> = values.iter().map(|value| value.z).collect();
        known.resize(known.len() + zeros, c64::new(0.0, 0.0));
        let sizes = known.iter().map(|z| z.norm()).filter(|size| *size > 0.0);
        let about = sizes.reduce(f64::min).unwrap_or(1.0);
        let found = starts::find(function, &known, lost, about)?;
        values.extend(found.into_iter().map(|z| Value { z, pair: None, state: State::Moving }));
    }
    // Zeros by structure: points around them whose discs stay apart from all others.
    let least = values.iter().map(|value| value.z.norm()).fold(f64::INFINITY, f64::min);
    let radius = tuning::CBRT_EPS * if least.is_finite() { least } else { 1.0 };
    let rigid = pairs.iter().enumerate().filter(|(_, pair)| pair.class == Class::Rigid);
    for (place, (i, _)) in rigid.enumerate() {
        let angle = std::f64::consts::TAU * (place as f64 + 0.25) / zeros as f64;
        values.push(Value { z: c64::from_polar(radius, angle), pair: Some(i), state: State::Kept });
    }
    Some(values)
}

/// Improves all values that move.
fn iterate(function: &Function, values: &mut [Value]) {
    for _ in 0..tuning::STEPS {
        let mut moved = false;
        for i in 0..values.len() {
            let z = values[i].z;
            if values[i].state != State::Moving {
                continue;
            }
            interrupt::check();
            moved = true;
            let others = values.iter().enumerate().filter(|(j, other)| *j != i && other.z != z);
            let repulsion: c64 = others.map(|(_, other)| (z - other.z).inv()).sum();
            // On a zero the slope is infinite and the step nothing.
            let step = function.at(z).map_or(c64::new(0.0, 0.0), |at| (at.slope - repulsion).inv());
            if step.is_finite() {
                values[i].z -= step;
            }
            if step.norm() <= tuning::FEW_ROUNDINGS * z.norm() {
                values[i].state = State::Converged;
            }
        }
        if !moved {
            break;
        }
    }
}

/// Makes the values real or conjugate to each other.
fn pair_up(values: &mut [Value]) {
    let mut open: Vec<usize> = (0..values.len()).filter(|i| values[*i].state != State::Kept).collect();
    while let Some(i) = open.pop() {
        let z = values[i].z.conj();
        let off = |j: usize| (values[j].z - z).norm();
        let nearest = (0..open.len()).min_by(|a, b| off(open[*a]).total_cmp(&off(open[*b])));
        match nearest.filter(|at| off(open[*at]) < off(i)) {
            Some(at) => values[open.swap_remove(at)].z = z,
            None => values[i].z.im = 0.0,
        }
    }
}

/// The determinant at a value, which moves aside, its conjugate with it, from where another value stands or the determinant may vanish
/// for all that its digits say; none where it may all around.
fn at_or_beside(function: &Function, values: &mut [Value], i: usize) -> Option<Point> {
    let start = values[i].z;
    let conjugate = (0..values.len()).find(|j| *j != i && values[*j].z == start.conj() && start.im != 0.0);
    let mut aside = tuning::FEW_ROUNDINGS;
    while aside < tuning::CBRT_EPS {
        let z = values[i].z;
        let taken = values.iter().enumerate().any(|(j, other)| j != i && other.z == z);
        let at = if taken { None } else { function.at(z) };
        if at.is_some() {
            return at;
        }
        values[i].z = start * (1.0 + aside);
        if let Some(j) = conjugate {
            values[j].z = values[i].z.conj();
        }
        aside /= tuning::PARTLY;
    }
    None
}
