//! The explicit Runge-Kutta pair of Dormand and Prince, 5(4), with the step control of ode45.
//!
//! ```text
//! err = h max_i |e_i| / max(|y_i|, |y_new_i|, atol / rtol)      accepted for err <= rtol
//! first step  h <= (t_end - t) / 10, the reporting step, 0.8 rtol^0.2 / max_i |f_i| / max(|y_i|, atol / rtol)
//! after a success without a failure   h / max(0.2, 1.25 (err / rtol)^0.2)
//! after the first failure             h max(0.1, 0.8 (rtol / err)^0.2),  after more  h / 2
//! ```
//!
//! Seven evaluations for the first step, six for the others: the last stage is the first of the
//! next step, unless the state was corrected in between ([`DormandPrince::replace`]). Between the
//! ends of a step a polynomial of fourth order is used. Dormand and Prince, J. Comput. Appl. Math. 6
//! (1980); the interpolant is that of Shampine and Reichelt, SIAM J. Sci. Comput. 18 (1997), whose
//! solver the paper used. No crate offers this error measure together with a state that may be
//! corrected between steps, hence the own code.
//!
//! Paper: [flores2018] Table 2 (integrator).
//!
//! [flores2018]: ../../../docs/references.bib

use crate::error::ConstraintError;

const NODES: [f64; 6] = [1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];

const STAGES: [[f64; 6]; 6] = [
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// Difference of the two solutions.
const ERROR: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];

/// Coefficients of s, s^2, s^3, s^4 of the weights inside a step.
const INSIDE: [[f64; 4]; 7] = [
    [1.0, -183.0 / 64.0, 37.0 / 12.0, -145.0 / 128.0],
    [0.0, 0.0, 0.0, 0.0],
    [0.0, 1500.0 / 371.0, -1000.0 / 159.0, 1000.0 / 371.0],
    [0.0, -125.0 / 32.0, 125.0 / 12.0, -375.0 / 64.0],
    [0.0, 9477.0 / 3392.0, -729.0 / 106.0, 25515.0 / 6784.0],
    [0.0, -11.0 / 7.0, 11.0 / 3.0, -55.0 / 28.0],
    [0.0, 3.0 / 2.0, -4.0, 5.0 / 2.0],
];

/// Smallest step relative to the largest one allowed: with shorter ones no run would ever end.
const SMALLEST: f64 = 1e-11;

/// Tolerances of the step control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepControl {
    /// Relative tolerance.
    pub relative: f64,
    /// Absolute tolerance, in the units of the state.
    pub absolute: f64,
    /// Largest step in s; a tenth of the interval when none is given.
    pub max_step: Option<f64>,
}

impl Default for StepControl {
    /// 1e-6 and 1e-9, the values of `flores2018`, Table 2.
    fn default() -> Self {
        Self { relative: 1e-6, absolute: 1e-9, max_step: None }
    }
}

/// What became of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stepped {
    /// It was accepted, after this many rejections.
    Accepted(usize),
    /// The step fell below the resolution of time, because of this entry of the state.
    TooSmall {
        /// Step in s.
        step: f64,
        /// Index in the state.
        index: usize,
        /// What the last trial failed with, where it could not be evaluated.
        cause: Option<ConstraintError>,
    },
}

/// The integrator; it allocates only when made.
#[derive(Clone, Debug)]
pub(crate) struct DormandPrince {
    size: usize,
    control: StepControl,
    stages: Vec<f64>,
    start: Vec<f64>,
    end: Vec<f64>,
    trial: Vec<f64>,
    t_start: f64,
    t_end: f64,
    /// Where the integration is to stop, and the next step.
    goal: f64,
    step: f64,
    max_step: f64,
    stale: bool,
    /// Entry of the state with the largest error of the last trial.
    worst: usize,
}

impl DormandPrince {
    pub(crate) fn new(size: usize, control: StepControl) -> Self {
        let zero = vec![0.0; size];
        Self {
            size,
            control,
            stages: vec![0.0; 7 * size],
            start: zero.clone(),
            end: zero.clone(),
            trial: zero,
            t_start: 0.0,
            t_end: 0.0,
            goal: 0.0,
            step: 0.0,
            max_step: 0.0,
            stale: false,
            worst: 0,
        }
    }
    /// Time at the end of the last step.
    pub(crate) fn time(&self) -> f64 {
        self.t_end
    }
    /// Time at its start.
    pub(crate) fn time_before(&self) -> f64 {
        self.t_start
    }
    /// Entry of the state with the largest error of the last trial.
    pub(crate) fn worst(&self) -> usize {
        self.worst
    }
    /// State at the end of the last step.
    pub(crate) fn state(&self) -> &[f64] {
        &self.end
    }
    /// Begins at `t` with the state `y`, towards `goal`; `first` bounds the first step.
    pub(crate) fn begin(
        &mut self,
        t: f64,
        y: &[f64],
        goal: f64,
        first: f64,
        rates: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), ConstraintError>,
    ) -> Result<(), ConstraintError> {
        (self.t_start, self.t_end, self.goal, self.stale) = (t, t, goal, false);
        self.end.copy_from_slice(y);
        rates(t, y, &mut self.stages[6 * self.size..])?;
        let span = goal - t;
        self.max_step = self.control.max_step.unwrap_or(0.1 * span).min(span);
        let mut h = self.max_step.min(first);
        let floor = self.control.absolute / self.control.relative;
        let rate = self.stages[6 * self.size..]
            .iter()
            .zip(y)
            .fold(0.0_f64, |r, (f, y)| r.max(f.abs() / y.abs().max(floor)));
        let rate = rate / (0.8 * self.control.relative.powf(0.2));
        if h * rate > 1.0 {
            h = 1.0 / rate;
        }
        self.step = h;
        Ok(())
    }
    /// Puts another state in the place of the last one: its rates are evaluated anew.
    pub(crate) fn replace(&mut self, y: &[f64]) {
        self.end.copy_from_slice(y);
        self.stale = true;
    }
    /// Makes one step.
    pub(crate) fn step(
        &mut self,
        rates: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), ConstraintError>,
    ) -> Result<Stepped, ConstraintError> {
        let n = self.size;
        let t = self.t_end;
        self.start.copy_from_slice(&self.end);
        self.t_start = t;
        if self.stale {
            rates(t, &self.start, &mut self.stages[..n])?;
            self.stale = false;
        } else {
            self.stages.copy_within(6 * n.., 0);
        }
        let floor = self.control.absolute / self.control.relative;
        let smallest = (16.0 * f64::EPSILON * t.abs().max(self.goal.abs())).max(SMALLEST * self.max_step);
        let mut h = self.step.min(self.max_step).max(smallest);
        let mut last = 1.1 * h >= self.goal - t;
        if last {
            h = self.goal - t;
        }
        let mut rejected = 0;
        let mut cause = None;
        loop {
            // Compared as it was asked for: the difference of two rounded times may be a little longer than the smallest step.
            let is_smallest = h <= smallest;
            let end = if last { self.goal } else { t + h };
            h = end - t;
            let (error, index) = match self.trial(t, h, floor, rates) {
                Ok(found) => found,
                Err(failure) => {
                    cause = Some(failure);
                    (f64::INFINITY, 0)
                }
            };
            let ratio = error / self.control.relative;
            if ratio <= 1.0 {
                self.t_end = end;
                self.step = h;
                if rejected == 0 {
                    let shrink = 1.25 * ratio.powf(0.2);
                    self.step = if shrink > 0.2 { h / shrink } else { 5.0 * h };
                }
                return Ok(Stepped::Accepted(rejected));
            }
            if is_smallest {
                self.end.copy_from_slice(&self.start);
                return Ok(Stepped::TooSmall { step: h, index, cause });
            }
            let factor =
                if rejected == 0 && ratio.is_finite() { (0.8 * ratio.powf(-0.2)).max(0.1) } else { 0.5 };
            h = (h * factor).max(smallest);
            (last, rejected) = (false, rejected + 1);
        }
    }
    /// Computes a step of `h`; gives the error relative to the state and where it is largest.
    fn trial(
        &mut self,
        t: f64,
        h: f64,
        floor: f64,
        rates: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), ConstraintError>,
    ) -> Result<(f64, usize), ConstraintError> {
        let n = self.size;
        for (s, weights) in STAGES.iter().enumerate() {
            self.trial.fill(0.0);
            for (j, w) in weights.iter().enumerate().take(s + 1) {
                if *w != 0.0 {
                    for (x, k) in self.trial.iter_mut().zip(&self.stages[j * n..(j + 1) * n]) {
                        *x += w * k;
                    }
                }
            }
            for (x, y) in self.trial.iter_mut().zip(&self.start) {
                *x = y + h * *x;
            }
            rates(t + NODES[s] * h, &self.trial, &mut self.stages[(s + 1) * n..(s + 2) * n])?;
        }
        self.end.copy_from_slice(&self.trial);
        let (mut worst, mut index) = (0.0, 0);
        for i in 0..n {
            let mut e = 0.0;
            for (j, w) in ERROR.iter().enumerate() {
                e += w * self.stages[j * n + i];
            }
            let size = self.start[i].abs().max(self.end[i].abs()).max(floor);
            let error = h * e.abs() / size;
            // NaN counts as too large.
            if error.is_nan() || error > worst {
                (worst, index) = (if error.is_nan() { f64::INFINITY } else { error }, i);
            }
        }
        self.worst = index;
        Ok((worst, index))
    }
    /// About the largest rate (1/s, of turning or of decay) that the last step has met, of a state of `nq` coordinates and their
    /// velocities: from the differences of two states at its end, which the stages have, and of the rates there,
    ///
    /// ```text
    /// least of  (|dv'| / |dq|)^(1/2)  and  |dv'| / |dv|       w of v' = -w^2 q, c of v' = -c v
    /// ```
    ///
    /// after the test of stiffness by Hairer and Wanner, Solving Ordinary Differential Equations II, Sec. IV.2. Zero where the
    /// states agree to rounding.
    pub(crate) fn fastest(&self, nq: usize) -> f64 {
        let (n, h) = (self.size, self.t_end - self.t_start);
        let (mut rate, mut states, mut size) = (0.0_f64, [0.0_f64; 2], 0.0_f64);
        for i in 0..n {
            let stage = |j: usize| self.stages[j * n + i];
            let mut x = 0.0;
            for (j, (end, before)) in STAGES[5].iter().zip(&STAGES[4]).enumerate() {
                x += h * (end - before) * stage(j);
            }
            let kind = usize::from(i >= nq);
            states[kind] = states[kind].max(x.abs());
            if i >= nq {
                rate = rate.max((stage(6) - stage(5)).abs());
            }
            size = size.max(self.end[i].abs());
        }
        let found = (rate / states[0]).sqrt().min(rate / states[1]);
        if states[0].max(states[1]) > f64::EPSILON * size && found.is_finite() { found } else { 0.0 }
    }
    /// The state at time `t` inside the last step.
    pub(crate) fn inside(&self, t: f64, out: &mut [f64]) {
        let h = self.t_end - self.t_start;
        let s = (t - self.t_start) / h;
        out.copy_from_slice(&self.start);
        for (j, c) in INSIDE.iter().enumerate() {
            let w = h * s * (c[0] + s * (c[1] + s * (c[2] + s * c[3])));
            if w != 0.0 {
                for (y, k) in out.iter_mut().zip(&self.stages[j * self.size..(j + 1) * self.size]) {
                    *y += w * k;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y' = y cos t, y = exp(sin t): error at t = 4 with `n` equal steps, and inside the steps.
    fn errors(n: usize) -> (f64, f64) {
        let h = 4.0 / n as f64;
        let control = StepControl { relative: 1e9, absolute: 1.0, max_step: Some(h) };
        let mut rates = |t: f64, y: &[f64], dy: &mut [f64]| {
            dy[0] = y[0] * t.cos();
            Ok(())
        };
        let mut d = DormandPrince::new(1, control);
        d.begin(0.0, &[1.0], 4.0, h, &mut rates).unwrap();
        let (mut inside, mut out) = (0.0_f64, [0.0]);
        while d.time() < 4.0 - 1e-12 {
            assert_eq!(d.step(&mut rates).unwrap(), Stepped::Accepted(0));
            for s in [0.3, 0.6] {
                let t = d.time_before() + s * (d.time() - d.time_before());
                d.inside(t, &mut out);
                inside = inside.max((out[0] - t.sin().exp()).abs());
            }
            d.inside(d.time(), &mut out);
            assert!((out[0] - d.state()[0]).abs() < 1e-14);
        }
        ((d.state()[0] - 4.0_f64.sin().exp()).abs(), inside)
    }

    /// Halving the step divides the error by 2^5 at the ends and by 2^4 or more inside.
    #[test]
    fn order_is_five_at_the_ends_and_four_inside() {
        let (coarse, fine) = (errors(40), errors(80));
        let order = (coarse.0 / fine.0).log2();
        assert!((4.7..5.4).contains(&order), "{order}");
        let order = (coarse.1 / fine.1).log2();
        assert!((3.8..5.4).contains(&order), "{order}");
    }

    #[test]
    fn weights_of_each_stage_sum_to_its_node() {
        for (node, weights) in NODES.iter().zip(&STAGES) {
            assert!((weights.iter().sum::<f64>() - node).abs() < 1e-14);
        }
        assert!(ERROR.iter().sum::<f64>().abs() < 1e-16);
        for (j, c) in INSIDE.iter().enumerate() {
            let end = if j < 6 { STAGES[5][j] } else { 0.0 };
            assert!((c.iter().sum::<f64>() - end).abs() < 1e-14);
        }
    }

    /// A decay of 300 1/s that has died out, and a turning of 40 rad/s, both together with slow motions.
    #[test]
    fn the_fastest_rate_is_found() {
        let fast = |damping: f64, stiffness: f64| {
            let mut rates = |t: f64, y: &[f64], dy: &mut [f64]| {
                (dy[0], dy[1]) = (y[1], -stiffness * (y[0] - t.cos()) - damping * (y[1] - t.sin()));
                Ok(())
            };
            let mut d = DormandPrince::new(2, StepControl::default());
            d.begin(0.0, &[1.0, 0.2], 3.0, 0.1, &mut rates).unwrap();
            let mut fastest = 0.0_f64;
            while d.time() < 2.0 {
                d.step(&mut rates).unwrap();
                fastest = fastest.max(d.fastest(1));
            }
            fastest
        };
        for (damping, stiffness, rate) in [(300.0, 1.0, 300.0), (0.0, 1600.0, 40.0)] {
            let found = fast(damping, stiffness);
            assert!((found - rate).abs() < 0.2 * rate, "{found} for {rate}");
        }
    }

    /// Far from t = 0 the smallest step is rounded to the grid of time, to a longer one for about half of all t: rates that no
    /// step can follow end in a step too small all the same.
    #[test]
    fn a_smallest_step_that_rounding_lengthens_is_the_last() {
        for k in 0..40_u32 {
            let t = 1.0 + f64::from(k) * 0.37;
            let mut calls = 0_u32;
            let mut rates = |_: f64, _: &[f64], dy: &mut [f64]| {
                calls += 1;
                dy[0] = if calls.is_multiple_of(2) { 1e300 } else { -1e300 };
                Ok(())
            };
            let mut d = DormandPrince::new(1, StepControl::default());
            d.begin(t, &[1.0], t + 1.0, 0.1, &mut rates).unwrap();
            let ended = (0..100).any(|_| matches!(d.step(&mut rates).unwrap(), Stepped::TooSmall { .. }));
            assert!(ended, "{t}");
        }
    }

    /// y' = y^2 from 1 has no solution beyond t = 1: the step collapses there.
    #[test]
    fn a_blow_up_ends_in_a_step_too_small() {
        let mut rates = |_: f64, y: &[f64], dy: &mut [f64]| {
            dy[0] = y[0] * y[0];
            Ok(())
        };
        let mut d = DormandPrince::new(1, StepControl::default());
        d.begin(0.0, &[1.0], 2.0, 0.1, &mut rates).unwrap();
        let end = loop {
            match d.step(&mut rates).unwrap() {
                Stepped::Accepted(_) => assert!(d.time() < 1.01),
                Stepped::TooSmall { .. } => break d.time(),
            }
        };
        assert!((end - 1.0).abs() < 1e-3);
    }
}
