//! PNG files (ISO/IEC 15948): rows of red, green and blue with eight bits each, deflated.

/// Pixels a metre at 192 to an inch: two to the unit of an SVG picture.
const DENSITY: u32 = 7559;

/// A picture as a file.
///
/// `rows` holds red, green and blue of `width` times `height` pixels, from above.
pub(crate) fn file([width, height]: [u32; 2], rows: &[u8]) -> Vec<u8> {
    let long = 3 * width as usize;
    let mut lines = Vec::with_capacity(rows.len() + height as usize);
    for row in rows.chunks_exact(long.max(1)) {
        // Filter 0: areas of one colour and thin lines are best left as they are.
        lines.push(0);
        lines.extend_from_slice(row);
    }
    let mut header = [width, height].map(u32::to_be_bytes).concat();
    // Eight bits, colours without opacity, the one compression and filtering there is, not interlaced.
    header.extend([8, 2, 0, 0, 0]);
    let mut density = [DENSITY; 2].map(u32::to_be_bytes).concat();
    density.push(1);
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&lines, 6);
    for (name, data) in [(b"IHDR", header), (b"pHYs", density), (b"IDAT", packed), (b"IEND", Vec::new())] {
        chunk(&mut out, *name, &data);
    }
    out
}

/// Length, name, data and their check.
#[expect(clippy::cast_possible_truncation, reason = "pictures are limited to far less than 2^31 bytes")]
fn chunk(out: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend(name);
    out.extend(data);
    let check = crc(&out[start..]);
    out.extend(check.to_be_bytes());
}

/// Cyclic redundancy check of 32 bits (polynomial of ISO 3309, bits reflected).
fn crc(bytes: &[u8]) -> u32 {
    let step = |c: u32| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
    !bytes.iter().fold(!0, |c, b| (0..8).fold(c ^ u32::from(*b), |c, _| step(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_divides_what_it_is_appended_to() {
        // Of any message with its own check, lowest byte first, the register ends at the same rest.
        for message in [&b""[..], b"IEND", b"any bytes at all"] {
            let whole = [message, &crc(message).to_le_bytes()].concat();
            assert_eq!(crc(&whole), crc(&crc(b"").to_le_bytes()));
        }
        assert_ne!(crc(b"IEND"), crc(b"IENE"));
    }

    #[test]
    fn chunks_hold_what_was_drawn() {
        let rows: Vec<u8> = (0..18).collect();
        let bytes = file([2, 3], &rows);
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
        let mut rest = &bytes[8..];
        let mut names = Vec::new();
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let long = u32::from_be_bytes(*length) as usize;
            let (named, check) = after.split_at(4 + long);
            assert_eq!(check[..4], crc(named).to_be_bytes());
            if named.starts_with(b"IHDR") {
                assert_eq!(named[4..12], [0, 0, 0, 2, 0, 0, 0, 3]);
            }
            if named.starts_with(b"IDAT") {
                let lines = miniz_oxide::inflate::decompress_to_vec_zlib(&named[4..]).unwrap();
                let kept: Vec<u8> = lines.chunks(7).flat_map(|line| &line[1..]).copied().collect();
                assert_eq!(kept, rows);
            }
            names.push(String::from_utf8_lossy(&named[..4]).into_owned());
            rest = &check[4..];
        }
        assert_eq!(names, ["IHDR", "pHYs", "IDAT", "IEND"]);
    }
}
