use crate::cpu::SquareSum;
use crate::plan::ReduceSquareSums;

/// Twin of `reduce_square_sums.wgsl`: `partials` is (outputs, count), `results` (outputs). Equal to 1e-5.
pub(super) fn reduce_square_sums(p: &ReduceSquareSums, partials: &[SquareSum], results: &mut [SquareSum]) {
    for (partials, result) in partials.chunks_exact(p.count as usize).zip(results).take(p.outputs as usize) {
        let mut total = SquareSum::default();
        for partial in partials {
            total.merge(partial);
        }
        *result = total;
    }
}
