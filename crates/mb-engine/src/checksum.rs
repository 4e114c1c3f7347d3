//! Checksums of files: FNV-1a of 64 bits, against changes by accident.

use std::io::{self, Write};

const START: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// Of some bytes, as 16 hexadecimal digits.
pub fn checksum(bytes: &[u8]) -> String {
    digits(after(START, bytes))
}

fn after(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(PRIME))
}

fn digits(sum: u64) -> String {
    format!("{sum:016x}")
}

/// A place to write to that counts and sums up what goes through it.
#[derive(Debug)]
pub struct Summed<W> {
    inner: W,
    sum: u64,
    bytes: u64,
}

impl<W: Write> Summed<W> {
    /// Over another place.
    pub fn new(inner: W) -> Self {
        Self { inner, sum: START, bytes: 0 }
    }

    /// Ends the writing: number of bytes and checksum.
    ///
    /// # Errors
    /// What the place says.
    pub fn finish(mut self) -> io::Result<(u64, String)> {
        self.inner.flush()?;
        Ok((self.bytes, digits(self.sum)))
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.sum = after(self.sum, &bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_sum_up_as_the_whole() {
        let mut summed = Summed::new(Vec::new());
        summed.write_all(b"foo").unwrap();
        summed.write_all(b"bar").unwrap();
        let (bytes, sum) = summed.finish().unwrap();
        assert_eq!((bytes, sum), (6, checksum(b"foobar")));
        // Of nothing: the offset basis of Fowler, Noll and Vo.
        assert_eq!(checksum(b""), digits(START));
        assert_ne!(checksum(b"foobar"), checksum(b"fooba2"));
    }
}
