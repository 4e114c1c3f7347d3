//! Searches that an interrupt ends with what they have found.

use std::sync::{Arc, OnceLock};

use mb_algebra::{Stopped, interrupt};

use crate::finding::SparseFinding;
use crate::options::SparseOptions;
use crate::{EigenError, Finding};

/// Whether a search keeps what it has at an interrupt ([`crate::sparse::SparseExpert::keeps_at_interrupt`]), and why it ended early;
/// clones share that.
#[derive(Clone, Debug, Default)]
pub(crate) struct Early {
    keeps: bool,
    why: Arc<OnceLock<Stopped>>,
}

impl Early {
    pub(crate) fn new(options: &SparseOptions) -> Self {
        Self::keeping(options.expert.keeps_at_interrupt)
    }

    /// For work whose answers an interrupt is to leave, or not.
    pub(crate) fn keeping(keeps: bool) -> Self {
        Self { keeps, why: Arc::default() }
    }

    /// Does a step of the search. None where it, or one before, was interrupted and what was found earlier is kept.
    pub(crate) fn step<T>(
        &self,
        work: impl FnOnce() -> Result<T, EigenError>,
    ) -> Result<Option<T>, EigenError> {
        if !self.keeps {
            return work().map(Some);
        }
        if self.ended() {
            return Ok(None);
        }
        let looked = || {
            interrupt::check();
            work()
        };
        match interrupt::attempt(looked) {
            Ok(done) => done.map(Some),
            Err(why) => {
                // Of several steps side by side the first one decides.
                let _ = self.why.set(why);
                Ok(None)
            }
        }
    }

    pub(crate) fn ended(&self) -> bool {
        self.why.get().is_some()
    }

    /// Makes an answer of what was found, which no interrupt ends where it is to be kept.
    pub(crate) fn finish<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.keeps { interrupt::finish(work) } else { work() }
    }

    /// That the search ended early, if it did.
    pub(crate) fn finding(&self) -> Option<Finding> {
        self.why.get().map(|why| SparseFinding::EndedEarly { reason: why.to_string() }.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::descriptor::{DescriptorStructure, Transferred};
    use crate::request::Request;
    use crate::sparse::{KnownZeros, SparseExpert, SparseFinding, solve, solve_with_zeros};
    use crate::{DenseOptions, EigenError, Finding, Refinement, Spectrum};
    use mb_algebra::{Dense, QuadraticPencil, Scatter, Sparse, Triplets, Watch, c64};
    use std::f64::consts::{PI, TAU};

    const N: usize = 90;

    /// Masses of 1 kg between springs of 1 N/m, both ends held, and dashpots of `damping` / N to the ground that differ.
    fn chain(damping: f64) -> QuadraticPencil<Sparse> {
        let [mut m, mut c, mut k] = [(); 3].map(|()| Triplets::new(N, N));
        for i in 0..N {
            m.add(i, i, 1.0);
            k.add(i, i, 2.0);
            c.add(i, i, damping * (1 + i % 3) as f64 / N as f64);
            if i > 0 {
                k.add(i, i - 1, -1.0);
                k.add(i - 1, i, -1.0);
            }
        }
        QuadraticPencil {
            m: m.to_sparse(),
            c: c.to_sparse(),
            k: k.to_sparse(),
            phi_q: Triplets::new(0, N).to_sparse(),
        }
    }

    fn solved(pencil: &QuadraticPencil<Sparse>, request: &Request) -> Result<Spectrum, EigenError> {
        let expert = SparseExpert { keeps_at_interrupt: true, dense_limit: 0, ..Default::default() };
        solve(pencil, request, &expert.into())
    }

    fn ends_early(spectrum: &Spectrum) -> bool {
        let early = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::EndedEarly { .. } });
        spectrum.findings.iter().any(early)
    }

    /// Interrupts a request after every third number of steps: how many answers were cut short and hold eigenvalues all the same. Each of
    /// them has to be one of the whole answer.
    fn cut_short(pencil: &QuadraticPencil<Sparse>, request: &Request) -> usize {
        // One thread: the steps of several have no order.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let count = Watch::new();
        let whole = pool.install(|| count.scope(|| solved(pencil, request))).unwrap().unwrap();
        assert!(!whole.falls_short());
        let mut kept = 0;
        for steps in (0..count.steps()).step_by(3) {
            let watch = Watch::after(steps);
            let Ok(part) = pool.install(|| watch.scope(|| solved(pencil, request))) else { continue };
            let part = part.unwrap();
            if !ends_early(&part) {
                // It was over before its last step was looked at.
                assert_eq!(part.eigenpairs.len(), whole.eigenpairs.len());
                continue;
            }
            assert!(part.falls_short());
            kept += usize::from(!part.eigenpairs.is_empty());
            for pair in &part.eigenpairs {
                let s = pair.value().unwrap();
                let near = whole.nearest(s).unwrap();
                let bounds = pair.error_bound + near.error_bound;
                assert!((s - near.value().unwrap()).norm() <= bounds, "{s} after {steps} steps");
            }
        }
        kept
    }

    #[test]
    fn what_an_interrupted_search_returns_belongs_to_the_whole_answer() {
        // Frequencies of the chain: 2 sin(j pi / (2 (N + 1))), 8 to 70 of them in the band.
        let hz = |j: usize| 2.0 * (j as f64 * PI / (2.0 * (N + 1) as f64)).sin() / TAU;
        let band = Request::Band { from_hz: hz(8), to_hz: hz(70), max_damping_ratio: None };
        let near = Request::NearPoint { s: c64::new(0.0, 1.0), count: 4 };
        let undamped = chain(0.0);
        for request in [Request::Lowest { count: 6 }, near, band] {
            assert!(cut_short(&undamped, &request) > 0, "{request:?}");
        }
        assert!(cut_short(&chain(0.1), &Request::Lowest { count: 6 }) > 0);
    }

    /// Dense decompositions keep nothing before their end and all eigenvalues from there on: in a reducible problem, which is solved again block
    /// by block, and with an iteration for each of the lowest eigenvalues.
    #[test]
    fn eigenvalues_of_a_dense_decomposition_outlive_their_refinement() {
        let (constraint, rows) = (Dense::from_fn(1, N, |_, j| if j < 2 { 1.0 } else { 0.0 }), N - 1);
        for (damping, phi_q, of) in
            [(0.0, Dense::zeros(0, N), N), (0.1, Dense::zeros(0, N), N), (0.1, constraint.clone(), rows)]
        {
            let pencil = mb_algebra::QuadraticPencil { phi_q, ..chain(damping).to_dense() };
            let options = DenseOptions {
                keeps_at_interrupt: true,
                refinement: Refinement::InverseIteration { lowest: 6 },
                ..DenseOptions::default()
            };
            let descriptor = || {
                let structure =
                    DescriptorStructure { pencil: pencil.clone(), transferred: Transferred::default() };
                crate::descriptor::solve(&structure, &options)
            };
            let minimal = || crate::dense::solve(&pencil, &options);
            for solved in [&minimal as &dyn Fn() -> Result<Spectrum, EigenError>, &descriptor] {
                let count = Watch::new();
                let whole = count.scope(solved).unwrap().unwrap();
                assert!(!whole.falls_short());
                let (mut nothing, mut kept) = (0, 0);
                // The last steps are few where the first eigenvalues are good.
                let steps = (0..count.steps()).step_by(usize::try_from(count.steps() / 9).unwrap());
                for steps in steps.chain(count.steps() - 3..count.steps()) {
                    let Ok(part) = Watch::after(steps).scope(solved) else {
                        nothing += 1;
                        assert_eq!(kept, 0, "what was known is lost");
                        continue;
                    };
                    let part = part.unwrap();
                    assert!(ends_early(&part) && part.falls_short(), "{:?}", part.findings);
                    assert_eq!(part.motion_values().len(), 2 * of);
                    kept += 1;
                    for pair in part.motion() {
                        let s = pair.value().unwrap();
                        let near = whole.nearest(s).unwrap();
                        let bounds = pair.error_bound + near.error_bound;
                        assert!((s - near.value().unwrap()).norm() <= bounds, "{s} after {steps} steps");
                    }
                }
                assert!(nothing > 0 && kept > 0, "{nothing} {kept} of {} steps", count.steps());
            }
        }
    }

    /// Every second spring is 1e9 times as stiff, which leaves slow modes few digits until they are refined.
    #[test]
    fn an_interrupted_refinement_returns_all_eigenvalues_with_bounds_that_hold() {
        let mut pencil = chain(0.0);
        let mut k = Triplets::new(N, N);
        for i in 0..N {
            let stiffness = if i % 2 == 1 { 1e9 } else { 1.0 };
            k.add(i, i, stiffness);
            if i > 0 {
                k.add(i - 1, i - 1, stiffness);
                k.add(i, i - 1, -stiffness);
                k.add(i - 1, i, -stiffness);
            }
        }
        pencil.k = k.to_sparse();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let (count, request) = (Watch::new(), Request::Lowest { count: 6 });
        let whole = pool.install(|| count.scope(|| solved(&pencil, &request))).unwrap().unwrap();
        let rough =
            |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::RefinementEnded { .. } });
        let mut seen = 0;
        for steps in 0..count.steps() {
            let watch = Watch::after(steps);
            let Ok(Ok(part)) = pool.install(|| watch.scope(|| solved(&pencil, &request))) else { continue };
            if !part.findings.iter().any(rough) {
                continue;
            }
            seen += 1;
            assert!(!ends_early(&part) && !part.falls_short(), "{:?}", part.findings);
            assert_eq!(part.eigenpairs.len(), whole.eigenpairs.len());
            for (pair, fine) in part.eigenpairs.iter().zip(&whole.eigenpairs) {
                let off = (pair.value().unwrap() - fine.value().unwrap()).norm();
                assert!(off <= pair.error_bound + fine.error_bound, "{off} after {steps} steps");
            }
            let widest =
                |of: &Spectrum| of.eigenpairs.iter().map(|pair| pair.error_bound).fold(0.0, f64::max);
            assert!(widest(&part) > 10.0 * widest(&whole), "{} {}", widest(&part), widest(&whole));
        }
        assert!(seen > 0, "none of {} steps belongs to the refinement", count.steps());
    }

    /// A free chain of stiff springs with a soft dashpot at one end: dense matrices are tried after a search that leaves its slow rate without
    /// digits.
    #[test]
    fn dense_matrices_in_place_of_a_search_leave_its_answer_at_an_interrupt() {
        let (n, stiffness) = (700, 1e10);
        let [mut m, mut c, mut k] = [(); 3].map(|()| Triplets::new(n, n));
        c.add(0, 0, 1e-4);
        for i in 0..n {
            m.add(i, i, 1.0);
            if i > 0 {
                for (a, b, sign) in [(i, i, 1.0), (i - 1, i - 1, 1.0), (i, i - 1, -1.0), (i - 1, i, -1.0)] {
                    k.add(a, b, sign * stiffness);
                }
            }
        }
        let [m, c, k] = [m, c, k].map(|x| x.to_sparse());
        let pencil = QuadraticPencil { m, c, k, phi_q: Triplets::new(0, n).to_sparse() };
        let request = Request::Lowest { count: 4 };
        let expert = SparseExpert { keeps_at_interrupt: true, least_zeros: 1, ..Default::default() };
        let options = expert.into();
        let shift = Dense::from_fn(n, 1, |_, _| 1.0);
        let with_zeros = || {
            let others = |_: &QuadraticPencil<Sparse>| (Vec::new(), [(); 3].map(|()| Dense::zeros(n, n)));
            let known = KnownZeros { directions: &shift, others: &others, still: None };
            solve_with_zeros(&pencil, None, &known, &request, &options)
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let count = Watch::new();
        let alone = pool.install(|| count.scope(|| solve(&pencil, &request, &options))).unwrap().unwrap();
        let steps = count.steps();
        let search = Watch::after(steps + 4);
        let found = pool.install(|| search.scope(with_zeros));
        let (found, is_dense) = found.unwrap().unwrap();
        assert!(!is_dense && ends_early(&found) && !ends_early(&alone), "{:?}", found.findings);
        assert_eq!(found.eigenpairs.len(), alone.eigenpairs.len());
    }

    #[test]
    fn without_the_wish_an_interrupt_ends_the_call() {
        let options = SparseExpert { dense_limit: 0, ..Default::default() }.into();
        let ended = Watch::after(3).scope(|| solve(&chain(0.0), &Request::Lowest { count: 6 }, &options));
        assert!(ended.is_err());
    }
}
