//! Numbers in few bytes: 16-bit integers and base64 (RFC 4648, section 4).

/// Letters of base64.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text of bytes.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k) & 63) as usize];
            out.push(if k <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// Numbers as multiples of `unit`, each off by half of it at most; what lies beyond 32767 units is cut there, and what is
/// no number is zero.
pub(crate) fn short(numbers: impl Iterator<Item = f64>, unit: f64) -> String {
    let mut bytes = Vec::new();
    for x in numbers {
        #[expect(clippy::cast_possible_truncation, reason = "between -32767 and 32767; NaN becomes 0")]
        let steps = (x / unit).round().clamp(-32767.0, 32767.0) as i16;
        bytes.extend(steps.to_le_bytes());
    }
    base64(&bytes)
}

/// Indices of 32 bits.
pub(crate) fn indices(list: impl Iterator<Item = usize>) -> String {
    let bytes: Vec<u8> = list.flat_map(|i| u32::try_from(i).unwrap_or(u32::MAX).to_le_bytes()).collect();
    base64(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_gives_the_vectors_of_the_standard() {
        for (plain, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), text);
        }
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest_unit_and_cut_at_the_ends() {
        // -1 in little endian is ff ff, 32767 is ff 7f.
        assert_eq!(short([-1.2, 9e9].into_iter(), 1.0), base64(&[0xff, 0xff, 0xff, 0x7f]));
        assert_eq!(short([f64::NAN].into_iter(), 1.0), base64(&[0, 0]));
        assert_eq!(indices([1, 258].into_iter()), base64(&[1, 0, 0, 0, 2, 1, 0, 0]));
    }
}
