//! Eigenvalues of damped, gyroscopic and unsymmetric problems from outside.
//!
//! What an engine found takes the place of a search of our own ([`General`]): candidates, zeros, left vectors and bounds are those of
//! the built-in analysis. Completeness is shown by the phase of the determinant around a circle, whose points the engine computed;
//! where rounding of the entries could make the matrix singular on the circle, as its smallest singular values show, there is none.

use std::io;

use mb_algebra::sorted::ascending;
use mb_algebra::{DenseC, c64};

use super::{Answer, ForEngine as _, Prepared, Search, Vectors, phase};
use crate::certify::sparse::Certifier;
use crate::completeness::{contour, growth};
use crate::finding::{Region, SparseFinding};
use crate::krylov::BuiltIn;
use crate::problem::uncertified::Uncertified;
use crate::request::Request;
use crate::search::biorthonormal::biorthonormalize;
use crate::search::non_hermitian::General;
use crate::search::non_hermitian_band::is_in_band;
use crate::search::non_hermitian_requests::{Around, Counting};
use crate::search::set::Set;
use crate::search::{real_shapes, selection};
use crate::sparse::outcome::finished;
use crate::transform::shift_invert::Form;
use crate::{EigenError, Method, Spectrum, tuning};

/// Radius around the middle of a band, rad/s, that holds all its modes.
pub(super) fn radius_of_band(from: f64, to: f64, max_damping_ratio: Option<f64>) -> f64 {
    // Damping ratio to which a band without a limit is searched.
    let zeta = max_damping_ratio.unwrap_or(tuning::BAND_DAMPING);
    let slope = zeta / (1.0 - zeta * zeta).sqrt();
    (0.5 * (to - from)).hypot(to * slope) * (1.0 + tuning::CBRT_EPS)
}

/// A value near the real axis by rounding is real where all matrices are.
fn near_real(tau: c64) -> c64 {
    if tau.im.abs() <= tuning::SQRT_EPS * tau.norm() { c64::new(tau.re, 0.0) } else { tau }
}

impl Prepared<'_> {
    pub(super) fn general(&self, answer: &Answer) -> Result<Spectrum, EigenError> {
        let problem = &self.problem;
        let mut run = General::new(problem, &self.options, &BuiltIn);
        run.counts = false;
        let shift = self.unit() * answer.circle.0;
        let mut set = self.set(answer)?;
        let refined = self.refined(answer);
        self.take_zeros(&mut run, &mut set)?;
        if run.transposed.is_none() {
            real_shapes::choose(problem, self.form, &mut set);
        }
        biorthonormalize(problem, self.form, shift, &mut set);
        let uncertified = self.uncertified(&mut run, &set, shift)?;
        let reach = self.reach(&uncertified, shift);
        let mut findings = problem.rows.findings.clone();
        findings.append(&mut run.findings);
        findings.push(self.work(answer));
        if self.task.count {
            findings.push(self.circled(answer, &run, &set, reach).into());
        }
        let certifier = Certifier::new(problem, self.options.left_vectors);
        let aid = self.aid(&uncertified, &refined);
        let pairs = certifier.certify_with(uncertified, aid);
        let mut spectrum = finished(problem, Method::Slepc, &certifier, pairs, findings);
        selection::keep(&mut spectrum, &self.request, problem.undamped());
        growth::report(&mut spectrum, self.pencil, problem, &self.options);
        Ok(spectrum)
    }

    /// What was found, in coordinates as given.
    fn set(&self, answer: &Answer) -> Result<Set, EigenError> {
        let Vectors::Complex(right) = &answer.right else {
            return Err(EigenError::EngineAnswer { what: "its vectors are of the wrong kind".to_owned() });
        };
        let (n, rank, unit) = (self.problem.n, self.problem.rows.rank, self.unit());
        let (d, r) = (&self.scaling.d, &self.scaling.r);
        let both = |columns: &[Vec<c64>], conjugate: bool| {
            let part = |z: c64| if conjugate { z.conj() } else { z };
            let x = DenseC::from_fn(n, columns.len(), |i, j| part(columns[j][i]) * d[i]);
            let l = DenseC::from_fn(rank, columns.len(), |i, j| part(columns[j][n + i]) * r[i]);
            (x, l)
        };
        let (x, l) = both(right, false);
        let left = answer.left.as_ref().map(|left| both(left, true));
        let tau: Vec<c64> = answer.values.iter().map(|tau| near_real(unit * tau)).collect();
        let shift = unit * answer.circle.0;
        let reach = tau.iter().map(|tau| (tau - shift).norm()).fold(0.0, f64::max);
        Ok(Set { tau, x, l, left, reach, exhausted: false, without_left: 0 })
    }

    /// Zeros with their chains, found by factors of our own where the engine found values near zero, and those values left out.
    fn take_zeros(&self, run: &mut General<'_>, set: &mut Set) -> Result<(), EigenError> {
        let unit = if self.form == Form::Squared { run.gamma * run.gamma } else { run.gamma };
        let small: Vec<usize> =
            // |tau| in units of the scale of frequencies below which an eigenvalue may be a zero that rounding parted.
            (0..set.tau.len()).filter(|&j| set.tau[j].norm() <= tuning::CBRT_EPS * unit).collect();
        if small.is_empty() {
            return Ok(());
        }
        drop(run.start()?);
        let zeros: usize = run.zero_eigenvalues().iter().map(|zero| zero.chain).sum();
        let zeros = if self.form == Form::Squared { run.zero_eigenvalues().len() } else { zeros };
        if zeros == 0 {
            return Ok(());
        }
        // The smallest ones are those that rounding made of the zeros.
        let mut order = small;
        ascending(&mut order, |&i| set.tau[i].norm());
        order.truncate(zeros);
        let stay: Vec<usize> = (0..set.tau.len()).filter(|j| !order.contains(j)).collect();
        set.keep(&stay);
        Ok(())
    }

    fn uncertified(
        &self,
        run: &mut General<'_>,
        set: &Set,
        shift: c64,
    ) -> Result<Vec<Uncertified>, EigenError> {
        let point = self.point();
        if let Request::Band { from_hz, to_hz, max_damping_ratio } = self.request {
            let [from, to] = [from_hz, to_hz].map(|hz| std::f64::consts::TAU * hz);
            let zeta = max_damping_ratio.unwrap_or(tuning::BAND_DAMPING);
            let margin = tuning::MINOR * to;
            let candidates = run.candidates(set, Counting::Modes);
            let inside =
                candidates.iter().filter(|c| is_in_band(c.s, [from, to], max_damping_ratio, [margin; 2]));
            let mut uncertified = if from <= 0.0 { run.zero_eigenvalues() } else { Vec::new() };
            uncertified.extend(inside.map(|c| run.approx(set, *c, Counting::Modes)));
            if max_damping_ratio.is_none() {
                run.findings.push(SparseFinding::BandCovered { damping_ratio: zeta }.into());
            }
            return Ok(uncertified);
        }
        let counting = match self.request {
            Request::NearPoint { .. } => Counting::Eigenvalues,
            _ => Counting::Modes,
        };
        let count = self.request.count().unwrap_or(0);
        run.around_with(shift, Around::new(point, count, counting), |_, _| Ok(set.clone()))
    }

    /// Radius around the shift, in tau, that holds all that was asked for.
    fn reach(&self, uncertified: &[Uncertified], shift: c64) -> f64 {
        if let Search::Within { radius } = self.task.search {
            return self.unit() * radius;
        }
        let point = self.point();
        let r = uncertified.iter().map(|approx| (approx.s - point).norm()).fold(0.0, f64::max);
        self.form.needed(shift, point, r)
    }

    /// What the determinants show.
    fn circled(&self, answer: &Answer, run: &General<'_>, set: &Set, reach: f64) -> SparseFinding {
        let outcome = self.counted(answer, run, set, reach);
        outcome.unwrap_or_else(|reason| SparseFinding::Unproved { reason: reason.to_owned() })
    }

    fn counted(
        &self,
        answer: &Answer,
        run: &General<'_>,
        set: &Set,
        reach: f64,
    ) -> Result<SparseFinding, &'static str> {
        let (unit, (centre, radius)) = (self.unit(), answer.circle);
        if answer.determinants.is_empty() || radius <= 0.0 {
            return Err("the engine computed no determinants around the eigenvalues");
        }
        // Gap between the circle and an eigenvalue, relative.
        if unit * radius < reach * (1.0 + tuning::EPS_1_4) {
            return Err("the circle of the engine does not reach as far as the eigenvalues returned");
        }
        // Relative residual of a solve above which factors, and their determinant, are not believed.
        if answer.determinants.iter().any(|d| d.residual.is_nan() || d.residual > tuning::SQRT_EPS) {
            return Err("factors of the engine on the circle solve no systems");
        }
        // All entries are of size one or less; a sum of them has as many roundings as a row has entries.
        let size =
            self.size_of_rows(centre.norm() + radius).map_err(|_| "the matrices cannot be read again")?;
        let rounding = self.problem.rounding() * size;
        let measured: Vec<f64> =
            answer.determinants.iter().map(|d| d.smallest).filter(|s| *s > 0.0).collect();
        // Share of the smallest singular value that rounding of the entries may reach on a circle.
        if measured.is_empty() || measured.iter().any(|smallest| rounding > tuning::PARTLY * smallest) {
            return Err(
                "rounding of the matrices' entries to double precision could move eigenvalues across the circle",
            );
        }
        let zeros = run.zero_eigenvalues();
        let times = |zero: &Uncertified| if self.form == Form::Squared { 1 } else { zero.chain };
        let mut known: Vec<c64> = set.tau.iter().map(|tau| tau / unit).collect();
        known.extend(zeros.iter().flat_map(|zero| std::iter::repeat_n(c64::new(0.0, 0.0), times(zero))));
        let off = |tau: &c64| ((tau - centre).norm() - radius).abs() / radius;
        if known.iter().any(|tau| off(tau) < tuning::EPS_1_4) {
            return Err("eigenvalues lie too close to the circle");
        }
        let points: Vec<(c64, c64)> = answer.determinants.iter().map(|d| (d.at, d.logarithm)).collect();
        let missing = phase::turns(centre, radius, &points, &known)?;
        let found = known.iter().filter(|tau| (*tau - centre).norm() < radius).count();
        let (centre, squared) = (unit * centre, self.form == Form::Squared);
        let region = Region::Inside { re: centre.re, im: centre.im, radius: unit * radius, squared };
        contour::outcome(region, found, missing)
            .map(SparseFinding::Completeness)
            .map_err(|_| "the phase of the determinant does not close along the circle")
    }

    /// The largest sum of magnitudes in a column of the scaled matrices as far as `far` from zero.
    fn size_of_rows(&self, far: f64) -> io::Result<f64> {
        let mut total = 0.0;
        for (name, mut a) in self.matrices()? {
            let by = match (name, self.task.degree) {
                ("M", 2) => far * far,
                ("C" | "M", _) => far,
                _ => 1.0,
            };
            let (mut sums, mut row) = (vec![0.0; a.size()], Vec::new());
            for i in 0..a.size() {
                a.row(i, &mut row)?;
                for (j, v) in &row {
                    sums[*j] += v.abs();
                }
            }
            total += by * sums.into_iter().fold(0.0_f64, f64::max);
        }
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_is_inside_its_circle() {
        let (from, to, zeta) = (3.0_f64, 5.0_f64, 0.2_f64);
        let radius = radius_of_band(from, to, Some(zeta));
        for k in 0..=10 {
            let omega = from + (to - from) * f64::from(k) / 10.0;
            let re = -omega * zeta / (1.0 - zeta * zeta).sqrt();
            assert!((c64::new(re, omega) - c64::new(0.0, 4.0)).norm() <= radius);
        }
    }
}
