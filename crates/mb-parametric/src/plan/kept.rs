//! A centre, or the cut of a part without one, as numbers of a journal.

use super::cell::Short;
use super::{Piece, Region};
use crate::journal::{Reader, Writer};
use crate::{EigenpairSeries, GroupSeries, MultiIndexSet};

/// What a search for one centre has found.
pub(super) type Found = Result<Piece, Short>;

/// Its numbers.
pub(super) fn written(found: &Found) -> Vec<f64> {
    let mut out = Writer::default();
    match found {
        Err(short) => {
            out.count(0).count(short.across).number(short.reached).count(short.order);
        }
        Ok(piece) => {
            out.count(1).count(piece.order).number(piece.estimated).number(piece.measured);
            piece.all.write(&mut out);
            piece.set.write(&mut out);
            out.count(piece.full.len());
            for series in &piece.full {
                series.write(&mut out);
            }
            out.count(piece.full_groups.len());
            for series in &piece.full_groups {
                series.write(&mut out);
            }
        }
    }
    out.done()
}

/// Reads them back; `part` is the part of the region that was checked.
pub(super) fn read(from: &mut Reader<'_>, part: &Region) -> Option<Found> {
    if from.count()? == 0 {
        let short = Short { across: from.count()?, reached: from.number()?, order: from.count()? };
        return Some(Err(short));
    }
    let (order, estimated, measured) = (from.count()?, from.number()?, from.number()?);
    let (all, set) = (MultiIndexSet::read(from)?, MultiIndexSet::read(from)?);
    let count = from.count()?;
    let full = (0..count).map(|_| EigenpairSeries::read(from, &all)).collect::<Option<Vec<_>>>()?;
    let count = from.count()?;
    let full_groups = (0..count).map(|_| GroupSeries::read(from, &all)).collect::<Option<Vec<_>>>()?;
    Some(Ok(Piece {
        centre: part.centre(),
        region: part.clone(),
        order,
        eigenpairs: full.iter().map(|series| series.restricted(&set).ok()).collect::<Option<_>>()?,
        groups: full_groups.iter().map(|series| series.restricted(&set).ok()).collect::<Option<_>>()?,
        set,
        full,
        full_groups,
        all,
        estimated,
        measured,
    }))
}
