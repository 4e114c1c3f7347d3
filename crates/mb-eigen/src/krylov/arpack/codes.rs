//! What the information codes of ARPACK-NG mean, in words.

use crate::EigenError;
use crate::krylov::Remark;

/// Codes of an iteration that still leaves eigenpairs to extract.
pub(super) fn remark(routine: &'static str, info: i32, converged: usize, wanted: usize) -> Option<Remark> {
    let meaning = match info {
        1 => "the restarts allowed are used up",
        3 => "no shifts could be applied in a restart; a larger subspace helps",
        -9999 => "the basis could not be made larger: the operator's range is spanned",
        _ => return None,
    };
    Some(Remark::Arpack { routine, info, meaning, converged, wanted })
}

/// A code that ends the analysis.
pub(super) fn error(routine: &'static str, info: i32) -> EigenError {
    let meaning = match (routine, info) {
        (_, -1) => "the number of unknowns is not positive",
        (_, -2) => "the number of eigenvalues wanted is not positive",
        (_, -3) => {
            "the dimension of the basis does not lie between the number wanted and that of the unknowns"
        }
        (_, -4) => "no restarts are allowed",
        (_, -5) => "WHICH is none of its words",
        (_, -6) => "BMAT is neither I nor G",
        (_, -7) => "the work array is too short",
        ("dsaupd" | "dseupd", -8) => "the eigenvalues of the tridiagonal matrix did not converge",
        (_, -8) => "the eigenvalues of the Hessenberg matrix did not converge",
        ("dneupd" | "zneupd", -9) => "the eigenvectors of the Hessenberg matrix could not be computed",
        (_, -9) => "the start vector is zero",
        (_, -10) => "the mode does not exist",
        (_, -11) => "the mode does not go with BMAT = G",
        ("dsaupd" | "dnaupd" | "znaupd", -12) => "the choice of shifts does not exist",
        ("dseupd", -15) | (_, -13) => "HOWMNY is none of its words",
        ("dseupd", -16) | (_, -12) => "HOWMNY = S is not implemented",
        (_, -14) => "no eigenvalue converged",
        ("dseupd", -17) | (_, -15) => "iteration and extraction count different numbers of converged values",
        (_, 1) => "the Schur form could not be reordered",
        (_, -9999) => "no basis could be built",
        _ => "a code its documentation does not name",
    };
    EigenError::Arpack { routine, info, meaning }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_code_has_words() {
        let unnamed = "a code its documentation does not name";
        let words = |routine, info| match error(routine, info) {
            EigenError::Arpack { meaning, .. } => meaning,
            other => panic!("{other}"),
        };
        for routine in ["dsaupd", "dnaupd", "znaupd"] {
            assert!((-12..=-1).all(|info| words(routine, info) != unnamed));
            assert!([1, 3, -9999].iter().all(|info| remark(routine, *info, 0, 1).is_some()));
            assert!([0, 2, -1].iter().all(|info| remark(routine, *info, 0, 1).is_none()));
        }
        for routine in ["dneupd", "zneupd"] {
            assert!((-15..=-1).filter(|info| *info != -4).all(|info| words(routine, info) != unnamed));
        }
        assert!([-14, -15, -16, -17].iter().all(|info| words("dseupd", *info) != unnamed));
        assert_eq!(words("dsaupd", 77), unnamed);
    }
}
