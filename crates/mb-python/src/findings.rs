//! Findings of an analysis as words, as data, and as a verdict on completeness.

use mb_eigen::sparse::{Completeness, SparseFinding};
use mb_eigen::{Finding, Spectrum};

/// Whether all eigenvalues are there that were asked for: shown, refuted, or none of both.
pub(crate) fn complete(spectrum: &Spectrum) -> Option<bool> {
    if spectrum.falls_short() {
        return Some(false);
    }
    // Dense analyses compute every eigenvalue and count them against theory; a count that differs falls short.
    let searched = |f: &Finding| match f {
        Finding::Sparse { detail } => {
            matches!(detail, SparseFinding::Shift { .. } | SparseFinding::WithoutShift { .. })
        }
        _ => false,
    };
    let unproved = |f: &Finding| {
        f.leaves_open()
            || matches!(
                f,
                Finding::Sparse { detail: SparseFinding::Unproved { .. } }
                    | Finding::SingularPencil { .. }
                    | Finding::UndeterminedEigenvalues { .. }
            )
    };
    let findings = &spectrum.findings;
    if findings.iter().any(unproved) {
        return None;
    }
    (spectrum.completeness().any(Completeness::is_complete) || !findings.iter().any(searched)).then_some(true)
}

/// Whether a user who does not read the notes should be warned.
pub(crate) fn warns(finding: &Finding) -> bool {
    finding.falls_short()
        || finding.leaves_open()
        || matches!(
            finding,
            Finding::PoorAccuracy { .. }
                | Finding::UncertainConstraintRank { .. }
                | Finding::PenaltyOverlap { .. }
                | Finding::ClassifiedByMagnitude { .. }
                | Finding::SingularPencil { .. }
                | Finding::UndeterminedEigenvalues { .. }
                | Finding::StiffeningLeftOut { .. }
                | Finding::Sparse {
                    detail: SparseFinding::GrowingNotShown { .. } | SparseFinding::GrowthUnknown { .. }
                }
        )
}
