//! What the driver wrote, with every length and checksum looked at.

use mb_algebra::c64;
use mb_eigen::engine::{Answer, Determinant, ForEngine as _, Inertia, Prepared, Vectors};

use crate::status::{STATUS, Status};
use crate::{EngineError, checksum, petsc};

/// What begins a file of numbers: "\0MBENG01" as a word of the machine that wrote it.
const MARK: u64 = 0x3130_474e_4542_4d00;

/// The results of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// What the driver says of the run.
    pub status: Status,
    /// What it found.
    pub answer: Answer,
}

impl Results {
    /// Reads the results for a package of a prepared problem; `read` gives the bytes of a file of the folder, none where there
    /// is no such file.
    ///
    /// # Errors
    /// [`EngineError`]: no results, those of another package, torn ones, and what the driver says itself.
    pub fn read(
        prepared: &Prepared<'_>,
        package: &str,
        mut read: impl FnMut(&str) -> Result<Option<Vec<u8>>, EngineError>,
    ) -> Result<Self, EngineError> {
        let text = read(STATUS)?.ok_or_else(|| EngineError::NoResults { file: STATUS.to_owned() })?;
        let status = Status::from_text(&String::from_utf8_lossy(&text))?;
        if status.package != package {
            return Err(EngineError::OtherResults);
        }
        let half =
            |file: &str, why: &str| EngineError::HalfWritten { file: file.to_owned(), why: why.to_owned() };
        let mut bytes = |name: &str| -> Result<Vec<u8>, EngineError> {
            let bytes = read(name)?.ok_or_else(|| half(name, "is missing"))?;
            match status.checksums.get(name) {
                Some(sum) if *sum == checksum(&bytes) => Ok(bytes),
                Some(_) => Err(half(name, "has changed since it was written, or ends too early")),
                None => Err(half(STATUS, &format!("has no checksum of {name}"))),
            }
        };
        let mut numbers = |name: &str, count: usize| -> Result<Vec<f64>, EngineError> {
            numbers_of(&bytes(name)?, count)
                .ok_or_else(|| half(name, "does not have the size that the status gives"))
        };
        let values = numbers("results/values.bin", 2 * status.found)?;
        let counts = numbers("results/counts.bin", 4 * status.counts)?;
        let phases = numbers("results/phases.bin", 6 * status.phases)?;
        let task = prepared.task();
        let (found, size) = (status.found, prepared.size());
        // No eigenvalues are an answer too; their vectors need no file.
        let mut vectors = |name: &str| if found == 0 { Ok(Vec::new()) } else { bytes(name) };
        let complex = |name: &str, bytes: &[u8]| -> Result<Vec<Vec<c64>>, EngineError> {
            petsc::read_complex(bytes, found, size)
                .ok_or_else(|| half(name, "holds vectors of another length"))
        };
        let mut of_kind = |name: &str| -> Result<Vectors, EngineError> {
            let bytes = vectors(name)?;
            if !task.undamped {
                return Ok(Vectors::Complex(complex(name, &bytes)?));
            }
            let real = petsc::read_real(&bytes, found, size);
            Ok(Vectors::Real(real.ok_or_else(|| half(name, "holds vectors of another length"))?))
        };
        let right = of_kind("results/right.bin")?;
        let low = if task.symmetric { Some(of_kind("results/low.bin")?) } else { None };
        let name = "results/left.bin";
        let left = if task.left { Some(complex(name, &vectors(name)?)?) } else { None };
        let whole = |x: f64| -> Result<usize, EngineError> {
            let right = x >= 0.0 && x <= f64::from(u32::MAX) && x.fract() == 0.0;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
            let count = x as usize;
            if right {
                Ok(count)
            } else {
                Err(half("results/counts.bin", "holds numbers that are no counts"))
            }
        };
        let inertias = counts.chunks_exact(4).map(|c| {
            Ok(Inertia { at: c[0], negative: whole(c[1])?, null_pivots: whole(c[2])?, residual: c[3] })
        });
        let determinants = phases.chunks_exact(6).map(|p| Determinant {
            at: c64::new(p[0], p[1]),
            logarithm: c64::new(p[2], p[3]),
            smallest: p[4],
            residual: p[5],
        });
        let [re, im, radius] = status.circle;
        let answer = Answer {
            values: values.chunks_exact(2).map(|v| c64::new(v[0], v[1])).collect(),
            right,
            low,
            left,
            inertias: inertias.collect::<Result<_, EngineError>>()?,
            determinants: determinants.collect(),
            circle: (c64::new(re, im), radius),
            mass_negative: status.mass_negative,
            factorizations: status.factorizations,
        };
        Ok(Self { status, answer })
    }
}

/// The numbers of a file; none where it holds others, or comes from a machine with another order of bytes.
fn numbers_of(bytes: &[u8], count: usize) -> Option<Vec<f64>> {
    let words: Vec<[u8; 8]> = bytes.chunks_exact(8).filter_map(|c| c.try_into().ok()).collect();
    let (head, rest) = words.split_at_checked(2)?;
    let little = u64::from_le_bytes(head[0]) == MARK;
    if !little && u64::from_be_bytes(head[0]) != MARK {
        return None;
    }
    let word = |w: &[u8; 8]| if little { u64::from_le_bytes(*w) } else { u64::from_be_bytes(*w) };
    let fits = bytes.len() == 16 + 8 * count && usize::try_from(word(&head[1])).ok()? == count;
    fits.then(|| rest.iter().map(|w| f64::from_bits(word(w))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_both_byte_orders() {
        let mut little = Vec::new();
        let mut big = Vec::new();
        for word in [MARK, 2, 1.5_f64.to_bits(), (-2.0_f64).to_bits()] {
            little.extend(word.to_le_bytes());
            big.extend(word.to_be_bytes());
        }
        for bytes in [&little, &big] {
            assert_eq!(numbers_of(bytes, 2), Some(vec![1.5, -2.0]));
            assert_eq!(numbers_of(bytes, 1), None);
            assert_eq!(numbers_of(&bytes[..31], 2), None);
        }
        little[0] = 9;
        assert_eq!(numbers_of(&little, 2), None);
    }
}
