//! What long work keeps of its steps, so that it can go on from there with the same bits.
//!
//! Work that is done again from its start takes the numbers of the steps that were kept instead of computing them. All that later
//! steps depend on is among these numbers, or follows from them by the same operations as in the first run.

use mb_algebra::{Dense, DenseC, c64};

/// Lists of numbers, one for each step of some work, in the order of the work.
pub trait Journal {
    /// What was kept of the next step; none where nothing was.
    fn recall(&mut self) -> Option<Vec<f64>>;

    /// Keeps the numbers of a step.
    fn keep(&mut self, numbers: Vec<f64>);
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoJournal;

impl Journal for NoJournal {
    fn recall(&mut self) -> Option<Vec<f64>> {
        None
    }
    fn keep(&mut self, _: Vec<f64>) {}
}

/// Writes a list of numbers.
#[derive(Debug, Default)]
pub struct Writer(Vec<f64>);

impl Writer {
    /// The list.
    pub fn done(self) -> Vec<f64> {
        self.0
    }
    /// One number.
    pub fn number(&mut self, x: f64) -> &mut Self {
        self.0.push(x);
        self
    }
    /// A whole number below 2^53.
    pub fn count(&mut self, n: usize) -> &mut Self {
        self.number(n as f64)
    }
    /// Numbers, with how many there are.
    pub fn list(&mut self, x: &[f64]) -> &mut Self {
        self.count(x.len());
        self.0.extend_from_slice(x);
        self
    }
    /// A complex number.
    pub fn complex(&mut self, z: c64) -> &mut Self {
        self.number(z.re).number(z.im)
    }
    /// Complex numbers, with how many there are.
    pub fn complex_list(&mut self, z: &[c64]) -> &mut Self {
        self.count(z.len());
        self.0.extend(z.iter().flat_map(|z| [z.re, z.im]));
        self
    }
    /// Lists of complex numbers.
    pub fn complex_lists(&mut self, lists: &[Vec<c64>]) -> &mut Self {
        self.count(lists.len());
        for list in lists {
            self.complex_list(list);
        }
        self
    }
    /// A square matrix.
    pub fn square(&mut self, a: &Dense) -> &mut Self {
        let n = a.nrows();
        self.count(n);
        self.0.extend((0..n).flat_map(|j| (0..n).map(move |i| a[(i, j)])));
        self
    }
    /// A complex square matrix.
    pub fn complex_square(&mut self, a: &DenseC) -> &mut Self {
        let n = a.nrows();
        self.count(n);
        for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
            self.complex(a[(i, j)]);
        }
        self
    }
}

/// Reads what a [`Writer`] wrote; none where the list ends early or a count is none.
#[derive(Debug)]
pub struct Reader<'a>(&'a [f64]);

impl<'a> Reader<'a> {
    /// Begins to read.
    pub fn new(numbers: &'a [f64]) -> Self {
        Self(numbers)
    }
    fn take(&mut self, count: usize) -> Option<&'a [f64]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }
    /// Whether all was read.
    pub fn is_done(&self) -> bool {
        self.0.is_empty()
    }
    /// One number.
    pub fn number(&mut self) -> Option<f64> {
        Some(self.take(1)?[0])
    }
    /// A whole number.
    pub fn count(&mut self) -> Option<usize> {
        let x = self.number()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be a whole number"
        )]
        ((0.0..9e15).contains(&x) && x.fract() == 0.0).then_some(x as usize)
    }
    /// Numbers.
    pub fn list(&mut self) -> Option<Vec<f64>> {
        let count = self.count()?;
        Some(self.take(count)?.to_vec())
    }
    /// A complex number.
    pub fn complex(&mut self) -> Option<c64> {
        Some(c64::new(self.number()?, self.number()?))
    }
    /// Complex numbers.
    pub fn complex_list(&mut self) -> Option<Vec<c64>> {
        let count = self.count()?.checked_mul(2)?;
        Some(self.take(count)?.chunks_exact(2).map(|z| c64::new(z[0], z[1])).collect())
    }
    /// Lists of complex numbers.
    pub fn complex_lists(&mut self) -> Option<Vec<Vec<c64>>> {
        let count = self.count()?;
        (0..count).map(|_| self.complex_list()).collect()
    }
    /// A square matrix.
    pub fn square(&mut self) -> Option<Dense> {
        let n = self.count()?;
        let entries = self.take(n.checked_mul(n)?)?;
        Some(Dense::from_fn(n, n, |i, j| entries[j * n + i]))
    }
    /// A complex square matrix.
    pub fn complex_square(&mut self) -> Option<DenseC> {
        let n = self.count()?;
        let entries = self.take(n.checked_mul(n)?.checked_mul(2)?)?;
        Some(DenseC::from_fn(n, n, |i, j| {
            let at = 2 * (j * n + i);
            c64::new(entries[at], entries[at + 1])
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_as_they_were_written() {
        let (z, list) = (c64::new(0.1, -0.0), vec![1.0, f64::INFINITY]);
        let a = Dense::from_fn(2, 2, |i, j| (10 * i + j) as f64);
        let mut writer = Writer::default();
        writer.count(3).list(&list).complex_lists(&[vec![z], Vec::new()]).square(&a);
        let numbers = writer.done();
        let mut reader = Reader::new(&numbers);
        assert_eq!((reader.count(), reader.list()), (Some(3), Some(list)));
        assert_eq!((reader.complex_lists(), reader.square()), (Some(vec![vec![z], Vec::new()]), Some(a)));
        assert!(reader.is_done());
        // A list that is cut off anywhere is not taken for a whole one.
        for cut in 0..numbers.len() {
            let mut reader = Reader::new(&numbers[..cut]);
            let mut whole =
                || Some((reader.count()?, reader.list()?, reader.complex_lists()?, reader.square()?));
            assert!(whole().is_none(), "{cut}");
        }
        assert_eq!(Reader::new(&[-1.0]).count(), None);
        assert_eq!(Reader::new(&[1e15]).list(), None);
    }
}
