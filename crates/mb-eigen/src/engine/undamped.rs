//! Modes of undamped symmetric problems from outside: K x = w M x on {Phi_q x = 0}.
//!
//! Columns are brought back to the coordinates as given, those found twice left out, rigid ones recognized by the rule of the built-in search
//! ([`Evidence`]); then certified as the modes of the built-in search are, and held against the inertias.

use mb_algebra::Dense;
use mb_algebra::sorted::ascending;

use super::inertia::{self, Mode};
use super::{Answer, Prepared, Vectors, refined};
use crate::certify::sparse::Aid;
use crate::completeness::growth;
use crate::finding::SparseFinding;
use crate::null_space::evidence::{Evidence, is_still};
use crate::problem::modes::Modes;
use crate::refine::Products;
use crate::request::Request;
use crate::search::hermitian_requests::{reaching, squared};
use crate::search::selection;
use crate::sparse::outcome::finish_with;
use crate::{Class, EigenError, Eigenpair, Finding, Method, Shape, Spectrum, tuning};

/// One eigenpair for each mode.
fn modes_of(pairs: &[Eigenpair]) -> Vec<&Eigenpair> {
    let mut out: Vec<&Eigenpair> = Vec::new();
    let (mut double, mut last) = (false, None);
    for (i, pair) in pairs.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| pairs.get(i));
        // A double zero is listed as two successive eigenpairs.
        let second =
            pair.class == Class::Rigid && pair.chain == 2 && double && last == Some(i.wrapping_sub(1));
        let partner = before.is_some_and(|other| {
            let mirror = pair.alpha.im < 0.0 && pair.alpha == other.alpha.conj();
            mirror || (pair.alpha == -other.alpha && other.alpha.re > 0.0)
        });
        if second || partner {
            double = false;
            continue;
        }
        double = pair.class == Class::Rigid && pair.chain == 2;
        last = Some(i);
        out.push(pair);
    }
    out
}

/// The interval of w in which a mode lies.
fn interval(pair: &Eigenpair) -> Mode {
    let s = pair.value().unwrap_or_default();
    if pair.class == Class::Rigid {
        return Mode { low: 0.0, high: 0.0 };
    }
    let bound = pair.error_bound;
    let sign = if s.im == 0.0 { -1.0 } else { 1.0 };
    let ends = [(s.norm() - bound).max(0.0), s.norm() + bound].map(|s| sign * s * s);
    // A bound that reaches zero leaves open on which side the mode is.
    let far = if bound >= s.norm() { -sign * (s.norm() + bound).powi(2) } else { ends[0] };
    Mode { low: ends[0].min(ends[1]).min(far), high: ends[0].max(ends[1]).max(far) }
}

impl Prepared<'_> {
    pub(super) fn undamped(&self, answer: &Answer) -> Result<Spectrum, EigenError> {
        let problem = &self.problem;
        let mut findings = problem.rows.findings.clone();
        let (modes, low) = self.modes(answer)?;
        let uncertified = modes.uncertified(problem);
        let products = Products::new(problem);
        let improved = uncertified.iter().zip(&low).filter(|(approx, _)| !approx.rigid);
        let improved = improved.filter_map(|(approx, low)| {
            refined::improved(&products, approx.s, [&approx.right, low, &approx.multipliers])
        });
        let aid = Aid::Improved(improved.collect());
        findings.push(self.work(answer));
        let all = finish_with(problem, Method::Slepc, uncertified, findings, self.options.left_vectors, aid);
        let told = self.shown(answer, &all.eigenpairs);
        let growing = self.growing(answer, &all.eigenpairs);
        let mut spectrum = self.asked(all);
        spectrum.findings.extend(told);
        growth::not_shown(&mut spectrum, growing);
        Ok(spectrum)
    }

    /// What was done, for the result.
    pub(super) fn work(&self, answer: &Answer) -> Finding {
        let at = answer.circle.0;
        let s = if self.task.undamped { (-self.unit() * at).sqrt() } else { self.unit() * at };
        let worst = answer.inertias.iter().map(|i| i.residual);
        let worst = worst.chain(answer.determinants.iter().map(|d| d.residual)).fold(0.0, f64::max);
        SparseFinding::Shift {
            re: s.re,
            im: s.im,
            factorizations: answer.factorizations,
            solves: answer.values.len(),
            worst_residual: worst,
        }
        .into()
    }

    /// The modes in the coordinates as given, and what rounding left of the vector of each.
    fn modes(&self, answer: &Answer) -> Result<(Modes, Vec<Shape>), EigenError> {
        let (Vectors::Real(columns), Some(Vectors::Real(lows))) = (&answer.right, &answer.low) else {
            return Err(EigenError::EngineAnswer { what: "its vectors are of the wrong kind".to_owned() });
        };
        let (problem, scaling) = (&self.problem, &self.scaling);
        let (n, unit) = (problem.n, self.unit());
        let mut order: Vec<usize> = (0..columns.len()).collect();
        ascending(&mut order, |&i| answer.values[i].re.abs());
        let mut kept: Vec<(f64, Vec<f64>, Vec<f64>)> = Vec::new();
        let mut low_of: Vec<Shape> = Vec::new();
        let mut mass_of: Vec<(f64, Vec<f64>)> = Vec::new();
        for j in order {
            let (x, l) = columns[j].split_at(n);
            let scaled = |v: &[f64], by: &[f64]| v.iter().zip(by).map(|(v, by)| v * by).collect::<Vec<f64>>();
            let (mut x, mut l) = (scaled(x, &scaling.d), scaled(l, &scaling.r));
            let mut low = scaled(&lows[j][..n], &scaling.d);
            let mass = |x: &[f64]| problem.m.mul(&Dense::from_fn(n, 1, |i, _| x[i])).col_as_slice(0).to_vec();
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let mx = mass(&x);
            // Mass one up to a power of two, by which a vector and what rounding left of it go without another rounding.
            let own = dot(&x, &mx);
            let by = (-0.5 * own.log2()).round().exp2();
            if !(by.is_finite() && by > 0.0) {
                continue;
            }
            x.iter_mut().chain(&mut l).chain(&mut low).for_each(|v| *v *= by);
            let own = own * by * by;
            let shares = mass_of.iter().map(|(mass, mx)| dot(mx, &x).powi(2) / (mass * own)).sum::<f64>();
            // Square of what projection on others leaves of a mode of length one, below which it is one of them.
            if 1.0 - shares < tuning::CLEAR {
                continue;
            }
            mass_of.push((own, mx.iter().map(|v| v * by).collect()));
            kept.push((unit * answer.values[j].re, x, l));
            low_of.push(Shape::of_real(low));
        }
        let sigma = unit * answer.circle.0.re;
        let rigid = self.rigid(&kept, sigma);
        let (zero, others): (Vec<usize>, Vec<usize>) = (0..kept.len()).partition(|&j| rigid[j]);
        let order: Vec<usize> = zero.iter().chain(&others).copied().collect();
        let rank = problem.rows.rank;
        let low = order.iter().map(|&j| std::mem::take(&mut low_of[j])).collect();
        let modes = Modes {
            w: order.iter().map(|&j| if rigid[j] { 0.0 } else { kept[j].0 }).collect(),
            x: Dense::from_fn(n, order.len(), |i, j| kept[order[j]].1[i]),
            l: Dense::from_fn(rank, order.len(), |i, j| kept[order[j]].2[i]),
            rigid: zero.len(),
        };
        Ok((modes, low))
    }

    /// What turns the engine's eigenvalues into ours.
    pub(super) fn unit(&self) -> f64 {
        let square = self.task.undamped || self.form == crate::transform::shift_invert::Form::Squared;
        if square { self.scaling.gamma * self.scaling.gamma } else { self.scaling.gamma }
    }

    /// Which modes (w, x, l) are in the null space of K on the admissible directions.
    fn rigid(&self, modes: &[(f64, Vec<f64>, Vec<f64>)], sigma: f64) -> Vec<bool> {
        let (problem, tolerance) = (&self.problem, self.options.expert.zero_tolerance);
        let next = modes.iter().map(|mode| mode.0.abs()).filter(|w| !is_still(*w, sigma)).reduce(f64::min);
        let column = |v: &[f64]| Dense::from_fn(v.len(), 1, |i, _| v[i]);
        let is_zero = |(w, x, l): &(f64, Vec<f64>, Vec<f64>)| {
            let in_question = is_still(*w, sigma) || problem.k.relative_form(x) <= tuning::SUM_ROUNDINGS;
            in_question
                && !problem.has_definite_stiffness()
                && Evidence::of(problem, &column(x), &column(l))[0].is_null(*w, sigma, next, tolerance)
        };
        let mut left = problem.most_zeros();
        let mut counted = |zero: bool| {
            let counts = zero && left > 0;
            left -= usize::from(counts);
            counts
        };
        modes.iter().map(is_zero).map(&mut counted).collect()
    }

    /// What the inertias show of the modes asked for.
    fn shown(&self, answer: &Answer, pairs: &[Eigenpair]) -> Option<Finding> {
        if !self.task.count {
            return None;
        }
        let unproved = |reason: &str| Some(SparseFinding::Unproved { reason: reason.to_owned() }.into());
        match (self.task.check_mass, answer.mass_negative) {
            (true, None) => {
                return unproved("the engine did not show that the mass matrix has no negative eigenvalue");
            }
            (_, Some(count)) if count > 0 => {
                return unproved("the mass matrix has negative eigenvalues, so that inertias count no modes");
            }
            _ => {}
        }
        let modes: Vec<Mode> = modes_of(pairs).into_iter().map(interval).collect();
        let ends = if let Request::Band { from_hz, to_hz, .. } = self.request {
            [squared(from_hz), squared(to_hz)]
        } else {
            let (point, count) = (self.point(), self.request.count().unwrap_or(0));
            let mut distances: Vec<f64> = modes_of(pairs)
                .into_iter()
                .filter_map(Eigenpair::value)
                .map(|s| (s - point).norm().min((s + point).norm()))
                .collect();
            distances.sort_by(f64::total_cmp);
            let Some(r) = distances.get(count.min(distances.len()).wrapping_sub(1)) else {
                return unproved("the engine found no modes");
            };
            let (low, high) = reaching(point, *r);
            [low, high]
        };
        let told = inertia::judge(&answer.inertias, self.unit(), self.task.rank, &modes, ends);
        Some(told.into())
    }

    /// The point of the request, rad/s.
    pub(super) fn point(&self) -> mb_algebra::c64 {
        self.task.point * self.scaling.gamma
    }

    /// Modes that grow: those found, or more where an inertia below zero shows them.
    fn growing(&self, answer: &Answer, pairs: &[Eigenpair]) -> usize {
        let below = answer.inertias.iter().filter(|i| i.at < 0.0 && i.null_pivots == 0);
        let counted = below.filter_map(|i| i.negative.checked_sub(self.task.rank)).max();
        growth::count(pairs).max(counted.unwrap_or(0))
    }

    /// What the request asks for of all that was found.
    fn asked(&self, mut spectrum: Spectrum) -> Spectrum {
        let request = &self.request;
        if let Some(modes) = selection::keep_asked(&mut spectrum, request, true) {
            let (wanted, dof) = (request.count().unwrap_or(0), self.problem.dof());
            let each = matches!(request, Request::NearPoint { .. });
            let exist = if each { 2 * self.task.most } else { self.task.most };
            if modes < wanted && modes >= exist {
                spectrum.findings.push(SparseFinding::FewerExist { wanted, exist: modes, dof }.into());
            } else if modes < wanted {
                let (found, searches) = (modes, 1);
                let told = SparseFinding::Converged { found, wanted, searches, restarts: 0, basis: 0 };
                spectrum.findings.push(told.into());
            }
        }
        selection::report_lost(&mut spectrum, request);
        spectrum
    }
}
