//! The members of a zip archive, stored or deflated (APPNOTE of PKWARE, sections 4.3.7, 4.3.12, 4.3.16, 4.5.3).

use super::MatrixFileError;
use super::bytes::LARGEST_INFLATED;
use std::borrow::Cow;

const MEMBER: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";

/// A member of an archive.
#[derive(Clone, Debug)]
pub(super) struct Member<'b> {
    pub(super) name: String,
    archive: &'b [u8],
    method: u64,
    checksum: u64,
    packed: u64,
    size: u64,
    offset: u64,
}

fn number(bytes: &[u8], at: usize, width: usize) -> Result<u64, MatrixFileError> {
    let part =
        bytes.get(at..at.saturating_add(width)).ok_or_else(|| MatrixFileError::torn("the directory"))?;
    Ok(part.iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte)))
}

fn index(x: u64) -> usize {
    usize::try_from(x).unwrap_or(usize::MAX)
}

/// The directory of an archive.
pub(super) fn members(archive: &[u8]) -> Result<Vec<Member<'_>>, MatrixFileError> {
    // The directory ends with a record of 22 bytes and a comment of at most 65,535.
    let first = archive.len().saturating_sub(22 + 0xffff);
    let end = (first..archive.len().saturating_sub(21))
        .rev()
        .find(|at| archive[*at..].starts_with(END))
        .ok_or_else(|| MatrixFileError::torn("the archive, before its directory"))?;
    let (mut count, mut at) = (number(archive, end + 10, 2)?, number(archive, end + 16, 4)?);
    if count == 0xffff || at == 0xffff_ffff {
        let record = index(number(archive, end.saturating_sub(12), 8)?);
        if !archive.get(record..).is_some_and(|rest| rest.starts_with(END_64)) {
            return Err(MatrixFileError::malformed("the directory of large archives is missing"));
        }
        (count, at) = (number(archive, record + 32, 8)?, number(archive, record + 48, 8)?);
    }
    let (mut out, mut at) = (Vec::new(), index(at));
    for _ in 0..count {
        if !archive.get(at..).is_some_and(|rest| rest.starts_with(MEMBER)) {
            return Err(MatrixFileError::malformed("the directory of the archive is broken"));
        }
        let [name, extra, comment] = [28, 30, 32].map(|place| number(archive, at + place, 2).map(index));
        let (name, extra, comment) = (name?, extra?, comment?);
        let words = archive
            .get(at + 46..at + 46 + name + extra)
            .ok_or_else(|| MatrixFileError::torn("the directory"))?;
        let mut member = Member {
            name: String::from_utf8_lossy(&words[..name]).into_owned(),
            archive,
            method: number(archive, at + 10, 2)?,
            checksum: number(archive, at + 16, 4)?,
            packed: number(archive, at + 20, 4)?,
            size: number(archive, at + 24, 4)?,
            offset: number(archive, at + 42, 4)?,
        };
        member.widen(&words[name..])?;
        out.push(member);
        at += 46 + name + extra + comment;
    }
    Ok(out)
}

impl<'b> Member<'b> {
    /// Takes sizes of 64 bits from the extra field with the number 1, in the order of those that do not fit 32 bits.
    fn widen(&mut self, mut extra: &[u8]) -> Result<(), MatrixFileError> {
        while extra.len() >= 4 {
            let (kind, length) = (number(extra, 0, 2)?, index(number(extra, 2, 2)?));
            if kind == 1 {
                let mut at = 4;
                for value in [&mut self.size, &mut self.packed, &mut self.offset] {
                    if *value == 0xffff_ffff {
                        *value = number(extra, at, 8)?;
                        at += 8;
                    }
                }
            }
            extra = extra.get(4 + length..).unwrap_or_default();
        }
        Ok(())
    }

    /// What it holds, checked against its checksum.
    pub(super) fn bytes(&self) -> Result<Cow<'b, [u8]>, MatrixFileError> {
        let torn = || MatrixFileError::Torn { what: format!("`{}`", self.name) };
        let at = index(self.offset);
        let skip = index(number(self.archive, at + 26, 2)? + number(self.archive, at + 28, 2)?);
        let begin = at.saturating_add(30 + skip);
        let packed = self.archive.get(begin..begin.saturating_add(index(self.packed))).ok_or_else(torn)?;
        let bytes = match self.method {
            0 => Cow::Borrowed(packed),
            8 if index(self.size) > LARGEST_INFLATED => {
                return Err(MatrixFileError::NotRead {
                    what: format!("`{}` has more than {} MiB.", self.name, LARGEST_INFLATED >> 20),
                    remedy: "Save it without compression.",
                });
            }
            8 => Cow::Owned(
                miniz_oxide::inflate::decompress_to_vec_with_limit(packed, index(self.size))
                    .map_err(|_| torn())?,
            ),
            method => {
                return Err(MatrixFileError::NotRead {
                    what: format!("`{}` is compressed by method {method} of zip.", self.name),
                    remedy: "Save it with deflate or without compression.",
                });
            }
        };
        if bytes.len() as u64 != self.size || u64::from(crc32fast::hash(&bytes)) != self.checksum {
            return Err(MatrixFileError::malformed(format!(
                "`{}` does not have the checksum of the directory",
                self.name
            )));
        }
        Ok(bytes)
    }
}
