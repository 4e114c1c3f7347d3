//! Memory and time before a run, from the entries and operations of the factors.

use mb_eigen::engine::{ForEngine as _, Prepared};

/// Bytes of MUMPS for each byte of the factors: fronts, buffers and the room for delayed pivots.
const MEMORY: f64 = 1.6;
/// Bytes of a process before any matrix: libraries of MPI, PETSc and SLEPc.
const PROCESS: f64 = 7e7;
/// Operations of a core in a second.
const RATE: f64 = 4e9;
/// Factorizations of a request: the search, and two counts at each end of which one end often needs none.
const FACTORIZATIONS: f64 = 3.0;
/// Bytes that each entry of a factor is read as, in a solve, and bytes a core reads in a second.
const READ: f64 = 5e9;
/// Share of a rank that adds nothing, of each doubling of ranks.
const LOST: f64 = 0.15;

/// What a run needs, computed from our own order of elimination.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Unknowns with constraints.
    pub size: usize,
    /// Entries of a factor.
    pub entries: f64,
    /// Operations of a factorization.
    pub operations: f64,
    /// Processes.
    pub ranks: usize,
    /// Bytes of all processes.
    pub memory: f64,
    /// Seconds.
    pub seconds: f64,
}

impl Estimate {
    /// Of a prepared problem on a number of processes.
    pub fn of(prepared: &Prepared<'_>, ranks: usize) -> Self {
        let (operations, entries) = prepared.estimate();
        let task = prepared.task();
        let (width, times) = if task.undamped { (1.0, 1.0) } else { (2.0, 4.0) };
        let sides = if task.symmetric { 1.0 } else { 2.0 };
        let (entries, operations) = (sides * entries as f64, sides * times * operations);
        let (size, processes) = (prepared.size(), ranks.max(1) as f64);
        let basis = 2.0 * task.want as f64 + 20.0;
        let factors = 8.0 * width * entries;
        let vectors = 8.0 * width * (3.0 * basis) * size as f64;
        let memory = MEMORY * factors + vectors + PROCESS * processes;
        // A damped problem adds some forty determinants.
        let factorizations =
            if task.undamped { FACTORIZATIONS } else { 2.0 + if task.count { 40.0 } else { 0.0 } };
        let speed = processes / (1.0 + LOST * processes.log2());
        let solves = 2.0 * basis;
        let seconds = (factorizations * operations / RATE + solves * 2.0 * factors / READ) / speed;
        Self { size, entries, operations, ranks, memory, seconds }
    }
}
