//! The modes found at a speed as numbers of a checkpoint.
//!
//! Kept are the answers of eigenvalue problems, in the order in which they are asked for. A run that goes on computes the steady motions and
//! their linearizations again, which need no eigenvalues, and takes the answers from there.

use super::follow::{Found, ModePoint};
use mb_algebra::c64;
use mb_parametric::journal::{Reader, Writer};

/// What was found, as numbers.
pub(super) fn written(found: &Found) -> Vec<f64> {
    let Found { modes, others, growth, open, total } = found;
    let mut out = Writer::default();
    out.count(modes.len());
    for mode in modes {
        out.count(usize::from(mode.is_some()));
        if let Some(mode) = mode {
            write_mode(&mut out, mode);
        }
    }
    out.count(others.len());
    for mode in others {
        write_mode(&mut out, mode);
    }
    let (s, real) = growth.unwrap_or((c64::ZERO, false));
    out.count(usize::from(growth.is_some())).complex(s).count(usize::from(real));
    out.count(*open).count(usize::from(total.is_some())).count(total.unwrap_or(0));
    out.done()
}

/// What was written; none where the numbers are no such.
pub(super) fn read(numbers: &[f64]) -> Option<Found> {
    let mut from = Reader::new(numbers);
    let modes = (0..from.count()?).map(|_| {
        let there = from.count()? == 1;
        Some(if there { Some(read_mode(&mut from)?) } else { None })
    });
    let modes = modes.collect::<Option<_>>()?;
    let others = (0..from.count()?).map(|_| read_mode(&mut from)).collect::<Option<_>>()?;
    let growth = (from.count()? == 1, (from.complex()?, from.count()? == 1));
    let open = from.count()?;
    let total = (from.count()? == 1, from.count()?);
    let (growth, total) = (growth.0.then_some(growth.1), total.0.then_some(total.1));
    from.is_done().then_some(Found { modes, others, growth, open, total })
}

fn write_mode(out: &mut Writer, mode: &ModePoint) {
    let ModePoint { s, error, whirl, right, left } = mode;
    out.complex(*s).number(*error);
    out.count(usize::from(whirl.is_some())).number(whirl.unwrap_or(0.0));
    out.complex_list(right).complex_list(left);
}

fn read_mode(from: &mut Reader<'_>) -> Option<ModePoint> {
    let (s, error) = (from.complex()?, from.number()?);
    let whirl = (from.count()? == 1, from.number()?);
    let (right, left) = (from.complex_list()?, from.complex_list()?);
    Some(ModePoint { s, error, whirl: whirl.0.then_some(whirl.1), right, left })
}
