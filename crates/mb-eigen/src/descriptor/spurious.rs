//! The eigenvalues a descriptor form adds, with their vectors.
//!
//! ```text
//! in E          infinite                      zero                         vectors
//! none          3 r, chains of 3              -                            (0, 0, l)
//! Phi_q         2 r, chains of 2              r: K q + Phi_q^T l = 0,      infinite (0, 0, l)
//!                                             Phi_q q = d
//! Phi_q^T       2 r, chains of 2:             r: (0, 0, l)
//!               M v + Phi_q^T l = 0, Phi_q v = d
//! both          r, v as above                 2 r: chains of 2 on (0, 0, l), or l and q apart where the
//!                                             violation d meets no stiffness
//! ```
//!
//! and m - r indeterminate eigenvalues with (0, 0, l), Phi_q^T l = 0. gonzalez2017, Section 3.2 (counts with r = m). A
//! zero of the mechanism satisfies Phi_q x = 0 with x not zero; none of these does, so the shared zero eigenspace is
//! split by subspace, not by magnitude. Sizes: l m, q and v n.

use mb_algebra::{Dense, Svd, c64, dense, norms};

use super::DescriptorStructure;
use super::response::Response;
use crate::dense::constraint_basis::{ConstraintBasis, zeros};
use crate::dense::{Chains, End, Given, Kernel};
use crate::error::at;
use crate::numeric::vectors::{complex, norm_bound, normalize};
use crate::{Class, DenseOptions, EigenError, Eigenpair, SpuriousOrigin, tuning};

const TRANSFERRED: Class = Class::Spurious { origin: SpuriousOrigin::TransferredJacobian };

/// All eigenvalues besides those of the mechanism.
pub(crate) fn eigenpairs(
    structure: &DescriptorStructure,
    basis: &ConstraintBasis,
    options: &DenseOptions,
) -> Result<Vec<Eigenpair>, EigenError> {
    let (n, m, r) = (basis.n(), basis.m(), basis.rank());
    let mut out = Vec::with_capacity(2 * r + m);
    if m == 0 {
        return Ok(out);
    }
    let active = basis.active_multipliers()?;
    let moved = structure.transferred;
    let pure = |class, chain| Pure { n, class, chain };
    let infinite_chain = 3 - moved.count();
    if moved.phi_q_t {
        let answer = answer(structure, basis, options, End::Infinity, &active)?;
        for j in 0..r {
            for _ in 0..infinite_chain {
                out.push(answer.pair(Class::Infinite, infinite_chain, j, &active));
            }
        }
    } else {
        for l in crate::numeric::vectors::columns(&active) {
            let pair = pure(Class::Infinite, infinite_chain).pair(l, l);
            out.extend(std::iter::repeat_n(pair, infinite_chain));
        }
    }
    match (moved.phi_q, moved.phi_q_t) {
        (false, false) => {}
        (true, false) => {
            let answer = answer(structure, basis, options, End::Zero, &active)?;
            out.extend((0..r).map(|j| answer.pair(TRANSFERRED, 1 + answer.driven(j), j, &active)));
        }
        (false, true) => {
            out.extend(crate::numeric::vectors::columns(&active).map(|l| pure(TRANSFERRED, 1).pair(l, l)));
        }
        (true, true) => {
            // Directions of violation that meet stiffness share a chain with their reaction; the others do not.
            let (stiff, slack, reactions, idle) = split(structure, basis, options, &active)?;
            for j in 0..stiff.ncols() {
                let (l, d) = (reactions.col_as_slice(j), stiff.col_as_slice(j));
                out.extend(std::iter::repeat_n(pure(TRANSFERRED, 2).pair(l, d), 2));
            }
            if slack.ncols() > 0 {
                let answer = answer(structure, basis, options, End::Zero, &slack)?;
                for j in 0..slack.ncols() {
                    out.push(answer.pair(TRANSFERRED, 1 + answer.driven(j), j, &slack));
                    let l = idle.col_as_slice(j);
                    out.push(pure(TRANSFERRED, 1).pair(l, l));
                }
            }
        }
    }
    for l in crate::numeric::vectors::columns(&basis.idle_multipliers()?) {
        out.push(pure(Class::Indeterminate, 1).pair(l, l));
    }
    Ok(out)
}

/// An eigenvalue whose vector is a multiplier direction.
struct Pure {
    n: usize,
    class: Class,
    chain: usize,
}

impl Pure {
    fn pair(&self, l: &[f64], left: &[f64]) -> Eigenpair {
        let unit = |l: &[f64]| {
            let mut l = complex(l);
            normalize(&mut l);
            l
        };
        let (alpha, beta) = match self.class {
            Class::Infinite => (1.0, 0.0),
            Class::Indeterminate => (0.0, 0.0),
            _ => (0.0, 1.0),
        };
        Eigenpair {
            alpha: c64::new(alpha, 0.0),
            beta,
            right: zeros(self.n).into(),
            multipliers: unit(l).into(),
            left: zeros(self.n).into(),
            left_multipliers: unit(left).into(),
            // E y = 0 or A y = 0 exactly.
            backward_error: 0.0,
            constraint_violation: 0.0,
            condition: if self.chain > 1 || self.class == Class::Indeterminate { f64::INFINITY } else { 1.0 },
            error_bound: if beta > 0.0 { 0.0 } else { f64::INFINITY },
            chain: self.chain,
            penalty_share: None,
            class: self.class,
        }
    }
}

/// Answers to violations with what is needed to certify them.
struct Answer {
    response: Response,
    simple: usize,
    norm: f64,
    unit_rows: Dense,
    unit_norm: f64,
}

fn answer(
    structure: &DescriptorStructure,
    basis: &ConstraintBasis,
    options: &DenseOptions,
    end: End,
    d: &Dense,
) -> Result<Answer, EigenError> {
    let pencil = &structure.pencil;
    let (matrix, other) = match end {
        End::Infinity => (&pencil.m, &pencil.k),
        End::Zero => (&pencil.k, &pencil.m),
    };
    let limits = match end {
        End::Infinity => (options.mass_tolerance, None),
        End::Zero => (options.zero_tolerance, options.most_zeros),
    };
    let chains = Chains::of([matrix, &pencil.c, other], basis, limits, end)?;
    let border = chains.border(&basis.reduce(&pencil.c), &basis.reduce(other));
    let response = Response::new(matrix, basis, &chains, &border, d)?;
    let unit_rows = basis.unit_rows().cloned().unwrap_or_else(|| Dense::zeros(0, basis.n()));
    Ok(Answer {
        response,
        simple: chains.simple.ncols(),
        norm: norm_bound(matrix),
        unit_rows,
        unit_norm: basis.unit_norm(),
    })
}

impl Answer {
    /// Length of the free motion's chain that the violation j drives: 0 when it drives none.
    fn driven(&self, j: usize) -> usize {
        let t = self.response.drive.col_as_slice(j);
        let size = self.norm * norms::two(self.response.q.col_as_slice(j));
        let (simple, double) = t.split_at(self.simple);
        // A drive or a reaction below this fraction of its terms counts as none.
        let drives = |t: &[f64]| norms::two(t) > tuning::EPS_2_3 * size.max(f64::MIN_POSITIVE);
        match (drives(simple), drives(double)) {
            (_, true) => 2,
            (true, false) => 1,
            (false, false) => 0,
        }
    }

    fn pair(&self, class: Class, chain: usize, j: usize, d: &Dense) -> Eigenpair {
        let q = self.response.q.col_as_slice(j);
        let l = self.response.l.col_as_slice(j);
        let size = norms::two(q).max(f64::MIN_POSITIVE);
        let scaled = |v: &[f64]| complex(&v.iter().map(|v| v / size).collect::<Vec<_>>());
        let rest = norms::two(self.response.rest.col_as_slice(j));
        let infinite = class == Class::Infinite;
        let mut left_multipliers = complex(d.col_as_slice(j));
        normalize(&mut left_multipliers);
        let violation = norms::two(&dense::matvec(&self.unit_rows, q)) / (self.unit_norm * size);
        // The forms y^H E x (zero) and y^H A x (infinite) are both d^T Phi_q q = d^T d.
        let multiplier = norms::two(l) / size;
        let condition = self.norm.max(1.0) * multiplier.hypot(1.0) * size / norms::two(d.col_as_slice(j));
        Eigenpair {
            alpha: c64::new(f64::from(u8::from(infinite)), 0.0),
            beta: f64::from(u8::from(!infinite)),
            right: scaled(q).into(),
            multipliers: scaled(l).into(),
            left: zeros(q.len()).into(),
            left_multipliers: left_multipliers.into(),
            backward_error: if rest > 0.0 { rest / (self.norm * size).max(f64::MIN_POSITIVE) } else { 0.0 },
            constraint_violation: violation,
            condition: if chain > 1 { f64::INFINITY } else { condition },
            error_bound: if infinite { f64::INFINITY } else { 0.0 },
            chain,
            penalty_share: None,
            class,
        }
    }
}

/// Violations that meet stiffness, violations that do not, reactions to the former, multipliers that are no reaction.
fn split(
    structure: &DescriptorStructure,
    basis: &ConstraintBasis,
    options: &DenseOptions,
    active: &Dense,
) -> Result<(Dense, Dense, Dense, Dense), EigenError> {
    let answer = answer(structure, basis, options, End::Zero, active)?;
    let r = active.ncols();
    // Reactions in terms of the active multipliers, relative to the stiffness that could react.
    let map = dense::mul_transpose(active, &answer.response.l);
    let svd = Svd::new(&map).map_err(at("Reactions to violations of the constraints"))?;
    let drive = dense::mul(&answer.response.drive, &svd.v);
    let size = |j: usize| {
        let q = dense::matvec(&answer.response.q, svd.v.col_as_slice(j));
        answer.norm * norms::two(&q) / answer.unit_norm.max(f64::MIN_POSITIVE)
    };
    let reacts = |j: usize| {
        let driven =
            norms::two(&crate::numeric::vectors::columns(&drive).nth(j).map_or(Vec::new(), <[f64]>::to_vec));
        svd.s[j] > tuning::EPS_2_3 * size(j) || driven > tuning::EPS_2_3 * size(j)
    };
    let (stiff, slack): (Vec<usize>, Vec<usize>) = (0..r).partition(|&j| reacts(j));
    let pick = |a: &Dense, list: &[usize]| dense::mul(active, &dense::select_columns(a, list));
    Ok((pick(&svd.v, &stiff), pick(&svd.v, &slack), pick(&svd.u, &stiff), pick(&svd.u, &slack)))
}

impl Chains {
    /// The chains of `base` on the directions a basis allows.
    fn of(
        [base, first, second]: [&Dense; 3],
        basis: &ConstraintBasis,
        (tolerance, most): (f64, Option<usize>),
        end: End,
    ) -> Result<Self, EigenError> {
        let (b, f, s) = (basis.reduce(base), basis.reduce(first), basis.reduce(second));
        let given = Given { a: base, lift: basis.null(), lift_left: None };
        let kernel = Kernel::find_most(&b, given, tolerance, most)?;
        let damping = Given { a: first, ..given };
        Self::split(&kernel, &b, [&f, &s], damping, norms::frobenius(second), tolerance, end)
    }
}
