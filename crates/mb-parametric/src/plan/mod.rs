//! As much expansion as an accuracy needs: order, degrees of the single parameters, centres.
//!
//! ```text
//! max over the region of |s_series - s| / |s|  <=  accuracy
//! ```
//!
//! About the middle of the region the eigenpairs are expanded two degrees further than they are measured by. The
//! sum of the terms above an order and the extrapolated rest estimate its error at many points; the
//! smallest order that is good enough is proposed, then measured where it is worst, against eigenpairs
//! improved to rounding with the exact matrices, and moved by one where that says so. When no
//! order is enough, or the region leaves that of convergence, the region is cut in two and each
//! half gets a centre of its own, its modes followed from the first.
//!
//! Then terms that do not matter are left out: the degree of every single parameter, and of all
//! the little-needed ones jointly, is limited as far as a tenth of the accuracy pays for.
//!
//! Groups (of close, repeated or defective eigenvalues) are measured like eigenpairs, by their values: those of the small matrix
//! that the kept terms give against those by all terms and what the rest may move them by (`group/shift.rs`), then against
//! the values of the exact invariant space. Errors are relative to the group's largest value.
//!
//! This answers the question that palomba2019 leaves open, Sec. 3.2: which order to truncate at.

mod cell;
mod degrees;
mod follow;
mod kept;
mod modes;
mod region;

pub use region::Region;

use crate::eigenpair_series::{EigenpairSeries, Evaluation, ExpandOptions};
use crate::group::{GroupEvaluation, GroupSeries};
use crate::journal::{Journal, NoJournal, Reader};
use crate::polish::StartingEigenpair;
use crate::track::Walker;
use crate::{MultiIndexSet, ParametricError, SeriesSource};
use cell::Planner;
use follow::Groups;
use mb_algebra::{Stopped, c64, interrupt};
use modes::Starts;

/// What is asked of an expansion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccuracyOptions {
    /// Largest error of an eigenvalue relative to its magnitude. Default 1e-4.
    pub accuracy: f64,
    /// Highest order used. Default 8.
    pub max_order: usize,
    /// Largest number of centres. Default 16.
    pub max_centres: usize,
    /// Whether degrees of single parameters are limited where that costs nothing. Default true.
    pub limit_degrees: bool,
    /// Points inside a box at which errors are estimated, besides its corners and faces.
    /// Default 64.
    pub samples: usize,
    /// Points of each piece at which errors are measured. Default 6.
    pub measured: usize,
    /// How eigenpairs are expanded.
    pub expand: ExpandOptions,
}

impl Default for AccuracyOptions {
    fn default() -> Self {
        Self {
            accuracy: 1e-4,
            max_order: 8,
            max_centres: 16,
            limit_degrees: true,
            samples: 64,
            measured: 6,
            expand: ExpandOptions::default(),
        }
    }
}

/// One centre with its part of the region.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The centre, as distance from the reference point.
    pub centre: Vec<f64>,
    /// The part of the region it serves.
    pub region: Region,
    /// Smallest order that is accurate enough.
    pub order: usize,
    /// The terms that are enough: those of `order` within the limits found.
    pub set: MultiIndexSet,
    /// The eigenpairs over `set`, in the order of the starts: what to keep and evaluate.
    pub eigenpairs: Vec<EigenpairSeries>,
    /// The eigenpairs with all terms that were expanded, against which the others are measured.
    pub full: Vec<EigenpairSeries>,
    /// The groups over `set`, in the order they were asked for.
    pub groups: Vec<GroupSeries>,
    /// The groups with all terms that were expanded.
    pub full_groups: Vec<GroupSeries>,
    /// All terms that were expanded.
    pub all: MultiIndexSet,
    /// Largest estimated error of a kept eigenvalue in this part, relative to |s|.
    pub estimated: f64,
    /// Largest measured error of a kept eigenvalue at the points it was measured at.
    pub measured: f64,
}

/// Pairs to a requested accuracy over a region.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The centres, each with its part; one where one is enough.
    pub pieces: Vec<Piece>,
    /// Error asked for, relative to |s|.
    pub accuracy: f64,
    /// What ended the work before the whole region was covered; the pieces that were finished are here, perhaps none.
    pub stopped: Option<Stopped>,
    region: Region,
}

impl Expansion {
    /// The largest order of all pieces.
    pub fn order(&self) -> usize {
        self.pieces.iter().map(|piece| piece.order).max().unwrap_or(0)
    }

    /// Number of coefficients of one eigenpair, over all pieces.
    pub fn terms(&self) -> usize {
        self.pieces.iter().map(|piece| piece.set.len()).sum()
    }

    /// The piece that serves a point: the nearest centre of those whose part contains it, or of
    /// all where none does.
    pub fn piece(&self, d: &[f64]) -> &Piece {
        let size = self.region.size();
        let distance = |piece: &&Piece| -> f64 {
            (0..d.len().min(size.len()))
                .map(|k| if size[k] > 0.0 { ((d[k] - piece.centre[k]) / size[k]).powi(2) } else { 0.0 })
                .sum()
        };
        let nearest = |inside: bool| {
            self.pieces
                .iter()
                .filter(|piece| !inside || piece.region.contains(d))
                .min_by(|a, b| distance(a).total_cmp(&distance(b)))
        };
        // An expansion has at least one piece.
        nearest(true).or_else(|| nearest(false)).unwrap_or(&self.pieces[0])
    }

    /// All eigenpairs at a point, as distance from the reference point, with estimated errors. Outside
    /// the region the answers are flagged as not to be trusted.
    ///
    /// Errors: `d` of another length than the number of parameters, or not finite.
    pub fn evaluate(&self, d: &[f64]) -> Result<Vec<Evaluation>, ParametricError> {
        self.pieces[0].set.monomials(d)?;
        let piece = self.piece(d);
        let off: Vec<f64> = d.iter().zip(&piece.centre).map(|(a, b)| a - b).collect();
        let inside = self.region.contains(d);
        let one = |(kept, full): (&EigenpairSeries, &EigenpairSeries)| {
            let at = kept.evaluate(&off, kept.order())?;
            let judged = full.evaluate(&off, full.order())?;
            let error = (at.s - judged.s).norm() + judged.error;
            let trusted = judged.trusted && inside;
            Ok(Evaluation { error, trusted, basis: crate::ErrorBasis::NextTerms, share: judged.share, ..at })
        };
        piece.eigenpairs.iter().zip(&piece.full).map(one).collect()
    }

    /// All groups at a point, as distance from the reference point, with estimated errors. Outside the region they mean
    /// nothing.
    ///
    /// Errors: `d` of another length than the number of parameters, or not finite.
    pub fn evaluate_groups(&self, d: &[f64]) -> Result<Vec<GroupEvaluation>, ParametricError> {
        self.pieces[0].set.monomials(d)?;
        let piece = self.piece(d);
        let off: Vec<f64> = d.iter().zip(&piece.centre).map(|(a, b)| a - b).collect();
        let both = piece.groups.iter().zip(&piece.full_groups);
        both.map(|(kept, full)| kept.evaluate_beside(full, &off)).collect()
    }
}

/// Expands the modes `starts` (at the reference point) so that their eigenvalues keep an accuracy
/// over a region.
///
/// Errors: a region that is empty or of other parameters; those of [`crate::expand`] and of the
/// source; [`ParametricError::AccuracyNotReached`] when the centres allowed are not enough;
/// [`ParametricError::RankChanges`] where the constraints lose rank in the region.
pub fn expand_to_accuracy<S: SeriesSource>(
    source: &S,
    starts: &[StartingEigenpair],
    region: &Region,
    options: &AccuracyOptions,
) -> Result<Expansion, ParametricError> {
    expand_groups_to_accuracy(source, starts, &[], region, options)
}

/// As [`expand_to_accuracy`], with `groups` of eigenvalues (rad/s, at the reference point, repeated ones as often as they
/// are) together with the single modes; one order, one set of terms and the same centres serve all.
///
/// Errors: as [`expand_to_accuracy`] and [`crate::expand_group`]; [`ParametricError::GroupNotSeparate`] also where another
/// mode joins a group within the region.
pub fn expand_groups_to_accuracy<S: SeriesSource>(
    source: &S,
    starts: &[StartingEigenpair],
    groups: &[Vec<c64>],
    region: &Region,
    options: &AccuracyOptions,
) -> Result<Expansion, ParametricError> {
    expand_groups_kept(source, starts, groups, region, options, &mut NoJournal)
}

/// As [`expand_groups_to_accuracy`]; centres that the `journal` has kept are taken from there, and those that are computed are kept.
///
/// Errors: as [`expand_groups_to_accuracy`].
pub fn expand_groups_kept<S: SeriesSource>(
    source: &S,
    starts: &[StartingEigenpair],
    groups: &[Vec<c64>],
    region: &Region,
    options: &AccuracyOptions,
    journal: &mut dyn Journal,
) -> Result<Expansion, ParametricError> {
    region.check(source.parameters())?;
    if !(options.accuracy > 0.0 && options.accuracy.is_finite()) {
        return Err(ParametricError::BadAccuracy { accuracy: options.accuracy });
    }
    let planner = Planner { source, options };
    let reference = vec![0.0; source.parameters()];
    let mut open = vec![region.clone()];
    let (mut pieces, mut stopped) = (Vec::new(), None);
    // Followed from centre to centre, again where the centres were kept.
    let mut way = None;
    while let Some(part) = open.pop() {
        let found = interrupt::attempt(|| {
            let (mut walker, mut groups) = match way.take() {
                Some(way) => way,
                None => (
                    Walker::new(source, &reference, starts, 2, options.expand.polish)?,
                    Groups::new(source, &reference, groups),
                ),
            };
            walker.go(&part.centre())?;
            groups.go(&part.centre())?;
            let starts = Starts { eigenpairs: walker.starts(), groups: groups.values.clone() };
            way = Some((walker, groups));
            let kept = journal.recall().and_then(|numbers| kept::read(&mut Reader::new(&numbers), &part));
            let found = if let Some(found) = kept {
                found
            } else {
                let found = planner.piece(&part, &starts)?;
                journal.keep(kept::written(&found));
                found
            };
            Ok::<_, ParametricError>(found)
        });
        let found = match found {
            Ok(found) => found?,
            Err(why) => {
                stopped = Some(why);
                break;
            }
        };
        match found {
            Ok(piece) => pieces.push(piece),
            Err(short) => {
                let halves = part
                    .halves(short.across)
                    .filter(|_| pieces.len() + open.len() + 2 <= options.max_centres);
                let Some([first, second]) = halves else {
                    return Err(ParametricError::AccuracyNotReached {
                        accuracy: options.accuracy,
                        reached: short.reached,
                        order: short.order,
                        centres: pieces.len() + open.len() + 1,
                    });
                };
                open.push(second);
                open.push(first);
            }
        }
    }
    Ok(Expansion { pieces, accuracy: options.accuracy, region: region.clone(), stopped })
}
