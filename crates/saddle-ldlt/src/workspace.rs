//! Memory for the vectors of solutions, kept between solves: large arrays that are allocated and freed each time cost
//! as much as the arithmetic, since the system clears every page anew.

use super::tuning;
use std::sync::Mutex;

/// Arrays that are not in use. Threads that solve at once take different ones.
#[derive(Debug)]
pub(super) struct Pool<T> {
    arrays: Mutex<Vec<Vec<T>>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { arrays: Mutex::new(Vec::new()) }
    }
}

impl<T> Clone for Pool<T> {
    /// An empty pool: what is in it is no part of a value.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Copy + Default> Pool<T> {
    /// An array of zeros.
    pub(super) fn take(&self, length: usize) -> Vec<T> {
        let mut out = self.least(length).unwrap_or_default();
        out.clear();
        out.resize(length, T::default());
        out
    }

    /// An array that holds anything, for whoever writes all of it.
    pub(super) fn any(&self, length: usize) -> Vec<T> {
        let mut out = self.least(length).unwrap_or_default();
        out.resize(length, T::default());
        out
    }

    /// The smallest array with room for so many numbers.
    fn least(&self, length: usize) -> Option<Vec<T>> {
        // Where another thread panicked, memory is asked for as if there were no pool.
        let mut arrays = self.arrays.lock().ok()?;
        let fits = arrays.iter().enumerate().filter(|(_, array)| array.capacity() >= length);
        let (at, _) = fits.min_by_key(|(_, array)| array.capacity())?;
        Some(arrays.swap_remove(at))
    }

    /// Gives an array back.
    pub(super) fn give(&self, array: Vec<T>) {
        if array.capacity() > 0
            && let Ok(mut arrays) = self.arrays.lock()
            // Arrays kept at most; a solution takes half of them.
            && arrays.len() < tuning::WIDTH
        {
            arrays.push(array);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_comes_back_cleared_and_the_smallest_that_fits() {
        let pool = Pool::default();
        let (small, large) = (vec![1.0; 10], vec![2.0; 100]);
        let places = [small.as_ptr(), large.as_ptr()];
        pool.give(large);
        pool.give(small);
        let (eight, twenty) = (pool.take(8), pool.take(20));
        assert_eq!([eight.as_ptr(), twenty.as_ptr()], places);
        assert_eq!(eight, [0.0; 8]);
        assert_eq!(pool.take(3), [0.0; 3]);
        pool.give(eight);
        assert_eq!(pool.any(5).len(), 5);
    }
}
