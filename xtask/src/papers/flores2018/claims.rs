//! What the text says of the methods, as inequalities, for the adopted and for the printed lengths.
//!
//! Paper: [flores2018] Sec. 3, Sec. 6.
//!
//! [flores2018]: ../../../../docs/references.bib

use mb_algebra::Dense;
use mb_constraints::ForwardDynamics;
use mb_constraints::simulate::Trajectory;
use mb_gallery::Computed;

use super::runs::{Case, Lengths, Loop, METHODS, Measured, Study, largest, method, model, words};
use crate::answers::Answers;

const STANDARD: usize = 0;
const BAUMGARTE: usize = 1;
const PENALTY: usize = 2;
const ITERATED: usize = 3;
const DIRECT: usize = 4;

/// The answers to the table of claims.
pub(super) fn answers(study: &mut Study) -> Answers {
    let mut answers = Answers::default();
    for (name, lengths) in Lengths::ALL {
        let mut put = |claim: &str, value: Measured<f64>| {
            answers.put_by(&format!("claim={claim}"), "value", name, value.map(Computed::Real));
        };
        let mut at = Runs { study, lengths };
        let slope = at.of(STANDARD, Loop::Continuous, true, growth);
        put("growth of the standard method, at least", slope.clone());
        put("growth of the standard method, at most", slope);
        for index in [BAUMGARTE, PENALTY, ITERATED] {
            let claim = format!("{} bounded", METHODS[index]);
            put(&claim, at.of(index, Loop::Continuous, true, later_over_earlier));
            let below = at.largest_violation(index, true);
            let standard = at.largest_violation(STANDARD, true);
            put(&format!("{} below standard", METHODS[index]), ratio(below, standard));
        }
        for (calls_name, calls) in Loop::ALL {
            put(
                &format!("direct correction, mean, {calls_name}"),
                at.of(DIRECT, calls, false, |m| m.violation().1),
            );
            put(
                &format!("direct correction, largest, {calls_name}"),
                at.of(DIRECT, calls, false, |m| m.violation().0),
            );
            put(
                &format!("direct correction, velocities, {calls_name}"),
                at.of(DIRECT, calls, false, |m| largest(m.records.iter().map(|r| r.velocity_violation))),
            );
            put(
                &format!("direct correction, iterations, {calls_name}"),
                at.of(DIRECT, calls, false, |m| m.statistics.most_iterations as f64),
            );
        }
        let cost = |at: &mut Runs, method: usize, calls: Loop| {
            at.of(method, calls, false, |m| m.statistics.evaluations as f64)
        };
        for (more, less) in [
            (BAUMGARTE, STANDARD),
            (PENALTY, BAUMGARTE),
            (ITERATED, BAUMGARTE),
            (DIRECT, BAUMGARTE),
            (DIRECT, STANDARD),
        ] {
            let calls = Loop::Continuous;
            let relative = ratio(cost(&mut at, more, calls), cost(&mut at, less, calls));
            put(&format!("cost, {} over {}", METHODS[more], METHODS[less]), relative);
        }
        let counts: Measured<Vec<f64>> =
            (0..METHODS.len()).map(|method| cost(&mut at, method, Loop::Restarted)).collect();
        let spread =
            counts.map(|c| largest(c.iter().copied()) / c.iter().copied().fold(f64::INFINITY, f64::min));
        put("restarted loop, most over fewest evaluations", spread);
        put("iterations of the augmented Lagrangian", at.iterations());
        let restarted = Loop::Restarted;
        let relative = ratio(cost(&mut at, DIRECT, restarted), cost(&mut at, STANDARD, restarted));
        put("direct correction is not penalised", relative);
        put("zeros in the main diagonal", zeros_in_the_diagonal(lengths));
    }
    answers
}

/// Zeros in the main diagonal of the leading matrix of Eq. (1) at the start of the motion,
///
/// ```text
/// [ M      Phi_q^T ]
/// [ Phi_q     0    ]
/// ```
fn zeros_in_the_diagonal(lengths: Lengths) -> Measured<f64> {
    let model = model(&lengths.linkage())?;
    let at = model.initial_point();
    let (m, phi_q) = (model.mass(&at).to_dense(), model.phi_q(&at.q, at.t).to_dense());
    let (n, rows) = (m.nrows(), phi_q.nrows());
    let leading = Dense::from_fn(n + rows, n + rows, |i, j| match (i < n, j < n) {
        (true, true) => m[(i, j)],
        (false, true) => phi_q[(i - n, j)],
        (true, false) => phi_q[(j - n, i)],
        (false, false) => 0.0,
    });
    Ok((0..n + rows).filter(|i| leading[(*i, *i)] == 0.0).count() as f64)
}

fn ratio(a: Measured<f64>, b: Measured<f64>) -> Measured<f64> {
    Ok(a? / b?)
}

struct Runs<'a> {
    study: &'a mut Study,
    lengths: Lengths,
}

impl Runs<'_> {
    fn of(&mut self, method: usize, calls: Loop, long: bool, f: fn(&Trajectory) -> f64) -> Measured<f64> {
        self.study.of(Case { lengths: self.lengths, method, calls, long }, f)
    }

    fn largest_violation(&mut self, method: usize, long: bool) -> Measured<f64> {
        self.of(method, Loop::Continuous, long, |m| m.violation().0)
    }

    /// Mean number of linear solves for one evaluation, at the reported states.
    fn iterations(&mut self) -> Measured<f64> {
        let case = Case { lengths: self.lengths, method: ITERATED, calls: Loop::Continuous, long: false };
        let model = model(&self.lengths.linkage())?;
        let held = method(ITERATED, Loop::Continuous);
        let mut dynamics = ForwardDynamics::new(&model, &held, &[]).map_err(words)?;
        let motion = self.study.run(case).as_ref().map_err(Clone::clone)?;
        let mut sum = 0;
        for i in 0..motion.len() {
            dynamics.evaluate(motion.times[i], motion.q_at(i), motion.v_at(i)).map_err(words)?;
            sum += dynamics.diagnostics().iterations;
        }
        Ok(sum as f64 / motion.len() as f64)
    }
}

/// Exponent of the growth of Phi^T Phi with time: slope of the logarithms of its largest value in each second, by least
/// squares, from the second second on.
fn growth(motion: &Trajectory) -> f64 {
    let seconds = motion.times.last().map_or(0.0, |t| t.round());
    let (mut n, mut sx, mut sy, mut sxx, mut sxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut end = 2.0;
    while end <= seconds {
        let inside = |t: f64| t > end - 1.0 + 1e-9 && t < end + 1e-9;
        let most = largest(within(motion, inside));
        let (x, y) = ((end - 0.5).ln(), most.ln());
        (n, sx, sy, sxx, sxy) = (n + 1.0, sx + x, sy + y, sxx + x * x, sxy + x * y);
        end += 1.0;
    }
    (n * sxy - sx * sy) / (n * sxx - sx * sx)
}

/// Largest Phi^T Phi of the second half of the run over that of the first.
pub(super) fn later_over_earlier(motion: &Trajectory) -> f64 {
    let half = 0.5 * motion.times.last().copied().unwrap_or(0.0);
    largest(within(motion, |t| t > half)) / largest(within(motion, |t| t <= half))
}

fn within(motion: &Trajectory, inside: impl Fn(f64) -> bool) -> Vec<f64> {
    let all = motion.times.iter().zip(&motion.records);
    all.filter(|(t, _)| inside(**t)).map(|(_, r)| r.violation).collect()
}
