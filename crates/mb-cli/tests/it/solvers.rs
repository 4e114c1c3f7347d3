//! The solvers side by side on every model of the list that has a rest: dense, built-in Krylov, and ARPACK-NG where the
//! machine has it.

use mb_algebra::{QuadraticPencil, Sparse};
use mb_cli::gallery::MODELS;
use mb_eigen::sparse::{Request, Solver, SparseExpert, SparseOptions, solve};
use mb_eigen::{Class, DenseOptions, Eigenpair};
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize_sparse};
use mb_model::Model;

/// Modes asked for.
const COUNT: usize = 4;

/// The matrices of every model at rest.
fn systems() -> Vec<(&'static str, QuadraticPencil<Sparse>)> {
    let at_rest = |text: &str| {
        let model = Model::from_toml(text).unwrap();
        let rest = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).ok()?;
        Some(linearize_sparse(&model, &OperatingPoint::from(&rest)).pencil())
    };
    MODELS.iter().filter_map(|model| Some((model.name, at_rest(model.text)?))).collect()
}

/// Every eigenvalue of `found` is one of `all` within both bounds, each used once, and of the same class; how many more zeros it has. Zeros of
/// a bound that reaches a value which is none are open: the digits of K do not determine them.
fn assert_among(found: &[Eigenpair], all: &[Eigenpair], what: &str) -> isize {
    let mut more = 0;
    let mut free: Vec<&Eigenpair> = all.iter().filter(|pair| pair.value().is_some()).collect();
    for pair in found {
        let s = pair.value().unwrap();
        let apart = |other: &Eigenpair| (other.value().unwrap() - s).norm();
        let at = (0..free.len()).min_by(|&a, &b| apart(free[a]).total_cmp(&apart(free[b])));
        let other = free.swap_remove(at.unwrap_or_else(|| panic!("{what}: more eigenvalues than exist")));
        let bounds = pair.error_bound + other.error_bound;
        let distance = apart(other);
        assert!(distance <= bounds, "{what}: {s} is {distance:e} from its partner, bounds {bounds:e}");
        let [one, two] = [pair, other].map(|pair| pair.class == Class::Rigid);
        let open = (one && other.value().unwrap().norm() <= pair.error_bound)
            || (two && s.norm() <= other.error_bound);
        more += isize::from(one) - isize::from(two);
        assert!(open || pair.class == other.class, "{what}: {s}, {:?} and {:?}", pair.class, other.class);
    }
    more
}

#[test]
fn every_solver_finds_the_same_roots_of_every_model_at_rest() {
    let drivers = [Solver::BuiltIn, Solver::Arpack].into_iter().filter(|solver| solver.driver().is_ok());
    let drivers: Vec<Solver> = drivers.collect();
    let systems = systems();
    assert!(systems.len() >= 16, "only {} models came to rest", systems.len());
    for (name, pencil) in &systems {
        let dense = mb_eigen::dense::solve(&pencil.to_dense(), &DenseOptions::default()).unwrap();
        let all: Vec<Eigenpair> = dense.motion().cloned().collect();
        for &solver in &drivers {
            // As users get it, and past the dense path that small models are handed to.
            let limits = [SparseOptions::default().expert.dense_limit, 0];
            // Of a model with zeros alone, K = 0, a search past the dense path leaves some of them open.
            let zeros_alone = all.iter().all(|pair| pair.class == Class::Rigid);
            for dense_limit in limits.into_iter().take(if zeros_alone { 1 } else { 2 }) {
                let options = SparseOptions::from(SparseExpert { solver, dense_limit, ..Default::default() });
                let what = format!("{name}, {solver:?}, dense up to {dense_limit}");
                let found = solve(pencil, &Request::Lowest { count: COUNT }, &options)
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                let more = assert_among(&found.eigenpairs, &all, &what);
                let rigid = found.of_class(Class::Rigid).count();
                // Zeros that velocity rows leave stand for a mode each, others by two.
                let exist = dense.of_class(Class::Rigid).count().checked_add_signed(more).unwrap();
                let single = pencil.c.data().iter().any(|c| *c != 0.0) && rigid == COUNT;
                assert!(rigid == exist.min(2 * COUNT) || single, "{what}: {rigid} zeros of {exist}");
                // Undamped modes have two eigenvalues each; of damped ones some are single real eigenvalues.
                let undamped = pencil.c.data().iter().all(|c| *c == 0.0);
                let least = all.len().min(if undamped { 2 * COUNT } else { COUNT });
                assert!(
                    found.eigenpairs.len() >= least,
                    "{what}: {} of {least}: {:?}",
                    found.eigenpairs.len(),
                    found.findings
                );
                assert!(!undamped || found.eigenpairs.len() == least, "{what}: {}", found.eigenpairs.len());
                assert_eq!(found.counts.expected.motion, dense.counts.expected.motion, "{what}");
            }
        }
    }
}
