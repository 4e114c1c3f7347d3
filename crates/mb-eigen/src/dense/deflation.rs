//! A pencil without the eigenvalues already known.
//!
//! ```text
//! A Z = W S_A,  B Z = W S_B;   the other eigenvalues are those of  W_c^T (A - sigma B) Z_c
//! z = Z_c z_c + Z p,   W^T (A - sigma B) Z p = -W^T (A - sigma B) Z_c z_c,   w = W_c w_c
//! ```
//!
//! Z and W are bases of the right and left deflating subspaces of the known eigenvalues, Z_c and W_c orthonormal
//! complements. Sizes: A, B 2k x 2k, Z and W 2k x d. Golub and Van Loan, Matrix Computations, section 7.7.7. Where W^T
//! B Z_c stays singular, QZ takes over.

use mb_algebra::{Dense, DenseC, Lu, LuComplex, RankQr, RankTolerance, c64, dense};

use super::raw::Raw;
use super::standard::regular;
use crate::error::at;
use crate::{EigenError, Finding, tuning};

/// Eigenvalues of A z = sigma B z apart from those of the given deflating subspaces; none when these do not match in
/// size.
pub(crate) fn deflated(
    a: &Dense,
    b: &Dense,
    right: &Dense,
    left: &Dense,
    identity: bool,
    findings: &mut Vec<Finding>,
) -> Result<Option<Vec<Raw>>, EigenError> {
    let (z, z_c) = complement(right)?;
    let (w, w_c) = complement(left)?;
    if z.ncols() != w.ncols() {
        return Ok(None);
    }
    let between = |l: &Dense, x: &Dense, r: &Dense| dense::mul_transpose(l, &dense::mul(x, r));
    let (a_c, b_c) = (between(&w_c, a, &z_c), between(&w_c, b, &z_c));
    // With B = I the complements coincide up to a rotation.
    let inner = if identity || well_conditioned(&b_c) {
        regular(&a_c, &b_c)?
    } else {
        super::qz::solve(&a_c, &b_c, findings)?
    };
    let coupling = Coupling {
        a: between(&w, a, &z),
        b: between(&w, b, &z),
        a_c: between(&w, a, &z_c),
        b_c: between(&w, b, &z_c),
    };
    let to_complex = dense::to_complex;
    let (z, z_c, w_c) = (to_complex(&z), to_complex(&z_c), to_complex(&w_c));
    let lifted = inner.into_iter().map(|mut raw| {
        let known = coupling.part(&raw);
        raw.right = combine(&z_c, &raw.right, Some((&z, &known)));
        raw.left = raw.left.map(|y| combine(&w_c, &y, None));
        raw
    });
    Ok(Some(lifted.collect()))
}

/// Blocks that tie the known subspace to the rest.
struct Coupling {
    a: Dense,
    b: Dense,
    a_c: Dense,
    b_c: Dense,
}

impl Coupling {
    /// Part of the vector in the known subspace: (beta A - alpha B) p = -(beta A_c - alpha B_c) z.
    fn part(&self, raw: &Raw) -> Vec<c64> {
        let d = self.a.nrows();
        let rhs: Vec<c64> = (0..d)
            .map(|i| {
                (0..raw.right.len())
                    .map(|j| -(self.a_c[(i, j)] * raw.beta - raw.alpha * self.b_c[(i, j)]) * raw.right[j])
                    .sum()
            })
            .collect();
        let matrix = DenseC::from_fn(d, d, |i, j| self.a[(i, j)] * raw.beta - raw.alpha * self.b[(i, j)]);
        match LuComplex::new(&matrix) {
            Ok(lu) => lu.solve(&rhs),
            // The eigenvalue coincides with a known one: its own part is the vector.
            Err(_) => super::constraint_basis::zeros(d),
        }
    }
}

fn combine(basis: &DenseC, x: &[c64], more: Option<(&DenseC, &[c64])>) -> Vec<c64> {
    let mut out = super::constraint_basis::zeros(basis.nrows());
    let mut add = |basis: &DenseC, x: &[c64]| {
        for (j, &xj) in x.iter().enumerate() {
            for (o, b) in out.iter_mut().zip(basis.col_as_slice(j)) {
                *o += b * xj;
            }
        }
    };
    add(basis, x);
    if let Some((basis, x)) = more {
        add(basis, x);
    }
    out
}

/// Orthonormal bases of a column space and of its complement.
fn complement(a: &Dense) -> Result<(Dense, Dense), EigenError> {
    let qr = RankQr::new(&dense::transpose(a), RankTolerance { relative: tuning::EPS_3_4 })
        .map_err(at("Deflation of zero and infinite eigenvalues"))?;
    Ok((qr.row_space(), qr.null_space()))
}

/// Whether elimination with B leaves digits to a standard problem.
fn well_conditioned(b: &Dense) -> bool {
    Lu::new(b).map_or(b.nrows() == 0, |lu| lu.rcond() > tuning::SOLVE_ROUNDINGS)
}
