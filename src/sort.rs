//! Sorting of what is short.

use std::cmp::Ordering;

/// Sorts a list of at most some hundreds; equals keep their order. The standard library's sorts are made for longer ones,
/// and each type that is sorted adds 3 KiB to the page.
pub(crate) fn sort_short<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    for end in 1..list.len() {
        let mut place = end;
        while place > 0 && compare(&list[place - 1], &list[place]) == Ordering::Greater {
            list.swap(place - 1, place);
            place -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sort_short;
    use crate::model::random::Stream;

    #[test]
    fn it_is_the_stable_sort() {
        for length in 0..60 {
            let keys = Stream { tensor: 2000, layer: 0, seed: length }.classes(length as usize, 12);
            let mut list: Vec<(u32, usize)> = keys.into_iter().zip(0..).collect();
            let mut sorted = list.clone();
            sorted.sort_by_key(|(key, _)| *key);
            sort_short(&mut list, |a, b| a.0.cmp(&b.0));
            assert_eq!(list, sorted);
        }
    }
}
