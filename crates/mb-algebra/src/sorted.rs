//! Lists in the order of a number.
//!
//! The standard library's sort is compiled again for each kind of entry and each comparison, 5 KB a time. These sort keys in one place
//! and then move the entries; the key is worked out once an entry.

/// Sorts by a number, the smallest first; entries of equal numbers keep their order, and what is no number comes last.
pub fn ascending<T>(list: &mut [T], key: impl FnMut(&T) -> f64) {
    let keys: Vec<f64> = list.iter().map(key).collect();
    arrange(list, places(&keys, false));
}

/// Sorts by a number, the largest first; entries of equal numbers keep their order, and what is no number comes first.
pub fn descending<T>(list: &mut [T], key: impl FnMut(&T) -> f64) {
    let keys: Vec<f64> = list.iter().map(key).collect();
    arrange(list, places(&keys, true));
}

/// For each place the number of the entry that belongs there.
fn places(keys: &[f64], down: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&i, &j| if down { keys[j].total_cmp(&keys[i]) } else { keys[i].total_cmp(&keys[j]) });
    order
}

/// Moves entry `from[i]` to place `i`, one cycle of the permutation after the other.
fn arrange<T>(list: &mut [T], mut from: Vec<usize>) {
    for start in 0..list.len() {
        let mut place = start;
        while from[place] != start {
            let next = from[place];
            list.swap(place, next);
            from[place] = place;
            place = next;
        }
        from[place] = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal keys distinguish a stable order from another; cycles of all lengths appear.
    #[test]
    fn entries_come_in_the_order_of_the_standard_sort() {
        for n in 0..40_usize {
            for factor in [1, 3, 7, 11] {
                let list: Vec<(f64, usize)> = (0..n).map(|i| (((i * factor) % 13) as f64 - 6.0, i)).collect();
                let [mut up, mut down, mut expected] = [list.clone(), list.clone(), list];
                ascending(&mut up, |e| e.0);
                expected.sort_by(|a, b| a.0.total_cmp(&b.0));
                assert_eq!(up, expected);
                descending(&mut down, |e| e.0);
                expected.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                assert_eq!(down, expected);
            }
        }
    }

    #[test]
    fn what_is_no_number_is_at_the_end_of_the_largest() {
        let mut list = [f64::NAN, 2.0, f64::INFINITY, -1.0];
        ascending(&mut list, |x| *x);
        assert_eq!(list[..3], [-1.0, 2.0, f64::INFINITY]);
        descending(&mut list, |x| *x);
        assert_eq!(list[1..], [f64::INFINITY, 2.0, -1.0]);
    }
}
