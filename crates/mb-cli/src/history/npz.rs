//! NPZ: a zip archive, stored without compression, of arrays in numpy's format.
//!
//! The zip format is that of the APPNOTE of PKWARE (sections 4.3.7, 4.3.12, 4.3.16), the array
//! format version 1.0 of numpy's `lib.format`. Archives stay below 4 GiB.

use super::Column;

/// The bytes of an archive with one array of 64-bit numbers for each column.
pub(super) fn archive(columns: &[Column]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, values) in columns {
        let data = array(values);
        let name = format!("{}.npy", name.replace(['/', '\\'], "_"));
        let offset = size(out.len());
        let crc = checksum(&data);
        // Version, flags (names in UTF-8), method, time, date of 1980-01-01.
        let mut common = Vec::new();
        for x in [20_u16, 0x0800, 0, 0, 0x21] {
            common.extend(x.to_le_bytes());
        }
        for x in [crc, size(data.len()), size(data.len())] {
            common.extend(x.to_le_bytes());
        }
        common.extend(short(name.len()).to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        out.extend(0x0403_4b50_u32.to_le_bytes());
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(&data);
        directory.extend(0x0201_4b50_u32.to_le_bytes());
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, length) = (size(out.len()), size(directory.len()));
    out.extend(directory);
    out.extend(0x0605_4b50_u32.to_le_bytes());
    out.extend([0; 4]);
    for _ in 0..2 {
        out.extend(short(columns.len()).to_le_bytes());
    }
    out.extend(length.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

fn size(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn short(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

/// One array in numpy's format.
fn array(values: &[f64]) -> Vec<u8> {
    let mut head = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", values.len());
    // Magic, version, length and header fill a multiple of 64 bytes and end with a line feed.
    while !(head.len() + 11).is_multiple_of(64) {
        head.push(' ');
    }
    head.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend(short(head.len()).to_le_bytes());
    out.extend(head.as_bytes());
    for x in values {
        out.extend(x.to_le_bytes());
    }
    out
}

/// CRC-32 with the reflected polynomial of zip.
fn checksum(data: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in data {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_has_its_check_value() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn arrays_are_aligned_and_complete() {
        let bytes = array(&[1.0, 2.5]);
        assert_eq!((bytes.len() - 16) % 64, 0);
        assert_eq!(&bytes[bytes.len() - 8..], 2.5_f64.to_le_bytes());
        let archive = archive(&[("a".into(), vec![1.0]), ("b/c".into(), vec![2.0])]);
        assert_eq!(&archive[..4], b"PK\x03\x04");
        assert!(archive.windows(7).any(|w| w == b"b_c.npy"));
        assert_eq!(&archive[archive.len() - 22..archive.len() - 18], b"PK\x05\x06");
    }
}
