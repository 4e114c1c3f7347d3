//! Some eigenvalues of large sparse constrained problems, with certificates.

mod certificate;
mod finding;
mod matrix;
mod options;
mod problem;
mod request;
mod rows;
mod shift_invert;
mod shift_solve;
mod sturm;
mod symmetric;
mod symmetric_requests;
mod zeros;

use mb_algebra::{QuadraticPencil, Sparse, c64};

use crate::krylov::BuiltIn;
use crate::{Counts, EigenError, ExpectedCounts, Spectrum};

use certificate::{Certifier, Root};
pub use finding::SparseFinding;
pub use options::{Shift, Solver, SparseOptions, Structure};
use problem::Problem;
pub use request::Request;
use symmetric::{Modes, Symmetric};

/// Some roots of a sparse problem.
pub fn solve(
    pencil: &QuadraticPencil<Sparse>,
    request: &Request,
    options: &SparseOptions,
) -> Result<Spectrum, EigenError> {
    request.check()?;
    let problem = Problem::new(pencil, options)?;
    let driver = BuiltIn;
    let mut run = Symmetric::new(&problem, options, &driver);
    let modes = match *request {
        Request::Lowest { count } => run.lowest(count)?,
        Request::NearFrequency { hz, count } => run.near(c64::new(0.0, std::f64::consts::TAU * hz), count)?,
        Request::NearPoint { s, count } => run.near(s, count)?,
        Request::Band { from_hz, to_hz, .. } => run.band(from_hz, to_hz)?,
        Request::Largest { .. } | Request::All => Modes::none(&problem),
    };
    let findings = std::mem::take(&mut run.findings);
    let roots = roots(&problem, &modes);
    let pairs = Certifier::new(&problem).certify(roots);
    let counts = Counts {
        n: problem.n,
        m: problem.rows.m,
        rank: problem.rows.rank,
        expected: ExpectedCounts::minimal(problem.n, problem.rows.rank),
        ..Counts::default()
    };
    Ok(Spectrum::partial(pairs, counts, findings))
}

/// Two roots of every mode.
fn roots(problem: &Problem, modes: &Modes) -> Vec<Root> {
    let l = problem.rows.multipliers(&modes.l);
    let mx = problem.m.mul(&modes.x);
    modes
        .w
        .iter()
        .enumerate()
        .map(|(j, &w)| {
            let rigid = j < modes.rigid;
            let x = modes.x.col_as_slice(j);
            let size = w.abs().sqrt();
            let mass: f64 = x.iter().zip(mx.col_as_slice(j)).map(|(x, m)| x * m).sum();
            let square: f64 = x.iter().map(|x| x * x).sum();
            Root {
                s: if rigid {
                    c64::new(0.0, 0.0)
                } else if w > 0.0 {
                    c64::new(0.0, size)
                } else {
                    c64::new(size, 0.0)
                },
                right: crate::vectors::complex(x),
                multipliers: crate::vectors::complex(l.col_as_slice(j)),
                left: None,
                rigid,
                mirror: !rigid && w > 0.0,
                opposite: !rigid && w <= 0.0,
                chain: if rigid { 2 } else { 1 },
                curvature: mass / square,
            }
        })
        .collect()
}
