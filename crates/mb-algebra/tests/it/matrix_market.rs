//! MatrixMarket text: there and back without loss, every kind of file, every mistake at its place.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test they are called from")]

use mb_algebra::matrix_market::{
    self, Field, MatrixMarketError, Symmetry, read, read_complex, write, write_array, write_array_complex,
};
use mb_algebra::{Dense, DenseC, Scatter, Sparse, Triplets, c64, dense, to_dense};
use proptest::collection::vec;
use proptest::prelude::*;

fn text(a: &Sparse) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, a, &["two\nlines".to_owned()]).unwrap();
    out
}

fn dense_of(text: &str) -> Dense {
    to_dense(&read(text.as_bytes()).unwrap().matrix)
}

/// Line and column of the mistake in a text, and the message.
fn mistake(text: &str) -> (usize, usize, String) {
    let error = read(text.as_bytes()).unwrap_err();
    (error.line(), error.column(), error.to_string())
}

const HEAD: &str = "%%MatrixMarket matrix coordinate real general\n";

#[test]
fn every_layout_field_and_symmetry() {
    let full = dense::from_rows(&[&[1.0, -2.0], &[3.0, 4.0]]);
    assert_eq!(dense_of(&format!("{HEAD}2 2 4\n1 1 1\n2 1 3\n1 2 -2\n2 2 4")), full);
    assert_eq!(dense_of("%%MatrixMarket matrix array integer general\n2 2\n1\n3\n-2\n4\n"), full);
    let symmetric = dense::from_rows(&[&[1.0, 3.0], &[3.0, 4.0]]);
    assert_eq!(dense_of("%%matrixmarket MATRIX array real symmetric\n2 2\n1\n3\n4\n"), symmetric);
    // Some programs store the upper triangle; as long as it is only that, it says the same.
    assert_eq!(
        dense_of("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n1 2 3\n2 2 4\n"),
        symmetric
    );
    let skew = dense::from_rows(&[&[0.0, -5.0], &[5.0, 0.0]]);
    assert_eq!(dense_of("%%MatrixMarket matrix array real skew-symmetric\n2 2\n5\n"), skew);
    assert_eq!(dense_of("%%MatrixMarket matrix coordinate double skew-symmetric\n2 2 1\n2 1 5.0D0\n"), skew);
    let pattern = "%%MatrixMarket matrix coordinate pattern general\n1 3 2\n1 1\n1 3\n";
    assert_eq!(dense_of(pattern), dense::from_rows(&[&[1.0, 0.0, 1.0]]));
    assert_eq!(read(pattern.as_bytes()).unwrap().header.field, Field::Pattern);
    let hermitian = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 3 -4\n";
    let read = read_complex(hermitian.as_bytes()).unwrap();
    assert_eq!(read.matrix.get(0, 1), Some(&c64::new(3.0, 4.0)));
    assert_eq!(read.header.symmetry, Symmetry::Hermitian);
}

/// A symmetric text of n diagonal entries, with comments between, so long that it is read in several pieces.
fn long_text(n: usize, entries: usize, last: &str) -> String {
    use std::fmt::Write as _;
    let mut out = format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {entries}\n");
    for i in 1..=n {
        if i % 5000 == 0 {
            out.push_str("% comment\n\n");
        }
        let _ = writeln!(out, "{i} {i} {}.{:020}", i % 7, 5);
    }
    out.push_str(last);
    out
}

#[test]
fn a_text_of_several_pieces_is_one_matrix_and_its_mistakes_keep_their_lines() {
    let n = 70_000;
    let line = 2 + n + 2 * (n / 5000) + 1;
    let long = long_text(n, n + 1, "2 1 -3\n");
    assert!(long.len() > 2 << 20);
    let found = read(long.as_bytes()).unwrap();
    assert_eq!((found.matrix.nnz(), found.repeated), (n + 2, 0));
    assert_eq!((found.matrix.get(0, 1), found.matrix.get(1, 0)), (Some(&-3.0), Some(&-3.0)));
    let wrong = |i: usize| found.matrix.get(i - 1, i - 1) != Some(&((i % 7) as f64 + 5e-20));
    assert_eq!((1..=n).find(|i| wrong(*i)), None);

    assert_eq!(mistake(&long_text(n, n + 1, "2 1 x\n")).0, line);
    let both = mistake(&long_text(n, n + 2, "2 1 1\n  1 2 1\n"));
    assert_eq!((both.0, both.1), (line + 1, 3));
    let many = mistake(&long_text(n, n, "2 1 x\n"));
    assert!((many.0, many.1) == (line, 1) && many.2.contains("follows the last"), "{}", many.2);
    let many = mistake(&long_text(n, 10, ""));
    assert!(many.0 == 13 && many.2.contains("follows the last of the 10"), "{}", many.2);
    let few = mistake(&long_text(n, n + 2, "2 1 1\n"));
    assert!(few.0 == line && few.2.contains(&format!("{} of the {}", n + 1, n + 2)), "{}", few.2);
    // The first mistake counts, in whichever piece it is found.
    let two = long_text(n, n + 1, "2 1 x\n").replacen("1 1 ", "1 y ", 1);
    assert_eq!(mistake(&two).0, 3);
    // One triangle in the first piece, the other in the last.
    let sides = long_text(n, n + 1, "1 2 1\n").replacen("2 2 ", "2 1 ", 1);
    assert_eq!(mistake(&sides).0, line);
}

#[test]
fn entries_at_one_place_are_summed_and_counted() {
    let found = read(format!("{HEAD}2 2 3\n1 1 1\n1 1 2\n2 2 4").as_bytes()).unwrap();
    assert_eq!((found.repeated, found.matrix.get(0, 0)), (1, Some(&3.0)));
    let (line, _, message) = mistake(&format!("{HEAD}1 1 2\n1 1 1e308\n1 1 1e308\n"));
    assert!(line == 4 && message.contains("row 1, column 1"), "{message}");
}

#[test]
fn mistakes_are_found_at_line_and_column() {
    let sym = "%%MatrixMarket matrix coordinate real symmetric\n";
    let skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
    let cases: [(String, usize, usize, &str); 21] = [
        (String::new(), 1, 1, "empty"),
        ("1 2 3\n".to_owned(), 1, 1, "begins with"),
        ("%%MatrixMarket matrix coordinate real\n".to_owned(), 1, 38, "`general`"),
        ("%%MatrixMarket matrix sparse real general\n".to_owned(), 1, 23, "`coordinate` or `array`"),
        ("%%MatrixMarket matrix array pattern general\n1 1\n".to_owned(), 1, 1, "array pattern general"),
        ("%%MatrixMarket matrix array complex general\n1 1\n1 2\n".to_owned(), 1, 1, "real matrix is needed"),
        (HEAD.to_owned(), 1, 1, "without the line of sizes"),
        (format!("{HEAD}% c\n2 2\n"), 3, 4, "the number of entries"),
        (format!("{HEAD}2 -2 1\n"), 2, 3, "the number of columns"),
        (format!("{HEAD}99999999999999999999999 2 1\n"), 2, 1, "too large"),
        (format!("{HEAD}2 4000000000 1\n"), 2, 3, "too large"),
        (format!("{sym}2 3 0\n"), 2, 1, "not square"),
        (format!("{HEAD}2 2 1\n3 1 1.0\n"), 3, 1, "the row 3 is outside 1 to 2"),
        (format!("{HEAD}2 2 1\n1 0 1.0\n"), 3, 3, "the column 0 is outside 1 to 2"),
        (format!("{HEAD}2 2 1\n1 x 1.0\n"), 3, 3, "the column of an entry"),
        (format!("{HEAD}2 2 1\n1 1 1.0.0\n"), 3, 5, "a number"),
        (format!("{HEAD}2 2 1\n1 1 1.0 7\n"), 3, 9, "the end of the line"),
        (format!("{HEAD}2 2 1\n\n1 2 -inf\n"), 4, 5, "row 1, column 2 (from 1) is `-inf`"),
        (format!("{HEAD}2 2 2\n1 2 1\n"), 3, 1, "1 of the 2 entries"),
        (format!("{HEAD}2 2 1\n1 2 1\n2 2 1\n"), 4, 1, "follows the last of the 1 entries"),
        (format!("{sym}2 2 2\n2 1 1\n1 2 1\n"), 4, 1, "other side of the diagonal"),
    ];
    for (text, line, column, says) in cases {
        let (found_line, found_column, message) = mistake(&text);
        assert_eq!((found_line, found_column), (line, column), "{text}: {message}");
        assert!(message.contains(says), "{message} should say {says}");
    }
    let (line, column, message) = mistake(&format!("{skew}2 2 1\n2 2 1.5\n"));
    assert!((line, column) == (3, 5) && message.contains("diagonal entry 1.5 at row 2"), "{message}");
}

#[test]
fn a_corrupt_count_claims_no_memory() {
    let text = format!("{HEAD}2 2 18446744073709551615\n1 1 1\n");
    let expected = MatrixMarketError::TooFew { line: 3, found: 1, expected: usize::MAX };
    assert_eq!(read(text.as_bytes()).unwrap_err(), expected);
}

#[test]
fn comments_need_not_be_text() {
    let bytes = [HEAD.as_bytes(), b"% Stei\xdfigkeit\n1 1 1\n1 1 2\n"].concat();
    assert_eq!(read(&bytes).unwrap().matrix.get(0, 0), Some(&2.0));
    assert!(read(b"\xff\xfe\x00").is_err());
}

/// A finite number of any size.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>().prop_filter("finite", |x| x.is_finite()), Just(0.0), -3.0..3.0]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sparse_matrices_come_back_as_they_were(
        (rows, cols) in (0_usize..8, 0_usize..8),
        entries in vec((0_usize..8, 0_usize..8, number()), 0..30),
    ) {
        let mut t = Triplets::new(rows, cols);
        let mut taken = std::collections::BTreeSet::new();
        for (i, j, v) in entries {
            if i < rows && j < cols && taken.insert((i, j)) {
                t.add(i, j, v);
            }
        }
        let a = t.to_sparse();
        let back = read(&text(&a)).unwrap();
        prop_assert_eq!(back.matrix.shape(), a.shape());
        prop_assert_eq!(to_dense(&back.matrix), to_dense(&a));
        prop_assert_eq!(back.repeated, 0);
    }

    #[test]
    fn symmetric_ones_are_stored_once(n in 1_usize..6, values in vec(number(), 36)) {
        let a = Dense::from_fn(n, n, |i, j| values[6 * i.max(j) + i.min(j)]);
        let back = read(&text(&mb_algebra::to_sparse(&a))).unwrap();
        prop_assert_eq!(back.header.symmetry, Symmetry::Symmetric);
        prop_assert_eq!(to_dense(&back.matrix), a);
    }

    #[test]
    fn arrays_come_back_as_they_were((rows, cols) in (0_usize..5, 0_usize..5), values in vec(number(), 50)) {
        let a = Dense::from_fn(rows, cols, |i, j| values[5 * i + j]);
        let mut out = Vec::new();
        write_array(&mut out, &a, &[]).unwrap();
        prop_assert_eq!(to_dense(&read(&out).unwrap().matrix), a);
        let z = DenseC::from_fn(rows, cols, |i, j| c64::new(values[5 * i + j], values[25 + 5 * i + j]));
        let mut out = Vec::new();
        write_array_complex(&mut out, &z, &[]).unwrap();
        let back = read_complex(&out).unwrap().matrix;
        for j in 0..cols {
            for i in 0..rows {
                prop_assert_eq!(back.get(i, j).copied().unwrap_or_default(), z[(i, j)]);
            }
        }
    }

    #[test]
    fn any_bytes_are_answered(bytes in vec(any::<u8>(), 0..200)) {
        let _ = matrix_market::read(&bytes);
        let after_banner = [HEAD.as_bytes(), &bytes].concat();
        if let Err(error) = read_complex(&after_banner) {
            prop_assert!(error.line() >= 1 && error.column() >= 1 && !error.to_string().is_empty());
        }
    }

    #[test]
    fn a_damaged_file_is_answered_at_a_line_it_has(at in 0_usize..90, with in "[ -~\n]{0,4}") {
        let whole = "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 3\n1 1 2\n2 1 -1.5e0\n3 3 7\n";
        let at = at.min(whole.len());
        let cut = (at + 2).min(whole.len());
        let damaged = format!("{}{with}{}", &whole[..at], &whole[cut..]);
        match read(damaged.as_bytes()) {
            Ok(found) => prop_assert!(found.matrix.iter().all(|(v, _)| v.is_finite())),
            Err(error) => prop_assert!(error.line() <= damaged.lines().count().max(1), "{}", error),
        }
    }
}
