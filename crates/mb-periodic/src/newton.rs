//! Newton's method of the shooting equations: its steps, with parts that lessen the gap, until rounding or the integration are what is left.

use crate::closing::without;
use crate::dynamics::State;
use crate::error::PeriodicError;
use crate::orbit::{Pass, Search};
use mb_algebra::{Dense, RankTolerance, Svd, dense, norms};

/// Singular values below which directions are left out, fewer and fewer: those that a period changes by less than a millionth of themselves are
/// those of a family.
const CUTS: [f64; 3] = [1e-2, 1e-4, 1e-6];

impl Search<'_, '_> {
    /// Newton's step: changes of all nodes and of the period.
    fn correction(&self, pass: &Pass, cuts: &[f64]) -> Result<(Vec<Vec<f64>>, f64), PeriodicError> {
        let (m, size) = (pass.maps.len(), pass.gaps[0].len());
        let mut condensed = dense::identity(size);
        let (mut c, mut g) = (vec![0.0; size], vec![0.0; size]);
        let sum = |a: Vec<f64>, b: &[f64], f: f64| -> Vec<f64> {
            a.iter().zip(b).map(|(x, y)| x + f * y).collect()
        };
        for k in 0..m {
            condensed = dense::mul(&pass.maps[k], &condensed);
            c = sum(dense::matvec(&pass.maps[k], &c), &pass.gaps[k], 1.0);
            g = sum(dense::matvec(&pass.maps[k], &g), &pass.flows[k], self.rate().recip() / m as f64);
        }
        // What is ignorable closes by the displacement.
        let identity = dense::identity(size);
        let along = dense::mul_transpose(&pass.ignorable, &(&condensed - &identity));
        let closes = &(&condensed - &identity) - &dense::mul(&pass.ignorable, &along);
        let (c, g) = (without(&pass.ignorable, &c), without(&pass.ignorable, &g));
        // Unknowns: the start, and the period times w0.
        let columns = size + usize::from(self.unknown);
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut rhs: Vec<f64> = Vec::new();
        for i in 0..size {
            let mut row = dense::row(&closes, i);
            if self.unknown {
                row.push(g[i]);
            }
            rows.push(row);
            rhs.push(-c[i]);
        }
        if self.unknown {
            let flow = &pass.flows[m - 1];
            let length = norms::two(flow);
            if length > 0.0 {
                rows.push(flow.iter().map(|x| x / length).chain([0.0]).collect());
                let gap = pass.frames[0].gap(&self.stepper.dynamics, &self.nodes[0], &self.origin);
                rhs.push(-dense::dot(flow, &gap) / length);
            }
        }
        for (i, off) in self.options.hold.iter().zip(&pass.held) {
            let mut row = dense::row(&pass.frames[0].r, *i);
            row.resize(columns, 0.0);
            rows.push(row);
            rhs.push(-off);
        }
        let x = shortest_enough(&dense::from_rows(&rows), &rhs, cuts)?;
        let period = if self.unknown { x[size] / self.rate() } else { 0.0 };
        let mut changes = vec![x[..size].to_vec()];
        for k in 0..m - 1 {
            let mut next = sum(dense::matvec(&pass.maps[k], &changes[k]), &pass.gaps[k], 1.0);
            next = sum(next, &pass.flows[k], period / m as f64);
            changes.push(next);
        }
        Ok((changes, period))
    }
    /// Newton's method with a number of steps, from the present nodes.
    pub(crate) fn converge(&mut self, steps: usize) -> Result<Pass, PeriodicError> {
        let mut pass = self.pass(steps)?;
        let (mut last, mut last_gap) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..self.options.most_iterations {
            let scale = self.scale(&pass);
            let gap = pass.gap();
            if gap <= 1e-15 * scale {
                return Ok(pass);
            }
            let (changes, period) = self.correction(&pass, &CUTS)?;
            let step = self.step(&changes, period, scale);
            // Rounding is what is left where steps no longer shrink.
            if step <= 1e-14 * scale || (step <= 1e-9 * scale && (step > 0.3 * last || gap <= 1e-13 * scale))
            {
                return Ok(pass);
            }
            // A gap that steps no longer lessen is the error of the integration along a family.
            if step <= 1e-6 * scale && gap <= 1e-8 * scale && gap > 0.5 * last_gap {
                return Ok(pass);
            }
            (last, last_gap) = (step, gap);
            self.iterations += 1;
            let (nodes, before) = (self.nodes.clone(), self.period);
            let mut next = self.shortened(&pass, (&nodes, before), &changes, period, steps)?;
            if next.is_none() {
                // Along a family whose period hardly changes, the error of the integration asks for steps without end.
                let (changes, period) = self.correction(&pass, &CUTS[..1])?;
                next = self.shortened(&pass, (&nodes, before), &changes, period, steps)?;
            }
            let Some(found) = next else {
                (self.nodes, self.period) = (nodes, before);
                break;
            };
            pass = found;
        }
        let worst = pass.gaps.iter().max_by(|a, b| norms::max_abs_vec(a).total_cmp(&norms::max_abs_vec(b)));
        let gap = worst.cloned().unwrap_or_default();
        let (x, v) = pass.frames[0].change(&gap);
        let all: Vec<f64> = x.iter().zip(&v).map(|(x, v)| x.abs().max(v.abs() / self.rate())).collect();
        let i = (0..all.len()).max_by(|a, b| all[*a].total_cmp(&all[*b])).unwrap_or(0);
        Err(PeriodicError::NotFound {
            period: self.period,
            iterations: self.iterations,
            coordinate: self.model.coordinate_name(i),
            defect: all.get(i).copied().unwrap_or(0.0),
        })
    }
    /// The largest part of a step, in the coordinates of states.
    fn step(&self, changes: &[Vec<f64>], period: f64, scale: f64) -> f64 {
        let change = changes.iter().map(|c| norms::max_abs_vec(c)).fold(0.0, f64::max);
        change.max(period.abs() * self.rate() * scale)
    }
    /// The first part of a step that lessens the gap, from these nodes and their period; none where no part does.
    fn shortened(
        &mut self,
        pass: &Pass,
        from: (&[State], f64),
        changes: &[Vec<f64>],
        period: f64,
        steps: usize,
    ) -> Result<Option<Pass>, PeriodicError> {
        let (nodes, before) = from;
        let (gap, scale) = (pass.gap(), self.scale(pass));
        self.period = before;
        let step = self.step(changes, period, scale);
        let mut factor = (2.0 * scale.max(0.3) / step).min(1.0);
        if self.unknown && (factor * period).abs() > 0.3 * before {
            factor = 0.3 * before / period.abs();
        }
        for _ in 0..8 {
            match self.trial(pass, nodes, changes, before + factor * period, factor, steps) {
                Ok(found) => {
                    if found.gap() <= (1.0 - 0.1 * factor) * gap || gap <= 1e-8 * scale {
                        return Ok(Some(found));
                    }
                }
                Err(PeriodicError::StepFails { .. } | PeriodicError::Singular { .. }) => {}
                Err(e) => return Err(e),
            }
            factor *= 0.5;
        }
        Ok(None)
    }
    fn trial(
        &mut self,
        pass: &Pass,
        nodes: &[State],
        changes: &[Vec<f64>],
        period: f64,
        factor: f64,
        steps: usize,
    ) -> Result<Pass, PeriodicError> {
        self.period = period;
        for (k, node) in nodes.iter().enumerate() {
            let y: Vec<f64> = changes[k].iter().map(|x| factor * x).collect();
            let mut at = node.clone();
            at.t = nodes[0].t + period * k as f64 / nodes.len() as f64;
            self.nodes[k] = pass.frames[k].moved(&self.stepper.dynamics, &at, &y)?;
        }
        self.pass(steps)
    }
}

/// The shortest of the least-squares solutions by fewer and fewer singular values that leaves a thousandth of the right-hand
/// side; the one that leaves least where none does.
fn shortest_enough(a: &Dense, b: &[f64], cuts: &[f64]) -> Result<Vec<f64>, PeriodicError> {
    if a.ncols() == 0 {
        return Ok(Vec::new());
    }
    let svd = Svd::new(a)?;
    let whole = norms::two(b);
    let mut best: Option<(f64, Vec<f64>)> = None;
    let size = norms::frobenius(a).max(1.0);
    for cut in cuts {
        let x = svd.min_norm_solve(b, RankTolerance { relative: cut / size });
        let left: Vec<f64> = dense::matvec(a, &x).iter().zip(b).map(|(p, b)| p - b).collect();
        let size = norms::two(&left);
        if size <= 1e-3 * whole {
            return Ok(x);
        }
        if best.as_ref().is_none_or(|(s, _)| size < 0.5 * s) {
            best = Some((size, x));
        }
    }
    Ok(best.map_or_else(|| vec![0.0; a.ncols()], |(_, x)| x))
}
