//! Binary matrix files: those of other programs and of this one, with bytes, sizes and indices changed.
//!
//! An input is text, a letter up to U+00FF for each byte, so that finds are kept like those of other targets.

use super::random::Random;
use mb_algebra::{Scatter as _, Sparse, Triplets};
use mb_cli::mat::{self, Variable};
use mb_cli::npz::{self, Array};

/// Whole numbers at the edge of what sizes and indices hold.
const EDGES: [u64; 14] = [
    0,
    1,
    2,
    3,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 40,
    1 << 62,
    1 << 63,
    u64::MAX,
];

/// A letter for each byte.
pub(crate) fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|b| char::from(*b)).collect()
}

/// The bytes of such a text; what is no byte becomes a question mark.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}

/// A file; some are right.
pub(crate) fn file(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut out = if random.once_in(2) && !corpus.is_empty() {
        corpus[random.below(corpus.len())].clone()
    } else {
        made(random)
    };
    let changes = if random.once_in(4) { 0 } else { 1 + random.below(4) };
    for _ in 0..changes {
        disturb(random, &mut out, corpus);
    }
    // Else most changes of an archive end at its checksums.
    if random.once_in(2) {
        set_checksums(&mut out);
    }
    out
}

/// A file of this program: a matrix of few rows, its arrays with numbers at the edge now and then.
fn made(random: &mut Random) -> Vec<u8> {
    let matrix = matrix(random);
    match random.below(4) {
        0 => mb_engine::petsc::file(&matrix).unwrap_or_default(),
        1 => {
            let other = self::matrix(random);
            mat::file(&[Variable::Sparse("K", &matrix), Variable::Sparse("M", &other)])
        }
        2 => {
            let (rows, columns) = matrix.shape();
            let data = (0..rows * columns).map(|_| random.number()).collect();
            let array = Array::real("K", &[rows, columns], data);
            if random.once_in(2) { mat::file(&[Variable::Array(&array)]) } else { npz::archive(&[array]) }
        }
        _ => {
            let mut arrays = npz::sparse(&matrix);
            if random.once_in(2) {
                let list: [&str; 3] = ["indices", "indptr", "shape"];
                let name = random.pick(&list);
                let edge = EDGES[random.below(EDGES.len())];
                for array in arrays.iter_mut().filter(|a| a.name == name) {
                    if let npz::Data::Whole(list) = &mut array.data
                        && !list.is_empty()
                    {
                        let at = random.below(list.len());
                        list[at] = edge.cast_signed();
                    }
                }
            }
            npz::archive(&arrays)
        }
    }
}

fn matrix(random: &mut Random) -> Sparse {
    let n = 1 + random.below(4);
    let columns = if random.once_in(6) { 1 + random.below(6) } else { n };
    let mut out = Triplets::new(n, columns);
    for i in 0..n.min(columns) {
        out.add(i, i, 1.0 + random.share());
    }
    for _ in 0..random.below(2 * n) {
        let (i, j) = (random.below(n), random.below(columns));
        let x = random.number();
        out.add(i, j, x);
        if n == columns {
            out.add(j, i, x);
        }
    }
    out.to_sparse()
}

fn disturb(random: &mut Random, out: &mut Vec<u8>, corpus: &[Vec<u8>]) {
    if out.is_empty() {
        return;
    }
    let at = random.below(out.len());
    let most = if random.once_in(3) { out.len() } else { 12 };
    let long = 1 + random.below(most);
    let end = (at + long).min(out.len());
    match random.below(7) {
        0 => out[at] ^= 1 << random.below(8),
        1 | 2 => {
            // A size or an index, little or big endian, mostly where one stands.
            let wide = [2, 4, 8][random.below(3)];
            let at = at - at % wide;
            let edge = match random.below(4) {
                0 => out.len() as u64,
                1 => out.len() as u64 - 1,
                _ => EDGES[random.below(EDGES.len())],
            };
            let mut number = edge.to_le_bytes()[..wide].to_vec();
            if random.once_in(4) {
                number.reverse();
            }
            out.iter_mut().skip(at).zip(number).for_each(|(out, byte)| *out = byte);
        }
        3 => drop(out.drain(at..end)),
        4 => {
            let part = out[at..end].to_vec();
            out.splice(at..at, part);
        }
        5 if !corpus.is_empty() => {
            let other = &corpus[random.below(corpus.len())];
            let from = random.below(other.len());
            let to = (from + long).min(other.len());
            out.splice(at..end, other[from..to].iter().copied());
        }
        _ => out.truncate(at),
    }
}

/// Gives members of an archive that are not compressed the checksums of what they hold now.
fn set_checksums(archive: &mut [u8]) {
    let number = |archive: &[u8], at: usize, wide: usize| -> Option<usize> {
        let part = archive.get(at..at.checked_add(wide)?)?;
        Some(part.iter().rev().fold(0, |sum, byte| (sum << 8) | usize::from(*byte)))
    };
    let entries: Vec<usize> =
        (0..archive.len()).filter(|at| archive[*at..].starts_with(b"PK\x01\x02")).collect();
    for at in entries {
        let member = || {
            let [size, offset] = [20, 42].map(|place| number(archive, at + place, 4));
            let (size, offset) = (size?, offset?);
            let names =
                number(archive, offset.checked_add(26)?, 2)? + number(archive, offset.checked_add(28)?, 2)?;
            let from = offset.checked_add(30)?.checked_add(names)?;
            archive.get(from..from.checked_add(size)?).map(crc32fast::hash)
        };
        if let Some(checksum) = member()
            && let Some(place) = archive.get_mut(at + 16..at + 20)
        {
            place.copy_from_slice(&checksum.to_le_bytes());
        }
    }
}
